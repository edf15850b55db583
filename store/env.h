/* LMDB environments (private to store/).
 *
 * One LMDB environment of ours: opening, closing, its files, its errors. Every code that LMDB returns is translated in
 * one table (env.c). Every put and every commit can be made to fail by tests (st_fault). Every call is guarded
 * (guard.h): a fault in LMDB's map is an error, PD_E_CORRUPT.
 *
 * Data is copied out of the map inside the guard, and only the copy is used. A record counts only when its page carries
 * its own page number, which LMDB writes into each page.
 *
 * A fault inside a write transaction leaves LMDB's heap in an unknown state: the environment is `broken` from then on,
 * and this process writes nothing more to it. Readers go on. */
#pragma once

#include <lmdb.h>
#include <sys/queue.h>

#include "proto/base/mutex.h"
#include "store/files.h"
#include "store/guard.h"

enum { ST_HEAD = 512 }; /* bytes of a meta page of LMDB that are in use, in one sector */

/* Counters of st_fault: 0 is off, n makes the n-th call fail. */
struct st_faults {
	atomic_uint put, commit;
};

/* What changes while an environment is open, and is read by threads other than the writer's. */
struct st_live {
	atomic_bool broken;         /* a write transaction faulted */
	_Atomic(MDB_txn *) writing; /* the open write transaction; NULL: none */
	bool wrote;                 /* the writer's: its transaction has changed something */
	MDB_dbi meta;               /* 0: not open yet; then the numbers of transactions are not compared */
	atomic_uint opened;         /* how often it was opened: cursors opened before are invalid */
};

/* The read gate holds back the read transactions of an environment while it is closed and opened again (read_txn.h).
 * Beginning to read must not take a lock, because it happens for every look-up: a reader sets its `active` flag and
 * then looks at `shut`; the writer sets `shut` and then looks at the flags. One of them sees the other. */
/* One thread's read transaction, as st_read_txn_begin fills it. */
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
	unsigned flags;               /* of mdb_env_open */
	uint64_t map_bytes;           /* address space of the map */
	int fd;                       /* our own descriptor of the data file, for as long as it is open; -1: none */
	struct st_file_id data, lock; /* the data file and LMDB's lock file as they were opened */
	struct st_live *live;         /* owned */
	struct st_maps maps;          /* where it is mapped now */
	unsigned page;                /* bytes of a page */
	struct st_read_gate gate;     /* of the read transactions on it */

	/* The writer's: what a failed commit leaves in doubt, until commit_repair.c resolves it. */
	bool doubt;
	bool dead;     /* LMDB refuses all further work with this environment */
	off_t head_at; /* where the last commit wrote its meta page; with head_size 0 there was none */
	size_t head_size;
	uint8_t head[ST_HEAD]; /* the former content of that place */
};

enum st_opening {
	ST_OPEN_WRITE,
	ST_OPEN_NEW, /* for writing; the file may be empty, and other processes do not use it */
	ST_OPEN_READ,
	ST_OPEN_READ_UNLOCKED /* without the lock file; the caller makes sure that no process writes */
};
/* Opens DIR/NAME, which must exist. After a failure nothing is open. */
int st_env_open(struct st_env *env, const char *dir, const char *name, enum st_opening how, struct st_faults *faults,
		struct pd_fail *fail);
/* A second call does nothing. */
void st_env_close(struct st_env *env);
/* Closes LMDB's environment and opens it again on the same files, without transactions. env->env is NULL after a
 * failure. */
int st_env_reopen(struct st_env *env, struct pd_fail *fail);
/* Closes LMDB's environment; env->env is NULL then. */
void st_env_drop(struct st_env *env);
/* PD_E_IO when the open files were removed from the directory or replaced: data written to a file without a name is
 * lost, and a reader with another lock file is not seen. */
int st_env_in_place(const struct st_env *env, struct pd_fail *fail);
/* The size of the data file in bytes, 0 when it cannot be read. */
uint64_t st_env_bytes(const struct st_env *env);
/* Frees the reader slots of dead processes. */
void st_env_readers(const struct st_env *env);

/* Fills *fail for a failed LMDB call; `doing` completes "cannot ...". */
int st_env_fail(const struct st_env *env, int code, const char *doing, struct pd_fail *fail);
/* PD_E_CORRUPT, with what is wrong and the remedy. */
int st_env_corrupt(const struct st_env *env, struct pd_fail *fail, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* --- for env.c, txn.c, record.c and cursor.c alone ---------------------------------------- */
/* st_guard_call for a call that changes what LMDB keeps in memory: a fault in the write transaction breaks the
 * environment. */
int st_guarded(const struct st_env *env, const MDB_txn *txn, int (*call)(void *arg), void *arg);
/* Whether the page that `p` points into has its own number; also true for a page that a write transaction has changed
 * in memory. */
bool st_placed(const struct st_env *env, const void *p);
/* Whether `txn` is the open write transaction. */
bool st_writes(const struct st_env *env, const MDB_txn *txn);
/* The error of every call that would write to a broken environment. */
int st_env_broken(const struct st_env *env, struct pd_fail *fail);
/* Extends a data file to the length that its head states. */
int st_env_lengthen(const struct st_env *env);
/* Decrements a fault counter; true when this call has to fail. */
bool st_fault_hit(atomic_uint *counter);
