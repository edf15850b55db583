/* The laws of solver/game_rules.h, on random positions of all built-in games and the variants in tests/data/games. */
#include <stdlib.h>
#include <string.h>

#include "solver/bounded.h"
#include "solver/games/board_picture.h"
#include "solver/games/game.h"
#include "solver/solver.h"
#include "tests/games/graphs.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum {
	WHOLE_ROUNDS = 1500,
	PLIES = 120,      /* of a walk where games need not end */
	LARGE_FROM = 128, /* moves from which an acyclic game counts as large */
	LARGE_SHARE = 10  /* of the rounds: the share that a large game gets, since each takes so much longer */
};

static int all_rounds; /* of each law */
static int rounds;     /* of each law, with the game that is open */
static uint64_t base_seed;
static const struct gamedata *variants; /* of all built-in games */
static const char *name;                /* as opened */
static struct game *game;
static const struct game_rules *rules;
static uint64_t seed;

/* An assertion that names the game, and that is cheap enough to be made a million times. */
#define must(condition)                                                                                                \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			ck_abort_msg("%s: %s", game->name, #condition);                                                \
	} while (0)

static void open_game(unsigned index)
{
	struct pd_fail fail;
	seed = base_seed + index;
	name = variants->row[index].column[0];
	if (!strncmp(name, "andor:", 6))
		ck_assert_int_eq(graphs_open(name, graphs_random(20 + 60 * (index % 4), &seed), &game, &fail), PD_OK);
	else
		ck_assert_msg(game_open(name, NULL, &game, &fail) == PD_OK, "%s", fail.text);
	rules = game->rules;
	rounds = game->acyclic && game->moves_max > LARGE_FROM ? all_rounds / LARGE_SHARE : all_rounds;
}

static void close_game(void)
{
	game_close(game);
	game = NULL;
}

/* A law is a test of each game, not of each variant: a process each would take longer than the tests. Its body is run
 * with each variant of the game open. */
static void obey(void (*law)(void), unsigned of)
{
	for (unsigned i = 0; i < variants->count; i++) {
		if (variants->row[i].game != of)
			continue;
		open_game(i);
		law();
		close_game();
	}
}

