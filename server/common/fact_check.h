/* Fact check: whether a fact from the store can be a fact of its game at all.
 *
 * Every fact from disk is checked here before a search, a certificate or an answer depends on it. A reason that no
 * search can have found is damage: the caller gets an error that names the game and the position, and no answer. */
#ifndef SV_FACT_CHECK_H
#define SV_FACT_CHECK_H

#include "solver/solver.h"

/* PD_E_CORRUPT with field "facts". */
int sv_fact_sound(const struct game *game, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail);

#endif
