-- The registry of this node follows that of the publisher of nodes.sql.
-- Run it once at each other node, after registry.sql, as a superuser:
--   psql -d shop -v root=FILE -f passwords.sql -f nodes.sql -f subscribe.sql
-- FILE is root.crt of certificates.sh, on the machine of this node.
SET search_path = pg_catalog, pg_temp;
SELECT host, port FROM nodes WHERE node = :'publisher' \gset
\set way 'host=' :host ' port=' :port ' dbname=shop user=registry password=' :registry ' sslmode=verify-full channel_binding=require sslrootcert=' :root
-- A node that has the rows of the registry already says -v copy_data=false: their copy would fail.
\if :{?copy_data}
\else
\set copy_data true
\endif
-- Each subscription has a name of its own, which is also the name of its slot at the publisher, if a
-- slot can have that name.
SELECT 'registry_' || node AS subscription,
	'registry_' || CASE WHEN node ~ '^[a-z0-9_]{1,54}$' THEN node ELSE left(encode(sha256(convert_to(node, 'UTF8')), 'hex'), 32) END AS slot
FROM current_setting('iuid.node') AS node \gset
CREATE SUBSCRIPTION :"subscription" CONNECTION :'way' PUBLICATION registry WITH (copy_data = :copy_data, slot_name = :'slot');
