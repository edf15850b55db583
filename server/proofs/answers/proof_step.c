#include "server/proofs/answers/proof_step.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/claim.h"

int sv_claim_needs(const struct game *game, const char *claim, struct game_interval known, struct sv_claim_needs *out,
		   struct pd_fail *fail)
{
	struct pd_claim read;
	char text[sizeof out->claim];
	PD_ASSERT(known.lo >= game->value_min && known.hi <= game->value_max);
	if (!claim && known.lo == game->value_min && known.hi == game->value_max)
		return pd_fail_set(fail, PD_E_STATE, "position", "nothing is proved about that position");
	if (claim)
		snprintf(text, sizeof text, "%s", claim);
	else if (known.lo == known.hi)
		snprintf(text, sizeof text, "value");
	else
		snprintf(text, sizeof text, "first>=%d",
			 known.lo > game->value_min ? known.lo : known.hi + game->value_step);
	int rc = pd_claim_parse(text, &read, fail);
	if (rc)
		return rc;
	memcpy(out->claim, read.text, sizeof out->claim);
	bool proved = !read.value && known.lo >= read.threshold, refused = !read.value && known.hi < read.threshold;
	if (read.value ? known.lo != known.hi : !proved && !refused)
		return pd_fail_set(fail, PD_E_STATE, "position",
				   "the facts do not answer %s there: the value lies between %d and %d", out->claim,
				   known.lo, known.hi);
	snprintf(out->status, sizeof out->status, "%s",
		 read.value               ? "solved"
		 : proved != read.refusal ? "proved"
					  : "disproved");
	out->lo = read.value || proved;
	out->hi = read.value || refused;
	return PD_OK;
}

const struct pd_reason *sv_need_choose(const struct pd_fact *fact, const struct sv_need *need)
{
	const struct pd_reason *best = NULL;
	for (uint32_t i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(fact)[i];
		if (r->side != need->side || (need->side == PD_LO ? r->bound < need->bound : r->bound > need->bound))
			continue;
		if (need->below != PD_RANK_NONE && r->rank >= need->below)
			continue;
		if (!best || (best->effort && !r->effort) || (!best->effort == !r->effort && r->rank < best->rank))
			best = r;
	}
	return best;
}
