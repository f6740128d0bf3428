-- Pages and their terms: each page has four, of which one is a tag that all pages have
CREATE TEMP TABLE given AS
SELECT n / 1000 AS batch, format('https://host-%s.example.org/%s/%s', n / 4 % 5000, md5((n / 4)::text), n / 4) AS url,
	CASE n % 4 WHEN 0 THEN 'all' ELSE 'tag-' || (hashint4(n) & 1023) END AS tag
FROM generate_series(0, :rows - 1) AS n;
CREATE INDEX ON given (batch);
ANALYZE given;
CREATE FUNCTION add_all() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	added bigint := 0;
BEGIN
	FOR i IN 0 .. (SELECT max(batch) FROM given) LOOP
		added := added + (SELECT count(*) FROM (SELECT add_pages(array_agg(url), array_agg(tag)) FROM given WHERE batch = i) AS x);
	END LOOP;
	RETURN added;
END $$;
INSERT INTO bench.measurement (work, way, value, unit)
VALUES ('digest: new terms of pages', :'way', :rows / bench.milliseconds('SELECT add_all()') * 1000, 'rows per second');
INSERT INTO bench.measurement (work, way, value, unit)
VALUES ('digest: the same again', :'way', :rows / bench.milliseconds('SELECT add_all()') * 1000, 'rows per second');
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'digest: 20 more pages for the tag of all', :'way', 20 / bench.milliseconds(format($$
	SELECT count(*) FROM (SELECT add_pages(array_agg('https://example.org/%s/' || n), array_agg('all'::text)) FROM generate_series(1, 20) AS n) AS x$$, round)) * 1000, 'rows per second'
FROM generate_series(1, 20) AS round;
INSERT INTO bench.measurement (work, way, value, unit)
SELECT 'digest: pages indexed again, without the tag of all', :'way', 1000 / ms * 1000, 'rows per second'
FROM bench.milliseconds($$SELECT count(*) FROM (SELECT url, array_agg(replace(tag, 'all', 'new')) AS tags FROM given WHERE batch < 4 GROUP BY url) AS x,
	set_postings(url, 'tag', tags)$$) AS ms;
