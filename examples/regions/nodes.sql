-- The nodes, a line each.  psql reads this list before the files that need it, in the same session.
SET search_path = pg_catalog, pg_temp;
CREATE TEMPORARY TABLE nodes (node text, region text, host text, port int, countries text[]);
INSERT INTO nodes VALUES
	('almaty', 'Central Asia', 'almaty.example', 5432, '{KZ,KG,UZ}'),
	('mexico', 'Latin America', 'mexico.example', 5432, '{MX,CL,CO,PE}'),
	('jakarta', 'South-East Asia', 'jakarta.example', 5432, '{ID,MY,VN}');
-- The node that publishes the registry.
\set publisher mexico
