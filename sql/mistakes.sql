-- Mistakes that newcomers make: what is said, and that it says what to write.
\set SHOW_CONTEXT never
CREATE TABLE orders (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY) PARTITION BY RANGE (id);
SELECT count(*) FROM iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-03-01');
INSERT INTO orders VALUES (gen_iuid(7, 1, '2026-01-15')), (gen_iuid(7, 1, '2026-02-15'));

-- a time in quotes, and a parameter that is sent as a text
SELECT count(*) FROM orders WHERE id >= '2026-02-01';
SELECT count(*) FROM orders WHERE id >= timestamptz '2026-02-01';
PREPARE since AS SELECT count(*) FROM orders WHERE id >= $1;
EXECUTE since('2026-02-01 00:00:00+00');
DEALLOCATE since;
PREPARE since AS SELECT count(*) FROM orders WHERE id >= iuid_floor($1);
EXECUTE since('2026-02-01 00:00:00+00');
DEALLOCATE since;
-- what looks like a time, and what does not
SELECT '2026-02-01T00:00:00.000Z'::iuid;
SELECT '2026-02-01-0000-8007-8041-23456789abcd'::iuid;
SELECT '2026-02'::iuid;
SELECT 'O''Hara'::iuid;
SELECT '4711'::iuid;
\set VERBOSITY sqlstate
SELECT repeat('2026-01-01 ', 1000)::iuid;
-- the server's own parser of times would raise an error of another kind
SELECT ' 0000000-0001-90CA-BF80-000000000000'::iuid;
\set VERBOSITY default

-- a UUID of another version
INSERT INTO orders VALUES ('919108f7-52d1-4320-9bac-f847db4148a8');
INSERT INTO orders VALUES (iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8', 7, 1, '2026-01-16'));
INSERT INTO orders VALUES ('017F22E2-79B0-7CC3-98C4-DC0C0C07398F'::uuid);
SELECT iuid_from_uuid('017F22E2-79B0-7CC3-98C4-DC0C0C07398F', 7, 1);
SELECT iuid_from_uuid('919108f7-52d1-4320-9bac-f847db4148a8', 7, 1);

-- a number for a name: its text is the name
\set VERBOSITY terse
SELECT iuid_from_name(7, 1, 4711);
\set VERBOSITY default
SELECT iuid_from_name(7, 1, 4711::text);

-- no country is set; out of range; NULL
SELECT gen_iuid(1);
SELECT gen_iuid(7, 256);
SELECT gen_iuid(7, NULL);

-- a time before 1970, or one in seconds where milliseconds are meant
SELECT gen_iuid(7, 1, '1969-12-31');
SELECT gen_iuid(7, 1, to_timestamp(1767225600000));

-- a partition for a time in quotes
CREATE TABLE may PARTITION OF orders FOR VALUES FROM ('2026-05-01') TO ('2026-06-01');
CREATE TABLE may PARTITION OF orders FOR VALUES FROM (iuid_floor('2026-05-01')) TO (iuid_floor('2026-06-01'));

-- functions for partitions, on a table that has none
CREATE TABLE plain (id iuid PRIMARY KEY);
SELECT iuid_create_partitions('plain', '1 month', '2026-01-01', '2026-03-01');

-- what the server itself refuses: the message is its own (doc/predicates.md)
\set VERBOSITY sqlstate
SELECT FROM orders WHERE id = now();
SELECT FROM orders WHERE id <@ tsrange('2026-01-01', '2026-02-01');
SELECT FROM orders WHERE id <@ daterange('2026-01-01', '2026-02-01');
SELECT FROM orders WHERE iuid_is_from(id, 'KZ');
SELECT FROM orders WHERE id LIKE '019b%';
CREATE TABLE by_list (id iuid PRIMARY KEY) PARTITION BY LIST (iuid_country(id));
\set VERBOSITY default
SELECT count(*) FROM orders WHERE id <@ tstzrange('2026-01-01', '2026-02-01');

DROP TABLE orders, plain;
