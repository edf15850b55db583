/* Records that are written: what is written is read back, in every form that a game has, without its variations; a list
 * of moves with variations is for people and refused. */
#include <string.h>

#include "solver/games/record.h"
#include "solver/games/record_write.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { NODES = 400, PLIES = 40, ROUNDS = 40 };

static const char *const games[] = {"hex:5",        "hex:5x7",   "othello:6",    "nogo:5x5",
				    "atari-go:5x5", "mnk:7,5,4", "connect4:7x6", "antichess",
				    "chess-mate",   "uttt",      "loa:6",        "checkers:8"};

/* A random tree of play: a line, and here and there other moves with short lines of their own. */
struct play {
	struct game_line_node nodes[NODES];
	uint32_t count;
	unsigned plies; /* of the main line */
	struct walk_state end;
};

static uint32_t add_move(struct play *p, game_move move)
{
	ck_assert_uint_lt(p->count, NODES);
	p->nodes[p->count] = (struct game_line_node){.move = move};
	return p->count++;
}

static void grow_plays(const struct game *g, struct play *p, const struct walk_state *from, unsigned depth,
		       uint64_t *seed)
{
	struct walk_state s = *from;
	uint32_t last = depth ? p->count - 1 : 0;
	unsigned plies = depth ? walk_below(seed, 4) : PLIES;
	for (unsigned ply = 0; ply < plies; ply++) {
		game_move moves[GAME_MOVES_MAX];
		unsigned count = g->rules->moves(g, &s, moves), first = count ? walk_below(seed, count) : 0;
		if (!count)
			break;
		uint32_t node = add_move(p, moves[first]);
		p->nodes[last].child = node;
		if (count > 1 && depth < 2 && !walk_below(seed, 8)) {
			struct walk_state other = s;
			uint32_t sibling = add_move(p, moves[(first + 1) % count]);
			p->nodes[node].sibling = sibling;
			g->rules->play(g, &other, moves[(first + 1) % count]);
			grow_plays(g, p, &other, depth + 1, seed);
		}
		g->rules->play(g, &s, moves[first]);
		last = node;
		p->plies += !depth;
	}
	if (!depth)
		p->end = s;
}

static void write(const struct game *g, const struct play *p, const void *start, enum game_form form,
		  struct pd_buf *out)
{
	const struct game_line_tree tree = {start, p->nodes, "a [remark] with \\ a backslash", NULL};
	pd_buf_init(out, 1 << 20);
	game_record_write(g, &tree, form, out);
	ck_assert(!out->failed && out->size && out->data[out->size - 1] == '\n');
}

START_TEST(what_is_written_is_read_back)
{
	struct game *g = open_game(games[_i]);
	uint64_t seed = walk_seed("games.record_write", 11) + (uint64_t)_i;
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned form = 0; form <= GAME_FORM_SGF; form++) {
			struct walk_state start = {0}, read = {0};
			struct game_played played = {0};
			struct play p = {.count = 1};
			struct pd_fail fail = {0};
			struct pd_buf text;
			if (!game_has_form(g, (enum game_form)form))
				continue;
			g->rules->start(g, &start);
			g->rules->start(g, &read);
			grow_plays(g, &p, &start, 0, &seed);
			write(g, &p, &start, (enum game_form)form, &text);
			int rc = game_play_record(g, text.data, true, &read, &played, &fail);
			if (form == GAME_FORM_MOVES && strchr(text.data, '(')) {
				ck_assert(rc == PD_E_MOVE && strstr(fail.text, "'(' begins no move"));
				pd_buf_fini(&text);
				continue;
			}
			ck_assert_msg(!rc, "%s\n%s", fail.text, text.data);
			ck_assert_msg(played.count == p.plies && !memcmp(&read, &p.end, g->state_size), "%s",
				      text.data);
			pd_buf_fini(&text);
		}
	game_close(g);
}
END_TEST

