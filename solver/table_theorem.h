/* Tables: what tables by retrograde analysis say of a game (proto/base/table_format.h has their entries).
 *
 * An open game gets its tables after it was opened. They then are a theorem of the game, number GAME_TABLE, whose
 * witness is the digest of the table: so searches, checks and pages use them as they use other theorems. Queries and
 * exports see them as facts (known.h). A win or loss has its distance as rank; a draw holds by infinite play and has
 * no rank, nor has a bound of a win or loss that infinite play gives as well (F3).
 *
 * Entries that cannot be read because the file is damaged are unknown to searches, which have to find the value
 * themselves, and an error for queries. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

enum { PN_TABLE_DIGEST = 32, PN_TABLES_DAMAGED = -2 };

/* One table, as its owner hands it over. */
struct pn_table {
	struct game_class class;
	uint8_t digest[PN_TABLE_DIGEST];
	void *file;
};

struct pn_table_source {
	/* Reads an entry; false when it is damaged. Any thread. */
	bool (*get)(void *file, uint64_t index, uint16_t *entry);
	/* Called when the game is closed. */
	void (*close)(void *ctx);
	void *ctx;
};

/* Whether tables can be built of the game: it has classes, is not a plug-in's, may go on for ever, and has at most one
 * value above and one below that of infinite play. */
bool pn_tables_possible(const struct game *game);
/* Whether the game has tables. */
bool pn_tables_there(const struct game *game);
/* Finds a table of the game that rests on one which the game does not have: positions of the first may lead to ones of
 * which no table tells anything. With `state`: only if that position belongs to one of the two. Writes the two classes;
 * false when there is none. */
bool pn_tables_gap(const struct game *game, const void *state, char above[GAME_CLASS_NAME],
		   char below[GAME_CLASS_NAME]);
/* Gives an open game its tables (copied), once, before other threads use it. After success `source` is closed with the
 * game. PD_E_NO_MEMORY. */
int pn_tables_attach(struct game *game, const struct pn_table *tables, unsigned count,
		     const struct pn_table_source *source, struct pd_fail *fail);
/* What the tables say of a position that is not over, as a theorem, also where they are facts only: a certificate may
 * cite a table. As `theorem` of solver/game_rules.h; false without tables, for damaged entries, and where the game ends
 * within one ply. */
bool pn_tables_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
		       uint8_t *witness);
/* The tables are facts only, and no theorem any more. Called like pn_tables_attach; does nothing without tables. */
void pn_tables_as_facts(struct game *game);
/* The entry of a position that is over: its value by the rules, for the player to move. */
bool pn_table_over(const struct game *game, const void *state, uint16_t *entry);
/* Adds what the tables say of a position that is not over to a fact; the move is in the frame of the key, PD_NO_MOVE
 * where the player to move does not want the bound. 1 when they say something, 0, PN_TABLES_DAMAGED when the entry
 * cannot be read, or -1 when it contradicts the fact or memory is short. A bound that the fact already has is left
 * alone. */
int pn_tables_fact(const struct game *game, const void *state, struct pd_fact *fact, struct pd_fail *fail);
/* The same for a key, of which nothing is said if it is not one of a position that goes on. */
int pn_tables_key_fact(const struct game *game, const uint8_t *key, size_t size, struct pd_fact *fact,
		       struct pd_fail *fail);
