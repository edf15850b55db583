/* job.tree: the top of a job's search. A reader thread asks the run for a picture (jobs/run/picture_request.h) or makes
 * one from the stored table, and adds what facts say.
 *
 * position.analyze: the same for a position. The job is one of those that begin at a position of its line: a running
 * one, if there is any, and of several the one that begins nearest to the position. */

#include "proto/base/assert.h"
#include "server/api/lookup.h"
#include "server/api/methods.h"
#include "server/api/position_jobs.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/spec_fields.h"
#include "server/jobs/run/picture_request.h"
#include "server/common/memory_bound.h"
#include "server/jobs/model/tt_entry.h"

enum {
	KEPT_BYTES = 32 << 20, /* largest stored table that is read for a picture */
	ENTRY_BYTES = 18,      /* smallest size of a stored entry */
	TABLES_MAX = 2         /* tables read at one time: one for each thread of the queue SV_TREES */
};

_Static_assert((int)PR_TREE_DEPTH_MAX <= (int)PN_PICTURE_DEPTH && (int)PR_TREE_MAX <= (int)PN_PICTURE_NODES,
	       "pictures are large enough");

enum source { BY_SEARCH, BY_TABLE, BY_FACTS };

/* A legal move of the analyzed position. */
struct tree_move {
	game_move move;
	struct pd_id key; /* of the exact key of the position after it: moves with the same one are alike */
};

struct job_tree {
	struct sv_request *r;
	/* of the job, copied */
	uint32_t job;        /* 0: none searches the position */
	struct sv_spec spec; /* game and position are owned; other members that point to memory are not valid */
	enum sv_state state;
	struct pn_progress progress;
	double seconds;
	/* of the request */
	struct game *game;
	const char *notation;
	game_move *path; /* owned */
	unsigned path_count;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];                          /* the job's position */
	_Alignas(16) uint8_t states[PR_TREE_DEPTH_MAX + 1][GAME_STATE_MAX]; /* path to the current position */
	/* of position.analyze: the positions of the line, its first one as it was given, and those after each move */
	struct tree_move *moves; /* owned; NULL: it is job.tree */
	unsigned move_count;
	struct sv_begun *begun; /* owned */
	unsigned begun_count;
	/* the answer */
	enum source source;
	struct pn_picture picture;
	struct sv_picture_names *names; /* owned; NULL: none */
	struct sv_lookup looking;
	struct pn_known known;                 /* of the current position */
	struct pn_after after[GAME_MOVES_MAX]; /* what is known after its moves */
	int64_t printed;                       /* positions */
};

/* The threshold of the job's search; before the first search, that of a claim with a fixed threshold. */
static int16_t threshold_of(const struct sv_job *job)
{
	const struct pd_claim *claim = &job->record.spec.claim;
	bool begun = job->run.snapshot.progress.level1 + job->run.snapshot.progress.level2 > 0;
	return claim->value || begun ? job->run.snapshot.progress.threshold : (int16_t)claim->threshold;
}

/* Under the lock, which it releases. */
static int copy_job(struct job_tree *t, const struct sv_job *job)
{
	struct sv_request *r = t->r;
	t->job = job->record.id;
	t->spec = job->record.spec;
	t->spec.game = strdup(job->record.spec.game);
	t->spec.position = strdup(job->record.spec.position);
	t->state = sv_job_shown(job);
	t->progress = job->run.snapshot.progress;
	t->progress.threshold = threshold_of(job);
	t->seconds = job->run.snapshot.seconds;
	bool damaged = job->record.damaged;
	sv_unlock(r->core);
	if (!t->spec.game || !t->spec.position)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a tree");
	return damaged ? pd_fail_set(&r->fail, PD_E_STATE, "job", "the record of job %u is damaged", t->job) : PD_OK;
}

/* Plays the request's moves from t->root. */
static int read_path(struct job_tree *t)
{
	const struct game *g = t->game;
	struct pd_fail *fail = &t->r->fail;
	pr_ref moves = pr_get(t->r->params, "moves");
	struct game_played played = {.list = malloc(GAME_RECORD_MOVES * sizeof *played.list),
				     .number = (unsigned)pr_get_int(t->r->params, "game_number", 0)};
	int rc = PD_OK;
	t->path = played.list;
	if (!t->path)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a tree");
	memcpy(t->states[0], t->root, g->state_size);
	if (pr_kind_of(moves) == PR_STRING)
		rc = game_play_record(g, pr_text(moves, ""), false, t->states[0], &played, fail);
	for (size_t i = 0; !rc && pr_kind_of(moves) == PR_ARRAY && i < pr_count(moves); i++)
		rc = game_play_move(g, pr_text(pr_at(moves, i), ""), t->states[0], &played, fail);
	t->path_count = played.count;
	return rc;
}

