/* proofctl games, position, perft: games and their rules. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/drawing.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"
#include "proto/graph_file.h"

enum { LIST_COLUMN = 20, DEPTH_MAX = 100 };

static void print_list(pr_ref games)
{
	struct cl_ink ink = cl_ink_of(stdout);
	for (size_t i = 0; i < pr_count(games); i++) {
		pr_ref game = pr_at(games, i);
		pd_print(stdout, "%s%-18s%s  ", ink.bold, pr_get_str(game, "example", "?"), ink.off);
		cl_wrap(stdout, pr_get_str(game, "title", ""), LIST_COLUMN, LIST_COLUMN, cl_limit(stdout));
		cl_wrap(stdout, pr_get_str(game, "params", ""), 0, LIST_COLUMN, cl_limit(stdout));
	}
}

static void print_words(const char *name, pr_ref words)
{
	char text[128] = "";
	for (size_t i = 0; i < pr_count(words); i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? ", " : "",
			 pr_text(pr_at(words, i), ""));
	if (*text)
		cl_row(stdout, name, "%s", text);
}

static void print_game(pr_ref game)
{
	struct cl_ink ink = cl_ink_of(stdout);
	pr_ref values = pr_get(game, "values");
	int64_t plies = pr_get_int(game, "plies_max", 0);
	pd_print(stdout, "%s%s%s  %s\n", ink.bold, pr_get_str(game, "game", "?"), ink.off,
		 pr_get_str(game, "title", ""));
	cl_row(stdout, "params", "%s", pr_get_str(game, "params", ""));
	cl_row(stdout, "notation", "%s", pr_get_str(game, "notation", ""));
	print_words("notations", pr_get(game, "notations"));
	print_words("records", pr_get(game, "records"));
	cl_row(stdout, "values", "%" PRId64 " to %" PRId64 " in steps of %" PRId64, pr_get_int(values, "min", 0),
	       pr_get_int(values, "max", 0), pr_get_int(values, "step", 1));
	cl_row(stdout, "moves", "at most %" PRId64 " in a position", pr_get_int(game, "moves_max", 0));
	if (plies)
		cl_row(stdout, "length", "at most %" PRId64 " plies", plies);
	cl_row(stdout, "search", "%s unless told otherwise", pr_get_str(game, "algorithm", "?"));
	cl_row(stdout, "cycles", "%s",
	       pr_get_bool(game, "acyclic", false) ? "none: no position can be repeated" : "positions can be repeated");
}

/* The full name to describe: a bare name stands for its example, `hex` for `hex:5`. */
static int find_described_name(struct cl_link *link, const char *word, char out[GAME_NAME_MAX], struct pd_fail *fail)
{
	pr_ref result;
	int rc = cl_link_call(link, "game.list", NULL, &result, fail);
	if (rc)
		return rc;
	pr_ref games = pr_get(result, "games");
	snprintf(out, GAME_NAME_MAX, "%s", word);
	for (size_t i = 0; i < pr_count(games); i++)
		if (!strcmp(pr_get_str(pr_at(games, i), "name", ""), word))
			snprintf(out, GAME_NAME_MAX, "%s", pr_get_str(pr_at(games, i), "example", word));
	return PD_OK;
}

static int describe_game(struct cl_link *link, const char *word, pr_ref *result, struct pd_fail *fail)
{
	char name[GAME_NAME_MAX];
	if (!strchr(word, ':') && strlen(word) < sizeof name) {
		int rc = find_described_name(link, word, name, fail);
		if (rc)
			return rc;
		word = name;
	}
	return cl_ask(link, "game.describe", result, fail, PR_S("game", word));
}

int cl_cmd_games(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref result;
	bool one = options->word_count > 0;
	*exit_code = CL_EXIT_OK;
	int rc = cl_open_rules(options, &link, fail);
	if (rc)
		return rc;
	rc = one ? describe_game(link, options->words[0], &result, fail)
		 : cl_link_call(link, "game.list", NULL, &result, fail);
	if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(result, fail);
	else if (!rc && one)
		print_game(result);
	else if (!rc)
		print_list(pr_get(result, "games"));
	cl_link_close(link);
	return rc;
}

