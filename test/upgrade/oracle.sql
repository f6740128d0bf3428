-- The answers to the questions of answers.sql by the values as uuid, with core's operators only, and
-- by the places of the fields in doc/format.md.
\set ON_ERROR_STOP on
SET timezone = 'UTC';
SET enable_indexscan = off;
SET enable_indexonlyscan = off;
SET enable_bitmapscan = off;

CREATE FUNCTION pg_temp.country(u uuid) RETURNS int LANGUAGE sql RETURN get_byte(uuid_send(u), 7);
CREATE FUNCTION pg_temp.entity(u uuid) RETURNS int LANGUAGE sql
	RETURN (get_byte(uuid_send(u), 8) & 63) << 2 | get_byte(uuid_send(u), 9) >> 6;
CREATE FUNCTION pg_temp.at(u uuid) RETURNS timestamptz LANGUAGE sql
	RETURN to_timestamp(('x' || translate(substr(u::text, 1, 13), '-', ''))::bit(48)::bigint / 1000.0);

SELECT name, question, md5(answer)
FROM indexed CROSS JOIN unnest(questions) AS question JOIN (
	SELECT unnest('{one,one_uuid,array}'::text[]) AS name_of_question, string_agg(n::text, ',' ORDER BY n) AS answer
		FROM reference WHERE u IN (SELECT u FROM sample)
	UNION ALL SELECT 'range', string_agg(n::text, ',' ORDER BY n) FROM reference
		WHERE u >= '01500000-0000-8000-8000-000000000000' AND u < '0180ffff-ffff-8000-8000-000000000000'
	UNION ALL SELECT 'time', string_agg(n::text, ',' ORDER BY n) FROM reference
		WHERE pg_temp.at(u) >= '2019-05-01 00:00+00' AND pg_temp.at(u) < '2020-07-01 00:00+00'
	UNION ALL SELECT 'country', string_agg(n::text, ',' ORDER BY n) FROM reference
		WHERE pg_temp.country(u) = 7 AND pg_temp.entity(u) = 1
	UNION ALL SELECT 'order', string_agg(n::text, ',' ORDER BY u) FROM reference
	UNION ALL SELECT 'country_order', string_agg(n::text, ',' ORDER BY pg_temp.country(u), pg_temp.entity(u), u) FROM reference
) AS answers ON name_of_question = question
ORDER BY name, question;

SELECT parent, question, md5(answer)
FROM partitioned CROSS JOIN (
	SELECT 'one' AS question, string_agg(n::text, ',' ORDER BY n) AS answer FROM rows WHERE n % 37 = 0
	UNION ALL SELECT 'time', string_agg(n::text, ',' ORDER BY n) FROM rows
		WHERE pg_temp.at(u) >= now() - interval '190 days' AND pg_temp.at(u) < now() - interval '110 days'
) AS answers
ORDER BY parent::text, question;

SELECT 'orders', question, md5(answer)
FROM (
	SELECT unnest('{by time,recent}'::text[]) AS question, string_agg(n::text, ',' ORDER BY n) AS answer FROM rows WHERE pg_temp.at(u) >= now() + interval '10 days'
	UNION ALL SELECT unnest('{by country,by partial index}'::text[]), string_agg(n::text, ',' ORDER BY n) FROM rows WHERE pg_temp.country(u) = 7
	UNION ALL SELECT 'by span', string_agg(n::text, ',' ORDER BY n) FROM rows WHERE pg_temp.at(u) < now() + interval '10 days'
	UNION ALL SELECT unnest('{by line,by reference,parents}'::text[]), string_agg(n::text, ',' ORDER BY n) FROM rows
) AS answers
ORDER BY 2;

SELECT DISTINCT ON (2) 'first_ids', pg_temp.country(u), u FROM rows ORDER BY 2, 3;
SELECT 'registry', 'KZ', 'RideOrder', 'almaty';
SELECT 'orders', 'of clerk', md5(string_agg(n::text, ',' ORDER BY n)) FROM rows WHERE pg_temp.country(u) = 8;
