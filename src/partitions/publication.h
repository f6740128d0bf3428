/*-------------------------------------------------------------------------
 *
 * publication.h
 *	  Checks that subscribers can follow rows that move.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PUBLICATION_H
#define IUID_PUBLICATION_H

#include "compat.h"

/*
 * Checks the publications of a partition whose rows are about to move to
 * another partition of the same parent.  55000 if the subscribers of a
 * publication would get only one half of the move.
 */
extern void iuid_check_publications(Oid partition);

#endif /* IUID_PUBLICATION_H */
