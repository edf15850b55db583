/* Leaf task: the search of one leaf that another process's level 1 is waiting for (remote.h).
 *
 * A runner belongs to one game and one set of options, and is used by one thread. It has an arena, and a cache of
 * solved positions, which is kept from one task to the next: its own, or one that the runners of several threads share.
 * A task uses nothing else besides its own content. */
#pragma once

#include "solver/leaf.h"
#include "solver/leaf_proof.h"
#include "solver/tunables.h"

/* Solved positions that runners of one game share. */
struct pn_leaf_cache;

/* `game` is borrowed and outlives the cache; `bytes`: its size, which it has from the start; `identity`: key of the
 * position hashes, chosen by this process. Any thread may use the cache. NULL: no memory. */
struct pn_leaf_cache *pn_leaf_cache_new(const struct game *game, uint64_t bytes, uint64_t identity);
/* No runner may use it any more. */
void pn_leaf_cache_free(struct pn_leaf_cache *cache);

struct pn_leaf_runner;

struct pn_leaf_runner_setup {
	const struct game *game;     /* borrowed; outlives the runner */
	struct pn_leaf_cache *cache; /* of this game; borrowed. NULL: the runner has its own, of `identity` */
	uint64_t memory;             /* bytes for the arena, and for a cache of its own; at least PN_MEMORY_MIN */
	uint64_t nodes_max;          /* largest budget of a task: the arena is no larger than this many nodes need */
	uint64_t identity;           /* key of the position hashes, chosen by this process */
	bool weak, mobility, heuristics, knowledge; /* as in struct pn_options */
	uint64_t seed;
};

int pn_leaf_runner_new(const struct pn_leaf_runner_setup *setup, struct pn_leaf_runner **out, struct pd_fail *fail);
void pn_leaf_runner_free(struct pn_leaf_runner *runner);

/* Begins a task; a task in progress is dropped. PD_E_CORRUPT with field "key" when the key does not belong to the game,
 * PD_E_CLAIM with field "threshold" when the claim is off its scale. */
int pn_leaf_begin(struct pn_leaf_runner *runner, const struct pn_leaf_task *task, struct pd_fail *fail);
/* Searches about `nodes` nodes. True when the task is over. */
bool pn_leaf_run(struct pn_leaf_runner *runner, uint64_t nodes);
/* Writes the result of a task that is over; `giver` is 0. */
void pn_leaf_result(const struct pn_leaf_runner *runner, struct pn_leaf_result *out);
/* Writes positions that the task solved on the way, those with most effort first; returns how many, at most `max` and
 * PN_LEAF_SOLVED_MAX. */
unsigned pn_leaf_solved(const struct pn_leaf_runner *runner, struct pn_leaf_solved *out, unsigned max);
/* Writes a proof of a task that is over and solved (leaf_proof.h), to `bytes` (PN_PROOF_BYTES); returns its size. Looks
 * at no more than about `positions` positions. 0: there is none within these bounds, or no memory. The first call takes
 * half a megabyte beyond the runner's memory. */
size_t pn_leaf_prove(struct pn_leaf_runner *runner, uint64_t positions, uint8_t *bytes);
/* Adds a solved position that the caller vouches for to the runner's cache, or to a shared one. False: no search of
 * this game can have found it. */
bool pn_leaf_learn(struct pn_leaf_runner *runner, const struct pn_leaf_solved *known);
bool pn_leaf_cache_learn(struct pn_leaf_cache *cache, const struct pn_leaf_solved *known);
