#include "clients/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/options.h"
#include "proto/base/buf.h"
#include "proto/base/hash.h"
#include "solver/algorithms.h"

enum { FILE_BYTES = 64 << 20 };

/* The line that is being read. */
struct place {
	struct cl_suite *suite;
	const char *path;
	unsigned line;
	pr_ref at; /* the object */
};

static int refuse_line(const struct place *p, struct pd_fail *fail, const char *what)
{
	return pd_fail_set(fail, PD_E_USAGE, "suite", "%.150s, line %u: %.120s", p->path, p->line, what);
}

/* Refuses members that are not in `known`, which is separated by blanks. */
static int check_members(const struct place *p, const char *known, struct pd_fail *fail)
{
	for (size_t i = 0; i < pr_count(p->at); i++) {
		const char *key = NULL;
		char word[34], what[300];
		pr_member(p->at, i, &key);
		snprintf(word, sizeof word, " %.30s ", key);
		if (strstr(known, word))
			continue;
		snprintf(what, sizeof what, "'%.30s' is not one of%.*s", key, (int)strlen(known) - 1, known);
		return refuse_line(p, fail, what);
	}
	return PD_OK;
}

/* A text; NULL, also when it is null: missing. */
static int read_text(const struct place *p, const char *key, bool required, const char **out, struct pd_fail *fail)
{
	char what[80];
	pr_ref value = pr_get(p->at, key);
	enum pr_kind kind = pr_kind_of(value);
	*out = pr_text(value, NULL);
	if (kind == PR_STRING && (**out || !required))
		return PD_OK;
	if ((kind == PR_MISSING || kind == PR_NULL) && !required)
		return PD_OK;
	snprintf(what, sizeof what, "'%s' has to be %s", key, required ? "a text that is not empty" : "a text");
	return refuse_line(p, fail, what);
}

/* A number from 0 up; *out is left as it is when the member is missing. */
static int read_limit(const struct place *p, const char *key, double *out, struct pd_fail *fail)
{
	char what[80];
	if (!pr_has(p->at, key))
		return PD_OK;
	*out = pr_get_real(p->at, key, -1);
	snprintf(what, sizeof what, "'%s' has to be a number of at least 0", key);
	return *out >= 0 && *out <= 1e15 ? PD_OK : refuse_line(p, fail, what);
}

static int read_known(const struct place *p, struct cl_question_line *q, struct pd_fail *fail)
{
	pr_ref value = pr_get(p->at, "value");
	switch (pr_kind_of(value)) {
	case PR_MISSING:
	case PR_NULL:
		return PD_OK;
	case PR_INT:
		q->known = CL_KNOWN_VALUE;
		q->value = pr_number(value, 0);
		return PD_OK;
	case PR_BOOL:
		if (!q->claim)
			return refuse_line(p, fail, "the 'value' is true or false, but there is no 'claim'");
		q->known = CL_KNOWN_TRUTH;
		q->value = pr_bool_of(value, false);
		return PD_OK;
	default:
		return refuse_line(p, fail, "'value' has to be an integer, true, false or null");
	}
}

static int read_question(const struct place *p, struct pd_fail *fail)
{
	struct cl_suite *s = p->suite;
	struct cl_question_line *q = &s->questions[s->question_count];
	if (s->question_count == CL_SUITE_QUESTIONS)
		return refuse_line(p, fail, "too many questions");
	*q = (struct cl_question_line){.degree = pr_get_int(p->at, "degree", 0)};
	int rc = check_members(p, " name game position claim value degree source ", fail);
	if (!rc)
		rc = read_text(p, "name", true, &q->name, fail);
	if (!rc)
		rc = read_text(p, "game", true, &q->game, fail);
	if (!rc)
		rc = read_text(p, "position", false, &q->position, fail);
	if (!rc)
		rc = read_text(p, "claim", false, &q->claim, fail);
	if (!rc)
		rc = read_text(p, "source", false, &q->source, fail);
	if (!rc)
		rc = read_known(p, q, fail);
	if (!rc && cl_suite_question(s, q->name) >= 0)
		rc = refuse_line(p, fail, "an earlier question has the same name");
	s->question_count += !rc;
	return rc;
}

