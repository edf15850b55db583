#include "server/cluster/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "server/cluster/tell.h"
#include "server/cluster/trust.h"

enum {
	REFUSALS_MAX = 3,
	FULL_MAX = 64 /* refusals for lack of room, without a result */,
	NODE_NS_LEAST = 10,
	SPOT_SHARE = 20
};

static const uint64_t full_rest_ns = 100000000;

void sc_answer_again(struct sv_cluster *c, struct sc_task *t)
{
	struct sc_tasks *from = t->in;
	struct sc_worker *w = t->worker;
	PD_ASSERT(t->state != SC_IDLE);
	sc_book_due(&c->book, t, 0);
	t->state = SC_WAITING;
	t->worker = NULL;
	atomic_store_explicit(&t->desk->slot[t->slot].worker, 0, memory_order_relaxed);
	sc_task_place(t, &t->desk->waiting, true);
	if (w && from == &w->tasks)
		sc_roster_place(&c->roster, w);
}

void sc_answer_end(struct sv_cluster *c, struct sc_task *t, uint64_t except)
{
	struct sc_worker *w = t->worker;
	for (unsigned i = 0; i < SC_HOLDERS; i++) {
		struct sc_worker *holder =
			t->holder[i] && t->holder[i] != except ? sc_roster_find(&c->roster, t->holder[i]) : NULL;
		if (holder && (holder->view.state == SV_WORKER_THERE || holder->view.state == SV_WORKER_SILENT))
			sc_tell_cancel(c, holder, t->id);
	}
	t->worker = NULL;
	atomic_store_explicit(&t->desk->slot[t->slot].worker, 0, memory_order_relaxed);
	sc_book_end(&c->book, t);
	if (w)
		sc_roster_place(&c->roster, w);
}

void sc_answer_free(struct sv_cluster *c, struct sc_worker *w)
{
	struct sc_task *t;
	while ((t = TAILQ_FIRST(&w->tasks.list)))
		sc_answer_again(c, t);
	w->fresh = 0;
	sc_roster_place(&c->roster, w);
}

struct taking_back {
	struct sv_cluster *cluster;
	struct sv_desk *desk;
};

/* Queues a leaf whose result was taken back. */
static void requeue_leaf(void *ctx, unsigned slot)
{
	struct taking_back *b = ctx;
	struct sc_task *t = &b->desk->slot[slot].task;
	PD_ASSERT(t->state == SC_IDLE && t->leaf.serial == b->desk->slot[slot].posted.serial);
	sc_book_begin(&b->cluster->book, t);
	sc_task_place(t, &b->desk->waiting, true);
}

void sc_answer_ban(struct sv_cluster *c, struct sc_worker *w, const char *why)
{
	struct taking_back back = {.cluster = c};
	if (w->view.state == SV_WORKER_BANNED)
		return;
	pd_log(PD_LOG_WARN, "worker %016llx (%s) is banned: %s", (unsigned long long)w->number, w->view.name, why);
	snprintf(w->view.why, sizeof w->view.why, "%s", why);
	c->view.banned++;
	sc_roster_enter(&c->roster, w, SV_WORKER_BANNED);
	sc_answer_free(c, w);
	w->cancel_count = 0;
	sc_tell_refuse(c, w->number, CW_BANNED, why);
	/* Others search its leaves that no job has taken yet, and those that are being judged. */
	TAILQ_FOREACH(back.desk, &c->desks, link) {
		for (unsigned i = 0; i < back.desk->slots_max; i++) {
			struct sc_task *t = &back.desk->slot[i].task;
			if (t->state == SC_JUDGED && t->judged_of == w->number)
				sc_answer_again(c, t);
		}
		unsigned taken = sc_desk_take_back(back.desk, pd_giver_of(w->number), requeue_leaf, &back);
		PD_ASSERT(taken <= w->credit.delivered);
		w->credit.delivered -= taken;
	}
	if (c->host.banned(c->host.ctx,
			   pd_giver_of(w->number))) /* it was banned before, and has delivered nothing since */
		return;
	bool retract = w->credit.delivered || w->credit.spread;
	sc_trust_ban(&c->config, w->view.sealed, retract, w->credit.spread, c->now_ns);
	if (retract)
		c->host.lied(c->host.ctx, pd_giver_of(w->number), w->view.name, w->credit.spread);
}

