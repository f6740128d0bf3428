-- Orders of a ride service: one regional database, and the history it brings along.
--
-- Run with psql -f examples/orders.sql in a database that has iuid; with -a the
-- statements are shown, too.  What to copy is in the folder orders/:
--   * schema.sql: the tables of the service, the same in every region;
--   * migration.sql: what a migration that loses no row needs, for any history;
--   * history.sql: this history: an identifier for each old key;
--   * old_tables.sql: the tables of the old systems, of which you have your own.
-- Here are data, made up but the same in every run, and the questions of users.
--
-- The region is country 125.
SET timezone = 'UTC';
SET iuid.country = 125;   -- for a database: ALTER DATABASE ... SET iuid.country = 125
\ir orders/schema.sql
\ir orders/old_tables.sql
\ir orders/migration.sql
\ir orders/history.sql

--
-- The history
--

INSERT INTO old_accounts
SELECT overlay(overlay(md5('account ' || n) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid,
	'holder ' || n, timestamptz '2025-01-01' + n * interval '14 hours 0.000321 seconds'
FROM generate_series(1, 300) AS n;

-- Until September: numbers.  Each fifth order was paid in cash.
INSERT INTO old_orders
SELECT n, a.id, n * 37 % 90 + 10, timestamptz '2025-07-01' + n * interval '88 minutes 0.000321 seconds'
FROM generate_series(1, 1500) AS n
	LEFT JOIN old_accounts AS a ON a.holder = 'holder ' || n * 7 % 300 + 1 AND n % 5 > 0;

INSERT INTO old_order_events
SELECT 2 * id - 1, id, 'requested', created_at FROM old_orders
UNION ALL
SELECT 2 * id, id, 'finished', created_at + (5 + id % 60) * interval '1 minute' FROM old_orders;

-- From October on: UUIDs of version 7, which have the time and need no created_at.
CREATE FUNCTION pg_temp.uuid7(at timestamptz, seed text) RETURNS uuid LANGUAGE sql AS $$
	SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
		|| overlay(overlay(substr(md5(seed), 13) PLACING '7' FROM 1) PLACING '8' FROM 5))::uuid
$$;

CREATE TEMP TABLE ride AS
SELECT n, at, pg_temp.uuid7(at, 'ride ' || n) AS id
FROM generate_series(1, 1500) AS n, LATERAL (SELECT timestamptz '2025-10-01' + n * interval '88 minutes') AS t(at);
INSERT INTO v7_orders
SELECT r.id, a.id, n * 41 % 90 + 10
FROM ride AS r LEFT JOIN old_accounts AS a ON a.holder = 'holder ' || n * 11 % 300 + 1 AND n % 5 > 0;
INSERT INTO v7_order_events
SELECT pg_temp.uuid7(at, 'requested ' || n), id, 'requested' FROM ride
UNION ALL
SELECT pg_temp.uuid7(at + (5 + n % 60) * interval '1 minute', 'finished ' || n), id, 'finished' FROM ride;

--
-- The migration
--

-- Months for the whole of it.  They are named, and not computed from the data: one wrong created_at
-- would make hundreds of months.
SELECT iuid_create_partitions(parent, '1 month', '2025-07-01', '2026-01-01')
FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent;

-- It is one transaction, in which the run itself checks that no row is lost.  For a trial, roll back:
-- BEGIN; CALL migrate_history(); TABLE set_aside; ROLLBACK.
CALL migrate_history();

-- Is everything there?
TABLE progress ORDER BY source;

-- A second run adds nothing and changes nothing.
CREATE TEMP VIEW migrated AS
SELECT id, NULL::iuid AS refers_to, holder AS content FROM wallet_accounts
UNION ALL SELECT id, wallet_id, fare::text FROM orders
UNION ALL SELECT id, order_id, event FROM order_events;
CREATE TEMP TABLE first_run AS TABLE migrated;
CALL migrate_history();
SELECT count(*) AS rows, count(*) FILTER (WHERE m IS NOT DISTINCT FROM f) AS same
FROM migrated AS m FULL JOIN first_run AS f USING (id);

--
-- What old systems really hold
--

-- A generator that counted in the last digits: to the old system these are three orders.
INSERT INTO v7_orders VALUES
	('019a0000-0000-7abc-8def-0123456789a0', NULL, 100),
	('019a0000-0000-7abc-8def-0123456789a1', NULL, 200),
	('019a0000-0000-7abc-8def-0123456789a2', NULL, 300);
-- An event 0.1 seconds before its order, as its clock was slow, and one a day before its order.
INSERT INTO old_order_events
SELECT 3000 + n, id, 'seen by driver', created_at - early FROM old_orders, (VALUES (1, interval '0.1 s'), (2, '1 day')) AS e (n, early) WHERE id = 700;
-- An order from before the first month, with an event, one of a time that no clock shows, one of an
-- account that nobody knows, and a UUID of version 4, which has no time, where version 7 was meant.
INSERT INTO old_orders VALUES (1601, NULL, 11, '2025-06-30 23:59'), (1602, NULL, 12, 'infinity'),
	(1603, '00000000-0000-4000-8000-000000000000', 13, '2025-08-01');
INSERT INTO old_order_events VALUES (3003, 1601, 'finished', '2025-07-01 00:20');
INSERT INTO v7_orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8', NULL, 14);

-- What can come, comes.  The rest is set aside, and what refers to it, too.
CALL migrate_history();
SELECT source, key, reason FROM set_aside ORDER BY source, key;
SELECT key, old_row FROM set_aside WHERE source = 'old_orders' AND key = '1601';
SELECT uuid, d.id, fare FROM uuids_by_digest AS d JOIN orders USING (id) ORDER BY uuid;

-- What is repaired comes with the next run, and so does what waited for it: here a month is made, a
-- time is corrected, and the order with a UUID of version 4 gets the time that the receipt shows.
SELECT iuid_create_partitions('orders', '1 month', '2025-06-01', '2025-07-01');
UPDATE old_orders SET created_at = '2025-08-01 12:34' WHERE id = 1602;
BEGIN;
INSERT INTO orders (id, fare) SELECT iuid_from_uuid(id, 125, 1, '2025-10-20 08:00'), fare FROM v7_orders
WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8';
INSERT INTO order_uuids SELECT id, iuid_from_uuid(id, 125, 1, '2025-10-20 08:00') FROM v7_orders
WHERE id = '919108f7-52d1-4320-9bac-f847db4148a8';
COMMIT;
CALL migrate_history();
SELECT source, key, reason FROM set_aside ORDER BY source, key;
TABLE progress ORDER BY source;

--
-- What its users ask
--

-- These partitions are so small that reading them whole, and sorting what was
-- found, is cheaper than following an index.  Those of a real database are not.
ANALYZE orders, order_events, wallet_accounts;
SET enable_seqscan = off;
SET enable_bitmapscan = off;

-- "What became of order 1014?"  One row of order_numbers, then one partition.
SELECT id AS order FROM order_numbers WHERE number = 1014 \gset
SELECT iuid_timestamp(o.id), fare, holder
FROM orders AS o LEFT JOIN wallet_accounts AS w ON w.id = wallet_id WHERE o.id = :'order';
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = :'order';

-- Its events.  An event lies in the month of its own key, of which order_id says
-- nothing: so this is a look-up in an index of every partition.
EXPLAIN (COSTS OFF) SELECT * FROM order_events WHERE order_id = :'order';

-- But no event is more than a minute older than its order, whose identifier has
-- the time: earlier months are out.  Whoever knows an end as well (here a day
-- would do) gives it, too.  Two months are left, as this ride began in one and
-- ended in the next.
EXPLAIN (COSTS OFF) SELECT * FROM order_events WHERE order_id = :'order' AND id >= earliest_event(:'order');
EXPLAIN (COSTS OFF) SELECT * FROM order_events WHERE order_id = :'order'
	AND id >= earliest_event(:'order') AND id < iuid_timestamp(:'order') + interval '1 day';
SELECT iuid_timestamp(id), event FROM order_events
WHERE order_id = :'order' AND id >= earliest_event(:'order') ORDER BY id;

-- An old link has the UUIDv7 of an order.
SELECT id AS order FROM order_uuids WHERE uuid = (SELECT id FROM ride WHERE n = 1000) \gset
SELECT iuid_timestamp(id), fare FROM orders WHERE id = :'order';
SELECT fare FROM orders JOIN order_uuids USING (id) WHERE uuid = '019a0000-0000-7abc-8def-0123456789a1';

-- "How was 15 November?"
SELECT count(*) AS orders, sum(fare) AS fares, count(*) FILTER (WHERE wallet_id IS NULL) AS in_cash
FROM orders WHERE id <@ tstzrange('2025-11-15', '2025-11-16');
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id <@ tstzrange('2025-11-15', '2025-11-16');

-- "My last rides, please."  Partitions are in the order of time: the newest is
-- read first, backwards, and the others only if three are not enough.
SELECT id AS wallet FROM account_uuids WHERE uuid = (SELECT id FROM old_accounts WHERE holder = 'holder 42') \gset
SELECT iuid_timestamp(id), fare FROM orders WHERE wallet_id = :'wallet' ORDER BY id DESC LIMIT 3;
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE wallet_id = :'wallet' ORDER BY id DESC LIMIT 3;
RESET enable_seqscan;
RESET enable_bitmapscan;

--
-- From now on
--

-- For cron, each day: months from the last one to four ahead of the present.
CALL iuid_maintain_partitions('orders', '1 month');
CALL iuid_maintain_partitions('order_events', '1 month');

-- For the monitoring: is all well, and for how long will it be?
SELECT parent, min(p.lower) AS since, max(p.upper) > now() + interval '3 months' AS covered,
	(SELECT count(*) FROM iuid_check_partitions(parent)) AS problems
FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent, iuid_partitions(parent) AS p
GROUP BY parent ORDER BY parent;

-- The application names no key.
INSERT INTO wallet_accounts (holder) VALUES ('a new holder') RETURNING id AS wallet \gset
INSERT INTO orders (wallet_id, fare) VALUES (:'wallet', 12.50) RETURNING id AS order \gset
INSERT INTO order_events (order_id, event) VALUES (:'order', 'requested');
SELECT iuid_country(o.id), iuid_entity(o.id) AS order, iuid_entity(e.id) AS event, iuid_entity(w.id) AS wallet,
	o.id >= now() - interval '1 minute' AS of_now
FROM orders AS o JOIN order_events AS e ON order_id = o.id JOIN wallet_accounts AS w ON w.id = wallet_id
WHERE o.id = :'order';
