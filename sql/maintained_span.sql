-- Maintenance goes on from where the last partition ended, but not with what it would not keep.
SET timezone = 'UTC';
SET client_min_messages = warning;
CREATE FUNCTION day(days int) RETURNS timestamptz
LANGUAGE sql AS $$ SELECT date_trunc('day', now()) + days * interval '1 day' $$;

-- one partition has ended, three days ago
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log', '1 day', day(-4), day(-3));
CALL iuid_maintain_partitions('log', '1 day', 1);
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-4, 1) AS n
WHERE (p.lower, p.upper) = (day(n), day(n + 1));
DROP TABLE log;
-- the same if that one has no lower end
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT iuid_floor(day(-3)) AS upper \gset
CREATE TABLE log_before PARTITION OF log FOR VALUES FROM (MINVALUE) TO (:'upper');
CALL iuid_maintain_partitions('log', '1 day', 1);
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-3, 1) AS n
WHERE (p.lower, p.upper) = (day(n), day(n + 1));
DROP TABLE log;

-- the last one ended nine days ago: of the days since, those come that are kept
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('log', '1 day', day(-12), day(-9));
CALL iuid_maintain_partitions('log', '1 day', 1, '2 days');
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(-2, 1) AS n
WHERE (p.lower, p.upper) = (day(n), day(n + 1));
DROP TABLE log;

-- nothing has ended: the present comes first
CREATE TABLE log (id iuid) PARTITION BY RANGE (id);
CALL iuid_maintain_partitions('log', '1 day', 1);
SELECT count(*) FROM iuid_partitions('log') AS p, generate_series(0, 1) AS n
WHERE (p.lower, p.upper) = (day(n), day(n + 1));
DROP TABLE log;

DROP FUNCTION day;