/* Delivers a result to its job and ends the task. False: the job no longer waits for it. `except`: the worker that sent
 * it. */
static bool deliver_result(struct sv_cluster *c, struct sc_task *t, struct sv_desk_result *r, uint64_t except)
{
	r->slot = t->slot;
	r->leaf.serial = t->leaf.serial;
	c->view.results++;
	c->view.nodes += r->leaf.nodes;
	c->view.cpu_ns += r->cpu_ns;
	bool given = sc_desk_deliver(t->desk, r);
	sc_answer_end(c, t, except);
	return given;
}

static struct sv_desk_result result_of(const struct sc_task *t, const struct cw_result *r, uint64_t worker)
{
	return (struct sv_desk_result){
		.slot = t->slot,
		.cpu_ns = r->cpu_ns,
		.leaf = {.serial = t->leaf.serial,
			 .solved = r->solved,
			 .proved = r->proved,
			 .num = {r->num[0], r->num[1]},
			 .rank = r->rank,
			 .move = r->move,
			 .effort = r->effort,
			 .giver = pd_giver_of(worker),
			 .nodes = r->nodes},
	};
}

/* Delivers neutral numbers, of the size that such a search would give, in place of a solved leaf that is not believed.
 * */
static void deliver_open(struct sv_cluster *c, struct sc_task *t, struct sv_desk_result r, uint64_t except)
{
	uint64_t number = t->leaf.budget / 1000;
	uint32_t num = number < 1 ? 1 : number > 10000 ? 10000 : (uint32_t)number;
	r.leaf.solved = r.leaf.proved = false;
	r.leaf.num[0] = r.leaf.num[1] = num;
	r.leaf.effort = 0;
	(void)deliver_result(c, t, &r, except);
}

/* Has the result judged first: its proof, or by a search of at most `nodes_max` nodes. False: there is no room. */
static bool submit_to_judge(struct sv_cluster *c, struct sc_worker *w, struct sc_task *t, const struct cw_result *r,
			    uint64_t nodes_max)
{
	struct sc_case what = {
		.ticket = c->cases.tickets + 1,
		.task = t->id,
		.worker = w->number,
		.game = t->desk->game,
		.knowledge = t->desk->options & CW_KNOWLEDGE,
		.reason = sc_trust_reason(t->desk->game->game, &t->leaf, r, pd_giver_of(w->number)),
		.nodes = r->nodes,
		.cpu_ns = r->cpu_ns,
		.key_size = t->leaf.key_size,
		.proof_size = r->proof ? r->proof_size : 0,
		.nodes_max = nodes_max,
	};
	if (r->proof && !(what.proof = malloc(r->proof_size)))
		return false;
	if (r->proof)
		memcpy(what.proof, r->proof, r->proof_size);
	memcpy(what.key, t->leaf.key, t->leaf.key_size);
	sc_games_share(&c->games, what.game);
	if (!sc_judge_put(c->judge, &what)) {
		free(what.proof);
		sc_games_put(&c->games, what.game);
		return false;
	}
	t->ticket = ++c->cases.tickets;
	t->judged_of = w->number;
	t->state = SC_JUDGED;
	sc_book_due(&c->book, t, 0);
	struct sc_worker *had = t->worker;
	t->worker = NULL;
	sc_task_place(t, NULL, false);
	if (had)
		sc_roster_place(&c->roster, had);
	return true;
}

/* Has the judge check a solved leaf by its proof. Of the leaves without a proof some are searched again, one at a time,
 * as long as these searches take less than one part in SPOT_SHARE of the workers' time. False: neither. */
