/* proofctl submit: jobs for a position, for each of its moves, for each game of a range, for the lines of a file and
 * for the positions of a book. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "clients/book.h"
#include "clients/commands.h"
#include "clients/progress.h"
#include "clients/show.h"
#include "clients/text.h"
#include "proto/base/print.h"
#include "proto/rpc.h"

enum { BATCH_BYTES = PR_LINE_MAX / 2, GAMES_MAX = 1000, RANGE_MAX = 9999, NAME_BYTES = 256, LABEL_MAX = 128 };

static int print_number(const struct cl_options *options, pr_ref result, struct pd_fail *fail)
{
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_json(result, fail);
	pd_print(stdout, "%" PRId64 "\n", pr_get_int(result, "job", 0));
	return PD_OK;
}

/* --- each move ---------------------------------------------------------------------------- */

/* The moves to search from the position of an analysis: those whose value is not known exactly, one of several that are
 * mirror images. NULL without memory. The caller frees the list and its texts. */
static char **list_open(pr_ref analysis, size_t *count)
{
	pr_ref positions = pr_get(analysis, "positions");
	char **moves = calloc(pr_count(positions), sizeof *moves);
	*count = 0;
	for (size_t i = 1; moves && i < pr_count(positions); i++) {
		pr_ref p = pr_at(positions, i), value = pr_get(p, "value");
		if (!value || pr_get_int(value, "lo", 0) != pr_get_int(value, "hi", 1))
			moves[(*count)++] = strdup(pr_get_str(p, "move", ""));
	}
	return moves;
}

/* Submits a job for each move of the position. */
static int submit_each(const struct cl_options *options, struct cl_link *link, const char *game, struct pd_fail *fail)
{
	struct cl_options rest = *options; /* borrows; what is left names no position */
	pr_ref result;
	size_t count;
	int rc = cl_ask_given(link, options, PR_POSITION_ANALYZE, &result, fail, PR_S("game", game), PR_I("depth", 1));
	if (rc)
		return rc;
	char **moves = list_open(result, &count), *position = strdup(pr_get_str(result, "position", ""));
	rc = moves && position ? PD_OK : cl_no_memory(fail);
	rest.given &= ~(CL_BIT(POSITION) | CL_BIT(RECORD) | CL_BIT(GAME_NUMBER));
	for (size_t i = 0; moves && i < count; i++) {
		if (!rc && !moves[i])
			rc = cl_no_memory(fail);
		rc = rc ? rc
			: cl_ask_given(link, &rest, PR_JOB_SUBMIT, &result, fail, PR_S("game", game),
				       PR_S("position", position), PR_S("label", moves[i]),
				       PR_OPT(cl_given(options, CL_OPT_TAG), PR_B("once", true)),
				       PR_OPEN_ARRAY("moves"), PR_S(NULL, moves[i]), PR_CLOSE);
		rc = rc ? rc : print_number(options, result, fail);
		free(moves[i]);
	}
	free(moves);
	free(position);
	return rc;
}

/* --- ranges of games ---------------------------------------------------------------------- */

/* What is done with the games: each for all of them before the next, so that an error comes before the first job. */
enum step { COUNT, LOOK, SUBMIT, STEPS };

struct games {
	const struct cl_options *options;
	struct cl_link *link;
	enum step step;
	unsigned count; /* games that were named */
};

/* The label of a job: its moves, if they are a list from the initial position and short enough; NULL: it has none.
 * Records in other forms (PGN, SGF, FEN) contain one of the characters below. */
static const char *list_label(const struct cl_options *options)
{
	const cl_bits begins = CL_BIT(POSITION) | CL_BIT(UNDER) | CL_BIT(GAME_NUMBER);
	const char *moves = cl_given(options, CL_OPT_RECORD) ? options->text[CL_OPT_RECORD] : "";
	size_t size = strcspn(moves, "[(/\n\r");
	return size && size <= LABEL_MAX && !moves[size] && !(options->given & begins) ? moves : NULL;
}

static int submit_game(struct games *g, const char *name, struct pd_fail *fail)
{
	pr_ref result;
	bool once = cl_given(g->options, CL_OPT_TAG) && !cl_given(g->options, CL_OPT_KEY);
	if (g->step == COUNT)
		return ++g->count <= GAMES_MAX
			       ? PD_OK
			       : pd_fail_set(fail, PD_E_USAGE, "game",
					     "these are more than %d games; submit them in parts", (int)GAMES_MAX);
	if (g->step == LOOK)
		return cl_ask(g->link, "game.describe", &result, fail, PR_S("game", name));
	if (cl_given(g->options, CL_OPT_EACH_MOVE))
		return submit_each(g->options, g->link, name, fail);
	int rc = cl_ask_given(g->link, g->options, PR_JOB_SUBMIT, &result, fail, PR_S("game", name),
			      PR_OPT_S("label", list_label(g->options)), PR_OPT(once, PR_B("once", true)));
	return rc ? rc : print_number(g->options, result, fail);
}

