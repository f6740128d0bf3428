-- The registry and the routes.
SET timezone = 'UTC';
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan'), (8, 'MX', 'Mexico');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order'), (2, 'Wallet', 'Account');
INSERT INTO iuid_nodes VALUES
	('almaty', 'asia', NULL), ('mexico', 'america', 'mexico'), ('spare', NULL, NULL), ('rest', 'europe', 'rest');

-- precedence, for all sets of the four kinds of route, against the rule in SQL
CREATE TABLE kind AS
SELECT * FROM (VALUES
	(1, 7, 1, 'almaty'), (2, 7, NULL, 'mexico'), (4, NULL, 1, 'spare'), (8, NULL, NULL, 'rest')
) AS v(bit, country, entity, node);
CREATE FUNCTION wrong_routes() RETURNS TABLE (sets bigint, compared bigint, wrong bigint) LANGUAGE plpgsql AS $$
DECLARE
	now_compared bigint;
	now_wrong bigint;
BEGIN
	sets := 0; compared := 0; wrong := 0;
	FOR combination IN 0..15 LOOP
		DELETE FROM iuid_routes;
		INSERT INTO iuid_routes SELECT country, entity, node FROM kind WHERE bit & combination > 0;
		SELECT count(*), count(*) FILTER (WHERE
			iuid_node(c, e) IS DISTINCT FROM expected OR iuid_node(gen_iuid(c, e)) IS DISTINCT FROM expected)
		INTO now_compared, now_wrong
		FROM unnest(ARRAY[0, 7, 8, 255]) AS c, unnest(ARRAY[0, 1, 2, 255]) AS e,
			LATERAL (SELECT (SELECT node FROM iuid_routes AS r
				WHERE (r.country = c OR r.country IS NULL) AND (r.entity = e OR r.entity IS NULL)
				ORDER BY r.country IS NULL, r.entity IS NULL LIMIT 1) AS expected) AS x;
		sets := sets + 1; compared := compared + now_compared; wrong := wrong + now_wrong;
	END LOOP;
	RETURN NEXT;
END $$;
SELECT * FROM wrong_routes();
DROP FUNCTION wrong_routes;

-- a change is seen by the next command, and undone by a rollback, of a savepoint, too
SELECT iuid_node(7, 1), iuid_node(8, 2);
BEGIN;
UPDATE iuid_routes SET node = 'spare' WHERE country = 7 AND entity = 1;
SELECT iuid_node(7, 1);
SAVEPOINT before;
DELETE FROM iuid_routes WHERE country = 7;
SELECT iuid_node(7, 1), iuid_node(7, 2);
ROLLBACK TO before;
SELECT iuid_node(7, 1), iuid_node(7, 2);
TRUNCATE iuid_routes;
SELECT iuid_node(7, 1), iuid_node(8, 2);
ROLLBACK;
SELECT iuid_node(7, 1), iuid_node(8, 2);
DELETE FROM iuid_routes WHERE entity = 1;
COPY iuid_routes FROM stdin;
8	1	almaty
\.
SELECT iuid_node(8, 1), iuid_node(7, 1);
INSERT INTO iuid_nodes VALUES ('mumbai', 'india', NULL);
UPDATE iuid_routes SET node = 'mumbai' WHERE node = 'rest';
DELETE FROM iuid_nodes WHERE node = 'rest';
SELECT iuid_node(8, 2);
-- and within one function, between its statements
DO $$
BEGIN
	ASSERT iuid_node(8, 1) = 'almaty';
	DELETE FROM iuid_routes WHERE country = 8;
	ASSERT iuid_node(8, 1) = 'mumbai';
	RAISE 'undo';
EXCEPTION WHEN raise_exception THEN
	ASSERT iuid_node(8, 1) = 'almaty';
END $$;

