/* Record tree: what a record says besides its main line: variations, comments and marks of moves.
 *
 * A reader of a format calls these functions where the record is read into a tree (game_played.tree); without a tree
 * they do nothing, except game_tree_step, which always plays the move. Moves that a variation repeats are not doubled.
 * Comments lose the blanks around them; control characters other than line ends become blanks; two comments at one
 * place are two lines. */
#pragma once

#include "solver/games/record.h"

enum { GAME_TREE_DEPTH = 1024 /* of variations within each other */ };

/* Marks of moves, as the NAGs of PGN number them. */
enum game_mark {
	GAME_MARK_NONE,
	GAME_MARK_GOOD,
	GAME_MARK_BAD,
	GAME_MARK_BRILLIANT,
	GAME_MARK_BLUNDER,
	GAME_MARK_INTERESTING,
	GAME_MARK_DUBIOUS,
	GAME_MARKS
};
/* "!", "?", "!!", "??", "!?", "?!"; "" for none. */
const char *game_mark_text(unsigned mark);
/* The mark that exactly these bytes are; GAME_MARK_NONE for others. */
unsigned game_mark_of(const char *text, size_t size);

/* A move of a tree of play. The node 0 is the start and has no move and no sibling. */
struct game_line_node {
	game_move move;
	uint32_t child;   /* index of the next move in its line; 0: none */
	uint32_t sibling; /* index of an alternative to this move; 0: none */
	uint32_t parent;  /* of trees that were read */
	unsigned mark;    /* enum game_mark */
	char *text;       /* a comment; NULL: none. Owned by trees that were read */
};

struct game_tree {
	struct game_line_node *nodes; /* owned; NULL: nothing was read */
	uint32_t count, room;
	uint32_t at;    /* the last move that was read */
	bool begun;     /* `start` is known */
	bool no_memory; /* the tree is incomplete */
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
};
void game_tree_init(struct game_tree *tree);
void game_tree_fini(struct game_tree *tree);
/* The node after this one when each move comes before those that follow it, and these before its alternatives; 0: it
 * was the last. */
uint32_t game_tree_next(const struct game_tree *tree, uint32_t node);

/* --- for the readers of formats --------------------------------------------------------------- */

/* Whether this game is read into a tree. */
bool game_tree_wanted(const struct record *r);
/* The record begins where *r->state is, unless a move was read. PD_E_NO_MEMORY when the tree is incomplete. */
int game_tree_end(struct record *r);
/* Adds a move that is about to be played. */
void game_tree_step(struct record *r, game_move move);
void game_tree_mark(struct record *r, unsigned mark);
void game_tree_say(struct record *r, const char *text, size_t size);
/* Goes to a node, and to its position. */
void game_tree_go(struct record *r, uint32_t node);
