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
 * of the events (TRIGGER_TYPE_...) on the table of that name that belongs to
 * the extension of the function, or on any of the extension's tables if table
 * is NULL; for each row, but for TRUNCATE.
 */
extern TriggerData *iuid_trigger_data(FunctionCallInfo fcinfo,
									  const char *function, const char *table,
									  int events);

/* Warns if a table can change without any session being told. */
extern void iuid_check_triggers(Oid schema,
								const Oid tables[IUID_REGISTRY_TABLES]);

#endif /* IUID_REGISTRY_TRIGGER_H */
