-- Errors that a caller may ask for instead of being thrown at it (16 and later).
SELECT current_setting('server_version_num')::int >= 160000 AS soft_errors \gset
\if :soft_errors
SELECT text, pg_input_is_valid(text, 'iuid') FROM (VALUES
	('019b7612-3c00-8007-8041-23456789abcd'),
	('919108f7-52d1-4320-9bac-f847db4148a8'),
	('2026-01-01')) AS v(text);
SELECT * FROM pg_input_error_info('919108f7-52d1-4320-9bac-f847db4148a8', 'iuid');
SELECT * FROM pg_input_error_info('2026-01-01', 'iuid');
\else
\echo SKIPPED: soft errors need PostgreSQL 16
\endif
