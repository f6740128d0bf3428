/*-------------------------------------------------------------------------
 *
 * lock.c
 *	  Locks on several tables at once, at nobody's cost.
 *
 * Other transactions lock the same tables in any order.  Whoever waits for
 * one lock while holding another can become part of a deadlock, and the
 * server then ends one of those who wait.  So everything a call needs is
 * locked at its start, the strongest first.  An attempt waits for its first
 * lock with nothing in its hands.  For all the others it has less time than
 * the server takes to look for a deadlock; if that is over, all are given
 * up, and the next attempt begins with the one that was missing.  Attempts
 * are short at first, as what is in the way may in turn wait for us, and
 * then longer and longer, as it may just take its time.
 *
 * Copyright (c) 2026, the iuid authors
 *
 *-------------------------------------------------------------------------
 */
#include "compat.h"

#include "access/table.h"
#include "access/transam.h"
#include "access/twophase.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "lock.h"
#include "owner.h"
#include "subtransaction.h"

#define DEFAULT_PATIENCE_MS 60000
#define FIRST_ATTEMPT_MS	10

/* Others may look for a deadlock earlier than a session that waits longer. */
#define LONGEST_DEADLOCK_MS 1000

/* What a call may fill of the server's lock table, and what must stay free. */
#define SHARE_OF_A_CALL 8
#define SHARE_KEPT_FREE 4

typedef struct Attempt
{
	WantedLocks wanted;
	void *arg;
	int64 first_ms; /* how long to wait for the first one */
	int64 others_ms;
	Oid missing; /* the one that was waited for in vain, or is now */
} Attempt;

static bool holds_locks(void);
static bool take_all(Attempt *attempt);
static bool take_wanted(void *arg);
static void take_in_order(List *locks, Attempt *attempt);
static bool take_within(const TableLock *lock, int64 ms);
static void set_lock_timeout(int64 ms);
static void pause_for(int64 ms);
static bool same_locks(List *one, List *other);

void
iuid_take_locks(WantedLocks wanted, void *arg)
{
	int64 patience = LockTimeout > 0 ? LockTimeout : DEFAULT_PATIENCE_MS;
	TimestampTz deadline =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), patience);
	Attempt next = { .wanted = wanted, .arg = arg, .missing = InvalidOid };
	int64 longest = Max(Min(DeadlockTimeout, LONGEST_DEADLOCK_MS) / 2, 1);
	int64 ms = Min(FIRST_ATTEMPT_MS, longest);
	/* Past deadlock_timeout the server sends away an autovacuum in the way. */
	int64 first_longest = 3 * longest;
	int64 left = patience;
	/* What the transaction holds cannot be given up, so there is no waiting. */
	bool no_wait = holds_locks();

	while (left > 0)
	{
		int64 first_ms = ms;

		/* Behind readers who overlap, the turn comes to who stays in the queue. */
		if (ms == longest)
		{
			first_ms = first_longest;
			first_longest *= 2;
		}
		next.first_ms = no_wait ? 0 : Min(first_ms, left);
		next.others_ms = no_wait ? 0 : Min(ms, left);
		if (take_all(&next))
		{
			set_lock_timeout(Min(patience, longest));
			return;
		}
		/* The others get at the tables for about as long. */
		pause_for(no_wait ? FIRST_ATTEMPT_MS : ms);
		ms = ms < longest ? Min(2 * ms, longest) : Min(FIRST_ATTEMPT_MS, longest);
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
	}
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("could not lock table %s", iuid_qualified_name(next.missing)),
			 errdetail("Within " INT64_FORMAT
					   " ms, it was never free together with the others that are needed.",
					   patience),
			 errhint(
				 "Another maintenance of the table may be running, or a long transaction: try again later. The time is that of lock_timeout, or a minute.")));
}

