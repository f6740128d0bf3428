-- From a UUID of version 7, which contains its time, to a table with partitions by month.  Country
-- 125, entity 2.

CREATE TABLE v2.order_events (
	id iuid PRIMARY KEY DEFAULT gen_iuid(125, 2),
	uuid uuid NOT NULL,
	order_id iuid NOT NULL REFERENCES v2.orders ON DELETE CASCADE,
	order_number bigint NOT NULL,
	event text NOT NULL
) PARTITION BY RANGE (id);
CREATE INDEX ON v2.order_events (uuid);
CREATE INDEX ON v2.order_events (order_id, id);
CREATE INDEX ON v2.order_events (order_number);

CREATE TABLE v2.order_events_other PARTITION OF v2.order_events DEFAULT;
SELECT iuid_create_partitions('v2.order_events', '1 month', '2025-11-01', now() + interval '4 months');

CREATE TABLE v2.event_uuids (uuid uuid PRIMARY KEY, id iuid NOT NULL UNIQUE);

CREATE FUNCTION v2.keep_event_uuid() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		DELETE FROM v2.event_uuids AS m WHERE m.uuid = OLD.uuid;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO v2.event_uuids VALUES (NEW.uuid, NEW.id) ON CONFLICT (uuid) DO NOTHING;
		IF NOT FOUND THEN
			RAISE unique_violation USING MESSAGE = pg_catalog.format('there is another event with the uuid %s', NEW.uuid);
		END IF;
	END IF;
	RETURN NULL;
END $$;
CREATE TRIGGER keep_uuid AFTER INSERT OR DELETE OR UPDATE OF id, uuid ON v2.order_events FOR EACH ROW EXECUTE FUNCTION v2.keep_event_uuid();

-- The time of a UUID of version 7 is in it; another UUID has none.  With this time as an argument, all
-- bits of the UUID count, so no two UUIDs meet, and events of one millisecond lose their order.
-- Without it, iuid_from_uuid(o.id, 125, 2) keeps the order, and leaves out the last 20 bits: that is
-- for UUIDs whose last bits are random.
CREATE VIEW v2.arriving_order_events AS
SELECT o.id AS key, CASE WHEN migration.is_believable(at) THEN iuid_from_uuid(o.id, 125, 2, at) END AS id,
	CASE WHEN n.id IS NULL THEN 'its order has not come' END AS reason,
	o.id AS uuid, n.id AS order_id, o.order_id AS order_number, o.event
FROM order_events AS o
	LEFT JOIN v2.order_numbers AS n ON n.number = o.order_id
	CROSS JOIN LATERAL (SELECT CASE WHEN o.id::text ~ '^.{14}7.{4}[89ab]' THEN iuid_timestamp(iuid_from_uuid(o.id, 125, 2)) END) AS t (at);

CREATE FUNCTION v2.fill_event() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
	changed_id boolean := NEW.order_id IS DISTINCT FROM OLD.order_id;
	changed_number boolean := NEW.order_number IS DISTINCT FROM OLD.order_number;
BEGIN
	NEW.uuid := coalesce(NEW.uuid, NEW.id);
	IF changed_number AND NOT changed_id THEN
		NEW.order_id := (SELECT n.id FROM v2.order_numbers AS n WHERE n.number = NEW.order_number);
		IF NEW.order_id IS NULL AND NEW.order_number IS NOT NULL THEN
			RAISE foreign_key_violation USING MESSAGE = pg_catalog.format('there is no order %s', NEW.order_number);
		END IF;
	ELSIF changed_id AND NOT changed_number THEN
		NEW.order_number := (SELECT n.number FROM v2.order_numbers AS n WHERE n.id = NEW.order_id);
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER fill BEFORE INSERT ON v2.order_events FOR EACH ROW
	WHEN (NEW.uuid IS NULL OR NEW.order_id IS NULL OR NEW.order_number IS NULL) EXECUTE FUNCTION v2.fill_event();
CREATE TRIGGER fill_changed BEFORE UPDATE OF order_id, order_number ON v2.order_events FOR EACH ROW EXECUTE FUNCTION v2.fill_event();

CALL migration.define('public.order_events', 'v2.order_events', '{"id": "uuid", "order_id": "order_number"}',
	arriving => 'v2.arriving_order_events', map => 'v2.event_uuids');
