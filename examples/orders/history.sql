-- The history of the orders: which identifier each old row gets, and why it may not come.
--
-- Every identifier is computed from the old row, so a run on another server makes the same ones;
-- for UUIDs that meet, only if the same ones had come there before.
--   * A number and created_at: iuid_from_name(125, 1, 'orders/' || number, created_at).  The name says
--     of which table, because two old tables both have a row 42.
--   * A UUID of version 4 and created_at: iuid_from_uuid(uuid, 125, 3, created_at).
--   * A UUID of version 7, which contains its time and an order: iuid_from_uuid(uuid, 125, 1).  It
--     keeps all but the last 20 bits, which are the last five digits.  A generator that counts in
--     these bits makes UUIDs that meet: they would all be one order.  Such UUIDs get identifiers of
--     their own by a digest of all their bits: iuid_from_uuid(uuid, 125, 1, time of the UUID).  Within
--     their millisecond they lose their order.  The view uuids_by_digest names them.
-- Numbers and their times can be guessed.  So who has an identifier of such a row finds its number
-- by trying them all, and who knows the number and the time has the identifier: to strangers show
-- hidden identifiers (iuid_hide).
--
-- A run makes what is missing.  It does not follow changes of rows that have come.  A created_at
-- without a time zone needs AT TIME ZONE with the zone in which it was written.

-- The maps.  Customers go on asking for order 1234, and old links have UUIDs.  The identifier cannot
-- be computed from a number, as it contains the time, and not from a UUID that met another one.  A
-- column "number" in orders would have an index in each partition, all of which each look-up reads,
-- and could not be unique, as it is not the partition key.  So the maps stay when the old tables go.
-- New orders cost them nothing.
CREATE TABLE account_uuids (uuid uuid PRIMARY KEY, id iuid NOT NULL UNIQUE);
CREATE TABLE order_numbers (number bigint PRIMARY KEY, id iuid NOT NULL UNIQUE);
CREATE TABLE order_uuids (uuid uuid PRIMARY KEY, id iuid NOT NULL UNIQUE);
CREATE TABLE event_numbers (number bigint PRIMARY KEY, id iuid NOT NULL UNIQUE);
CREATE TABLE event_uuids (uuid uuid PRIMARY KEY, id iuid NOT NULL UNIQUE);

CREATE VIEW old_keys AS
SELECT 'old_accounts' AS source, uuid::text AS key, id FROM account_uuids
UNION ALL SELECT 'old_orders', number::text, id FROM order_numbers
UNION ALL SELECT 'v7_orders', uuid::text, id FROM order_uuids
UNION ALL SELECT 'old_order_events', number::text, id FROM event_numbers
UNION ALL SELECT 'v7_order_events', uuid::text, id FROM event_uuids;

CREATE VIEW uuids_by_digest AS
SELECT 'v7_orders' AS source, uuid, id FROM order_uuids
WHERE id IS DISTINCT FROM CASE WHEN is_version_7(uuid) THEN iuid_from_uuid(uuid, 125, 1) END
UNION ALL
SELECT 'v7_order_events', uuid, id FROM event_uuids
WHERE id IS DISTINCT FROM CASE WHEN is_version_7(uuid) THEN iuid_from_uuid(uuid, 125, 2) END;

-- How far is the migration?  An old row that was deleted after it had come, or had been set aside,
-- is still counted there, and no longer as old.
CREATE VIEW progress AS
SELECT source, old, (SELECT count(*) FROM old_keys AS k WHERE k.source = o.source) AS come,
	(SELECT count(*) FROM set_aside AS s WHERE s.source = o.source) AS set_aside,
	(SELECT count(*) FROM uuids_by_digest AS d WHERE d.source = o.source) AS by_digest
FROM (SELECT 'old_accounts', count(*) FROM old_accounts
	UNION ALL SELECT 'old_orders', count(*) FROM old_orders
	UNION ALL SELECT 'v7_orders', count(*) FROM v7_orders
	UNION ALL SELECT 'old_order_events', count(*) FROM old_order_events
	UNION ALL SELECT 'v7_order_events', count(*) FROM v7_order_events) AS o (source, old);

CREATE VIEW arriving_accounts AS
SELECT a.id AS key, CASE WHEN reason IS NULL THEN iuid_from_uuid(a.id, 125, 3, created_at) END AS id, holder, reason, to_jsonb(a) AS old_row
FROM old_accounts AS a
	CROSS JOIN LATERAL (SELECT CASE
		WHEN (created_at <@ identifier_times()) IS NOT TRUE THEN 'no time that an identifier can have'
		WHEN holder IS NULL THEN 'no holder' END) AS r (reason)
WHERE NOT EXISTS (SELECT FROM account_uuids AS m WHERE m.uuid = a.id);

-- An account or an order that a row refers to must have come, and still be there: it may be set
-- aside, dropped with its month, or deleted.
CREATE VIEW arriving_orders AS
SELECT o.id AS key, CASE WHEN reason IS NULL THEN iuid_from_name(125, 1, 'orders/' || o.id, created_at) END AS id,
	w.id AS wallet_id, fare, reason, to_jsonb(o) AS old_row
FROM old_orders AS o
	LEFT JOIN (account_uuids AS u JOIN wallet_accounts AS w USING (id)) ON u.uuid = account_id
	CROSS JOIN LATERAL (SELECT CASE
		WHEN (created_at <@ (SELECT partition_times('orders'))) IS NOT TRUE THEN 'no month for its time'
		WHEN account_id IS NOT NULL AND w.id IS NULL THEN 'its account is not there'
		WHEN fare IS NULL THEN 'no fare' END) AS r (reason)
WHERE NOT EXISTS (SELECT FROM order_numbers AS m WHERE m.number = o.id);

