/* Search group: the search threads that search one job together.
 *
 * The thread that took the job is the leader: it alone takes checkpoints, obeys requests and ends the run. A search
 * thread that finds no ready job joins a running one that has room, and runs one thread of its solver (solver.h) until
 * the leader lets it go, because another job is ready or the run ends. The search goes in rounds. Between two rounds
 * all threads stand still: then members join and leave, and the leader takes a checkpoint.
 *
 * Under the core's lock, except what a search thread does during a round. */
#pragma once

#include <pthread.h>
#include <sys/queue.h>

#include "server/jobs/run/memory_pacer.h"
#include "solver/solver.h"

struct sv_core;
struct sv_job;
struct sv_own_facts;
struct st_reader;

/* Where one search thread looks facts up. */
struct sv_lookup {
	struct st_reader *reader;
	const struct game *game;
	uint32_t game_id;         /* 0: the game has no facts yet */
	struct sv_own_facts *own; /* the facts to hide; NULL: none */
	bool telling;             /* for now nothing is hidden */
	struct pd_fail failed;    /* the first fact that could not be read; code 0: none. Later results are void */
};

/* pn_host.fact and pn_host.found over a lookup. */
bool sv_lookup_fact(void *lookup, const uint8_t *key, size_t size, struct pd_fact *out);
void sv_lookup_found(void *lookup, const uint8_t *key, size_t size);

struct sv_member {
	struct sv_lookup lookup;
	unsigned thread;
	struct sv_memory_pacer pacer;
	bool in;        /* it searches from the next round on */
	bool out;       /* it was let go, or refused */
	uint64_t round; /* the last round that it took part in, or that began before it was let in */
	LIST_ENTRY(sv_member) link;
};

struct sv_search_group {
	struct pn_solver *solver;
	unsigned most;        /* members at a time, without the leader */
	unsigned members, in; /* present, and those of them that take part in rounds; without the leader */
	unsigned searching;   /* members that have not finished the round */
	uint64_t round;
	uint64_t memory_bound; /* the core's, when the round began */
	uint64_t cpu_ns;       /* processor time of its members in rounds that they have finished */
	bool collect;          /* a member finished because buffers are full */
	struct pd_fail failed; /* the first failure of a member's lookup */
	bool closed;
	pthread_cond_t go, back;
	LIST_HEAD(, sv_member) list;
};

/* Under the lock, by the leader. */
void sv_search_group_open(struct sv_search_group *group, struct pn_solver *solver, unsigned most);
/* Waits until all have left. */
void sv_search_group_close(struct sv_core *core, struct sv_search_group *group);
/* Whether members wait to join or should leave; and lets them, between two rounds. Members look up facts of the
 * leader's game. */
bool sv_search_group_changes(struct sv_core *core, const struct sv_search_group *group);
void sv_search_group_change(struct sv_core *core, struct sv_search_group *group, const struct sv_lookup *leader);
void sv_search_group_go(struct sv_core *core, struct sv_search_group *group);
/* Halts the round and waits until every member has finished it. */
void sv_search_group_rest(struct sv_core *core, struct sv_search_group *group);

/* Under the lock, by an idle search thread: the running job that it may join (NULL: none); and joins it until the
 * leader lets it go. */
struct sv_job *sv_search_group_wanted(struct sv_core *core);
void sv_search_group_serve(struct sv_core *core, struct sv_job *job);
