-- While node n2 is down, or hangs: the view without it, and an answer that names it.
\o /dev/null
\timing on
\echo last 8 orders, view without that node
SELECT * FROM orders_all WHERE node <> 'n2' AND customer = 42 ORDER BY id DESC LIMIT 8;
\echo last 8 orders, iuid_run_on_nodes, timeout 10 round trips
SELECT n.node, n.success, o.*
FROM iuid_run_on_nodes($$ SELECT json_agg(o) FROM (SELECT * FROM orders WHERE customer = 42 ORDER BY id DESC LIMIT 8) AS o $$, timeout => '1 second') AS n
	LEFT JOIN json_populate_recordset(NULL::orders, CASE WHEN n.success THEN n.result::json END) AS o ON true
ORDER BY o.id DESC LIMIT 9;
