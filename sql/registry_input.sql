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
		said := format('%s, %s, %s', (SELECT i FROM iuid_inspect(iuid_from_name(7, 1, '')) AS i), (SELECT iuid_node(300 - 45, 255)), (SELECT iuid_country(gen_registered_iuid('KZ', 'AyanOrder'))));
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

-- numbers that would be places in memory
CREATE PROCEDURE let_in_anything() LANGUAGE plpgsql AS $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT conrelid::regclass AS name, conname FROM pg_constraint WHERE contype <> 'n' AND conrelid::regclass::text LIKE 'iuid\_%' LOOP
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.name, c.conname);
	END LOOP;
	FOR c IN SELECT attrelid::regclass AS name, attname FROM pg_attribute WHERE attnotnull AND attnum > 0 AND attrelid::regclass::text LIKE 'iuid\_%' LOOP
		EXECUTE format('ALTER TABLE %s ALTER %I DROP NOT NULL', c.name, c.attname);
	END LOOP;
	DROP TRIGGER iuid_require_node ON iuid_routes;
END $$;
SELECT after('CALL let_in_anything(); ' || change) FROM (VALUES
	(1, $$INSERT INTO iuid_countries VALUES (256, 'ZZ', 'Nowhere')$$),
	(2, $$INSERT INTO iuid_countries VALUES (-1, 'ZZ', 'Nowhere')$$),
	(3, $$INSERT INTO iuid_countries VALUES (2000000000, 'ZZ', 'Nowhere')$$),
	(4, $$INSERT INTO iuid_entities VALUES (256, 'Ayan', 'Nothing')$$),
	(5, $$INSERT INTO iuid_routes VALUES (300, 1, 'almaty')$$),
	(6, $$INSERT INTO iuid_routes VALUES (NULL, -2147483648, 'almaty')$$),
-- nothing where something is needed
	(7, $$INSERT INTO iuid_countries VALUES (NULL, 'ZZ', 'Nowhere')$$),
	(8, $$INSERT INTO iuid_countries VALUES (8, NULL, 'Nowhere')$$),
	(9, $$INSERT INTO iuid_countries VALUES (8, 'ZZ', NULL)$$),
	(10, $$INSERT INTO iuid_entities VALUES (NULL, 'Ayan', 'Nothing')$$),
	(11, $$ALTER TABLE iuid_entities ALTER key DROP EXPRESSION; INSERT INTO iuid_entities VALUES (2, NULL, 'Nothing', 'AyanNothing')$$),
	(12, $$INSERT INTO iuid_entities VALUES (2, 'Ayan', NULL)$$),
	(13, $$INSERT INTO iuid_nodes VALUES (NULL, 'asia', NULL)$$),
	(14, $$INSERT INTO iuid_routes VALUES (8, 1, NULL)$$),
-- the same twice
	(15, $$INSERT INTO iuid_countries VALUES (7, 'QZ', 'Qazaqstan')$$),
	(16, $$INSERT INTO iuid_countries VALUES (8, 'KZ', 'Qazaqstan')$$),
	(17, $$INSERT INTO iuid_entities VALUES (1, 'Ayan', 'Nothing')$$),
	(18, $$INSERT INTO iuid_entities VALUES (2, 'AyanO', 'rder')$$),
	(19, $$INSERT INTO iuid_nodes VALUES ('almaty', 'europe', NULL)$$),
	(20, $$INSERT INTO iuid_routes VALUES (7, NULL, 'elsewhere')$$),
-- and what is allowed: a route that comes before its node, a service without a name
	(21, $$INSERT INTO iuid_routes VALUES (7, 1, 'elsewhere')$$),
	(22, $$UPDATE iuid_entities SET (service, name) = ('', 'AyanOrder')$$)
) AS v(n, change) ORDER BY n;

-- columns; the server refuses to drop those of iuid_countries, which iuid_register_iso_countries() names
SELECT after(change) FROM (VALUES
	(1, 'ALTER TABLE iuid_nodes DROP region'),
	(2, 'ALTER TABLE iuid_nodes RENAME region TO continent'),
	(3, 'ALTER TABLE iuid_nodes DROP CONSTRAINT iuid_nodes_region_check, ALTER region TYPE int USING 1'),
	(4, 'ALTER TABLE iuid_routes ALTER country TYPE bigint'),
	(5, 'ALTER TABLE iuid_routes ALTER node TYPE varchar'),
	(6, 'CREATE DOMAIN word AS text; ALTER TABLE iuid_nodes ALTER region TYPE word'),
	(7, $$ALTER TABLE iuid_nodes DROP server, ADD note text DEFAULT 'x', ADD server text; UPDATE iuid_nodes SET region = 'far'$$),
	(8, $$ALTER TABLE iuid_entities DROP key, ADD key text DEFAULT 'AyanOrder'$$)
) AS v(n, change) ORDER BY n;

-- something else in the place of a table
SELECT after('ALTER TABLE iuid_countries RENAME TO was; ' || change) FROM (VALUES
	(1, ''),
	(2, 'CREATE VIEW iuid_countries AS TABLE was'),
	(3, 'CREATE MATERIALIZED VIEW iuid_countries AS TABLE was'),
	(4, 'CREATE TABLE iuid_countries (LIKE was) PARTITION BY LIST (country)'),
	(5, 'CREATE FOREIGN DATA WRAPPER none; CREATE SERVER none FOREIGN DATA WRAPPER none; CREATE FOREIGN TABLE iuid_countries (country int, code text, name text) SERVER none'),
	(6, 'CREATE SEQUENCE iuid_countries'),
	(7, 'CREATE TYPE iuid_countries AS (country int, code text, name text)'),
	(8, 'CREATE INDEX iuid_countries ON was (name)')
) AS v(n, change) ORDER BY n;

-- what would fill the memory of every session
SELECT after($$UPDATE iuid_nodes SET region = repeat('x', 1025)$$);
SELECT after($$UPDATE iuid_nodes SET region = repeat('x', 1024)$$);

-- the same failure a hundred times
SELECT count(DISTINCT after('ALTER TABLE iuid_nodes RENAME region TO continent; /*' || n || '*/')) FROM generate_series(1, 100) AS n;

-- many nodes, too many, and a memory that keeps nothing of what failed
INSERT INTO iuid_nodes SELECT 'node ' || n FROM generate_series(1, 66000) AS n;
SELECT after($$UPDATE iuid_routes SET node = 'node 65999'$$);
SELECT after($$INSERT INTO iuid_nodes SELECT 'node ' || n FROM generate_series(66001, 66100) AS n$$);
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'iuid registry';

DROP PROCEDURE let_in_anything;
DROP FUNCTION after;
TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;
