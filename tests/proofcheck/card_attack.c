#include "tests/proofcheck/card_attack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "proto/base/bytes.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

/* Processor time of this thread. */
static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void card_attack_open(struct card_attack *a, const char *game, uint32_t cap, uint64_t seed)
{
	struct walk_state s = {{0}};
	memset(a, 0, sizeof *a);
	a->seed = seed;
	if (game_open(game, NULL, &a->game, NULL) || ck_open(&a->mine, game, NULL, 0, NULL))
		abort();
	a->truth = retro_new(a->game, cap);
	a->game->rules->start(a->game, &s);
	if (!retro_add(a->truth, &s))
		abort();
	a->claim[0] = retro_solve(a->truth, 0);
	a->claim[1] = retro_solve(a->truth, 1);
}

void card_attack_close(struct card_attack *a)
{
	retro_free(a->truth);
	ck_close(&a->mine);
	game_close(a->game);
}

/* A position on both sides, and the claims that hold in it. */
struct target {
	struct walk_state state;
	struct ck_position p;
	bool holds[2];
	unsigned distance[2];
};

static void load_target(struct card_attack *a, uint32_t position, struct target *t)
{
	char text[GAME_TEXT_MAX];
	memset(t, 0, sizeof *t);
	retro_state(a->truth, position, &t->state);
	a->game->rules->print(a->game, &t->state, text, sizeof text);
	if (a->mine.rules->read(&a->mine, text, &t->p))
		abort();
	for (unsigned i = 0; i < 2; i++)
		t->holds[i] = retro_holds_at(a->truth, a->claim[i], position, &t->distance[i]);
}

/* Whether the bound is true within that many plies. */
static bool is_true(const struct target *t, bool upper, int64_t bound, unsigned plies)
{
	int64_t threshold = upper ? bound + 1 : bound;
	if (threshold < 0 || threshold > 1)
		return threshold < 0 ? !upper : upper; /* trivial */
	return t->holds[threshold] == !upper && t->distance[threshold] <= plies;
}

static void tell_fault(struct card_attack *a, const struct target *t, const struct ck_card *card, const char *what)
{
	char text[GAME_TEXT_MAX];
	a->game->rules->print(a->game, &t->state, text, sizeof text);
	int n = snprintf(a->fault, sizeof a->fault, "%s %.100s: T%u %s for %s %d:", a->game->name, text, card->theorem,
			 what, card->upper ? "at most" : "at least", (int)card->bound);
	for (unsigned i = 0; i < card->size && n < (int)sizeof a->fault - 4; i++)
		n += snprintf(a->fault + n, sizeof a->fault - (size_t)n, " %u", card->witness[i]);
}

/* Whether the card is accepted; counts it as wrong when it is false. */
static bool judge_card(struct card_attack *a, const struct target *t, const struct ck_card *card, card_verifier *verify)
{
	unsigned plies = 0;
	uint64_t begin = now_ns();
	bool good = verify(&a->mine, &t->p, card, &plies);
	a->card_ns += now_ns() - begin;
	a->cards++;
	if (good && !is_true(t, card->upper, card->bound, plies)) {
		tell_fault(a, t, card, "is accepted");
		a->wrong++;
	}
	return good;
}

/* --- honest cards ------------------------------------------------------------------------- */

/* Asks the solver for the bound; false when it has no card. */
static bool ask_solver(struct card_attack *a, const struct target *t, bool upper, int64_t bound, struct ck_card *out,
		       uint8_t *room)
{
	struct game_theorem theorem;
	int value;
	if (!a->game->rules->theorem || a->game->rules->immediate_win(a->game, &t->state, &value) ||
	    !a->game->rules->theorem(a->game, &t->state, (int)bound + upper, &theorem, room) || theorem.proved == upper)
		return false;
	*out = (struct ck_card){upper, bound, theorem.number, room, theorem.witness};
	return true;
}

