-- The way to one other node: a foreign server and the user mappings.
-- Run it at each node, for each of the other nodes, on the machine itself, as a superuser:
--   psql -d shop -v server=mexico -v host=HOST -v port=5432 -v root=FILE -f passwords.sql -f server.sql
-- HOST is the other node.  FILE is root.crt of certificates.sh, on the machine of this node.
SET search_path = pg_catalog, pg_temp;
SELECT current_setting('iuid.node') AS node \gset
CREATE SERVER :"server" FOREIGN DATA WRAPPER postgres_fdw OPTIONS (
	host :'host', port :'port', dbname 'shop', application_name :'node',
	-- Nobody on the way can listen, or answer for the other node, or get the password.
	sslmode 'verify-full', sslrootcert :'root', channel_binding 'require',
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
	fetch_size '1000');

-- The role shop comes in as mesh there; desk comes in as desk, and reads there, too.  USAGE is for
-- shop to make the foreign tables, and for both to call iuid_run_on_nodes.  Whoever has it can drop
-- its own user mapping, and would have that of PUBLIC then.  So there is none for PUBLIC.
CREATE USER MAPPING FOR shop SERVER :"server" OPTIONS (user 'mesh', password :'mesh');
CREATE USER MAPPING FOR desk SERVER :"server" OPTIONS (user 'desk', password :'desk');
GRANT USAGE ON FOREIGN SERVER :"server" TO shop, desk;

-- As which role this node subscribes to the registry, when the other node publishes it.  Without USAGE
-- on the server it is only for the superuser who subscribes.
CREATE USER MAPPING FOR registry SERVER :"server" OPTIONS (user 'registry', password :'registry');
