-- No old client is left.  A dump of the old tables is the last thing to do with them: after this there
-- is no way back.

CALL migration.finish();
DROP SCHEMA migration CASCADE;   -- what the engine made for itself
