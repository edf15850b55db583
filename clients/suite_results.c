#include "clients/suite_results.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "clients/ask.h"
#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/line_sum.h"

enum { SUMMED = 2, VERSION = SUMMED /* from which on lines have checksums */ };

bool cl_result_answered(const struct cl_result *result)
{
	return strcmp(result->status, "unsolved") != 0 && strcmp(result->status, "failed") != 0;
}

static int refuse_file(const char *path, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_FORMAT, "results", "%.200s is not a results file of `proofctl suite run`", path);
}

static int read_head(pr_ref line, struct cl_results_head *head, const char *path, struct pd_fail *fail)
{
	pr_ref programs = pr_get(line, "programs");
	int64_t version = pr_get_int(line, "proofd_suite", 0);
	if (version < 1 || version > VERSION || !pr_count(programs) || pr_count(programs) > CL_PROGRAMS_MAX)
		return refuse_file(path, fail);
	head->summed = version >= SUMMED;
	snprintf(head->digest, sizeof head->digest, "%s", pr_get_str(line, "digest", ""));
	snprintf(head->asked, sizeof head->asked, "%s", pr_get_str(line, "asked", ""));
	head->program_count = (unsigned)pr_count(programs);
	for (unsigned i = 0; i < head->program_count; i++)
		snprintf(head->program[i], CL_DIGEST_TEXT, "%s", pr_get_str(pr_at(programs, i), "digest", ""));
	head->programs = programs;
	head->variants = pr_get(line, "variants");
	head->limits.nodes = pr_get_int(line, "nodes", 0);
	head->limits.seconds = pr_get_real(line, "seconds", 0);
	head->limits.cpu = pr_get_real(line, "cpu", 0);
	snprintf(head->limits.memory, sizeof head->limits.memory, "%s", pr_get_str(line, "memory", ""));
	return PD_OK;
}

static struct cl_result result_of(pr_ref line)
{
	return (struct cl_result){
		.question = pr_get_str(line, "question", NULL),
		.game = pr_get_str(line, "game", NULL),
		.variant = pr_get_str(line, "variant", NULL),
		.seed = pr_get_int(line, "seed", 0),
		.degree = pr_get_int(line, "degree", 0),
		.program = (unsigned)pr_get_int(line, "program", 0),
		.status = pr_get_str(line, "status", NULL),
		.lo = pr_get_int(line, "lo", INT16_MIN),
		.hi = pr_get_int(line, "hi", INT16_MAX),
		.wrong = pr_get_bool(line, "wrong", false),
		.nodes = pr_get_int(line, "nodes", -1),
		.positions = pr_get_int(line, "positions", -1),
		.facts = pr_get_int(line, "facts", 0),
		.cpu = pr_get_real(line, "cpu", 0),
		.seconds = pr_get_real(line, "seconds", 0),
		.peak = pr_get_int(line, "peak", 0),
		.error = pr_get_str(line, "error", NULL),
	};
}

/* Whether a line is not what was written. Those of older programs have no checksum. */
static bool is_damaged(const struct cl_results *r, pr_ref line, const char *text, size_t size)
{
	enum pd_line_sum sum = pd_line_sum_check(text, size);
	bool summed = r->head.summed || pr_get_int(line, "proofd_suite", 0) >= SUMMED;
	return sum == PD_LINE_DAMAGED || (sum == PD_LINE_PLAIN && summed);
}

/* Takes a head. A later one is of other builds, but of the same suite. */
static int take_head(struct cl_results *r, const char *path, pr_ref line, struct pd_fail *fail)
{
	struct cl_results_head head = {0};
	int rc = read_head(line, &head, path, fail);
	if (rc)
		return rc;
	if (r->doc_count > 1 &&
	    (strcmp(head.digest, r->head.digest) != 0 || head.program_count != r->head.program_count))
		return pd_fail_set(fail, PD_E_CORRUPT, "results",
				   "%.200s, line %u: from there on the results are those of another suite", path,
				   r->doc_count);
	r->head = head;
	return PD_OK;
}

