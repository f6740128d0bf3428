-- Telemetry: events that have two clocks, are sent again, and come late.
-- Run it at the top of the tree, in a database with the extension iuid:
--   psql -f examples/telemetry.sql
-- \copy reads a file of the client, and names it from there.
--
-- A device notes when something happened: the event time.  The server notes when it
-- heard of it: the write time.  Batches are sent until they are acknowledged, so the same
-- event may arrive often.  A device that was without a network for months brings
-- data that is old by one clock and new by the other.  The tables must
--
--   * hold each event once, however often and through however many sessions it comes;
--   * let go of whole partitions by either clock, without deleting rows one by one;
--   * answer questions about either clock from the partitions concerned.
--
-- The layout
--
-- The id of an event is derived from what it is and when it happened: the same event
-- has the same id, whenever it is sent.  The table "events" is partitioned by that id, so
-- by event time, and its primary key is the id alone.  Every event has one row there.
--
-- An event that arrives within the grace period is in that row.  So a month of events was
-- written in that month and the grace period after it: the partition bounds both clocks.
--
-- An event that arrives later would spoil that.  It goes to "late_events", which is
-- partitioned by write time.  Its row in events is only a claim: the id, and the key of its
-- row in late_events.  Claims are narrow, and as few as the events that come late.
--
-- An event is in time or late by its first arrival, and stays what it is.  What decides between
-- two arrivals is the primary key of events, for both trees: whoever inserts the id first, as
-- an event or as a claim, has it, and ON CONFLICT DO NOTHING makes every other one wait for
-- that transaction and then do nothing (or, above READ COMMITTED, fail and try again).  It does not
-- matter whether the two are years apart or a moment, on either side of the deadline.
--
-- What was not chosen
--
--   * One tree by event time, with sub-partitions by write time.  The write time would have to be
--     in the primary key.  A repeated event has another write time, so it would be stored again.
--   * Two trees, each with its own key, and a look into the other one before writing.  Of two
--     sessions at the deadline neither sees what the other has not committed: one id in both.
--     It takes a lock or SERIALIZABLE, and everybody must remember it.
--   * A table of all ids without partitions.  It is a second index over everything, which
--     grows for ever, and from which rows can be deleted only one by one.
--   * A foreign key from late_events to its claims.  A month of events could not be dropped
--     while a late event refers to it.  A trigger asks for the claim, but only when it is written.
--
-- With the month of an event goes the knowledge of its id: sent again, it is a late event, and new.
SET timezone = 'UTC';
CREATE SCHEMA telemetry;
SET search_path = telemetry, public;

-- In hours, as a day has 23 or 25 of them in some time zones.  The constraints below
-- rely on it, so it stays what it is while there are rows.
CREATE FUNCTION grace() RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT interval '720 hours' $$;

-- Both clocks are identifiers, to the millisecond: id is the event (entity 1), written its
-- arrival (entity 2).  A real table has its measurements beside the column event.
CREATE TABLE events (
	id iuid PRIMARY KEY,
	written iuid NOT NULL,
	event text,	-- NULL in a claim
	CHECK (written >= iuid_timestamp(id)),
	CHECK ((event IS NOT NULL) = (written < iuid_timestamp(id) + grace()))
) PARTITION BY RANGE (id);

-- For the claims of months that are not there any more.
CREATE TABLE events_default PARTITION OF events DEFAULT;

-- Without a DEFAULT partition: if one is missing, the batch fails as a whole, and is sent again.
CREATE TABLE late_events (
	written iuid PRIMARY KEY,
	id iuid NOT NULL,
	event text NOT NULL,
	CHECK (written >= iuid_timestamp(id) + grace())
) PARTITION BY RANGE (written);
CREATE INDEX ON late_events (id);

-- An id has one claim, a claim has one written, and that is the primary key here: so
-- no id is here twice, nor in both trees, whoever writes.
CREATE FUNCTION must_be_claimed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM events AS e WHERE e.id = NEW.id AND e.written = NEW.written) THEN
		RAISE EXCEPTION 'late event % has no claim', NEW.id USING ERRCODE = 'foreign_key_violation';
	END IF;
	RETURN NULL;
END
$$;
CREATE TRIGGER must_be_claimed AFTER INSERT OR UPDATE ON late_events FOR EACH ROW EXECUTE FUNCTION must_be_claimed();

CREATE VIEW all_events AS
SELECT id, iuid_timestamp(id) AS event_time, written, iuid_timestamp(written) AS write_time, event
FROM events WHERE event IS NOT NULL
UNION ALL
SELECT id, iuid_timestamp(id), written, iuid_timestamp(written), event
FROM late_events;

-- A batch: COPY fills it, and the server gives the write time.  Each session has its own.
CREATE TEMP TABLE arrivals (
	event text NOT NULL,
	event_time timestamptz NOT NULL,
	write_time timestamptz NOT NULL DEFAULT now(),
	utc_offset interval NOT NULL
);

