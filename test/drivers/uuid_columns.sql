-- Each column of type iuid, and of arrays of it, becomes one of type uuid as soon as its table is made.
CREATE FUNCTION make_uuid() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE
	c record;
BEGIN
	FOR c IN SELECT attrelid::regclass AS tbl, attname AS name, replace(format_type(atttypid, NULL), 'iuid', 'uuid') AS type
		FROM pg_event_trigger_ddl_commands() JOIN pg_attribute ON attrelid = objid AND attnum > 0 AND NOT attisdropped
		WHERE object_type = 'table' AND format_type(atttypid, NULL) IN ('iuid', 'iuid[]')
	LOOP
		EXECUTE format('ALTER TABLE %s ALTER %I TYPE %s', c.tbl, c.name, c.type);
	END LOOP;
END $$;
CREATE EVENT TRIGGER make_uuid ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE TABLE AS') EXECUTE FUNCTION make_uuid();
