-- From a UUID of version 4 and created_at, to a plain table: customers are few, and live for ever.
-- Country 125, entity 3.

-- All columns of the old table, and the iuid.  A new client names no uuid: then it is the iuid.
CREATE TABLE v2.customers (
	id iuid PRIMARY KEY DEFAULT gen_iuid(125, 3),
	uuid uuid NOT NULL UNIQUE,
	name text NOT NULL,
	created_at timestamptz DEFAULT now()
);

CREATE VIEW v2.arriving_customers AS
SELECT o.id AS key, CASE WHEN migration.is_believable(o.created_at) THEN iuid_from_uuid(o.id, 125, 3, o.created_at) END AS id,
	NULL AS reason, o.id AS uuid, o.name, o.created_at
FROM customers AS o;

CREATE FUNCTION v2.fill_customer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	NEW.uuid := coalesce(NEW.uuid, NEW.id);
	RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT ON v2.customers FOR EACH ROW WHEN (NEW.uuid IS NULL) EXECUTE FUNCTION v2.fill_customer();

CALL migration.define('public.customers', 'v2.customers', '{"id": "uuid"}',
	arriving => 'v2.arriving_customers', map => 'v2.customers');
