# What the programs in this folder share.  Ruby has no UUID value: the identifiers are strings.

A = "019b76da-a87b-807d-8041-23456789abcd"
B = "019b76da-a87b-807d-8041-23456789abce"
BEGIN_TIME = Time.utc(2026, 1, 1)
END_TIME = BEGIN_TIME + 1

CREATE = "CREATE TABLE orders (id iuid DEFAULT gen_iuid(125, 1) PRIMARY KEY, note text)"

def report(name, result)
  puts "#{name}\t#{result}"
end

# Reports what a check gives, or its error: the SQLSTATE, if the error has one.
def check(name)
  result = yield
rescue StandardError, SyntaxError => error
  server = [error, error.cause].find { |inner| inner.is_a?(PG::Error) && inner.respond_to?(:result) && inner.result }
  report(name, server ? server.result.error_field(PG::PG_DIAG_SQLSTATE) : error.class.name.split("::").last)
else
  report(name, { true => "ok", false => "wrong", nil => "–" }.fetch(result, result))
end

# Whether a look-up finds its row, and reads one entry of the index for that.
def look_up
  before = rows_read
  return false unless yield
  rows_read == before + 1 ? "index" : "scan"
end

def rows_read
  value("SELECT pg_stat_force_next_flush()")
  value("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'orders'").to_i
end

def kind(value)
  value.respond_to?(:to_ary) ? "#{kind(value.first)}[]" : value.class.name
end
