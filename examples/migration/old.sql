-- The old tables: customers have a UUID of version 4 and created_at, orders a number and created_at,
-- events a UUID of version 7, which the application makes.  Receipts have a number of their own, and
-- keep it; but they refer to orders.

CREATE TABLE customers (
	id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
	name text NOT NULL,
	created_at timestamptz DEFAULT now()
);
CREATE TABLE orders (
	id bigserial PRIMARY KEY,
	customer_id uuid REFERENCES customers,   -- NULL: paid in cash
	fare numeric NOT NULL,
	created_at timestamptz DEFAULT now()
);
CREATE INDEX ON orders (customer_id);
CREATE TABLE order_events (
	id uuid PRIMARY KEY,
	order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
	event text NOT NULL
);
CREATE INDEX ON order_events (order_id);
CREATE TABLE receipts (
	number text PRIMARY KEY,
	order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
	total numeric NOT NULL
);
CREATE INDEX ON receipts (order_id);
