/*-------------------------------------------------------------------------
 *
 * wiped.c
 *	  Looks in memory for random bytes and their key, and for the key that hides
 *	  identifiers, where they must not be.
 *
 * A program of its own, with the code of making/random.c and of
 * hiding/permutation.c in it.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <sodium.h>

/* What making/random.c draws a key with; the copy is the last key. */
static unsigned char last_key[crypto_stream_chacha20_KEYBYTES];

static void
draw_key(void *const key, const size_t length)
{
	randombytes_buf(key, length);
	memcpy(last_key, key, length);
}

#define randombytes_buf draw_key
#include "making/random.c"

/* What hiding/permutation.c derives from the user's key; the copy is that of the last round. */
static unsigned char derived_key[crypto_shorthash_KEYBYTES];

static int
hash_and_copy(unsigned char *out, const unsigned char *in, unsigned long long length, const unsigned char *key)
{
	memcpy(derived_key, key, sizeof(derived_key));
	return crypto_shorthash(out, in, length, key);
}

#define crypto_shorthash hash_and_copy
#include "hiding/permutation.c"
#undef crypto_shorthash

#define PID		  1
#define STACK_LEN (1 << 18)
#define WORDS	  10000 /* that is more than five pools */

static unsigned char stack[STACK_LEN] __attribute__((aligned(4096)));

static void
fail(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

static ucontext_t here, there;

static void
fill(void)
{
	iuid_fill_pool(PID);
}

/* The user's key, and what it hides. */
static unsigned char user_key[IUID_HIDING_KEY_LEN];
static IuidHalves value = {1, 2};

static void
permute(void)
{
	value = iuid_permute(value, user_key);
}

static void
permute_back(void)
{
	value = iuid_permute_back(value, user_key);
}

/*
 * On a stack of its own, where nothing runs afterwards: the end of a thread would
 * write over what is looked for.
 */
static void
call_elsewhere(void (*call)(void))
{
	if (getcontext(&there) != 0)
		fail("no context");
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK_LEN;
	there.uc_link = &here;
	makecontext(&there, call, 0);
	if (swapcontext(&here, &there) != 0)
		fail("no other stack");
}

static bool
has(const unsigned char *memory, size_t length, const unsigned char *key, size_t key_length)
{
	for (size_t i = 0; i + key_length <= length; i++)
	{
		if (memcmp(memory + i, key, key_length) == 0)
			return true;
	}
	return false;
}

static bool
is_zero(const unsigned char *memory, size_t length)
{
	for (size_t i = 0; i < length; i++)
	{
		if (memory[i] != 0)
			return false;
	}
	return true;
}

/* A word of 1 to 8 bytes is what was at the end of the pool, and is there no more. */
static void
draw(int bytes)
{
	uint64_t expected = 0;
	IuidPool before;

	if (iuid_pool.left < bytes)
		call_elsewhere(fill);
	before = iuid_pool;
	for (int i = before.left - bytes; i < before.left; i++)
		expected = expected << 8 | before.bytes[i];
	if (iuid_draw(PID, bytes) != expected)
		fail("a word is not what was in the pool");
	if (iuid_pool.left != before.left - bytes ||
		memcmp(iuid_pool.bytes, before.bytes, iuid_pool.left) != 0)
		fail("another part of the pool has changed");
	if (!is_zero(iuid_pool.bytes + iuid_pool.left,
				 sizeof(iuid_pool.bytes) - iuid_pool.left))
		fail("a word is in the pool after it was given out");
}

static void
look_for_hiding_key(void (*call)(void))
{
	memset(stack, 0, STACK_LEN);
	call_elsewhere(call);
	if (is_zero(stack, STACK_LEN) || is_zero(derived_key, sizeof(derived_key)))
		fail("nothing was hidden there");
	if (has(stack, STACK_LEN, user_key, sizeof(user_key)))
		fail("the user's key is in memory after it hid an identifier");
	if (has(stack, STACK_LEN, derived_key, sizeof(derived_key)))
		fail("the derived key is in memory after it hid an identifier");
}

int
main(void)
{
	if (sodium_init() < 0)
		fail("no libsodium");
	call_elsewhere(fill);
	if (is_zero(stack, STACK_LEN) || is_zero(last_key, sizeof(last_key)))
		fail("nothing was filled there");
	if (has(stack, STACK_LEN, last_key, sizeof(last_key)) ||
		has(iuid_pool.bytes, sizeof(iuid_pool.bytes), last_key, sizeof(last_key)))
		fail("the key is in memory after the pool was filled");
	for (int i = 0; i < WORDS; i++)
		draw(i % 8 + 1);
	randombytes(user_key, sizeof(user_key));
	look_for_hiding_key(permute);
	look_for_hiding_key(permute_back);
	printf("wiped\n");
	return 0;
}
