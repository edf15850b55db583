/* Storemodel: what a store should contain, in plain arrays, and random batches that change both.
 *
 * A batch is a function of (seed, number of the batch): so a process that was killed can be compared with a model that
 * replays as many batches as the store says it has, and nothing has to be remembered outside. Every batch ends by
 * writing its number into job 1's record. */
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
	bool captured[MODEL_IDS]; /* in the unfinished snapshot, or written since it began */
	bool snapshotting;
	uint32_t events;
	uint64_t record; /* the batch that wrote the record last; 0: none */
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
/* *to is a model, too, and forgets what it was. */
void model_copy(struct model *to, const struct model *from);

/* Applies the next batch to the model, and to `batch` unless it is NULL. 0, or the store's first error: the model has
 * then changed and must not be used any more. */
int model_batch(struct model *model, struct st_batch *batch, struct pd_fail *fail);
/* A start of the store forgets unfinished snapshots; the model's too. */
void model_reopened(struct model *model);
/* The number of batches that the store says it has. */
uint64_t model_batches_of(struct st_store *store);
/* NULL when the store has exactly what the model has, else what differs (a text that lives until the next call). */
const char *model_compare(const struct model *model, struct st_store *store);
/* Likewise; every fact is seen by the walk, and only each stride-th is asked for by its key as well. */
const char *model_compare_some(const struct model *model, struct st_store *store, uint32_t stride);

/* Whether two facts are the same; their bytes may differ in what lies between the members. */
bool model_same(const struct pd_fact *a, const struct pd_fact *b);
/* A random number below n; moves the state. */
uint64_t model_random(uint64_t *state, uint64_t n);
/* The exact key number k; returns its size. */
size_t model_key(uint32_t k, uint8_t *out);
/* A reason that is true of position (game, k), so that reasons never contradict each other. Of some positions there are
 * dozens that are worth keeping. */
struct pd_reason model_reason(uint32_t game, uint32_t k, uint64_t *random);
