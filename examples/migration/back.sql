-- The way back before the swap, or after migration.swap_back(): nothing of the migration is left.

CALL migration.run(ARRAY[
	'DROP TRIGGER IF EXISTS fill ON public.receipts',
	'ALTER TABLE public.receipts DROP COLUMN IF EXISTS order_iuid']);
CALL migration.unfollow();
DROP SCHEMA v2 CASCADE;
DROP SCHEMA migration CASCADE;
