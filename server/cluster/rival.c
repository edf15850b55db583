#include "server/cluster/rival.h"

#include "proto/base/log.h"

enum { DEAF_CALLS = 5 /* that a worker did not follow */, LASTING_S = 2, GONE_S = 10, SAY_S = 60 };

static const uint64_t second_ns = 1000000000;

void sc_rival_heard(struct sv_cluster *c, struct sc_worker *w, const struct cw_envelope *e)
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

void sc_rival_tick(struct sv_cluster *c)
{
	bool before = c->view.other != 0;
	bool there = c->rival.epoch && c->now_ns - c->rival.seen_ns <= GONE_S * second_ns &&
		     c->rival.seen_ns - c->rival.since_ns >= LASTING_S * second_ns;
	c->view.other = there ? c->rival.epoch : 0;
	if (there && (!c->rival.logged_ns || c->now_ns - c->rival.logged_ns >= SAY_S * second_ns)) {
		c->rival.logged_ns = c->now_ns;
		pd_log(PD_LOG_WARN,
		       "cluster: another coordinator, %016llx, hands out tasks under the prefix of this one (%s); each "
		       "loses "
		       "most of the workers' time to the other: give each a prefix of its own, nats://HOST/PREFIX, in "
		       "--workers and "
		       "in --join of its workers",
		       (unsigned long long)c->rival.epoch, c->view.where);
	} else if (before && !there) {
		pd_log(PD_LOG_INFO, "cluster: the other coordinator, %016llx, is not heard any more",
		       (unsigned long long)c->rival.epoch);
	}
}
