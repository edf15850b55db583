/* Checkers: texts of moves and positions; classes of positions, by both implementations; endings of two and three men
 * by retrograde analysis against the counts of another one (tests/data/checkers/SOURCE.md). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "solver/games/game.h"
#include "tests/support/effort.h"
#include "tests/support/retro.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct game *game;

static void open_board(const char *name)
{
	struct pd_fail fail;
	ck_assert_msg(game_open(name, NULL, &game, &fail) == PD_OK, "%s", fail.text);
}

static void read_position(const char *text, struct walk_state *out)
{
	struct pd_fail fail = {0};
	ck_assert_msg(game->rules->parse(game, text, out, &fail) == PD_OK, "%s: %s", text, fail.text);
}

START_TEST(moves_and_positions_are_read_as_people_write_them)
{
	static const struct {
		const char *position, *move, *written; /* as it is written then; NULL: why it is refused */
		const char *why;
	} cases[] = {
		{"", "11-15", "11-15", NULL},
		{"", "11x15", NULL, "takes nothing"},
		{"", "11-18", NULL, "not a legal move"},
		{"", "11", NULL, "not a legal move"},
		{"", "11-33", NULL, "numbers of its squares"},
		{"", "11-", NULL, "numbers of its squares"},
		{"B:W6,15:B1", "1x10x19", "1x10x19", NULL},
		{"B:W6,15:B1", "1-19", "1x10x19", NULL},
		{"B:W6,15:B1", "1x10", NULL, "not a legal move"},
		{"B:W6,15:B1", "1x10x19x26", NULL, "not a legal move"},
		/* A king that goes around: two ways to take the same men and come back. */
		{"B:W7,8,15,16:BK3", "3x10x19x12x3", "3x10x19x12x3", NULL},
		{"B:W7,8,15,16:BK3", "3x12x19x10x3", "3x12x19x10x3", NULL},
		{"B:W7,8,15,16:BK3", "3x3", "3x10x19x12x3", NULL},
		/* Two ways that take different men. */
		{"B:W6,7,14,15:BK2", "2x18", NULL, "not a legal move"},
		{"B:W6,7,14,15,32:B2", "2x9x18", "2x9x18", NULL},
		{"B:W6,7,14,15,32:B2", "2x18", NULL, "several captures"},
		{"B:W6,7,14,15,32:B2", "2x11x18", "2x11x18", NULL},
		/* A man that is crowned stops; one taken stays until the end. */
		{"B:W26,27:B22", "22x31", "22x31", NULL},
	};
	static const struct {
		const char *text, *printed, *why;
	} positions[] = {
		{"W:B12,K16:W18,24,K27.", "W:W18,24,K27:B12,K16", NULL},
		{"W:W:BK1", "W:W:BK1", NULL},
		{"B:W:BK1", NULL, "not to move has no pieces"},
		{"W:W4:B5", NULL, "last row"},
		{"W:WK4,K4:B5", NULL, "two pieces"},
		{"W:WK4:BK4", NULL, "two pieces"},
		{"W:W33:B5", NULL, "number of its square"},
		{"W:W32:W5", NULL, "side to move and the pieces"},
		{"W:W32:B5 ", NULL, "goes on after"},
		{"R:W32:B5", NULL, "side to move and the pieces"},
		{"B:W32:B1,2,3,4,5,6,7,8,9,10,11,12,13", NULL, "more pieces"},
	};
	struct walk_state s;
	char text[GAME_TEXT_MAX];
	open_board("checkers:8");
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_fail fail = {0};
		game_move move;
		read_position(cases[i].position, &s);
		int rc = game->rules->move_parse(game, &s, cases[i].move, &move, &fail);
		ck_assert_msg(!rc == !cases[i].why && (!rc || strstr(fail.text, cases[i].why)), "%s: %s", cases[i].move,
			      fail.text);
		if (!rc) {
			game->rules->move_print(game, &s, move, text, sizeof text);
			ck_assert_str_eq(text, cases[i].written);
		}
	}
	for (unsigned i = 0; i < sizeof positions / sizeof *positions; i++) {
		struct pd_fail fail = {0};
		int rc = game->rules->parse(game, positions[i].text, &s, &fail);
		ck_assert_msg(!rc == !positions[i].why && (!rc || strstr(fail.text, positions[i].why)), "%s: %s",
			      positions[i].text, fail.text);
		if (!rc) {
			game->rules->print(game, &s, text, sizeof text);
			ck_assert_str_eq(text, positions[i].printed);
		}
	}
	game_close(game);
}
END_TEST

