#include "solver/picture.h"

#include "solver/solver_state.h"

enum {
	ENTRIES_MIN = 64,
	LOOKS_MAX = 20000, /* positions looked at for lines: some milliseconds */
	NONE = UINT32_MAX
};

struct pn_kept {
	struct tt tt;
};

/* A child of the expanded position, before it is decided which children the picture keeps. */
struct candidate {
	struct pn_picture_node node;
	uint32_t promise; /* its number for the mover */
	uint32_t index;   /* in the order of the game's moves */
};

struct painter {
	const struct pn_picture_order *order;
	const struct game *game;
	struct question question;
	const struct tt *tt;                 /* NULL: there is none */
	const struct search_thread *threads; /* the search threads, which are asked first; NULL: none */
	unsigned thread_count;
	struct pn_picture *out;
	game_move *moves;             /* owned; the path from the root to the current position */
	unsigned count;               /* moves on that path */
	uint32_t looks;               /* children looked at */
	struct pd_id *ids, *paths;    /* owned; of the positions on the path, and path hashes; cyclic games only */
	game_move *legal;             /* owned; the legal moves of one position */
	struct candidate *candidates; /* owned; its children */
	_Alignas(16) uint8_t base[GAME_STATE_MAX]; /* the first position */
	_Alignas(16) uint8_t here[GAME_STATE_MAX]; /* the position being expanded */
};

/* --- one position ------------------------------------------------------------------------- */

/* Notes the identity of the position after p->count moves. */
static void note_id(struct painter *p, const void *state)
{
	struct pd_id id;
	if (p->game->acyclic)
		return;
	id = question_claim_id(&p->question, question_position_id(&p->question, state));
	p->ids[p->count] = id;
	p->paths[p->count] = p->count ? ghi_twin_id(p->paths[p->count - 1], id) : id;
}

/* True when the position repeats one on its path; sets the node's numbers accordingly. */
static bool is_repetition(const struct painter *p, struct pd_id id, struct pn_picture_node *node)
{
	for (unsigned d = p->count; !p->game->acyclic && d-- > 0;)
		if (pd_id_equal(p->ids[d], id)) {
			ghi_set_repetition(&p->question, node->num, d);
			node->source = PN_SEEN_CYCLE;
			node->path_dependent = true;
			return true;
		}
	return false;
}

static void add_effort(struct pn_picture_node *node, uint64_t before, uint64_t since)
{
	if (node->effort == PN_EFFORT_UNKNOWN || before == PN_EFFORT_UNKNOWN)
		node->effort = PN_EFFORT_UNKNOWN;
	else
		node->effort = (node->effort > before ? node->effort : before) + since;
}

/* Takes what the search threads know of the position. The numbers come from the first thread that has any, so that
 * siblings have numbers from the same thread. */
static void ask_threads(const struct painter *p, struct pn_picture_node *node)
{
	const struct pn_path path = {p->moves, p->count};
	uint64_t since = 0;
	for (unsigned i = 0; i < p->thread_count; i++) {
		const struct search_thread *w = &p->threads[i];
		struct pn_view s;
		if (!w->present || !w->started || !w->engine->type->view(w->engine, &path, &s))
			continue;
		if (node->source == PN_SEEN_NOT) {
			node->source = PN_SEEN_SEARCH;
			num_copy(node->num, s.num);
			node->path_dependent = s.path_dependent;
			node->follows = s.follows;
		}
		node->threads += s.inside;
		if (s.remote)
			node->waiting = i;
		add_effort(node, s.before, 0);
		since += s.since;
	}
	add_effort(node, 0, since);
}

/* Takes what the table knows of the position: the effort, and the numbers unless a thread had them. */
static void ask_table(const struct painter *p, struct pd_id id, struct pn_picture_node *node)
{
	struct pn_entry e, twin;
	bool there = tt_get(p->tt, id, &e), solved = there && num_solved(e.num);
	if (there) /* the effort of injected facts is unknown */
		add_effort(node, solved && e.work == UINT32_MAX ? 0 : e.work, 0);
	if (node->source != PN_SEEN_NOT)
		return;
	bool good = there && num_sound(e.num) && !(solved && ghi_path_dependent(&p->question, e.num));
	if (!(good && solved) && !p->game->acyclic && p->count &&
	    tt_get(p->tt, ghi_twin_id(p->paths[p->count - 1], id), &twin) && num_sound(twin.num)) {
		good = node->path_dependent = true;
		e = twin;
	}
	if (!good)
		return;
	node->source = PN_SEEN_TABLE;
	num_copy(node->num, e.num);
}

