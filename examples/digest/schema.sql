-- Pages and terms, keyed by the digest of their text, and a posting for each term of a page.
--
-- For any schema of a database that has iuid.  examples/digest.sql explains and tries it.

-- Country 125; entity 4 stands for "page" and 5 for "term".  They stand here only.  Who can guess a
-- URL or a term can calculate its identifier, and so find out which one an identifier is of.
CREATE FUNCTION page_id(url text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(125, 4, url);
CREATE FUNCTION term_id(field text, term text) RETURNS iuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN iuid_from_name(125, 5, field || ':' || term);

-- A page that is gone stays as a stub: whoever has its URL or identifier learns what became of it.
CREATE TABLE pages (
	id iuid PRIMARY KEY GENERATED ALWAYS AS (page_id(url)) STORED,
	created_at timestamptz NOT NULL DEFAULT now(),
	moved_to iuid REFERENCES pages,
	status text NOT NULL DEFAULT 'live' CHECK (status IN ('live', 'moved', 'deleted')),
	url text NOT NULL,
	CHECK ((status = 'moved') = (moved_to IS NOT NULL))
);
CREATE INDEX ON pages (moved_to) WHERE moved_to IS NOT NULL;

-- Without a colon in the field, no two terms have one name.
CREATE TABLE terms (
	id iuid PRIMARY KEY GENERATED ALWAYS AS (term_id(field, term)) STORED,
	field text NOT NULL CONSTRAINT no_colon_in_field CHECK (position(':' IN field) = 0),
	term text NOT NULL
);

CREATE TABLE postings (
	term iuid REFERENCES terms,
	page iuid REFERENCES pages,
	PRIMARY KEY (term, page)
);
CREATE INDEX ON postings (page);

-- Another text would be another identifier, and what refers to the old one would dangle.  AFTER:
-- with a BEFORE trigger, every UPDATE of pages would lock the row as if its key changed, and those
-- who add to a page would end in deadlocks.  The names are before those of the foreign keys'
-- triggers.
CREATE FUNCTION refuse_other_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the text of a row of "%" cannot change, as its identifier comes from it', TG_TABLE_NAME
		USING ERRCODE = 'restrict_violation', HINT = TG_ARGV[0];
END $$;
CREATE TRIGGER "A_url_stays" AFTER UPDATE OF url ON pages
FOR EACH ROW WHEN (NEW.url <> OLD.url) EXECUTE FUNCTION refuse_other_text('Call rename_page.');
CREATE TRIGGER "A_term_stays" AFTER UPDATE OF field, term ON terms
FOR EACH ROW WHEN ((NEW.field, NEW.term) <> (OLD.field, OLD.term))
EXECUTE FUNCTION refuse_other_text('Add the other term to the pages that have this one.');

--
-- Looking up.  Each compares the texts, too: one identifier does not prove one text.
--

-- The row of this URL, or none.
CREATE FUNCTION page(a_url text) RETURNS SETOF pages LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT * FROM pages WHERE id = page_id(a_url) AND url = a_url
$$;

-- The live page that this URL leads to, by however many moves, or none.
CREATE FUNCTION live_page(a_url text) RETURNS SETOF pages LANGUAGE sql STABLE PARALLEL SAFE AS $$
	WITH RECURSIVE way AS (
		SELECT * FROM page(a_url)
		UNION ALL
		SELECT p.* FROM way JOIN pages AS p ON p.id = way.moved_to
	)
	SELECT * FROM way WHERE status = 'live'
$$;

-- The pages with this term.
CREATE FUNCTION pages_with(a_field text, a_term text) RETURNS SETOF pages LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT p.* FROM terms AS t JOIN postings AS o ON o.term = t.id JOIN pages AS p ON p.id = o.page
	WHERE t.id = term_id(a_field, a_term) AND t.field = a_field AND t.term = a_term
$$;

-- The terms that a page has in a field.  OFFSET 0: of the terms only those of the page, by their
-- key, however many others the field has.
CREATE FUNCTION terms_of(a_url text, a_field text) RETURNS SETOF text LANGUAGE sql STABLE PARALLEL SAFE AS $$
	SELECT t.term FROM page(a_url) AS p JOIN postings AS o ON o.page = p.id
		CROSS JOIN LATERAL (SELECT term FROM terms WHERE id = o.term AND field = a_field OFFSET 0) AS t
$$;

\ir changes.sql
