-- Maintenance goes on from where the last partition ended, but not with what it would not keep.
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE FUNCTION day(days int) RETURNS timestamptz LANGUAGE sql AS $$ SELECT date_trunc('day', now()) + days * interval '1 day' $$;

-- one partition has ended, three days ago
BEGIN;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log', '1 day', day(-4), day(-3));
SELECT action, count(*) FROM iuid_maintain_partitions('log', '1 day', 1) GROUP BY 1;
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-4, 1) AS n WHERE (p.lower, p.upper) = (day(n), day(n + 1));
ROLLBACK;
-- the same if that one has no lower end
BEGIN;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT iuid_floor(day(-3)) AS upper \gset
CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (MINVALUE) TO (:'upper');
SELECT action, count(*) FROM iuid_maintain_partitions('log', '1 day', 1) GROUP BY 1;
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-3, 1) AS n WHERE (p.lower, p.upper) = (day(n), day(n + 1));
ROLLBACK;

-- the last one ended nine days ago: of the days since, those come that are kept
BEGIN;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log', '1 day', day(-12), day(-9));
SELECT action, count(*) FROM iuid_maintain_partitions('log', '1 day', 1, '2 days') GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-2, 1) AS n WHERE (p.lower, p.upper) = (day(n), day(n + 1));
ROLLBACK;

-- nothing has ended: the present comes first
BEGIN;
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT action, count(*) FROM iuid_maintain_partitions('log', '1 day', 1) GROUP BY 1;
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(0, 1) AS n WHERE (p.lower, p.upper) = (day(n), day(n + 1));
ROLLBACK;

DROP FUNCTION day;
