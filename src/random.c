/*-------------------------------------------------------------------------
 *
 * random.c
 *	  Random bits that no other process and no later reader can have.
 *
 * A pool is filled from a ChaCha20 stream under a key that is drawn from the
 * operating system for this one filling and forgotten at once, so what is
 * left in memory tells nothing about the bits that were given out before.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "random.h"

#include <sodium.h>

/* At this size the system call for the key is a small part of the cost. */
#define POOL_WORDS 1024

static struct
{
	int owner; /* process id that filled it; 0 = nobody */
	int left;  /* words not yet given out */
	uint32_t words[POOL_WORDS];
} pool;

/* Kept out of line, as every other call finds the pool filled. */
static void fill_pool(int owner) __attribute__((noinline));

uint32_t
iuid_random_word(int owner)
{
	uint32_t word;

	if (pool.left == 0 || pool.owner != owner)
		fill_pool(owner);

	word = pool.words[--pool.left];
	pool.words[pool.left] = 0;
	return word;
}

uint64_t
iuid_random_bits(int owner)
{
	uint64_t high = iuid_random_word(owner);

	return high << 32 | iuid_random_word(owner);
}

static void
fill_pool(int owner)
{
	/* A key serves for one stream only, so the nonce need not change. */
	static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
	unsigned char key[crypto_stream_chacha20_KEYBYTES];

	randombytes_buf(key, sizeof(key));
	crypto_stream_chacha20((unsigned char *) pool.words, sizeof(pool.words),
						   nonce, key);
	sodium_memzero(key, sizeof(key));
	pool.left = POOL_WORDS;
	pool.owner = owner;
}