static bool submit_with_proof(struct sv_cluster *c, struct sc_worker *w, struct sc_task *t, const struct cw_result *r)
{
	if (r->proof)
		return submit_to_judge(c, w, t, r, 0);
	if (c->cases.spot || c->view.judged.search_ns > c->view.cpu_ns / SPOT_SHARE ||
	    !submit_to_judge(c, w, t, r, SC_SPOT_NODES))
		return false;
	c->cases.spot = c->cases.tickets;
	return true;
}

static void handle_solved(struct sv_cluster *c, struct sc_worker *w, struct sc_task *t, const struct cw_result *r)
{
	unsigned share = sc_trust_share(&c->config, w, c->now_ns);
	struct sv_desk_result out = result_of(t, r, w->number);
	struct cw_result unproved = *r;
	unproved.proof = NULL;
	w->view.solved++;
	if (share == SV_VERIFY_PROOFS || sc_trust_draw(&c->seed, share)) {
		if (share == SV_VERIFY_PROOFS ? submit_with_proof(c, w, t, r)
					      : submit_to_judge(c, w, t, &unproved, SC_JUDGE_NODES))
			return;
		c->view.undecided++;
		deliver_open(c, t, out, w->number);
		return;
	}
	out.unsearched = true;
	w->credit.delivered += deliver_result(c, t, &out, w->number);
}

/* Bounds the reported work by what is possible, because it counts against the job's budget. */
static void bound_work(struct sv_cluster *c, const struct sc_task *t, struct cw_result *r)
{
	uint64_t trip = c->now_ns > t->sent_ns ? c->now_ns - t->sent_ns : 0;
	if (t->tries > 1) /* it may answer a copy that was sent earlier */
		trip = c->now_ns - t->first_ns;
	uint64_t nodes_most = t->leaf.budget + trip / NODE_NS_LEAST;
	if (r->cpu_ns > trip)
		r->cpu_ns = trip;
	if (r->nodes > nodes_most)
		r->nodes = nodes_most;
}

static void learn_pace(struct sv_cluster *c, const struct sc_worker *w, const struct sc_task *t,
		       const struct cw_result *r)
{
	static const double share = 1.0 / 16;
	struct sc_game *g = t->desk->game;
	/* If this may answer an earlier sending, take the first: otherwise a deadline that is too short stays short. */
	bool earlier = t->tries > 1 && (w->number != t->holder[0] || !t->holder[1]);
	double trip = (double)(c->now_ns - (earlier ? t->first_ns : t->sent_ns));
	double node = trip / (double)(t->leaf.budget ? t->leaf.budget : 1);
	g->trip_ns += (trip - g->trip_ns) * (g->trip_ns ? share : 1);
	g->node_ns += (node - g->node_ns) * (g->node_ns ? share : 1);
	if (t->tries > 1)
		return;
	g->tasks++;
	g->task_ns += r->cpu_ns;
	g->trips_ns += (uint64_t)trip;
}

/* `t`: the task, which others search then; NULL: it is gone. */
static void refuse_result(struct sv_cluster *c, struct sc_worker *w, struct sc_task *t, const char *wrong)
{
	char why[120];
	c->view.refused++;
	w->view.refused++;
	if (t)
		sc_answer_again(c, t);
	pd_log(PD_LOG_INFO, "a result of worker %016llx (%s) was refused: %s", (unsigned long long)w->number,
	       w->view.name, wrong);
	if (++w->credit.wrong < SC_WRONG_MAX)
		return;
	snprintf(why, sizeof why, "%d results that no search can have found: %.70s", SC_WRONG_MAX, wrong);
	sc_answer_ban(c, w, why);
}

