/*-------------------------------------------------------------------------
 *
 * permutation.c
 *	  A permutation of 122 bits that only who has the key can tell from chance.
 *
 * A balanced Feistel network (Luby and Rackoff 1988) in the shape of FF1 (NIST
 * SP 800-38G), whose round function is SipHash-2-4 (Aumasson and Bernstein
 * 2012) with a key of its own, derived by BLAKE2b.
 *
 * With 4t + 2 rounds of random functions of n bits, whoever asks q times for
 * the value of what he chooses, in either direction, tells it from a random
 * permutation with an advantage of at most 2q/(t+1) * (4q/2^n)^t (Hoang and
 * Rogaway, CRYPTO 2010, by coupling; both directions by Maurer, Pietrzak and
 * Renner, CRYPTO 2007).  Here n = 61 and t = 7: for q = 2^48 that is 2^-31.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "hiding/permutation.h"

#include <sodium.h>
#include <string.h>

#define PERSONAL "iuid.hide"

/* More than BLAKE2b of libsodium takes, which leaves its result on the stack. */
#define BLAKE2B_STACK 2048

typedef unsigned char RoundKey[crypto_shorthash_KEYBYTES];

/*
 * No other use of the user's key gives this one: the personalisation is of
 * hiding alone.
 */
static void
derive_key(RoundKey derived, const unsigned char *key)
{
	static const unsigned char personal[crypto_generichash_blake2b_PERSONALBYTES] =
		PERSONAL;

	crypto_generichash_blake2b_salt_personal(derived, sizeof(RoundKey), NULL, 0,
											 key, IUID_HIDING_KEY_LEN, NULL,
											 personal);
	sodium_stackzero(BLAKE2B_STACK);
}

/* The least significant byte first, as SipHash reads words. */
static void
store_word(unsigned char *bytes, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		bytes[i] = (unsigned char) (word >> (8 * i));
}

static uint64_t
load_word(const unsigned char *bytes)
{
	uint64_t word = 0;

	for (int i = 0; i < 8; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

static uint64_t
round_function(int round, uint64_t half, const RoundKey key)
{
	unsigned char message[16], hash[crypto_shorthash_BYTES];

	store_word(message, (uint64_t) round);
	store_word(message + 8, half);
	crypto_shorthash(hash, message, sizeof(message), key);
	return load_word(hash) & IUID_HALF_MASK;
}

IuidHalves
iuid_permute(IuidHalves value, const unsigned char *key)
{
	RoundKey derived;

	derive_key(derived, key);
	for (int round = 0; round < IUID_ROUNDS; round++)
	{
		uint64_t next = value.left ^ round_function(round, value.right, derived);

		value.left = value.right;
		value.right = next;
	}
	sodium_memzero(derived, sizeof(derived));
	return value;
}

IuidHalves
iuid_permute_back(IuidHalves value, const unsigned char *key)
{
	RoundKey derived;

	derive_key(derived, key);
	for (int round = IUID_ROUNDS - 1; round >= 0; round--)
	{
		uint64_t last = value.right ^ round_function(round, value.left, derived);

		value.right = value.left;
		value.left = last;
	}
	sodium_memzero(derived, sizeof(derived));
	return value;
}