/* Notes of which builds of the programs a run is. */
static void note_build(struct cl_results *r)
{
	for (unsigned i = 0; i < r->build_count; i++)
		if (pr_equal(r->builds[i], r->head.programs))
			return;
	if (r->build_count < CL_BUILDS_MAX)
		r->builds[r->build_count++] = r->head.programs;
}

/* Takes a whole line: a head, or a run. */
static int take_line(struct cl_results *r, const char *path, const char *text, size_t size, struct pd_fail *fail)
{
	struct pd_fail why;
	struct pr_doc **docs = realloc(r->docs, (r->doc_count + 1) * sizeof *docs);
	struct cl_result *runs = docs ? realloc(r->runs, (r->count + 1) * sizeof *runs) : NULL;
	r->docs = docs ? docs : r->docs;
	r->runs = runs ? runs : r->runs;
	if (!runs)
		return cl_no_memory(fail);
	if (pr_doc_parse(text, size, &docs[r->doc_count], &why))
		return pd_fail_set(fail, PD_E_CORRUPT, "results", "%.150s, line %u: %.120s", path, r->doc_count + 1,
				   why.text);
	pr_ref line = pr_doc_root(docs[r->doc_count++]);
	if (is_damaged(r, line, text, size))
		return pd_fail_set(fail, PD_E_CORRUPT, "results",
				   "%.200s, line %u is damaged: its checksum is not that of its text", path,
				   r->doc_count);
	if (r->doc_count == 1 || pr_has(line, "proofd_suite"))
		return take_head(r, path, line, fail);
	struct cl_result run = result_of(line);
	if (!run.question || !run.game || !run.variant || !run.status || run.program >= r->head.program_count)
		return pd_fail_set(fail, PD_E_CORRUPT, "results", "%.200s, line %u is not that of a run", path,
				   r->doc_count);
	run.line = r->doc_count;
	run.build = pr_get_str(pr_at(r->head.programs, run.program), "digest", "");
	note_build(r);
	runs[r->count++] = run;
	return PD_OK;
}

/* Whether what a crash left of the first line may be that of a results file. */
static bool may_be_head(const char *text, size_t size)
{
	static const char begin[] = "{\"proofd_suite\":";
	return !memcmp(text, begin, size < sizeof begin - 1 ? size : sizeof begin - 1);
}

int cl_results_read(const char *path, struct cl_results *out, struct pd_fail *fail)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	FILE *file = fopen(path, "r");
	*out = (struct cl_results){0};
	int rc = file ? PD_OK : pd_fail_errno(fail, "results", "read", path);
	while (!rc && (size = getline(&line, &room, file)) > 0) {
		if (!out->doc_count && !may_be_head(line, (size_t)size))
			rc = refuse_file(path, fail);
		else if (line[size - 1] != '\n')
			break;
		else
			rc = take_line(out, path, line, (size_t)size - 1, fail);
		out->bytes += size;
	}
	if (!rc && ferror(file))
		rc = pd_fail_errno(fail, "results", "read", path);
	if (file)
		fclose(file);
	free(line);
	return rc;
}

void cl_results_fini(struct cl_results *results)
{
	for (unsigned i = 0; i < results->doc_count; i++)
		pr_doc_free(results->docs[i]);
	free(results->docs);
	free(results->runs);
	*results = (struct cl_results){0};
}

/* Appends bytes and waits until they are on disk; after a failure the file is as it was. */
static int append_bytes(int fd, const struct pd_buf *buf, struct pd_fail *fail)
{
	off_t before = lseek(fd, 0, SEEK_END);
	size_t done = 0;
	if (buf->failed)
		return cl_no_memory(fail);
	while (before >= 0 && done < buf->size) {
		ssize_t size = write(fd, buf->data + done, buf->size - done);
		if (size < 0 && errno != EINTR)
			break;
		done += size > 0 ? (size_t)size : 0;
	}
	if (before >= 0 && done == buf->size && !fdatasync(fd))
		return PD_OK;
	int rc = pd_fail_errno(fail, "out", "write", "the results");
	if (before >= 0 && ftruncate(fd, before))
		rc = pd_fail_errno(fail, "out", "write", "the results");
	return rc;
}

