-- While a call changes partitions, a name can go over to another table, as nothing keeps a session from renaming a
-- schema.  The call then fails, and what has the name now stays as it is.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = error;
SET regress.before = '';
-- What another session can do at any time, done here just before a statement of the call, or while it moves a row.
CREATE FUNCTION rename(tag text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	IF tag = current_setting('regress.before') THEN
		PERFORM set_config('regress.before', '', false);
		EXECUTE current_setting('regress.change');
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION rename() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.rename(tg_tag); END $$;
CREATE FUNCTION outcome(call text, before text, change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('regress.before', before, false), set_config('regress.change', change, false);
	EXECUTE call;
	RAISE SQLSTATE 'UNDO0' USING MESSAGE = 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

CREATE SCHEMA ours;
CREATE TABLE ours.orders (id iuid PRIMARY KEY, CHECK (rename('CHECK'))) PARTITION BY RANGE (id);
CREATE TABLE ours.orders_rest PARTITION OF ours.orders DEFAULT;
CREATE TABLE ours.orders_2025 PARTITION OF ours.orders FOR VALUES FROM (iuid_floor('2025-01-01')) TO (iuid_floor('2026-01-01'));
INSERT INTO ours.orders VALUES (gen_iuid(7, 1, '2026-01-15'));
CREATE TABLE ours.trips (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE ours.trips_c8 PARTITION OF ours.trips FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9));
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'there');
INSERT INTO iuid_routes VALUES (7, NULL, 'here'), (8, NULL, 'there');
SET iuid.node = 'here';
CREATE EXTENSION postgres_fdw;
CREATE SERVER there FOREIGN DATA WRAPPER postgres_fdw;
CREATE TABLE ours.rides (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
SELECT count(*) FROM iuid_create_global_table('ours.rides_global', 'ours.rides', 1), iuid_create_global_view('ours.all_orders', 'ours.orders');
-- a partition, a global table and a global view in another schema than the table
CREATE SCHEMA archive;
CREATE TABLE ours.notes (id iuid) PARTITION BY RANGE (id);
CREATE TABLE archive.notes_2025 PARTITION OF ours.notes FOR VALUES FROM (iuid_floor('2025-01-01')) TO (iuid_floor('2026-01-01'));
CREATE TABLE ours.far (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
SELECT count(*) FROM iuid_create_global_table('archive.far_global', 'ours.far', 1), iuid_create_global_view('archive.far_all', 'ours.far');
-- a schema with tables of the same names, one with fewer of them, and a table for the name of another
CREATE SCHEMA theirs;
CREATE TABLE theirs.orders (LIKE ours.orders) PARTITION BY RANGE (id);
CREATE TABLE theirs.orders_2025 PARTITION OF theirs.orders FOR VALUES FROM (iuid_floor('2025-01-01')) TO (iuid_floor('2026-01-01'));
CREATE TABLE theirs.orders_2026_01 (LIKE ours.orders INCLUDING ALL);
CREATE TABLE theirs.trips (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE theirs.trips_c7 (id iuid);
CREATE TABLE theirs.trips_c8 PARTITION OF theirs.trips FOR VALUES FROM (iuid_country_floor(8)) TO (iuid_country_floor(9));
CREATE TABLE theirs.notes (LIKE ours.notes) PARTITION BY RANGE (id);
CREATE TABLE theirs.notes_2025 PARTITION OF theirs.notes FOR VALUES FROM (iuid_floor('2025-01-01')) TO (iuid_floor('2026-01-01'));
CREATE TABLE theirs.rides (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
SELECT count(*) FROM iuid_create_global_table('theirs.rides_global', 'theirs.rides', 1);
CREATE VIEW theirs.all_orders AS SELECT '' AS node, * FROM theirs.orders;
CREATE FOREIGN TABLE theirs.all_orders_there (id iuid) SERVER there;
CREATE TABLE theirs.far_global (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE VIEW theirs.far_all AS SELECT '' AS node, * FROM theirs.far_global;
CREATE FOREIGN TABLE theirs.far_all_there (id iuid) SERVER there;
CREATE SCHEMA bare;
CREATE TABLE bare.orders (LIKE ours.orders);
CREATE TABLE bare.trips (LIKE ours.trips);
CREATE TABLE ours.other (LIKE ours.orders INCLUDING ALL) PARTITION BY RANGE (id);

-- an open end, and a table that could be one
CREATE TABLE ours.ends (id iuid) PARTITION BY RANGE (id);
CREATE TABLE ours.ends_after PARTITION OF ours.ends FOR VALUES FROM (iuid_floor('2026-01-01')) TO (MAXVALUE);
CREATE TABLE ours.ends_other (id iuid);

CREATE EVENT TRIGGER rename ON ddl_command_start WHEN TAG IN ('CREATE TABLE', 'ALTER TABLE', 'DROP TABLE', 'CREATE FOREIGN TABLE', 'DROP FOREIGN TABLE', 'CREATE VIEW', 'DROP VIEW')
EXECUTE FUNCTION rename();
SELECT what, before, other.name AS renamed, outcome(call, before, change) FROM (VALUES
	('none', 'SELECT'),
	('theirs', 'ALTER SCHEMA ours RENAME TO was; ALTER SCHEMA theirs RENAME TO ours'),
	('bare', 'ALTER SCHEMA ours RENAME TO was; ALTER SCHEMA bare RENAME TO ours'),
	('archive', 'ALTER SCHEMA archive RENAME TO was; ALTER SCHEMA theirs RENAME TO archive'),
	('and back', 'ALTER SCHEMA ours RENAME TO was; ALTER SCHEMA theirs RENAME TO ours;
		SELECT set_config(''regress.change'', ''ALTER SCHEMA ours RENAME TO theirs; ALTER SCHEMA was RENAME TO ours'', false), set_config(''regress.before'', ''DROP TABLE'', false)'),
	('between', 'SELECT set_config(''regress.change'', ''ALTER TABLE ours.ends_after RENAME TO was; ALTER TABLE ours.ends_other RENAME TO ends_after'', false), set_config(''regress.before'', ''ALTER TABLE'', false)'),
	('other', 'ALTER TABLE ours.orders RENAME TO was; ALTER TABLE ours.other RENAME TO orders')) AS other (name, change)
JOIN (VALUES
	('create', 'CREATE TABLE', '{none,bare}'::text[]), ('create', 'ALTER TABLE', '{none,theirs,other}'), ('create', 'CHECK', '{none,theirs}'),
	('open end', 'ALTER TABLE', '{none,between}'), ('drop', 'DROP TABLE', '{none,theirs}'), ('detach', 'ALTER TABLE', '{none,theirs}'),
	('drop note', 'DROP TABLE', '{none,archive}'), ('detach note', 'ALTER TABLE', '{none,archive}'),
	('country', 'CREATE TABLE', '{none,bare}'), ('country', 'ALTER TABLE', '{none,theirs}'), ('country', 'DROP TABLE', '{none,theirs}'), ('country', 'CREATE VIEW', '{none,theirs}'),
	('global', 'CREATE TABLE', '{none,theirs}'), ('global', 'ALTER TABLE', '{none,theirs}'), ('global', 'CREATE FOREIGN TABLE', '{none,theirs}'),
	('global again', 'DROP FOREIGN TABLE', '{none,theirs}'), ('view', 'CREATE FOREIGN TABLE', '{none,theirs}'), ('view', 'CREATE VIEW', '{none,theirs}'),
	('view again', 'CREATE VIEW', '{none,theirs}'), ('view again', 'DROP FOREIGN TABLE', '{none,theirs}'),
	('far global', 'CREATE FOREIGN TABLE', '{none,archive}'), ('far view', 'CREATE VIEW', '{none,archive}'),
	('drop global', 'ALTER TABLE', '{none,theirs,"and back"}'), ('drop global', 'DROP TABLE', '{none,theirs}'),
	('drop view', 'DROP VIEW', '{none,theirs}'), ('drop view', 'DROP FOREIGN TABLE', '{none,theirs}')) AS part (what, before, others) ON other.name = ANY (others)
JOIN (VALUES
	('create', 'SELECT iuid_create_partitions(''ours.orders'', ''1 month'', ''2026-01-01'', ''2026-02-01'')'),
	('open end', 'SELECT iuid_create_partitions(''ours.ends'', ''1 month'', ''2026-01-01'', ''2026-02-01'')'),
	('drop', 'SELECT iuid_drop_partitions(''ours.orders'', ''2026-01-01'')'),
	('detach', 'SELECT iuid_detach_partitions(''ours.orders'', ''2026-01-01'')'),
	('drop note', 'SELECT iuid_drop_partitions(''ours.notes'', ''2026-01-01'')'),
	('detach note', 'SELECT iuid_detach_partitions(''ours.notes'', ''2026-01-01'')'),
	('country', 'SELECT iuid_create_country_partitions(''ours.trips'', 1)'),
	('global', 'SELECT iuid_create_global_table(''ours.all_trips'', ''ours.trips'', 1)'),
	('global again', 'UPDATE iuid_routes SET node = ''here''; SELECT iuid_create_global_table(''ours.rides_global'', ''ours.rides'', 1)'),
	('view', 'SELECT iuid_create_global_view(''ours.all_trips'', ''ours.trips'')'),
	('view again', 'DELETE FROM iuid_routes; DELETE FROM iuid_nodes WHERE node <> ''here''; SELECT iuid_create_global_view(''ours.all_orders'', ''ours.orders'')'),
	('far global', 'INSERT INTO iuid_routes VALUES (9, NULL, ''there''); SELECT iuid_create_global_table(''archive.far_global'', ''ours.far'', 1)'),
	('far view', 'SELECT iuid_create_global_view(''archive.far_all'', ''ours.far'')'),
	('drop global', 'SELECT iuid_drop_global_table(''ours.rides_global'')'),
	('drop view', 'SELECT iuid_drop_global_table(''ours.all_orders'')')) AS calls (what, call) USING (what)
ORDER BY 1, 2, 3;
DROP EVENT TRIGGER rename;
RESET iuid.node;
TRUNCATE iuid_routes, iuid_nodes;
DROP SCHEMA ours, theirs, bare, archive CASCADE;
DROP EXTENSION postgres_fdw CASCADE;
DROP FUNCTION rename(), rename(text), outcome;
