/* Drawings: well-formed, complete, and the same elements for every position that has the same pieces. */
#include <stdio.h>
#include <string.h>

#include "solver/games/board_picture.h"
#include "solver/games/board_svg.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static unsigned occurrences(const char *text, const char *word)
{
	unsigned count = 0;
	for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
		count++;
	return count;
}

/* Every element is closed, every attribute quoted, and no text holds a bare < or &. */
static void well_formed(const char *svg)
{
	unsigned depth = 0;
	for (const char *p = svg; *p;) {
		if (*p == '&') {
			ck_assert_msg(!strncmp(p, "&lt;", 4) || !strncmp(p, "&gt;", 4) || !strncmp(p, "&amp;", 5) ||
					      !strncmp(p, "&quot;", 6),
				      "%.20s", p);
			p++;
		} else if (*p == '<') {
			const char *end = strchr(p, '>');
			ck_assert_ptr_nonnull(end);
			unsigned quotes = 0;
			for (const char *q = p; q < end; q++)
				quotes += *q == '"';
			ck_assert_uint_eq(quotes % 2, 0);
			if (p[1] == '/') {
				ck_assert_uint_gt(depth, 0);
				depth--;
			} else if (end[-1] != '/') {
				depth++;
			}
			p = end + 1;
		} else {
			ck_assert_int_ne(*p, '>');
			p++;
		}
	}
	ck_assert_uint_eq(depth, 0);
}

struct drawn {
	struct game_board board;
	struct game_diagram diagram;
	struct pd_buf svg;
};

static void draw_picture(const struct game *game, const void *state, const struct game_svg *how, struct drawn *out)
{
	memset(out, 0, sizeof *out);
	game->rules->board(game, &out->board);
	game->rules->diagram(game, state, &out->diagram);
	pd_buf_init(&out->svg, 1 << 20);
	game_board_svg(&out->board, &out->diagram, how, &out->svg);
	ck_assert(!out->svg.failed);
	well_formed(out->svg.data);
}

START_TEST(every_game_is_drawn)
{
	const struct gamedata *variants = gamedata_read("open");
	uint64_t seed = walk_seed("games.svg", 11);
	static struct drawn d;
	for (unsigned i = 0; i < variants->count; i++) {
		struct game *game;
		if (!game_builtin(variants->row[i].game)->board)
			continue;
		game = gamedata_open(variants->row[i].column[0]);
		for (int round = 0; game_has_board(game) && round < 5; round++) {
			struct walk_state s = {0};
			uint16_t last[2] = {0, 0};
			game->rules->start(game, &s);
			walk_on(game, &s, 12, &seed);
			draw_picture(game, &s, &(struct game_svg){last, 1, "A title: <&>", "over", NULL}, &d);
			unsigned hexagons = 0;
			for (unsigned j = 0; j < d.board.places; j++)
				hexagons += d.board.place[j].shape == GAME_HEXAGON;
			ck_assert_uint_eq(occurrences(d.svg.data, "<polygon"), hexagons ? hexagons + 1 : 0);
			ck_assert_uint_ge(occurrences(d.svg.data, "<text"), d.board.labels + 1);
			ck_assert_ptr_nonnull(strstr(d.svg.data, "A title: &lt;&amp;&gt;"));
			for (unsigned j = 0; j < d.board.labels; j++) {
				char text[16];
				snprintf(text, sizeof text, ">%s</text>", d.board.label[j].text);
				ck_assert_ptr_nonnull(strstr(d.svg.data, text));
			}
			pd_buf_fini(&d.svg);
		}
		game_close(game);
	}
}
END_TEST

/* Fonts differ: chessmen are paths, those of a side and those of the other in other colours; a crown is on a stone. */
START_TEST(chessmen_are_paths)
{
	static const struct {
		const char *game, *position;
		unsigned paths, white, stones;
	} cases[] = {{"antichess", "", 32, 16, 0}, {"checkers:8", "B:WK18,25:BK5,6", 2, 1, 4}};
	static struct drawn d;
	for (unsigned i = 0; i < 2; i++) {
		struct game *game;
		struct walk_state s = {0};
		struct pd_fail fail;
		ck_assert(!game_open(cases[i].game, NULL, &game, &fail));
		ck_assert(!game->rules->parse(game, cases[i].position, &s, &fail));
		draw_picture(game, &s, &(struct game_svg){0}, &d);
		ck_assert_uint_eq(occurrences(d.svg.data, "<path d=\"M"), cases[i].paths);
		ck_assert_uint_eq(occurrences(d.svg.data, "fill=\"#f7f4ec\" stroke"), cases[i].white);
		ck_assert_uint_eq(occurrences(d.svg.data, "r=\"4.6\""), cases[i].stones);
		pd_buf_fini(&d.svg);
		game_close(game);
	}
}
END_TEST

START_TEST(groups_are_marked_with_colour_and_letter)
{
	static struct drawn d;
	char marks[GAME_PLACES_MAX] = {[2] = '1', [7] = '1', [8] = 'A'};
	struct game *game;
	struct walk_state s = {0};
	struct pd_fail fail;
	ck_assert(!game_open("mnk:3,3,3", NULL, &game, &fail));
	game->rules->start(game, &s);
	draw_picture(game, &s, &(struct game_svg){.marks = marks}, &d);
	ck_assert_uint_eq(occurrences(d.svg.data, "<title>group 1</title>"), 2);
	ck_assert_uint_eq(occurrences(d.svg.data, ">1</text>\n</g>"), 2);
	ck_assert_uint_eq(occurrences(d.svg.data, ">A</text>\n</g>"), 1);
	pd_buf_fini(&d.svg);
	game_close(game);
}
END_TEST

