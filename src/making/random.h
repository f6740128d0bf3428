/*-------------------------------------------------------------------------
 *
 * random.h
 *	  Random bits that no other process gets, and that memory does not keep.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_RANDOM_H
#define IUID_RANDOM_H

#include <stdint.h>

/* With so many words to a key, drawing the key is a small part of the cost. */
#define IUID_POOL_WORDS 1024

/* Words that are drawn and not yet given out.  Only random.c fills the pool. */
typedef struct IuidPool
{
	int owner; /* process id that filled it; 0 = nobody */
	int left;
	uint32_t words[IUID_POOL_WORDS];
} IuidPool;

extern IuidPool iuid_pool;
extern void iuid_fill_pool(int owner);

/*
 * 32 random bits that are given out once.  owner is the process id: bits
 * that a parent process drew are never used by its child.  sodium_init()
 * must have succeeded.
 */
static inline uint32_t
iuid_random_word(int owner)
{
	uint32_t word;

	if (iuid_pool.left == 0 || iuid_pool.owner != owner)
		iuid_fill_pool(owner);

	word = iuid_pool.words[--iuid_pool.left];
	iuid_pool.words[iuid_pool.left] = 0;
	return word;
}

/* 64 random bits, as iuid_random_word() has 32. */
extern uint64_t iuid_random_bits(int owner);

#endif /* IUID_RANDOM_H */
