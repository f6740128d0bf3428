/*-------------------------------------------------------------------------
 *
 * registry_trigger.h
 *	  Triggers by which every session hears of changed registry tables.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_REGISTRY_TRIGGER_H
#define IUID_REGISTRY_TRIGGER_H

#include "commands/trigger.h"

#include "registry_load.h"

/* What a trigger function is called with; 39P01 if it is not called as one. */
extern TriggerData *iuid_trigger_data(FunctionCallInfo fcinfo,
									  const char *function);

/* Warns if a table can change without any session being told. */
extern void iuid_check_triggers(Oid schema,
								const Oid tables[IUID_REGISTRY_TABLES]);

#endif /* IUID_REGISTRY_TRIGGER_H */
