# Tables of the shapes that large schemas have move in beside clients that write as applications
# do: a forum, a code host and rentals, of test/models/moving_in.  No statement of a client may fail.
#
# A measurement: MOVING_IN_ROWS=200000 MOVING_IN_RATE=100 MOVING_IN_SHAPES=forum,code_host,rentals
#
# One version is enough: what the statements use is the same in each.
use strict;
use warnings;

use IPC::Run;
use lib 'test/t';
use MovingIn;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $rows = $ENV{MOVING_IN_ROWS} // 1500;
my $rate = $ENV{MOVING_IN_RATE} // 100;   # transactions of old clients in a second, and half as many of new ones
my $is_measured = defined $ENV{MOVING_IN_ROWS};
my $utc = q{AT TIME ZONE 'UTC'};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->append_conf('postgresql.conf', q{
fsync = off
timezone = 'Asia/Almaty'
datestyle = 'SQL, DMY'
client_min_messages = warning
log_line_prefix = '%n %d %a '
log_statement = none
log_min_duration_statement = 10});
$node->append_conf('postgresql.conf', "shared_buffers = '512MB'\nmax_wal_size = '8GB'") if $is_measured;
$node->start;

my $database = 'postgres';
sub sql { return $node->safe_psql($database, $_[0]) }

# A script of pgbench: a transaction that removes a row
sub removal
{
	my ($table, $range) = @_;
	return "\\set id random($range)\nDELETE FROM $table WHERE id = :id;\n";
}

