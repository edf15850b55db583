/* What the tests of the two games on a chessboard share. */
#pragma once

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static inline void check_text(const struct game *game, const void *state, const char *wanted)
{
	char text[GAME_TEXT_MAX];
	game->rules->print(game, state, text, sizeof text);
	ck_assert_str_eq(text, wanted);
}

/* Plays a move that is given as text. */
static inline void play_text(const struct game *game, void *state, const char *text)
{
	struct pd_fail fail;
	game_move move;
	ck_assert_msg(game->rules->move_parse(game, state, text, &move, &fail) == PD_OK, "%s", fail.text);
	game->rules->play(game, state, move);
}

static inline bool is_legal(const struct game *game, const void *state, const char *text)
{
	game_move move;
	return game->rules->move_parse(game, state, text, &move, NULL) == PD_OK;
}

/* That `text` is read as `wanted`, in the game's own notation; NULL: is refused. */
static inline void check_move_read(const struct game *game, const char *position, const char *text, const char *wanted)
{
	struct pd_fail fail = {0};
	struct walk_state s = parse_position(game, position);
	game_move move = 0;
	char read[8] = "";
	int rc = game->rules->move_parse(game, &s, text, &move, &fail);
	ck_assert_msg((rc == PD_OK) == (wanted != NULL), "%s: %s", position, text);
	if (rc == PD_OK)
		game->rules->move_print(game, &s, move, read, sizeof read);
	else
		ck_assert_str_eq(fail.field, "move");
	ck_assert_str_eq(read, wanted ? wanted : "");
}

static inline int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The legal moves are these, which are given in the order of their letters, with blanks between. */
static inline void check_moves(const struct game *game, const char *text, const char *wanted)
{
	struct walk_state s = parse_position(game, text);
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	unsigned count = game->rules->moves(game, &s, moves);
	char(*texts)[8] = calloc(count + 1, sizeof *texts), all[GAME_TEXT_MAX] = "";
	for (unsigned i = 0; i < count; i++)
		game->rules->move_print(game, &s, moves[i], texts[i], sizeof texts[i]);
	qsort(texts, count, sizeof *texts, compare_texts);
	for (unsigned i = 0; i < count; i++) {
		strcat(all, i ? " " : "");
		strcat(all, texts[i]);
	}
	ck_assert_msg(!strcmp(all, wanted), "%s: %s, not %s", text, all, wanted);
	free(texts);
	free(moves);
}

/* A position and how many there are 1, 2, ... plies on. */
struct counted {
	const char *text;
	unsigned depth;
	uint64_t counts[5];
};

static inline void check_counts(const struct game *game, const struct counted *c)
{
	struct walk_state s = parse_position(game, c->text);
	for (unsigned depth = 1; depth <= c->depth; depth++) {
		uint64_t count = game_perft(game, &s, depth);
		ck_assert_msg(count == c->counts[depth - 1], "%s, depth %u: %" PRIu64, c->text, depth, count);
	}
}

/* A position and the value of the game that is over there; OPEN when it is not. */
enum { OPEN = 99 };

static inline void check_end(const struct game *game, const char *text, int wanted)
{
	struct walk_state s = parse_position(game, text);
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	int value = OPEN;
	bool over = game->rules->terminal(game, &s, &value);
	ck_assert_msg(over == (wanted != OPEN), "%s: %s", text, over ? "over" : "not over");
	ck_assert_msg(value == wanted, "%s: %d", text, value);
	ck_assert_msg(over == !game->rules->moves(game, &s, moves), "%s: moves", text);
	free(moves);
}

static inline void check_refused(const struct game *game, const char *text, const char *because)
{
	struct walk_state s;
	struct pd_fail fail = {0};
	ck_assert_msg(game->rules->parse(game, text, &s, &fail) == PD_E_POSITION, "%s", text);
	ck_assert_str_eq(fail.field, "position");
	ck_assert_msg(strstr(fail.text, because) != NULL, "%s: %s", text, fail.text);
}

static inline void check_key(const struct game *game, const char *text, const char *wanted)
{
	struct walk_state s = parse_position(game, text);
	uint8_t key[GAME_KEY_MAX];
	char hex[2 * GAME_KEY_MAX + 1] = "";
	size_t size = game->rules->key(game, &s, key);
	for (size_t i = 0; i < size; i++)
		sprintf(hex + 2 * i, "%02x", key[i]);
	ck_assert_msg(!strcmp(hex, wanted), "%s: %s", text, hex);
}

static inline unsigned read_digit(char c)
{
	return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Whether unkey takes the bytes that are given in hexadecimal. */
static inline bool takes_key(const struct game *game, const char *hex)
{
	uint8_t key[GAME_KEY_MAX];
	struct walk_state s;
	size_t size = strlen(hex) / 2;
	for (size_t i = 0; i < size; i++)
		key[i] = (uint8_t)(read_digit(hex[2 * i]) << 4 | read_digit(hex[2 * i + 1]));
	return game->rules->unkey(game, key, size, &s) == PD_OK;
}

/* Initial numbers are what a search would take without them: 1, and the number of moves. */
static inline void check_initial_numbers(const struct game *game, const void *state)
{
	uint32_t num[2] = {0, 0};
	game_move *moves = malloc(game->moves_max * sizeof *moves);
	unsigned count = game->rules->moves(game, state, moves);
	ck_assert_uint_le(count, game->moves_max);
	if (count) {
		bool first = game->rules->first_to_move(game, state);
		game->rules->initial_numbers(game, state, 1, num);
		ck_assert_uint_eq(num[first], count);
		ck_assert_uint_eq(num[!first], 1);
	}
	free(moves);
}

/* A position with random men on random squares, as text in `out`: `kings` puts one of each side, and no more. */
static inline void random_board(uint64_t *seed, bool kings, char out[128])
{
	char board[64];
	unsigned density = 1 + walk_below(seed, 12), n = 0;
	for (unsigned i = 0; i < 64; i++) {
		bool edge = i < 8 || i >= 56;
		const char *men = kings ? "NBRQnbrqPp" : "NBRQKnbrqkPp";
		board[i] =
			walk_below(seed, 12) < density ? men[walk_below(seed, (unsigned)strlen(men) - 2 * edge)] : '1';
	}
	if (kings) {
		unsigned white = walk_below(seed, 64);
		board[white] = 'K';
		board[(white + 1 + walk_below(seed, 63)) % 64] = 'k';
	}
	for (unsigned i = 0; i < 64; i++) {
		if (i && i % 8 == 0)
			out[n++] = '/';
		out[n++] = board[i];
	}
	strcpy(out + n, walk_below(seed, 2) ? " w - -" : " b - -");
}
