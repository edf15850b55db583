/* proofctl query, line: facts about positions, and the principal variation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/show.h"
#include "clients/svg.h"
#include "proto/base/assert.h"

enum {
	BATCH_POSITIONS = 1000, /* of one request; the protocol allows more, but answers then come later */
	BATCH_BYTES = 256 << 10 /* of their texts: below the longest request even when every byte is escaped */
};

/* The positions of a query, from the words and from stdin, asked in batches. */
struct query {
	const struct cl_options *options;
	struct cl_link *link;
	struct cl_table table;       /* when it is no JSON */
	char *text[BATCH_POSITIONS]; /* owned */
	size_t count, bytes;
	bool some; /* facts were printed */
	bool bad;  /* a position was invalid */
};

static int print_fact_json(struct query *q, pr_ref fact, struct pd_fail *fail)
{
	char *json = pr_dump(fact, NULL);
	if (!json)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory to print the reply");
	printf("%s%s", q->some ? "," : "{\"facts\":[", json);
	q->some = true;
	free(json);
	return PD_OK;
}

static void print_fact_text(struct query *q, const char *position, pr_ref fact)
{
	pr_ref moves = pr_get(fact, "moves");
	bool first = !q->some;
	if (first || pr_count(moves)) {
		if (!first)
			putchar('\n');
		cl_show_fact_head(&q->table, stdout);
	}
	q->some = true;
	cl_show_fact_row(&q->table, position, fact);
	for (size_t i = 0; i < pr_count(moves); i++) {
		char name[64];
		pr_ref move = pr_at(moves, i);
		snprintf(name, sizeof name, "  move %.50s", pr_get_str(move, "move", "?"));
		cl_show_fact_row(&q->table, name, move);
	}
}

static int print_facts(struct query *q, pr_ref facts, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (size_t i = 0; !rc && i < pr_count(facts); i++) {
		pr_ref fact = pr_at(facts, i);
		q->bad |= pr_has(fact, "error");
		if (cl_given(q->options, CL_OPT_JSON))
			rc = print_fact_json(q, fact, fail);
		else
			print_fact_text(q, q->text[i], fact);
	}
	return rc;
}

/* Asks for what has been collected and forgets it. */
static int ask_batch(struct query *q, struct pd_fail *fail)
{
	struct cl_params params;
	struct pr_doc *doc;
	pr_ref result;
	if (!q->count)
		return PD_OK;
	cl_params_begin(&params);
	pr_str(&params.out, "game", q->options->words[0]);
	pr_open_array(&params.out, "positions");
	for (size_t i = 0; i < q->count; i++)
		pr_str(&params.out, NULL, q->text[i]);
	pr_close(&params.out);
	if (cl_given(q->options, CL_OPT_MOVES))
		pr_bool(&params.out, "each_move", true);
	if (cl_given(q->options, CL_OPT_NOTATION))
		pr_str(&params.out, "notation", q->options->text[CL_OPT_NOTATION]);
	int rc = cl_params_call(&params, q->link, "fact.query", &doc, &result, fail);
	if (!rc) {
		rc = print_facts(q, pr_get(result, "facts"), fail);
		pr_doc_free(doc);
	}
	while (q->count)
		free(q->text[--q->count]);
	q->bytes = 0;
	return rc;
}

static int add(struct query *q, const char *position, struct pd_fail *fail)
{
	char *copy = strdup(position);
	if (!copy)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a position");
	PD_ASSERT(q->count < BATCH_POSITIONS);
	q->text[q->count++] = copy;
	q->bytes += strlen(copy);
	return q->count == BATCH_POSITIONS || q->bytes >= BATCH_BYTES ? ask_batch(q, fail) : PD_OK;
}

static int add_stdin(struct query *q, struct pd_fail *fail)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	int rc = PD_OK;
	while (!rc && (size = getline(&line, &room, stdin)) >= 0) {
		while (size && (line[size - 1] == '\n' || line[size - 1] == '\r'))
			line[--size] = 0;
		rc = add(q, line, fail);
	}
	if (!rc && ferror(stdin))
		rc = pd_fail_set(fail, PD_E_IO, "", "stdin could not be read: %s", strerror(errno));
	free(line);
	return rc;
}

