-- The orders of this node's countries; a table over the orders of all nodes, for look-ups by id;
-- and a view over them, for all other questions.
-- Run it at each node, after registry.sql and subscribe.sql, as the role shop:
--   psql service=almaty -f tables.sql
-- First it waits until the registry has arrived.
DO $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r') LOOP
		PERFORM pg_sleep(0.05);
	END LOOP;
END $$;

-- A node has several countries, so a new order takes the country of its session,
-- iuid.country.  Without this setting the INSERT fails.
CREATE TABLE orders (
	id iuid PRIMARY KEY DEFAULT gen_iuid(1),
	customer int NOT NULL,
	note text NOT NULL
) PARTITION BY RANGE (id iuid_origin_ops);
CREATE INDEX ON orders (customer, id);

-- With -v step='1 month' each country is divided by time; doc/regions.md says what that costs.
\if :{?step}
	SELECT iuid_create_routed_partitions('orders', 1, :'step');
\else
	SELECT iuid_create_routed_partitions('orders', 1);
\endif
SELECT iuid_create_global_table('orders_global', 'orders', 1);
SELECT iuid_create_global_view('orders_all', 'orders');
