-- iuid_is_from: one rule for constants, parameters and columns, rewritten by the planner or not.
-- A NULL number gives NULL; one outside 0-255 is 22023 when the predicate is evaluated, even for a NULL id.
SET timezone = 'UTC';

-- what a scan may use, times what is in the table: identifiers, only a NULL, nothing
CREATE TABLE full_plain (id iuid);
CREATE TABLE full_indexed (id iuid);
CREATE INDEX ON full_indexed (id iuid_origin_ops);
CREATE TABLE full_parted (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE full_parted_low PARTITION OF full_parted
	FOR VALUES FROM (iuid_country_floor(0)) TO (iuid_country_floor(8));
CREATE TABLE full_parted_rest PARTITION OF full_parted DEFAULT;
CREATE TABLE null_plain (id iuid);
CREATE TABLE null_indexed (id iuid);
CREATE INDEX ON null_indexed (id iuid_origin_ops);
CREATE TABLE null_parted (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE null_parted_low PARTITION OF null_parted
	FOR VALUES FROM (iuid_country_floor(0)) TO (iuid_country_floor(8));
CREATE TABLE null_parted_rest PARTITION OF null_parted DEFAULT;
CREATE TABLE empty_plain (id iuid);
CREATE TABLE empty_indexed (id iuid);
CREATE INDEX ON empty_indexed (id iuid_origin_ops);
CREATE TABLE empty_parted (id iuid) PARTITION BY RANGE (id iuid_origin_ops);
CREATE TABLE empty_parted_low PARTITION OF empty_parted
	FOR VALUES FROM (iuid_country_floor(0)) TO (iuid_country_floor(8));
CREATE TABLE empty_parted_rest PARTITION OF empty_parted DEFAULT;
-- of each country and entity one identifier of 2026, the first one and the last one; Nil and Max are of none
CREATE TABLE made (id iuid, country int, entity int);
INSERT INTO made
SELECT coalesce(
	format(bits, lpad(to_hex(country), 2, '0'), to_hex(128 + entity / 4), to_hex(entity % 4 * 4 + last))::iuid,
	gen_iuid(country, entity, '2026-01-01')), country, entity
FROM unnest(ARRAY[0, 7, 8, 255]) AS country, unnest(ARRAY[0, 3, 4, 255]) AS entity,
	(VALUES (NULL, 0), ('00000000-0000-80%s-%s%s0-000000000000', 0), ('ffffffff-ffff-8f%s-%s%sf-ffffffffffff', 3))
		AS one(bits, last);
INSERT INTO made VALUES ('00000000-0000-0000-0000-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff');
INSERT INTO full_plain SELECT id FROM made;
INSERT INTO full_indexed TABLE full_plain;
INSERT INTO full_parted TABLE full_plain;
INSERT INTO null_plain VALUES (NULL);
INSERT INTO null_indexed VALUES (NULL);
INSERT INTO null_parted VALUES (NULL);
CREATE TABLE number (place text, n int);
INSERT INTO number VALUES ('-1', -1), ('0', 0), ('7', 7), ('255', 255), ('256', 256), ('null', NULL);
ANALYZE;

-- every way to ask
CREATE TABLE predicate (name text, predicate text, oracle text);
INSERT INTO predicate VALUES
	('country', 'iuid_is_from(id, %s)', 'country = %s'),
	('country of an entity', 'iuid_is_from(id, %s, 3)', 'country = %s AND entity = 3'),
	('entity', 'iuid_is_from(id, 7, %s)', 'country = 7 AND entity = %s');
CREATE TABLE form (form text, number text, join_with text);
INSERT INTO form VALUES
	('constant', '%1$s', ''), ('custom plan', '$1', ''), ('generic plan', '$1', ''),
	('stable', 'nullif(current_setting(''test.n''), ''null'')::int', ''),
	('column', 'n', 'JOIN number ON place = %2$L'),
	('column expression', '(n + %1$s - n)', 'JOIN number ON place = ''7'''),
	('not rewritten', '(%1$s + (random() * 0)::int)', '');
CREATE TABLE question (position text, question text);
INSERT INTO question VALUES
	('where', 'SELECT count(*) FROM %1$s WHERE %2$s'),
	('select', 'SELECT count(*) FILTER (WHERE %2$s) FROM %1$s'),
	('case', 'SELECT count(*) FROM %1$s WHERE CASE WHEN random() < 2 THEN %2$s END'),
	('case not reached', 'SELECT count(*) FROM %1$s WHERE CASE WHEN random() < 2 THEN false ELSE %2$s END');

CREATE FUNCTION outcome(
	question text, f form, predicate text, from_table text, number text, prefix text DEFAULT '')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	statement text := format(question, from_table || ' ' || format(f.join_with, number, number),
		format(predicate, format(f.number, number || '::int')));
	result text;
BEGIN
	PERFORM set_config('test.n', number, true),
		set_config('enable_seqscan', (from_table NOT LIKE '%indexed')::text, true),
		set_config('plan_cache_mode',
			CASE f.form WHEN 'generic plan' THEN 'force_generic_plan' ELSE 'force_custom_plan' END, true);
	IF f.form LIKE '% plan' THEN
		EXECUTE 'PREPARE statement (int) AS ' || statement;
		statement := format('EXECUTE statement (%s)', number);
	END IF;
	BEGIN
		EXECUTE prefix || statement INTO result;
	EXCEPTION WHEN invalid_parameter_value THEN
		result := SQLSTATE;
	END;
	IF f.form LIKE '% plan' THEN
		DEALLOCATE statement;
	END IF;
	RETURN result;
END $$;

-- the oracle is the numbers that the identifiers were made of
CREATE FUNCTION oracle(p predicate, number text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT count(*) FROM made WHERE ' || p.oracle, number) INTO result;
	RETURN CASE WHEN number IN ('-1', '256') THEN '22023' ELSE result END;
END $$;

CREATE TABLE answer AS
SELECT name, f.form, position, rows, shape, place AS number, n,
	outcome(question, f, predicate, rows || '_' || shape, place) AS outcome,
	CASE WHEN n NOT BETWEEN 0 AND 255
		THEN outcome(question, f, predicate, rows || '_' || shape, place, 'EXPLAIN ') END AS plan
FROM predicate, form AS f, question, number,
	unnest(ARRAY['full', 'null', 'empty']) AS rows, unnest(ARRAY['plain', 'indexed', 'parted']) AS shape;

-- where a row is asked, there is one answer
SELECT name, number, oracle(p, number), string_agg(DISTINCT outcome, ', ') AS outcomes, count(*) AS asked
FROM answer JOIN predicate AS p USING (name) WHERE position <> 'case not reached' AND rows = 'full'
GROUP BY name, number, n, p ORDER BY name, n;
-- for a NULL identifier, too
SELECT number, string_agg(DISTINCT outcome, ', ') AS outcomes, count(*) AS asked
FROM answer WHERE position <> 'case not reached' AND rows = 'null' GROUP BY number, n ORDER BY n;
-- what is not reached is not evaluated
SELECT string_agg(DISTINCT outcome, ', ') AS outcomes, count(*) AS asked
FROM answer WHERE position = 'case not reached';
-- in an empty table no row asks, but an index or pruning may, once
SELECT shape, form, string_agg(DISTINCT outcome, ', ') AS outcomes
FROM answer WHERE rows = 'empty' AND number IN ('-1', '256') GROUP BY shape, form
HAVING string_agg(DISTINCT outcome, ', ') <> '0'
ORDER BY shape, form;
-- no plan fails, but where the server itself evaluates:
-- stable expressions for its estimates, and parameters to prune before an execution
SELECT shape, form, position, count(*) FROM answer WHERE plan = '22023'
GROUP BY shape, form, position ORDER BY shape, form, position;

-- a NULL in place of the identifier
SELECT n, iuid_is_from(NULL, n), iuid_is_from(NULL, n, 1), iuid_is_from(NULL, 1, n)
FROM number WHERE n BETWEEN 0 AND 255 OR n IS NULL;
SELECT iuid_is_from(NULL, n) FROM number WHERE n = 256;
SELECT iuid_is_from(NULL, n, 300) FROM number WHERE n = 7;
-- a NULL number comes first
SELECT iuid_is_from(id, 300, n), iuid_is_from(id, n, 300) FROM number, full_plain WHERE n IS NULL LIMIT 1;

-- the last country is a range like the others
EXPLAIN (COSTS OFF) SELECT FROM full_parted WHERE iuid_is_from(id, 255, 255);

DROP FUNCTION outcome, oracle;
DROP TABLE answer, made, number, predicate, form, question,
	full_plain, full_indexed, full_parted, null_plain, null_indexed, null_parted,
	empty_plain, empty_indexed, empty_parted;
