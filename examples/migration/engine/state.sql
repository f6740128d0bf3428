-- What the migration knows: what you say of a table, what the catalog says, and how far it has come.

CREATE SCHEMA migration;
CREATE SCHEMA v2;   -- the new tables: new clients have search_path = v2, public

CREATE TABLE migration.tables (
	old regclass PRIMARY KEY,        -- an oid: it stays the same when the table gets another name
	place int GENERATED ALWAYS AS IDENTITY,
	schema name NOT NULL,
	name name NOT NULL,              -- what clients call it; after the swap, this is a view
	-- What only you know: see migration.move()
	country text,                    -- NULL: the table keeps its key
	entity text,
	at text,
	without_time timestamptz,
	monthly_from timestamptz,
	renamed jsonb NOT NULL,
	leave name[] NOT NULL,
	-- How far it has come
	new regclass UNIQUE,
	map regclass,                    -- has the old key and the iuid of each row that has come
	columns int2[],                  -- of the old table, when the new one was made: one that comes later is not followed
	partitions oid[],                -- of the old table, since its changes are followed
	statements jsonb,                -- of a batch of the backfill
	watermark jsonb,                 -- the backfill has been at all old keys up to this one
	rows_come bigint NOT NULL DEFAULT 0,
	begun timestamptz,
	complete timestamptz,
	constrained boolean NOT NULL DEFAULT false,
	swapped boolean NOT NULL DEFAULT false,
	silenced name[] NOT NULL DEFAULT '{}'   -- triggers that are off in the old table since the swap
);

-- The rows that are in an old table only, each with its reason.  The row itself is in the old table.
CREATE TABLE migration.set_aside (
	old regclass REFERENCES migration.tables,
	key jsonb,
	reason text NOT NULL,
	since timestamptz NOT NULL DEFAULT clock_timestamp(),
	PRIMARY KEY (old, key)
);

-- Publications that have old tables, and whether their subscribers are ready.
CREATE TABLE migration.publications (name name PRIMARY KEY, ready boolean NOT NULL DEFAULT false);

-- How many rows the server believes that a table has.
CREATE FUNCTION migration.rows_about(of regclass) RETURNS bigint LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN (SELECT sum(greatest(c.reltuples, 0)) FROM pg_class AS c
	WHERE c.relkind = 'r' AND (c.oid = of OR c.oid IN (SELECT p.relid FROM pg_partition_tree(of) AS p)));

CREATE VIEW migration.progress AS
SELECT name, swapped, watermark, rows_come, left_about, set_aside,
	(rows_come / nullif(extract(epoch FROM coalesce(complete, clock_timestamp()) - begun), 0))::int AS rows_a_second, begun, complete
FROM migration.tables AS t,
	LATERAL (SELECT count(*) FROM migration.set_aside AS s WHERE s.old = t.old) AS s (set_aside),
	LATERAL (SELECT CASE WHEN t.complete IS NULL THEN greatest(migration.rows_about(t.old) - t.rows_come - s.set_aside, 0) ELSE 0 END) AS r (left_about)
ORDER BY place;

--
-- What the catalog says
--

-- The primary key: its columns, and the same with their types.
CREATE VIEW migration.keys AS
SELECT t.old, array_agg(a.attname ORDER BY k.place) AS columns, array_agg(a.atttypid::regtype ORDER BY k.place) AS types,
	array_agg(format('%s%s', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attcollation <> 0 THEN format(' COLLATE %I.%I', n.nspname, o.collname) END)
		ORDER BY k.place) AS declared
FROM migration.tables AS t
	JOIN pg_index AS i ON i.indrelid = t.old AND i.indisprimary
	CROSS JOIN unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
	JOIN pg_attribute AS a ON a.attrelid = t.old AND a.attnum = k.attnum
	LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
	LEFT JOIN pg_namespace AS n ON n.oid = o.collnamespace
WHERE k.place <= i.indnkeyatts
GROUP BY t.old;

-- The foreign keys.  One to a table that gets a new key ("moved") gets a column of its own, beside
-- the old columns.  "naming" is the old column that it is named after.
CREATE VIEW migration.refs AS
SELECT c.oid AS con, c.conname AS name, t.old, c.confrelid::regclass AS parent, p.old IS NOT NULL AS moved, x.columns, x.parent_columns, x.naming,
	CASE WHEN p.old IS NOT NULL THEN coalesce(t.renamed ->> c.conname,
		CASE WHEN t.country IS NULL THEN regexp_replace(coalesce(x.naming, p.name), '_id$', '') || '_iuid' ELSE coalesce(x.naming, p.name || '_id') END)::name END AS new_column,
	c.confupdtype, c.confdeltype, c.confmatchtype, c.condeferrable, c.condeferred
