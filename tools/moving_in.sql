--
-- Moving in: the statements that give a table in use an identifier as its primary key, in place
--
-- Load this file with psql.  It makes a schema, moving_in, whose functions read the catalogs and
-- print.  Run what they print as the owner of the tables.  No statement needs the schema: DROP
-- SCHEMA moving_in CASCADE at any time.  Print once, into a file, as the way back is printed from
-- the catalogs of today, and run the statements in order, outside of a transaction block.  Each
-- may be killed; then run them again from the first.
--
--     SELECT * FROM moving_in.problems('orders', '125', '1', 'created_at');
--     SELECT step, statement, locks, note
--     FROM moving_in.statements('orders', '125', '1', 'created_at');
--
-- A row that is there gets iuid_from_name(country, entity, name, at), so each retry gives the
-- same.  Its name is <table>/<key as text>.  For a key of several columns it is
-- <table>/["…","…"]: the columns in the order of the key, each as text and as a JSON string, with
-- a comma and no blank between them.  The bytes are UTF-8, of which only the double quote, the
-- backslash and those below 0x20 are escaped, as \" \\ \b \f \n \r \t and else \u00xx in lower
-- case.  A row without a time that an identifier can hold (1970 to 10889) gets layout 1.
--
-- A new row gets gen_iuid(country, entity, at), or gen_iuid(country, entity) without such a time.
-- A derived one would make two sessions that upsert one old key meet in the new key, too, which
-- ON CONFLICT does not look at.
--

BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;
CREATE SCHEMA moving_in;
COMMENT ON SCHEMA moving_in IS
'prints the statements that give a table in use an identifier as its primary key';

-- Text ---------------------------------------------------------------------------------------