static int check_search_options(const struct place *p, const struct cl_variant_line *v, struct pd_fail *fail)
{
	struct pn_options options;
	struct pd_fail why;
	enum pn_algorithm algorithm;
	pn_options_init(&options);
	if (v->algorithm && pn_algorithm_parse(v->algorithm, &algorithm, &why))
		return refuse_line(p, fail, why.text);
	for (size_t i = 0; i < pr_count(v->options); i++) {
		const char *key;
		pr_ref value = pr_member(v->options, i, &key);
		char *text = pr_kind_of(value) == PR_STRING ? strdup(pr_text(value, "")) : pr_dump(value, NULL);
		int rc = text ? pn_option_set(&options, key, text, &why) : cl_no_memory(fail);
		free(text);
		if (rc)
			return rc == PD_E_NO_MEMORY ? rc : refuse_line(p, fail, why.text);
	}
	return PD_OK;
}

static int read_variant(const struct place *p, struct pd_fail *fail)
{
	struct cl_suite *s = p->suite;
	struct cl_variant_line *v = &s->variants[s->variant_count];
	if (s->variant_count == CL_SUITE_VARIANTS)
		return refuse_line(p, fail, "too many variants");
	*v = (struct cl_variant_line){.options = pr_get(p->at, "options")};
	int rc = check_members(p, " variant algorithm detail options ", fail);
	if (!rc)
		rc = read_text(p, "variant", true, &v->name, fail);
	if (!rc)
		rc = read_text(p, "algorithm", false, &v->algorithm, fail);
	if (!rc)
		rc = read_text(p, "detail", false, &v->detail, fail);
	if (!rc && v->options && pr_kind_of(v->options) != PR_OBJECT)
		rc = refuse_line(p, fail,
				 "'options' has to be an object: the names of search options and their values");
	if (!rc)
		rc = check_search_options(p, v, fail);
	if (!rc && cl_suite_variant(s, v->name) >= 0)
		rc = refuse_line(p, fail, "an earlier variant has the same name");
	s->variant_count += !rc;
	return rc;
}

static int read_seeds(const struct place *p, struct pd_fail *fail)
{
	struct cl_suite *s = p->suite;
	pr_ref seeds = pr_get(p->at, "seeds");
	size_t count = pr_count(seeds);
	if (!pr_has(p->at, "seeds"))
		return PD_OK;
	if (pr_kind_of(seeds) != PR_ARRAY || !count || count > CL_SUITE_SEEDS)
		return refuse_line(p, fail, "'seeds' has to be an array of 1 to 100 integers");
	for (s->seed_count = 0; s->seed_count < count; s->seed_count++) {
		int64_t seed = pr_number(pr_at(seeds, s->seed_count), -1);
		for (unsigned i = 0; i < s->seed_count; i++)
			if (s->seeds[i] == seed)
				return refuse_line(p, fail, "'seeds' has the same number twice");
		if (seed < 0)
			return refuse_line(p, fail, "'seeds' has to be an array of integers of at least 0");
		s->seeds[s->seed_count] = seed;
	}
	return PD_OK;
}

/* A later line replaces what an earlier one has set. */
static int read_settings(const struct place *p, struct pd_fail *fail)
{
	struct cl_suite *s = p->suite;
	struct cl_limits *limits = &s->limits;
	struct pd_fail why;
	const char *name, *memory;
	uint64_t bytes;
	double nodes = (double)limits->nodes;
	int rc = check_members(p, " suite seeds nodes seconds cpu memory ", fail);
	if (!rc)
		rc = read_text(p, "suite", false, &name, fail);
	if (!rc)
		rc = read_text(p, "memory", false, &memory, fail);
	if (!rc && memory && (strlen(memory) >= sizeof limits->memory || pr_size_parse(memory, &bytes, &why)))
		rc = refuse_line(p, fail, "'memory' has to be a size, like \"256M\"");
	if (!rc)
		rc = read_limit(p, "nodes", &nodes, fail);
	if (!rc)
		rc = read_limit(p, "seconds", &limits->seconds, fail);
	if (!rc)
		rc = read_limit(p, "cpu", &limits->cpu, fail);
	if (!rc)
		rc = read_seeds(p, fail);
	if (rc)
		return rc;
	limits->nodes = (int64_t)nodes;
	if (name)
		snprintf(s->name, sizeof s->name, "%s", name);
	if (memory)
		memcpy(limits->memory, memory, strlen(memory) + 1);
	return PD_OK;
}

