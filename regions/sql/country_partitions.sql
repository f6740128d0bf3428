-- Partitions for the countries that are routed to this node, and a table over all.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw OPTIONS (extensions 'iuid');
CREATE SCHEMA "a.b";
CREATE TABLE "a.b"."Orders" (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 1), note text)
	PARTITION BY RANGE (id iuid_origin_ops);
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan'), (8, 'MX', 'Mexico'), (9, 'BR', 'Brazil');
INSERT INTO iuid_nodes VALUES ('here', 'asia', NULL), ('there', 'america', 'elsewhere'),
	('unreachable', 'europe', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (NULL, NULL, 'there'), (8, 2, 'here');

SELECT iuid_create_routed_partitions('"a.b"."Orders"', 1);
\echo :LAST_ERROR_SQLSTATE
SET iuid.node = 'nowhere';
SELECT iuid_create_routed_partitions('"a.b"."Orders"', 1);
\echo :LAST_ERROR_SQLSTATE
SET iuid.node = 'here';
SELECT iuid_create_routed_partitions('"a.b"."Orders"', 1);
SELECT iuid_create_routed_partitions('"a.b"."Orders"', 1);
SELECT iuid_create_global_table('"orders everywhere"', '"a.b"."Orders"', 1);
SELECT iuid_create_global_table('"a.b"."orders everywhere"', '"a.b"."Orders"', 1);

-- what is added is what is missing: a route to here, and one to there for a country of no name
INSERT INTO iuid_routes VALUES (40, 1, 'there'), (41, 1, 'here');
SELECT iuid_create_routed_partitions('"a.b"."Orders"', 1);
SELECT iuid_create_global_table('"orders everywhere"', '"a.b"."Orders"', 1);
SELECT inhrelid::regclass AS partition, pg_get_expr(relpartbound, inhrelid) AS bounds
FROM pg_inherits JOIN pg_class ON oid = inhrelid
WHERE inhparent IN ('"a.b"."Orders"'::regclass, '"a.b"."orders everywhere"'::regclass) ORDER BY 1;
SELECT ftrelid::regclass, ftoptions FROM pg_foreign_table ORDER BY 1;

-- with a step, time partitions from the present on, and an open-ended one on either side
CREATE TABLE wallets (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 2)) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('wallets', 2, '1 year');
SELECT count(*) = 7 AS present_and_ahead, bool_or(is_default) FROM iuid_partitions('wallets_c7');
INSERT INTO wallets DEFAULT VALUES
RETURNING tableoid::regclass::text = 'wallets_c7_' || extract(year FROM now()) AS of_this_year;
INSERT INTO wallets VALUES (gen_iuid(8, 2, '2020-01-01')) RETURNING tableoid::regclass;

-- with time checks, on all but the open ends
CREATE TABLE checked (id iuid PRIMARY KEY DEFAULT gen_iuid(7, 2)) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('checked', 2, '1 year', time_checks => true);
SELECT isfinite(lower) AND isfinite(upper) AS bounded, count(*),
	count(*) FILTER (WHERE pg_get_constraintdef(c.oid) = format('CHECK ('
		'((iuid_timestamp((id)::uuid) >= %L::timestamp with time zone) AND '
		'(iuid_timestamp((id)::uuid) < %L::timestamp with time zone)))', lower, upper)) AS checked
FROM iuid_partitions('checked_c7')
	LEFT JOIN pg_constraint AS c ON conrelid = partition AND contype = 'c' AND coninhcount = 0
GROUP BY 1 ORDER BY 1;
SELECT * FROM iuid_check_partitions('checked_c7');
SELECT iuid_create_routed_partitions('checked', 2, '1 year', NULL);
SELECT iuid_create_routed_partitions('checked', 2, time_checks => true);
DROP TABLE checked CASCADE;

