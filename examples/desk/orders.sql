-- Orders of the last hour, for the charts of the page.
-- Run it at each node, after load.sql, as the role shop:
--   psql service=almaty -f orders.sql
SET client_min_messages = warning;
-- tables.sql has divided each country by quarters.  Those since 2025 get partitions of their own.
SELECT count(*) FROM pg_inherits, iuid_create_partitions(inhrelid, '3 months', '2025-01-01 00:00+00', now())
WHERE inhparent = 'orders'::regclass;
INSERT INTO orders
SELECT gen_iuid(country, 1, now() - random() * interval '1 hour'), n % 100, format('%s, order %s of the last hour', name, n)
FROM iuid_countries, generate_series(1, country) AS n
WHERE iuid_node(country, 1) = current_setting('iuid.node');
ANALYZE orders;