/* Fills in the node for the position after p->count moves. */
static void look_at_position(const struct painter *p, const void *state, struct pn_picture_node *node)
{
	const struct question *q = &p->question;
	struct pd_id id = {0};
	node->num[0] = node->num[1] = 1;
	node->over = question_terminal(q, state, node->num);
	if (node->over) {
		node->source = PN_SEEN_RULES;
		return;
	}
	node->first_to_move = !question_kind(q, state);
	if (p->tt || !p->game->acyclic)
		id = question_claim_id(q, question_position_id(q, state));
	if (is_repetition(p, id, node))
		return;
	ask_threads(p, node);
	if (p->tt)
		ask_table(p, id, node);
	else if (node->source == PN_SEEN_NOT)
		node->effort = PN_EFFORT_UNKNOWN;
	if (p->tt && node->source == PN_SEEN_NOT && question_immediate_win(q, state, node->num))
		node->source = PN_SEEN_RULES;
}

/* --- expanding ---------------------------------------------------------------------------- */

static uint64_t spent_nodes(const struct pn_picture_node *node)
{
	return node->effort == PN_EFFORT_UNKNOWN ? 0 : node->effort;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (spent_nodes(&x->node) != spent_nodes(&y->node))
		return spent_nodes(&x->node) > spent_nodes(&y->node) ? -1 : 1;
	if (x->node.threads != y->node.threads)
		return x->node.threads > y->node.threads ? -1 : 1;
	if (x->promise != y->promise)
		return x->promise < y->promise ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Sets p->here to the node's position and p->moves to the moves that lead there. */
static void go_to(struct painter *p, uint32_t index)
{
	const struct pn_picture_node *nodes = p->out->nodes;
	unsigned depth = nodes[index].depth, from = p->order->path_count;
	for (unsigned d = depth; d > 0; d--) {
		p->moves[from + d - 1] = nodes[index].move;
		index = nodes[index].parent;
	}
	PD_ASSERT(depth <= PN_PICTURE_DEPTH && !index);
	memcpy(p->here, p->base, p->game->state_size);
	for (unsigned d = 0; d < depth; d++) {
		p->game->rules->play(p->game, p->here, p->moves[from + d]);
		p->count = from + d + 1;
		note_id(p, p->here);
	}
	p->count = from + depth;
}

/* Fills p->candidates with the children of p->here, sorted; returns how many there are. */
static unsigned look_at_children(struct painter *p, const struct pn_picture_node *parent, uint32_t index)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	unsigned count = question_moves(&p->question, p->here, p->legal), k = parent->first_to_move ? 0 : 1;
	PD_ASSERT(count && count <= p->game->moves_max);
	for (unsigned i = 0; i < count; i++) {
		struct candidate *c = &p->candidates[i];
		*c = (struct candidate){.index = i};
		c->node.parent = index;
		c->node.depth = (uint8_t)(parent->depth + 1);
		c->node.move = p->legal[i];
		memcpy(child, p->here, p->game->state_size);
		p->game->rules->play(p->game, child, p->legal[i]);
		p->moves[p->count++] = p->legal[i];
		look_at_position(p, child, &c->node);
		p->count--;
		c->promise = c->node.source == PN_SEEN_NOT ? PN_INF : c->node.num[k];
	}
	qsort(p->candidates, count, sizeof *p->candidates, compare_candidates);
	return count;
}

/* Puts the candidate that is most promising for its mover first; of equal ones the one with most nodes. */
static void choose_line(struct painter *p, unsigned count)
{
	struct candidate *best = p->candidates;
	for (unsigned i = 1; i < count; i++)
		if (p->candidates[i].promise < best->promise)
			best = &p->candidates[i];
	p->candidates[0] = *best;
}

static void expand_position(struct painter *p, uint32_t index)
{
	struct pn_picture *out = p->out;
	struct pn_picture_node *parent = &out->nodes[index];
	uint32_t room = p->order->nodes - out->count;
	bool line = p->order->lines && index;
	go_to(p, index);
	unsigned count = look_at_children(p, parent, index);
	p->looks += count;
	if (line) {
		choose_line(p, count);
		parent->follows = false;
		parent->moves = (uint16_t)count;
		parent->first = out->count++;
		parent->count = 1;
		out->nodes[parent->first] = p->candidates[0].node;
		return;
	}
	parent->moves = (uint16_t)count;
	parent->first = out->count;
	parent->count = count < room ? count : room;
	for (uint32_t i = 0; i < parent->count; i++)
		out->nodes[out->count++] = p->candidates[i].node;
	if (parent->count < count) {
		parent->follows = false;
		out->whole = false;
	}
}