-- Takes the batch in, and says what was new in it.  What claims to have happened after it
-- was written stays in arrivals, for somebody to look at that device's clock.
CREATE FUNCTION ingest(OUT in_time bigint, OUT late bigint) LANGUAGE sql AS $$
	-- The INSERT would take this lock, too, but maybe after that of late_events.
	-- forget() takes them in this order, so the two cannot deadlock.
	LOCK TABLE ONLY events IN ROW EXCLUSIVE MODE;

	WITH taken AS (
		DELETE FROM arrivals WHERE event_time <= write_time RETURNING *
	), named AS (
		-- A country is a quarter of an hour here, counted from UTC-12:00.
		SELECT iuid_from_name((extract(epoch FROM utc_offset) / 900)::int + 48, 1, event, event_time) AS id, event, write_time
		FROM taken
	), arrived AS (
		SELECT DISTINCT ON (id) id, iuid_from_uuid(id, iuid_country(id), 2, write_time) AS written, event
		FROM named ORDER BY id, write_time
	), claimed AS (
		-- In the order of the ids: two sessions with one batch wait for each other, but not in a circle.
		INSERT INTO events
		SELECT id, written, CASE WHEN written < iuid_timestamp(id) + grace() THEN event END FROM arrived ORDER BY id
		ON CONFLICT DO NOTHING
		RETURNING id, event
	), put AS (
		INSERT INTO late_events
		SELECT written, id, arrived.event FROM claimed JOIN arrived USING (id) WHERE claimed.event IS NULL
	)
	SELECT count(event), count(*) - count(event) FROM claimed
$$;

-- Tells the planner what the grace period says of the other clock of each partition, so that a
-- question about either clock leaves out partitions in both trees.  To be called after new partitions are made.
CREATE FUNCTION bound_partitions() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	p record;
BEGIN
	FOR p IN
		SELECT partition, format('event IS NULL OR written >= %L AND written < %L',
			iuid_floor(lower), iuid_floor(upper + grace())) AS bound
		FROM iuid_partitions('events') WHERE NOT is_default
		UNION ALL
		SELECT partition, format('id < %L', iuid_floor(upper - grace())) FROM iuid_partitions('late_events')
	LOOP
		IF NOT EXISTS (SELECT FROM pg_constraint WHERE conrelid = p.partition AND conname = 'other_clock') THEN
			EXECUTE format('ALTER TABLE %s ADD CONSTRAINT other_clock CHECK (%s)', p.partition, p.bound);
		END IF;
	END LOOP;
END
$$;

-- Drops whole partitions by either clock.  By event time: what arrived in time.  By write time:
-- what arrived late, and months of events that ended a grace period before, as all in them was written
-- by then.  A late event is new until its write time says otherwise, so it outlives its month: its claim
-- moves to events_default, and a repetition is refused as before.
CREATE FUNCTION forget(happened_before timestamptz DEFAULT 'epoch', written_before timestamptz DEFAULT 'epoch')
RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT iuid_drop_partitions('events', greatest(happened_before, written_before - grace()));
	RETURN QUERY SELECT iuid_drop_partitions('late_events', written_before);

	-- Dropping has locked events against everybody until the end of this transaction.
	DELETE FROM events_default AS d
	WHERE event IS NULL AND NOT EXISTS (SELECT FROM late_events AS l WHERE l.written = d.written);
	INSERT INTO events (id, written)
	SELECT id, written FROM late_events
	WHERE id < (SELECT iuid_floor(coalesce(min(lower), 'infinity')) FROM iuid_partitions('events'))
	ON CONFLICT DO NOTHING;
END
$$;

-- From here on, with data.  The file brings its own write times.
CREATE TEMP TABLE source (LIKE arrivals);
\copy source FROM 'test/data/events.tsv' (FORMAT csv, DELIMITER E'\t', HEADER true)

-- The partitions.  Later on, cron does this, and lets go of what is cold:
--   SELECT iuid_maintain_partitions('events', '1 month'), iuid_maintain_partitions('late_events', '1 month');
--   SELECT bound_partitions();
--   SELECT forget(now() - interval '5 years', now() - interval '1 year');
SELECT count(*) AS partitions FROM iuid_create_partitions('events', '1 month',
	(SELECT min(event_time) FROM source), (SELECT max(event_time) FROM source) + interval '1 month');
SELECT count(*) AS partitions FROM iuid_create_partitions('late_events', '1 month',
	(SELECT min(write_time) FROM source), (SELECT max(write_time) FROM source) + interval '1 month');
SELECT bound_partitions();

-- The first time, everything is new.  The second time, nothing is.
INSERT INTO arrivals SELECT * FROM source;
SELECT * FROM ingest();
INSERT INTO arrivals SELECT * FROM source;
SELECT * FROM ingest();

