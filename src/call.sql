--
-- What every function that changes partitions checks first
--
-- Whoever owns the schema of the extension can rename it, and make another one of its name,
-- with functions of their own, which a body that is text would call.  So what users call
-- has a body BEGIN ATOMIC, which holds its functions themselves, and this is the first of
-- them.  A call of a function of ours has exactly the types of its arguments, as another
-- function can stand beside it, which would fit better.
--

CREATE FUNCTION @extschema@.iuid_check_call(caller pg_catalog.text, has_null boolean, needed pg_catalog.text, step interval, older_than pg_catalog.timestamptz, lock_wait interval)
RETURNS void LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp SET "IntervalStyle" = 'postgres' AS $$
DECLARE
	months numeric := CASE WHEN isfinite(step) THEN extract(year FROM step) * 12 + extract(month FROM step) END;
	-- In UTC a day has 24 hours.
	seconds numeric := extract(epoch FROM step - make_interval(months => months::int));
BEGIN
	BEGIN
		-- For a superuser the extension and its schema stay as they are until the end of the transaction.
		PERFORM FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
			WHERE e.extname = 'iuid' AND n.nspname = (parse_ident('@extschema@'))[1] FOR KEY SHARE;
	EXCEPTION WHEN insufficient_privilege THEN
		PERFORM FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace
			WHERE e.extname = 'iuid' AND n.nspname = (parse_ident('@extschema@'))[1];
	END;
	IF NOT FOUND THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'schema @extschema@ is not that of extension iuid',
			HINT = 'If the schema of the extension was renamed, give it its name back.';
	ELSIF has_null OR lock_wait IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed',
			MESSAGE = format('arguments of %s must not be null', caller), HINT = format('Give %s.', needed);
	ELSIF lock_wait < '0' THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('lock_wait "%s" is negative', lock_wait), HINT = 'Give an interval of 0 or more.';
	ELSIF older_than IS NOT NULL AND current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = format('%s needs isolation level READ COMMITTED', caller),
			DETAIL = 'By an older snapshot, a partition can look older than it is.', HINT = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED.';
	ELSIF NOT isfinite(older_than) THEN
		RAISE EXCEPTION USING ERRCODE = 'datetime_field_overflow', MESSAGE = format('time %s is out of range for removing partitions', older_than),
			HINT = 'Give a finite time: what ended before it is removed.';
	ELSIF step IS NOT NULL AND (months BETWEEN 1 AND 12 AND seconds = 0
		OR months = 0 AND seconds BETWEEN 3600 AND 366 * 86400 AND seconds % 60 = 0) IS NOT TRUE THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = format('step "%s" is out of range for time partitions', step),
			DETAIL = 'A step is 1 hour to 1 year: either whole months, or days, hours and minutes.', HINT = 'For example: interval ''1 day'', interval ''1 month''.';
	END IF;
END $$;
COMMENT ON FUNCTION @extschema@.iuid_check_call(pg_catalog.text, boolean, pg_catalog.text, interval, pg_catalog.timestamptz, interval) IS 'internal: an error for arguments of functions that change partitions, and unless the functions of the extension are found by their names, which for a superuser stays so until the transaction ends';
