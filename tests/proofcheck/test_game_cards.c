/* Cards of T7 to T10 (solver/games/THEOREMS.md): what the solver says of small boards, what the checker finds there and
 * what it accepts, witnesses that are edited or made up included, is what retrograde analysis finds. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "solver/games/game.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

_Static_assert((int)CK_WITNESS_MAX == (int)GAME_WITNESS_MAX, "what is exported can be checked");

/* A game on both sides, and what is true of its positions. */
struct rig {
	struct game *game;
	struct ck_game mine;
	uint64_t random;
	unsigned squares;
	unsigned solved, found, forged, accepted; /* by the solver; by the checker; witnesses; those of them accepted */
	unsigned misread[2], wrong[2];            /* claims made of misread positions, and those that are false */
};

static void open_rig(struct rig *r, const char *name, uint64_t seed)
{
	struct pd_fail fail;
	memset(r, 0, sizeof *r);
	r->game = open_game(name);
	r->random = walk_seed("proofcheck.game_cards", seed);
	ck_assert_msg(!ck_open(&r->mine, name, NULL, 0, &fail), "%s", fail.text);
	r->squares = r->mine.width ? r->mine.width * r->mine.height : 81;
}

static void close_rig(struct rig *r)
{
	printf("%s: %u claims solved, %u found, 0 wrong; %u witnesses forged, %u of them accepted, 0 wrong\n",
	       r->game->name, r->solved, r->found, r->forged, r->accepted);
	printf("of positions with a square misread: %u and %u claims, %u and %u wrong, all refused\n", r->misread[0],
	       r->misread[1], r->wrong[0], r->wrong[1]);
	ck_close(&r->mine);
	game_close(r->game);
}

/* A position on both sides, with a claim. */
struct asked {
	const void *state;
	struct ck_position p;
	int threshold;
	bool holds;
	unsigned distance;
};

static void fail_position(const struct rig *r, const struct asked *a, const char *what)
{
	char text[GAME_TEXT_MAX];
	r->game->rules->print(r->game, a->state, text, sizeof text);
	ck_abort_msg("%s %s >= %d: %s", r->game->name, text, a->threshold, what);
}

/* The card that says, of a claim, that it holds, or that it does not. */
static struct ck_card make_card(const struct rig *r, const struct asked *a, bool holds)
{
	return (struct ck_card){.upper = !holds, .bound = holds ? a->threshold : a->threshold - r->game->value_step};
}

/* Whether the checker accepts a card; if so, it must be true. */
static bool is_accepted(struct rig *r, const struct asked *a, const struct ck_card *card, unsigned *plies)
{
	if (!r->mine.rules->card(&r->mine, &a->p, card, plies))
		return false;
	if (card->upper == a->holds || *plies < a->distance)
		fail_position(r, a, "a false card is accepted");
	return true;
}

/* Edits a witness: changes a byte, a square, removes or repeats a group's bytes, or makes all of it up. */
static void edit_witness(struct rig *r, uint8_t *witness, unsigned *size)
{
	unsigned squares = r->squares, at = *size ? walk_below(&r->random, *size) : 0;
	switch (walk_below(&r->random, 6)) {
	case 0: /* made up: groups of one and two squares */
		*size = 0;
		for (unsigned groups = walk_below(&r->random, 5); groups; groups--) {
			unsigned count = 1 + walk_below(&r->random, 2);
			witness[(*size)++] = (uint8_t)count;
			for (; count; count--) {
				witness[(*size)++] = (uint8_t)walk_below(&r->random, squares);
				witness[(*size)++] = 0;
			}
		}
		break;
	case 1:
		if (*size >= 5) /* without its last pair, or a group that ends there */
			*size -= 5;
		break;
	case 2:
		if (*size)
			witness[at] = (uint8_t)walk_random(&r->random);
		break;
	case 3:
		*size = at;
		break;
	default: /* another square */
		if (*size)
			witness[at | 1 && at + 1 < *size ? at : 0] = (uint8_t)walk_below(&r->random, squares);
	}
}

/* Tries cards made of one that is true, for the claim and against it. */
static void forge_cards(struct rig *r, const struct asked *a, unsigned theorem, const uint8_t *witness, unsigned size,
			unsigned times)
{
	for (unsigned i = 0; i < times; i++) {
		uint8_t bytes[CK_WITNESS_MAX];
		unsigned plies, length = size, edits = 1 + walk_below(&r->random, 3);
		memcpy(bytes, witness, size);
		while (edits--)
			edit_witness(r, bytes, &length);
		struct ck_card card = make_card(r, a, walk_below(&r->random, 2));
		card.theorem = walk_below(&r->random, 16) ? theorem : walk_below(&r->random, 12);
		card.witness = bytes;
		card.size = length;
		r->forged++;
		r->accepted += is_accepted(r, a, &card, &plies);
	}
}

/* Takes a man of the other side for an empty square, or an empty square for a man of the side that the card is for; in
 * ultimate tic-tac-toe a mark of the other side, or an empty square, for a mark of its own; in Domineering a covered
 * square for a free one, or the reverse. */
