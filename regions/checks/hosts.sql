--
-- Checking the hosts of a server that has several: one of them takes writes
--

CREATE FUNCTION @extschema@.iuid_host_query(with_timeline boolean)
RETURNS pg_catalog.text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	-- As libpq looks for read-write.  A server that two names lead to has started once.
	SELECT format($query$SELECT CASE WHEN NOT pg_catalog.pg_is_in_recovery() AND pg_catalog.current_setting('transaction_read_only'::pg_catalog.text) OPERATOR(pg_catalog.=) 'off'::pg_catalog.text
		THEN pg_catalog.concat_ws(' '::pg_catalog.text, %s, pg_catalog.date_part('epoch'::pg_catalog.text, pg_catalog.pg_postmaster_start_time())) END$query$,
		CASE WHEN with_timeline THEN 'pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 1, 8)' ELSE '''?''::pg_catalog.text' END)
$$;
COMMENT ON FUNCTION @extschema@.iuid_host_query(boolean) IS 'internal: what a host is asked: its timeline, and when it started; NULL unless it takes writes';

CREATE FUNCTION @extschema@.iuid_read_host(answer pg_catalog.text)
RETURNS TABLE (timeline bigint, started pg_catalog.text) LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE WHEN m.part[1] <> '?' THEN ('x' || m.part[1])::bit(32)::bigint END, m.part[2] FROM regexp_match(answer, '^([0-9A-F]{8}|\?) ([0-9.e+]{1,40})$') AS m (part) WHERE m.part IS NOT NULL
$$;
COMMENT ON FUNCTION @extschema@.iuid_read_host(pg_catalog.text) IS 'internal: what a host says that takes writes; no row for any other answer';

CREATE FUNCTION @extschema@.iuid_patience()
RETURNS interval LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT least(86400, 3 OPERATOR(pg_catalog.+) coalesce(pg_catalog.max(greatest(s.connect_seconds, 2)), 2)) OPERATOR(pg_catalog.*) interval '1 second'
	FROM @extschema@.iuid_registered_nodes(true) AS n, LATERAL @extschema@.iuid_server(n.server) AS s WHERE s.is_mapped;
END;
COMMENT ON FUNCTION @extschema@.iuid_patience() IS 'internal: for how long a check waits for the other nodes: as their servers may take to connect, and three seconds';

CREATE FUNCTION @extschema@.iuid_check_hosts()
RETURNS TABLE (problem pg_catalog.text, relation pg_catalog.regclass, country int, node pg_catalog.text, detail pg_catalog.text, remedy pg_catalog.text)
LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
	WITH first AS MATERIALIZED (
		SELECT r.* FROM @extschema@.iuid_patience() AS p (timeout), LATERAL @extschema@.iuid_run_on_hosts(@extschema@.iuid_host_query(true), p.timeout) AS r),
	-- Where the role may not ask for the timeline.
	again AS MATERIALIZED (
		SELECT r.* FROM @extschema@.iuid_patience() AS p (timeout), (SELECT FROM first AS f WHERE f.result OPERATOR(pg_catalog.~) '^42501:' LIMIT 1) AS f,
			LATERAL @extschema@.iuid_run_on_hosts(@extschema@.iuid_host_query(false), p.timeout) AS r),
	w AS (
		SELECT a.node, a.host, h.timeline, h.started FROM (SELECT * FROM first UNION ALL SELECT a.* FROM again AS a JOIN first AS f ON f.node OPERATOR(pg_catalog.=) a.node AND f.host OPERATOR(pg_catalog.=) a.host
			WHERE NOT f.success) AS a, LATERAL @extschema@.iuid_read_host(a.result) AS h WHERE a.success)
	SELECT 'two primaries', NULL::pg_catalog.regclass, NULL::int, w.node, pg_catalog.format('Hosts %s take writes, and each lacks those of the other. %s',
		pg_catalog.string_agg(pg_catalog.format('%s (timeline %s)', w.host, coalesce(w.timeline::pg_catalog.text, 'unknown')), ' and ' ORDER BY w.timeline, w.host COLLATE pg_catalog."C"),
		CASE WHEN pg_catalog.count(DISTINCT w.timeline) OPERATOR(pg_catalog.>) 1 AND pg_catalog.count(w.timeline) OPERATOR(pg_catalog.=) pg_catalog.count(*)
			THEN pg_catalog.format('Fence %s, which has the lower timeline: stop it.', (pg_catalog.array_agg(w.host ORDER BY w.timeline, w.host COLLATE pg_catalog."C"))[1])
			ELSE 'Fence the one that was the primary before: stop it.' END), NULL
	FROM w GROUP BY w.node HAVING pg_catalog.count(DISTINCT w.started) OPERATOR(pg_catalog.>) 1;
END;
COMMENT ON FUNCTION @extschema@.iuid_check_hosts() IS 'internal: the nodes of which two hosts take writes; a host that does not answer is no problem';
