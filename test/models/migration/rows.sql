-- Rows of tables.sql.  Accounts refer to the one before: a chain, and two circles.
INSERT INTO teams SELECT 'T' || n, NULL, timestamptz '2025-12-01 00:00+00' + n * interval '1 hour' FROM generate_series(1, 10) AS n;
INSERT INTO accounts (parent_id, team, name, opened)
SELECT CASE WHEN n > 1 THEN n - 1 END, 'T' || 1 + n % 10, 'account ' || n, timestamp '2025-12-01' + n * interval '1 minute' FROM generate_series(1, :accounts) AS n;
UPDATE accounts SET parent_id = 3 WHERE id = 3;
UPDATE accounts SET parent_id = 10 WHERE id = 5;   -- 5, 6 ... 10, 5
UPDATE teams SET leader_id = (SELECT max(id) FROM accounts WHERE team = code);
INSERT INTO invoices SELECT a.id, n, a.id * n, opened AT TIME ZONE 'UTC' + n * interval '1 day' FROM accounts AS a, generate_series(1, 3) AS n;
INSERT INTO invoice_lines SELECT account_id, number, n, total / n, created_at FROM invoices, generate_series(1, 2) AS n;
INSERT INTO readings (account_id, value, created_at) SELECT 1 + n % :accounts, n, timestamptz '2025-12-01 00:00+00' + n * interval '80 days' / :readings FROM generate_series(1, :readings) AS n;
INSERT INTO documents SELECT 'KZ/' || n || '/2025', 'document ' || n, date '2025-12-01' + n % 50 FROM generate_series(1, :documents) AS n;
