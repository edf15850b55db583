/* Taint: facts that stem from something that is not trusted any more, and all that leans on them, are taken back.
 *
 * What is chosen is named by a job, by a game under a version of its rules, or by a version of this program (then: all
 * jobs that it worked on). The chosen reasons are taken for not there, and what is left in the games concerned is
 * judged again (justify.h), in rounds, until nothing more falls. One-ply reasons come first and go down to their
 * fixpoint before each round of the leaves, whose searches cost more. Every round judges against what stood when it
 * began, with fresh provers, so what stays is justified by what stays and by nothing else. Reasons without a rank may
 * hold each other up in a circle; what is left of them is the greatest set that does, which is what such reasons mean.
 *
 * Then, in this order, each step one transaction, so that a crash in between never leaves a job that leans on what is
 * gone:
 *  1. Jobs of the games concerned, and the chosen jobs, lose table, progress and result. Those that were solved,
 * exhausted or running are queued again.
 *  2. The facts are written without what fell (st_facts_rewrite).
 *  3. The chosen jobs forget which versions worked on them: nothing of that is left.
 * The same call again goes on where it was stopped. */
#ifndef SV_RETRACTION_H
#define SV_RETRACTION_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_retracted {
	uint64_t chosen; /* reasons */
	uint64_t fallen; /* reasons that fell with them */
	uint64_t kept;   /* reasons that stay, in all games */
	unsigned rounds; /* in which some fell */
	unsigned jobs;   /* that have to begin again */
};

struct sv_retraction_order {    /* one of job, game and engine */
	uint32_t job;           /* 0: not by job */
	const char *game;       /* NULL: not by game */
	uint64_t rules_version; /* of the game */
	const char *engine;     /* NULL: not by a version of the program */
	bool dry_run;           /* only looks, and does no harm beside a server */
	unsigned threads;
	uint64_t leaf_nodes; /* after so many nodes a leaf falls whose search does not find it again; 0: as many as a
				check takes */
	const char *graphs;  /* directory of andor:NAME graphs; NULL: none */
	/* May be NULL; now and then: what has fallen so far, and how many reasons were judged. */
	void (*progress)(void *ctx, const struct sv_retracted *so_far, uint64_t judged);
	void *ctx;
};

/* No server may have the directory (PD_E_LOCKED). PD_E_NO_JOB, PD_E_GAME and PD_E_NOT_FOUND when there is nothing of
 * that name, PD_E_GAME also when facts of a game are concerned that cannot be opened here, so that it cannot be told
 * what leans on them. After an error in step 2 or later jobs may have been queued again; everything else is as it was.
 */
int sv_retract(const char *dir, const struct sv_retraction_order *order, struct sv_retracted *out,
	       struct pd_fail *fail);

#endif
