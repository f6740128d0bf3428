# Only newest: SQLAlchemy 1.4 of Debian 12 does not have this driver.
import psycopg
import sqlalchemy
from sqlalchemy.types import UserDefinedType

from python import sqlalchemy_checks


class IUID(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **options):
        return "iuid"


engine = sqlalchemy.create_engine("postgresql+psycopg://", isolation_level="AUTOCOMMIT")
# SET-UP
with engine.connect() as connection:
    sqlalchemy_checks.run(connection, IUID, f"psycopg {psycopg.__version__}")
