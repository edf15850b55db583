/* Plain search: the search that a certificate promises for a leaf (proto/CERTIFICATE.md), with the rules of the
 * solver's games.
 *
 * Best-first PN search (Allis 1994) with mobility initialization and nothing else: no table, no cache, no look-ahead,
 * and no knowledge but the game's theorems, in the formats that have cards. The bound must be reached within the leaf's
 * rank; a node at that depth without the bound counts as not having it, and so does a position that repeats one on its
 * path. What the certificate or a theorem says about a position is used if its rank plus the plies so far is at most
 * the leaf's rank. Moves are tried in the order of their codes.
 *
 * proofcheck does the same with its own code, so with the same records, and where it finds the same theorems, both
 * create the same nodes. An export may promise what this search finds, and in how many nodes. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

struct plain_node;

/* For one thread at a time. A search reuses the memory of the last one, but none of its results. */
struct pn_plain {
	const struct game *game;  /* borrowed */
	struct plain_node *nodes; /* owned */
	uint64_t capacity, used;
	struct plain_step *path; /* owned; from the root to the node that is expanded */
	unsigned steps;          /* room there */
	game_move *moves;        /* owned */
};

struct pn_plain_question {
	const void *state;            /* not over */
	const struct pd_reason *leaf; /* side, bound and rank count; it must have a rank */
	uint64_t nodes;               /* limit */
	/* Whether the certificate says that the position of the key has the leaf's bound within `plies`. */
	bool (*known)(void *ctx, const uint8_t *key, size_t size, unsigned plies);
	void *ctx;
	bool theorems; /* those of the game are asked below the root */
};

/* Whether a theorem of the game gives the bound (side and bound of `r`) at a position that is not over, within its
 * rank; PD_RANK_NONE: within any number of plies, or by infinite play. *out then says how, and `witness` why
 * (GAME_WITNESS_MAX bytes), unless it is NULL. Where the player to move wins at once it says no: the rules do not ask
 * there. */
bool pn_plain_theorem(const struct game *game, const void *state, const struct pd_reason *r, struct game_theorem *out,
		      uint8_t *witness);
/* The same by a table of the game (table_theorem.h), also where tables are facts only. */
bool pn_plain_table(const struct game *game, const void *state, const struct pd_reason *r, struct game_theorem *out,
		    uint8_t *witness);

void pn_plain_init(struct pn_plain *plain, const struct game *game);
void pn_plain_fini(struct pn_plain *plain);
/* *found: whether the bound was proved. *nodes: how many nodes were created, without the root. Fails with
 * PD_E_NO_MEMORY. */
int pn_plain_search(struct pn_plain *plain, const struct pn_plain_question *question, bool *found, uint64_t *nodes,
		    struct pd_fail *fail);
