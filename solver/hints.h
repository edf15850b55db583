/* Hints: moves that a search should try first.
 *
 * A hint names a position and the one after a move; the move is not kept, because several moves may lead there, and
 * another position may have the same key. Where the search expands that position, the other children begin with
 * HINT_NUMBER as their number for the mover (num[k], numbers.h) instead of their initial one: they wait until the
 * children that hints name are solved or have reached that number. This changes the order of the search, but not what
 * is proved: initial numbers are finite and prove nothing (P1). */
#pragma once

#include "solver/search.h"

enum { HINT_NUMBER = 100000 };

struct hint {
	struct pd_id at, to; /* identities of positions, without a claim */
};

struct hints {
	struct hint *items; /* owned */
	unsigned count;
};

/* Makes hints of lines from `root`; `names` is the key of the identities. False when memory runs out. */
bool hints_init(struct hints *hints, const struct game *game, const struct pd_identity *names, const void *root,
		const struct pn_line *lines, unsigned count);
void hints_fini(struct hints *hints);

/* Whether a hint is about that position. */
static inline bool hints_at(const struct hints *hints, struct pd_id at)
{
	for (unsigned i = 0; i < hints->count; i++)
		if (pd_id_equal(hints->items[i].at, at))
			return true;
	return false;
}

/* Whether a hint names the step from one position to another. */
static inline bool hints_name(const struct hints *hints, struct pd_id at, struct pd_id to)
{
	for (unsigned i = 0; i < hints->count; i++)
		if (pd_id_equal(hints->items[i].at, at) && pd_id_equal(hints->items[i].to, to))
			return true;
	return false;
}
