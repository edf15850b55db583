/* Records that are written: what is written is read back, in every form that a game has, without its variations; a list
 * of moves with variations is for people and refused. Read into a tree, a record has all that was written. */
#include <stdio.h>
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
	const struct game_line_tree tree = {.start = start, .nodes = p->nodes};
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

/* Gives nodes marks, and comments of pieces that a reader could take for something else. `braces`: of SGF, which may
 * have them. */
static void add_remarks(struct play *p, bool braces, uint64_t *seed)
{
	static char texts[NODES][64];
	static const char *const pieces[] = {"B[c3]", "\\", "]", "(;W[a1])", "1. e4", "$3", "*",  " ", "\n", "%", ";",
					     "1-0",   "\"", ")", "[Event",   "−",     "a",  "!?", "(", "{",  "}"};
	const unsigned count = sizeof pieces / sizeof *pieces - (braces ? 0 : 2);
	for (uint32_t i = 0; i < p->count; i++) {
		p->nodes[i].mark = i ? walk_below(seed, 2 * GAME_MARKS) : 0;
		if (p->nodes[i].mark >= GAME_MARKS)
			p->nodes[i].mark = 0;
		if (walk_below(seed, 3))
			continue;
		snprintf(texts[i], sizeof texts[i], "x%s%s%s%sx", pieces[walk_below(seed, count)],
			 pieces[walk_below(seed, count)], pieces[walk_below(seed, count)],
			 pieces[walk_below(seed, count)]);
		p->nodes[i].text = texts[i];
	}
}

/* The same moves, marks and comments in the same order, wherever the nodes are. */
static void same_trees(const struct play *p, uint32_t a, const struct game_tree *tree, uint32_t b, const char *text)
{
	for (; a || b; a = p->nodes[a].sibling, b = tree->nodes[b].sibling) {
		const struct game_line_node *x = &p->nodes[a], *y = &tree->nodes[b];
		ck_assert_msg(a && b && x->move == y->move && x->mark == y->mark, "%s", text);
		ck_assert_msg(!x->text == !y->text && (!x->text || !strcmp(x->text, y->text)), "'%s' '%s'\n%s",
			      x->text ? x->text : "", y->text ? y->text : "", text);
		same_trees(p, x->child, tree, y->child, text);
	}
}

START_TEST(a_tree_with_remarks_is_read_back)
{
	struct game *g = open_game(games[_i]);
	uint64_t seed = walk_seed("games.record_tree", 12) + (uint64_t)_i;
	for (int round = 0; round < ROUNDS; round++)
		for (unsigned form = GAME_FORM_PGN; form <= GAME_FORM_SGF; form++) {
			struct walk_state start = {0}, read = {0};
			struct game_tree tree;
			struct game_played played = {.tree = &tree};
			struct play p = {.count = 1};
			struct pd_fail fail = {0};
			struct pd_buf text;
			if (!game_has_form(g, (enum game_form)form))
				continue;
			g->rules->start(g, &start);
			g->rules->start(g, &read);
			grow_plays(g, &p, &start, 0, &seed);
			add_remarks(&p, form == GAME_FORM_SGF, &seed);
			write(g, &p, &start, (enum game_form)form, &text);
			game_tree_init(&tree);
			ck_assert_msg(!game_play_record(g, text.data, true, &read, &played, &fail), "%s\n%s", fail.text,
				      text.data);
			ck_assert(!memcmp(tree.start, &start, g->state_size) && tree.count == p.count);
			ck_assert_msg(!p.nodes[0].text == !tree.nodes[0].text &&
					      (!p.nodes[0].text || !strcmp(p.nodes[0].text, tree.nodes[0].text)),
				      "%s", text.data);
			same_trees(&p, p.nodes[0].child, &tree, tree.nodes[0].child, text.data);
			game_tree_fini(&tree);
			pd_buf_fini(&text);
		}
	game_close(g);
}
END_TEST

/* What other programs write: marks as signs, comments before moves, variations within each other, moves twice, results
 * in variations; and what is refused. */
START_TEST(trees_of_other_programs)
{
	static const struct {
		const char *game, *text, *written; /* written: as this program writes it; or what the error says */
		bool refused;
	} rows[] = {
		{"chess-mate",
		 "{ so } 1. e4! ; best\n e5?? (1... c5 $5 2. Nf3 (2. Nc3 *) 2... d6 1-0) ({x} 1... e6) 2. Nf3 *",
		 "{so}\n1. e4 $1\n{best\nx}\n1... e5 $4 (1... c5 $5 2. Nf3 (2. Nc3) 2... d6) (1... e6) 2. Nf3 *"},
		{"chess-mate", "1. e4 (1. e4 {same}) 1... e5 *", "1. e4\n{same}\n1... e5 *"},
		{"chess-mate", "1. e4 (1. d4 d5", "the variation that begins here is not closed", true},
		{"chess-mate", "1. e4 ((1. d4)) *", "a variation in parentheses comes after the move", true},
		{"chess-mate", "1. e4 (1. e5) *", "move 2: 'e5' is not legal here", true},
		{"hex:5", "(;GM[11]SZ[5]C[a \\] b\\\n c];C[first]B[c3]TE[2](;W[b2]BM[1])(;W[d4](;B[a1])(;B[a2]IT[])))",
		 "C[a \\] b c]\n;B[c3]TE[2]C[first]\n(;W[b2]BM[1])\n(;W[d4]\n(;B[a1])\n(;B[a2]IT[])))"},
		{"hex:5", "(;GM[11]SZ[5];B[c3];W[swap-pieces])", "a record with a swap", true},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct game *g = open_game(rows[i].game);
		struct walk_state read = {0};
		struct game_tree tree;
		struct game_played played = {.tree = &tree};
		struct pd_fail fail = {0};
		struct pd_buf text;
		g->rules->start(g, &read);
		game_tree_init(&tree);
		pd_buf_init(&text, 1 << 20);
		int rc = game_play_record(g, rows[i].text, true, &read, &played, &fail);
		const struct game_line_tree written = {.start = tree.start, .nodes = tree.nodes};
		ck_assert_msg(!rc == !rows[i].refused, "row %u: %s", i, fail.text);
		if (!rc)
			game_record_write(g, &written, rows[i].game[0] == 'h' ? GAME_FORM_SGF : GAME_FORM_PGN, &text);
		ck_assert_msg(strstr(rc ? fail.text : text.data, rows[i].written), "row %u: %s", i,
			      rc ? fail.text : text.data);
		pd_buf_fini(&text);
		game_tree_fini(&tree);
		game_close(g);
	}
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
	tcase_add_loop_test(c, a_tree_with_remarks_is_read_back, 0, sizeof games / sizeof *games);
	tcase_add_test(c, trees_of_other_programs);
	tcase_add_test(c, each_game_has_its_forms);
	tcase_add_loop_test(c, texts, 0, 7);
}
