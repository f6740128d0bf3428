--
-- Making partitions: each is a table like its parent, made as the parent's owner, and then attached
--

CREATE FUNCTION @extschema@.iuid_make_tables_like(parent pg_catalog.regclass, names pg_catalog.text[], divided pg_catalog.text)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	p record;
	name text;
	made regclass[];
BEGIN
	SELECT n.oid AS schema, n.nspname, c.relowner, c.relpersistence, m.amname, t.spcname,
		(SELECT min(r.relname::text) FROM pg_class AS r WHERE r.relnamespace = n.oid AND r.relname = ANY (names)) AS taken INTO p
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace WHERE c.oid = parent;
	IF p.taken IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'duplicate_table', MESSAGE = format('relation %I.%I already exists', p.nspname, p.taken),
			DETAIL = format('A new partition of %s needs that name.', parent), HINT = 'Rename the relation, or attach it as a partition by hand.';
	-- The server's own message would not name the role.
	ELSIF NOT has_schema_privilege(p.relowner, p.schema, 'CREATE') THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('permission denied for schema %s', p.nspname),
			DETAIL = format('Partitions are made as the owner of the table, role "%s".', pg_get_userbyid(p.relowner)),
			HINT = format('Use: GRANT CREATE ON SCHEMA %I TO %I;', p.nspname, pg_get_userbyid(p.relowner));
	END IF;
	FOREACH name IN ARRAY names LOOP
		PERFORM @extschema@.iuid_run_as_owner(parent, format('CREATE %s TABLE %I.%I (LIKE %s INCLUDING COMMENTS INCLUDING COMPRESSION'
			' INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)%s%s%s',
			CASE p.relpersistence WHEN 't' THEN 'TEMPORARY' WHEN 'u' THEN 'UNLOGGED' END, p.nspname, name, parent, divided, ' USING ' || quote_ident(p.amname), ' TABLESPACE ' || quote_ident(p.spcname)));
	END LOOP;
	made := ARRAY(SELECT c.oid FROM unnest(names) WITH ORDINALITY AS t (name, n) JOIN pg_class AS c ON c.relname = t.name AND c.relnamespace = p.schema AND c.relowner = p.relowner ORDER BY t.n);
	IF cardinality(made) <> cardinality(names) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('a new partition of %s is gone as soon as it is made', parent),
			HINT = 'Look at the event triggers of the database.';
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_tables_like(pg_catalog.regclass, pg_catalog.text[], pg_catalog.text) IS 'internal: makes tables like another one, in its schema and as its owner, divided as the text says; 42P07 if a name is taken, 42501 if the owner may not';

CREATE FUNCTION @extschema@.iuid_take_replica_identity(parent pg_catalog.regclass, made pg_catalog.regclass[])
RETURNS void LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	tbl regclass;
	identity text;
BEGIN
	FOR tbl, identity IN
		SELECT t.relid, CASE WHEN p.relreplident = 'n' THEN 'NOTHING' WHEN p.relreplident = 'i' THEN format('USING INDEX %I', i.relname) ELSE 'FULL' END
		FROM pg_class AS p CROSS JOIN unnest(made) AS m CROSS JOIN pg_partition_tree(m) AS t
		LEFT JOIN (pg_index AS k CROSS JOIN pg_partition_tree(k.indexrelid) AS x JOIN pg_index AS b ON b.indexrelid = x.relid
			JOIN pg_class AS i ON i.oid = x.relid) ON k.indrelid = parent AND k.indisreplident AND b.indrelid = t.relid
		-- Rows that are logged in full where they waited are so where they go.
		WHERE p.oid = parent AND (p.relreplident IN ('f', 'n') OR i.relname IS NOT NULL OR p.relreplident = 'd' AND EXISTS (
			SELECT FROM @extschema@.iuid_partition_bounds(parent) AS b JOIN pg_class AS c ON c.oid = b.partition AND c.relreplident = 'f'
			WHERE b.lower IS NULL OR b.upper IS NULL))
	LOOP
		PERFORM @extschema@.iuid_run_as_owner(tbl, format('ALTER TABLE %s REPLICA IDENTITY %s', tbl, identity));
	END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_take_replica_identity(pg_catalog.regclass, pg_catalog.regclass[]) IS 'internal: gives new partitions, and those below them, the replica identity of the parent, without which the server refuses to update published rows';

CREATE FUNCTION @extschema@.iuid_make_planned(parent pg_catalog.regclass, plan pg_catalog.jsonb, step interval, time_checks boolean)
RETURNS pg_catalog.regclass[] LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "TimeZone" = 'UTC' SET "DateStyle" = 'ISO' AS $$
DECLARE
	parent_name text := parent;
	key text := (@extschema@.iuid_partition_key(parent, NULL::boolean, true, false)).name;
	lower uuid[] := ARRAY(SELECT p.lower FROM jsonb_to_recordset(plan) AS p (lower uuid));
	upper uuid[] := ARRAY(SELECT p.upper FROM jsonb_to_recordset(plan) AS p (upper uuid));
	made regclass[];
BEGIN
	IF plan -> 0 ? 'country' THEN
		made := ARRAY(SELECT @extschema@.iuid_make_country(parent, p.name, p.country, step, time_checks) FROM jsonb_to_recordset(plan) AS p (name text, country int));
	ELSE
		made := @extschema@.iuid_make_tables_like(parent, ARRAY(SELECT p.name FROM jsonb_to_recordset(plan) AS p (name text)), NULL::text);
		-- An open end has no time check, as its bound moves.
		PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ADD CHECK (%2$s(%3$I::pg_catalog.uuid) >= %4$L AND %2$s(%3$I::pg_catalog.uuid) < %5$L)',
				t.tbl, '@extschema@.iuid_timestamp', key, @extschema@.iuid_time_of_bound(t.lower), @extschema@.iuid_time_of_bound(t.upper)))
			FROM unnest(made, lower, upper) AS t (tbl, lower, upper) WHERE time_checks AND t.lower IS NOT NULL AND t.upper IS NOT NULL;
	END IF;
	PERFORM @extschema@.iuid_attach_partitions(parent, made, lower, upper);
	-- An event trigger can change them, and another session rename the schema.
	IF parent_name <> parent::text OR cardinality(made) <> (SELECT count(*) FROM pg_inherits AS i WHERE i.inhrelid = ANY (made) AND i.inhparent = parent) THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state',
			MESSAGE = format('table %s was changed or renamed while it got a partition', parent_name), HINT = 'Try again.';
	END IF;
	PERFORM @extschema@.iuid_take_replica_identity(parent, made);
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_planned(pg_catalog.regclass, pg_catalog.jsonb, interval, boolean) IS 'internal: makes planned partitions, and attaches them in one call, with the rows of all of them; the locks are held';
