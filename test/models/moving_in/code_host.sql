--
-- A code host, of the shape that a large application for code has: many foreign keys and checks, a
-- tree of spaces, keys on their way to bigint, and partitioned tables beside.
--
-- psql variables: rows is the number of notes, 2000 unless it is given.
-- test/t/moving_in_shapes.pl writes to the tables.
--
\if :{?rows}
\else
	\set rows 2000
\endif
SELECT greatest(:rows / 10, 100) AS people, greatest(:rows / 20, 60) AS spaces, greatest(:rows / 20, 60) AS projects, greatest(:rows / 4, 400) AS issues \gset
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE people (id bigserial PRIMARY KEY, login varchar NOT NULL, email varchar NOT NULL DEFAULT '', state varchar, created_at timestamp DEFAULT now());
CREATE UNIQUE INDEX people_by_login ON people (lower(login));

-- A tree; the path of numbers from its root is kept by a trigger.
CREATE SEQUENCE spaces_id_seq;
CREATE TABLE spaces (
	id bigint NOT NULL DEFAULT nextval('spaces_id_seq'),
	name varchar NOT NULL,
	path varchar NOT NULL,
	kind varchar NOT NULL DEFAULT 'Person',
	owner_id bigint,
	parent_id bigint,
	way bigint[] NOT NULL DEFAULT '{}',
	template_project_id bigint,
	organization_id bigint DEFAULT 1,
	created_at timestamp DEFAULT now(),
	CONSTRAINT spaces_pkey PRIMARY KEY (id),
	CONSTRAINT check_0d1c CHECK (organization_id IS NOT NULL),
	CONSTRAINT check_9e42 CHECK (char_length(path) <= 255));
ALTER SEQUENCE spaces_id_seq OWNED BY spaces.id;
CREATE UNIQUE INDEX spaces_by_path ON spaces (parent_id, lower(path));
CREATE UNIQUE INDEX root_spaces_by_path ON spaces (lower(path)) WHERE parent_id IS NULL;
CREATE INDEX spaces_by_way ON spaces USING gin (way);
CREATE INDEX spaces_of_person ON spaces (owner_id) WHERE kind = 'Person';

CREATE TABLE projects (
	id bigserial PRIMARY KEY,
	space_id bigint NOT NULL,
	own_space_id bigint UNIQUE REFERENCES spaces ON DELETE SET NULL,
	creator_id bigint,
	forked_from_id bigint REFERENCES projects ON DELETE SET NULL,
	name varchar,
	path varchar NOT NULL,
	lower_path text GENERATED ALWAYS AS (lower(path)) STORED,
	stars int NOT NULL DEFAULT 0,
	topics text[] NOT NULL DEFAULT '{}',
	runners_token bytea,
	created_at timestamp DEFAULT now(),
	last_activity_at timestamp,
	pending_delete boolean DEFAULT false,
	CONSTRAINT check_77b0 CHECK (octet_length(runners_token) <= 64),
	CONSTRAINT projects_space FOREIGN KEY (space_id) REFERENCES spaces (id) ON DELETE RESTRICT,
	CONSTRAINT projects_creator FOREIGN KEY (creator_id) REFERENCES people (id) ON DELETE SET NULL);
CREATE UNIQUE INDEX projects_by_path ON projects (space_id, lower_path);
CREATE INDEX projects_by_creator ON projects (creator_id, created_at, id);
CREATE INDEX forks ON projects (forked_from_id);
CREATE INDEX projects_by_activity ON projects (last_activity_at, id DESC) WHERE NOT pending_delete;
CREATE UNIQUE INDEX projects_by_token ON projects (runners_token) WHERE runners_token IS NOT NULL;
CREATE INDEX spaces_by_template ON spaces (template_project_id);
ALTER TABLE spaces ADD CONSTRAINT spaces_template FOREIGN KEY (template_project_id) REFERENCES projects (id) ON DELETE SET NULL;

CREATE TABLE project_rights (
	person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
	project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
	level int NOT NULL,
	PRIMARY KEY (person_id, project_id, level));
CREATE INDEX rights_of_project ON project_rights (project_id);
CREATE TABLE counters (id bigserial PRIMARY KEY, project_id bigint REFERENCES projects ON DELETE CASCADE, usage int NOT NULL, last_value int NOT NULL);
CREATE INDEX counters_by_project ON counters (project_id);
CREATE UNIQUE INDEX counters_of_project ON counters (usage, project_id) WHERE project_id IS NOT NULL;

