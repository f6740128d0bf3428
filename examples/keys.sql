-- Numbers in blocks (hi-lo): for keys that must be short, or numbers, and need no time.
--
-- Run with psql -f examples/keys.sql.  A client takes a block of numbers, and uses the block up
-- without asking again.  test/bench/contention/README.md compares this with other keys.
--
-- Gaps.  The rest of a block is lost when its client ends, and a number when its transaction rolls
-- back.  Nobody can give numbers back: another client has the next block already.  Where the law
-- demands numbers without gaps, take a counter, and let the clients wait for each other.

--
-- A sequence, which counts the first number of each block
--

-- PostgreSQL's own way.  Nobody waits for a commit, and a rollback returns no block.  The increment
-- is the size of a block: clients that calculate with another size make duplicates.  After a crash
-- up to 32 blocks are lost.
CREATE SEQUENCE invoice_blocks INCREMENT BY 100;
CREATE TABLE invoices (id bigint PRIMARY KEY, customer int NOT NULL);

-- Two clients.
SELECT nextval('invoice_blocks') AS mine \gset
SELECT nextval('invoice_blocks') AS theirs \gset
INSERT INTO invoices VALUES (:mine, 42), (:mine + 1, 43), (:theirs, 44);
SELECT * FROM invoices ORDER BY id;

--
-- A table, where each client chooses the size of its block
--

-- The counter belongs to the table, whatever its name is: two schemas can have a table of one name,
-- and a table that is renamed goes on.
CREATE TABLE blocks (
	of regclass PRIMARY KEY,
	next bigint NOT NULL DEFAULT 1 CHECK (next >= 1)
);

-- Takes a block.  Call it in a transaction of its own, before the one that inserts: until it commits,
-- all others who want a block of this table wait.  A crash takes back no block that was committed.
CREATE FUNCTION take_block(of_table regclass, size int DEFAULT 100) RETURNS int8range LANGUAGE plpgsql AS $$
DECLARE
	block int8range;
BEGIN
	IF NOT coalesce(size > 0, false) THEN
		RAISE EXCEPTION 'a block must have at least one number, not %', size
		USING ERRCODE = 'invalid_parameter_value';
	END IF;
	INSERT INTO blocks AS b VALUES (of_table, 1 + size)
	ON CONFLICT (of) DO UPDATE SET next = b.next + size
	RETURNING int8range(b.next - size, b.next) INTO block;
	RETURN block;
END $$;

CREATE TABLE payments (id bigint PRIMARY KEY, amount int NOT NULL);
CREATE SCHEMA archive;
CREATE TABLE archive.payments (id bigint PRIMARY KEY, amount int NOT NULL);
SELECT take_block('payments'), take_block('payments', 1000), take_block('archive.payments', 10);

-- A client that inserts 250 payments takes one block for all of them.
SELECT lower(block) AS first, upper(block) - 1 AS last FROM take_block('payments', 250) AS block \gset
INSERT INTO payments SELECT number, 1 FROM generate_series(:first, :last) AS number;
SELECT min(id), max(id), count(*) FROM payments;

-- A table that has rows already: its first block begins behind them.
CREATE TABLE refunds (id bigint PRIMARY KEY);
INSERT INTO refunds VALUES (7);
INSERT INTO blocks SELECT 'refunds', coalesce(max(id), 0) + 1 FROM refunds;
SELECT take_block('refunds', 10);
