/* Line: best play from a position, as far as facts are known.
 *
 * The side that a bound favours plays a move that keeps it; among those that do, the shortest. The other side resists
 * as long as possible (the reply of greatest rank). Where the value is exact, both bounds are kept: each side plays for
 * its own. What is known of a position is its fact and what is known after its moves (solver/one_ply.h), and a line is
 * not longer than the rank of the bound that it begins with: where it encounters a stronger bound that takes more
 * plies, it keeps the one it has. Where a fact is a leaf, its search is run again and the line continues with the facts
 * found, from an overlay in memory (fact_overlay.h). */
#pragma once

#include "proto/out.h"
#include "solver/games/record_write.h"

struct st_reader;
struct sv_core;

struct sv_line_order {
	struct sv_core *core;     /* when the core stops, the line ends early */
	struct st_reader *reader; /* of the core's store */
	const struct game *game;
	const void *state;        /* the first position */
	unsigned limit;           /* moves at most */
	unsigned others;          /* how many moves as good as those of the line are followed at most */
	bool (*go_on)(void *ctx); /* false: the line is no longer wanted; NULL: always wanted */
	void *ctx;
	unsigned plies; /* the line begins with the strongest bounds of at most this rank; 0: of any rank */
};

/* A move as good as the one in the line: it keeps the same bounds with the same rank. */
struct sv_other {
	unsigned at; /* moves of the line before it */
	game_move move;
	int lo, hi;       /* the best bounds known along the line up to there */
	unsigned left[2]; /* plies within which the line reaches each, as in pd_reason */
	game_move *moves; /* owned: best play after it */
	unsigned count;
};

/* The texts of a game record of a line. */
struct sv_line_words {
	char *remark;         /* a comment on the start */
	const char *notation; /* of plain moves; NULL: the game's own */
};

struct sv_line {
	game_move *moves; /* owned; NULL after an error */
	unsigned count;
	bool complete;           /* the line reaches a terminal position or repeats itself */
	struct sv_other *others; /* owned; in the order of the line; NULL when none were asked for */
	unsigned other_count;
};

/* Makes a line. Leaves are searched again within a node limit for each leaf and one for the line; a line that reaches a
 * limit ends early. PD_E_NO_MEMORY, PD_E_CORRUPT; PD_E_SHUTDOWN when the client no longer wants the line.
 * Call sv_line_free afterwards, also after an error. */
int sv_line_make(const struct sv_line_order *order, struct sv_line *out, struct pd_fail *fail);
void sv_line_free(struct sv_line *line);
/* Appends the line as a game record, with equally good moves as variations, each followed by best play. The game must
 * support the form; `order` is the one that made the line. PD_E_NO_MEMORY. */
int sv_line_record(const struct sv_line_order *order, const struct sv_line *line, enum game_form form,
		   const struct sv_line_words *words, struct pd_buf *out, struct pd_fail *fail);
/* Prints the moves as an array `line` of texts, in a notation (NULL: the game's own). */
void sv_line_print(const struct game *game, const void *state, const struct sv_line *line, const char *notation,
		   struct pr_out *out);
