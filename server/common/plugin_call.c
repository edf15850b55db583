#include "server/common/plugin_call.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "solver/games/game.h"
#include "solver/strategies.h"

enum { NUMBERS_MAX = 1000000, RANK_MAX = 60000 };

static const struct sv_plugin_rules *rules_of(const struct game *g)
{
	return (const struct sv_plugin_rules *)(const void *)g->rules;
}

/* Calls a member of the rules of `g` under the watch (plugin_watch.h). Declares `r`, those rules, and `got`, the
 * result. */
#define CALL(type, member, ...)                                                                                        \
	ENTER(member);                                                                                                 \
	type got = r->inner.member(__VA_ARGS__);                                                                       \
	sv_plugin_leave(before)
/* The same for a member that returns nothing. */
#define RUN(member, ...)                                                                                               \
	ENTER(member);                                                                                                 \
	r->inner.member(__VA_ARGS__);                                                                                  \
	sv_plugin_leave(before)
#define ENTER(member)                                                                                                  \
	const struct sv_plugin_rules *r = rules_of(g);                                                                 \
	struct sv_plugin *before = sv_plugin_enter(r->plugin, #member)

/* --- what comes back ---------------------------------------------------------------------- */

/* Replaces an error of the plug-in by one that fits the function. */
static int fit_error(int rc, enum pd_error usual, const char *field, struct pd_fail *fail)
{
	if (!rc || !fail)
		return rc && rc != PD_E_NO_MEMORY ? (int)usual : rc;
	fail->code = rc == PD_E_NO_MEMORY ? PD_E_NO_MEMORY : usual;
	snprintf(fail->field, sizeof fail->field, "%s", field);
	fail->text[sizeof fail->text - 1] = 0;
	if (!fail->text[0])
		snprintf(fail->text, sizeof fail->text, "the plug-in takes no such %s, and does not say why", field);
	for (char *c = fail->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return fail->code;
}

static void clear_fail(struct pd_fail *fail)
{
	if (fail)
		*fail = (struct pd_fail){0};
}

/* The text that a function like snprintf has written: terminated, not too long, and in one line unless `lines`. */
static size_t check_text(const struct sv_plugin_rules *r, const char *member, size_t wanted, const char *out,
			 size_t size, bool lines)
{
	if (wanted >= GAME_TEXT_MAX)
		sv_plugin_broken(r->plugin, "%s wants %zu bytes; a text has less than %d", member, wanted,
				 (int)GAME_TEXT_MAX);
	size_t end = wanted < size ? wanted : size ? size - 1 : 0;
	if (size && (out[end] || memchr(out, 0, end)))
		sv_plugin_broken(r->plugin, "%s says that its text has %zu bytes, but ends it elsewhere", member,
				 wanted);
	for (size_t i = 0; i < end; i++)
		if ((unsigned char)out[i] < ' ' && !(lines && out[i] == '\n'))
			sv_plugin_broken(r->plugin, "%s writes a control character (%d)", member, out[i]);
	return wanted;
}

static void check_value(const struct game *g, const char *member, int value)
{
	if (value < g->value_min || value > g->value_max || (value - g->value_min) % g->value_step)
		sv_plugin_broken(rules_of(g)->plugin, "%s of %s gives the value %d, which is not on its scale", member,
				 g->name, value);
}

static unsigned check_count(const struct game *g, const char *member, unsigned count)
{
	if (count > g->moves_max)
		sv_plugin_broken(rules_of(g)->plugin, "%s of %s gives %u moves; its moves_max is %u", member, g->name,
				 count, (unsigned)g->moves_max);
	return count;
}

/* --- opening ------------------------------------------------------------------------------ */

/* The rules that a plug-in's `open` gave its game when they are not the listed ones, for example for large boards. NULL
 * when they do not fit, or without memory. */
static const struct sv_plugin_rules *variant_of(const struct sv_plugin_rules *r, const struct game_rules *own)
{
	static struct pd_mutex lock = PD_MUTEX_INIT(PD_LOCK_PLUGIN_VARIANTS);
	pd_mutex_lock(&lock);
	struct sv_plugin_rules *v = r->plugin->variants;
	while (v && v->own != own)
		v = v->next;
	if (!v && (v = calloc(1, sizeof *v)) != NULL) {
		if (sv_plugin_wrap(v, r->plugin, own) && v->shown.name && !strcmp(v->shown.name, r->shown.name) &&
		    !game_rules_missing(&v->shown)) {
			v->next = r->plugin->variants;
			r->plugin->variants = v;
		} else {
			free(v);
			v = NULL;
		}
	}
	pd_mutex_unlock(&lock);
	return v;
}

static int call_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	const struct sv_plugin_rules *listed = (const struct sv_plugin_rules *)(const void *)rules, *r = listed;
	struct game *game = NULL;
	(void)host; /* plug-ins get no graphs */
	clear_fail(fail);
	struct sv_plugin *before = sv_plugin_enter(r->plugin, "open");
	int rc = r->inner.open(r->own, params, NULL, &game, fail);
	sv_plugin_leave(before);
	if (rc || !game)
		return fit_error(rc ? rc : PD_E_GAME, PD_E_GAME, "game", fail);
	if (game->rules && game->rules != r->own && !(r = variant_of(r, game->rules))) {
		before = sv_plugin_enter(listed->plugin, "close");
		listed->inner.close(game);
		sv_plugin_leave(before);
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "the plug-in's open gives rules of another ABI or name, or with members missing");
	}
	game->rules = &r->shown;
	game->plugin_digest = r->plugin->digest;
	*out = game;
	return PD_OK;
}

