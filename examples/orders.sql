-- Orders of a ride service: one regional database, and the history it brings along.
--
-- Run with psql -f examples/orders.sql in a database that has iuid; with -a the
-- statements are shown, too.
--
-- The region is country 7.  What its services make has numbers, too: entity 1 is
-- an order, 2 an event of an order, 3 a wallet account.  An organisation gives
-- out both kinds of number once, and never changes them.
--
-- The keys.  An identifier says when and where a row was born, so no table has
-- a column for either.  It is the primary key and the partition key at once:
-- orders and their events lie in a partition for each month, and "id" alone is
-- unique over all of them, which a foreign key needs.  Accounts are few, live
-- for ever and are looked up one by one: for them partitions would be a burden.
--
-- The history.  Orders had bigint numbers first, and UUIDs of version 7 later;
-- accounts have UUIDs of version 4.  All get identifiers that are computed from
-- what the old row holds, so a second run, here or on another server, makes the
-- same ones.
--   * bigint and created_at: iuid_from_name(7, 1, 'orders/' || number, created_at).
--     The name says of which table: two old tables both have a row 42.
--   * UUIDv4 and created_at: iuid_from_uuid(uuid, 7, 3, created_at).
--   * UUIDv7: iuid_from_uuid(uuid, 7, 1).  It has its time, and keeps its order.
-- A reference is computed like the key it refers to, or it points to nowhere.
-- For a UUIDv7 that takes nothing else.  For the other two it takes created_at
-- of the row that is referred to, so the old key and the new one stand side by
-- side in a table, order_numbers or account_uuids.  It is filled first and all
-- else reads it: each expression is written once, and a created_at that somebody
-- corrects between two runs does not make another identifier.  Events have no
-- such table: nothing refers to them, and nobody corrects what has happened.
--
-- The old numbers.  Customers go on asking for order 1234.  The identifier
-- cannot be computed from the number: it has the time, which they do not know.
-- A name without a time (iuid_from_name(7, 1, 'orders/1234')) could be
-- computed, but has no month to lie in.  A column "number" in orders would have
-- an index in each partition, of which each look-up reads all, and could not
-- be unique, as it is not the partition key.  So order_numbers stays when
-- the old tables go.  It finds the identifier in one index, and the identifier
-- finds the one partition.  New orders cost it nothing.
--
-- Limits.
--   * Identifiers hold milliseconds.  Rows with bigint or version 4 keys that
--     were made in the same one lose their order among each other.
--   * A run adds what is missing.  It does not follow changes of old rows that it
--     has copied; where the old system still writes, use DO UPDATE for its columns.
--     It is one transaction; where that is too long, take ranges of the old keys.
--   * The old tables must have their foreign keys, or be checked: a LEFT JOIN
--     turns a reference to nowhere into NULL.  A created_at without a time zone
--     needs AT TIME ZONE with the zone it was written in.
--   * A version 7 UUID loses 20 of its 74 random bits.  There is no way back from
--     the identifier, so keep a table like the others if you need one.
--   * Old months go with iuid_drop_partitions, those of order_events first.  A month
--     of orders can go a month later, as a ride may end in the one after its own.
--   * There is no DEFAULT partition.  A row of a month that has none is an error,
--     and four months are kept ahead.
SET timezone = 'UTC';
SET iuid.country = 7;   -- for a database: ALTER DATABASE ... SET iuid.country = 7

--
-- The schema, the same in every region
--

CREATE TABLE wallet_accounts (
	id iuid PRIMARY KEY DEFAULT gen_iuid(3) CHECK (iuid_entity(id) = 3),
	holder text NOT NULL
);

CREATE TABLE orders (
	id iuid PRIMARY KEY DEFAULT gen_iuid(1) CHECK (iuid_entity(id) = 1),
	wallet_id iuid REFERENCES wallet_accounts,   -- NULL: paid in cash
	fare numeric NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX ON orders (wallet_id, id);

-- An event has a time of its own, and so a month of its own.  It is never older
-- than its order: a question below relies on that.  With clocks of several
-- machines, or one that steps back, leave a minute of slack in both places.
CREATE TABLE order_events (
	id iuid PRIMARY KEY DEFAULT gen_iuid(2) CHECK (iuid_entity(id) = 2),
	order_id iuid NOT NULL REFERENCES orders,
	event text NOT NULL,
	CHECK (id >= iuid_timestamp(order_id))
) PARTITION BY RANGE (id);
CREATE INDEX ON order_events (order_id, id);

-- Which identifier an old key has become.
CREATE TABLE order_numbers (
	number bigint PRIMARY KEY,
	id iuid NOT NULL UNIQUE
);
CREATE TABLE account_uuids (
	uuid uuid PRIMARY KEY,
	id iuid NOT NULL UNIQUE
);

--
-- The history: made up here, but the same in every run
--

CREATE TABLE old_accounts (id uuid PRIMARY KEY, holder text NOT NULL, created_at timestamptz NOT NULL);
INSERT INTO old_accounts
SELECT overlay(overlay(md5('account ' || n) PLACING '4' FROM 13) PLACING '8' FROM 17)::uuid,
	'holder ' || n, timestamptz '2025-01-01' + n * interval '14 hours 0.000321 seconds'
FROM generate_series(1, 300) AS n;

-- Until September: numbers.  Each fifth order was paid in cash.
CREATE TABLE old_orders (
	id bigint PRIMARY KEY,
	account_id uuid REFERENCES old_accounts,
	fare numeric NOT NULL,
	created_at timestamptz NOT NULL
);
INSERT INTO old_orders
SELECT n, a.id, n * 37 % 90 + 10, timestamptz '2025-07-01' + n * interval '88 minutes 0.000321 seconds'
FROM generate_series(1, 1500) AS n
	LEFT JOIN old_accounts AS a ON a.holder = 'holder ' || n * 7 % 300 + 1 AND n % 5 > 0;

CREATE TABLE old_order_events (
	id bigint PRIMARY KEY,
	order_id bigint NOT NULL REFERENCES old_orders,
	event text NOT NULL,
	created_at timestamptz NOT NULL
);
INSERT INTO old_order_events
SELECT 2 * id - 1, id, 'requested', created_at FROM old_orders
UNION ALL
SELECT 2 * id, id, 'finished', created_at + (5 + id % 60) * interval '1 minute' FROM old_orders;

-- From October on: UUIDs of version 7, which have the time and need no created_at.
CREATE FUNCTION pg_temp.uuid7(at timestamptz, seed text) RETURNS uuid LANGUAGE sql AS $$
	SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
		|| overlay(overlay(substr(md5(seed), 13) PLACING '7' FROM 1) PLACING '8' FROM 5))::uuid
