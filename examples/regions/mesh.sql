-- One node: its database, its name, and the way to the others.
-- On each node, whose server has wal_level = logical, as a superuser:
--   psql -d postgres -v node=almaty -v almaty=HOST -v mexico=HOST -v jakarta=HOST -f mesh.sql
CREATE DATABASE shop;
ALTER DATABASE shop SET iuid.node = :'node';
ALTER DATABASE shop SET timezone = 'UTC';
\connect shop
CREATE EXTENSION iuid_regions CASCADE;
CREATE EXTENSION postgres_fdw;

-- The other nodes come in as mesh.  They read and write partitions of tables,
-- so its rights are on those that will be made, too.
CREATE ROLE mesh LOGIN;
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mesh;

-- The support desk reads.
CREATE ROLE desk LOGIN;

-- All three, so that this file is the same everywhere; no node asks itself.
-- The option extensions lets conditions on an iuid be evaluated over there.
CREATE SERVER almaty FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'almaty', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');
CREATE SERVER mexico FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'mexico', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');
CREATE SERVER jakarta FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'jakarta', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');

-- For servers that trust their sockets.  Over a network leave password_required
-- out, and give a password.
CREATE USER MAPPING FOR PUBLIC SERVER almaty OPTIONS (user 'mesh', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER mexico OPTIONS (user 'mesh', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER jakarta OPTIONS (user 'mesh', password_required 'false');
