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
 * An attempt waits for its first lock while it holds no other of its locks.  For
 * all other locks together it has less time than deadlock_timeout.  If that time
 * runs out, the attempt gives up all its locks, and the next attempt begins with
 * the lock that was missing.
 *
 * Others wait for each other's locks longer than an attempt does: a session
 * that queued behind the first lock of an attempt can hold the second, and
 * can be about to look for a deadlock.  So this session looks for one as soon
 * as it waits for another lock, and is the one that ends its wait.  It looks
 * again and again, as a session that comes later looks after deadlock_timeout.
 *
 * The transaction can hold locks from before the call, and if it is called by
 * SELECT ... FROM a table, it does.  CREATE INDEX CONCURRENTLY waits for the
 * transaction itself.  While another session waits for one of these, no
 * attempt waits.
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
#include "postgres.h"

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
#include "utils/timeout.h"
#include "utils/timestamp.h"

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

/*
 * How long a call goes on while another session waits for a lock that the
 * transaction held before: with that session all those behind it stand still.
 * It looks for such a session between two waits, so one wait takes no longer.
 */
#define WAITED_FOR_MS 5000

/* When a session that holds a lock and waits for another looks for a deadlock. */
#define FIRST_LOOK_MS 2

/* The part of the server's lock table that a call fills is 1/8. */
#define SHARE_OF_A_CALL 8

typedef struct Attempt
{
	Oid table; /* that wanted() reads */
	WantedLocks wanted;
	void *arg;
	int64 first_ms;	 /* how long to wait for the first lock */
	int64 others_ms; /* how long to wait for all others together */
	int64 every_ms;	 /* how often to look for a deadlock */
	Oid missing;	 /* the table that was tried last */
} Attempt;

pg_noreturn static void reject(const Attempt *last, int64 patience,
							   bool was_waited_for);
static bool holds_locks(void);
static bool is_waited_for(void);
static TimeoutId deadlock_timer(void);
static bool take_all(Attempt *attempt);
static bool take_wanted(void *arg);
static List *first_to_front(List *locks, Oid first);
static void take_in_order(List *locks, Attempt *attempt);
static void take_within(Attempt *attempt, const TableLock *lock, int64 ms,
						int64 look_ms);
static void pause_for(int64 ms);
static bool same_locks(List *one, List *other);

void
iuid_take_locks(Oid table, WantedLocks wanted, void *arg)
{
	int64 patience = LockTimeout > 0 ? LockTimeout : DEFAULT_PATIENCE_MS;
	TimestampTz start = GetCurrentTimestamp();
	TimestampTz deadline = TimestampTzPlusMilliseconds(start, patience);
	Attempt next = { .table = table, .wanted = wanted, .arg = arg };
	int64 longest = Max(Min(DeadlockTimeout, LONGEST_DEADLOCK_MS) / 2, 1);
	int64 ms = Min(FIRST_ATTEMPT_MS, longest);
	/*
	 * The server cancels an autovacuum that holds the lock when a session has
	 * waited for deadlock_timeout.
	 */
	int64 first_longest = 3 * longest;
	bool has_timeout = get_timeout_active(STATEMENT_TIMEOUT);
	bool was_waited_for = false;
	bool holds = holds_locks();

	next.every_ms = Max(longest, FIRST_ATTEMPT_MS);
	PreventCommandIfReadOnly("ALTER TABLE");
	PreventCommandIfParallelMode("ALTER TABLE");
	for (;;)
	{
		int64 left =
			TimestampDifferenceMilliseconds(GetCurrentTimestamp(), deadline);
		bool no_wait = is_waited_for();
		int64 first_ms = ms;

		if (no_wait && !was_waited_for)
		{
			was_waited_for = true;
			left = Min(left, WAITED_FOR_MS);
			deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), left);
		}

		/*
		 * Readers that overlap leave no moment without a lock.  Only a
		 * session that stays in the queue gets its turn.
		 */
		if (ms == longest)
		{
			first_ms = first_longest;
			first_longest *= 2;
		}
		if (holds)
			first_ms = Min(first_ms, WAITED_FOR_MS);
		next.first_ms = no_wait ? 0 : Min(first_ms, left);
		next.others_ms = no_wait ? 0 : Min(ms, left);
		if (take_all(&next))
		{
			iuid_wait_at_most(Min(patience, longest));
			return;
		}
		/* The server forgets that it ended if a lock attempt ended, too. */
		if (has_timeout && !get_timeout_active(STATEMENT_TIMEOUT))
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("canceling statement due to statement timeout")));
		if (GetCurrentTimestamp() >= deadline)
			break;
		/* Other sessions get the tables for about as long as the attempt. */
		pause_for(no_wait ? FIRST_ATTEMPT_MS : ms);
		ms = ms < longest ? Min(2 * ms, longest) : Min(FIRST_ATTEMPT_MS, longest);
	}
	reject(&next, TimestampDifferenceMilliseconds(start, deadline),
		   was_waited_for && holds);
}

