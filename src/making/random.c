/*-------------------------------------------------------------------------
 *
 * random.c
 *	  Random bits that no other process gets, and that memory does not keep.
 *
 * A pool is filled from a ChaCha20 stream.  The key is drawn from the operating
 * system for this one filling, and wiped at once; a byte is wiped when it is
 * given out.  So memory does not tell which bits were given out before.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "random.h"

#include <sodium.h>

IuidPool iuid_pool;

void
iuid_fill_pool(int pid)
{
	/* A key serves for one stream only, so the nonce need not change. */
	static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES];
	unsigned char key[crypto_stream_chacha20_KEYBYTES];

	randombytes_buf(key, sizeof(key));
	crypto_stream_chacha20(iuid_pool.bytes, IUID_POOL_BYTES, nonce, key);
	sodium_memzero(key, sizeof(key));
	iuid_pool.left = IUID_POOL_BYTES;
	iuid_pool.pid = pid;
}
