-- Many bounds of one column: the estimate is that of the tightest ones, wherever they stand, and planning
-- does not grow with their square.  The oracle is the count of the rows.
CREATE TABLE log (id iuid, other iuid);
INSERT INTO log SELECT id, id
FROM (SELECT gen_iuid(7, 1, timestamptz '2026-01-01 00:00+00' + n * interval '1 minute') AS id
	FROM generate_series(1, 20000) AS n) AS x;
ANALYZE log;
-- how the rows that are expected stand to those that there are
CREATE FUNCTION off_by(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json; there numeric;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT FROM log WHERE ' || condition INTO plan;
	EXECUTE 'SELECT count(*) FROM log WHERE ' || condition INTO there;
	RETURN CASE WHEN (plan -> 0 -> 'Plan' ->> 'Plan Rows')::numeric BETWEEN there * 0.8 AND there * 1.25 THEN 'near'
		ELSE format('%s of %s', plan -> 0 -> 'Plan' ->> 'Plan Rows', there) END;
END $$;
CREATE FUNCTION bound(minute int) RETURNS text LANGUAGE sql AS
$$SELECT quote_literal(iuid_floor(timestamptz '2026-01-01 00:00+00' + minute * interval '1 minute'))$$;
-- bounds that get tighter, that get wider, and in any order; of two columns by turns; on either side
SELECT off_by(string_agg(within, ' AND ' ORDER BY n)) AS tighter,
	off_by(string_agg(within, ' AND ' ORDER BY n DESC)) AS wider,
	off_by(string_agg(within, ' AND ' ORDER BY n * 37 % 400)) AS any_order,
	off_by(string_agg(other_side, ' AND ' ORDER BY n)) AS other_side
FROM generate_series(1, 400) AS n, bound(n * 15) AS lower, bound(20000 - n * 15) AS upper,
	format('id >= %s AND id < %s', lower, upper) AS within, format('%s < id AND %s >= id', lower, upper) AS other_side;
SELECT off_by(string_agg(pair, ' AND ' ORDER BY n)) AS of_two_columns
FROM generate_series(1, 200) AS n, format('id >= %s AND other >= %s', bound(n * 50), bound(0)) AS pair;
-- many ranges joined by OR
SELECT off_by(string_agg(within, ' OR ' ORDER BY n)) AS ranges
FROM generate_series(1, 199) AS n, format('id >= %s AND id < %s', bound(n * 100), bound(n * 100 + 5)) AS within;
-- in one statement a list of conditions is estimated anew for each of its relations
EXPLAIN (COSTS OFF) SELECT FROM log AS a, log AS b
WHERE a.id >= '019b8000-0000-8007-8041-23456789abcd' AND a.id < '019b8100-0000-8007-8041-23456789abcd'
	AND b.id >= '019b8000-0000-8007-8041-23456789abcd' AND b.id < '019b8100-0000-8007-8041-23456789abcd' AND a.id = b.id;
DROP TABLE log;
DROP FUNCTION off_by, bound;
