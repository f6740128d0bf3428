-- Statements at a node, each after the name of its work.
\o /dev/null
\timing on
\echo look-up by id, global table
SELECT note FROM orders_global WHERE id = :'id';
\echo look-up by id, iuid_find
SELECT note FROM iuid_find(NULL::orders, :'id');
\echo look-up of ids of three nodes, global table
SELECT note FROM orders_global WHERE id IN (:ids);
\echo look-up of ids of three nodes, iuid_find
SELECT note FROM iuid_find(NULL::orders, :ids);
\echo insert
INSERT INTO orders_global (id, customer, note) VALUES (gen_iuid(1, 1), 7, 'from afar');
\echo update by id
UPDATE orders_global SET customer = customer + 1 WHERE id = :'id';
\echo last 8 orders, view
SELECT * FROM orders_all WHERE customer = 42 ORDER BY id DESC LIMIT 8;
\echo last 8 orders, iuid_select_on_nodes
SELECT *
FROM iuid_select_on_nodes(NULL::orders, 'SELECT * FROM orders WHERE customer = 42 ORDER BY id DESC LIMIT 8')
ORDER BY id DESC LIMIT 8;
\echo count of a day, view
SELECT count(*) FROM orders_all WHERE id >= timestamptz '2025-03-01' AND id < timestamptz '2025-03-02';
\echo count of a day, iuid_run_on_nodes
SELECT sum(CASE WHEN success THEN result::bigint END)
FROM iuid_run_on_nodes($$ SELECT count(*) FROM orders WHERE id >= timestamptz '2025-03-01' AND id < timestamptz '2025-03-02' $$);
