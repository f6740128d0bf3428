-- The extension works from a schema of any name.
-- When that is renamed, the functions for partitions say so, and all else goes on.
SET timezone = 'UTC';
\set SHOW_CONTEXT never
SET client_min_messages = warning;
BEGIN;
DROP EXTENSION iuid_regions, iuid;
CREATE SCHEMA "50% off";
CREATE EXTENSION iuid_regions CASCADE SCHEMA "50% off";
CREATE EXTENSION postgres_fdw;
CREATE SERVER elsewhere FOREIGN DATA WRAPPER postgres_fdw;
SET LOCAL search_path = "50% off", public;
INSERT INTO iuid_nodes VALUES ('here', NULL, NULL), ('there', NULL, 'elsewhere');
INSERT INTO iuid_routes VALUES (NULL, NULL, 'here'), (9, NULL, 'there'), (7, NULL, 'here');
SET LOCAL iuid.node = 'here';
CREATE TABLE public."%I %s" (id iuid PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE public."%I %s rest" PARTITION OF public."%I %s" DEFAULT;
CREATE TABLE public."%L" (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
INSERT INTO public."%I %s" SELECT iuid_from_name(7, 1, n::text, '2026-01-01') FROM generate_series(1, 3) AS n;
SELECT iuid_create_partitions('public."%I %s"', '1 month', '2026-01-01', '2026-02-01');
SELECT iuid_create_routed_partitions('public."%L"', 1);
SELECT iuid_create_partitions('public."%I %s"', '1 month', '2026-02-01', '2026-03-01', time_checks => true);
SELECT created, dropped, failed, done
FROM iuid_maintenance_step('public."%I %s"', '1 year', 0, NULL, false, '0', 0, 0, '{}');
SELECT count(*) FROM iuid_partitions('public."%I %s"') WHERE lower < '2026-03-01';
SELECT problem, partition FROM iuid_check_partitions('public."%I %s"') WHERE problem <> 'gap';
SELECT iuid_drop_partitions('public."%I %s"', '2026-02-01');
SELECT iuid_detach_partitions('public."%I %s"', '2026-03-01');
INSERT INTO iuid_routes VALUES (8, NULL, 'here');
SELECT iuid_create_routed_partitions('public."%L"', 1, '1 year');

ALTER SCHEMA "50% off" RENAME TO "%s";
SET LOCAL search_path = "%s", public;
SELECT iuid_node(7, 1), iuid_country(gen_iuid(7, 1));
SAVEPOINT renamed;
SELECT iuid_create_partitions('public."%I %s"', '1 month', '2026-02-01', '2026-03-01');
ROLLBACK TO renamed;
-- what has names in its body does not
SAVEPOINT renamed;
SELECT iuid_create_country_partitions('public."%L"', 1, '{10}');
ROLLBACK TO SAVEPOINT renamed;
SELECT iuid_create_global_table('public."%L everywhere"', 'public."%L"', 1);
ROLLBACK TO SAVEPOINT renamed;
SELECT iuid_register_iso_countries();
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_indexscan = off;
SET LOCAL enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) SELECT FROM public."%L" WHERE iuid_is_from(id, 7);
EXPLAIN (COSTS OFF) SELECT FROM public."%I %s" WHERE id < timestamptz '1980-01-01';
INSERT INTO public."%L" VALUES (gen_iuid(8, 1)), (gen_iuid(7, 1));
SELECT count(*) FROM public."%L";
ROLLBACK;
