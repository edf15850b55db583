#include "server/api/query.h"

#include <stdio.h>

#include "proto/members.h"
#include "server/api/lookup.h"
#include "server/api/probe.h"
#include "server/api/request.h"
#include "solver/stored.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/proofs/answers/line.h"
#include "server/proofs/answers/theorem_print.h"
#include "store/store.h"

enum { RECORD_BYTES_MAX = 8 << 20 };

/* When the moves of a position are also looked up. */
enum depth { OWN_FACT, OWN_FACT_IF_EXACT, ONE_PLY };

struct asked {
	struct sv_lookup looking;
	struct game *game;
	const char *notation; /* of moves; NULL: the game's own */
	bool moves;           /* each move is asked about as well; depth is then ONE_PLY */
	bool theorems;        /* what theorems say is told as well */
	enum depth depth;
};

static void print_bounds(const struct game *game, enum pn_source source, struct game_interval bounds, int rank,
			 struct pr_members *out)
{
	static const char *const sources[] = {"none", "rules", "fact"};
	char text[64];
	PR_MEMBER_INT(out, "lo", bounds.lo);
	PR_MEMBER_INT(out, "hi", bounds.hi);
	game_result_text(game, bounds, rank, text, sizeof text);
	PR_MEMBER_STR(out, "text", text);
	PR_MEMBER_STR(out, "source", sources[source]);
	if (rank != PN_RANK_NONE)
		PR_MEMBER_UINT(out, "rank", (unsigned)rank);
	else
		PR_MEMBER_NULL(out, "rank");
}

/* Prints the mover's move if the mover's bound is proved, else null. */
static int print_move(const struct asked *a, const void *state, const struct pn_known *known, struct pr_members *out,
		      struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX];
	game_move move;
	bool found;
	int rc = pn_known_move(a->game, state, known, &move, &found, fail);
	if (rc || !found) {
		PR_MEMBER_NULL(out, "move");
		return rc;
	}
	game_move_text(a->game, state, move, a->notation, text, sizeof text);
	PR_MEMBER_STR(out, "move", text);
	return PD_OK;
}

static void print_moves(const struct asked *a, const void *state, const struct pn_after *after, unsigned count,
			struct pr_out *out)
{
	const struct game *g = a->game;
	char text[GAME_TEXT_MAX];
	struct pr_members members;
	pr_members_begin(&members, out);
	pr_open_array(out, "moves");
	for (unsigned i = 0; i < count; i++) {
		pr_open_object(out, NULL);
		game_move_text(g, state, after[i].move, a->notation, text, sizeof text);
		PR_MEMBER_STR(&members, "move", text);
		print_bounds(g, after[i].source, (struct game_interval){after[i].lo, after[i].hi}, after[i].rank,
			     &members);
		pr_members_flush(&members);
		pr_close(out);
	}
	pr_close(out);
}

static int print_known(const struct asked *a, const void *state, const struct pn_known *known, struct pr_out *out,
		       struct pd_fail *fail)
{
	const struct pd_reason *deciding = pn_known_deciding(known);
	uint32_t job = deciding ? deciding->job : 0;
	struct pr_members members;
	char giver[PD_GIVER_TEXT];
	pr_open_object(out, NULL);
	pr_members_begin(&members, out);
	print_bounds(a->game, known->source, (struct game_interval){known->lo, known->hi},
		     pn_known_rank(known, deciding), &members);
	int rc = print_move(a, state, known, &members, fail);
	PR_MEMBER_UINT(&members, "effort", deciding ? deciding->effort : 0);
	PR_MEMBER_UINT(&members, "job", pd_is_giver(job) ? 0 : job);
	if (pd_is_giver(job))
		PR_MEMBER_STR(&members, "worker", pd_giver_print(job, giver));
	pr_members_flush(&members);
	return rc;
}

static void print_theorems(const struct asked *a, const void *state, struct pr_out *out)
{
	struct game_told told[2];
	if (a->theorems)
		sv_theorems_print(a->game, told, game_theorems(a->game, state, told), out);
}

/* Prints a position with what is known about its moves. */
static int print_deep(struct asked *a, const void *state, struct pn_known *known, struct pr_out *out,
		      struct pd_fail *fail)
{
	struct pn_after after[GAME_MOVES_MAX];
	unsigned count = 0;
	int rc = known->over ? PD_OK
			     : pn_known_below(&a->looking.base, state, known, a->moves ? after : NULL, &count, fail);
	if (rc)
		return rc;
	rc = print_known(a, state, known, out, fail);
	if (!rc && a->moves) {
		sv_best_first(after, count, !known->over && a->game->rules->first_to_move(a->game, state));
		print_moves(a, state, after, count, out);
	}
	print_theorems(a, state, out);
	pr_close(out);
	return rc;
}