/* Says which table was missing when the patience, in milliseconds, ended. */
static void
reject(const Attempt *last, int64 patience, bool was_waited_for)
{
	ereport(ERROR,
			(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
			 errmsg("could not lock table %s", iuid_qualified_name(last->missing)),
			 errdetail("Within %lld ms, the table was never free together with the other tables that the call locks.",
					   (long long) patience),
			 was_waited_for ?
				 errhint(
					 "Another session waits for a lock that this transaction held before the call: call the function in a transaction of its own.") :
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

/*
 * Whether another session waits for a lock of this transaction.  That session
 * may hold a lock for which this one would wait.
 */
static bool
is_waited_for(void)
{
	return iuid_query_int64("SELECT pg_catalog.count(*) FROM pg_catalog.pg_locks AS l"
							" WHERE NOT l.granted AND pg_catalog.pg_backend_pid() OPERATOR(pg_catalog.=)"
							" ANY (pg_catalog.pg_blocking_pids(l.pid))",
							0) > 0;
}

/* Takes all locks, or none: a failed attempt gives up the locks that it got. */
static bool
take_all(Attempt *attempt)
{
	TimeoutId timer = deadlock_timer();
	ErrorData *error;
	volatile bool taken = false;

	PG_TRY();
	{
		taken = iuid_try(take_wanted, attempt, &error);
	}
	PG_FINALLY();
	{
		disable_timeout(timer, false);
	}
	PG_END_TRY();
	/* The time of a wait can end together with the wait for another reason. */
	if (!taken && get_timeout_indicator(LOCK_TIMEOUT, true))
		QueryCancelPending = false;
	if (error != NULL && error->sqlerrcode != ERRCODE_LOCK_NOT_AVAILABLE &&
		error->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED)
		ReThrowError(error);
	return taken;
}

/* The server's own handler: it makes a session that waits look for a deadlock. */
static TimeoutId
deadlock_timer(void)
{
	static TimeoutId timer;

	if (timer < USER_TIMEOUT)
		timer = RegisterTimeout(USER_TIMEOUT, CheckDeadLockAlert);
	return timer;
}

static bool
take_wanted(void *arg)
{
	Attempt *attempt = arg;
	const TableLock reading = { attempt->table, AccessShareLock };
	Oid first = attempt->missing;
	int guc_level = NewGUCNestLevel();
	List *locks;
	bool taken;

	/* Whoever changes the table is waited for as for the first lock. */
	take_within(attempt, &reading, attempt->first_ms, attempt->every_ms);
	iuid_wait_at_most(attempt->others_ms);
	locks = attempt->wanted(attempt->arg);
	UnlockRelationOid(attempt->table, AccessShareLock);

	take_in_order(first_to_front(locks, first), attempt);
	taken = same_locks(locks, attempt->wanted(attempt->arg));
	AtEOXact_GUC(false, guc_level);
	return taken;
}

/* The lock that the last attempt missed comes first. */
static List *
first_to_front(List *locks, Oid first)
{
	ListCell *lc;

	foreach (lc, locks)
	{
		TableLock *lock = lfirst(lc);

		if (lock->table == first)
			return lcons(lock, list_delete_ptr(list_copy(locks), lock));
	}
	return locks;
}

static void
take_in_order(List *locks, Attempt *attempt)
{
	TimestampTz limit =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), attempt->first_ms);
	ListCell *lc;

	foreach (lc, locks)
	{
		bool is_first = lc == list_head(locks);

		take_within(attempt, lfirst(lc),
					TimestampDifferenceMilliseconds(GetCurrentTimestamp(), limit),
					is_first ? attempt->every_ms : FIRST_LOOK_MS);
		if (is_first)
			limit = TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
												attempt->others_ms);
	}
}

/*
 * Waits up to ms milliseconds for a lock: 55P03 if that is not enough.  Looks
 * for a deadlock after look_ms, and then again and again.
 */
static void
take_within(Attempt *attempt, const TableLock *lock, int64 ms, int64 look_ms)
{
	/*
	 * The time of a wait can end at the moment when its lock comes.  The next
	 * wait would forget that it was the time, and the server would take it for
	 * a cancel.  What is wanted can have waited, too, for a catalog.
	 */
	CHECK_FOR_INTERRUPTS();
	attempt->missing = lock->table;
	if (ConditionalLockRelationOid(lock->table, lock->mode))
		return;
	if (ms <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("could not lock table %u", lock->table)));
	iuid_wait_at_most(ms);
	enable_timeout_every(deadlock_timer(),
						 TimestampTzPlusMilliseconds(GetCurrentTimestamp(),
													 look_ms),
						 (int) attempt->every_ms);
	LockRelationOid(lock->table, lock->mode);
	CHECK_FOR_INTERRUPTS();
}

void
iuid_wait_at_most(int64 ms)
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

/*
 * How many objects the server locks, beside tables and indexes, to drop a table
 * like this one: its two types, and its constraints, defaults and triggers.  A
 * foreign key has two triggers and its constraint.
 */
static int
objects_of(Relation table)
{
	TupleConstr *constr = RelationGetDescr(table)->constr;
	int objects = 2 + list_length(RelationGetIndexList(table));

	if (constr != NULL)
		objects += constr->num_defval + constr->num_check;
	if (table->trigdesc != NULL)
		objects += 2 * table->trigdesc->numtriggers;
	return objects;
}

int
iuid_tables_per_call(Oid table, bool drop)
{
	Relation relation = table_open(table, AccessShareLock);
	/* The table, its TOAST table, and the index of the TOAST table. */
	int each = 3 + list_length(RelationGetIndexList(relation));
	int64 size = (int64) max_locks_per_xact * (MaxBackends + max_prepared_xacts);

	if (drop)
		each += objects_of(relation);
	table_close(relation, AccessShareLock);
	return Max(size / SHARE_OF_A_CALL / each, 1);
}
