-- What the owner of a database does to become a superuser, for t/rights_traps.pl: functions that plant
-- traps, and code for its own tables.  What runs writes to the server's log, which no abort undoes.
CREATE SCHEMA own;
CREATE FUNCTION own.sprung(what pg_catalog.text) RETURNS pg_catalog.text LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN RAISE LOG 'SPRUNG: % as %', what, current_user; RETURN NULL; END $$;
-- what the owner may have in its own tables; it tries, besides, to be someone else
CREATE FUNCTION own.code(what pg_catalog.text) RETURNS pg_catalog.text LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog AS $$
BEGIN
	BEGIN
		PERFORM set_config('role', (SELECT rolname::text FROM pg_roles WHERE oid = 10), false);
	EXCEPTION WHEN others THEN NULL;
	END;
	RAISE LOG 'OWNER: % as %', what, current_user;
	RETURN what;
END $$;
CREATE FUNCTION own.row_code() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM own.code(TG_ARGV[0]); RETURN coalesce(NEW, OLD); END $$;
CREATE TYPE own.anything AS (x int);
CREATE DOMAIN own.coded AS pg_catalog.text CHECK (own.code('domain') IS NOT NULL);
CREATE TABLE own.called (name text, args text[]);
CREATE TABLE own.operator (name text);
CREATE TABLE own.relation (name text);
CREATE FUNCTION own.try(command text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN EXECUTE command; RETURN 1; EXCEPTION WHEN others THEN RETURN 0; END $$;
CREATE FUNCTION own.type() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT unnest('{text,name,regclass,regtype,oid,bigint,integer,smallint,numeric,"\"char\"",timestamp without time zone,
		timestamp with time zone,date,interval,uuid,anyelement,anycompatible,jsonb,boolean,anyarray,character varying,text[],own.anything}'::text[])
$$;
-- everything converts to this, so that it fits where nothing else does
SELECT own.try(format('CREATE FUNCTION own.from_any(%1$s) RETURNS own.anything LANGUAGE sql AS ''SELECT own.sprung(''''cast''''); SELECT NULL::own.anything'';
	CREATE CAST (%1$s AS own.anything) WITH FUNCTION own.from_any(%1$s) AS IMPLICIT', t)) FROM own.type() AS t;
-- each argument of each type, all of one type, fewer; and everything: more with a default, all with defaults, any number
CREATE FUNCTION own.plant(home text, iuid text, ours text[], everything bool) RETURNS bigint LANGUAGE sql AS $$
	WITH type AS (SELECT own.type() AS t UNION SELECT iuid),
	called AS (SELECT name, array_replace(args, 'iuid', iuid) AS args, cardinality(args) AS n FROM own.called),
	signature AS (
		SELECT name, args[1:i - 1] || t.t || args[i + 1:] AS args, '' AS more FROM called, generate_series(1, n) AS i, type AS t
		UNION SELECT name, array_fill(t.t, ARRAY[m]), '' FROM called, type AS t, generate_series(1, greatest(n, 1)) AS m
		UNION SELECT name, args[1:m], '' FROM called, generate_series(0, n) AS m
		UNION SELECT name, args[1:m], more FROM called, generate_series(0, n) AS m,
			unnest(ARRAY['text DEFAULT NULL', 'own.anything DEFAULT NULL', 'VARIADIC text[]', 'VARIADIC anyarray']) AS more
		UNION SELECT name, (SELECT array_agg(a || ' DEFAULT NULL') FROM unnest(args) AS a), 'text DEFAULT NULL' FROM called),
	command AS (
		SELECT format('CREATE OR REPLACE FUNCTION %I.%I (%s) RETURNS pg_catalog.text LANGUAGE plpgsql AS %L', home, name,
			array_to_string(args || nullif(more, ''), ', '), format('BEGIN RETURN own.sprung(%L); END', home || '.' || name || args::text || more)) AS command
		FROM signature
		WHERE (everything OR more = '') AND regexp_replace(format('%s(%s)', name, array_to_string(args || nullif(more, ''), ',')), ' DEFAULT NULL|VARIADIC ', '', 'g') <> ALL (ours))
	SELECT sum(own.try(command)) FROM command
$$;
CREATE FUNCTION own.plant_operators(home text, iuid text, ours text[]) RETURNS bigint LANGUAGE sql AS $$
	WITH t AS (SELECT t FROM own.type() AS t WHERE t !~ '^(any|smallint|date|regtype|timestamp without|character)' UNION SELECT iuid),
	pair AS MATERIALIZED (SELECT l.t AS l, r.t AS r, own.try(format('CREATE FUNCTION own.operate(%s, %s) RETURNS bool LANGUAGE plpgsql AS %L', l.t, r.t,
		format('BEGIN PERFORM own.sprung(%L); RETURN NULL; END', 'operator of ' || l.t || ', ' || r.t))) FROM t AS l, t AS r)
	SELECT sum(own.try(format('CREATE OPERATOR %I.%s (FUNCTION = own.operate, LEFTARG = %s, RIGHTARG = %s)', home, name, l, r))) FROM own.operator, pair
	WHERE format('%s(%s,%s)', name, l, r) <> ALL (ours)
$$;
CREATE FUNCTION own.plant_names(home text) RETURNS bigint LANGUAGE sql AS $$
	SELECT sum(own.try(command)) FROM (
		SELECT format('CREATE VIEW %I.%I AS SELECT own.sprung(%3$L) AS planted, * FROM pg_catalog.%2$I', home, name, name) AS command FROM own.relation
		UNION ALL SELECT format('CREATE DOMAIN %I.%I AS pg_catalog.%I CHECK (own.sprung(%L) IS NULL)', home, t, t, 'type ' || t)
		FROM unnest('{text,name,regclass,regtype,oid,int4,int8,numeric,timestamptz,date,interval,uuid,jsonb,bool,bytea,tstzrange,trigger,cstring}'::text[]) AS t) AS x
$$;
