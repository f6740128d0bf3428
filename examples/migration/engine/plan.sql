-- What you say of a table, what will happen, and what is in the way.

-- A table that gets a new key.  "country", "entity" and "at" are constants or expressions of the
-- columns of a row, of which each gives the same in every session:
--   * at: the time of the row.  NULL: the key is a UUID of version 7, which contains the time.
--   * without_time: the time of a row that has none, or one that nobody believes.  NULL: such a row is
--     set aside.
--   * monthly_from: the new table has a partition for each month from then on.  NULL: it has none.
--   * renamed: columns, and foreign keys for the column of their iuid, that get another name in the
--     new table than they would: {"old name": "new name"}.
--   * leave: triggers of yours that the new table does not need.
CREATE PROCEDURE migration.move(old regclass, country text, entity text, at text DEFAULT NULL, without_time timestamptz DEFAULT NULL,
	monthly_from timestamptz DEFAULT NULL, renamed jsonb DEFAULT '{}', leave name[] DEFAULT '{}') LANGUAGE sql
BEGIN ATOMIC
	INSERT INTO migration.tables (old, schema, name, country, entity, at, without_time, monthly_from, renamed, leave)
	SELECT c.oid, n.nspname, c.relname, move.country, move.entity, move.at, move.without_time, move.monthly_from, move.renamed, move.leave
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = move.old;
END;

-- A table that keeps its key, and refers to tables that get a new one: it gets columns for these.
CREATE PROCEDURE migration.keep(old regclass, renamed jsonb DEFAULT '{}') LANGUAGE sql
BEGIN ATOMIC
	INSERT INTO migration.tables (old, schema, name, renamed, leave)
	SELECT c.oid, n.nspname, c.relname, keep.renamed, '{}' FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = keep.old;
END;

-- Which times are those of a row, and which ones a faulty clock's?
CREATE FUNCTION migration.is_believable(at timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(at >= timestamptz '2000-01-01 00:00+00' AND at < timestamptz '2100-01-01 00:00+00', false);

-- What is wrong with an expression.  An index takes only what gives the same in every session.
CREATE FUNCTION migration.fault_of(of regclass, expression text, is_time boolean) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	type regtype;
	fault text;
BEGIN
	PERFORM set_config('search_path', migration.path(), true);
	BEGIN
		EXECUTE format('CREATE TEMP TABLE %I (LIKE %s)', (SELECT t.name FROM migration.tables AS t WHERE t.old = of), of);
		EXECUTE format('CREATE INDEX migration_probe ON pg_temp.%I ((%s))', (SELECT t.name FROM migration.tables AS t WHERE t.old = of), expression);
		type := (SELECT atttypid FROM pg_attribute WHERE attrelid = 'pg_temp.migration_probe'::regclass AND attnum = 1);
		RAISE SQLSTATE 'IUID0' USING MESSAGE = 'nothing of this stays';
	EXCEPTION
		WHEN SQLSTATE 'IUID0' THEN NULL;
		WHEN invalid_object_definition THEN fault := 'it can give different results in different sessions';
		WHEN OTHERS THEN fault := SQLERRM;
	END;
	RETURN coalesce(fault, CASE
		WHEN is_time AND type IN ('timestamp'::regtype, 'date'::regtype) THEN format('it is a %s, which does not say of which zone', type)
		WHEN is_time AND type <> 'timestamptz'::regtype THEN format('it is a %s, and not a time', type)
		WHEN NOT is_time AND type NOT IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) THEN format('it is of the type %s, and not an integer', type) END);
END $$;

-- Everything that is in the way, before which step, and what to do about it.
CREATE FUNCTION migration.in_the_way(OUT before text, OUT name text, OUT message text, OUT hint text) RETURNS SETOF record LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
	t migration.tables;
	k migration.keys;
	what text;
