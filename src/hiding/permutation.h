/*-------------------------------------------------------------------------
 *
 * permutation.h
 *	  A keyed pseudorandom permutation of 122 bits.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_PERMUTATION_H
#define IUID_PERMUTATION_H

#include <stdint.h>

/*
 * The tests try halves of a few bits, all of whose values can be seen, and fewer
 * rounds, which must be noticed.
 */
#ifndef IUID_HALF_BITS
#define IUID_HALF_BITS 61
#endif
#ifndef IUID_ROUNDS
#define IUID_ROUNDS 30
#endif
#define IUID_HALF_MASK ((UINT64_C(1) << IUID_HALF_BITS) - 1)

#define IUID_HIDING_KEY_LEN 32 /* bytes of the user's key */

/* Two halves of IUID_HALF_BITS bits each. */
typedef struct IuidHalves
{
	uint64_t left;
	uint64_t right;
} IuidHalves;

/*
 * The value that a key gives for a value, and the value that gives it.  key is
 * IUID_HIDING_KEY_LEN bytes.
 */
extern IuidHalves iuid_permute(IuidHalves value, const unsigned char *key);
extern IuidHalves iuid_permute_back(IuidHalves value, const unsigned char *key);

#endif /* IUID_PERMUTATION_H */
