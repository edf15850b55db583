/* Leaves: records with a changed rank or effort. Exactly one record is false, if any, so the checker must refuse it
 * when its rank is smaller than the distance that retrograde analysis says. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lab/leaves_round.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/retro.h"

enum {
	POSITIONS_MAX = 20000, /* that the root may lead to */
	CYCLIC_MAX = 150000,   /* the same where positions can come back: then these are all there are */
	RECORDS_MAX = 400,
	DISTANCE_MAX = 7, /* a refusal takes the whole tree of these plies */
	WHOLE_EVERY = 16, /* changes: the whole certificate is checked */
	UPPER = 1,
	RANK = 2,
	MOVE = 4,
	EFFORT = 8
};

struct change {
	struct leaves_round *round;
	struct retro *retro;
	unsigned claim[RETRO_CLAIMS_MAX]; /* by threshold, from value_min + 1 */
	struct forge forge;
};

static bool analyse_change(struct change *c)
{
	const struct game *g = c->round->game;
	if (g->value_max - g->value_min > RETRO_CLAIMS_MAX)
		return false;
	c->retro = retro_new(g, g->acyclic ? POSITIONS_MAX : CYCLIC_MAX);
	if (!retro_add(c->retro, &c->round->root))
		return false;
	for (int t = g->value_min + 1; t <= g->value_max; t++)
		c->claim[t - g->value_min - 1] = retro_solve(c->retro, t);
	return true;
}

/* The plies that the bound takes; UINT_MAX when it is not true. */
static unsigned distance_of(const struct change *c, const struct forge_record *r, const struct forge_reason *a)
{
	const struct game *g = c->round->game;
	unsigned distance = 0;
	bool upper = a->flags & UPPER;
	int threshold = (int)a->bound + upper;
	uint32_t at = retro_find_key(c->retro, r->key, r->key_size);
	if (at == RETRO_NONE)
		return UINT32_MAX;
	bool holds = retro_holds_at(c->retro, c->claim[threshold - g->value_min - 1], at, &distance);
	return holds != upper ? distance : UINT32_MAX;
}

/* Another rank or effort for the reason: mostly a leaf with a rank about the distance. */
static void change_reason(struct forge_reason *a, unsigned distance, uint64_t *random)
{
	static const uint64_t efforts[] = {1, 100, 5000, UINT32_MAX};
	uint64_t told = a->rank;
	if (walk_below(random, 4)) {
		a->flags = (a->flags & (UPPER | RANK)) | EFFORT;
		a->effort = efforts[walk_below(random, 3)];
	}
	switch (walk_below(random, 4)) {
	case 0:
		a->rank = distance - 1;
		break;
	case 1:
		a->rank = 1 + walk_below(random, distance);
		break;
	case 2:
		a->rank = distance + walk_below(random, 3);
		break;
	default:
		a->rank = told - walk_below(random, 3);
		break;
	}
	if (a->rank < 1 || a->rank > told + DISTANCE_MAX)
		a->rank = 1;
	if (a->flags & EFFORT && walk_below(random, 64) == 0)
		a->effort = efforts[3];
}

/* What the checker says of one record. */
static bool is_accepted(struct change *c, const struct pd_buf *file, const struct forge_record *r)
{
	struct leaves_open o;
	struct ck_walk walk;
	bool wrong = false, good = false;
	leaves_open(&o, file);
	for (uint64_t i = 0; !o.wrong && i < o.cert.header.blocks; i++) {
		ck_walk_begin(&o.cert, i, &walk, &o.fault);
		while (ck_walk_next(&walk, &wrong, &o.fault))
			if (walk.record.key_size == r->key_size && !memcmp(walk.record.key, r->key, r->key_size))
				good = ck_judge_record(o.judge, &walk.record, walk.end, &o.fault) == CK_GOOD;
	}
	if (o.wrong)
		leaves_fault(c->round, "a changed certificate cannot be opened: %s", o.fault.text);
	leaves_close(&o);
	return good;
}

/* Judges the certificate with one reason changed, from what it was `before`. */
static void judge_change(struct change *c, const struct forge_record *r, const struct forge_reason *a,
			 unsigned distance)
{
	struct leaves_sum *sum = c->round->sum;
	struct pd_buf file;
	struct ck_fault fault;
	bool lie = a->rank < distance;
	pd_buf_init(&file, SIZE_MAX);
	forge_fit(&c->forge);
	forge_write(&c->forge, true, &file);
	bool accepted = is_accepted(c, &file, r);
	if (lie && sum->changes % WHOLE_EVERY == 0)
		accepted |= leaves_verified(&file, &fault);
	sum->changes++;
	sum->lies += lie;
	sum->accepted += lie && accepted;
	sum->missed += !lie && !accepted && a->flags & EFFORT;
	if (lie && accepted)
		leaves_fault(c->round, "rank %" PRIu64 " is accepted where %u plies are needed (flags %u)", a->rank,
			     distance, a->flags);
	pd_buf_fini(&file);
}

static void change_one(struct change *c)
{
	uint64_t *random = &c->round->random;
	struct forge_record *r = &c->forge.record[walk_below(random, (unsigned)c->forge.count)];
	struct forge_reason *a = &r->reason[walk_below(random, r->count)], before = *a;
	unsigned distance = distance_of(c, r, a);
	if (distance == UINT32_MAX)
		leaves_fault(c->round, "a bound is false, or a record is of no position that can be reached");
	if (!(a->flags & RANK) || distance < 1 || distance > DISTANCE_MAX)
		return;
	if (a->rank < distance)
		leaves_fault(c->round, "a rank of %" PRIu64 " is exported where %u plies are needed", a->rank,
			     distance);
	change_reason(a, distance, random);
	if (a->rank != before.rank || a->effort != before.effort || a->flags != before.flags)
		judge_change(c, r, a, distance);
	*a = before;
}

void leaves_change(struct leaves_round *round, unsigned changes)
{
	struct change c = {.round = round};
	bool good = forge_read(&c.forge, round->file.data, round->file.size);
	if (!good)
		leaves_fault(round, "the certificate cannot be read");
	if (good && c.forge.count && c.forge.count <= RECORDS_MAX && analyse_change(&c)) {
		forge_set(&c.forge, FORGE_detail, "frontier");
		for (unsigned i = 0; i < changes; i++)
			change_one(&c);
	}
	forge_fini(&c.forge);
	if (c.retro)
		retro_free(c.retro);
}
