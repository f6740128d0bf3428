require "pg"
require_relative "checks"

connection = PG.connect
define_method(:value) { |sql, *parameters| connection.exec_params(sql, parameters).getvalue(0, 0) }
# SET-UP

def in_range(bound)
  sql = "SELECT count(*) FROM orders WHERE id >= #{bound} AND id < #{bound.sub("$1", "$2")}"
  value(sql, BEGIN_TIME, END_TIME).to_i == 2
end

copy_text = lambda do
  connection.copy_data("COPY copies FROM STDIN") { connection.put_copy_data("#{A}\tA\n") }
  back = []
  connection.copy_data("COPY copies TO STDOUT") { while (row = connection.get_copy_data) do back << row end }
  back == ["#{A}\tA\n"]
end

report "version", PG::VERSION
connection.exec(CREATE)
connection.exec("CREATE TABLE copies (id iuid, note text)")
report "table", "–"
check("default") { value("INSERT INTO orders DEFAULT VALUES RETURNING iuid_country(id)").to_i == 125 }
check("UUID") { value("INSERT INTO orders VALUES ($1, 'A'), ($2, 'B') RETURNING id::text", A, B) == A }
check("look-up") { look_up { value("SELECT note FROM orders WHERE id = $1", A) == "A" } }
check("IN") { value("SELECT count(*) FROM orders WHERE id IN ($1, $2)", A, B).to_i == 2 }
check("= ANY") { value("SELECT count(*) FROM orders WHERE id = ANY ($1)", [A, B]).to_i == 2 }
check("reads as") { kind(value("SELECT id FROM orders WHERE note = 'A'")) }
check("array") { kind(value("SELECT array_agg(id) FROM orders")) }
check("COPY text", &copy_text)
report "COPY binary", "–"
check("id >= $1") { in_range("$1") }
check("id >= iuid_floor($1)") { in_range("iuid_floor($1)") }
check("id >= $1::timestamptz") { in_range("$1::timestamptz") }
check("gen_iuid($1, $2)") { value("SELECT iuid_country(gen_iuid($1, $2))", 125, 1).to_i == 125 }
check("gen_iuid($1::int, $2::int)") { value("SELECT iuid_country(gen_iuid($1::int, $2::int))", 125, 1).to_i == 125 }
