-- The migration of the example "orders" with the histories that lose rows, or end a run: in a schema of its own.
CREATE SCHEMA history;
SET search_path = history, public;
SET timezone = 'UTC';
\i examples/orders/schema.sql
\i examples/orders/old_tables.sql
\i examples/orders/migration.sql
\i examples/orders/history.sql
SELECT count(*) FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent, iuid_create_partitions(parent, '1 month', '2025-07-01', '2026-01-01');

-- UUIDs that differ in their last digits are three orders, by digest, and reported
INSERT INTO v7_orders SELECT format('019a0000-0000-7abc-8def-0123456789a%s', n)::uuid, NULL, 100 * (n + 1) FROM generate_series(0, 2) AS n;
CALL migrate_history();
SELECT uuid, d.id, fare, d.id = iuid_from_uuid(uuid, 125, 1, iuid_timestamp('019a0000-0000-8000-8000-000000000000')) AS by_digest
FROM uuids_by_digest AS d JOIN orders USING (id) ORDER BY uuid;

-- so with a generator that counts in steps up to 2^24: each UUID is an order with its event, at its time; those that meet are reported, and no others
CREATE TABLE counted AS
SELECT n, ('019a0000-1111-7abc-8' || lpad(to_hex(sum(step) OVER (ORDER BY n)::bigint), 15, '0'))::uuid AS uuid
FROM generate_series(1, 2000) AS n, LATERAL (SELECT 1 + ('x' || left(md5(n::text), 6))::bit(24)::int) AS s (step);
INSERT INTO v7_orders SELECT uuid, NULL, n FROM counted;
INSERT INTO v7_order_events SELECT uuid, uuid, n FROM counted;
CALL migrate_history();
SELECT count(*) AS orders, count(DISTINCT o.id) AS identifiers, count(*) FILTER (WHERE o.fare = n AND event = n::text) AS with_their_events,
	count(*) FILTER (WHERE uuid_send(o.id) > '\x019a00001111807d' AND uuid_send(o.id) < '\x019a00001111807e') AS at_their_time
FROM counted LEFT JOIN order_uuids USING (uuid) LEFT JOIN orders AS o USING (id) LEFT JOIN order_events AS e ON order_id = o.id;
SELECT source, count(*) AS meeting, count(d) AS reported
FROM (SELECT uuid, count(*) OVER (PARTITION BY left(uuid::text, 31)) AS alike FROM counted) AS c LEFT JOIN uuids_by_digest AS d USING (uuid)
WHERE alike > 1 GROUP BY source ORDER BY source;
SELECT source, count(*) AS reported FROM uuids_by_digest JOIN counted USING (uuid) GROUP BY source ORDER BY source;

-- one that meets an order of an earlier run leaves that order as it is
CREATE TABLE earlier AS TABLE order_uuids;
INSERT INTO v7_orders SELECT overlay(uuid::text PLACING CASE right(uuid::text, 1) WHEN '0' THEN '1' ELSE '0' END FROM 36)::uuid, NULL, -n FROM counted WHERE n = 1000;
CALL migrate_history();
SELECT fare, m.id IN (SELECT id FROM uuids_by_digest) AS reported FROM order_uuids AS m JOIN orders USING (id) LEFT JOIN earlier AS e USING (uuid) WHERE e IS NULL;
SELECT count(*) AS earlier, count(m) AS as_they_were FROM earlier AS e LEFT JOIN order_uuids AS m ON (m.uuid, m.id) = (e.uuid, e.id);

-- a corrected time makes no second row, and a deleted row does not come back
INSERT INTO old_orders SELECT n, NULL, n, '2025-07-02' FROM generate_series(1, 3) AS n;
INSERT INTO old_order_events SELECT 10 * n, n, 'event ' || n, '2025-07-02' FROM generate_series(1, 3) AS n;
CALL migrate_history();
UPDATE old_orders SET created_at = '2025-07-03' WHERE id = 1;
UPDATE old_order_events SET created_at = '2025-07-03' WHERE id = 20;
DELETE FROM order_events WHERE event = 'event 3';
CALL migrate_history();
SELECT fare, event, iuid_timestamp(o.id) AS order_at, iuid_timestamp(e.id) AS event_at
FROM orders AS o JOIN order_numbers USING (id) LEFT JOIN order_events AS e ON order_id = o.id ORDER BY fare;

-- what no identifier, month or constraint takes is set aside with its reason, and the rest comes
INSERT INTO old_accounts VALUES ('00000000-0000-4000-8000-000000000001', 'of no time', NULL), ('00000000-0000-4000-8000-000000000002', 'long ago', '1969-12-31 23:59:59.999999'),
	('00000000-0000-4000-8000-000000000003', NULL, '2025-01-01'), ('00000000-0000-0000-0000-000000000000', 'the first', '1970-01-01'), ('ffffffff-ffff-ffff-ffff-ffffffffffff', 'the last', '10889-08-02 05:31:50.655999');
INSERT INTO old_orders VALUES (101, NULL, 1, NULL), (102, NULL, 1, 'infinity'), (103, NULL, 1, '-infinity'), (104, NULL, 1, '1969-12-31 23:59:59.999999'), (105, NULL, 1, '10889-08-02 05:31:50.656'),
	(106, NULL, 1, '2025-06-30 23:59:59.999999'), (107, '00000000-0000-0000-0000-000000000000', 1, '2025-07-01'), (108, NULL, 1, '2025-12-31 23:59:59.999999'), (109, NULL, 1, '2026-01-01'),
	(110, '00000000-0000-4000-8000-000000000001', 1, '2025-07-02'), (111, '99999999-0000-4000-8000-000000000000', 1, '2025-07-02'), (112, NULL, NULL, '2025-07-02');
