#include "clients/proofcheck/view.h"

#include "proto/base/assert.h"

struct ck_view ck_look(const struct ck_game *game, const struct ck_cert *cert, const struct ck_position *p)
{
	struct ck_view view = {0};
	uint8_t key[CK_KEY_MAX];
	view.over = game->rules->over(game, p, &view.value);
	if (!view.over &&
	    !ck_cert_find(cert, key, game->rules->encode(game, p, key), &view.reason, &view.count, &view.end))
		view.count = 0;
	PD_ASSERT(!view.count || (view.reason && view.reason <= view.end));
	return view;
}

static bool is_strong_enough(bool upper, int64_t has, int64_t wanted)
{
	return upper ? has <= wanted : has >= wanted;
}

bool ck_view_has(const struct ck_game *game, const struct ck_view *view, bool upper, int64_t bound, uint64_t below)
{
	const uint8_t *p = view->reason;
	struct ck_reason r;
	if (ck_is_trivial(game, upper, bound))
		return true;
	if (view->over)
		return is_strong_enough(upper, view->value, bound);
	for (unsigned i = 0; i < view->count; i++) {
		if (ck_reason_read(&p, view->end, &r))
			return false;
		if (r.upper == upper && is_strong_enough(upper, r.bound, bound) &&
		    (below == CK_ANY_RANK || (r.has_rank && r.rank < below)))
			return true;
	}
	return false;
}

bool ck_wins_at_once(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound)
{
	uint16_t moves[CK_MOVES_MAX];
	const struct ck_rules *rules = game->rules;
	int value;
	if (rules->first_moves(game, p) == upper)
		return false;
	unsigned count = rules->moves(game, p, moves);
	for (unsigned i = 0; i < count; i++) {
		struct ck_position next = *p;
		rules->play(game, &next, moves[i]);
		if (rules->over(game, &next, &value) && is_strong_enough(upper, value, bound))
			return true;
	}
	return false;
}

bool ck_theorem_gives(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
		      uint64_t plies)
{
	const struct ck_rules *rules = game->rules;
	struct ck_card card = {.theorem = 0};
	uint8_t witness[CK_WITNESS_MAX];
	unsigned needed = 0;
	if (!rules->card || !rules->find_card || !rules->find_card(game, p, upper, bound, &card, witness))
		return false;
	card.upper = upper;
	card.bound = bound;
	return rules->card(game, p, &card, &needed) && needed != CK_NO_RANK && needed <= plies;
}