FROM migration.tables AS t
	JOIN pg_constraint AS c ON c.conrelid = t.old AND c.contype = 'f' AND c.conparentid = 0
	LEFT JOIN migration.tables AS p ON p.old = c.confrelid AND p.country IS NOT NULL
	CROSS JOIN LATERAL (
		SELECT array_agg(a.attname ORDER BY k.place) AS columns, array_agg(b.attname ORDER BY k.place) AS parent_columns,
			CASE count(*) WHEN 1 THEN min(a.attname::text) ELSE min(a.attname::text) FILTER (WHERE b.attname = 'id') END AS naming
		FROM unnest(c.conkey, c.confkey) WITH ORDINALITY AS k (attnum, parent_attnum, place)
			JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.attnum
			JOIN pg_attribute AS b ON b.attrelid = c.confrelid AND b.attnum = k.parent_attnum) AS x;

-- The columns, and their names in the new table: what would have the name of the iuid gets "old_".
CREATE VIEW migration.columns AS
SELECT t.old, a.attnum, a.attname AS name, a.attidentity AS identity, a.attgenerated <> '' AS generated, a.attnotnull AS not_null,
	coalesce(t.renamed ->> a.attname, CASE WHEN t.country IS NOT NULL AND (a.attname = 'id'
		OR EXISTS (SELECT FROM migration.refs AS r WHERE r.old = t.old AND r.moved AND r.naming = a.attname)) THEN 'old_' || a.attname ELSE a.attname END)::name AS new_name,
	d.oid AS has_default, CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default_value,
	EXISTS (SELECT FROM pg_depend AS x JOIN pg_class AS s ON s.oid = x.refobjid AND s.relkind = 'S'
		WHERE x.classid = 'pg_attrdef'::regclass AND x.objid = d.oid AND x.refclassid = 'pg_class'::regclass) AS serial
FROM migration.tables AS t
	JOIN pg_attribute AS a ON a.attrelid = t.old AND a.attnum > 0 AND NOT a.attisdropped AND (t.columns IS NULL OR a.attnum = ANY (t.columns))
	LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum;

-- The columns that go at the end: what refers to a table with a new key does so by iuid alone, and
-- where there is a table of old keys, they are there.
CREATE VIEW migration.going AS
SELECT a.attrelid::regclass AS relation, a.attname, a.attnum
FROM migration.tables AS t JOIN migration.columns AS c USING (old) LEFT JOIN migration.keys AS k USING (old)
	JOIN pg_attribute AS a ON a.attrelid = coalesce(t.new, t.old) AND a.attname = CASE WHEN t.country IS NULL THEN c.name ELSE c.new_name END
WHERE c.name = ANY (k.columns) AND c.new_name <> c.name AND t.map <> t.new
	OR c.name <> ALL (k.columns) AND EXISTS (SELECT FROM migration.refs AS r WHERE r.old = t.old AND r.moved AND r.naming = c.name);

-- Who may do what with a relation, but for its owner.
CREATE FUNCTION migration.grants(of regclass, OUT privilege text, OUT of_column text, OUT role text, OUT option text) RETURNS SETOF record LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp AS $$
	SELECT x.privilege_type, coalesce(' (' || quote_ident(a.attname) || ')', ''), CASE x.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END,
		CASE WHEN x.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
	FROM pg_class AS c CROSS JOIN LATERAL (
		SELECT NULL, c.relacl UNION ALL SELECT b.attname, b.attacl FROM pg_attribute AS b WHERE b.attrelid = c.oid AND NOT b.attisdropped) AS a (attname, acl)
		CROSS JOIN aclexplode(a.acl) AS x
	WHERE c.oid = of AND x.grantee <> c.relowner AND x.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
$$;

-- The search_path of all that is made here: where iuid is, and the types of the columns.
CREATE FUNCTION migration.path() RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'pg_catalog, ' || string_agg(quote_ident(n.nspname) || ', ', '' ORDER BY n.nspname) || 'pg_temp' FROM pg_namespace AS n
	WHERE n.nspname <> 'pg_catalog' AND n.oid IN (
		SELECT e.extnamespace FROM pg_extension AS e WHERE e.extname = 'iuid'
		UNION ALL SELECT y.typnamespace FROM pg_type AS y JOIN pg_attribute AS a ON a.atttypid = y.oid JOIN migration.tables AS t ON t.old = a.attrelid)
$$;

-- A table and its partitions.  Triggers that fire once for a statement are of one of these only.
CREATE FUNCTION migration.tree(of regclass) RETURNS SETOF regclass LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT of UNION SELECT relid FROM pg_partition_tree(of)
$$;

CREATE FUNCTION migration.drop_trigger(trigger name, of regclass) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	one regclass;
BEGIN
	FOR one IN SELECT g.tgrelid FROM migration.tree(of) AS x JOIN pg_trigger AS g ON g.tgrelid = x WHERE g.tgname = trigger AND g.tgparentid = 0 LOOP
		EXECUTE format('DROP TRIGGER %I ON %s', trigger, one);
	END LOOP;
