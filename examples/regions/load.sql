-- Orders to play with: a thousand of each country of this node, of a hundred
-- customers, one every six hours from 1 January 2025; and one of this moment.
-- On each node: psql -d shop -v country=7 -f load.sql, with one of its countries
INSERT INTO orders
SELECT gen_iuid(country, 1, timestamptz '2025-01-01' + n * interval '6 hours' + country * interval '11 minutes'),
	n % 100, format('%s, order %s', name, n)
FROM iuid_countries, generate_series(0, 999) AS n
WHERE iuid_node(country, 1) = current_setting('iuid.node');
ANALYZE orders;

-- As the service of a country does it, which has this from
-- ALTER ROLE ... IN DATABASE shop SET iuid.country.
SET iuid.country = :country;
INSERT INTO orders (customer, note) VALUES (42, 'a new order');
