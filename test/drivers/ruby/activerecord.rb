require "active_record"
require "active_record/connection_adapters/postgresql_adapter"
require "stringio"
require_relative "checks"

type = :uuid
# SET-UP
type = :iuid if defined?(IuidType)

ActiveRecord::Migration.verbose = false
ActiveRecord::Base.establish_connection(adapter: "postgresql")
$connection = ActiveRecord::Base.connection

class Order < ActiveRecord::Base
end

class Line < ActiveRecord::Base
  belongs_to :order
end

def value(sql, *parameters)
  $connection.select_value(sql, nil, parameters)
end

def type_of_column
  value("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'")
end

# From version 7.2 on, the dumper takes a pool.
def schema
  source = ActiveRecord.version < Gem::Version.new("7.2") ? $connection : ActiveRecord::Base.connection_pool
  ActiveRecord::SchemaDumper.dump(source, dump = StringIO.new)
  dump.string
end

# What schema.rb makes of a database without the table.
def load_schema
  dump = schema
  RubyVM::InstructionSequence.compile(dump)
  $connection.execute("DROP TABLE lines, orders")
  eval(dump)
  type_of_column == "iuid" && Order.create!.reload.id.length == 36
end

def tables_of_extension
  schema.scan(/create_table "(iuid_\w+)"/).join(", ").then { |tables| tables.empty? ? "nothing" : tables }
end

report "version", "#{ActiveRecord.version}, ruby-pg #{PG::VERSION}"
check("table") do
  ActiveRecord::Schema.define { create_table("orders", id: type, default: -> { "gen_iuid(125, 1)" }) { |t| t.text :note } }
  type_of_column.tap { |made| $connection.execute("DROP TABLE orders; #{CREATE}") if made != "iuid" }
end
Order.reset_column_information
check("default") { Order.where(id: Order.create!.id).count == 1 }
check("UUID") do
  Order.create!([{ id: A, note: "A" }, { id: B, note: "B" }])
  value("SELECT id::text FROM orders WHERE note = 'A'") == A
end
check("look-up") { look_up { Order.find(A).note == "A" } }
check("IN") { Order.where(id: [A, B]).count == 2 }
check("= ANY") { Order.where("id = ANY (ARRAY[?]::iuid[])", [A, B]).count == 2 }
check("reads as") { kind(Order.find_by(note: "A").id) }
check("array") { kind(Order.pick(Arel.sql("array_agg(id)"))) }
report "COPY text", "–"
report "COPY binary", "–"
check("id >= $1") { Order.where(id: BEGIN_TIME...END_TIME).count.then { |count| count == 2 || "finds #{count}" } }
check("id >= iuid_floor($1)") { Order.where("id >= iuid_floor(?) AND id < iuid_floor(?)", BEGIN_TIME, END_TIME).count == 2 }
check("id >= $1::timestamptz") { Order.where("id >= ?::timestamptz AND id < ?::timestamptz", BEGIN_TIME, END_TIME).count == 2 }
check("gen_iuid($1, $2)") { value("SELECT iuid_country(gen_iuid($1, $2))", 125, 1) == 125 }
check("gen_iuid($1::int, $2::int)") { value("SELECT iuid_country(gen_iuid($1::int, $2::int))", 125, 1) == 125 }
check("join over a foreign key") do
  $connection.execute("CREATE TABLE lines (id int PRIMARY KEY, order_id iuid REFERENCES orders)")
  Line.create!(id: 1, order_id: A)
  Line.joins(:order).where(orders: { note: "A" }).pick(:order_id) == A && Line.includes(:order).first.order.note == "A"
end
check("loads schema.rb again") { load_schema }
check("tables of iuid_regions in schema.rb") { tables_of_extension }
PG.connect(user: "postgres").exec(<<~SQL)
  DROP EXTENSION iuid CASCADE; DROP TABLE IF EXISTS lines, orders; CREATE SCHEMA iuid;
  CREATE EXTENSION iuid_regions SCHEMA iuid CASCADE; GRANT USAGE ON SCHEMA iuid TO PUBLIC;
SQL
$connection.schema_search_path = "public, iuid"
check("tables of iuid_regions in schema.rb, extensions in a schema of the search path") { tables_of_extension }
