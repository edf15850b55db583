#include "clients/proofcheck/zone.h"

#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/cert.h"
#include "clients/proofcheck/strategy.h"
#include "clients/proofcheck/view.h"
#include "proto/base/assert.h"
#include "proto/base/bytes.h"

/* Reads a number of at most `most`; NULL when it is none. */
static const uint8_t *take_number(const uint8_t *p, const uint8_t *end, unsigned most, unsigned *out)
{
	uint64_t v = 0;
	p = p ? ck_varint_read(p, end, &v) : NULL;
	*out = (unsigned)v;
	return v <= most ? p : NULL;
}

bool ck_zone_read(const struct ck_card *card, struct ck_zone *out)
{
	const uint8_t *p = card->witness, *end = p + card->size;
	PD_ASSERT(card->theorem == CK_ZONE && card->size <= CK_WITNESS_MAX);
	for (out->count = 0; p && p < end; out->count++) {
		struct ck_card *a = &out->answer[out->count];
		if (out->count == CK_ZONE_ANSWERS_MAX)
			return false;
		*a = (struct ck_card){.upper = card->upper, .bound = card->bound};
		p = take_number(take_number(p, end, UINT16_MAX, &a->theorem), end, CK_WITNESS_MAX, &a->size);
		if (!p || a->size > end - p || !a->theorem || (a->theorem >= CK_STRATEGY && a->theorem <= CK_ZONE))
			return false;
		a->witness = p;
		p += a->size;
	}
	return p && out->count;
}

unsigned ck_zone_plies(const struct ck_game *g, const struct ck_zone *zone, const struct ck_position *p, uint64_t below)
{
	int value;
	if (!g->rules->card || g->rules->over(g, p, &value))
		return 0;
	for (unsigned i = 0; i < zone->count; i++) {
		unsigned plies;
		if (g->rules->card(g, p, &zone->answer[i], &plies) && plies != CK_NO_RANK && plies < below)
			return plies;
	}
	return 0;
}

/* --- finding ------------------------------------------------------------------------------- */

static size_t answer_bytes(const struct ck_card *a, uint8_t head[2 * PD_VARINT_MAX])
{
	return (size_t)(pd_put_varint(pd_put_varint(head, a->theorem), a->size) - head);
}

/* The bytes of all answers, which are written to `room` unless it is NULL. */
static size_t write_answers(const struct ck_zone *zone, uint8_t *room)
{
	uint8_t head[2 * PD_VARINT_MAX];
	size_t at = 0;
	for (unsigned i = 0; i < zone->count; i++) {
		const struct ck_card *a = &zone->answer[i];
		size_t size = answer_bytes(a, head);
		if (room) {
			memcpy(room + at, head, size);
			if (a->size)
				memcpy(room + at + size, a->witness, a->size);
		}
		at += size + a->size;
	}
	return at;
}

/* A zone while it is being found, with the replies that need an answer. */
struct finding {
	struct ck_zone zone;
	uint8_t room[CK_ZONE_ANSWERS_MAX + 1][CK_WITNESS_MAX]; /* of the answers, and of one more */
	unsigned replies;
	struct ck_position *after; /* each reply that an answer gives the bound, owned */
};

/* Adds an answer for the position after a reply, if there is one, and room for it. */
static bool add_answer(struct finding *f, const struct ck_game *g, const struct ck_position *p, bool upper,
		       int64_t bound)
{
	struct ck_zone *zone = &f->zone;
	struct ck_card *a = &zone->answer[zone->count];
	unsigned plies;
	if (zone->count == CK_ZONE_ANSWERS_MAX || !g->rules->find_card(g, p, upper, bound, a, f->room[zone->count]))
		return false;
	a->upper = upper;
	a->bound = bound;
	if (a->size)
		memmove(f->room[zone->count], a->witness, a->size);
	a->witness = f->room[zone->count];
	zone->count++;
	if (write_answers(zone, NULL) <= CK_WITNESS_MAX && g->rules->card(g, p, a, &plies) && plies != CK_NO_RANK)
		return true;
	zone->count--;
	return false;
}

/* Drops answers without which all replies still have one. */
static void drop_answers(struct finding *f, const struct ck_game *g)
{
	for (unsigned i = f->zone.count; i-- > 0 && f->zone.count > 1;) {
		struct ck_zone less = f->zone;
		bool enough = true;
		memmove(&less.answer[i], &less.answer[i + 1], (less.count - i - 1) * sizeof less.answer[0]);
		less.count--;
		for (unsigned k = 0; k < f->replies && enough; k++)
			enough = ck_zone_plies(g, &less, &f->after[k], UINT64_MAX);
		if (enough)
			f->zone = less;
	}
}

static void find_answers(struct finding *f, const struct ck_game *g, const struct ck_position *p, bool upper,
			 int64_t bound)
{
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = g->rules->moves(g, p, moves);
	f->after = malloc(count * sizeof *f->after);
	for (unsigned i = 0; i < count && f->after; i++) {
		struct ck_position *after = &f->after[f->replies];
		int value;
		*after = *p;
		g->rules->play(g, after, moves[i]);
		if (!g->rules->over(g, after, &value) && !ck_wins_at_once(g, after, upper, bound) &&
		    (ck_zone_plies(g, &f->zone, after, UINT64_MAX) || add_answer(f, g, after, upper, bound)))
			f->replies++;
	}
	if (f->after)
		drop_answers(f, g);
}

bool ck_zone_find(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound, struct ck_card *out,
		  uint8_t *room)
{
	struct finding *f = g->rules->find_card ? calloc(1, sizeof *f) : NULL;
	if (!f)
		return false;
	PD_ASSERT(g->rules->first_moves(g, p) == upper);
	find_answers(f, g, p, upper, bound);
	bool pays = f->zone.count && f->replies > f->zone.count;
	if (pays)
		*out = (struct ck_card){upper, bound, CK_ZONE, room, (unsigned)write_answers(&f->zone, room)};
	free(f->after);
	free(f);
	return pays;
}
