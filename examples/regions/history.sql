-- The last orders of a customer, wherever they were made, newest first.
--   psql -d shop -U desk -v customer=42 -f history.sql
SELECT i."time", i.code, i.region, note
FROM (SELECT id, note FROM orders_global WHERE customer = :customer ORDER BY id DESC LIMIT 8) AS o, iuid_inspect(id) AS i
ORDER BY id DESC;

-- What the nodes send each other for it.
\o | grep 'Remote SQL' | head -n 1
EXPLAIN (VERBOSE, COSTS OFF) SELECT id, note FROM orders_global WHERE customer = :customer ORDER BY id DESC LIMIT 8;
\o
