/* Picture: the current top of a search: the positions near its root, or near a position given by moves from the root,
 * with their numbers, the nodes spent on each, and where the search threads are.
 *
 * It is made between two steps, when all threads are back, from the frames of level 1 or the tree, else from the
 * transposition table. The search continues as it would without the picture (P4).
 *
 * The first position is always expanded, then always the open position on which most nodes were spent, up to the
 * requested depth and size. Solved positions and repetitions are not expanded. The children of a position are
 * contiguous, those on which most nodes were spent first; children that do not fit are left out. With `lines` each move
 * of the first position is followed by one line: the moves that the search would play next.
 *
 * Numbers of the search are current; where `follows` is set they follow from those of the children, all of which are in
 * the picture. Numbers of the table are from the moment when the search last left the position. Effort counts nodes of
 * both levels, as far as the table knows: a full table loses positions, a position that is reached in several ways has
 * one count, and with several threads counts are approximate. In a tree of more than 2^18 nodes it is unknown. */
#pragma once

#include "solver/search.h"

struct pn_solver;

enum { PN_PICTURE_DEPTH = 8, PN_PICTURE_NODES = 10000 };

struct pn_picture_order {
	const game_move *path; /* from the root of the search, legal moves, each in its position's own frame */
	unsigned path_count;
	unsigned depth; /* plies shown below the end of that path, 0..PN_PICTURE_DEPTH */
	uint32_t nodes; /* most positions shown, 1..PN_PICTURE_NODES */
	bool lines;     /* below the first position's moves only the move most promising for each mover is kept */
};

/* Where numbers come from. */
enum pn_picture_source {
	PN_SEEN_NOT,    /* no numbers: {1, 1} */
	PN_SEEN_RULES,  /* the game is over, or the mover wins with one move */
	PN_SEEN_CYCLE,  /* the position repeats one on its path */
	PN_SEEN_SEARCH, /* frames, tree */
	PN_SEEN_TABLE
};

struct pn_picture_node {
	uint32_t parent;       /* its index; 0 for the first, which has none */
	uint32_t first, count; /* its children, those that are in the picture */
	uint32_t num[2];
	uint64_t effort;  /* nodes spent, or PN_EFFORT_UNKNOWN; a table entry's count saturates at UINT32_MAX */
	unsigned threads; /* search threads at this position or below it */
	unsigned waiting; /* the number of a search thread that waits here for a remote leaf; 0: none */
	game_move move;   /* the move that leads here, in the parent's own frame; PD_NO_MOVE for the first */
	uint16_t moves;   /* how many moves a search considers; 0: not expanded, or the game is over */
	uint8_t depth;    /* plies below the first position */
	uint8_t source;   /* enum pn_picture_source */
	bool path_dependent, follows, over, first_to_move;
};

struct pn_picture {
	struct pn_picture_node *nodes; /* owned; parents come before their children */
	uint32_t count;
	bool whole;    /* nothing was left out for lack of room */
	int threshold; /* the claim: First gets at least this */
};

/* Takes the picture of a solver's search, when all its threads are back. Fails with PD_E_NO_MEMORY. */
int pn_solver_picture(const struct pn_solver *solver, const struct pn_picture_order *order, struct pn_picture *out,
		      struct pd_fail *fail);
void pn_picture_free(struct pn_picture *picture);

/* A transposition table without a search. */
struct pn_kept;
/* The most bytes that a table of `entries` entries takes. */
uint64_t pn_kept_bytes(uint64_t entries);
/* A table with room for that many entries; NULL when memory runs out. */
struct pn_kept *pn_kept_new(uint64_t entries);
void pn_kept_free(struct pn_kept *kept);
/* A later entry replaces an earlier one; damaged entries are ignored. */
void pn_kept_load(struct pn_kept *kept, const struct pn_entry *entry);

/* What a picture of a search that is not running is made from. */
struct pn_picture_of {
	const struct game *game;
	const void *root;
	int threshold;
	const struct pd_identity *names; /* the identity key of the table's entries */
	const struct pn_kept *kept;      /* NULL: no table; the picture then shows what the rules say */
};
int pn_kept_picture(const struct pn_picture_of *what, const struct pn_picture_order *order, struct pn_picture *out,
		    struct pd_fail *fail);
