-- The foreign keys of the new tables, and of the new columns of tables that keep their key.  The
-- indexes of these columns are built first, one after the other, and beside writers.

SELECT migration.index_commands() \gexec
CALL migration.constrain();
