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

#include "iuid.h"

/*
 * With so many bytes to a key, drawing the key is a small part of the cost:
 * with 1,024 bytes an identifier takes 2 ns more of the 50 in
 * test/bench/generate.sql, and with 256 bytes 12.
 */
#define IUID_POOL_BYTES 8192

/* Bytes that are drawn and not yet given out.  Only random.c fills the pool. */
typedef struct IuidPool
{
	int pid; /* of the process that filled it; 0: nothing is in it */
	int left;
	/* A word is read at once; after the last byte of the pool it has zeros. */
	uint8_t bytes[IUID_POOL_BYTES + sizeof(uint64_t)];
} IuidPool;

extern IuidPool iuid_pool;
extern void iuid_fill_pool(int pid);

/*
 * A random number of 1 to 8 bytes, which are given out once.  pid is this
 * process: bytes that a parent process drew are never used by its child.
 * sodium_init() must have succeeded.
 */
static inline uint64_t
iuid_draw(int pid, int bytes)
{
	uint8_t *next;
	uint64_t number;

	if (iuid_pool.left < bytes || iuid_pool.pid != pid)
		iuid_fill_pool(pid);

	iuid_pool.left -= bytes;
	next = iuid_pool.bytes + iuid_pool.left;
	number = iuid_load_word(next) >> (8 * (sizeof(number) - bytes));
	memset(next, 0, bytes);
	return number;
}

#endif /* IUID_RANDOM_H */
