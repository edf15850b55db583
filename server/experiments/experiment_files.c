#include "server/experiments/experiment_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"
#include "proto/base/line_sum.h"
#include "proto/doc.h"
#include "proto/out.h"
#include "store/files.h"

enum {
	STATE_BYTES = 8192,
	PIECE = 1 << 20,
	SUM_BYTES = 23,
	DIGEST_TEXT = 17,
	SUMMED = 2 /* version of results, from which on lines have checksums (clients/SUITE.md) */
};

static const char *const state_texts[] = {
#define X(name, text) text,
	PR_EXPERIMENT_STATES(X) NULL
#undef X
};

static const char suffix[] = ".jsonl";
static const char removed[] = "removed"; /* the name of the state while the other files are removed */

const char *sv_experiment_state_text(enum sv_experiment_state_name state)
{
	PD_ASSERT((unsigned)state < sizeof state_texts / sizeof *state_texts - 1);
	return state_texts[state];
}

struct sv_experiment_path sv_experiment_path(const char *place, unsigned number, const char *file)
{
	struct sv_experiment_path path;
	snprintf(path.text, sizeof path.text, "%s/%u%s%s", place, number, file ? "/" : "", file ? file : "");
	return path;
}

int sv_experiment_put_file(const struct sv_experiment_path *path, size_t most, struct pd_buf *out, struct pd_fail *fail)
{
	char piece[4096];
	FILE *file = st_open_regular(path->text);
	if (!file)
		return pd_fail_errno(fail, "", "read", path->text);
	if (!fseek(file, 0, SEEK_END) && ftell(file) > (long)most)
		fseek(file, -(long)most, SEEK_END);
	else
		rewind(file);
	for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
		pd_buf_put(out, piece, n);
	int rc = ferror(file) ? pd_fail_errno(fail, "", "read", path->text) : PD_OK;
	fclose(file);
	return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

/* Writes a file under another name, and renames it when it is on disk. */
static int write_file(const char *place, unsigned number, const char *name, const struct pd_buf *content,
		      struct pd_fail *fail)
{
	struct sv_experiment_path folder = sv_experiment_path(place, number, NULL);
	struct sv_experiment_path path = sv_experiment_path(place, number, name);
	struct sv_experiment_path part = sv_experiment_path(place, number, "new");
	if (content->failed)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the experiment");
	int fd = open(part.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd >= 0)
		st_own_file(fd, place, ST_OWN_DATA);
	bool good = fd >= 0 && st_write_all(fd, content->data, content->size) && !fsync(fd) &&
		    !rename(part.text, path.text);
	int rc = good ? PD_OK : pd_fail_errno(fail, "", "write", path.text);
	if (fd >= 0)
		close(fd);
	return rc ? rc : st_sync_directory(folder.text, fail);
}

/* The line below the state. */
static void sum_line(const char *text, size_t size, char out[SUM_BYTES + 1])
{
	snprintf(out, SUM_BYTES + 1, "\nsum: %016" PRIx64 "\n", pd_hash64(text, size));
}

void sv_experiment_print(const struct sv_experiment_state *s, struct pr_out *out)
{
	char suite[DIGEST_TEXT];
	snprintf(suite, sizeof suite, "%016" PRIx64, s->suite);
	pr_members(out, PR_S("title", s->title), PR_S("client", s->client),
		   PR_S("state", sv_experiment_state_text(s->state)), PR_S("reason", s->reason),
		   PR_I("questions", s->questions), PR_I("variants", s->variants), PR_I("seeds", s->seeds),
		   PR_I("runs", s->runs), PR_I("created", s->created_ms), PR_I("ended", s->ended_ms),
		   PR_OPT(s->suite, PR_S("suite", suite)));
}

int sv_experiment_write(const char *place, const struct sv_experiment_state *s, struct pd_fail *fail)
{
	char sum[SUM_BYTES + 1];
	struct pd_buf text;
	struct pr_out out;
	pd_buf_init(&text, STATE_BYTES);
	pr_out_init(&out, &text);
	pr_open_object(&out, NULL);
	sv_experiment_print(s, &out);
	pr_close(&out);
	sum_line(text.data, text.size, sum);
	pd_buf_puts(&text, sum);
	int rc = write_file(place, s->number, "state", &text, fail);
	pd_buf_fini(&text);
	return rc;
}

int sv_experiment_store(const char *place, struct sv_experiment_state *s, const struct pd_buf *suite,
			const struct pd_buf *runs, struct pd_fail *fail)
{
	struct sv_experiment_path folder = sv_experiment_path(place, s->number, NULL);
	int rc = PD_OK;
	if (mkdir(folder.text, 0700) && errno != EEXIST)
		rc = pd_fail_errno(fail, "", "make", folder.text);
	rc = rc ? rc : write_file(place, s->number, "suite", suite, fail);
	if (!rc && runs->size)
		rc = write_file(place, s->number, "runs", runs, fail);
	rc = rc ? rc : st_own_like(folder.text, place, fail);
	rc = rc ? rc : st_sync_directory(place, fail);
	s->suite = rc ? 0 : pd_hash64(suite->data, suite->size);
	return rc;
}

static int add_suite(const char *directory, const char *name, struct pd_buf *out, struct pd_fail *fail)
{
	char names[SV_SUITES_MAX][SV_SUITE_NAME];
	struct sv_experiment_path path;
	unsigned count, i = 0;
	int rc = sv_suites_list(directory, names, &count, fail);
	if (rc)
		return rc;
	while (i < count && strcmp(names[i], name) != 0)
		i++;
	if (i == count)
		return pd_fail_set(fail, PD_E_NOT_FOUND, "suites",
				   "there is no suite '%.60s'; experiment.list names those that there are", name);
	int size = snprintf(path.text, sizeof path.text, "%s/%s%s", directory, names[i], suffix);
	if (size >= (int)sizeof path.text || access(path.text, R_OK))
		return pd_fail_errno(fail, "suites", "read", names[i]);
	rc = sv_experiment_put_file(&path, SV_SUITE_BYTES_MAX + 1, out, fail);
	pd_buf_puts(out, "\n");
	return rc;
}

int sv_experiment_make(const char *place, struct sv_experiment_state *state, const char *directory, pr_ref suites,
		       const char *text, struct pd_fail *fail)
{
	const struct pd_buf no_runs = {.size = 0};
	struct pd_buf all;
	int rc = PD_OK;
	pd_buf_init(&all, SV_SUITE_BYTES_MAX);
	for (size_t i = 0; !rc && i < pr_count(suites); i++)
		rc = add_suite(directory, pr_text(pr_at(suites, i), ""), &all, fail);
	pd_buf_puts(&all, text);
	if (!rc && all.failed)
		rc = pd_fail_set(fail, PD_E_LIMIT, "text", "a suite may have %d bytes", SV_SUITE_BYTES_MAX);
	rc = rc ? rc : sv_experiment_store(place, state, &all, &no_runs, fail);
	pd_buf_fini(&all);
	return rc;
}

/* Of an experiment without a state. One that is started gets its state before it runs, and one that is removed is
 * marked until its runs are gone. */
bool sv_experiment_has_run(const char *place, unsigned number)
{
	struct sv_experiment_path mark = sv_experiment_path(place, number, removed);
	struct sv_experiment_path runs = sv_experiment_path(place, number, "runs");
	return access(mark.text, F_OK) && !access(runs.text, F_OK); /* in this order: it may be removed meanwhile */
}

int sv_experiment_erase(const char *place, unsigned number, struct pd_fail *fail)
{
	static const char *const names[] = {"new", "runs", "log", "suite", removed};
	struct sv_experiment_path folder = sv_experiment_path(place, number, NULL);
	struct sv_experiment_path state = sv_experiment_path(place, number, "state");
	struct sv_experiment_path mark = sv_experiment_path(place, number, removed);
	if (rename(state.text, mark.text) && errno != ENOENT)
		return pd_fail_errno(fail, "", "remove", state.text);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		struct sv_experiment_path path = sv_experiment_path(place, number, names[i]);
		if (unlink(path.text) && errno != ENOENT)
			return pd_fail_errno(fail, "", "remove", path.text);
	}
	if (rmdir(folder.text) && errno != ENOENT) /* it may have gone before, and only the sync have failed */
		return pd_fail_errno(fail, "", "remove", folder.text);
	return st_sync_directory(place, fail);
}