/* A single position: an invalid one fails the whole command, as in the protocol. */
static int ask_single(struct query *q, const char *position, struct pd_fail *fail)
{
	struct cl_params params;
	struct pr_doc *doc;
	pr_ref result;
	const char *moves = cl_given(q->options, CL_OPT_RECORD) ? q->options->text[CL_OPT_RECORD] : "";
	char *own = strdup(*position || !*moves ? position : moves);
	if (!own)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a position");
	q->text[0] = own;
	cl_params_begin(&params);
	pr_str(&params.out, "game", q->options->words[0]);
	cl_put_position(q->options, position, &params.out);
	if (cl_given(q->options, CL_OPT_MOVES))
		pr_bool(&params.out, "each_move", true);
	int rc = cl_params_call(&params, q->link, "fact.query", &doc, &result, fail);
	if (!rc) {
		rc = print_facts(q, pr_get(result, "facts"), fail);
		pr_doc_free(doc);
	}
	free(own);
	return rc;
}

static int ask_all(struct query *q, struct pd_fail *fail)
{
	const struct cl_options *o = q->options;
	int rc = PD_OK;
	bool single = o->word_count == 1 || (o->word_count == 2 && strcmp(o->words[1], "-") != 0);
	if (!single && cl_given(o, CL_OPT_RECORD))
		return pd_fail_set(fail, PD_E_USAGE, "moves",
				   "--moves=LIST is played from one position, not from several");
	if (o->word_count == 1)
		return ask_single(q, "", fail);
	if (o->word_count == 2 && strcmp(o->words[1], "-") != 0)
		return ask_single(q, o->words[1], fail);
	for (unsigned i = 1; !rc && i < o->word_count; i++)
		rc = strcmp(o->words[i], "-") ? add(q, o->words[i], fail) : add_stdin(q, fail);
	return rc ? rc : ask_batch(q, fail);
}

int cl_cmd_query(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct query *q = calloc(1, sizeof *q);
	if (!q)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a query");
	q->options = options;
	int rc = cl_open(options, &q->link, fail);
	if (!rc) {
		rc = ask_all(q, fail);
		if (cl_given(options, CL_OPT_JSON) && (!rc || q->some))
			puts(q->some ? "]}" : "{\"facts\":[]}");
		*exit_code = q->bad ? CL_EXIT_USAGE : CL_EXIT_OK;
	}
	while (q->count)
		free(q->text[--q->count]);
	cl_link_close(q->link);
	free(q);
	return rc;
}

int cl_cmd_line(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_params params;
	struct cl_link *link;
	struct pr_doc *doc;
	pr_ref result;
	int rc = cl_svg_check(options, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	pr_str(&params.out, "game", options->words[0]);
	cl_put_position(options, cl_given(options, CL_OPT_POSITION) ? options->text[CL_OPT_POSITION] : NULL,
			&params.out);
	if (cl_given(options, CL_OPT_LIMIT))
		pr_int(&params.out, "limit", options->whole[CL_OPT_LIMIT]);
	rc = cl_params_call(&params, link, "fact.line", &doc, &result, fail);
	bool answered = !rc;
	if (!rc && cl_given(options, CL_OPT_SVG))
		rc = cl_svg_line(options, link, result, fail);
	if (!rc && cl_given(options, CL_OPT_JSON)) {
		rc = cl_print_json(result, fail);
	} else if (!rc && !cl_svg_alone(options)) {
		struct cl_ink ink = cl_ink_of(stdout);
		printf("%s%s%s\n", ink.bold, pr_get_str(pr_get(result, "value"), "text", "unknown"), ink.off);
		if (pr_count(pr_get(result, "line"))) {
			fputs("  line      ", stdout);
			cl_show_moves(stdout, pr_get(result, "line"), 12);
		}
		printf("  %s%s%s\n", ink.dim,
		       pr_get_bool(result, "complete", false) ? "to the end of the game" : "as far as it is proved",
		       ink.off);
	}
	if (answered)
		pr_doc_free(doc);
	cl_link_close(link);
	*exit_code = CL_EXIT_OK;
	return rc;
}