static int open_reader(struct job_tree *t)
{
	struct sv_core *core = t->r->core;
	struct st_reader *reader;
	int rc = sv_position_notation(t->game, t->r->params, &t->notation, &t->r->fail);
	rc = rc ? rc : sv_request_reader(t->r, &reader);
	if (!rc) {
		sv_lookup_init(&t->looking, core, reader);
		sv_lookup_game(&t->looking, core, t->game);
		t->looking.base.unique = true; /* as a search looks at moves */
	}
	return rc;
}

static int open_job(struct job_tree *t)
{
	struct sv_request *r = t->r;
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	rc = rc ? rc : copy_job(t, job);
	rc = rc ? rc : sv_game_get(r->core, t->spec.game, &t->game, &r->fail);
	if (!rc && sv_job_rules_differ(&t->spec, t->game))
		rc = pd_fail_set(&r->fail, PD_E_STATE, "job",
				 "the rules of %.80s have changed since job %u was submitted; submit it again",
				 t->game->name, t->job);
	rc = rc ? rc : t->game->rules->parse(t->game, t->spec.position, t->root, &r->fail);
	rc = rc ? rc : read_path(t);
	return rc ? rc : open_reader(t);
}

/* --- the job of a position ---------------------------------------------------------------- */

/* Fills t->begun with the t->path_count + 1 positions of the line, the first one as it was given, and those after each
 * move; leaves the last position of the line in t->states[0]. */
static int list_positions(struct job_tree *t)
{
	const struct game *g = t->game;
	struct pd_fail *fail = &t->r->fail;
	const char *given = pr_get_str(t->r->params, "position", "");
	uint8_t *state = t->states[0], *child = t->states[1], key[GAME_KEY_MAX];
	game_move *legal = malloc(g->moves_max * sizeof *legal);
	t->moves = calloc(g->moves_max, sizeof *t->moves);
	t->begun = calloc((size_t)t->path_count + 2 + g->moves_max, sizeof *t->begun);
	int rc = legal && t->moves && t->begun ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a tree");
	memcpy(state, t->root, g->state_size);
	for (unsigned i = 0; !rc && i <= t->path_count; i++) {
		if (i)
			g->rules->play(g, state, t->path[i - 1]);
		rc = sv_begun_set(&t->begun[t->begun_count++], g, state, fail);
	}
	if (!rc) { /* a job has its position as it was given, too */
		struct sv_begun *first = &t->begun[t->begun_count++];
		*first = (struct sv_begun){.text = strdup(given), .hash = pd_hash64(given, strlen(given))};
		rc = first->text ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a tree");
		t->move_count = rc ? 0 : g->rules->moves(g, state, legal);
	}
	for (unsigned i = 0; !rc && i < t->move_count; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, legal[i]);
		t->moves[i] = (struct tree_move){legal[i], pd_id_of(key, g->rules->key(g, child, key), 0)};
		rc = sv_begun_set(&t->begun[t->begun_count++], g, child, fail);
	}
	free(legal);
	return rc;
}

/* The place of the job to show in t->begun. One that has not searched yet shows nothing. */
static unsigned choose_job(struct job_tree *t)
{
	struct sv_begun *line = t->begun;
	const struct sv_begun *given = &line[t->path_count + 1]; /* the first position, as it was given */
	unsigned best = 0;
	if (!line[0].job) {
		line[0].job = given->job;
		line[0].state = given->state;
		line[0].nodes = given->nodes;
	}
	for (unsigned i = 0; i <= t->path_count; i++) {
		if (!line[i].nodes && line[i].state != SV_RUNNING)
			line[i].job = 0;
		if (line[i].job && (!line[best].job || line[best].state != SV_RUNNING || line[i].state == SV_RUNNING))
			best = i;
	}
	return best;
}

