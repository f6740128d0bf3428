-- What the page needs at its node, besides the tables of the teams.
--   psql service=almaty -f desk.sql
CREATE TYPE ids_of_a_minute AS (ago int, country int, ids bigint);
CREATE TYPE moving_country AS (country int, "from" text, "to" text, state text);
