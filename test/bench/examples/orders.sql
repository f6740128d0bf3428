-- The migration of a history of :rows rows: a third are orders of two systems, the others events
\ir ../../../examples/orders/old_tables.sql
\ir ../../../examples/orders/migration.sql
\ir ../../../examples/orders/history.sql

INSERT INTO old_accounts
SELECT md5(n::text)::uuid, 'holder ' || n, timestamptz '2025-01-01' + n * interval '1 minute' FROM generate_series(0, :rows / 100) AS n;
INSERT INTO old_orders
SELECT n, md5((n % (:rows / 100))::text)::uuid, n % 90 + 10, timestamptz '2025-07-01' + n * interval '500 days' / :rows FROM generate_series(1, :rows / 6) AS n;
INSERT INTO old_order_events
SELECT 2 * id + e, id, 'event ' || e, created_at + e * interval '20 minutes' FROM old_orders, generate_series(0, 1) AS e;

-- The same orders and events, three months later, with UUIDs of version 7 made of a time and a number.
CREATE FUNCTION uuid_7(at timestamptz, n bigint) RETURNS uuid LANGUAGE sql AS $$
	SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 14, 3) || '8' || substr(md5(n::text), 18))::uuid
$$;
INSERT INTO v7_orders SELECT uuid_7(created_at + interval '92 days', id), account_id, fare FROM old_orders;
INSERT INTO v7_order_events
SELECT uuid_7(e.created_at + interval '92 days', -e.id), uuid_7(o.created_at + interval '92 days', o.id), event
FROM old_order_events AS e JOIN old_orders AS o ON o.id = order_id;

SELECT iuid_create_partitions(parent, '1 month', '2025-07-01', '2026-02-01') FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent;
ANALYZE;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'orders: ' || work, :'way', :rows / bench.milliseconds('CALL migrate_history()') * 1000, 'rows per second'
FROM unnest(ARRAY['migration', 'second run, nothing new']) AS work;
