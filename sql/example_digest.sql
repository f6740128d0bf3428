-- A table keyed by the digest of its natural key: the example, and what its comments say of it.
\i examples/digest.sql

-- the two counts by tag, from the source
SELECT count(DISTINCT url) FILTER (WHERE tag = 'tag-5') AS with_the_tag,
	count(DISTINCT url) FILTER (WHERE tag = 'tag-5' AND url IN (SELECT url FROM mentions WHERE tag = 'tag-6')) AS with_both
FROM mentions;

-- both as an independent program computes them: from_name(b'https://example.org/', 7, 4) in test/data/derived.py
INSERT INTO pages (url) VALUES ('https://example.org/'), ('https://example.org/?') RETURNING id, url;

-- one row for each URL, by the key; the key is the URL's and cannot be another
INSERT INTO pages (url) VALUES ('https://example.org/');
INSERT INTO pages (id, url) VALUES (gen_iuid(7, 4), 'https://example.org/other');
\echo :LAST_ERROR_SQLSTATE
UPDATE pages SET id = gen_iuid(7, 4) WHERE url = 'https://example.org/';
\echo :LAST_ERROR_SQLSTATE

-- the same pair twice in a batch, a second page for a tag, a second tag for a page, an empty batch
SELECT add_pages(ARRAY['a:', 'a:', 'b:', 'a:'], ARRAY['x', 'x', 'x', 'y']);
SELECT add_pages(ARRAY['c:', 'b:'], ARRAY['x', 'x']);
SELECT add_pages('{}', '{}');
SELECT tag, ARRAY(SELECT url FROM pages WHERE pages.id = ANY (tags.pages) ORDER BY url) AS urls, cardinality(pages)
FROM tags WHERE tag IN ('x', 'y') ORDER BY tag;

-- what is lost: a URL that changes leaves its tags behind
UPDATE pages SET url = 'd:' WHERE id = page_id('a:') RETURNING id = page_id('d:') AS another_id;
SELECT tag, page = page_id('a:') AS dangling FROM tags, unnest(pages) AS page
WHERE tag IN ('x', 'y') AND NOT EXISTS (SELECT FROM pages WHERE id = page) ORDER BY tag;

DROP FUNCTION add_pages, pages_read;
DROP TABLE pages, tags, numbered_pages, timed_pages, comparison;
DROP FUNCTION page_id, tag_id;
DROP TABLE mentions, before;