BEGIN
	FOR t IN SELECT * FROM migration.tables AS x ORDER BY x.place LOOP
		name := t.name;
		SELECT * INTO k FROM migration.keys AS x WHERE x.old = t.old;
		IF t.country IS NOT NULL AND NOT t.swapped AND t.new IS NULL THEN
			before := 'make';
			IF k.old IS NULL THEN
				RETURN QUERY SELECT 'make', t.name::text, 'the table has no primary key', 'ALTER TABLE … ADD PRIMARY KEY: without a key nobody can say which new row is which old one.';
			ELSIF t.at IS NULL AND k.types <> ARRAY['uuid'::regtype] THEN
				RETURN QUERY SELECT 'make', t.name::text, 'nobody has said which time a row has', 'Say in "at" which column or expression: only a key of type uuid can contain the time.';
			END IF;
			FOREACH what IN ARRAY ARRAY['country', 'entity', 'at'] LOOP
				message := migration.fault_of(t.old, to_jsonb(t) ->> what, what = 'at');
				IF to_jsonb(t) ->> what IS NOT NULL AND message IS NOT NULL THEN
					RETURN QUERY SELECT 'make', t.name::text, format('%s: %s', what, message), CASE what WHEN 'at'
						THEN format('Say the zone: for example (%s) AT TIME ZONE ''UTC''.', to_jsonb(t) ->> what)
						ELSE 'Write a number, or an immutable expression of the columns that gives one.' END;
				END IF;
			END LOOP;
			RETURN QUERY SELECT 'make', t.name::text, format('the table belongs to %s', pg_get_userbyid(c.relowner)), format('SET ROLE %I, and load the engine as that role.', pg_get_userbyid(c.relowner))
			FROM pg_class AS c WHERE c.oid = t.old AND pg_get_userbyid(c.relowner) <> current_user
			UNION ALL SELECT 'make', t.name::text, 'the table has row security', 'A view of old clients would show them all rows.  Take the policies off, or leave this table as it is.'
			FROM pg_class AS c WHERE c.oid = t.old AND c.relrowsecurity
			UNION ALL SELECT 'make', t.name::text, format('it is no table, or one with rules or other tables under it by inheritance'), 'Only tables and partitioned tables can be moved.'
			FROM pg_class AS c WHERE c.oid = t.old AND (c.relkind NOT IN ('r', 'p') OR c.relispartition OR EXISTS (SELECT FROM pg_rewrite AS r WHERE r.ev_class = t.old)
				OR EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = t.old OR i.inhparent = t.old AND c.relkind = 'r'))
			UNION ALL SELECT 'make', t.name::text, format('another table has the name %I, too', t.name), 'The new tables are in one schema: rename one of the two.'
			FROM migration.tables AS x WHERE x.name = t.name AND x.old <> t.old
			UNION ALL SELECT 'make', t.name::text, format('%s: %s is not from 0 to 255', x.argument, x.value), 'Countries and entities are numbers from 0 to 255.'
			FROM (VALUES ('country', t.country), ('entity', t.entity)) AS x (argument, value) WHERE x.value ~ '^\s*-?\d+\s*$' AND x.value::numeric NOT BETWEEN 0 AND 255
			UNION ALL SELECT 'make', t.name::text, format('renamed: there is no column and no foreign key %I', x.n), 'Correct the name.'
			FROM jsonb_object_keys(t.renamed) AS x (n) WHERE NOT EXISTS (SELECT FROM migration.columns AS c WHERE c.old = t.old AND c.name = x.n)
				AND NOT EXISTS (SELECT FROM migration.refs AS r WHERE r.old = t.old AND r.moved AND r.name = x.n)
			UNION ALL SELECT 'make', t.name::text, format('leave: there is no trigger %I', x.n), 'Correct the name.'
			FROM unnest(t.leave) AS x (n) WHERE NOT EXISTS (SELECT FROM pg_trigger AS g WHERE g.tgrelid = t.old AND g.tgname = x.n)
			UNION ALL SELECT 'make', t.name::text, format('the name %L is too long', t.name), 'It may have 48 bytes, as names are made from it.' WHERE octet_length(t.name) > 48
			UNION ALL SELECT 'make', t.name::text, format('%s is unique: a table with partitions by iuid cannot keep it', i.indexrelid::regclass), 'Leave "monthly_from" out, or drop the index.'
			FROM pg_index AS i WHERE i.indrelid = t.old AND t.monthly_from IS NOT NULL AND (i.indisunique OR i.indisexclusion) AND NOT i.indisprimary
			UNION ALL SELECT 'make', t.name::text, format('the new table has two columns %I', x.n), 'Say another name in "renamed".'
			FROM (SELECT c.new_name FROM migration.columns AS c WHERE c.old = t.old UNION ALL SELECT r.new_column FROM migration.refs AS r WHERE r.old = t.old AND r.moved
				UNION ALL SELECT 'id') AS x (n) GROUP BY x.n HAVING count(*) > 1
			UNION ALL SELECT 'make', t.name::text, format('the foreign key %I has ON UPDATE SET NULL or SET DEFAULT', r.name), 'Make it ON UPDATE CASCADE or NO ACTION.'
			FROM migration.refs AS r WHERE r.old = t.old AND r.moved AND r.confupdtype IN ('n', 'd')
			UNION ALL SELECT 'make', t.name::text, format('the publication %I has all tables, so the new ones, too, which its subscribers do not have', p.pubname), 'Make a publication FOR TABLE …, and let the subscribers use that.'
			FROM pg_publication AS p WHERE p.puballtables
			UNION ALL SELECT 'make', t.name::text, format('the publication %I has all tables of the schema %I', p.pubname, t.schema), 'Make a publication FOR TABLE …, and let the subscribers use that.'
			FROM pg_publication_namespace AS x JOIN pg_publication AS p ON p.oid = x.pnpubid JOIN pg_namespace AS n ON n.oid = x.pnnspid WHERE n.nspname = t.schema
			UNION ALL SELECT 'make', t.name::text, format('the publication %I has a row filter or a column list of this table', p.pubname), 'Publish the whole table.'
			FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid WHERE r.prrelid = t.old AND (r.prqual IS NOT NULL OR r.prattrs IS NOT NULL)
			UNION ALL SELECT 'make', t.name::text, format('the publication %I belongs to %s', p.pubname, pg_get_userbyid(p.pubowner)), 'The swap takes the old table out of it: ALTER PUBLICATION … OWNER TO.'
			FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid WHERE r.prrelid = t.old AND NOT pg_has_role(p.pubowner, 'USAGE')
			UNION ALL SELECT 'make', t.name::text, format('the subscription %I writes it', s.subname), 'A subscription cannot write the view that has its name after the swap: migrate the publisher.'
			FROM pg_subscription_rel AS r JOIN pg_subscription AS s ON s.oid = r.srsubid WHERE r.srrelid IN (SELECT migration.tree(t.old))
			UNION ALL SELECT 'make', t.name::text, format('v2.%I is there already', t.name), 'Drop it, or rename it.' WHERE to_regclass(format('v2.%I', t.name)) IS NOT NULL
			UNION ALL SELECT 'make', t.name::text, format('%I.%I is there already', t.schema, t.name || '_old'), 'The old table gets this name in the swap: rename the other one.'
			WHERE to_regclass(format('%I.%I', t.schema, t.name || '_old')) IS NOT NULL
			UNION ALL SELECT 'make', t.name::text, format('table %s refers to it, and nobody has said what becomes of that table', c.conrelid::regclass), format('CALL migration.keep(%L), or migration.move().', c.conrelid::regclass)
			FROM pg_constraint AS c WHERE c.confrelid = t.old AND c.contype = 'f' AND c.conparentid = 0 AND NOT EXISTS (SELECT FROM migration.tables AS x WHERE x.old = c.conrelid);
		END IF;
		-- Your triggers fire for the old table until the swap, and then for the new one.
		RETURN QUERY SELECT 'swap', t.name::text, format('trigger %I is not on the new table', g.tgname), format('CREATE TRIGGER … ON v2.%I, or name it in "leave".', t.name)
		FROM pg_trigger AS g WHERE g.tgrelid = t.old AND NOT t.swapped AND t.country IS NOT NULL AND NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgname NOT LIKE 'migration\_%' AND g.tgname <> ALL (t.leave)
			AND NOT EXISTS (SELECT FROM pg_trigger AS n WHERE n.tgrelid = t.new AND n.tgname = g.tgname);
		RETURN QUERY SELECT 'swap', t.name::text, 'a partition of the old table has gone, whose rows are in the new one', 'CALL migration.unfollow(), and begin again with migration.follow().'
		WHERE NOT t.swapped AND EXISTS (SELECT unnest(t.partitions) EXCEPT SELECT relid FROM pg_partition_tree(t.old))
		UNION ALL SELECT 'swap', t.name::text, format('the old table has got the column %I, which the new one has not', a.attname), 'Drop it, or begin again: CALL migration.back().'
		FROM pg_attribute AS a WHERE a.attrelid = t.old AND a.attnum > 0 AND NOT a.attisdropped AND a.attnum <> ALL (t.columns)
		UNION ALL SELECT 'swap', t.name::text, 'the old table has no partition for later rows', 'Give it a DEFAULT partition: whatever makes its partitions finds a view in its place after the swap.'
		FROM pg_partitioned_table AS p WHERE p.partrelid = t.old AND p.partdefid = 0 AND p.partstrat <> 'h' AND NOT t.swapped AND NOT EXISTS (
			SELECT FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = t.old AND pg_get_expr(c.relpartbound, c.oid) LIKE '%TO (MAXVALUE%')
		UNION ALL SELECT 'swap', t.name::text, format('view %s has GROUP BY with the primary key alone', r.ev_class::regclass), 'A view has no primary key: write all columns into GROUP BY.'
		FROM pg_constraint AS c JOIN pg_depend AS d ON d.refclassid = 'pg_constraint'::regclass AND d.refobjid = c.oid AND d.classid = 'pg_rewrite'::regclass
			JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v' WHERE c.conrelid = t.old AND NOT t.swapped
		UNION ALL SELECT DISTINCT 'swap', t.name::text, format('view %s compares rows by an operator of an extension', r.ev_class::regclass), 'The server cannot write such a view anew: cast the first column to a type of the server.'
		FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid AND d.classid = 'pg_rewrite'::regclass JOIN pg_class AS v ON v.oid = r.ev_class AND v.relkind = 'v',
			regexp_matches(r.ev_action::text, '(?:{ROWCOMPAREEXPR :\w+ \d+ :opnos \(o|:testexpr {BOOLEXPR :boolop \w+ :args \({OPEXPR :opno) (\d+)', 'g') AS operator JOIN pg_operator AS o ON o.oid::text = operator[1]
		WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = t.old AND NOT t.swapped AND o.oprnamespace <> 'pg_catalog'::regnamespace
		UNION ALL SELECT 'swap', t.name::text, 'not all rows have come', format('CALL migration.backfill(%L).', t.old) WHERE t.complete IS NULL
		UNION ALL SELECT 'swap', t.name::text, 'its foreign keys have not been checked', 'CALL migration.constrain().' WHERE t.complete IS NOT NULL AND NOT t.constrained;
	END LOOP;
	RETURN QUERY SELECT 'make', n.nspname::text, 'everybody may create functions in this schema, in which the engine looks for them', format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC.', n.nspname)
	FROM pg_namespace AS n CROSS JOIN aclexplode(n.nspacl) AS x WHERE x.grantee = 0 AND x.privilege_type = 'CREATE' AND n.oid IN (SELECT to_regnamespace(p) FROM string_to_table(migration.path(), ', ') AS p);
	RETURN QUERY SELECT 'follow', p.name::text, 'the subscribers of this publication do not have the new tables', 'See migration.plan(): they run its statements, and then CALL migration.subscriber_is_ready() here.'
	FROM migration.publications AS p WHERE NOT p.ready;
	RETURN QUERY SELECT 'back', p.name::text, 'the subscribers of this publication have the new tables', 'See migration.plan(): they run its statements, and then CALL migration.subscriber_is_ready(…, false) here.'
	FROM migration.publications AS p WHERE p.ready;
	RETURN QUERY SELECT 'finish', d.object, format('it depends on %s', d.on_what), d.statement FROM migration.dependents() AS d WHERE d.before = 'finish';