/* Reads a line, and adds what it says to the digested texts. */
static int read_line(struct place *p, const char *text, size_t size, struct pd_buf sums[2], struct pd_fail *fail)
{
	struct cl_suite *s = p->suite;
	struct pr_doc **docs = realloc(s->docs, (s->doc_count + 1) * sizeof *docs);
	struct pd_fail why;
	if (!docs)
		return cl_no_memory(fail);
	s->docs = docs;
	if (pr_doc_parse(text, size, &docs[s->doc_count], &why))
		return refuse_line(p, fail, why.text);
	p->at = pr_doc_root(docs[s->doc_count++]);
	if (pr_kind_of(p->at) != PR_OBJECT)
		return refuse_line(p, fail, "a line has to be a JSON object");
	bool variant = pr_has(p->at, "variant");
	for (unsigned i = variant; i < 2; i++) {
		pd_buf_put(&sums[i], text, size);
		pd_buf_puts(&sums[i], "\n");
	}
	if (variant)
		return read_variant(p, fail);
	return pr_has(p->at, "name") || pr_has(p->at, "game") ? read_question(p, fail) : read_settings(p, fail);
}

static int read_suite_file(struct cl_suite *s, const char *path, struct pd_buf sums[2], struct pd_fail *fail)
{
	struct place p = {.suite = s, .path = path};
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
	int rc = file ? PD_OK : pd_fail_errno(fail, "suite", "read", path);
	while (!rc && (size = getline(&line, &room, file)) > 0) {
		size_t text = (size_t)size;
		p.line++;
		while (text && strchr(" \t\r\n", line[text - 1]))
			text--;
		if (text)
			rc = read_line(&p, line, text, sums, fail);
	}
	if (!rc && ferror(file))
		rc = pd_fail_errno(fail, "suite", "read", path);
	if (file && file != stdin)
		fclose(file);
	free(line);
	return rc;
}

int cl_suite_read(const char *const *paths, unsigned count, struct cl_suite *out, struct pd_fail *fail)
{
	struct pd_buf sums[2];
	*out = (struct cl_suite){.seed_count = 1, .limits = {.memory = "256M"}};
	out->questions = calloc(CL_SUITE_QUESTIONS, sizeof *out->questions);
	out->variants = calloc(CL_SUITE_VARIANTS, sizeof *out->variants);
	pd_buf_init(&sums[0], FILE_BYTES);
	pd_buf_init(&sums[1], FILE_BYTES);
	int rc = out->questions && out->variants ? PD_OK : cl_no_memory(fail);
	for (unsigned i = 0; !rc && i < count; i++)
		rc = read_suite_file(out, paths[i], sums, fail);
	if (!rc && !out->question_count)
		rc = pd_fail_set(fail, PD_E_USAGE, "suite", "%.200s has no questions",
				 count == 1 ? paths[0] : "the suite");
	if (!rc && (sums[0].failed || sums[1].failed))
		rc = cl_no_memory(fail);
	if (!rc && !out->variant_count)
		out->variants[out->variant_count++] = (struct cl_variant_line){.name = "default"};
	if (!rc) {
		cl_digest(sums[0].data, sums[0].size, out->asked);
		cl_digest(sums[1].data, sums[1].size, out->digest);
	}
	pd_buf_fini(&sums[0]);
	pd_buf_fini(&sums[1]);
	return rc;
}

void cl_suite_fini(struct cl_suite *suite)
{
	for (unsigned i = 0; i < suite->doc_count; i++)
		pr_doc_free(suite->docs[i]);
	free(suite->docs);
	free(suite->questions);
	free(suite->variants);
	*suite = (struct cl_suite){0};
}

int cl_suite_question(const struct cl_suite *suite, const char *name)
{
	for (unsigned i = 0; i < suite->question_count; i++)
		if (!strcmp(suite->questions[i].name, name))
			return (int)i;
	return -1;
}

int cl_suite_variant(const struct cl_suite *suite, const char *name)
{
	for (unsigned i = 0; i < suite->variant_count; i++)
		if (!strcmp(suite->variants[i].name, name))
			return (int)i;
	return -1;
}

bool cl_suite_wrong(const struct cl_question_line *question, int64_t lo, int64_t hi, const char *status)
{
	if (question->known == CL_KNOWN_VALUE)
		return question->value < lo || question->value > hi;
	if (question->known == CL_KNOWN_TRUTH)
		return !strcmp(status, question->value ? "disproved" : "proved");
	return false;
}

void cl_digest(const void *data, size_t size, char out[CL_DIGEST_TEXT])
{
	struct pd_id id = pd_id_of(data, size, 0);
	snprintf(out, CL_DIGEST_TEXT, "%016" PRIx64 "%016" PRIx64, id.hi, id.lo);
}
