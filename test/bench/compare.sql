-- compare(): statements timed against each other in one run, in alternating order.
-- Median and spread of the rounds in milliseconds, and each as a ratio to the first.
-- What "baseline" takes is subtracted from all.
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET max_parallel_maintenance_workers = 0;
SET synchronize_seqscans = off;
\pset footer off

CREATE FUNCTION pg_temp.milliseconds(statement text) RETURNS float8 LANGUAGE plpgsql AS $$
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

CREATE TEMP TABLE timing (which int, ms float8);

CREATE FUNCTION pg_temp.compare(names text[], statements text[], baseline text DEFAULT NULL, undo text DEFAULT NULL, rounds int DEFAULT 7)
RETURNS TABLE (what text, median_ms numeric, least_ms numeric, most_ms numeric, ratio numeric) LANGUAGE plpgsql AS $$
DECLARE
	number int := array_length(statements, 1);
	which int;
BEGIN
	TRUNCATE timing;
	FOR round IN 0 .. rounds - 1 LOOP
		FOR turn IN 0 .. number - 1 LOOP
			which := CASE WHEN round % 2 = 0 THEN turn ELSE number - 1 - turn END + 1;
			INSERT INTO timing SELECT which, pg_temp.milliseconds(statements[which]) - pg_temp.milliseconds(baseline);
			PERFORM pg_temp.milliseconds(undo);
		END LOOP;
	END LOOP;
	RETURN QUERY
	SELECT names[t.which], m::numeric(12, 1), l::numeric(12, 1), g::numeric(12, 1), (m / first_value(m) OVER (ORDER BY t.which))::numeric(8, 3)
	FROM (SELECT x.which, percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS m, min(ms) AS l, max(ms) AS g
		FROM timing AS x GROUP BY x.which) AS t
	ORDER BY t.which;
END $$;
