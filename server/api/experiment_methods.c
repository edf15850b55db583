/* Experiment methods: suites that clients have the server run. */
#include "server/api/methods.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/experiments/experiments.h"

/* Refuses the request unless the server runs experiments. */
static int refuse_method(struct sv_request *r)
{
	return sv_experiments(r->core) ? PD_OK
				       : pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "method",
						     "this server runs no experiments (proofd --experiments)");
}

static void put_state(const struct sv_experiment_state *s, struct pr_out *out)
{
	pr_members(out, PR_U("experiment", s->number), PR_S("title", s->title),
		   PR_OPT(*s->client, PR_S("client", s->client)), PR_S("state", sv_experiment_state_text(s->state)),
		   PR_OPT(*s->reason, PR_S("reason", s->reason)), PR_I("questions", s->questions),
		   PR_I("variants", s->variants), PR_I("seeds", s->seeds), PR_I("runs", s->runs), PR_I("done", s->done),
		   PR_I("answered", s->answered), PR_I("wrong", s->wrong),
		   PR_OPT(s->builds > 1, PR_I("builds", s->builds)), PR_I("created", s->created_ms),
		   PR_OPT_I("ended", s->ended_ms));
}

/* The result is what is known of the experiment now. */
static int put_result(struct sv_request *r, int64_t number)
{
	struct sv_experiment_state s;
	int rc = sv_experiment_get(sv_experiments(r->core), number, &s, &r->fail);
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	put_state(&s, &r->out);
	pr_close(&r->out);
	return PD_OK;
}

int sv_method_experiment_start(struct sv_request *r)
{
	const struct sv_experiment_order order = {{sv_request_wanted, r},
						  pr_get_str(r->params, "title", ""),
						  r->client,
						  pr_get(r->params, "suites"),
						  pr_get_str(r->params, "text", "")};
	struct sv_experiment_state s;
	PD_ASSERT(!r->on_loop);
	int rc = refuse_method(r);
	rc = rc ? rc : sv_experiment_start(sv_experiments(r->core), &order, &s, &r->fail);
	return rc ? rc : put_result(r, s.number);
}

int sv_method_experiment_list(struct sv_request *r)
{
	struct sv_experiment_state *list = calloc(SV_EXPERIMENTS_MAX, sizeof *list);
	char names[SV_SUITES_MAX][SV_SUITE_NAME];
	PD_ASSERT(!r->on_loop);
	unsigned suites;
	int rc = list ? refuse_method(r) : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the list");
	rc = rc ? rc : sv_suites_list(sv_experiments_suites(sv_experiments(r->core)), names, &suites, &r->fail);
	if (!rc) {
		unsigned count = sv_experiments_list(sv_experiments(r->core), list);
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_OPEN_ARRAY("experiments"));
		while (count > 0) {
			pr_open_object(&r->out, NULL);
			put_state(&list[--count], &r->out);
			pr_close(&r->out);
		}
		pr_close(&r->out);
		pr_open_array(&r->out, "suites");
		for (unsigned i = 0; i < suites; i++)
			pr_str(&r->out, NULL, names[i]);
		pr_close(&r->out);
		pr_close(&r->out);
	}
	free(list);
	return rc;
}

int sv_method_experiment_read(struct sv_request *r)
{
	struct sv_experiments *e = sv_experiments(r->core);
	struct sv_experiment_state s;
	struct pd_buf suite, log;
	PD_ASSERT(!r->on_loop);
	int rc = refuse_method(r);
	rc = rc ? rc : sv_experiment_get(e, pr_get_int(r->params, "experiment", 0), &s, &r->fail);
	if (rc)
		return rc;
	struct sv_experiment_path log_path = sv_experiment_path(sv_experiments_place(e), s.number, "log");
	pd_buf_init(&suite, SV_SUITE_BYTES_MAX + 1);
	pd_buf_init(&log, SV_EXPERIMENT_LOG);
	rc = sv_experiment_suite(sv_experiments_place(e), &s, &suite, &r->fail);
	if (rc == PD_E_CORRUPT) {
		snprintf(s.reason, sizeof s.reason, "%.299s", r->fail.text);
		rc = PD_OK;
	}
	rc = rc ? rc : sv_experiment_put_file(&log_path, SV_EXPERIMENT_LOG, &log, &r->fail);
	if (rc == PD_E_NOT_FOUND) /* it has not run yet */
		rc = PD_OK;
	pr_open_object(&r->out, NULL);
	put_state(&s, &r->out);
	pr_strn(&r->out, "text", suite.data ? suite.data : "", suite.size);
	pr_strn(&r->out, "log", log.data ? log.data : "", log.size);
	pr_close(&r->out);
	if (!rc && (suite.failed || log.failed))
		rc = pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the suite");
	pd_buf_fini(&suite);
	pd_buf_fini(&log);
	return rc;
}

int sv_method_experiment_report(struct sv_request *r)
{
	const struct sv_asker asker = {sv_request_wanted, r};
	const char *form = pr_get_str(r->params, "form", "json");
	struct pd_buf text;
	PD_ASSERT(!r->on_loop);
	int rc = refuse_method(r);
	if (rc)
		return rc;
	pd_buf_init(&text, SV_REPORT_BYTES_MAX);
	rc = sv_experiment_report(sv_experiments(r->core), &asker, pr_get_int(r->params, "experiment", 0),
				  !strcmp(form, "text")  ? NULL
				  : !strcmp(form, "csv") ? "--csv"
							 : "--json",
				  &text, &r->fail);
	if (!rc && text.failed)
		rc = pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the report");
	if (!rc) {
		pr_open_object(&r->out, NULL);
		pr_strn(&r->out, "text", text.data ? text.data : "", text.size);
		pr_close(&r->out);
	}
	pd_buf_fini(&text);
	return rc;
}

static int change_one(struct sv_request *r,
		      int (*change)(struct sv_experiments *e, int64_t number, struct pd_fail *fail))
{
	PD_ASSERT(!r->on_loop);
	int rc = refuse_method(r);
	return rc ? rc : change(sv_experiments(r->core), pr_get_int(r->params, "experiment", 0), &r->fail);
}

int sv_method_experiment_stop(struct sv_request *r)
{
	int rc = change_one(r, sv_experiment_stop);
	return rc ? rc : put_result(r, pr_get_int(r->params, "experiment", 0));
}

int sv_method_experiment_resume(struct sv_request *r)
{
	int rc = change_one(r, sv_experiment_resume);
	return rc ? rc : put_result(r, pr_get_int(r->params, "experiment", 0));
}

int sv_method_experiment_remove(struct sv_request *r)
{
	int rc = change_one(r, sv_experiment_remove);
	if (!rc)
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_I("experiment", pr_get_int(r->params, "experiment", 0)),
			   PR_CLOSE);
	return rc;
}
