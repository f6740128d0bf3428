-- Every predicate on a key uses its index or prunes partitions; doc/predicates.md explains the rest.
SET timezone = 'UTC';

-- a table of four months or of four countries for each type of key, with its primary key's index
CREATE TABLE iuid_plain (id iuid PRIMARY KEY);
CREATE TABLE uuid_plain (id uuid PRIMARY KEY);
CREATE TABLE iuid_by_time (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE uuid_by_time (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE iuid_by_country (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE iuid_by_time_1 PARTITION OF iuid_by_time
	FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
CREATE TABLE iuid_by_time_2 PARTITION OF iuid_by_time
	FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
CREATE TABLE iuid_by_time_3 PARTITION OF iuid_by_time
	FOR VALUES FROM (iuid_floor('2026-03-01')) TO (iuid_floor('2026-04-01'));
CREATE TABLE iuid_by_time_4 PARTITION OF iuid_by_time
	FOR VALUES FROM (iuid_floor('2026-04-01')) TO (iuid_floor('2026-05-01'));
CREATE TABLE uuid_by_time_1 PARTITION OF uuid_by_time
	FOR VALUES FROM (iuid_floor('2026-01-01')) TO (iuid_floor('2026-02-01'));
CREATE TABLE uuid_by_time_2 PARTITION OF uuid_by_time
	FOR VALUES FROM (iuid_floor('2026-02-01')) TO (iuid_floor('2026-03-01'));
CREATE TABLE uuid_by_time_3 PARTITION OF uuid_by_time
	FOR VALUES FROM (iuid_floor('2026-03-01')) TO (iuid_floor('2026-04-01'));
CREATE TABLE uuid_by_time_4 PARTITION OF uuid_by_time
	FOR VALUES FROM (iuid_floor('2026-04-01')) TO (iuid_floor('2026-05-01'));
CREATE TABLE iuid_by_country_1 PARTITION OF iuid_by_country
	FOR VALUES FROM (iuid_country_floor(1)) TO (iuid_country_floor(2));
CREATE TABLE iuid_by_country_2 PARTITION OF iuid_by_country
	FOR VALUES FROM (iuid_country_floor(2)) TO (iuid_country_floor(3));
CREATE TABLE iuid_by_country_3 PARTITION OF iuid_by_country
	FOR VALUES FROM (iuid_country_floor(3)) TO (iuid_country_floor(4));
CREATE TABLE iuid_by_country_4 PARTITION OF iuid_by_country
	FOR VALUES FROM (iuid_country_floor(4)) TO (iuid_country_floor(5));

-- two points in February and in country 2: as constants, as stable expressions, as parameters
CREATE TABLE probe AS
SELECT argument, kind, x AS value_of_x, y AS value_of_y,
	CASE kind WHEN 'constant' THEN format('%L::%s', x, argument)
		WHEN 'stable' THEN format('current_setting(''test.x'')::%s', argument) ELSE '$1' END AS x,
	CASE kind WHEN 'constant' THEN format('%L::%s', y, argument)
		WHEN 'stable' THEN format('current_setting(''test.y'')::%s', argument) ELSE '$2' END AS y
FROM (VALUES ('iuid', gen_iuid(2, 1, '2026-02-10')::text, gen_iuid(2, 1, '2026-02-20')::text),
	('uuid', gen_iuid(2, 1, '2026-02-10')::text, gen_iuid(2, 1, '2026-02-20')::text),
	('timestamptz', '2026-02-10', '2026-02-20')) AS a(argument, x, y),
	unnest(ARRAY['constant', 'stable', 'parameter']) AS kind;

SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET plan_cache_mode = force_generic_plan;

-- how a query on one of the tables is run: whether every scan has an index condition, and over how many partitions
CREATE FUNCTION plan_of(parent text, condition text, p probe) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	statement text := format('SELECT FROM %I WHERE ', parent) || format(condition, p.x, p.y);
	plan jsonb;
	scans int;
	conditions int;
BEGIN
	PERFORM set_config('test.x', p.value_of_x, true), set_config('test.y', p.value_of_y, true);
	IF p.kind = 'parameter' THEN
		EXECUTE format('PREPARE statement (%s, %1$s) AS %s', p.argument, statement);
		statement := format('EXECUTE statement (%L, %L)', p.value_of_x, p.value_of_y);
	END IF;
	EXECUTE 'EXPLAIN (COSTS OFF, FORMAT JSON) ' || statement INTO plan;
	IF p.kind = 'parameter' THEN
		DEALLOCATE statement;
	END IF;
	scans := jsonb_array_length(jsonb_path_query_array(plan, 'strict $.**."Relation Name"', silent => true));
	conditions := jsonb_array_length(jsonb_path_query_array(plan, 'strict $.**."Index Cond"', silent => true));
	RETURN CASE WHEN conditions = scans THEN 'index' ELSE 'no index' END
		|| CASE WHEN parent LIKE '%plain' THEN '' ELSE format(' %s/4', scans) END;
EXCEPTION WHEN undefined_function THEN
	RETURN 'no operator';
END $$;

-- a cell stands for all three kinds of argument, or lists what they give where they differ
CREATE FUNCTION matrix(key text, argument text)
RETURNS TABLE (condition text, plain text, by_time text, by_country text) LANGUAGE sql AS $$
SELECT format(c.condition, 'x', 'y'), max(plans) FILTER (WHERE layout = 'plain'),
	max(plans) FILTER (WHERE layout = 'by_time'), max(plans) FILTER (WHERE layout = 'by_country')
FROM (VALUES
		(1, 'id = %1$s'), (2, '%1$s = id'), (3, 'id < %1$s'), (4, '%1$s > id'), (5, 'id <= %1$s'), (6, '%1$s >= id'),
		(7, 'id >= %1$s'), (8, '%1$s <= id'), (9, 'id > %1$s'), (10, '%1$s < id'), (11, 'id BETWEEN %1$s AND %2$s'),
		(12, '%1$s <= id AND %2$s >= id'), (13, 'id = ANY (ARRAY[%1$s, %2$s])')) AS c(place, condition),
	unnest(ARRAY['plain', 'by_time', 'by_country']) AS layout,
	LATERAL (SELECT string_agg(DISTINCT plan_of(key || '_' || layout, c.condition, p), ', ') AS plans
		FROM probe AS p WHERE p.argument = matrix.argument AND to_regclass(key || '_' || layout) IS NOT NULL) AS x
GROUP BY c.place, c.condition ORDER BY c.place
$$;

SELECT * FROM matrix('iuid', 'iuid');
SELECT * FROM matrix('iuid', 'uuid');
SELECT * FROM matrix('iuid', 'timestamptz');
SELECT * FROM matrix('uuid', 'iuid');
SELECT * FROM matrix('uuid', 'uuid');
SELECT * FROM matrix('uuid', 'timestamptz');

DROP FUNCTION matrix, plan_of;
DROP TABLE probe, iuid_plain, uuid_plain, iuid_by_time, uuid_by_time, iuid_by_country;
