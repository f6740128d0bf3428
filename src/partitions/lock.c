/*-------------------------------------------------------------------------
 *
 * lock.c
 *	  Locks several tables together, without a deadlock.
 *
 * Other transactions lock the same tables in any order.  A transaction that
 * waits for one lock while it holds another can become part of a deadlock,
 * and the server then cancels one of the transactions in it.  Therefore a
 * call takes all its locks at its start, and each table in the strongest mode
 * that the call needs.
 *
 * An attempt waits for its first lock while it holds no other.  For all other
 * locks together it has less time than deadlock_timeout.  If that time runs
 * out, the attempt gives up all its locks, and the next attempt begins with
 * the lock that was missing.
 *
 * Attempts come in rounds.  In each round the first attempt is short, because
 * the transaction in the way may itself wait for this one.  The attempts then
 * get longer, because that transaction may only need more time.  The last
 * attempt of a round waits for its first lock for twice as long as in the
 * round before.
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

#include "cancel.h"
#include "execute.h"
#include "lock.h"
#include "relation.h"
#include "subtransaction.h"

#define DEFAULT_PATIENCE_MS 60000
#define FIRST_ATTEMPT_MS	10

/*
 * Other sessions may have a shorter deadlock_timeout than this one, so a
 * longer one than the default is not relied on.
 */
#define LONGEST_DEADLOCK_MS 1000

/* Parts of the server's lock table: a call fills 1/8, and 1/4 stays free. */
#define SHARE_OF_A_CALL 8
#define SHARE_KEPT_FREE 4

typedef struct Attempt
{
	WantedLocks wanted;
	void *arg;
	int64 first_ms;	  /* how long to wait for the first lock */
	int64 others_ms;  /* how long to wait for all others together */
	Oid missing;	  /* the table that was tried last */
	ErrorData *error; /* of the last attempt */
} Attempt;

pg_noreturn static void reject(const Attempt *last, int64 patience);
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
	/*
	 * The server cancels an autovacuum that holds the lock when a session has
	 * waited for deadlock_timeout.
	 */
	int64 first_longest = 3 * longest;
	int64 left = patience;
	/*
	 * Locks from before this call cannot be given up.  Waiting while they are
	 * held could end in a deadlock, so then no attempt waits.
	 */
	bool no_wait = holds_locks();
	CancelWatch start = iuid_watch_cancels();

	PreventCommandIfReadOnly("ALTER TABLE");
	while (left > 0)
	{
		int64 first_ms = ms;

		/*
		 * Readers that overlap leave no moment without a lock.  Only a
		 * session that stays in the queue gets its turn.
		 */
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
		iuid_raise_cancel(&start);
		/* Other sessions get the tables for about as long as the attempt. */
		pause_for(no_wait ? FIRST_ATTEMPT_MS : ms);
		ms = ms < longest ? Min(2 * ms, longest) : Min(FIRST_ATTEMPT_MS, longest);
		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
	}
	reject(&next, patience);
}

/* Says which table was missing when the patience, in milliseconds, ended. */
static void
reject(const Attempt *last, int64 patience)
{
	/* wanted() itself may have waited for a table that it reads. */
	if (!OidIsValid(last->missing) && last->error != NULL)
		ReThrowError(last->error);
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("could not lock table %s", iuid_qualified_name(last->missing)),
			 errdetail("Within " INT64_FORMAT
					   " ms, the table was never free together with the other tables that the call locks.",
					   patience),
			 errhint(
				 "A long transaction or another maintenance of the table may be running: try again later. The limit is lock_timeout, or one minute if lock_timeout is 0.")));
}

/*
 * Whether the transaction holds locks from before the call, for which other
 * sessions may wait.  Locks on system catalogs do not count, and neither does
 * the lock on the virtual transaction ID.
 */
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

/* Takes all locks, or none: a failed attempt gives up the locks that it got. */
static bool
take_all(Attempt *attempt)
{
	bool taken = iuid_try(take_wanted, attempt, &attempt->error);
	ErrorData *error = attempt->error;

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

	/* The lock that the last attempt missed comes first. */
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

/*
 * Waits up to ms milliseconds for a lock.  The server raises 55P03 if that is
 * not enough.  False if the lock is not free and ms leaves no time to wait.
 */
static bool
take_within(const TableLock *lock, int64 ms)
{
	if (ConditionalLockRelationOid(lock->table, lock->mode))
		return true;
	if (ms <= 0)
		return false;
	set_lock_timeout(ms);
	LockRelationOid(lock->table, lock->mode);
	/*
	 * The time can end at the moment when the lock comes.  The next wait would
	 * forget that it was the time, and the server would take it for a cancel.
	 */
	CHECK_FOR_INTERRUPTS();
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

/* Sleeps for 0.5 to 1.5 times ms, so that two calls do not stay in step. */
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
	/* The table, its TOAST table, and the index of the TOAST table. */
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
