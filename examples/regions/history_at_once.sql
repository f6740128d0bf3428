-- The same as history.sql, in one round trip, and also while a node is down: each node
-- gives its last orders, and a node that gave none is a WARNING.
--   psql service=mexico -U desk -v customer=42 -f history_at_once.sql
SELECT i."time", i.code, i.region, note
FROM (
	SELECT * FROM iuid_select_on_nodes(NULL::orders, format(
		'SELECT * FROM orders WHERE customer = %L ORDER BY id DESC LIMIT 8', :customer), skip_failed => true)
	ORDER BY id DESC LIMIT 8) AS o, iuid_inspect(id) AS i
ORDER BY id DESC;
