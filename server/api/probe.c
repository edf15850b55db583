#include "server/api/probe.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/out.h"
#include "proto/rpc.h"
#include "server/api/query.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "store/store.h"

enum { ANSWERS_MAX = PR_REPLY_MAX - 2 * PR_LINE_MAX /* bytes: with what is put around, they are a reply */ };

/* For the side to move, best first: the order of moves is that of what they leave to their mover. */
enum category { WIN, WIN_OR_DRAW, UNKNOWN, DRAW, DRAW_OR_LOSS, LOSS };

/* Bounds and what they rest on, small enough for each move of a position. */
struct verdict {
	enum sv_source source;
	int lo, hi;
	int rank; /* -1: none */
	uint32_t effort;
	bool over;  /* the game is */
	bool first; /* First is to move; where the game is over, First is not who has made the last move */
};

struct probed_move {
	game_move move;
	unsigned index;         /* in the order of the rules */
	enum category category; /* for its mover */
	int lo, hi;             /* for its mover */
	struct verdict verdict;
};

/* The game of the positions that were asked about last stays open. */
struct asking {
	struct sv_core *core;
	struct st_reader *reader;
	struct game *game; /* NULL: none yet */
	uint32_t game_id;
};

/* --- looking up --------------------------------------------------------------------------- */

static int look_up(const struct asking *a, const void *state, struct verdict *out, struct pd_fail *fail)
{
	struct sv_known known;
	int value;
	pd_fact_init(&known.fact);
	int rc = sv_known_get(a->reader, a->game_id, a->game, state, &known, fail);
	if (!rc) {
		const struct pd_reason *reason = known.source == SV_BY_FACT ? pd_fact_deciding(&known.fact) : NULL;
		*out = (struct verdict){.source = known.source, .lo = known.lo, .hi = known.hi, .rank = -1};
		out->over = known.source == SV_BY_RULES && a->game->rules->terminal(a->game, state, &value);
		out->first = !out->over && a->game->rules->first_to_move(a->game, state);
		if (known.source == SV_BY_RULES)
			out->rank = 0;
		else if (reason && reason->rank != PD_RANK_NONE)
			out->rank = reason->rank;
		if (reason)
			out->effort = reason->effort;
	}
	pd_fact_fini(&known.fact);
	return rc;
}

/* Bounds from the view of one side. */
static enum category judge(int lo, int hi, bool first, int *own_lo, int *own_hi)
{
	*own_lo = first ? lo : -hi;
	*own_hi = first ? hi : -lo;
	PD_ASSERT(*own_lo <= *own_hi);
	return *own_lo > 0                    ? WIN
	       : *own_hi < 0                  ? LOSS
	       : *own_lo == 0 && *own_hi == 0 ? DRAW
	       : *own_lo == 0                 ? WIN_OR_DRAW
	       : *own_hi == 0                 ? DRAW_OR_LOSS
					      : UNKNOWN;
}

