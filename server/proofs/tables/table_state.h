/* Table state: what one build or check of a table has in memory (private to this folder).
 *
 * The workers share it during a phase: each takes chunks of entries from `next`. */
#pragma once

#include <stdatomic.h>

#include "proto/base/table.h"
#include "server/proofs/tables/table_build.h"

/* The state of an entry, 16 bits: plies << 2 | kind. A win or loss whose plies are not above those settled is final. */
enum sv_due {
	DUE_WAITS, /* not decided; if it is lost, then within at least so many plies */
	DUE_WIN,
	DUE_LOSS,
	DUE_SAFE, /* never lost: a draw unless a move turns out to win */
	DUE_HOLE = 0xffff
};

enum { SV_TABLE_CHUNK = PD_TABLE_BLOCK };

/* The table of a class that moves lead to. */
struct sv_table_next {
	struct game_class class;
	uint16_t *entry; /* owned */
};

struct sv_table_work {
	const struct sv_table_order *order;
	struct game *game; /* borrowed; without tables */
	struct game_class class;
	struct sv_table_next next[GAME_CLASS_NEXT_MAX];
	unsigned next_count;
	_Atomic uint16_t *due;   /* owned; one an entry */
	_Atomic uint16_t *left;  /* owned; moves inside the class that may still not lose */
	_Atomic uint32_t *start; /* owned; first predecessor of an entry, and one more */
	uint32_t *edge;          /* owned; predecessors */
	unsigned settled;        /* plies */
	atomic_uint most;        /* the greatest plies of any entry that is due */
	atomic_uint_fast64_t taken;
	atomic_bool stop;   /* go_on said so, or a worker found something wrong */
	atomic_bool broken; /* a table of `next` has a hole where there is a position */
	struct sv_table_progress progress;
	uint64_t told_ns; /* when go_on was last called */
	/* The first entry that is wrong, of a check; or what a worker met. */
	atomic_uint_fast64_t wrong; /* number of an entry + 1; 0: none */
	void (*work)(struct sv_table_work *w, uint64_t from, uint64_t to);
};

/* Runs work over all entries in chunks, by all threads. False when it was stopped. */
bool sv_table_run(struct sv_table_work *w, enum sv_table_phase phase,
		  void (*work)(struct sv_table_work *w, uint64_t from, uint64_t to));
/* Opens the game and the class, and reads the tables of the classes that moves lead to, which must exist. */
int sv_table_load_next(struct sv_table_work *w, struct pd_fail *fail);
void sv_table_work_fini(struct sv_table_work *w);
/* The position after a move: *inside is its number in the class of the work, or UINT32_MAX; its entry is then
 * returned. */
uint16_t sv_table_after(const struct sv_table_work *w, const void *child, uint32_t *inside);

/* table_file.c */

struct st_table_file;

/* Whether the directory has the table, sound in header and index; 1, 0, or -1 with *fail. */
int sv_table_there(const struct sv_table_work *w, const struct game_class *class, struct sv_table_built *out,
		   struct pd_fail *fail);
/* Takes the lock of a class; PD_E_BUSY. *fd is released by sv_table_unlock. */
int sv_table_lock(const struct sv_table_work *w, int *fd, struct pd_fail *fail);
void sv_table_unlock(const struct sv_table_work *w, int fd);
/* Writes `due`, `left` and `settled`; reads them back, 1: there was a checkpoint, 0: there is none that can be used. */
int sv_table_save(const struct sv_table_work *w, struct pd_fail *fail);
int sv_table_restore(struct sv_table_work *w, struct pd_fail *fail);
void sv_table_forget(const struct sv_table_work *w);
/* Writes the finished table. */
int sv_table_write(struct sv_table_work *w, struct sv_table_built *out, struct pd_fail *fail);
/* Whether the disk has room for checkpoint and table. */
int sv_table_room(const struct sv_table_work *w, struct pd_fail *fail);
/* Opens a table; what the header says must fit the class. */
int sv_table_open(const struct sv_table_work *w, const struct game_class *class, struct st_table_file **out,
		  struct pd_fail *fail);
/* What an open table says of itself. */
void sv_table_tell(const struct st_table_file *file, struct sv_table_built *out);
/* Adds an entry to the counts of a header. */
void sv_table_count(struct pd_table_head *head, uint16_t entry);
/* Computes the digest of an open table. */
int sv_table_digest(struct st_table_file *file, uint8_t out[PD_TABLE_DIGEST], struct pd_fail *fail);
