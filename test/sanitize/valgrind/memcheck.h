/*-------------------------------------------------------------------------
 *
 * memcheck.h
 *	  AddressSanitizer is told what the server tells valgrind.
 *
 * To AddressSanitizer a memory context is a few large malloc()s: it would not
 * see an access past the end of a chunk, or after pfree().  With USE_VALGRIND
 * the server says which bytes nobody may touch, with the macros of valgrind's
 * header of this name: chunks of memory contexts that are not in use, what is
 * between the chunks, shared buffers that are not pinned.
 *
 * AddressSanitizer does not know whether a byte has been written.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef IUID_MEMCHECK_H
#define IUID_MEMCHECK_H

#include <sanitizer/asan_interface.h>

#define VALGRIND_MAKE_MEM_NOACCESS(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define VALGRIND_MAKE_MEM_DEFINED(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#define VALGRIND_MAKE_MEM_UNDEFINED(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#define VALGRIND_CHECK_MEM_IS_DEFINED(start, size) ((void) 0)

/* A pool is a memory context.  What it frees was wiped before, with NOACCESS. */
#define VALGRIND_CREATE_MEMPOOL(pool, redzones, zeroed) ((void) 0)
#define VALGRIND_DESTROY_MEMPOOL(pool) ((void) 0)
#define VALGRIND_MEMPOOL_ALLOC(pool, start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#define VALGRIND_MEMPOOL_CHANGE(pool, old, start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#define VALGRIND_MEMPOOL_FREE(pool, start) ((void) 0)

#endif
