-- From a number and created_at, to a table with partitions by month.  Country 125, entity 1.

CREATE TABLE v2.orders (
	id iuid PRIMARY KEY DEFAULT gen_iuid(125, 1),
	number bigint NOT NULL,
	customer_id iuid REFERENCES v2.customers,
	customer_uuid uuid,
	fare numeric NOT NULL,
	created_at timestamptz DEFAULT now()
) PARTITION BY RANGE (id);
CREATE INDEX ON v2.orders (number);
CREATE INDEX ON v2.orders (customer_id, id);
CREATE INDEX ON v2.orders (customer_uuid);

-- The months that the old rows are from, and the next ones.  They are named, and not computed from
-- the data: one wrong created_at would make hundreds of months.  Rows of other times are in DEFAULT,
-- so no client has an error for want of a month.
CREATE TABLE v2.orders_other PARTITION OF v2.orders DEFAULT;
SELECT iuid_create_partitions('v2.orders', '1 month', '2025-11-01', now() + interval '4 months');

-- The old key cannot be unique in a table with partitions by another column.  Here it is, and here
-- orders are found by it, in one look-up.
CREATE TABLE v2.order_numbers (number bigint PRIMARY KEY, id iuid NOT NULL UNIQUE);

CREATE FUNCTION v2.keep_order_number() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		DELETE FROM v2.order_numbers AS m WHERE m.number = OLD.number;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		-- If a transaction with an old snapshot does not see what is there, this is a 40001.
		INSERT INTO v2.order_numbers VALUES (NEW.number, NEW.id) ON CONFLICT (number) DO NOTHING;
		IF NOT FOUND THEN
			RAISE unique_violation USING MESSAGE = pg_catalog.format('there is another order with the number %s', NEW.number);
		END IF;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER keep_number AFTER INSERT OR DELETE OR UPDATE OF id, number ON v2.orders FOR EACH ROW EXECUTE FUNCTION v2.keep_order_number();

-- The name says of which table, because two old tables both have a row 42.
CREATE VIEW v2.arriving_orders AS
SELECT o.id AS key, CASE WHEN migration.is_believable(o.created_at) THEN iuid_from_name(125, 1, 'orders/' || o.id, o.created_at) END AS id,
	CASE WHEN o.customer_id IS NOT NULL AND c.id IS NULL THEN 'its customer has not come' END AS reason,
	o.id AS number, c.id AS customer_id, o.customer_id AS customer_uuid, o.fare, o.created_at
FROM orders AS o LEFT JOIN v2.customers AS c ON c.uuid = o.customer_id;

-- An old client names the customer by its UUID, and a new client by its iuid: here is the other one.
-- In an INSERT, all columns of OLD are NULL.
CREATE FUNCTION v2.fill_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
	changed_id boolean := NEW.customer_id IS DISTINCT FROM OLD.customer_id;
	changed_uuid boolean := NEW.customer_uuid IS DISTINCT FROM OLD.customer_uuid;
BEGIN
	NEW.number := coalesce(NEW.number, nextval('public.orders_id_seq'));
	IF changed_uuid AND NOT changed_id THEN
		NEW.customer_id := (SELECT c.id FROM v2.customers AS c WHERE c.uuid = NEW.customer_uuid);
		IF NEW.customer_id IS NULL AND NEW.customer_uuid IS NOT NULL THEN
			RAISE foreign_key_violation USING MESSAGE = pg_catalog.format('there is no customer %s', NEW.customer_uuid);
		END IF;
	ELSIF changed_id AND NOT changed_uuid THEN
		NEW.customer_uuid := (SELECT c.uuid FROM v2.customers AS c WHERE c.id = NEW.customer_id);
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT ON v2.orders FOR EACH ROW
	WHEN (NEW.number IS NULL OR (NEW.customer_id IS NULL) <> (NEW.customer_uuid IS NULL)) EXECUTE FUNCTION v2.fill_order();
CREATE TRIGGER fill_changed BEFORE UPDATE OF customer_id, customer_uuid ON v2.orders FOR EACH ROW EXECUTE FUNCTION v2.fill_order();

CALL migration.define('public.orders', 'v2.orders', '{"id": "number", "customer_id": "customer_uuid"}',
	arriving => 'v2.arriving_orders', map => 'v2.order_numbers');
