/* Ultimate tic-tac-toe as text and on its board. */
#pragma once

#include "solver/game_rules.h"

/* As in struct cells_form. */
const char *uttt_read_move(const struct game *game, const void *state, const char **text, game_move *out);

/* As in struct game_rules. */
int uttt_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t uttt_print(const struct game *game, const void *state, char *out, size_t size);
size_t uttt_picture(const struct game *game, const void *state, char *out, size_t size);
size_t uttt_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void uttt_board(const struct game *game, struct game_board *out);
void uttt_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned uttt_move_places(const struct game *game, const void *state, game_move move,
			  uint16_t out[GAME_MOVE_PLACES_MAX]);
int uttt_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
