-- Hashing and joining give the rows that the same values give as core uuids.

CREATE TEMP TABLE a AS SELECT n, gen_iuid(n % 7, n % 11) AS id FROM generate_series(1, 300) AS n;
INSERT INTO a SELECT n, id FROM a WHERE n % 3 = 0;
CREATE TEMP TABLE b AS SELECT n, id, id::uuid AS u FROM a WHERE n % 2 = 0;
INSERT INTO b SELECT n, NULL, gen_random_uuid() FROM generate_series(1, 150) AS n;
ANALYZE a, b;

-- core's own hash functions, so that iuid and uuid meet in one bucket, whoever hashes them
SELECT amname, opfname, amproclefttype::regtype, amprocrighttype::regtype, amprocnum, amproc::oid::regprocedure
FROM pg_amproc JOIN pg_opfamily AS f ON f.oid = amprocfamily JOIN pg_am AS m ON m.oid = opfmethod
WHERE opfname LIKE 'iuid%' AND (amname = 'hash' OR amproc::text LIKE '%hash%')
ORDER BY amname, amproclefttype::regtype::text, amprocnum;

-- what a join must give, rows without a partner included, from core's uuid alone
CREATE TEMP TABLE oracle AS SELECT b.n, b.u, a.n AS m FROM b LEFT JOIN a ON a.id::uuid = b.u;

-- each join method on iuid = uuid and uuid = iuid, and on iuid = iuid
CREATE FUNCTION join_by(method text, condition text)
RETURNS TABLE (plan text, rows bigint, partners bigint, same boolean) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	query text := format('SELECT b.n, b.u, a.n AS m FROM b LEFT JOIN a ON %s', condition);
BEGIN
	PERFORM set_config('enable_' || m, (m = method)::text, true)
	FROM unnest(ARRAY['hashjoin', 'mergejoin', 'nestloop']) AS m;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
		plan := coalesce(plan, substring(line FROM '^(Hash|Merge|Nested Loop)'));
	END LOOP;
	EXECUTE format('SELECT count(*), count(m) FROM (%s) AS x', query) INTO rows, partners;
	EXECUTE format('SELECT NOT EXISTS ((%1$s EXCEPT ALL TABLE oracle) UNION ALL (TABLE oracle EXCEPT ALL %1$s))',
		query) INTO same;
	RETURN NEXT;
END $$;
SELECT method, condition, j.*
FROM unnest(ARRAY['hashjoin', 'mergejoin', 'nestloop']) AS method,
	unnest(ARRAY['a.id = b.id', 'a.id = b.u', 'b.u = a.id']) AS condition,
	join_by(method, condition) AS j;

-- hash aggregation and set operations
SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT id, count(*) FROM a GROUP BY id;
SELECT count(*) AS groups, sum(c), (SELECT count(DISTINCT id::text) FROM a) AS oracle
FROM (SELECT id, count(*) AS c FROM a GROUP BY id) AS x;
RESET enable_sort;
SELECT count(*) AS groups FROM (SELECT id FROM a INTERSECT SELECT id FROM b) AS x;

-- hash index and hash partitions
CREATE TEMP TABLE h (id iuid) PARTITION BY HASH (id);
CREATE TEMP TABLE h0 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE h1 PARTITION OF h FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE INDEX ON h USING hash (id);
INSERT INTO h SELECT id FROM a;
CREATE TEMP TABLE hu (id uuid) PARTITION BY HASH (id);
CREATE TEMP TABLE hu0 PARTITION OF hu FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TEMP TABLE hu1 PARTITION OF hu FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO hu SELECT id FROM a;
SELECT (SELECT count(*) FROM h0) > 100 AS spread,
	(SELECT count(*) FROM h0 JOIN hu0 ON h0.id::text = hu0.id::text)
		= (SELECT count(*) FROM h0 JOIN h0 AS x ON x.id::text = h0.id::text) AS as_uuid;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM h WHERE id = '019b7612-3c00-8007-8041-23456789abcd';
EXPLAIN (COSTS OFF) SELECT * FROM h WHERE id = '019b7612-3c00-8007-8041-23456789abcd'::uuid;
SELECT count(*) AS found FROM a WHERE EXISTS (SELECT FROM h WHERE h.id = a.id);
DROP FUNCTION join_by;