CREATE TABLE issues (
	id bigserial PRIMARY KEY,
	iid int NOT NULL,
	project_id bigint NOT NULL,
	author_id bigint REFERENCES people ON DELETE SET NULL,
	moved_to_id bigint REFERENCES issues ON DELETE SET NULL,
	duplicate_of_id bigint,
	title varchar,
	description text,
	words tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(title, ''))) STORED,
	external_key varchar,
	position int,
	lock_version int DEFAULT 0,
	state smallint DEFAULT 1 NOT NULL,
	created_at timestamp,
	updated_at timestamp,
	CONSTRAINT check_a51f CHECK (project_id > 0),
	CONSTRAINT check_3b96 CHECK (lock_version IS NOT NULL),
	CONSTRAINT issues_project FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE,
	CONSTRAINT issues_duplicate FOREIGN KEY (duplicate_of_id) REFERENCES issues (id) ON DELETE SET NULL);
CREATE UNIQUE INDEX issues_by_iid ON issues (project_id, iid);
CREATE UNIQUE INDEX issues_by_key ON issues (project_id, external_key) WHERE external_key IS NOT NULL;
CREATE INDEX issues_by_author ON issues (author_id);
CREATE INDEX issues_by_words ON issues USING gin (words);
CREATE INDEX issues_duplicates ON issues (duplicate_of_id) WHERE duplicate_of_id IS NOT NULL;
CREATE INDEX issues_moved ON issues (moved_to_id) WHERE moved_to_id IS NOT NULL;

-- A proposal and its latest version refer to each other.
CREATE TABLE proposals (
	id bigserial PRIMARY KEY,
	iid int NOT NULL,
	target_project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
	source_project_id bigint REFERENCES projects ON DELETE SET NULL,
	author_id bigint REFERENCES people ON DELETE SET NULL,
	latest_version_id bigint,
	title varchar,
	squash_sha bytea,
	created_at timestamp);
CREATE UNIQUE INDEX proposals_by_iid ON proposals (target_project_id, iid);
CREATE INDEX proposals_by_source ON proposals (source_project_id);
CREATE INDEX proposals_by_author ON proposals (author_id);
CREATE TABLE versions (id bigserial PRIMARY KEY, proposal_id bigint NOT NULL REFERENCES proposals ON DELETE CASCADE, head_sha bytea, state varchar);
CREATE INDEX versions_of_proposal ON versions (proposal_id, id);
ALTER TABLE proposals ADD CONSTRAINT proposals_latest FOREIGN KEY (latest_version_id) REFERENCES versions (id) ON DELETE SET NULL;
CREATE INDEX proposals_by_version ON proposals (latest_version_id);
CREATE TABLE version_commits (version_id bigint NOT NULL REFERENCES versions ON DELETE CASCADE, place int NOT NULL, sha bytea NOT NULL, PRIMARY KEY (version_id, place));

-- Notes are of an issue or of a proposal, which no foreign key says.  Their number is given by a
-- trigger, and is on its way to another type.
CREATE SEQUENCE notes_id_seq;
CREATE TABLE notes (
	id int NOT NULL CONSTRAINT notes_pkey PRIMARY KEY,
	id_as_bigint bigint NOT NULL DEFAULT 0,
	project_id bigint CONSTRAINT notes_project REFERENCES projects ON DELETE CASCADE,
	of_type varchar,
	of_id bigint,
	author_id bigint,
	reply_to_id int REFERENCES notes ON DELETE SET NULL,
	note text,
	thread bytea,
	system boolean NOT NULL DEFAULT false,
	created_at timestamp,
	updated_at timestamp);
ALTER TABLE notes ADD CONSTRAINT check_c208 CHECK (of_type IS NOT NULL) NOT VALID;
ALTER TABLE notes ADD CONSTRAINT check_51d7 CHECK (char_length(note) <= 1000) NOT VALID;
ALTER SEQUENCE notes_id_seq OWNED BY notes.id;
CREATE INDEX notes_of ON notes (of_type, of_id, id) INCLUDE (author_id);
CREATE INDEX answers ON notes (reply_to_id);
CREATE INDEX notes_by_project ON notes (project_id, id);
CREATE INDEX notes_of_project ON notes (project_id, created_at) WHERE NOT system;
CREATE FUNCTION give_id_of_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.id := nextval('notes_id_seq'); RETURN NEW; END $$;
CREATE TRIGGER give_id_of_note BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION give_id_of_note();
CREATE FUNCTION keep_bigint_of_note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id_as_bigint := NEW.id; RETURN NEW; END';
CREATE TRIGGER trigger_0f3a BEFORE INSERT OR UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION keep_bigint_of_note();
CREATE TABLE suggestions (id bigserial PRIMARY KEY, note_id int NOT NULL, place smallint NOT NULL, new_text text, CONSTRAINT suggestions_note
	FOREIGN KEY (note_id) REFERENCES notes (id) ON DELETE CASCADE);
