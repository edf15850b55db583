/* proofctl usi: the Universal Shogi Interface, as far as it is about mate problems: `go mate`, answered by checkmate.
 *
 * The question is whether the side to move mates by checks alone (tsume). The answer comes from facts, or from a search
 * of at most the milliseconds that `go mate` names. `checkmate` is followed by the moves, as far as they are proved, by
 * `nomate`, or, when neither is proved in time, by `timeout`. */
#include <inttypes.h>
#include <math.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/lines.h"
#include "clients/player.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum { STEP_MS = 10, INFO_NS = 500000000, HASH_MIB_MAX = 1 << 20 };

struct usi {
	struct cl_adviser adviser;
	struct cl_player player;
	struct cl_lines lines;
	int64_t hash_mib; /* as set; 0: the default */
	bool searching;   /* a `go mate` has not been answered */
	bool quit;
	uint64_t start_ns, deadline_ns, info_ns; /* deadline 0: none */
};

static void print_complaint(const char *what, const struct pd_fail *fail)
{
	pd_print(stdout, "info string error: %s: %s\n", what, fail->text);
}

static void finish_search(struct usi *u)
{
	struct pd_fail fail;
	const struct cl_advice *a = &u->adviser.advice;
	if (!u->searching)
		return;
	u->searching = false;
	if (cl_adviser_stop(&u->adviser, &fail))
		print_complaint("stop", &fail);
	if (!a->exact)
		puts("checkmate timeout");
	else if (a->lo > 0)
		pd_print(stdout, "checkmate %s\n", a->line[0] ? a->line : a->move);
	else
		puts("checkmate nomate");
}

static void step_search(struct usi *u)
{
	struct pd_fail fail;
	const struct cl_advice *a = &u->adviser.advice;
	if (cl_adviser_poll(&u->adviser, STEP_MS, &fail)) {
		print_complaint("search", &fail);
		u->adviser.advice.over = true;
	}
	uint64_t now = pd_now_ns();
	if (a->over || (u->deadline_ns && now >= u->deadline_ns)) {
		finish_search(u);
	} else if (now - u->info_ns >= INFO_NS) {
		pd_print(stdout, "info time %.0f nodes %" PRId64 " hashfull %.0f\n", (double)(now - u->start_ns) / 1e6,
			 a->nodes, 1000 * a->fill);
		u->info_ns = now;
	}
}

/* go mate infinite|MILLISECONDS */
static void start_search(struct usi *u, char *rest)
{
	struct pd_fail fail;
	char text[GAME_TEXT_MAX], *word = cl_word_next(&rest), *limit = cl_word_next(&rest);
	const struct game *g = u->player.game;
	finish_search(u);
	if (!word || strcmp(word, "mate") != 0) {
		puts("info string error: go takes `mate infinite` or `mate MILLISECONDS`");
		puts("bestmove resign");
		return;
	}
	uint64_t ms = limit ? strtoull(limit, NULL, 10) : 0; /* 0: `infinite`, or nothing */
	u->start_ns = u->info_ns = pd_now_ns();
	u->deadline_ns = ms ? u->start_ns + ms * 1000000 : 0;
	u->searching = true;
	u->adviser.advice = (struct cl_advice){.over = true, .exact = true, .plies = -1, .pn = INFINITY, .dn = 0};
	if (cl_player_over(&u->player))
		return; /* a side without a check has no mate; one that is mated has none either */
	g->rules->print(g, cl_player_state(&u->player), text, sizeof text);
	char *first = strstr(text, " first=");
	if (first)
		*first = 0; /* so that the side to move attacks */
	struct cl_order order = {g->name, text, 0, u->hash_mib << 20, 0};
	if (cl_adviser_begin(&u->adviser, &order, &fail)) {
		print_complaint("go", &fail);
		u->adviser.advice = (struct cl_advice){.over = true};
	}
}

/* setoption name NAME value VALUE */
static void set_option(struct usi *u, char *rest)
{
	cl_word_next(&rest);
	const char *name = cl_word_next(&rest);
	cl_word_next(&rest);
	const char *value = cl_word_next(&rest);
	int64_t number = value ? strtoll(value, NULL, 10) : 0;
	if (name && !strcmp(name, "USI_Hash") && number >= 4 && number <= HASH_MIB_MAX)
		u->hash_mib = number;
	else if (!name || strncmp(name, "USI_", 4) != 0 || !strcmp(name, "USI_Hash")) /* others are ignored */
		puts("info string error: setoption takes `name USI_Hash value MEBIBYTES`");
}

/* position sfen BOARD SIDE HANDS NUMBER [moves MOVE...] */
static void set_position(struct usi *u, char *rest)
{
	struct pd_fail fail;
	char *moves = strstr(rest, " moves"), *move, *kind;
	finish_search(u);
	if (moves) {
		*moves = 0;
		moves += sizeof " moves" - 1;
	}
	kind = cl_word_next(&rest);
	if (!kind || strcmp(kind, "sfen") != 0 || !*rest) {
		puts("info string error: position takes `sfen SFEN`, and then `moves MOVE...`, where each move of the "
		     "attacker gives check");
		return;
	}
	for (size_t size = strlen(rest); size && rest[size - 1] == ' '; size--)
		rest[size - 1] = 0;
	if (cl_player_set(&u->player, rest, &fail)) {
		print_complaint("position", &fail);
		return;
	}
	while (moves && (move = cl_word_next(&moves)) != NULL)
		if (cl_player_move(&u->player, move, &fail)) {
			print_complaint("position", &fail);
			return;
		}
}

static void obey_line(struct usi *u, char *line)
{
	const char *word = cl_word_next(&line);
	if (!word)
		return;
	if (!strcmp(word, "usi"))
		pd_print(stdout,
			 "id name proofd %s\nid author the proofd developers\n"
			 "option name USI_Hash type spin default 512 min 4 max %d\nusiok\n",
			 PD_VERSION, HASH_MIB_MAX);
	else if (!strcmp(word, "isready"))
		puts("readyok");
	else if (!strcmp(word, "setoption"))
		set_option(u, line);
	else if (!strcmp(word, "position"))
		set_position(u, line);
	else if (!strcmp(word, "go"))
		start_search(u, line);
	else if (!strcmp(word, "stop"))
		finish_search(u);
	else if (!strcmp(word, "quit"))
		u->quit = true;
	else if (strcmp(word, "usinewgame") != 0 && strcmp(word, "gameover") != 0)
		pd_print(stdout, "info string error: unknown command '%.40s'\n", word);
}

static void run_conversation(struct usi *u)
{
	while (!u->quit && !cl_interrupt_take()) {
		char *line = cl_lines_next(&u->lines, u->searching ? 0 : CL_LOOK_MS);
		if (line)
			obey_line(u, line);
		else if (u->lines.ended && !u->searching)
			u->quit = true;
		if (u->searching && !u->quit)
			step_search(u);
		fflush(stdout);
	}
}

int cl_cmd_usi(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct usi u = {.hash_mib = options->whole[CL_OPT_MEMORY] >> 20};
	*exit_code = CL_EXIT_OK;
	if (!cl_lines_init(&u.lines))
		return cl_no_memory(fail);
	cl_interrupt_hold();
	int rc = cl_player_open(&u.player, "tsume", fail);
	if (!rc)
		rc = cl_adviser_open(&u.adviser, options, fail);
	if (!rc)
		run_conversation(&u);
	cl_adviser_close(&u.adviser);
	cl_player_close(&u.player);
	cl_lines_fini(&u.lines);
	return rc;
}
