#include "server/cluster/judge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/base/random.h"
#include "server/cluster/inbox.h"
#include "solver/bounded.h"
#include "solver/leaf_proof.h"
#include "solver/leaf_policy.h"

enum { PROVERS = 2 };

/* A game whose leaves were judged recently. */
struct bench {
	struct sc_game *game; /* shared; NULL: free */
	bool knowledge;
	struct pn_prover *prover;   /* owned; NULL: no leaf was searched yet */
	struct pn_proof_walk *walk; /* owned; NULL: no proof was checked yet */
	uint64_t used;
};

struct sc_judge {
	struct sc_inbox *inbox;
	struct sc_games *games;
	pthread_t thread;
	struct pd_mutex lock;
	pthread_cond_t come;
	/* Under the lock. Cases from `done` to `judged` have verdicts that were not taken; those up to `put` wait. */
	uint64_t done, judged, put;
	bool stop;
	struct sc_case queue[SC_JUDGE_QUEUE];
	/* The thread's. */
	struct bench bench[PROVERS];
	uint64_t uses, identity;
};

/* Follows the winner's move. False if the verdict is known: the game is over there, or no ply is left. */
static bool follow_move(const struct game *game, void *state, struct pd_reason *r, enum sc_verdict *verdict)
{
	int value;
	if (!pn_leaf_follow(game, state, r))
		return true;
	*verdict = SC_UNDECIDED;
	if (!game->rules->terminal(game, state, &value))
		return r->rank > 0;
	*verdict = (r->side == PD_LO ? value >= r->bound : value <= r->bound) ? SC_CONFIRMED : SC_CONTRADICTED;
	return false;
}

enum sc_verdict sc_judge_leaf(struct pn_prover *prover, const struct sc_case *what)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	const struct game *game = pn_prover_game(prover);
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	struct pd_reason reason = what->reason;
	enum pn_verdict verdict;
	enum sc_verdict known;
	struct pd_fail fail;
	policy.nodes_max = what->nodes_max;
	uint64_t nodes = pn_leaf_nodes(&policy, &reason, 0);
	if (game->rules->unkey(game, what->key, what->key_size, state))
		return SC_UNDECIDED;
	if (!follow_move(game, state, &reason, &known))
		return known;
	struct pn_goal goal = pn_goal_of(game, &reason);
	if (pn_prover_run(prover, state, &goal, &nodes, &verdict, &fail))
		return SC_UNDECIDED;
	return pn_leaf_confirmed(&reason, verdict)      ? SC_CONFIRMED
	       : pn_leaf_contradicted(&reason, verdict) ? SC_CONTRADICTED
							: SC_UNDECIDED;
}

static void clear_bench(struct sc_judge *j, struct bench *b)
{
	if (!b->game)
		return;
	pn_prover_free(b->prover);
	pn_proof_walk_free(b->walk);
	sc_games_put(j->games, b->game);
	*b = (struct bench){0};
}

static struct bench *get_bench(struct sc_judge *j, const struct sc_case *what)
{
	struct bench *oldest = j->bench;
	for (struct bench *b = j->bench; b < j->bench + PROVERS; b++) {
		if (b->game == what->game && b->knowledge == what->knowledge) {
			b->used = ++j->uses;
			return b;
		}
		if (b->used < oldest->used)
			oldest = b;
	}
	clear_bench(j, oldest);
	sc_games_share(j->games, what->game);
	*oldest = (struct bench){.game = what->game, .knowledge = what->knowledge, .used = ++j->uses};
	return oldest;
}

static enum sc_verdict search_leaf(struct sc_judge *j, struct bench *b, const struct sc_case *what)
{
	struct pn_prover_options options = {
		.memory = SC_JUDGE_MEMORY, .knowledge = what->knowledge, .identity = j->identity};
	struct pd_fail fail;
	if (!b->prover && pn_prover_new(b->game->game, &options, &b->prover, &fail)) {
		b->prover = NULL;
		return SC_UNDECIDED;
	}
	return sc_judge_leaf(b->prover, what);
}

