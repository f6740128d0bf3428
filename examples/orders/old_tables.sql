-- The tables of the two systems that the service had before.
--
-- Nobody checked what they hold: a time can be missing or wrong, and a reference can point to
-- nowhere.  All that a migration can ask for is a primary key.

CREATE TABLE old_accounts (id uuid PRIMARY KEY, holder text, created_at timestamptz);

-- The first system gave out numbers.
CREATE TABLE old_orders (id bigint PRIMARY KEY, account_id uuid, fare numeric, created_at timestamptz);
CREATE TABLE old_order_events (id bigint PRIMARY KEY, order_id bigint, event text, created_at timestamptz);

-- The second made UUIDs of version 7, which contain the time.
CREATE TABLE v7_orders (id uuid PRIMARY KEY, account_id uuid, fare numeric);
CREATE TABLE v7_order_events (id uuid PRIMARY KEY, order_id uuid, event text);
