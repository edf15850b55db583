/* proofctl usi: the Universal Shogi Interface, as far as it is about mate problems: `go mate`, answered by checkmate.
 *
 * The question is whether the side to move mates by checks alone (tsume). The moves that lead to the position are those
 * of a game of shogi. `checkmate` is followed by the moves, as far as they are proved, by `nomate`, or, when neither is
 * proved in time, by `timeout`. */
#include "clients/commands.h"
#include "clients/gui_engine.h"
#include "proto/base/print.h"
#include "solver/games/shogi.h"

static void answer_go(struct cl_engine *e)
{
	const struct cl_advice *a = cl_engine_advice(e);
	if (e->refused)
		puts("checkmate timeout");
	else if (cl_player_over(&e->player)) /* a side without a check has no mate; one that is mated has none either */
		puts("checkmate nomate");
	else if (!a->exact)
		puts("checkmate timeout");
	else if (a->lo > 0)
		pd_print(stdout, "checkmate %s\n", a->line[0] ? a->line : a->move);
	else
		puts("checkmate nomate");
}

/* go [searchmoves MOVE...] mate infinite|MILLISECONDS */
static void start_search(struct cl_engine *e, char *rest)
{
	const char *word, *limit = "";
	int64_t ms = -1; /* no limit */
	bool mate = false, naming = false;
	cl_engine_prepare(e);
	while ((word = cl_word_next(&rest)) != NULL) {
		if (naming && cl_engine_take_move(e, word))
			continue;
		naming = !strcmp(word, "searchmoves");
		if (!strcmp(word, "mate")) {
			mate = true;
			limit = cl_word_next(&rest);
		}
	}
	if (!mate) {
		puts("info string error: go takes `mate infinite` or `mate MILLISECONDS`, and before it `searchmoves "
		     "MOVE...`");
		puts("bestmove resign");
		return;
	}
	if (limit && strcmp(limit, "infinite") != 0 &&
	    !cl_engine_number("go: the limit of `mate` is `infinite`, or it", limit, 0, INT64_MAX, &ms)) {
		puts("checkmate timeout");
		return;
	}
	const struct shogi_state *s = cl_player_state(&e->player);
	if (!e->refused && s->side) { /* the other side has no king: no mate */
		puts("checkmate nomate");
		return;
	}
	cl_engine_go(e, ms < 0 ? 0 : ms ? (uint64_t)ms : 1, 0);
}

static bool ignore_option(struct cl_engine *e, const char *name, const char *value)
{
	(void)e, (void)value;
	return !strncmp(name, "USI_", 4);
}

static int set_state(struct cl_engine *e, const struct shogi_state *s, struct pd_fail *fail)
{
	const struct game *g = e->player.game;
	char text[GAME_TEXT_MAX];
	g->rules->print(g, s, text, sizeof text);
	char *first = strstr(text, " first=");
	if (!first)
		return cl_player_set(&e->player, text, fail);
	*first = 0; /* so that the side to move attacks */
	if (!cl_player_set(&e->player, text, fail))
		return PD_OK;
	*first = ' '; /* the opponent of the side to move has no king, so the side to move is the one to be mated */
	return cl_player_set(&e->player, text, fail);
}

/* startpos|sfen BOARD SIDE HANDS NUMBER */
static bool place_position(struct cl_engine *e, const char *kind, char *rest)
{
	struct pd_fail fail;
	struct shogi_state start;
	bool initial = !strcmp(kind, "startpos");
	if (!initial && (strcmp(kind, "sfen") != 0 || !*rest)) {
		puts("info string error: position takes `startpos` or `sfen SFEN`, and `moves MOVE...`");
		return false;
	}
	shogi_start(&start);
	int rc = initial ? set_state(e, &start, &fail) : cl_player_set(&e->player, rest, &fail);
	if (rc)
		cl_engine_complain("position", &fail);
	return !rc;
}

/* Any legal move of shogi. */
static int play_move(struct cl_engine *e, const char *move, struct pd_fail *fail)
{
	const struct game *g = e->player.game;
	struct shogi_state s = *(const struct shogi_state *)cl_player_state(&e->player);
	struct shogi_lines lines;
	game_move moves[SHOGI_MOVES_MAX];
	char name[32];
	shogi_lines_init(&lines);
	unsigned count = shogi_moves(&lines, &s, false, moves);
	for (unsigned i = 0; i < count; i++) {
		g->rules->move_print(g, &s, moves[i], name, sizeof name);
		if (!strcmp(name, move)) {
			shogi_play(&s, moves[i]);
			return set_state(e, &s, fail);
		}
	}
	return pd_fail_set(fail, PD_E_MOVE, "move", "'%.20s' is not a legal move here; a move is 7g7f, 8h2b+ or P*3c",
			   move);
}

static bool obey_word(struct cl_engine *e, const char *word, char *rest)
{
	if (!strcmp(word, "usi"))
		pd_print(stdout,
			 "id name proofd %s\nid author the proofd developers\n"
			 "option name USI_Hash type spin default 512 min 4 max %d\n"
			 "option name USI_MultiPV type spin default 1 min 1 max %d\nusiok\n",
			 PD_VERSION, CL_ENGINE_HASH_MAX, CL_ENGINE_LINES_MAX);
	else if (!strcmp(word, "go"))
		start_search(e, rest);
	else
		return !strcmp(word, "usinewgame") || !strcmp(word, "gameover");
	return true;
}

int cl_cmd_usi(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	static const struct cl_engine_protocol protocol = {"USI_Hash",     obey_word, ignore_option,
							   place_position, play_move, answer_go};
	struct cl_engine engine = {
		.protocol = &protocol, .options = options, .hash_mib = options->whole[CL_OPT_MEMORY] >> 20};
	*exit_code = CL_EXIT_OK;
	return cl_engine_run(&engine, "tsume", fail);
}
