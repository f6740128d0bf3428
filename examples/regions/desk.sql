-- For the desk: orders of the last hour, and what happened to an order.
-- Run it at each node, after load.sql, as the role shop:
--   psql service=almaty -f desk.sql
SET client_min_messages = warning;
-- tables.sql has divided each country by quarters.  Those since 2025 get partitions of their own.
SELECT count(*) FROM pg_inherits, iuid_create_partitions(inhrelid, '3 months', '2025-01-01 00:00+00', now())
WHERE inhparent = 'orders'::regclass;
INSERT INTO orders
SELECT gen_iuid(country, 1, now() - random() * interval '1 hour'), n % 100, format('%s, order %s of the last hour', name, n)
FROM iuid_countries, generate_series(1, country) AS n
WHERE iuid_node(country, 1) = current_setting('iuid.node');
ANALYZE orders;

CREATE TABLE order_events (
	id iuid PRIMARY KEY,
	order_id iuid NOT NULL REFERENCES orders,
	what text NOT NULL
);
CREATE INDEX ON order_events (order_id);
INSERT INTO order_events
SELECT iuid_from_name(iuid_country(id), 6, format('%s/%s', id, n), iuid_timestamp(id) + n * interval '7 minutes'), id, what
FROM orders, unnest('{accepted,"driver arrives",paid}'::text[]) WITH ORDINALITY AS e (what, n)
WHERE note = 'a new order';
