/* Claims: the questions that can be asked.
 *
 * A claim is "First gets at least `threshold`". Every question is one claim, read directly or as its refusal, or
 * `value`, which is a short series of claims. Wins are values above 0, a draw is 0 (games without draws simply never
 * end with 0). */
#ifndef PD_CLAIM_H
#define PD_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct pd_claim {
	bool value;        /* "what is the value?"; the other members are then unused */
	bool refusal;      /* the question is answered yes when the claim is refused: second-wins, second-draws */
	int16_t threshold; /* First gets at least this */
	char text[24];     /* as it was asked */
};

/* Reads `value`, `first-wins`, `second-wins`, `first-draws`, `second-draws` ("draws": at least a draw) or `first>=N`.
 * PD_E_CLAIM when it is none of them. Whether N lies on the game's scale is for the one who knows the game. */
int pd_claim_parse(const char *text, struct pd_claim *out, struct pd_fail *fail);

#endif
