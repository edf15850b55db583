/* LMDB environments (private to store/).
 *
 * One LMDB environment of ours: opening, closing, its files, its errors. Every code that LMDB returns is translated in
 * one table (env.c). Every put and every commit can be made to fail by tests (st_fault). Every call is guarded
 * (guard.h): a fault in LMDB's map is an error, PD_E_CORRUPT.
 *
 * Data is copied out of the map inside the guard, and only the copy is used. A record counts only when the page that it
 * stands in carries its own page number, which LMDB writes into each page.
 *
 * A fault inside a write transaction leaves LMDB's heap in an unknown state: the environment is `broken` from then on,
 * and this process writes nothing more to it. Readers go on. */
#pragma once

#include <lmdb.h>
#include <sys/queue.h>

#include "proto/base/mutex.h"
#include "store/files.h"
#include "store/guard.h"

enum { ST_HEAD = 512 }; /* bytes at the beginning of a meta page of LMDB: what it holds, in one sector */

/* Counters of st_fault: 0 is off, n makes the n-th call fail. */
struct st_faults {
	atomic_uint put, commit;
};

/* What changes while an environment is open, and what other threads than the writer read. */
struct st_live {
	atomic_bool broken;         /* a write transaction faulted */
	_Atomic(MDB_txn *) writing; /* the write transaction under way; NULL: none */
	bool wrote;                 /* the writer's: the transaction under way has changed something */
	MDB_dbi meta;               /* 0: not open yet; then transactions do not look at their number */
	atomic_uint opened;         /* how often it was opened: cursors opened before are invalid */
};

/* The read gate holds back the read transactions of an environment while it is closed and opened again (read_txn.h).
 * Beginning to read must not take a lock, because it happens for every look-up: a reader sets its `active` flag and then
 * looks at `shut`; the writer sets `shut` and then looks at the flags. One of them sees the other. */
/* One thread's read transaction, as st_read_txn_open fills it. */
struct st_read_txn {
	const struct st_env *env;
	size_t checked;     /* number of the transaction whose stamp was compared (st_txn_check); 0: none */
	MDB_txn *txn;       /* usable while active; NULL: not begun yet, or ended together with its environment */
	atomic_bool active; /* between st_read_txn_renew and st_read_txn_reset */
	LIST_ENTRY(st_read_txn) link;
};

struct st_read_gate {
	struct pd_mutex lock; /* guards the list */
	pthread_cond_t opened;
	LIST_HEAD(, st_read_txn) list;
	atomic_bool shut;      /* no read transaction may become active */
	atomic_bool repairing; /* the writer is about to open the environment again: worth waiting for */
};

struct st_env {
	MDB_env *env;                 /* NULL: it is closed, or could not be opened again (commit_repair.c) */
	const char *name;             /* of the file in the directory; a literal */
	const char *dir;              /* borrowed from the store */
	struct st_faults *faults;     /* borrowed from the store */
	unsigned flags;               /* that it is opened with */
	uint64_t map_bytes;           /* of address space for the map */
	int fd;                       /* our own descriptor of the data file, for as long as it is open; -1: none */
	struct st_file_id data, lock; /* the data file and LMDB's lock file as they were opened */
	struct st_live *live;         /* owned */
	struct st_maps maps;          /* as it is open now */
	unsigned page;                /* bytes of one */
	struct st_read_gate gate;     /* of the read transactions on it */

	/* The writer's: what a failed commit leaves in doubt, until commit_repair.c resolves it. */
	bool doubt;
	bool dead;     /* LMDB refuses all further work with this environment */
	off_t head_at; /* where the last commit wrote its meta page; 0 and size 0: nowhere yet */
	size_t head_size;
	uint8_t head[ST_HEAD]; /* what stood there before */
};

enum st_opening {
	ST_OPEN_WRITE,
	ST_OPEN_NEW, /* for writing; the file may be empty, unknown to other processes */
	ST_OPEN_READ,
	ST_OPEN_READ_UNLOCKED /* the caller made sure that no process writes, and the lock file cannot be had */
};
/* Opens DIR/NAME, which must exist, with the settings that FORMAT.md gives reasons for. If opening fails there is
 * nothing to undo. */
int st_env_open(struct st_env *env, const char *dir, const char *name, enum st_opening how, struct st_faults *faults,
		struct pd_fail *fail);
/* A second call does nothing. */
void st_env_close(struct st_env *env);
/* Closes and opens LMDB's part of it, on the same files; there must be no transaction. *env->env is NULL after a
 * failure. */
int st_env_reopen(struct st_env *env, struct pd_fail *fail);
/* Closes LMDB's part of it; *env->env is NULL then. */
void st_env_drop(struct st_env *env);
/* Whether the directory still has the files that are open, under their names: PD_E_IO when they were removed or
 * replaced. What is written into a file without a name is lost, and a reader with another lock file is not seen. */
int st_env_in_place(const struct st_env *env, struct pd_fail *fail);
/* The size of the data file in bytes, 0 when it cannot be had. */
uint64_t st_env_bytes(const struct st_env *env);
/* Frees the places of readers that have died. */
void st_env_readers(const struct st_env *env);

/* The translation of a code from LMDB, or of ST_DAMAGED, into ours. */
enum pd_error st_error_of_lmdb(int code);
/* Fills *fail for a failed LMDB call; `doing` completes "cannot ...". */
int st_env_fail(const struct st_env *env, int code, const char *doing, struct pd_fail *fail);
/* PD_E_CORRUPT, with what is wrong and what can be done about it. */
int st_env_corrupt(const struct st_env *env, struct pd_fail *fail, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- for env.c, txn.c, record.c and cursor.c alone ---------------------------------------- */
/* st_guard_call for a call that changes what LMDB keeps in memory: a fault in the write transaction breaks the
 * environment. */
int st_guarded(const struct st_env *env, const MDB_txn *txn, int (*call)(void *arg), void *arg);
/* Whether the page that `p` points into bears its own number; true for a page in memory that a write transaction has
 * changed. */
bool st_placed(const struct st_env *env, const void *p);
/* Whether it is the write transaction under way. */
bool st_writes(const struct st_env *env, const MDB_txn *txn);
/* The error of every call that would write to a broken environment. */
int st_env_broken(const struct st_env *env, struct pd_fail *fail);
/* Gives a data file the length that its head says. */
int st_env_lengthen(const struct st_env *env);
/* Takes one from a fault counter; true when this call has to fail. */
bool st_fault_hit(atomic_uint *counter);
