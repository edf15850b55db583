/* Stored: what entries and reasons on disk mean outside a search, for checks and salvage. */
#pragma once

#include "proto/base/fact.h"
#include "proto/base/identity.h"
#include "solver/games/game.h"

/* Reading table entries without a search: the identity of the position with that exact key under the claim "at least
 * threshold", with the identity key `names` (NULL: no key); the kind of an entry; and the reason that a solved entry
 * (PN_ENTRY_FACT) means, without move and job. */
struct pd_id pn_entry_id(const struct game *game, const struct pd_identity *names, int threshold, const uint8_t *key,
			 size_t size);
enum pn_entry_kind {
	PN_ENTRY_OPEN,
	PN_ENTRY_FACT,  /* solved on every path: there is a fact */
	PN_ENTRY_PATH,  /* path-dependent: its identity includes the path */
	PN_ENTRY_END,   /* the game is over */
	PN_ENTRY_BROKEN /* numbers that no entry can have (P1) */
};
enum pn_entry_kind pn_entry_kind(const struct game *game, const uint32_t num[2]);
struct pd_reason pn_entry_reason(const struct game *game, int threshold, const uint32_t num[2]);

/* True when the bound must be reached in finite time: its reasons have a rank and depend only on smaller ranks (F3). */
bool pn_bound_ranked(const struct game *game, enum pd_side side, int bound);
/* Tells why no search of the game can have found a reason, whatever the position: its bound is not a value of the game
 * or says nothing, or its rank is impossible. NULL when nothing is wrong. A search must not be given a wrong reason. */
const char *pn_reason_wrong(const struct game *game, const struct pd_reason *reason);
/* Checks all reasons of a fact from disk that way, before a search, a certificate or an answer depends on it. Fails
 * with PD_E_CORRUPT and names game and position. */
int pn_fact_sound(const struct game *game, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail);