static void call_close(struct game *g)
{
	RUN(close, g);
}

/* --- positions and moves ------------------------------------------------------------------ */

static void call_start(const struct game *g, void *state)
{
	RUN(start, g, state);
}

static int call_parse(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	clear_fail(fail);
	CALL(int, parse, g, text, state, fail);
	return fit_error(got, PD_E_POSITION, "position", fail);
}

static size_t call_print(const struct game *g, const void *state, char *out, size_t size)
{
	CALL(size_t, print, g, state, out, size);
	return check_text(r, "print", got, out, size, false);
}

static size_t call_picture(const struct game *g, const void *state, char *out, size_t size)
{
	CALL(size_t, picture, g, state, out, size);
	return check_text(r, "picture", got, out, size, true);
}

static int call_move_parse(const struct game *g, const void *state, const char *text, game_move *out,
			   struct pd_fail *fail)
{
	clear_fail(fail);
	CALL(int, move_parse, g, state, text, out, fail);
	return fit_error(got, PD_E_MOVE, "move", fail);
}

static size_t call_move_print(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	CALL(size_t, move_print, g, state, move, out, size);
	return check_text(r, "move_print", got, out, size, false);
}

static bool call_first_to_move(const struct game *g, const void *state)
{
	CALL(bool, first_to_move, g, state);
	return got;
}

static bool call_terminal(const struct game *g, const void *state, int *value)
{
	CALL(bool, terminal, g, state, value);
	if (got)
		check_value(g, "terminal", *value);
	return got;
}

static unsigned call_moves(const struct game *g, const void *state, game_move *out)
{
	CALL(unsigned, moves, g, state, out);
	return check_count(g, "moves", got);
}

static void call_play(const struct game *g, void *state, game_move move)
{
	RUN(play, g, state, move);
}

static size_t call_key(const struct game *g, const void *state, uint8_t *out)
{
	CALL(size_t, key, g, state, out);
	if (!got || got > g->key_size_max)
		sv_plugin_broken(r->plugin, "key of %s has %zu bytes; its key_size_max is %u", g->name, got,
				 (unsigned)g->key_size_max);
	return got;
}

static int call_unkey(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	CALL(int, unkey, g, key, size, state);
	return got ? PD_E_CORRUPT : PD_OK;
}

/* --- what makes a search faster ----------------------------------------------------------- */

static game_move call_canon(const struct game *g, const void *state, game_move move, bool back)
{
	CALL(game_move, canon, g, state, move, back);
	return got;
}

static unsigned call_unique_moves(const struct game *g, const void *state, game_move *out)
{
	CALL(unsigned, unique_moves, g, state, out);
	return check_count(g, "unique_moves", got);
}

static bool call_immediate_win(const struct game *g, const void *state, int *value)
{
	CALL(bool, immediate_win, g, state, value);
	if (got)
		check_value(g, "immediate_win", *value);
	return got;
}

static void call_initial_numbers(const struct game *g, const void *state, int threshold, uint32_t num[2])
{
	RUN(initial_numbers, g, state, threshold, num);
	for (unsigned i = 0; i < 2; i++)
		if (num[i] < 1 || num[i] > NUMBERS_MAX)
			sv_plugin_broken(r->plugin, "initial_numbers of %s gives %u; it may give 1 to %d", g->name,
					 (unsigned)num[i], (int)NUMBERS_MAX);
}

