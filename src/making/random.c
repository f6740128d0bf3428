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

IuidPool iuid_pool;

uint64_t
iuid_random_bits(int owner)
{
	uint64_t high = iuid_random_word(owner);

	return high << 32 | iuid_random_word(owner);
}

void
iuid_fill_pool(int owner)
{
	/* A key serves for one stream only, so the nonce need not change. */
	static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
	unsigned char key[crypto_stream_chacha20_KEYBYTES];

	randombytes_buf(key, sizeof(key));
	crypto_stream_chacha20((unsigned char *) iuid_pool.words,
						   sizeof(iuid_pool.words), nonce, key);
	sodium_memzero(key, sizeof(key));
	iuid_pool.left = IUID_POOL_WORDS;
	iuid_pool.owner = owner;
}
