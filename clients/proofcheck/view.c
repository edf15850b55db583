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
