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

#include "registry_load.h"

/* Warns if a table can change without any session being told. */
extern void iuid_check_triggers(Oid schema,
								const Oid tables[IUID_REGISTRY_TABLES]);

#endif /* IUID_REGISTRY_TRIGGER_H */
