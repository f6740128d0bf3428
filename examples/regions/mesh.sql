-- One node: its database, its name, and the way to the other nodes.
-- Run it on the server of each node, which has wal_level = logical, as a superuser:
--   psql -d postgres -v node=almaty -v almaty=HOST -v mexico=HOST -v jakarta=HOST -f mesh.sql
CREATE DATABASE shop;
ALTER DATABASE shop SET iuid.node = :'node';
ALTER DATABASE shop SET timezone = 'UTC';
\connect shop
-- The registry belongs to this superuser; everybody can read it.
CREATE EXTENSION iuid_regions CASCADE;
CREATE EXTENSION postgres_fdw;

-- The other nodes come in as the role mesh.  They read and write partitions, so
-- mesh gets rights on the tables that this superuser will make, too.
CREATE ROLE mesh LOGIN;
ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO mesh;

-- The support desk reads, as the role desk.
CREATE ROLE desk LOGIN;

-- A foreign server for each of the three nodes, so that this file is the same
-- everywhere; no node asks itself.  With the option extensions the other node
-- evaluates conditions on an iuid.
CREATE SERVER almaty FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'almaty', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');
CREATE SERVER mexico FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'mexico', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');
CREATE SERVER jakarta FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'jakarta', port '5432', dbname 'shop', extensions 'iuid', application_name :'node');

-- This is for servers that trust the role mesh without a password.  Over a network
-- give a password, and leave out password_required.
CREATE USER MAPPING FOR PUBLIC SERVER almaty OPTIONS (user 'mesh', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER mexico OPTIONS (user 'mesh', password_required 'false');
CREATE USER MAPPING FOR PUBLIC SERVER jakarta OPTIONS (user 'mesh', password_required 'false');
