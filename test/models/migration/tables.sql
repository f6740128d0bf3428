-- Tables of other kinds than those of examples/migration: two that refer to each other, one of them to
-- itself, too, with an identity column, a time without zone and a trigger; keys of several columns; one
-- that is partitioned by its time; a natural key; and what depends on them.
CREATE TABLE teams (code text PRIMARY KEY, leader_id bigint, founded timestamptz NOT NULL DEFAULT now());
CREATE TABLE accounts (
	id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	parent_id bigint REFERENCES accounts,
	team text REFERENCES teams ON UPDATE CASCADE,
	name text NOT NULL,
	name_length int GENERATED ALWAYS AS (length(name)) STORED,
	balance numeric NOT NULL DEFAULT 0 CHECK (balance > -1000000),
	opened timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'Asia/Almaty'),
	changes int NOT NULL DEFAULT 0
);
ALTER TABLE teams ADD CONSTRAINT teams_leader_id_fkey FOREIGN KEY (leader_id) REFERENCES accounts ON DELETE SET NULL DEFERRABLE;
CREATE INDEX ON accounts (parent_id);
CREATE FUNCTION count_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.changes := OLD.changes + 1; RETURN NEW; END $$;
CREATE TRIGGER count_changes BEFORE UPDATE OF balance ON accounts FOR EACH ROW EXECUTE FUNCTION count_changes();
CREATE TABLE invoices (
	account_id bigint REFERENCES accounts ON DELETE CASCADE,
	number int,
	total numeric NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (account_id, number)
);
CREATE TABLE invoice_lines (
	account_id bigint, invoice int, line int,
	price numeric NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (account_id, invoice, line),
	FOREIGN KEY (account_id, invoice) REFERENCES invoices ON DELETE CASCADE
);
CREATE SEQUENCE readings_id_seq;
CREATE TABLE readings (
	id bigint NOT NULL DEFAULT nextval('readings_id_seq'),
	account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
	value float8 NOT NULL,
	created_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
ALTER SEQUENCE readings_id_seq OWNED BY readings.id;
CREATE TABLE readings_2025_12 PARTITION OF readings FOR VALUES FROM ('2025-12-01 00:00+00') TO ('2026-01-01 00:00+00');
CREATE TABLE readings_2026_01 PARTITION OF readings FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2026-02-01 00:00+00');
CREATE TABLE readings_later PARTITION OF readings FOR VALUES FROM ('2026-02-01 00:00+00') TO (MAXVALUE);
CREATE INDEX ON readings (account_id);
CREATE TABLE documents (file_number text PRIMARY KEY, title text NOT NULL, filed date NOT NULL);
CREATE VIEW balances AS SELECT t.code, sum(a.balance) AS balance FROM accounts AS a JOIN teams AS t ON t.code = a.team GROUP BY t.code;
CREATE MATERIALIZED VIEW totals AS SELECT account_id, sum(total) AS total FROM invoices GROUP BY account_id;
CREATE FUNCTION children(bigint) RETURNS bigint STABLE LANGUAGE sql AS 'SELECT count(*) FROM accounts WHERE parent_id = $1';
