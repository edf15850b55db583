#include "server/api/probe.h"

#include "proto/base/assert.h"
#include "server/api/lookup.h"
#include "server/api/request.h"
#include "server/common/open_games.h"
#include "server/common/position.h"

enum { ANSWERS_MAX = PR_REPLY_MAX - 2 * PR_LINE_MAX /* bytes: leaves room for the rest of a reply */ };

/* For one side, best first. Moves are sorted by their category for the player who makes them. */
enum category { WIN, WIN_OR_DRAW, UNKNOWN, DRAW, DRAW_OR_LOSS, LOSS };

struct probed_move {
	struct pn_after after;
	unsigned index;         /* in the order of the rules */
	enum category category; /* for its mover */
	int lo, hi;             /* for its mover */
};

/* The game of the latest position asked about stays open. */
struct asking {
	struct sv_core *core;
	struct sv_lookup looking;
	struct game *game; /* NULL: none yet */
	bool exact;        /* the latest position's value is known */
};

/* A position that was read, and the notation of its moves. */
struct read_position {
	const char *text, *notation;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

/* Bounds from one side's point of view. */
static enum category judge_bounds(int lo, int hi, bool first, int *own_lo, int *own_hi)
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

/* A sooner win and a later loss are better; an unknown rank comes last. */
static int by_merit(const void *left, const void *right)
{
	const struct probed_move *a = left, *b = right;
	if (a->category != b->category)
		return a->category < b->category ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo > b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi > b->hi ? -1 : 1;
	if (a->after.rank != b->after.rank && a->category != UNKNOWN) {
		bool sooner = a->category <= WIN_OR_DRAW;
		if (a->after.rank < 0 || b->after.rank < 0)
			return a->after.rank < 0 ? 1 : -1;
		return (a->after.rank < b->after.rank) == sooner ? -1 : 1;
	}
	return a->index < b->index ? -1 : 1;
}

void sv_best_first(struct pn_after *after, unsigned count, bool first)
{
	struct probed_move list[GAME_MOVES_MAX];
	PD_ASSERT(count <= GAME_MOVES_MAX);
	for (unsigned i = 0; i < count; i++) {
		struct probed_move *m = &list[i];
		*m = (struct probed_move){.after = after[i], .index = i};
		m->category = judge_bounds(after[i].lo, after[i].hi, first, &m->lo, &m->hi);
	}
	qsort(list, count, sizeof *list, by_merit);
	for (unsigned i = 0; i < count; i++)
		after[i] = list[i].after;
}

/* `first`: from First's point of view. */
static void print_verdict(const struct game *g, const struct pn_after *v, bool first, struct pr_out *out)
{
	static const char *const categories[] = {"win", "win-or-draw", "unknown", "draw", "draw-or-loss", "loss"};
	static const char *const sources[] = {"none", "rules", "fact"};
	char text[64];
	int lo, hi;
	pr_members(out, PR_S("category", categories[judge_bounds(v->lo, v->hi, first, &lo, &hi)]), PR_I("lo", v->lo),
		   PR_I("hi", v->hi));
	game_value_text(game_words(g), game_scale(g), (struct game_interval){v->lo, v->hi}, text, sizeof text);
	pr_members(out, PR_S("text", text), PR_S("source", sources[v->source]),
		   PR_IF(v->rank != PN_RANK_NONE, PR_I("rank", v->rank)), PR_U("effort", v->effort),
		   PR_B("terminal", v->over));
}

/* Prints each move with its verdict for the player who moves next; when the game is over, for the opponent. */
static void print_moves(const struct game *g, const struct read_position *position, bool first,
			const struct pn_after *after, unsigned count, struct pr_out *out)
{
	const void *state = position->state;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	pr_open_array(out, "moves");
	for (unsigned i = 0; i < count; i++) {
		const struct pn_after *v = &after[i];
		bool other = !first;
		if (!v->over) {
			memcpy(child, state, g->state_size);
			g->rules->play(g, child, v->move);
			other = g->rules->first_to_move(g, child);
		}
		pr_open_object(out, NULL);
		game_move_text(g, state, v->move, position->notation, text, sizeof text);
		pr_str(out, "move", text);
		print_verdict(g, v, other, out);
		pr_close(out);
	}
	pr_close(out);
}

static int open_game(struct asking *a, const char *name, struct pd_fail *fail)
{
	if (a->game && !strcmp(a->game->name, name))
		return PD_OK;
	if (a->game)
		sv_game_put(a->core, a->game);
	a->game = NULL;
	int rc = sv_game_get(a->core, name, &a->game, fail);
	if (rc)
		return rc;
	sv_lookup_game(&a->looking, a->core, a->game);
	return PD_OK;
}

static int print_answer(struct asking *a, const struct read_position *position, struct pr_out *out,
			struct pd_fail *fail)
{
	const struct game *g = a->game;
	struct pn_after after[GAME_MOVES_MAX];
	struct pn_known known;
	unsigned count = 0;
	pd_fact_init(&known.fact);
	int rc = pn_known_get(&a->looking.base, position->state, &known, fail);
	if (!rc && !known.over)
		rc = pn_known_below(&a->looking.base, position->state, &known, after, &count, fail);
	if (!rc) {
		bool first = !known.over && g->rules->first_to_move(g, position->state);
		sv_best_first(after, count, first);
		struct pn_after own = pn_known_after(PD_NO_MOVE, &known);
		a->exact = own.lo == own.hi;
		pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("game", g->name), PR_S("position", position->text),
			   PR_IF(!known.over, PR_B("first_to_move", first)));
		print_verdict(g, &own, first || known.over, out);
		print_moves(g, position, first, after, count, out);
		pr_close(out);
	}
	pd_fact_fini(&known.fact);
	return rc;
}

