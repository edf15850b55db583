/* Rules: a second implementation of the games, for the checker alone (C2).
 *
 * Certificates are checked against these rules. They are written from the text of the rules and share no line with
 * solver/games: a board is an array with one byte per square, and everything is found by scanning squares, which is
 * slow but easy to audit. They share the notation (solver/games/RULES.md), the bytes of a key and the code of a move
 * (the comment at the top of each game's file there). tests/proofcheck/compare.h compares the two. checker_rules.h
 * describes a game. */
#pragma once

#include "clients/proofcheck/checker_rules.h"
#include "proto/base/error.h"
#include "proto/base/graph.h"

/* Members of struct ck_rules whose functions are called GAME_open_game and so on. */
#define CK_RULES(game)                                                                                                 \
	.open = game##_open_game, .read = game##_read_position, .print = game##_print_position,                        \
	.encode = game##_encode_key, .decode = game##_decode_key, .moves = game##_list_moves, .play = game##_play_move
/* Members that several games share: First moves on turn 0; a player without a move loses. */
bool ck_turn_0_moves(const struct ck_game *game, const struct ck_position *p);
bool ck_no_move_loses(const struct ck_game *game, const struct ck_position *p, int *value);

/* Opens a game by its full name; ck_close follows success. PD_E_GAME with field "game". */
int ck_open(struct ck_game *game, const char *name, const char *graph, size_t graph_size, struct pd_fail *fail);
void ck_close(struct ck_game *game);

/* True when the game can end with that value; every bound is such a value. */
static inline bool ck_is_value(const struct ck_game *game, int64_t value)
{
	return value >= game->worst && value <= game->best && (value - game->worst) % game->step == 0;
}

/* The rules named by the first `size` bytes; NULL if there are none. */
const struct ck_rules *ck_rules_named(const char *name, size_t size);
/* Adds the rules of a plug-in (plugin.h): a list that ends with NULL and lives as long as the process. */
void ck_rules_add(const struct ck_rules *const *list);

/* A value in words: "first wins", "draw", "second wins", or the game's own. NULL on scales beyond -1 to 1. */
const char *ck_outcome(const struct ck_game *game, int64_t value);

/* Decodes a key; false unless it is the canonical key of a position. */
bool ck_decode(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);

/* The number of move sequences of exactly `depth` plies. */
uint64_t ck_perft(const struct ck_game *game, const struct ck_position *p, unsigned depth);