END $$;

--
-- Pieces of SQL
--

-- A template whose names between two @ are filled in.
CREATE FUNCTION migration.fill_in(template text, names jsonb) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(CASE WHEN place % 2 = 1 THEN part ELSE names ->> part END, '' ORDER BY place)
	FROM string_to_table(template, '@') WITH ORDINALITY AS p (part, place)
$$;

-- Columns as a list, each with a prefix.
CREATE FUNCTION migration.list(prefix text, columns name[], separator text DEFAULT ', ') RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(prefix || quote_ident(c), separator ORDER BY place) FROM unnest(columns) WITH ORDINALITY AS x (c, place)
$$;

-- That some columns have the values of others.
CREATE FUNCTION migration.equal(one text, ones name[], other text, others name[]) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
	SELECT string_agg(format('%s%I = %s%I', one, a, other, b), ' AND ' ORDER BY place) FROM unnest(ones, others) WITH ORDINALITY AS x (a, b, place)
$$;

-- The key of a row as JSON: its columns, under the names of the old table.
CREATE FUNCTION migration.json_of(prefix text, columns name[], names name[]) RETURNS text LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('pg_catalog.jsonb_build_object(%s)', string_agg(format('%L, %s%I', n, prefix, c), ', ' ORDER BY place))
	FROM unnest(columns, names) WITH ORDINALITY AS x (c, n, place)
$$;

-- Keys as JSON in a parameter, as rows.
CREATE FUNCTION migration.rows_of(parameter text, k migration.keys) RETURNS text LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('pg_catalog.jsonb_to_recordset(%s) AS k (%s)', parameter, string_agg(format('%I %s', c, d), ', ' ORDER BY place))
	FROM unnest(k.columns, k.declared) WITH ORDINALITY AS x (c, d, place)
$$;

-- An old row, from the columns of a relation that has them.  The type has the columns that the old table
-- had when the new one was made.
CREATE FUNCTION migration.row_of(of regclass, prefix text) RETURNS text LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT format('ROW (%s)::migration.%I', string_agg(format('%s%I', prefix, c.name), ', ' ORDER BY c.attnum), 'row_of_' || t.name)
	FROM migration.tables AS t JOIN migration.columns AS c USING (old) WHERE t.old = of GROUP BY t.name
$$;

-- The names that columns of an old table have in the new one.
CREATE FUNCTION migration.new_names(of regclass, columns name[]) RETURNS name[] LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	SELECT array_agg(c.new_name ORDER BY x.place) FROM unnest(columns) WITH ORDINALITY AS x (name, place)
		JOIN migration.columns AS c ON c.old = of AND c.name = x.name
$$;

--
-- Changes of tables, without a queue behind them
--

-- Runs commands in one transaction as soon as none of their locks is in use.  Whoever comes behind a
-- lock that is waited for waits, too: so this waits a tenth of a second for a lock, gives up all
-- locks, and tries again a second later.  It is called outside of a transaction.
CREATE PROCEDURE migration.run(commands text[], patience interval DEFAULT '1 hour') LANGUAGE plpgsql AS $$
DECLARE
	until timestamptz := pg_catalog.clock_timestamp() OPERATOR(pg_catalog.+) patience;
BEGIN
	WHILE NOT migration.try(commands, pg_catalog.clock_timestamp() OPERATOR(pg_catalog.>) until) LOOP
		COMMIT;
		PERFORM pg_catalog.pg_sleep(0.5 OPERATOR(pg_catalog.+) pg_catalog.random());
	END LOOP;
	COMMIT;
END $$;

CREATE FUNCTION migration.try(commands text[], last boolean) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	command text;
BEGIN
	PERFORM pg_catalog.set_config('lock_timeout', '100ms', true);
	-- A VACUUM that the server began gives way to whoever has waited for deadlock_timeout.
	IF pg_catalog.has_parameter_privilege('deadlock_timeout', 'SET') THEN
		PERFORM pg_catalog.set_config('deadlock_timeout', '10ms', true);
	END IF;
	FOREACH command IN ARRAY commands LOOP
		EXECUTE command;
	END LOOP;
	RETURN true;
EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
	IF last THEN
		RAISE;
	END IF;
	RETURN false;
END $$;

-- Locks tables one after the other.  All of them together may wait for a fifth of a second, as who
-- waits for the first one waits all the time.
CREATE FUNCTION migration.lock(tables regclass[], mode text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	until timestamptz := clock_timestamp() + interval '200 ms';
	one regclass;
BEGIN
	FOREACH one IN ARRAY tables LOOP
		PERFORM set_config('lock_timeout', greatest(1, (extract(epoch FROM until - clock_timestamp()) * 1000)::int) || 'ms', true);
		EXECUTE format('LOCK TABLE %s IN %s MODE', one, mode);
	END LOOP;
	PERFORM set_config('lock_timeout', '100ms', true);
END $$;
