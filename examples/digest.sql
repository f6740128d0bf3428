-- Pages of the web, keyed by the digest of their URL; and tags, by theirs.
--
-- Run with psql -f examples/digest.sql in a database that has iuid; with -a
-- the statements are shown, too.
--
-- Any natural key would do: URLs, file names, account numbers of a partner.
-- Such a key is long, and must be in the table once.  The usual table has two
-- indexes for that, a primary key on a number and a unique index on the URL.
-- Here the primary key is a named identifier (layout 1), a function of the URL:
--   * One index, and it is the one that makes the URL unique.
--   * Whoever has the URL has the identifier.  A look-up computes it; a row of
--     another table, another shard or another region refers to it without
--     asking; a load that is repeated finds its rows there.
--   * It is 16 bytes, however long the URL is.
-- The identifier is a generated column, so it cannot disagree with the URL.
-- Rejected: a trigger, which does the same with more to go wrong; and leaving it
-- to the clients.  Where a generated column will not do, as in the key of a
-- partitioned table, CHECK (id = page_id(url)) on a plain column will.
--
-- What is lost:
--   * The URL of a page can never change: another URL is another identifier,
--     and what refers to the old one dangles.  Bring URLs into one form (case of
--     the host, order of parameters) before they come here: the digest is of
--     their bytes.
--   * Two URLs with one digest would count as one page.  A digest has 102 bits,
--     so among n URLs the chance is about n * n / 2^103: 10^-13 for a thousand
--     million.  That is for URLs as they come.  Who may choose URLs freely can
--     look for two that collide in about 2^51 attempts, which is much work but not
--     out of reach; to collide with a given URL takes 2^102.  So where strangers
--     send URLs, compare the URL, too, as the first question below does.
--   * There is no time in the identifier, and no order: neighbours in the
--     index are strangers.  Rows inserted one after the other go to pages all
--     over it, so the pages are about 70 % full, and once the index outgrows the
--     memory, each insertion reads a page and writes it.  A table without a
--     natural key that must be unique is better off with gen_iuid().
--   * Country and entity are part of the identifier: they must be the same for all
--     URLs, or there may be one row for each country.
--
-- Measured with a million URLs of 113 characters on PostgreSQL 15:
--
--                                           digest   bigserial, unique URL
--   table                                   167 MB   158 MB
--   indexes                                  39 MB   225 MB
--   pages read by a look-up by URL                4        5
--   pages written for 300 new URLs of 300 hosts 304      348
--   pages written for 300 new URLs of one host  309       23
--
-- The last line is the price: an index on the URL keeps a host's pages together.
SET timezone = 'UTC';