# Of each table: its country, entity and time, as SQL, and the key as a name has it.  The clients are
# scripts of pgbench, each of them one transaction, with their weights.  Where a script does not say
# itself how the transaction begins, and what it writes into the ledger, start_clients does.
my %shape = (
	forum => {
		sizes => { m => $rows / 10 < 100 ? 100 : int($rows / 10), t => $rows / 10 < 100 ? 100 : int($rows / 10) },
		tables => [
			[ 'members', 'country', 1, "created_at $utc", 'id' ], [ 'topics', 125, 2, "created_at $utc", 'id' ],
			[ 'posts', 125, 3, "created_at $utc", 'id' ],
			[ 'reactions', 125, 4, 'created_at', 'id' ],
			[ 'topic_members', 125, 5, undef, q{'["' || topic_id || '","' || member_id || '"]'} ] ],
		refused => {
			topics => 'dependency: rule _RETURN on view topic_scores',
			readings => 'no primary key: readings' },
		prepare => q{CREATE OR REPLACE VIEW topic_scores AS
			SELECT t.id, t.title, count(p.id) AS posts, sum(p.likes_count) AS likes
			FROM topics AS t LEFT JOIN posts AS p ON p.topic_id = t.id GROUP BY t.id, t.title},
		back => 'topics',
		counters => [ [ 'topics', 'id', 'views', 0 ], [ 'posts', 'id', 'likes_count', 0 ] ],
		prepared => {
			'post@6' => q{
\set topic random(1, :t * 7 / 10)
\set member random(1, :m * 8 / 10)
BEGIN;
UPDATE topics SET highest_number = highest_number + 1, posts_count = posts_count + 1, bumped_at = now(),
	last_post_member_id = :member WHERE id = :topic RETURNING highest_number AS number \gset
SELECT id AS target FROM posts WHERE topic_id = :topic AND number = 1 \gset
INSERT INTO posts (topic_id, member_id, number, raw, reply_to_number, reply_to_post_id)
	VALUES (:topic, :member, :number, 'a reply', 1, :target) RETURNING id AS post \gset
UPDATE posts SET replies_count = replies_count + 1 WHERE id = :target;
INSERT INTO quotes (post_id, quoting_post_id) VALUES (:target, :post) ON CONFLICT DO NOTHING;
INSERT INTO member_counts AS c (member_id, posts) VALUES (:member, 1)
	ON CONFLICT (member_id) DO UPDATE SET posts = c.posts + 1;
INSERT INTO topic_members AS x (topic_id, member_id, last_read) VALUES (:topic, :member, :number)
	ON CONFLICT (topic_id, member_id) DO UPDATE SET last_read = greatest(x.last_read, excluded.last_read);
SAVEPOINT notice;
INSERT INTO notices (member_id, topic_id, data) VALUES (:member, :topic, '{"kind": 1}');
ROLLBACK TO SAVEPOINT notice;
INSERT INTO notices (member_id, topic_id, data) VALUES (:member, :topic, '{"kind": 2}');
RELEASE SAVEPOINT notice;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('posts', :post::bigint);
COMMIT;
},
			'topic@2' => q{
\set member random(1, :m * 8 / 10)
\set section random(1, 12)
BEGIN;
INSERT INTO topics (title, section_id, member_id, highest_number, posts_count)
	VALUES ('A question', :section, :member, 1, 1) RETURNING id AS topic \gset
INSERT INTO posts (topic_id, member_id, number, raw) VALUES (:topic, :member, 1, 'Who knows?')
	RETURNING id AS post \gset
UPDATE sections SET topics_count = topics_count + 1 WHERE id = :section;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('topics', :topic::bigint), ('posts', :post::bigint);
COMMIT;
},
			'like@4' => q{
\set post random(1, :t * 5)
\set member random(1, :m * 8 / 10)
BEGIN;
UPDATE topics SET likes_count = likes_count + 1 WHERE id = (SELECT topic_id FROM posts WHERE id = :post);
SELECT id, likes_count FROM posts WHERE id = :post FOR UPDATE;
WITH made AS (INSERT INTO reactions (post_id, member_id) VALUES (:post, :member) ON CONFLICT (member_id, kind, post_id)
	WHERE deleted_at IS NULL DO NOTHING RETURNING id)
	INSERT INTO ledger (what, key) SELECT 'reactions', id FROM made;
WITH liked AS (UPDATE posts SET likes_count = likes_count + 1 WHERE id = :post RETURNING id)
	INSERT INTO ledger (what, key) SELECT 'likes_count', id FROM liked UNION ALL SELECT 'script', :who::bigint;
COMMIT;
},
			'view@4' => q{
\set topic random(1, :t)
WITH seen AS (UPDATE topics SET views = views + 1 WHERE id = :topic RETURNING id)
	INSERT INTO ledger (what, key) SELECT 'views', id FROM seen UNION ALL SELECT 'script', :who::bigint;
},
			'visit@2' => q{
\set n random(1, 300)
WITH visited AS (INSERT INTO members (handle, handle_lower) VALUES ('Visitor' || :n::int, 'visitor' || :n::int)
	ON CONFLICT (handle_lower) DO UPDATE SET last_seen_at = now() RETURNING id, xmax = 0 AS is_new)
	INSERT INTO ledger (what, key) SELECT 'members', id FROM visited WHERE is_new UNION ALL SELECT 'script', :who::bigint;
},
			'edit@2' => q{
\set post random(1, :t * 5)
BEGIN;
UPDATE posts SET raw = raw || '!', version = version + 1, updated_at = now() WHERE id = :post;
UPDATE posts SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END WHERE id = :post;
INSERT INTO posts (id, topic_id, number, raw, reply_to_post_id, created_at)
	SELECT id, topic_id, number, raw || '~', reply_to_post_id, created_at FROM posts WHERE id = :post
	ON CONFLICT (id) DO UPDATE SET raw = excluded.raw, topic_id = excluded.topic_id,
	reply_to_post_id = excluded.reply_to_post_id, version = posts.version + 1;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint);
COMMIT;
} },
		simple => {
			'remove_post@2' => q{
\set post 10 * (random(:t * 5 / 10 + 1, :t * 7 / 10) - 1) + random(2, 10)
SELECT * FROM posts WHERE id = :post FOR UPDATE;
DELETE FROM posts WHERE id = :post;
},
			'remove_topic' => removal('topics', ':t * 7 / 10 + 1, :t'),
			'remove_member' => removal('members', ':m * 8 / 10 + 1, :m'),
			'carry@2' => q{
\set post 10 * (random(:t * 5 / 10 + 1, :t * 7 / 10) - 1) + random(2, 10)
\set topic random(:t * 5 / 10 + 1, :t * 7 / 10)
UPDATE topics SET highest_number = highest_number + 1 WHERE id = :topic RETURNING highest_number AS number \gset
UPDATE posts SET topic_id = :topic, number = :number, reply_to_post_id = NULL WHERE id = :post;
},
			'read@2' => q{
\set topic random(1, :t)
SELECT * FROM live_posts WHERE topic_id = :topic ORDER BY number LIMIT 20;
SELECT * FROM topic_scores WHERE id = :topic;
SELECT t.*, m.* FROM topics AS t LEFT JOIN members AS m ON m.id = t.member_id
	WHERE t.id = :topic FOR NO KEY UPDATE OF t;
DELETE FROM notices WHERE id IN (SELECT id FROM notices ORDER BY id LIMIT 2 FOR UPDATE SKIP LOCKED);
} },
		new => {
			'new_post@3' => q{
\set n random(1, :t * 7 / 10)
\set k random(1, :m * 8 / 10)
SELECT iuid AS topic FROM topics WHERE id = :n \gset
SELECT iuid AS member FROM members WHERE id = :k \gset
BEGIN;
UPDATE topics SET highest_number = highest_number + 1, posts_count = posts_count + 1, bumped_at = now()
	WHERE iuid = :topic RETURNING highest_number AS number \gset
SELECT iuid AS target FROM posts WHERE topic_iuid = :topic AND number = 1 \gset
INSERT INTO posts (topic_iuid, number, raw, reply_to_post_iuid) VALUES (:topic, :number, 'from a new client', :target)
	RETURNING iuid AS post, id AS old \gset
INSERT INTO topic_members AS x (topic_iuid, member_iuid, last_read) VALUES (:topic, :member, :number)
	ON CONFLICT (topic_id, member_id) DO UPDATE SET last_read = excluded.last_read;
INSERT INTO quotes (post_iuid, quoting_post_iuid) VALUES (:target, :post);
WITH made AS (INSERT INTO reactions (post_iuid, member_iuid) VALUES (:post, :member) RETURNING id)
	INSERT INTO ledger (what, key) SELECT 'reactions', id FROM made;
INSERT INTO notices (member_iuid, data) VALUES (:member, '{}');
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('posts', :old::bigint);
COMMIT;
},
			'new_topic' => q{
\set k random(1, :m * 8 / 10)
SELECT iuid AS member FROM members WHERE id = :k \gset
BEGIN;
INSERT INTO topics (iuid, title, section_id, member_iuid, highest_number)
	VALUES (gen_iuid(125, 2, now()), 'A new one', 1, :member, 1) RETURNING iuid AS topic, id AS old \gset
INSERT INTO posts (topic_iuid, number, raw) VALUES (:topic, 1, 'Hello') RETURNING id AS post \gset
UPDATE topics SET member_iuid = NULL WHERE iuid = :topic;
UPDATE topics SET member_iuid = :member WHERE iuid = :topic;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('topics', :old::bigint), ('posts', :post::bigint);
COMMIT;
},
			'new_remover' => q{
\set n 10 * (random(:t * 5 / 10 + 1, :t * 7 / 10) - 1) + random(2, 10)
BEGIN;
UPDATE posts SET reply_to_post_iuid = NULL WHERE iuid = (SELECT iuid FROM posts WHERE id = :n);
DELETE FROM posts WHERE iuid = (SELECT iuid FROM posts WHERE id = :n);
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint);
COMMIT;
} } },

	code_host => {
		sizes => { h => $rows / 10 < 100 ? 100 : int($rows / 10), s => $rows / 20 < 60 ? 60 : int($rows / 20),
			i => $rows / 4 < 400 ? 400 : int($rows / 4), n => $rows },
		tables => [
			[ 'spaces', 125, 11, "created_at $utc", 'id' ],
			[ 'projects', 'CASE WHEN octet_length(runners_token) > 0 THEN 125 ELSE 0 END', 12, "created_at $utc", 'id' ],
			[ 'issues', 125, 13, "created_at $utc", 'id' ], [ 'proposals', 125, 14, "created_at $utc", 'id' ],
			[ 'notes', 125, 15, undef, 'id' ] ],
		refused => {
			projects => 'partitioned table: builds',
			pipelines => 'partitioned table: builds, partitioned table: pipelines',
			builds => 'partitioned table: builds',
			builds_100 => 'partitioned table: builds_100' },
		# as the host does itself with what is in partitions
		prepare => q{
			CREATE FUNCTION remove_builds() RETURNS trigger LANGUAGE plpgsql
				AS 'BEGIN DELETE FROM builds WHERE project_id = OLD.id; RETURN NULL; END';
			CREATE TRIGGER remove_builds AFTER DELETE ON projects FOR EACH ROW EXECUTE FUNCTION remove_builds();
			ALTER TABLE builds DROP CONSTRAINT builds_project},
		back => 'issues',
		counters => [ [ 'projects', 'id', 'stars', 0 ] ],
		prepared => {
			'issue@6' => q{
\set project random(1, :s * 7 / 10)
\set person random(1, :h * 8 / 10)
BEGIN;
INSERT INTO counters AS c (project_id, usage, last_value) VALUES (:project, 0, 1) ON CONFLICT (usage, project_id)
	WHERE project_id IS NOT NULL DO UPDATE SET last_value = c.last_value + 1 RETURNING last_value AS iid \gset
INSERT INTO issues (iid, project_id, author_id, title, created_at) VALUES (:iid, :project, :person, 'It fails', now())
	RETURNING id AS issue \gset
INSERT INTO notes (project_id, of_type, of_id, author_id, note, thread, created_at)
	VALUES (:project, 'Issue', :issue, :person, 'With me too', '\x00ff', now()) RETURNING id AS note \gset
SAVEPOINT active_record_1;
INSERT INTO notes (project_id, of_type, of_id, reply_to_id, note)
	VALUES (:project, 'Issue', :issue, :note, 'Which version?') RETURNING id AS answer \gset
RELEASE SAVEPOINT active_record_1;
INSERT INTO suggestions (note_id, place, new_text) VALUES (:answer, 0, 'try this');
UPDATE projects SET last_activity_at = now()
	WHERE id = :project AND (last_activity_at IS NULL OR last_activity_at < now() - interval '1 second');
INSERT INTO ledger (what, key)
	VALUES ('script', :who::bigint), ('issues', :issue::bigint), ('notes', :note::bigint), ('notes', :answer::bigint);
COMMIT;
},
			'duplicate@2' => q{
\set a random(1, :i / 2)
\set b random(1, :i / 2)
BEGIN;
SELECT id, lock_version FROM issues WHERE id = :a FOR UPDATE;
UPDATE issues SET duplicate_of_id = (SELECT id FROM issues WHERE id = :b AND project_id <= :s * 7 / 10),
	state = 2, lock_version = lock_version + 1, updated_at = now() WHERE id = :a;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint);
COMMIT;
},
			'proposal@3' => q{
\set project random(1, :s * 7 / 10)
\set n random(1, 1000000000)
BEGIN;
INSERT INTO proposals (iid, target_project_id, source_project_id, title, squash_sha, created_at)
	VALUES (1000000 + :n, :project, :project, 'Mend it', '\xdeadbeef', now())
	ON CONFLICT (target_project_id, iid) DO UPDATE SET title = excluded.title RETURNING id AS proposal \gset
INSERT INTO versions (proposal_id, head_sha, state) VALUES (:proposal, sha256('head'), 'empty')
	RETURNING id AS version \gset
INSERT INTO version_commits (version_id, place, sha) VALUES (:version, 0, sha256('0')), (:version, 1, sha256('1'));
UPDATE proposals SET latest_version_id = :version WHERE id = :proposal;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('proposals', :proposal::bigint);
COMMIT;
},
			'fork@2' => q{
\set project random(1, :s * 7 / 10)
\set n random(1, 1000000000000)
BEGIN;
SELECT (find_project(:project)).name;
INSERT INTO spaces (name, path, kind, parent_id, created_at)
	VALUES ('A fork', 'fork-' || :n::bigint, 'Project', 1 + :n::bigint % 5, now()) RETURNING id AS space \gset
INSERT INTO projects (space_id, own_space_id, forked_from_id, name, path, runners_token, created_at)
	VALUES (1 + :n::bigint % 20, :space, :project, 'Fork', 'Fork-' || :n::bigint, sha256(:n::bigint::text::bytea), now())
	RETURNING id AS fork \gset
INSERT INTO project_rights (person_id, project_id, level) VALUES (1, :fork, 30), (2, :fork, 40)
	ON CONFLICT (person_id, project_id, level) DO NOTHING;
INSERT INTO pipelines (project_id, sha) VALUES (:fork, '\x01') RETURNING id AS pipeline \gset
INSERT INTO builds (pipeline_id, project_id, status, name) VALUES (:pipeline, :fork, 'created', 'test');
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('spaces', :space::bigint), ('projects', :fork::bigint);
COMMIT;
},
			'star@3' => q{
\set project random(1, :s)
WITH starred AS (UPDATE projects SET stars = stars + 1 WHERE id = :project RETURNING id)
	INSERT INTO ledger (what, key) SELECT 'stars', id FROM starred UNION ALL SELECT 'script', :who::bigint;
} },
		simple => {
			'move_space@2' => q{
\set space random(:s * 3 / 10, :s * 6 / 10)
\set parent random(1, 5)
UPDATE spaces SET parent_id = :parent WHERE id = :space;
UPDATE spaces SET name = name || '.' WHERE id = :s + :parent;
SELECT s.* FROM spaces AS s WHERE s.way @> ARRAY[:parent::bigint] LIMIT 20;
},
			'remove_project' => removal('projects', ':s * 7 / 10 + 1, :s'),
			'remove_space' => removal('spaces', ':s * 6 / 10 + 1, :s'),
			'remove_person' => removal('people', ':h * 8 / 10 + 1, :h'),
			'remove_issues@2' => q{
\set issue random(:i / 2 + 1, :i)
\set note random(:n / 2, :n)
SELECT * FROM notes WHERE id = :note FOR UPDATE SKIP LOCKED;
DELETE FROM notes WHERE id = :note;
DELETE FROM issues WHERE id IN (:issue, :issue + 1);
},
			'remove_version' => removal('versions', '1, :i') },
		new => {
			'new_issue@3' => q{
\set n random(1, :s * 7 / 10)
SELECT iuid AS project FROM projects WHERE id = :n \gset
BEGIN;
INSERT INTO counters AS c (project_iuid, usage, last_value) VALUES (:project, 0, 1) ON CONFLICT (usage, project_id)
	WHERE project_id IS NOT NULL DO UPDATE SET last_value = c.last_value + 1 RETURNING last_value AS iid \gset
INSERT INTO issues (iuid, iid, project_iuid, title, created_at)
	VALUES (gen_iuid(125, 13, now()), :iid, :project, 'It fails again', now()) RETURNING iuid AS issue, id AS old \gset
INSERT INTO notes (iuid, project_iuid, of_type, note) VALUES (gen_iuid(125, 15), :project, 'Issue', 'note')
	RETURNING iuid AS note, id AS old_note \gset
INSERT INTO notes (project_iuid, of_type, note, reply_to_iuid) VALUES (:project, 'Issue', 'answer', :note)
	RETURNING iuid AS answer, id AS old_answer \gset
INSERT INTO suggestions (note_iuid, place) VALUES (:answer, 0);
INSERT INTO issues (iid, project_iuid, duplicate_of_iuid, title)
	SELECT -:iid::int, :project, :issue, 'twice' RETURNING iuid AS twice, id AS old_twice \gset
UPDATE issues SET duplicate_of_iuid = NULL, moved_to_iuid = :issue WHERE iuid = :twice;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint), ('issues', :old::bigint),
	('issues', :old_twice::bigint), ('notes', :old_note::bigint), ('notes', :old_answer::bigint);
COMMIT;
},
			'new_fork' => q{
\set n random(1, 1000000000000)
\set k random(1, :s * 7 / 10)
SELECT iuid AS project FROM projects WHERE id = :k \gset
SELECT iuid AS parent FROM spaces WHERE id = 1 + :k::int % 5 \gset
BEGIN;
INSERT INTO spaces (name, path, parent_iuid, created_at)
	VALUES ('A new fork', 'new-fork-' || :n::bigint, :parent, now()) RETURNING iuid AS space, id AS old_space \gset
INSERT INTO projects (space_iuid, own_space_iuid, forked_from_iuid, path, runners_token, created_at)
	VALUES (:parent, :space, :project, 'new-fork-' || :n::bigint, sha256('new' || :n::bigint::text::bytea), now())
	RETURNING iuid AS fork, id AS old_fork \gset
INSERT INTO project_rights (person_id, project_iuid, level) VALUES (1, :fork, 30) ON CONFLICT DO NOTHING;
INSERT INTO ledger (what, key)
	VALUES ('script', :who::bigint), ('spaces', :old_space::bigint), ('projects', :old_fork::bigint);
COMMIT;
},
			'new_remover' => q{
\set n random(:i / 2 + 1, :i)
BEGIN;
DELETE FROM issues WHERE iuid = (SELECT iuid FROM issues WHERE id = :n);
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint);
COMMIT;
} } },

	rentals => {
		sizes => { f => $rows / 10 < 200 ? 200 : int($rows / 10), c => $rows / 10 < 200 ? 200 : int($rows / 10),
			i => $rows / 4 < 400 ? 400 : int($rows / 4), n => $rows },
		tables => [
			[ 'film', 125, 21, undef, 'film_id' ],
			[ 'customer', 125, '22 + shop_id', "create_date::timestamp $utc", 'customer_id' ],
			[ 'rental', 125, 25, "rental_date $utc", 'rental_id' ], [ 'copy', 125, 26, undef, 'copy_id' ] ],
		refused => {
			film => 'dependency: rule _RETURN on view film_list',
			customer => 'partitioned table: payment_before, partitioned table: payment_since, '
				. 'dependency: rule _RETURN on view sales_of_customer',
			rental => 'partitioned table: payment',
			payment => 'partitioned table: payment' },
		prepare => q{
			CREATE FUNCTION note_film() RETURNS trigger LANGUAGE plpgsql
				AS 'BEGIN INSERT INTO film_gone VALUES (OLD.film_id, OLD.title); RETURN NULL; END';
			CREATE TRIGGER film_gone AFTER DELETE ON film FOR EACH ROW EXECUTE FUNCTION note_film();
			DROP RULE film_gone ON film;
			CREATE OR REPLACE VIEW film_list AS SELECT f.film_id, f.title, f.description, c.name AS category,
				f.rental_rate, f.rating, joined(p.first_name || ' ' || p.last_name) AS performers
				FROM category AS c LEFT JOIN film_category AS fc USING (category_id) LEFT JOIN film AS f USING (film_id)
				JOIN film_performer AS fp USING (film_id) JOIN performer AS p USING (performer_id)
				GROUP BY f.film_id, f.title, f.description, f.rental_rate, f.rating, c.name;
			CREATE OR REPLACE VIEW sales_of_customer AS
				SELECT c.customer_id, c.first_name || ' ' || c.last_name AS name, sum(p.amount) AS total
				FROM customer AS c JOIN payment AS p USING (customer_id) GROUP BY c.customer_id, c.first_name, c.last_name},
		# while the tables move, and on the way back
		drop => q{ALTER TABLE payment DROP CONSTRAINT payment_rental;
			ALTER TABLE payment_before DROP CONSTRAINT payment_before_customer;
			ALTER TABLE payment_since DROP CONSTRAINT payment_since_customer},
		add => q{
			ALTER TABLE payment ADD CONSTRAINT payment_rental
				FOREIGN KEY (rental_id) REFERENCES rental (rental_id) ON UPDATE CASCADE ON DELETE SET NULL;
			ALTER TABLE payment_before ADD CONSTRAINT payment_before_customer
				FOREIGN KEY (customer_id) REFERENCES customer (customer_id);
			ALTER TABLE payment_since ADD CONSTRAINT payment_since_customer
				FOREIGN KEY (customer_id) REFERENCES customer (customer_id)},
		replica => 1,   # its triggers must not see the backfill
		back => 'customer',
		counters => [ [ 'customer', 'customer_id', 'balance', 0 ] ],
		prepared => {
			'rent@6' => q{
\set copy random(1, :i - 20)
\set customer random(1, :c - 20)
BEGIN;
SELECT copy_id, film_id FROM copy WHERE copy_id = :copy FOR UPDATE;
SELECT in_stock(:copy);
INSERT INTO rental (rental_date, copy_id, customer_id, clerk_id) VALUES (clock_timestamp(), :copy, :customer, 1)
	RETURNING rental_id AS rental \gset
INSERT INTO payment (customer_id, clerk_id, rental_id, amount, payment_date)
	VALUES (:customer, 1, :rental, 4.99, '2026-02-03');
UPDATE customer SET balance = balance + 4.99 WHERE customer_id = :customer;
INSERT INTO ledger (what, key, amount)
	VALUES ('script', :who::bigint, 1), ('rental', :rental::bigint, 1), ('balance', :customer::bigint, 4.99);
COMMIT;
},
			'return@3' => q{
\set rental random(1, :n)
BEGIN;
UPDATE rental SET return_date = now() WHERE rental_id = :rental AND return_date IS NULL;
INSERT INTO ledger (what, key) VALUES ('script', :who::bigint);
COMMIT;
},
			'join@2' => q{
BEGIN;
INSERT INTO customer (shop_id, first_name, last_name) VALUES (1, 'New', 'Customer')
	RETURNING customer_id AS customer \gset
INSERT INTO copy (film_id, shop_id) VALUES (1, 2) RETURNING copy_id AS copy \gset
INSERT INTO ledger (what, key)
	VALUES ('script', :who::bigint), ('customer', :customer::bigint), ('copy', :copy::bigint);
COMMIT;
} },
		simple => {
			'import@3' => q{
\set film 25000 + random(1, 300)
BEGIN;
WITH imported AS (INSERT INTO film (film_id, title, release_year, language_id, rating)
	VALUES (:film, 'Imported', 2020, 1, '7+')
	ON CONFLICT ON CONSTRAINT film_pkey DO UPDATE SET title = excluded.title || '!' RETURNING film_id, xmax = 0 AS is_new)
	INSERT INTO ledger (what, key) SELECT 'film', film_id FROM imported WHERE is_new UNION ALL SELECT 'script', :who;
INSERT INTO film_performer (performer_id, film_id)
	SELECT p, :film FROM generate_series(1, 2) AS p ON CONFLICT (performer_id, film_id) DO NOTHING;
INSERT INTO film_category (film_id, category_id) VALUES (:film, 1) ON CONFLICT DO NOTHING;
COMMIT;
},
			'renumber' => q{
\set k random(0, 9)
BEGIN;
WITH renumbered AS (UPDATE film SET film_id = 28000 + :k WHERE film_id = :f - :k RETURNING film_id)
	INSERT INTO ledger (what, key) SELECT 'film', film_id::bigint FROM renumbered
	UNION ALL SELECT 'film gone', :f - :k FROM renumbered UNION ALL SELECT 'script', :who;
COMMIT;
},
			'remove@2' => q{
\set k random(10, 19)
\set r random(1, :n / 20)
DELETE FROM rental WHERE rental_id = 20 * :r;
DELETE FROM copy WHERE copy_id = :i - :k;
DELETE FROM customer WHERE customer_id = :c - :k;
DELETE FROM film_performer WHERE film_id = :f - :k;
DELETE FROM film WHERE film_id = :f - :k;
},
			'read@2' => q{
\set film random(1, :f - 20)
SELECT * FROM film_list WHERE film_id = :film;
SELECT * FROM performer_info WHERE performer_id = 1;
SELECT * FROM sales_of_customer WHERE customer_id = :film;
SELECT count(*) FROM good_customers(5);
SELECT * FROM film WHERE film_id = :film FOR SHARE;
} },
		new => {
			'new_rent@3' => q{
\set n random(1, :c - 20)
\set k random(1, :f - 20)
SELECT iuid AS customer FROM customer WHERE customer_id = :n \gset
SELECT iuid AS film FROM film WHERE film_id = :k \gset
BEGIN;
INSERT INTO copy (film_iuid, shop_id) VALUES (:film, 1) RETURNING iuid AS copy, copy_id AS old_copy \gset
INSERT INTO rental (rental_date, copy_iuid, customer_iuid, clerk_id) VALUES (clock_timestamp(), :copy, :customer, 2)
	RETURNING iuid AS rental, rental_id AS old_rental \gset
UPDATE customer SET balance = balance + 1.5 WHERE iuid = :customer;
UPDATE rental SET return_date = now() WHERE iuid = :rental;
INSERT INTO ledger (what, key, amount) SELECT 'balance', customer_id, 1.5 FROM customer WHERE iuid = :customer
	UNION ALL VALUES ('script', :who::bigint, 1), ('rental', :old_rental::bigint, 1), ('copy', :old_copy::bigint, 1);
COMMIT;
},
			'new_film' => q{
BEGIN;
INSERT INTO film (iuid, title, language_id) VALUES (gen_iuid(125, 21), 'A new film', 2)
	RETURNING iuid AS film, film_id AS old_film \gset
INSERT INTO film_performer (performer_id, film_iuid) VALUES (1, :film), (2, :film);
INSERT INTO film_category (film_iuid, category_id) VALUES (:film, 3);
INSERT INTO customer (shop_id, first_name, last_name) VALUES (2, 'New', 'Client')
	RETURNING iuid AS customer, customer_id AS old_customer \gset
DELETE FROM film_performer WHERE film_iuid = :film AND performer_id = 2;
DELETE FROM customer WHERE iuid = :customer;
INSERT INTO ledger (what, key)
	VALUES ('script', :who::bigint), ('film', :old_film::bigint), ('customer', :old_customer::bigint);
COMMIT;
} } });