void sc_answer_result(struct sv_cluster *c, struct sc_worker *w, const struct cw_result *from)
{
	struct sc_task *t = sc_book_find(&c->book, from->id);
	struct cw_result r = *from;
	w->result_ns = c->now_ns;
	w->strikes = w->full = 0;
	w->rest_ns = 0;
	if (!t || t->state == SC_JUDGED || !sc_task_was_given(t, w->number)) {
		c->view.late++;
		return;
	}
	const char *wrong = sc_trust_wrong(t->desk->game->game, &t->leaf, &r);
	if (wrong) {
		refuse_result(c, w, t, wrong);
		return;
	}
	bound_work(c, t, &r);
	learn_pace(c, w, t, &r);
	w->view.tasks++;
	w->view.nodes += r.nodes;
	w->view.cpu_ns += r.cpu_ns;
	if (r.solved) {
		handle_solved(c, w, t, &r);
		return;
	}
	struct sv_desk_result out = result_of(t, &r, w->number);
	(void)deliver_result(c, t, &out, w->number);
}

void sc_answer_refusal(struct sv_cluster *c, struct sc_worker *w, const struct cw_refuse *refuse)
{
	struct sc_task *t = sc_book_find(&c->book, refuse->id);
	if (!t || !sc_task_was_given(t, w->number) || t->state == SC_JUDGED)
		return;
	w->view.refused++;
	c->view.refused++;
	if (refuse->why == CW_BAD_TASK) {
		if (++t->refusals >= REFUSALS_MAX) { /* none can search it: the job goes on by itself */
			deliver_open(c, t, (struct sv_desk_result){.cpu_ns = 0}, 0);
			return;
		}
	} else if (refuse->why != CW_TOO_LARGE || ++w->full >= FULL_MAX) {
		sc_worker_refused(&c->roster, w, t->desk->game);
	} else if (w->rest_ns < c->now_ns + full_rest_ns) { /* it may have room in a moment */
		w->rest_ns = c->now_ns + full_rest_ns;
	}
	if (t->worker == w)
		sc_answer_again(c, t);
}

static void apply_verdict(struct sv_cluster *c, const struct sc_case *what)
{
	struct sc_worker *w = sc_roster_find(&c->roster, what->worker);
	struct sc_task *t = sc_book_find(&c->book, what->task);
	c->view.verified++;
	*(what->proof ? &c->view.judged.check_ns : &c->view.judged.search_ns) += what->judged_ns;
	c->view.judged.proofs += what->proof && what->verdict == SC_CONFIRMED;
	c->view.judged.proof_bytes += what->proof_size;
	if (c->cases.spot == what->ticket)
		c->cases.spot = 0;
	if (w)
		w->view.verified++;
	if (t && (t->state != SC_JUDGED || t->ticket != what->ticket))
		t = NULL;
	struct cw_result r = {.id = what->task,
			      .solved = true,
			      .proved = what->reason.side == PD_LO,
			      .rank = what->reason.rank,
			      .move = what->reason.move,
			      .effort = what->reason.effort,
			      .nodes = what->nodes,
			      .cpu_ns = what->cpu_ns};
	if (what->verdict == SC_FORGED && w) {
		refuse_result(c, w, t, "its proof does not hold");
		return;
	}
	if (what->verdict == SC_CONTRADICTED) {
		c->view.refuted++;
		if (t)
			sc_answer_again(c, t);
		if (w) {
			sc_answer_ban(c, w, "a leaf that it called solved is not, or not by the move that it named");
		} else { /* the roster has forgotten it */
			bool spread = sc_trust_shared(&c->config);
			sc_trust_ban(&c->config, false, true, spread, c->now_ns);
			c->host.lied(c->host.ctx, pd_giver_of(what->worker), "", spread);
		}
		return;
	}
	if (what->verdict == SC_UNDECIDED)
		c->view.undecided++;
	if (what->verdict == SC_CONFIRMED && w)
		w->credit.confirmed++;
	if (!t)
		return;
	struct sv_desk_result out = result_of(t, &r, what->worker);
	if (what->verdict != SC_CONFIRMED) {
		deliver_open(c, t, out, what->worker);
		return;
	}
	(void)deliver_result(c, t, &out, what->worker);
}

void sc_answer_verdicts(struct sv_cluster *c)
{
	struct sc_case what;
	while (sc_judge_take(c->judge, &what)) {
		apply_verdict(c, &what);
		free(what.proof);
		sc_games_put(&c->games, what.game);
	}
}
