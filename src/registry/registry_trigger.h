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

/*
 * What a trigger function is called with.  39P01 unless it is called after one
 * of the events (TRIGGER_TYPE_...), for each row, or after TRUNCATE.  Whoever may
 * execute the function can call it so for a table of their own.
 */
extern TriggerData *iuid_trigger_data(FunctionCallInfo fcinfo,
									  const char *function, int events);

/* Warns if a table can change without any session being told. */
extern void iuid_check_triggers(const Oid tables[IUID_REGISTRY_TABLES]);

#endif /* IUID_REGISTRY_TRIGGER_H */
