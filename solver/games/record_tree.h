/* Record tree: what a record says besides its main line: variations, comments and marks of moves.
 *
 * The readers of formats (record.h) call these functions; without a tree (NULL) they do nothing. Moves that a variation
 * repeats are not doubled. Comments lose the blanks around them; control characters other than line ends become blanks;
 * two comments at one place are two lines. */
#pragma once

#include "solver/games/game.h"

enum {
	GAME_TREE_DEPTH = 1024, /* of variations within each other */
	GAME_TREE_MOVES = 4096
};

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

/* The tree begins at `state`, unless a move was read. False when the tree is incomplete for lack of memory. */
bool game_tree_end(struct game_tree *tree, const struct game *game, const void *state);
/* Adds a move that is about to be played at `state`. */
void game_tree_step(struct game_tree *tree, const struct game *game, const void *state, game_move move);
/* Marks the last move that was read. A number that is not a mark changes nothing. */
void game_tree_mark(struct game_tree *tree, unsigned mark);
void game_tree_say(struct game_tree *tree, const char *text, size_t size);
/* Goes to a node; `state` becomes its position. */
void game_tree_go(struct game_tree *tree, const struct game *game, void *state, uint32_t node);
