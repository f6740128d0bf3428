-- The way back before the swap, or after migration.swap_back(): nothing of the migration is left.

CALL migration.back();
DROP SCHEMA v2;                  -- an error, if you have made something else there
DROP SCHEMA migration CASCADE;   -- what the engine made for itself
