#include "clients/gui_engine.h"

#include <inttypes.h>
#include <math.h>

#include "clients/interrupt.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum { STEP_MS = 10, INFO_NS = 500000000 };

#define MS_MAX UINT64_C(1000000000000) /* so that a deadline in nanoseconds fits */

void cl_engine_complain(const char *what, const struct pd_fail *fail)
{
	pd_print(stdout, "info string error: %s: %s\n", what, fail->text);
}

bool cl_engine_number(const char *what, const char *text, int64_t min, int64_t max, int64_t *out)
{
	const char *digits = *text == '-' ? text + 1 : text;
	int64_t number = strtoll(text, NULL, 10); /* of too many digits: the largest or the smallest number */
	if (*digits && !digits[strspn(digits, "0123456789")] && number >= min && number <= max) {
		*out = number;
		return true;
	}
	pd_print(stdout, "info string error: %s takes a whole number from %" PRId64, what, min);
	if (max < INT64_MAX)
		pd_print(stdout, " to %" PRId64, max);
	pd_print(stdout, ", not '%.40s'\n", text);
	return false;
}

void cl_engine_position(const struct cl_engine *e, char out[GAME_TEXT_MAX])
{
	const struct game *g = e->player.game;
	size_t length = g->rules->print(g, cl_player_state(&e->player), out, GAME_TEXT_MAX);
	char *first = strstr(out, " first=");
	PD_ASSERT(length < GAME_TEXT_MAX);
	if (first)
		*first = 0;
}

/* --- what the search says ----------------------------------------------------------------- */

const struct cl_advice *cl_engine_advice(const struct cl_engine *e)
{
	return e->each_count ? &e->moves.list[0].advice : &e->adviser.advice;
}

void cl_engine_choose(const struct cl_engine *e, char out[32])
{
	if (e->refused || e->none_legal)
		out[0] = 0;
	else if (e->each_count)
		snprintf(out, 32, "%s", e->moves.list[0].move);
	else
		cl_player_choose(&e->player, &e->adviser.advice, out);
}

static void print_score(const struct cl_engine *e, const struct cl_advice *a)
{
	const struct game *g = e->player.game;
	bool first = cl_player_first_to_move(&e->player);
	int64_t value = first ? a->lo : -a->lo;
	int64_t moves = (a->plies + 1) / 2;
	if (a->exact && a->plies >= 0 && value > 0)
		pd_print(stdout, " score mate %" PRId64, moves > 0 ? moves : 1);
	else if (a->exact && a->plies >= 0 && value < 0 && g->value_min < 0)
		pd_print(stdout, " score mate -%" PRId64, a->plies / 2);
	else if (a->exact)
		pd_print(stdout, " score cp 0");
	else if (isfinite(a->pn) && isfinite(a->dn) && a->pn > 0 && a->dn > 0)
		pd_print(stdout, " score cp %.0f", (first ? 100 : -100) * log2(a->dn / a->pn));
}

/* One line, of the position (move NULL) or of a move; `number` from 1, 0: it is the only one. */
static void print_line(const struct cl_engine *e, const struct cl_advice *a, const char *move, unsigned number)
{
	double ms = (double)(pd_now_ns() - e->start_ns) / 1e6;
	int64_t nodes = e->adviser.advice.nodes;
	pd_print(stdout, "info depth %" PRId64, a->exact && a->plies > 0 ? a->plies : 1);
	if (number)
		pd_print(stdout, " multipv %u", number);
	print_score(e, a);
	pd_print(stdout, " time %.0f nodes %" PRId64 " nps %.0f hashfull %.0f", ms, nodes,
		 ms >= 1 ? (double)nodes * 1000 / ms : 0, 1000 * e->adviser.advice.fill);
	if (a->line[0] || (move && *move))
		pd_print(stdout, " pv %s", a->line[0] ? a->line : move);
	putchar('\n');
	if (!a->exact && isfinite(a->pn) && isfinite(a->dn) && !number)
		pd_print(stdout, "info string pn %.0f dn %.0f, first at least %" PRId64 "\n", a->pn, a->dn,
			 a->threshold);
}

