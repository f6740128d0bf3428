-- The same as history.sql, in one round trip, and also while a node is down: each node
-- gives its last orders as one text.  The last lines are the nodes that gave none.
--   psql service=mexico -U desk -v customer=42 -f history_at_once.sql
CREATE TEMP TABLE answer AS
SELECT * FROM iuid_run_on_nodes(format(
	'SELECT json_agg(o) FROM (SELECT id, note FROM orders WHERE customer = %L ORDER BY id DESC LIMIT 8) AS o', :customer));
SELECT i."time", i.code, i.region, note
FROM (
	SELECT id, note FROM answer, json_populate_recordset(NULL::orders, CASE WHEN success THEN result::json END)
	ORDER BY id DESC LIMIT 8) AS o, iuid_inspect(id) AS i
ORDER BY id DESC;
SELECT node, split_part(result, E'\n', 1) AS problem FROM answer WHERE NOT success;
