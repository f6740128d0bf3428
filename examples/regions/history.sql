-- The last orders of a customer over all nodes, newest first; asked at any node.
--   psql service=mexico -U desk -v customer=42 -f history.sql
SELECT i."time", i.code, i.region, note
FROM (SELECT id, note FROM orders_all WHERE customer = :customer ORDER BY id DESC LIMIT 8) AS o, iuid_inspect(id) AS i
ORDER BY id DESC;

-- What this node sends another node for that query.
\o | grep 'Remote SQL' | head -n 1
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, note FROM orders_all WHERE customer = :customer ORDER BY id DESC LIMIT 8;
\o