/* Goes through the games that a name with ranges, {FROM..TO}, stands for. */
static int expand_ranges(struct games *g, const char *name, struct pd_fail *fail)
{
	unsigned from, to;
	int size = 0;
	const char *open = strchr(name, '{');
	if (!open)
		return submit_game(g, name, fail);
	if (!isdigit((unsigned char)open[1]) || sscanf(open, "{%5u..%5u}%n", &from, &to, &size) != 2 || !size ||
	    from > to || to > RANGE_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "game",
				   "'%.60s' is not a range of games: write {FROM..TO}, integers from 0 to %d, the "
				   "smaller one first, as in connect4:{4..7}x{4..6}",
				   open, (int)RANGE_MAX);
	int rc = PD_OK;
	for (unsigned i = from; !rc && i <= to; i++) {
		char one[NAME_BYTES];
		int length = snprintf(one, sizeof one, "%.*s%u%s", (int)(open - name), name, i, open + size);
		rc = length < NAME_BYTES ? expand_ranges(g, one, fail)
					 : pd_fail_set(fail, PD_E_USAGE, "game", "the name of a game is too long");
	}
	return rc;
}

/* Submits the games of all words; none, when the server does not know one of them. */
static int submit_games(const struct cl_options *options, struct cl_link *link, struct pd_fail *fail)
{
	struct games games = {.options = options, .link = link};
	bool many = options->word_count > 1 || strchr(options->words[0], '{');
	int rc = PD_OK;
	if (cl_given(options, CL_OPT_KEY) && (many || cl_given(options, CL_OPT_EACH_MOVE)))
		return pd_fail_set(fail, PD_E_USAGE, "key", "--key names one job, and %s submits several",
				   many ? "a range of games" : "--each-move");
	if (cl_given(options, CL_OPT_DEPTH))
		return pd_fail_set(fail, PD_E_USAGE, "depth",
				   "--depth is for a book: --file with PGN or SGF, or a file *.bin or *.dat");
	for (games.step = many ? COUNT : SUBMIT; games.step < STEPS; games.step++)
		for (unsigned i = 0; !rc && i < options->word_count; i++)
			rc = expand_ranges(&games, options->words[i], fail);
	return rc;
}

/* --- many questions ----------------------------------------------------------------------- */

/* Questions that are submitted in batches, each in one transaction. */
struct batch {
	const struct cl_options *options;
	struct cl_link *link;
	struct cl_json params; /* of the call to come; begun when `count` is not 0 */
	unsigned count;
	unsigned lines[PR_SUBMIT_MAX]; /* where each of them comes from; 0: no line */
	uint64_t jobs, fresh;
	struct cl_progress progress;
};

/* Names the line instead of the index in the request. */
static void name_line(const struct batch *b, struct pd_fail *fail)
{
	unsigned index;
	struct pd_fail why = *fail;
	if (sscanf(why.field, "questions[%u]", &index) == 1 && index < b->count && b->lines[index])
		pd_fail_set(fail, (enum pd_error)why.code, why.field, "line %u: %.200s", b->lines[index], why.text);
}

static int flush_batch(struct batch *b, struct pd_fail *fail)
{
	pr_ref result;
	if (!b->count)
		return PD_OK;
	pr_close(&b->params.out);
	int rc = cl_json_call(&b->params, b->link, "campaign.submit", &result, fail);
	if (rc)
		name_line(b, fail);
	b->count = 0;
	if (rc)
		return rc;
	b->jobs += pr_count(pr_get(result, "jobs"));
	b->fresh += (uint64_t)pr_get_int(result, "fresh", 0);
	if (cl_progress_is_due(&b->progress))
		cl_progress_draw(&b->progress, "%" PRIu64 " submitted", b->jobs);
	return cl_given(b->options, CL_OPT_JSON) ? cl_print_json(result, fail) : PD_OK;
}

/* Makes room for a question of that many bytes, and for its text as JSON. */
static int open_question(struct batch *b, size_t size, unsigned line, struct pd_fail *fail)
{
	if (2 * size >= BATCH_BYTES / 2)
		return pd_fail_set(fail, PD_E_LIMIT, "file", "line %u is too long", line);
	bool full = b->count == PR_SUBMIT_MAX || (b->count && b->params.buf.size + 2 * size >= BATCH_BYTES);
	int rc = full ? flush_batch(b, fail) : PD_OK;
	if (rc)
		return rc;
	if (!b->count) {
		cl_json_begin(&b->params);
		pr_str(&b->params.out, "game", b->options->words[0]);
		cl_put_given(b->options, PR_CAMPAIGN_SUBMIT, &b->params.out);
		pr_bool(&b->params.out, "once", cl_given(b->options, CL_OPT_TAG));
		pr_open_array(&b->params.out, "questions");
	}
	b->lines[b->count++] = line;
	return PD_OK;
}

static int put_position(void *ctx, const struct cl_book_position *position, struct pd_fail *fail)
{
	struct batch *b = ctx;
	int rc = open_question(b, strlen(position->position) + strlen(position->label), 0, fail);
	if (!rc)
		pr_members(&b->params.out, PR_OPEN_OBJECT(NULL), PR_S("position", position->position),
			   PR_OPT_S("label", position->label), PR_CLOSE);
	return rc;
}

