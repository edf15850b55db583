/* Card show: what a card says, in words and on the board. No verdict depends on it. */
#pragma once

#include "clients/proofcheck/cert.h"
#include "proto/out.h"

/* Prints the theorem of a reason with a card in a sentence, then the weights of a strategy, or the board of its
 * position with a mark on each square of the witness, one mark a group. `p` is the position that the key of the record
 * describes. */
void ck_card_print(const struct ck_game *game, const struct ck_position *p, const struct ck_reason *r);
/* Adds the theorem, the witness, and its groups, or its policy and weights, to a JSON object. */
void ck_card_put(struct pr_out *out, const struct ck_reason *r);
