-- While node n2 is down, or hangs: the view without it, and an answer that names it.
\o /dev/null
\timing on
\echo last 8 orders, view without that node
SELECT * FROM orders_all WHERE node <> 'n2' AND customer = 42 ORDER BY id DESC LIMIT 8;
\echo last 8 orders, iuid_select_on_nodes, timeout 10 round trips
SELECT *
FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders WHERE customer = 42 ORDER BY id DESC LIMIT 8',
	timeout => '1 second', skip_failed => true)
ORDER BY id DESC LIMIT 8;