static unsigned call_count(const struct game *g, const void *state)
{
	CALL(unsigned, count, g, state);
	return check_count(g, "count", got);
}

static void call_replies(const struct game *g, const void *state, const game_move *moves, unsigned count, uint16_t *out)
{
	RUN(replies, g, state, moves, count, out);
}

static void call_edge_costs(const struct game *g, const void *state, int threshold, const game_move *moves,
			    unsigned count, uint16_t (*out)[2])
{
	PD_ASSERT(moves && count && out);
	RUN(edge_costs, g, state, threshold, moves, count, out);
	for (unsigned i = 0; i < count; i++)
		if (out[i][0] > GAME_EDGE_COST_MAX || out[i][1] > GAME_EDGE_COST_MAX)
			sv_plugin_broken(r->plugin, "edge_costs of %s gives %u and %u; it may give 0 to %d", g->name,
					 (unsigned)out[i][0], (unsigned)out[i][1], (int)GAME_EDGE_COST_MAX);
}

static bool call_irreversible(const struct game *g, const void *state, game_move move)
{
	CALL(bool, irreversible, g, state, move);
	return got;
}

static void call_flip_side(const struct game *g, void *state)
{
	RUN(flip_side, g, state);
}

static bool call_turn_win(const struct game *g, const void *state, unsigned *plies)
{
	PD_ASSERT(plies);
	CALL(bool, turn_win, g, state, plies);
	if (got && !*plies)
		sv_plugin_broken(r->plugin, "turn_win of %s says 0 plies; a win takes at least 1", g->name);
	return got;
}

static void call_alike(const struct game *g, const void *state, const game_move *moves, unsigned count, uint8_t *out)
{
	PD_ASSERT(moves && count && out);
	RUN(alike, g, state, moves, count, out);
}

static unsigned call_move_square(const struct game *g, const void *state, game_move move)
{
	CALL(unsigned, move_square, g, state, move);
	return got;
}

static bool call_policy_moves(const struct game *g, const void *state, game_move *out, unsigned *count, unsigned *plies)
{
	CALL(bool, policy_moves, g, state, out, count, plies);
	if (got && *count > g->moves_max)
		sv_plugin_broken(r->plugin, "policy_moves of %s says %u moves; moves_max is %u", g->name, *count,
				 (unsigned)g->moves_max);
	return got;
}

static unsigned call_order_part(const struct game *g)
{
	CALL(unsigned, order_part, g);
	if (got > GAME_ORDER_MAX || got >= g->key_size_max)
		sv_plugin_broken(r->plugin,
				 "order_part of %s says %u bytes; it is at most %d, and fewer than the %u of a key",
				 g->name, got, GAME_ORDER_MAX, (unsigned)g->key_size_max);
	return got;
}

static bool call_dominates(const struct game *g, const uint8_t *a, const uint8_t *b, int bound, bool first)
{
	CALL(bool, dominates, g, a, b, bound, first);
	return got;
}

static unsigned call_threats(const struct game *g, const void *state)
{
	CALL(unsigned, threats, g, state);
	return got;
}

static uint64_t call_reach(const struct game *g, const void *state)
{
	CALL(uint64_t, reach, g, state);
	return got;
}

static bool call_static_solve(const struct game *g, const void *state, struct game_static *out)
{
	CALL(bool, static_solve, g, state, out);
	if (got)
		check_value(g, "static_solve", out->value);
	if (got && (out->plies < 2 || out->effort < 1))
		sv_plugin_broken(r->plugin, "static_solve of %s says %u plies and an effort of %u; at least 2 and 1",
				 g->name, out->plies, (unsigned)out->effort);
	return got;
}

static bool call_theorem(const struct game *g, const void *state, int threshold, struct game_theorem *out,
			 uint8_t *witness)
{
	PD_ASSERT(out);
	CALL(bool, theorem, g, state, threshold, out, witness);
	bool ranked =
		got && (g->acyclic || (out->proved ? threshold > g->infinite_value : threshold <= g->infinite_value));
	bool reserved = got && out->number >= GAME_STRATEGY && out->number <= ZONE_THEOREM;
	if (got && (out->number < 1 || reserved || out->effort < 1 || out->plies == 1 || out->plies > RANK_MAX ||
		    (ranked && out->plies == GAME_NO_RANK)))
		sv_plugin_broken(r->plugin,
				 "theorem of %s gives number %u, %u plies and an effort of %u; a number and an effort "
				 "are at least 1, the number is none of %d to %d, plies 2 to %d, or 0 for a bound that "
				 "infinite play serves",
				 g->name, out->number, out->plies, (unsigned)out->effort, GAME_STRATEGY, ZONE_THEOREM,
				 (int)RANK_MAX);
	if (got && witness && out->witness > GAME_WITNESS_MAX)
		sv_plugin_broken(r->plugin, "theorem of %s gives a witness of %u bytes; at most %d", g->name,
				 out->witness, (int)GAME_WITNESS_MAX);
	return got;
}

