--
-- Commands that run on several nodes at once
--

CREATE FUNCTION @extschema@.iuid_run_on_nodes(command pg_catalog.text, nodes pg_catalog.text[] DEFAULT NULL, timeout interval DEFAULT '3 seconds')
RETURNS TABLE (node pg_catalog.text, success boolean, result pg_catalog.text)
AS 'MODULE_PATHNAME', 'iuid_run_on_nodes'
LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION @extschema@.iuid_run_on_nodes(pg_catalog.text, pg_catalog.text[], interval) IS
'runs one SQL statement on nodes, on all at the same time, as the current user, and returns a row for each; nodes NULL, the default: all of iuid_nodes; a timeout is more than 0, and 1 day at most; the answer is one text: the one column of the one row, NULL for no row, or the command tag of a command without rows; a node that is down, refuses, fails, gives more than one value or does not answer within the timeout is a row with success = false, and with the SQLSTATE and the message as result; what was sent to it may have run, or run still for a second or two; needs for each other node the postgres_fdw server and user mapping of the current user, with a password unless the user is a superuser; the connections stay open for the session, with what SET, PREPARE or LISTEN left there; the answers are not of one snapshot, and it is not one transaction: each other node commits for itself, and what it did stays when the caller rolls back, while iuid.node runs the command in the caller''s transaction; command, timeout or the name of a node NULL: 22004, a node that is not registered, an iuid.node that is not set or not registered, or a timeout out of range: 22023, not exactly one statement: 42601, transaction control, or COPY from or to the client: 0A000, a command that calls the function at this node: 55006, a cancel: 57014; a registry that is not as the extension made it: 42P01, 42809, 42703, 42804, 23502, 23505, 23514 or 54000 (doc/regions.md)';
