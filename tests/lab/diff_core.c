#include "tests/lab/diff_core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/proofcheck/check.h"
#include "proto/doc.h"
#include "server/core.h"
#include "tests/support/insession.h"
#include "tests/support/storedir.h"
#include "tests/support/walk.h"

enum { JOBS = 5, BUDGET_RAISES = 24 };

struct run {
	const struct diff_graph *graph;
	const struct diff_truth *truth;
	uint64_t seed, random;
	char dir[128], data[160];
	unsigned node[JOBS];
	char claim[JOBS][24];
	unsigned job[JOBS];
	unsigned wrong;
};

static void print_report(struct run *r, const char *what, const char *detail)
{
	printf("WRONG: graph seed %" PRIu64 " by the core: %s: %s\n", r->seed, what, detail);
	r->wrong++;
}

static void open_core(struct run *r, struct insession *s)
{
	struct sv_config config;
	sv_config_init(&config);
	config.data = r->data;
	config.graphs = r->dir;
	config.threads = 2;
	config.checkpoint_s = 0.05;
	insession_open_as(s, &config);
}

static void submit_job(struct run *r, struct insession *s, unsigned i)
{
	static const char *const algorithms[] = {"pds-pn", "dfpn-pn", "pds", "df-pn", "pn2", "pn", "paper"};
	char params[400];
	bool ok;
	pr_ref result;
	const struct diff_graph *g = r->graph;
	r->node[i] = walk_below(&r->random, g->count);
	if (walk_below(&r->random, 3))
		snprintf(r->claim[i], sizeof r->claim[i], "first>=%d",
			 g->min + 1 + (int)walk_below(&r->random, (unsigned)(g->max - g->min)));
	else
		snprintf(r->claim[i], sizeof r->claim[i], "value");
	snprintf(params, sizeof params,
		 "\"game\":\"andor:diff\",\"position\":\"n%u\",\"claim\":\"%s\",\"algorithm\":\"%s\",\"detail\":\"%s\","
		 "\"memory\":\"1M\","
		 "\"seed\":%u,\"options\":{\"table\":%u},\"budget\":{\"nodes\":%u}",
		 r->node[i], r->claim[i], algorithms[walk_below(&r->random, 7)],
		 walk_below(&r->random, 2) ? "full" : "frontier", walk_below(&r->random, 100),
		 16u << walk_below(&r->random, 5), 1 + walk_below(&r->random, 200));
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	if (!ok)
		print_report(r, "a job is refused", pr_get_str(result, "message", ""));
	r->job[i] = ok ? (unsigned)pr_get_int(result, "job", 0) : 0;
	pr_doc_free(doc);
}

/* Raises the budget until there is an answer. */
static void search_on(struct run *r, struct insession *s, unsigned i)
{
	char state[16] = "", params[96];
	bool ok;
	pr_ref result;
	uint64_t nodes = 1000;
	insession_wait(s, r->job[i], state);
	for (unsigned n = 0; n < BUDGET_RAISES && !strcmp(state, "exhausted"); n++, nodes *= 2) {
		snprintf(params, sizeof params, "\"job\":%u,\"budget\":{\"nodes\":%" PRIu64 "}", r->job[i], nodes);
		pr_doc_free(insession_call(s, "job.set", params, &ok, &result));
		snprintf(params, sizeof params, "\"job\":%u", r->job[i]);
		pr_doc_free(insession_call(s, "job.resume", params, &ok, &result));
		insession_wait(s, r->job[i], state);
	}
	if (strcmp(state, "solved"))
		print_report(r, "a job is not solved", state);
}

static void compare_result(struct run *r, struct insession *s, unsigned i)
{
	char params[32], detail[96];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", r->job[i]);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	pr_ref answer = pr_get(result, "result"), value = pr_get(answer, "value");
	int64_t lo = pr_get_int(value, "lo", 1000), hi = pr_get_int(value, "hi", -1000),
		truth = r->truth->value[r->node[i]];
	const char *status = pr_get_str(answer, "status", "");
	bool proved = truth >= strtol(r->claim[i] + (strcmp(r->claim[i], "value") ? 7 : 0), NULL, 10);
	const char *right = !strcmp(r->claim[i], "value") ? "solved" : proved ? "proved" : "disproved";
	snprintf(detail, sizeof detail, "n%u %s: %s, %" PRId64 " to %" PRId64 ", it is worth %" PRId64, r->node[i],
		 r->claim[i], status, lo, hi, truth);
	if (lo > truth || hi < truth || strcmp(status, right))
		print_report(r, "a result", detail);
	pr_doc_free(doc);
}

