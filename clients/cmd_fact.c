/* proofctl query, line: facts about positions, and the principal variation. */

#include "clients/commands.h"
#include "clients/drawing.h"
#include "clients/chain.h"
#include "clients/lines.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum {
	BATCH_POSITIONS = 1000, /* in one request; the protocol allows more, but their answers would arrive later */
	BATCH_BYTES = 64 << 10, /* of their texts, zeros included */
	BATCHES = 4             /* in flight or being collected */
};

/* The positions of one request, one after the other. */
struct batch {
	char text[BATCH_BYTES + CL_LINE_MAX + 1];
	size_t count, bytes;
	int64_t id; /* of the request, once it is sent */
};

/* A query: positions from the words and from stdin, sent in batches while earlier ones are being answered. */
struct query {
	const struct cl_options *options;
	struct cl_link *link;
	struct cl_table table; /* unless the output is JSON */
	struct batch batch[BATCHES];
	unsigned first, sent; /* requests in flight: batch[first] and the `sent - 1` after it; the next one collects */
	unsigned ahead;       /* requests that may be in flight, 1..BATCHES - 1 */
	bool some;            /* rows were printed */
	bool bad;             /* a position was invalid */
};

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
	cl_show_theorems(stdout, pr_get(fact, "theorems"));
}

/* `texts` are the positions of the facts, one after the other. */
static int print_facts(struct query *q, const char *texts, pr_ref facts, struct pd_fail *fail)
{
	int rc = PD_OK;
	for (size_t i = 0; !rc && i < pr_count(facts); i++) {
		pr_ref fact = pr_at(facts, i);
		q->bad |= pr_has(fact, "error");
		if (cl_given(q->options, CL_OPT_JSON))
			rc = cl_print_json(fact, fail);
		else
			print_fact_text(q, texts, fact);
		texts += strlen(texts) + 1;
	}
	return rc;
}

static int receive_batch(struct query *q, struct pd_fail *fail)
{
	struct batch *b = &q->batch[q->first];
	pr_ref result;
	PD_ASSERT(q->sent);
	int rc = cl_link_receive(q->link, b->id, &result, fail);
	q->first = (q->first + 1) % BATCHES;
	q->sent--;
	if (rc)
		return rc;
	pr_ref facts = pr_get(result, "facts");
	return pr_count(facts) == b->count
		       ? print_facts(q, b->text, facts, fail)
		       : pd_fail_set(fail, PD_E_INTERNAL, "", "the server sent %zu facts for %zu positions",
				     pr_count(facts), b->count);
}

/* The batch that collects positions. */
static struct batch *current_batch(struct query *q)
{
	return &q->batch[(q->first + q->sent) % BATCHES];
}

/* The depth to ask for: without --moves all that is known, for any number of positions, because an answer must not
 * depend on its batch. */
static int64_t choose_depth(const struct query *q)
{
	return !cl_given(q->options, CL_OPT_MOVES);
}

/* Sends the collected batch; the next one collects from now on. */
static int send_batch(struct query *q, struct pd_fail *fail)
{
	struct batch *b = current_batch(q);
	struct cl_json params;
	const char *text = b->text;
	if (!b->count)
		return PD_OK;
	cl_json_begin(&params);
	pr_str(&params.out, "game", q->options->words[0]);
	pr_open_array(&params.out, "positions");
	for (size_t i = 0; i < b->count; i++, text += strlen(text) + 1)
		pr_str(&params.out, NULL, text);
	pr_close(&params.out);
	pr_members(&params.out, PR_OPT_B("each_move", cl_given(q->options, CL_OPT_MOVES)),
		   PR_OPT_I("depth", choose_depth(q)));
	cl_put_given(q->options, PR_FACT_QUERY, &params.out);
	int rc = cl_json_send(&params, q->link, "fact.query", &b->id, fail);
	if (rc)
		return rc;
	q->sent++;
	if (q->sent > q->ahead)
		rc = receive_batch(q, fail);
	b = current_batch(q);
	b->count = b->bytes = 0;
	PD_ASSERT(q->sent < BATCHES);
	return rc;
}

