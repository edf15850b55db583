/* Card text: T1, T2, T5, T11 and T12 of solver/games/THEOREMS.md verified once more, from the text, with a mistake of
 * one square.
 *
 * Without a mistake it accepts what the checker accepts. With one, cards that are false have to pass: then the cards of
 * an attack (card_attack.h) are such as find the mistake. */
#pragma once

#include "clients/proofcheck/rules.h"

enum card_mistake {
	CARD_NO_MISTAKE,
	CARD_OWN,    /* T1, T2: M does not get the first empty square of its rows */
	CARD_BASES,  /* T1, T2: two bases may be left without a partner, for W to have */
	CARD_PAIR,   /* T1, T2: the partner of a base may be any other empty square */
	CARD_LINE,   /* T1 (b): W gets the first empty square of M's rows */
	CARD_BASE,   /* T1 (b): W gets the bases as well */
	CARD_THREAT, /* T2: r may be one square above the threat */
	CARD_BELOW,  /* T2: M does not get the base of r's column */
	CARD_LAST_CONNECT4,
	CARD_SIZE,   /* T5: groups of P squares */
	CARD_SHARED, /* T5: groups may share a square */
	CARD_STONE,  /* T5: a square of a group may hold a stone of A */
	CARD_OPEN,   /* T5: the first open line needs no group */
	CARD_BEYOND, /* T5: a stone of D behind a line closes it */
	CARD_EXACT,  /* T5: with `exact`, a stone of A two squares behind a line spoils it */
	CARD_TURN,   /* T5: A may have more than P stones left */
	CARD_LAST_GROUPS,
	CARD_MOVES,   /* T11: there may be first squares although A is to move */
	CARD_FIRST,   /* T11: one first square more than D has stones left */
	CARD_REST,    /* T11: the squares of groups count like those of the rest */
	CARD_SUM,     /* T11: the sum of all weights alone counts */
	CARD_ONE,     /* T11: sum and weight may be 1 */
	CARD_COUNTER, /* T12: D may have a square that completes a line */
	CARD_THREATS, /* T12: one square that completes a line of A is enough at the end */
	CARD_ANSWER,  /* T12: D's answers stay empty */
	CARD_LAST
};

/* The mistake that card_text_verify makes; for one thread. */
extern enum card_mistake card_text_mistake;

/* A card_verifier for Connect Four and m,n,k. */
bool card_text_verify(const struct ck_game *game, const struct ck_position *p, const struct ck_card *card,
		      unsigned *plies);
