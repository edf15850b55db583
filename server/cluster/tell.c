#include "server/cluster/tell.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/cluster/wire_write.h"
#include "server/cluster/trust.h"

enum {
	GAMES_A_MESSAGE = 4, /* whose known positions are sent with its tasks */
	PROOF_LEAST = 500    /* positions; a proof may always have so many */
};

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

void sc_tell(struct sv_cluster *c, enum cw_kind kind, uint64_t worker)
{
	begin_message(c, kind, worker);
	send_message(c, worker);
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

static void put_known(struct sv_cluster *c, struct sc_worker *w, const struct sc_game *game)
{
	const struct sc_known_item *item[SC_KNOWN_MAX];
	uint64_t *cursor = sc_worker_cursor(w, game);
	struct cw_text name = cw_text_of(game->game->name);
	if (*cursor >= game->known_last)
		return;
	unsigned count = sc_game_unknown(game, w->number, *cursor, item);
	for (unsigned i = 0; i < count && cw_room(&c->out) >= CW_KNOWN_ROOM; i++)
		cw_put_known(&c->out, &name, game->rules, &item[i]->solved);
	*cursor = game->known_last;
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
	struct cw_task task = {.id = t->id,
			       .game = cw_text_of(d->game->game->name),
			       .rules = d->game->rules,
			       .options = d->options,
			       .seed = d->seed,
			       .threshold = t->leaf.threshold,
			       .budget = t->leaf.budget,
			       .key = t->leaf.key,
			       .key_size = t->leaf.key_size,
			       .proof = proof ? proof_positions(t) : 0};
	cw_put_task(&c->out, &task);
}

static void send_tasks(struct sv_cluster *c, struct sc_worker *w)
{
	const struct sc_game *game[GAMES_A_MESSAGE];
	unsigned share = sc_trust_share(&c->config, w, c->now_ns);
	bool believed = !share;
	PD_ASSERT(w->fresh <= w->tasks.count);
	while (w->fresh) {
		struct sc_task *t = find_from_end(&w->tasks, w->fresh - 1);
		unsigned games = 0;
		begin_message(c, CW_TASKS, w->number);
		for (unsigned count = 0;
		     w->fresh && count < CW_BATCH_MAX && (!count || cw_room(&c->out) >= CW_TASK_ROOM);
		     count++, w->fresh--) {
			unsigned at = 0;
			put_task(c, t, share == SV_VERIFY_PROOFS);
			while (at < games && game[at] != t->desk->game)
				at++;
			if (at == games && games < GAMES_A_MESSAGE)
				game[games++] = t->desk->game;
			t = TAILQ_NEXT(t, link);
		}
		for (unsigned i = 0; i < games && believed; i++)
			put_known(c, w, game[i]);
		send_message(c, w->number);
	}
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
}
