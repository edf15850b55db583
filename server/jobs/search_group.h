/* Crew: the workers that search one job together.
 *
 * The worker that took the job leads: it alone makes checkpoints, sees what is wanted, and ends the run. A worker that
 * finds no queued job joins a running one that has room, and walks beside the leader (solver.h) until the leader lets
 * it go, because another job is queued or the run ends. Between two rounds all stand still: then members come and go,
 * and the leader takes a checkpoint of one moment of the search.
 *
 * Everything here is guarded by the core's lock, but for what a walker does between the start and the end of a round.
 */
#ifndef SV_SEARCH_GROUP_H
#define SV_SEARCH_GROUP_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "solver/solver.h"

struct sv_core;
struct sv_job;
struct st_reader;

/* Where one walker looks facts up. */
struct sv_lookup {
	struct st_reader *reader;
	const struct game *game;
	uint32_t game_id;      /* 0: the game has no facts yet */
	struct pd_fail failed; /* the first fact that could not be read or cannot be one; code 0: none. Nothing that was
				  searched since counts */
};

/* pn_host.fact over a lookup. */
bool sv_lookup_fact(void *lookup, const uint8_t *key, size_t size, struct pd_fact *out);

struct sv_member {
	struct sv_lookup lookup;
	unsigned thread;
	bool in;        /* it walks from the next round on */
	bool out;       /* it was let go, or never let in */
	uint64_t round; /* the last that it has walked in, or that began before it was let in */
	LIST_ENTRY(sv_member) link;
};

struct sv_search_group {
	struct pn_solver *solver;
	unsigned most;        /* members at one time */
	unsigned members, in; /* beside the leader: there, and of them walking */
	unsigned walking;     /* not back from the round */
	uint64_t round;
	bool collect;          /* one came back because buffers are full */
	struct pd_fail failed; /* the first failure of a member's lookup */
	bool closed;
	pthread_cond_t go, back;
	LIST_HEAD(, sv_member) list;
};

/* Under the lock, by the leader. */
void sv_search_group_open(struct sv_search_group *group, struct pn_solver *solver, unsigned most);
/* Waits until all have left. */
void sv_search_group_close(struct sv_core *core, struct sv_search_group *group);
/* Whether members wait to come in or should go; and lets them, between two rounds. They look facts up as the leader
 * does. */
bool sv_search_group_changes(struct sv_core *core, const struct sv_search_group *group);
void sv_search_group_change(struct sv_core *core, struct sv_search_group *group, const struct sv_lookup *leader);
void sv_search_group_go(struct sv_search_group *group);
/* Halts the round and waits until all are back. */
void sv_search_group_rest(struct sv_core *core, struct sv_search_group *group);

/* Under the lock, by a worker that has nothing else to do: the running job that it may join, NULL when there is none;
 * and joins it until it is let go. */
struct sv_job *sv_search_group_wanted(struct sv_core *core);
void sv_search_group_serve(struct sv_core *core, struct sv_job *job);

#endif