static bool misread_square(struct rig *r, const struct ck_card *card, unsigned kind, struct ck_position *p)
{
	bool covered = !strncmp(r->game->name, "domineering", 11), marks = !strcmp(r->game->name, "uttt");
	uint8_t own = covered ? 1 : card->upper ? 2 : 1, other = covered ? 1 : (uint8_t)(3 - own);
	for (unsigned tries = 0; tries < 40; tries++) {
		unsigned square = walk_below(&r->random, r->squares);
		if (p->at[square] != (kind ? 0 : other))
			continue;
		p->at[square] = kind || marks ? own : 0;
		return true;
	}
	return false;
}

/* A theorem that misreads one square makes false claims, and the checker refuses their cards. */
static void ask_misread(struct rig *r, const struct asked *a)
{
	for (unsigned i = 0; i < 4; i++) {
		struct ck_card card = make_card(r, a, i / 2);
		struct ck_position p = a->p;
		uint8_t room[CK_WITNESS_MAX];
		unsigned plies;
		int value;
		if (!misread_square(r, &card, i % 2, &p) || r->mine.rules->over(&r->mine, &p, &value) ||
		    !r->mine.rules->find_card(&r->mine, &p, card.upper, card.bound, &card, room))
			continue;
		r->misread[i % 2]++;
		r->wrong[i % 2] += card.upper == a->holds;
		is_accepted(r, a, &card, &plies);
	}
}

/* What both sides say of a claim at a position that is not over. */
static void ask_both(struct rig *r, struct asked *a, unsigned forged)
{
	const struct game_rules *rules = r->game->rules;
	struct game_theorem t = {0};
	uint8_t witness[CK_WITNESS_MAX] = {0}, room[CK_WITNESS_MAX];
	int value;
	unsigned plies;
	bool speaks = !rules->immediate_win(r->game, a->state, &value) &&
		      rules->theorem(r->game, a->state, a->threshold, &t, witness);
	if (speaks && (t.proved != a->holds || t.plies < a->distance))
		fail_position(r, a, "the solver is wrong");
	for (int holds = 0; holds <= 1; holds++) {
		struct ck_card card = make_card(r, a, holds), honest = card;
		bool said = speaks && t.proved == holds;
		if (said) {
			honest.theorem = t.number;
			honest.witness = witness;
			honest.size = t.witness;
			r->solved++;
			if (!is_accepted(r, a, &honest, &plies) || plies != t.plies)
				fail_position(r, a, "the solver's card is refused, or has another rank");
			forge_cards(r, a, t.number, witness, t.witness, forged);
		}
		bool found = r->mine.rules->find_card(&r->mine, &a->p, card.upper, card.bound, &card, room);
		if (found && (!is_accepted(r, a, &card, &plies) || card.witness != room))
			fail_position(r, a, "the checker refuses what it has found");
		if (said && (!found || plies > t.plies))
			fail_position(r, a, "the checker finds less than the solver");
		r->found += found;
		if (found && !said)
			forge_cards(r, a, card.theorem, room, card.size, forged);
	}
	if (!speaks)
		forge_cards(r, a, 7 + walk_below(&r->random, 4), witness, 0, forged / 4);
	ask_misread(r, a);
}

static void decode_state(struct rig *r, const void *state, struct asked *a)
{
	uint8_t key[GAME_KEY_MAX];
	size_t size = r->game->rules->key(r->game, state, key);
	ck_assert(ck_decode(&r->mine, key, size, &a->p));
	a->state = state;
}

/* --- every position ----------------------------------------------------------------------- */

static const struct {
	const char *game;
	const char *letters; /* of pieces, then of sides: all boards; NULL: the positions of games */
	unsigned least;      /* claims that the solver has to settle */
	unsigned forged;     /* cards made of each */
	bool large;          /* left out of a share */
} boards[] = {
	{"hex:3", "xoxo", 500, 10, false},          {"hex:4x3", NULL, 500, 5, true},
	{"hex:2x4", "xoxo", 500, 10, false},        {"domineering:4x3", "#vh", 100, 20, false},
	{"domineering:4x4", "#vh", 500, 10, true},  {"domineering:5x4", NULL, 100, 20, true},
	{"domineering:2x6", "#vh", 100, 10, false}, {"breakthrough:2x4", "Ppwb", 200, 20, false},
	{"breakthrough:2x5", "Ppwb", 500, 5, true}, {"breakthrough:3x4", NULL, 500, 10, false},
	{"breakthrough:2x6", NULL, 500, 5, true},
};

enum { BOARDS = sizeof boards / sizeof *boards, POSITIONS_MAX = 6000000 };

/* Writes a board: the digits of `number` in base pieces + 1 are its squares, 0 for an empty one. */
static void write_board(const struct ck_game *g, const char *letters, unsigned pieces, uint32_t number, char side,
			char *out)
{
	for (unsigned row = 0; row < g->height; row++) {
		unsigned run = 0;
		for (unsigned column = 0; column < g->width; column++, number /= pieces + 1) {
			unsigned piece = number % (pieces + 1);
			run += !piece;
			if (run && (piece || column + 1 == g->width)) {
				out += sprintf(out, "%u", run);
				run = 0;
			}
			if (piece)
				*out++ = letters[piece - 1];
		}
		*out++ = row + 1 < g->height || g->height == 1 ? '/' : ' ';
	}
	sprintf(out, "%s%c", g->height == 1 ? " " : "", side);
}

