-- Wallets of all regions, and messages to a provider: doc/global-services.md explains them.
-- Run it at each node of examples/regions, as the role shop, which owns the database:
--   psql service=almaty -f outbox.sql
-- Entity 2 are wallets, 4 transfers, 5 messages to a node, 6 messages to the provider.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL client_min_messages = warning;
CREATE SCHEMA outbox;
SET LOCAL search_path = outbox, public;

-- --- What belongs to a country, and moves with it ---------------------------------------------

-- Whole minor units, such as cents.
CREATE TABLE wallets (
	id iuid PRIMARY KEY,
	balance bigint NOT NULL CHECK (balance >= 0)
) PARTITION BY RANGE (id iuid_origin_ops);

-- At the node of the payer.  The client makes the identifier, and it is the same in each retry.
CREATE TABLE transfers (
	id iuid PRIMARY KEY,
	payer iuid NOT NULL,
	payee iuid NOT NULL,
	amount bigint NOT NULL CHECK (amount > 0)
) PARTITION BY RANGE (id iuid_origin_ops);

-- The messages that came in, each once.
CREATE TABLE received (
	id iuid PRIMARY KEY,
	kind text NOT NULL,
	body jsonb NOT NULL,
	answer text NOT NULL DEFAULT 'done'
) PARTITION BY RANGE (id iuid_origin_ops);

SELECT iuid_create_routed_partitions('wallets', 2), iuid_create_routed_partitions('transfers', 4),
	iuid_create_routed_partitions('received', 5, '1 month');
SELECT iuid_create_global_table('wallets_global', 'wallets', 2),
	iuid_create_global_table('transfers_global', 'transfers', 4),
	iuid_create_global_table('received_global', 'received', 5);

-- --- What belongs to the node that sends ------------------------------------------------------

-- A message is to be delivered when it is due, and a worker that takes it puts that off: its lease.
CREATE TABLE messages (
	id iuid PRIMARY KEY,
	kind text NOT NULL CHECK (iuid_entity(id) = CASE kind WHEN 'http' THEN 6 ELSE 5 END),
	body jsonb NOT NULL CHECK (octet_length(body::text) <= 100000),   -- a worker reads 50 at once
	due timestamptz NOT NULL DEFAULT now(),
	tries int NOT NULL DEFAULT 0,
	last_failure text,
	answer text   -- NULL: there is none yet
) PARTITION BY RANGE (id);
CREATE INDEX ON messages (due) WHERE answer IS NULL;
SELECT iuid_create_partitions('messages', '1 month', now() - interval '2 days', now() + interval '2 months');

CREATE TABLE dead_letters (
	id iuid PRIMARY KEY,
	kind text NOT NULL,
	body jsonb NOT NULL,
	reason text NOT NULL,
	died timestamptz NOT NULL DEFAULT now()
);

-- --- Sending ----------------------------------------------------------------------------------

-- The identifier of a message to the provider, by what the sender calls it: a JSON array of texts.
CREATE FUNCTION message_id(country int, at timestamptz, VARIADIC name text[]) RETURNS iuid
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT iuid_from_name(country, 6, array_to_json(name)::text, at) $$;

