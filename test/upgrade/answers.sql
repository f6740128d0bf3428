-- Answers the questions by the indexes and partitions, a line for each: its name and what was found.
-- oracle.sql answers the same.
\set ON_ERROR_STOP on
SET timezone = 'UTC';
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET max_parallel_workers_per_gather = 0;

-- The digest of what a query gives, or its plan if that has not what it must have, or what it must not.
CREATE FUNCTION pg_temp.answer(query text, has text, has_not text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
	found text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	EXECUTE query INTO found;
	RETURN CASE WHEN plan ~ has AND plan !~ has_not THEN md5(found) ELSE plan END;
END$$;

SELECT name, question, pg_temp.answer(format(query, name), name || '_index', CASE WHEN question LIKE '%order' THEN 'Sort' ELSE '^$' END)
FROM indexed CROSS JOIN unnest(questions) AS question JOIN (VALUES
	('one', $$SELECT string_agg(t.n::text, ',' ORDER BY t.n) FROM sample AS s JOIN %s AS t ON t.id = s.id$$),
	('one_uuid', $$SELECT string_agg(t.n::text, ',' ORDER BY t.n) FROM sample AS s JOIN %s AS t ON t.id = s.u$$),
	('array', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM %s WHERE ids && ARRAY(SELECT id FROM sample)$$),
	('range', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM %s
		WHERE id >= uuid '01500000-0000-8000-8000-000000000000' AND id < iuid '0180ffff-ffff-8000-8000-000000000000'$$),
	('time', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM %s
		WHERE id >= timestamptz '2019-05-01 00:00+00' AND id < timestamptz '2020-07-01 00:00+00'$$),
	('country', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM %s WHERE iuid_is_from(id, 7, 1)$$),
	('order', $$SELECT string_agg(n::text, ',') FROM (SELECT n FROM %s ORDER BY id) AS rows$$),
	('country_order', $$SELECT string_agg(n::text, ',') FROM (SELECT n FROM %s ORDER BY id USING ~<~) AS rows$$)
) AS queries (name_of_question, query) ON name_of_question = question
ORDER BY name, question;

SELECT parent, question, pg_temp.answer(format(query, parent), '_pkey', has_not)
FROM partitioned CROSS JOIN (VALUES
	('one', '^$', $$SELECT string_agg(t.n::text, ',' ORDER BY t.n) FROM rows AS r JOIN %s AS t ON t.id = r.u WHERE r.n %% 37 = 0$$),
	('time', '_default', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM %s
		WHERE id >= iuid_floor(now() - interval '190 days') AND id < iuid_floor(now() - interval '110 days')$$)
) AS queries (question, has_not, query)
ORDER BY parent::text, question;

SELECT 'orders', question, pg_temp.answer(query, has, '^$')
FROM (VALUES
	('by time', 'orders_iuid_timestamp_idx', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM orders WHERE iuid_timestamp(id) >= now() + interval '10 days'$$),
	('by country', '', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM orders WHERE country = 7$$),
	('by partial index', 'orders_id_idx', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM orders WHERE iuid_is_from(id, 7)$$),
	('by span', 'orders_span_idx', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM orders WHERE span @> iuid_floor(now() + interval '10 days')$$),
	('by line', 'orders_line_idx', $$SELECT string_agg(o.n::text, ',' ORDER BY o.n) FROM rows AS r JOIN orders AS o ON o.line = ROW(r.u::iuid, r.n)::order_line$$),
	('by reference', 'using orders_', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM lines JOIN orders ON id = order_id$$),
	('recent', '', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM recent JOIN orders USING (id) WHERE at >= now() + interval '10 days'$$),
	('parents', '', $$SELECT string_agg(n::text, ',' ORDER BY n) FROM orders WHERE parents = ARRAY[id::iuid]$$)
) AS queries (question, has, query)
ORDER BY 2;

SELECT 'first_ids', country, id FROM first_ids ORDER BY country;
SELECT 'registry', code, key, node FROM (SELECT min(id) AS id FROM by_both) AS first, iuid_inspect(id);
SET ROLE clerk;
SELECT 'orders', 'of clerk', md5(string_agg(n::text, ',' ORDER BY n)) FROM orders;
