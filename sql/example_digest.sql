-- A table keyed by the digest of its natural key: the example, and what its comments say of it.
\i examples/digest.sql
\set SHOW_CONTEXT never

-- the two counts by term, from the source
SELECT count(DISTINCT url) FILTER (WHERE tag = 'tag-5') AS with_the_tag,
	count(DISTINCT url) FILTER (WHERE tag = 'tag-5' AND url LIKE '%//host-25.example.org/%') AS of_the_host
FROM mentions;

-- both as an independent program computes them: from_name(b'https://example.org/', 125, 4) in test/data/derived.py
INSERT INTO pages (url) VALUES ('https://example.org/'), ('https://example.org/?') RETURNING id, url;

-- one row for each URL, by the key; the key is the URL's and cannot be another; nor can the URL
INSERT INTO pages (url) VALUES ('https://example.org/');
INSERT INTO pages (id, url) VALUES (gen_iuid(125, 4), 'https://example.org/other');
\echo :LAST_ERROR_SQLSTATE
UPDATE pages SET id = gen_iuid(125, 4) WHERE url = 'https://example.org/';
\echo :LAST_ERROR_SQLSTATE
UPDATE pages SET url = 'https://example.org/other' WHERE url = 'https://example.org/';
\echo :LAST_ERROR_SQLSTATE
UPDATE pages SET url = url WHERE url = 'https://example.org/' RETURNING url;

-- a URL that no index on it takes
SELECT string_agg(md5(n::text), '/') AS long FROM generate_series(1, 300) AS n \gset
INSERT INTO pages (url) VALUES (:'long') RETURNING length(url);
\set VERBOSITY sqlstate
INSERT INTO numbered_pages (url) VALUES (:'long');
\set VERBOSITY default

-- Pages, with what became of them and their terms.
TRUNCATE pages, terms, postings;
CREATE VIEW shown AS
SELECT p.url, p.status, m.url AS moved_to, array_agg(field || ':' || t.term ORDER BY field, t.term) FILTER (WHERE t.id IS NOT NULL) AS terms
FROM pages AS p LEFT JOIN pages AS m ON m.id = p.moved_to LEFT JOIN postings AS o ON o.page = p.id LEFT JOIN terms AS t ON t.id = o.term
GROUP BY p.id, m.id ORDER BY p.url;

-- the same pair twice in a batch, a second page for a tag, a second tag for a page, an empty batch
SELECT count(*) AS new FROM add_pages(ARRAY['a:', 'a:', 'b:', 'a:'], ARRAY['x', 'x', 'x', 'y']);
SELECT count(*) AS new FROM add_pages(ARRAY['c:', 'b:'], ARRAY['x', 'x']);
SELECT count(*) AS new FROM add_pages('{}', '{}');
-- another field, in which the same text is another term; both halves of a name may have a part of the other
SELECT count(*) AS new FROM add_postings('{a:, a:, a:, c:}', '{author, tag, tag:, ta}', '{x, :x, x, g:x}');
SELECT count(*) AS new FROM add_postings('{a:, a:, c:}', '{author, tag, ta}', '{x, :x, g:x}');
TABLE shown;
SELECT url FROM pages_with('author', 'x');

-- what is missing is an error, and nothing is added
SELECT add_pages('{d:, e:}', '{x}');
\echo :LAST_ERROR_SQLSTATE
SELECT add_pages('{d:, NULL}', '{x, x}');
SELECT add_pages('{d:}', NULL);
SELECT count(*) FROM page('d:');

-- a URL and a term that are in use do not change, either
UPDATE pages SET url = 'd:' WHERE url = 'a:';
UPDATE terms SET field = 'label' WHERE id = term_id('tag', 'x');
DELETE FROM pages WHERE url = 'a:';

-- moves: to a new page, to one that is there, back, to itself, and of what is not there
UPDATE pages SET created_at = '2020-01-01 00:00+00'::timestamptz + (ascii(url) - 97) * interval '1 day';
SELECT url, status, created_at FROM rename_page('b:', 'd:');
SELECT url, status, created_at FROM rename_page('d:', 'a:');
TABLE shown;
SELECT url FROM live_page('b:');
SELECT url, status, created_at FROM rename_page('a:', 'b:');
SELECT url FROM live_page('a:');
SELECT url FROM live_page('d:');
SELECT rename_page('b:', 'b:');
\echo :LAST_ERROR_SQLSTATE
SELECT rename_page('a:', 'e:');
\echo :LAST_ERROR_SQLSTATE
SELECT rename_page('e:', 'f:');
SELECT rename_page('b:', NULL);
TABLE shown;

-- deletions: of a page to which others moved, again, and of what is not there
SELECT url, status, created_at FROM delete_pages('{c:, b:, b:, a:, e:, NULL}') ORDER BY url;
SELECT url FROM delete_pages('{c:, b:}');
SELECT count(*) FROM live_page('d:');
SELECT count(*) AS new FROM add_pages('{a:, b:}', '{z, z}');
SELECT url, status, created_at FROM pages ORDER BY url;
TABLE shown;

-- with an old snapshot nothing is changed, rather than half of it
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT add_pages('{a:}', '{w}');
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT delete_pages('{a:}');
ROLLBACK;
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT rename_page('a:', 'c:');
ROLLBACK;

-- Digests that meet, of a weaker function: in one call, in two, and when a page moves.
TRUNCATE pages, terms, postings;
CREATE OR REPLACE FUNCTION page_id(url text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(125, 4, left(url, 1));
CREATE OR REPLACE FUNCTION term_id(field text, term text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(125, 5, left(term, 1));
SELECT add_pages('{a2, a1, b1}', '{x, x, x}');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM add_pages('{a1, b1, c1}', '{x, x, y}');
SELECT add_pages('{a2}', '{x}');
SELECT add_pages('{a1}', '{x2}');
SELECT add_pages('{d1, d1}', '{z1, z2}');
SELECT rename_page('b1', 'a2');
SELECT rename_page('a2', 'd1');
SELECT url FROM delete_pages('{a2, c1}');
SELECT count(*) AS pages, (SELECT count(*) FROM live_page('a2')) AS live, (SELECT count(*) FROM pages_with('tag', 'x2')) AS with_term FROM page('a2');
TABLE shown;

DROP VIEW shown, versions;
DROP FUNCTION add_pages, add_postings, delete_pages, rename_page, hold_page, hold_terms, page, live_page, pages_with, pages_read, refuse_old_snapshot, refuse_two_names;
DROP TABLE pages, terms, postings, numbered_pages, timed_pages, comparison;
DROP FUNCTION page_id, term_id, refuse_other_text;
DROP TABLE mentions, before;
