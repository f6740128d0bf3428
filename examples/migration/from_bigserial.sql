-- From a number and created_at, to a table with partitions by month.  Country 125, entity 1.

CREATE SCHEMA IF NOT EXISTS v2;

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

CREATE FUNCTION v2.find_order(old_key bigint) RETURNS iuid LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS
$$ BEGIN RETURN (SELECT m.id FROM v2.order_numbers AS m WHERE m.number = old_key); END $$;

-- The name says of which table, because two old tables both have a row 42.
CREATE FUNCTION v2.identify_order(o public.orders) RETURNS iuid LANGUAGE sql IMMUTABLE
RETURN CASE WHEN migration.is_believable((o).created_at) THEN iuid_from_name(125, 1, 'orders/' || (o).id, (o).created_at) END;

CREATE FUNCTION v2.order_cannot_come(o public.orders) RETURNS text LANGUAGE sql STABLE
RETURN CASE WHEN (o).customer_id IS NOT NULL AND v2.find_customer((o).customer_id) IS NULL THEN 'its customer has not come' END;

-- An old client names the customer by its UUID, and a new client by its iuid: here is the other one.
-- In an INSERT, all columns of OLD are NULL.
CREATE FUNCTION v2.fill_order() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	NEW.number := coalesce(NEW.number, nextval('public.orders_id_seq'));
	IF NEW.customer_uuid IS DISTINCT FROM OLD.customer_uuid THEN
		NEW.customer_id := v2.find_customer(NEW.customer_uuid);
		IF NEW.customer_id IS NULL AND NEW.customer_uuid IS NOT NULL THEN
			RAISE foreign_key_violation USING MESSAGE = pg_catalog.format('there is no customer %s', NEW.customer_uuid);
		END IF;
	ELSIF NEW.customer_id IS DISTINCT FROM OLD.customer_id THEN
		NEW.customer_uuid := (SELECT c.uuid FROM v2.customers AS c WHERE c.id = NEW.customer_id);
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON v2.orders FOR EACH ROW EXECUTE FUNCTION v2.fill_order();

CALL migration.define('public.orders', 'v2.orders', '{"id": "number", "customer_id": "customer_uuid"}',
	find => 'v2.find_order', identify => 'v2.identify_order', reason => 'v2.order_cannot_come');
