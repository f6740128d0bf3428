-- iuid_is_from in SQL functions that the planner puts into the query.
-- With one inside the other it simplifies a call more than once, and what it puts into the place of the call
-- must not be simplified to NULL before a number out of range is noticed.
CREATE FUNCTION of_country(iuid, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT iuid_is_from($1, $2)';
CREATE FUNCTION of_entity(iuid, int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT iuid_is_from($1, $2, $3)';
CREATE FUNCTION is_known(boolean) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 IS NOT NULL';
CREATE TABLE number (n int);
INSERT INTO number VALUES (0), (7), (255), (256), (NULL);
CREATE TABLE sample (id iuid);
INSERT INTO sample VALUES (iuid_country_floor(7, 3));

-- nothing of the functions is left, and the call stays because the identifier is NULL
EXPLAIN (VERBOSE, COSTS OFF) SELECT is_known(of_country(NULL, n)) FROM number;
SELECT n, is_known(of_country(NULL, n)) AS null_id, is_known(of_entity(NULL, n, 3)) AS null_id_2,
	is_known(of_entity(NULL, 7, n)) AS null_id_3
FROM number WHERE n < 256 OR n IS NULL ORDER BY n;
\set VERBOSITY sqlstate
SELECT is_known(of_country(NULL, n)) FROM number WHERE n = 256;
SELECT is_known(of_entity(NULL, n, 3)) FROM number WHERE n = 256;
SELECT is_known(of_entity(NULL, 7, n)) FROM number WHERE n = 256;
SELECT is_known(of_entity(NULL, n, 300)) FROM number WHERE n = 7;
SELECT is_known(of_country(NULL, 256));
SELECT is_known(of_country(id, 256)) FROM sample;
\set VERBOSITY default
-- a NULL number comes first, and gives NULL
SELECT of_country(id, NULL), of_entity(id, NULL, 3), of_entity(id, 7, NULL),
	of_entity(id, NULL, 300), of_entity(id, 300, NULL), of_country(NULL, NULL),
	is_known(of_country(id, NULL)), is_known(of_entity(id, 300, NULL)), is_known(of_country(NULL, NULL)) FROM sample;
-- any other number is one of the answers
SELECT n, of_country(id, n), of_entity(id, n, 3), of_entity(id, 7, n), is_known(of_country(id, n))
FROM number, sample WHERE n < 256 OR n IS NULL ORDER BY n;
SELECT of_country(id, 7), of_entity(id, 7, 3), of_country(id, 8), of_entity(id, 7, 4), is_known(of_country(id, 8))
FROM sample;

DROP FUNCTION of_country, of_entity, is_known;
DROP TABLE number, sample;
