-- Rows leave the DEFAULT partition only where nothing is lost: constraints, foreign keys, other kinds of table.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
\set january '''1 month'', ''2026-01-01'', ''2026-02-01'''

-- a CHECK that the rows were never checked against, and one that they keep
CREATE TABLE orders (id iuid PRIMARY KEY, total int, note text) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders SELECT iuid_from_name(7, 1, note, '2026-01-05'), total, note
FROM (VALUES (-5, 'negative'), (5, 'positive')) AS v(total, note);
ALTER TABLE orders ADD CONSTRAINT positive CHECK (total > 0) NOT VALID;
SELECT iuid_create_partitions('orders', :january);
\echo :LAST_ERROR_SQLSTATE
SELECT tableoid::regclass, total FROM orders ORDER BY total;
SELECT count(*) FROM iuid_partitions('orders');
UPDATE orders SET total = 1 WHERE total < 0;
SELECT iuid_create_partitions('orders', :january);
SELECT count(*) FROM orders WHERE total > 0;

-- NOT NULL of the partition to be, which the DEFAULT partition did without; one within an expression's index
CREATE TABLE lines (id iuid, n int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE lines_rest PARTITION OF lines DEFAULT;
CREATE UNIQUE INDEX ON lines (id, (10 / n));
INSERT INTO lines SELECT iuid_from_name(7, 2, n::text, '2026-01-05'), n FROM generate_series(1, 3) AS n;
UPDATE pg_attribute SET attnotnull = false WHERE attrelid = 'lines_rest'::regclass AND attname = 'n';
UPDATE lines_rest SET n = NULL WHERE n = 2;
\set VERBOSITY sqlstate
SELECT iuid_create_partitions('lines', :january);
UPDATE lines_rest SET n = 2 WHERE n IS NULL;
\set VERBOSITY default
SELECT iuid_create_partitions('lines', :january);
SET enable_seqscan = off;
SELECT count(*) FROM lines AS l WHERE EXISTS (SELECT FROM lines WHERE id = l.id AND 10 / n = 10 / l.n);
RESET enable_seqscan;
INSERT INTO lines SELECT id, n FROM lines LIMIT 1;

-- a foreign key to the DEFAULT partition itself keeps its rows there; the one to the parent moves along
CREATE TABLE trips (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
INSERT INTO trips VALUES ('019b8b74-1800-8007-8041-23456789abcd'), ('019b8b74-1800-8007-8041-23456789abce');
CREATE TABLE stop (trip iuid CONSTRAINT of_any REFERENCES trips,
	late iuid CONSTRAINT of_rest REFERENCES trips_rest ON DELETE CASCADE ON UPDATE CASCADE);
INSERT INTO stop VALUES ('019b8b74-1800-8007-8041-23456789abcd', NULL),
	('019b8b74-1800-8007-8041-23456789abcd', '019b8b74-1800-8007-8041-23456789abce');
SELECT iuid_create_partitions('trips', :january);
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM stop JOIN trips_rest ON id = late;
ALTER TABLE stop DROP CONSTRAINT of_rest;
SELECT iuid_create_partitions('trips', :january);
\set VERBOSITY sqlstate
DELETE FROM trips WHERE id = '019b8b74-1800-8007-8041-23456789abcd';
\set VERBOSITY default

-- a DEFAULT partition that is partitioned itself does no harm as long as it has no such rows; a foreign one is refused
CREATE EXTENSION postgres_fdw;
SELECT current_setting('unix_socket_directories') AS socket \gset
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw OPTIONS (dbname :'DBNAME', host :'socket', port :'PORT');
CREATE USER MAPPING FOR CURRENT_USER SERVER loop;
CREATE TABLE partitioned (id uuid) PARTITION BY RANGE (id);
CREATE TABLE partitioned_rest PARTITION OF partitioned DEFAULT PARTITION BY LIST (id);
CREATE TABLE partitioned_rest_rest PARTITION OF partitioned_rest DEFAULT;
CREATE TABLE afar (id iuid);
CREATE TABLE near (id iuid) PARTITION BY RANGE (id);
CREATE FOREIGN TABLE near_rest PARTITION OF near DEFAULT SERVER loop OPTIONS (table_name 'afar');
INSERT INTO partitioned SELECT iuid_from_name(7, 1, 'p', '2026-01-05');
INSERT INTO afar SELECT iuid_from_name(7, 1, 'p', '2026-01-05');
SELECT iuid_create_partitions('partitioned', :january);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_partitions('partitioned', '1 month', '2026-03-01', '2026-04-01');
SELECT iuid_create_partitions('near', :january);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_partitions('near', '1 month', '2026-03-01', '2026-04-01');

-- and so it is in order by origin
CREATE TABLE by_country (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE FOREIGN TABLE by_country_rest PARTITION OF by_country DEFAULT SERVER loop OPTIONS (table_name 'afar');
SELECT iuid_create_country_partitions('by_country', 1, '{7}');
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_create_country_partitions('by_country', 1, '{8}');
DROP FOREIGN TABLE by_country_rest;
CREATE TABLE by_country_rest PARTITION OF by_country DEFAULT;
INSERT INTO by_country SELECT iuid_from_name(country, 1, 'p', '2026-01-05') FROM unnest(ARRAY[0, 7, 9, 255]) AS country;
SELECT iuid_create_country_partitions('by_country', 1, '{7,255}');
SELECT tableoid::regclass, iuid_country(id) FROM by_country ORDER BY 2;
SELECT iuid_create_country_partitions('by_country', 1, '{9}', '1 month');
\echo :LAST_ERROR_SQLSTATE

-- a DEFAULT partition of another owner, whose code is not the parent's owner's to run
CREATE ROLE regress_iuid_owner;
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
CREATE TABLE owned (id iuid) PARTITION BY RANGE (id);
CREATE TABLE owned_rest PARTITION OF owned DEFAULT;
INSERT INTO owned SELECT iuid_from_name(7, 1, 'p', '2026-01-05');
ALTER TABLE owned OWNER TO regress_iuid_owner;
SELECT iuid_create_partitions('owned', :january);
\echo :LAST_ERROR_SQLSTATE

-- what is committed after the transaction has taken its snapshot moves, too
CREATE EXTENSION dblink;
CREATE TABLE late (id iuid) PARTITION BY RANGE (id);
CREATE TABLE late_rest PARTITION OF late DEFAULT;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM late;
SELECT dblink_exec('loop', $$INSERT INTO late SELECT iuid_from_name(7, 1, 'p', '2026-01-05')$$);
SELECT iuid_create_partitions('late', :january);
COMMIT;
SELECT tableoid::regclass FROM late;

-- a query that is reading DEFAULT, and checks that are still to come, would look where the rows were
CREATE TABLE used (id iuid PRIMARY KEY, other iuid REFERENCES used DEFERRABLE INITIALLY DEFERRED)
	PARTITION BY RANGE (id);
CREATE TABLE used_rest PARTITION OF used DEFAULT;
INSERT INTO used SELECT iuid_from_name(7, 1, 'p', '2026-01-05');
BEGIN;
DECLARE reading CURSOR FOR SELECT * FROM used_rest;
FETCH reading \g /dev/null
SELECT iuid_create_partitions('used', :january);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN;
INSERT INTO used SELECT iuid_from_name(7, 1, 'q', '2026-01-05'), iuid_from_name(7, 1, 'nobody', '2026-01-05');
SELECT iuid_create_partitions('used', :january);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
CREATE FUNCTION make_partition() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM iuid_create_partitions('used', '1 month', '2026-01-01', '2026-02-01'); RETURN NEW; END $$;
CREATE TRIGGER make_partition BEFORE INSERT ON used_rest FOR EACH ROW EXECUTE FUNCTION make_partition();
\set VERBOSITY sqlstate
INSERT INTO used SELECT iuid_from_name(7, 1, 'r', '2026-01-05');
INSERT INTO used_rest SELECT iuid_from_name(7, 1, 'r', '2026-01-05');
\set VERBOSITY default
SELECT tableoid::regclass, count(*) FROM used GROUP BY 1;

-- a foreign key to a table on which the parent's owner has no rights, as ATTACH needs none either
CREATE TABLE customer (id int PRIMARY KEY);
CREATE TABLE paid (id iuid PRIMARY KEY, customer int REFERENCES customer) PARTITION BY RANGE (id);
CREATE TABLE receipt (paid iuid REFERENCES paid);
ALTER TABLE paid OWNER TO regress_iuid_owner;
SET ROLE regress_iuid_owner;
SELECT iuid_create_partitions('paid', :january);
SELECT has_table_privilege('customer', 'SELECT') OR has_table_privilege('receipt', 'SELECT') AS has_rights;
RESET ROLE;

SET client_min_messages = warning;
DROP TABLE late, used, receipt, paid, customer, orders, lines, stop, trips,
	partitioned, near, by_country, afar, owned CASCADE;
DROP EXTENSION postgres_fdw, dblink CASCADE;
DROP FUNCTION make_partition;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner;