static void compare_facts(struct run *r, struct insession *s)
{
	char detail[96], *params = malloc(64 + r->graph->count * 8), *p = params;
	bool ok;
	pr_ref result;
	if (!params)
		abort();
	p += sprintf(p, "\"game\":\"andor:diff\",\"positions\":[");
	for (unsigned i = 0; i < r->graph->count; i++)
		p += sprintf(p, "%s\"n%u\"", i ? "," : "", i);
	sprintf(p, "]");
	struct pr_doc *doc = insession_call(s, "fact.query", params, &ok, &result);
	pr_ref facts = pr_get(result, "facts");
	if (pr_count(facts) != r->graph->count)
		print_report(r, "facts", "not one for each node");
	for (unsigned i = 0; i < pr_count(facts); i++) {
		int64_t lo = pr_get_int(pr_at(facts, i), "lo", 1000), hi = pr_get_int(pr_at(facts, i), "hi", -1000);
		snprintf(detail, sizeof detail, "n%u: %" PRId64 " to %" PRId64 ", it is worth %d", i, lo, hi,
			 r->truth->value[i]);
		if (lo > r->truth->value[i] || hi < r->truth->value[i])
			print_report(r, "a fact", detail);
	}
	pr_doc_free(doc);
	free(params);
}

static void note_problem(void *ctx, const char *text)
{
	print_report(ctx, "check", text);
}

static void check_directory(struct run *r)
{
	struct sv_check sum;
	struct pd_fail fail;
	if (sv_check_directory(r->data, &(struct sv_check_order){r->dir, 1, note_problem, NULL, r}, &sum, &fail))
		print_report(r, "check", fail.text);
	else if (sum.skipped)
		print_report(r, "check", "it skipped facts");
}

static void verify_file(struct run *r, const char *path)
{
	const struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	struct stat st;
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = file && !fstat(fileno(file), &st) ? malloc((size_t)st.st_size + 1) : NULL;
	if (!bytes || fread(bytes, 1, (size_t)st.st_size, file) != (size_t)st.st_size)
		print_report(r, "a certificate cannot be read", path);
	else if (ck_check(bytes, (uint64_t)st.st_size, &options, &result) != CK_VERIFIED)
		print_report(r, "a certificate is not verified", result.fault.text);
	free(bytes);
	if (file)
		fclose(file);
}

static void certify(struct run *r, unsigned i)
{
	char position[16], path[200];
	struct sv_export_order order = {.game = "andor:diff",
					.position = position,
					.claim = r->claim[i],
					.file = path,
					.frontier = walk_below(&r->random, 2)};
	struct sv_exported done;
	struct pd_fail fail;
	if (r->graph->node[r->node[i]].terminal)
		return; /* nothing to be proved */
	snprintf(position, sizeof position, "n%u", r->node[i]);
	snprintf(path, sizeof path, "%s/proof.cert", r->dir);
	if (sv_export_directory(r->data, r->dir, &order, &done, &fail))
		print_report(r, "export", fail.text);
	else
		verify_file(r, path);
	unlink(path);
}

static void write_graph(const struct run *r)
{
	char path[200];
	snprintf(path, sizeof path, "%s/diff.json", r->dir);
	FILE *file = fopen(path, "w");
	if (!file)
		abort();
	diff_graph_print(r->graph, file);
	fclose(file);
}

unsigned diff_core(const struct diff_graph *graph, const struct diff_truth *truth, uint64_t seed)
{
	struct run r = {.graph = graph, .truth = truth, .seed = seed, .random = seed};
	struct insession s;
	snprintf(r.dir, sizeof r.dir, "%s/proofd-diff-XXXXXX", storedir_quick());
	if (!mkdtemp(r.dir))
		abort();
	snprintf(r.data, sizeof r.data, "%s/data", r.dir);
	write_graph(&r);
	open_core(&r, &s);
	for (unsigned i = 0; i < JOBS; i++)
		submit_job(&r, &s, i);
	insession_close(&s); /* wherever they are */
	open_core(&r, &s);
	for (unsigned i = 0; i < JOBS; i++) {
		search_on(&r, &s, i);
		compare_result(&r, &s, i);
	}
	compare_facts(&r, &s);
	insession_close(&s);
	check_directory(&r);
	for (unsigned i = 0; i < JOBS; i++)
		certify(&r, i);
	scratch_remove(r.data);
	scratch_remove(r.dir);
	return r.wrong;
}
