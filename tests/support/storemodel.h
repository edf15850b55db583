/* Storemodel: the expected contents of a store in plain arrays, and random batches that change both.
 *
 * A batch is a function of the seed and its number, so after a kill the store can be compared with a model that replays
 * as many batches as the store has. Every batch ends by writing its number into the record of job 1. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

enum {
	MODEL_JOBS = 4,    /* numbers 1..4 */
	MODEL_GAMES = 3,   /* numbers 1..3 */
	MODEL_IDS = 600,   /* identities of table entries of a job */
	MODEL_KEYS = 3000, /* exact keys of a game */
	MODEL_EVENTS = 4096
};

struct model_job {
	bool present[MODEL_IDS]; /* the table */
	struct st_tt_entry entry[MODEL_IDS];
	bool captured[MODEL_IDS]; /* in the unfinished snapshot, or written since its start */
	bool snapshotting;
	uint32_t events;
	uint64_t record; /* the last batch that wrote the record; 0: none */
};

struct model {
	uint64_t seed;
	uint64_t batches; /* done */
	struct model_job job[MODEL_JOBS + 1];
	struct pd_fact fact[MODEL_GAMES + 1][MODEL_KEYS];
	uint64_t facts; /* with at least one reason */
};

struct model *model_new(uint64_t seed);
void model_free(struct model *model);
/* *to must be a model; its contents are replaced. */
void model_copy(struct model *to, const struct model *from);

/* Applies the next batch to the model, and to `batch` unless it is NULL. 0, or the store's first error: the model has
 * then changed and must not be used any more. */
int model_batch(struct model *model, struct st_batch *batch, struct pd_fail *fail);
/* Forgets unfinished snapshots, as the start of a store does. */
void model_reopened(struct model *model);
/* The number of batches in the store. */
uint64_t model_batches_of(struct st_store *store);
/* NULL if the store has exactly the contents of the model; otherwise the difference, valid until the next call. */
const char *model_compare(const struct model *model, struct st_store *store);
/* The same, but looks up only each stride-th fact by its key; the walk still sees every fact. */
const char *model_compare_some(const struct model *model, struct st_store *store, uint32_t stride);

/* Whether two facts are equal; padding bytes may differ. */
bool model_same(const struct pd_fact *a, const struct pd_fact *b);
/* A random number below n; advances the state. */
uint64_t model_random(uint64_t *state, uint64_t n);
/* The exact key number k; returns its size. */
size_t model_key(uint32_t k, uint8_t *out);
/* A true reason of position (game, k): reasons never contradict each other. Some positions have dozens. */
struct pd_reason model_reason(uint32_t game, uint32_t k, uint64_t *random);
