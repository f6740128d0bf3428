-- A migration that loses no row: what it needs for any history.
--
-- Each old row has one of two ends.  Either the row has come: its new row is there, and a map, which
-- is a table of old keys and identifiers, has its old key.  Or the row is set aside, with a reason.
-- An old row is recognised by its old key and by nothing else.  So a run can be repeated: a
-- created_at that somebody corrects after its row has come makes no second row, and a row that is
-- deleted from the new table does not come back.  ON CONFLICT (id) DO NOTHING would take two old
-- rows with one identifier for one row, and lose the second.

CREATE TABLE set_aside (
	source text,
	key text,
	reason text NOT NULL,
	old_row jsonb NOT NULL,
	since timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (source, key)
);

-- The times that identifiers can have, and those for which a table has partitions.
CREATE FUNCTION identifier_times() RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{["1970-01-01 00:00+00","10889-08-02 05:31:50.656+00")}'::tstzmultirange;

CREATE FUNCTION partition_times(parent regclass) RETURNS tstzmultirange LANGUAGE sql STABLE PARALLEL RESTRICTED
BEGIN ATOMIC
	SELECT coalesce(range_agg(tstzrange(lower, upper)) * identifier_times(), '{}') FROM iuid_partitions(parent);
END;

CREATE FUNCTION is_version_7(id uuid) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id::text ~ '^.{14}7.{4}[89ab]';

-- Brings what has not come yet from one old table, whose primary key is "id", into one new table.
-- "arriving" is a view of what has not come yet, with these columns:
--   * key: the old key;
--   * all columns of the new table that are to be filled, among them id;
--   * reason: why the row cannot come, or NULL.  Whatever the new table would refuse needs a reason
--     here.  What has none aborts the run, and then nothing is changed.
--   * old_row: the old row as jsonb.
-- The map has two columns: the old key and the identifier.  set_aside has the name of the old table as
-- it is written here.
CREATE PROCEDURE migrate(old text, arriving regclass, map regclass, new regclass) LANGUAGE plpgsql AS $$
DECLARE
	columns text := (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
		WHERE attrelid = arriving AND attnum > 0 AND attname NOT IN ('key', 'reason', 'old_row'));
	come bigint;
	lost text[];
BEGIN
	EXECUTE format('CREATE TEMP TABLE arrived AS SELECT key, %s, reason, CASE WHEN reason IS NOT NULL THEN old_row END AS old_row FROM %s', columns, arriving);

	INSERT INTO set_aside AS s (source, key, reason, old_row)
	SELECT old, a.key::text, a.reason, a.old_row FROM pg_temp.arrived AS a WHERE a.reason IS NOT NULL
	ON CONFLICT (source, key) DO UPDATE SET reason = excluded.reason, old_row = excluded.old_row
	WHERE (s.reason, s.old_row) IS DISTINCT FROM (excluded.reason, excluded.old_row);

	DELETE FROM pg_temp.arrived WHERE reason IS NOT NULL;
	BEGIN
		EXECUTE format('INSERT INTO %s (%s) SELECT %2$s FROM pg_temp.arrived ORDER BY id', new, columns);
		GET DIAGNOSTICS come = ROW_COUNT;
		EXECUTE format('INSERT INTO %s SELECT key, id FROM pg_temp.arrived ORDER BY key', map);
	EXCEPTION WHEN unique_violation THEN
		CALL explain_clash(old, new);
		RAISE;
	END;
	IF come <> (SELECT count(*) FROM pg_temp.arrived) THEN
		RAISE integrity_constraint_violation USING MESSAGE = format('not every row came from %s into %s', old, new);
	END IF;
	DROP TABLE pg_temp.arrived;

	-- What has come now, or by hand, is no longer set aside.
	EXECUTE format('DELETE FROM set_aside AS s USING %s AS m (key, id) WHERE s.source = %L AND s.key = m.key::text', map, old);

	-- Each old row has one of the two ends, and none has both.
	EXECUTE format('SELECT array_agg(o.id::text) FROM %s AS o LEFT JOIN %s AS m (key, id) ON m.key = o.id
		LEFT JOIN set_aside AS s ON s.source = %L AND s.key = o.id::text WHERE (m.key IS NULL) = (s.key IS NULL)', old::regclass, map, old) INTO lost;
	IF lost IS NOT NULL THEN
		RAISE integrity_constraint_violation USING
			MESSAGE = format('rows of %s have neither come nor been set aside', old),
			DETAIL = format('Their number is %s, the first ones are %s.', cardinality(lost), array_to_string(lost[:5], ', '));
	END IF;
END $$;

-- Which two old rows have one identifier?  The view old_keys shows what the maps have.
CREATE PROCEDURE explain_clash(old text, new regclass) LANGUAGE plpgsql AS $$
DECLARE
	clash record;
BEGIN
	EXECUTE format('SELECT a.id, a.key, coalesce(k.key || '' of '' || k.source, ''a row that no map has'') AS other
		FROM pg_temp.arrived AS a
			LEFT JOIN (TABLE old_keys UNION ALL SELECT %1$L, key::text, id FROM pg_temp.arrived) AS k
				ON k.id = a.id AND (k.source, k.key) <> (%1$L, a.key::text)
		WHERE k.id IS NOT NULL OR EXISTS (SELECT FROM %2$s AS n WHERE n.id = a.id) LIMIT 1', old, new) INTO clash;
	IF clash.id IS NOT NULL THEN
		RAISE unique_violation USING
			MESSAGE = format('two rows have one identifier: %s of %s and %s', clash.key, old, clash.other),
			DETAIL = format('The identifier is %s.', clash.id),
			HINT = 'If both are the same row, insert its old key into the map. Otherwise insert the old row by hand, with another identifier, into the new table and into the map.';
	END IF;
END $$;
