#include "server/cluster/receive.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/log.h"
#include "proto/cluster/wire_read.h"
#include "server/cluster/answer.h"
#include "server/cluster/tell.h"
#include "server/cluster/trust.h"

enum {
	DEAF_CALLS = 5 /* calls that a worker ignored */,
	LASTING_S = 2,
	GONE_S = 10,
	SAY_S = 60,
	STRANGERS_A_TICK = 64,
	LINES_A_TICK = 2,
	LINES_MOST = 100
};

static const uint64_t second_ns = 1000000000;

static bool may_answer(struct sv_cluster *c, struct sc_worker *w)
{
	if (!w) { /* unknown workers share the answers of a tick */
		c->tick.answers_left -= c->tick.answers_left > 0;
		return c->tick.answers_left > 0;
	}
	if (w->talk.answered_ns && c->now_ns - w->talk.answered_ns < second_ns)
		return false;
	w->talk.answered_ns = c->now_ns;
	return true;
}

/* Whether a line about a joining worker may be logged now: unknown workers must not fill the log. */
static bool may_log(struct sv_cluster *c)
{
	bool may = c->tick.lines_left > 0;
	c->tick.lines_left -= may;
	return may;
}

static void note_heard(struct sv_cluster *c, struct sc_worker *w)
{
	w->seen_ns = w->view.seen_ns = c->now_ns;
}

/* Refuses a worker of another major version, and lists it with the reason. */
static void refuse_version(struct sv_cluster *c, const struct cw_envelope *e, const char *why)
{
	struct sc_worker *w = sc_roster_find(&c->roster, e->worker);
	bool stranger = !w;
	if (!w)
		w = sc_roster_add(&c->roster, e->worker, c->now_ns);
	/* The seal of another version cannot be verified, so it must not speak for a worker heard in this version. */
	if (!w || (!stranger && w->view.state != SV_WORKER_REFUSED)) {
		c->view.refused++;
		return;
	}
	if (stranger) {
		if (may_log(c))
			pd_log(PD_LOG_WARN, "worker %016llx is refused: %s", (unsigned long long)w->number, why);
		snprintf(w->view.why, sizeof w->view.why, "%.119s", why);
		sc_roster_enter(&c->roster, w, SV_WORKER_REFUSED);
	}
	note_heard(c, w);
	if (may_answer(c, w))
		sc_tell_refuse(c, w->number, CW_OTHER_VERSION, why);
}

/* Another worker that is there and has a name HOST:... of the same host; NULL: none has. */
static const struct sc_worker *find_neighbour(const struct sc_roster *roster, const struct sc_worker *worker)
{
	const struct sc_worker *w;
	const char *colon = strchr(worker->view.name, ':');
	size_t size = colon ? (size_t)(colon + 1 - worker->view.name) : 0;
	TAILQ_FOREACH(w, &roster->all, link)
		if (size && w != worker && w->view.state == SV_WORKER_THERE &&
		    !strncmp(w->view.name, worker->view.name, size))
			return w;
	return NULL;
}

static void log_arrival(const struct sv_cluster *c, const struct sc_worker *w)
{
	const struct sc_worker *other = find_neighbour(&c->roster, w);
	pd_log(PD_LOG_INFO, "worker %016llx (%s) is there, with %u threads%s", (unsigned long long)w->number,
	       w->view.name, w->view.threads, w->view.sealed ? " and the key" : "");
	if (other)
		pd_log(PD_LOG_INFO,
		       "workers %s and %s run on one host: one worker with the threads of both would share what they "
		       "solve",
		       other->view.name, w->view.name);
}

