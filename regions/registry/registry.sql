--
-- Registry: the countries, entities, nodes and routes of an organisation
--
-- A dump of the database has the rows of these tables.  The superuser who
-- creates the extension owns the tables, and grants the rights to change rows.
--

CREATE TABLE @extschema@.iuid_countries (
	country int PRIMARY KEY CHECK (country OPERATOR(pg_catalog.>=) 0 AND country OPERATOR(pg_catalog.<=) 255),
	code pg_catalog.text NOT NULL UNIQUE CHECK (code OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	name pg_catalog.text NOT NULL CHECK (name OPERATOR(pg_catalog.<>) ''::pg_catalog.text)
);
COMMENT ON TABLE @extschema@.iuid_countries IS
'countries of an organisation: the number in its identifiers, 0-255, a code and a name (doc/registry.md)';

CREATE TABLE @extschema@.iuid_entities (
	entity int PRIMARY KEY CHECK (entity OPERATOR(pg_catalog.>=) 0 AND entity OPERATOR(pg_catalog.<=) 255),
	service pg_catalog.text NOT NULL,
	name pg_catalog.text NOT NULL CHECK (name OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	key pg_catalog.text GENERATED ALWAYS AS (service OPERATOR(pg_catalog.||) name) STORED UNIQUE
);
COMMENT ON TABLE @extschema@.iuid_entities IS
'entities of an organisation: the number in its identifiers, 0-255, the service and the name, which together are the key (doc/registry.md)';

CREATE TABLE @extschema@.iuid_nodes (
	node pg_catalog.text PRIMARY KEY CHECK (node OPERATOR(pg_catalog.<>) ''::pg_catalog.text AND pg_catalog.octet_length(node) OPERATOR(pg_catalog.<=) 63),
	region pg_catalog.text CHECK (region OPERATOR(pg_catalog.<>) ''::pg_catalog.text),
	server pg_catalog.text CHECK (server OPERATOR(pg_catalog.<>) ''::pg_catalog.text)
);
COMMENT ON TABLE @extschema@.iuid_nodes IS
'nodes, one database each: the name, which is iuid.node there; the region; the postgres_fdw server by which other nodes reach it; NULL: no region, or no server (doc/registry.md)';

CREATE TABLE @extschema@.iuid_routes (
	country int CHECK (country OPERATOR(pg_catalog.>=) 0 AND country OPERATOR(pg_catalog.<=) 255),
	entity int CHECK (entity OPERATOR(pg_catalog.>=) 0 AND entity OPERATOR(pg_catalog.<=) 255),
	node pg_catalog.text CHECK (pg_catalog.octet_length(node) OPERATOR(pg_catalog.<=) 63),
	UNIQUE NULLS NOT DISTINCT (country, entity)
);
COMMENT ON TABLE @extschema@.iuid_routes IS
'routes: the node that has the rows of a country and entity, where NULL means any; a NULL node: no node has them; the most specific route wins, the country before the entity (doc/registry.md)';

-- Types that come with the tables.
COMMENT ON TYPE @extschema@.iuid_countries IS
'row of iuid_countries';
COMMENT ON TYPE @extschema@.iuid_countries[] IS
'array of rows of iuid_countries';
COMMENT ON TYPE @extschema@.iuid_entities IS
'row of iuid_entities';
COMMENT ON TYPE @extschema@.iuid_entities[] IS
'array of rows of iuid_entities';
COMMENT ON TYPE @extschema@.iuid_nodes IS
'row of iuid_nodes';
COMMENT ON TYPE @extschema@.iuid_nodes[] IS
'array of rows of iuid_nodes';
COMMENT ON TYPE @extschema@.iuid_routes IS
'row of iuid_routes';
COMMENT ON TYPE @extschema@.iuid_routes[] IS
'array of rows of iuid_routes';

-- A replica identity has no columns that may be NULL, so it is the whole row.
ALTER TABLE @extschema@.iuid_routes REPLICA IDENTITY FULL;

GRANT SELECT ON @extschema@.iuid_countries, @extschema@.iuid_entities, @extschema@.iuid_nodes, @extschema@.iuid_routes TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_countries'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_entities'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_nodes'::pg_catalog.regclass, ''::pg_catalog.text);
SELECT pg_catalog.pg_extension_config_dump('@extschema@.iuid_routes'::pg_catalog.regclass, ''::pg_catalog.text);
