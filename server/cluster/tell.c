#include "server/cluster/tell.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/cluster/wire_write.h"
#include "server/cluster/trust.h"

enum { PROOF_LEAST = 500 /* positions; a proof may always have so many */ };

static const uint64_t second_ns = 1000000000;

/* Begins a message to a worker, or to all (CP_ALL), in c->out. */
static void begin_message(struct sv_cluster *c, enum cw_kind kind, uint64_t to)
{
	struct cw_envelope e = {.kind = (uint8_t)kind, .epoch = c->epoch, .worker = to, .number = ++c->number};
	cw_begin(&c->out, &e);
}

/* Sends it. A failure is ignored, like a loss on the way. */
static void send_message(struct sv_cluster *c, uint64_t to)
{
	struct pd_fail fail;
	if (cw_end(&c->out, c->config.seal))
		(void)c->port->type->send(c->port, to, (const uint8_t *)c->out.data, c->out.size, &fail);
}

void sc_tell_call(struct sv_cluster *c, uint64_t worker)
{
	begin_message(c, CW_CALL, worker);
	send_message(c, worker);
}

/* Bytes of solved positions that each worker may send a second. */
static uint64_t share_rate(const struct sv_cluster *c)
{
	uint64_t rate = c->config.share / (c->sharing.workers ? c->sharing.workers : 1);
	return rate ? rate : 1;
}

void sc_tell_welcome(struct sv_cluster *c, struct sc_worker *w)
{
	w->talk.shares = sc_tell_shares(c, w);
	begin_message(c, CW_WELCOME, w->number);
	if (w->talk.shares)
		cw_put_sharing(&c->out, share_rate(c));
	send_message(c, w->number);
}

bool sc_tell_shares(const struct sv_cluster *c, const struct sc_worker *w)
{
	return sc_trust_shares(&c->config, w, c->now_ns) && (w->talk.shares || c->sharing.workers > 1);
}

void sc_tell_refuse(struct sv_cluster *c, uint64_t worker, enum cw_refusal why, const char *text)
{
	struct cw_refuse refuse = {.why = why, .text = cw_text_of(text)};
	begin_message(c, CW_REFUSE, worker);
	cw_put_refuse(&c->out, &refuse);
	send_message(c, worker);
}

static void send_cancels(struct sv_cluster *c, struct sc_worker *w)
{
	if (!w->cancel_count)
		return;
	begin_message(c, CW_CANCEL, w->number);
	for (unsigned i = 0; i < w->cancel_count; i++)
		cw_put_cancel(&c->out, w->cancel[i]);
	w->cancel_count = 0;
	send_message(c, w->number);
}

void sc_tell_cancel(struct sv_cluster *c, struct sc_worker *w, uint64_t task)
{
	if (w->cancel_count == SC_CANCELS_MAX)
		send_cancels(c, w);
	w->cancel[w->cancel_count++] = task;
	sc_roster_tell(&c->roster, w);
}

/* The task that is `back` places before the end of a list. */
static struct sc_task *find_from_end(const struct sc_tasks *tasks, unsigned back)
{
	struct sc_task *t = TAILQ_LAST(&tasks->list, sc_task_list);
	for (; t && back; back--)
		t = TAILQ_PREV(t, sc_task_list, link);
	return t;
}

/* A proof may have as many positions as the search may have nodes; most have a tenth of that. */
static uint32_t proof_positions(const struct sc_task *t)
{
	uint64_t most = t->leaf.budget < PN_PROOF_POSITIONS ? t->leaf.budget : PN_PROOF_POSITIONS;
	return (uint32_t)(most < PROOF_LEAST ? PROOF_LEAST : most);
}

static void put_task(struct sv_cluster *c, const struct sc_task *t, bool proof)
{
	const struct sv_desk *d = t->desk;
	const struct pn_leaf_rival *rival = &t->leaf.rival;
	struct cw_task task = {.id = t->id,
			       .game = cw_text_of(d->game->game->name),
			       .rules = d->game->rules,
			       .options = d->options,
			       .seed = d->seed,
			       .threshold = t->leaf.threshold,
			       .budget = t->leaf.budget,
			       .key = t->leaf.key,
			       .key_size = t->leaf.key_size,
			       .proof = proof ? proof_positions(t) : 0,
			       .rival = {rival->k, rival->second, rival->limit, rival->from, rival->most}};
	cw_put_task(&c->out, &task);
}

static void send_tasks(struct sv_cluster *c, struct sc_worker *w)
{
	bool proof = sc_trust_share(&c->config, w, c->now_ns) == SV_VERIFY_PROOFS;
	PD_ASSERT(w->fresh <= w->tasks.count);
	while (w->fresh) {
		const struct sc_task *t = find_from_end(&w->tasks, w->fresh - 1);
		begin_message(c, CW_TASKS, w->number);
		for (unsigned count = 0;
		     w->fresh && count < CW_BATCH_MAX && (!count || cw_room(&c->out) >= CW_TASK_ROOM);
		     count++, w->fresh--) {
			put_task(c, t, proof);
			t = TAILQ_NEXT(t, link);
		}
		send_message(c, w->number);
	}
}

/* Sends the positions that were gathered to all workers; those that may not share ignore them. */
static void send_shared(struct sv_cluster *c)
{
	struct sc_sharing *s = &c->sharing;
	if (!s->count || c->now_ns < sc_tell_due(c))
		return;
	begin_message(c, CW_SHARED, CP_ALL);
	cw_put_sharing(&c->out, share_rate(c));
	pd_buf_put(&c->out, s->bodies.data, s->bodies.size);
	send_message(c, CP_ALL);
	uint64_t ns = (uint64_t)((double)s->bodies.size * (double)second_ns / (double)c->config.share);
	s->due_ns = c->now_ns + (ns > SC_SHARE_NS ? ns : SC_SHARE_NS);
	pd_buf_reset(&s->bodies);
	s->count = 0;
}

uint64_t sc_tell_due(const struct sv_cluster *c)
{
	return c->sharing.count ? c->sharing.due_ns : UINT64_MAX;
}

void sc_tell_share(struct sv_cluster *c, const uint8_t *body, size_t size)
{
	struct sc_sharing *s = &c->sharing;
	uint64_t most = c->config.share / (second_ns / SC_SHARE_NS);
	if (s->count == CW_BATCH_MAX || (s->count && s->bodies.size + size > most))
		return;
	cw_put_shared(&s->bodies, body, size);
	s->count++;
}

void sc_tell_all(struct sv_cluster *c)
{
	struct sc_worker *w;
	while ((w = TAILQ_FIRST(&c->roster.to_tell))) {
		TAILQ_REMOVE(&c->roster.to_tell, w, to_tell);
		w->listed = false;
		send_cancels(c, w);
		send_tasks(c, w);
	}
	send_shared(c);
}