static void on_hello(struct sv_cluster *c, struct cw_reader *reader)
{
	struct cw_envelope *e = &reader->envelope;
	struct sc_worker *w = sc_roster_find(&c->roster, e->worker);
	struct pd_fail fail;
	if (cw_next_hello(reader, &c->body.hello, &fail) != 1) {
		c->view.refused++;
		return;
	}
	if (w && e->number <= w->talk.hello_number && w->view.state != SV_WORKER_REFUSED)
		return; /* repeated, or older than the last one */
	bool known = w != NULL;
	if (!w && (w = sc_roster_add(&c->roster, e->worker, c->now_ns))) {
		w->view.sealed = e->sealed;
		w->credit.delivered = sc_trust_elder(&c->config, e);
		w->credit.spread = w->credit.delivered && sc_trust_shared(&c->config); /* it may have shared then */
	}
	if (!w || !sc_worker_hello(w, &c->body.hello))
		return; /* no memory; the worker will say hello again */
	if (w->view.state != SV_WORKER_BANNED && c->host.banned(c->host.ctx, pd_giver_of(w->number))) {
		sc_answer_ban(c, w, "it gave a false result before");
		return;
	}
	w->view.sealed = w->view.sealed && e->sealed;
	w->talk.hello_number = e->number;
	w->talk.left = false;
	note_heard(c, w);
	if ((!known || w->view.state != SV_WORKER_THERE) && may_log(c))
		log_arrival(c, w);
	sc_roster_enter(&c->roster, w, SV_WORKER_THERE);
	sc_roster_place(&c->roster, w); /* its number of threads may have changed */
	c->roster.changed = true;
	sc_tell_welcome(c, w);
}

static void on_heartbeat(struct sv_cluster *c, struct sc_worker *w, struct cw_reader *reader)
{
	struct cw_heartbeat *h = &c->body.heartbeat;
	struct pd_fail fail;
	if (cw_next_heartbeat(reader, h, &fail) != 1) {
		c->view.refused++;
		return;
	}
	for (uint32_t i = 0; i < h->in_hand_count; i++) {
		struct sc_task *t = sc_book_find(&c->book, h->in_hand[i]);
		if (!t || t->state != SC_OUT || t->worker != w || !t->grace_ns)
			continue;
		sc_book_due(&c->book, t, t->grace_ns); /* the worker still has the task */
		t->grace_ns = 0;
	}
}

static void on_bye(struct sv_cluster *c, struct sc_worker *w, uint64_t number)
{
	if (number <= w->talk.hello_number)
		return;
	w->talk.hello_number = number;
	w->talk.left = true;
	pd_log(PD_LOG_INFO, "worker %016llx (%s) has stopped", (unsigned long long)w->number, w->view.name);
	sc_answer_free(c, w);
	sc_roster_enter(&c->roster, w, SV_WORKER_GONE);
}

static void on_results(struct sv_cluster *c, struct sc_worker *w, struct cw_reader *reader)
{
	struct cw_reader again = *reader;
	struct pd_fail fail;
	const uint8_t *body;
	size_t size;
	int rc = 1;
	while (w->view.state != SV_WORKER_BANNED && (rc = cw_next_result(reader, &c->body.result, &fail)) == 1)
		sc_answer_result(c, w, &c->body.result);
	c->view.refused += rc < 0;
	if (c->sharing.workers < 2 || w->view.state == SV_WORKER_BANNED || !w->talk.shares ||
	    !sc_trust_shares(&c->config, w, c->now_ns))
		return;
	while (cw_next_shared(&again, &body, &size)) {
		w->credit.spread = true;
		sc_tell_share(c, body, size);
	}
}

static void on_refuse(struct sv_cluster *c, struct sc_worker *w, struct cw_reader *reader)
{
	struct pd_fail fail;
	if (cw_next_refuse(reader, &c->body.refuse, &fail) == 1)
		sc_answer_refusal(c, w, &c->body.refuse);
	else
		c->view.refused++;
}

/* A rival is another coordinator with the same prefix: each loses most of the workers' time to the other. Both hear the
 * workers, whose messages bear the epoch of the coordinator that they obey. So a worker obeys a rival if it has spoken
 * in this coordinator's epoch and later speaks in another one, or if it ignores several calls. Workers that still
 * follow an earlier epoch of this coordinator stop at the first call, so only lasting signs count. */
static void note_epoch(struct sv_cluster *c, struct sc_worker *w, const struct cw_envelope *e)
{
	if (e->epoch == c->epoch) {
		w->talk.calls = 0;
		w->talk.number = e->number > w->talk.number ? e->number : w->talk.number;
		return;
	}
	bool obeyed = w->talk.number && e->number > w->talk.number;
	if (!e->epoch || (!obeyed && w->talk.calls < DEAF_CALLS))
		return;
	if (!c->rival.epoch || c->now_ns - c->rival.seen_ns > GONE_S * second_ns)
		c->rival.since_ns = c->now_ns;
	c->rival.epoch = e->epoch;
	c->rival.seen_ns = c->now_ns;
}