/* --- classes ------------------------------------------------------------------------------ */

/* The number of a position by both implementations, which must agree; also of the position that half a turn of the
 * board with the colours exchanged makes of it. */
static void check_number(const struct ck_game *slow, const struct game_class *c, uint64_t index)
{
	struct walk_state s;
	struct ck_position p, q;
	uint8_t key[GAME_KEY_MAX], slow_key[CK_KEY_MAX];
	char name[CK_CLASS_NAME];
	uint64_t number;
	ck_assert(game->rules->classes->position(game, c, index, &s));
	ck_assert(slow->rules->class_position(slow, c->name, index, &p));
	size_t size = game->rules->key(game, &s, key);
	ck_assert_uint_eq(size, slow->rules->encode(slow, &p, slow_key));
	ck_assert_mem_eq(key, slow_key, size);
	ck_assert(game->rules->unkey(game, key, size, &s) == PD_OK);
	memset(&q, 0, sizeof q);
	for (unsigned i = 0, last = slow->width * slow->height - 1; i <= last; i++)
		q.at[i] = (uint8_t)((uint8_t[]){0, 2, 1, 4, 3}[p.at[last - i]]);
	q.turn = !p.turn;
	for (unsigned turned = 0; turned < 2; turned++) {
		const struct ck_position *at = turned ? &q : &p;
		ck_assert(slow->rules->class_index(slow, at, name, &number));
		ck_assert_str_eq(name, c->name);
		ck_assert_uint_eq(number, index);
		size = slow->rules->encode(slow, at, key);
		ck_assert(game->rules->unkey(game, key, size, &s) == PD_OK);
		ck_assert_uint_eq(game->rules->classes->id(game, &s), c->id);
		ck_assert_uint_eq(game->rules->classes->index(game, c, &s), index);
	}
}

/* Checks that each move of a position leads to the class itself, to one of `next`, or to the end. */
static void check_moves(const struct game_class *c, const struct game_class *next, unsigned count, uint64_t index)
{
	struct walk_state s, child;
	game_move moves[GAME_MOVES_MAX];
	ck_assert(game->rules->classes->position(game, c, index, &s));
	for (unsigned n = game->rules->moves(game, &s, moves); n > 0; n--) {
		int value;
		unsigned i = 0;
		child = s;
		game->rules->play(game, &child, moves[n - 1]);
		uint64_t id = game->rules->classes->id(game, &child);
		while (i < count && next[i].id != id)
			i++;
		ck_assert(id == c->id || i < count || (!id && game->rules->terminal(game, &child, &value)));
	}
}

START_TEST(numbers_of_classes_are_the_same_twice)
{
	static const char *const boards[] = {"checkers:4", "checkers:6", "checkers:8"};
	struct pd_fail fail;
	struct ck_game slow;
	uint64_t seed = walk_seed("proofcheck.draughts", 5), positions = 0;
	open_board(boards[_i]);
	ck_assert(ck_open(&slow, boards[_i], NULL, 0, &fail) == PD_OK);
	ck_assert_uint_eq(slow.rules->class_size(&slow, "MvK"), 0);
	ck_assert_uint_eq(slow.rules->class_size(&slow, "Kv"), 0);
	ck_assert_uint_eq(slow.rules->class_size(&slow, "KKKKvKKK"), 0);
	for (unsigned men = 2; men <= 6; men++) {
		struct game_class c, again, next[GAME_CLASS_NEXT_MAX];
		for (unsigned n = 0; game->rules->classes->at(game, men, n, &c); n++) {
			ck_assert_uint_eq(slow.rules->class_size(&slow, c.name), c.size);
			ck_assert(game->rules->classes->open(game, c.name, &again, &fail) == PD_OK);
			ck_assert_uint_eq(again.id, c.id);
			unsigned count = game->rules->classes->next(game, &c, next);
			unsigned rounds = effort_of(men <= 3 ? 20000 : 4000, 200);
			bool all = c.size <= rounds;
			for (uint64_t i = 0; i < (all ? c.size : rounds); i++) {
				uint64_t index = all ? i : walk_random(&seed) % c.size;
				check_number(&slow, &c, index);
				check_moves(&c, next, count, index);
			}
			struct ck_position p;
			ck_assert(!slow.rules->class_position(&slow, c.name, c.size, &p));
			positions += men <= 4 ? c.size : 0;
		}
	}
	if (_i == 2)
		ck_assert_uint_eq(positions, 6408836);
	ck_assert(game->rules->classes->open(game, "Kv", &(struct game_class){.id = 0}, &fail) == PD_E_PARAMS);
	ck_close(&slow);
	game_close(game);
}
END_TEST

