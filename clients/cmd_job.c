/* proofctl submit, list, show, pause, resume, cancel, remove, set, history: jobs of a server. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/show.h"

enum { LIST_DEFAULT = 100 };

static bool wants_json(const struct cl_options *options)
{
	return cl_given(options, CL_OPT_JSON);
}

int cl_cmd_submit(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_params params;
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	pr_str(&params.out, "game", options->words[0]);
	if (cl_given(options, CL_OPT_POSITION))
		pr_str(&params.out, "position", options->text[CL_OPT_POSITION]);
	cl_put_search(options, &params.out);
	cl_put_budget(options, &params.out);
	if (cl_given(options, CL_OPT_PRIORITY))
		pr_int(&params.out, "priority", options->whole[CL_OPT_PRIORITY]);
	if (cl_given(options, CL_OPT_KEY))
		pr_str(&params.out, "key", options->text[CL_OPT_KEY]);
	rc = cl_params_call(&params, link, "job.submit", &doc, &result, fail);
	if (!rc) {
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			printf("%" PRId64 "\n", pr_get_int(result, "job", 0));
		pr_doc_free(doc);
	}
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

struct listing {
	bool json;
	unsigned count;
	bool failed;
};

static bool list_job(void *ctx, pr_ref job)
{
	struct listing *l = ctx;
	char *text = l->json ? pr_dump(job, NULL) : NULL;
	l->failed = l->json && !text;
	if (text)
		printf("%s%s", l->count ? "," : "{\"jobs\":[", text);
	else if (!l->json)
		cl_show_job_row(stdout, job);
	l->count++;
	free(text);
	return !l->failed;
}

int cl_cmd_list(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct listing l = {.json = wants_json(options)};
	struct cl_link *link;
	int64_t limit = cl_given(options, CL_OPT_LIMIT) ? options->whole[CL_OPT_LIMIT] : LIST_DEFAULT;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	if (!l.json)
		cl_show_job_head(stdout);
	rc = cl_jobs_each(link, options->text[CL_OPT_STATE], limit, list_job, &l, fail);
	if (!rc && l.failed)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory to print the reply");
	if (!rc && l.json)
		puts(l.count ? "]}" : "{\"jobs\":[]}");
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

int cl_cmd_show(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int64_t job;
	int rc = cl_job_number(options->words[0], &job, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	rc = cl_job_call(link, "job.get", job, &doc, &result, fail);
	if (!rc) {
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			cl_show_job(stdout, result);
		pr_doc_free(doc);
	}
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

static void print_state(pr_ref result)
{
	struct cl_ink ink = cl_ink_of(stdout);
	const char *state = pr_get_str(result, "state", "removed"); /* a job that is gone has none */
	printf("job %" PRId64 "  %s%s%s\n", pr_get_int(result, "job", 0), cl_state_ink(&ink, state), state, ink.off);
}

/* Calls a method for each job; the first failure ends it. */
static int each(const struct cl_options *options, const char *method, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int64_t job;
	int rc = PD_OK;
	for (unsigned i = 0; !rc && i < options->word_count; i++)
		rc = cl_job_number(options->words[i], &job, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < options->word_count; i++) {
		rc = cl_job_number(options->words[i], &job, fail);
		if (!rc)
			rc = cl_job_call(link, method, job, &doc, &result, fail);
		if (rc)
			break;
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			print_state(result);
		pr_doc_free(doc);
	}
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

int cl_cmd_pause(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return each(options, "job.pause", exit_code, fail);
}

int cl_cmd_resume(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return each(options, "job.resume", exit_code, fail);
}

int cl_cmd_cancel(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return each(options, "job.cancel", exit_code, fail);
}

int cl_cmd_remove(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	return each(options, "job.remove", exit_code, fail);
}

int cl_cmd_set(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_params params;
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int64_t job;
	int rc = cl_job_number(options->words[0], &job, fail);
	if (!rc && !(options->given & (CL_BIT(PRIORITY) | CL_BIT(NODES) | CL_BIT(SECONDS))))
		rc = pd_fail_set(fail, PD_E_USAGE, "priority", "say what to set: --priority, --nodes or --seconds");
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	pr_int(&params.out, "job", job);
	cl_put_budget(options, &params.out);
	if (cl_given(options, CL_OPT_PRIORITY))
		pr_int(&params.out, "priority", options->whole[CL_OPT_PRIORITY]);
	rc = cl_params_call(&params, link, "job.set", &doc, &result, fail);
	if (!rc) {
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			print_state(result);
		pr_doc_free(doc);
	}
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}

static void print_points(pr_ref points)
{
	struct cl_ink ink = cl_ink_of(stdout);
	printf("%s%-19s  %-11s  %10s  %11s  %11s  %10s  %10s%s\n", ink.dim, "time", "event", "nodes", "pn", "dn",
	       "entries", "facts", ink.off);
	for (size_t i = 0; i < pr_count(points); i++) {
		struct cl_text when, nodes, pn, dn, entries, facts;
		pr_ref p = pr_at(points, i);
		printf("%-19s  %-11s  %10s  %11s  %11s  %10s  %10s\n", cl_when(&when, pr_get_int(p, "t", 0)),
		       pr_get_str(p, "event", "?"), cl_short(&nodes, pr_get_real(p, "nodes", 0)),
		       cl_number(&pn, pr_get(p, "pn")), cl_number(&dn, pr_get(p, "dn")),
		       cl_short(&entries, pr_get_real(p, "entries", 0)), cl_short(&facts, pr_get_real(p, "facts", 0)));
	}
}

int cl_cmd_history(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_params params;
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int64_t job;
	int rc = cl_job_number(options->words[0], &job, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	pr_int(&params.out, "job", job);
	if (cl_given(options, CL_OPT_LIMIT))
		pr_int(&params.out, "limit", options->whole[CL_OPT_LIMIT]);
	rc = cl_params_call(&params, link, "job.history", &doc, &result, fail);
	if (!rc) {
		if (wants_json(options))
			rc = cl_print_json(result, fail);
		else
			print_points(pr_get(result, "points"));
		pr_doc_free(doc);
	}
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}
