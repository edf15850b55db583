/* Law: the laws of solver/game_rules.h, tried on one game, each in a process of its own (`proofctl game-test`).
 *
 * A law is a function that walks through random positions and returns, or ends its process with cl_gt_broken, which
 * reports what is wrong and where. Its report is in memory shared with the parent process, which therefore knows the
 * position after a crash or when a call does not return. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

enum {
	GT_PATH_MAX = 4096,   /* plies of a walk */
	GT_SPARE = 64,        /* guard bytes after a buffer, which show whether a function writes beyond it */
	GT_SPARE_BYTE = 0xa5, /* their value */
	GT_EXIT_BROKEN = 3,   /* exit code of a law's process */
	GT_LOOP_S = 1,        /* seconds of processor time; a position that takes longer is a loop */
	GT_ASLEEP = 48        /* times as long on the wall clock; longer: the function waits for something */
};

/* Shared by the law's process and its parent. */
struct gt_report {
	bool broken;
	char what[600];               /* what is wrong */
	char position[GAME_TEXT_MAX]; /* the position at fault; "" if there is none, or it cannot be printed */
	char path[2 * GAME_TEXT_MAX]; /* the moves that lead to it from the initial position */
	char note[600];               /* a remark on a law that holds */
	uint64_t positions;           /* tried so far */
	game_move moves[GT_PATH_MAX]; /* from the initial position to the current one */
	unsigned plies;
};

struct gt {
	const struct game *game;
	const struct game_rules *rules;
	struct gt_report *report;
	uint64_t seed;               /* state of the random number generator */
	unsigned rounds;             /* positions to try */
	const char *checker;         /* path of proofcheck; NULL: it is not there */
	const char *checker_rules;   /* file with rules for it; NULL: its own */
	const char *checker_program; /* NAME=COMMAND instead; or NULL */
};

/* A state with guard bytes. */
struct gt_state {
	_Alignas(16) uint8_t bytes[GAME_STATE_MAX + GT_SPARE];
};

struct gt_key {
	uint8_t bytes[GAME_KEY_MAX + GT_SPARE];
	size_t size;
};

struct gt_moves {
	game_move at[GAME_MOVES_MAX + GT_SPARE];
	unsigned count;
};

struct gt_law {
	const char *name; /* one word */
	const char *says; /* a sentence */
	void (*run)(struct gt *t);
};
/* `index` from 0; NULL after the last law. */
const struct gt_law *cl_gt_law(unsigned index);

/* Reports that the law is broken at the current position, and ends the process. */
_Noreturn void cl_gt_broken(struct gt *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same with a finished text. */
_Noreturn void cl_gt_broken_text(struct gt *t, const char *text);

/* --- the parts of laws (law.c); all check that a function writes no more than it may ---------------------------- */

/* Limits the work from now on to `seconds` of processor time and GT_ASLEEP times that on the wall clock, so that a busy
 * machine does not break a law. */
void cl_gt_watch(unsigned seconds);
unsigned cl_gt_below(struct gt *t, unsigned n);
void cl_gt_start(struct gt *t, struct gt_state *s);
/* Goes to the next position to try: some random moves from the initial one. */
void cl_gt_position(struct gt *t, struct gt_state *s);
/* Plays a move and adds it to the path. */
void cl_gt_step(struct gt *t, struct gt_state *s, game_move move);
/* The position after a move; the path stays as it is. */
void cl_gt_child(struct gt *t, const struct gt_state *s, game_move move, struct gt_state *out);
void cl_gt_key(struct gt *t, const struct gt_state *s, struct gt_key *out);
bool cl_gt_equal_keys(const struct gt_key *a, const struct gt_key *b);
/* Whether two positions have equal keys. */
bool cl_gt_same_key(struct gt *t, const struct gt_state *a, const struct gt_state *b);
/* The moves that `list`, the rules' function `member`, gives. */
void cl_gt_list(struct gt *t, const struct gt_state *s, const char *member,
		unsigned (*list)(const struct game *, const void *, game_move *), struct gt_moves *out);
void cl_gt_moves(struct gt *t, const struct gt_state *s, struct gt_moves *out);
/* The canonical position: the one that the key decodes to. */
void cl_gt_canonical(struct gt *t, const struct gt_state *s, struct gt_state *out);
/* Whether the game has an optional member; if not, the report's note says so. */
bool cl_gt_has(struct gt *t, bool there, const char *member);
struct gt_text {
	char text[GAME_TEXT_MAX];
};
struct gt_text cl_gt_move_text(struct gt *t, const struct gt_state *s, game_move move);

/* The laws of each file laws_*.c, in the order in which they are tried; a NULL name ends each. */
extern const struct gt_law cl_laws_moves[], cl_laws_keys[], cl_laws_text[], cl_laws_optional[], cl_laws_board[],
	cl_laws_search[], cl_laws_cards[], cl_laws_dominance[];