/* Appends the object as a line with its checksum. */
static int add_line(int fd, struct cl_json *json, struct pd_fail *fail)
{
	pr_close(&json->out);
	pd_line_sum_put(&json->buf);
	pd_buf_puts(&json->buf, "\n");
	int rc = append_bytes(fd, &json->buf, fail);
	pd_buf_fini(&json->buf);
	return rc;
}

int cl_results_add_head(int fd, const struct cl_results_head *head, const struct cl_suite *suite, struct pd_fail *fail)
{
	const struct cl_limits *limits = &head->limits;
	struct cl_json json;
	cl_json_begin(&json);
	pr_members(&json.out, PR_I("proofd_suite", VERSION), PR_S("digest", head->digest), PR_S("asked", head->asked),
		   PR_OPT_I("nodes", limits->nodes), PR_OPT(limits->seconds > 0, PR_R("seconds", limits->seconds, 3)),
		   PR_OPT(limits->cpu > 0, PR_R("cpu", limits->cpu, 3)), PR_S("memory", limits->memory),
		   PR_OPEN_ARRAY("programs"));
	for (unsigned i = 0; i < head->program_count; i++)
		pr_members(&json.out, PR_OPEN_OBJECT(NULL), PR_S("digest", head->program[i]), PR_CLOSE);
	pr_close(&json.out);
	pr_open_array(&json.out, "variants");
	for (unsigned i = 0; i < suite->variant_count; i++)
		pr_str(&json.out, NULL, suite->variants[i].name);
	pr_close(&json.out);
	return add_line(fd, &json, fail);
}

/* The new file's name is on disk as well. */
static int sync_directory(const char *path, struct pd_fail *fail)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int dir = name ? open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int rc = !name ? cl_no_memory(fail) : dir < 0 || fsync(dir) ? pd_fail_errno(fail, "out", "write", path) : PD_OK;
	if (dir >= 0)
		close(dir);
	free(name);
	return rc;
}

int cl_results_open(const char *path, int *fd, struct pd_fail *fail)
{
	int at = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (at < 0)
		return pd_fail_errno(fail, "out", "open", path);
	if (flock(at, LOCK_EX | LOCK_NB)) {
		close(at);
		return pd_fail_set(fail, PD_E_LOCKED, "out", "another process writes to %.200s", path);
	}
	*fd = at;
	return PD_OK;
}

int cl_results_begin(int fd, const char *path, int64_t bytes, const struct cl_results_head *head,
		     const struct cl_suite *suite, struct pd_fail *fail)
{
	PD_ASSERT(bytes >= 0 && head->program_count && suite->variant_count);
	if (ftruncate(fd, bytes))
		return pd_fail_errno(fail, "out", "write", path);
	int rc = bytes ? PD_OK : cl_results_add_head(fd, head, suite, fail);
	return rc || bytes ? rc : sync_directory(path, fail);
}

int cl_results_add(int fd, const struct cl_result *r, struct pd_fail *fail)
{
	struct cl_json json;
	cl_json_begin(&json);
	pr_members(&json.out, PR_S("question", r->question), PR_S("game", r->game), PR_OPT_I("degree", r->degree),
		   PR_S("variant", r->variant), PR_I("seed", r->seed), PR_U("program", r->program),
		   PR_S("status", r->status), PR_OPT(r->lo != INT16_MIN, PR_I("lo", r->lo)),
		   PR_OPT(r->hi != INT16_MAX, PR_I("hi", r->hi)), PR_OPT_B("wrong", r->wrong),
		   PR_IF(r->nodes >= 0, PR_I("nodes", r->nodes)),
		   PR_IF(r->positions >= 0, PR_I("positions", r->positions)), PR_I("facts", r->facts),
		   PR_R("cpu", r->cpu, 6), PR_R("seconds", r->seconds, 6), PR_I("peak", r->peak),
		   PR_OPT_S("error", r->error));
	return add_line(fd, &json, fail);
}
