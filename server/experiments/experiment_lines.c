#include "server/experiments/experiment_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "server/experiments/experiment_files.h"
#include "store/files.h"

enum {
	PIECE = 1 << 16,         /* bytes of a file in a line */
	LINE_BYTES = 1 << 20,    /* a byte takes at most 6 in a string */
	RUNS_BYTES = 1 << 28,    /* of the results, as the server limits them */
	NUMBER_MAX = 1000000000, /* of an experiment that is read, so that there are numbers for new ones */
};

static int find_place(char out[ST_PATH], const char *data, struct pd_fail *fail)
{
	return st_path(out, data, "experiments", "", fail);
}

/* --- writing ------------------------------------------------------------------------------ */

static int put_line(struct sv_experiment_walk *w, struct pd_buf *line, struct pr_out *out, struct pd_fail *fail)
{
	pr_close(out);
	pd_buf_puts(line, "\n");
	return line->failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line of an experiment")
			    : w->put(w->ctx, line->data, line->size, fail);
}

static void begin_line(struct pd_buf *line, struct pr_out *out, unsigned number)
{
	pd_buf_reset(line);
	pr_out_init(out, line);
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_U("experiment", number));
}

/* The bytes of a text up to the last character that is there as a whole. */
static size_t whole_characters(const char *text, size_t size)
{
	size_t end = size;
	while (end > 0 && size - end < 4 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	return end > 0 && (unsigned char)text[end - 1] >= 0xc0 ? end - 1 : size;
}

/* Puts that many bytes of an open file, in lines with the member `name`. */
static int put_pieces(struct sv_experiment_walk *w, unsigned number, const char *name, int fd, int64_t bytes,
		      struct pd_fail *fail)
{
	char piece[PIECE];
	struct pd_buf line;
	int rc = PD_OK;
	pd_buf_init(&line, LINE_BYTES);
	for (int64_t at = 0; !rc && at < bytes;) {
		struct pr_out out;
		ssize_t size = pread(fd, piece, bytes - at < PIECE ? (size_t)(bytes - at) : PIECE, at);
		if (size <= 0) {
			rc = pd_fail_errno(fail, name, "read", name);
			break;
		}
		if (at + size < bytes)
			size = (ssize_t)whole_characters(piece, (size_t)size);
		begin_line(&line, &out, number);
		pr_strn(&out, name, piece, (size_t)size);
		rc = put_line(w, &line, &out, fail);
		at += size;
	}
	pd_buf_fini(&line);
	return rc;
}

/* Puts one that has been verified; its files are open. */
static int put_files(struct sv_experiment_walk *w, const struct sv_experiment_state *s, int suite, int runs,
		     struct pd_fail *fail)
{
	struct pd_buf line;
	struct pr_out out;
	struct stat st;
	pd_buf_init(&line, LINE_BYTES);
	int rc = fstat(suite, &st) ? pd_fail_errno(fail, "suite", "read", "suite") : PD_OK;
	rc = rc ? rc : put_pieces(w, s->number, "suite", suite, st.st_size, fail);
	rc = rc ? rc : put_pieces(w, s->number, "runs", runs, s->read, fail);
	if (!rc) {
		begin_line(&line, &out, s->number);
		pr_open_object(&out, "state");
		sv_experiment_print(s, &out);
		pr_close(&out);
		rc = put_line(w, &line, &out, fail);
	}
	pd_buf_fini(&line);
	return rc;
}

static int walk_one(struct sv_experiment_walk *w, const char *place, unsigned number, struct pd_fail *fail)
{
	struct sv_experiment_path folder = sv_experiment_path(place, number, NULL);
	struct sv_experiment_path state = sv_experiment_path(place, number, "state");
	struct sv_experiment_path suite = sv_experiment_path(place, number, "suite");
	struct sv_experiment_path runs = sv_experiment_path(place, number, "runs");
	struct sv_experiment_state s;
	struct pd_fail why;
	char name[32];
	int rc = sv_experiment_read(place, number, &s, &why);
	int suite_fd = open(suite.text, O_RDONLY | O_CLOEXEC), runs_fd = open(runs.text, O_RDONLY | O_CLOEXEC);
	bool begun = rc != PD_E_NOT_FOUND;
	if (!rc && (suite_fd < 0 || (s.read && runs_fd < 0)))
		rc = pd_fail_errno(&why, "experiments", "read", folder.text);
	if (!begun || (access(state.text, F_OK) && errno == ENOENT && !sv_experiment_has_run(place, number))) {
		rc = PD_OK; /* or it has been removed meanwhile */
	} else if (rc == PD_E_NO_MEMORY) {
		*fail = why;
	} else if (rc) {
		snprintf(name, sizeof name, "experiment %u", number);
		w->damaged(w->ctx, name, why.text);
		rc = PD_OK;
	} else {
		w->count++;
		rc = w->put ? put_files(w, &s, suite_fd, runs_fd, fail) : PD_OK;
	}
	if (suite_fd >= 0)
		close(suite_fd);
	if (runs_fd >= 0)
		close(runs_fd);
	return rc;
}

int sv_experiments_walk(const char *data, struct sv_experiment_walk *walk, struct pd_fail *fail)
{
	char place[ST_PATH];
	unsigned *numbers = NULL;
	size_t count = 0;
	int rc = find_place(place, data, fail);
	rc = rc ? rc : sv_experiment_numbers(place, &numbers, &count, fail);
	for (size_t i = 0; !rc && i < count; i++)
		rc = walk_one(walk, place, numbers[i], fail);
	free(numbers);
	return rc;
}

/* --- reading ------------------------------------------------------------------------------ */

void sv_experiment_taker_init(struct sv_experiment_taker *t, const char *data, const char *like)
{
	*t = (struct sv_experiment_taker){.data = data, .like = like};
	pd_buf_init(&t->suite, SV_SUITE_BYTES_MAX);
	pd_buf_init(&t->runs, RUNS_BYTES);
}

void sv_experiment_taker_fini(struct sv_experiment_taker *t)
{
	pd_buf_fini(&t->suite);
	pd_buf_fini(&t->runs);
}

/* Writes the experiment whose lines have been read, and reads it back. */
static int make_experiment(struct sv_experiment_taker *t, pr_ref object, struct pd_fail *fail)
{
	struct sv_experiment_state s = {.number = t->number}, again;
	char place[ST_PATH];
	int rc = sv_experiment_parse(object, &s, fail);
	uint64_t noted = s.suite;
	rc = rc ? rc : find_place(place, t->data, fail);
	if (!rc && !mkdir(place, 0700))
		rc = st_own_like(place, t->like, fail);
	else if (!rc && errno != EEXIST)
		rc = pd_fail_errno(fail, "", "make", place);
	rc = rc ? rc : sv_experiment_store(place, &s, &t->suite, &t->runs, fail);
	s.suite = noted; /* the file has to have this checksum */
	rc = rc ? rc : sv_experiment_write(place, &s, fail);
	rc = rc ? rc : sv_experiment_read(place, s.number, &again, fail);
	t->count += !rc;
	t->last = t->number;
	t->number = 0;
	pd_buf_reset(&t->suite);
	pd_buf_reset(&t->runs);
	return rc;
}

int sv_experiment_take(struct sv_experiment_taker *t, pr_ref line, struct pd_fail *fail)
{
	const char *name = pr_has(line, "suite") ? "suite" : pr_has(line, "runs") ? "runs" : "state";
	struct pd_buf *to = *name == 'r' ? &t->runs : &t->suite;
	pr_ref value = pr_get(line, name);
	int64_t number = pr_get_int(line, "experiment", 0);
	if (number <= t->last || number > NUMBER_MAX)
		return pd_fail_set(fail, PD_E_PARAMS, "experiment", "must be an integer from %" PRIu32 " to %d",
				   t->last + 1, NUMBER_MAX);
	if (pr_count(line) != 2 || pr_kind_of(value) != (strcmp(name, "state") ? PR_STRING : PR_OBJECT))
		return pd_fail_set(fail, PD_E_PARAMS, "experiment",
				   "such a line has one other member, a text `suite` or `runs`, or an object `state`");
	if (t->number && t->number != number)
		return pd_fail_set(fail, PD_E_PARAMS, "experiment", "the state of experiment %" PRIu32 " is missing",
				   t->number);
	t->number = (uint32_t)number;
	if (!strcmp(name, "state"))
		return make_experiment(t, value, fail);
	pd_buf_puts(to, pr_text(value, ""));
	return to->failed ? pd_fail_set(fail, PD_E_LIMIT, name, "has too many bytes") : PD_OK;
}

int sv_experiment_take_end(const struct sv_experiment_taker *t, struct pd_fail *fail)
{
	return t->number ? pd_fail_set(fail, PD_E_PARAMS, "experiment",
				       "the state of experiment %" PRIu32 " is missing", t->number)
			 : PD_OK;
}

static int take_text(struct sv_experiment_taker *t, const char *text, size_t size, struct pd_fail *fail)
{
	struct pr_doc *doc;
	int rc = pr_doc_parse(text, size, &doc, fail);
	if (rc)
		return rc;
	rc = sv_experiment_take(t, pr_doc_root(doc), fail);
	pr_doc_free(doc);
	return rc;
}

int sv_experiments_restore(FILE *file, struct sv_experiment_taker *t, struct pd_fail *fail)
{
	char *line = malloc(LINE_BYTES);
	struct pd_fail why;
	unsigned count = 0;
	int rc = line ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a line of an experiment");
	for (; !rc && fgets(line, LINE_BYTES, file); count++) {
		size_t size = strlen(line);
		rc = size && line[size - 1] == '\n'
			     ? take_text(t, line, size, fail)
			     : pd_fail_set(fail, PD_E_LIMIT, "", "it is cut off, or has more than %d bytes",
					   LINE_BYTES - 2);
	}
	free(line);
	rc = rc ? rc : sv_experiment_take_end(t, fail);
	if (!rc && ferror(file))
		rc = pd_fail_errno(fail, "experiments", "read", "the experiments");
	if (rc != PD_E_PARAMS && rc != PD_E_PARSE && rc != PD_E_LIMIT && rc != PD_E_CORRUPT)
		return rc;
	why = *fail;
	return pd_fail_set(fail, PD_E_CORRUPT, "experiments", "line %u of the experiments%s%s: %.250s", count,
			   *why.field ? ", " : "", why.field, why.text);
}

/* --- copying ------------------------------------------------------------------------------ */

struct copying {
	struct sv_experiment_taker taker;
	struct sv_experiments_copied *out;
};

static int copy_line(void *ctx, const char *line, size_t size, struct pd_fail *fail)
{
	struct copying *c = ctx;
	return take_text(&c->taker, line, size, fail);
}

static void leave_out(void *ctx, const char *name, const char *why)
{
	struct copying *c = ctx;
	(void)name, (void)why;
	c->out->damaged++;
}

int sv_experiments_copy(const char *from, const char *to, struct sv_experiments_copied *out, struct pd_fail *fail)
{
	struct copying c = {.out = out};
	struct sv_experiment_walk walk = {.put = copy_line, .damaged = leave_out, .ctx = &c};
	*out = (struct sv_experiments_copied){0};
	sv_experiment_taker_init(&c.taker, to, from);
	int rc = sv_experiments_walk(from, &walk, fail);
	out->experiments = c.taker.count;
	sv_experiment_taker_fini(&c.taker);
	return rc;
}

void sv_experiments_discard(const char *data)
{
	char place[ST_PATH];
	unsigned *numbers = NULL;
	size_t count = 0;
	struct pd_fail ignored;
	if (find_place(place, data, &ignored) || sv_experiment_numbers(place, &numbers, &count, &ignored))
		count = 0;
	for (size_t i = 0; i < count; i++)
		sv_experiment_erase(place, numbers[i], &ignored);
	free(numbers);
	st_remove_directory(place);
}
