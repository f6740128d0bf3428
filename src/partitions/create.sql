--
-- Making partitions: each is a table like its parent, made as the parent's owner, and then attached
--

CREATE FUNCTION @extschema@.iuid_make_table_like(parent pg_catalog.regclass, name pg_catalog.text, divided pg_catalog.text)
RETURNS pg_catalog.regclass LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	p record;
	made regclass;
BEGIN
	SELECT n.oid AS schema, n.nspname, c.relowner, c.relpersistence, m.amname, t.spcname INTO p
	FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace WHERE c.oid = parent;
	IF EXISTS (SELECT FROM pg_class AS c WHERE c.relnamespace = p.schema AND c.relname = name) THEN
		RAISE EXCEPTION USING ERRCODE = 'duplicate_table', MESSAGE = format('relation %I.%I already exists', p.nspname, name),
			DETAIL = format('A new partition of %s needs that name.', parent), HINT = 'Rename the relation, or attach it as a partition by hand.';
	-- The server's own message would not name the role.
	ELSIF NOT has_schema_privilege(p.relowner, p.schema, 'CREATE') THEN
		RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format('permission denied for schema %s', p.nspname),
			DETAIL = format('Partitions are made as the owner of the table, role "%s".', pg_get_userbyid(p.relowner)),
			HINT = format('Use: GRANT CREATE ON SCHEMA %I TO %I;', p.nspname, pg_get_userbyid(p.relowner));
	END IF;
	PERFORM @extschema@.iuid_run_as_owner(parent, format('CREATE %s TABLE %I.%I (LIKE %s INCLUDING COMMENTS INCLUDING COMPRESSION'
		' INCLUDING CONSTRAINTS INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE)%s%s%s',
		CASE p.relpersistence WHEN 't' THEN 'TEMPORARY' WHEN 'u' THEN 'UNLOGGED' END, p.nspname, name, parent, divided, ' USING ' || quote_ident(p.amname), ' TABLESPACE ' || quote_ident(p.spcname)));
	made := (SELECT c.oid FROM pg_class AS c WHERE c.relnamespace = p.schema AND c.relname = name AND c.relowner = p.relowner);
	IF made IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('table %I.%I is gone as soon as it is made', p.nspname, name),
			HINT = 'Look at the event triggers of the database.';
	END IF;
	RETURN made;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_make_table_like(pg_catalog.regclass, pg_catalog.text, pg_catalog.text) IS 'internal: makes a table like another one, in its schema and as its owner, divided as the text says; 42P07 if the name is taken, 42501 if the owner may not';

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
	key text := (@extschema@.iuid_partition_key(parent, NULL::boolean, true)).name;
	made regclass[] := '{}';
	lower uuid[] := '{}';
	upper uuid[] := '{}';
	p record;
BEGIN
	FOR p IN SELECT * FROM jsonb_to_recordset(plan) AS j (name text, lower uuid, upper uuid, country int) LOOP
		made := made || CASE WHEN p.country IS NULL THEN @extschema@.iuid_make_table_like(parent, p.name, NULL::text)
			ELSE @extschema@.iuid_make_country(parent, p.name, key, p.country, step, time_checks) END;
		lower := lower || p.lower;
		upper := upper || p.upper;
		-- An open end has none, as its bound moves.
		IF time_checks AND p.country IS NULL AND p.lower IS NOT NULL AND p.upper IS NOT NULL THEN
			PERFORM @extschema@.iuid_run_as_owner(parent, format('ALTER TABLE %s ADD CHECK (%2$s(%3$I) >= %4$L AND %2$s(%3$I) < %5$L)',
				made[cardinality(made)], '@extschema@.iuid_timestamp', key, @extschema@.iuid_time_of_bound(p.lower), @extschema@.iuid_time_of_bound(p.upper)));
		END IF;
	END LOOP;
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
