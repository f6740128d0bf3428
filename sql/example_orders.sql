-- Orders of a ride service and the history they bring along: the example, checked against its sources.
\i examples/orders.sql

-- every account and order has the time of its source, to the millisecond, and its country and entity
CREATE TEMP VIEW source AS
SELECT m.id, 3 AS entity, date_trunc('milliseconds', created_at) AS at FROM old_accounts AS a JOIN account_uuids AS m ON uuid = a.id
UNION ALL
SELECT m.id, 1, date_trunc('milliseconds', created_at) FROM old_orders AS o JOIN order_numbers AS m ON number = o.id
UNION ALL
SELECT m.id, 1, at FROM ride JOIN order_uuids AS m ON uuid = ride.id;
SELECT entity, count(*) AS rows, count(*) FILTER (WHERE iuid_timestamp(id) = at) AS at_their_time,
	count(*) FILTER (WHERE (iuid_country(id), iuid_entity(id), iuid_layout(id)) = (125, entity, 0)) AS with_their_numbers,
	count(*) FILTER (WHERE EXISTS (SELECT FROM migrated AS m WHERE m.id = source.id)) AS there
FROM source GROUP BY 1 ORDER BY 1;

-- what is known of each event without any key: who, how much, since when, what and when; one event is set aside
CREATE TEMP VIEW old_story AS
SELECT holder, fare, date_trunc('milliseconds', o.created_at) AS since, event, date_trunc('milliseconds', e.created_at) AS at
FROM old_order_events AS e JOIN old_orders AS o ON o.id = order_id LEFT JOIN old_accounts AS a ON a.id = account_id
UNION ALL
SELECT holder, fare, ride.at, event, ride.at + CASE event WHEN 'finished' THEN (5 + n % 60) * interval '1 minute' ELSE '0' END
FROM v7_order_events AS e JOIN v7_orders AS o ON o.id = order_id JOIN ride ON ride.id = o.id LEFT JOIN old_accounts AS a ON a.id = account_id;
CREATE TEMP VIEW new_story AS
SELECT holder, fare, iuid_timestamp(o.id) AS since, event, iuid_timestamp(e.id) AS at
FROM order_events AS e JOIN orders AS o ON o.id = order_id LEFT JOIN wallet_accounts AS w ON w.id = wallet_id
WHERE holder IS DISTINCT FROM 'a new holder';
SELECT (SELECT count(*) FROM old_story) AS events, (SELECT count(*) FROM (TABLE old_story EXCEPT ALL TABLE new_story) AS x) AS lost,
	(SELECT count(*) FROM (TABLE new_story EXCEPT ALL TABLE old_story) AS x) AS made_up;

-- version 7 keeps its order; the numbers were given in the order of time; all is in the partition of its month
SELECT count(*) AS rides, bool_and(by_old = by_new AND by_new = n) AS in_order
FROM (SELECT n, row_number() OVER (ORDER BY id) AS by_old, row_number() OVER (ORDER BY iuid_from_uuid(id, 125, 1)) AS by_new FROM ride) AS x;
SELECT count(*) AS rides, bool_and(by_id = number) AS in_order
FROM (SELECT number, row_number() OVER (ORDER BY id) AS by_id FROM order_numbers WHERE number <= 1500) AS x;
SELECT count(*) AS rows, count(*) FILTER (WHERE iuid_country(id) = 125) AS in_their_country,
	count(*) FILTER (WHERE leaf = parent || to_char(iuid_timestamp(id), '_YYYY_MM')) AS in_their_month
FROM (SELECT id, 'orders' AS parent, tableoid::regclass::text AS leaf FROM orders
	UNION ALL SELECT id, 'order_events', tableoid::regclass::text FROM order_events) AS x;

-- the questions, without the key: an order's events across the end of a month, a day, the last rides of a wallet
SELECT event, date_trunc('milliseconds', created_at) FROM old_order_events WHERE order_id = 1014 ORDER BY created_at;
SELECT fare FROM v7_orders JOIN ride USING (id) WHERE n = 1000;
SELECT count(*) AS orders, sum(fare) AS fares, count(*) FILTER (WHERE account_id IS NULL) AS in_cash
FROM v7_orders JOIN ride USING (id) WHERE at >= '2025-11-15' AND at < '2025-11-16';
SELECT at, fare FROM v7_orders AS o JOIN ride USING (id) JOIN old_accounts AS a ON a.id = account_id
WHERE holder = 'holder 42' ORDER BY at DESC LIMIT 3;

-- on an empty database it makes the same identifiers again
TRUNCATE wallet_accounts, orders, order_events, account_uuids, order_numbers, order_uuids, event_numbers, event_uuids, set_aside;
CALL migrate_history();
SELECT count(f) AS rows, count(*) FILTER (WHERE m IS NOT DISTINCT FROM f) AS same_as_first
FROM migrated AS m FULL JOIN first_run AS f USING (id);

-- what the schema refuses: an event more than a minute before its order, an order that does not exist, keys of another entity, a month that is not there
\set VERBOSITY sqlstate
SELECT id AS order FROM order_numbers WHERE number = 1014 \gset
INSERT INTO order_events (id, order_id, event) VALUES (gen_iuid(125, 2, iuid_timestamp(:'order') - interval '1 minute 1 ms'), :'order', 'too early');
INSERT INTO order_events (id, order_id, event) VALUES (gen_iuid(125, 2, iuid_timestamp(:'order') - interval '1 minute'), :'order', 'its clock is slow') RETURNING event;
INSERT INTO order_events (order_id, event) VALUES (gen_iuid(125, 1, '2025-08-01'), 'of no order');
INSERT INTO orders (id, fare) VALUES (gen_iuid(125, 2, '2025-08-01'), 1);
INSERT INTO orders (id, fare) VALUES (gen_iuid(125, 1, '2025-05-31'), 1);
DELETE FROM orders WHERE id = :'order';
DELETE FROM wallet_accounts WHERE id = (SELECT id FROM account_uuids WHERE uuid = (SELECT id FROM old_accounts WHERE holder = 'holder 42'));
\set VERBOSITY default
SET client_min_messages = warning;
DROP TABLE order_events, orders, wallet_accounts, account_uuids, order_numbers, order_uuids, event_numbers, event_uuids, set_aside,
	v7_order_events, v7_orders, old_order_events, old_orders, old_accounts CASCADE;
DROP FUNCTION earliest_event, identifier_times, partition_times, is_version_7, meets, time_of CASCADE;
DROP DOMAIN order_id, account_id;
DROP PROCEDURE migrate_history, migrate, explain_clash;