CREATE VIEW arriving_events AS
SELECT e.id AS key, CASE WHEN reason IS NULL THEN iuid_from_name(125, 2, 'order_events/' || e.id, created_at) END AS id,
	o.id AS order_id, event, reason, to_jsonb(e) AS old_row
FROM old_order_events AS e
	LEFT JOIN (order_numbers AS n JOIN orders AS o USING (id)) ON n.number = order_id
	CROSS JOIN LATERAL (SELECT CASE
		WHEN (created_at <@ (SELECT partition_times('order_events'))) IS NOT TRUE THEN 'no month for its time'
		WHEN o.id IS NULL THEN 'its order is not there'
		WHEN created_at < earliest_event(o.id) THEN 'more than a minute before its order'
		WHEN event IS NULL THEN 'no event' END) AS r (reason)
WHERE NOT EXISTS (SELECT FROM event_numbers AS m WHERE m.number = e.id);

-- UUIDs of version 7 meet if they have all but the last five digits in common, whether the other one
-- has come, is yet to come, or is set aside.  The server writes this function into the query, which
-- looks for the other one in the index of its key.
CREATE FUNCTION meets(other uuid, id uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN other BETWEEN (left(id::text, -5) || '00000')::uuid AND (left(id::text, -5) || 'fffff')::uuid;

-- The time of a UUID of version 7; NULL for another one.
CREATE FUNCTION time_of(id uuid) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN is_version_7(id) THEN iuid_timestamp(iuid_from_uuid(id, 125, 0)) END;

CREATE VIEW arriving_v7_orders AS
SELECT o.id AS key, CASE
		WHEN reason IS NOT NULL THEN NULL
		WHEN EXISTS (SELECT FROM v7_orders AS x WHERE meets(x.id, o.id) AND x.id <> o.id)
			OR EXISTS (SELECT FROM order_uuids AS m WHERE meets(m.uuid, o.id))
			THEN iuid_from_uuid(o.id, 125, 1, at)
		ELSE iuid_from_uuid(o.id, 125, 1) END AS id,
	w.id AS wallet_id, fare, reason, to_jsonb(o) AS old_row
FROM v7_orders AS o
	LEFT JOIN (account_uuids AS u JOIN wallet_accounts AS w USING (id)) ON u.uuid = account_id
	CROSS JOIN LATERAL (SELECT time_of(o.id)) AS t (at)
	CROSS JOIN LATERAL (SELECT CASE
		WHEN at IS NULL THEN 'not of version 7'
		WHEN NOT at <@ (SELECT partition_times('orders')) THEN 'no month for its time'
		WHEN account_id IS NOT NULL AND w.id IS NULL THEN 'its account is not there'
		WHEN fare IS NULL THEN 'no fare' END) AS r (reason)
WHERE NOT EXISTS (SELECT FROM order_uuids AS m WHERE m.uuid = o.id);

CREATE VIEW arriving_v7_events AS
SELECT e.id AS key, CASE
		WHEN reason IS NOT NULL THEN NULL
		WHEN EXISTS (SELECT FROM v7_order_events AS x WHERE meets(x.id, e.id) AND x.id <> e.id)
			OR EXISTS (SELECT FROM event_uuids AS m WHERE meets(m.uuid, e.id))
			THEN iuid_from_uuid(e.id, 125, 2, at)
		ELSE iuid_from_uuid(e.id, 125, 2) END AS id,
	o.id AS order_id, event, reason, to_jsonb(e) AS old_row
FROM v7_order_events AS e
	LEFT JOIN (order_uuids AS u JOIN orders AS o USING (id)) ON u.uuid = order_id
	CROSS JOIN LATERAL (SELECT time_of(e.id)) AS t (at)
	CROSS JOIN LATERAL (SELECT CASE
		WHEN at IS NULL THEN 'not of version 7'
		WHEN NOT at <@ (SELECT partition_times('order_events')) THEN 'no month for its time'
		WHEN o.id IS NULL THEN 'its order is not there'
		WHEN at < earliest_event(o.id) THEN 'more than a minute before its order'
		WHEN event IS NULL THEN 'no event' END) AS r (reason)
WHERE NOT EXISTS (SELECT FROM event_uuids AS m WHERE m.uuid = e.id);

-- One run at a time.  What is referred to comes before what refers to it.
-- In READ COMMITTED nobody else writes the old tables during a run.  In REPEATABLE READ a run sees
-- the old tables as they were at one moment, and the old systems go on: the next run takes the rest.
-- Copy foreign tables first: they cannot be locked.  The locks need the right to UPDATE the old
-- tables.
CREATE PROCEDURE migrate_history() LANGUAGE plpgsql AS $$
BEGIN
	IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
		LOCK TABLE set_aside IN SHARE ROW EXCLUSIVE MODE NOWAIT;
	ELSE
		LOCK TABLE set_aside IN SHARE ROW EXCLUSIVE MODE;
		LOCK TABLE old_accounts, old_orders, old_order_events, v7_orders, v7_order_events IN SHARE MODE;
	END IF;
	-- So no month goes during a run.
	LOCK TABLE wallet_accounts, orders, order_events IN ROW EXCLUSIVE MODE;

	CALL migrate('old_accounts', 'arriving_accounts', 'account_uuids', 'wallet_accounts');
	CALL migrate('old_orders', 'arriving_orders', 'order_numbers', 'orders');
	CALL migrate('v7_orders', 'arriving_v7_orders', 'order_uuids', 'orders');
	CALL migrate('old_order_events', 'arriving_events', 'event_numbers', 'order_events');
	CALL migrate('v7_order_events', 'arriving_v7_events', 'event_uuids', 'order_events');
END $$;
