-- iuid_attach_partitions: whole or not at all, with the rows that wait, and with nothing that it should not take.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
CREATE FUNCTION at(day date) RETURNS uuid LANGUAGE sql AS $$ SELECT iuid_floor(day)::uuid $$;
CREATE FUNCTION attach(parent regclass, partition regclass, lower date, upper date) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM iuid_attach_partitions(parent, ARRAY[partition], ARRAY[at(lower)], ARRAY[at(upper)]);
	RETURN 'attached';
EXCEPTION WHEN others THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- a DEFAULT partition and both open ends, with a foreign key, triggers that must not fire, and long values
CREATE TABLE trips (id iuid PRIMARY KEY, n int NOT NULL, cost int GENERATED ALWAYS AS (n * 2) STORED,
	note text CONSTRAINT not_x CHECK (note <> 'x'))
	PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-02-01'));
CREATE TABLE trips_after (note text CONSTRAINT not_x CHECK (note <> 'x'), gone int, id iuid NOT NULL,
	n int NOT NULL, cost int GENERATED ALWAYS AS (n * 2) STORED);
ALTER TABLE trips_after DROP COLUMN gone;
ALTER TABLE trips ATTACH PARTITION trips_after FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
CREATE INDEX ON trips (note) WHERE n > 0;
INSERT INTO trips (id, n, note)
SELECT iuid_from_name(7, 1, n::text, '2026-01-01'::timestamptz + n * interval '1 day'), n, repeat(n::text, 4000)
FROM generate_series(0, 119) AS n;
INSERT INTO trips (id, n, note) VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff', 999, 'Max');
CREATE TABLE stops (trip iuid REFERENCES trips ON DELETE CASCADE ON UPDATE CASCADE, n int);
INSERT INTO stops SELECT id, n FROM trips;
CREATE TABLE oracle AS SELECT * FROM trips;
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE '% of % %', TG_OP, TG_TABLE_NAME, OLD;
END $$;
CREATE TRIGGER never AFTER INSERT OR UPDATE OR DELETE ON trips FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER other AFTER INSERT OR UPDATE OR DELETE ON trips FOR EACH ROW EXECUTE FUNCTION refuse();
ALTER TABLE trips_after DISABLE TRIGGER other;
ALTER TABLE trips_before ENABLE ALWAYS TRIGGER other;
ALTER TABLE trips_after REPLICA IDENTITY FULL;
-- what stays is written as it was, even where it would not pass today
ALTER TABLE trips ADD CONSTRAINT not_118 CHECK (n <> 118) NOT VALID;
CREATE TABLE january (LIKE trips INCLUDING GENERATED);
CREATE TABLE february (id iuid NOT NULL, note text, gone int, n int NOT NULL,
	cost int GENERATED ALWAYS AS (n * 2) STORED,
	CONSTRAINT not_x CHECK (note <> 'x'), CONSTRAINT not_118 CHECK (n <> 118));
ALTER TABLE february DROP COLUMN gone;
CREATE TABLE march (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS);
ALTER TABLE january ADD CONSTRAINT not_x CHECK (note <> 'x'), ADD CONSTRAINT not_118 CHECK (n <> 118);
SELECT iuid_attach_partitions('trips', '{march,january,february}',
	ARRAY[at('2026-03-01'), at('2026-01-15'), at('2026-02-01')],
	ARRAY[at('2026-04-01'), at('2026-02-01'), at('2026-03-01')]);
SELECT t.tableoid::regclass AS partition, count(*), min(iuid_timestamp(t.id))::date, max(iuid_timestamp(t.id))::date
FROM trips AS t GROUP BY 1 ORDER BY 3;
SELECT count(*) AS different
FROM trips AS t FULL JOIN oracle AS o
	ON t.id = o.id AND (t.n, t.cost, t.note) IS NOT DISTINCT FROM (o.n, o.cost, o.note)
WHERE t.id IS NULL OR o.id IS NULL;
SELECT count(*) AS without_trip FROM stops WHERE NOT EXISTS (SELECT FROM trips WHERE id = trip);
SELECT tgrelid::regclass, tgname, tgenabled FROM pg_trigger WHERE tgname IN ('other', 'never') ORDER BY 1, 2;
SELECT relname, relreplident, pg_get_expr(relpartbound, oid) FROM pg_class
WHERE oid IN ('trips_before'::regclass, 'trips_after'::regclass) ORDER BY 1;
-- the indexes know all of it
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT FROM trips_after WHERE id = '00000000-0000-0000-0000-000000000000';
SELECT count(*) AS lost FROM oracle AS o WHERE NOT EXISTS (SELECT FROM trips WHERE id = o.id);
RESET enable_seqscan;

-- what is refused changes nothing
CREATE TABLE april (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS);
SELECT attach('trips', 'april', '2026-05-01', '2026-06-01') AS gap_to_the_open_end,
	attach('trips', 'april', '2026-04-01', NULL) AS nothing_left,
	attach('trips', 'april', '2026-05-01', '2026-04-01') AS empty,
	attach('trips', 'april', '2026-03-15', '2026-04-15') AS overlaps;
SELECT attach('trips', NULL, '2026-04-01', '2026-05-01'), attach(NULL, 'april', '2026-04-01', '2026-05-01'),
	attach('april', 'april', '2026-04-01', '2026-05-01');