static enum sc_verdict judge_proof(struct pn_proof_walk *walk, const struct game *game, struct sc_case *what)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_proof_found found;
	if (game->rules->unkey(game, what->key, what->key_size, state))
		return SC_UNDECIDED;
	enum pn_proof_end end = pn_proof_check(walk, state, &what->reason, what->proof, what->proof_size, &found);
	what->reason.move = found.move;
	return end == PN_PROOF_HOLDS ? SC_CONFIRMED : end == PN_PROOF_NO_MEMORY ? SC_UNDECIDED : SC_FORGED;
}

static void judge_case(struct sc_judge *j, struct sc_case *what)
{
	uint64_t begin = pd_cpu_ns();
	struct bench *b = get_bench(j, what);
	if (!what->proof)
		what->verdict = search_leaf(j, b, what);
	else if (b->walk || (b->walk = pn_proof_walk_new(b->game->game, b->knowledge, j->identity)))
		what->verdict = judge_proof(b->walk, b->game->game, what);
	else
		what->verdict = SC_UNDECIDED;
	what->judged_ns = pd_cpu_ns() - begin;
}

static void *judge_main(void *arg)
{
	struct sc_judge *j = arg;
	pd_mutex_lock(&j->lock);
	for (;;) {
		while (!j->stop && j->judged == j->put)
			pd_mutex_wait(&j->lock, &j->come);
		if (j->stop)
			break;
		struct sc_case *what = &j->queue[j->judged % SC_JUDGE_QUEUE];
		pd_mutex_unlock(&j->lock); /* no other thread touches the case until it is judged */
		judge_case(j, what);
		pd_mutex_lock(&j->lock);
		j->judged++;
		pd_mutex_unlock(&j->lock);
		sc_inbox_wake(j->inbox);
		pd_mutex_lock(&j->lock);
	}
	pd_mutex_unlock(&j->lock);
	return NULL;
}

int sc_judge_open(struct sc_inbox *inbox, struct sc_games *games, struct sc_judge **out, struct pd_fail *fail)
{
	struct sc_judge *j = calloc(1, sizeof *j);
	if (!j)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for checking the workers' results");
	j->inbox = inbox;
	j->games = games;
	j->identity = pd_random64();
	pd_mutex_init(&j->lock, PD_LOCK_JUDGE);
	int rc = pthread_cond_init(&j->come, NULL);
	if (!rc && (rc = pthread_create(&j->thread, NULL, judge_main, j)))
		pthread_cond_destroy(&j->come);
	if (rc) {
		pd_mutex_fini(&j->lock);
		free(j);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no thread for checking the workers' results");
	}
	*out = j;
	return PD_OK;
}

void sc_judge_close(struct sc_judge *j)
{
	if (!j)
		return;
	pd_mutex_lock(&j->lock);
	j->stop = true;
	pthread_cond_signal(&j->come);
	pd_mutex_unlock(&j->lock);
	pthread_join(j->thread, NULL);
	for (; j->done < j->put; j->done++) {
		struct sc_case *what = &j->queue[j->done % SC_JUDGE_QUEUE];
		free(what->proof);
		sc_games_put(j->games, what->game);
	}
	for (unsigned i = 0; i < PROVERS; i++)
		clear_bench(j, &j->bench[i]);
	pthread_cond_destroy(&j->come);
	pd_mutex_fini(&j->lock);
	free(j);
}

bool sc_judge_put(struct sc_judge *j, const struct sc_case *what)
{
	pd_mutex_lock(&j->lock);
	PD_ASSERT(j->done <= j->judged && j->judged <= j->put);
	bool room = j->put - j->done < SC_JUDGE_QUEUE;
	if (room) {
		j->queue[j->put++ % SC_JUDGE_QUEUE] = *what;
		pthread_cond_signal(&j->come);
	}
	pd_mutex_unlock(&j->lock);
	return room;
}

bool sc_judge_take(struct sc_judge *j, struct sc_case *out)
{
	pd_mutex_lock(&j->lock);
	bool there = j->done < j->judged;
	if (there)
		*out = j->queue[j->done++ % SC_JUDGE_QUEUE];
	pd_mutex_unlock(&j->lock);
	return there;
}
