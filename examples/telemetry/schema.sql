-- Telemetry: the tables.
--
-- A device notes when something happened: the event time.  The server notes when it took that in:
-- the write time.  Batches are sent until they are acknowledged, so the same event may arrive
-- often.  A device that was without a network for months brings data that is old by one clock and
-- new by the other.  The tables must
--
--   * hold each event once, however often and through however many sessions it comes;
--   * let go of whole partitions by either clock, without deleting rows one by one;
--   * answer questions about either clock from the partitions concerned.
--
-- The layout
--
-- The id of an event is derived from its tenant, its device, what it is, what it measured, and when
-- it happened, to the microsecond.  So an event that is sent again has the same id, whenever that
-- is; and one of the same time with other measurements, or of the next microsecond, is another
-- event.  The table "events" is partitioned by that id, so by event time.  It has the events that
-- arrived within the grace period.  So a month of events was written in that month and the grace
-- period after it: the partition bounds both clocks.
--
-- An event that arrives later would spoil that.  It goes to "late_events", which is partitioned by
-- write time.  An event is in time or late by its first arrival, and stays what it is.
--
-- No unique index spans both tables.  Each session that brings events of a device locks the row of
-- the device first, and then looks into both tables.  So the events of one device come in one
-- after the other, and those of other devices do not wait.
--
-- What was not chosen
--
--   * One tree by event time, with sub-partitions by write time.  The write time would have to be
--     in the primary key.  A repeated event has another write time, so it would be stored again.
--   * A row in "events" for each late event, too, so that the primary key decides.  Such claims are
--     of no use but to refuse repetitions, and outlive the month that they belong to: they would
--     wait in a DEFAULT partition, and leave it one by one.
--   * A table of all ids without partitions.  It is a second index over everything, which grows for
--     ever, and from which rows can be deleted only one by one.
--   * SERIALIZABLE.  It needs no lock, but each session must use it, and try again.
--
-- Who can guess all of what an id is derived from can calculate the id, and so find out that the
-- event is there.  To strangers show hidden identifiers (iuid_hide).
--
-- With the month of an event goes the knowledge of its id: sent again, it is a late event, and new.
-- And of two events of one country and millisecond whose digests are equal, which is one pair in
-- 2^54, the second one is taken for a repetition.

-- An event that arrives so long after it happened, or later, is late.  In hours, as a day has 23 or
-- 25 of them in some time zones.  The constraints below rely on this and on the tolerance, so both
-- stay what they are while there are rows.
CREATE FUNCTION grace() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '720 hours';

-- The clock of a device may be so far ahead of the server's.
CREATE FUNCTION tolerance() RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN interval '5 minutes';

-- A point in time plus hours.  The operator + depends on the time zone for days and months, so the
-- planner does not compute it in advance.  This it does, and leaves out partitions then.
CREATE FUNCTION later(at timestamptz, wait interval) RETURNS timestamptz
LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (at AT TIME ZONE 'UTC' + wait) AT TIME ZONE 'UTC';

CREATE TABLE tenants (
	tenant text PRIMARY KEY CHECK (octet_length(tenant) <= 200),
	country int NOT NULL CHECK (country BETWEEN 0 AND 255),   -- of the organisation's own numbers
	UNIQUE (tenant, country)
);

-- The first event of a device registers it.  The country is in the ids of its events: with another
-- one, an event that is sent again would be new.  The foreign key keeps the country.
CREATE TABLE devices (
	tenant text,
	device text CHECK (octet_length(device) <= 200),
	country int NOT NULL,
	late_until timestamptz,   -- all its late events were written before: the end of a day
	PRIMARY KEY (tenant, device),
	CONSTRAINT country_stays FOREIGN KEY (tenant, country) REFERENCES tenants (tenant, country)
);

-- Both clocks are identifiers, to the millisecond: id is the event (entity 1), written its arrival
-- (entity 2).  What is left of the event time is beside the id: the microseconds of its millisecond.
CREATE TABLE events (
	id iuid PRIMARY KEY,
	written iuid NOT NULL,
	tenant text NOT NULL,
	device text NOT NULL,
	event text NOT NULL,
	measurements jsonb,
	microseconds smallint NOT NULL CHECK (microseconds BETWEEN 0 AND 999),
	utc_offset interval,   -- of the device's time zone, which has no part in the id
	CHECK (written >= later(iuid_timestamp(id), -tolerance())),
	CHECK (written < later(iuid_timestamp(id), grace()))
) PARTITION BY RANGE (id);
CREATE INDEX ON events (tenant, device, id);
-- Rows arrive in the order of the write time, so bounds for every 16 pages are enough.  Of a month
-- with a million events, five minutes are read from 38 pages of 12,000.  The index has 56 kB; as a
-- btree it would have 30 MB.
CREATE INDEX ON events USING brin (written) WITH (pages_per_range = 16, autosummarize);

-- Here written is the partition key, so the primary key needs it.  A device that has late events
-- cannot be deleted: its late_until would be lost.  offline.sh sets it for those that come back.
CREATE TABLE late_events (
	id iuid,
	written iuid,
	tenant text NOT NULL,
	device text NOT NULL,
	event text NOT NULL,
	measurements jsonb,
	microseconds smallint NOT NULL CHECK (microseconds BETWEEN 0 AND 999),
	utc_offset interval,
	PRIMARY KEY (id, written),
	FOREIGN KEY (tenant, device) REFERENCES devices,
	CHECK (written >= later(iuid_timestamp(id), grace()))
) PARTITION BY RANGE (written);
CREATE INDEX ON late_events (tenant, device, id);
CREATE INDEX ON late_events USING brin (written) WITH (pages_per_range = 16, autosummarize);
