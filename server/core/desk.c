/* Desk: where what would hold up the loop waits for a thread.
 *
 * There are three desks, so that short things do not wait for long ones: large queries and long lines of input, best play (which may run
 * searches again), certificates. At a desk the clients take turns, however much one of them asks: an errand's turn is one more than that of
 * the client's last one, or than the turn that is served now. Where errands take long, one client has one thread at most.
 *
 * Every errand ends with a mail, had beforehand, so that no call is forgotten for want of memory (V1). */
#include "server/core/internal.h"

#include <stdlib.h>

enum {
	QUERIES_MAX = 1000, /* errands that may wait at a desk; each client may have one there in any case */
	PROOFS_MAX = 16
};

static const struct {
	unsigned threads, count_max;
	bool single;
} desks[SV_DESKS] = {
	[SV_QUERIES] = {2, QUERIES_MAX, false},
	[SV_LINES] = {2, QUERIES_MAX, true},
	[SV_PROOFS] = {1, PROOFS_MAX, true},
};

/* --- coming ------------------------------------------------------------------------------------------------------------------ */

/* Under the lock. */
static bool has_one(const struct sv_desk *desk, uint64_t client)
{
	const struct sv_errand *errand;
	TAILQ_FOREACH(errand, &desk->errands, link)
		if (errand->client == client)
			return true;
	return false;
}

/* Under the lock: puts the errand behind those whose turn comes no later. */
static void line_up(struct sv_desk *desk, struct sv_errand *errand, struct sv_session *session)
{
	uint64_t last = session ? session->turns[desk->number] : 0;
	struct sv_errand *before = TAILQ_LAST(&desk->errands, sv_errands);
	errand->turn = (last > desk->turn ? last : desk->turn) + 1;
	if (session)
		session->turns[desk->number] = errand->turn;
	while (before && before->turn > errand->turn)
		before = TAILQ_PREV(before, sv_errands, link);
	if (before)
		TAILQ_INSERT_AFTER(&desk->errands, before, errand, link);
	else
		TAILQ_INSERT_HEAD(&desk->errands, errand, link);
	desk->count++;
	pthread_cond_signal(&desk->come);
}

int sv_errand_send(struct sv_core *core, unsigned number, enum sv_mail_kind kind, struct sv_pending *pending, struct pr_call *call,
		   struct pd_fail *fail)
{
	struct sv_desk *desk = &core->desks[number];
	struct sv_session *session = pending->session;
	struct sv_errand *errand = calloc(1, sizeof *errand);
	struct sv_mail *mail = calloc(1, sizeof *mail);
	if (!errand || !mail) {
		free(errand);
		free(mail);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the query");
	}
	*mail = (struct sv_mail){.kind = kind, .pending = pending, .call = call};
	*errand = (struct sv_errand){.mail = mail, .client = session ? session->number : 0};
	pthread_mutex_lock(&core->lock);
	bool taken = desk->count < desk->count_max || !has_one(desk, errand->client);
	if (taken)
		line_up(desk, errand, session);
	pthread_mutex_unlock(&core->lock);
	if (taken)
		return PD_OK;
	free(errand);
	free(mail);
	return pd_fail_set(fail, PD_E_BUSY, "", "too many such requests wait; try again");
}

void sv_errand_free_exchange(struct sv_core *core, struct sv_errand *errand, struct pr_exchange *exchange)
{
	if (!errand || !exchange) {
		pr_exchange_free(exchange);
		free(errand);
		return;
	}
	pthread_mutex_lock(&core->lock);
	bool taken = core->reader_count && !core->stop_readers;
	if (taken) {
		*errand = (struct sv_errand){.exchange = exchange};
		line_up(&core->desks[SV_QUERIES], errand, NULL);
	}
	pthread_mutex_unlock(&core->lock);
	if (taken)
		return;
	pr_exchange_free(exchange);
	free(errand);
}

void sv_desks_forget(struct sv_core *core, const struct sv_session *session)
{
	struct sv_errand *errand;
	pthread_mutex_lock(&core->lock);
	for (unsigned i = 0; i < SV_DESKS; i++)
		TAILQ_FOREACH(errand, &core->desks[i].errands, link)
			errand->gone |= errand->client == session->number;
	pthread_mutex_unlock(&core->lock);
}

/* --- served ------------------------------------------------------------------------------------------------------------------ */

/* The thread's reader, opened when it is first needed: while there is no memory for one, each errand that needs it is answered so. */
static int need_reader(struct sv_core *core, struct st_reader **reader, struct pd_fail *fail)
{
	return *reader ? PD_OK : st_reader_open(core->store, reader, fail);
}

static int answer_quick(struct sv_core *core, struct st_reader **reader, struct sv_mail *mail)
{
	struct pr_quick query;
	int rc = need_reader(core, reader, &mail->fail);
	if (rc)
		return rc;
	pd_buf_init(&mail->json, SV_QUICK_REPLY_MAX);
	return pr_quick_read(mail->pending->line, mail->pending->size, &query) ? sv_query_quick(core, *reader, &query, &mail->json)
									       : PD_E_INTERNAL;
}

