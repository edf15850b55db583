/* Table types: what a build or a check of a table is asked, and what it tells. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

enum { SV_TABLE_THREADS_MAX = 256 };

enum sv_table_phase { SV_TABLE_MOVES, SV_TABLE_PREDECESSORS, SV_TABLE_PLIES, SV_TABLE_WRITING };

struct sv_table_progress {
	const char *class;
	enum sv_table_phase phase;
	unsigned plies;     /* settled so far */
	uint64_t done, all; /* entries of the phase */
};

struct sv_table_order {
	const char *dir;  /* the data directory; its folder for tables is made if it does not exist */
	const char *game; /* full name */
	const char *class;
	unsigned threads;    /* 1..SV_TABLE_THREADS_MAX */
	uint64_t memory;     /* bytes that the build may take; 0: three quarters of what the machine has */
	double checkpoint_s; /* seconds between two checkpoints */
	/* Called several times a second by the calling thread; false: stop after a checkpoint. May be NULL. */
	bool (*go_on)(void *ctx, const struct sv_table_progress *so_far);
	void *ctx;
};

struct sv_table_built {
	char class[GAME_CLASS_NAME]; /* canonical */
	/* Tables that were built, those of them in place of damaged ones, and those that already existed. */
	unsigned made, replaced, there;
	/* Of the table of the class. */
	uint64_t entries, wins, losses, draws, bytes;
	unsigned longest;
	uint8_t digest[32];
};