/* Whether to handle the message: the worker is on the roster and speaks in this epoch. Otherwise calls it. */
static bool is_welcome(struct sv_cluster *c, struct sc_worker *w, const struct cw_envelope *e)
{
	if (w)
		note_epoch(c, w, e);
	if (!w || e->epoch != c->epoch || w->view.state == SV_WORKER_REFUSED) {
		if (may_answer(c, w)) {
			sc_tell_call(c, e->worker);
			if (w)
				w->talk.calls++;
		}
		return false;
	}
	return !w->talk.left; /* a message after its bye was sent before it */
}

static void handle_message(struct sv_cluster *c, struct sc_worker *w, struct cw_reader *reader)
{
	if (w->view.state == SV_WORKER_SILENT || w->view.state == SV_WORKER_GONE)
		sc_roster_enter(&c->roster, w, SV_WORKER_THERE);
	note_heard(c, w);
	switch (reader->envelope.kind) {
	case CW_HEARTBEAT:
		on_heartbeat(c, w, reader);
		break;
	case CW_RESULTS:
		on_results(c, w, reader);
		break;
	case CW_REFUSE:
		on_refuse(c, w, reader);
		break;
	case CW_BYE:
		on_bye(c, w, reader->envelope.number);
		break;
	default: /* of a later minor version */
		break;
	}
}

void sc_receive(struct sv_cluster *c, const uint8_t *data, size_t size)
{
	struct cw_reader reader;
	struct cw_envelope *e = &reader.envelope;
	struct pd_fail fail;
	int rc = cw_open(&reader, data, size, c->config.seal, &fail);
	if (rc == PD_E_UNSUPPORTED && e->worker && e->worker != CP_COORDINATOR)
		refuse_version(c, e, fail.text);
	else if (rc || !e->worker || e->worker == CP_COORDINATOR)
		c->view.refused++;
	if (rc || !e->worker || e->worker == CP_COORDINATOR)
		return;
	struct sc_worker *w = sc_roster_find(&c->roster, e->worker);
	if (w && w->view.state == SV_WORKER_BANNED) {
		if (may_answer(c, w))
			sc_tell_refuse(c, w->number, CW_BANNED, w->view.why);
		return;
	}
	if (w && w->view.sealed && !e->sealed) { /* someone else uses its number */
		c->view.refused++;
		return;
	}
	if (e->kind == CW_HELLO) {
		on_hello(c, &reader);
		return;
	}
	if (w && !e->sealed)
		w->view.sealed = false;
	if (is_welcome(c, w, e))
		handle_message(c, w, &reader);
}

static void report_rival(struct sv_cluster *c)
{
	bool before = c->view.other != 0;
	bool there = c->rival.epoch && c->now_ns - c->rival.seen_ns <= GONE_S * second_ns &&
		     c->rival.seen_ns - c->rival.since_ns >= LASTING_S * second_ns;
	c->view.other = there ? c->rival.epoch : 0;
	if (there && (!c->rival.logged_ns || c->now_ns - c->rival.logged_ns >= SAY_S * second_ns)) {
		c->rival.logged_ns = c->now_ns;
		pd_log(PD_LOG_WARN,
		       "cluster: another coordinator, %016llx, hands out tasks under the prefix of this one (%s); each "
		       "loses most of the workers' time to the other: give each a prefix of its own, "
		       "nats://HOST/PREFIX, in --workers and in --join of its workers",
		       (unsigned long long)c->rival.epoch, c->view.where);
	} else if (before && !there) {
		pd_log(PD_LOG_INFO, "cluster: the other coordinator, %016llx, is not heard any more",
		       (unsigned long long)c->rival.epoch);
	}
}

void sc_receive_tick(struct sv_cluster *c)
{
	c->tick.answers_left = STRANGERS_A_TICK;
	c->tick.lines_left += c->tick.lines_left < LINES_MOST ? LINES_A_TICK : 0;
	report_rival(c);
}
