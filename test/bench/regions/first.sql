-- The first statement of a session, which connects.
\o /dev/null
\timing on
\echo look-up by id, first of a session
SELECT note FROM orders_global WHERE id = :'id';
