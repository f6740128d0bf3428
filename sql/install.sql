-- The two extensions as sets of catalog objects: complete, consistent, described.
CREATE EXTENSION iuid;

-- iuid_regions stands in the schema of iuid
\set SHOW_CONTEXT never
CREATE SCHEMA elsewhere;
CREATE EXTENSION iuid_regions SCHEMA elsewhere;
\echo :LAST_ERROR_SQLSTATE
DROP SCHEMA elsewhere;
CREATE EXTENSION iuid_regions;

-- iuid is trusted, and has no table and nothing to configure; iuid_regions is not trusted
SELECT name, superuser, trusted, relocatable, requires FROM pg_available_extension_versions JOIN pg_available_extensions USING (name)
WHERE name LIKE 'iuid%' AND version = default_version ORDER BY name;
SELECT extname, relname, c.oid = ANY (extconfig) AS is_dumped FROM pg_extension AS e JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
JOIN pg_class AS c ON classid = 'pg_class'::regclass AND objid = c.oid WHERE extname LIKE 'iuid%' ORDER BY relname;

SELECT typlen, typbyval, typalign, typstorage, typcategory, typarray::regtype
FROM pg_type WHERE oid = 'iuid'::regtype;

CREATE VIEW member AS
SELECT classid, objid, pg_describe_object(classid, objid, objsubid) AS name
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
  AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ('iuid', 'iuid_regions'));

-- every object has a comment, of 300 characters at most
SELECT name FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL OR length(obj_description(objid, classid::regclass::name)) > 300 ORDER BY name;

CREATE VIEW member_function AS
SELECT p.* FROM pg_proc p JOIN member m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid;

-- all is immutable and parallel safe, but what makes identifiers or reads and changes the catalogs
SELECT provolatile, proparallel, proname, count(*) FROM member_function
WHERE provolatile <> 'i' OR proparallel <> 's' GROUP BY 1, 2, 3 ORDER BY proname;

-- strict, but for what refuses a NULL, or refuses what is beside it
SELECT oid::regprocedure FROM member_function WHERE NOT proisstrict AND prokind = 'f' ORDER BY proname, pronargs, oid;

-- none runs with its owner's rights
SELECT oid::regprocedure FROM member_function WHERE prosecdef;

-- what is not in C was parsed when it was made, or finds in core's schema what it names; but for the procedure, which commits, and for expressions that are inlined
SELECT p.oid::regprocedure FROM member_function AS p JOIN pg_language AS l ON l.oid = prolang
WHERE lanname NOT IN ('c', 'internal') AND prokind = 'f' AND prosqlbody IS NULL AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false);

-- leakproof as core's uuid and timestamptz functions are: comparisons, and reading that cannot fail
SELECT proname, count(*) FROM member_function WHERE proleakproof GROUP BY 1 ORDER BY 1;

CREATE VIEW member_operator AS
SELECT o.* FROM pg_operator o JOIN member m ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid;

-- commutators and negators point back, over the same types
SELECT o.oid::regoperator FROM member_operator o JOIN pg_operator c ON c.oid = o.oprcom
WHERE c.oprcom <> o.oid OR (c.oprleft, c.oprright) <> (o.oprright, o.oprleft);
SELECT o.oid::regoperator FROM member_operator o JOIN pg_operator n ON n.oid = o.oprnegate
WHERE n.oprnegate <> o.oid OR (n.oprleft, n.oprright) <> (o.oprleft, o.oprright);
SELECT oid::regoperator FROM member_operator
WHERE oprcom = 0 OR oprrest = 0 OR oprjoin = 0
   OR (oprnegate = 0 AND oprname NOT IN ('<@', '@>'));

-- an operator's estimators are those of its kind
SELECT oprname, oprrest, oprjoin, bool_or(oprcanhash) AS hashes, bool_or(oprcanmerge) AS merges, count(*)
FROM member_operator GROUP BY 1, 2, 3 ORDER BY oprname, oprrest::text;

-- the operators with a time are in no family: with an equality they would not be transitive
SELECT amopopr::regoperator FROM pg_amop
WHERE 'timestamptz'::regtype IN (amoplefttype, amoprighttype)
  AND 'iuid'::regtype IN (amoplefttype, amoprighttype);

-- casts: to uuid for nothing, from uuid on assignment, to its time on demand
SELECT castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext, castmethod
FROM pg_cast WHERE 'iuid'::regtype IN (castsource, casttarget) ORDER BY 1, 2;

-- skip support from 18 on, and only then
SELECT count(*) = (current_setting('server_version_num')::int >= 180000)::int AS skip_support_as_it_should_be
FROM pg_amproc f JOIN pg_opclass c ON opcfamily = amprocfamily AND opcdefault
WHERE opcintype = 'iuid'::regtype AND amprocnum = 6
  AND opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree');

DROP VIEW member_operator, member_function, member;

-- the settings, with their ends
SELECT name, setting, vartype, min_val, max_val, context FROM pg_settings WHERE name LIKE 'iuid.%' ORDER BY name;
SET iuid.country = 256;
SET iuid.nonsense = 1;

-- whoever may create objects in a database may create iuid there
CREATE ROLE regress_iuid_owner;
CREATE SCHEMA "a.b" AUTHORIZATION regress_iuid_owner;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_iuid_owner', current_database()); END $$;
BEGIN;
DROP EXTENSION iuid_regions, iuid;
SET LOCAL ROLE regress_iuid_owner;
CREATE EXTENSION iuid SCHEMA "a.b";
SELECT "a.b".iuid_country("a.b".gen_iuid(7, 1));
ROLLBACK;
DROP SCHEMA "a.b";
DO $$ BEGIN EXECUTE format('REVOKE CREATE ON DATABASE %I FROM regress_iuid_owner', current_database()); END $$;
DROP ROLE regress_iuid_owner;
