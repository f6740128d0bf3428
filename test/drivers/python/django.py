# Only newest: Django 3 of Debian 12 has neither psycopg 3 nor db_default.
import os

import django
import psycopg
from django.conf import settings

settings.configure(USE_TZ=True, INSTALLED_APPS=["django.contrib.postgres"], DATABASES={
    "default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
django.setup()

from io import StringIO

from django.contrib.postgres.aggregates import ArrayAgg
from django.core.management import call_command
from django.db import connection, models
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter
from django.db.models import Func, Value
from django.db.models.functions import Cast

from python.checks import A, B, BEGIN, CREATE, END, FLUSH, READ, check, kind, look_up, report

IuidField = models.UUIDField
# SET-UP


class Order(models.Model):
    id = IuidField(primary_key=True, db_default=Func(125, 1, function="gen_iuid"))
    note = models.TextField(null=True)

    class Meta:
        app_label = "app"
        db_table = "orders"


class Line(models.Model):
    number = models.IntegerField(primary_key=True)
    order = models.ForeignKey(Order, models.CASCADE)

    class Meta:
        app_label = "app"
        db_table = "lines"


def value(sql, *parameters):
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return cursor.fetchone()[0]


def count(**conditions):
    return Order.objects.filter(**conditions).count()


def rows_read():
    value(FLUSH)
    return value(READ)


def table():
    with connection.schema_editor() as editor:
        editor.create_model(Order)
    made = value("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'")
    if made != "iuid":
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE orders")
            cursor.execute(CREATE)
    return made


def insert():
    Order.objects.create(id=A, note="A")
    Order.objects.create(id=B, note="B")
    return value("SELECT id::text FROM orders WHERE note = 'A'") == str(A)


def in_range(bound):
    return count(id__gte=bound(BEGIN), id__lt=bound(END)) == 2


def country(*numbers):
    return Order.objects.filter(note="A").values_list(
        Func(Func(*numbers, function="gen_iuid"), function="iuid_country", output_field=models.IntegerField())).get()[0]


def join():
    with connection.schema_editor() as editor:
        editor.create_model(Line)
    Line.objects.create(number=1, order_id=A)
    line = Line.objects.select_related("order").get(order__note="A")
    return line.order.note == "A" and str(line.order_id) == str(A)


def changes(old):
    """The migrations that the tool would write to come from a state to the models."""
    new = ProjectState()
    for model in (Order, Line):
        new.add_model(ModelState.from_model(model))
    return MigrationAutodetector(old, new)._detect_changes().get("app", [])


def makemigrations():
    """What the tool finds once its first migration was written and read again."""
    first, = changes(ProjectState())
    module = {}
    exec(MigrationWriter(first).as_string(), module)
    more = changes(module["Migration"]("first", "app").mutate_state(ProjectState()))
    return [migration.operations for migration in more] or "no change"


def inspectdb():
    output = StringIO()
    call_command("inspectdb", "orders", stdout=output)
    return next(line.split()[2].split("(")[0] for line in output.getvalue().splitlines() if " id = " in line)


report("version", f"{django.__version__}, psycopg {psycopg.__version__}")
check("table", table)
check("default", lambda: count(id=Order.objects.create().id) == 1)
check("UUID", insert)
check("look-up", lambda: look_up(lambda: Order.objects.get(id=A).note == "A", rows_read))
check("IN", lambda: count(id__in=[A, B]) == 2)
check("= ANY", lambda: Order.objects.extra(where=["id = ANY (%s)"], params=[[A, B]]).count() == 2)
check("reads as", lambda: kind(Order.objects.get(note="A").id))
check("array", lambda: kind(Order.objects.aggregate(ids=ArrayAgg("id"))["ids"]))
report("COPY text", "–")
report("COPY binary", "–")
check("id >= $1", lambda: in_range(lambda time: time))
check("id >= iuid_floor($1)", lambda: in_range(lambda time: Func(Value(time), function="iuid_floor")))
check("id >= $1::timestamptz", lambda: in_range(lambda time: Cast(Value(time), models.DateTimeField())))
check("gen_iuid($1, $2)", lambda: country(125, 1) == 125)
check("gen_iuid($1::int, $2::int)", lambda: country(*(Cast(n, models.IntegerField()) for n in (125, 1))) == 125)
check("join over a foreign key", join)
check("`makemigrations` after the first migration", makemigrations)
check("`inspectdb` takes the key for", inspectdb)