/* --- boards ------------------------------------------------------------------------------- */

static void call_board(const struct game *g, struct game_board *out)
{
	RUN(board, g, out);
	if (out->places > GAME_PLACES_MAX || out->pieces > GAME_PIECES_MAX || out->strokes > GAME_STROKES_MAX ||
	    out->labels > GAME_LABELS_MAX)
		sv_plugin_broken(r->plugin, "board of %s has more places, pieces, strokes or labels than a board has",
				 g->name);
	for (unsigned i = 0; i < out->places; i++)
		out->place[i].name[sizeof out->place[i].name - 1] = 0;
	for (unsigned i = 0; i < out->labels; i++)
		out->label[i].text[sizeof out->label[i].text - 1] = 0;
}

static void call_diagram(const struct game *g, const void *state, struct game_diagram *out)
{
	RUN(diagram, g, state, out);
	out->note[sizeof out->note - 1] = 0;
	for (unsigned i = 0; i < GAME_PLACES_MAX; i++)
		if (out->on[i] > GAME_PIECES_MAX)
			sv_plugin_broken(r->plugin, "diagram of %s puts piece %d on place %u", g->name, out->on[i] - 1,
					 i);
}

static unsigned call_move_places(const struct game *g, const void *state, game_move move,
				 uint16_t out[GAME_MOVE_PLACES_MAX])
{
	CALL(unsigned, move_places, g, state, move, out);
	for (unsigned i = 0; i < got; i++)
		if (got > GAME_MOVE_PLACES_MAX || out[i] >= GAME_PLACES_MAX)
			sv_plugin_broken(r->plugin, "move_places of %s names %u places, or one that does not exist",
					 g->name, got);
	return got;
}

static int call_set_up(const struct game *g, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	clear_fail(fail);
	CALL(int, set_up, g, diagram, state, fail);
	return fit_error(got, PD_E_POSITION, "position", fail);
}

static size_t call_move_print_in(const struct game *g, const void *state, game_move move, const char *notation,
				 char *out, size_t size)
{
	CALL(size_t, move_print_in, g, state, move, notation, out, size);
	return check_text(r, "move_print_in", got, out, size, false);
}

bool sv_plugin_wrap(struct sv_plugin_rules *rules, struct sv_plugin *plugin, const struct game_rules *own)
{
	const struct game_rules *inner = &rules->inner;
	PD_ASSERT(plugin && own);
	if (own->abi != GAME_ABI || own->size < offsetof(struct game_rules, canon) || own->size > sizeof *own)
		return false;
	*rules = (struct sv_plugin_rules){.own = own, .plugin = plugin};
	memcpy(&rules->inner, own, own->size); /* structs only grow at the end */
	rules->inner.size = sizeof rules->inner;
	rules->shown = rules->inner; /* texts, words, and members that are missing */
#define WRAP(member) rules->shown.member = inner->member ? call_##member : NULL
	WRAP(open);
	WRAP(close);
	WRAP(start);
	WRAP(parse);
	WRAP(print);
	WRAP(picture);
	WRAP(move_parse);
	WRAP(move_print);
	WRAP(first_to_move);
	WRAP(terminal);
	WRAP(moves);
	WRAP(play);
	WRAP(key);
	WRAP(unkey);
	WRAP(canon);
	WRAP(unique_moves);
	WRAP(immediate_win);
	WRAP(initial_numbers);
	WRAP(count);
	WRAP(replies);
	WRAP(irreversible);
	WRAP(static_solve);
	WRAP(theorem);
	WRAP(board);
	WRAP(diagram);
	WRAP(move_places);
	WRAP(set_up);
	WRAP(move_print_in);
	WRAP(edge_costs);
	WRAP(flip_side);
	WRAP(turn_win);
	WRAP(alike);
	WRAP(move_square);
	WRAP(policy_moves);
	WRAP(threats);
	WRAP(reach);
	WRAP(order_part);
	WRAP(dominates);
#undef WRAP
	return true;
}
