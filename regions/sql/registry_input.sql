-- What stands in the registry is input: nothing there, of whatever kind, type or value, is used before it is checked.
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan');
INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Order');
INSERT INTO iuid_nodes VALUES ('almaty', 'asia', NULL);
INSERT INTO iuid_routes VALUES (7, NULL, 'almaty');

-- what look-ups say after a change, which is undone
CREATE FUNCTION after(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
	reason text;
	remedy text;
BEGIN
	BEGIN
		EXECUTE change;
		said := concat_ws(', ', iuid_node(7, 1), iuid_node(255, 255), iuid_node(8, 1), iuid_node(9, 2));
		RAISE 'undo' USING ERRCODE = 'ZZZZZ';
	EXCEPTION WHEN OTHERS THEN
		IF SQLSTATE <> 'ZZZZZ' THEN
			GET STACKED DIAGNOSTICS reason = PG_EXCEPTION_DETAIL, remedy = PG_EXCEPTION_HINT;
			said := format(E'%s: %s\n  %s\n  %s', SQLSTATE, SQLERRM, reason, remedy);
		END IF;
	END;
	ASSERT iuid_node(7, 1) = 'almaty';
	RETURN said;
END $$;
\pset format unaligned
\pset tuples_only
SELECT after('');

-- numbers that would be places in memory, nothing where something is needed, the same twice, a route before its node
CREATE PROCEDURE let_in_anything() LANGUAGE plpgsql AS $$
DECLARE
	c record;
BEGIN
	FOR c IN
		SELECT conrelid::regclass AS name, conname FROM pg_constraint
		WHERE contype <> 'n' AND conrelid = 'iuid_routes'::regclass
	LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.name, c.conname);
	END LOOP;
	DROP TRIGGER iuid_require_node ON iuid_routes;
END $$;
SELECT after('CALL let_in_anything(); INSERT INTO iuid_routes VALUES ' || route) FROM (VALUES
	(1, $$(300, 1, 'mexico')$$), (2, $$(256, 1, 'mexico')$$), (3, $$(-1, 1, 'mexico')$$),
	(4, $$(8, 256, 'mexico')$$), (5, $$(8, 300, 'mexico')$$),
	(6, $$(NULL, -2147483648, 'mexico')$$), (7, $$(2147483647, NULL, 'mexico')$$),
	(8, $$(8, 1, NULL)$$), (9, $$(8, 1, '')$$), (10, $$(8, 1, 'elsewhere'), (8, 1, 'elsewhere')$$),
	(11, $$(9, 2, 'ahead')$$)
) AS v(n, route) ORDER BY n;

-- columns
SELECT after(change) FROM (VALUES
	(1, 'ALTER TABLE iuid_routes DROP entity'),
	(2, 'ALTER TABLE iuid_routes RENAME node TO server'),
	(3, 'ALTER TABLE iuid_routes ALTER country TYPE bigint'),
	(4, 'ALTER TABLE iuid_routes ALTER node TYPE varchar'),
	(5, 'CREATE DOMAIN word AS text; ALTER TABLE iuid_routes ALTER node TYPE word'),
	(6, $$
		ALTER TABLE iuid_routes DROP node, ADD note text DEFAULT 'x', ADD node text;
		INSERT INTO iuid_nodes VALUES ('far');
		UPDATE iuid_routes SET node = 'far'
	$$),
	(7, $$ALTER TABLE iuid_routes DROP node, ADD node text GENERATED ALWAYS AS ('stored') STORED$$),
	(8, $$ALTER TABLE iuid_routes DROP entity, ADD entity int DEFAULT 2$$)
) AS v(n, change) ORDER BY n;

-- something else in the place of a table
CREATE ROLE regress_iuid_keeper;
SELECT after('ALTER TABLE iuid_routes RENAME TO was; ' || change) FROM (VALUES
	(1, ''),
	(2, 'CREATE VIEW iuid_routes AS TABLE was'),
	(3, 'CREATE MATERIALIZED VIEW iuid_routes AS TABLE was'),
	(4, 'CREATE TABLE iuid_routes (LIKE was) PARTITION BY LIST (country)'),
	(5, '
		CREATE FOREIGN DATA WRAPPER none;
		CREATE SERVER none FOREIGN DATA WRAPPER none;
		CREATE FOREIGN TABLE iuid_routes (country int, entity int, node text) SERVER none
	'),
	(6, 'CREATE SEQUENCE iuid_routes'),
	(7, 'CREATE TYPE iuid_routes AS (country int, entity int, node text)'),
	(8, 'CREATE INDEX iuid_routes ON was (node)'),
	(9, 'CREATE TABLE iuid_routes (LIKE was); ALTER TABLE iuid_routes OWNER TO regress_iuid_keeper'),
	(10, $$
		CREATE TEMPORARY TABLE iuid_routes (country int, entity int, node text);
		INSERT INTO iuid_routes VALUES (7, NULL, 'temporary')
	$$)
) AS v(n, change) ORDER BY n;
SELECT after('ALTER TABLE iuid_routes OWNER TO regress_iuid_keeper');
DROP ROLE regress_iuid_keeper;

-- row security is for queries of the table
SELECT after('ALTER TABLE iuid_routes ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY');

-- an index that is not valid yet, or none
SELECT after($$UPDATE pg_index SET indisvalid = false WHERE indrelid = 'iuid_routes'::regclass$$);

DROP PROCEDURE let_in_anything;
DROP FUNCTION after;
TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;
