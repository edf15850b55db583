/* proofctl uci: the Universal Chess Interface (April 2006), for the chess games. In chess-mate and chess-variant the
 * question is whether the side to move can force mate, or the win that the variant adds. */
#include "clients/commands.h"
#include "clients/gui_engine.h"
#include "proto/base/print.h"

enum {
	OVERHEAD_MS = 30, /* part of the time of a move, reserved for the connection */
	MOVES_TO_GO = 30, /* moves for which the rest of a clock must last */
	THREADS_MAX = 256
};

#define MS_MAX INT64_C(1000000000000)

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
	struct cl_engine engine; /* first */
	bool giveaway;           /* positions with castling rights are refused */
};

/* The times in `go`, in milliseconds; -1: not given. */
struct clock {
	int64_t movetime, left[2], gain[2], moves;
};

static int64_t choose_ms(const struct cl_engine *e, const struct clock *c)
{
	bool black = !cl_player_first_to_move(&e->player);
	if (!strncmp(e->player.game->name, "chess-", 6)) { /* either colour may be First */
		char text[GAME_TEXT_MAX];
		cl_engine_position(e, text);
		black = strstr(text, " b ") != NULL;
	}
	if (c->movetime >= 0)
		return c->movetime;
	if (c->left[black] < 0)
		return -1;
	int64_t share = c->left[black] / (c->moves ? c->moves : MOVES_TO_GO) + c->gain[black];
	int64_t most = c->left[black] - OVERHEAD_MS;
	share = share < most ? share : most;
	return share > OVERHEAD_MS ? share - OVERHEAD_MS : 1;
}

/* Reads the number behind one of the words of `go`; a clock that has run out may be negative. */
static void read_limit(const char *name, const char *value, int64_t *out)
{
	char what[24];
	int64_t number;
	bool left = !strcmp(name, "wtime") || !strcmp(name, "btime"), counts = !strcmp(name, "nodes");
	snprintf(what, sizeof what, "go: %s", name);
	if (!cl_engine_number(what, value, left ? INT64_MIN : 0, INT64_MAX, &number))
		return;
	*out = number < 0 ? 0 : number > MS_MAX && !counts ? MS_MAX : number;
}

static void start_search(struct cl_engine *e, char *rest)
{
	struct clock clock = {-1, {-1, -1}, {0, 0}, 0};
	int64_t nodes = e->options->whole[CL_OPT_NODES], ignored = 0;
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
	bool naming = false; /* the words are moves */
	cl_engine_prepare(e);
	e->infinite = false;
	while ((word = cl_word_next(&rest)) != NULL) {
		if (naming && cl_engine_take_move(e, word))
			continue;
		naming = !strcmp(word, "searchmoves");
		e->infinite |= !strcmp(word, "infinite") || !strcmp(word, "ponder");
		for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
			char *value = strcmp(word, numbers[i].name) ? NULL : cl_word_next(&rest);
			if (value)
				read_limit(word, value, numbers[i].to);
		}
	}
	int64_t ms = choose_ms(e, &clock);
	if (ms < 0 && nodes <= 0)
		ms = (int64_t)(1000 * (cl_given(e->options, CL_OPT_SECONDS) ? e->options->real[CL_OPT_SECONDS] : 5));
	cl_engine_go(e, e->infinite || ms < 0 ? 0 : (uint64_t)ms + !ms, nodes > 0 ? nodes : 0);
}

static void answer_go(struct cl_engine *e)
{
	char move[32];
	cl_engine_choose(e, move);
	pd_print(stdout, "bestmove %s\n", move[0] ? move : "(none)");
}

