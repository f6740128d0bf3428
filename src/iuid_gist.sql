-- iuid_gist: an operator class of GiST, which has no code of its own.
--
-- An iuid has the bytes and the order of a uuid, so the support functions are those that
-- btree_gist has for uuid, whatever their number and their schema are.  The operators are those of
-- the btree family of iuid, under the same numbers, and <> as number 6.

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION iuid_gist" to load this file. \quit

DO $do$
DECLARE
	statement pg_catalog.text;
BEGIN
	-- The owner of an extension can add members, but no second iuid in its schema, and no operator class.
	FOR statement IN WITH member AS (
		SELECT e.extname, e.extnamespace, d.classid, d.objid
		FROM pg_catalog.pg_extension AS e JOIN pg_catalog.pg_depend AS d
			ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_extension'::pg_catalog.regclass::pg_catalog.oid
			AND d.refobjid OPERATOR(pg_catalog.=) e.oid AND d.deptype OPERATOR(pg_catalog.=) 'e'::"char"
	), iuid AS (
		SELECT t.oid, pg_catalog.format('%I.%I'::pg_catalog.text, n.nspname, t.typname) AS name
		FROM member AS m JOIN pg_catalog.pg_type AS t ON t.oid OPERATOR(pg_catalog.=) m.objid
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
		WHERE m.extname OPERATOR(pg_catalog.=) 'iuid'::pg_catalog.name
			AND m.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_type'::pg_catalog.regclass::pg_catalog.oid
			AND t.typname OPERATOR(pg_catalog.=) 'iuid'::pg_catalog.name AND t.typnamespace OPERATOR(pg_catalog.=) m.extnamespace
	), of_uuid AS (
		SELECT c.oid, c.opcfamily, c.opcintype, c.opckeytype
		FROM member AS m JOIN pg_catalog.pg_opclass AS c ON c.oid OPERATOR(pg_catalog.=) m.objid
			JOIN pg_catalog.pg_am AS a ON a.oid OPERATOR(pg_catalog.=) c.opcmethod
		WHERE m.extname OPERATOR(pg_catalog.=) 'btree_gist'::pg_catalog.name
			AND m.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_opclass'::pg_catalog.regclass::pg_catalog.oid
			AND a.amname OPERATOR(pg_catalog.=) 'gist'::pg_catalog.name
			AND c.opcintype OPERATOR(pg_catalog.=) 'pg_catalog.uuid'::pg_catalog.regtype::pg_catalog.oid
	), part (of_class, part) AS (
		SELECT true, pg_catalog.format('OPERATOR %s %I.%s (%s, %s)'::pg_catalog.text, numbered.number, n.nspname, o.oprname, iuid.name,
				CASE WHEN o.oprright OPERATOR(pg_catalog.=) iuid.oid THEN iuid.name ELSE 'pg_catalog.uuid'::pg_catalog.text END)
		FROM iuid JOIN pg_catalog.pg_opclass AS c ON c.opcintype OPERATOR(pg_catalog.=) iuid.oid AND c.opcdefault
			JOIN pg_catalog.pg_am AS a ON a.oid OPERATOR(pg_catalog.=) c.opcmethod
			JOIN pg_catalog.pg_amop AS of_btree ON of_btree.amopfamily OPERATOR(pg_catalog.=) c.opcfamily
			JOIN pg_catalog.pg_operator AS b ON b.oid OPERATOR(pg_catalog.=) of_btree.amopopr,
			LATERAL (VALUES (of_btree.amopstrategy::int, b.oid),
				(6, CASE WHEN of_btree.amopstrategy OPERATOR(pg_catalog.=) 3::smallint THEN b.oprnegate END)) AS numbered (number, operator)
			JOIN pg_catalog.pg_operator AS o ON o.oid OPERATOR(pg_catalog.=) numbered.operator
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) o.oprnamespace
		WHERE a.amname OPERATOR(pg_catalog.=) 'btree'::pg_catalog.name AND o.oprleft OPERATOR(pg_catalog.=) iuid.oid
		UNION ALL
		-- What came to btree_gist later is a member of the family alone; one of it is for "any".
		SELECT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
				WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_amproc'::pg_catalog.regclass::pg_catalog.oid AND d.objid OPERATOR(pg_catalog.=) s.oid
					AND d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_opclass'::pg_catalog.regclass::pg_catalog.oid AND d.refobjid OPERATOR(pg_catalog.=) of_uuid.oid),
			pg_catalog.format('FUNCTION %s (%s, %2$s) %I.%I(%s)'::pg_catalog.text, s.amprocnum,
				CASE WHEN s.amproclefttype OPERATOR(pg_catalog.=) of_uuid.opcintype THEN iuid.name
					ELSE s.amproclefttype::pg_catalog.regtype::pg_catalog.text END,
				n.nspname, p.proname, pg_catalog.oidvectortypes(p.proargtypes))
		FROM iuid, of_uuid JOIN pg_catalog.pg_amproc AS s ON s.amprocfamily OPERATOR(pg_catalog.=) of_uuid.opcfamily
			JOIN pg_catalog.pg_proc AS p ON p.oid OPERATOR(pg_catalog.=) s.amproc::pg_catalog.oid
			JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) p.pronamespace
	)
	SELECT pg_catalog.format(CASE WHEN part.of_class
				THEN 'CREATE OPERATOR CLASS %s.iuid_gist_ops DEFAULT FOR TYPE %s USING gist AS %s, STORAGE %s'::pg_catalog.text
				ELSE 'ALTER OPERATOR FAMILY %s.iuid_gist_ops USING gist ADD %3$s'::pg_catalog.text END,
			'@extschema@'::pg_catalog.text, iuid.name, pg_catalog.string_agg(part.part, ', '::pg_catalog.text), of_uuid.opckeytype::pg_catalog.regtype)
		FROM iuid, of_uuid, part GROUP BY part.of_class, iuid.name, of_uuid.opckeytype ORDER BY part.of_class DESC
	LOOP
		EXECUTE statement;
	END LOOP;
END
$do$;

COMMENT ON OPERATOR FAMILY @extschema@.iuid_gist_ops USING gist IS
'byte order of iuid, and of iuid with uuid';
COMMENT ON OPERATOR CLASS @extschema@.iuid_gist_ops USING gist IS
'byte order, by btree_gist''s functions for uuid: exclusion constraints, keys WITHOUT OVERLAPS, ranges of time';