/* Asks both sides for a card; room has 2 * CK_WITNESS_MAX bytes. Returns how many there are. */
static unsigned ask_both(struct card_attack *a, const struct target *t, bool upper, int64_t bound,
			 struct ck_card cards[2], uint8_t *room)
{
	unsigned count = ask_solver(a, t, upper, bound, &cards[0], room);
	uint64_t begin = now_ns();
	bool found = a->mine.rules->find_card(&a->mine, &t->p, upper, bound, &cards[count], room + CK_WITNESS_MAX);
	a->find_ns += now_ns() - begin;
	a->finds++;
	a->honest += count;
	a->found += found;
	a->more += found && !count;
	if (count && !found) {
		tell_fault(a, t, &cards[0], "is missed by find_card");
		a->missed++;
	}
	for (unsigned i = 0; i < count + found; i++)
		if (!judge_card(a, t, &cards[i], a->mine.rules->card)) {
			tell_fault(a, t, &cards[i], i < count ? "of the solver is refused" : "of find_card is refused");
			a->refused++;
		}
	return count + found;
}

/* --- forged cards ------------------------------------------------------------------------- */

struct draft {
	uint8_t bytes[CK_WITNESS_MAX + 16];
	unsigned size;
};

/* The offset of a random group; the size when there is none. */
static unsigned pick_group(struct card_attack *a, const struct draft *d)
{
	unsigned starts[CK_WITNESS_MAX], count = 0;
	for (unsigned at = 0; at < d->size; at += 1 + 2 * d->bytes[at])
		starts[count++] = at;
	return count ? starts[walk_below(&a->seed, count)] : d->size;
}

static unsigned end_of_group(const struct draft *d, unsigned group)
{
	unsigned end = group + (group < d->size ? 1 + 2u * d->bytes[group] : 0);
	return end < d->size ? end : d->size;
}

/* A random empty square, or now and then any number. */
static unsigned pick_square(struct card_attack *a, const struct target *t)
{
	unsigned squares = a->mine.width * a->mine.height, square;
	if (!a->mine.turn && walk_below(&a->seed, 4)) { /* Connect Four: where a stone would fall */
		square = walk_below(&a->seed, a->mine.width);
		while (square < squares && t->p.at[square])
			square += a->mine.width;
		if (square < squares)
			return square;
	}
	for (unsigned tries = 0; tries < 20; tries++) {
		square = walk_below(&a->seed, squares);
		if (!t->p.at[square])
			return square;
	}
	return walk_below(&a->seed, squares + 3);
}

static void add_group(struct card_attack *a, const struct target *t, struct draft *d, unsigned size)
{
	if (d->size + 1 + 2 * size > CK_WITNESS_MAX)
		return;
	d->bytes[d->size++] = (uint8_t)size;
	for (; size; size--, d->size += 2)
		pd_put_le16(d->bytes + d->size, (uint16_t)pick_square(a, t));
}

/* Random groups: of one size, but for a first one, as in T2 and T11. */
static void draft_groups(struct card_attack *a, const struct target *t, struct draft *d)
{
	unsigned size = walk_below(&a->seed, 4) ? a->mine.turn + 1 : 1 + walk_below(&a->seed, 4);
	size = a->mine.turn ? size : 2;
	d->size = 0;
	if (walk_below(&a->seed, 2))
		add_group(a, t, d, a->mine.turn ? 1 + walk_below(&a->seed, a->mine.turn) : 1);
	for (unsigned groups = walk_below(&a->seed, 5); groups; groups--)
		add_group(a, t, d, size);
}