CREATE UNIQUE INDEX suggestions_of_note ON suggestions (note_id, place);

CREATE TABLE duties (id bigserial PRIMARY KEY, person_id bigint NOT NULL, project_id bigint NOT NULL, during tstzrange NOT NULL,
	CONSTRAINT one_at_a_time EXCLUDE USING gist (project_id WITH =, during WITH &&),
	CONSTRAINT duties_project FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE);

-- Partitioned: one has a key of two columns, and the other refers to that and to projects.
CREATE TABLE pipelines (id bigint GENERATED BY DEFAULT AS IDENTITY, part bigint NOT NULL DEFAULT 100, project_id bigint, sha bytea, PRIMARY KEY (id, part)) PARTITION BY LIST (part);
CREATE TABLE pipelines_100 PARTITION OF pipelines FOR VALUES IN (100);
CREATE TABLE builds (id bigint GENERATED BY DEFAULT AS IDENTITY, part bigint NOT NULL DEFAULT 100, pipeline_id bigint, project_id bigint, status varchar, name varchar,
	PRIMARY KEY (id, part), CONSTRAINT builds_pipeline FOREIGN KEY (pipeline_id, part) REFERENCES pipelines (id, part) ON UPDATE CASCADE ON DELETE CASCADE,
	CONSTRAINT builds_project FOREIGN KEY (project_id) REFERENCES projects (id) ON DELETE CASCADE) PARTITION BY LIST (part);
CREATE TABLE builds_100 PARTITION OF builds FOR VALUES IN (100);
CREATE INDEX builds_of_project ON builds (project_id, id);

CREATE FUNCTION find_project(bigint) RETURNS projects LANGUAGE plpgsql STABLE COST 1 PARALLEL SAFE AS $$
BEGIN RETURN (SELECT projects FROM projects WHERE id = $1 LIMIT 1); END $$;

CREATE FUNCTION keep_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.way := coalesce((SELECT s.way FROM spaces AS s WHERE s.id = NEW.parent_id), '{}') || NEW.id;
	RETURN NEW;
END $$;
CREATE TRIGGER keep_way BEFORE INSERT OR UPDATE OF parent_id ON spaces FOR EACH ROW EXECUTE FUNCTION keep_way();
CREATE TABLE space_events (id bigserial PRIMARY KEY, space_id bigint NOT NULL REFERENCES spaces ON DELETE CASCADE);
CREATE INDEX events_of_space ON space_events (space_id);
CREATE FUNCTION note_space() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO space_events (space_id) VALUES (NEW.id); RETURN NULL; END';
CREATE TRIGGER note_space AFTER INSERT ON spaces FOR EACH ROW EXECUTE FUNCTION note_space();
CREATE TRIGGER note_moved_space AFTER UPDATE ON spaces FOR EACH ROW WHEN (OLD.way IS DISTINCT FROM NEW.way) EXECUTE FUNCTION note_space();

-- What loose references need anyway
\ir ledger.sql
CREATE TRIGGER loose_projects AFTER DELETE ON projects REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER loose_issues AFTER DELETE ON issues REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER loose_notes AFTER DELETE ON notes REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER loose_spaces AFTER DELETE ON spaces REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();
CREATE TRIGGER loose_proposals AFTER DELETE ON proposals REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_gone();

INSERT INTO people (login, email, created_at) SELECT 'person' || n, 'p' || n || '@example.com', timestamp '2023-01-01' + n * interval '1 hour' FROM generate_series(1, :people) AS n;
INSERT INTO spaces (name, path, kind, owner_id, parent_id, created_at) SELECT 'Space ' || n, 'space-' || n, CASE WHEN n % 4 = 0 THEN 'Group' ELSE 'Person' END, n,
	CASE WHEN n > 5 THEN n / 5 END, CASE WHEN n % 11 > 0 THEN timestamp '2023-02-01' + n * interval '1 hour' END FROM generate_series(1, :spaces) AS n;
