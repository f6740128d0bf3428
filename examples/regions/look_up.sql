-- The order that has an id, from any node, asked at any node.
--   psql service=mexico -U desk -v id=ID -f look_up.sql
SELECT node, code, customer, note FROM iuid_find(NULL::orders, :'id') AS found, iuid_inspect(found.id);

-- The same by the global table, from a driver that knows only uuid, with a plan that the server made
-- before it knew the id.
SET plan_cache_mode = force_generic_plan;
PREPARE by_id (uuid) AS SELECT node, code, customer, note FROM orders_global AS found, iuid_inspect(found.id) WHERE found.id = $1;
EXECUTE by_id (:'id');
