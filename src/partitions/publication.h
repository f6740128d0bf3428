/*-------------------------------------------------------------------------
 *
 * publication.h
 *	  Who follows a table from elsewhere.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PUBLICATION_H
#define IUID_PUBLICATION_H

#include "compat.h"

/*
 * Rows are about to leave a partition for another one of the same parent.
 * 55000 if a publication would not bring them along.
 */
extern void iuid_check_publications(Oid partition);

#endif /* IUID_PUBLICATION_H */
