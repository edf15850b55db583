/* Lies: workers that gave false results, whose facts are still to be retracted.
 *
 * The file `retract` of a data directory (store/FORMAT.md) names them. It is written as soon as a lie is known, and it
 * is obeyed before a core opens the directory: their facts are retracted, with all that depends on them, and then the
 * file is removed. So a crash at any moment leaves either the file or nothing to be retracted. While it is there, what
 * the directory says may be false: nothing opens it to read (st_retraction_refuse).
 *
 * The file `liars` keeps the numbers for good, also next to backups and in them, because a backup that was made before
 * a lie was known still contains the false facts.
 *
 * A server that learns of a lie takes no more requests, and its host closes the core and opens it again
 * (sv_core_lied). */
#pragma once

#include "proto/base/error.h"
#include "proto/base/mutex.h"

enum { SV_LIARS_MAX = 1024 };

enum { SV_SHARED = 1 };

/* The givers (proto/base/fact.h) that a file names, and other numbers:
 *   0           all workers
 *   SV_SHARED   workers have had solved positions from one another, so a lie of one may be in facts of others
 *   other ones  an event: what all workers had given by then was retracted, because a lie may have spread. Its number
 *               is drawn. A directory that does not know it, such as a backup from before, has yet to do the same. */
struct sv_liars {
	uint32_t giver[SV_LIARS_MAX];
	size_t count; /* 0: there is no file */
};

/* Reads the file of a directory. PD_E_CORRUPT when it is not one that sv_liars_write writes. */
int sv_liars_read(const char *dir, struct sv_liars *out, struct pd_fail *fail);
/* Whether this number is among them. */
bool sv_liars_name(const struct sv_liars *liars, uint32_t giver);
/* Whether facts of all workers are to be retracted. */
bool sv_liars_all(const struct sv_liars *liars);
/* Whether a reason with this `job` is one that is to be retracted. */
bool sv_liars_gave(const struct sv_liars *liars, uint32_t job);
/* Adds one; beyond SV_LIARS_MAX the list means all workers. */
void sv_liars_add(struct sv_liars *liars, uint32_t giver);
/* Writes the file; after a crash or an error (PD_E_IO and the like) either the old or the new one is there. */
int sv_liars_write(const char *dir, const struct sv_liars *liars, struct pd_fail *fail);
/* Reads the file `liars`: the workers that lied before and are never trusted again. A damaged file names none, which is
 * logged. PD_E_NO_MEMORY: it cannot be read now. `fail` may be NULL. */
int sv_liars_banned(const char *dir, struct sv_liars *out, struct pd_fail *fail);
/* Adds numbers other than 0 to the file `liars` of a directory; beyond SV_LIARS_MAX the oldest are dropped. */
int sv_liars_keep(const char *dir, const struct sv_liars *liars, struct pd_fail *fail);
/* Adds to *fresh the workers that lied, and the events, according to another data directory or a place of backups,
 * that `dir` does not name. */
int sv_liars_learn(const char *dir, const char *from, struct sv_liars *fresh, struct pd_fail *fail);
/* Before a server opens a data directory, which may have been copied or restored without its file `liars`: workers
 * named in the place of its backups are added to `dir`, so that their facts are retracted, and those named in `dir` to
 * the place. Errors of the place are logged, those of `dir` returned. */
int sv_liars_exchange(const char *dir, const char *place, struct pd_fail *fail);

struct sv_liars_order {
	const char *graphs;
	unsigned threads;
	void (*patience)(void *ctx); /* called now and then, by one thread at a time; NULL: none */
	void *ctx;
};
/* Bans the workers that the file names for good, retracts what they gave, and removes the file. A line for all workers
 * becomes an event. Does nothing without a file. No server may have the directory open. Errors as of sv_retract; the
 * file is then still there. */
int sv_liars_retract(const char *dir, const struct sv_liars_order *order, struct pd_fail *fail);

/* What a core knows of lies since it was opened. */
struct sv_lies {
	struct pd_mutex lock; /* guards liars, and one write at a time */
	struct sv_liars liars;
	struct sv_liars banned; /* of the directory, as it was opened; does not change */
	atomic_bool told;       /* `liars` is not empty */
	atomic_bool written;    /* the file names all of them */
	atomic_bool by_writer;  /* the writer found one, of which the cluster does not know */
};

struct sv_core;

void sv_lies_init(struct sv_lies *lies);
void sv_lies_fini(struct sv_lies *lies);
/* As `lied` of struct sv_cluster_host, with the core as ctx; writes the file. Any thread. `giver` 0: it is not known
 * which worker lied, and `spread` is true. */
void sv_lied(void *core, uint32_t giver, const char *name, bool spread);
/* As `banned` of struct sv_cluster_host, with the core as ctx. Any thread. */
bool sv_lies_banned(void *core, uint32_t giver);
/* Writes the file again if that has failed. */
void sv_lies_tick(struct sv_core *core);
