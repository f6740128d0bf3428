-- Pages of the web, keyed by the digest of their URL; terms, by theirs; and which pages have a
-- term.
--
-- Run with psql -f examples/digest.sql in a database that has iuid; with -a the statements are
-- shown, too.  What there is to copy is in digest/schema.sql, and in digest/changes.sql, which that
-- reads.
--
-- Any natural key would do: URLs, file names, account numbers of a partner.  Such a key is long,
-- and must be in the table once.  The usual table has two indexes for that, a primary key on a
-- number and a unique index on the URL.  Here the primary key is a named identifier (layout 1), a
-- function of the URL:
--   * One index, and it is the one that makes the URL unique.
--   * Whoever has the URL has the identifier.  A look-up computes it; a row of another table,
--     another shard or another region refers to it without asking; a load that is repeated finds
--     its rows there, and writes nothing.
--   * It is 16 bytes, however long the URL is.  An index on the URL refuses those of more than 2.7
--     kB.
-- The identifier is a generated column, so it cannot disagree with the URL.  Rejected: a trigger,
-- which does the same with more to go wrong; and leaving it to the clients.  Where a generated
-- column will not do, as in the key of a partitioned table, CHECK (id = page_id(url)) on a plain
-- column will.
--
-- What a digest owes:
--   * The text cannot change: another URL is another identifier, and what refers to the old one
--     would dangle.  So UPDATE is refused, and rename_page makes a second row.  The first stays as
--     a stub that says where the page is now; a page that is deleted leaves a stub, too.  A stub
--     keeps the time of creation, for when the URL is back.
--   * Two texts with one digest must not become one row.  A digest has 102 bits, so among n URLs
--     the chance is about n * n / 2^103: 10^-13 for a thousand million.  But who may choose URLs
--     freely can look for two that collide in about 2^51 attempts, which is much work but not out
--     of reach; to collide with a given URL takes 2^102.  So every function here compares the
--     texts, too, and two names of one identifier are an error that shows both.
--   * Who can guess a text can compute its identifier, without a secret.  So an identifier that a
--     stranger sees tells whether it is that of a page which the stranger has in mind.
--   * Bytes are digested: bring URLs into one form (case of the host, order of parameters) first.
--   * Country and entity are part of the identifier: they must be the same for all URLs, or there
--     may be one row for each country.
--
-- What it costs.  There is no time in the identifier, and no order: neighbours in the index are
-- strangers.  Rows inserted one after the other go to pages all over it, so the pages are about 70
-- % full, and once the index outgrows the memory, each insertion reads a page and writes it.  A
-- table without a natural key that must be unique is better off with gen_iuid().
--
-- Measured with a million URLs of 113 characters on PostgreSQL 15:
--
--                                           digest   bigserial, unique URL
--   table                                   181 MB   173 MB
--   indexes                                  40 MB   207 MB
--   pages read by a look-up by URL                4        5
--   pages written for 300 new URLs of 300 hosts 304      325
--   pages written for 300 new URLs of one host  303       28
--
-- The last line is the price: an index on the URL keeps a host's pages together.
--
-- Postings.  A term is a field and a text: a tag, a language, an author, a word.  Each term of a
-- page is a row with two foreign keys, so no posting can be without its term and its page.  The
-- price: a million postings take 60 MB of table and 81 MB of indexes; with numbers for keys, 44 MB
-- and 55 MB.  Rejected: an array of pages in the row of the term, 16 bytes a page.  It has no
-- foreign keys, and adding to it writes all of it anew: 20 more pages for a tag of 100,000 wrote
-- 1.9 MB of log and took 45 ms.  Here they write 12 kB, or 0.5 MB right after a checkpoint, and
-- take 2 ms, whatever the tag has.  A session adds 15,000 postings a second, however many there
-- are; with arrays it was 55,000 as long as there were few, and 7,000 when there were 400,000.
-- Where a list is made anew as a whole, such as by night, and then only read, an array pays.
SET timezone = 'UTC';
\ir digest/schema.sql

--
-- 9,000 mentions of 6,000 pages, in batches of 300, and the usual table beside it
--

CREATE TEMP TABLE mentions AS
SELECT n, n / 300 AS batch, 'tag-' || (n + n / 7000) % 30 AS tag,
	format('https://host-%s.example.org/archive/2026/%s/%s-%s.html', page % 50, 1 + page % 12, md5(page::text), md5('title of ' || page)) AS url
FROM generate_series(0, 8999) AS n, LATERAL (SELECT n * 7 % 6000 AS page) AS x;

