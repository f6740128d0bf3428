-- The extension iuid as a set of catalog objects: complete, consistent, described.
CREATE EXTENSION iuid;

-- it is trusted, as is iuid_gist; neither has a table, or anything to configure
SELECT name, superuser, trusted, relocatable, requires
FROM pg_available_extension_versions JOIN pg_available_extensions USING (name)
WHERE name IN ('iuid', 'iuid_gist') AND version = default_version ORDER BY name;
SELECT extname, relname, c.oid = ANY (extconfig) AS is_dumped
FROM pg_extension AS e JOIN pg_depend ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
JOIN pg_class AS c ON classid = 'pg_class'::regclass AND objid = c.oid WHERE extname LIKE 'iuid%' ORDER BY relname;

SELECT typlen, typbyval, typalign, typstorage, typcategory, typarray::regtype
FROM pg_type WHERE oid = 'iuid'::regtype;

\set extension iuid
\i sql/members.psql
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

-- casts: to uuid for nothing, from uuid on assignment, to its time on demand; a function takes the
-- type itself, as pg_upgrade can make its cast before that to uuid
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
GRANT CREATE ON DATABASE :"DBNAME" TO regress_iuid_owner;
BEGIN;
DROP EXTENSION iuid;
SET LOCAL ROLE regress_iuid_owner;
CREATE EXTENSION iuid SCHEMA "a.b";
SELECT "a.b".iuid_country("a.b".gen_iuid(7, 1));
ROLLBACK;
DROP SCHEMA "a.b";
REVOKE CREATE ON DATABASE :"DBNAME" FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner;
