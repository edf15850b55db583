/* Experiment lines: the experiments of a data directory as lines of JSON (store/DUMP.md), as dumps and backups hold
 * them.
 *
 * What is copied is verified before and after. A server may run experiments meanwhile: one that is removed is left out,
 * and of its results the runs that have ended are taken. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/ref.h"

struct sv_experiment_walk {
	/* Takes a line with its end; anything but PD_OK ends the walk and is returned. NULL: they are verified only. */
	int (*put)(void *ctx, const char *line, size_t size, struct pd_fail *fail);
	/* Hears of a damaged one, "experiment 3", which is left out. */
	void (*damaged)(void *ctx, const char *name, const char *why);
	void *ctx;
	uint32_t count; /* of whole ones so far */
};
/* Goes through the experiments of a data directory, in the order of their numbers. PD_E_IO, PD_E_NO_MEMORY. */
int sv_experiments_walk(const char *data, struct sv_experiment_walk *walk, struct pd_fail *fail);

/* Makes experiments of such lines, in a new data directory. */
struct sv_experiment_taker {
	const char *data, *like; /* they get the owner of `like` */
	uint32_t count;          /* whole ones so far */
	uint32_t last, number;   /* of the one before, and of the one that is being read; 0: none */
	struct pd_buf suite, runs;
};
void sv_experiment_taker_init(struct sv_experiment_taker *taker, const char *data, const char *like);
void sv_experiment_taker_fini(struct sv_experiment_taker *taker);
/* Takes a line, which is treated as hostile. PD_E_PARAMS with the member as the field; PD_E_IO, PD_E_NO_MEMORY. */
int sv_experiment_take(struct sv_experiment_taker *taker, pr_ref line, struct pd_fail *fail);
/* PD_E_PARAMS with field "experiment" when lines of the last one are missing. */
int sv_experiment_take_end(const struct sv_experiment_taker *taker, struct pd_fail *fail);
/* Takes all lines of a file. A line that is refused is PD_E_CORRUPT. */
int sv_experiments_restore(FILE *file, struct sv_experiment_taker *taker, struct pd_fail *fail);

struct sv_experiments_copied {
	uint32_t experiments, damaged; /* damaged: left out */
};
/* Copies what is sound of FROM to the new data directory TO. */
int sv_experiments_copy(const char *from, const char *to, struct sv_experiments_copied *out, struct pd_fail *fail);
/* Removes all experiments of a data directory; failures are ignored. */
void sv_experiments_discard(const char *data);
