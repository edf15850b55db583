#include "solver/pds_hands.h"

#include <stdlib.h>

struct pds_hands *pds_hands_new(uint64_t bytes)
{
	struct pds_hands *hands = malloc(sizeof *hands);
	size_t buckets = 1;
	while (2 * buckets * PDS_HANDS * sizeof *hands->slots <= bytes)
		buckets *= 2;
	if (!hands)
		return NULL;
	*hands = (struct pds_hands){calloc(buckets * PDS_HANDS, sizeof *hands->slots), buckets - 1};
	if (hands->slots)
		return hands;
	free(hands);
	return NULL;
}

void pds_hands_free(struct pds_hands *hands)
{
	if (hands)
		free(hands->slots);
	free(hands);
}

/* The bucket of a board part; *board is its name there. */
static struct pds_hand *bucket_of(const struct pds_hands *hands, const struct question *q,
				  const struct dominance_place *place, uint64_t *board)
{
	struct pd_id id = question_claim_id(q, place->board);
	*board = id.hi;
	return hands->slots + (id.lo & hands->mask) * PDS_HANDS;
}

void pds_hands_put(struct pds_hands *hands, const struct question *q, const struct dominance_place *place,
		   const uint32_t num[2], uint32_t depth)
{
	uint64_t board;
	struct pds_hand *bucket = bucket_of(hands, q, place, &board), *to = bucket;
	bool there = false;
	for (unsigned i = 0; i < PDS_HANDS && !there; i++) {
		there = bucket[i].uses && bucket[i].board == board && bucket[i].order == place->order;
		if (there || bucket[i].uses < to->uses)
			to = &bucket[i];
	}
	if (num_solved(num)) {
		if (there)
			to->uses = 0;
		return;
	}
	for (unsigned i = 0; i < PDS_HANDS && !there; i++)
		bucket[i].uses -= bucket[i].uses > 1;
	*to = (struct pds_hand){.board = board,
				.order = place->order,
				.num = {num[0], num[1]},
				.depth = there && to->depth < depth ? to->depth : depth,
				.uses = there ? to->uses + 1 : 1};
}

static uint32_t raise_to(uint32_t num, uint32_t other, uint32_t most)
{
	other = other < most ? other : most;
	return num < other ? other : num;
}

void pds_hands_bound(const struct pds_hands *hands, const struct question *q, const struct dominance_place *place,
		     uint32_t depth, uint32_t num[2])
{
	uint64_t board;
	const struct pds_hand *bucket = bucket_of(hands, q, place, &board);
	PD_ASSERT(!num_solved(num));
	for (unsigned i = 0; i < PDS_HANDS; i++) {
		const struct pds_hand *h = &bucket[i];
		if (!h->uses || h->board != board || h->depth > depth)
			continue;
		if (dominance_holds(q->game, h->order, place->order, q->threshold, PD_LO))
			num[0] = raise_to(num[0], h->num[0], PDS_HANDS_PROOF_MAX);
		if (dominance_holds(q->game, place->order, h->order, q->threshold, PD_LO))
			num[1] = raise_to(num[1], h->num[1], PDS_HANDS_DISPROOF_MAX);
	}
}