/* A line is a position, or a JSON object with parameters of job.submit. */
static int put_line(struct batch *b, const char *text, unsigned line, struct pd_fail *fail)
{
	struct pr_doc *doc;
	size_t size = strlen(text);
	int rc = text[0] == '{' ? pr_doc_parse(text, size, &doc, fail) : PD_OK;
	if (rc) {
		struct pd_fail why = *fail;
		return pd_fail_set(fail, (enum pd_error)rc, "file", "line %u: %.200s", line, why.text);
	}
	if (text[0] == '{')
		pr_doc_free(doc);
	rc = open_question(b, size, line, fail);
	if (!rc && text[0] == '{')
		pr_raw(&b->params.out, NULL, text, size);
	else if (!rc)
		pr_members(&b->params.out, PR_OPEN_OBJECT(NULL), PR_S("position", text),
			   PR_OPT(size <= LABEL_MAX, PR_S("label", text)), PR_CLOSE);
	return rc;
}

/* Blank lines and those that begin with # are comments. */
static int read_lines(struct batch *b, FILE *file, struct pd_fail *fail)
{
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	int rc = PD_OK;
	for (unsigned line = 1; !rc && (size = getline(&text, &room, file)) >= 0; line++) {
		while (size && strchr("\r\n\t ", text[size - 1]))
			text[--size] = 0;
		if (size && text[0] != '#')
			rc = put_line(b, text, line, fail);
	}
	free(text);
	if (!rc && ferror(file))
		rc = pd_fail_errno(fail, "file", "read", b->options->text[CL_OPT_FILE]);
	return rc ? rc : flush_batch(b, fail);
}

/* The rules are this program's: a record has to be played. */
static int read_book(struct batch *b, FILE *file, bool binary, struct pd_fail *fail)
{
	const struct cl_options *options = b->options;
	struct cl_options rest = *options; /* borrows; what is left names no position */
	struct cl_book_order order = {.position = options->text[CL_OPT_POSITION], .each = put_position, .ctx = b};
	struct game *game = NULL;
	struct pd_buf data;
	if (cl_given(options, CL_OPT_RECORD))
		return pd_fail_set(fail, PD_E_USAGE, "moves", "a book has its own moves: give --file or --moves");
	int rc = game_open(options->words[0], NULL, &game, fail);
	if (rc)
		return rc;
	pd_buf_init(&data, SIZE_MAX / 2);
	rc = cl_read_all(file, "file", options->text[CL_OPT_FILE], &data, fail);
	rest.given &= ~CL_BIT(POSITION);
	b->options = &rest;
	order.game = game;
	order.depth = cl_given(options, CL_OPT_DEPTH) ? (unsigned)options->whole[CL_OPT_DEPTH] : 0;
	if (!rc)
		rc = binary ? cl_book_read_binary(&order, (const uint8_t *)data.data, data.size, fail)
			    : cl_book_read(&order, data.data, fail);
	rc = rc ? rc : flush_batch(b, fail);
	b->options = options;
	game_close(game);
	pd_buf_fini(&data);
	return rc;
}

/* Whether the name is that of a binary book, *.bin or *.dat. */
static bool is_binary(const char *name)
{
	size_t size = strlen(name);
	return size > 4 && (!strcmp(name + size - 4, ".bin") || !strcmp(name + size - 4, ".dat"));
}

/* A binary book is known by its name, other files by their first character: `[` PGN, `(` SGF; else lines. */
static int submit_file(const struct cl_options *options, struct cl_link *link, struct pd_fail *fail)
{
	const char *name = options->text[CL_OPT_FILE];
	struct batch b = {.options = options, .link = link};
	bool binary = is_binary(name);
	if (options->word_count > 1 || strchr(options->words[0], '{') || cl_given(options, CL_OPT_EACH_MOVE))
		return pd_fail_set(fail, PD_E_USAGE, "file", "--file is for one game, and without --each-move");
	FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
	if (!file)
		return pd_fail_errno(fail, "file", "open", name);
	cl_progress_begin(&b.progress);
	int first = getc(file);
	ungetc(first, file);
	int rc;
	if (binary || first == '[' || first == '(')
		rc = read_book(&b, file, binary, fail);
	else if (cl_given(options, CL_OPT_DEPTH))
		rc = pd_fail_set(fail, PD_E_USAGE, "depth",
				 "--depth is for a book: --file with PGN or SGF, or a file *.bin or *.dat");
	else
		rc = read_lines(&b, file, fail);
	cl_progress_end(&b.progress);
	if (b.count)
		pd_buf_fini(&b.params.buf);
	if (!cl_given(options, CL_OPT_JSON) && (!rc || b.jobs))
		pd_print(stdout, "%" PRIu64 " submitted, %" PRIu64 " of them new\n", b.jobs, b.fresh);
	if (file != stdin)
		fclose(file);
	return rc;
}

int cl_cmd_submit(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	*exit_code = CL_EXIT_OK;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	rc = cl_given(options, CL_OPT_FILE) ? submit_file(options, link, fail) : submit_games(options, link, fail);
	cl_link_close(link);
	return rc;
}
