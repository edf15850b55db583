/* Liberties: boards with stones of two colours, for games whose rules speak of blocks and liberties.
 *
 * at: 1 First's stone, 2 Second's, 3 a blocked point. Move code: the point. First has turn 0. */
#pragma once

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"

/* Opens a board of the size that `params` gives, for a game of values -1 and 1. */
int ck_stones_open(struct ck_game *game, const char *params, const char *graph, size_t graph_size,
		   struct pd_fail *fail);
/* Whether the block of the stone on the point has a liberty. */
bool ck_has_liberty(const struct ck_game *game, const struct ck_position *p, unsigned point);
/* Whether all blocks of stones of a kind (0: of both) have liberties. */
bool ck_all_have_liberties(const struct ck_game *game, const struct ck_position *p, unsigned kind);
/* Whether the stone on the point has neighbours of another colour without a liberty. */
bool ck_captures(const struct ck_game *game, const struct ck_position *p, unsigned point);

/* Members of struct ck_rules. Reading and decoding do not check whether the position is allowed in the game. */
const char *ck_stones_read(const struct ck_game *game, const char *text, struct ck_position *out);
void ck_stones_print(const struct ck_game *game, const struct ck_position *p, char out[CK_TEXT_MAX]);
size_t ck_stones_encode(const struct ck_game *game, const struct ck_position *p, uint8_t out[CK_KEY_MAX]);
bool ck_stones_decode(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);
