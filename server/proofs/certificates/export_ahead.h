/* Export ahead: threads that search leaves again before the walk of an export comes to them.
 *
 * Most leaves are found by the first search of a regeneration (pn_leaf_first_search), whose result depends on the leaf
 * alone. The walk asks for the needs that it puts on its stack; a thread looks up what the store has of such a position
 * and, if that is a leaf, searches it, and then the leaves in its proof. When the walk comes to a leaf it takes the
 * result, waits for it if a thread is searching the leaf, or makes the search itself. So the certificate is the same
 * with any number of threads; only time differs.
 *
 * Only the thread of the walk asks and takes. Newer questions are answered first. Questions and results are
 * limited in number, and the oldest are dropped. */
#pragma once

#include "server/proofs/answers/proof_step.h"
#include "solver/bounded.h"
#include "store/store.h"

struct sv_ahead;

/* `threads`: besides that of the walk, at least 1. NULL when none can be started: then nothing is searched ahead. Game
 * and store are borrowed. */
struct sv_ahead *sv_ahead_new(struct st_store *store, const struct game *game, uint32_t game_id, unsigned threads);
/* Waits for the threads; NULL is fine. */
void sv_ahead_free(struct sv_ahead *ahead);

/* Asks for the leaf that answers a need, by the facts of the store. */
void sv_ahead_ask_need(struct sv_ahead *ahead, const uint8_t *key, const struct sv_need *need);
/* Takes the result of a leaf's first search, or makes that search: its facts go to `fact`. False: it finds nothing, and
 * the leaf needs more than that search. */
bool sv_ahead_take(struct sv_ahead *ahead, const uint8_t *key, size_t size, const struct pd_reason *leaf,
		   pn_fact_sink *fact, void *ctx);