$$;

CREATE TABLE v7_orders (id uuid PRIMARY KEY, account_id uuid REFERENCES old_accounts, fare numeric NOT NULL);
CREATE TABLE v7_order_events (id uuid PRIMARY KEY, order_id uuid NOT NULL REFERENCES v7_orders, event text NOT NULL);
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

-- Months for the whole of it.
SELECT iuid_create_partitions(parent, '1 month', (SELECT min(created_at) FROM old_orders), '2026-01-01')
FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent;

-- What is referred to comes before what refers to it.
CREATE PROCEDURE migrate_history() LANGUAGE sql AS $$
	INSERT INTO account_uuids
	SELECT id, iuid_from_uuid(id, 7, 3, created_at) FROM old_accounts
	ON CONFLICT (uuid) DO NOTHING;

	INSERT INTO order_numbers
	SELECT id, iuid_from_name(7, 1, 'orders/' || id, created_at) FROM old_orders
	ON CONFLICT (number) DO NOTHING;

	INSERT INTO wallet_accounts (id, holder)
	SELECT m.id, a.holder
	FROM old_accounts AS a JOIN account_uuids AS m ON m.uuid = a.id
	ON CONFLICT (id) DO NOTHING;

	INSERT INTO orders (id, wallet_id, fare)
	SELECT m.id, w.id, o.fare
	FROM old_orders AS o JOIN order_numbers AS m ON m.number = o.id
		LEFT JOIN account_uuids AS w ON w.uuid = o.account_id
	UNION ALL
	SELECT iuid_from_uuid(o.id, 7, 1), w.id, o.fare
	FROM v7_orders AS o LEFT JOIN account_uuids AS w ON w.uuid = o.account_id
	ON CONFLICT (id) DO NOTHING;

	INSERT INTO order_events (id, order_id, event)
	SELECT iuid_from_name(7, 2, 'order_events/' || e.id, e.created_at), m.id, e.event
	FROM old_order_events AS e JOIN order_numbers AS m ON m.number = e.order_id
	UNION ALL
	SELECT iuid_from_uuid(e.id, 7, 2), iuid_from_uuid(e.order_id, 7, 1), e.event
	FROM v7_order_events AS e
	ON CONFLICT (id) DO NOTHING;
$$;
CALL migrate_history();

-- Is everything there?
SELECT 'accounts' AS rows, (SELECT count(*) FROM old_accounts) AS old, (SELECT count(*) FROM wallet_accounts) AS new
UNION ALL
SELECT 'orders', (SELECT count(*) FROM old_orders) + (SELECT count(*) FROM v7_orders), (SELECT count(*) FROM orders)
UNION ALL
SELECT 'orders in cash', (SELECT count(*) FROM old_orders WHERE account_id IS NULL)
	+ (SELECT count(*) FROM v7_orders WHERE account_id IS NULL), (SELECT count(*) FROM orders WHERE wallet_id IS NULL)
UNION ALL
SELECT 'events', (SELECT count(*) FROM old_order_events) + (SELECT count(*) FROM v7_order_events), (SELECT count(*) FROM order_events);

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

-- But no event is older than its order, whose identifier has the time: earlier
-- months are out.  Whoever knows an end as well (here a day would do) gives it,
-- too.  Two months are left, as this ride began in one and ended in the next.
EXPLAIN (COSTS OFF) SELECT * FROM order_events WHERE order_id = :'order' AND id >= iuid_timestamp(:'order');
EXPLAIN (COSTS OFF) SELECT * FROM order_events WHERE order_id = :'order'
	AND id >= iuid_timestamp(:'order') AND id < iuid_timestamp(:'order') + interval '1 day';
SELECT iuid_timestamp(id), event FROM order_events
WHERE order_id = :'order' AND id >= iuid_timestamp(:'order') ORDER BY id;

-- An old link has the UUIDv7 of an order: its identifier is computed.
SELECT id AS v7 FROM ride WHERE n = 1000 \gset
SELECT iuid_timestamp(id), fare FROM orders WHERE id = iuid_from_uuid(:'v7', 7, 1);
EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = iuid_from_uuid(:'v7', 7, 1);

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
SELECT count(*) > 0 AS months_made
FROM unnest(ARRAY['orders', 'order_events']::regclass[]) AS parent, iuid_maintain_partitions(parent, '1 month');

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
