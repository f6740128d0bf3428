-- One table with the identifiers of sixteen countries: index and log of a row
CREATE FUNCTION made_at(ms float8, country int) RETURNS iuid LANGUAGE sql VOLATILE AS $$
	SELECT (lpad(to_hex(1767225600000 + floor(ms)::bigint), 12, '0') || '80' || lpad(to_hex(country), 2, '0')
		|| to_hex((-9223372036854775808)::bigint | (1::bigint << 54) | (floor((ms - floor(ms)) * 4096)::bigint << 42) | floor(random() * 2 ^ 42)::bigint))::uuid::iuid
$$;

-- The rows of all sessions in the order in which they are made, which is that of the log.
CREATE FUNCTION fill(work text, way text, rate int, countries int, partitioned boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	start pg_lsn;
BEGIN
	CREATE TABLE filled (id iuid PRIMARY KEY) PARTITION BY RANGE (id iuid_origin_ops);
	IF partitioned THEN
		PERFORM bench.milliseconds(format('CREATE TABLE filled_c%s PARTITION OF filled FOR VALUES FROM (iuid_country_floor(%s)) TO (iuid_country_floor(%s))', n, n, n + 1))
		FROM generate_series(0, countries - 1) AS n;
	ELSE
		CREATE TABLE filled_rest PARTITION OF filled DEFAULT;
	END IF;
	CREATE TEMP TABLE made AS SELECT made_at(n::float8 / rate, floor(random() * countries)::int) AS id
	FROM generate_series(1, current_setting('bench.million')::int) AS n;
	start := pg_current_wal_insert_lsn();
	INSERT INTO filled SELECT id FROM made;
	INSERT INTO bench.measurement (work, way, value, unit) VALUES
		(work, way, (pg_current_wal_insert_lsn() - start) / current_setting('bench.million')::float8, 'bytes of log a row'),
		(work, way, (SELECT sum(pg_indexes_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'filled'::regclass) / current_setting('bench.million')::float8, 'bytes of index a row');
	DROP TABLE filled, made;
END $$;

SET bench.million = :million;
SELECT format('SELECT fill(%L, %L, %s, %s, %L)', format('%s rows a millisecond', to_char(rate, 'FM9,999')), way, rate, countries, partitioned)
FROM unnest(ARRAY[10, 1000]) AS rate,
	(VALUES ('1 country', 1, false), ('16 countries in one table', 16, false), ('16 countries, a partition each', 16, true)) AS v(way, countries, partitioned)
\gexec
