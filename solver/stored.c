/* The meaning of transposition table entries outside a search: for checks and salvage of what is on disk. */
#include "solver/ghi.h"
#include "solver/solver.h"

enum { PATHDEP_LEAST = NUM_PATH_DEPENDENT - GAME_CYCLIC_PLIES_MAX /* no path is longer, and no rank as great */ };

struct pd_id pn_entry_id(const struct game *game, const struct pd_identity *names, int threshold, const uint8_t *key,
			 size_t size)
{
	struct question q = question_of(game, threshold);
	q.identity = names;
	return question_claim_id(&q, question_key_id(&q, key, size));
}

enum pn_entry_kind pn_entry_kind(const struct game *game, const uint32_t num[2])
{
	if (!num_solved(num))
		return PN_ENTRY_OPEN;
	if (!num_sound(num))
		return PN_ENTRY_BROKEN;
	if (num_rank(num) == 0)
		return PN_ENTRY_END;
	return !game->acyclic && num_rank(num) >= PATHDEP_LEAST ? PN_ENTRY_PATH : PN_ENTRY_FACT;
}

struct pd_reason pn_entry_reason(const struct game *game, int threshold, const uint32_t num[2])
{
	struct question q = question_of(game, threshold);
	return question_reason_of(&q, num);
}
