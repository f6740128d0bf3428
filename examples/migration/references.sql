-- A table that refers to an old table and keeps its own key: it gets a column with the iuid of what it
-- refers to.  Both references stay until no old client is left.

CALL migration.run(ARRAY['ALTER TABLE public.receipts ADD COLUMN order_iuid iuid']);

-- A trigger fills whichever of the two columns a client leaves out.
CREATE FUNCTION v2.fill_receipt() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
	IF NEW.order_id IS DISTINCT FROM OLD.order_id OR NEW.order_iuid IS NULL THEN
		NEW.order_iuid := (SELECT n.id FROM v2.order_numbers AS n WHERE n.number = NEW.order_id);
	ELSIF NEW.order_iuid IS DISTINCT FROM OLD.order_iuid THEN
		NEW.order_id := (SELECT n.number FROM v2.order_numbers AS n WHERE n.id = NEW.order_iuid);
	END IF;
	RETURN NEW;
END $$;
CALL migration.run(ARRAY['CREATE TRIGGER fill BEFORE INSERT OR UPDATE ON public.receipts FOR EACH ROW EXECUTE FUNCTION v2.fill_receipt()']);

CALL migration.define_column('public.receipts', 'order_iuid');
CALL migration.backfill('public.receipts');

-- Each of these goes on beside writers.  The last ones are short: the CHECK that was validated says
-- that there is no NULL, so nobody looks for one under the lock.
CREATE INDEX CONCURRENTLY receipts_order_iuid ON public.receipts (order_iuid);
CALL migration.run(ARRAY['ALTER TABLE public.receipts ADD CONSTRAINT receipts_order_iuid_fkey
	FOREIGN KEY (order_iuid) REFERENCES v2.orders ON DELETE CASCADE NOT VALID']);
ALTER TABLE public.receipts VALIDATE CONSTRAINT receipts_order_iuid_fkey;
CALL migration.run(ARRAY['ALTER TABLE public.receipts ADD CONSTRAINT has_order_iuid CHECK (order_iuid IS NOT NULL) NOT VALID']);
ALTER TABLE public.receipts VALIDATE CONSTRAINT has_order_iuid;
CALL migration.run(ARRAY['ALTER TABLE public.receipts ALTER COLUMN order_iuid SET NOT NULL',
	'ALTER TABLE public.receipts DROP CONSTRAINT has_order_iuid']);