-- rows of an INSERT that failed were never there, even if it was asked about them itself, before its triggers ran
CREATE FUNCTION asks(country int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE '%', (SELECT iuid_node(country, 9) FROM pg_class LIMIT 1);
	RETURN 'spare';
END $$;
CREATE VIEW asked AS
SELECT 20 + n AS country, 10 / (3 - n) AS entity, CASE n WHEN 2 THEN asks(21) ELSE 'spare' END AS node
FROM (SELECT generate_series(1, 3)) AS x(n);
UPDATE iuid_routes SET node = node;
INSERT INTO iuid_routes SELECT country, nullif(entity, entity), node FROM asked;
SELECT iuid_node(21, 9), iuid_node(22, 9);
BEGIN;
INSERT INTO iuid_routes VALUES (30, NULL, 'spare');
SAVEPOINT before;
INSERT INTO iuid_routes SELECT country, nullif(entity, entity), node FROM asked;
ROLLBACK TO before;
SELECT iuid_node(21, 9), iuid_node(22, 9), iuid_node(30, 9);
DO $$
BEGIN
	FOR i IN 1..2 LOOP
		ASSERT iuid_node(21, 9) = 'mumbai';
		BEGIN
			UPDATE iuid_routes SET node = node;
			INSERT INTO iuid_routes SELECT country, nullif(entity, entity), node FROM asked;
		EXCEPTION WHEN division_by_zero THEN
			ASSERT iuid_node(22, 9) = 'mumbai' AND iuid_node(30, 9) = 'spare';
		END;
	END LOOP;
END $$;
ROLLBACK;
SELECT iuid_node(21, 9), iuid_node(30, 9);
DROP VIEW asked;
DROP FUNCTION asks;

-- what the support desk sees: registered, half registered, without a route, without a time, without anything
SELECT i.* FROM (VALUES
	(1, gen_iuid(8, 1, '2026-01-01')), (2, gen_iuid(7, 2, '2026-01-01')), (3, gen_iuid(200, 200, '2026-01-01')),
	(4, iuid_from_name(7, 1, 'hello')), (5, '019b7612-3c00-8207-8041-23456789abcd'::iuid),
	(6, '00000000-0000-0000-0000-000000000000')) AS v(n, id), iuid_inspect(id) AS i ORDER BY n;
SELECT iuid_node('ffffffff-ffff-ffff-ffff-ffffffffffff'), iuid_node('019b7612-3c00-8207-8041-23456789abcd');
SELECT iuid_node(256, 1);
\echo :LAST_ERROR_SQLSTATE

-- a country that is nowhere, beside a route for all others
INSERT INTO iuid_routes VALUES (50, NULL, NULL), (50, 2, 'spare'), (51, 3, NULL);
SELECT iuid_node(50, 1), iuid_node(50, 2), iuid_node(51, 3), iuid_node(51, 4), iuid_node(gen_iuid(50, 1));
SELECT node, region FROM iuid_inspect(gen_iuid(50, 1));
DELETE FROM iuid_routes WHERE country IN (50, 51);

-- whether it is here
SELECT iuid_is_local(gen_iuid(8, 1)) AS no_node_set;
SET iuid.node = 'almaty';
SELECT iuid_is_local(gen_iuid(8, 1)), iuid_is_local(gen_iuid(8, 2)),
	iuid_is_local('00000000-0000-0000-0000-000000000000') AS nil;
DELETE FROM iuid_routes WHERE country IS NULL;
SELECT iuid_is_local(gen_iuid(8, 2)) AS no_route;

-- nonsense is impossible
\set VERBOSITY sqlstate
INSERT INTO iuid_countries VALUES (256, 'ZZ', 'Nowhere');
INSERT INTO iuid_countries VALUES (9, 'KZ', 'Kazakhstan again');
INSERT INTO iuid_entities VALUES (3, 'AyanO', 'rder');
INSERT INTO iuid_nodes VALUES ('', 'asia', NULL);
INSERT INTO iuid_nodes VALUES (repeat('x', 64), 'asia', NULL);
INSERT INTO iuid_routes VALUES (9, NULL, repeat('x', 64));
INSERT INTO iuid_routes VALUES (9, NULL, 'nowhere');
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
INSERT INTO iuid_routes VALUES (-1, NULL, 'almaty');
UPDATE iuid_routes SET node = 'nowhere';
DELETE FROM iuid_nodes WHERE node = 'almaty';
UPDATE iuid_nodes SET node = 'astana' WHERE node = 'almaty';
WITH made AS (INSERT INTO iuid_nodes VALUES ('new', NULL, NULL)) INSERT INTO iuid_routes VALUES (77, NULL, 'new');
DELETE FROM iuid_routes WHERE country = 77;
TRUNCATE iuid_nodes;
BEGIN;
UPDATE iuid_routes SET node = NULL;
TRUNCATE iuid_nodes;
ROLLBACK;
\set VERBOSITY default

-- everybody reads
CREATE ROLE regress_iuid_reader;
SET ROLE regress_iuid_reader;
SELECT count(*) FROM iuid_countries, iuid_entities, iuid_nodes, iuid_routes WHERE false;
SELECT iuid_node(8, 2), code FROM iuid_inspect(gen_iuid(7, 1));
INSERT INTO iuid_countries VALUES (10, 'BR', 'Brazil');
RESET ROLE;

-- parallel workers read it, and see what their leader has changed
CREATE TABLE many AS SELECT gen_iuid(7, 1) AS id FROM generate_series(1, 1000);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
BEGIN;
UPDATE iuid_routes SET node = 'spare' WHERE country = 7;
EXPLAIN (COSTS OFF) SELECT count(*) FROM many WHERE iuid_node(id) = 'spare';
SELECT count(*) FROM many WHERE iuid_node(id) = 'spare';
ROLLBACK;
SELECT count(*) FROM many WHERE iuid_node(id) = 'spare';
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET parallel_leader_participation;

DROP ROLE regress_iuid_reader;
DROP TABLE kind, many;
TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;