-- Sent again after the grace period, what came in time is not late; sent
-- again as if it had come at once, what came late is not in time.
INSERT INTO arrivals SELECT event, event_time, '2026-08-31', utc_offset FROM source;
SELECT * FROM ingest();
INSERT INTO arrivals SELECT event, event_time, event_time, utc_offset FROM source;
SELECT * FROM ingest();

-- A device comes back on 30 August 2026 and brings the end of 2016: half of it has been here before,
-- and it sends everything twice in one batch.
INSERT INTO arrivals
SELECT event || suffix, event_time, sent, utc_offset
FROM source, unnest(ARRAY['', ' too']) AS suffix, unnest(ARRAY[timestamptz '2026-08-30 12:00', '2026-08-30 12:01']) AS sent
WHERE event_time < '2017-01-01';
SELECT * FROM ingest();
ANALYZE events, late_events;

-- How many partitions of each tree does a question read?
CREATE FUNCTION partitions_read(question text, OUT events bigint, OUT late_events bigint) LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT JSON) ' || question INTO plan;
	SELECT count(DISTINCT name) FILTER (WHERE name::text LIKE '"events%'), count(DISTINCT name) FILTER (WHERE name::text LIKE '"late%')
	INTO events, late_events
	FROM jsonb_path_query(plan, '$.** ? (@."Actual Loops" > 0)."Relation Name"') AS name;
END
$$;

-- What happened from 6 to 12 July 2026?  It is in one month of events, or it came late: not
-- before 5 August, so the late events of August and later.
SELECT event_time::date AS day, count(*) AS events, count(*) FILTER (WHERE write_time >= event_time + grace()) AS late
FROM all_events WHERE id <@ tstzrange('2026-07-06', '2026-07-13') GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM all_events WHERE id <@ tstzrange('2026-07-06', '2026-07-13');

-- What was written from 10 to 16 August 2026?  It is in one month of late events, or it happened not
-- before 11 July.  events_default has no bounds, so it is always read; it holds little.
SELECT write_time::date AS day, count(*) AS events, count(*) FILTER (WHERE write_time >= event_time + grace()) AS late
FROM all_events WHERE written <@ tstzrange('2026-08-10', '2026-08-17') GROUP BY 1 ORDER BY 1;
EXPLAIN (COSTS OFF) SELECT * FROM all_events WHERE written <@ tstzrange('2026-08-10', '2026-08-17');

-- Each tree is pruned by its own clock; by the other one it is the constraints of bound_partitions()
-- that leave partitions out, and PostgreSQL looks at those for constants only.  For now() and for the
-- parameters of a generic plan, say yourself what the grace period implies.  It implies
-- something else for each tree, so that cannot be said of the view.
SET plan_cache_mode = force_generic_plan;
PREPARE written_since (timestamptz) AS SELECT * FROM all_events WHERE written >= $1;
PREPARE written_since_bounded (timestamptz) AS
SELECT id, written, event FROM events WHERE event IS NOT NULL AND written >= $1 AND id >= $1 - grace()
UNION ALL
SELECT id, written, event FROM late_events WHERE written >= $1;
SELECT * FROM partitions_read('EXECUTE written_since (''2026-08-01'')');
SELECT * FROM partitions_read('EXECUTE written_since_bounded (''2026-08-01'')');

PREPARE happened_since (timestamptz) AS SELECT * FROM all_events WHERE id >= $1;
PREPARE happened_since_bounded (timestamptz) AS
SELECT id, written, event FROM events WHERE event IS NOT NULL AND id >= $1
UNION ALL
SELECT id, written, event FROM late_events WHERE id >= $1 AND written >= $1 + grace();
SELECT * FROM partitions_read('EXECUTE happened_since (''2026-07-01'')');
SELECT * FROM partitions_read('EXECUTE happened_since_bounded (''2026-07-01'')');
RESET plan_cache_mode;

-- One event by its id: a claim has the key of its late event, so this reads one partition of each tree.
SELECT id FROM all_events WHERE event = '7767a631c7a4730b' \gset
SELECT e.id, iuid_timestamp(e.id) AS event_time, iuid_timestamp(e.written) AS write_time, coalesce(e.event, l.event) AS event
FROM events AS e LEFT JOIN late_events AS l ON e.event IS NULL AND l.written = e.written
WHERE e.id = :'id';
SELECT * FROM partitions_read(format('SELECT * FROM events AS e
	LEFT JOIN late_events AS l ON e.event IS NULL AND l.written = e.written WHERE e.id = %L', :'id'));

-- Let go of what happened before 2018, and then of what was written before 2020.
SET client_min_messages = warning;
SELECT count(*) AS dropped, min(name) AS first, max(name) AS last FROM forget(happened_before => '2018-01-01') AS name;
SELECT regexp_replace(name, '_\d+_\d+$', '') AS tree, count(*) AS dropped, min(name) AS first, max(name) AS last
FROM forget(written_before => '2020-01-01') AS name GROUP BY 1 ORDER BY 1;
RESET client_min_messages;
