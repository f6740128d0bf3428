-- No old client is left.  After this there is no way back.

CALL migration.finish();

-- New rows get no old key any more.  Those of old rows stay for whoever asks for order 1234.
CALL migration.run(ARRAY[
	'DROP TRIGGER fill ON v2.customers',
	'ALTER TABLE v2.customers ALTER COLUMN uuid DROP NOT NULL',
	'DROP TRIGGER fill ON v2.orders',
	'DROP TRIGGER fill_changed ON v2.orders',
	'DROP TRIGGER keep_number ON v2.orders',
	'ALTER TABLE v2.orders DROP COLUMN number, DROP COLUMN customer_uuid',
	'DROP TRIGGER fill ON v2.order_events',
	'DROP TRIGGER fill_changed ON v2.order_events',
	'DROP TRIGGER keep_uuid ON v2.order_events',
	'ALTER TABLE v2.order_events DROP COLUMN uuid, DROP COLUMN order_number',
	'DROP TRIGGER fill ON public.receipts',
	'ALTER TABLE public.receipts DROP COLUMN order_id']);

-- A dump of the old tables is the last thing to do with them.
DROP TABLE public.order_events_old, public.orders_old, public.customers_old CASCADE;
DROP SCHEMA migration CASCADE;
