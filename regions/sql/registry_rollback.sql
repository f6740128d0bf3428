-- What a subtransaction has changed in the registry never was when it is rolled back,
-- for whoever looks in the same statement, too.
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL), ('mexico', 'america', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');

-- Each function changes the route, looks, rolls back, and looks again in the same statement:
-- by the same expression, by another one, and by a query that ends.
-- In REPEATABLE READ and above it looks at the same snapshot.
CREATE FUNCTION by_one_expression() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	seen text[];
BEGIN
	FOR i IN 1..2 LOOP
		BEGIN
			IF i = 1 THEN
				UPDATE iuid_routes SET node = 'mexico';
			END IF;
			seen := seen || iuid_node(7, 1);
			RAISE 'undo' USING ERRCODE = 'ZZZZZ';
		EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
		END;
	END LOOP;
	RETURN seen;
END $$;
CREATE FUNCTION by_two_expressions() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	seen text[];
BEGIN
	UPDATE iuid_routes SET node = 'mexico';
	seen := seen || iuid_node(7, 1);
	RAISE 'undo' USING ERRCODE = 'ZZZZZ';
EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
	RETURN seen || iuid_node(7, 1);
END $$;
-- the change is made and seen in a subtransaction of its own, which is part of the one that is rolled back
CREATE FUNCTION by_queries() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	seen text;
	seen_after text;
BEGIN
	BEGIN
		UPDATE iuid_routes SET node = 'mexico';
		SELECT iuid_node(7, 1) INTO seen FROM pg_class LIMIT 1;
	EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
	END;
	RAISE 'undo' USING ERRCODE = 'ZZZZZ';
EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
	SELECT iuid_node(7, 1) INTO seen_after FROM pg_class LIMIT 1;
	RETURN ARRAY[seen, seen_after];
END $$;
SELECT 'SELECT by_one_expression(), by_two_expressions(), by_queries();' AS looks \gset
:looks
BEGIN ISOLATION LEVEL REPEATABLE READ;
:looks
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE;
UPDATE iuid_nodes SET region = 'europe';
:looks
COMMIT;

-- while a command changes the routes, a function that it calls sees what it has changed so far,
-- and so does the next command
CREATE FUNCTION look(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	RAISE NOTICE 'looked up: %, selected: %', iuid_node(61, 1), (SELECT node FROM iuid_routes WHERE country = 61);
	RETURN i;
END $$;
BEGIN;
INSERT INTO iuid_routes SELECT 61, nullif(look(i), i), 'mexico' FROM generate_series(1, 1) AS i;
SELECT iuid_node(61, 1);
UPDATE iuid_routes SET node = 'almaty' WHERE country = look(61);
SELECT iuid_node(61, 1);
DELETE FROM iuid_routes WHERE country = look(61);
SELECT iuid_node(61, 1);
ROLLBACK;
SET track_counts = off;
BEGIN;
INSERT INTO iuid_routes SELECT 61, nullif(look(i), i), 'mexico' FROM generate_series(1, 1) AS i;
SELECT iuid_node(61, 1);
ROLLBACK;
RESET track_counts;
DROP FUNCTION look;

-- a cursor that looks for the first time in the subtransaction, and goes on after it
BEGIN;
DECLARE c CURSOR FOR SELECT iuid_node(7, 1) FROM generate_series(1, 2);
SAVEPOINT before;
SAVEPOINT inner_one;
UPDATE iuid_routes SET node = 'mexico';
FETCH c;
RELEASE inner_one;
ROLLBACK TO before;
FETCH c;
COMMIT;
DO $$
DECLARE
	c CURSOR FOR SELECT iuid_node(7, 1) FROM generate_series(1, 2);
	node text;
BEGIN
	OPEN c;
	BEGIN
		UPDATE iuid_routes SET node = 'mexico';
		FETCH c INTO node;
		RAISE 'undo' USING ERRCODE = 'ZZZZZ';
	EXCEPTION WHEN SQLSTATE 'ZZZZZ' THEN
		FETCH c INTO node;
	END;
	RAISE NOTICE 'the cursor goes on with %', node;
END $$;

-- What a function of the same statement makes of the table itself: as a SELECT says.
CREATE FUNCTION run(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN statement;
END $$;
CREATE FUNCTION by_select() RETURNS text STABLE LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT node FROM iuid_routes WHERE country = 7);
END $$;
TRUNCATE iuid_routes;
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');
BEGIN;
SELECT iuid_node(7, 1), by_select(), run('TRUNCATE iuid_routes'), iuid_node(7, 1), by_select();
SELECT iuid_node(7, 1), run($$INSERT INTO iuid_routes VALUES (7, NULL, 'mexico')$$),
	iuid_node(7, 1), run('TRUNCATE iuid_routes'), iuid_node(7, 1), by_select();
ROLLBACK;
BEGIN;
SELECT iuid_node(7, 1), run($$ALTER TABLE iuid_routes ALTER node TYPE text USING 'mexico'$$),
	iuid_node(7, 1), by_select();
ROLLBACK;
BEGIN;
SELECT iuid_node(7, 1), run($$ALTER TABLE iuid_routes RENAME node TO former$$),
	run($$ALTER TABLE iuid_routes ADD node text DEFAULT 'mexico'$$), iuid_node(7, 1), by_select();
ROLLBACK;
DROP FUNCTION run, by_select;

-- After a COMMIT, PL/pgSQL checks a domain without any snapshot.
CREATE DOMAIN entity_of_7 AS int CHECK (iuid_node(7, coalesce(value, 1)) = 'almaty');
DO $$
BEGIN
	COMMIT;
	DECLARE
		entity entity_of_7;
	BEGIN
		RAISE NOTICE 'the domain takes it';
	END;
END $$;
\echo :LAST_ERROR_SQLSTATE
DROP DOMAIN entity_of_7;

DROP FUNCTION by_one_expression, by_two_expressions, by_queries;
TRUNCATE iuid_routes, iuid_nodes;
