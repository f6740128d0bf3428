-- The ways to the other nodes: for each that has none yet, a foreign server and the user mappings.
-- Run it at each node, on the machine itself, as a superuser:
--   psql -d shop -v root=FILE -f passwords.sql -f nodes.sql -f servers.sql
-- FILE is root.crt of certificates.sh, on the machine of this node.
SET search_path = pg_catalog, pg_temp;
BEGIN;
SELECT format(statement, n.node, n.host, n.port, me, :'root', :'mesh', :'desk', :'registry')
FROM current_setting('iuid.node') AS me, nodes AS n, unnest(ARRAY[
	$$CREATE SERVER %1$I FOREIGN DATA WRAPPER postgres_fdw OPTIONS (
		host %2$L, port '%3$s', dbname 'shop', application_name %4$L,
		-- Nobody on the way can listen, or answer for the other node, or get the password.
		sslmode 'verify-full', sslrootcert %5$L, channel_binding 'require',
		-- A node that does not answer a new connection is an error after two seconds: for
		-- iuid_run_on_nodes, and in PostgreSQL 15 for a query of its tables, too.
		connect_timeout '2',
		-- A connection whose packets get lost for three seconds is given up.
		tcp_user_timeout '3000',
		-- A session connects once, and then keeps the connection.
		keep_connections 'true',
		-- The other node evaluates conditions on an iuid.
		extensions 'iuid',
		-- Several nodes are asked, and commit, at the same time.
		async_capable 'true', parallel_commit 'true',
		-- So many rows come in one round trip.
		fetch_size '1000')$$,

	-- The role shop comes in as mesh there; desk comes in as desk, and reads there, too.  USAGE is for
	-- shop to make the foreign tables, and for both to call iuid_run_on_nodes.  Whoever has it can drop
	-- its own user mapping, and would have that of PUBLIC then.  So there is none for PUBLIC.
	$$CREATE USER MAPPING FOR shop SERVER %1$I OPTIONS (user 'mesh', password %6$L)$$,
	$$CREATE USER MAPPING FOR desk SERVER %1$I OPTIONS (user 'desk', password %7$L)$$,
	$$GRANT USAGE ON FOREIGN SERVER %1$I TO shop, desk$$,

	-- As which role this node subscribes to the registry, when the other node publishes it.  Without
	-- USAGE on the server it is only for the superuser who subscribes.
	$$CREATE USER MAPPING FOR registry SERVER %1$I OPTIONS (user 'registry', password %8$L)$$]) WITH ORDINALITY AS s (statement, step)
WHERE n.node <> me AND NOT EXISTS (SELECT FROM pg_foreign_server WHERE srvname = n.node)
ORDER BY n.node, step \gexec
COMMIT;
