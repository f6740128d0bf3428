import psycopg2
import sqlalchemy
from sqlalchemy.dialects import postgresql

from python import sqlalchemy_checks

IUID = postgresql.UUID(as_uuid=True)
# SET-UP
engine = sqlalchemy.create_engine("postgresql+psycopg2://", isolation_level="AUTOCOMMIT")
# SET-UP
with engine.connect() as connection:
    sqlalchemy_checks.run(connection, IUID, f"psycopg2 {psycopg2.__version__.split()[0]}")
