-- Making partitions, and moving rows into one, against the same by hand
-- Each way is a transaction of its own, as its locks last as long.
CREATE PROCEDURE compare(work text, ways text[], statements text[], before text, undo text) LANGUAGE plpgsql AS $$
DECLARE
	which int;
	value float8;
BEGIN
	FOR round IN 1 .. current_setting('bench.rounds')::int LOOP
		FOR turn IN 1 .. array_length(ways, 1) LOOP
			which := CASE WHEN round % 2 = 1 THEN turn ELSE array_length(ways, 1) + 1 - turn END;
			PERFORM bench.milliseconds(before);
			COMMIT;
			value := bench.milliseconds(statements[which]);
			INSERT INTO bench.measurement (work, way, value, unit) VALUES (work, ways[which], value, 'ms');
			COMMIT;
			PERFORM bench.milliseconds(undo);
			COMMIT;
		END LOOP;
	END LOOP;
END $$;

CREATE FUNCTION by_hand(parent text, first timestamptz, hours int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 0 .. hours - 1 LOOP
		EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', parent || '_hand_' || n, parent,
			iuid_floor(first + n * interval '1 hour'), iuid_floor(first + (n + 1) * interval '1 hour'));
	END LOOP;
END $$;
CREATE FUNCTION remove_since(parent regclass, first timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	name text;
BEGIN
	FOR name IN SELECT partition::text FROM iuid_partitions(parent) WHERE lower >= first LOOP
		EXECUTE 'DROP TABLE ' || name;
	END LOOP;
END $$;

SET client_min_messages = error;
CREATE TABLE beside_none (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
CREATE TABLE beside_1000 (id iuid PRIMARY KEY, note text) PARTITION BY RANGE (id);
SELECT format('SELECT count(*) FROM iuid_create_partitions(%L, %L, %L, %L)', 'beside_1000', '1 hour',
	timestamptz '2020-01-01' + n * interval '200 hours', timestamptz '2020-01-01' + (n + 1) * interval '200 hours') FROM generate_series(0, 4) AS n \gexec
SELECT format('CALL compare(%L, %L, %L, NULL, %L)', '100 partitions beside ' || n, '{by hand,iuid_create_partitions}',
	ARRAY[format('SELECT by_hand(%L, %L, 100)', 'beside_' || n, '2026-01-01'),
		format('SELECT count(*) FROM iuid_create_partitions(%L, %L, %L, %L)', 'beside_' || n, '1 hour', timestamptz '2026-01-01', timestamptz '2026-01-01' + interval '100 hours')],
	format('SELECT remove_since(%L, %L)', 'beside_' || n, '2026-01-01')) FROM unnest(ARRAY['none', '1000']) AS n \gexec

-- By hand the rows wait in a table of their own, as the new partition cannot come before they are gone.
CREATE TABLE orders (id iuid PRIMARY KEY, customer int, note text) PARTITION BY RANGE (id);
CREATE INDEX ON orders (customer);
CREATE TABLE orders_rest PARTITION OF orders DEFAULT;
CREATE FUNCTION move_by_hand() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE moved AS SELECT * FROM orders_rest WHERE id <@ tstzrange('2026-01-01', '2026-02-01');
	DELETE FROM orders_rest WHERE id <@ tstzrange('2026-01-01', '2026-02-01');
	EXECUTE format('CREATE TABLE orders_2026_01 PARTITION OF orders FOR VALUES FROM (%L) TO (%L)', iuid_floor('2026-01-01'), iuid_floor('2026-02-01'));
	INSERT INTO orders SELECT * FROM moved;
	DROP TABLE moved;
END $$;
SELECT format('CALL compare(%L, %L, %L, %L, %L)', bench.shown(:million / 5) || ' rows out of DEFAULT', '{by hand,iuid_create_partitions}',
	ARRAY['SELECT move_by_hand()', $$SELECT iuid_create_partitions('orders', '1 month', '2026-01-01', '2026-02-01')$$],
	format($$INSERT INTO orders SELECT gen_iuid(7, 1, timestamptz '2026-01-01' + n * interval '1 second'), n %% 1000, 'note ' || n FROM generate_series(1, %s) AS n$$, :million / 5),
	'DROP TABLE orders_2026_01; TRUNCATE orders_rest') \gexec
