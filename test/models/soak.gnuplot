# The measures of a soak, from the file of them in the current folder.
set terminal svg noenhanced size 1000,1200 dynamic background rgb "white" font "sans-serif,12"
set datafile separator "\t"
set border 3
set tics nomirror out
set style line 1 lc rgb "#1b6ca8" lw 1.5
set style line 2 lc rgb "#777777" lw 1.5
set style line 3 lc rgb "#c8553d" lw 1.5
set style line 4 lc rgb "#3f8f5b" lw 1.5
set key outside bottom center horizontal
set xlabel "hours"
set xrange [0:*]
set yrange [0:*]
nodes = "almaty mexico jakarta lagos"
at(node) = "< grep ".node." measures"

set output "soak.svg"
set multiplot layout 4,2
set title "Memory of a session, MB"
plot for [n=1:4] at(word(nodes, n)) using 1:4 with lines ls n title word(nodes, n)
set title "Open descriptors of a session"
plot for [n=1:4] at(word(nodes, n)) using 1:5 with lines ls n title word(nodes, n)
set title "Replication slots"
plot for [n=1:4] at(word(nodes, n)) using 1:6 with lines ls n title word(nodes, n)
set title "Connections"
plot for [n=1:4] at(word(nodes, n)) using 1:7 with lines ls n title word(nodes, n)
set title "Orders, MB"
plot for [n=1:4] at(word(nodes, n)) using 1:8 with lines ls n title word(nodes, n)
set title "Indexes of the orders, MB"
plot for [n=1:4] at(word(nodes, n)) using 1:9 with lines ls n title word(nodes, n)
set title "Leaves of the keys' indexes, times those of fresh ones"
plot for [n=1:4] at(word(nodes, n)) using 1:10 with lines ls n title word(nodes, n)
set title "Rows written a second"
plot for [n=1:4] at(word(nodes, n)) using 1:11 with lines ls n title word(nodes, n)