/* Prints a position; `known` holds its own fact. */
static int print_fact(struct asked *a, const void *state, struct pn_known *known, struct pr_out *out,
		      struct pd_fail *fail)
{
	if (a->depth == ONE_PLY || (a->depth == OWN_FACT_IF_EXACT && known->lo < known->hi))
		return print_deep(a, state, known, out, fail);
	int rc = print_known(a, state, known, out, fail);
	print_theorems(a, state, out);
	pr_close(out);
	return rc;
}

static void print_error(struct pr_out *out, const struct pd_fail *fail)
{
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_OPEN_OBJECT("error"), PR_I("code", fail->code),
		   PR_S("message", fail->text), PR_CLOSE, PR_CLOSE);
}

/* Opens the game and sets the reader; choose_depth has to follow. */
static int begin_query(struct sv_core *core, struct st_reader *reader, const char *game, struct asked *a,
		       struct pd_fail *fail)
{
	int rc = sv_game_get(core, game, &a->game, fail);
	if (rc)
		return rc;
	a->notation = NULL;
	a->theorems = false;
	sv_lookup_init(&a->looking, core, reader);
	sv_lookup_game(&a->looking, core, a->game);
	return PD_OK;
}

/* Sets the default depth. `moves`: each move is asked about. */
static void choose_depth(struct asked *a, bool moves, bool many)
{
	a->moves = moves;
	a->looking.base.unique = !moves;
	a->depth = moves ? ONE_PLY : many ? OWN_FACT : OWN_FACT_IF_EXACT;
}

/* Does both of these from the parameters of a request. */
static int begin_by_params(struct sv_core *core, struct st_reader *reader, pr_ref params, struct asked *a,
			   struct pd_fail *fail)
{
	int rc = begin_query(core, reader, pr_get_str(params, "game", ""), a, fail);
	if (rc)
		return rc;
	choose_depth(a, pr_get_bool(params, "moves", false) || pr_get_bool(params, "each_move", false),
		     pr_has(params, "positions"));
	if (pr_has(params, "depth") && !a->moves)
		a->depth = pr_get_int(params, "depth", 0) ? ONE_PLY : OWN_FACT;
	a->theorems = pr_get_bool(params, "theorems", false);
	rc = sv_position_notation(a->game, params, &a->notation, fail);
	if (rc)
		sv_game_put(core, a->game);
	return rc;
}

/* --- facts of positions ------------------------------------------------------------------- */

/* The positions of a request, one after the other: those of an array or of a fast query, or a single one. */
struct texts {
	pr_ref list;
	size_t at;
	const char *single;
	struct pr_fastpath *fast;
	char text[PR_FAST_TEXT];
};

static const char *next_text(struct texts *t)
{
	if (t->fast)
		return pr_fastpath_next(t->fast, t->text) ? t->text : NULL;
	if (t->list)
		return t->at < pr_count(t->list) ? pr_text(pr_at(t->list, t->at++), "") : NULL;
	const char *text = t->single;
	t->single = NULL;
	return text;
}

/* Positions that are looked up together, because the store takes many at a time. */
enum { BATCH = 32, BATCH_BYTES = 16384 };

struct positions_batch {
	struct asked *asked;
	struct pr_out *out;
	unsigned count, most;
	unsigned facts; /* entries of known[] that are initialized */
	size_t stride;
	_Alignas(16) uint8_t states[BATCH_BYTES]; /* `stride` bytes each */
	uint8_t keys[BATCH][GAME_KEY_MAX];
	struct pn_known known[BATCH];
};

/* Looks up and prints the batch. */
static int flush_positions(struct positions_batch *h, struct pd_fail *fail)
{
	const struct game *g = h->asked->game;
	struct sv_lookup *looking = &h->asked->looking;
	struct st_wanted wanted[BATCH];
	struct pn_known *whose[BATCH];
	unsigned asking = 0;
	int rc = PD_OK;
	PD_ASSERT(h->count <= h->most && h->most <= BATCH);
	for (unsigned i = 0; i < h->count; i++) {
		const void *state = h->states + i * h->stride;
		if (pn_known_by_rules(g, state, &h->known[i]) || !looking->game_id)
			continue;
		whose[asking] = &h->known[i];
		wanted[asking++] =
			(struct st_wanted){h->keys[i], g->rules->key(g, state, h->keys[i]), &h->known[i].fact, false};
	}
	if (asking > looking->base.left)
		return PN_KNOWN_LATER;
	looking->base.left -= asking;
	if (asking && st_fact_get_many(looking->reader, looking->game_id, wanted, asking, fail))
		return fail->code;
	for (unsigned i = 0; i < asking; i++) {
		if (!wanted[i].found)
			continue;
		if (pn_fact_sound(g, wanted[i].key, wanted[i].size, wanted[i].fact, fail))
			return fail->code;
		pn_known_found(whose[i]);
	}
	for (unsigned i = 0; i < h->count && !rc; i++)
		rc = pn_known_by_tables(g, h->states + i * h->stride, &h->known[i], fail);
	for (unsigned i = 0; i < h->count && !rc; i++)
		rc = print_fact(h->asked, h->states + i * h->stride, &h->known[i], h->out, fail);
	h->count = 0;
	return rc;
}