/* --- reading ------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
	return (x > y) - (x < y);
}

int sv_experiment_numbers(const char *place, unsigned **out, size_t *count, struct pd_fail *fail)
{
	const struct dirent *entry;
	DIR *list = opendir(place);
	int rc = list || errno == ENOENT ? PD_OK : pd_fail_errno(fail, "experiments", "read", place);
	*out = NULL;
	*count = 0;
	while (list && !rc && (entry = readdir(list)) != NULL) {
		char *end;
		unsigned long number = strtoul(entry->d_name, &end, 10);
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || *end || number >= UINT32_MAX)
			continue;
		unsigned *more = realloc(*out, (*count + 1) * sizeof *more);
		if (!more) {
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the experiments");
			break;
		}
		*out = more;
		more[(*count)++] = (unsigned)number;
	}
	if (list)
		closedir(list);
	if (*count)
		qsort(*out, *count, sizeof **out, compare_numbers);
	return rc;
}

/* Copies a text that has to fit. */
static int take_text(pr_ref r, const char *key, char *out, size_t size, struct pd_fail *fail)
{
	int length = snprintf(out, size, "%s", pr_get_str(r, key, ""));
	return length < (int)size && pr_kind_of(pr_get(r, key)) == PR_STRING
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_PARAMS, key, "must be a string of at most %zu bytes", size - 1);
}