static void print_position(pr_ref shown)
{
	struct cl_ink ink = cl_ink_of(stdout);
	const char *text = pr_get_str(shown, "position", "");
	pd_print(stdout, "%s%s%s  %s\n\n", ink.bold, pr_get_str(shown, "game", "?"), ink.off,
		 *text ? text : "(initial)");
	pd_print_lines(stdout, pr_get_str(shown, "board", ""));
	putchar('\n');
	if (pr_get_bool(shown, "terminal", false)) {
		pd_print(stdout, "the game is over: %s (%" PRId64 ")\n", pr_get_str(shown, "text", "?"),
			 pr_get_int(shown, "value", 0));
		return;
	}
	pd_print(stdout, "%s to move: ", pr_get_bool(shown, "first_to_move", true) ? "first" : "second");
	cl_show_moves(stdout, pr_get(shown, "moves"), 4);
	cl_show_theorems(stdout, pr_get(shown, "theorems"));
}

static int put_position(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	if (options->word_count > 1)
		pr_str(out, "position", options->words[1]);
	if (cl_given(options, CL_OPT_SVG))
		pr_bool(out, "svg", true);
	if (cl_given(options, CL_OPT_WHY))
		pr_bool(out, "marks", true);
	return cl_put_game(options, out, fail);
}

int cl_cmd_position(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_call show = {PR_POSITION_SHOW, .rules = true, .put = put_position};
	struct cl_link *link = NULL;
	pr_ref shown;
	*exit_code = CL_EXIT_OK;
	int rc = cl_drawing_check(options, CL_OPT_SVG, fail);
	if (!rc)
		rc = cl_call(options, &show, &link, &shown, fail);
	if (!rc && cl_given(options, CL_OPT_SVG))
		rc = cl_drawing_write(options, CL_OPT_SVG, pr_get_str(shown, "svg", ""), fail);
	if (!rc && cl_given(options, CL_OPT_JSON))
		rc = cl_print_json(shown, fail);
	else if (!rc && !cl_drawing_is_stdout(options, CL_OPT_SVG))
		print_position(shown);
	cl_link_close(link);
	return rc;
}

static int read_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	return pr_graph_load(ctx, name, out, NULL, fail);
}

static int count_sequences(const struct cl_options *options, const struct game *game, unsigned depth,
			   struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char *position;
	int rc = cl_position_text(options, &position, fail);
	if (!rc)
		rc = game->rules->parse(game, position, state, fail);
	free(position);
	bool json = cl_given(options, CL_OPT_JSON);
	struct cl_text n, time;
	PD_ASSERT(depth <= DEPTH_MAX);
	for (unsigned d = json ? depth : 0; !rc && d <= depth && !ferror(stdout); d++) {
		uint64_t begin = pd_now_ns(), positions = game_perft(game, state, d);
		if (json)
			pd_print(stdout, "{\"game\":\"%s\",\"depth\":%u,\"positions\":%" PRIu64 "}\n", game->name, d,
				 positions);
		else
			pd_print(stdout, "%3u  %20s  %s\n", d, cl_count(&n, positions),
				 cl_duration(&time, (double)(pd_now_ns() - begin) / 1e9));
		fflush(stdout);
	}
	return rc;
}

int cl_cmd_perft(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct game_host host = {(void *)(uintptr_t)options->text[CL_OPT_GRAPHS], read_graph};
	struct game *game;
	char *end;
	unsigned long depth = strtoul(options->words[1], &end, 10);
	if (end == options->words[1] || *end || depth > DEPTH_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "depth", "DEPTH is a number of plies from 0 to %d, not '%.40s'",
				   (int)DEPTH_MAX, options->words[1]);
	int rc = cl_plugins_load(options, NULL, fail);
	if (!rc)
		rc = game_open(options->words[0], &host, &game, fail);
	if (rc)
		return rc;
	rc = count_sequences(options, game, (unsigned)depth, fail);
	game_close(game);
	*exit_code = CL_EXIT_OK;
	return rc;
}
