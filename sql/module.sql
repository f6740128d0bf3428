-- The module tells its name and its version, which is that of the extension (18 and later).
SELECT current_setting('server_version_num')::int >= 180000 AS has_loaded_modules \gset
\if :has_loaded_modules
LOAD 'iuid';
SELECT module_name, version = split_part(default_version, '+', 1) AS same_version
FROM pg_get_loaded_modules(), pg_available_extensions WHERE file_name LIKE 'iuid.%' AND name = 'iuid';
\else
\echo SKIPPED: pg_get_loaded_modules() needs PostgreSQL 18
\endif