static void change_draft(struct card_attack *a, const struct target *t, struct draft *d)
{
	unsigned group = pick_group(a, d), end = end_of_group(d, group), size = end - group;
	switch (walk_below(&a->seed, 8)) {
	case 0: /* a byte */
		if (d->size)
			d->bytes[walk_below(&a->seed, d->size)] = (uint8_t)walk_random(&a->seed);
		break;
	case 1: /* a square */
	case 2:
		if (size >= 3)
			pd_put_le16(d->bytes + group + 1 + 2 * walk_below(&a->seed, size / 2),
				    (uint16_t)pick_square(a, t));
		break;
	case 3: /* a group less */
		memmove(d->bytes + group, d->bytes + end, d->size - end);
		d->size -= size;
		break;
	case 4: /* a group twice */
		if (d->size + size <= CK_WITNESS_MAX) {
			memcpy(d->bytes + d->size, d->bytes + group, size);
			d->size += size;
		}
		break;
	case 5:
		add_group(a, t, d, size >= 3 ? size / 2 : 2);
		break;
	case 6: /* a square less in a group */
		if (size >= 5) {
			d->bytes[group]--;
			memmove(d->bytes + end - 2, d->bytes + end, d->size - end);
			d->size -= 2;
		}
		break;
	case 7: /* squares of two groups change places */
		if (d->size >= 6) {
			unsigned one = pick_group(a, d), two = pick_group(a, d);
			if (one + 2 < d->size && two + 2 < d->size) {
				uint16_t square = pd_get_le16(d->bytes + one + 1);
				pd_put_le16(d->bytes + one + 1, pd_get_le16(d->bytes + two + 1));
				pd_put_le16(d->bytes + two + 1, square);
			}
		}
		break;
	}
}

static void forge_card(struct card_attack *a, const struct target *t, const struct ck_card *honest,
		       card_verifier *verify)
{
	struct draft d = {.size = 0};
	struct ck_card card = *honest;
	unsigned way = walk_below(&a->seed, 8);
	const uint8_t *from = way < 2 || !honest->witness ? a->other : honest->witness;
	d.size = from == a->other ? a->other_size : honest->size;
	memcpy(d.bytes, from, d.size);
	if (way == 2 || way == 3)
		draft_groups(a, t, &d);
	if (a->mine.turn && way < 5 && walk_below(&a->seed, 4)) { /* m,n,k: groups that stop a side */
		card.theorem = walk_below(&a->seed, 2) ? 5 : 11;
		card.upper = (t->p.turn == 0) == (card.theorem == 5 || walk_below(&a->seed, 2));
		card.bound = 0;
	} else if (a->mine.turn && way < 5) { /* stones that win */
		card.theorem = 12;
		card.bound = card.upper ? -1 : 1;
		for (d.size = 0; walk_below(&a->seed, 3);)
			add_group(a, t, &d, 1);
	}
	for (unsigned changes = walk_below(&a->seed, 3) + (way > 4); changes; changes--)
		change_draft(a, t, &d);
	if (walk_below(&a->seed, 6) == 0)
		card.theorem = 1 + walk_below(&a->seed, 12);
	if (walk_below(&a->seed, 4) == 0)
		card.upper = !card.upper;
	if (walk_below(&a->seed, 3) == 0)
		card.bound = (int)walk_below(&a->seed, 3) - 1;
	uint8_t *exact = malloc(d.size + 1); /* a sanitizer sees every read beyond it */
	memcpy(exact, d.bytes, d.size);
	card.witness = exact;
	card.size = d.size;
	a->forged++;
	a->accepted += judge_card(a, t, &card, verify);
	free(exact);
}

void card_attack_position(struct card_attack *a, uint32_t position, unsigned forge, card_verifier *verify)
{
	static const struct {
		bool upper;
		int bound;
	} bounds[] = {{false, 0}, {false, 1}, {true, -1}, {true, 0}};
	struct target t;
	struct ck_card cards[2], honest = {.theorem = a->mine.turn ? 5 : 1 + (unsigned)(position & 1)};
	uint8_t room[2 * CK_WITNESS_MAX], kept[CK_WITNESS_MAX];
	int value;
	load_target(a, position, &t);
	if (a->mine.rules->over(&a->mine, &t.p, &value))
		return;
	a->positions++;
	for (unsigned i = 0; i < sizeof bounds / sizeof *bounds; i++) {
		unsigned count = ask_both(a, &t, bounds[i].upper, bounds[i].bound, cards, room);
		if (!count)
			continue;
		honest = cards[walk_below(&a->seed, count)];
		memcpy(kept, honest.witness, honest.size);
		honest.witness = kept;
	}
	for (unsigned i = 0; i < forge; i++)
		forge_card(a, &t, &honest, verify ? verify : a->mine.rules->card);
	if (honest.witness) {
		memcpy(a->other, honest.witness, honest.size);
		a->other_size = honest.size;
	}
}
