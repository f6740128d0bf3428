--
-- A forum, of the shape that a large application for forums has: few foreign keys, many counters
-- and indexes.
--
-- psql variables: rows is the number of posts, 2000 unless it is given.
-- test/t/moving_in_shapes.pl writes to the tables.
--
\if :{?rows}
\else
	\set rows 2000
\endif
SELECT greatest(:rows / 10, 100) AS members, greatest(:rows / 10, 100) AS topics \gset

CREATE TABLE members (
	id serial PRIMARY KEY,
	handle varchar(60) NOT NULL,
	handle_lower varchar(60) NOT NULL,
	name varchar,
	country smallint NOT NULL DEFAULT 125,
	trust smallint NOT NULL DEFAULT 1 CONSTRAINT trust_is_small CHECK (trust BETWEEN 0 AND 4),
	settings jsonb NOT NULL DEFAULT '{}',
	old_avatar text,
	invited_by_id int,
	created_at timestamp NOT NULL DEFAULT now(),
	last_seen_at timestamp,
	suspended_at timestamp);
CREATE UNIQUE INDEX members_by_handle ON members (handle_lower);
CREATE INDEX members_by_name ON members (lower(name) text_pattern_ops);
CREATE INDEX suspended_members ON members (suspended_at DESC NULLS LAST) WHERE suspended_at IS NOT NULL;
CREATE INDEX members_by_settings ON members USING gin (settings jsonb_path_ops);

CREATE TABLE member_counts (
	member_id int PRIMARY KEY REFERENCES members ON DELETE CASCADE,
	posts int NOT NULL DEFAULT 0,
	likes_given int NOT NULL DEFAULT 0);

