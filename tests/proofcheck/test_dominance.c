/* Cards of theorem 102, dominance: certificates of a small game with hands, and of games with the rule of N moves, in
 * which reasons rest on those of positions that they dominate, and forged ones. Which of them are true is decided here,
 * from the list of records and the solver's rules of the game, or the text of the rule of N moves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/plugin.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/drops.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { CARD = 16, RANK = 2, UPPER = 1, DOMINANCE = 102, HANDS = 9, FORGED = 10000 };

/* A board and the side to move. The attacker's hand takes all values, or the counter those from `from` to `to`. */
struct root {
	const char *game, *board;
	unsigned from, to; /* 0, 0: hands */
};

static const struct root roots[] = {
	{"drops:3x3", "..k/.../.R. a", 0, 0},
	{"drops:3x3", ".k./.../... a", 0, 0},
	{"drops:3x3", "..k/.b./... a", 0, 0},
	{"drops:3x3", "..k/.../... a", 0, 0},
	{"drops:3x3", ".k./..r/... a", 0, 0},
	{"drops:3x3", "k../.b./... a", 0, 0},
	{"drops:3x3", "..k/..r/.b. a", 0, 0},
	{"drops:3x3", ".k./.../..B a", 0, 0},
	{"antichess:50", "8/8/8/8/8/2k5/8/K7 w - -", 95, 99},
	{"antichess:50", "8/8/8/8/3b4/8/8/1R6 b - -", 96, 99},
	{"antichess:3", "8/8/8/8/8/2n5/8/K7 w - -", 0, 5},
	{"chess-mate:50", "7k/8/8/8/8/8/8/NNK5 w - -", 97, 99},
	{"chess-mate:3", "7k/8/5K2/8/8/8/8/R7 w - -", 1, 5},
};
enum { ROOTS = sizeof roots / sizeof *roots };

static unsigned count_parts(const struct root *root)
{
	return root->to ? root->to - root->from + 1 : HANDS;
}

/* The order part of that number, from 0. */
static void set_part(const struct root *root, unsigned number, uint8_t *out)
{
	out[0] = (uint8_t)(root->to ? root->from + number : number / 3);
	if (!root->to)
		out[1] = (uint8_t)(number % 3);
}

/* With the rule of N moves a smaller counter is better for the side that has to finish, a greater one for the other
 * side: whether the first counter is at least as good as the second for that bound. */
static bool counter_serves(const struct game *g, const uint8_t *a, const uint8_t *b, int64_t bound, bool first)
{
	bool finish = first ? bound > g->infinite_value : bound < g->infinite_value;
	return finish ? *a <= *b : *a >= *b;
}

static struct forge_record *find_record(struct forge *f, const uint8_t *key, size_t size)
{
	for (size_t i = 0; i < f->count; i++)
		if (f->record[i].key_size == size && !memcmp(f->record[i].key, key, size))
			return &f->record[i];
	return NULL;
}

/* Whether the reason of a record may have that witness: the rule of CERTIFICATE.md. */
static bool is_true_card(const struct game *g, const struct root *root, struct forge *f, const struct forge_record *r,
			 const struct forge_reason *a)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	size_t board = r->key_size - a->size;
	bool first = !(a->flags & UPPER);
	memcpy(key, r->key, board);
	memcpy(key + board, a->witness, a->size);
	if (!a->size || a->size > 8 || g->rules->unkey(g, key, r->key_size, state) ||
	    memcmp(key, r->key, r->key_size - g->rules->order_part(g)) || !memcmp(key, r->key, r->key_size))
		return false;
	board = r->key_size - g->rules->order_part(g);
	const struct forge_record *other = find_record(f, key, r->key_size);
	if (!other || (root->to ? !counter_serves(g, r->key + board, key + board, a->bound, first)
				: !g->rules->dominates(g, r->key + board, key + board, (int)a->bound, first)))
		return false;
	for (unsigned i = 0; i < other->count; i++) {
		const struct forge_reason *b = &other->reason[i];
		if ((b->flags & UPPER) == (a->flags & UPPER) && (first ? b->bound >= a->bound : b->bound <= a->bound) &&
		    (!(a->flags & RANK) || (b->flags & RANK && b->rank <= a->rank)))
			return true;
	}
	return false;
}

