-- What the benchmarks share: a table of measurements, and a way to compare statements.
-- Settings of this database: bench.name is the benchmark that runs, bench.rounds how often.
CREATE EXTENSION iuid_regions CASCADE;
CREATE EXTENSION pgcrypto;
ALTER DATABASE bench SET jit = off;
ALTER DATABASE bench SET max_parallel_workers_per_gather = 0;
ALTER DATABASE bench SET max_parallel_maintenance_workers = 0;
ALTER DATABASE bench SET synchronize_seqscans = off;
ALTER DATABASE bench SET timezone = 'UTC';

CREATE SCHEMA bench;

CREATE TABLE bench.measurement (
	number int GENERATED ALWAYS AS IDENTITY,
	major int NOT NULL DEFAULT current_setting('server_version_num')::int / 10000,
	benchmark text NOT NULL DEFAULT current_setting('bench.name'),
	work text NOT NULL,
	way text NOT NULL,
	value float8 NOT NULL,
	unit text NOT NULL,
	shown boolean NOT NULL DEFAULT true   -- in the table, too, and not in a plot only
);

CREATE FUNCTION bench.milliseconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
BEGIN
	IF statement IS NULL THEN
		RETURN 0;
	END IF;
	start := clock_timestamp();
	EXECUTE statement;
	RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
END $$;

-- Makes a table for each way to have a key by default, but uuidv7() where the server has none.
-- The result is the tables, in the order of the argument.
CREATE FUNCTION bench.make_tables(ways text[], columns text DEFAULT '') RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	way text;
	made text[];
BEGIN
	FOREACH way IN ARRAY ways LOOP
		CONTINUE WHEN way = 'as_uuidv7' AND to_regprocedure('uuidv7()') IS NULL;
		EXECUTE format('CREATE TABLE %I (id %s PRIMARY KEY %s)', way, CASE way
			WHEN 'as_bigint' THEN 'bigserial'
			WHEN 'as_iuid' THEN 'iuid DEFAULT gen_iuid(7, 1)'
			WHEN 'as_uuidv7' THEN 'uuid DEFAULT uuidv7()'
			WHEN 'as_uuid' THEN 'uuid DEFAULT gen_random_uuid()' END, columns);
		made := made || way;
	END LOOP;
	RETURN made;
END $$;

-- Times statements against each other, every other round backwards.  What "baseline"
-- takes is subtracted; "undo" is not timed; with "things" it is nanoseconds for each of them.
CREATE FUNCTION bench.compare(work text, ways text[], statements text[], baseline text DEFAULT NULL, undo text DEFAULT NULL, things float8 DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	number int := array_length(statements, 1);
	which int;
	value float8;
BEGIN
	FOR round IN 1 .. current_setting('bench.rounds')::int LOOP
		FOR turn IN 1 .. number LOOP
			which := CASE WHEN round % 2 = 1 THEN turn ELSE number + 1 - turn END;
			value := bench.milliseconds(statements[which]) - bench.milliseconds(baseline);
			INSERT INTO bench.measurement (work, way, value, unit)
			VALUES (work, ways[which], value * coalesce(1000000 / things, 1), CASE WHEN things IS NULL THEN 'ms' ELSE 'ns' END);
			PERFORM bench.milliseconds(undo);
		END LOOP;
	END LOOP;
END $$;

-- Plans a query a number of times.
CREATE FUNCTION bench.plan(query text, times int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. times LOOP
		EXECUTE 'EXPLAIN ' || query;
	END LOOP;
END $$;

-- A number with three digits that say something, or a whole one.
CREATE FUNCTION bench.shown(value float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN value >= 100 THEN to_char(value, 'FM999,999,999,999')
		WHEN value > 0 THEN round(value::numeric, 2 - floor(log(value))::int)::text
		ELSE round(value::numeric, 2)::text END
$$;

-- Ratios are to the first way of each work; ways are in the order in which the benchmark began with them.
CREATE VIEW bench.report AS
SELECT major, benchmark, work_place, place, CASE WHEN place = min(place) OVER same_work THEN work ELSE '' END AS work, way,
	bench.shown(median) AS median, CASE WHEN least < most THEN bench.shown(least) || ' – ' || bench.shown(most) ELSE '' END AS spread, unit,
	coalesce(bench.shown(median / nullif(first_value(median) OVER (same_work ORDER BY place), 0)), '') AS ratio
FROM (SELECT major, benchmark, work, way, unit, min(value) AS least, max(value) AS most, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median,
		min(min(number)) OVER (PARTITION BY major, benchmark, work, unit) AS work_place, min(min(number)) OVER (PARTITION BY major, benchmark, way) AS place
	FROM bench.measurement WHERE shown GROUP BY major, benchmark, work, way, unit) AS m
WINDOW same_work AS (PARTITION BY major, benchmark, work, unit);
