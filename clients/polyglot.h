/* Polyglot: the keys of positions in opening books of chess, as book_format.html of Polyglot describes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Computes the key of a position in Forsyth-Edwards Notation. `last`: the move that led to it, "e2e4", which says
 * whether a pawn was just pushed two rows; NULL: the text says it. False for a text of another form, such as one with
 * men in hand or with castling rights of Chess960. */
bool cl_polyglot_key(const char *fen, const char *last, uint64_t *key);
