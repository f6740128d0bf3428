-- One node: its database, its name, and its roles, none of which is a superuser.
-- Run it at each node, on the machine itself, as a superuser, with the file of passwords.sh:
--   psql -d postgres -v node=almaty -f passwords.sql -f mesh.sql
-- The server has wal_level = logical, ssl = on with a certificate for its host (certificates.sh), and
-- lets in over the network only whom pg_hba.conf here says.

-- The role shop owns the tables.  The role desk is the support desk, and reads.
CREATE ROLE shop LOGIN PASSWORD :'shop';
CREATE ROLE desk LOGIN PASSWORD :'desk';
ALTER ROLE desk SET search_path = pg_catalog, public, pg_temp;
ALTER ROLE desk SET default_transaction_read_only = on;

-- The role shop of another node comes in as the role mesh, and its role desk as desk.
CREATE ROLE mesh LOGIN PASSWORD :'mesh';
-- A transaction of a node that freezes holds its rows here no longer than this.  Let it be longer than
-- the longest transaction of the application.
ALTER ROLE mesh SET idle_in_transaction_session_timeout = '5min';

-- When a country moves away from this node, the new node copies the rows as the role mover.
CREATE ROLE mover LOGIN REPLICATION PASSWORD :'mover';

-- The other nodes come for the registry as the role registry, to whichever node publishes it.
CREATE ROLE registry LOGIN REPLICATION PASSWORD :'registry';

CREATE DATABASE shop OWNER shop;
ALTER DATABASE shop SET iuid.node = :'node';
ALTER DATABASE shop SET timezone = 'UTC';
\connect shop
-- Only shop, whose database it is, makes functions here that others call.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
-- The registry belongs to this superuser; everybody can read it.
CREATE EXTENSION iuid_regions CASCADE;
CREATE EXTENSION postgres_fdw;

-- They read and write partitions, so they get rights on the tables that shop will make, too.
ALTER DEFAULT PRIVILEGES FOR ROLE shop GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mesh;
ALTER DEFAULT PRIVILEGES FOR ROLE shop GRANT SELECT ON TABLES TO desk, mover;