static enum ck_verdict judge(struct forge *f, struct ck_result *result)
{
	struct pd_buf file;
	const struct ck_options options = {.threads = 1, .digest = true};
	pd_buf_init(&file, SIZE_MAX);
	forge_fit(f);
	forge_write(f, true, &file);
	enum ck_verdict verdict = ck_check((const uint8_t *)file.data, file.size, &options, result);
	pd_buf_fini(&file);
	return verdict;
}

/* Replaces reasons by cards where a position with the same board has what is needed. Returns how many. */
static unsigned put_cards(const struct game *g, const struct root *root, struct forge *f, uint64_t *seed)
{
	unsigned put = 0, parts = count_parts(root);
	for (size_t i = 0; i < f->count; i++) {
		struct forge_record *r = &f->record[i];
		for (unsigned j = 0; j < r->count * parts; j++) {
			struct forge_reason *a = &r->reason[j / parts], card = *a;
			card.flags = (a->flags & (UPPER | RANK)) | CARD;
			card.theorem = DOMINANCE;
			card.size = g->rules->order_part(g);
			set_part(root, j % parts, card.witness);
			if (!(a->flags & CARD) && walk_below(seed, 4) && is_true_card(g, root, f, r, &card)) {
				*a = card;
				put++;
			}
		}
	}
	return put;
}

static void load_rules(void)
{
	static bool loaded;
	struct ck_source source;
	struct pd_fail fail;
	ck_assert_msg(loaded || !ck_plugin_load(TEST_PLUGINS "/drops-checker/drops-checker.so", &source, &fail), "%s",
		      fail.text);
	loaded = true;
}

static int compare_records(const void *a, const void *b)
{
	const struct forge_record *one = a, *two = b;
	return memcmp(one->key, two->key, one->key_size);
}

static int compare_reasons(const void *a, const void *b)
{
	const struct forge_reason *one = a, *two = b;
	int side = (int)(one->flags & UPPER) - (int)(two->flags & UPPER);
	return side ? side : (one->bound > two->bound) - (one->bound < two->bound);
}

static void add_reason(struct forge_record *to, const struct forge_reason *a)
{
	for (unsigned i = 0; i < to->count; i++)
		if (!compare_reasons(&to->reason[i], a)) {
			if (a->rank < to->reason[i].rank)
				to->reason[i] = *a;
			return;
		}
	to->reason[to->count++] = *a;
	qsort(to->reason, to->count, sizeof *to->reason, compare_reasons);
}

/* Adds the records of another certificate of the game; of two reasons for a bound the one with the smaller rank. */
static void add_records(struct forge *f, const struct forge *more)
{
	for (size_t i = 0; i < more->count; i++) {
		const struct forge_record *r = &more->record[i];
		struct forge_record *own = find_record(f, r->key, r->key_size);
		if (!own && f->count == f->capacity) {
			f->capacity = 2 * f->capacity + 16;
			f->record = realloc(f->record, f->capacity * sizeof *f->record);
			ck_assert_ptr_nonnull(f->record);
		}
		if (!own)
			f->record[f->count++] = *r;
		for (unsigned k = 0; own && k < r->count; k++)
			add_reason(own, &r->reason[k]);
	}
	qsort(f->record, f->count, sizeof *f->record, compare_records);
}

static bool infinite_gives(const struct game *g, const struct forge_reason *a)
{
	return !g->acyclic && (a->flags & UPPER ? a->bound >= g->infinite_value : a->bound <= g->infinite_value);
}

/* A certificate of the root with records of the same board and other order parts, so that cards have positions to
 * name. */