/* Adds all boards that are positions. */
static void add_boards(struct rig *r, const char *letters, struct retro *truth)
{
	unsigned pieces = (unsigned)strlen(letters) - 2;
	uint32_t count = 1;
	for (unsigned i = 0; i < r->squares; i++)
		count *= pieces + 1;
	for (uint32_t number = 0; number < 2 * count; number++) {
		char text[GAME_TEXT_MAX];
		struct walk_state s;
		write_board(&r->mine, letters, pieces, number / 2, letters[pieces + number % 2], text);
		if (!r->game->rules->parse(r->game, text, &s, NULL))
			ck_assert(retro_add(truth, &s));
	}
}

START_TEST(cards_say_what_is_so_of_every_position)
{
	struct rig r;
	struct walk_state s = {{0}};
	if (boards[_i].large && !effort_whole())
		return;
	open_rig(&r, boards[_i].game, 100 + (uint64_t)_i);
	struct retro *truth = retro_new(r.game, POSITIONS_MAX);
	r.game->rules->start(r.game, &s);
	ck_assert(retro_add(truth, &s));
	if (boards[_i].letters)
		add_boards(&r, boards[_i].letters, truth);
	unsigned claim = retro_solve(truth, 1);
	for (uint32_t i = 0; i < retro_positions(truth); i += effort_stride()) {
		struct asked a = {.threshold = 1};
		if (retro_over(truth, i))
			continue;
		retro_state(truth, i, &s);
		decode_state(&r, &s, &a);
		a.holds = retro_holds_at(truth, claim, i, &a.distance);
		ask_both(&r, &a, boards[_i].forged);
	}
	ck_assert(r.solved >= (effort() == 100 ? boards[_i].least : 1));
	ck_assert(!effort_whole() || r.wrong[0] + r.wrong[1]);
	retro_free(truth);
	close_rig(&r);
}
END_TEST

/* --- late positions ----------------------------------------------------------------------- */

static const struct {
	const char *game;
	unsigned plies, more; /* of random moves: at least, and up to so many more */
	unsigned games, least;
} late[] = {
	{"uttt", 40, 35, 20000, 200},         {"hex:4", 6, 8, 3000, 200},
	{"hex:5", 16, 7, 3000, 200},          {"domineering:6x5", 6, 8, 3000, 100},
	{"domineering:5x6", 6, 8, 3000, 100}, {"breakthrough:3x6", 6, 20, 300, 20},
};

enum { LATE = sizeof late / sizeof *late, EMPTY_MAX = 10 };

/* The squares that can still be played on; ultimate tic-tac-toe, where late positions are few. */
static unsigned count_empty(const struct ck_game *g, const struct ck_position *p)
{
	struct ck_position free = *p;
	uint16_t moves[CK_MOVES_MAX];
	free.node = 0;
	return g->rules->moves(g, &free, moves);
}

START_TEST(cards_say_what_is_so_late_in_games)
{
	struct rig r;
	open_rig(&r, late[_i].game, 200 + (uint64_t)_i);
	struct oracle *oracle = oracle_new(r.game);
	unsigned games = effort_of(late[_i].games, late[_i].games / 10), asked = 0;
	for (unsigned i = 0; i < games; i++) {
		struct walk_state s = {{0}}, canonical;
		struct asked a = {0};
		uint8_t key[GAME_KEY_MAX];
		int value;
		r.game->rules->start(r.game, &s);
		walk_on(r.game, &s, late[_i].plies + walk_below(&r.random, late[_i].more), &r.random);
		if (r.game->rules->terminal(r.game, &s, &value))
			continue;
		size_t size = r.game->rules->key(r.game, &s, key);
		ck_assert(!r.game->rules->unkey(r.game, key, size, &canonical));
		decode_state(&r, &canonical, &a);
		if (!strcmp(r.game->name, "uttt") && count_empty(&r.mine, &a.p) > EMPTY_MAX)
			continue;
		asked++;
		for (a.threshold = r.game->value_min + r.game->value_step; a.threshold <= r.game->value_max;
		     a.threshold += r.game->value_step) {
			a.holds = oracle_claim(oracle, &canonical, a.threshold, &a.distance);
			ask_both(&r, &a, 20);
		}
	}
	printf("%u positions\n", asked);
	ck_assert(r.solved >= late[_i].least || effort() < 100);
	oracle_free(oracle);
	close_rig(&r);
}
END_TEST

SUITE(game_cards)
{
	tcase_set_timeout(c, 500);
	tcase_add_loop_test(c, cards_say_what_is_so_of_every_position, 0, BOARDS);
	tcase_add_loop_test(c, cards_say_what_is_so_late_in_games, 0, LATE);
}