/* Sends what was added, and prints all answers. */
static int flush_batches(struct query *q, struct pd_fail *fail)
{
	int rc = send_batch(q, fail);
	while (!rc && q->sent)
		rc = receive_batch(q, fail);
	return rc;
}

static int add_position(struct query *q, const char *position, struct pd_fail *fail)
{
	struct batch *b = current_batch(q);
	size_t size = strlen(position) + 1;
	if (size > CL_LINE_MAX + 1)
		return pd_fail_set(fail, PD_E_POSITION, "position", "a position of %zu bytes is too long", size - 1);
	PD_ASSERT(b->bytes + size <= sizeof b->text);
	memcpy(b->text + b->bytes, position, size);
	b->bytes += size;
	b->count++;
	return b->count == BATCH_POSITIONS || b->bytes >= BATCH_BYTES ? send_batch(q, fail) : PD_OK;
}

/* A line of stdin is a position, with or without blanks around it. */
static int add_line(struct query *q, const struct cl_lines *lines, char *line, unsigned number, struct pd_fail *fail)
{
	if (lines->zero) {
		int rc = flush_batches(q, fail);
		return rc ? rc
			  : pd_fail_set(fail, PD_E_POSITION, "position",
					"line %u of stdin contains a zero byte; a position is text", number);
	}
	size_t size = strlen(line);
	while (size && strchr(" \t", line[size - 1]))
		size--;
	line[size] = 0;
	return add_position(q, line + strspn(line, " \t"), fail);
}

/* While stdin is silent, all answers are printed, because the writer may wait for them. */
static int add_stdin(struct query *q, struct pd_fail *fail)
{
	struct cl_lines lines;
	unsigned number = 0;
	int rc = PD_OK;
	if (!cl_lines_init(&lines))
		return cl_no_memory(fail);
	while (!rc) {
		bool rest = lines.partial; /* of a line that is too long: its beginning is an invalid position */
		char *line = cl_lines_next(&lines, 0);
		if (!line && lines.ended)
			break;
		if (!line) {
			rc = flush_batches(q, fail);
			if (!rc && (fflush(stdout) || ferror(stdout)))
				rc = pd_fail_errno(fail, "", "write", "the answers");
			line = rc ? NULL : cl_lines_next(&lines, -1);
		}
		if (line && !rest)
			rc = add_line(q, &lines, line, ++number, fail);
	}
	if (!rc && lines.error)
		rc = pd_fail_set(fail, PD_E_IO, "", "cannot read stdin: %s", strerror(lines.error));
	cl_lines_fini(&lines);
	return rc;
}

/* A single position: an invalid one fails the whole command, as in the protocol. */
static int ask_single(struct query *q, const char *position, struct pd_fail *fail)
{
	pr_ref result;
	const char *moves = cl_given(q->options, CL_OPT_RECORD) ? q->options->text[CL_OPT_RECORD] : "";
	int rc = cl_ask_given(q->link, q->options, PR_FACT_QUERY, &result, fail, PR_S("game", q->options->words[0]),
			      PR_S("position", position), PR_OPT_B("each_move", cl_given(q->options, CL_OPT_MOVES)),
			      PR_OPT_I("depth", choose_depth(q)), PR_B("theorems", true));
	if (!rc)
		rc = print_facts(q, *position || !*moves ? position : moves, pr_get(result, "facts"), fail);
	if (!rc && cl_given(q->options, CL_OPT_EXPLAIN))
		rc = cl_explain(q->link, q->options, position, fail);
	return rc;
}

