/* Sound: whether what the store has about a position can be a fact of its game at all.
 *
 * What comes from disk is looked at here before a search, a certificate or an answer may lean on it. A reason that no
 * search can have found is damage: whoever asked gets an error that names the game and the position, and no answer. */
#ifndef SV_FACT_CHECK_H
#define SV_FACT_CHECK_H

#include "solver/solver.h"

/* PD_E_CORRUPT with field "facts". */
int sv_fact_sound(const struct game *game, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail);

#endif