CREATE FUNCTION moving_in.quoted(identifier text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT '"' || replace(identifier, '"', '""') || '"'
$$;
COMMENT ON FUNCTION moving_in.quoted(text) IS
'internal: an identifier in quotes, as PL/pgSQL has keywords that quote_ident does not know';

CREATE FUNCTION moving_in.filled(template text, fields jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on AS $$
DECLARE
	result text := '';
	piece text[];
BEGIN
	FOR piece IN SELECT regexp_matches(template, '\{([''"]?)([a-z_]+)\1\}|([^{]+|\{)', 'g') LOOP
		result := result || coalesce(piece[3], CASE piece[1] WHEN '' THEN fields ->> piece[2]
			WHEN '"' THEN moving_in.quoted(fields ->> piece[2]) ELSE quote_literal(fields ->> piece[2]) END);
	END LOOP;
	ASSERT result IS NOT NULL, template;
	RETURN result;
END $$;
COMMENT ON FUNCTION moving_in.filled(text, jsonb) IS
'internal: a text with fields: {x} as it is, {''x''} as a literal, {"x"} as an identifier';

CREATE FUNCTION moving_in.short(base text, suffix text) RETURNS name
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN octet_length(base || suffix) <= 63 THEN base || suffix
		ELSE left(suffix, 24) || '_' || md5(base) END::name
$$;
COMMENT ON FUNCTION moving_in.short(text, text) IS
'internal: a name that the server does not cut, so that two names stay two';

CREATE FUNCTION moving_in.in_dollars(body text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format(E'%2$s\n%1$s\n%2$s', btrim(body, E'\n'), q.quote)
	FROM generate_series(0, 99) AS n, format('$moving_in%s$', repeat('_', n)) AS q (quote)
	WHERE strpos(body, rtrim(q.quote, '$')) = 0 ORDER BY n LIMIT 1
$$;
COMMENT ON FUNCTION moving_in.in_dollars(text) IS
'internal: a text between dollar quotes that do not occur in it';

CREATE FUNCTION moving_in.retried(statements text, before text DEFAULT '') RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- Whoever waits for a lock makes all wait who come behind.  So an attempt is far below
	-- deadlock_timeout, and leaves no lock.
	SELECT format('DO %s;', moving_in.in_dollars(moving_in.filled($do$
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
		pg_catalog.set_config('lock_timeout', '100ms', true);{before}
	FOR attempt IN 1 .. 300 LOOP
		BEGIN
{statements}
			RETURN;
		EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
			IF attempt = 300 THEN RAISE; END IF;
		END;
		PERFORM pg_sleep(0.2 + random());
	END LOOP;
END$do$, jsonb_build_object('statements', btrim(statements, E'\n'), 'before', before))))
$$;
COMMENT ON FUNCTION moving_in.retried(text, text) IS
'internal: a DO block that runs statements under a short lock_timeout, all or none';

-- The catalogs -------------------------------------------------------------------------------

-- The table that moves, the parent of those that refer to it.  What is of type text can stand in a
-- statement.  In the expressions p is a row of it.
CREATE TYPE moving_in.plan AS (
	tbl oid, relname name, parent text, schema name, owner name,
	con oid, key_index oid, attnums smallint[], cols name[], old_key text,
	key name, columns jsonb, type text, same text,
	pkey name, new_pkey name, second name, not_null name, fill text, identifier text,
	settings text, made text, derived text, found text);
COMMENT ON TYPE moving_in.plan IS 'internal: a table that moves, and the names that it will need';

CREATE FUNCTION moving_in.plan(tbl regclass, country text, entity text, at text,
	key_column name, columns jsonb, key_type text, guessable boolean)
RETURNS moving_in.plan LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m moving_in.plan;
	iuid_schema text := (SELECT quote_ident(s.nspname) FROM pg_extension AS e
		JOIN pg_namespace AS s ON s.oid = e.extnamespace WHERE e.extname = 'iuid');
	type_schema text := CASE key_type WHEN 'uuid' THEN 'pg_catalog' ELSE iuid_schema END;
	key_name text;
	numbers text;
	call text := CASE WHEN at IS NULL THEN '%1$s)::%3$s' ELSE 'CASE
	WHEN (%2$s) >= pg_catalog.timestamptz ''1970-01-01 00:00+00''
		AND (%2$s) < pg_catalog.timestamptz ''10889-08-02 05:31:50.656+00''
	THEN %1$s, (%2$s)::pg_catalog.timestamptz)::%3$s
	ELSE %1$s)::%3$s END' END;
BEGIN
	SELECT c.oid, c.relname, format('%I.%I', s.nspname, c.relname), s.nspname,
			pg_get_userbyid(c.relowner), k.oid, k.conindid, k.conkey, k.conname
		INTO m.tbl, m.relname, m.parent, m.schema, m.owner, m.con, m.key_index, m.attnums, m.pkey
		FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
		LEFT JOIN pg_constraint AS k ON k.conrelid = c.oid AND k.contype = 'p'
		WHERE c.oid = tbl;
	SELECT array_agg(a.attname ORDER BY u.n), string_agg(quote_ident(a.attname), ', ' ORDER BY u.n),
			CASE WHEN count(*) = 1 THEN min(format('p.%I::pg_catalog.text', a.attname))
				ELSE format($e$'[' || %s || ']'$e$, string_agg(format(
					'pg_catalog.to_json(p.%I::pg_catalog.text)::pg_catalog.text', a.attname),
					$e$ || ',' || $e$ ORDER BY u.n)) END,
			-- what the text of the key depends on
			CASE WHEN bool_or(t.typtype = 'd' OR t.typname IN ('date', 'time', 'timestamp',
				'timestamptz', 'bytea', 'float4', 'float8', 'interval')) THEN E'\n'
				'SET "DateStyle" = ''ISO, YMD'' SET "TimeZone" = ''UTC'' SET "IntervalStyle" = ''postgres''\n'
				'SET extra_float_digits = 1 SET bytea_output = ''hex''' ELSE '' END
		INTO m.cols, m.old_key, key_name, m.settings
		FROM unnest(m.attnums) WITH ORDINALITY AS u (attnum, n)
		JOIN pg_attribute AS a ON a.attrelid = m.tbl AND a.attnum = u.attnum
		JOIN pg_type AS t ON t.oid = a.atttypid;
	m.key := key_column;
	m.columns := columns;
	m.type := type_schema || '.' || key_type;
	m.same := format('OPERATOR(%s.=)', type_schema);
	m.new_pkey := moving_in.short(m.relname || '_' || key_column, '_pkey');
	m.second := moving_in.short(m.pkey, '_moving_in');
	m.not_null := moving_in.short(m.relname || '_' || key_column, '_check');
	m.fill := format('%I.%I', m.schema, moving_in.short(m.relname, '_moving_in'));
	m.identifier := format('%I.%I', m.schema, moving_in.short(m.relname, '_identifier'));

	numbers := format('((%s)::pg_catalog.int4, (%s)::pg_catalog.int4', country, entity);
	m.made := format(call, iuid_schema || '.gen_iuid' || numbers, at, m.type);
	m.derived := CASE WHEN guessable THEN format(call,
		format(E'%s.iuid_from_name%s,\n\t(%L || %s)::pg_catalog.text', iuid_schema, numbers,
		m.relname || '/', key_name), at, m.type) ELSE m.made END;
	m.found := CASE WHEN guessable
		THEN format('coalesce(p.%I, %s(ROW(p.*)::%s))', m.key, m.identifier, m.parent)
		ELSE format('p.%I', m.key) END;
	RETURN m;
END $$;
COMMENT ON FUNCTION moving_in.plan(regclass, text, text, text, name, jsonb, text, boolean) IS
'internal: the table that moves, as the catalogs have it now, and the names that it will need';

-- A foreign key to the primary key of that table, and the parts of the statements about it.  In the
-- expressions p is the row that is referred to, NEW and OLD are of the table that refers.  A column
-- of several foreign keys, such as a tenant, is shared, and of none of them its own: the triggers
-- never write it, so that their order does not count.
CREATE TYPE moving_in.reference AS (
	con oid, child_oid oid, relname name, child text, child_schema name, fkey name,
	new_column name, old_columns name[],
	new_fkey name, idx name, follow text, trigger name, update_trigger name, late_trigger name,
	is_self boolean, is_late boolean, is_required boolean, is_valid boolean, has_index boolean,
	actions text, definition text, comment text, given text, changed text, only_own text,
	not_default text, has_own boolean,
	equal text, joined text, again text, sources text, copies text, agrees text, nulls text,
	set_default text);
COMMENT ON TYPE moving_in.reference IS 'internal: a foreign key to a table that moves';

CREATE FUNCTION moving_in.action(code "char") RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE code WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE'
		WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT' END
$$;
COMMENT ON FUNCTION moving_in.action("char") IS 'internal: what a foreign key does, in words';

CREATE FUNCTION moving_in.given(row_name text, columns name[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s.%s IS NOT NULL', row_name, moving_in.quoted(c)), ' AND ')
	FROM unnest(columns) AS c
$$;
COMMENT ON FUNCTION moving_in.given(text, name[]) IS 'internal: whether no column of a row is NULL';

CREATE FUNCTION moving_in.references_to(m moving_in.plan) RETURNS SETOF moving_in.reference
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT f.oid, c.oid, c.relname, format('%I.%I', s.nspname, c.relname), s.nspname, f.conname,
		n.col, a.old_columns,
		moving_in.short(c.relname || '_' || n.col, '_fkey'),
		moving_in.short(c.relname || '_' || n.col, '_idx'),
		format('%I.%I', s.nspname, moving_in.short(c.relname || '_' || n.col, '_moving_in')),
		'zz_moving_in_' || n.part, 'zz_moving_in_' || n.part || '_update',
		'zz_moving_in_' || n.part || '_late',
		f.conrelid = f.confrelid, f.condeferrable,
		a.is_required AND f.convalidated AND NOT f.condeferrable AND f.conrelid <> f.confrelid,
		f.convalidated,
		EXISTS (SELECT FROM pg_index AS i,
			LATERAL (SELECT (i.indkey::smallint[])[0:cardinality(f.conkey) - 1]) AS first (columns)
			WHERE i.indrelid = c.oid AND i.indisvalid AND i.indnkeyatts >= cardinality(f.conkey)
				AND first.columns <@ f.conkey AND first.columns @> f.conkey),
		concat(' ON UPDATE ', moving_in.action(f.confupdtype), ' ON DELETE ',
			moving_in.action(f.confdeltype), CASE WHEN f.condeferrable THEN ' DEFERRABLE' END,
			CASE WHEN f.condeferred THEN ' INITIALLY DEFERRED' END),
		regexp_replace(pg_get_constraintdef(f.oid), ' NOT VALID$', ''),
		coalesce(format(E'\nCOMMENT ON CONSTRAINT %I ON %I.%I IS ', f.conname, s.nspname, c.relname)
			|| quote_literal(obj_description(f.oid, 'pg_constraint')) || ';', ''),
		moving_in.given('NEW', a.old_columns),
		format('record_image_ne(ROW(%s), ROW(%s))', a.targets, a.olds),
		CASE WHEN a.agrees IS NULL THEN '' ELSE format(E'\n\t\t\tAND (NOT by_new OR %s)', a.own_changed) END,
		CASE WHEN a.are_constants IS NULL THEN '' WHEN a.are_constants
			THEN format(E'\n\t\t\tAND NOT (by_new AND %s)', a.at_default) ELSE ' AND NOT by_new' END,
		a.copies IS NOT NULL, a.equal, a.joined, a.again, a.sources, a.copies, coalesce(a.agrees, ''),
		-- of a key with a tenant in it, what can be NULL
		coalesce(a.nulls_listed, a.nulls_possible, a.nulls_own), a.set_default
	FROM pg_constraint AS f JOIN pg_class AS c ON c.oid = f.conrelid
	JOIN pg_namespace AS s ON s.oid = c.relnamespace
	CROSS JOIN LATERAL (
		SELECT array_agg(x.attname ORDER BY k.n) AS old_columns,
			bool_and(x.attnotnull) AS is_required,
			string_agg(q.new, ', ' ORDER BY k.n) AS targets, string_agg(q.old, ', ' ORDER BY k.n) AS olds,
			string_agg(q.key, ', ' ORDER BY k.n) AS sources,
			string_agg(format('%s := found_key.%s;', q.new, moving_in.quoted(y.attname)), ' ')
				FILTER (WHERE NOT q.is_shared) AS copies,
			coalesce(string_agg(format('record_image_ne(ROW(%s), ROW(%s))', q.new, q.old), ' OR ')
				FILTER (WHERE NOT q.is_shared), 'false') AS own_changed,
			string_agg(format('record_image_eq(ROW(%s), ROW((%s)::%s))', q.new, q.value,
				format_type(x.atttypid, x.atttypmod)), ' AND ')
				FILTER (WHERE q.value IS NOT NULL) AS at_default,
			bool_and(q.value ~ '^(-?[0-9.]+|''([^'']|'''')*'')(::[a-z ]+)?$') AS are_constants,
			string_agg(q.equal, ' AND ' ORDER BY k.n) AS equal,
			string_agg(format('p.%I OPERATOR(%I.%s) t.%I', y.attname, ps.nspname, po.oprname, x.attname),
				' AND ' ORDER BY k.n) AS joined,
			string_agg(' AND ' || q.equal, '') FILTER (WHERE q.is_shared) AS agrees,
			string_agg(format('c.%I OPERATOR(%I.%s) %s', x.attname, fs.nspname, fo.oprname, q.new), ' AND ')
				AS again,
			string_agg(q.new || ' := NULL;', ' ') FILTER (WHERE x.attnum = ANY (f.confdelsetcols)
				AND NOT q.is_shared) AS nulls_listed,
			string_agg(q.new || ' := NULL;', ' ') FILTER (WHERE NOT x.attnotnull AND NOT q.is_shared)
				AS nulls_possible,
			string_agg(q.new || ' := NULL;', ' ') FILTER (WHERE NOT q.is_shared) AS nulls_own,
			string_agg(format('%s := %s;', q.new, coalesce(q.value, 'NULL')), ' ')
				FILTER (WHERE f.confdelsetcols IS NULL OR x.attnum = ANY (f.confdelsetcols)) AS set_default
		FROM unnest(f.conkey, f.confkey, f.conpfeqop, f.conffeqop) WITH ORDINALITY
			AS k (child, parent, parent_op, child_op, n)
		JOIN pg_attribute AS x ON x.attrelid = f.conrelid AND x.attnum = k.child
		JOIN pg_attribute AS y ON y.attrelid = f.confrelid AND y.attnum = k.parent
		JOIN pg_operator AS po ON po.oid = k.parent_op JOIN pg_namespace AS ps ON ps.oid = po.oprnamespace
		JOIN pg_operator AS fo ON fo.oid = k.child_op JOIN pg_namespace AS fs ON fs.oid = fo.oprnamespace
		LEFT JOIN pg_attrdef AS d ON d.adrelid = x.attrelid AND d.adnum = x.attnum
		CROSS JOIN LATERAL (SELECT 'NEW.' || moving_in.quoted(x.attname),
			'OLD.' || moving_in.quoted(x.attname), 'p.' || moving_in.quoted(y.attname),
			pg_get_expr(d.adbin, d.adrelid),
			format('p.%I OPERATOR(%I.%s) NEW.%s', y.attname, ps.nspname, po.oprname,
				moving_in.quoted(x.attname)),
			EXISTS (SELECT FROM pg_constraint AS o WHERE o.conrelid = f.conrelid AND o.contype = 'f'
				AND (o.confrelid, o.conkey) <> (f.confrelid, f.conkey) AND x.attnum = ANY (o.conkey)))
			AS q (new, old, key, value, equal, is_shared)
	) AS a
	CROSS JOIN LATERAL (SELECT coalesce(m.columns ->> f.conname, moving_in.short(
			CASE WHEN cardinality(a.old_columns) = 1 THEN regexp_replace(a.old_columns[1], '_id$', '')
			ELSE f.conname END, '_' || m.key))::name) AS o (col)
	CROSS JOIN LATERAL (SELECT o.col, CASE WHEN octet_length(o.col) <= 45 THEN o.col ELSE md5(o.col) END)
		AS n (col, part)
	WHERE f.contype = 'f' AND f.confrelid = m.tbl AND f.conparentid = 0
		AND m.attnums <@ f.confkey AND m.attnums @> f.confkey
	ORDER BY f.conrelid <> f.confrelid, s.nspname, c.relname, f.conname
$$;
COMMENT ON FUNCTION moving_in.references_to(moving_in.plan) IS
'internal: the foreign keys to the primary key of a table that moves';

CREATE FUNCTION moving_in.new_columns(m moving_in.plan)
RETURNS TABLE (tbl oid, full_name text, schema name, old name, new name)
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.tbl, m.parent, m.schema, m.cols[1], m.key UNION ALL
	SELECT r.child_oid, r.child, r.child_schema, r.old_columns[1], r.new_column
	FROM moving_in.references_to(m) AS r
$$;
COMMENT ON FUNCTION moving_in.new_columns(moving_in.plan) IS
'internal: the columns that a table and those that refer to it get';

-- What stops a table ---------------------------------------------------------------------------

CREATE FUNCTION moving_in.fault_of_expression(tbl regclass, expression text, type regtype) RETURNS text
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET client_min_messages = error AS $$
DECLARE
	generated text := (SELECT string_agg(format('DROP COLUMN %I', attname), ', ') FROM pg_attribute
		WHERE attrelid = tbl AND attgenerated <> '');
	cast_expression text := format('(%s)::%s', expression, type);
	number int;
BEGIN
	-- An index takes what depends on a row and on nothing else.  This one is of a table without
	-- rows, without the generated columns, which a BEFORE trigger does not see, and does not stay.
	EXECUTE format('CREATE TEMP TABLE moving_in_expression (LIKE %s)', tbl);
	IF generated IS NOT NULL THEN
		EXECUTE 'ALTER TABLE pg_temp.moving_in_expression ' || generated;
	END IF;
	EXECUTE format('CREATE INDEX ON pg_temp.moving_in_expression ((%s))', cast_expression);
	IF type = 'int4'::regtype THEN
		BEGIN
			EXECUTE 'SELECT ' || cast_expression INTO number;
			IF number IS NULL OR number NOT BETWEEN 0 AND 255 THEN
				RAISE 'it is not between 0 and 255';
			END IF;
		EXCEPTION WHEN undefined_column THEN   -- it is no constant
		END;
	END IF;
	RAISE no_data_found;
EXCEPTION
	WHEN no_data_found THEN RETURN NULL;
	WHEN insufficient_privilege OR read_only_sql_transaction THEN RAISE;
	WHEN OTHERS THEN RETURN SQLERRM;
END $$;
COMMENT ON FUNCTION moving_in.fault_of_expression(regclass, text, regtype) IS
'internal: why a row does not give one value by an expression, always the same; NULL if it does';

CREATE FUNCTION moving_in.problems(tbl regclass, country text, entity text, at text DEFAULT NULL,
	key_column name DEFAULT 'iuid', columns jsonb DEFAULT '{}', key_type text DEFAULT 'iuid',
	guessable boolean DEFAULT true)
RETURNS TABLE (problem text, object text, reason text, to_do text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m moving_in.plan;
	refs moving_in.reference[];
	tables oid[];
BEGIN
	IF tbl IS NULL OR country IS NULL OR entity IS NULL OR key_column IS NULL OR columns IS NULL
		OR guessable IS NULL OR key_type IS NULL
		OR key_type NOT IN ('iuid', 'uuid') THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'only the time of a row may be NULL, and the type of the key is iuid or uuid';
	END IF;
	m := moving_in.plan(tbl, country, entity, at, key_column, columns, key_type, guessable);
	refs := ARRAY(SELECT r FROM moving_in.references_to(m) AS r);
	tables := ARRAY(SELECT DISTINCT n.tbl FROM moving_in.new_columns(m) AS n);

	RETURN QUERY SELECT 'moved already', tbl::text, format('%I is the primary key', m.key),
		'run the rest of the statements that were printed before'
		WHERE m.cols = ARRAY[m.key] AND m.pkey = m.new_pkey;
	IF FOUND THEN
		RETURN;
	END IF;
	RETURN QUERY SELECT 'extension', 'iuid', 'it is not installed', 'CREATE EXTENSION iuid'
		WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'iuid');
	RETURN QUERY SELECT 'rights', c.oid::regclass::text, format('%s does not own it', current_user),
		'run this as its owner'
		FROM pg_class AS c WHERE c.oid = ANY (tables) AND NOT pg_has_role(c.relowner, 'USAGE');
	IF FOUND THEN
		RETURN;
	END IF;
	RETURN QUERY SELECT 'owner', c.oid::regclass::text, format('%s does not own it, but owns %s, '
		'and the functions read and write both', m.owner, m.parent), 'ALTER TABLE … OWNER TO'
		FROM pg_class AS c WHERE c.oid = ANY (tables) AND pg_get_userbyid(c.relowner) <> m.owner;
	RETURN QUERY SELECT DISTINCT 'schema', quote_ident(s.nspname), format('%s, who owns the tables, '
		'has no right %s, and the functions run as that role', m.owner, n.privilege),
		format('GRANT %s ON SCHEMA %I TO %I', n.privilege, s.nspname, m.owner)
		FROM (SELECT e.extnamespace, 'USAGE' FROM pg_extension AS e WHERE e.extname = 'iuid'
			UNION SELECT c.relnamespace, x.privilege FROM pg_class AS c,
				(VALUES ('USAGE'), ('CREATE')) AS x (privilege) WHERE c.oid = ANY (tables))
			AS n (oid, privilege)
		JOIN pg_namespace AS s ON s.oid = n.oid
		WHERE NOT has_schema_privilege(m.owner, s.oid, n.privilege);
	RETURN QUERY SELECT 'partitioned table', c.oid::regclass::text,
		'it has no foreign key NOT VALID before version 18, no index CONCURRENTLY, '
		'and no key USING INDEX', CASE WHEN c.oid = m.tbl
			THEN 'add and fill the column by hand: unique indexes ON ONLY the table and CONCURRENTLY '
				'on each partition, ATTACH them, exchange the keys while nobody writes'
			ELSE 'drop its foreign key; after step 6 add it again, to the old key, which stays unique; '
				'before step 7 drop it' END
		FROM pg_class AS c WHERE c.oid = ANY (tables) AND (c.relkind = 'p' OR c.relispartition);
	RETURN QUERY SELECT 'kind of table', c.oid::regclass::text,
		'only ordinary, permanent tables of the heap can move', 'move the rows into such a table first'
		FROM pg_class AS c LEFT JOIN pg_am AS a ON a.oid = c.relam
		WHERE c.oid = ANY (tables) AND c.relkind <> 'p' AND (c.relkind <> 'r'
			OR c.relpersistence = 't' OR c.reloftype <> 0 OR a.amname <> 'heap');
	RETURN QUERY SELECT 'inheritance', i.inhrelid::regclass::text,
		format('it inherits from %s, and keys do not', i.inhparent::regclass),
		format('ALTER TABLE %s NO INHERIT %s', i.inhrelid::regclass, i.inhparent::regclass)
		FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhparent AND c.relkind = 'r'
		WHERE i.inhrelid = ANY (tables) OR i.inhparent = ANY (tables);
	RETURN QUERY SELECT 'no primary key', tbl::text,
		'an identifier is derived from the primary key', 'add one' WHERE m.con IS NULL;
	RETURN QUERY SELECT 'deferrable key', quote_ident(m.pkey),
		'the second unique index of the old key would be checked at once',
		'drop it, and add it again, not deferrable'
		FROM pg_constraint AS k WHERE k.oid = m.con AND k.condeferrable;
	RETURN QUERY SELECT 'type of the key', format('%I', a.attname),
		format('the text of type %s may depend on settings', format_type(a.atttypid, a.atttypmod)),
		'guessable => false, or move by a column of another type'
		FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
		JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
		WHERE guessable AND a.attrelid = m.tbl AND a.attnum = ANY (m.attnums) AND b.typtype <> 'e'
			AND b.typname <> 'citext' AND NOT (b.typnamespace = 'pg_catalog'::regnamespace
			AND b.typname IN ('int2', 'int4', 'int8', 'numeric', 'oid', 'bool', 'text', 'varchar',
			'bpchar', 'name', 'uuid', 'inet', 'cidr', 'macaddr', 'date', 'time', 'timestamp',
			'timestamptz', 'bytea', 'float4', 'float8', 'interval'));
	RETURN QUERY SELECT 'generated column', format('%s.%I', a.attrelid::regclass, a.attname),
		'a trigger neither sees nor sets it', 'make an ordinary column of it'
		FROM pg_attribute AS a WHERE a.attgenerated <> ''
			AND (a.attrelid = m.tbl AND a.attnum = ANY (m.attnums)
			OR EXISTS (SELECT FROM unnest(refs) AS r
				WHERE r.child_oid = a.attrelid AND a.attname = ANY (r.old_columns)));
	RETURN QUERY SELECT 'expression', e.name, f.fault,
		'give another one: immutable, with each name qualified but those of the columns'
		FROM (VALUES ('country', country, 'int4'), ('entity', entity, 'int4'),
			('at', at, 'timestamptz')) AS e (name, expression, type),
		LATERAL moving_in.fault_of_expression(tbl, e.expression, e.type::regtype) AS f (fault)
		WHERE e.expression IS NOT NULL AND f.fault IS NOT NULL;
	RETURN QUERY SELECT 'column', format('%s.%I', a.attrelid::regclass, a.attname),
		format('a column of type %s has this name', format_type(a.atttypid, a.atttypmod)),
		'drop it, or give another name: key_column, columns => {"name of the foreign key": "name"}'
		FROM moving_in.new_columns(m) AS n
		JOIN pg_attribute AS a ON a.attrelid = n.tbl AND a.attname = n.new
		WHERE a.atttypid <> m.type::regtype OR NOT EXISTS (SELECT FROM pg_trigger AS g
				WHERE g.tgrelid = m.tbl AND g.tgname = 'zz_moving_in')
			OR a.attrelid = m.tbl AND a.attnum = ANY (m.attnums)
			OR EXISTS (SELECT FROM unnest(refs) AS r
				WHERE r.child_oid = a.attrelid AND a.attname = ANY (r.old_columns));
	RETURN QUERY SELECT 'column', n.new::text, 'two columns of a table would have this name',
		'columns => {"name of the foreign key": "name of the column"}'
		FROM moving_in.new_columns(m) AS n GROUP BY n.tbl, n.new HAVING count(*) > 1;
	RETURN QUERY SELECT 'foreign key', j.key,
		'no foreign key of this name refers to the primary key', 'name one that does'
		FROM jsonb_object_keys(columns) AS j (key) WHERE j.key NOT IN
			(SELECT r.fkey FROM unnest(refs) AS r);
	RETURN QUERY SELECT 'foreign key', format('%I of %s', r.fkey, r.child),
		'it is NOT ENFORCED, or has a PERIOD', 'drop it, and make it again afterwards'
		FROM unnest(refs) AS r WHERE r.definition ~ ' NOT ENFORCED|, PERIOD ';
	RETURN QUERY SELECT 'foreign key', format('%I of %s', r.fkey, r.child),
		format('%I is of the same columns', o.fkey), 'drop one of them'
		FROM unnest(refs) AS r JOIN unnest(refs) AS o
			ON (o.child_oid, o.old_columns) = (r.child_oid, r.old_columns) AND o.fkey < r.fkey;
	RETURN QUERY SELECT 'rule', format('%s of %s', w.rulename, w.ev_class::regclass),
		'it would change the UPDATE of the backfill', 'make a trigger of it'
		FROM pg_rewrite AS w WHERE w.ev_class = ANY (tables) AND w.ev_type = '2';   -- ON UPDATE
	RETURN QUERY SELECT 'row security', c.oid::regclass::text,
		format('its policies hide rows from %s, who owns it', m.owner),
		format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', c.oid::regclass)
		FROM pg_class AS c JOIN pg_roles AS o ON o.oid = c.relowner
		WHERE c.oid = ANY (tables) AND c.relrowsecurity AND c.relforcerowsecurity
			AND NOT (o.rolbypassrls OR o.rolsuper);
	RETURN QUERY SELECT DISTINCT 'replica identity', c.oid::regclass::text, format('publication %I '
		'publishes updates, and the table has none', p.pubname),
		format('ALTER TABLE %s REPLICA IDENTITY FULL', c.oid::regclass)
		FROM pg_class AS c JOIN pg_namespace AS s ON s.oid = c.relnamespace
		JOIN pg_publication_tables AS n ON (n.schemaname, n.tablename) = (s.nspname, c.relname)
		JOIN pg_publication AS p ON p.pubname = n.pubname AND p.pubupdate
		WHERE c.oid = ANY (tables) AND (c.relreplident = 'n' OR c.relreplident = 'd'
			AND NOT EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisprimary));
	RETURN QUERY SELECT 'trigger', format('%s of %s', g.tgname, g.tgrelid::regclass),
		'it would see the row before its identifier',
		'ALTER TRIGGER … RENAME TO a name that sorts before zz_moving_in'
		FROM pg_trigger AS g JOIN pg_proc AS f ON f.oid = g.tgfoid
		WHERE g.tgrelid = ANY (tables) AND NOT g.tgisinternal
			AND (g.tgtype & 3 = 3 AND g.tgname COLLATE "C" >= 'zz_moving_in'   -- BEFORE, ROW
				OR g.tgname LIKE 'zz_moving_in%') AND f.prosrc NOT LIKE E'\n-- made by moving_in\n%';
	-- IF NOT EXISTS and OR REPLACE would take what is another's for ours.
	RETURN QUERY WITH functions AS MATERIALIZED (
			SELECT m.fill AS name, m.tbl UNION ALL
			SELECT r.follow, r.child_oid FROM unnest(refs) AS r)
		SELECT 'function', n.name, 'two functions would have this name',
			'columns => {"name of the foreign key": "name of the column"}'
		FROM functions AS n GROUP BY n.name HAVING count(*) > 1
		UNION ALL SELECT 'function', f.oid::regprocedure::text,
			'a function of yours, or for another table, has this name', 'rename it'
		FROM pg_proc AS f JOIN pg_namespace AS s ON s.oid = f.pronamespace
		JOIN pg_class AS c ON c.oid = m.tbl
		LEFT JOIN functions AS n ON n.name = format('%I.%I', s.nspname, f.proname) AND f.pronargs = 0
		WHERE (n.name IS NOT NULL
				OR format('%I.%I', s.nspname, f.proname) = m.identifier AND f.proargtypes[0] = c.reltype)
			AND (f.proowner <> c.relowner OR f.prosrc NOT LIKE E'\n-- made by moving_in\n%'
				OR NOT EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgfoid = f.oid AND g.tgrelid = n.tbl)
				AND n.name IS NOT NULL);
	RETURN QUERY WITH ours AS MATERIALIZED (
			SELECT m.schema, m.tbl, n.name, n.cols FROM (VALUES (m.new_pkey, ARRAY[m.key]),
				(m.second, m.cols), (m.not_null, ARRAY[m.key])) AS n (name, cols)
			UNION ALL SELECT r.child_schema, r.child_oid, n.name, ARRAY[r.new_column]
			FROM unnest(refs) AS r,
				LATERAL (VALUES (r.idx), (r.new_fkey)) AS n (name))
		SELECT 'name', n.name::text, 'two indexes or constraints would have this name',
			'columns => {"name of the foreign key": "name of the column"}'
		FROM ours AS n GROUP BY n.schema, n.name HAVING count(*) > 1
		UNION ALL SELECT 'name', n.name::text, format('%s has this name',
			pg_describe_object(o.class, o.oid, 0)), 'rename it'
		FROM ours AS n CROSS JOIN LATERAL (
			SELECT 'pg_class'::regclass, c.oid, i.indrelid,
				(i.indkey::smallint[])[0:i.indnkeyatts - 1] FROM pg_class AS c
			JOIN pg_namespace AS s ON s.oid = c.relnamespace
			LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
			WHERE (s.nspname, c.relname) = (n.schema, n.name)
			UNION ALL SELECT 'pg_constraint'::regclass, f.oid, f.conrelid, f.conkey FROM pg_constraint AS f
			WHERE f.conrelid = n.tbl AND f.conname = n.name) AS o (class, oid, tbl, attnums)
		WHERE o.tbl IS DISTINCT FROM n.tbl OR n.cols <> ARRAY(SELECT a.attname
			FROM unnest(o.attnums) WITH ORDINALITY AS u (attnum, n)
			JOIN pg_attribute AS a ON a.attrelid = o.tbl AND a.attnum = u.attnum ORDER BY u.n);
	-- The exchange drops the constraint of the key, and its index with it.  What else needs one of
	-- the two is unknown here.
	RETURN QUERY SELECT 'dependency', pg_describe_object(d.classid, d.objid, d.objsubid),
		format('it needs the primary key %I', m.pkey), CASE WHEN d.classid IN ('pg_rewrite'::regclass,
			'pg_proc'::regclass) THEN 'make it again, with all of its columns in its GROUP BY'
			ELSE 'drop it, and make it again afterwards' END
		FROM pg_depend AS d WHERE d.deptype NOT IN ('i', 'P', 'S') AND (d.refclassid, d.refobjid) IN
				(('pg_constraint'::regclass, m.con), ('pg_class'::regclass, m.key_index))
			AND NOT (d.classid = 'pg_constraint'::regclass AND (d.objid IN
				(SELECT r.con FROM unnest(refs) AS r)
				-- the copy of a partition's foreign key goes with that of its table, named above
				OR d.objid IN (SELECT f.oid FROM pg_constraint AS f WHERE f.conparentid <> 0)));
END $$;
COMMENT ON FUNCTION moving_in.problems(regclass, text, text, text, name, jsonb, text, boolean) IS
'what stops a table from moving in: its kind and name, the reason, and what to do; no row if nothing';

CREATE FUNCTION moving_in.generated_in_key(tbl oid) RETURNS name
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT a.attname FROM pg_attribute AS a JOIN pg_index AS i ON i.indrelid = a.attrelid
		AND a.attnum = ANY (i.indkey) AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
	WHERE a.attrelid = tbl AND a.attgenerated <> '' LIMIT 1
$$;
COMMENT ON FUNCTION moving_in.generated_in_key(oid) IS
'internal: a generated column of a unique index; with one, a BEFORE trigger makes each UPDATE lock the key';

CREATE FUNCTION moving_in.notes(m moving_in.plan) RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH refs AS MATERIALIZED (SELECT * FROM moving_in.references_to(m)),
		tables AS MATERIALIZED (SELECT m.tbl UNION SELECT child_oid FROM refs)
	SELECT format('trigger %s of %s fires in the backfill, with the rights of who runs it, '
			'who can set session_replication_role to replica, if allowed to', g.tgname, g.tgrelid::regclass)
		FROM pg_trigger AS g JOIN tables AS t ON t.tbl = g.tgrelid JOIN pg_proc AS f ON f.oid = g.tgfoid
		WHERE NOT g.tgisinternal AND g.tgtype & 16 = 16 AND g.tgenabled IN ('O', 'A')   -- UPDATE
			AND f.prosrc NOT LIKE E'\n-- made by moving_in\n%'
	UNION ALL SELECT DISTINCT format('view %s does not show the new columns', w.ev_class::regclass)
		FROM pg_rewrite AS w JOIN pg_depend AS d ON d.objid = w.oid AND d.classid = 'pg_rewrite'::regclass
		JOIN tables AS t ON t.tbl = d.refobjid AND d.refclassid = 'pg_class'::regclass
		WHERE w.ev_class <> d.refobjid
	UNION ALL SELECT format('publication %s %s', p.pubname, CASE WHEN v.prattrs IS NOT NULL
			THEN format('does not send the new columns of %s', v.prrelid::regclass)
			ELSE 'sends the new columns: a subscriber needs them first' END)
		FROM pg_publication AS p LEFT JOIN pg_publication_rel AS v ON v.prpubid = p.oid
		WHERE (v.prrelid IS NULL OR v.prrelid IN (SELECT tbl FROM tables))
			AND EXISTS (SELECT FROM pg_publication_tables AS n JOIN tables AS t
				ON format('%I.%I', n.schemaname, n.tablename)::regclass = t.tbl WHERE n.pubname = p.pubname)
	UNION ALL SELECT format('policy %s of %s reads the columns that it read before', p.polname,
			p.polrelid::regclass) FROM pg_policy AS p JOIN tables AS t ON t.tbl = p.polrelid
	UNION ALL SELECT format('foreign key %s of %s refers to another unique key, and stays', f.conname,
			f.conrelid::regclass) FROM pg_constraint AS f WHERE f.contype = 'f' AND f.confrelid = m.tbl
			AND f.conparentid = 0 AND f.oid NOT IN (SELECT con FROM refs)
	UNION ALL SELECT format('rows that break %I of %s, which is not valid, stop step 3', k.conname,
			k.conrelid::regclass) FROM pg_constraint AS k JOIN tables AS t ON t.tbl = k.conrelid
			WHERE k.contype = 'c' AND NOT k.convalidated
	UNION ALL SELECT format('%s.%I is NULL where %I was not valid', child, new_column, fkey)
		FROM refs WHERE NOT is_valid
	UNION ALL SELECT format('%s.%I can be NULL until you say NOT NULL: a row can come before the one '
			'that it refers to', child, new_column) FROM refs WHERE is_required
	UNION ALL SELECT format('%s has no index on %s: such a row is looked for in the whole table', child,
			array_to_string(old_columns, ', ')) FROM refs WHERE (is_late OR is_self) AND NOT has_index
	UNION ALL SELECT format('new clients must give %I, which has no default', a.attname)
		FROM pg_attribute AS a WHERE a.attrelid = m.tbl AND a.attnum = ANY (m.attnums)
			AND NOT a.atthasdef AND a.attidentity = '' AND (cardinality(m.attnums) > 1
			OR a.atttypid NOT IN ('uuid'::regtype, 'text'::regtype))
	UNION ALL SELECT DISTINCT format('an UPDATE of %s waits for those who refer to the row, as %I is '
			'generated and unique', t.tbl::regclass, a.attname)
		FROM tables AS t CROSS JOIN LATERAL moving_in.generated_in_key(t.tbl) AS a (attname)
		WHERE a.attname IS NOT NULL
	UNION ALL VALUES
		('each row gets a new version: have room on disk and in the log, and let autovacuum work'),
		('a prepared SELECT * fails once after step 1; INSERT … SELECT * and COPY … FROM without a list of '
			'columns, for good'),
		('two sessions that upsert one old key can fail while its second index is built, at the end of '
			'step 4 and in step 7; ON CONFLICT ON CONSTRAINT, until the exchange'),
		('SELECT … GROUP BY the old key, with columns that are not in the GROUP BY, fails after step 5'),
		('a row for which the country or the entity is NULL, or not in 0–255, is refused'),
		('a row that is deleted and inserted again with its key gets another identifier: what refers to '
			'it at that moment fails'),
		('new clients begin after step 5')
$$;
COMMENT ON FUNCTION moving_in.notes(moving_in.plan) IS
'internal: what changes for others, or is not carried over';

-- The steps ------------------------------------------------------------------------------------

CREATE TYPE moving_in.printed AS (statement text, locks text, note text);
COMMENT ON TYPE moving_in.printed IS 'internal: a statement, what it locks, and what it is for';

CREATE FUNCTION moving_in.add_columns(m moving_in.plan) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT moving_in.retried(format('ALTER TABLE %s %s;', n.full_name, string_agg(
			format('ADD COLUMN IF NOT EXISTS %I %s', n.new, m.type), ', '))
			|| coalesce(string_agg(g.grants, ''), '')),
		format('ACCESS EXCLUSIVE on %s, for milliseconds', n.full_name),
		'new columns, with what is granted on the old ones'
	FROM moving_in.new_columns(m) AS n CROSS JOIN LATERAL (
		SELECT string_agg(format(E'\nGRANT %s (%I) ON %s TO %s%s;', x.privilege_type, n.new, n.full_name,
			CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END,
			CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' END), '')
		FROM pg_attribute AS a, aclexplode(a.attacl) AS x
		WHERE a.attrelid = n.tbl AND a.attname = n.old) AS g (grants)
	GROUP BY n.tbl, n.full_name ORDER BY n.tbl <> m.tbl, n.full_name
$$;
COMMENT ON FUNCTION moving_in.add_columns(moving_in.plan) IS 'internal: step 1';

-- The functions run as the owner, as the server's own check of a reference does: a client needs no
-- rights on what it does not know.  So they serve tables of that owner only, whoever may execute them.
CREATE FUNCTION moving_in.guard() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT $body$IF (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID) <> current_user THEN
		RAISE USING ERRCODE = '39P01', MESSAGE = 'this function is for triggers of its owner''s tables';
	END IF;$body$
$$;
COMMENT ON FUNCTION moving_in.guard() IS
'internal: the first statement of a trigger function that runs as its owner';

CREATE FUNCTION moving_in.fill_new_rows(m moving_in.plan) RETURNS moving_in.printed
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	-- If the old key has no default, and takes the text of any identifier
	old_key_too text := (SELECT format(E'\n\tNEW.%1$s := coalesce(NEW.%1$s, NEW.%2$s::pg_catalog.%3$s);',
		moving_in.quoted(a.attname), moving_in.quoted(m.key), a.atttypid::regtype) FROM pg_attribute AS a
		WHERE a.attrelid = m.tbl AND ARRAY[a.attnum] = m.attnums AND NOT a.atthasdef
			AND a.atttypid IN ('uuid'::regtype, 'text'::regtype));
	fields jsonb := to_jsonb(m) || jsonb_build_object('first_old', m.cols[1],
		'old_key_too', coalesce(old_key_too, ''));
BEGIN
	fields := fields || jsonb_build_object('rule', moving_in.in_dollars(moving_in.filled($body$
-- made by moving_in
#variable_conflict use_column
BEGIN
	RETURN (SELECT {derived}
	FROM (SELECT ($1).*) AS p);
END$body$, fields)), 'body', moving_in.in_dollars(moving_in.filled($body$
-- made by moving_in
#variable_conflict use_column
BEGIN
	{guard}
	IF TG_OP = 'UPDATE' THEN   -- of the old key, too: the identifier is that of the row as it was
		NEW.{"key"} := coalesce(NEW.{"key"}, OLD.{"key"}, {identifier}(OLD));
	END IF;
	IF NEW.{"key"} IS NULL THEN
		SELECT {made}
		INTO NEW.{"key"} FROM (SELECT NEW.*) AS p;
	END IF;{old_key_too}
	RETURN NEW;
END$body$, fields || jsonb_build_object('guard', moving_in.guard()))));
	RETURN ROW(moving_in.retried(moving_in.filled($sql$
CREATE OR REPLACE FUNCTION {identifier}({parent}) RETURNS {type} LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp{settings} AS {rule};
ALTER FUNCTION {identifier}({parent}) OWNER TO {"owner"};
CREATE OR REPLACE FUNCTION {fill}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS {body};
ALTER FUNCTION {fill}() OWNER TO {"owner"};
CREATE OR REPLACE TRIGGER zz_moving_in BEFORE INSERT OR UPDATE ON {parent} FOR EACH ROW
	WHEN (NEW.{"key"} IS NULL OR NEW.{"first_old"} IS NULL) EXECUTE FUNCTION {fill}();
ALTER TABLE {parent} ENABLE ALWAYS TRIGGER zz_moving_in;$sql$, fields)),
		format('SHARE ROW EXCLUSIVE on %s, for milliseconds', m.parent),
		'new rows get their identifier'::text);
END $$;
COMMENT ON FUNCTION moving_in.fill_new_rows(moving_in.plan) IS 'internal: step 2, for the table itself';

CREATE FUNCTION moving_in.violation(m moving_in.plan, r moving_in.reference) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT moving_in.filled($body$RAISE foreign_key_violation USING MESSAGE = {'message'},
				DETAIL = format('Key (%s)=(%s) is not present in table "%s".', {'new_column'},
					NEW.{"new_column"}, {'parent_name'}),
				HINT = {'hint'}, CONSTRAINT = {'new_fkey'}, TABLE = TG_TABLE_NAME,
				SCHEMA = TG_TABLE_SCHEMA;$body$, to_jsonb(r) || jsonb_build_object(
			'hint', CASE WHEN r.agrees = '' THEN '' ELSE 'Give the columns of other foreign keys, too.' END,
			'parent_name', m.relname, 'message', format('insert or update '
			'on table "%s" violates foreign key constraint "%s"', r.relname, r.new_fkey)))
$$;
COMMENT ON FUNCTION moving_in.violation(moving_in.plan, moving_in.reference) IS
'internal: the error of a new client, as NOT NULL of the old columns would come before the foreign key';

CREATE FUNCTION moving_in.follow(m moving_in.plan, r moving_in.reference) RETURNS moving_in.printed
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	can_wait boolean := r.agrees = '' AND (r.is_late OR r.is_self OR NOT r.is_required);
	fields jsonb := to_jsonb(m) || to_jsonb(r) || jsonb_build_object(
		'guard', moving_in.guard(),
		-- a row that refers to itself is not in the table yet, or as it was
		'source', CASE WHEN r.is_self THEN moving_in.filled('(SELECT NEW.* UNION ALL SELECT o.*
				FROM ONLY {parent} AS o WHERE o.{"key"} IS DISTINCT FROM NEW.{"key"})', to_jsonb(m))
			ELSE m.parent END,
		'given_there', moving_in.given('c', r.old_columns),
		'timing', CASE WHEN r.is_late THEN 'DEFERRABLE INITIALLY DEFERRED' ELSE 'NOT DEFERRABLE' END);
BEGIN
	fields := fields || jsonb_build_object(
		'to_null', CASE WHEN r.actions LIKE '%ON DELETE SET DEFAULT%' THEN moving_in.filled($body$
		IF EXISTS (SELECT FROM {parent} AS p WHERE p.{"key"} {same} OLD.{"new_column"}) THEN
			{nulls}
		ELSE   -- the foreign key does it, as that row is gone
			{set_default}
			SELECT {found} INTO NEW.{"new_column"} FROM {parent} AS p WHERE {equal};
		END IF;$body$, fields) ELSE E'\n\t\t' || r.nulls END,
		'absent', CASE WHEN can_wait THEN r.nulls ELSE moving_in.violation(m, r) END,
		'violation', moving_in.violation(m, r));
	RETURN ROW(moving_in.retried(moving_in.filled($sql$
CREATE OR REPLACE FUNCTION {follow}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS {body};
ALTER FUNCTION {follow}() OWNER TO {"owner"};
CREATE OR REPLACE TRIGGER {"trigger"} BEFORE INSERT ON {child} FOR EACH ROW
	EXECUTE FUNCTION {follow}();
CREATE OR REPLACE TRIGGER {"update_trigger"} BEFORE UPDATE ON {child} FOR EACH ROW
	WHEN ({changed} OR record_image_ne(ROW(NEW.{"new_column"}), ROW(OLD.{"new_column"}))
		OR ({given}) = (NEW.{"new_column"} IS NULL)) EXECUTE FUNCTION {follow}();
DROP TRIGGER IF EXISTS {"late_trigger"} ON {child};
CREATE CONSTRAINT TRIGGER {"late_trigger"} AFTER INSERT OR UPDATE ON {child} {timing} FOR EACH ROW
	WHEN (({given}) = (NEW.{"new_column"} IS NULL)) EXECUTE FUNCTION {follow}();
ALTER TABLE {child} ENABLE ALWAYS TRIGGER {"trigger"}, ENABLE ALWAYS TRIGGER {"update_trigger"},
	ENABLE ALWAYS TRIGGER {"late_trigger"};$sql$,
		fields || jsonb_build_object('body', moving_in.in_dollars(moving_in.filled($body$
-- made by moving_in
DECLARE
	by_old boolean;
	by_new boolean;
	found_id {type};
	found_key record;
	is_there boolean;
	is_unfilled boolean;
BEGIN
	{guard}
	IF TG_WHEN = 'AFTER' THEN
		IF TG_OP = 'UPDATE' THEN   -- not of the reference: the backfill
			IF NOT ({changed} OR NEW.{"new_column"} IS DISTINCT FROM OLD.{"new_column"}) THEN
				RETURN NULL;
			END IF;
		END IF;
		-- What the row refers to came later: an UPDATE fills it.
		IF EXISTS (SELECT FROM {parent} AS p
			WHERE {equal} AND {found} IS NOT NULL
			OR p.{"key"} {same} NEW.{"new_column"}{agrees}) THEN
			UPDATE ONLY {child} AS c SET {"new_column"} = c.{"new_column"}
				WHERE {again} AND c.{"new_column"} IS NULL
				OR c.{"new_column"} {same} NEW.{"new_column"} AND NOT ({given_there});
		END IF;
		RETURN NULL;
	ELSIF TG_OP = 'UPDATE' THEN
		by_new := NEW.{"new_column"} IS DISTINCT FROM OLD.{"new_column"};
		by_old := {changed}{only_own};
	ELSE
		by_new := NEW.{"new_column"} IS NOT NULL;
		by_old := {given}{not_default};
	END IF;
	IF by_old OR NOT by_new AND NEW.{"new_column"} IS NULL THEN
		SELECT {found}, p.{"key"} IS NULL INTO found_id, is_unfilled
			FROM {source} AS p WHERE {equal} LIMIT 1;
		is_there := FOUND;
		IF is_unfilled AND current_setting('transaction_isolation') <> 'read committed' THEN
			-- If the snapshot is older than the identifier, it is 40001, as for any row that has changed.
			PERFORM FROM {parent} AS p WHERE {equal} FOR SHARE;
		END IF;
		IF is_there OR NOT by_new THEN   -- else the client gives both, and the foreign keys decide
			NEW.{"new_column"} := found_id;
		END IF;
	{by_new}
	END IF;
	RETURN NEW;
END$body$, fields || jsonb_build_object('by_new', CASE WHEN r.has_own THEN moving_in.filled(
		$body$ELSIF NEW.{"new_column"} IS NULL THEN{to_null}
	ELSIF by_new OR NOT ({given}) THEN
		SELECT {sources} INTO found_key
			FROM {source} AS p WHERE p.{"key"} {same} NEW.{"new_column"}{agrees} LIMIT 1;
		IF FOUND THEN
			{copies}
		ELSE
			{absent}
		END IF;$body$, fields) ELSE moving_in.filled($body$ELSIF by_new THEN   -- its columns are shared, so the client gives them, too
		SELECT {found} INTO found_id
			FROM {source} AS p WHERE {equal} LIMIT 1;
		IF found_id IS DISTINCT FROM NEW.{"new_column"} THEN
			{violation}
		END IF;$body$, fields) END)))))),
		format('SHARE ROW EXCLUSIVE on %s, for milliseconds', r.child),
		format('%s follows %s, and the other way round', r.new_column,
			array_to_string(r.old_columns, ', ')));
END $$;
COMMENT ON FUNCTION moving_in.follow(moving_in.plan, moving_in.reference) IS
'internal: step 2, for a foreign key';

CREATE FUNCTION moving_in.make_triggers(m moving_in.plan) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT * FROM moving_in.fill_new_rows(m)
	UNION ALL SELECT f.* FROM moving_in.references_to(m) AS r, moving_in.follow(m, r) AS f
$$;
COMMENT ON FUNCTION moving_in.make_triggers(moving_in.plan) IS 'internal: step 2';

CREATE FUNCTION moving_in.row_lock(tbl oid) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN moving_in.generated_in_key(tbl) IS NULL THEN 'NO KEY UPDATE' ELSE 'UPDATE' END
$$;
COMMENT ON FUNCTION moving_in.row_lock(oid) IS 'internal: the lock that an UPDATE of a row takes';

CREATE FUNCTION moving_in.backfill(m moving_in.plan, guessable boolean, batch int, pause interval)
RETURNS SETOF moving_in.printed LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
	-- By the place of the rows and not by a key: a table that refers may have none, and what is
	-- written since step 2 is filled wherever it is.  A batch holds rows, so it waits for none: what
	-- is locked comes in the next pass.  The last pass finds nothing, as CLUSTER may have moved rows.
	SELECT format('DO %s;', moving_in.in_dollars(moving_in.filled($do$
DECLARE
	block pg_catalog.int8 := 0;
	first_row pg_catalog.tid;
	next_row pg_catalog.tid;
	unfilled pg_catalog.int8;   -- of a batch
	free pg_catalog.int8;
	filled pg_catalog.int8;
	failed pg_catalog.int8;
	is_skipped pg_catalog.bool := false;
	pass_filled pg_catalog.int8 := 0;
	pass_left pg_catalog.int8 := 0;
	total pg_catalog.int8 := 0;
	about pg_catalog.int8;
	started pg_catalog.timestamptz;
BEGIN
	COMMIT;
	LOOP
		SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
		PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
		started := coalesce(started, clock_timestamp());
		SELECT greatest(reltuples, total) INTO about FROM pg_class WHERE oid = {'full_name'}::regclass;
		PERFORM set_config('application_name', format('%s of about %s rows, %s a second, of %s',
			total, about, (total / greatest(extract(epoch FROM clock_timestamp() - started), 0.001))::int8,
			{'relname'}), true);
		IF unfilled > 0 THEN PERFORM pg_sleep({pause}); END IF;
		IF block * current_setting('block_size')::int8 >= pg_relation_size({'full_name'}::regclass) THEN
			EXIT WHEN pass_filled + pass_left = 0;
			IF is_skipped AND pass_filled = 0 THEN
				RAISE object_not_in_prerequisite_state USING
					MESSAGE = format('a trigger of %s skips the UPDATE of rows', {'full_name'}),
					HINT = 'SET session_replication_role = replica';
			ELSIF pass_filled = 0 THEN
				PERFORM set_config('application_name', format('%s rows of %s are locked', pass_left,
					{'relname'}), true), pg_sleep(0.5);
			END IF;
			block := 0;
			pass_filled := 0;
			pass_left := 0;
			is_skipped := false;
		END IF;
		first_row := format('(%s,0)', block);
		next_row := format('(%s,0)', least(block + {batch}, 4294967295));
		SELECT count(*) INTO unfilled FROM ONLY {full_name} AS t
			WHERE t.ctid >= first_row AND t.ctid < next_row AND ({missing});
		IF unfilled > 0 THEN
			WITH free AS MATERIALIZED (
				SELECT t.ctid FROM ONLY {full_name} AS t
				WHERE t.ctid >= first_row AND t.ctid < next_row AND ({missing})
				FOR {lock} SKIP LOCKED),
			done AS (
				UPDATE ONLY {full_name} AS t SET {"new"} = t.{"new"} FROM free
				WHERE t.ctid = free.ctid AND t.ctid >= first_row AND t.ctid < next_row
				RETURNING ({missing}) AS has_failed)
			SELECT (SELECT count(*) FROM free), count(*), count(*) FILTER (WHERE has_failed)
				INTO free, filled, failed FROM done;
			IF failed > 0 THEN
				RAISE object_not_in_prerequisite_state USING
					MESSAGE = format('the triggers of %s do not fill its rows', {'full_name'}),
					HINT = 'Run step 2.';
			END IF;
			total := total + filled;
			pass_filled := pass_filled + filled;
			pass_left := pass_left + unfilled - filled;
			is_skipped := is_skipped OR filled < free;
		END IF;
		block := block + {batch};
		COMMIT;
	END LOOP;
END$do$, jsonb_build_object('full_name', t.full_name, 'relname', t.relname, 'new', t.new,
			'missing', t.missing, 'lock', moving_in.row_lock(t.tbl), 'batch', batch, 'pause', extract(epoch FROM pause))))),
		format('ROW EXCLUSIVE on %s, and the rows of a batch', t.full_name),
		'progress: application_name in pg_stat_activity'
	FROM (
		SELECT c.tbl, c.full_name, c.relname, c.pass, min(c.new) AS new,
			string_agg(c.missing, ' OR ') AS missing
		FROM (
			SELECT m.tbl, m.parent, m.relname, 1, m.key, format('t.%I IS NULL', m.key)
			UNION ALL
			-- An identifier that is not derived is there only when its row is filled.
			SELECT r.child_oid, r.child, r.relname, CASE WHEN r.is_self AND guessable THEN 1 ELSE 2 END,
				r.new_column, format('t.%I IS NULL AND EXISTS (SELECT FROM ONLY %s AS p WHERE %s%s)',
				r.new_column, m.parent, r.joined, CASE WHEN guessable THEN ''
				ELSE format(' AND p.%I IS NOT NULL', m.key) END)
			FROM moving_in.references_to(m) AS r) AS c (tbl, full_name, relname, pass, new, missing)
		GROUP BY c.tbl, c.full_name, c.relname, c.pass) AS t
	ORDER BY t.pass, t.full_name
$$;
COMMENT ON FUNCTION moving_in.backfill(moving_in.plan, boolean, int, interval) IS
'internal: step 3, in which the triggers fill the rows that are there';

CREATE FUNCTION moving_in.mend(m moving_in.plan) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- The lock on the row that is referred to keeps it there while the triggers look it up.
	SELECT format('DO %s;', moving_in.in_dollars(moving_in.filled($do$
BEGIN
	COMMIT;
	SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	WITH other AS MATERIALIZED (
		SELECT t.ctid, p.{"key"} FROM ONLY {child} AS t JOIN ONLY {parent} AS p ON {joined}
		WHERE t.{"new_column"} IS DISTINCT FROM p.{"key"} AND p.{"key"} IS NOT NULL
		FOR {lock} OF t SKIP LOCKED FOR KEY SHARE OF p SKIP LOCKED)
	UPDATE ONLY {child} AS t SET {"new_column"} = other.{"key"} FROM other WHERE t.ctid = other.ctid;
END$do$, to_jsonb(m) || to_jsonb(r) || jsonb_build_object('lock', moving_in.row_lock(r.child_oid))))),
		format('ROW EXCLUSIVE on %s, ROW SHARE on %s, and the rows that differ', r.child, m.parent),
		'rows whose parent was deleted and inserted again with its key'
	FROM moving_in.references_to(m) AS r
$$;
COMMENT ON FUNCTION moving_in.mend(moving_in.plan) IS
'internal: the end of step 3, for references that are not the identifier of their row';

CREATE FUNCTION moving_in.index(schema name, idx name, full_name text, definition text, kind text,
	why text)
RETURNS SETOF moving_in.printed LANGUAGE sql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp AS $$
	VALUES (moving_in.retried(format(E'IF EXISTS (SELECT FROM pg_index WHERE indexrelid = '
			'to_regclass(%1$L) AND NOT indisvalid) THEN\n\tDROP INDEX %1$s;\nEND IF;', format('%I.%I', schema, idx))),
		format('none, or ACCESS EXCLUSIVE on %s, for milliseconds', full_name),
		'what the next statement may have left'),
		(format('CREATE %sINDEX CONCURRENTLY IF NOT EXISTS %I ON %s %s;', kind, idx, full_name, definition),
		format('SHARE UPDATE EXCLUSIVE on %s', full_name), why)
$$;
COMMENT ON FUNCTION moving_in.index(name, name, text, text, text, text) IS
'internal: the two statements that make an index, and may be killed';

CREATE FUNCTION moving_in.second_index(m moving_in.plan, why text) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT x.* FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
	LEFT JOIN pg_tablespace AS s ON s.oid = c.reltablespace
	CROSS JOIN LATERAL (SELECT string_agg(pg_get_indexdef(c.oid, n, false), ', ' ORDER BY n)
		FROM generate_series(i.indnkeyatts + 1, i.indnatts) AS n) AS included (columns)
	CROSS JOIN LATERAL moving_in.index(m.schema, m.second, m.parent, concat('(', m.old_key, ')',
		' INCLUDE (' || included.columns || ')', ' WITH (' || array_to_string(c.reloptions, ', ') || ')',
		' TABLESPACE ' || quote_ident(s.spcname)), 'UNIQUE ', why) AS x
	WHERE i.indexrelid = m.key_index
$$;
COMMENT ON FUNCTION moving_in.second_index(moving_in.plan, text) IS
'internal: an index like that of the primary key, whose place it takes';

CREATE FUNCTION moving_in.make_indexes(m moving_in.plan) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT * FROM moving_in.index(m.schema, m.new_pkey, m.parent, format('(%I)', m.key), 'UNIQUE ',
		'the new key')
	UNION ALL SELECT x.* FROM moving_in.references_to(m) AS r, moving_in.index(r.child_schema, r.idx,
		r.child, format('(%I)', r.new_column), '', 'as the old columns have one') AS x WHERE r.has_index
	UNION ALL VALUES (moving_in.retried(moving_in.filled($sql$
IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = {'parent'}::regclass AND attname = {'key'}
		AND attnotnull)
	AND NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = {'parent'}::regclass
		AND conname = {'not_null'}) THEN
	ALTER TABLE {parent} ADD CONSTRAINT {"not_null"} CHECK ({"key"} IS NOT NULL) NOT VALID;
END IF;$sql$, to_jsonb(m))), format('ACCESS EXCLUSIVE on %s, for milliseconds', m.parent),
		'so that the exchange reads no row'), (moving_in.retried(moving_in.filled($sql$
IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = {'parent'}::regclass
	AND conname = {'not_null'} AND NOT convalidated) THEN
	ALTER TABLE {parent} VALIDATE CONSTRAINT {"not_null"};
END IF;$sql$, to_jsonb(m))), format('SHARE UPDATE EXCLUSIVE on %s, while it reads', m.parent), NULL)
	UNION ALL SELECT * FROM moving_in.second_index(m,
		'the old key again, for ON CONFLICT and for foreign keys to it')
$$;
COMMENT ON FUNCTION moving_in.make_indexes(moving_in.plan) IS
'internal: step 4, what the exchange needs';

CREATE FUNCTION moving_in.each(m moving_in.plan, template text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT coalesce(string_agg(moving_in.filled(template, to_jsonb(m) || to_jsonb(r)
		|| jsonb_build_object('old_list', r.old_columns::text)), ''), '')
	FROM moving_in.references_to(m) AS r
$$;
COMMENT ON FUNCTION moving_in.each(moving_in.plan, text) IS
'internal: a text for each foreign key that refers to the table';

CREATE FUNCTION moving_in.all_tables(m moving_in.plan) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(DISTINCT n.full_name, ', ') FROM moving_in.new_columns(m) AS n
$$;
COMMENT ON FUNCTION moving_in.all_tables(moving_in.plan) IS
'internal: the table that moves, and those that refer to it';

-- What the index of the primary key is for besides, as a published row is known to subscribers by it
CREATE FUNCTION moving_in.other_uses(m moving_in.plan, is_back boolean) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT concat(
		CASE WHEN c.relreplident = 'i' AND i.indisreplident OR c.relreplident = 'd'
			AND NOT is_back AND (EXISTS (SELECT FROM pg_subscription_rel WHERE srrelid = c.oid)
				OR EXISTS (SELECT FROM pg_publication_tables AS n
				WHERE format('%I.%I', n.schemaname, n.tablename)::regclass = c.oid))
			THEN format(E'\nALTER TABLE %s REPLICA IDENTITY USING INDEX %I;', m.parent, m.pkey)
			WHEN is_back AND c.relreplident = 'd'
			THEN format(E'\nALTER TABLE %s REPLICA IDENTITY DEFAULT;', m.parent) END,
		CASE WHEN i.indisclustered THEN format(E'\nALTER TABLE %s CLUSTER ON %I;', m.parent, m.pkey) END,
		format(E'\nCOMMENT ON CONSTRAINT %I ON %s IS ', m.pkey, m.parent)
			|| quote_literal(obj_description(m.con, 'pg_constraint')) || ';',
		format(E'\nCOMMENT ON INDEX %I.%I IS ', m.schema, m.pkey)
			|| quote_literal(obj_description(m.key_index, 'pg_class')) || ';')
	FROM pg_class AS c JOIN pg_index AS i ON i.indexrelid = m.key_index WHERE c.oid = m.tbl
$$;
COMMENT ON FUNCTION moving_in.other_uses(moving_in.plan, boolean) IS
'internal: REPLICA IDENTITY, CLUSTER and comments of the old key';

-- In the exchange and on the way back.  The old foreign keys stay, on the second index: an UPDATE
-- of the old key leaves the identifier as it is, so only they carry out ON UPDATE, and hold old
-- clients to what was declared.  Both carry out ON DELETE: the second one finds no row.  The old
-- names stay with the old columns, as ON CONFLICT ON CONSTRAINT means these.
CREATE FUNCTION moving_in.exchanged(m moving_in.plan, pkey name, key text, reached text,
	statements text, before text)
RETURNS moving_in.printed LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT moving_in.retried(moving_in.filled($sql$
IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = {'parent'}::regclass AND contype = 'p'
	AND conname = {'pkey'}) THEN
	DROP INDEX IF EXISTS {"schema"}.{"second"};{reached}
	RETURN;
END IF;
LOCK TABLE {all_tables} IN ACCESS EXCLUSIVE MODE;{statements}$sql$, to_jsonb(m) || jsonb_build_object(
			'pkey', pkey, 'reached', reached, 'all_tables', t.names, 'statements', statements)), before),
		format('ACCESS EXCLUSIVE on %s, for milliseconds', t.names), 'the primary key is ' || key
	FROM moving_in.all_tables(m) AS t (names)
$$;
COMMENT ON FUNCTION moving_in.exchanged(moving_in.plan, name, text, text, text, text) IS
'internal: what exchanges the primary key, unless it is that one already';

CREATE FUNCTION moving_in.exchange(m moving_in.plan) RETURNS moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT moving_in.exchanged(m, m.new_pkey, quote_ident(m.key), '', moving_in.filled($sql$
ALTER TABLE {parent} ALTER {"key"} SET NOT NULL;
ALTER TABLE {parent} DROP CONSTRAINT IF EXISTS {"not_null"};$sql$, to_jsonb(m)) || moving_in.each(m, $sql$
ALTER TABLE {child} DROP CONSTRAINT {"fkey"};$sql$) || moving_in.filled($sql$
ALTER TABLE {parent} DROP CONSTRAINT {"pkey"};
ALTER TABLE {parent} ADD CONSTRAINT {"new_pkey"} PRIMARY KEY USING INDEX {"new_pkey"};
ALTER TABLE {parent} ADD CONSTRAINT {"pkey"} UNIQUE USING INDEX {"second"};$sql$, to_jsonb(m))
		|| moving_in.each(m, $sql$
ALTER TABLE {child} ADD CONSTRAINT {"fkey"} {definition} NOT VALID;{comment}
ALTER TABLE {child} ADD CONSTRAINT {"new_fkey"} FOREIGN KEY ({"new_column"})
	REFERENCES {parent} ({"key"}){actions} NOT VALID;$sql$) || moving_in.other_uses(m, false),
		-- that step 3 has done all
		moving_in.each(m, $sql$
	IF EXISTS (SELECT FROM ONLY {child} AS t JOIN ONLY {parent} AS p ON {joined}
		WHERE t.{"new_column"} IS DISTINCT FROM p.{"key"}) THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = format('%s of %s is not the identifier of the row that is referred to',
				{'new_column'}, {'child'}),
			HINT = 'Run step 3 again.';
	END IF;$sql$))
$$;
COMMENT ON FUNCTION moving_in.exchange(moving_in.plan) IS 'internal: step 5';

CREATE FUNCTION moving_in.way_back(m moving_in.plan) RETURNS moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT moving_in.exchanged(m, m.pkey, m.old_key, moving_in.filled($sql$
	ALTER TABLE {parent} DROP CONSTRAINT IF EXISTS {"not_null"};$sql$, to_jsonb(m)), moving_in.each(m, $sql$
ALTER TABLE {child} DROP CONSTRAINT {"new_fkey"}, DROP CONSTRAINT {"fkey"};$sql$) || moving_in.filled($sql$
ALTER TABLE {parent} DROP CONSTRAINT {"new_pkey"}, DROP CONSTRAINT {"pkey"};
ALTER TABLE {parent} ADD CONSTRAINT {"pkey"} PRIMARY KEY USING INDEX {"second"};
ALTER TABLE {parent} ALTER {"key"} DROP NOT NULL;$sql$, to_jsonb(m)) || moving_in.each(m, $sql$
ALTER TABLE {child} ADD CONSTRAINT {"fkey"} {definition} NOT VALID;{comment}$sql$)
		|| moving_in.other_uses(m, true), '')
$$;
COMMENT ON FUNCTION moving_in.way_back(moving_in.plan) IS 'internal: step 7';

CREATE FUNCTION moving_in.validate(m moving_in.plan, is_back boolean) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('ALTER TABLE %s VALIDATE CONSTRAINT %I;', r.child, f.fkey),
		format('SHARE UPDATE EXCLUSIVE on %s, and ROW SHARE on %s, while it reads', r.child, m.parent),
		'as it was'
	FROM moving_in.references_to(m) AS r, LATERAL (VALUES (r.new_fkey, true), (r.fkey, false))
		AS f (fkey, is_new) WHERE r.is_valid AND NOT (is_back AND f.is_new)
$$;
COMMENT ON FUNCTION moving_in.validate(moving_in.plan, boolean) IS
'internal: step 6, and on the way back';

CREATE FUNCTION moving_in.forget(m moving_in.plan) RETURNS SETOF moving_in.printed
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	VALUES (moving_in.retried(moving_in.filled($sql$
IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = {'parent'}::regclass AND contype = 'p'
		AND conname = {'new_pkey'})
	AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = {'parent'}::regclass AND attname = {'key'}
		AND NOT atthasdef) THEN
	RAISE object_not_in_prerequisite_state USING MESSAGE = format('%s of %s has no default', {'key'},
		{'parent'}), HINT = 'ALTER it, or run step 7.';
END IF;
DROP TRIGGER IF EXISTS zz_moving_in ON {parent};
DROP FUNCTION IF EXISTS {fill}(), {identifier}({parent});$sql$, to_jsonb(m)) || moving_in.each(m, $sql$
IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = {'child'}::regclass AND conname = {'new_fkey'})
	AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = {'child'}::regclass
		AND attname = ANY ({'old_list'}::name[]) AND NOT attnotnull) THEN
	RAISE object_not_in_prerequisite_state USING MESSAGE = format('%s of %s is NOT NULL', {'old_list'},
		{'child'}), HINT = 'ALTER it, or run step 7.';
END IF;
DROP TRIGGER IF EXISTS {"trigger"} ON {child};
DROP TRIGGER IF EXISTS {"update_trigger"} ON {child};
DROP TRIGGER IF EXISTS {"late_trigger"} ON {child};
DROP FUNCTION IF EXISTS {follow}();$sql$)),
		format('ACCESS EXCLUSIVE on %s, for milliseconds', moving_in.all_tables(m)),
		'triggers and functions go: when no old client is left and the key has a default, or after step 7'),
		(moving_in.retried((SELECT string_agg(format(E'\nALTER TABLE %s DROP COLUMN IF EXISTS %I;',
			n.full_name, n.new), '') FROM moving_in.new_columns(m) AS n)),
		format('ACCESS EXCLUSIVE on %s, for milliseconds', moving_in.all_tables(m)),
		'the new columns go: after step 7')
$$;
COMMENT ON FUNCTION moving_in.forget(moving_in.plan) IS 'internal: step 8';

CREATE FUNCTION moving_in.statements(tbl regclass, country text, entity text, at text DEFAULT NULL,
	key_column name DEFAULT 'iuid', columns jsonb DEFAULT '{}', key_type text DEFAULT 'iuid',
	guessable boolean DEFAULT true, batch int DEFAULT 25, pause interval DEFAULT '10 ms')
RETURNS TABLE (step int, statement text, locks text, note text)
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	m moving_in.plan;
	p record;
BEGIN
	SELECT * INTO p FROM moving_in.problems(tbl, country, entity, at, key_column, columns, key_type,
		guessable) LIMIT 1;
	IF FOUND THEN
		RAISE object_not_in_prerequisite_state USING
			MESSAGE = format('%s cannot move in: %s: %s', tbl, p.problem, p.object),
			DETAIL = p.reason, HINT = p.to_do;
	ELSIF batch < 1 OR pause < '0 s' OR batch IS NULL OR pause IS NULL THEN
		RAISE invalid_parameter_value USING
			MESSAGE = 'a batch has at least one page, and a pause is not negative';
	END IF;
	m := moving_in.plan(tbl, country, entity, at, key_column, columns, key_type, guessable);
	RETURN QUERY SELECT 0, NULL::text, NULL::text, n FROM moving_in.notes(m) AS n;
	RETURN QUERY SELECT 1, s.* FROM moving_in.add_columns(m) AS s;
	RETURN QUERY SELECT 2, s.* FROM moving_in.make_triggers(m) AS s;
	RETURN QUERY SELECT 3, s.* FROM moving_in.backfill(m, guessable, batch, pause) AS s;
	RETURN QUERY SELECT 3, s.* FROM moving_in.mend(m) AS s;
	RETURN QUERY SELECT 4, s.* FROM moving_in.make_indexes(m) AS s;
	RETURN QUERY SELECT 5, s.* FROM moving_in.exchange(m) AS s;
	RETURN QUERY SELECT 6, s.* FROM moving_in.validate(m, false) AS s;
	RETURN QUERY SELECT 7, s.* FROM moving_in.second_index(m, 'the way back, from any step after 4') AS s;
	RETURN QUERY SELECT 7, s.* FROM moving_in.way_back(m) AS s;
	RETURN QUERY SELECT 7, s.* FROM moving_in.validate(m, true) AS s;
	RETURN QUERY SELECT 8, s.* FROM moving_in.forget(m) AS s;
END $$;
COMMENT ON FUNCTION moving_in.statements(regclass, text, text, text, name, jsonb, text, boolean, int,
	interval) IS
'prints, in order, the statements that give a table an identifier as its primary key; 0 are notes, 7 is the way back, 8 forgets';

COMMIT;
