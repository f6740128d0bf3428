import psycopg2
import sqlalchemy
from sqlalchemy import TIMESTAMP, Column, Integer, Text, cast, func, select, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Session, declarative_base
from sqlalchemy.pool import StaticPool

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

IUID = postgresql.UUID(as_uuid=True)
# SET-UP


class Order(declarative_base()):
    __tablename__ = "orders"
    id = Column(IUID, primary_key=True, server_default=text("gen_iuid(125, 1)"))
    note = Column(Text)


# One connection, whose statistics the check of the index reads.
engine = sqlalchemy.create_engine("postgresql+psycopg2://", isolation_level="AUTOCOMMIT", poolclass=StaticPool)
# SET-UP


def value(query):
    with engine.connect() as connection:
        return connection.execute(query).scalar()


def count(*conditions):
    return value(select(func.count()).select_from(Order).where(*conditions))


def rows_read():
    value(text(FLUSH))
    return value(text(READ))


def table():
    Order.metadata.create_all(engine)
    made = value(text("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'"))
    if made != "iuid":
        with engine.connect() as connection:
            connection.execute(text("DROP TABLE orders"))
            connection.execute(text(CREATE))
    return made


def default():
    with Session(engine) as session:
        order = Order()
        session.add(order)
        session.commit()
        return count(Order.id == order.id) == 1


def insert():
    with Session(engine) as session:
        session.add_all([Order(id=A, note="A"), Order(id=B, note="B")])
        session.commit()
    return value(text("SELECT id::text FROM orders WHERE note = 'A'")) == str(A)


def in_range(bound):
    return count(Order.id >= bound(BEGIN), Order.id < bound(END)) == 2


report("version", f"{sqlalchemy.__version__}, psycopg2 {psycopg2.__version__.split()[0]}")
check("table", table)
check("default", default)
check("UUID", insert)
check("look-up", lambda: look_up(lambda: value(select(Order.note).where(Order.id == A)) == "A", rows_read))
check("IN", lambda: count(Order.id.in_([A, B])) == 2)
check("= ANY", lambda: count(Order.id == func.any([A, B])) == 2)
check("reads as", lambda: kind(value(select(Order.id).where(Order.note == "A"))))
check("array", lambda: kind(value(select(func.array_agg(Order.id)))))
report("COPY text", "–")
report("COPY binary", "–")
check("id >= $1", lambda: in_range(lambda time: time))
check("id >= iuid_floor($1)", lambda: in_range(func.iuid_floor))
check("id >= $1::timestamptz", lambda: in_range(lambda time: cast(time, TIMESTAMP(timezone=True))))
check("gen_iuid($1, $2)", lambda: value(select(func.iuid_country(func.gen_iuid(125, 1)))) == 125)
check("gen_iuid($1::int, $2::int)",
      lambda: value(select(func.iuid_country(func.gen_iuid(cast(125, Integer), cast(1, Integer))))) == 125)
