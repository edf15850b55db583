/* proofctl uci: the Universal Chess Interface (April 2006), for the chess games.
 *
 * The moves come from facts, or from a search with a budget. `info` lines show pn and dn as a string, and a score:
 * the moves to mate if the game is solved, otherwise 100 log2(dn / pn) for the side to move as centipawns, which
 * compares proof numbers and not material. In chess-mate and chess-variant the question is whether the side to move can
 * force mate, or the win that the variant adds. */
#include <inttypes.h>
#include <math.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/lines.h"
#include "clients/player.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum {
	STEP_MS = 10,
	INFO_NS = 500000000,
	OVERHEAD_MS = 30, /* part of the time of a move, reserved for the connection */
	MOVES_TO_GO = 30, /* moves for which the rest of a clock must last */
	HASH_MIB_MAX = 1 << 20,
	THREADS_MAX = 256
};

/* UCI_Variant -> game. Giveaway is antichess with castling: the two are the same when no side may castle. */
static const char *const variants[][2] = {{"chess", "chess-mate"},
					  {"antichess", "antichess"},
					  {"suicide", "antichess:stalemate=fewer"},
					  {"giveaway", "antichess"},
					  {"crazyhouse", "chess-variant:crazyhouse"},
					  {"3check", "chess-variant:3check"},
					  {"kingofthehill", "chess-variant:kingofthehill"},
					  {"racingkings", "chess-variant:racingkings"},
					  {"horde", "chess-variant:horde"},
					  {"atomic", "chess-variant:atomic"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

struct uci {
	const struct cl_options *options;
	struct cl_adviser adviser;
	struct cl_player player;
	struct cl_lines lines;
	int64_t hash_mib, threads; /* as set; 0: the default */
	bool searching;            /* a `go` has not been answered by a bestmove */
	bool giveaway;             /* positions with castling rights are refused */
	bool infinite;             /* the `go` must not be answered before `stop` */
	bool quit;
	uint64_t start_ns, deadline_ns, info_ns; /* deadline 0: none */
};

static void print_complaint(const char *what, const struct pd_fail *fail)
{
	pd_print(stdout, "info string error: %s: %s\n", what, fail->text);
}

/* The score for the side to move. */
static void print_score(const struct uci *u, const struct cl_advice *a)
{
	const struct game *g = u->player.game;
	bool first = cl_player_first_to_move(&u->player);
	int64_t value = first ? a->lo : -a->lo;
	int64_t moves = (a->plies + 1) / 2;
	if (a->exact && a->plies >= 0 && value > 0)
		pd_print(stdout, " score mate %" PRId64, moves > 0 ? moves : 1);
	else if (a->exact && a->plies >= 0 && value < 0 && g->value_min < 0)
		pd_print(stdout, " score mate -%" PRId64, a->plies / 2);
	else if (a->exact)
		pd_print(stdout, " score cp 0");
	else if (isfinite(a->pn) && isfinite(a->dn))
		pd_print(stdout, " score cp %.0f", (first ? 100 : -100) * log2(a->dn / a->pn));
}

static void print_info(const struct uci *u)
{
	const struct cl_advice *a = &u->adviser.advice;
	double ms = (double)(pd_now_ns() - u->start_ns) / 1e6;
	pd_print(stdout, "info depth %" PRId64, a->exact && a->plies > 0 ? a->plies : 1);
	print_score(u, a);
	pd_print(stdout, " time %.0f nodes %" PRId64 " nps %.0f hashfull %.0f", ms, a->nodes,
		 ms >= 1 ? (double)a->nodes * 1000 / ms : 0, 1000 * a->fill);
	if (a->line[0] || a->move[0])
		pd_print(stdout, " pv %s", a->line[0] ? a->line : a->move);
	putchar('\n');
	if (!a->exact && isfinite(a->pn) && isfinite(a->dn))
		pd_print(stdout, "info string pn %.0f dn %.0f, first at least %" PRId64 "\n", a->pn, a->dn,
			 a->threshold);
}

static void finish_search(struct uci *u)
{
	struct pd_fail fail;
	char move[32];
	if (!u->searching)
		return;
	u->searching = false;
	if (cl_adviser_stop(&u->adviser, &fail))
		print_complaint("stop", &fail);
	print_info(u);
	cl_player_choose(&u->player, &u->adviser.advice, move);
	pd_print(stdout, "bestmove %s\n", move[0] ? move : "(none)");
}

static void step_search(struct uci *u)
{
	struct pd_fail fail;
	if (cl_adviser_poll(&u->adviser, STEP_MS, &fail)) {
		print_complaint("search", &fail);
		u->adviser.advice.over = true;
	}
	uint64_t now = pd_now_ns();
	bool over = u->adviser.advice.over;
	if (!u->infinite && (over || (u->deadline_ns && now >= u->deadline_ns))) {
		finish_search(u);
	} else if (now - u->info_ns >= INFO_NS && !(over && u->info_ns > u->start_ns)) {
		print_info(u);
		u->info_ns = now;
	}
}

/* The position as the game writes it; without ` first=`, so that the side to move is First. */
static void print_position_text(const struct uci *u, char *out, size_t size)
{
	const struct game *g = u->player.game;
	size_t length = g->rules->print(g, cl_player_state(&u->player), out, size);
	char *first = strstr(out, " first=");
	PD_ASSERT(length < size);
	if (first)
		*first = 0;
}

static void begin_search(struct uci *u, int64_t nodes)
{
	struct pd_fail fail;
	char text[GAME_TEXT_MAX];
	u->start_ns = u->info_ns = pd_now_ns();
	u->searching = true;
	u->adviser.advice = (struct cl_advice){.over = true, .plies = -1, .pn = INFINITY, .dn = INFINITY};
	if (cl_player_over(&u->player))
		return;
	print_position_text(u, text, sizeof text);
	struct cl_order order = {u->player.game->name, text, nodes, u->hash_mib << 20, u->threads};
	if (cl_adviser_begin(&u->adviser, &order, &fail)) {
		print_complaint("go", &fail);
		u->adviser.advice.over = true;
	}
}

/* The times in `go`, in milliseconds; -1: not given. */
struct clock {
	int64_t movetime, left[2], gain[2], moves;
};

static int64_t choose_ms(const struct uci *u, const struct clock *c)
{
	bool black = !cl_player_first_to_move(&u->player);
	if (!strncmp(u->player.game->name, "chess-", 6)) { /* either colour may be First */
		char text[GAME_TEXT_MAX];
		print_position_text(u, text, sizeof text);
		black = strstr(text, " b ") != NULL;
	}
	if (c->movetime >= 0)
		return c->movetime;
	if (c->left[black] < 0)
		return -1;
	int64_t share = c->left[black] / (c->moves > 0 ? c->moves : MOVES_TO_GO) + c->gain[black];
	int64_t most = c->left[black] - OVERHEAD_MS;
	share = share < most ? share : most;
	return share > OVERHEAD_MS ? share - OVERHEAD_MS : 1;
}

static void start_search(struct uci *u, char *rest)
{
	struct clock clock = {-1, {-1, -1}, {0, 0}, 0};
	int64_t nodes = u->options->whole[CL_OPT_NODES], ignored = 0;
	struct {
		const char *name;
		int64_t *to;
	} numbers[] = {{"movetime", &clock.movetime},
		       {"wtime", &clock.left[0]},
		       {"btime", &clock.left[1]},
		       {"winc", &clock.gain[0]},
		       {"binc", &clock.gain[1]},
		       {"movestogo", &clock.moves},
		       {"nodes", &nodes},
		       {"depth", &ignored},
		       {"mate", &ignored}};
	char *word;
	finish_search(u);
	u->infinite = false;
	while ((word = cl_word_next(&rest)) != NULL) {
		u->infinite |= !strcmp(word, "infinite") || !strcmp(word, "ponder");
		for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			char *value = strcmp(word, numbers[i].name) ? NULL : cl_word_next(&rest);
			if (value)
				*numbers[i].to = strtoll(value, NULL, 10);
		}
	}
	int64_t ms = choose_ms(u, &clock);
	if (ms < 0 && nodes <= 0)
		ms = (int64_t)(1000 * (cl_given(u->options, CL_OPT_SECONDS) ? u->options->real[CL_OPT_SECONDS] : 5));
	begin_search(u, nodes > 0 ? nodes : 0);
	u->deadline_ns = u->infinite || ms < 0 ? 0 : u->start_ns + (uint64_t)ms * 1000000;
}

static void print_hello(const struct uci *u)
{
	pd_print(stdout, "id name proofd %s\nid author the proofd developers\n", PD_VERSION);
	pd_print(stdout, "option name Hash type spin default 512 min 4 max %d\n", HASH_MIB_MAX);
	pd_print(stdout, "option name Threads type spin default 1 min 1 max %d\n", THREADS_MAX);
	unsigned now = 0;
	while (now + 1 < VARIANTS && strcmp(variants[now][1], u->player.game->name) != 0)
		now++;
	pd_print(stdout, "option name UCI_Variant type combo default %s", variants[now][0]);
	for (unsigned i = 0; i < VARIANTS; i++)
		pd_print(stdout, " var %s", variants[i][0]);
	pd_print(stdout, "\nuciok\n");
}

static void set_variant(struct uci *u, const char *value)
{
	struct pd_fail fail;
	for (unsigned i = 0; i < VARIANTS; i++) {
		if (strcmp(value, variants[i][0]) != 0)
			continue;
		finish_search(u);
		if (cl_player_open(&u->player, variants[i][1], &fail))
			print_complaint("setoption", &fail);
		else
			u->giveaway = !strcmp(value, "giveaway");
		return;
	}
	pd_print(stdout, "info string error: unknown variant '%.40s'; the variants are", value);
	for (unsigned i = 0; i < VARIANTS; i++)
		pd_print(stdout, "%s %s", i ? "," : "", variants[i][0]);
	putchar('\n');
}

/* setoption name NAME value VALUE */
static void set_option(struct uci *u, char *rest)
{
	const char *word = cl_word_next(&rest), *name = cl_word_next(&rest);
	const char *middle = cl_word_next(&rest), *value = cl_word_next(&rest);
	if (!word || strcmp(word, "name") != 0 || !name || !middle || strcmp(middle, "value") != 0 || !value) {
		puts("info string error: setoption takes `name NAME value VALUE`");
		return;
	}
	int64_t number = strtoll(value, NULL, 10);
	if (!strcmp(name, "UCI_Variant"))
		set_variant(u, value);
	else if (!strcmp(name, "Hash") && number >= 4 && number <= HASH_MIB_MAX)
		u->hash_mib = number;
	else if (!strcmp(name, "Threads") && number >= 1 && number <= THREADS_MAX)
		u->threads = number;
	else if (strncmp(name, "UCI_", 4) != 0) /* options such as UCI_AnalyseMode are accepted and ignored */
		pd_print(stdout, "info string error: unknown option or invalid value: '%.40s', '%.40s'\n", name, value);
}

/* Whether the third field of a FEN has castling rights. */
static bool may_castle(const char *fen)
{
	for (unsigned field = 0; field < 2; field++)
		fen += strcspn(fen, " \t") + strspn(fen + strcspn(fen, " \t"), " \t");
	return *fen && *fen != '-';
}

/* position startpos|fen FEN [moves MOVE...] */
static void set_position(struct uci *u, char *rest)
{
	struct pd_fail fail;
	char *moves = strstr(rest, "moves"), *kind, *move;
	finish_search(u);
	if (moves && (moves == rest || strchr(" \t", moves[-1])) && (!moves[5] || strchr(" \t", moves[5]))) {
		*moves = 0;
		moves += 5;
	} else {
		moves = rest + strlen(rest);
	}
	kind = cl_word_next(&rest);
	if (!kind || (strcmp(kind, "startpos") != 0 && strcmp(kind, "fen") != 0)) {
		puts("info string error: position takes `startpos` or `fen FEN`, and `moves MOVE...`");
		return;
	}
	for (size_t size = strlen(rest); size && strchr(" \t", rest[size - 1]); size--)
		rest[size - 1] = 0;
	if (u->giveaway && (!strcmp(kind, "startpos") || may_castle(rest))) {
		puts("info string error: position: in giveaway this position has castling rights, antichess has none; "
		     "give a FEN with - for them");
		return;
	}
	if (cl_player_set(&u->player, strcmp(kind, "fen") ? "" : rest, &fail)) {
		print_complaint("position", &fail);
		return;
	}
	while ((move = cl_word_next(&moves)) != NULL)
		if (cl_player_move(&u->player, move, &fail)) {
			print_complaint("position", &fail);
			return;
		}
}

static void obey_line(struct uci *u, char *line)
{
	const char *word = cl_word_next(&line);
	if (!word)
		return;
	if (!strcmp(word, "uci"))
		print_hello(u);
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
	else if (!strcmp(word, "ponderhit"))
		u->infinite = false;
	else if (!strcmp(word, "quit"))
		u->quit = true;
	else if (strcmp(word, "ucinewgame") != 0 && strcmp(word, "debug") != 0 && strcmp(word, "register") != 0)
		pd_print(stdout, "info string error: unknown command '%.40s'\n", word);
}

static void run_conversation(struct uci *u)
{
	while (!u->quit && !cl_interrupt_take()) {
		bool busy = u->searching && !u->adviser.advice.over;
		char *line = cl_lines_next(&u->lines, busy ? 0 : CL_LOOK_MS);
		if (line)
			obey_line(u, line);
		else if (u->lines.ended && (!u->searching || u->infinite))
			u->quit = true;
		if (u->searching && !u->quit)
			step_search(u);
		fflush(stdout);
	}
}

int cl_cmd_uci(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct uci u = {.options = options,
			.hash_mib = options->whole[CL_OPT_MEMORY] >> 20,
			.threads = options->whole[CL_OPT_THREADS]};
	const char *game = options->word_count ? options->words[0] : "chess-mate";
	*exit_code = CL_EXIT_OK;
	if (strncmp(game, "chess-", 6) != 0 && strncmp(game, "antichess", 9) != 0)
		return pd_fail_set(fail, PD_E_USAGE, "",
				   "uci plays chess-mate, chess-variant and antichess, not '%.60s'", game);
	if (!cl_lines_init(&u.lines))
		return cl_no_memory(fail);
	cl_interrupt_hold();
	int rc = cl_player_open(&u.player, game, fail);
	if (!rc)
		rc = cl_adviser_open(&u.adviser, options, fail);
	if (!rc)
		run_conversation(&u);
	cl_adviser_close(&u.adviser);
	cl_player_close(&u.player);
	cl_lines_fini(&u.lines);
	return rc;
}
