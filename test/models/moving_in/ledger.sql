-- What clients have written, and what went: each in the transaction that did it
CREATE TABLE ledger (what text NOT NULL, key bigint, amount int NOT NULL DEFAULT 1);
CREATE FUNCTION note_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO ledger (what, key) SELECT TG_TABLE_NAME || ' gone', g.id FROM gone AS g;
	RETURN NULL;
END $$;