END $$;

CREATE FUNCTION migration.refuse_before(step text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	all_of_it text := (SELECT string_agg(format('%s: %s', w.name, w.message), E'\n') FROM migration.in_the_way() AS w WHERE w.before = step);
BEGIN
	IF all_of_it IS NOT NULL THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('this step, %s, cannot be taken yet', step), DETAIL = all_of_it,
			HINT = 'SELECT * FROM migration.in_the_way() says what to do.';
	END IF;
END $$;

-- What depends on the old tables: what the swap carries over ("swap"), what is yours to carry over
-- before the end ("finish"), and what may be, as its text has the name ("look").
CREATE FUNCTION migration.dependents(OUT before text, OUT object text, OUT on_what text, OUT statement text) RETURNS SETOF record LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp SET jit = off AS $$
	WITH olds AS (
		SELECT x::oid AS oid, t.name FROM migration.tables AS t, migration.tree(t.old) AS x WHERE t.country IS NOT NULL),
	views AS (
		SELECT to_regclass(format('%I.%I', t.schema, t.name)) AS oid, t.name FROM migration.tables AS t WHERE t.swapped),
	readers AS (
		SELECT DISTINCT v.oid::regclass AS view, v.relkind AS kind, o.name, o.oid::regclass AS read,
			v.relkind = 'v' AND NOT EXISTS (TABLE views) AND o.oid IN (SELECT t.old FROM migration.tables AS t) AS is_carried
		FROM (TABLE olds UNION TABLE views) AS o
			JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = o.oid AND d.classid = 'pg_rewrite'::regclass
			JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class
		WHERE v.oid <> o.oid AND v.relnamespace <> 'migration'::regnamespace AND v.oid NOT IN (SELECT x.oid FROM views AS x))
	SELECT CASE WHEN r.is_carried THEN 'swap' ELSE 'finish' END, CASE r.kind WHEN 'm' THEN 'materialized view ' ELSE 'view ' END || r.view, r.read::text,
		CASE WHEN r.is_carried THEN 'the swap makes it read what has the old name'
			WHEN r.kind = 'v' THEN format('CREATE OR REPLACE VIEW %s AS … FROM v2.%I …;', r.view, r.name)
			ELSE format('DROP MATERIALIZED VIEW %s; CREATE MATERIALIZED VIEW %1$s AS … FROM v2.%I …;', r.view, r.name) END
	FROM readers AS r
	UNION ALL
	SELECT 'finish', format('foreign key %I of %s', c.conname, c.conrelid::regclass), o.oid::regclass::text,
		format('ALTER TABLE %s DROP CONSTRAINT %I;', c.conrelid::regclass, c.conname)
	FROM olds AS o JOIN pg_constraint AS c ON c.confrelid = o.oid AND c.contype = 'f' AND c.conparentid = 0 AND c.conrelid NOT IN (SELECT x.old FROM migration.tables AS x)
	UNION ALL
	-- Functions with a body that the server has parsed, policies of other tables, defaults, and all that has
	-- the type of a row of the table.
	SELECT DISTINCT 'finish', pg_describe_object(d.classid, d.objid, d.objsubid), o.oid::regclass::text, format('Make it use v2.%I.', o.name)
	FROM (TABLE olds UNION TABLE views) AS o JOIN pg_class AS c ON c.oid = o.oid JOIN pg_type AS y ON y.oid = c.reltype
		CROSS JOIN LATERAL (VALUES ('pg_class'::regclass, o.oid), ('pg_type'::regclass, y.oid), ('pg_type'::regclass, y.typarray)) AS x (class, oid)
		JOIN pg_depend AS d ON d.refclassid = x.class AND d.refobjid = x.oid AND d.deptype = 'n'
	WHERE d.classid NOT IN ('pg_rewrite'::regclass, 'pg_constraint'::regclass) AND d.objid NOT IN (SELECT x.oid FROM olds AS x)
		AND d.objid NOT IN (SELECT g.oid FROM pg_trigger AS g UNION ALL SELECT a.oid FROM pg_attrdef AS a WHERE a.adrelid IN (SELECT x.oid FROM olds AS x))
		AND d.objid NOT IN (SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'migration'::regnamespace)
	UNION ALL
	SELECT 'finish', format('%s %s', CASE v.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END, v.oid::regclass), format('column %I of %s', g.attname, g.relation), 'This column goes: make it read the iuid.'
	FROM migration.going AS g JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = g.relation AND d.refobjsubid = g.attnum AND d.classid = 'pg_rewrite'::regclass
		JOIN pg_rewrite AS r ON r.oid = d.objid JOIN pg_class AS v ON v.oid = r.ev_class
	WHERE v.relnamespace <> 'migration'::regnamespace AND v.oid NOT IN (SELECT x.oid FROM views AS x)
	UNION ALL
	SELECT 'finish', format('publication %I', p.pubname), o.oid::regclass::text, format('ALTER PUBLICATION %I DROP TABLE %s;   -- its subscribers get no changes of it any more', p.pubname, o.oid::regclass)
	FROM olds AS o JOIN pg_publication_rel AS r ON r.prrelid = o.oid JOIN pg_publication AS p ON p.oid = r.prpubid WHERE o.oid NOT IN (SELECT t.old FROM migration.tables AS t)
	UNION ALL
	SELECT 'look', format('function %s', p.oid::regprocedure), t.name, format('Its text has the name: SELECT pg_get_functiondef(%L::regprocedure);', p.oid::regprocedure)
	FROM migration.tables AS t JOIN pg_proc AS p ON p.prosrc ~* format('\m%s\M', regexp_replace(t.name, '(\W)', '\\\1', 'g')) AND p.pronamespace NOT IN ('migration'::regnamespace, 'pg_catalog'::regnamespace, 'information_schema'::regnamespace)
	WHERE NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
	UNION ALL
	SELECT 'look', format('function %s', p.oid::regprocedure), t.name, format('An old client gives it rows of the view from the swap on: make the same function for the type migration.%I.', t.name)
	FROM migration.tables AS t JOIN pg_class AS c ON c.oid = t.old JOIN pg_proc AS p ON c.reltype = ANY (p.proargtypes) WHERE t.country IS NOT NULL
	UNION ALL
	SELECT 'look', format('index %s', i.indexrelid::regclass), t.name, format('It has a column that refers to a table with a new key: make one on v2.%I with %s.', t.name, string_agg(quote_ident(r.new_column), ', '))
	FROM migration.tables AS t JOIN migration.refs AS r ON r.old = t.old AND r.moved JOIN pg_attribute AS a ON a.attrelid = t.old AND a.attname = r.naming
		JOIN pg_index AS i ON i.indrelid = t.old AND a.attnum = ANY (i.indkey) AND (i.indnatts > 1 OR i.indpred IS NOT NULL) AND NOT i.indisprimary
	WHERE t.country IS NOT NULL GROUP BY t.name, i.indexrelid
	UNION ALL
	SELECT 'look', format('statistics object %I.%I', n.nspname, s.stxname), t.name, format('The new table has one like it: see \d v2.%I.', t.name)
	FROM migration.tables AS t JOIN pg_statistic_ext AS s ON s.stxrelid = t.old JOIN pg_namespace AS n ON n.oid = s.stxnamespace
	UNION ALL
	SELECT 'look', 'new clients', t.name, format('GRANT USAGE ON SCHEMA v2 TO %2$s; GRANT %3$s ON v2.%1$I TO %2$s;', t.name, g.role, string_agg(g.privilege || g.of_column, ', '))
	FROM migration.tables AS t CROSS JOIN migration.grants(t.old) AS g WHERE t.country IS NOT NULL GROUP BY t.name, g.role
$$;

-- What subscribers run before follow(), after the swap, and on the way back.
CREATE FUNCTION migration.subscriber_statements(OUT moment text, OUT statement text) RETURNS SETOF record LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
	WITH published AS (
		SELECT DISTINCT t.* FROM migration.tables AS t
		WHERE EXISTS (SELECT FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid
			WHERE r.prrelid IN (t.old, t.new) AND EXISTS (SELECT FROM migration.publications AS x WHERE p.pubname IN (x.name, left(x.name, 60) || '_v2'))))
	SELECT 'before follow()', 'CREATE EXTENSION IF NOT EXISTS iuid; CREATE SCHEMA IF NOT EXISTS v2;' WHERE EXISTS (TABLE published)
	UNION ALL
	SELECT * FROM (SELECT 'before follow()', format('CREATE TABLE v2.%I (%s, PRIMARY KEY (id));', t.name,
		(SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum)
			FROM pg_attribute AS a WHERE a.attrelid = t.new AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''))
		FROM published AS t WHERE t.new IS NOT NULL ORDER BY t.place) AS x
	UNION ALL
	SELECT 'before follow()', format('ALTER TABLE %I.%I ADD COLUMN %I iuid;', t.schema, t.name, r.new_column)
	FROM published AS t JOIN migration.refs AS r ON r.old = t.old WHERE r.moved AND t.country IS NULL
	UNION ALL
	SELECT 'before follow()', format('ALTER SUBSCRIPTION … ADD PUBLICATION %I;   -- the one of %I', b.pubname, p.name)
	FROM migration.publications AS p JOIN pg_publication AS b ON b.pubname = left(p.name, 60) || '_v2'
	UNION ALL
	SELECT 'after the swap', format('ALTER TABLE %1$I.%2$I RENAME TO %3$I; CREATE VIEW %1$I.%2$I AS SELECT %4$s FROM v2.%2$I;', t.schema, t.name, t.name || '_old',
		(SELECT string_agg(format('%I AS %I', c.new_name, c.name), ', ' ORDER BY c.attnum) FROM migration.columns AS c WHERE c.old = t.old AND NOT c.generated))
	FROM published AS t WHERE t.country IS NOT NULL
	UNION ALL
	SELECT 'after the swap', 'ALTER SUBSCRIPTION … REFRESH PUBLICATION WITH (copy_data = false);' WHERE EXISTS (TABLE published)
	UNION ALL
	SELECT 'before back.sql', format('DROP VIEW %1$I.%2$I; ALTER TABLE %1$I.%3$I RENAME TO %2$I; TRUNCATE %1$I.%2$I;   -- if the swap has been', t.schema, t.name, t.name || '_old')
	FROM published AS t WHERE t.country IS NOT NULL
	UNION ALL
	SELECT 'before back.sql', format('ALTER SUBSCRIPTION … DROP PUBLICATION %I;   -- the one of %I', b.pubname, p.name)
	FROM migration.publications AS p JOIN pg_publication AS b ON b.pubname = left(p.name, 60) || '_v2'
	UNION ALL
	SELECT 'after back.sql', 'ALTER SUBSCRIPTION … REFRESH PUBLICATION;   -- if the swap has been: it copies the old tables again' WHERE EXISTS (TABLE published)