/* A win is better the sooner, a loss the later; a rank that is not known comes last. */
static int by_merit(const void *left, const void *right)
{
	const struct probed_move *a = left, *b = right;
	if (a->category != b->category)
		return a->category < b->category ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo > b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi > b->hi ? -1 : 1;
	if (a->verdict.rank != b->verdict.rank && a->category != UNKNOWN) {
		bool sooner = a->category <= WIN_OR_DRAW;
		if (a->verdict.rank < 0 || b->verdict.rank < 0)
			return a->verdict.rank < 0 ? 1 : -1;
		return (a->verdict.rank < b->verdict.rank) == sooner ? -1 : 1;
	}
	return a->index < b->index ? -1 : 1;
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_verdict(const struct asking *a, const struct verdict *v, struct pr_out *out)
{
	static const char *const categories[] = {"win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss"};
	static const char *const sources[] = {"none", "rules", "fact"};
	char text[64];
	int lo, hi;
	pr_str(out, "category", categories[judge(v->lo, v->hi, v->first, &lo, &hi)]);
	pr_int(out, "lo", v->lo);
	pr_int(out, "hi", v->hi);
	game_value_text(game_words(a->game), game_scale(a->game), (struct game_interval){v->lo, v->hi}, text,
			sizeof text);
	pr_str(out, "text", text);
	pr_str(out, "source", sources[v->source]);
	if (v->rank < 0)
		pr_null(out, "rank");
	else
		pr_int(out, "rank", v->rank);
	pr_uint(out, "effort", v->effort);
	pr_bool(out, "terminal", v->over);
}

static int print_moves(const struct asking *a, const void *state, bool first, const char *notation, struct pr_out *out,
		       struct pd_fail *fail)
{
	const struct game *g = a->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct probed_move list[GAME_MOVES_MAX];
	char text[GAME_TEXT_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	PD_ASSERT(count <= GAME_MOVES_MAX);
	for (unsigned i = 0; i < count; i++) {
		struct probed_move *m = &list[i];
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		int rc = look_up(a, child, &m->verdict, fail);
		if (rc)
			return rc;
		if (m->verdict.over)
			m->verdict.first = !first;
		m->move = moves[i];
		m->index = i;
		m->category = judge(m->verdict.lo, m->verdict.hi, first, &m->lo, &m->hi);
	}
	qsort(list, count, sizeof *list, by_merit);
	pr_open_array(out, "moves");
	for (unsigned i = 0; i < count; i++) {
		pr_open_object(out, NULL);
		game_move_text(g, state, list[i].move, notation, text, sizeof text);
		pr_str(out, "move", text);
		print_verdict(a, &list[i].verdict, out);
		pr_close(out);
	}
	pr_close(out);
	return PD_OK;
}

/* --- answers ------------------------------------------------------------------------------ */

static int open_game(struct asking *a, const char *name, struct pd_fail *fail)
{
	if (a->game && !strcmp(a->game->name, name))
		return PD_OK;
	if (a->game)
		sv_game_put(a->core, a->game);
	a->game = NULL;
	int rc = sv_game_get(a->core, name, &a->game, fail);
	if (!rc)
		a->game_id = st_game_find(a->core->store, a->game->name, game_version(a->game));
	return rc;
}

/* Prints an answer; nothing is printed before the position is read. */
static int answer(struct asking *a, pr_ref item, struct pr_out *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct verdict verdict;
	const char *notation = NULL;
	char *position = NULL;
	int rc = open_game(a, pr_get_str(item, "game", ""), fail);
	if (!rc)
		rc = sv_position_notation(a->game, item, &notation, fail);
	if (!rc)
		rc = sv_position_read(a->game, item, state, NULL, fail);
	if (!rc)
		rc = sv_position_text(a->game, item, &position, fail);
	if (!rc)
		rc = look_up(a, state, &verdict, fail);
	if (!rc) {
		pr_open_object(out, NULL);
		pr_str(out, "game", a->game->name);
		pr_str(out, "position", position);
		if (verdict.over)
			pr_null(out, "first_to_move");
		else
			pr_bool(out, "first_to_move", verdict.first);
		bool first = verdict.first;
		verdict.first = verdict.first || verdict.over;
		print_verdict(a, &verdict, out);
		rc = verdict.over ? PD_OK : print_moves(a, state, first, notation, out, fail);
		if (verdict.over) {
			pr_open_array(out, "moves");
			pr_close(out);
		}
		pr_close(out);
	}
	free(position);
	return rc;
}

static void print_error(struct pr_out *out, const struct pd_fail *fail)
{
	pr_open_object(out, NULL);
	pr_open_object(out, "error");
	pr_int(out, "code", fail->code);
	pr_str(out, "slug", pd_error_slug(fail->code));
	pr_str(out, "field", fail->field[0] ? fail->field : NULL);
	pr_str(out, "message", fail->text);
	pr_close(out);
	pr_close(out);
}

/* What was wrong with a question, and not with the server. */
static bool is_own_fault(int code)
{
	return code == PD_E_GAME || code == PD_E_POSITION || code == PD_E_MOVE || code == PD_E_PARAMS ||
	       code == PD_E_NOT_FOUND;
}

int sv_probe(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *buf, struct pd_fail *fail)
{
	struct asking a = {.core = core, .reader = reader};
	struct pr_out out;
	pr_ref list = pr_get(params, "positions");
	size_t count = pr_count(list);
	int rc = PD_OK;
	PD_ASSERT(count);
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_open_array(&out, "answers");
	for (size_t i = 0; i < count && !rc; i++) {
		rc = answer(&a, pr_at(list, i), &out, fail);
		if (!rc && (buf->failed || buf->size > ANSWERS_MAX))
			rc = pd_fail_set(fail, PD_E_LIMIT, "positions",
					 "the answers would be longer than %d bytes; ask for fewer positions at a time",
					 (int)ANSWERS_MAX);
		if (is_own_fault(rc)) {
			print_error(&out, fail);
			rc = PD_OK;
		}
	}
	if (!rc) {
		pr_close(&out);
		pr_close(&out);
	}
	if (a.game)
		sv_game_put(core, a.game);
	return rc;
}
