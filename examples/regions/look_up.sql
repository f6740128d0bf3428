-- The order of an id from anywhere, asked at any node.
--   psql -d shop -U desk -v id=ID -f look_up.sql
SELECT iuid_node(id) AS node, iuid_country_code(id) AS code, customer, note FROM orders_global WHERE id = :'id';

-- As a driver does it that knows uuid only, and with a plan that was made before the id was known.
SET plan_cache_mode = force_generic_plan;
PREPARE by_id (uuid) AS SELECT iuid_node(id) AS node, iuid_country_code(id) AS code, customer, note FROM orders_global WHERE id = $1;
EXECUTE by_id (:'id');
