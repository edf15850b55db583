/* Claims: the questions that can be asked.
 *
 * A claim is "First gets at least `threshold`". A question is one claim, or the refusal of one claim, or `value`: a
 * short series of claims. Values above 0 are wins, 0 is a draw. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct pd_claim {
	bool value;        /* "what is the value?"; `refusal` and `threshold` are then unused */
	bool refusal;      /* the answer is yes when the claim is disproved: second-wins, second-draws */
	int16_t threshold; /* First gets at least this */
	char text[24];     /* the claim's name in records, replies and certificates; a threshold is always first>=N */
};

/* Reads `value`, `first-wins`, `second-wins`, `first-draws`, `second-draws` ("draws": at least a draw),
 * `first-at-least-N` or its other spelling `first>=N` (which a shell takes for a redirection unless it is quoted); N
 * may be negative. PD_E_CLAIM when the text is none of them. The caller, who knows the game, checks that N lies on
 * its scale. */
int pd_claim_parse(const char *text, struct pd_claim *out, struct pd_fail *fail);