INSERT INTO old_order_events VALUES (201, NULL, 'of no order', '2025-07-02'), (202, 99999, 'of nowhere', '2025-07-02'), (203, 101, 'of no month', '2025-07-02'), (204, 2, 'of no time', NULL), (205, 2, 'ever', '-infinity'),
	(206, 2, 'too early', '2025-07-01 23:58:59.999999'), (207, 2, 'early', '2025-07-01 23:59:00'), (208, 2, '0.1 seconds early', '2025-07-01 23:59:59.9'), (209, 2, NULL, '2025-07-02'), (210, 108, 'next year', '2026-01-01');
INSERT INTO v7_orders (id) VALUES ('00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'), ('1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
	('919108f7-52d1-4320-9bac-f847db4148a8'), ('017f22e2-79b0-7cc3-18c4-dc0c0c07398f'), ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), ('019a0000-2222-7cc3-98c4-dc0c0c07398f');
INSERT INTO v7_order_events VALUES ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'long ago'), ('019a0000-0000-7abc-8def-000000000000', '017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'of no month'),
	('0199ffff-159f-7abc-8def-000000000000', '019a0000-0000-7abc-8def-0123456789a0', 'too early'), ('0199ffff-15a0-7abc-8def-000000000000', '019a0000-0000-7abc-8def-0123456789a0', 'early');
CALL migrate_history();
SELECT source, key, reason, coalesce(old_row ->> 'created_at', '') AS created_at FROM set_aside ORDER BY source, key;
SELECT source, key FROM old_keys WHERE length(key) = 3 OR id IN (SELECT id FROM order_events WHERE event ~ 'early') ORDER BY source, key;

-- nothing new is nothing to do
CREATE TABLE aside AS SELECT ctid AS place, s AS was FROM set_aside AS s;
CALL migrate_history();
SELECT count(*) AS set_aside, count(was) AS as_before FROM set_aside AS s FULL JOIN aside ON place = s.ctid AND was = s;

-- what is repaired comes, what is still wrong has its new reason, and an order that went with its month stays away and takes no events
UPDATE old_orders SET created_at = '2025-08-01', account_id = CASE id WHEN 103 THEN '99999999-0000-4000-8000-000000000000' END::uuid WHERE id BETWEEN 101 AND 106;
UPDATE old_order_events SET created_at = '2025-08-02' WHERE id = 203;
SELECT iuid_drop_partitions(parent, '2025-08-01') FROM unnest(ARRAY['order_events', 'orders']::regclass[]) AS parent;
INSERT INTO old_order_events VALUES (211, 2, 'of a dropped order', '2025-08-01');
CALL migrate_history();
SELECT source, key, reason FROM set_aside WHERE key BETWEEN '101' AND '106' OR key IN ('203', '211') ORDER BY source, key;
SELECT count(*) AS repaired FROM order_numbers JOIN orders USING (id) WHERE number BETWEEN 101 AND 106;
SELECT event FROM order_events JOIN event_numbers AS m USING (id) WHERE number = 203;
SELECT count(*) AS dropped FROM order_numbers WHERE number < 4 AND id NOT IN (SELECT id FROM orders);

\set SHOW_CONTEXT never
-- two rows with one identifier are an error that names both and changes nothing, whether the other one is in no map, of another run or of this one
BEGIN;
INSERT INTO orders (id, fare) VALUES (iuid_from_name(125, 1, 'orders/301', '2025-08-03'), 1);
INSERT INTO old_orders VALUES (301, NULL, 1, '2025-08-03');
SAVEPOINT before;
CALL migrate_history();
ROLLBACK TO before;
INSERT INTO order_uuids VALUES ('017f22e2-79b0-7cc3-98c4-000000000301', iuid_from_name(125, 1, 'orders/301', '2025-08-03'));
CALL migrate_history();
ROLLBACK;
BEGIN;
CREATE OR REPLACE VIEW arriving_orders AS
SELECT id AS key, iuid_from_name(125, 1, 'orders', created_at) AS id, NULL::account_id AS wallet_id, fare, NULL AS reason, NULL::jsonb AS old_row FROM old_orders WHERE id > 300;
INSERT INTO old_orders VALUES (302, NULL, 1, '2025-08-03'), (303, NULL, 1, '2025-08-03');
CALL migrate_history();
ROLLBACK;
SELECT count(*) FROM orders WHERE id >= timestamptz '2025-08-03' AND id < timestamptz '2025-08-04';

-- so is a row that is lost on the way, by a trigger or by a view
BEGIN;
INSERT INTO old_orders VALUES (304, NULL, 1, '2025-08-03');
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER nothing BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION nothing();
SAVEPOINT before;
CALL migrate_history();
ROLLBACK TO before;
CREATE OR REPLACE VIEW arriving_orders AS
SELECT id AS key, NULL::iuid AS id, NULL::account_id AS wallet_id, fare, NULL AS reason, NULL::jsonb AS old_row FROM old_orders WHERE false;
CALL migrate_history();
ROLLBACK;

-- any schema will do, and one moment of the old tables
BEGIN ISOLATION LEVEL REPEATABLE READ;
CALL migrate_history();
COMMIT;
SET client_min_messages = warning;
DROP SCHEMA history CASCADE;