/* Nothing is printed when it fails. */
static int answer_item(struct asking *a, pr_ref item, struct pr_out *out, struct pd_fail *fail)
{
	struct read_position position = {.notation = NULL};
	char *text = NULL;
	int rc = open_game(a, pr_get_str(item, "game", ""), fail);
	rc = rc ? rc : sv_position_notation(a->game, item, &position.notation, fail);
	rc = rc ? rc : sv_position_read(a->game, item, position.state, NULL, fail);
	rc = rc ? rc : sv_position_text(a->game, item, &text, fail);
	position.text = text;
	rc = rc ? rc : print_answer(a, &position, out, fail);
	free(text);
	return rc;
}

static void print_error(struct pr_out *out, const struct pd_fail *fail)
{
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_OPEN_OBJECT("error"), PR_I("code", fail->code),
		   PR_S("slug", pd_error_slug(fail->code)), PR_S("field", fail->field[0] ? fail->field : NULL),
		   PR_S("message", fail->text), PR_CLOSE, PR_CLOSE);
}

/* Whether the error is a fault of the question, not of the server. */
static bool is_own_fault(int code)
{
	return code == PD_E_GAME || code == PD_E_POSITION || code == PD_E_MOVE || code == PD_E_PARAMS ||
	       code == PD_E_NOT_FOUND;
}

int sv_probe(struct sv_request *r, struct st_reader *reader)
{
	struct asking a = {.core = r->core};
	struct pr_out *out = &r->out;
	struct pd_fail *fail = &r->fail;
	pr_ref list = pr_get(r->params, "positions");
	size_t count = pr_count(list);
	int rc = PD_OK;
	PD_ASSERT(count);
	sv_lookup_init(&a.looking, r->core, reader);
	pr_open_object(out, NULL);
	pr_open_array(out, "answers");
	r->answers.at = r->json.size - 1;
	for (size_t i = 0; i < count && !rc; i++) {
		rc = answer_item(&a, pr_at(list, i), out, fail);
		if (!rc && (r->json.failed || r->json.size > ANSWERS_MAX))
			rc = pd_fail_set(fail, PD_E_LIMIT, "positions",
					 "the answers would be longer than %d bytes; ask for fewer positions at a time",
					 (int)ANSWERS_MAX);
		if (!is_own_fault(rc))
			continue;
		print_error(out, fail);
		if (!i)
			r->answers.code = rc;
		rc = PD_OK;
	}
	if (!rc) {
		pr_close(out);
		r->answers.size = r->json.size - r->answers.at;
		r->answers.exact = count == 1 && a.exact;
		pr_close(out);
	}
	if (a.game)
		sv_game_put(r->core, a.game);
	return rc;
}