static int take_states(pr_ref r, struct sv_experiment_state *out, struct pd_fail *fail)
{
	const char *state = pr_get_str(r, "state", ""), *suite = pr_get_str(r, "suite", "0");
	char *end;
	unsigned i = 0;
	while (state_texts[i] && strcmp(state_texts[i], state) != 0)
		i++;
	if (!state_texts[i] || i == SV_EXPERIMENT_RUNNING) /* as `waiting` it is on disk */
		return pd_fail_set(fail, PD_E_PARAMS, "state", "'%.40s' is not the state of an experiment", state);
	out->state = i;
	out->suite = strtoull(suite, &end, 16);
	return *suite && !*end
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_PARAMS, "suite", "must have 16 hexadecimal digits, not '%.40s'", suite);
}

int sv_experiment_parse(pr_ref r, struct sv_experiment_state *out, struct pd_fail *fail)
{
	const struct {
		const char *key;
		int64_t *value, min, max;
	} numbers[] = {{"questions", &out->questions, 1, SV_EXPERIMENT_RUNS_MAX},
		       {"variants", &out->variants, 1, SV_EXPERIMENT_RUNS_MAX},
		       {"seeds", &out->seeds, 1, SV_EXPERIMENT_RUNS_MAX},
		       {"runs", &out->runs, 1, SV_EXPERIMENT_RUNS_MAX},
		       {"created", &out->created_ms, 0, INT64_MAX},
		       {"ended", &out->ended_ms, 0, INT64_MAX}};
	int rc = take_text(r, "title", out->title, sizeof out->title, fail);
	rc = rc ? rc : take_text(r, "client", out->client, sizeof out->client, fail);
	rc = rc ? rc : take_text(r, "reason", out->reason, sizeof out->reason, fail);
	rc = rc ? rc : take_states(r, out, fail);
	for (unsigned i = 0; !rc && i < sizeof numbers / sizeof *numbers; i++) {
		*numbers[i].value = pr_get_int(r, numbers[i].key, -1);
		if (*numbers[i].value < numbers[i].min || *numbers[i].value > numbers[i].max)
			rc = pd_fail_set(fail, PD_E_PARAMS, numbers[i].key,
					 "must be an integer from %" PRId64 " to %" PRId64, numbers[i].min,
					 numbers[i].max);
	}
	return rc;
}

static int read_state(const char *place, struct sv_experiment_state *out, struct pd_fail *fail)
{
	struct sv_experiment_path path = sv_experiment_path(place, out->number, "state");
	struct pr_doc *doc = NULL;
	struct pd_buf text;
	char sum[SUM_BYTES + 1] = "";
	pd_buf_init(&text, STATE_BYTES);
	int rc = sv_experiment_put_file(&path, STATE_BYTES, &text, fail);
	size_t size = text.size > SUM_BYTES ? text.size - SUM_BYTES : 0;
	if (size)
		sum_line(text.data, size, sum);
	if (!rc)
		rc = text.failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for an experiment")
		     : !size || memcmp(text.data + size, sum, SUM_BYTES) != 0
			     ? PD_E_CORRUPT
			     : pr_doc_parse(text.data, size, &doc, fail);
	rc = rc ? rc : sv_experiment_parse(pr_doc_root(doc), out, fail);
	pr_doc_free(doc);
	pd_buf_fini(&text);
	return !rc || rc == PD_E_NO_MEMORY || rc == PD_E_NOT_FOUND
		       ? rc
		       : pd_fail_set(fail, PD_E_CORRUPT, "", "%.200s cannot be read", path.text);
}

int sv_experiment_suite(const char *place, const struct sv_experiment_state *s, struct pd_buf *out,
			struct pd_fail *fail)
{
	struct sv_experiment_path path = sv_experiment_path(place, s->number, "suite");
	size_t before = out->size;
	int rc = sv_experiment_put_file(&path, SV_SUITE_BYTES_MAX + 1, out, fail);
	if (rc == PD_E_NOT_FOUND)
		return pd_fail_set(fail, PD_E_CORRUPT, "", "its suite is missing");
	if (rc || out->failed)
		return rc ? rc : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a suite");
	if (!s->suite || pd_hash64(out->data + before, out->size - before) == s->suite)
		return PD_OK;
	out->size = before;
	return pd_fail_set(fail, PD_E_CORRUPT, "",
			   "its suite is damaged: the checksum of the file is not the one that was noted; remove the "
			   "experiment, and start it again");
}