/* --- endings ------------------------------------------------------------------------------ */

/* One row of material.tsv, counted anew: the mover's material first. */
static void check_material(const struct retro *retro, const unsigned claim[2], const unsigned row[9])
{
	struct game_class c;
	struct walk_state s;
	char name[16] = "";
	unsigned count[4] = {0, 0, 0, 0};
	for (unsigned side = 0; side < 2; side++)
		sprintf(name + strlen(name), "%s%.*s%.*s", side ? "v" : "", (int)row[2 * side + 1], "KKK",
			(int)row[2 * side], "MMM");
	ck_assert(game->rules->classes->open(game, name, &c, NULL) == PD_OK);
	/* The name begins with the force that comes first in numbers, which need not be the mover's of this row. */
	bool second = strcmp(name, c.name) != 0;
	uint64_t begin = second ? c.size - row[4] : 0;
	for (uint64_t i = begin; i < begin + row[4]; i++) {
		unsigned distance;
		ck_assert(game->rules->classes->position(game, &c, i, &s));
		bool won = retro_holds(retro, claim[1], &s, &distance);
		bool lost = !won && !retro_holds(retro, claim[0], &s, &distance);
		count[won ? 0 : lost ? 1 : 2]++;
		if ((won || lost) && distance > count[3])
			count[3] = distance;
	}
	for (unsigned i = 0; i < 4; i++)
		ck_assert_msg(count[i] == row[5 + i], "%s: %u, not %u", name, count[i], row[5 + i]);
}

static void add_class(struct retro *retro, const struct game_class *c)
{
	struct walk_state s;
	for (uint64_t i = 0; i < c->size; i++) {
		ck_assert(game->rules->classes->position(game, c, i, &s));
		ck_assert(retro_add(retro, &s));
	}
}

START_TEST(endings_are_as_another_analysis_counts_them)
{
	unsigned most = effort_whole() ? 3 : 2, row[9], rows = 0, endings = 0;
	char line[256];
	open_board("checkers:8");
	struct retro *retro = retro_new(game, UINT32_MAX);
	for (unsigned men = 2; men <= most; men++) {
		struct game_class c;
		for (unsigned n = 0; game->rules->classes->at(game, men, n, &c); n++)
			add_class(retro, &c);
	}
	unsigned claim[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	FILE *file = fopen(TEST_DATA "/checkers/material.tsv", "r");
	ck_assert(file);
	while (fgets(line, sizeof line, file)) {
		if (sscanf(line, "%u %u %u %u %u %u %u %u %u", &row[0], &row[1], &row[2], &row[3], &row[4], &row[5],
			   &row[6], &row[7], &row[8]) != 9 ||
		    row[0] + row[1] + row[2] + row[3] > most)
			continue;
		check_material(retro, claim, row);
		rows++;
	}
	fclose(file);
	ck_assert_uint_eq(rows, most == 3 ? 16 : 4);
	file = fopen(TEST_DATA "/checkers/endings.tsv", "r");
	ck_assert(file);
	while (fgets(line, sizeof line, file)) {
		char position[64], value;
		int plies;
		struct walk_state s;
		unsigned distance = 0;
		if (sscanf(line, "%63s %c %d", position, &value, &plies) != 3 || *line == '#')
			continue;
		read_position(position, &s);
		if (retro_find(retro, &s) == RETRO_NONE)
			continue;
		bool black = game->rules->first_to_move(game, &s);
		bool first_wins = retro_holds(retro, claim[1], &s, &distance);
		bool second_wins = !first_wins && !retro_holds(retro, claim[0], &s, &distance);
		char found = !first_wins && !second_wins ? 'D' : first_wins == black ? 'W' : 'L';
		ck_assert_msg(found == value && (value == 'D' || (int)distance == plies), "%s: %c %u", position, found,
			      distance);
		endings++;
	}
	fclose(file);
	ck_assert(most == 2 || endings > 20);
	retro_free(retro);
	game_close(game);
}
END_TEST

SUITE(draughts)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, moves_and_positions_are_read_as_people_write_them);
	tcase_add_loop_test(c, numbers_of_classes_are_the_same_twice, 0, 3);
	tcase_add_test(c, endings_are_as_another_analysis_counts_them);
}