/* Takes over the job that begins at place `from` of the line, if it still exists. */
static int take_job(struct job_tree *t, unsigned from)
{
	struct sv_request *r = t->r;
	sv_lock(r->core);
	const struct sv_job *job = sv_index_find(sv_index(r->core), t->begun[from].job);
	int rc = PD_OK;
	if (job)
		rc = copy_job(t, job);
	else
		sv_unlock(r->core);
	if (!rc && t->job && sv_job_rules_differ(&t->spec, t->game))
		t->job = 0;
	if (rc || !t->job)
		return rc;
	t->path_count -= from;
	memmove(t->path, t->path + from, t->path_count * sizeof *t->path);
	return t->game->rules->parse(t->game, t->spec.position, t->root, &r->fail);
}

static int open_position(struct job_tree *t)
{
	struct sv_request *r = t->r;
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &t->game, &r->fail);
	rc = rc ? rc : t->game->rules->parse(t->game, pr_get_str(r->params, "position", ""), t->root, &r->fail);
	rc = rc ? rc : read_path(t);
	rc = rc ? rc : list_positions(t);
	if (rc)
		return rc;
	sv_begun_find(r->core, t->game, t->begun, t->begun_count);
	rc = take_job(t, choose_job(t));
	if (!rc && !t->job) { /* what the rules and facts say of the position */
		memcpy(t->root, t->states[0], t->game->state_size);
		t->path_count = 0;
		t->progress.threshold = 1;
	}
	return rc ? rc : open_reader(t);
}

/* Of a move of the analyzed position, which leads to `state`: the moves that are like it, and the best job that begins
 * after any of them. */
static void print_begun(struct job_tree *t, game_move move, struct pr_out *out)
{
	const struct sv_begun *after = t->begun + t->begun_count - t->move_count, *best = NULL;
	char text[GAME_TEXT_MAX];
	unsigned at = 0;
	while (at < t->move_count && t->moves[at].move != move)
		at++;
	PD_ASSERT(at < t->move_count);
	pr_open_array(out, "alike");
	for (unsigned i = 0; i < t->move_count; i++) {
		if (!pd_id_equal(t->moves[i].key, t->moves[at].key))
			continue;
		if (after[i].job && (!best || after[i].state == SV_RUNNING))
			best = &after[i];
		if (i == at)
			continue;
		game_move_text(t->game, t->states[0], t->moves[i].move, t->notation, text, sizeof text);
		pr_str(out, NULL, text);
	}
	pr_close(out);
	if (best)
		pr_members(out, PR_OPEN_OBJECT("job"), PR_U("job", best->job),
			   PR_S("state", sv_state_text(best->state)), PR_U("nodes", best->nodes),
			   SV_NUMBER("pn", best->pn), SV_NUMBER("dn", best->dn), PR_CLOSE);
}

/* --- pictures ----------------------------------------------------------------------------- */

static int load_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		pn_kept_load(ctx, &e);
	}
	return PD_OK;
}

/* No job has reserved memory for this table, so it is loaded only if enough is left for the searches. */
static bool has_room(struct sv_core *core, uint64_t entries)
{
	sv_lock(core);
	uint64_t bound = sv_bound(core)->bytes;
	sv_unlock(core);
	return sv_memory_own() + TABLES_MAX * pn_kept_bytes(entries) < sv_memory_quota(bound);
}

/* The job's stored table; *out is NULL when there is none, or it is too large. */
static int load_table(const struct job_tree *t, struct pn_kept **out)
{
	struct sv_core *core = t->r->core;
	struct pd_fail *fail = &t->r->fail;
	struct pd_id known;
	uint64_t bytes = t->job && pn_algorithm_has_tt(t->spec.algorithm) ? st_tt_bytes(sv_store(core), t->job) : 0;
	*out = NULL;
	if (!bytes || bytes > KEPT_BYTES || !has_room(core, bytes / ENTRY_BYTES))
		return PD_OK;
	int rc = st_tt_question(sv_store(core), t->job, &known, fail);
	if (rc || !pd_id_equal(known, sv_job_question(&t->spec, t->game, sv_identity(core))))
		return rc;
	struct pn_kept *kept = pn_kept_new(bytes / ENTRY_BYTES);
	if (!kept)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the table of job %u", t->job);
	rc = st_tt_each(sv_store(core), t->job, load_entries, kept, fail);
	if (rc)
		pn_kept_free(kept);
	else
		*out = kept;
	return rc;
}

