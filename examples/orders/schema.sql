-- The orders of a ride service: the schema, the same in every region.
--
-- What the services make has numbers: entity 1 is an order, 2 an event of an order, 3 a wallet
-- account.  The country comes from the database: ALTER DATABASE ... SET iuid.country = 125.
--
-- An identifier says when and where its row was born, so no table has a column for either.  The
-- identifier is the primary key and the partition key at once.  Orders and events lie in partitions
-- by month, and "id" alone is unique over all months, which a foreign key needs.  Accounts are few,
-- live for ever and are looked up one by one: partitions would be a burden for them.
--
-- There is no DEFAULT partition: a row of a month that has no partition is an error.  Old months go
-- with iuid_drop_partitions, those of order_events first.  A month of orders can go a month later,
-- as a ride may end in the month after its own.

-- A column or function that takes identifiers of one entity says so with a domain: an account where
-- an order is meant is an error.  The key of a partitioned table cannot have the domain, as the
-- boundaries of its partitions have no entity; it has the same CHECK.  By way of text pg_upgrade can
-- restore the domain.
CREATE DOMAIN order_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 1);
CREATE DOMAIN account_id AS iuid CHECK (iuid_entity(VALUE::text::uuid) = 3);

CREATE TABLE wallet_accounts (
	id account_id PRIMARY KEY DEFAULT gen_iuid(3),
	holder text NOT NULL
);

CREATE TABLE orders (
	id iuid PRIMARY KEY DEFAULT gen_iuid(1) CHECK (iuid_entity(id) = 1),
	wallet_id account_id REFERENCES wallet_accounts,   -- NULL: paid in cash
	fare numeric NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX ON orders (wallet_id, id);

-- The time from which on the events of an order are.  An order has its time from one clock and an
-- event from another, and a clock can step back: a minute is what they may differ by.  The table
-- checks this, the migration sets aside what does not pass, and the question for the events of an
-- order relies on it to leave earlier months out.
CREATE FUNCTION earliest_event(order_id iuid) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
RETURN iuid_timestamp(order_id) - interval '1 minute';

-- An event has a time of its own, and so a month of its own.
CREATE TABLE order_events (
	id iuid PRIMARY KEY DEFAULT gen_iuid(2) CHECK (iuid_entity(id) = 2),
	order_id order_id NOT NULL REFERENCES orders,
	event text NOT NULL,
	CHECK (id >= earliest_event(order_id))
) PARTITION BY RANGE (id);
CREATE INDEX ON order_events (order_id, id);