/* Merges the candidates of the searches of `searchmoves`. */
static void gather_moves(struct cl_engine *e)
{
	struct cl_advice *all = &e->adviser.advice;
	*all = (struct cl_advice){.over = true, .plies = -1, .pn = INFINITY, .dn = INFINITY};
	e->moves.count = e->each_count;
	for (unsigned i = 0; i < e->each_count; i++) {
		const struct cl_engine_search *s = &e->each[i];
		const struct cl_advice *a = &s->adviser.advice;
		struct cl_candidate *c = &e->moves.list[i];
		memcpy(c->move, s->move, sizeof c->move);
		c->advice = *a;
		cl_candidate_lead(c);
		all->nodes += a->nodes;
		all->fill = a->fill > all->fill ? a->fill : all->fill;
		all->over &= a->over;
	}
	cl_candidates_sort(&e->moves, cl_player_first_to_move(&e->player));
}

/* Asks for the moves that MultiPV shows. */
static void ask_moves(struct cl_engine *e)
{
	struct pd_fail fail;
	struct cl_order order = {.game = e->player.game->name, .position = e->position};
	if (e->refused || e->none_legal || e->each_count || e->multipv < 2 || cl_player_over(&e->player))
		return;
	if (cl_candidates_ask(&e->adviser, &order, cl_player_first_to_move(&e->player), &e->moves, &fail))
		cl_engine_complain("MultiPV", &fail);
}

static void print_info(const struct cl_engine *e)
{
	const struct cl_advice *a = cl_engine_advice(e);
	bool several = e->multipv > 1 && e->moves.count;
	if (!several)
		print_line(e, a, a->move, 0);
	for (unsigned i = 0; several && i < e->multipv && i < e->moves.count; i++)
		print_line(e, &e->moves.list[i].advice, e->moves.list[i].move, i + 1);
}

/* --- searches ----------------------------------------------------------------------------- */

void cl_engine_prepare(struct cl_engine *e)
{
	cl_engine_finish(e);
	free(e->each);
	e->each = NULL;
	e->each_count = 0;
	e->none_legal = false;
	cl_candidates_free(&e->moves);
}

/* The move that a word names, as the protocol writes it. The player has made it; false: there is none. */
static bool make_move(struct cl_engine *e, const char *word, char name[32], struct pd_fail *fail)
{
	const struct game *g = e->player.game;
	game_move move;
	if (g->rules->move_parse(g, cl_player_state(&e->player), word, &move, fail))
		return false;
	g->rules->move_print(g, cl_player_state(&e->player), move, name, 32);
	return !cl_player_move(&e->player, name, fail);
}

static bool is_named(const struct cl_engine *e, const char *move)
{
	for (unsigned i = 0; i < e->each_count; i++)
		if (!strcmp(e->each[i].move, move))
			return true;
	return false;
}

/* Appends a search of the move that has been made. */
static void add_search(struct cl_engine *e, const char *move)
{
	const struct game *g = e->player.game;
	struct cl_engine_search *each = realloc(e->each, (e->each_count + 1) * sizeof *each);
	struct cl_candidate *list = realloc(e->moves.list, (e->each_count + 1) * sizeof *list);
	int value;
	e->each = each ? each : e->each;
	e->moves.list = list ? list : e->moves.list;
	if (!each || !list)
		return;
	struct cl_engine_search *s = &e->each[e->each_count++];
	*s = (struct cl_engine_search){.adviser = {.link = e->adviser.link}};
	snprintf(s->move, sizeof s->move, "%s", move);
	if (g->rules->terminal(g, cl_player_state(&e->player), &value))
		s->adviser.advice = (struct cl_advice){.over = true, .exact = true, .lo = value, .hi = value};
}

