/*-------------------------------------------------------------------------
 *
 * registry_trigger.c
 *	  The triggers that tell every session of a change in the registry.
 *
 * A trigger makes an invalidation of its table.  The server sends that to all
 * sessions at commit; the session of the trigger gets it at the end of the
 * command and at rollback.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"

#include "access/relation.h"
#include "catalog/pg_trigger.h"
#include "commands/trigger.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "function.h"
#include "registry_trigger.h"

#define FUNCTION_NAME "iuid_registry_changed"

#define ROW_EVENTS \
	(TRIGGER_TYPE_INSERT | TRIGGER_TYPE_UPDATE | TRIGGER_TYPE_DELETE)
#define ALL_EVENTS (ROW_EVENTS | TRIGGER_TYPE_TRUNCATE)

/* The triggers of each table, as the SQL script makes them. */
static const struct
{
	const char *name;
	int events;
	const char *when;
	const char *each;
} expected[] = {
	{ "iuid_changed", ROW_EVENTS, "INSERT OR UPDATE OR DELETE", "ROW" },
	{ "iuid_truncated", TRIGGER_TYPE_TRUNCATE, "TRUNCATE", "STATEMENT" },
};

static int event_of(const TriggerData *trigger);
static void check_table(Relation relation);
static int events_of(const Trigger *trigger);
static void warn(Relation relation, int which, bool there);

/*
 * iuid_registry_changed(): makes every session read the registry tables again.
 * 39P01 as by iuid_trigger_data().
 */
PG_FUNCTION_INFO_V1(iuid_registry_changed);
Datum
iuid_registry_changed(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = iuid_trigger_data(fcinfo, FUNCTION_NAME, ALL_EVENTS);

	CacheInvalidateRelcache(trigger->tg_relation);
	return PointerGetDatum(NULL);
}

TriggerData *
iuid_trigger_data(FunctionCallInfo fcinfo, const char *function, int events)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_AFTER(trigger->tg_event) ||
		(event_of(trigger) & events) == 0 ||
		(TRIGGER_FIRED_FOR_STATEMENT(trigger->tg_event) &&
		 !TRIGGER_FIRED_BY_TRUNCATE(trigger->tg_event)))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("%s was not called by a trigger of extension \"%s\"",
						function, "iuid_regions"),
				 errhint("Drop the other trigger.")));
	return trigger;
}

static int
event_of(const TriggerData *trigger)
{
	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		return TRIGGER_TYPE_INSERT;
	if (TRIGGER_FIRED_BY_UPDATE(trigger->tg_event))
		return TRIGGER_TYPE_UPDATE;
	if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		return TRIGGER_TYPE_DELETE;
	return TRIGGER_TYPE_TRUNCATE;
}

void
iuid_check_triggers(const Oid tables[IUID_REGISTRY_TABLES])
{
	for (int i = 0; i < IUID_REGISTRY_TABLES; i++)
	{
		Relation relation = try_relation_open(tables[i], AccessShareLock);

		if (relation == NULL)
			continue;
		check_table(relation);
		relation_close(relation, AccessShareLock);
	}
}

/*
 * Warns of triggers of a table that are missing or not enabled always.  After
 * pg_restore --disable-triggers, for one, replication does not fire them.  To
 * look up their functions can rebuild the relation, whose triggers are copied.
 */
static void
check_table(Relation relation)
{
	TriggerDesc *triggers = CopyTriggerDesc(relation->trigdesc);
	int count = triggers == NULL ? 0 : triggers->numtriggers;
	int noticed = 0;

	for (int i = 0; i < count; i++)
	{
		if (triggers->triggers[i].tgenabled == TRIGGER_FIRES_ALWAYS)
			noticed |= events_of(&triggers->triggers[i]);
	}
	for (int which = 0; which < (int) lengthof(expected); which++)
	{
		int events = expected[which].events;
		bool there = false;

		if ((noticed & events) == events)
			continue;
		for (int i = 0; i < count; i++)
		{
			const Trigger *trigger = &triggers->triggers[i];

			if (strcmp(trigger->tgname, expected[which].name) == 0)
				there = (events_of(trigger) & events) == events;
		}
		warn(relation, which, there);
	}
	FreeTriggerDesc(triggers);
}

/*
 * The events after which a trigger, if it is enabled, calls the function at
 * once and for every change, whatever a superuser has renamed the function to.
 */
static int
events_of(const Trigger *trigger)
{
	if (!iuid_is_function(trigger->tgfoid, iuid_registry_changed) ||
		!TRIGGER_FOR_AFTER(trigger->tgtype) || trigger->tgqual != NULL ||
		trigger->tgnattr > 0 || trigger->tgdeferrable)
		return 0;
	return trigger->tgtype & ALL_EVENTS &
		(TRIGGER_FOR_ROW(trigger->tgtype) ? ROW_EVENTS : TRIGGER_TYPE_TRUNCATE);
}

static void
warn(Relation relation, int which, bool there)
{
	const char *trigger = expected[which].name;
	const char *schema = get_namespace_name(RelationGetNamespace(relation));
	const char *table =
		quote_qualified_identifier(schema, RelationGetRelationName(relation));
	char *enable =
		psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER %s;", table, trigger);
	char *create =
		psprintf("CREATE OR REPLACE TRIGGER %s AFTER %s ON %s FOR EACH %s EXECUTE FUNCTION %s();",
				 trigger, expected[which].when, table, expected[which].each,
				 quote_qualified_identifier(schema, FUNCTION_NAME));

	ereport(WARNING,
			(errmsg("changes of table \"%s\" can go unnoticed",
					RelationGetRelationName(relation)),
			 there ?
				 errdetail("Its trigger \"%s\" is not enabled always.", trigger) :
				 errdetail("It has no trigger \"%s\" for %s.", trigger,
						   expected[which].when),
			 there ? errhint("Use: %s", enable) :
					 errhint("Use: %s %s", create, enable)));
}
