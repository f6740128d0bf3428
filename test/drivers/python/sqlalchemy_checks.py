"""The checks of SQLAlchemy, whose driver each program chooses."""

import sqlalchemy
from sqlalchemy import TIMESTAMP, Column, ForeignKey, Integer, Text, cast, func, select, text
from sqlalchemy.orm import Session, declarative_base, relationship

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report


def run(connection, IUID, driver):
    """Makes the checks over a connection whose transactions commit by themselves."""

    Base = declarative_base()

    class Order(Base):
        __tablename__ = "orders"
        id = Column(IUID, primary_key=True, server_default=text("gen_iuid(125, 1)"))
        note = Column(Text)

    class Line(Base):
        __tablename__ = "lines"
        number = Column(Integer, primary_key=True)
        order_id = Column(IUID, ForeignKey("orders.id"))
        order = relationship(Order)

    def value(query):
        return connection.execute(query).scalar()

    def count(*conditions):
        return value(select(func.count()).select_from(Order).where(*conditions))

    def rows_read():
        value(text(FLUSH))
        return value(text(READ))

    def table():
        Order.__table__.create(connection)
        made = value(text(
            "SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'"))
        if made != "iuid":
            connection.execute(text("DROP TABLE orders"))
            connection.execute(text(CREATE))
        return made

    def default():
        with Session(connection) as session:
            order = Order()
            session.add(order)
            session.commit()
            return count(Order.id == order.id) == 1

    def insert():
        # Where the driver takes no UUID, the rows of the other checks come as text.
        try:
            with Session(connection) as session:
                session.add_all([Order(id=A, note="A"), Order(id=B, note="B")])
                session.commit()
        except sqlalchemy.exc.DBAPIError:
            connection.execute(text(f"INSERT INTO orders VALUES ('{A}', 'A'), ('{B}', 'B')"))
            raise
        return value(text("SELECT id::text FROM orders WHERE note = 'A'")) == str(A)

    def join():
        Line.__table__.create(connection)
        with Session(connection) as session:
            session.add(Line(number=1, order_id=A))
            session.commit()
            line, = session.query(Line).join(Order).filter(Order.note == "A")
            return line.order.note == "A" and str(line.order_id) == str(A)

    def in_range(bound):
        return count(Order.id >= bound(BEGIN), Order.id < bound(END)) == 2

    report("version", f"{sqlalchemy.__version__}, {driver}")
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
    check("join over a foreign key", join)