/* The position to expand next; NONE when there is none. */
static uint32_t choose_position(const struct painter *p)
{
	const struct pn_picture *out = p->out;
	uint32_t best = NONE;
	for (uint32_t i = 0; i < out->count; i++) {
		const struct pn_picture_node *n = &out->nodes[i];
		if (n->moves || n->over || n->source == PN_SEEN_CYCLE || n->depth >= p->order->depth)
			continue;
		if (num_solved(n->num) && i)
			continue;
		if (best == NONE || spent_nodes(n) > spent_nodes(&out->nodes[best]))
			best = i;
	}
	return best;
}

/* --- the whole ---------------------------------------------------------------------------- */

static bool make_room(struct painter *p)
{
	size_t way = (size_t)p->order->path_count + PN_PICTURE_DEPTH + 2, moves = p->game->moves_max;
	p->out->nodes = malloc(p->order->nodes * sizeof *p->out->nodes);
	p->moves = malloc(way * sizeof *p->moves);
	p->ids = malloc(way * sizeof *p->ids);
	p->paths = malloc(way * sizeof *p->paths);
	p->legal = malloc(moves * sizeof *p->legal);
	p->candidates = malloc(moves * sizeof *p->candidates);
	return p->out->nodes && p->moves && p->ids && p->paths && p->legal && p->candidates;
}

/* Plays the moves of order->path from the root. */
static void go_to_start(struct painter *p, const void *root)
{
	memcpy(p->base, root, p->game->state_size);
	p->count = 0;
	note_id(p, p->base);
	while (p->count < p->order->path_count) {
		p->moves[p->count] = p->order->path[p->count];
		p->game->rules->play(p->game, p->base, p->moves[p->count++]);
		note_id(p, p->base);
	}
}

static int paint_picture(struct painter *p, const void *root, struct pd_fail *fail)
{
	uint32_t next;
	int rc = PD_OK;
	PD_ASSERT(p->order->depth <= PN_PICTURE_DEPTH && p->order->nodes && p->order->nodes <= PN_PICTURE_NODES);
	*p->out = (struct pn_picture){.whole = true, .threshold = p->question.threshold};
	if (make_room(p)) {
		go_to_start(p, root);
		p->out->nodes[0] = (struct pn_picture_node){.move = PD_NO_MOVE};
		look_at_position(p, p->base, &p->out->nodes[0]);
		p->out->count = 1;
		while ((next = choose_position(p)) != NONE && p->out->count < p->order->nodes &&
		       !(p->order->lines && p->looks > LOOKS_MAX))
			expand_position(p, next);
		p->out->whole &= next == NONE;
	} else {
		pn_picture_free(p->out);
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a picture of the search");
	}
	free(p->moves);
	free(p->ids);
	free(p->paths);
	free(p->legal);
	free(p->candidates);
	return rc;
}

int pn_solver_picture(const struct pn_solver *s, const struct pn_picture_order *order, struct pn_picture *out,
		      struct pd_fail *fail)
{
	bool searching = s->searching && !s->shorten.running;
	struct painter p = {
		.order = order,
		.game = s->game,
		.question = s->question.game ? s->question : pn_root_question(s, pn_root_next(s)),
		.tt = s->algorithm->engine->tt ? &s->tt : NULL,
		.threads = s->threads,
		.thread_count = searching ? pn_threads_most(s) : 0,
		.out = out,
	};
	return paint_picture(&p, s->root, fail);
}

void pn_picture_free(struct pn_picture *picture)
{
	free(picture->nodes);
	*picture = (struct pn_picture){0};
}

/* --- a table without a search ------------------------------------------------------------- */

uint64_t pn_kept_bytes(uint64_t entries)
{
	return (entries + entries / 2 + ENTRIES_MIN) *
	       sizeof(struct pn_entry); /* a table with no more entries than its capacity replaces none */
}

struct pn_kept *pn_kept_new(uint64_t entries)
{
	struct pn_kept *kept = malloc(sizeof *kept);
	if (kept && tt_init(&kept->tt, pn_kept_bytes(entries), false)) {
		tt_forget_dirty(&kept->tt);
		return kept;
	}
	free(kept);
	return NULL;
}

void pn_kept_free(struct pn_kept *kept)
{
	if (kept)
		tt_fini(&kept->tt);
	free(kept);
}

void pn_kept_load(struct pn_kept *kept, const struct pn_entry *entry)
{
	tt_load(&kept->tt, entry);
}

int pn_kept_picture(const struct pn_picture_of *what, const struct pn_picture_order *order, struct pn_picture *out,
		    struct pd_fail *fail)
{
	struct painter p = {
		.order = order,
		.game = what->game,
		.question = question_of(what->game, what->threshold),
		.tt = what->kept ? &what->kept->tt : NULL,
		.out = out,
	};
	p.question.identity = what->names;
	return paint_picture(&p, what->root, fail);
}
