-- The way back before the swap, or after migration.swap_back(): nothing of the migration is left.

CALL migration.back();
DROP SCHEMA v2 CASCADE;
DROP SCHEMA migration CASCADE;   -- what the engine made for itself
