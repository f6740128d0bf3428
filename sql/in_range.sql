-- Window frames with RANGE: by the key as by a timestamptz column with the same milliseconds.
SET timezone = 'Europe/Berlin';
CREATE TABLE rides (id iuid, at timestamptz);
-- each time three times, one of them a millisecond later; with the leap day and a day of 23 hours
INSERT INTO rides
SELECT gen_iuid(7, 1, at), at
FROM (SELECT timestamptz '2024-01-30 12:00' + n * interval '21 hours 33 minutes 3.702 s'
		+ least(twin, 1) * interval '1 ms' AS at
	FROM generate_series(0, 83) AS n, generate_series(0, 2) AS twin) AS t;
CREATE TABLE frame (frame text);
INSERT INTO frame
SELECT format('RANGE BETWEEN %s AND %s', lower, upper)
FROM unnest(ARRAY['UNBOUNDED PRECEDING', '''1 day'' PRECEDING', '''1 month 2 days'' PRECEDING',
		'''00:00:00.001'' PRECEDING', '''0'' PRECEDING', '''1 day'' FOLLOWING']) AS lower,
	unnest(ARRAY['''0'' FOLLOWING', '''3 hours'' PRECEDING', '''1 month'' FOLLOWING', 'UNBOUNDED FOLLOWING']) AS upper
WHERE NOT (lower LIKE '%FOLLOWING' AND upper LIKE '%PRECEDING');
CREATE FUNCTION frames_of(source text, frame text, direction text)
RETURNS TABLE (id iuid, rows bigint, first timestamptz, last timestamptz) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT id, count(*) OVER w, min(at) OVER w, max(at) OVER w
		FROM rides WINDOW w AS (ORDER BY %s %s %s)', source, direction, frame);
END
$$;
SELECT direction, count(*) AS frames,
	count(*) FILTER (WHERE EXISTS (
		(TABLE rides EXCEPT SELECT id, at FROM rides JOIN frames_of('id', frame, direction) USING (id))
		UNION ALL SELECT id, NULL FROM (
			SELECT * FROM frames_of('id', frame, direction)
			EXCEPT ALL SELECT * FROM frames_of('at', frame, direction)) AS other)) AS others
FROM frame, unnest(ARRAY['ASC', 'DESC']) AS direction GROUP BY 1 ORDER BY 1;
-- Values without a time have the one of their first 48 bits, and NULL has a frame of its own.
SELECT id, array_agg(id) OVER (ORDER BY id RANGE BETWEEN '1 ms' PRECEDING AND '1 ms' FOLLOWING)
FROM (VALUES ('00000000-0000-0000-0000-000000000000'::iuid), ('00000000-0001-8107-8040-000000000000'),
	('00000000-0003-8207-8040-000000000000'), ('ffffffff-ffff-ffff-ffff-ffffffffffff'), (NULL)) AS v(id);
SELECT count(*) OVER (ORDER BY id RANGE '-1 day' PRECEDING) FROM rides;
SELECT count(*) OVER (ORDER BY id RANGE NULL::interval PRECEDING) FROM rides;
-- in order by origin there is none
SELECT count(*) OVER (ORDER BY id USING ~<~ RANGE '1 day' PRECEDING) FROM rides;
DROP FUNCTION frames_of;
DROP TABLE rides, frame;
