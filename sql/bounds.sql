-- Boundaries in the key, against the text they must have.
SET timezone = 'UTC';

-- part of a millisecond rounds up; before 1970 Nil; past the 48 bits Max
SELECT at, iuid_floor(at), iuid_floor_after(at)
FROM (VALUES (timestamptz '-infinity'), ('4713-01-01 00:00:00 BC'), ('1969-12-31 23:59:59.999999'),
	('1970-01-01 00:00:00'), ('1970-01-01 00:00:00.000001'), ('1970-01-01 00:00:00.001'),
	('2026-01-01 00:00:00'), ('2026-01-01 00:00:00.000999'),
	('10889-08-02 05:31:50.655'), ('10889-08-02 05:31:50.655001'), ('10889-08-02 05:31:50.656'),
	('294276-12-31 23:59:59.999999'), ('infinity'), (NULL)) AS v(at);

-- the smallest iuid of its time: the one before it in the key space is of an earlier one
SELECT count(*) AS wrong FROM generate_series(1, 2000) AS n,
	LATERAL (SELECT timestamptz '1970-01-01' + n * n * interval '17 minutes 333 microseconds' AS at) AS t
WHERE iuid_timestamp(iuid_floor(at)) < at OR iuid_timestamp(iuid_floor(at)) >= at + interval '1 millisecond'
   OR iuid_floor(at)::text NOT LIKE '%-8000-8000-000000000000';

-- ranges: inclusive, exclusive, infinite, empty
SELECT r, iuid_range_lower(r), iuid_range_upper(r)
FROM (VALUES (tstzrange('2026-01-01', '2026-02-01')), (tstzrange('2026-01-01', '2026-02-01', '(]')),
	(tstzrange(NULL, '2026-02-01')), (tstzrange('2026-01-01', NULL)), (tstzrange(NULL, NULL)),
	(tstzrange('-infinity', 'infinity', '[]')), ('empty'), (NULL)) AS v(r);

-- countries and entities; 256 is the end of either
SELECT country, entity, iuid_country_floor(country, entity)
FROM (VALUES (0, 0), (0, 1), (7, 0), (7, 4), (7, 255), (7, 256), (255, 255), (255, 256),
	(256, 0), (256, 256), (NULL, 0)) AS v(country, entity);
SELECT iuid_country_floor(7) = iuid_country_floor(7, 0) AS entity_is_optional;
SELECT country, iuid_country_lower(country), iuid_country_upper(country),
	iuid_country_lower(country, 0) = iuid_country_lower(country) AS first_entity,
	iuid_country_upper(country, 255) = iuid_country_upper(country) AS last_entity,
	iuid_country_upper(country, 3) = iuid_country_lower(country, 4) AS next_entity
FROM (VALUES (0), (7), (255)) AS v(country);
SELECT iuid_country_floor(257);
\echo :LAST_ERROR_SQLSTATE
SELECT iuid_country_floor(-1);
SELECT iuid_country_floor(1, 257);
SELECT iuid_country_lower(256);
SELECT iuid_country_lower(1, 256);
SELECT iuid_country_upper(256);
SELECT iuid_country_upper(1, 256);

-- every country lies between its bounds, in order by origin, and in no other's
SELECT count(*) AS wrong FROM generate_series(0, 255) AS country, unnest(ARRAY[0, 1, 127, 255]) AS entity,
	LATERAL (SELECT gen_iuid(country, entity, '1970-01-01'), gen_iuid(country, entity, '10889-08-02 05:31:50.655'))
		AS id(first, last)
WHERE first ~<~ iuid_country_floor(country, entity) OR last ~>=~ iuid_country_floor(country, entity + 1)
   OR iuid_country(iuid_country_floor(country, entity)) <> country
   OR iuid_entity(iuid_country_floor(country, entity)) <> entity;
