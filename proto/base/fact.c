#include "proto/base/fact.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

/* The strength on one scale for both sides; larger is stronger. */
static int reason_strength(const struct pd_reason *r)
{
	return r->side == PD_LO ? r->bound : -r->bound;
}

/* How directly a reason can be checked: one ply down, by another position, or by a search. */
static unsigned reason_kind(const struct pd_reason *r)
{
	return r->effort ? 2 : r->dominated ? 1 : 0;
}

/* Whether a makes b useless: same side, at least as strong, at most as long; of two equal reasons, the one that can be
 * checked more directly is better. */
static bool reason_dominates(const struct pd_reason *a, const struct pd_reason *b)
{
	if (a->side != b->side || reason_strength(a) < reason_strength(b) || a->rank > b->rank)
		return false;
	bool equal = reason_strength(a) == reason_strength(b) && a->rank == b->rank;
	return !equal || reason_kind(a) <= reason_kind(b);
}

bool pd_fact_reserve(struct pd_fact *fact, uint32_t count)
{
	if (count <= (fact->many ? fact->room : PD_REASONS_FEW))
		return true;
	uint32_t room = fact->many ? fact->room : PD_REASONS_FEW;
	while (room < count)
		room *= 2;
	struct pd_reason *many = realloc(fact->many, room * sizeof *many);
	if (!many)
		return false;
	if (!fact->many)
		memcpy(many, fact->few, fact->count * sizeof *many);
	fact->many = many;
	fact->room = room;
	return true;
}

static struct pd_reason *fact_list(struct pd_fact *fact)
{
	return fact->many ? fact->many : fact->few;
}

bool pd_fact_copy(struct pd_fact *to, const struct pd_fact *from)
{
	if (!pd_fact_reserve(to, from->count))
		return false;
	memcpy(fact_list(to), pd_fact_reasons(from), from->count * sizeof(struct pd_reason));
	to->count = from->count;
	return true;
}

void pd_fact_keep(struct pd_fact *fact, bool (*good)(void *ctx, const struct pd_reason *reason), void *ctx)
{
	struct pd_reason *r = fact_list(fact);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < fact->count; i++)
		if (good(ctx, &r[i]))
			r[kept++] = r[i];
	fact->count = kept;
}

int pd_fact_add(struct pd_fact *fact, const struct pd_reason *reason)
{
	const struct pd_reason *other = pd_fact_best(fact, reason->side == PD_LO ? PD_HI : PD_LO), new = *reason;
	if (other && (new.side == PD_LO ? new.bound > other->bound : new.bound < other->bound))
		return -1;
	const struct pd_reason *old = pd_fact_reasons(fact);
	uint32_t kept = 0, at = 0;
	for (uint32_t i = 0; i < fact->count; i++) {
		if (reason_dominates(&old[i], &new))
			return 0;
		kept += !reason_dominates(&new, &old[i]);
	}
	if (!pd_fact_reserve(fact, kept + 1))
		return -2;
	struct pd_reason *r = fact_list(fact);
	kept = 0;
	for (uint32_t i = 0; i < fact->count; i++) {
		if (reason_dominates(&new, &r[i]))
			continue;
		r[kept++] = r[i];
		bool after = new.side > r[i].side ||
			     (new.side == r[i].side &&reason_strength(&new) <= reason_strength(&r[i]));
		at = after ? kept : at;
	}
	memmove(&r[at + 1], &r[at], (kept - at) * sizeof *r);
	r[at] = new;
	fact->count = kept + 1;
	return 1;
}

const struct pd_reason *pd_fact_deciding(const struct pd_fact *fact)
{
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (lo && hi)
		return lo->bound > 0 ? lo : hi->bound < 0 ? hi : lo->rank > hi->rank ? lo : hi;
	return lo ? lo : hi;
}

const struct pd_reason *pd_fact_find(const struct pd_fact *fact, enum pd_side side, int bound)
{
	const struct pd_reason *r = pd_fact_reasons(fact), *found = NULL;
	for (uint32_t i = 0; i < fact->count; i++)
		if (r[i].side == side && (side == PD_LO ? r[i].bound >= bound : r[i].bound <= bound) &&
		    (!found || r[i].rank < found->rank))
			found = &r[i];
	return found;
}

const char *pd_giver_print(uint32_t giver, char text[PD_GIVER_TEXT])
{
	PD_ASSERT(pd_is_giver(giver));
	snprintf(text, PD_GIVER_TEXT, "%08" PRIx32, giver);
	return text;
}

uint32_t pd_giver_parse(const char *text)
{
	size_t size = strlen(text);
	if (strspn(text, "0123456789abcdefABCDEF") != size || (size != 8 && size != 16))
		return 0;
	uint64_t number = strtoull(text, NULL, 16);
	if (size == 16)
		return pd_giver_of(number);
	return pd_is_giver((uint32_t)number) ? (uint32_t)number : 0;
}
