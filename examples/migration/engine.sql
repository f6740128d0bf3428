-- A migration of live tables to new tables whose key is an iuid.
--
-- Each old table gets a new table with all of its columns, the old key among them, and an iuid as its
-- key.  One of the two is what clients write, and a trigger makes each change in the other one: first
-- the old table, and after the swap the new one.  doc/migration.md has the steps, and the way back
-- from each.
--
-- The functions and procedures belong to whoever runs this file: the role that has the tables.

\ir engine/state.sql
\ir engine/plan.sql
\ir engine/tables.sql
\ir engine/triggers.sql
\ir engine/follow.sql
\ir engine/backfill.sql
\ir engine/constrain.sql
\ir engine/swap.sql
\ir engine/finish.sql
