-- Looking up a row by its identifier through 1, 100 and 1,000 partitions: the cost of one
CREATE TABLE wanted AS
SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 hour') AS id, n FROM generate_series(0, 23999) AS n;

CREATE PROCEDURE partitioned(type regtype, partitions int) LANGUAGE plpgsql AS $$
DECLARE
	name text := format('%s_%s', type, partitions);
	step interval := interval '24000 hours' / partitions;
BEGIN
	EXECUTE format('CREATE TABLE %I (id %s PRIMARY KEY, n int) PARTITION BY RANGE (id)', name, type);
	FOR part IN 0 .. partitions - 1 LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name || '_' || part, name,
			iuid_floor('2026-01-01'::timestamptz + part * step), iuid_floor('2026-01-01'::timestamptz + (part + 1) * step));
	END LOOP;
	EXECUTE format('INSERT INTO %I SELECT id, n FROM wanted', name);
	EXECUTE format('ANALYZE %I', name);
END $$;
SELECT format('CALL partitioned(%L, %s)', type, partitions)
FROM unnest('{1,100,1000}'::int[]) AS partitions, unnest('{uuid,iuid}'::text[]) AS type ORDER BY partitions
\gexec

-- A statement for each identifier: planned and run; planned only; prepared before, with a generic plan.
CREATE FUNCTION look_up(prefix text, from_table text, ids int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	id uuid;
BEGIN
	FOR id IN SELECT w.id FROM wanted AS w ORDER BY hashint4(n) LIMIT ids LOOP
		EXECUTE format('%s SELECT n FROM %I WHERE id = %L', prefix, from_table, id);
	END LOOP;
END $$;
CREATE FUNCTION look_up_prepared(from_table text, ids int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	id uuid;
BEGIN
	EXECUTE format('PREPARE by_id AS SELECT n FROM %I WHERE id = $1', from_table);
	FOR id IN SELECT w.id FROM wanted AS w ORDER BY hashint4(n) LIMIT ids LOOP
		EXECUTE format('EXECUTE by_id (%L)', id);
	END LOOP;
	DEALLOCATE by_id;
END $$;
SET plan_cache_mode = force_generic_plan;

-- The first look-up of a session reads the catalog.
SELECT look_up('', type || '_' || partitions, 1) FROM unnest('{1,100,1000}'::int[]) AS partitions, unnest('{uuid,iuid}'::text[]) AS type;
SELECT bench.compare(format('%s, %s partition%s', what, partitions, CASE WHEN partitions > 1 THEN 's' END), '{uuid,iuid}',
	ARRAY[format(call, 'uuid_' || partitions, ids), format(call, 'iuid_' || partitions, ids)], things => ids)
FROM (VALUES (1, 'look-up', $$SELECT look_up('', %L, %s)$$),
		(2, 'planning a look-up', $$SELECT look_up('EXPLAIN', %L, %s)$$),
		(3, 'prepared look-up', $$SELECT look_up_prepared(%L, %s)$$)) AS v(place, what, call),
	unnest('{1,100,1000}'::int[]) AS partitions, (SELECT :million / 50) AS n(ids)
ORDER BY place, partitions;
