-- Orders to play with: for each country of this node a thousand orders of a hundred
-- customers, one every six hours from 1 January 2025; and one order of this moment.
-- Run it at each node, as the role shop, with one of the countries of that node:
--   psql service=almaty -v country=125 -f load.sql
INSERT INTO orders
SELECT gen_iuid(country, 1, timestamptz '2025-01-01' + n * interval '6 hours' + country * interval '11 minutes'),
	n % 100, format('%s, order %s', name, n)
FROM iuid_countries, generate_series(0, 999) AS n
WHERE iuid_node(country, 1) = current_setting('iuid.node');
ANALYZE orders;

-- The service of a country inserts like this.  It has the setting from
-- ALTER ROLE ... IN DATABASE shop SET iuid.country.
SET iuid.country = :country;
INSERT INTO orders (customer, note) VALUES (42, 'a new order');
