-- What the view is there for: the global table asks for each country by itself.
\o /dev/null
SELECT FROM orders_all LIMIT 0;
\timing on
\echo last 8 orders, global table
SELECT * FROM orders_global WHERE customer = 42 ORDER BY id DESC LIMIT 8;