CREATE TABLE sections (id serial PRIMARY KEY, parent_section_id int REFERENCES sections, name varchar(50) NOT NULL, topics_count int NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX sections_by_name ON sections (coalesce(parent_section_id, -1), lower(name));

CREATE TABLE topics (
	id serial PRIMARY KEY,
	title varchar NOT NULL,
	kind varchar NOT NULL DEFAULT 'public',
	section_id int REFERENCES sections,
	member_id int REFERENCES members ON DELETE SET NULL,
	last_post_member_id int,   -- of a member, and no foreign key says it
	posts_count int NOT NULL DEFAULT 0,
	likes_count int NOT NULL DEFAULT 0,
	views int NOT NULL DEFAULT 0,
	highest_number int NOT NULL DEFAULT 0,
	fields jsonb,
	pinned_until timestamp,
	created_at timestamp NOT NULL DEFAULT now(),
	bumped_at timestamp NOT NULL DEFAULT now(),
	deleted_at timestamp,
	deleted_by_id int,
	CONSTRAINT has_section_or_is_private CHECK (kind <> 'public' OR section_id IS NOT NULL));
CREATE INDEX topics_by_bump ON topics (bumped_at DESC) WHERE deleted_at IS NULL AND kind <> 'private';
CREATE INDEX topics_by_title ON topics USING gin (to_tsvector('english', title));
CREATE INDEX topics_by_member ON topics (member_id, created_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX all_topics_by_member ON topics (member_id);
CREATE INDEX topics_by_section ON topics (section_id, id DESC) INCLUDE (title, posts_count);

CREATE TABLE posts (
	id bigserial PRIMARY KEY,
	topic_id int NOT NULL REFERENCES topics ON DELETE CASCADE,
	member_id int,   -- of a member, and no foreign key says it
	number int NOT NULL,
	raw text NOT NULL,
	reply_to_number int,
	reply_to_post_id bigint REFERENCES posts ON DELETE SET NULL,
	likes_count int NOT NULL DEFAULT 0,
	replies_count int NOT NULL DEFAULT 0,
	version int NOT NULL DEFAULT 1,
	score float8,
	created_at timestamp NOT NULL DEFAULT now(),
	updated_at timestamp NOT NULL DEFAULT now(),
	deleted_at timestamp);
CREATE UNIQUE INDEX posts_by_number ON posts (topic_id, number);
CREATE INDEX posts_by_member ON posts (member_id, created_at) WHERE deleted_at IS NULL;
CREATE INDEX posts_in_trash ON posts (topic_id, number) WHERE deleted_at IS NOT NULL;
CREATE INDEX posts_by_reply ON posts (reply_to_post_id);
CREATE INDEX liked_posts ON posts (member_id, likes_count DESC, created_at DESC) WHERE number > 1;

-- The text of each post for the search, which a trigger keeps
CREATE TABLE post_searches (post_id bigint PRIMARY KEY REFERENCES posts ON DELETE CASCADE, words tsvector, version int NOT NULL DEFAULT 0);
CREATE INDEX post_searches_by_word ON post_searches USING gin (words);
CREATE FUNCTION index_post() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO post_searches AS s (post_id, words, version) VALUES (NEW.id, to_tsvector('english', NEW.raw), NEW.version)
		ON CONFLICT (post_id) DO UPDATE SET words = excluded.words, version = excluded.version WHERE s.version <= excluded.version;
	RETURN NULL;
END $$;
CREATE TRIGGER index_post AFTER INSERT OR UPDATE OF raw ON posts FOR EACH ROW EXECUTE FUNCTION index_post();

CREATE TABLE quotes (post_id bigint REFERENCES posts ON DELETE CASCADE, quoting_post_id bigint REFERENCES posts ON DELETE CASCADE, created_at timestamp NOT NULL DEFAULT now());
CREATE UNIQUE INDEX quotes_once ON quotes (post_id, quoting_post_id);
CREATE INDEX quotes_by_quoting ON quotes (quoting_post_id);

CREATE TABLE reactions (
	id bigserial PRIMARY KEY,
	post_id bigint NOT NULL REFERENCES posts ON DELETE CASCADE,
	member_id int NOT NULL REFERENCES members ON DELETE CASCADE,
	kind smallint NOT NULL DEFAULT 2,
	created_at timestamptz NOT NULL DEFAULT now(),
	deleted_at timestamptz);
CREATE UNIQUE INDEX reactions_once ON reactions (member_id, kind, post_id) WHERE deleted_at IS NULL;
CREATE INDEX reactions_by_post ON reactions (post_id);
CREATE INDEX reactions_by_member ON reactions (member_id, created_at);

CREATE TABLE topic_members (
	topic_id int NOT NULL REFERENCES topics ON DELETE CASCADE,
	member_id int NOT NULL REFERENCES members ON DELETE CASCADE,
	last_read int NOT NULL DEFAULT 0,
	watching smallint NOT NULL DEFAULT 1,
	PRIMARY KEY (topic_id, member_id));
CREATE INDEX topics_of_member ON topic_members (member_id, topic_id);

-- Without a primary key
CREATE TABLE readings (topic_id int NOT NULL, number int NOT NULL, member_id int NOT NULL, msecs int NOT NULL);
CREATE UNIQUE INDEX readings_once ON readings (topic_id, number, member_id);

-- The key is on its way from int to bigint.
CREATE TABLE notices (
	id serial PRIMARY KEY,
	big_id bigint NOT NULL DEFAULT 0,
	member_id int NOT NULL REFERENCES members ON DELETE CASCADE,
	topic_id int,
	data jsonb NOT NULL,
	is_read boolean NOT NULL DEFAULT false,
	created_at timestamp NOT NULL DEFAULT now());
CREATE INDEX notices_by_member ON notices (member_id, created_at);
CREATE INDEX notices_unread ON notices (member_id, id DESC) WHERE NOT is_read;
CREATE FUNCTION keep_big_id() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.big_id := NEW.id; RETURN NEW; END';
CREATE TRIGGER keep_big_id BEFORE INSERT OR UPDATE ON notices FOR EACH ROW EXECUTE FUNCTION keep_big_id();

-- A column that goes away in the next version, which nobody may write
CREATE FUNCTION refuse_old_avatar() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'old_avatar is read only'; END $$;
CREATE TRIGGER old_avatar_is_read_only BEFORE INSERT OR UPDATE OF old_avatar ON members FOR EACH ROW WHEN (NEW.old_avatar IS NOT NULL) EXECUTE FUNCTION refuse_old_avatar();
ALTER TABLE members DISABLE TRIGGER old_avatar_is_read_only;

CREATE VIEW live_posts AS SELECT p.*, t.title FROM posts AS p JOIN topics AS t ON t.id = p.topic_id WHERE p.deleted_at IS NULL AND t.deleted_at IS NULL;
CREATE VIEW topic_scores AS SELECT t.id, t.title, count(p.id) AS posts, sum(p.likes_count) AS likes
	FROM topics AS t LEFT JOIN posts AS p ON p.topic_id = t.id GROUP BY t.id;
CREATE MATERIALIZED VIEW leaders AS SELECT m.id, m.handle, c.posts FROM members AS m JOIN member_counts AS c ON c.member_id = m.id ORDER BY c.posts DESC;
CREATE UNIQUE INDEX leaders_once ON leaders (id);
COMMENT ON TABLE topics IS 'what members talk about';
COMMENT ON COLUMN topics.id IS 'the number in the address of the page';
COMMENT ON CONSTRAINT topics_pkey ON topics IS 'the key of a topic';
COMMENT ON INDEX topics_pkey IS 'the index of the key';
COMMENT ON CONSTRAINT posts_topic_id_fkey ON posts IS 'a post goes with its topic';
COMMENT ON TRIGGER index_post ON posts IS 'keeps the search';

\ir ledger.sql
CREATE TRIGGER note_gone AFTER DELETE ON members REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER note_gone AFTER DELETE ON topics REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER note_gone AFTER DELETE ON posts REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER note_gone AFTER DELETE ON reactions REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();

INSERT INTO members (handle, handle_lower, name, country, settings, old_avatar, invited_by_id, created_at, suspended_at)
	SELECT 'Member' || n, 'member' || n, 'Name ' || n, n % 200, jsonb_build_object('theme', n % 5), CASE WHEN n % 10 = 0 THEN 'x' END, nullif(n / 2, 0),
		timestamp '2024-01-01' + n * interval '1 hour', CASE WHEN n % 50 = 0 THEN now() END FROM generate_series(1, :members) AS n;
ALTER TABLE members ENABLE TRIGGER old_avatar_is_read_only;
INSERT INTO member_counts (member_id, posts) SELECT n, n % 7 FROM generate_series(1, :members, 2) AS n;
INSERT INTO sections (parent_section_id, name) SELECT CASE WHEN n > 3 THEN 1 + n % 3 END, 'Section ' || n FROM generate_series(1, 12) AS n;
INSERT INTO topics (title, kind, section_id, member_id, posts_count, highest_number, created_at, deleted_at)
	SELECT 'Topic ' || n, CASE WHEN n % 9 = 0 THEN 'private' ELSE 'public' END, CASE WHEN n % 9 <> 0 THEN 1 + n % 12 END, nullif(n % :members, 0), 10, 10,
		timestamp '2024-02-01' + n * interval '1 hour', CASE WHEN n % 40 = 0 THEN now() END FROM generate_series(1, :topics) AS n;
INSERT INTO posts (topic_id, member_id, number, raw, reply_to_number, reply_to_post_id, created_at)
	SELECT 1 + (n - 1) / 10 % :topics, 1 + n % :members, CASE WHEN n <= 10 * :topics THEN 1 + (n - 1) % 10 ELSE n END, repeat('words of post ' || n || ' ', 3),
		CASE WHEN n % 10 > 4 THEN 1 END, CASE WHEN n % 10 > 4 THEN (n - 1) / 10 * 10 + 1 END, timestamp '2024-02-01' + n * interval '1 min 1 ms'
	FROM generate_series(1, :rows) AS n;
INSERT INTO quotes SELECT n, n + 1 FROM generate_series(1, :rows - 1, 3) AS n;
INSERT INTO reactions (post_id, member_id) SELECT n, 1 + n % :members FROM generate_series(1, :rows, 2) AS n;
INSERT INTO topic_members (topic_id, member_id) SELECT t, 1 + (t + m) % :members FROM generate_series(1, :topics) AS t, generate_series(1, 3) AS m;
INSERT INTO readings SELECT 1 + n % :topics, n / :topics, 1 + n % :members, n FROM generate_series(1, :rows) AS n;
INSERT INTO notices (member_id, topic_id, data) SELECT 1 + n % :members, 1 + n % :topics, jsonb_build_object('n', n) FROM generate_series(1, :rows / 2) AS n;
REFRESH MATERIALIZED VIEW leaders;
CREATE TABLE kept AS SELECT 'members' AS what, id::bigint AS key FROM members UNION ALL SELECT 'topics', id FROM topics
	UNION ALL SELECT 'posts', id FROM posts UNION ALL SELECT 'reactions', id FROM reactions;
