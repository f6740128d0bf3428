import os
import warnings

import alembic
import sqlalchemy
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, MetaData, Table, text
from sqlalchemy.types import UserDefinedType

from python.checks import CREATE, check, report


class IUID(UserDefinedType):
    def get_col_spec(self, **options):
        return "iuid"


def include_name(name, kind, parents):
    return True


# SET-UP
metadata = MetaData()
Table("orders", metadata, Column("id", IUID, server_default=text("gen_iuid(125, 1)"), primary_key=True), Column("note", sqlalchemy.Text))


def execute(user, *statements):
    engine = sqlalchemy.create_engine(f"postgresql+psycopg2://{user}@", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))


def differences():
    options = {"include_name": include_name, "compare_type": True, "compare_server_default": True}
    with sqlalchemy.create_engine("postgresql+psycopg2://").connect() as connection:
        found = compare_metadata(MigrationContext.configure(connection, opts=options), metadata)
    return ", ".join(sorted(f"{what} {table.name}" for what, table in found)) or "no change"


def recognised():
    """Whether the reader of the schema knows the type of the column."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Table("orders", MetaData(), autoload_with=sqlalchemy.create_engine("postgresql+psycopg2://"))
    return not caught or "unknown type"


report("version", f"{alembic.__version__}, SQLAlchemy {sqlalchemy.__version__}")
execute("app", CREATE)
check("reads the schema", recognised)
check("autogenerate", differences)
execute("postgres",
        "DROP EXTENSION iuid CASCADE", "DROP TABLE orders", "CREATE SCHEMA iuid",
        "CREATE EXTENSION iuid_regions SCHEMA iuid CASCADE", "GRANT USAGE ON SCHEMA iuid TO PUBLIC",
        f"ALTER DATABASE \"{os.environ['PGDATABASE']}\" SET search_path = public, iuid")
execute("app", CREATE)
check("autogenerate, extensions in a schema of their own", differences)