int sv_experiment_read(const char *place, unsigned number, struct sv_experiment_state *out, struct pd_fail *fail)
{
	struct pd_buf suite;
	struct pd_fail ignored;
	*out = (struct sv_experiment_state){.number = number};
	int rc = read_state(place, out, fail);
	if (rc == PD_E_NOT_FOUND && !sv_experiment_has_run(place, number))
		return rc;
	if (rc == PD_E_NOT_FOUND)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "", "its record is missing");
	pd_buf_init(&suite, SV_SUITE_BYTES_MAX + 1);
	rc = rc ? rc : sv_experiment_suite(place, out, &suite, fail);
	pd_buf_fini(&suite);
	int counted = sv_experiment_count(place, out, rc ? &ignored : fail);
	rc = rc ? rc : counted;
	if (!rc && out->state == SV_EXPERIMENT_DONE && out->done < out->runs)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "",
				 "its results are damaged: only %" PRId64 " of %" PRId64 " runs can be read", out->done,
				 out->runs);
	if (!rc && out->bad)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "", "its results are damaged: %" PRId64 " lines cannot be read",
				 out->bad);
	return rc;
}

/* Notes of which build of proofctl a run is. */
static void count_build(struct sv_experiment_state *s)
{
	int64_t i = 0;
	while (i < s->builds && s->build[i] != s->head)
		i++;
	if (i == s->builds && i < SV_EXPERIMENT_BUILDS)
		s->build[s->builds++] = s->head;
}

/* A line of the results: a run, or a head, which tells the build of the runs after it. */
static void count_line(const char *line, size_t size, struct sv_experiment_state *s)
{
	enum pd_line_sum sum = pd_line_sum_check(line, size);
	struct pr_doc *doc;
	struct pd_fail ignored;
	if (sum == PD_LINE_DAMAGED || pr_doc_parse(line, size, &doc, &ignored)) {
		s->bad++;
		return;
	}
	pr_ref root = pr_doc_root(doc);
	s->summed = s->summed || pr_get_int(root, "proofd_suite", 0) >= SUMMED;
	if (s->summed && sum == PD_LINE_PLAIN) {
		s->bad++;
		pr_doc_free(doc);
		return;
	}
	const char *status = pr_get_str(root, "status", "");
	char *programs = pr_has(root, "proofd_suite") ? pr_dump(pr_get(root, "programs"), &size) : NULL;
	if (programs)
		s->head = pd_hash64(programs, size);
	if (*status)
		count_build(s);
	s->done += *status != 0;
	s->answered += *status && strcmp(status, "unsolved") != 0 && strcmp(status, "failed") != 0;
	s->wrong += pr_get_bool(root, "wrong", false);
	free(programs);
	pr_doc_free(doc);
}

int sv_experiment_count(const char *place, struct sv_experiment_state *s, struct pd_fail *fail)
{
	struct sv_experiment_path path = sv_experiment_path(place, s->number, "runs");
	int fd = open(path.text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? PD_OK : pd_fail_errno(fail, "", "read", path.text);
	char *piece = malloc(PIECE);
	ssize_t size = piece ? 0 : -1;
	while (piece && (size = pread(fd, piece, PIECE, s->read)) > 0) {
		const char *at = piece, *end = piece + size, *newline;
		for (; (newline = memchr(at, '\n', (size_t)(end - at))) != NULL; at = newline + 1)
			count_line(at, (size_t)(newline - at), s);
		if (at == piece)
			break; /* of its last line only the beginning is there */
		s->read += at - piece;
	}
	int rc = size < 0 ? pd_fail_errno(fail, "", "read", path.text) : PD_OK;
	free(piece);
	close(fd);
	return rc;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

int sv_suites_list(const char *directory, char names[SV_SUITES_MAX][SV_SUITE_NAME], unsigned *out, struct pd_fail *fail)
{
	DIR *list = opendir(directory);
	const struct dirent *entry;
	unsigned count = 0;
	if (!list && pd_fail_errno(fail, "suites", "read", directory) == PD_E_NO_MEMORY)
		return fail->code;
	while (list && count < SV_SUITES_MAX && (entry = readdir(list)) != NULL) {
		size_t size = strlen(entry->d_name), end = sizeof suffix - 1;
		if (size <= end || size - end >= SV_SUITE_NAME || strcmp(entry->d_name + size - end, suffix) != 0)
			continue;
		memcpy(names[count], entry->d_name, size - end);
		names[count++][size - end] = 0;
	}
	if (list)
		closedir(list);
	qsort(names, count, sizeof *names, compare_names);
	*out = count;
	return PD_OK;
}