/* Prints the array of facts. A text that is not a position fails the call if it is the only one; otherwise it gets an
 * error entry. */
static int print_facts(struct asked *a, struct texts *texts, bool many, struct pr_out *out, struct pd_fail *fail)
{
	const struct game *g = a->game;
	struct positions_batch h;
	const char *text;
	int rc = PD_OK;
	h.asked = a;
	h.out = out;
	h.count = 0;
	h.stride = (g->state_size + 15u) & ~(size_t)15;
	h.most = BATCH_BYTES / h.stride < BATCH ? (unsigned)(BATCH_BYTES / h.stride) : BATCH;
	h.facts = 0;
	PD_ASSERT(h.most); /* a state fits the batch */
	pr_open_array(out, "facts");
	while (!rc && (text = next_text(texts)) != NULL) {
		struct pd_fail why;
		int bad = g->rules->parse(g, text, h.states + h.count * h.stride, &why);
		if (!bad) {
			if (h.count == h.facts)
				pd_fact_init(&h.known[h.facts++].fact);
			if (++h.count == h.most)
				rc = flush_positions(&h, fail);
		} else if (!many || bad != PD_E_POSITION) {
			*fail = why;
			rc = bad;
		} else {
			rc = flush_positions(&h, fail);
			if (!rc)
				print_error(out, &why);
		}
	}
	rc = rc ? rc : flush_positions(&h, fail);
	for (unsigned i = 0; i < h.facts; i++)
		pd_fact_fini(&h.known[i].fact);
	pr_close(out);
	if (a->depth == OWN_FACT)
		pr_uint(out, "depth", 0);
	return rc;
}

int sv_query(struct sv_core *core, struct st_reader *reader, pr_ref params, struct pd_buf *buf, struct pd_fail *fail)
{
	struct asked a;
	struct pr_out out;
	struct texts texts;
	char *moved = NULL;
	texts.fast = NULL;
	texts.at = 0;
	texts.list = pr_get(params, "positions");
	texts.single = pr_get_str(params, "position", "");
	if (texts.list && (pr_has(params, "position") || sv_position_moved(params)))
		return pd_fail_set(fail, PD_E_PARAMS, "positions",
				   "give either a position and moves from there, or positions, not both");
	int rc = begin_by_params(core, reader, params, &a, fail);
	if (rc)
		return rc;
	if (sv_position_moved(params)) {
		rc = sv_position_text(a.game, params, &moved, fail);
		texts.single = moved;
	}
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	rc = rc ? rc : print_facts(&a, &texts, texts.list != NULL, &out, fail);
	pr_close(&out);
	free(moved);
	sv_game_put(core, a.game);
	return rc;
}

/* The position that the moves of a fast query lead to, written as by sv_position_text. */
static int play_fast(const struct game *game, struct pr_fastpath *query, char text[GAME_TEXT_MAX], struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_played played = {0};
	char word[PR_FAST_TEXT];
	pr_fastpath_next(query, word);
	int rc = game->rules->parse(game, word, state, fail);
	bool start = !*word;
	if (!rc && query->moves == PR_FAST_RECORD) {
		pr_fastpath_record(query, word);
		rc = game_play_record(game, word, start, state, &played, fail);
	}
	while (!rc && query->moves == PR_FAST_LIST && pr_fastpath_move(query, word))
		rc = game_play_move(game, word, state, &played, fail);
	if (!rc)
		game->rules->print(game, state, text, GAME_TEXT_MAX);
	return rc;
}

int sv_query_fast(struct sv_core *core, struct st_reader *reader, struct pr_fastpath *query, struct pd_buf *line)
{
	struct asked a;
	struct pr_out out;
	struct texts texts;
	struct pd_fail fail;
	char moved[GAME_TEXT_MAX];
	texts.fast = query;
	int rc = begin_query(core, reader, query->game, &a, &fail);
	if (rc)
		return rc;
	choose_depth(&a, !query->usual && query->each, query->many);
	if (!query->usual && query->moves != PR_FAST_NONE) {
		rc = play_fast(a.game, query, moved, &fail);
		texts.fast = NULL;
		texts.list = NULL;
		texts.single = moved;
	}
	if (rc) {
		sv_game_put(core, a.game);
		return rc;
	}
	pr_out_init(&out, line);
	pr_fastpath_open(query, &out);
	pr_open_object(&out, "result");
	rc = print_facts(&a, &texts, query->many, &out, &fail);
	pr_close(&out);
	pr_close(&out);
	pd_buf_put(line, "\n", 1);
	sv_game_put(core, a.game);
	return rc ? rc : line->failed ? PD_E_LIMIT : PD_OK;
}

