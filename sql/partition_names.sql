-- The name of a new partition tells its lower bound as exactly as it must, so that no two of a table get the same name.
SET timezone = 'UTC';
SET datestyle = 'ISO';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
-- The partitions of a table as the server has them: the time of the lower bound, and its other bits.
CREATE FUNCTION named(parent text) RETURNS TABLE (partition name, lower timestamptz, rest text) LANGUAGE sql AS $$
	SELECT relname, to_timestamp(('x' || left(hex, 12))::bit(48)::bigint / 1000.0), substr(hex, 13)
	FROM pg_class JOIN pg_inherits ON inhrelid = oid, LATERAL (
		SELECT translate((regexp_match(pg_get_expr(relpartbound, oid), 'FROM \(''(.*)''\) TO'))[1], '-', '')) AS b (hex)
	WHERE inhparent = parent::regclass AND relname NOT LIKE '%hand_made%' ORDER BY hex
$$;

-- gaps that begin in one day, one minute, one second, between partitions made by hand
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CREATE TABLE hand_made AS SELECT row_number() OVER () AS n, * FROM (
	SELECT iuid_floor(lower)::text AS lower, iuid_floor(upper)::text AS upper FROM (VALUES
		('1999-12-31 12:00'::timestamptz, '1999-12-31 23:59:58.999'::timestamptz),
		('1999-12-31 23:59:59', '1999-12-31 23:59:59.999'),
		('2026-01-01', '2026-01-01 10:00'),
		('2026-01-01 10:00:00.1', '2026-01-01 10:00:00.2'),
		('2026-01-01 10:00:10', '2026-01-01 10:00:20'),
		('2026-01-01 10:00:20.05', '2026-01-01 10:00:20.5'),
		('2026-01-01 10:00:20.501', '2026-01-01 10:00:20.503'),
		('2026-01-01 10:00:40', '2026-01-01 10:01')
	) AS v (lower, upper)) AS w;
SELECT format('CREATE TABLE log_hand_made_%s PARTITION OF log FOR VALUES FROM (%L) TO (%L)', n, lower, upper)
FROM hand_made ORDER BY n \gexec
SELECT count(*) FROM iuid_create_partitions('log', '1 day', '1999-12-31', '2000-01-02');
SELECT count(*) FROM iuid_create_partitions('log', '1 day', '2026-01-01', '2026-01-03');
SELECT * FROM named('log');
SELECT detail FROM iuid_check_partitions('log') WHERE problem = 'gap';
-- the same below two tables whose names are shortened: each name ends as that one does, and is another one
CREATE TABLE "a table with a name that is as long as a name may be, 63 bytes é" (id iuid) PARTITION BY RANGE (id);
CREATE TABLE "a table with a name that is as long as a name may be, 63 byteé" (id iuid) PARTITION BY RANGE (id);
CREATE TABLE long_name AS
SELECT row_number() OVER () AS i, relname AS parent, quote_ident(relname) AS quoted
FROM pg_class WHERE relname LIKE 'a table with a name %';
DO $$
DECLARE
	statement text;
BEGIN
	FOR statement IN
		SELECT format('CREATE TABLE hand_made_%s_%s PARTITION OF %s FOR VALUES FROM (%L) TO (%L)',
			i, n, quoted, lower, upper)
		FROM hand_made, long_name
	LOOP
		EXECUTE statement;
	END LOOP;
	PERFORM iuid_create_partitions(quoted, '1 day', '1999-12-31', '2000-01-02'),
		iuid_create_partitions(quoted, '1 day', '2026-01-01', '2026-01-03') FROM long_name;
END $$;
SELECT count(*), count(DISTINCT long.partition), max(octet_length(long.partition)),
	bool_and(right(long.partition, length(log.partition) - 3) = substr(log.partition, 4)) AS as_log
FROM long_name, named(quoted) AS long FULL JOIN named('log') AS log USING (lower, rest);

-- a uuid column has two first values of a millisecond:
-- where a partition begins or ends at one of them, the next one ends or begins there
CREATE TABLE visits (id uuid) PARTITION BY RANGE (id);
SELECT iuid_create_partitions('visits', '1 month', '2026-01-01', '2026-03-01');
CREATE TABLE visits_by_hand PARTITION OF visits
	FOR VALUES FROM (iuid_floor('2026-04-01')) TO (iuid_floor('2026-05-01'));
SELECT iuid_create_partitions('visits', '1 month', '2026-01-01', '2026-06-01');
SELECT * FROM named('visits');
SELECT * FROM iuid_check_partitions('visits');

-- an open end that is detached again and again, each time with rows that came late
CREATE TABLE trips (id iuid) PARTITION BY RANGE (id);
CREATE TABLE trips_before PARTITION OF trips FOR VALUES FROM (MINVALUE) TO (iuid_floor('2026-01-01'));
SELECT count(*) FROM iuid_create_partitions('trips', '1 month', '2026-01-01', '2026-03-01');
INSERT INTO trips VALUES (gen_iuid(7, 1, '2025-01-01'));
SELECT iuid_detach_partitions('trips', '2026-02-10');
INSERT INTO trips VALUES (gen_iuid(7, 1, '2025-01-01'));
SELECT iuid_detach_partitions('trips', '2026-02-11');
INSERT INTO trips VALUES (gen_iuid(7, 1, '2025-01-01'));
SELECT iuid_detach_partitions('trips', '2026-02-12');
SELECT partition, upper FROM iuid_partitions('trips');
DROP TABLE trips_before;
INSERT INTO trips VALUES (gen_iuid(7, 1, '2025-01-01'));
SELECT iuid_detach_partitions('trips', '2026-02-13');
SELECT partition, upper FROM iuid_partitions('trips');

DROP TABLE log, visits, trips, trips_2026_01, trips_before_2, trips_before_3, trips_before_4, hand_made, long_name;
DROP TABLE "a table with a name that is as long as a name may be, 63 bytes é",
	"a table with a name that is as long as a name may be, 63 byteé";
DROP FUNCTION named;
