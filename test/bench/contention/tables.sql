-- The right ways.
CREATE TABLE counter (last bigint NOT NULL);
INSERT INTO counter VALUES (0);
CREATE TABLE by_counter (id bigint PRIMARY KEY);

CREATE TABLE blocks (last bigint NOT NULL);
INSERT INTO blocks VALUES (0);
CREATE TABLE by_blocks (id bigint PRIMARY KEY);

CREATE TABLE by_sequence (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY);
CREATE TABLE by_cache (id bigint GENERATED ALWAYS AS IDENTITY (CACHE 100) PRIMARY KEY);
CREATE TABLE by_gen_iuid (id iuid DEFAULT gen_iuid(7, 1) PRIMARY KEY);

-- The wrong ways.  Without a primary key, so that duplicates can be counted.
CREATE TABLE naive (last bigint NOT NULL);
INSERT INTO naive VALUES (0);
CREATE TABLE by_naive (id bigint NOT NULL);
CREATE INDEX ON by_naive (id);

CREATE TABLE by_max (id bigint NOT NULL);
CREATE INDEX ON by_max (id);

CREATE TABLE shared (last bigint NOT NULL);
INSERT INTO shared VALUES (0);
CREATE TABLE by_shared (id bigint PRIMARY KEY);
