/* The engine `tree`: plain best-first PN search in one arena, the algorithm `pn`. It uses the rules alone, to check the
 * other algorithms. `pn2` (pn2.h) begins with the same struct and shares the functions below. */
#pragma once

#include "solver/engine.h"
#include "solver/tree.h"

/* One search thread's tree. Owned by the solver's search_thread; one thread at a time runs it. */
struct tree_engine {
	struct pn_engine engine;          /* first */
	const struct pn_options *options; /* borrowed */
	struct fact_buffer *facts;        /* borrowed */
	struct tree tree;
};

/* Engine calls (engine.h). */
void tree_engine_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading);
game_move tree_engine_move(const struct pn_engine *engine);
/* The nodes spent on a position are those below it now, and those that solved and freed sub-trees took. */
bool tree_engine_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out);