# --- clients ----------------------------------------------------------------------

my $folder = PostgreSQL::Test::Utils::tempdir();
my %started;

# Clients write a number of theirs with each of their transactions.  Their times are in UTC.
sub start_clients
{
	my ($kind, $who, $mode, $sessions, $of_rate) = @_;
	my $shape = $shape{$database};
	my @files;
	for my $script (sort keys %{ $shape->{$kind} })
	{
		my ($name, $weight) = split /@/, $script;
		my $text = $shape->{$kind}{$script};
		my $end = "INSERT INTO ledger (what, key) VALUES ('script', :who);\nCOMMIT;\n";
		$text =~ s/\A\n?((?:\\set [^\n]*\n)*)(.*)\z/$1BEGIN;\n$2$end/s unless $text =~ /'script'/;
		append_to_file("$folder/$database-$name", $text) unless -e "$folder/$database-$name";
		push @files, '-f', "$folder/$database-$name@" . ($weight // 1);
	}
	my $client = $started{$kind} = { out => '', err => '', who => $who };
	$client->{run} = IPC::Run::start([ 'pgbench', '-n', '-M', $mode, '-c', $sessions, '-T', '100000',
		'-R', $of_rate, '-D', "who=$who", (map { ('-D', "$_=$shape->{sizes}{$_}") } keys %{ $shape->{sizes} }),
		@files, $node->connstr($database) . " application_name=client options='-c timezone=UTC'" ],
		'>', \$client->{out}, '2>', \$client->{err});
	return;
}

# pgbench ends at the first error of a client.  At the signal of its own clock it ends as if its time
# were over, and says how many transactions the server has confirmed.
sub stop_clients
{
	my ($kind) = @_;
	my $client = delete $started{$kind};
	ok($client->{run}->pumpable, "$database: no $kind client has an error");
	$client->{run}->signal('ALRM');
	IPC::Run::finish($client->{run});
	my ($processed) = $client->{out} =~ /^number of transactions actually processed: (\d+)/m;
	unlike($client->{err}, qr/error|ERROR/, "$database: nor says a $kind client one") or diag $client->{err};
	is(sql("SELECT count(*) FROM ledger WHERE what = 'script' AND key = $client->{who}"),
		$processed // 0, "$database: what was confirmed to the $kind clients is there");
	cmp_ok($processed // 0, '>', 10, "$database: and there was something");
	note "$database: $kind: ", $processed // 0, ' transactions, failed: ',
		$client->{out} =~ /^number of failed transactions: (\d+)/m ? $1 : 0;
	return;
}

# --- statements -------------------------------------------------------------------

# A table, and what the statements are told about it
sub arguments
{
	my ($table, $country, $entity, $at) = @_;
	return join ', ', map { defined $_ ? q{'} . s/'/''/gr . q{'} : 'NULL' } $table, $country, $entity, $at;
}

sub problems
{
	return sql(qq{SELECT string_agg(problem || ': ' || replace(object, 'public.', ''), ', ' ORDER BY problem DESC, object)
		FROM moving_in.problems($_[0]) WHERE object !~ '^index '});
}

my @windows;   # [table, step, begin, end]
my %printed;   # of each table

# A session for each statement, in the order that was printed
sub run_steps
{
	my ($table, $from, $to) = @_;
	my $failed = 0;
	for my $step ($from .. $to)
	{
		my $begin = time;
		my @replica = $step == 3 && $shape{$database}{replica} ? 'SET session_replication_role = replica' : ();
		$failed += grep { !runs($node, $database, $_, @replica) } of_steps($step, $step, @{ $printed{$table} });
		push @windows, [ $table, $step, $begin, time ];
		last if $failed;
	}
	is($failed, 0, "$database: the statements of steps $from to $to of $table run") or die "$database, $table";
	return;
}

# What an operator does, as often as it takes to get its locks
sub operate
{
	my ($statements) = @_;
	for my $statement (split /;\s*\n?\s*(?=ALTER TABLE|CREATE|DROP|$)/, $statements)
	{
		my $tries = 0;
		until (($node->psql($database, "SET lock_timeout = '100ms'; $statement"))[0] == 0)
		{
			die "no lock for $statement" if ++$tries > 100;
			sleep 0.1;
		}
	}
	return;
}

# --- what must hold ---------------------------------------------------------------

# What the catalogs say of the tables, a line each
my $catalogs = q{
	SELECT format('%s %s', r, l) FROM (
		SELECT conrelid::regclass::text, format('constraint %s %s %s "%s"', conname,
			pg_get_constraintdef(oid), convalidated, obj_description(oid, 'pg_constraint'))
			FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('p', 'u', 'c', 'x', 'f')
		UNION ALL SELECT indrelid::regclass::text, format('index %s %s "%s"', pg_get_indexdef(indexrelid),
			indisvalid, obj_description(indexrelid, 'pg_class'))
			FROM pg_index JOIN pg_class AS c ON c.oid = indrelid WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT tgrelid::regclass::text, format('trigger %s %s "%s"', pg_get_triggerdef(oid), tgenabled,
			obj_description(oid, 'pg_trigger'))
			FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT attrelid::regclass::text, format('column %s %s %s %s %s "%s"', attname,
			format_type(atttypid, atttypmod), attnotnull, attgenerated,
			(SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = attrelid AND adnum = attnum),
			col_description(attrelid, attnum))
			FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND attnum > 0
				AND NOT attisdropped
		UNION ALL SELECT c.oid::regclass::text, format('view %s', pg_get_viewdef(c.oid))
			FROM pg_class AS c WHERE c.relkind IN ('v', 'm') AND c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT c.oid::regclass::text, format('%s %s "%s"', c.relkind, c.relreplident,
			obj_description(c.oid, 'pg_class'))
			FROM pg_class AS c WHERE c.relnamespace = 'public'::regnamespace
		UNION ALL SELECT ev_class::regclass::text, format('rule %s', pg_get_ruledef(w.oid))
			FROM pg_rewrite AS w JOIN pg_class AS c ON c.oid = ev_class
			WHERE c.relnamespace = 'public'::regnamespace) AS x (r, l)
	WHERE r !~ '^"?(old|seen|kept|references_to|catalogs)_?'};

sub holds
{
	my ($when, @tables) = @_;
	for (@tables)
	{
		my ($table, $country, $entity, $at, $name) = @$_;
		my $identifier = "iuid_from_name(($country)::int, ($entity)::int, '$table/' || $name"
			. (defined $at ? ", $at)" : ')');
		$identifier = qq{CASE WHEN ($at) IS NULL THEN iuid_from_name(($country)::int, ($entity)::int, '$table/' || $name)
			ELSE $identifier END} if defined $at;
		my $same_time = defined $at ? "coalesce(abs(extract(epoch FROM iuid_timestamp(t.iuid) - ($at))) < 1, true)" : 'true';
		is(sql(qq{SELECT count(*) > 0, count(*) FILTER (WHERE t.iuid IS DISTINCT FROM $identifier)
			FROM $table AS t JOIN old_$table AS o ON o.name = ($name)::text}),
			't|0', "$database, $when: each old row of $table has the identifier of its name");
		is(sql(qq{SELECT count(*) FROM $table AS t WHERE t.iuid IS NULL OR t.iuid <> $identifier
			AND ((iuid_country(t.iuid), iuid_entity(t.iuid)) <> ($country, $entity) OR NOT $same_time)}),
			0, "$database, $when: and each new row of $table has one of its own");
		is(sql(qq{SELECT count(*) > 0, count(*) FILTER (WHERE t.iuid = $identifier)
			FROM $table AS t LEFT JOIN seen_$table AS s ON s.name = ($name)::text WHERE s.name IS NULL}),
			't|0', "$database, $when: which nobody can compute");
		my $wrong = sql(qq{SELECT string_agg(format('SELECT ''%1\$s.%3\$s''
				FROM %1\$s AS r LEFT JOIN %2\$s AS p ON r.%3\$s = p.%4\$s WHERE r.%5\$s IS DISTINCT FROM p.iuid',
				child, parent, col, key, regexp_replace(col, '_id\$', '') || '_iuid'), ' UNION ALL ')
			FROM references_to WHERE parent = '$table' AND col NOT LIKE '%,%'});
		is($wrong && sql($wrong), '', "$database, $when: each reference to $table is that of its row");
	}
	# What there was, and what was inserted, without what was deleted
	for my $table (split /\n/, sql('SELECT DISTINCT what FROM kept'))
	{
		my ($key) = $table =~ /^(film|customer|rental|copy)$/ ? "${table}_id" : 'id';
		is(sql(qq{
			WITH expected AS (SELECT key FROM (
				SELECT key, 1 AS n FROM kept WHERE what = '$table'
				UNION ALL SELECT key, 1 FROM ledger WHERE what = '$table'
				UNION ALL SELECT key, -1 FROM ledger WHERE what = '$table gone') AS x
				GROUP BY key HAVING sum(n) > 0)
			SELECT count(*) FROM expected AS e FULL JOIN $table AS t ON t.$key = e.key
			WHERE e.key IS NULL OR t.$key IS NULL}),
			0, "$database, $when: no row of $table is lost, and none too many");
	}
	for (@{ $shape{$database}{counters} })
	{
		my ($table, $key, $counter) = @$_;
		is(sql(qq{SELECT count(*) FROM $table AS t LEFT JOIN (
				SELECT key, sum(amount) AS n FROM ledger WHERE what = '$counter' GROUP BY key) AS l ON l.key = t.$key
			WHERE t.$counter <> coalesce(l.n, 0)}),
			0, "$database, $when: no $counter of $table is lost");
	}
	return;
}

# --- how long statements of clients took ----------------------------------------------

sub report
{
	my %longest;
	for (split /\n/, slurp_file($node->logfile))
	{
		my ($end, $took, $statement) = /^(\d+\.\d+) $database client LOG:  duration: ([\d.]+) ms  (.*)/ or next;
		for my $window (@windows)
		{
			my ($table, $step, $from, $to) = @$window;
			next if $end < $from || $end - $took / 1000 > $to;
			my $longest = $longest{$window} //= [ 0, '' ];
			@$longest = ($took, substr $statement, 0, 90) if $took > $longest->[0];
		}
	}
	for my $window (splice @windows)
	{
		my ($table, $step, $from, $to) = @$window;
		my $line = sprintf '%-9s %-13s step %d: %6.1f s, longest statement %s', $database, $table, $step, $to - $from,
			$longest{$window} ? sprintf('%5.0f ms %s', @{ $longest{$window} }) : 'below 10 ms';
		$is_measured ? diag $line : note $line;
	}
	return;
}

# --- all of it, of each shape -----------------------------------------------------

for (split /,/, $ENV{MOVING_IN_SHAPES} // 'forum,code_host,rentals')
{
	$database = $_;
	my $shape = $shape{$database};
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	sql('CREATE EXTENSION iuid');
	IPC::Run::run([ 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-v', "rows=$rows", '-o', '/dev/null',
		'-d', $node->connstr($database), '-f', "test/models/moving_in/$database.sql" ]) or BAIL_OUT("$database.sql");
	$node->safe_psql($database, '\i tools/moving_in.sql');
	sql('ANALYZE');

	my %arguments = map { $_->[0] => arguments(@$_) } @{ $shape->{tables} };
	for my $table (sort keys %{ $shape->{refused} })
	{
		is(problems($arguments{$table} // "'$table', '125', '1'"), $shape->{refused}{$table}, "$database: what stops $table");
	}
	is(problems("'customer', '125', '1', 'create_date'") =~ s/,.*?(expression: at).*/, $1/r,
		'partitioned table: payment_before, expression: at', 'a date is no time of its own') if $database eq 'rentals';
	start_clients('prepared', 1, 'prepared', 3, $rate * 0.7);
	start_clients('simple', 2, 'simple', 1, $rate * 0.3);
	operate($shape->{prepare});
	sql("CREATE TABLE catalogs AS $catalogs");
	operate($shape->{drop}) if $shape->{drop};
	for my $table (map { $_->[0] } @{ $shape->{tables} })
	{
		is(problems($arguments{$table}), '', "$database: nothing stops $table any more");
	}
	sql("CREATE TABLE references_to AS
		SELECT f.conname, f.conrelid::regclass::text AS child, f.confrelid::regclass::text AS parent,
		(SELECT string_agg(a.attname, ',') FROM pg_attribute AS a
			WHERE a.attrelid = f.conrelid AND a.attnum = ANY (f.conkey)) AS col,
		(SELECT string_agg(a.attname, ',') FROM pg_attribute AS a
			WHERE a.attrelid = f.confrelid AND a.attnum = ANY (f.confkey)) AS key
		FROM pg_constraint AS f WHERE f.contype = 'f'");
	my $begin = time;
	sleep($is_measured ? 10 : 0.2);
	push @windows, [ 'before', 0, $begin, time ];
	for (@{ $shape->{tables} })
	{
		my ($table, $name) = @$_[ 0, 4 ];
		sql("CREATE TABLE old_$table AS SELECT ($name)::text AS name FROM $table");
		$printed{$table} = [ printed($node, $database, $arguments{$table}) ];
		run_steps($table, 1, 2);
		sql("CREATE TABLE seen_$table AS SELECT ($name)::text AS name FROM $table");
		run_steps($table, 3, 6);
	}
	operate($shape->{add}) if $shape->{add};
	start_clients('new', 3, 'prepared', 1, $rate / 2);
	sleep 1.5;
	sql('REFRESH MATERIALIZED VIEW CONCURRENTLY leaders') if $database eq 'forum';
	stop_clients($_) for 'prepared', 'simple', 'new';
	holds('moved', @{ $shape->{tables} });

	my $moved = join ', ', map { "'$_->[0]'" } @{ $shape->{tables} };
	my $any_moved = join '|', map { $_->[0] } @{ $shape->{tables} };
	# What the catalogs say no more, and what they say now.
	my $gone = "SELECT format FROM catalogs EXCEPT $catalogs";
	my $new = "$catalogs EXCEPT SELECT format FROM catalogs";
	is(sql(qq{SELECT string_agg(conrelid::regclass || ' ' || pg_get_constraintdef(oid), E'\\n') FROM pg_constraint
		WHERE contype = 'p' AND conrelid::regclass::text IN ($moved) AND pg_get_constraintdef(oid) <> 'PRIMARY KEY (iuid)'}),
		'', "$database: the primary keys are the identifiers");
	is(sql(qq{SELECT string_agg(format, E'\\n') FROM ($gone) AS x
		WHERE format !~ '^($any_moved) constraint \\w+_pkey PRIMARY KEY'}),
		'', "$database: what the catalogs said of the tables they say still");
	is(sql(qq{SELECT string_agg(format, E'\\n') FROM (
			SELECT regexp_replace(format, 'PRIMARY KEY', 'UNIQUE') AS format FROM catalogs
			WHERE format ~ '^($any_moved) constraint \\w+_pkey ' EXCEPT $catalogs) AS x}),
		'', "$database: and the old keys are unique");

	# What the server asks of a reference, `col = $1`, can use a partial index whose rows have no NULL.
	is(sql("SELECT string_agg(r.child || '.' || r.col, ' ') FROM references_to AS r
		WHERE r.parent IN ($moved) AND r.col NOT LIKE '%,%'
		AND EXISTS (SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
			WHERE i.indrelid = r.child::regclass AND a.attname = r.col
			AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', r.col)))
		AND NOT EXISTS (SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
			WHERE i.indrelid = r.child::regclass
			AND a.attname = regexp_replace(r.col, '_id\$', '') || '_iuid')"),
		'', "$database: beside each index of a reference there is one");

	my ($back) = grep { $_->[0] eq $shape->{back} } @{ $shape->{tables} };
	start_clients('prepared', 4, 'prepared', 3, $rate * 0.7);
	start_clients('simple', 5, 'simple', 1, $rate * 0.3);
	start_clients('new', 6, 'prepared', 1, $rate / 2);
	operate($shape->{drop}) if $shape->{drop};
	run_steps($back->[0], 7, 7);
	operate($shape->{add}) if $shape->{add};
	sleep 0.5;
	stop_clients('new');
	holds('back', @{ $shape->{tables} });
	run_steps($back->[0], 8, 8);
	sleep 0.5;
	stop_clients($_) for 'prepared', 'simple';
	holds('forgotten', grep { $_ != $back } @{ $shape->{tables} });
	is(sql("SELECT string_agg(format, E'\\n') FROM ($gone) AS x WHERE format ~ '^$back->[0] '"),
		'', "$database: $back->[0] is as it was");
	is(sql("SELECT string_agg(format, E'\\n') FROM ($new) AS x WHERE format ~ '^$back->[0] ' AND format !~ '_iuid'"),
		'', "$database: and nothing is left of it");
	report();
}
$node->stop;
done_testing();
