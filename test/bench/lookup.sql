-- Looking up a row by its identifier through 1, 100 and 1,000 partitions: the cost of one
-- As many rows as make an index worth while in each of a thousand partitions.
CREATE TABLE wanted AS
SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 minute') AS id, n FROM generate_series(0, 999999) AS n;

CREATE PROCEDURE partitioned(type regtype, partitions int) LANGUAGE plpgsql AS $$
DECLARE
	name text := format('%s_%s', type, partitions);
	step interval := interval '1000000 minutes' / partitions;
BEGIN
	EXECUTE format('CREATE TABLE %I (id %s PRIMARY KEY, n int) PARTITION BY RANGE (id)', name, type);
	FOR part IN 0 .. partitions - 1 LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name || '_' || part, name,
			iuid_floor('2026-01-01'::timestamptz + part * step), iuid_floor('2026-01-01'::timestamptz + (part + 1) * step));
	END LOOP;
	EXECUTE format('INSERT INTO %I SELECT id, n FROM wanted', name);
END $$;
SELECT format('CALL partitioned(%L, %s)', type, partitions), format('VACUUM ANALYZE %I', type || '_' || partitions)
FROM unnest('{1,100,1000}'::int[]) AS partitions, unnest('{uuid,iuid}'::text[]) AS type ORDER BY partitions
\gexec

-- Looks up identifiers, each in a transaction of its own, and gives the nanoseconds for one.
CREATE PROCEDURE look_up(kind text, from_table text, wanted uuid[], INOUT nanoseconds float8) LANGUAGE plpgsql AS $$
DECLARE
	id uuid;
	plan json;
	start timestamptz := clock_timestamp();
BEGIN
	nanoseconds := 0;
	FOREACH id IN ARRAY wanted LOOP
		CASE kind
			WHEN 'look-up' THEN
				EXECUTE format('SELECT n FROM %I WHERE id = %L', from_table, id);
			WHEN 'prepared look-up' THEN
				EXECUTE format('EXECUTE %I (%L)', 'by_id_' || from_table, id);
			WHEN 'planning a look-up' THEN
				EXECUTE format('EXPLAIN (SUMMARY, FORMAT json) SELECT n FROM %I WHERE id = %L', from_table, id) INTO plan;
				ASSERT plan #>> '{0,Plan,Node Type}' LIKE 'Index%Scan', plan;
				nanoseconds := nanoseconds + (plan #>> '{0,Planning Time}')::float8 * 1e6 / cardinality(wanted);
		END CASE;
		COMMIT;
	END LOOP;
	IF nanoseconds = 0 THEN
		nanoseconds := extract(epoch FROM clock_timestamp() - start) * 1e9 / cardinality(wanted);
	END IF;
END $$;

CREATE PROCEDURE measure(partitions int, lookups int) LANGUAGE plpgsql AS $$
DECLARE
	work text;
	kind text;
	type text;
	ids uuid[];
	nanoseconds float8;
BEGIN
	FOREACH kind IN ARRAY '{look-up,planning a look-up,prepared look-up}'::text[] LOOP
		work := format('%s, %s partition%s', kind, partitions, CASE WHEN partitions > 1 THEN 's' END);
		FOR round IN 0 .. current_setting('bench.rounds')::int LOOP
			ids := ARRAY(SELECT id FROM wanted ORDER BY random() LIMIT lookups);
			FOREACH type IN ARRAY CASE WHEN round % 2 = 1 THEN '{uuid,iuid}' ELSE '{iuid,uuid}' END::text[] LOOP
				CALL look_up(kind, format('%s_%s', type, partitions), ids, nanoseconds);
				-- The first look-ups of a session read the catalog.
				INSERT INTO bench.measurement (work, way, value, unit) SELECT work, type, nanoseconds, 'ns' WHERE round > 0;
			END LOOP;
		END LOOP;
	END LOOP;
END $$;

SET plan_cache_mode = force_generic_plan;
SELECT format('PREPARE %I (%s) AS SELECT n FROM %I WHERE id = $1', 'by_id_' || name, type, name)
FROM unnest('{1,100,1000}'::int[]) AS partitions, unnest('{uuid,iuid}'::text[]) AS type, format('%s_%s', type, partitions) AS name
\gexec
SELECT format('CALL measure(%s, %s)', partitions, :million / 200) FROM unnest('{1,100,1000}'::int[]) AS partitions
\gexec
