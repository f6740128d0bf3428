# The plots of a run, from its measurements, into the current folder.
set terminal svg noenhanced size 820,460 dynamic background rgb "white" font "sans-serif,14"
set datafile separator "|"
set border 3
set tics nomirror out
set style line 1 lc rgb "#1b6ca8" lw 2 pt 7 ps 0.5
set style line 2 lc rgb "#777777" lw 2 pt 7 ps 0.5
set style line 3 lc rgb "#c8553d" lw 2 pt 7 ps 0.5
set style line 4 lc rgb "#3f8f5b" lw 2 dt 2 pt 6 ps 0.9
sql(query) = '< psql -XAtc "'.query.'"'
measured(columns, condition) = sql("SELECT ".columns.", percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FROM bench.measurement WHERE ".condition." GROUP BY ".columns." ORDER BY min(number)")

# On the server that was measured first.
first(benchmark) = "benchmark = '".benchmark."' AND major = (SELECT major FROM bench.measurement WHERE benchmark = '".benchmark."' ORDER BY number LIMIT 1)"
major(benchmark) = system("psql -XAtc \"SELECT major FROM bench.measurement WHERE benchmark = '".benchmark."' ORDER BY number LIMIT 1\"")

set output "growth.svg"
set title "Inserting rows into a table that grows (PostgreSQL ".major("growth").", 128 MB of shared buffers)"
set xlabel "million rows in the table"
set ylabel "thousand rows per second"
set xrange [0:*]
set yrange [0:*]
set key outside bottom center horizontal height 1
growth(way) = measured("substring(work FROM '[0-9.]+')", first("growth")." AND way = '".way."'")
plot growth("as_iuid") using 1:($2/1000) with linespoints ls 1 title "iuid, gen_iuid()", \
	growth("as_uuidv7") using 1:($2/1000) with linespoints ls 4 title "uuid, uuidv7()", \
	growth("as_bigint") using 1:($2/1000) with linespoints ls 2 title "bigserial", \
	growth("as_uuid") using 1:($2/1000) with linespoints ls 3 title "uuid, gen_random_uuid()"

set output "clients.svg"
set title "Identifiers made by several clients at once (PostgreSQL ".major("clients").")"
set xlabel "clients"
set ylabel "million per second"
set logscale x 2
set xrange [1:32]
set xtics (1, 2, 8, 32)
clients(way) = measured("substring(work FROM '[0-9]+')", first("clients")." AND work LIKE 'identifiers,%' AND way LIKE '".way."%'")
plot clients("gen_iuid") using 1:($2/1e6) with linespoints ls 1 title "gen_iuid()", \
	clients("nextval") using 1:($2/1e6) with linespoints ls 2 title "nextval()", \
	clients("uuidv7") using 1:($2/1e6) with linespoints ls 4 title "uuidv7()", \
	clients("gen_random_uuid") using 1:($2/1e6) with linespoints ls 3 title "gen_random_uuid()"

set output "index.svg"
set title "Index of the primary key, filled by several clients, 100 rows a statement (PostgreSQL ".major("clients").")"
set ylabel "bytes a row"
index(way) = measured("substring(work FROM '([0-9]+) client')", first("clients")." AND unit = 'bytes of index a row' AND work LIKE '%100 a statement%' AND way = '".way."'")
plot index("as_iuid") using 1:2 with linespoints ls 1 title "iuid, gen_iuid()", \
	index("as_uuidv7") using 1:2 with linespoints ls 4 title "uuid, uuidv7()", \
	index("as_bigint") using 1:2 with linespoints ls 2 title "bigserial", \
	index("as_uuid") using 1:2 with linespoints ls 3 title "uuid, gen_random_uuid()"
unset logscale

set output "estimates.svg"
set title "By how many times the planner's estimate of a range of time is wrong (PostgreSQL ".major("estimates").")"
set xlabel "length of the range"
set ylabel "times too many or too few"
set logscale y
set xrange [-0.2:5.2]
set yrange [1:*]
set xtics auto
estimates(way) = measured("work", first("estimates")." AND unit LIKE 'times%' AND work NOT LIKE '%,%' AND way = '".way."'")
# Both lie in one place: the circles are around the points of iuid.
plot estimates("iuid") using 0:2:xtic(1) with linespoints ls 1 title "iuid", \
	estimates("created_at") using 0:2:xtic(1) with points lc rgb "#777777" lw 2 pt 6 ps 1.6 title "timestamptz", \
	estimates("uuidv7") using 0:2:xtic(1) with linespoints ls 4 title "uuid, uuidv7(), without iuid"
unset logscale
set yrange [0:*]

set output "nodes.svg"
set title "Statements over nodes that are 100 ms apart, 48 countries (PostgreSQL ".major("regions").")"
set xlabel "nodes"
set ylabel "round trips"
set xrange [0:12]
set xtics (3, 6, 12)
nodes(work) = measured("substring(way FROM '([0-9]+) nodes')", first("regions")." AND way ~ '^48 countries, [0-9]+ nodes$' AND work = '".work."'")
plot nodes("last 8 orders, view") using 1:2 with linespoints ls 3 title "last 8 orders, view", \
	nodes("look-up by id, global table") using 1:2 with linespoints ls 2 title "look-up by id, global table", \
	nodes("last 8 orders, iuid_select_on_nodes") using 1:2 with linespoints ls 1 title "last 8 orders, iuid_select_on_nodes", \
	nodes("look-up by id, iuid_find") using 1:2 with linespoints ls 4 title "look-up by id, iuid_find"
set xtics auto

# Bars: a row for each way or work, its name at the left.
set style fill solid 0.8
set ytics scale 0
set yrange [*:*] reverse
set xrange [0:*]
unset key
unset ylabel

set output "making.svg"
set title "Making an identifier, in one session (PostgreSQL ".major("generate").")"
set xlabel "nanoseconds"
set xtics 500
plot measured("way", first("generate")."") using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror ls 1

set output "regions.svg"
set title "48 countries, three nodes (PostgreSQL ".major("regions").")"
set xlabel "round trips"
set xtics 2
plot measured("work", first("regions")." AND way = '48 countries, 3 nodes' AND work <> 'last 8 orders, global table'") using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror ls 1

set output "ratios.svg"
set terminal svg size 820,760 noenhanced
set title "Time of iuid as a ratio to uuid (PostgreSQL ".major("copy").")"
set xlabel "ratio"
set xtics 0.2
set arrow 1 from 1, graph 0 to 1, graph 1 nohead ls 2
plot sql("SELECT work, (percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FILTER (WHERE way = 'iuid')) / (percentile_cont(0.5) WITHIN GROUP (ORDER BY value) FILTER (WHERE way = 'uuid')) FROM bench.measurement WHERE benchmark <> 'estimates' AND major = ".major("copy")." GROUP BY benchmark, work HAVING count(*) FILTER (WHERE way = 'iuid') > 0 ORDER BY min(number)") \
	using (0):0:(0):2:($0-0.35):($0+0.35):ytic(1) with boxxyerror ls 1