/* Whether others may be waiting for this transaction, whatever is given up here. */
static bool
holds_locks(void)
{
	char *query =
		psprintf("SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks"
				 " WHERE pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()"
				 " AND locktype OPERATOR(pg_catalog.<>) 'virtualxid'::pg_catalog.text"
				 " AND (relation IS NULL OR relation OPERATOR(pg_catalog.>=) '%u'::pg_catalog.oid)",
				 FirstNormalObjectId);

	return iuid_query_int64(query, 0) > 0;
}

/* What is not had is given back. */
static bool
take_all(Attempt *attempt)
{
	ErrorData *error;
	bool taken = iuid_try(take_wanted, attempt, &error);

	if (error != NULL && error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE &&
		error->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED)
		ReThrowError(error);
	return taken;
}

static bool
take_wanted(void *arg)
{
	Attempt *attempt = arg;
	int guc_level = NewGUCNestLevel();
	List *locks = attempt->wanted(attempt->arg);
	bool taken;

	take_in_order(locks, attempt);
	taken = same_locks(locks, attempt->wanted(attempt->arg));
	AtEOXact_GUC(false, guc_level);
	return taken;
}

static void
take_in_order(List *locks, Attempt *attempt)
{
	TimestampTz limit =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), attempt->first_ms);
	ListCell *lc;

	/* The one that was missing goes to the front. */
	foreach (lc, locks)
	{
		TableLock *lock = lfirst(lc);

		if (lock->table == attempt->missing)
		{
			locks = lcons(lock, list_delete_ptr(list_copy(locks), lock));
			break;
		}
	}

	foreach (lc, locks)
	{
		const TableLock *lock = lfirst(lc);

		attempt->missing = lock->table;
		if (!take_within(lock,
						 TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														 limit)))
			ereport(ERROR,
					(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
					 errmsg("could not lock table %u", lock->table)));
		if (lc == list_head(locks))
			limit = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
												attempt->others_ms);
	}
}

/* A wait that is too long is the server's own error; false for no time at all. */
static bool
take_within(const TableLock *lock, int64 ms)
{
	if (ConditionalLockRelationOid(lock->table, lock->mode))
		return true;
	if (ms <= 0)
		return false;
	set_lock_timeout(ms);
	LockRelationOid(lock->table, lock->mode);
	return true;
}

static void
set_lock_timeout(int64 ms)
{
	char timeout[16];

	snprintf(timeout, sizeof(timeout), "%d", (int) Max(ms, 1));
	(void) set_config_option("lock_timeout", timeout, PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Half as long, up to one and a half times, so that nobody keeps step. */
static void
pause_for(int64 ms)
{
	double some = ms * (0.5 + pg_prng_double(&pg_global_prng_state));

	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Max((long) some, 1), PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

static bool
same_locks(List *one, List *other)
{
	ListCell *a, *b;

	if (list_length(one) != list_length(other))
		return false;
	forboth(a, one, b, other)
	{
		const TableLock *x = lfirst(a), *y = lfirst(b);

		if (x->table != y->table || x->mode != y->mode)
			return false;
	}
	return true;
}

int
iuid_tables_per_call(Oid table)
{
	Relation relation = table_open(table, AccessShareLock);
	/* The table, its TOAST table and that one's index. */
	int each = 3 + list_length(RelationGetIndexList(relation));
	int64 size = (int64) max_locks_per_xact * (MaxBackends + max_prepared_xacts);
	int64 used =
		iuid_query_int64("SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks",
						 0);
	int64 left =
		Min(size / SHARE_OF_A_CALL, size - size / SHARE_KEPT_FREE - used);

	table_close(relation, AccessShareLock);
	if (size - used < each)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("too many locks are held to make or drop a partition"),
				 errdetail("The server has room for " INT64_FORMAT
						   " locks, and " INT64_FORMAT " are taken.",
						   size, used),
				 errhint(
					 "Commit what was done so far, or increase max_locks_per_transaction.")));
	return Max(left / each, 1);
}
