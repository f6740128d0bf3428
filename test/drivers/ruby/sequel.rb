require "sequel"
require_relative "checks"

DB = Sequel.connect(adapter: "postgres", host: "127.0.0.1", port: ENV["PGPORT"], user: ENV["PGUSER"],
                    database: ENV["PGDATABASE"], single_threaded: true)
# SET-UP

def value(sql, *parameters)
  DB.fetch(sql, *parameters).single_value
end

ORDERS = DB[:orders]

def in_range(lower, upper)
  ORDERS.where { (id >= lower) & (id < upper) }.count == 2
end

# What `sequel -D` writes of the table, made again, and read by Ruby.
def load_dump
  table = DB.dump_table_schema(:orders, same_db: true)
  DB.drop_table(:orders)
  DB.instance_eval(table)
  type_of_column == "iuid" && ORDERS.where(id: ORDERS.insert).count == 1
end

def type_of_column
  value("SELECT atttypid::regtype::text FROM pg_attribute WHERE attrelid = 'orders'::regclass AND attname = 'id'")
end

report "version", "#{Sequel.version}, ruby-pg #{PG::VERSION}"
check("table") do
  DB.create_table(:orders) do
    column :id, :iuid, default: Sequel.function(:gen_iuid, 125, 1), primary_key: true
    column :note, :text
  end
  type_of_column
end
check("default") { ORDERS.where(id: ORDERS.insert).count == 1 }
check("UUID") do
  ORDERS.insert(id: A, note: "A")
  ORDERS.insert(id: B, note: "B")
  value("SELECT id::text FROM orders WHERE note = 'A'") == A
end
check("look-up") { look_up { ORDERS.first(id: A)[:note] == "A" } }
check("IN") { ORDERS.where(id: [A, B]).count == 2 }
check("= ANY") { ORDERS.where(Sequel.lit("id = ANY (?)", "{#{A},#{B}}")).count == 2 }
check("reads as") { kind(ORDERS.where(note: "A").get(:id)) }
check("array") { kind(ORDERS.get { array_agg(:id) }) }
check("COPY text") do
  DB.create_table(:copies) { column :id, :iuid; column :note, :text }
  DB.copy_into(:copies, data: "#{A}\tA\n")
  DB.copy_table(:copies) == "#{A}\tA\n"
end
report "COPY binary", "–"
check("id >= $1") { in_range(BEGIN_TIME, END_TIME) }
check("id >= iuid_floor($1)") { in_range(Sequel.function(:iuid_floor, BEGIN_TIME), Sequel.function(:iuid_floor, END_TIME)) }
check("id >= $1::timestamptz") { in_range(Sequel.cast(BEGIN_TIME, :timestamptz), Sequel.cast(END_TIME, :timestamptz)) }
check("gen_iuid($1, $2)") { value("SELECT iuid_country(gen_iuid(?, ?))", 125, 1) == 125 }
check("gen_iuid($1::int, $2::int)") { value("SELECT iuid_country(gen_iuid(?::int, ?::int))", 125, 1) == 125 }
check("join over a foreign key") do
  DB.create_table(:lines) do
    primary_key :number
    foreign_key :order_id, :orders, type: :iuid
  end
  DB[:lines].insert(order_id: A)
  DB[:lines].join(:orders, id: :order_id).where(note: "A").get(:order_id) == A
end
DB.drop_table(:lines)
DB.extension :schema_dumper
check("tables of iuid_regions in the dump") { DB.dump_schema_migration.scan(/create_table\(:(iuid_\w+)/).join(", ") }
check("`sequel -d` writes the key as") { DB.dump_table_schema(:orders)[/^ *(\w+ :id.*)$/, 1] }
check("loads the dump of `sequel -D` again") { load_dump }
