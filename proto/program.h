/* Program: rules of a game in a process that speaks lines of JSON (clients/programs/README.md has the messages).
 *
 * An open program is one game with its parameters. It starts a process when a thread asks and none is idle.
 * Answers are checked, and kept in a cache of PR_PROGRAM_CACHE bytes; when a position has to be asked again, its answer
 * is compared with a digest of the earlier one, as long as that is remembered.
 *
 * A failure sticks: once a process has ended, hung, flooded or said something impossible, every question that the
 * cache does not answer fails at once with the first reason. The owner opens the program again. All functions may be
 * called by any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/child.h"

enum {
	PR_PROGRAM_TEXT = 256,       /* bytes of a position, with the terminating zero */
	PR_PROGRAM_MOVE = 31,        /* bytes of the name of a move */
	PR_PROGRAM_MOVES_MAX = 4000, /* of one position */
	PR_PROGRAM_CACHE = 64 << 20
};

/* What a program says of itself and of the game with its parameters. */
struct pr_terms {
	char title[64], params[200], notation[400], example[96], author[96]; /* of all its games */
	char name[64];                       /* the parameters in canonical form; "" when there are none */
	char start[PR_PROGRAM_TEXT];         /* the initial position */
	uint64_t version;                    /* of the rules, from 1 */
	int16_t worst, best, step, infinite; /* values for First; of infinite play */
	uint32_t moves, plies, size;         /* most moves; most plies, 0: unbounded; bytes of the longest position */
	bool repeats;                        /* positions can come back */
};

struct pr_move {
	const char *text, *after; /* the move, and the position after it */
	bool twin;                /* an earlier move leads to the same position */
};

/* A position. Its moves are sorted by text, so the number of a move does not depend on the program. */
struct pr_node {
	const char *position; /* as the program writes it */
	uint64_t hash;
	unsigned users; /* private */
	uint32_t bytes, count;
	int16_t value;    /* for First, when it is over */
	bool over, first; /* First is to move */
	struct pr_move move[];
};

struct pr_program;

/* A program. A process that starts after its files have changed is not used, because its rules may differ. */
struct pr_command {
	const char *words; /* separated by spaces */
	const char *files; /* names, separated by commas, that must have the digest; borrowed. NULL: any */
	uint64_t digest;   /* pr_program_digest */
	unsigned seconds;  /* to answer a question */
};

/* Opens the game with these parameters. PD_E_GAME with field "game" when the program refuses them; PD_E_UNSUPPORTED
 * when it cannot be started, its files have changed, or its terms are impossible. */
int pr_program_open(const struct pr_command *command, const char *params, struct pr_program **out,
		    struct pd_fail *fail);
void pr_program_close(struct pr_program *program);
const struct pr_terms *pr_program_terms(const struct pr_program *program);

/* Where a position comes from. */
enum pr_source {
	PR_OWN,  /* the program itself has written it: it must know it */
	PR_GIVEN /* anyone: it may be refused, or written otherwise */
};
/* The node of a position, to be returned with pr_program_put; `ahead`: the positions after its moves are asked for,
 * too; if that fails, the program has failed, and the node is there all the same. PD_E_POSITION with field "position"
 * when a given text is refused; else PD_E_IO: it has failed. */
int pr_program_get(struct pr_program *program, const char *position, enum pr_source source, bool ahead,
		   const struct pr_node **out, struct pd_fail *fail);
void pr_program_put(struct pr_program *program, const struct pr_node *node);
/* A picture of a position, several lines; where the program draws none, the position. Returns its length as snprintf
 * does. */
size_t pr_program_picture(struct pr_program *program, const char *position, char *out, size_t size);
/* From now on the program has failed, for this reason. */
void pr_program_blame(struct pr_program *program, const char *what);
/* False as long as it has not failed. */
bool pr_program_failed(struct pr_program *program, struct pd_fail *fail);

/* XXH3-64 of files, one after the other, whose names are separated by commas. PD_E_NOT_FOUND, PD_E_IO. */
int pr_program_digest(const char *files, uint64_t *out, struct pd_fail *fail);
