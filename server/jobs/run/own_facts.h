/* Own facts: what a run has found recently, hidden from its own lookups for a while (P4).
 *
 * A run's facts come back to its search through the store; with a small transposition table that saves searching the
 * same positions again. When they are committed depends on the clock. To make a search with one thread repeatable, they
 * stay hidden until it reaches a certain number of nodes, a barrier. At one barrier the run takes a checkpoint; at the
 * next it waits until that checkpoint is on disk (it usually is already). From then on the search sees what it had
 * found before that checkpoint.
 *
 * The hidden positions are in two Bloom filters: those found since the last checkpoint at a barrier, and those in that
 * checkpoint. A false positive (one in thirty, where every node finds a fact) is searched although it is known, in
 * every repetition alike; it has no other effect.
 *
 * For the search thread that has the job. Searches with several threads, or with remote leaves, hide nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sv_own_filter {
	uint64_t *words; /* owned */
	unsigned shift;  /* 2^(64 - shift) of them are in use */
};

struct sv_own_facts {
	struct sv_own_filter found, taken; /* found since the last checkpoint at a barrier; in that checkpoint */
	uint64_t due;                      /* nodes of the run at which the next barrier is */
	unsigned factor;                   /* number of this search's nodes that take as long as one of level 1 */
	bool writing;                      /* at the next barrier the run waits for the checkpoint; else it takes one */
};

/* `level2`: most nodes are of level 2, which are quicker. False when there is no memory for it (2 MiB). */
bool sv_own_facts_init(struct sv_own_facts *own, bool level2);
void sv_own_facts_fini(struct sv_own_facts *own);
/* The search has found a fact about that position. */
void sv_own_facts_add(struct sv_own_facts *own, const uint8_t *key, size_t size);
bool sv_own_facts_hide(const struct sv_own_facts *own, const uint8_t *key, size_t size);
/* Passes a barrier, after its checkpoint was taken or the previous one is on disk. `nodes`: of the run so far. */
void sv_own_facts_pass(struct sv_own_facts *own, uint64_t nodes);