-- Some parents went before there was a foreign key, so it is not valid.
INSERT INTO spaces (name, path, parent_id) SELECT 'Orphan ' || n, 'orphan-' || n, 1000000 + n FROM generate_series(1, 5) AS n;
ALTER TABLE spaces ADD CONSTRAINT spaces_parent FOREIGN KEY (parent_id) REFERENCES spaces (id) ON DELETE RESTRICT NOT VALID;
INSERT INTO projects (space_id, own_space_id, creator_id, forked_from_id, name, path, topics, runners_token, created_at)
	SELECT 1 + n % 20, CASE WHEN n > 40 THEN n END, n, CASE WHEN n > 10 THEN n % 10 + 1 END, 'Project ' || n, 'Project-' || n, ARRAY['t' || n % 7, 'u'], sha224(n::text::bytea),
		timestamp '2023-03-01' + n * interval '1 hour' FROM generate_series(1, :projects) AS n;
UPDATE spaces SET template_project_id = id WHERE id <= 30;
INSERT INTO project_rights SELECT 1 + (n + l) % :people, n, l FROM generate_series(1, :projects) AS n, generate_series(10, 30, 10) AS l;
INSERT INTO counters (project_id, usage, last_value) SELECT n, 0, 1000000 FROM generate_series(1, :projects) AS n;
INSERT INTO issues (iid, project_id, author_id, moved_to_id, duplicate_of_id, title, created_at) SELECT n, 1 + n % :projects, nullif(n % :people, 0), CASE WHEN n % 20 = 0 THEN n - 1 END,
	CASE WHEN n % 15 = 0 THEN n - 2 END, 'Title of ' || n, CASE WHEN n % 13 > 0 THEN timestamp '2023-04-01' + n * interval '1 min' END FROM generate_series(1, :issues) AS n;
INSERT INTO proposals (iid, target_project_id, source_project_id, author_id, title, squash_sha, created_at) SELECT n, 1 + n % :projects, nullif(n % :projects, 0), nullif(n % :people, 0),
	'Proposal ' || n, sha256(n::text::bytea), timestamp '2023-05-01' + n * interval '1 min' FROM generate_series(1, :issues / 2) AS n;
INSERT INTO versions (proposal_id, head_sha) SELECT n, sha256(n::text::bytea) FROM generate_series(1, :issues / 2) AS n, generate_series(1, 2);
UPDATE proposals AS p SET latest_version_id = (SELECT max(v.id) FROM versions AS v WHERE v.proposal_id = p.id);
INSERT INTO version_commits SELECT v.id, c, v.head_sha FROM versions AS v, generate_series(1, 2) AS c;
INSERT INTO notes (project_id, of_type, of_id, author_id, reply_to_id, note, thread, created_at) SELECT 1 + n % :projects, CASE WHEN n % 3 = 0 THEN 'Proposal' ELSE 'Issue' END, n, n,
	CASE WHEN n % 5 = 0 THEN n - 1 END, 'Note ' || n, sha224(n::text::bytea), timestamp '2023-06-01' + n * interval '1 min' FROM generate_series(1, :rows) AS n;
INSERT INTO suggestions (note_id, place, new_text) SELECT n, 0, 'text' FROM generate_series(1, :rows, 4) AS n;
INSERT INTO duties (person_id, project_id, during) SELECT n, n, tstzrange('2026-01-01', '2026-01-08') FROM generate_series(1, :projects) AS n;
INSERT INTO pipelines (project_id) SELECT n FROM generate_series(1, :projects) AS n;
INSERT INTO builds (pipeline_id, project_id, name) SELECT n, n, 'build' FROM generate_series(1, :projects) AS n, generate_series(1, 3);
COMMENT ON COLUMN issues.iid IS 'the number within the project';
COMMENT ON CONSTRAINT issues_project ON issues IS 'an issue goes with its project';
COMMENT ON INDEX issues_by_iid IS 'one number, one issue';
COMMENT ON CONSTRAINT notes_pkey ON notes IS 'its number comes from a trigger';
CREATE TABLE kept AS SELECT 'projects' AS what, id::bigint AS key FROM projects UNION ALL SELECT 'issues', id FROM issues UNION ALL SELECT 'notes', id FROM notes
	UNION ALL SELECT 'spaces', id FROM spaces UNION ALL SELECT 'proposals', id FROM proposals;