START_TEST(the_last_move_is_marked)
{
	static struct drawn plain, marked;
	struct game *game;
	struct walk_state s = {0};
	uint16_t last[1] = {4};
	struct pd_fail fail;
	ck_assert(!game_open("mnk:3,3,3", NULL, &game, &fail));
	ck_assert(!game->rules->parse(game, "b2", &s, &fail));
	draw_picture(game, &s, &(struct game_svg){0}, &plain);
	draw_picture(game, &s, &(struct game_svg){last, 1, NULL, NULL, NULL}, &marked);
	ck_assert_uint_eq(occurrences(marked.svg.data, "<rect"), occurrences(plain.svg.data, "<rect") + 1);
	ck_assert_ptr_nonnull(strstr(plain.svg.data, "O to move"));
	pd_buf_fini(&plain.svg);
	pd_buf_fini(&marked.svg);
	game_close(game);
}
END_TEST

/* A red point on stones that are black or white, a white one on others. */
START_TEST(the_mark_can_be_seen_on_its_stone)
{
	static const struct {
		const char *game, *moves;
		uint16_t last;
		bool red;
	} cases[] = {{"othello:4", "b1", 1, true},
		     {"breakthrough:5x5", "a2b3", 11, true},
		     {"hex:3", "b2", 4, true},
		     {"connect4:7x6", "4", 3, false}};
	static struct drawn d;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct game *game;
		struct walk_state s = {0};
		struct pd_fail fail;
		ck_assert(!game_open(cases[i].game, NULL, &game, &fail));
		ck_assert(!game->rules->parse(game, cases[i].moves, &s, &fail));
		draw_picture(game, &s, &(struct game_svg){&cases[i].last, 1, NULL, NULL, NULL}, &d);
		ck_assert_msg(d.diagram.on[cases[i].last], "%s: there is no stone", cases[i].game);
		ck_assert_msg(occurrences(d.svg.data, "fill=\"#d6452b\"") == cases[i].red, "%s", cases[i].game);
		pd_buf_fini(&d.svg);
		game_close(game);
	}
}
END_TEST

START_TEST(ultimate_boards_have_letters_around_them)
{
	static struct game_board board;
	struct game *game;
	struct pd_fail fail;
	ck_assert(!game_open("uttt", NULL, &game, &fail));
	game->rules->board(game, &board);
	ck_assert_uint_eq(board.labels, 8);
	for (unsigned i = 0; i < board.labels; i++) { /* outside of all squares, and on a line with those it names */
		const struct game_label *l = &board.label[i];
		const struct game_place *middle = &board.place[(unsigned)(l->text[0] - 'a') * 9 + 4];
		bool above = l->y < -6 || l->y > 8 * 12 + 6, side = l->x < -6 || l->x > 8 * 12 + 6;
		ck_assert(above != side && (above ? l->x == middle->x : l->y == middle->y));
	}
	game_close(game);
}
END_TEST

/* A board of edges with boxes, and hands: no built-in game needs all of this. */
static void box_board(struct game_board *b)
{
	static const int16_t at[5][3] = {{6, 0, GAME_EDGE_ACROSS},
					 {6, 12, GAME_EDGE_ACROSS},
					 {0, 6, GAME_EDGE_DOWN},
					 {12, 6, GAME_EDGE_DOWN},
					 {6, 6, GAME_SQUARE}};
	for (unsigned i = 0; i < 5; i++)
		b->place[b->places++] = (struct game_place){.x = at[i][0], .y = at[i][1], .shape = (uint8_t)at[i][2]};
	b->piece[b->pieces++] = (struct game_piece){'-', GAME_NO_SIDE, GAME_FILL, "line", NULL};
	b->piece[b->pieces++] = (struct game_piece){'A', GAME_FIRST, GAME_LETTER, "box", NULL};
	b->side[0] = "A";
	b->side[1] = "B";
	b->hands = true;
}

START_TEST(edges_and_hands_are_shown)
{
	static struct game_board b;
	struct game_diagram d = {.on = {1, 0, 1, 0, 2}, .hand = {{0, 2}, {1, 0}}, .to_move = GAME_SECOND};
	struct pd_buf svg;
	char text[GAME_TEXT_MAX];
	box_board(&b);
	game_board_picture(&b, &d, NULL, text, sizeof text);
	ck_assert_str_eq(text, "+---+\n| A\n+   +\nin hand: A A2, B -\nB to move\n");
	pd_buf_init(&svg, 1 << 16);
	game_board_svg(&b, &d, &(struct game_svg){0}, &svg);
	well_formed(svg.data);
	ck_assert_ptr_nonnull(strstr(svg.data, "A in hand: 2A"));
	ck_assert_ptr_nonnull(strstr(svg.data, "B in hand: -"));
	ck_assert_uint_eq(occurrences(svg.data, "stroke-width=\"1.8\""), 2);
	pd_buf_fini(&svg);
}
END_TEST

SUITE(svg)
{
	tcase_set_timeout(c, 60);
	tcase_add_test(c, every_game_is_drawn);
	tcase_add_test(c, chessmen_are_paths);
	tcase_add_test(c, groups_are_marked_with_colour_and_letter);
	tcase_add_test(c, the_last_move_is_marked);
	tcase_add_test(c, the_mark_can_be_seen_on_its_stone);
	tcase_add_test(c, ultimate_boards_have_letters_around_them);
	tcase_add_test(c, edges_and_hands_are_shown);
}
