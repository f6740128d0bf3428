-- Adding, deleting and renaming pages: schema.sql reads this file.
--
-- Sessions may do this at once, with the same pages and terms in any order.
--
-- A page has postings only while it is live.  Who adds a posting holds the page and the term FOR
-- KEY SHARE until the transaction ends, as foreign keys do; many may hold a row like that.  Who
-- deletes or renames a page, or sets its terms, holds it FOR UPDATE, alone.  ON CONFLICT DO NOTHING
-- holds nothing: the row that was there may be gone a moment later.
--
-- A call takes pages one by one in the order of their identifiers, then terms, then postings.  So
-- calls cannot end in a deadlock; transactions of several calls can.

-- What a session reads after it has waited for a lock must be what is committed by then.
CREATE FUNCTION refuse_old_snapshot() RETURNS void LANGUAGE plpgsql STABLE AS $$
BEGIN
	IF current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted') THEN
		RAISE EXCEPTION 'pages cannot be changed in a transaction with an old snapshot'
			USING ERRCODE = 'active_sql_transaction',
			DETAIL = format('The transaction is %s.', upper(current_setting('transaction_isolation'))),
			HINT = 'Use a READ COMMITTED transaction.';
	END IF;
END $$;

CREATE FUNCTION refuse_two_names(id iuid, one text, other text) RETURNS void LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	RAISE EXCEPTION 'two names have one identifier' USING ERRCODE = '23U01',
		DETAIL = format('The identifier %s is of "%s" and of "%s".', id, one, other),
		HINT = 'Leave one of the two out, or derive all identifiers anew, with another entity.';
END $$;

-- Holds the page of this URL, with others who add to it, or alone.  From then on the page is there,
-- and live.
CREATE FUNCTION hold_page(a_url text, alone boolean DEFAULT false) RETURNS pages LANGUAGE plpgsql AS $$
DECLARE
	held pages;
BEGIN
	LOOP
		INSERT INTO pages (url) VALUES (a_url) ON CONFLICT (id) DO NOTHING RETURNING * INTO held;
		EXIT WHEN FOUND;
		IF alone THEN
			SELECT * INTO held FROM pages WHERE id = page_id(a_url) FOR UPDATE;
		ELSE
			SELECT * INTO held FROM pages WHERE id = page_id(a_url) FOR KEY SHARE;
		END IF;
		EXIT WHEN FOUND;   -- or else somebody has just removed the row
	END LOOP;
	IF held.url <> a_url THEN
		PERFORM refuse_two_names(held.id, held.url, a_url);
	END IF;
	IF held.status <> 'live' THEN
		UPDATE pages SET status = 'live', moved_to = NULL WHERE id = held.id RETURNING * INTO held;
	END IF;
	RETURN held;
END $$;

