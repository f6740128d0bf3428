-- Opens the connections of a session, but that of the view to node n2.
\o /dev/null
\timing off
SELECT FROM orders_all WHERE node <> 'n2' LIMIT 0;
\timing on
\echo iuid_run_on_nodes, first of a session
SELECT iuid_run_on_nodes('SELECT 1', timeout => '1 minute');
