/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The configuration parameters of the extensions.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_SETTINGS_H
#define IUID_SETTINGS_H

#include <stdbool.h>

#define IUID_COUNTRY_UNSET (-1)

extern int iuid_setting_country; /* IUID_COUNTRY_UNSET or 0 to 255 */
extern bool iuid_setting_monotonic;

#endif /* IUID_SETTINGS_H */