bool cl_engine_take_move(struct cl_engine *e, const char *word)
{
	struct pd_fail fail;
	char move[32];
	if (!strpbrk(word, "0123456789"))
		return false;
	if (!make_move(e, word, move, &fail)) {
		cl_engine_complain("searchmoves", &fail);
		e->none_legal = !e->each_count;
		return true;
	}
	e->none_legal = false;
	if (!is_named(e, move))
		add_search(e, move);
	cl_player_undo(&e->player);
	return true;
}

/* Begins one search; if that fails it is over. */
static void begin_search(struct cl_engine *e, struct cl_adviser *adviser, const char *move, int64_t nodes)
{
	struct pd_fail fail;
	struct cl_order order = {e->player.game->name, e->position, nodes, e->hash_mib << 20, e->threads, move};
	if (!adviser->advice.over && cl_adviser_begin(adviser, &order, &fail)) {
		cl_engine_complain("go", &fail);
		adviser->advice = (struct cl_advice){.over = true, .plies = -1, .pn = INFINITY, .dn = INFINITY};
	}
}

void cl_engine_go(struct cl_engine *e, uint64_t ms, int64_t nodes)
{
	e->start_ns = e->info_ns = pd_now_ns();
	e->deadline_ns = ms ? e->start_ns + (ms < MS_MAX ? ms : MS_MAX) * 1000000 : 0;
	e->searching = true;
	e->adviser.advice = (struct cl_advice){.over = e->refused || e->none_legal || cl_player_over(&e->player),
					       .plies = -1,
					       .pn = INFINITY,
					       .dn = INFINITY};
	if (e->refused) {
		puts("info string error: go: no position is set; send one that is accepted");
		e->each_count = 0;
	} else if (e->none_legal) {
		puts("info string error: go: none of the moves behind `searchmoves` is legal");
	}
	cl_engine_position(e, e->position);
	for (unsigned i = 0; i < e->each_count; i++)
		begin_search(e, &e->each[i].adviser, e->each[i].move, nodes ? (nodes - 1) / e->each_count + 1 : 0);
	if (!e->each_count)
		begin_search(e, &e->adviser, NULL, nodes);
}

void cl_engine_finish(struct cl_engine *e)
{
	struct pd_fail fail;
	int rc = 0;
	if (!e->searching)
		return;
	e->searching = false;
	ask_moves(e);
	for (unsigned i = 0; i < e->each_count; i++)
		rc = cl_adviser_stop(&e->each[i].adviser, &fail) || rc;
	if (e->each_count)
		gather_moves(e);
	if (cl_adviser_stop(&e->adviser, &fail) || rc)
		cl_engine_complain("stop", &fail);
	print_info(e);
	e->protocol->answer(e);
}

static void step_search(struct cl_engine *e)
{
	struct pd_fail fail;
	unsigned wait = e->each_count ? STEP_MS / e->each_count + 1 : STEP_MS;
	for (unsigned i = 0; i < e->each_count || !i; i++) {
		struct cl_adviser *a = e->each_count ? &e->each[i].adviser : &e->adviser;
		if (cl_adviser_poll(a, wait, &fail)) {
			cl_engine_complain("search", &fail);
			a->advice.over = true;
		}
	}
	if (e->each_count)
		gather_moves(e);
	uint64_t now = pd_now_ns();
	bool over = e->adviser.advice.over;
	if (!e->infinite && (over || (e->deadline_ns && now >= e->deadline_ns))) {
		cl_engine_finish(e);
	} else if (now - e->info_ns >= INFO_NS && !(over && e->info_ns > e->start_ns)) {
		ask_moves(e);
		print_info(e);
		e->info_ns = now;
	}
}

/* --- the conversation --------------------------------------------------------------------- */

