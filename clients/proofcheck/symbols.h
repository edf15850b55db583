/* Symbols: the answers of a tour as bits of a packed certificate (proto/CERTIFICATE.md, "Packed: format 6").
 *
 * One function writes and reads. Each bit is coded in a context that predicts it: the kind of an answer by the depth
 * and the answers before it, a move by its code and the moves chosen nearby, a strategy by the weights of the one that
 * was used before it, another witness by what followed the same bytes earlier. */
#pragma once

#include "clients/proofcheck/range.h"
#include "clients/proofcheck/tour.h"

struct ck_symbols;

/* Symbols that are written to `out`, or, with NULL, read from `in`. NULL without memory. The bytes are borrowed. */
struct ck_symbols *ck_symbols_new(struct pd_buf *out, const uint8_t *in, uint64_t size);
void ck_symbols_free(struct ck_symbols *s);
/* Writes the answer at a stop, or reads it; a witness that was read lives until the next call. NULL on success, else
 * what is wrong with the symbols. */
const char *ck_symbols_code(struct ck_symbols *s, const struct ck_stop *stop, struct ck_choice *choice);
/* Ends the symbols after the last answer. NULL on success, else what is wrong with their end. */
const char *ck_symbols_end(struct ck_symbols *s);
/* The bytes that were written or read so far. */
uint64_t ck_symbols_used(const struct ck_symbols *s);
