-- iuid_run_as_owner: one statement, for who may SET ROLE to the owner, with no more than the owner's rights.
\set SHOW_CONTEXT never
CREATE ROLE regress_iuid_owner;
CREATE ROLE regress_iuid_stranger;
CREATE ROLE regress_iuid_member;
GRANT regress_iuid_owner TO regress_iuid_member;
GRANT CREATE ON SCHEMA public TO regress_iuid_owner;
SET ROLE regress_iuid_owner;
CREATE TABLE owned (id int, note text);
CREATE FUNCTION whoami() RETURNS text
LANGUAGE sql AS $$ SELECT current_user::text || ' ' || current_setting('search_path') $$;
RESET ROLE;

SELECT iuid_run_as_owner('owned', 'INSERT INTO public.owned SELECT 1, public.whoami()');
SET ROLE regress_iuid_member;
SELECT iuid_run_as_owner('owned', 'INSERT INTO public.owned SELECT 2, public.whoami()');
SET ROLE regress_iuid_stranger;
SELECT iuid_run_as_owner('owned', 'GRANT ALL ON public.owned TO regress_iuid_stranger');
RESET ROLE;
TABLE owned;

-- one statement, which ends no transaction, becomes nobody, and leaves nothing behind
\set VERBOSITY sqlstate
SELECT iuid_run_as_owner('owned', 'SELECT 1; SELECT 2');
SELECT iuid_run_as_owner('owned', '-- nothing');
SELECT iuid_run_as_owner('owned', 'COMMIT');
SELECT iuid_run_as_owner('owned', 'COPY public.owned TO STDOUT');
SELECT iuid_run_as_owner('owned', 'RESET ROLE');
SELECT iuid_run_as_owner('owned', 'SET SESSION AUTHORIZATION DEFAULT');
SELECT iuid_run_as_owner('owned', 'CREATE TEMPORARY TABLE left_behind ()');
SELECT iuid_run_as_owner('owned', 'DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1');
SELECT iuid_run_as_owner(NULL, 'SELECT 1');
SELECT iuid_run_as_owner('owned', NULL);
SELECT iuid_run_as_owner(4294967295::oid, 'SELECT 1');
\set VERBOSITY default
SELECT iuid_run_as_owner('owned', 'SET work_mem = ''77MB''');
SELECT iuid_run_as_owner('owned', 'SELECT set_config(''search_path'', ''evil'', false)');
SELECT current_setting('work_mem') <> '77MB' AS as_before,
	current_setting('search_path') AS search_path, current_user = session_user AS myself;

-- a temporary table belongs to its owner alone
CREATE TEMPORARY TABLE mine (id int);
SELECT iuid_run_as_owner('mine', 'INSERT INTO mine VALUES (1)');
ALTER TABLE mine OWNER TO regress_iuid_owner;
-- the number in the name of its schema is another one each time
\set VERBOSITY sqlstate
SELECT iuid_run_as_owner('mine', 'INSERT INTO mine VALUES (2)');
\set VERBOSITY default
DROP TABLE mine, owned;
DROP FUNCTION whoami;
REVOKE CREATE ON SCHEMA public FROM regress_iuid_owner;
DROP ROLE regress_iuid_owner, regress_iuid_stranger, regress_iuid_member;