#define LAW(name)                                                                                                      \
	static void name##_law(void);                                                                                  \
	START_TEST(name)                                                                                               \
	{                                                                                                              \
		obey(name##_law, (unsigned)_i);                                                                        \
	}                                                                                                              \
	END_TEST                                                                                                       \
	static void name##_law(void)

static struct walk_state random_position(void)
{
	struct walk_state s = {0};
	walk_from_start(game, &s, game->acyclic ? game->plies_max : PLIES, &seed);
	return s;
}

/* A key in memory of exactly the promised size, so that a sanitizer sees any overrun; to be freed. */
struct key {
	uint8_t *bytes;
	size_t size;
};

static struct key key_of(const void *state)
{
	struct key k = {.bytes = malloc(game->key_size_max)};
	k.size = rules->key(game, state, k.bytes);
	must(k.size >= 1);
	must(k.size <= game->key_size_max);
	return k;
}

static bool same_key(const void *a, const void *b)
{
	struct key k = key_of(a), l = key_of(b);
	bool same = k.size == l.size && !memcmp(k.bytes, l.bytes, k.size);
	free(k.bytes);
	free(l.bytes);
	return same;
}

static game_move *moves_of(unsigned (*list)(const struct game *, const void *, game_move *), const void *state,
			   unsigned *count)
{
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	*count = list(game, state, moves);
	must(*count <= game->moves_max);
	return moves;
}

static struct walk_state child_of(const void *state, game_move move)
{
	struct walk_state child = {0};
	memcpy(&child, state, game->state_size);
	rules->play(game, &child, move);
	return child;
}

static struct walk_state canonical_of(const void *state)
{
	struct walk_state out = {0};
	struct key k = key_of(state);
	must(rules->unkey(game, k.bytes, k.size, &out) == PD_OK);
	free(k.bytes);
	return out;
}

LAW(the_struct_keeps_the_limits)
{
	must(rules->abi == GAME_ABI);
	must(rules->size == sizeof(struct game_rules));
	must(!strcmp(game->name, name));
	must(game->state_size >= 1 && game->state_size <= GAME_STATE_MAX);
	must(game->key_size_max >= 1 && game->key_size_max <= GAME_KEY_MAX);
	must(game->moves_max >= 1 && game->moves_max <= GAME_MOVES_MAX);
	must(game->value_step >= 1 && game->value_min < game->value_max);
	must((game->value_max - game->value_min) % game->value_step == 0);
	must(game->acyclic || (game->infinite_value >= game->value_min && game->infinite_value <= game->value_max));
}

LAW(an_acyclic_game_ends_within_plies_max)
{
	for (int i = 0; i < 50 && game->acyclic; i++) {
		struct walk_state s;
		int value;
		rules->start(game, &s);
		walk_on(game, &s, UINT32_MAX, &seed);
		must(rules->terminal(game, &s, &value));
		must(value >= game->value_min && value <= game->value_max);
		rules->start(game, &s);
		must(walk_on(game, &s, UINT32_MAX, &seed) <= game->plies_max);
	}
}

LAW(unkey_gives_the_canonical_position)
{
	for (int i = 0; i < rounds; i++) {
		struct walk_state s = random_position(), t = canonical_of(&s), u = canonical_of(&t);
		int of_s = 0, of_t = 0;
		must(same_key(&s, &t));
		must(!memcmp(&t, &u, game->state_size));
		bool over = rules->terminal(game, &s, &of_s);
		must(over == rules->terminal(game, &t, &of_t));
		must(of_s == of_t);
		must(over || rules->first_to_move(game, &s) == rules->first_to_move(game, &t));
		unsigned count;
		game_move *moves = moves_of(rules->moves, &t, &count);
		for (unsigned j = 0; j < count; j++)
			must(game_canon(game, &t, moves[j], false) == moves[j]);
		free(moves);
	}
}

LAW(canon_takes_moves_to_the_frame_of_the_key_and_back)
{
	for (int i = 0; i < rounds; i++) {
		struct walk_state s = random_position(), t = canonical_of(&s);
		unsigned count, canonical_count;
		game_move *moves = moves_of(rules->moves, &s, &count),
			  *there = moves_of(rules->moves, &t, &canonical_count);
		must(count == canonical_count);
		for (unsigned j = 0; j < count; j++) {
			game_move move = game_canon(game, &s, moves[j], false);
			unsigned k = 0;
			while (k < count && there[k] != move)
				k++;
			must(k < count);
			must(game_canon(game, &s, move, true) == moves[j]);
			struct walk_state child = child_of(&s, moves[j]), canonical_child = child_of(&t, move);
			must(same_key(&child, &canonical_child));
		}
		free(moves);
		free(there);
	}
}

LAW(moves_are_legal_once_each_in_a_fixed_order)
{
	for (int i = 0; i < rounds; i++) {
		struct walk_state s = random_position(), copy = s;
		unsigned count, again;
		int value;
		game_move *moves = moves_of(rules->moves, &s, &count), *second = moves_of(rules->moves, &s, &again);
		must(rules->terminal(game, &s, &value) == (count == 0));
		must(count == again);
		for (unsigned j = 0; j < count; j++) {
			must(moves[j] == second[j]);
			must(moves[j] != 0xffff);
			for (unsigned k = 0; k < j; k++)
				must(moves[j] != moves[k]);
		}
		must(!memcmp(&s, &copy, sizeof s));
		free(moves);
		free(second);
	}
}

LAW(unique_moves_drops_exactly_the_later_twins)
{
	for (int i = 0; i < rounds && rules->unique_moves; i++) {
		struct walk_state s = random_position();
		unsigned count, kept_count, kept = 0;
		game_move *moves = moves_of(rules->moves, &s, &count),
			  *list = moves_of(rules->unique_moves, &s, &kept_count);
		struct key *keys = calloc(count + 1, sizeof *keys);
		for (unsigned j = 0; j < count; j++) {
			struct walk_state child = child_of(&s, moves[j]);
			bool twin = false;
			keys[j] = key_of(&child);
			for (unsigned k = 0; k < j && !twin; k++)
				twin = keys[j].size == keys[k].size &&
				       !memcmp(keys[j].bytes, keys[k].bytes, keys[j].size);
			if (twin)
				continue;
			must(kept < kept_count);
			must(list[kept++] == moves[j]);
		}
		must(kept == kept_count);
		for (unsigned j = 0; j < count; j++)
			free(keys[j].bytes);
		free(keys);
		free(moves);
		free(list);
	}
}

LAW(immediate_win_is_what_one_ply_shows)
{
	for (int i = 0; i < rounds && rules->immediate_win; i++) {
		struct walk_state s = random_position();
		unsigned count;
		int best = rules->first_to_move(game, &s) ? game->value_max : game->value_min, said = 99, value;
		bool found = false;
		game_move *moves = moves_of(rules->moves, &s, &count);
		for (unsigned j = 0; j < count; j++) {
			struct walk_state child = child_of(&s, moves[j]);
			found |= rules->terminal(game, &child, &value) && value == best;
		}
		if (count) {
			must(rules->immediate_win(game, &s, &said) == found);
			must(said == (found ? best : 99));
		}
		free(moves);
	}
}

/* A search by the rules alone proves it, within `plies` and the nodes that `proofctl check` would spend on a leaf. */
LAW(static_solve_claims_only_what_the_rules_prove)
{
	enum { PROVER_MEMORY = 16 << 20, NODES_PER_EFFORT = 64, EFFORT_MAX = 20000 };
	struct pn_prover *prover;
	if (!rules->static_solve)
		return;
	must(game->acyclic);
	must(!pn_prover_new(game, &(struct pn_prover_options){.memory = PROVER_MEMORY}, &prover, NULL));
	for (int i = 0; i < rounds / 5; i++) {
		struct walk_state s = random_position();
		struct game_static d;
		int value;
		enum pn_verdict verdict;
		if (rules->terminal(game, &s, &value) ||
		    (rules->immediate_win && rules->immediate_win(game, &s, &value)) ||
		    !rules->static_solve(game, &s, &d))
			continue;
		must(d.value == game->value_min || d.value == game->value_max);
		must(d.plies >= 2 && d.effort >= 1);
		if (d.effort > EFFORT_MAX)
			continue;
		bool proof = d.value == game->value_max;
		struct pn_goal goal = {(int16_t)(proof ? d.value : d.value + game->value_step), proof,
				       (uint16_t)d.plies};
		uint64_t nodes = (uint64_t)d.effort * NODES_PER_EFFORT;
		must(!pn_prover_run(prover, &s, &goal, &nodes, &verdict, NULL));
		must(verdict == (proof ? PN_PROVED : PN_DISPROVED));
	}
	pn_prover_free(prover);
}

/* The same of its theorems, for every claim. */
LAW(theorems_claim_only_what_the_rules_prove)
{
	enum { PROVER_MEMORY = 16 << 20, NODES_PER_EFFORT = 64, EFFORT_MAX = 1 << 8 };
	struct pn_prover *prover;
	if (!rules->theorem)
		return;
	must(!pn_prover_new(game, &(struct pn_prover_options){.memory = PROVER_MEMORY}, &prover, NULL));
	for (int i = 0; i < rounds / 5; i++) {
		struct walk_state s = random_position();
		struct game_theorem t;
		uint8_t witness[GAME_WITNESS_MAX];
		int value, threshold = game->value_min + game->value_step * (1 + i % 2);
		enum pn_verdict verdict;
		if (rules->terminal(game, &s, &value) || threshold > game->value_max ||
		    (rules->immediate_win && rules->immediate_win(game, &s, &value)) ||
		    !rules->theorem(game, &s, threshold, &t, witness))
			continue;
		must(t.number >= 1 && t.plies >= 2 && t.effort >= 1 && t.witness <= GAME_WITNESS_MAX);
		if (t.effort > EFFORT_MAX)
			continue;
		struct pn_goal goal = {(int16_t)threshold, t.proved, t.plies};
		uint64_t nodes = (uint64_t)t.effort * NODES_PER_EFFORT;
		must(!pn_prover_run(prover, &s, &goal, &nodes, &verdict, NULL));
		must(verdict == (t.proved ? PN_PROVED : PN_DISPROVED));
	}
	pn_prover_free(prover);
}

LAW(initial_numbers_are_within_their_limits)
{
	for (int i = 0; i < rounds && rules->initial_numbers; i++) {
		struct walk_state s = random_position();
		int value;
		uint32_t num[2] = {0, 0};
		if (rules->terminal(game, &s, &value))
			continue;
		rules->initial_numbers(game, &s, 1, num);
		must(num[0] >= 1 && num[0] <= 1000000 && num[1] >= 1 && num[1] <= 1000000);
	}
}

LAW(edge_costs_are_within_their_limits)
{
	static uint16_t costs[GAME_MOVES_MAX][2];
	static game_move moves[GAME_MOVES_MAX];
	for (int i = 0; i < rounds && rules->edge_costs; i++) {
		struct walk_state s = random_position();
		unsigned count = rules->moves(game, &s, moves);
		if (!count)
			continue;
		memset(costs, 0xff, sizeof costs);
		rules->edge_costs(game, &s, 1, moves, count, costs);
		for (unsigned j = 0; j < count; j++)
			must(costs[j][0] <= GAME_EDGE_COST_MAX && costs[j][1] <= GAME_EDGE_COST_MAX);
	}
}

LAW(what_is_counted_is_what_is_listed)
{
	for (int i = 0; i < rounds && (rules->count || rules->replies); i++) {
		struct walk_state s = random_position();
		unsigned count, there;
		game_move *moves = moves_of(rules->moves, &s, &count);
		uint16_t *replies = calloc(game->moves_max, sizeof *replies);
		if (rules->count)
			must(rules->count(game, &s) == count);
		if (rules->replies)
			rules->replies(game, &s, moves, count, replies);
		for (unsigned j = 0; j < count && rules->replies; j++) {
			struct walk_state child = child_of(&s, moves[j]);
			free(moves_of(rules->moves, &child, &there));
			must(replies[j] == there);
			must(there == 0 || rules->first_to_move(game, &child) != rules->first_to_move(game, &s));
		}
		free(moves);
		free(replies);
	}
}

LAW(no_position_comes_back_over_an_irreversible_move)
{
	static struct walk_state path[PLIES + 1];
	for (int i = 0; i < rounds / 10 && rules->irreversible; i++) {
		unsigned since = 0, count;
		path[0] = random_position();
		for (unsigned ply = 0; ply < PLIES; ply++) {
			game_move *moves = moves_of(rules->moves, &path[ply], &count), move = 0;
			if (count)
				move = moves[walk_below(&seed, count)];
			free(moves);
			if (!count)
				break;
			path[ply + 1] = child_of(&path[ply], move);
			if (rules->irreversible(game, &path[ply], move))
				since = ply + 1;
			for (unsigned j = 0; j < since; j++)
				must(!same_key(&path[j], &path[ply + 1]));
		}
	}
}

LAW(text_comes_back_as_the_same_position)
{
	for (int i = 0; i < rounds; i++) {
		struct walk_state s = random_position(), t = {0};
		struct pd_fail fail = {0};
		char text[GAME_TEXT_MAX], small[4];
		size_t wanted = rules->print(game, &s, text, sizeof text);
		must(wanted < sizeof text);
		must(wanted == strlen(text));
		must(rules->print(game, &s, NULL, 0) == wanted);
		must(rules->print(game, &s, small, sizeof small) == wanted);
		must(strncmp(small, text, 3) == 0);
		must(strlen(small) < sizeof small);
		ck_assert_msg(rules->parse(game, text, &t, &fail) == PD_OK, "%s: %s", text, fail.text);
		must(same_key(&s, &t));
		wanted = game_picture(game, &s, text, sizeof text);
		must(wanted < sizeof text);
		must(wanted == strlen(text));
		must(text[wanted - 1] == '\n');
		must(game_picture(game, &s, small, sizeof small) == wanted);
	}
}

static void places_are_sane(const struct game_board *b)
{
	must(b->places >= 1 && b->places <= GAME_PLACES_MAX);
	for (unsigned i = 0; i < b->places; i++) {
		const struct game_place *p = &b->place[i];
		must(memchr(p->name, 0, sizeof p->name) != NULL);
		must(p->shape <= GAME_EDGE_DOWN && p->shade <= 1);
		must(abs(p->x) <= 4000 && abs(p->y) <= 4000);
		for (unsigned j = 0; j < i; j++) {
			must(!p->name[0] || strcmp(p->name, b->place[j].name) != 0);
			must(p->x != b->place[j].x || p->y != b->place[j].y);
		}
	}
}

LAW(a_board_is_sane)
{
	struct game_board b = {0};
	if (!rules->board)
		return;
	rules->board(game, &b);
	must(b.side[0] && b.side[1] && strcmp(b.side[0], b.side[1]) != 0);
	places_are_sane(&b);
	must(b.pieces >= 1 && b.pieces <= GAME_PIECES_MAX);
	must(b.strokes <= GAME_STROKES_MAX && b.labels <= GAME_LABELS_MAX);
	for (unsigned i = 0; i < b.pieces; i++) {
		const struct game_piece *p = &b.piece[i];
		must(p->letter > ' ' && p->letter <= '~' && p->letter != '.');
		must(p->name && p->name[0] && p->side <= GAME_NO_SIDE && p->look <= GAME_LETTER);
		must((p->look == GAME_GLYPH) == (p->glyph != NULL));
		for (unsigned j = 0; j < i; j++)
			must(p->letter != b.piece[j].letter);
	}
	for (unsigned i = 0; i < b.labels; i++) {
		must(memchr(b.label[i].text, 0, sizeof b.label[i].text) != NULL);
		must(strlen(b.label[i].text) > 0);
		for (const char *c = b.label[i].text; *c; c++)
			must(*c > ' ' && *c <= '~');
	}
	for (unsigned i = 0; i < b.strokes; i++)
		must(b.stroke[i].side <= GAME_NO_SIDE && b.stroke[i].heavy <= 1);
}

/* Everything that a diagram says is on the board, and where positions can be set up, it is all of the position. */
static void diagram_shows(const struct game_board *b, const void *state, bool over)
{
	struct game_diagram d = {0};
	struct walk_state again = {0};
	char text[GAME_TEXT_MAX], small[4];
	rules->diagram(game, state, &d);
	for (unsigned i = 0; i < GAME_PLACES_MAX; i++) {
		must(d.on[i] <= (i < b->places ? b->pieces : 0));
		must(d.playable[i] <= (i < b->places));
	}
	for (unsigned i = 0; i < GAME_PIECES_MAX; i++)
		must(b->hands ? i < b->pieces || (!d.hand[0][i] && !d.hand[1][i]) : !d.hand[0][i] && !d.hand[1][i]);
	must((d.to_move == GAME_NO_SIDE) == over);
	must(d.to_move <= GAME_NO_SIDE);
	must(memchr(d.note, 0, sizeof d.note) != NULL);
	size_t wanted = game_board_picture(b, &d, NULL, text, sizeof text);
	must(wanted < sizeof text && wanted == strlen(text) && text[wanted - 1] == '\n');
	must(game_board_picture(b, &d, NULL, small, sizeof small) == wanted && strlen(small) == sizeof small - 1);
	if (!rules->set_up || over)
		return;
	struct pd_fail fail = {0};
	memset(d.playable, 0, sizeof d.playable);
	ck_assert_msg(rules->set_up(game, &d, &again, &fail) == PD_OK, "%s: %s\n%s", game->name, fail.text, text);
	must(same_key(state, &again));
}

LAW(a_diagram_and_the_places_of_moves_lie_on_the_board)
{
	static struct game_board b;
	if (!rules->board)
		return;
	memset(&b, 0, sizeof b);
	rules->board(game, &b);
	for (int i = 0; i < rounds / 3; i++) {
		struct walk_state s = random_position();
		unsigned count;
		game_move *moves = moves_of(rules->moves, &s, &count);
		diagram_shows(&b, &s, count == 0);
		for (unsigned j = 0; j < count; j++) {
			uint16_t places[GAME_MOVE_PLACES_MAX];
			unsigned named = rules->move_places(game, &s, moves[j], places);
			must(named <= GAME_MOVE_PLACES_MAX);
			for (unsigned k = 0; k < named; k++)
				must(places[k] < b.places);
		}
		free(moves);
	}
}

LAW(move_text_comes_back_as_the_same_move)
{
	for (int i = 0; i < rounds / 3; i++) {
		struct walk_state s = random_position();
		unsigned count;
		game_move *moves = moves_of(rules->moves, &s, &count), back;
		for (unsigned j = 0; j < count; j++) {
			char text[GAME_TEXT_MAX];
			struct pd_fail fail;
			size_t wanted = rules->move_print(game, &s, moves[j], text, sizeof text);
			must(wanted == strlen(text));
			must(rules->move_print(game, &s, moves[j], NULL, 0) == wanted);
			must(rules->move_parse(game, &s, text, &back, &fail) == PD_OK);
			/* A child that stands twice in a list has one text. */
			struct walk_state child = child_of(&s, moves[j]), other = child_of(&s, back);
			must(!memcmp(&child, &other, game->state_size));
			for (const char *const *notation = rules->notations; notation && *notation; notation++) {
				wanted = rules->move_print_in(game, &s, moves[j], *notation, text, sizeof text);
				must(wanted == strlen(text));
				must(rules->move_print_in(game, &s, moves[j], *notation, NULL, 0) == wanted);
				must(rules->move_parse(game, &s, text, &back, &fail) == PD_OK);
				must(back == moves[j]);
			}
		}
		free(moves);
	}
}

/* "a1b2" is a move in some positions with chessmen. */
static bool is_legal(const void *state, const char *typed)
{
	unsigned count;
	game_move *moves = moves_of(rules->moves, state, &count);
	bool legal = false;
	for (unsigned i = 0; i < count && !legal; i++) {
		char text[GAME_TEXT_MAX];
		rules->move_print(game, state, moves[i], text, sizeof text);
		legal = !strcmp(text, typed);
	}
	free(moves);
	return legal;
}

LAW(a_move_that_is_not_legal_is_refused)
{
	static const char *const bad[] = {"",   "0",  "?",        "zz9",  "a0",      "4 4",
					  " 1", "1 ", "\xc3\xa9", "a1b2", "n999999", "11"};
	for (int i = 0; i < 30; i++) {
		struct walk_state s = random_position(), copy = s;
		for (unsigned j = 0; j < sizeof bad / sizeof bad[0]; j++) {
			struct pd_fail fail = {0};
			game_move move = 12345;
			if (is_legal(&s, bad[j]))
				continue;
			must(rules->move_parse(game, &s, bad[j], &move, &fail) == PD_E_MOVE);
			must(fail.code == PD_E_MOVE);
			must(!strcmp(fail.field, "move"));
			must(move == 12345);
		}
		must(!memcmp(&s, &copy, sizeof s));
	}
}

LAW(the_empty_text_is_the_initial_position)
{
	struct walk_state s = {0}, t = {0};
	must(rules->parse(game, "", &s, NULL) == PD_OK);
	rules->start(game, &t);
	must(!memcmp(&s, &t, game->state_size));
}

/* Damages a text at random: what comes out is often nearly right. */
static void damage_text(char *text, size_t size)
{
	static const char alphabet[] = "xo/123456789abcdefgh ,n0-w\x01KQkPp=XO;.@#";
	for (unsigned n = 1 + walk_below(&seed, 3); n > 0; n--) {
		size_t length = strlen(text), at = walk_below(&seed, (unsigned)length + 1);
		char c = alphabet[walk_below(&seed, sizeof alphabet - 1)];
		unsigned what = walk_below(&seed, 3);
		if (what == 0 && at < length) {
			text[at] = c;
		} else if (what == 1 && at < length) {
			memmove(text + at, text + at + 1, length - at);
		} else if (length + 1 < size) {
			memmove(text + at + 1, text + at, length - at + 1);
			text[at] = c;
		}
	}
}

LAW(a_damaged_text_is_refused_with_its_field_or_is_a_position)
{
	for (int i = 0; i < 3 * rounds; i++) {
		struct walk_state s = random_position(), t, before;
		char text[GAME_TEXT_MAX + 8];
		struct pd_fail fail = {0};
		rules->print(game, &s, text, GAME_TEXT_MAX);
		damage_text(text, sizeof text);
		memset(&t, 0x5a, sizeof t);
		before = t;
		int rc = rules->parse(game, text, &t, &fail);
		if (rc) {
			must(rc == PD_E_POSITION);
			must(fail.code == PD_E_POSITION);
			must(!strcmp(fail.field, "position"));
			must(strlen(fail.text) > 0);
			must(!memcmp(&t, &before, sizeof t));
		} else {
			struct walk_state u = canonical_of(&t);
			must(same_key(&t, &u));
		}
	}
}

LAW(bytes_are_the_key_of_a_position_or_corrupt)
{
	for (int i = 0; i < 5 * rounds; i++) {
		struct walk_state s = random_position(), t;
		struct key k = key_of(&s);
		if (i % 5 == 0) {
			for (size_t j = 0; j < k.size; j++)
				k.bytes[j] = (uint8_t)walk_random(&seed);
		} else {
			k.bytes[walk_below(&seed, (unsigned)k.size)] ^= (uint8_t)(1u << walk_below(&seed, 8));
		}
		int rc = rules->unkey(game, k.bytes, k.size, &t);
		must(rc == PD_OK || rc == PD_E_CORRUPT);
		if (rc == PD_OK) {
			struct key l = key_of(&t);
			must(k.size == l.size);
			must(!memcmp(k.bytes, l.bytes, k.size));
			free(l.bytes);
		}
		free(k.bytes);
	}
	uint8_t long_key[GAME_KEY_MAX + 8] = {0};
	struct walk_state s;
	must(rules->unkey(game, long_key, 0, &s) == PD_E_CORRUPT);
	must(rules->unkey(game, long_key, game->key_size_max + 1, &s) == PD_E_CORRUPT);
}

SUITE(laws)
{
	all_rounds = (int)effort_of(WHOLE_ROUNDS, 50);
	base_seed = walk_seed("games.laws", 20240);
	variants = gamedata_read("open");
	int games = (int)gamedata_games();
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, the_struct_keeps_the_limits, 0, games);
	tcase_add_loop_test(c, an_acyclic_game_ends_within_plies_max, 0, games);
	tcase_add_loop_test(c, unkey_gives_the_canonical_position, 0, games);
	tcase_add_loop_test(c, canon_takes_moves_to_the_frame_of_the_key_and_back, 0, games);
	tcase_add_loop_test(c, moves_are_legal_once_each_in_a_fixed_order, 0, games);
	tcase_add_loop_test(c, unique_moves_drops_exactly_the_later_twins, 0, games);
	tcase_add_loop_test(c, immediate_win_is_what_one_ply_shows, 0, games);
	tcase_add_loop_test(c, static_solve_claims_only_what_the_rules_prove, 0, games);
	tcase_add_loop_test(c, theorems_claim_only_what_the_rules_prove, 0, games);
	tcase_add_loop_test(c, initial_numbers_are_within_their_limits, 0, games);
	tcase_add_loop_test(c, edge_costs_are_within_their_limits, 0, games);
	tcase_add_loop_test(c, what_is_counted_is_what_is_listed, 0, games);
	tcase_add_loop_test(c, no_position_comes_back_over_an_irreversible_move, 0, games);
	tcase_add_loop_test(c, text_comes_back_as_the_same_position, 0, games);
	tcase_add_loop_test(c, a_board_is_sane, 0, games);
	tcase_add_loop_test(c, a_diagram_and_the_places_of_moves_lie_on_the_board, 0, games);
	tcase_add_loop_test(c, move_text_comes_back_as_the_same_move, 0, games);
	tcase_add_loop_test(c, a_move_that_is_not_legal_is_refused, 0, games);
	tcase_add_loop_test(c, the_empty_text_is_the_initial_position, 0, games);
	tcase_add_loop_test(c, a_damaged_text_is_refused_with_its_field_or_is_a_position, 0, games);
	tcase_add_loop_test(c, bytes_are_the_key_of_a_position_or_corrupt, 0, games);
}