START_TEST(each_game_has_its_forms)
{
	static const struct {
		const char *game;
		bool pgn, sgf;
	} wanted[] = {{"hex:5", false, true},     {"othello:8", false, true}, {"nogo:5x5", false, true},
		      {"mnk:5,5,4", false, true}, {"antichess", true, false}, {"chess-mate", true, false},
		      {"loa:6", false, false},    {"nim:3,4", false, false}};
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		struct game *g = open_game(wanted[i].game);
		ck_assert(game_has_form(g, GAME_FORM_MOVES));
		ck_assert(game_has_form(g, GAME_FORM_PGN) == wanted[i].pgn);
		ck_assert(game_has_form(g, GAME_FORM_SGF) == wanted[i].sgf);
		game_close(g);
	}
}
END_TEST

/* Known texts: a chess problem with Black to move first, a variation, and stones that are set up. */
START_TEST(texts)
{
	static const struct {
		const char *game, *position;
		enum game_form form;
		const char *moves[3], *other; /* other: in place of the second move */
		const char *holds[4];
	} rows[] = {
		{"antichess",
		 "8/8/8/8/8/8/p7/7R b - -",
		 GAME_FORM_PGN,
		 {"a2a1q", "h1a1"},
		 NULL,
		 {"[FEN \"8/8/8/8/8/8/p7/7R b - - 0 1\"]", "[Variant \"Antichess\"]", "1... a1=Q 2. Rxa1 0-1",
		  "[Result \"0-1\"]"}},
		{"chess-mate",
		 "",
		 GAME_FORM_PGN,
		 {"e2e4", "e7e5", "g1f3"},
		 "c7c5",
		 {"1. e4 e5 (1... c5) 2. Nf3 *", "[Event \"chess-mate\"]", NULL, NULL}},
		{"hex:5",
		 "",
		 GAME_FORM_SGF,
		 {"c3", "b2", "d4"},
		 "a1",
		 {"GM[11]SZ[5]", ";B[c3]", "(;W[b2];B[d4])", "(;W[a1])"}},
		{"hex:5",
		 "c3 b2",
		 GAME_FORM_SGF,
		 {"d4", "a1"},
		 NULL,
		 {"AB[c3]AW[b2]PL[B]", ";B[d4];W[a1]", NULL, NULL}},
		{"mnk:5,4,4", "", GAME_FORM_SGF, {"a1", "e4"}, NULL, {"SZ[5:4]", ";B[ad];W[ea]", NULL, NULL}},
		{"loa:6", "", GAME_FORM_MOVES, {NULL}, NULL, {"\n", NULL, NULL, NULL}},
		{"connect4:7x6", "", GAME_FORM_MOVES, {"4", "4", "5"}, "3", {"4 4 (3) 5\n", NULL, NULL, NULL}},
	};
	struct game *g = open_game(rows[_i].game);
	struct walk_state start = {0}, s;
	struct play p = {.count = 1};
	struct pd_fail fail;
	struct pd_buf text;
	uint32_t last = 0;
	ck_assert_msg(!g->rules->parse(g, rows[_i].position, &start, &fail), "%s", fail.text);
	s = start;
	for (unsigned i = 0; i < 3 && rows[_i].moves[i]; i++) {
		game_move move;
		ck_assert_msg(!game_read_move(g, rows[_i].moves[i], &s, &move, &fail), "%s", fail.text);
		uint32_t node = add_move(&p, move);
		p.nodes[last].child = node;
		if (i == 1 && rows[_i].other) {
			game_move other;
			ck_assert(!game_read_move(g, rows[_i].other, &s, &other, &fail));
			p.nodes[node].sibling = add_move(&p, other);
		}
		last = node;
		g->rules->play(g, &s, move);
	}
	write(g, &p, &start, rows[_i].form, &text);
	for (unsigned i = 0; i < 4 && rows[_i].holds[i]; i++)
		ck_assert_msg(strstr(text.data, rows[_i].holds[i]) != NULL, "%s is not in\n%s", rows[_i].holds[i],
			      text.data);
	pd_buf_fini(&text);
	game_close(g);
}
END_TEST

SUITE(record_write)
{
	tcase_add_loop_test(c, what_is_written_is_read_back, 0, sizeof games / sizeof *games);
	tcase_add_test(c, each_game_has_its_forms);
	tcase_add_loop_test(c, texts, 0, 7);
}