static int paint_kept(struct job_tree *t, const struct pn_picture_order *order)
{
	struct pd_identity names;
	struct pn_kept *kept;
	int rc = load_table(t, &kept);
	if (rc)
		return rc;
	pd_identity_init(&names, sv_identity(t->r->core));
	t->source = kept ? BY_TABLE : BY_FACTS;
	rc = pn_kept_picture(&(struct pn_picture_of){t->game, t->root, t->progress.threshold, &names, kept}, order,
			     &t->picture, &t->r->fail);
	pn_kept_free(kept);
	return rc;
}

static int fetch_picture(struct job_tree *t)
{
	pr_ref params = t->r->params;
	struct sv_picture_request look = {
		.order = {.path = t->path,
			  .path_count = t->path_count,
			  .depth = (unsigned)pr_get_int(params, "depth", t->moves ? PR_LINE_DEPTH : PR_TREE_DEPTH),
			  .nodes = t->moves ? PR_TREE_MAX + t->move_count
					    : (uint32_t)pr_get_int(params, "nodes_max", PR_TREE_POSITIONS),
			  .lines = t->moves},
	};
	PD_ASSERT(look.order.depth <= PR_TREE_DEPTH_MAX && look.order.nodes && look.order.nodes <= PN_PICTURE_NODES);
	if (!t->job || !sv_picture_ask(t->r->core, t->job, &look))
		return paint_kept(t, &look.order);
	if (look.fail.code) {
		t->r->fail = look.fail;
		return look.fail.code;
	}
	t->source = BY_SEARCH;
	t->state = SV_RUNNING; /* whatever it was before */
	t->picture = look.picture;
	t->names = look.names;
	t->progress = look.progress;
	return PD_OK;
}

static void print_number(struct pr_out *out, const char *key, const struct pn_picture_node *node, unsigned which)
{
	if (node->source == PN_SEEN_NOT)
		pr_null(out, key);
	else if (node->num[which] && !node->num[!which])
		pr_str(out, key, "inf");
	else
		pr_uint(out, key, node->num[which]);
}

/* Whether bounds settle the claim. */
static bool settles_claim(const struct job_tree *t, int lo, int hi)
{
	return lo >= t->picture.threshold || hi < t->picture.threshold;
}

/* Called for each position: a large tree takes a million look-ups. */
static int still_wanted(const struct job_tree *t)
{
	return sv_request_wanted(t->r) ? PD_OK
				       : pd_fail_set(&t->r->fail, PD_E_SHUTDOWN, "", "the tree is no longer wanted");
}

/* Stores what facts or rules say about a position in t->known; with `below`, counts the moves that a search looks at
 * there, and how many of them are settled. */
static int look_up(struct job_tree *t, const void *state, bool below, unsigned *count, unsigned *known)
{
	struct pd_fail *fail = &t->r->fail;
	*count = *known = 0;
	int rc = pn_known_get(&t->looking.base, state, &t->known, fail);
	if (!rc && below && !t->known.over)
		rc = pn_known_below(&t->looking.base, state, &t->known, t->after, count, fail);
	for (unsigned i = 0; !rc && i < *count; i++)
		*known += settles_claim(t, t->after[i].lo, t->after[i].hi);
	return rc;
}

static void print_value(const struct job_tree *t, struct pr_out *out)
{
	const struct pn_known *known = &t->known;
	char text[64];
	if (known->source == PN_BY_NONE)
		return;
	game_value_text(game_words(t->game), game_scale(t->game), (struct game_interval){known->lo, known->hi}, text,
			sizeof text);
	pr_members(out, PR_OPEN_OBJECT("value"), PR_I("lo", known->lo), PR_I("hi", known->hi), PR_S("text", text),
		   PR_CLOSE);
}

/* Prints one position, to which t->known belongs. */
static void print_numbers(const struct job_tree *t, const struct pn_picture_node *node, bool settled,
			  struct pr_out *out)
{
	static const char *const numbers[] = {"none", "rules", "cycle", "search", "table"};
	bool proved = settled ? t->known.lo >= t->picture.threshold : !node->num[0];
	pr_str(out, "status", !settled && node->num[0] && node->num[1] ? "open" : proved ? "proved" : "disproved");
	print_number(out, "pn", node, 0);
	print_number(out, "dn", node, 1);
	pr_members(out, PR_S("numbers", numbers[node->source]), PR_B("path_dependent", node->path_dependent),
		   PR_IF(node->effort != PN_EFFORT_UNKNOWN, PR_U("effort", node->effort)),
		   PR_U("threads", node->threads));
	for (const struct sv_picture_names *n = t->names; n && n->name[0]; n++)
		if (&t->picture.nodes[n->node] == node)
			pr_str(out, "worker", n->name);
}