static unsigned make_base(const struct game *g, const struct root *root, struct forge *f, uint64_t *seed)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	int value;
	for (unsigned i = 0; i < count_parts(root); i++) {
		struct forge one = {0};
		char position[80];
		uint8_t part[2];
		set_part(root, i, part);
		if (root->to)
			snprintf(position, sizeof position, "%s %u 90", root->board, part[0]);
		else
			snprintf(position, sizeof position, "%s %u %u", root->board, part[0], part[1]);
		if (g->rules->parse(g, position, state, &fail) || g->rules->terminal(g, state, &value))
			continue;
		struct truth *truth = truth_new(g, state);
		forge_make(f->count ? &one : f, g, position, "value", truth, 0, NULL, seed);
		truth_free(truth);
		if (one.count)
			add_records(f, &one);
		if (one.count)
			forge_fini(&one);
	}
	/* What infinite play gives needs no rank; with a rank fewer positions follow from others. */
	for (size_t i = 0; i < f->count; i++)
		for (unsigned j = 0; j < f->record[i].count; j++)
			if (infinite_gives(g, &f->record[i].reason[j])) {
				f->record[i].reason[j].flags &= ~(unsigned)RANK;
				f->record[i].reason[j].rank = 0;
			}
	f->format = 4;
	forge_cut(f, seed);
	return put_cards(g, root, f, seed);
}

/* Changes a card; *lowered: only its rank. */
static void spoil_card(const struct root *root, const struct forge_record *r, struct forge_reason *a, unsigned board,
		       uint64_t *seed)
{
	switch (walk_below(seed, 6)) {
	case 0:
	case 1:
	case 2: /* another hand, whole or in part; another counter */
		set_part(root, walk_below(seed, count_parts(root)), a->witness);
		if (!walk_below(seed, 8))
			a->witness[walk_below(seed, a->size)] = (uint8_t)walk_below(seed, 256);
		break;
	case 3: /* its own order part: the reason would rest on itself */
		memcpy(a->witness, r->key + board, a->size);
		break;
	case 4: /* another size */
		a->size = walk_below(seed, 12);
		for (unsigned i = 0; i < a->size; i++)
			a->witness[i] = (uint8_t)walk_below(seed, 3);
		break;
	default: /* a smaller rank */
		if (a->flags & RANK && a->rank > 1)
			a->rank -= 1 + walk_below(seed, a->rank - 1);
		break;
	}
}

START_TEST(forged_dominance_is_refused)
{
	struct game *g;
	struct pd_fail fail;
	struct forge f = {0};
	struct ck_result result;
	uint64_t seed = 77 + (uint64_t)_i;
	unsigned cards, verified = 0, refused = 0, most = effort_of(FORGED * 10 / ROOTS, 50);
	const char *number = getenv("DOMINANCE_CARDS"); /* set by ./dev lab dominance */
	const struct root *root = &roots[_i];
	load_rules();
	ck_assert(root->to ? !game_open(root->game, NULL, &g, &fail)
			   : !game_drops_rules.open(&game_drops_rules, strchr(root->game, ':') + 1, NULL, &g, &fail));
	cards = make_base(g, root, &f, &seed);
	ck_assert_uint_gt(cards, 0);
	ck_assert_msg(judge(&f, &result) == CK_VERIFIED, "%s: %s", root->board, result.fault.text);
	for (unsigned n = 0; cards && n < (number ? (unsigned)atoi(number) : most);) {
		struct forge_record *r = &f.record[walk_below(&seed, (unsigned)f.count)];
		struct forge_reason *a = &r->reason[walk_below(&seed, r->count)], kept = *a;
		if (!(a->flags & CARD))
			continue;
		spoil_card(root, r, a, (unsigned)r->key_size - g->rules->order_part(g), &seed);
		bool good = is_true_card(g, root, &f, r, a);
		enum ck_verdict verdict = judge(&f, &result);
		ck_assert_msg(verdict == (good ? CK_VERIFIED : CK_REJECTED), "%s: %s", root->board, result.fault.text);
		verified += good;
		refused += !good;
		*a = kept;
		n++;
	}
	printf("%s %s: %zu records, %u cards, %u forged ones refused, %u true ones verified\n", root->game, root->board,
	       f.count, cards, refused, verified);
	forge_fini(&f);
	if (root->to)
		game_close(g);
	else
		g->rules->close(g);
}
END_TEST

SUITE(dominance)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, forged_dominance_is_refused, 0, ROOTS);
}