-- Country 7; entity 4 stands for "page" and 5 for "tag".  They stand here only.
CREATE FUNCTION page_id(url text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(7, 4, url);
CREATE FUNCTION tag_id(tag text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(7, 5, tag);

CREATE TABLE pages (
	id iuid PRIMARY KEY GENERATED ALWAYS AS (page_id(url)) STORED,
	url text NOT NULL
);

-- The pages of each tag in one row: the question "which pages have this tag" is
-- one look-up of the tag, and one for each page.  An array has no foreign
-- keys: who deletes a page takes it out of its tags in the same transaction
-- (array_remove).  Adding to a row writes all of it anew, so this is for tags
-- with up to some thousands of pages that are read more often than written.
-- Beyond that, divide a tag's row (tag_id(tag || '#' || n), n by the page), or
-- take a table with a row for each pair.
CREATE TABLE tags (
	id iuid PRIMARY KEY GENERATED ALWAYS AS (tag_id(tag)) STORED,
	tag text NOT NULL,
	pages iuid[] NOT NULL
);

-- Takes pairs of a URL and a tag; those that are there change nothing.
--
-- Sessions may do this at once.  The primary keys let one row in, and ON CONFLICT
-- DO UPDATE waits for the other session, and then adds to what that has
-- committed: no page is lost, as it would be in "read, add, write back".  A call
-- takes its rows in one order, so that calls cannot end in a deadlock; transactions
-- of several calls can.  From REPEATABLE READ on it fails instead (40001), and is to be tried again.
CREATE FUNCTION add_pages(a_urls text[], a_tags text[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO pages (url)
	SELECT DISTINCT url FROM unnest(a_urls) AS url ORDER BY url
	ON CONFLICT (id) DO NOTHING;

	INSERT INTO tags (tag, pages)
	SELECT tag, array_agg(DISTINCT page_id(url)) FROM unnest(a_urls, a_tags) AS pair(url, tag)
	GROUP BY tag ORDER BY tag
	ON CONFLICT (id) DO UPDATE
	SET pages = tags.pages || ARRAY(SELECT unnest(EXCLUDED.pages) EXCEPT SELECT unnest(tags.pages))
	WHERE NOT tags.pages @> EXCLUDED.pages
$$;

--
-- 9,000 mentions of 6,000 pages, in batches of 300, and the usual table beside it
--

CREATE TEMP TABLE mentions AS
SELECT n, n / 300 AS batch, 'tag-' || (n + n / 7000) % 30 AS tag,
	format('https://host-%s.example.org/archive/2026/%s/%s-%s.html', page % 50, 1 + page % 12, md5(page::text), md5('title of ' || page)) AS url
FROM generate_series(0, 8999) AS n, LATERAL (SELECT n * 7 % 6000 AS page) AS x;

CREATE TABLE numbered_pages (
	id bigserial PRIMARY KEY,
	url text NOT NULL UNIQUE
);

DO $$
BEGIN
	FOR i IN 0..29 LOOP
		PERFORM add_pages(array_agg(url), array_agg(tag)) FROM mentions WHERE batch = i;
		INSERT INTO numbered_pages (url) SELECT DISTINCT url FROM mentions WHERE batch = i ORDER BY url
		ON CONFLICT (url) DO NOTHING;
	END LOOP;
END $$;
VACUUM ANALYZE pages, tags, numbered_pages;

-- one row for each URL and tag, with all its pages: nothing is missing, nothing is there twice
SELECT (SELECT count(*) FROM pages) AS pages, count(DISTINCT url) AS urls,
	(SELECT count(*) FROM tags) AS tag_rows, count(DISTINCT tag) AS tags,
	(SELECT sum(cardinality(pages)) FROM tags) AS pairs, count(DISTINCT (url, tag)) AS distinct_pairs
FROM mentions;
SELECT count(*) AS pairs, count(*) FILTER (WHERE m.url IS NULL OR t.tag IS NULL) AS different
FROM (SELECT DISTINCT url, tag FROM mentions) AS m
	FULL JOIN (SELECT url, tag FROM tags, unnest(pages) AS page JOIN pages AS p ON p.id = page) AS t USING (url, tag);

-- all of it once more: not one row version is new
CREATE TEMP TABLE before AS SELECT id, xmin AS version FROM pages UNION ALL SELECT id, xmin FROM tags;
SELECT add_pages(array_agg(url), array_agg(tag)) FROM mentions;
SELECT count(*) AS rows, count(b.id) AS untouched
FROM (SELECT id, xmin AS version FROM pages UNION ALL SELECT id, xmin FROM tags) AS a LEFT JOIN before AS b USING (id, version);

-- what was there already has used up numbers all the same; an identifier is not used up
SELECT last_value - (SELECT count(*) FROM numbered_pages) AS numbers_lost FROM numbered_pages_id_seq;

--
-- Questions
--

-- Tables this small might be read whole.
SET enable_seqscan = off;
SET enable_bitmapscan = off;

SELECT url FROM mentions WHERE n = 4321 \gset

-- Is this URL there?  The identifier is computed once, when the query is planned.
SELECT id, iuid_layout(id), iuid_timestamp(id), length(url) FROM pages WHERE id = page_id(:'url');
EXPLAIN (COSTS OFF) SELECT * FROM pages WHERE id = page_id(:'url') AND url = :'url';
EXPLAIN (COSTS OFF) SELECT * FROM numbered_pages WHERE url = :'url';

-- Which pages have this tag?  Which have both?
EXPLAIN (COSTS OFF) SELECT p.* FROM tags AS t JOIN pages AS p ON p.id = ANY (t.pages) WHERE t.id = tag_id('tag-5');
SELECT count(*) FROM tags AS t JOIN pages AS p ON p.id = ANY (t.pages) WHERE t.id = tag_id('tag-5');
SELECT count(*) FROM tags AS a, tags AS b, pages AS p
WHERE a.id = tag_id('tag-5') AND b.id = tag_id('tag-6') AND p.id = ANY (a.pages) AND p.id = ANY (b.pages);

--
-- Beside the usual table
--

-- Pages that a query reads, in memory or not, once the catalogs are known.
CREATE FUNCTION pages_read(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	FOR i IN 1..2 LOOP
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ' || query INTO plan;
	END LOOP;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END $$;

-- A third table has both: an identifier with a time, and a unique index.
CREATE TABLE timed_pages (
	id iuid PRIMARY KEY DEFAULT gen_iuid(7, 4),
	url text NOT NULL UNIQUE
);
INSERT INTO timed_pages (url) SELECT url FROM numbered_pages ORDER BY id;
VACUUM ANALYZE timed_pages;

-- TABLE comparison shows the figures.
CREATE TABLE comparison AS
SELECT name, pg_table_size(name) AS table_bytes, pg_indexes_size(name) AS index_bytes, pg_relation_size(name || '_pkey') AS key_bytes,
	pages_read(format('SELECT * FROM %I WHERE ', name) || CASE name WHEN 'pages' THEN format('id = page_id(%1$L) AND url = %1$L', :'url')
		ELSE format('url = %L', :'url') END) AS look_up, correlation
FROM unnest(ARRAY['pages', 'numbered_pages', 'timed_pages']) AS name
	JOIN pg_stats ON schemaname = current_schema AND tablename = name AND attname = 'id';

-- Smaller by far, most of all in its indexes, although a row is wider; fewer pages for a look-up.
SELECT digest.table_bytes > numbered.table_bytes AS wider_rows,
	digest.index_bytes < numbered.index_bytes / 3 AS a_third_of_the_indexes,
	digest.table_bytes + digest.index_bytes < (numbered.table_bytes + numbered.index_bytes) * 0.7 AS smaller_by_a_third,
	digest.look_up < numbered.look_up AS fewer_pages_read
FROM comparison AS digest, comparison AS numbered WHERE digest.name = 'pages' AND numbered.name = 'numbered_pages';

-- But its key is scattered, and takes more room than the same 16 bytes in the order of time.
SELECT abs(digest.correlation) < 0.1 AS scattered, timed.correlation > 0.99 AS in_order,
	digest.key_bytes > timed.key_bytes * 1.2 AS looser_index
FROM comparison AS digest, comparison AS timed WHERE digest.name = 'pages' AND timed.name = 'timed_pages';

RESET enable_seqscan;
RESET enable_bitmapscan;