/* Prints the position at `index`, whose state is in t->states at its depth, and those below it. */
static int print_below(struct job_tree *t, uint32_t index, int64_t parent)
{
	struct pr_out *out = &t->r->out;
	const struct game *g = t->game;
	const struct pn_picture_node *node = &t->picture.nodes[index];
	const uint8_t *state = t->states[node->depth];
	unsigned count, known;
	char text[GAME_TEXT_MAX];
	int64_t place = t->printed++;
	int rc = still_wanted(t);
	rc = rc ? rc : look_up(t, state, !t->moves || !index, &count, &known);
	if (rc)
		return rc;
	pr_open_object(out, NULL);
	if (index) {
		game_move_text(g, t->states[node->depth - 1], node->move, t->notation, text, sizeof text);
		pr_int(out, "parent", parent);
	} else {
		pr_null(out, "parent");
	}
	pr_members(out, PR_U("depth", node->depth), PR_S("move", index ? text : NULL),
		   PR_IF(!node->over, PR_B("first_to_move", node->first_to_move)));
	print_numbers(t, node, settles_claim(t, t->known.lo, t->known.hi), out);
	pr_members(out, PR_U("moves", count), PR_U("known", known));
	print_value(t, out);
	if (t->moves && node->depth == 1)
		print_begun(t, node->move, out);
	pr_close(out);
	for (uint32_t i = 0; !rc && i < node->count; i++) {
		uint8_t *below = t->states[node->depth + 1];
		PD_ASSERT(node->depth < PR_TREE_DEPTH_MAX && node->first > index);
		memcpy(below, state, g->state_size);
		g->rules->play(g, below, t->picture.nodes[node->first + i].move);
		rc = print_below(t, node->first + i, place);
	}
	return rc;
}

static void print_line(struct job_tree *t, struct pr_out *out)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	memcpy(state, t->root, t->game->state_size);
	pr_open_array(out, "line");
	for (unsigned i = 0; i < t->path_count; i++) {
		game_move_text(t->game, state, t->path[i], t->notation, text, sizeof text);
		pr_str(out, NULL, text);
		t->game->rules->play(t->game, state, t->path[i]);
	}
	pr_close(out);
}

static int print_tree(struct job_tree *t)
{
	static const char *const sources[] = {"search", "table", "facts"};
	struct pr_out *out = &t->r->out;
	char text[GAME_TEXT_MAX];
	t->game->rules->print(t->game, t->states[0], text, sizeof text);
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_IF(t->job, PR_U("job", t->job)),
		   PR_S("state", t->job ? sv_state_text(t->state) : NULL), PR_S("source", sources[t->source]),
		   PR_S("game", t->game->name), PR_S("position", text));
	print_line(t, out);
	pr_members(out, PR_I("threshold", t->picture.threshold), PR_OPEN_OBJECT("nodes"),
		   PR_U("level1", t->progress.level1), PR_U("level2", t->progress.level2),
		   PR_U("positions", t->progress.positions), PR_CLOSE, PR_R("seconds", t->seconds, 3),
		   PR_B("whole", t->picture.whole), PR_OPEN_ARRAY("positions"));
	int rc = print_below(t, 0, 0);
	pr_close(out);
	pr_close(out);
	PD_ASSERT(rc || t->printed == t->picture.count);
	return rc;
}

static int print_picture(struct sv_request *r, int (*find)(struct job_tree *t))
{
	struct job_tree *t = calloc(1, sizeof *t);
	if (!t)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a tree");
	t->r = r;
	pd_fact_init(&t->known.fact);
	int rc = find(t);
	rc = rc ? rc : fetch_picture(t);
	rc = rc ? rc : print_tree(t);
	pn_picture_free(&t->picture);
	free(t->names);
	pd_fact_fini(&t->known.fact);
	for (unsigned i = 0; i < t->begun_count; i++)
		free(t->begun[i].text);
	free(t->begun);
	free(t->moves);
	free(t->path);
	free(t->spec.game);
	free(t->spec.position);
	if (t->game)
		sv_game_put(r->core, t->game);
	free(t);
	return rc;
}

int sv_method_job_tree(struct sv_request *r)
{
	return print_picture(r, open_job);
}

int sv_method_position_analyze(struct sv_request *r)
{
	return print_picture(r, open_position);
}