/* setoption name NAME value VALUE */
static void set_option(struct cl_engine *e, char *rest)
{
	const char *word = cl_word_next(&rest), *name = cl_word_next(&rest);
	const char *middle = cl_word_next(&rest), *value = cl_word_next(&rest);
	if (!word || strcmp(word, "name") != 0 || !name || !middle || strcmp(middle, "value") != 0 || !value) {
		puts("info string error: setoption takes `name NAME value VALUE`");
		return;
	}
	int64_t number;
	if (!strcmp(name, e->protocol->hash)) {
		if (cl_engine_number(name, value, 4, CL_ENGINE_HASH_MAX, &number))
			e->hash_mib = number;
	} else if (!strcmp(name, "MultiPV") || !strcmp(name, "USI_MultiPV")) {
		if (cl_engine_number(name, value, 1, CL_ENGINE_LINES_MAX, &number))
			e->multipv = (unsigned)number;
	} else if (!e->protocol->set(e, name, value)) {
		pd_print(stdout, "info string error: unknown option '%.40s'\n", name);
	}
}

/* position KIND ... [moves MOVE...]; without a kind, the initial position. */
static void set_position(struct cl_engine *e, char *rest)
{
	struct pd_fail fail;
	char *moves = strstr(rest, "moves"), *kind, *move;
	cl_engine_finish(e);
	if (moves && (moves == rest || strchr(" \t", moves[-1])) && (!moves[5] || strchr(" \t", moves[5]))) {
		*moves = 0;
		moves += 5;
	} else {
		moves = rest + strlen(rest);
	}
	kind = cl_word_next(&rest);
	for (size_t size = strlen(rest); size && strchr(" \t", rest[size - 1]); size--)
		rest[size - 1] = 0;
	e->refused = true;
	if (!e->protocol->place(e, kind ? kind : "startpos", rest))
		return;
	while ((move = cl_word_next(&moves)) != NULL)
		if (e->protocol->play(e, move, &fail)) {
			cl_engine_complain("position", &fail);
			return;
		}
	e->refused = false;
}

static void obey_line(struct cl_engine *e, char *line)
{
	const char *word = cl_word_next(&line);
	bool rest = e->cut;
	e->cut = e->lines.partial;
	if (rest || !word)
		return;
	if (e->lines.partial || e->lines.zero) {
		pd_print(stdout,
			 "info string error: a line has at most %d bytes, none of them zero: '%.40s' is ignored\n",
			 CL_LINE_MAX, word);
		if (!strcmp(word, "position")) {
			cl_engine_finish(e);
			e->refused = true;
		}
		return;
	}
	if (!strcmp(word, "isready"))
		puts("readyok");
	else if (!strcmp(word, "setoption"))
		set_option(e, line);
	else if (!strcmp(word, "position"))
		set_position(e, line);
	else if (!strcmp(word, "stop"))
		cl_engine_finish(e);
	else if (!strcmp(word, "quit"))
		e->quit = true;
	else if (!e->protocol->obey(e, word, line))
		pd_print(stdout, "info string error: unknown command '%.40s'\n", word);
}

int cl_engine_run(struct cl_engine *e, const char *game, struct pd_fail *fail)
{
	if (!cl_lines_init(&e->lines))
		return cl_no_memory(fail);
	cl_interrupt_hold();
	e->multipv = 1;
	int rc = cl_player_open(&e->player, game, fail);
	if (!rc)
		rc = cl_adviser_open(&e->adviser, e->options, fail);
	while (!rc && !e->quit && !cl_interrupt_take()) {
		bool busy = e->searching && !e->adviser.advice.over;
		char *line = cl_lines_next(&e->lines, busy ? 0 : CL_LOOK_MS);
		if (line)
			obey_line(e, line);
		else if (e->lines.ended && (!e->searching || e->infinite))
			e->quit = true;
		if (e->searching && !e->quit)
			step_search(e);
		fflush(stdout);
	}
	for (unsigned i = 0; i < e->each_count; i++)
		cl_adviser_stop(&e->each[i].adviser, fail);
	free(e->each);
	cl_candidates_free(&e->moves);
	cl_adviser_close(&e->adviser);
	cl_player_close(&e->player);
	cl_lines_fini(&e->lines);
	return rc;
}