\set VERBOSITY sqlstate
SELECT iuid_attach_partitions('trips', '{april}', '{}', '{}');
SELECT iuid_attach_partitions('trips', '{{april}}', '{{NULL}}', '{{NULL}}');
SELECT iuid_attach_partitions('trips', '{april,april}',
	ARRAY[at('2026-04-01'), at('2026-04-15')], ARRAY[at('2026-04-15'), at('2026-05-01')]);
SELECT iuid_attach_partitions('trips', '{april,march}',
	ARRAY[at('2026-04-01'), at('2026-04-15')], ARRAY[at('2026-04-20'), at('2026-05-01')]);
\set VERBOSITY default
SELECT iuid_attach_partitions('trips', '{}', '{}', '{}');
-- gaps: to a beginning, and between two new ones
CREATE TABLE may (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS);
SELECT attach('trips', 'may', '2026-01-01', '2026-01-10') AS gap_to_the_beginning;
\set VERBOSITY sqlstate
SELECT iuid_attach_partitions('trips', '{april,may}',
	ARRAY[at('2026-04-01'), at('2026-04-20')], ARRAY[at('2026-04-15'), at('2026-05-01')]);
\set VERBOSITY default
DROP TABLE may;
-- foreign keys and unique keys of a new partition alone
ALTER TABLE april ADD PRIMARY KEY (id);
CREATE TABLE refers (id iuid REFERENCES april);
SELECT attach('trips', 'april', '2026-04-01', '2026-04-15');
DROP TABLE refers;
CREATE UNIQUE INDEX alone ON april ((n / 100));
SELECT attach('trips', 'april', '2026-04-01', '2026-04-15');
DROP INDEX alone;
ALTER TABLE april DROP CONSTRAINT april_pkey;
ALTER TABLE april ADD CONSTRAINT own FOREIGN KEY (id) REFERENCES trips;
SELECT attach('trips', 'april', '2026-04-01', '2026-05-01');
ALTER TABLE april DROP CONSTRAINT own;
CREATE UNLOGGED TABLE fast (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS);
CREATE TABLE divided (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS) PARTITION BY RANGE (id);
CREATE TABLE narrow (LIKE trips INCLUDING GENERATED INCLUDING CONSTRAINTS, CHECK (n < 100));
SELECT attach('trips', 'fast', '2026-04-01', '2026-05-01'),
	attach('trips', 'divided', '2026-04-01', '2026-05-01'),
	attach('trips', 'narrow', '2026-04-01', '2026-05-01');
CREATE ROLE regress_iuid_other;
ALTER TABLE april OWNER TO regress_iuid_other;
SELECT attach('trips', 'april', '2026-04-01', '2026-05-01');
SET ROLE regress_iuid_other;
SELECT attach('trips', 'april', '2026-04-01', '2026-05-01');
RESET ROLE;
ALTER TABLE april OWNER TO CURRENT_USER;
SELECT count(*) AS different
FROM trips AS t FULL JOIN oracle AS o
	ON t.id = o.id AND (t.n, t.cost, t.note) IS NOT DISTINCT FROM (o.n, o.cost, o.note)
WHERE t.id IS NULL OR o.id IS NULL;
SELECT attach('trips', 'april', '2026-04-01', '2026-04-15');
DROP ROLE regress_iuid_other;
DROP TABLE stops, trips, oracle, april, fast, divided, narrow CASCADE;

-- an event trigger in between
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15'));
CREATE TABLE orders_1 (LIKE orders);
CREATE FUNCTION meddle() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN DROP TABLE public.orders_rest; END $$;
CREATE EVENT TRIGGER meddle ON ddl_command_end WHEN TAG IN ('ALTER TABLE') EXECUTE FUNCTION meddle();
SELECT attach('orders', 'orders_1', '2026-01-01', '2026-02-01');
DROP EVENT TRIGGER meddle;
SELECT attach('orders', 'orders_1', '2026-01-01', '2026-02-01');
SELECT tableoid::regclass FROM orders;
DROP TABLE orders;
DROP FUNCTION meddle, refuse;

-- without an upper bound, Max is one of the keys; a key that is an expression
CREATE TABLE orders (id iuid) PARTITION BY RANGE (id);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
INSERT INTO orders VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff');
CREATE TABLE orders_1 (LIKE orders);
SELECT attach('orders', 'orders_1', '2026-01-01', NULL);
SELECT tableoid::regclass FROM orders;
DROP TABLE orders;
CREATE TABLE orders (id iuid) PARTITION BY RANGE ((id::uuid));
SELECT iuid_attach_partitions('orders', '{}', '{}', '{}');
DROP TABLE orders;

-- by origin, for keys of both types: a country, and all that is before and after it
CREATE TABLE places (id uuid) PARTITION BY RANGE (id uuid_origin_ops);
CREATE TABLE places_rest PARTITION OF places DEFAULT;
INSERT INTO places SELECT gen_iuid(c, 1, '2026-01-15') FROM generate_series(0, 255) AS c;
CREATE TABLE places_below (LIKE places);
CREATE TABLE places_c7 (LIKE places);
CREATE TABLE places_above (LIKE places);
SELECT iuid_attach_partitions('places', '{places_above,places_below,places_c7}',
	ARRAY[iuid_country_floor(8), NULL, iuid_country_floor(7)]::uuid[],
	ARRAY[NULL, iuid_country_floor(7), iuid_country_floor(8)]::uuid[]);
SELECT tableoid::regclass, count(*), min(iuid_country(id::iuid)), max(iuid_country(id::iuid))
FROM places GROUP BY 1 ORDER BY 3;
DROP TABLE places;
DROP FUNCTION attach, at;
