/* proofctl stats, shutdown, call: the server itself. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

static void print_jobs(pr_ref jobs)
{
	const char *state;
	char text[200] = "";
	for (size_t i = 0; i < pr_count(jobs); i++) {
		pr_ref n = pr_member(jobs, i, &state);
		size_t used = strlen(text);
		PD_ASSERT(used < sizeof text);
		snprintf(text + used, sizeof text - used, "%s%" PRId64 " %s", i ? ", " : "", pr_number(n, 0), state);
	}
	cl_row(stdout, "jobs", "%s", text);
}

static void print_stats(pr_ref s)
{
	struct cl_ink ink = cl_ink_of(stdout);
	struct cl_text a, b, c;
	pd_print(stdout, "%sproofd %s%s, process %" PRId64 ", up %s\n", ink.bold, pr_get_str(s, "version", "?"),
		 ink.off, pr_get_int(s, "pid", 0), cl_duration(&a, pr_get_real(s, "uptime", 0)));
	print_jobs(pr_get(s, "jobs"));
	cl_row(stdout, "threads", "%" PRId64 " of %" PRId64 " searching, %s nodes per second, %s since the start",
	       pr_get_int(s, "busy", 0), pr_get_int(s, "threads", 0), cl_short(&a, pr_get_real(s, "rate", 0)),
	       cl_short(&b, pr_get_real(s, "nodes", 0)));
	cl_row(stdout, "facts", "%s, %s of them in the memtable, %" PRId64 " runs",
	       cl_count(&a, pr_get_int(s, "facts", 0)), cl_count(&b, pr_get_int(s, "memtable", 0)),
	       pr_get_int(s, "runs", 0));
	cl_row(stdout, "disk", "work %s, facts %s, free %s", cl_bytes(&a, pr_get_real(s, "work_bytes", 0)),
	       cl_bytes(&b, pr_get_real(s, "facts_bytes", 0)), cl_bytes(&c, pr_get_real(s, "disk_free", 0)));
	cl_row(stdout, "commits", "%s, the last took %.1f ms, the longest %.1f ms",
	       cl_count(&a, pr_get_int(s, "commits", 0)), pr_get_real(s, "commit_ms_last", 0),
	       pr_get_real(s, "commit_ms_max", 0));
	cl_row(stdout, "memory", "%s", cl_bytes(&a, pr_get_real(s, "memory", 0)));
	pr_ref quota = pr_get(s, "quota");
	if (strcmp(pr_get_str(quota, "lack", "none"), "none"))
		cl_row(stdout, "on hold", "%" PRId64 " jobs: %s",
		       pr_get_int(quota, "disk", 0) + pr_get_int(quota, "memory", 0), pr_get_str(quota, "text", "?"));
	if (pr_get_str(s, "other_coordinator", NULL))
		cl_row(stdout, "trouble", CL_OTHER_COORDINATOR, pr_get_str(s, "other_coordinator", "?"));
	if (pr_has(s, "connections"))
		cl_row(stdout, "clients", "%" PRId64, pr_get_int(s, "connections", 0));
}

const struct cl_call cl_call_stats = {PR_STATS, .print = print_stats};

int cl_cmd_shutdown(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref result;
	*exit_code = CL_EXIT_OK;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	rc = cl_call_local(options, &link, "server.shutdown", NULL, &result, fail);
	if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(result, fail);
	else if (!rc)
		puts("the server stops; its running jobs continue when it is started again");
	cl_link_close(link);
	return rc;
}

static int check_method(const char *name, struct pd_fail *fail)
{
	if (!*name || strlen(name) > 100 ||
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") != strlen(name))
		return pd_fail_set(fail, PD_E_USAGE, "method",
				   "'%.80s' is not a method name; method names look like job.get", name);
	return PD_OK;
}

static int check_params(const char *text, struct pd_fail *fail)
{
	struct pr_doc *params;
	struct pd_fail why;
	if (pr_doc_parse(text, strlen(text), &params, &why))
		return pd_fail_set(fail, PD_E_USAGE, "params", "the parameters are not JSON: %.250s", why.text);
	bool object = pr_kind_of(pr_doc_root(params)) == PR_OBJECT;
	pr_doc_free(params);
	return object ? PD_OK
		      : pd_fail_set(fail, PD_E_USAGE, "params",
				    "the parameters must be a JSON object, like {\"job\":1}");
}

int cl_cmd_call(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link = NULL;
	const char *params = options->word_count > 1 ? options->words[1] : NULL;
	pr_ref result;
	*exit_code = CL_EXIT_OK;
	int rc = check_method(options->words[0], fail);
	if (!rc && params)
		rc = check_params(params, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (!rc)
		rc = cl_link_call(link, options->words[0], params, &result, fail);
	if (!rc)
		rc = cl_print_json(result, fail);
	cl_link_close(link);
	return rc;
}
