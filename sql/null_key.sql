-- A row without a key lies in the DEFAULT partition, and stays there whatever partitions are made.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE TABLE events (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE events_rest PARTITION OF events DEFAULT;
INSERT INTO events VALUES (NULL, 1);
SELECT iuid_create_partitions('events', '1 month', '2026-03-01', '2026-04-01');
INSERT INTO events VALUES (gen_iuid(7, 1, '2026-01-15'), 2), (NULL, 3), (gen_iuid(7, 1, '2026-02-15'), 4), (NULL, 5);
SELECT iuid_create_partitions('events', '1 month', '2026-01-01', '2026-03-01');
SELECT n, id IS NULL AS without_key, tableoid::regclass AS partition FROM events ORDER BY n;
-- such a row belongs to no time, so it is not stranded between two
SELECT * FROM iuid_check_partitions('events');
SELECT iuid_drop_partitions('events', '2026-04-01');
SELECT n FROM events ORDER BY n;

-- a key of type uuid
CREATE TABLE visits (id uuid, n int) PARTITION BY RANGE (id);
CREATE TABLE visits_rest PARTITION OF visits DEFAULT;
INSERT INTO visits VALUES (NULL, 1), ('019b8b74-1800-7000-8000-000000000000', 2), (NULL, 3);
SELECT iuid_create_partitions('visits', '1 month', '2026-01-01', '2026-03-01');
SELECT n, id IS NULL AS without_key, tableoid::regclass AS partition FROM visits ORDER BY n;

-- a DEFAULT partition with partitions of its own: such a row is in nobody's way
CREATE TABLE orders (id iuid, n int) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT PARTITION BY LIST (n);
CREATE TABLE orders_rest_rest PARTITION OF orders_rest DEFAULT;
INSERT INTO orders VALUES (NULL, 1);
SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-03-01');
SELECT * FROM iuid_check_partitions('orders');
SELECT n, tableoid::regclass AS partition FROM orders;

-- partitions by country
CREATE TABLE trips (id iuid, n int) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
INSERT INTO trips VALUES (NULL, 1), (gen_iuid(7, 1), 2), (NULL, 3);
SELECT iuid_create_country_partitions('trips', 1, '{7}');
SELECT n, id IS NULL AS without_key, tableoid::regclass AS partition FROM trips ORDER BY n;
DROP TABLE events, visits, orders, trips CASCADE;
