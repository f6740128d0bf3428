-- Opens the connections of iuid_run_on_nodes, however many: one after the other.
\o /dev/null
SELECT iuid_run_on_nodes('SELECT 1', timeout => '1 minute');