static void print_hello(const struct cl_engine *e)
{
	pd_print(stdout, "id name proofd %s\nid author the proofd developers\n", PD_VERSION);
	pd_print(stdout, "option name Hash type spin default 512 min 4 max %d\n", CL_ENGINE_HASH_MAX);
	pd_print(stdout, "option name Threads type spin default 1 min 1 max %d\n", THREADS_MAX);
	pd_print(stdout, "option name MultiPV type spin default 1 min 1 max %d\n", CL_ENGINE_LINES_MAX);
	unsigned now = 0;
	while (now + 1 < VARIANTS && strcmp(variants[now][1], e->player.game->name) != 0)
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
		cl_engine_finish(&u->engine);
		if (cl_player_open(&u->engine.player, variants[i][1], &fail)) {
			cl_engine_complain("setoption", &fail);
			return;
		}
		u->giveaway = !strcmp(value, "giveaway");
		u->engine.refused = u->giveaway; /* the initial position of giveaway has castling rights */
		return;
	}
	pd_print(stdout, "info string error: unknown variant '%.40s'; the variants are", value);
	for (unsigned i = 0; i < VARIANTS; i++)
		pd_print(stdout, "%s %s", i ? "," : "", variants[i][0]);
	putchar('\n');
}

static bool set_uci_option(struct cl_engine *e, const char *name, const char *value)
{
	int64_t number;
	if (!strcmp(name, "UCI_Variant")) {
		set_variant((struct uci *)e, value);
	} else if (!strcmp(name, "Threads")) {
		if (cl_engine_number(name, value, 1, THREADS_MAX, &number))
			e->threads = number;
	} else {
		return !strncmp(name, "UCI_", 4); /* options such as UCI_AnalyseMode are accepted and ignored */
	}
	return true;
}

/* Whether the third field of a FEN has castling rights. */
static bool may_castle(const char *fen)
{
	for (unsigned field = 0; field < 2; field++)
		fen += strcspn(fen, " \t") + strspn(fen + strcspn(fen, " \t"), " \t");
	return *fen && *fen != '-';
}

/* Makes the side to move First, where either colour may be: the question is about it. */
static void give_first(struct cl_engine *e)
{
	struct pd_fail ignored;
	char text[GAME_TEXT_MAX];
	cl_engine_position(e, text);
	cl_player_set(&e->player, text, &ignored); /* the same position: it is accepted */
}

/* startpos|fen FEN */
static bool place_position(struct cl_engine *e, const char *kind, char *rest)
{
	struct pd_fail fail;
	if (strcmp(kind, "startpos") != 0 && strcmp(kind, "fen") != 0) {
		puts("info string error: position takes `startpos` or `fen FEN`, and `moves MOVE...`");
		return false;
	}
	if (((struct uci *)e)->giveaway && (!strcmp(kind, "startpos") || may_castle(rest))) {
		puts("info string error: position: in giveaway this position has castling rights, antichess has none; "
		     "give a FEN with - for them");
		return false;
	}
	int rc = cl_player_set(&e->player, strcmp(kind, "fen") ? "" : rest, &fail);
	if (rc)
		cl_engine_complain("position", &fail);
	else
		give_first(e);
	return !rc;
}

static int play_move(struct cl_engine *e, const char *move, struct pd_fail *fail)
{
	int rc = cl_player_move(&e->player, move, fail);
	if (!rc)
		give_first(e);
	return rc;
}

static bool obey_word(struct cl_engine *e, const char *word, char *rest)
{
	if (!strcmp(word, "uci"))
		print_hello(e);
	else if (!strcmp(word, "go"))
		start_search(e, rest);
	else if (!strcmp(word, "ponderhit"))
		e->infinite = false;
	else
		return !strcmp(word, "ucinewgame") || !strcmp(word, "debug") || !strcmp(word, "register");
	return true;
}

int cl_cmd_uci(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_engine_protocol protocol = {"Hash",         obey_word, set_uci_option,
							   place_position, play_move, answer_go};
	struct uci u = {.engine = {.protocol = &protocol,
				   .options = options,
				   .hash_mib = options->whole[CL_OPT_MEMORY] >> 20,
				   .threads = options->whole[CL_OPT_THREADS]}};
	const char *game = options->word_count ? options->words[0] : "chess-mate";
	*exit_code = CL_EXIT_OK;
	if (strncmp(game, "chess-", 6) != 0 && strncmp(game, "antichess", 9) != 0)
		return pd_fail_set(fail, PD_E_USAGE, "",
				   "uci plays chess-mate, chess-variant and antichess, not '%.60s'", game);
	return cl_engine_run(&u.engine, game, fail);
}
