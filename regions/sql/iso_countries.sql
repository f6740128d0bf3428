-- ISO 3166-1 as a starting set, against Debian's iso-codes.
\set SHOW_CONTEXT never
CREATE TEMP TABLE iso (code text, name text);
\copy iso FROM '../test/data/iso_3166_1.tsv' (FORMAT csv, DELIMITER E'\t', QUOTE E'\b', HEADER true)

SELECT iuid_register_iso_countries();
SELECT iuid_register_iso_countries() AS again;
SELECT count(*), count(DISTINCT country), min(country), max(country) FROM iuid_countries;
SELECT count(*) AS all_codes_and_names FROM iuid_countries JOIN iso USING (code, name);
SELECT count(*) AS in_alphabetical_order
FROM (SELECT country, row_number() OVER (ORDER BY code COLLATE "C") FROM iuid_countries) AS x
WHERE country = row_number;

-- the numbers, which are in identifiers and never change
SELECT min(country), string_agg(code, ' ' ORDER BY country) FROM iuid_countries GROUP BY (country - 1) / 25 ORDER BY 1;

-- the file beside the page has the same, and nothing else
CREATE TEMP TABLE file (country int, code text, name text);
\copy file FROM '../doc/iso-3166-1.csv' (FORMAT csv, HEADER true)
SELECT count(*), count(file.country) AS in_the_file, count(iso.country) AS in_the_function
FROM file FULL JOIN iuid_iso_countries() AS iso USING (country, code, name);

-- what is there stays
UPDATE iuid_countries SET name = 'Qazaqstan' WHERE code = 'KZ';
DELETE FROM iuid_countries WHERE code IN ('MX', 'ID');
INSERT INTO iuid_countries VALUES (250, 'XK', 'Kosovo');
SELECT iuid_register_iso_countries() AS missing;
SELECT country, code, name FROM iuid_countries WHERE code IN ('KZ', 'MX', 'XK') ORDER BY code;

-- numbers of one's own: nothing is changed
TRUNCATE iuid_routes, iuid_countries;
INSERT INTO iuid_countries VALUES (7, 'KZ', 'Kazakhstan');
SELECT iuid_register_iso_countries();
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM iuid_countries;
UPDATE iuid_countries SET country = 200;
SELECT iuid_register_iso_countries();
UPDATE iuid_countries SET (country, code) = (7, 'XK');
SELECT iuid_register_iso_countries();
SELECT * FROM iuid_countries;

TRUNCATE iuid_routes, iuid_nodes, iuid_entities, iuid_countries;