-- Sends a message, once, however often it is called.  Not for applications: a credit is money.
CREATE FUNCTION send(id iuid, kind text, body jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, outbox, public, pg_temp AS $$
BEGIN
	INSERT INTO messages (id, kind, body) VALUES (send.id, send.kind, send.body) ON CONFLICT DO NOTHING;
	IF NOT FOUND AND NOT EXISTS (SELECT FROM messages AS m
			WHERE m.id = send.id AND m.kind = send.kind AND m.body = send.body) THEN
		RAISE unique_violation USING MESSAGE = format('message %s was sent with another content', send.id);
	END IF;
END $$;

CREATE FUNCTION send_http(id iuid, body jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, outbox, public, pg_temp
AS $$ SELECT send($1, 'http', $2) $$;

-- Takes an amount from a wallet of this node, and sends it to a wallet of any node.
CREATE FUNCTION transfer(id iuid, payer iuid, payee iuid, amount bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, outbox, public, pg_temp AS $$
#variable_conflict use_variable
BEGIN
	IF num_nulls(id, payer, payee, amount) > 0 OR amount <= 0 OR payer = payee THEN
		RAISE null_value_not_allowed USING MESSAGE = 'a transfer has an identifier, two wallets and an amount';
	ELSIF iuid_country(id) <> iuid_country(payer) OR iuid_entity(id) <> 4 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'a transfer has the country of the payer, and entity 4';
	ELSIF NOT iuid_is_local(payer) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('the wallet %s is at another node', payer),
			HINT = format('Ask %s.', iuid_node(payer));
	END IF;
	INSERT INTO transfers VALUES (id, payer, payee, amount) ON CONFLICT DO NOTHING;
	IF FOUND THEN
		UPDATE wallets AS w SET balance = w.balance - amount WHERE w.id = payer;
		IF NOT FOUND OR iuid_node(payee) IS NULL THEN
			RAISE foreign_key_violation USING MESSAGE = format('there is no wallet %s, or no node of %s', payer, payee);
		ELSIF id NOT BETWEEN iuid_floor(now() - interval '1 day') AND iuid_floor(now() + interval '1 day') THEN
			RAISE invalid_parameter_value USING MESSAGE = 'a transfer is of the last day';
		END IF;
		PERFORM send(iuid_from_name(iuid_country(payee), 5, format('["credit","%s"]', id), iuid_timestamp(id)), 'credit',
			jsonb_build_object('transfer', id, 'payer', payer, 'payee', payee, 'amount', amount));
	ELSIF NOT EXISTS (SELECT FROM transfers AS t WHERE t.id = id
			AND (t.payer, t.payee, t.amount) = (payer, payee, amount)) THEN
		RAISE unique_violation USING MESSAGE = format('transfer %s was another one', id);
	END IF;
END $$;

-- --- Receiving --------------------------------------------------------------------------------

-- What the worker of the sender calls at the node of the message.  The answer is the same each time.
CREATE FUNCTION receive(id iuid, kind text, body jsonb) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, outbox, public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
	said received;
	wallet iuid := body ->> CASE kind WHEN 'credit' THEN 'payee' ELSE 'payer' END;
	transfer iuid := body ->> 'transfer';
BEGIN
	IF NOT iuid_is_local(id) THEN
		RAISE object_not_in_prerequisite_state USING MESSAGE = format('message %s is for another node', id);
	ELSIF kind NOT IN ('credit', 'refund') THEN
		RAISE invalid_parameter_value USING MESSAGE = format('nobody here receives %s', kind);
	ELSIF id < iuid_floor(now() - interval '6 months') THEN   -- maintain() keeps what was received for longer
		RAISE invalid_parameter_value USING MESSAGE = format('message %s is older than six months', id);
	END IF;
	INSERT INTO received VALUES (id, kind, body) ON CONFLICT DO NOTHING;
	IF NOT FOUND THEN
		SELECT * INTO said FROM received AS r WHERE r.id = id;
		IF (said.kind, said.body) <> (kind, body) THEN
			RAISE unique_violation USING MESSAGE = format('message %s came with another content', id);
		END IF;
		RETURN said.answer;
	END IF;
	UPDATE wallets AS w SET balance = w.balance + (body ->> 'amount')::bigint WHERE w.id = wallet;
	IF FOUND THEN
		RETURN 'done';
	ELSIF kind = 'refund' THEN
		RAISE foreign_key_violation USING MESSAGE = format('there is no wallet %s', wallet);
	END IF;
	-- The refusal is a message of its own.
	PERFORM send(iuid_from_name(iuid_country(transfer), 5, format('["refund","%s"]', transfer), iuid_timestamp(transfer)),
		'refund', body);
	UPDATE received AS r SET answer = 'refused: no such wallet' WHERE r.id = id RETURNING r.answer INTO said.answer;
	RETURN said.answer;
END $$;

-- The same for several messages in one round trip, each for itself: its answer, or how it failed, and
-- whether another try would fail again.  A wallet that somebody holds delays only its own messages.
CREATE FUNCTION receive_all(ids iuid[], kinds text[], bodies jsonb[])
RETURNS TABLE (id iuid, answer text, failure text, is_final boolean)
LANGUAGE plpgsql SECURITY DEFINER SET lock_timeout = '100ms' SET search_path = pg_catalog, outbox, public, pg_temp AS $$
DECLARE
	message record;
BEGIN
	-- The workers of other nodes lock the same wallets, in the same order.
	FOR message IN SELECT * FROM unnest(ids, kinds, bodies) AS u (id, kind, body)
			ORDER BY u.body ->> CASE u.kind WHEN 'credit' THEN 'payee' ELSE 'payer' END, u.id LOOP
		id := message.id;
		answer := NULL;
		failure := NULL;
		is_final := false;
		BEGIN
			answer := receive(message.id, message.kind, message.body);
		EXCEPTION
			WHEN data_exception OR integrity_constraint_violation THEN
				failure := SQLSTATE || ' ' || SQLERRM;
				is_final := true;
			WHEN OTHERS THEN
				failure := SQLSTATE || ' ' || SQLERRM;
		END;
		RETURN NEXT;
	END LOOP;
END $$;

-- --- What a worker does at its own node -------------------------------------------------------

-- Takes messages that are due, but for some targets: a node, or "http" for the provider.  No other
-- worker takes them until the lease ends.
CREATE FUNCTION take(most int, lease interval, busy text[])
RETURNS TABLE (id iuid, kind text, body jsonb, target text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, outbox, public, pg_temp AS $$
	WITH due AS MATERIALIZED (
		SELECT d.id, t.target FROM messages AS d,
			LATERAL (SELECT CASE d.kind WHEN 'http' THEN 'http' ELSE coalesce(iuid_node(d.id), 'no node') END) AS t (target)
		WHERE d.answer IS NULL AND d.due <= clock_timestamp() AND t.target <> ALL (busy)
		ORDER BY d.due LIMIT most FOR UPDATE OF d SKIP LOCKED)
	UPDATE messages AS m SET due = clock_timestamp() + lease, tries = m.tries + 1
	FROM due WHERE m.id = due.id RETURNING m.id, m.kind, m.body, due.target
$$;

-- Notes what became of a message: an answer; or that it will never be taken; or that it is to be tried
-- again, later each time.
CREATE FUNCTION note(id iuid, answer text, failure text, is_final boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, outbox, public, pg_temp AS $$
#variable_conflict use_variable
BEGIN
	IF answer IS NULL AND NOT is_final THEN
		UPDATE messages AS m SET last_failure = failure,
			due = clock_timestamp() + least(2 ^ least(m.tries, 12) * interval '0.1 s', '5 min') * (0.5 + random() / 2)
		WHERE m.id = id AND m.answer IS NULL;
		RETURN;
	END IF;
	UPDATE messages AS m SET last_failure = failure, answer = coalesce(note.answer, 'dead')
	WHERE m.id = id AND m.answer IS NULL;
	IF FOUND AND answer IS NULL THEN
		INSERT INTO dead_letters SELECT m.id, m.kind, m.body, failure FROM messages AS m WHERE m.id = id;
	END IF;
END $$;

-- --- What an operator asks --------------------------------------------------------------------

CREATE TYPE sums AS (node text, wallets numeric, sent numeric, received numeric, dead numeric);

-- The money of all nodes, with the messages since a time at which each node still has them.  When all is
-- quiet, wallets + dead is what was paid in, and sent - received is what is dead.
CREATE FUNCTION reconcile(since timestamptz DEFAULT now() - interval '2 months') RETURNS SETOF sums
LANGUAGE sql SET search_path = pg_catalog, outbox, public, pg_temp AS $$
	SELECT * FROM iuid_select_on_nodes(NULL::outbox.sums, format($query$
		SELECT current_setting('iuid.node') AS node,
			(SELECT coalesce(sum(balance), 0) FROM outbox.wallets) AS wallets,
			(SELECT coalesce(sum((body ->> 'amount')::numeric), 0) FROM outbox.messages
				WHERE kind <> 'http' AND id >= %1$L) AS sent,
			(SELECT coalesce(sum((body ->> 'amount')::numeric), 0) FROM outbox.received WHERE id >= %1$L) AS received,
			(SELECT coalesce(sum((body ->> 'amount')::numeric), 0) FROM outbox.dead_letters WHERE kind <> 'http') AS dead
		$query$, iuid_floor(since)))
$$;

-- For cron: months ahead; messages older than KEEP go if they have their answers, and what was received
-- seven months ago.
CREATE FUNCTION maintain(keep interval DEFAULT '3 months') RETURNS void
LANGUAGE sql SET search_path = pg_catalog, outbox, public, pg_temp AS $$
	SELECT iuid_create_partitions('outbox.messages', '1 month', now(), now() + interval '2 months');
	SELECT iuid_create_routed_partitions('outbox.received', 5, '1 month');
	SELECT iuid_drop_partitions('outbox.messages', least(now() - keep,
		(SELECT iuid_timestamp(min(id)) FROM messages WHERE answer IS NULL)));
	SELECT count(*) FROM pg_inherits, iuid_drop_partitions(inhrelid, now() - interval '7 months')
	WHERE inhparent = 'outbox.received'::regclass;
$$;

-- --- Rights -----------------------------------------------------------------------------------

-- Besides USAGE, an application needs transfer, message_id, send_http; a worker take, note, and receive_all everywhere.
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA outbox FROM PUBLIC;
GRANT USAGE ON SCHEMA outbox TO mesh, desk, mover;
GRANT SELECT ON ALL TABLES IN SCHEMA outbox TO mesh, desk;
COMMIT;
