/* Retraction: `proofctl taint`: removes facts of an origin that is no longer trusted, and all that depends on them.
 *
 * The origin is a job, a game under one rules version, a version of this program (all jobs that it worked on), or
 * workers of other machines. The reasons from there, the chosen ones, are hidden, and what remains in the games
 * concerned is verified again (verify.h), in rounds. A reason that is then not justified falls: it is hidden as well.
 * The rounds end when no more reasons fall. Before each round of the leaves, whose searches cost more, one-ply reasons
 * are verified until none of them falls. Every round verifies against the reasons that were left at its beginning, with
 * new provers, so the reasons that stay are justified by each other and by nothing else. Reasons without a rank may
 * support each other in a cycle: the largest set that supports itself stays, which is what such reasons mean
 * (solver/GHI.md).
 *
 * Then the certificates are removed, and three steps follow in this order, so that a crash in between never leaves a
 * job that depends on a retracted fact:
 *
 *   1. Jobs of the games concerned, and the chosen jobs, lose transposition table, progress and result. Those that were
 *      solved, exhausted or running are queued again, and those that failed because of a contradiction, of which a
 *      retracted fact may have been one side. When workers are the origin, jobs keep their counters and the unsolved
 *      entries of their tables, and every job goes on that failed because of a contradiction and lost leaves of workers
 *      with the checkpoint, in whatever game: a lie among them is stored nowhere.
 *   2. The facts are rewritten without the chosen and the fallen reasons (st_facts_rewrite), and contradictions with
 *      what is gone are removed (st_conflicts_settle).
 *   3. The record of the versions that worked on the chosen jobs is cleared.
 *
 * After a crash or an error, repeating the call completes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_retracted {
	uint64_t chosen; /* reasons */
	uint64_t fallen; /* reasons that depended on the chosen ones */
	uint64_t kept;   /* reasons that stay, in all games */
	unsigned rounds; /* rounds in which reasons fell */
	unsigned jobs;   /* jobs that begin again */
};

struct sv_retraction_order {    /* one of job, game, engine and givers */
	uint32_t job;           /* 0: not by job */
	const char *game;       /* NULL: not by game */
	uint64_t rules_version; /* of the game */
	const char *engine;     /* NULL: not by a version of the program */
	const uint32_t *givers; /* numbers of workers as facts have them (proto/base/fact.h); 0: all workers */
	size_t giver_count;     /* 0: not by worker */
	bool dry_run;           /* changes nothing; a server may be running */
	unsigned threads;
	uint64_t leaf_nodes; /* node limit of a leaf's search; 0: that of a check */
	const char *graphs;  /* directory of andor:NAME graphs; NULL: none */
	/* Called now and then with the counts so far and the number of reasons verified. May be NULL. */
	void (*progress)(void *ctx, const struct sv_retracted *so_far, uint64_t judged);
	void *ctx;
};

/* Retracts. No server may have the directory open (PD_E_LOCKED). PD_E_NO_JOB, PD_E_GAME and PD_E_NOT_FOUND when nothing
 * has that name (that nothing comes from a worker is not an error); PD_E_GAME also when facts are concerned whose game
 * cannot be opened here, because what depends on them cannot be determined. After an error the steps above may have
 * been done in part. */
int sv_retract(const char *dir, const struct sv_retraction_order *order, struct sv_retracted *out,
	       struct pd_fail *fail);
