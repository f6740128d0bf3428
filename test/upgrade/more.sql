-- More of everything, on each server.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE TEMP TABLE more AS SELECT gen_iuid(n % 10, n % 3)::uuid AS u FROM generate_series(1, 500) AS n
	UNION ALL SELECT gen_iuid(n % 10, n % 3, timestamptz '2018-01-01 00:00+00' + n * interval '3 days') FROM generate_series(1, 500) AS n;
WITH added AS (INSERT INTO reference (u) SELECT u FROM more RETURNING n, u)
	INSERT INTO sample SELECT u, u FROM added WHERE n % 20 = 0;
SELECT format('INSERT INTO %s SELECT n, u FROM reference JOIN more USING (u)', name) FROM indexed \gexec

CREATE TEMP TABLE more_rows AS SELECT n + (SELECT max(n) FROM rows) AS n, gen_iuid(7 + n % 2, 1, now() + (n % 40 - 20) * interval '20 days')::uuid AS u
	FROM generate_series(1, 400) AS n;
INSERT INTO rows SELECT * FROM more_rows;
SELECT format('INSERT INTO %s SELECT u, n FROM more_rows', parent) FROM partitioned \gexec
INSERT INTO orders (n, id, parents, line, span) SELECT n, u, ARRAY[u::iuid], ROW(u::iuid, n)::order_line, iuid_range(u::iuid, NULL) FROM more_rows;
INSERT INTO lines SELECT u, 1 FROM more_rows;
REFRESH MATERIALIZED VIEW first_ids;

-- The rows in the DEFAULT partitions and the open ends get partitions, one more in each run.
SELECT iuid_create_partitions(parent, '1 month', now(), now() + interval '1 month' * (SELECT count(*) / 1000 FROM reference))
FROM (VALUES ('by_time'), ('by_uuid'), ('by_both_c7')) AS parents (parent);
CALL iuid_maintain_partitions('by_time', '1 month');
INSERT INTO iuid_routes SELECT 10 + count(*), 1, 'almaty' FROM iuid_routes;
SELECT count(*) FROM iuid_create_routed_partitions('by_both', 1, '1 month');
SELECT iuid_create_global_table('by_both_global', 'by_both', 1);
SELECT iuid_create_global_view('by_both_all', 'by_both');

UPDATE newest SET newest = gen_iuid(255, 255);
