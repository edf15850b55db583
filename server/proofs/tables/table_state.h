/* Table state: what one build or check of a table has in memory (private to this folder).
 *
 * The workers share it during a phase: each takes chunks of entries from `next`. */
#pragma once

#include <stdatomic.h>

#include "proto/base/table_format.h"
#include "server/proofs/tables/table_types.h"

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
	_Atomic uint16_t *due;   /* owned; one per entry */
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