CREATE TABLE numbered_pages (
	id bigserial PRIMARY KEY,
	created_at timestamptz NOT NULL DEFAULT now(),
	moved_to bigint,
	status text NOT NULL DEFAULT 'live',
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
VACUUM ANALYZE pages, terms, postings, numbered_pages;

-- one row for each URL, tag and pair: nothing is missing, nothing is there twice
SELECT (SELECT count(*) FROM pages) AS pages, count(DISTINCT url) AS urls,
	(SELECT count(*) FROM terms) AS terms, count(DISTINCT tag) AS tags,
	(SELECT count(*) FROM postings) AS postings, count(DISTINCT (url, tag)) AS pairs
FROM mentions;
SELECT count(*) AS pairs, count(*) FILTER (WHERE m.url IS NULL OR t.url IS NULL) AS different
FROM (SELECT DISTINCT url, tag FROM mentions) AS m
	FULL JOIN (SELECT url, t.term AS tag FROM terms AS t JOIN postings AS o ON o.term = t.id JOIN pages AS p ON p.id = page) AS t USING (url, tag);

-- all of it once more: nothing is new, and not one row was written or even locked
CREATE TEMP VIEW versions AS
SELECT 'page' AS kind, id, xmin AS made, xmax AS locked FROM pages UNION ALL SELECT 'term', id, xmin, xmax FROM terms
UNION ALL SELECT term::text, page, xmin, xmax FROM postings;
CREATE TEMP TABLE before AS TABLE versions;
SELECT count(*) AS new FROM (SELECT add_pages(array_agg(url), array_agg(tag)) FROM mentions) AS x;
SELECT count(*) AS rows, count(b.id) AS untouched FROM versions LEFT JOIN before AS b USING (kind, id, made, locked);

-- what was there already has used up numbers all the same; an identifier is not used up
SELECT last_value - (SELECT count(*) FROM numbered_pages) AS numbers_lost FROM numbered_pages_id_seq;

-- terms of other fields
SELECT count(*) AS new FROM (SELECT add_postings(array_agg(url), array_agg('host'::text), array_agg(substring(url FROM '//([^/]+)'))) FROM mentions) AS x;

--
-- Questions
--

-- Tables this small might be read whole.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_mergejoin = off;
SET enable_hashjoin = off;

SELECT url FROM mentions WHERE n = 4321 \gset

-- Is this URL there?  The identifier is computed once, when the query is planned.
SELECT id, iuid_layout(id), iuid_timestamp(id), length(url) FROM page(:'url');
EXPLAIN (COSTS OFF) SELECT * FROM page(:'url');
EXPLAIN (COSTS OFF) SELECT * FROM numbered_pages WHERE url = :'url';

-- Which pages have this tag?  Which have it, and are of this host?
EXPLAIN (COSTS OFF) SELECT * FROM pages_with('tag', 'tag-5');
SELECT count(*) FROM pages_with('tag', 'tag-5');
SELECT count(*) FROM pages_with('tag', 'tag-5') AS a JOIN pages_with('host', 'host-25.example.org') AS b USING (id);

-- Which terms has this page?
SELECT field, t.term FROM page(:'url') AS p JOIN postings AS o ON o.page = p.id JOIN terms AS t ON t.id = o.term ORDER BY field, t.term;

--
-- Pages that move, and go
--

-- The postings go along; whoever has the old URL or identifier finds the page.
SELECT status, url FROM rename_page(:'url', 'https://example.org/new');
SELECT status, m.url AS moved_to FROM page(:'url') AS p JOIN LATERAL (SELECT url FROM pages WHERE id = p.moved_to) AS m ON true;
SELECT url, (SELECT count(*) FROM postings WHERE page = id) AS terms FROM live_page(:'url');

-- A page that is deleted, and one that is not there; then the first is back, as old as before.
SELECT status, url FROM delete_pages('{https://example.org/new, https://example.org/never}');
SELECT count(*) FROM live_page(:'url');
SELECT count(*) AS new FROM add_pages('{https://example.org/new}', '{tag-5}');
SELECT status, url, created_at = (SELECT created_at FROM page(:'url')) AS as_old FROM live_page(:'url');

--
-- Pages that change
--

-- A page is read again, and has other tags now.  Said again, nothing changes.
SELECT * FROM set_postings('https://example.org/new', 'tag', '{red, green}') ORDER BY changed;
SELECT * FROM set_postings('https://example.org/new', 'tag', '{green, blue}') ORDER BY changed;
SELECT * FROM set_postings('https://example.org/new', 'tag', '{blue, green}') ORDER BY changed;

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
	id iuid PRIMARY KEY DEFAULT gen_iuid(125, 4),
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
RESET enable_mergejoin;
RESET enable_hashjoin;
