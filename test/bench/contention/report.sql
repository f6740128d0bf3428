-- Rows per second, and their ratio to the sequence at the same delay and number of clients.
\pset format unaligned
\pset tuples_only on
\echo '| flush | key from | 1 client | ratio | 4 clients | ratio | 16 clients | ratio |'
\echo '|---|---|--:|--:|--:|--:|--:|--:|'
WITH median AS (
	SELECT delay, clients, way, percentile_cont(0.5) WITHIN GROUP (ORDER BY tps) AS tps
	FROM result GROUP BY delay, clients, way
)
SELECT format('| %s | %s | %s |', CASE delay WHEN 0 THEN 'as it is' ELSE format('+ %s ms', delay / 1000) END, m.way,
	string_agg(format('%s | %s', round(m.tps), round((m.tps / s.tps)::numeric, 2)), ' | ' ORDER BY clients))
FROM median AS m JOIN median AS s USING (delay, clients)
WHERE s.way = 'sequence'
GROUP BY delay, m.way ORDER BY delay, m.way;

SELECT format(E'\nThe rounds of a figure differ by %s %% at the median, and %s %% at most.',
	round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY spread)), round(100 * max(spread)))
FROM (SELECT max(tps) / min(tps) - 1 AS spread FROM result GROUP BY delay, clients, way) AS s;

ALTER SYSTEM RESET fsync;
SELECT pg_reload_conf() \g /dev/null
