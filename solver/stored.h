/* Stored: what entries and reasons mean outside a search, for checks and salvage of what is on disk. */
#pragma once

#include "proto/base/fact.h"
#include "proto/base/identity.h"
#include "solver/games/game.h"

/* Table entries, for anyone who reads them without a search: the identity of the position with that exact key under the
 * claim "at least threshold", named under `names` (NULL: no key); what an entry is; and the reason that a solved one
 * stands for (PN_ENTRY_FACT; without move and job). */
struct pd_id pn_entry_id(const struct game *game, const struct pd_identity *names, int threshold, const uint8_t *key,
			 size_t size);
enum pn_entry_kind {
	PN_ENTRY_OPEN,
	PN_ENTRY_FACT,  /* solved on every path: there is a fact */
	PN_ENTRY_PATH,  /* path-dependent: its identity names the path, too */
	PN_ENTRY_END,   /* the game is over */
	PN_ENTRY_BROKEN /* numbers that no entry can have (P1) */
};
enum pn_entry_kind pn_entry_kind(const struct game *game, const uint32_t num[2]);
struct pd_reason pn_entry_reason(const struct game *game, int threshold, const uint32_t num[2]);

/* True when the bound must be reached in finite time: reasons for it have a rank, and rest on smaller ones (F3). */
bool pn_bound_ranked(const struct game *game, enum pd_side side, int bound);
/* What makes a reason one that no search of the game can have found, whatever the position: a bound that is none of the
 * game's values or says nothing, a rank that none can have; NULL when there is nothing. A search may be given no such
 * reason. */
const char *pn_reason_wrong(const struct game *game, const struct pd_reason *reason);
/* The same for all reasons of a fact from disk, before a search, a certificate or an answer depends on it.
 * PD_E_CORRUPT, with game and position. */
int pn_fact_sound(const struct game *game, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail);