-- The same for terms, all in one go, as nobody ever holds a term alone.
CREATE FUNCTION hold_terms(a_fields text[], a_terms text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	ids iuid[] := ARRAY(SELECT DISTINCT term_id(field, term) FROM unnest(a_fields, a_terms) AS given(field, term));
	held int;
BEGIN
	LOOP
		INSERT INTO terms (field, term)
		SELECT field, term FROM unnest(a_fields, a_terms) AS given(field, term)
		GROUP BY field, term ORDER BY term_id(field, term), field, term
		ON CONFLICT (id) DO NOTHING;
		PERFORM FROM terms WHERE id = ANY (ids) ORDER BY id FOR KEY SHARE;
		GET DIAGNOSTICS held = ROW_COUNT;
		EXIT WHEN held = cardinality(ids);
	END LOOP;
	PERFORM refuse_two_names(t.id, t.field || ':' || t.term, given.field || ':' || given.term)
	FROM unnest(a_fields, a_terms) AS given(field, term) JOIN terms AS t ON t.id = term_id(given.field, given.term)
	WHERE t.field <> given.field OR t.term <> given.term;
END $$;

-- Takes triples of a URL, a field and a term, and gives the postings that are new.  A page that is
-- not there is made; one that was deleted or moved is live again, with its old created_at.  A page
-- that has all its terms is not even locked, so a repeat writes nothing.
CREATE FUNCTION add_postings(a_urls text[], a_fields text[], a_terms text[]) RETURNS SETOF postings LANGUAGE plpgsql AS $$
DECLARE
	incomplete text[];
BEGIN
	PERFORM refuse_old_snapshot();
	IF EXISTS (SELECT FROM unnest(a_urls, a_fields, a_terms) AS given(url, field, term)
			WHERE num_nulls(url, field, term) > 0) THEN
		RAISE EXCEPTION 'a URL, a field or a term is missing' USING ERRCODE = 'null_value_not_allowed',
			DETAIL = format('The arrays have %s, %s and %s elements; none may be NULL.',
				coalesce(cardinality(a_urls), 0), coalesce(cardinality(a_fields), 0), coalesce(cardinality(a_terms), 0)),
			HINT = 'Give arrays of one length.';
	END IF;

	-- OFFSET 0: one by one, through the keys, however large the tables are
	incomplete := ARRAY(
		SELECT url FROM unnest(a_urls, a_fields, a_terms) AS given(url, field, term)
		WHERE NOT EXISTS (
			SELECT FROM postings AS o JOIN pages AS p ON p.id = o.page JOIN terms AS t ON t.id = o.term
			WHERE o.page = page_id(given.url) AND o.term = term_id(given.field, given.term)
				AND p.url = given.url AND t.field = given.field AND t.term = given.term OFFSET 0)
		GROUP BY url);

	-- the subquery, for this order
	PERFORM hold_page(url) FROM (SELECT url FROM unnest(incomplete) AS url ORDER BY page_id(url), url) AS x;
	PERFORM hold_terms(array_agg(field), array_agg(term))
	FROM unnest(a_urls, a_fields, a_terms) AS given(url, field, term) JOIN unnest(incomplete) AS url USING (url);

	RETURN QUERY
	INSERT INTO postings (term, page)
	SELECT DISTINCT term_id(field, term), page_id(url)
	FROM unnest(a_urls, a_fields, a_terms) AS given(url, field, term) JOIN unnest(incomplete) AS url USING (url)
	ORDER BY 1, 2
	ON CONFLICT DO NOTHING
	RETURNING *;
END $$;

-- The texts that others do not have, once each, in about as many steps as there are texts.
CREATE FUNCTION only_in(texts text[], others text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
	SELECT ARRAY(SELECT unnest(texts) EXCEPT SELECT unnest(others))
$$;

-- Makes these the terms that a page has in a field, as when its text is indexed again, and gives
-- those that came and those that went.  If there are any, the page is live from then on.  A page
-- that has just these terms is not even locked.
CREATE FUNCTION set_postings(a_url text, a_field text, a_terms text[]) RETURNS TABLE (changed text, added boolean) LANGUAGE plpgsql
	-- A plan that was made while the tables were small may not read them from end to end.
	SET enable_seqscan = off
AS $$
DECLARE
	this CONSTANT iuid := page_id(a_url);
	had text[];
	went text[];
	came text[];
BEGIN
	PERFORM refuse_old_snapshot();
	IF num_nulls(a_url, a_field, a_terms) > 0 OR array_position(a_terms, NULL) IS NOT NULL THEN
		RAISE EXCEPTION 'a URL, a field or a term is missing' USING ERRCODE = 'null_value_not_allowed',
			HINT = 'To take all terms of a field from a page, give an empty array.';
	END IF;
	-- With no terms, a page that is not there has just these.
	had := ARRAY(SELECT * FROM terms_of(a_url, a_field));
	IF only_in(had, a_terms) || only_in(a_terms, had) = '{}' THEN
		RETURN;
	END IF;

	IF cardinality(a_terms) > 0 THEN
		PERFORM hold_page(a_url, true);
	ELSE
		PERFORM FROM pages WHERE id = this AND url = a_url FOR UPDATE;
	END IF;
	PERFORM hold_terms(array_agg(a_field), array_agg(term)) FROM unnest(a_terms) AS term;
	had := ARRAY(SELECT * FROM terms_of(a_url, a_field));   -- by now
	went := only_in(had, a_terms);
	came := only_in(a_terms, had);
	DELETE FROM postings WHERE page = this AND term IN (SELECT term_id(a_field, t) FROM unnest(went) AS t);
	INSERT INTO postings (term, page) SELECT term_id(a_field, t), this FROM unnest(came) AS t ORDER BY 1;
	RETURN QUERY
	SELECT t, false FROM unnest(went) AS t
	UNION ALL
	SELECT t, true FROM unnest(came) AS t;
END $$;

-- The same as add_postings() for pairs of a URL and a tag, which is a term of the field "tag".
CREATE FUNCTION add_pages(a_urls text[], a_tags text[]) RETURNS SETOF postings LANGUAGE sql AS $$
	SELECT * FROM add_postings(a_urls, ARRAY(SELECT 'tag' FROM unnest(a_tags)), a_tags)
$$;

-- Deletes the pages that are live, with their postings, and gives the stubs.
CREATE FUNCTION delete_pages(a_urls text[]) RETURNS SETOF pages LANGUAGE plpgsql AS $$
DECLARE
	held iuid[];
BEGIN
	PERFORM refuse_old_snapshot();
	held := ARRAY(
		SELECT p.id FROM unnest(a_urls) AS given(url) JOIN pages AS p ON p.id = page_id(given.url)
		WHERE p.url = given.url AND p.status = 'live' ORDER BY p.id FOR UPDATE OF p);
	DELETE FROM postings WHERE page = ANY (held);
	RETURN QUERY UPDATE pages SET status = 'deleted' WHERE id = ANY (held) RETURNING *;
END $$;

-- Moves a live page to another URL, with its postings and created_at, and gives the page there.
-- Where there is a page already, the two become one, with the earlier created_at.
CREATE FUNCTION rename_page(old_url text, new_url text) RETURNS pages LANGUAGE plpgsql AS $$
DECLARE
	old pages;
	new pages;
BEGIN
	PERFORM refuse_old_snapshot();
	IF num_nulls(old_url, new_url) > 0 OR old_url = new_url THEN
		RAISE EXCEPTION 'a page can only be moved from one URL to another' USING ERRCODE = 'invalid_parameter_value',
			DETAIL = format('The URLs are %L and %L.', old_url, new_url);
	END IF;
	IF page_id(new_url) < page_id(old_url) THEN
		PERFORM hold_page(new_url);
	END IF;
	SELECT * INTO old FROM pages WHERE id = page_id(old_url) AND url = old_url AND status = 'live' FOR UPDATE;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'there is no live page "%"', old_url USING ERRCODE = 'no_data_found',
			HINT = 'live_page says where a page has moved.';
	END IF;
	new := hold_page(new_url);

	INSERT INTO postings (term, page) SELECT term, new.id FROM postings WHERE page = old.id ORDER BY term
	ON CONFLICT DO NOTHING;
	DELETE FROM postings WHERE page = old.id;
	UPDATE pages SET status = 'moved', moved_to = new.id WHERE id = old.id;
	UPDATE pages SET created_at = least(created_at, old.created_at) WHERE id = new.id RETURNING * INTO new;
	RETURN new;
END $$;
