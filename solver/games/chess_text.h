/* Both chess games as text (FEN, EPD, coordinates, SAN) and on their board. */
#pragma once

#include "solver/games/chess_classes.h"

/* Allocates a game of `size` bytes that begins with a struct chess_game, and fills in everything except its name. If
 * out of memory, returns NULL, with PD_E_NO_MEMORY in fail. */
void *chess_new(const struct game_rules *rules, const struct chess_form *form, size_t size, struct pd_fail *fail);

/* Sets the rule of N moves by the parameter N, "" for none, and appends it to the game's name after `mark`; false for
 * any other text. */
bool chess_read_limit(struct chess_game *g, const char *text, char mark);

/* Parts of a position's text: they read from *text, advance it, and return NULL, or what is wrong at *text. The last
 * one reads what may follow the four fields: two counters and the side of First, or the operations of EPD. */
const char *chess_read_side(const char **text, struct chess_state *s);
const char *chess_read_passing(const char **text, struct chess_state *s);
const char *chess_read_rest(const char **text, bool mate, struct chess_state *s);

/* Members of game_rules. White is side 0 even where First is Black. */
int chess_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t chess_print(const struct game *game, const void *state, char *out, size_t size);
int chess_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
		     struct pd_fail *fail);
size_t chess_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
extern const char *const chess_notations[];
size_t chess_move_print_in(const struct game *game, const void *state, game_move move, const char *notation, char *out,
			   size_t size);
void chess_board(const struct game *game, struct game_board *out);
unsigned chess_move_places(const struct game *game, const void *state, game_move move,
			   uint16_t out[GAME_MOVE_PLACES_MAX]);
void chess_diagram(const struct game *game, const void *state, struct game_diagram *out);
int chess_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);

/* The members that are the same in both games. */
#define CHESS_RULES                                                                                                    \
	.abi = GAME_ABI, .size = sizeof(struct game_rules), .close = cells_close, .start = chess_start,                \
	.parse = chess_parse, .print = chess_print, .move_parse = chess_move_parse, .move_print = chess_move_print,    \
	.key = chess_key, .unkey = chess_unkey, .irreversible = chess_irreversible, .reach = chess_reach,              \
	.board = chess_board, .diagram = chess_diagram, .move_places = chess_move_places, .set_up = chess_set_up,      \
	.notations = chess_notations, .move_print_in = chess_move_print_in,                                            \
	.records = GAME_RECORD_PGN | GAME_RECORD_EPD, .classes = &chess_classes, .order_part = chess_order_part,       \
	.dominates = chess_dominates