-- an id is in its country's table or nowhere
INSERT INTO "a.b"."orders everywhere" (note) VALUES ('by default') RETURNING tableoid::regclass, iuid_country(id);
\set VERBOSITY terse
INSERT INTO "a.b"."Orders" VALUES ('019b76da-a87b-8009-8041-23456789abcd');
INSERT INTO "a.b"."Orders_c7" VALUES ('019b76da-a87b-8009-8041-23456789abcd');
UPDATE "a.b"."Orders_c7" SET id = '019b76da-a87b-8009-8041-23456789abcd';
ALTER TABLE "a.b"."Orders" DETACH PARTITION "a.b"."Orders_c7";
INSERT INTO "a.b"."Orders_c7" VALUES ('019b76da-a87b-8009-8041-23456789abcd');
\set VERBOSITY default

-- whoever makes them, they are of the parent's owner; and any name will do
CREATE ROLE "Regress iuid's owner";
CREATE ROLE "Regress iuid's maker" IN ROLE "Regress iuid's owner";
CREATE SCHEMA "A schema with a name that fills what a name may have, and needs q" AUTHORIZATION "Regress iuid's owner";
SET search_path = "A schema with a name that fills what a name may have, and needs q", public;
CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
ALTER TABLE trips OWNER TO "Regress iuid's owner";
GRANT USAGE ON FOREIGN SERVER elsewhere TO "Regress iuid's owner";
SET ROLE "Regress iuid's maker";
SELECT count(*) FROM iuid_create_routed_partitions('trips', 1, '1 year');
SELECT iuid_create_global_table('trips_everywhere', 'trips', 1);
RESET ROLE;
INSERT INTO iuid_routes VALUES (42, 1, 'there'), (43, 1, 'here');
SELECT iuid_create_routed_partitions('trips', 1, '1 year');
SELECT iuid_create_global_table('trips_everywhere', 'trips', 1);
SELECT pg_get_userbyid(relowner) AS owner, relkind, count(*) > 0 AS made FROM pg_class
WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname LIKE 'A schema%') GROUP BY 1, 2 ORDER BY 2;
RESET search_path;
DELETE FROM iuid_routes WHERE country IN (42, 43);

-- one partition for one id
EXPLAIN (COSTS OFF) SELECT * FROM "a.b"."orders everywhere" WHERE id = '019b76da-a87b-8009-8041-23456789abcd';
EXPLAIN (COSTS OFF) SELECT * FROM "a.b"."orders everywhere" WHERE id = uuid '019b76da-a87b-8029-8041-23456789abcd';

-- shapes and nodes that will not do
CREATE TABLE by_time (id iuid) PARTITION BY RANGE (id);
SELECT iuid_create_routed_partitions('by_time', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_global_table('everything', 'by_time', 1);
CREATE DOMAIN order_id AS iuid;
CREATE TABLE by_domain (id order_id) PARTITION BY RANGE (id iuid_origin_ops);
SELECT iuid_create_routed_partitions('by_domain', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_global_table('public.by_time', '"a.b"."Orders"', 1);
SELECT iuid_create_global_table('"a.b"."orders everywhere"', 'wallets', 2);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_global_table('shop.public.everything', '"a.b"."Orders"', 1);
\echo :LAST_ERROR_SQLSTATE
INSERT INTO iuid_routes VALUES (9, NULL, 'unreachable');
SELECT iuid_create_global_table('wallets_everywhere', 'wallets', 2);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_routed_partitions('wallets', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_routed_partitions('wallets', 256);

DROP TABLE by_time, by_domain, wallets CASCADE;
DROP DOMAIN order_id;
DROP SCHEMA "a.b" CASCADE;
DROP SCHEMA "A schema with a name that fills what a name may have, and needs q" CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
DROP ROLE "Regress iuid's maker", "Regress iuid's owner";
TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;

-- That a table is empty is no estimate: this one was, when it was analyzed.
CREATE TABLE analyzed (id iuid, note text) PARTITION BY RANGE (id iuid_origin_ops);
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'here');
SET iuid.node = 'here';
SELECT iuid_create_routed_partitions('analyzed', 1);
ANALYZE analyzed;
INSERT INTO analyzed VALUES (gen_iuid(7, 1), 'kept');
UPDATE iuid_routes SET node = 'there';
SELECT iuid_create_routed_partitions('analyzed', 1);
SELECT note, tableoid::regclass FROM analyzed;
RESET iuid.node;
TRUNCATE iuid_routes, iuid_nodes;
DROP TABLE analyzed CASCADE;
