/*-------------------------------------------------------------------------
 *
 * random.h
 *	  Random bits that no other process and no later reader can have.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_RANDOM_H
#define IUID_RANDOM_H

#include <stdint.h>

/*
 * 32 random bits that are given out once.  owner is the process id: bits
 * that a parent process drew are never used by its child.  sodium_init()
 * must have succeeded.
 */
extern uint32_t iuid_random_word(int owner);

/* The same, of 64 bits. */
extern uint64_t iuid_random_bits(int owner);

#endif /* IUID_RANDOM_H */
