-- Each step, before and after 2000, where the server's own count of time begins, against arithmetic in SQL.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CREATE TABLE step (step interval, name text);
INSERT INTO step VALUES
	('90 minutes', '_YYYY_MM_DD_HH24MI'), ('7 hours', '_YYYY_MM_DD_HH24MI'), ('10 days 1 hour', '_YYYY_MM_DD_HH24MI'),
	('1 day', '_YYYY_MM_DD'), ('5 days', '_YYYY_MM_DD'), ('7 days', '_YYYY_MM_DD'), ('366 days', '_YYYY_MM_DD'),
	('1 month', '_YYYY_MM'), ('3 months', '_YYYY_MM'), ('5 months', '_YYYY_MM'), ('7 months', '_YYYY_MM'),
	('1 year', '_YYYY');
CREATE TABLE time AS SELECT unnest(ARRAY[
	'1970-01-01', '1970-01-05 03:04:05.678', '1985-06-15 13:17:11.999', '1996-02-29', '1999-12-31 23:59:59.999',
	'2000-01-01', '2000-01-02 23:59:59.999', '2000-01-03', '2026-03-01']::timestamptz[]) AS at;

-- Months are counted from January of the year 1; days, hours and minutes from Monday, 2000-01-03.
CREATE FUNCTION step_start(step interval, at timestamptz) RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
	months int := extract(year FROM step) * 12 + extract(month FROM step);
	month int := extract(year FROM at) * 12 + extract(month FROM at) - 13;
	monday numeric := extract(epoch FROM '2000-01-03'::timestamptz);
BEGIN
	IF months > 0 THEN
		month := month - month % months;
		RETURN make_timestamptz(month / 12 + 1, month % 12 + 1, 1, 0, 0, 0);
	END IF;
	RETURN to_timestamp(monday
		+ floor((extract(epoch FROM at) - monday) / extract(epoch FROM step)) * extract(epoch FROM step));
END $$;
-- From the step that contains the first time to the last one that starts before the last.
-- Nothing is before 1970, and where two open ends meet a step is cut.
CREATE FUNCTION steps(step step, first timestamptz, last timestamptz, cut timestamptz) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(format('log%s from %s to %s', to_char(lower, pattern), lower, upper) ORDER BY lower)
	FROM generate_series(step_start(step.step, first), last - interval '1 microsecond', step.step) AS start,
		LATERAL (VALUES
			(greatest(start, '1970-01-01'),
				CASE WHEN start < cut AND cut < start + step.step THEN cut ELSE start + step.step END),
			(cut, CASE WHEN start < cut AND cut < start + step.step THEN start + step.step END)) AS v (lower, upper),
		LATERAL (SELECT CASE WHEN step_start(step.step, lower) = lower THEN step.name ELSE '_YYYY_MM_DD_HH24MI' END)
			AS p (pattern)
	WHERE upper IS NOT NULL
$$;
-- What a call makes, as the server has it; the call is undone.
CREATE FUNCTION made(step interval, first timestamptz, last timestamptz) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	partitions text[];
BEGIN
	PERFORM iuid_create_partitions('log', step, first, last);
	SELECT array_agg(format('%s from %s to %s', relname, bound[1], bound[2]) ORDER BY bound) INTO partitions
	FROM pg_class JOIN pg_inherits ON inhrelid = oid, LATERAL (
		SELECT array_agg(to_timestamp(('x' || hex[1] || hex[2])::bit(48)::bigint / 1000.0) ORDER BY n)
		FROM regexp_matches(pg_get_expr(relpartbound, oid), '''([0-9a-f]{8})-([0-9a-f]{4})-8000-8000-0{12}''', 'g')
			WITH ORDINALITY AS m (hex, n)) AS b (bound)
	WHERE inhparent = 'log'::regclass AND cardinality(bound) = 2;
	RAISE SQLSTATE 'UNDO0';
EXCEPTION WHEN SQLSTATE 'UNDO0' THEN
	RETURN partitions;
END $$;

SELECT unnest(made('7 days', '1999-12-31', '2000-01-05'));
SELECT unnest(made('5 months', '1999-12-31', '2000-04-01'));
SELECT count(*) AS calls,
	count(*) FILTER (WHERE made(step, at, at + 2 * step) IS DISTINCT FROM steps(s, at, at + 2 * step, NULL)) AS wrong
FROM step AS s, time;

-- the same where they are carved out of open ends, downwards and upwards
CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (MINVALUE) TO (iuid_floor('2000-01-02'));
CREATE TABLE log_after PARTITION OF log FOR VALUES FROM (iuid_floor('2000-01-02')) TO (MAXVALUE);
SELECT unnest(made('5 days', '1999-12-25', '2000-01-05'));
SELECT count(*) AS calls,
	count(*) FILTER (WHERE made(step, first, last) IS DISTINCT FROM steps(s, first, last, '2000-01-02')) AS wrong
FROM step AS s, LATERAL (VALUES
	('2000-01-02'::timestamptz - 2 * step, '2000-01-02'::timestamptz),
	('2000-01-02', '2000-01-02'::timestamptz + 2 * step)) AS v (first, last);
DROP TABLE log_before, log_after;

-- maintenance goes on where the last partition ended, however long ago
SELECT iuid_create_partitions('log', '1 year', '1985-01-01', '1987-01-01');
CALL iuid_maintain_partitions('log', '1 year', 0) \gset
SELECT :created = extract(year FROM now()) - 1986 AS to_the_present, :dropped AS dropped;
SELECT * FROM iuid_check_partitions('log');

DROP FUNCTION made, steps, step_start;
DROP TABLE log, step, time;