static int answer_call(struct sv_core *core, struct st_reader **reader, struct sv_mail *mail)
{
	pr_ref params = mail->call->params;
	int rc;
	pd_buf_init(&mail->json, PR_REPLY_MAX);
	switch (mail->call->method) {
	case PR_PROOF_EXPORT:
		return sv_proof_export(core, params, &mail->json, &mail->fail);
	case PR_PROOF_READ:
		return sv_proof_read(core, params, &mail->json, &mail->fail);
	case PR_JOB_HISTORY:
		return sv_job_history(core, params, &mail->json, &mail->fail);
	default:
		rc = need_reader(core, reader, &mail->fail);
		if (rc)
			return rc;
		return mail->call->method == PR_FACT_LINE ? sv_query_line(core, *reader, params, &mail->json, &mail->fail)
							  : sv_query(core, *reader, params, &mail->json, &mail->fail);
	}
}

/* Does what the errand asks; its mail is then to be posted. `idle`: nobody wants it any more, or the server stops. */
static void carry_out(struct sv_core *core, struct st_reader **reader, struct sv_mail *mail, bool idle)
{
	struct sv_pending *pending = mail->pending;
	int rc;
	if (idle)
		rc = pd_fail_set(&mail->fail, PD_E_SHUTDOWN, "", "the server is stopping");
	else if (mail->kind == SV_MAIL_QUICK)
		rc = answer_quick(core, reader, mail);
	else if (mail->kind == SV_MAIL_REPLY)
		rc = answer_call(core, reader, mail);
	else if (mail->kind == SV_MAIL_OPENED)
		rc = sv_game_get(core, pr_get_str(mail->call->params, "game", ""), &mail->game, &mail->fail);
	else
		rc = (mail->exchange = pr_exchange_new(pending->line, pending->size)) ? PD_OK : PD_E_NO_MEMORY;
	mail->fail.code = rc;
}

/* Under the lock: the errand whose turn it is; NULL when there is none for this thread. */
static struct sv_errand *take(struct sv_desk *desk)
{
	struct sv_errand *errand;
	TAILQ_FOREACH(errand, &desk->errands, link) {
		bool served = false;
		for (unsigned i = 0; desk->single && errand->client && i < SV_READERS_MAX; i++)
			served |= desk->served[i] == errand->client;
		if (!served)
			break;
	}
	if (!errand)
		return NULL;
	TAILQ_REMOVE(&desk->errands, errand, link);
	desk->count--;
	if (desk->turn < errand->turn - 1)
		desk->turn = errand->turn - 1;
	return errand;
}

/* Under the lock, which is given up meanwhile. */
static void serve(struct sv_desk *desk, struct st_reader **reader, struct sv_errand *errand)
{
	struct sv_core *core = desk->core;
	struct sv_mail *mail = errand->mail;
	bool idle = core->stop_readers || (errand->gone && desk->number != SV_PROOFS);
	unsigned place = 0;
	while (place + 1 < SV_READERS_MAX && desk->served[place])
		place++;
	desk->served[place] = errand->client;
	pthread_mutex_unlock(&core->lock);
	if (mail)
		carry_out(core, reader, mail, idle);
	else
		pr_exchange_free(errand->exchange);
	bool reading = mail && mail->kind == SV_MAIL_READ;
	if (reading)
		mail->errand = errand; /* frees the exchange one day */
	else
		free(errand);
	pthread_mutex_lock(&core->lock);
	desk->served[place] = 0;
	if (mail)
		sv_mail_post(core, mail);
	if (desk->single && desk->count)
		pthread_cond_broadcast(&desk->come);
}

static void *reader_main(void *arg)
{
	struct sv_desk *desk = arg;
	struct sv_core *core = desk->core;
	struct st_reader *reader = NULL;
	pthread_mutex_lock(&core->lock);
	for (;;) {
		struct sv_errand *errand = take(desk);
		if (errand)
			serve(desk, &reader, errand);
		else if (core->stop_readers && !desk->count)
			break;
		else
			pthread_cond_wait(&desk->come, &core->lock);
	}
	pthread_mutex_unlock(&core->lock);
	if (reader)
		st_reader_close(reader);
	return NULL;
}

/* --- opening ----------------------------------------------------------------------------------------------------------------- */

void sv_desks_init(struct sv_core *core, const pthread_condattr_t *attr)
{
	for (unsigned i = 0; i < SV_DESKS; i++) {
		struct sv_desk *desk = &core->desks[i];
		*desk = (struct sv_desk){.core = core, .number = i, .count_max = desks[i].count_max, .single = desks[i].single};
		TAILQ_INIT(&desk->errands);
		pthread_cond_init(&desk->come, attr);
	}
}

void sv_desks_fini(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_DESKS; i++)
		pthread_cond_destroy(&core->desks[i].come);
}

bool sv_desks_start(struct sv_core *core)
{
	for (unsigned i = 0; i < SV_DESKS; i++)
		for (unsigned k = 0; k < desks[i].threads; k++) {
			if (pthread_create(&core->readers[core->reader_count], NULL, reader_main, &core->desks[i]))
				return false;
			core->reader_count++;
		}
	return true;
}