/* --- lines and positions ------------------------------------------------------------------ */

/* The form of `record`, or -1 when none is asked for. */
static int read_form(const struct game *game, pr_ref params, int *form, struct pd_fail *fail)
{
	const char *name = pr_get_str(params, "record", NULL);
	*form = -1;
	for (int i = 0; name && i < GAME_FORMS; i++)
		if (!strcmp(game_form_name((enum game_form)i), name))
			*form = i;
	PD_ASSERT(!name || *form >= 0);
	return *form < 0 || game_has_form(game, (enum game_form) * form)
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_UNSUPPORTED, "record",
				     "%s has no records in the form `%s`; every game has `moves`", game->name, name);
}

struct shown_line {
	const struct asked *asked;
	const struct sv_line_order *order;
	const struct sv_line *line;
	const struct pn_known *known;
	int form; /* of a record, or -1 */
};

static int print_record(const struct shown_line *s, const char *value, struct pr_out *out, struct pd_fail *fail)
{
	struct pd_buf text;
	char remark[GAME_NAME_MAX + 128];
	snprintf(remark, sizeof remark, "%s: %s%s", s->asked->game->name, value,
		 s->line->complete ? "" : "; the line ends where no more is proved");
	pd_buf_init(&text, RECORD_BYTES_MAX);
	int rc = sv_line_record(s->order, s->line, (enum game_form)s->form,
				&(struct sv_line_words){remark, s->asked->notation}, &text, fail);
	if (!rc)
		pr_strn(out, "record", text.data, text.size);
	pd_buf_fini(&text);
	return rc;
}

static int print_line(const struct shown_line *s, struct pr_out *out, struct pd_fail *fail)
{
	const struct game *g = s->asked->game;
	char text[64];
	game_result_text(g, (struct game_interval){s->known->lo, s->known->hi},
			 pn_known_rank(s->known, pn_known_deciding(s->known)), text, sizeof text);
	pr_members(out, PR_OPEN_OBJECT("value"), PR_I("lo", s->known->lo), PR_I("hi", s->known->hi), PR_S("text", text),
		   PR_CLOSE);
	sv_line_print(g, s->order->state, s->line, s->asked->notation, out);
	pr_bool(out, "complete", s->line->complete);
	return s->form < 0 ? PD_OK : print_record(s, text, out, fail);
}

int sv_query_line(struct sv_request *r, struct st_reader *reader)
{
	struct sv_core *core = r->core;
	struct pd_fail *fail = &r->fail;
	pr_ref params = r->params;
	struct asked a;
	struct pr_out out;
	struct sv_line line = {0};
	struct pn_known known = {PN_BY_NONE};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char *position = NULL;
	unsigned count;
	int form = -1, rc = begin_by_params(core, reader, params, &a, fail);
	if (rc)
		return rc;
	struct sv_line_order order = {.core = core,
				      .reader = reader,
				      .game = a.game,
				      .state = state,
				      .limit = (unsigned)pr_get_int(params, "limit", PR_LINE_DEFAULT),
				      .go_on = sv_request_wanted,
				      .ctx = r};
	rc = read_form(a.game, params, &form, fail);
	if (form >= 0)
		order.others = (unsigned)pr_get_int(params, "variations", 0);
	rc = rc ? rc : sv_position_read(a.game, params, state, NULL, fail);
	rc = rc ? rc : sv_position_text(a.game, params, &position, fail);
	rc = rc ? rc : pn_known_get(&a.looking.base, state, &known, fail);
	if (!rc && !known.over)
		rc = pn_known_below(&a.looking.base, state, &known, NULL, &count, fail);
	if (!rc && known.source == PN_BY_NONE)
		rc = pd_fail_set(fail, PD_E_NO_FACT, "position", "nothing is proved about that position of %s",
				 a.game->name);
	rc = rc ? rc : sv_line_make(&order, &line, fail);
	if (!rc) {
		pr_out_init(&out, &r->json);
		pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("position", position));
		rc = print_line(&(struct shown_line){&a, &order, &line, &known, form}, &out, fail);
		pr_close(&out);
	}
	sv_line_free(&line);
	free(position);
	pd_fact_fini(&known.fact);
	sv_game_put(core, a.game);
	return rc;
}
