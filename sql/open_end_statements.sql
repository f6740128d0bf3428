-- The bound of an open end moves by DETACH and ATTACH, which event triggers see.
SET timezone = 'UTC';
CREATE TABLE trips (id iuid PRIMARY KEY, n int NOT NULL DEFAULT 7 CHECK (n > 0), tag text) PARTITION BY RANGE (id);
CREATE INDEX ON trips (n);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-03-01'));
CREATE TABLE trips_after PARTITION OF trips (n DEFAULT 8) FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
ALTER TABLE trips_after ADD CHECK (tag <> 'x');
CREATE INDEX ON trips_after (tag);
ALTER TABLE trips_after REPLICA IDENTITY FULL;
INSERT INTO trips SELECT iuid_from_name(7, 1, n::text, timestamptz '2026-03-01' + n * interval '1 day'), n
FROM generate_series(1, 30) AS n;

-- all that the catalog has of an open end but the bound:
-- its row, columns, constraints, indexes, parents, and what needs it
CREATE FUNCTION catalog_of(open_end regclass) RETURNS TABLE (kind text, entry jsonb) LANGUAGE sql AS $$
	SELECT 'pg_class',
		to_jsonb(c) - '{relpartbound,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[]
	FROM pg_class AS c WHERE c.oid = open_end
	UNION ALL SELECT 'pg_attribute', to_jsonb(a) FROM pg_attribute AS a WHERE attrelid = open_end
	UNION ALL SELECT 'pg_attrdef', to_jsonb(d) FROM pg_attrdef AS d WHERE adrelid = open_end
	UNION ALL SELECT 'pg_constraint', to_jsonb(c) FROM pg_constraint AS c WHERE conrelid = open_end
	UNION ALL SELECT 'pg_index', to_jsonb(i) FROM pg_index AS i WHERE indrelid = open_end
	UNION ALL SELECT 'pg_inherits', to_jsonb(i) FROM pg_inherits AS i
		WHERE inhrelid = open_end OR inhrelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = open_end)
	UNION ALL SELECT 'pg_trigger', to_jsonb(t) FROM pg_trigger AS t WHERE tgrelid = open_end
	UNION ALL SELECT 'pg_depend', to_jsonb(d) FROM pg_depend AS d
		WHERE objid = open_end OR objid IN (SELECT indexrelid FROM pg_index WHERE indrelid = open_end)
			OR objid IN (SELECT oid FROM pg_constraint WHERE conrelid = open_end) $$;
CREATE TABLE known AS
SELECT open_end, c.*
FROM unnest('{trips_before,trips_after}'::regclass[]) AS open_end, catalog_of(open_end) AS c;

CREATE FUNCTION say() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
	command record;
BEGIN
	FOR command IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'ALTER TABLE' LOOP
		RAISE NOTICE '% %', command.command_tag, command.object_identity;
	END LOOP;
END $$;
CREATE EVENT TRIGGER say ON ddl_command_end EXECUTE FUNCTION say();
\set ends 'SELECT pg_get_expr(relpartbound, oid) FROM pg_class '
\set ends :ends 'WHERE relname IN (\'trips_before\', \'trips_after\') ORDER BY relname'

-- one statement attaches the new partition, and two move the bound
SELECT iuid_create_partitions('trips', '1 month', '2026-03-01', '2026-04-01');
:ends;
SELECT iuid_create_partitions('trips', '1 month', '2026-02-01', '2026-02-15');
:ends;
SELECT 'lost' AS what, kind, entry FROM known
EXCEPT SELECT 'lost', c.* FROM unnest('{trips_before,trips_after}'::regclass[]) AS open_end, catalog_of(open_end) AS c;
SELECT 'made' AS what, c.*
FROM unnest('{trips_before,trips_after}'::regclass[]) AS open_end, catalog_of(open_end) AS c
EXCEPT SELECT 'made', kind, entry FROM known;
SELECT count(*), bool_and(tableoid::regclass = 'trips_2026_03'::regclass) FROM trips;

-- rows stay
INSERT INTO trips VALUES (iuid_from_name(7, 1, 'june', '2026-06-01'), 1);
SELECT iuid_create_partitions('trips', '1 month', '2026-04-01', '2026-05-01');
:ends;
DELETE FROM trips_after;

-- also if row security hides them from their owner
CREATE ROLE regress_iuid_owner;
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
SET ROLE regress_iuid_owner;
CREATE TABLE hidden (id iuid) PARTITION BY RANGE (id);
CREATE TABLE hidden_after PARTITION OF hidden FOR VALUES FROM (iuid_floor('2026-03-01')) TO (MAXVALUE);
INSERT INTO hidden VALUES (iuid_from_name(7, 1, 'june', '2026-06-01'));
ALTER TABLE hidden_after ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT iuid_create_partitions('hidden', '1 month', '2026-03-01', '2026-04-01');
SET row_security = off;
SELECT iuid_create_partitions('hidden', '1 month', '2026-04-01', '2026-05-01');
RESET row_security;
DROP TABLE hidden;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner;

-- a foreign key
CREATE TABLE stop (trip iuid REFERENCES trips);
SELECT iuid_create_partitions('trips', '1 month', '2026-05-01', '2026-06-01');
:ends;
DROP TABLE stop;

-- a trigger that the open end has disabled, which ATTACH makes anew
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON trips FOR EACH ROW EXECUTE FUNCTION refuse();
ALTER TABLE trips_after DISABLE TRIGGER refuse;
SELECT iuid_create_partitions('trips', '1 month', '2026-06-01', '2026-07-01');
:ends;
INSERT INTO trips VALUES (iuid_from_name(7, 1, 'september', '2026-09-01'), 1) RETURNING tableoid::regclass;
DELETE FROM trips_after;
DROP TRIGGER refuse ON trips;

-- a DEFAULT partition
CREATE TABLE trips_rest PARTITION OF trips DEFAULT;
SELECT iuid_create_partitions('trips', '1 month', '2026-07-01', '2026-08-01');
:ends;

DROP EVENT TRIGGER say;
DROP TABLE trips, known;
DROP FUNCTION say, catalog_of, refuse;