static int ask_all(struct query *q, struct pd_fail *fail)
{
	const struct cl_options *o = q->options;
	int rc = PD_OK;
	bool single = o->word_count == 1 || (o->word_count == 2 && strcmp(o->words[1], "-") != 0);
	if (cl_given(o, CL_OPT_EXPLAIN) && (!single || cl_given(o, CL_OPT_JSON)))
		return pd_fail_set(
			fail, PD_E_USAGE, "explain",
			"--explain needs a single position, and prints text; proof.tree has the same as JSON");
	if (!single && cl_given(o, CL_OPT_RECORD))
		return pd_fail_set(fail, PD_E_USAGE, "moves", "--moves=LIST needs a single position");
	if (o->word_count == 1)
		return ask_single(q, "", fail);
	if (o->word_count == 2 && strcmp(o->words[1], "-") != 0)
		return ask_single(q, o->words[1], fail);
	for (unsigned i = 1; !rc && i < o->word_count; i++)
		rc = strcmp(o->words[i], "-") ? add_position(q, o->words[i], fail) : add_stdin(q, fail);
	return rc ? rc : flush_batches(q, fail);
}

int cl_cmd_query(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct query *q = calloc(1, sizeof *q);
	if (!q)
		return cl_no_memory(fail);
	q->options = options;
	q->ahead = cl_given(options, CL_OPT_MOVES) ? 1 : BATCHES - 1; /* long replies are requested one by one */
	int rc = cl_open(options, &q->link, fail);
	if (!rc) {
		rc = ask_all(q, fail);
		*exit_code = q->bad ? CL_EXIT_USAGE : CL_EXIT_OK;
	}
	cl_link_close(q->link);
	free(q);
	return rc;
}

/* The format that --pgn or --sgf asks for; NULL: none. */
static const char *choose_form(const struct cl_options *options)
{
	return cl_given(options, CL_OPT_PGN) ? "pgn" : cl_given(options, CL_OPT_SGF) ? "sgf" : NULL;
}

static int check_form(const struct cl_options *options, struct pd_fail *fail)
{
	const char *form = choose_form(options);
	bool both = cl_given(options, CL_OPT_PGN) && cl_given(options, CL_OPT_SGF);
	if (both || (form && (cl_given(options, CL_OPT_JSON) || cl_drawing_is_stdout(options, CL_OPT_SVG))))
		return pd_fail_set(fail, PD_E_USAGE, form, "--%s prints a file and nothing else", form);
	if (!form && cl_given(options, CL_OPT_VARIATIONS) && !cl_given(options, CL_OPT_JSON))
		return pd_fail_set(fail, PD_E_USAGE, "variations", "--variations needs --pgn, --sgf or --json");
	return PD_OK;
}

static int put_line(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	if (choose_form(options))
		pr_str(out, "record", choose_form(options));
	else if (cl_given(options, CL_OPT_VARIATIONS))
		pr_str(out, "record", "moves");
	return cl_put_game(options, out, fail);
}

static void print_line(pr_ref result)
{
	struct cl_ink ink = cl_ink_of(stdout);
	pd_print(stdout, "%s%s%s\n", ink.bold, pr_get_str(pr_get(result, "value"), "text", "unknown"), ink.off);
	if (pr_count(pr_get(result, "line"))) {
		fputs("  line      ", stdout);
		cl_show_moves(stdout, pr_get(result, "line"), 12);
	}
	pd_print(stdout, "  %s%s%s\n", ink.dim,
		 pr_get_bool(result, "complete", false) ? "to the end of the game" : "as far as it is proved", ink.off);
}

int cl_cmd_line(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call line = {PR_FACT_LINE, .put = put_line};
	struct cl_link *link = NULL;
	struct pr_doc *doc = NULL;
	pr_ref result;
	*exit_code = CL_EXIT_OK;
	int rc = cl_drawing_check(options, CL_OPT_SVG, fail);
	if (!rc)
		rc = check_form(options, fail);
	if (!rc)
		rc = cl_call(options, &line, &link, &result, fail);
	if (!rc)
		doc = cl_link_keep(link);
	if (!rc && cl_given(options, CL_OPT_SVG))
		rc = cl_drawing_line(options, link, result, fail);
	if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(result, fail);
	else if (!rc && choose_form(options))
		pd_print_lines(stdout, pr_get_str(result, "record", ""));
	else if (!rc && !cl_drawing_is_stdout(options, CL_OPT_SVG))
		print_line(result);
	pr_doc_free(doc);
	cl_link_close(link);
	return rc;
}