$$;

-- All that will happen, and all that is in the way.  It changes nothing.
CREATE FUNCTION migration.plan() RETURNS TABLE (step text, name text, what text) LANGUAGE sql SET search_path = pg_catalog, pg_temp SET jit = off AS $$
	SELECT '!', w.name, format('before %s: %s.  %s', w.before, w.message, w.hint) FROM migration.in_the_way() AS w WHERE w.before IN ('make', 'follow')
	UNION ALL SELECT 'make', t.name, format('the new table v2.%I, %s, with the columns %s', t.name, CASE WHEN t.monthly_from IS NULL THEN 'without partitions' ELSE 'by month' END,
		concat_ws(', ', 'id', (SELECT string_agg(quote_ident(r.new_column), ', ') FROM migration.refs AS r WHERE r.old = t.old AND r.moved),
			(SELECT string_agg(quote_ident(c.new_name), ', ' ORDER BY c.attnum) FROM migration.columns AS c WHERE c.old = t.old)))
	FROM migration.tables AS t WHERE t.country IS NOT NULL
	UNION ALL SELECT 'make', t.name, format('its old keys and iuids: v2.%I', t.name || '_keys') FROM migration.tables AS t WHERE t.monthly_from IS NOT NULL
	UNION ALL SELECT 'make', p.pubname::text, format('the publication %I has the new tables', left(p.pubname, 60) || '_v2') FROM pg_publication AS p
		WHERE EXISTS (SELECT FROM pg_publication_rel AS r JOIN migration.tables AS t ON t.old = r.prrelid WHERE r.prpubid = p.oid)
	UNION ALL SELECT 'subscriber', s.moment, s.statement FROM migration.subscriber_statements() AS s
	UNION ALL SELECT 'follow', t.name, CASE WHEN t.country IS NULL THEN format('the columns %s, and a trigger that fills them',
		(SELECT string_agg(quote_ident(r.new_column), ', ') FROM migration.refs AS r WHERE r.old = t.old AND r.moved)) ELSE 'a trigger that makes each change in the new table' END
	FROM migration.tables AS t
	UNION ALL SELECT 'backfill', t.name, format('about %s rows', migration.rows_about(t.old)) FROM migration.tables AS t
	UNION ALL SELECT 'constrain', t.name, format('the foreign key %I', r.name) FROM migration.tables AS t JOIN migration.refs AS r ON r.old = t.old WHERE t.country IS NOT NULL OR r.moved
	UNION ALL SELECT 'swap', t.name, format('%I.%I becomes %I, and a view of the new table gets its name', t.schema, t.name, t.name || '_old') FROM migration.tables AS t WHERE t.country IS NOT NULL
	UNION ALL SELECT d.before, d.object, format('depends on %s: %s', d.on_what, d.statement) FROM migration.dependents() AS d
	UNION ALL SELECT '!', w.name, format('before %s: %s.  %s', w.before, w.message, w.hint) FROM migration.in_the_way() AS w WHERE w.before = 'swap' AND w.message NOT LIKE 'not all%'
$$;
