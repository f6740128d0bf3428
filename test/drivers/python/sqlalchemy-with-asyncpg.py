import asyncio

import asyncpg
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.types import UserDefinedType

from python import sqlalchemy_checks


class IUID(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **options):
        return "iuid"


engine = create_async_engine("postgresql+asyncpg://", isolation_level="AUTOCOMMIT")
# SET-UP


async def main():
    async with engine.connect() as connection:
        await connection.run_sync(sqlalchemy_checks.run, IUID, f"asyncpg {asyncpg.__version__}")


asyncio.run(main())
