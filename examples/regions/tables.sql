-- The orders of this node's countries, and a table over those of all nodes.
-- On each node, when the registry has arrived:
--   psql -d shop -f tables.sql
DO $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r') LOOP
		PERFORM pg_sleep(0.05);
	END LOOP;
END $$;

-- The country of a new order is that of the session that makes it, iuid.country:
-- a node has several.  Without it there is an error, and never a wrong country.
CREATE TABLE orders (
	id iuid PRIMARY KEY DEFAULT gen_iuid(1),
	customer int NOT NULL,
	note text NOT NULL
) PARTITION BY RANGE (id iuid_country_ops);
CREATE INDEX ON orders (customer, id);

-- A third argument such as interval '1 month' divides each country by time.
SELECT iuid_create_country_partitions('orders', 1);
SELECT iuid_create_global_table('orders_global', 'orders', 1);
GRANT SELECT ON orders_global TO desk;
