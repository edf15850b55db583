#include "solver/mopn.h"

#include "solver/huge_memory.h"
#include "solver/tree_proof.h"
#include "solver/tree_search.h"

/* --- claims ------------------------------------------------------------------------------- */

static unsigned mopn_all_claims(const struct mopn *m)
{
	return (1u << m->count) - 1;
}

/* The claims that are solved at a node, as a set of bits. */
static unsigned mopn_solved_claims(const struct mopn *m, uint32_t node)
{
	unsigned set = 0;
	for (unsigned i = 0; i < m->count; i++)
		if (num_solved(mopn_pair(m, node, i)))
			set |= 1u << i;
	return set;
}

/* The claims that what is known of the root's value settles. */
static unsigned mopn_known_claims(const struct mopn *m)
{
	unsigned set = 0;
	for (unsigned i = 0; m->lo && i < m->count; i++)
		if (m->question[i].threshold <= *m->lo || m->question[i].threshold > *m->hi)
			set |= 1u << i;
	return set;
}

/* The claims that need nothing below the node on the path at `depth`: they are solved there or above. */
static unsigned mopn_closed_claims(const struct mopn *m, uint32_t depth)
{
	unsigned set = mopn_known_claims(m);
	for (uint32_t d = 0; d <= depth && set != mopn_all_claims(m); d++)
		set |= mopn_solved_claims(m, m->top.tree.path[d].node);
	return set;
}

/* Exchanges claims 0 and `claim` everywhere. A free block is linked through the first number of its first node, which
 * stays. */
static void mopn_exchange_claims(struct mopn *m, unsigned claim)
{
	struct tree *tree = &m->top.tree;
	PD_ASSERT(claim < m->count);
	if (!claim)
		return;
	for (uint32_t node = TREE_ROOT; node < tree->bump; node++) {
		uint32_t *a = mopn_pair(m, node, 0), *b = mopn_pair(m, node, claim), was[2] = {a[0], a[1]};
		num_copy(a, b);
		num_copy(b, was);
	}
	for (unsigned size = 1; size <= tree->question.game->moves_max; size++)
		for (uint32_t block = tree->free_blocks[size]; block; block = tree->nodes[block].num[0])
			tree->nodes[block].num[0] = mopn_pair(m, block, claim)[0];
	struct question question = m->question[0];
	game_move move = m->move[0];
	bool recorded = m->recorded[0];
	m->question[0] = tree->question = m->question[claim];
	m->move[0] = tree->root_move = m->move[claim];
	m->recorded[0] = m->recorded[claim];
	m->question[claim] = question;
	m->move[claim] = move;
	m->recorded[claim] = recorded;
	if (m->claim == 0 || m->claim == claim)
		m->claim = claim - m->claim;
}

/* The effort to prove at the root that the value is on that side of a claim's threshold; `claim` is -1 for the end of
 * the scale, which is always on that side. */
static uint32_t mopn_effort(const struct mopn *m, int claim, enum pd_side side)
{
	if (claim < 0)
		return 0;
	int threshold = m->question[claim].threshold;
	if (m->lo && threshold <= *m->lo)
		return side == PD_LO ? 0 : PN_INF;
	if (m->lo && threshold > *m->hi)
		return side == PD_LO ? PN_INF : 0;
	return mopn_pair(m, TREE_ROOT, (unsigned)claim)[side];
}

/* The claim with the least threshold above `threshold`; -1: none. */
static int mopn_next_claim(const struct mopn *m, int threshold)
{
	int next = -1;
	for (int i = 0; i < (int)m->count; i++)
		if (m->question[i].threshold > threshold &&
		    (next < 0 || m->question[i].threshold < m->question[next].threshold))
			next = i;
	return next;
}

static unsigned choose_claim(const struct mopn *m)
{
	unsigned best = 0;
	uint64_t least = PN_INF;
	/* each outcome with the claim whose threshold it is, -1 for the least one, and the claim above it */
	for (int at = -1, above = mopn_next_claim(m, INT16_MIN); at >= 0 || above >= 0;) {
		uint32_t g = mopn_effort(m, at, PD_LO), s = mopn_effort(m, above, PD_HI);
		if ((g || s) && (uint64_t)g + s < least) {
			least = (uint64_t)g + s;
			best = (unsigned)(g ? at : above);
		}
		at = above;
		above = at < 0 ? -1 : mopn_next_claim(m, m->question[at].threshold);
	}
	return best;
}

/* --- expansion ---------------------------------------------------------------------------- */

static bool mopn_is_open(const struct mopn *m, uint32_t node)
{
	return mopn_solved_claims(m, node) == 0;
}

/* Sets all pairs of the open node where the search stands, if the host's fact settles all claims. */
static bool mopn_ask_host(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	const struct pn_host *host = tree->options.host;
	uint32_t node = tree->path[tree->depth].node, num[MOPN_CLAIMS_MAX][2];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	size_t size = tree->question.game->rules->key(tree->question.game, tree_state(tree, tree->depth), key);
	pd_fact_init(&fact);
	bool settled = host->fact(host->ctx, key, size, &fact);
	for (unsigned i = 0; i < m->count && settled; i++)
		settled = question_settled(&m->question[i], &fact, num[i]);
	pd_fact_fini(&fact);
	for (unsigned i = 0; i < m->count && settled; i++)
		num_copy(mopn_pair(m, node, i), num[i]);
	return settled;
}

/* Sets the pairs of a child of the node where the search stands. Returns whether the game is over there. */
static bool mopn_make_child(struct mopn *m, uint32_t node, game_move move)
{
	struct tree *tree = &m->top.tree;
	const struct question *q = &tree->question;
	uint8_t *state = tree_copy_on(tree, tree->depth);
	q->game->rules->play(q->game, state, move);
	tree->nodes[node] = (struct tree_node){.move = move};
	bool over = false;
	for (unsigned i = 0; i < m->count; i++) {
		uint32_t *num = mopn_pair(m, node, i);
		over = question_terminal(&m->question[i], state, num);
		if (over)
			continue;
		if (i)
			num_copy(num, tree->nodes[node].num);
		else
			question_initial_numbers(q, state, false, tree->options.mobility, tree->replies, num);
	}
	return over;
}

/* Makes the children of the leaf where the search stands, up to the first that wins all claims for its mover. False
 * when the arena has no room. */
static bool mopn_make_children(struct mopn *m, uint32_t node, unsigned k)
{
	struct tree *tree = &m->top.tree;
	unsigned count = question_moves(&tree->question, tree_state(tree, tree->depth), tree->moves), made = 0;
	if (tree->options.seed)
		question_shuffle_moves(&tree->random, tree->moves, count);
	uint32_t block = tree_take_block(tree, count);
	if (!block)
		return false;
	bool won = false;
	while (made < count && !won) {
		uint32_t child = block + made;
		won = mopn_make_child(m, child, tree->moves[made++]);
		for (unsigned i = 0; i < m->count; i++)
			won &= mopn_pair(m, child, i)[k] == 0;
	}
	tree->generated += made;
	for (unsigned i = made; i < count; i++) { /* not needed */
		tree->nodes[block + i] = (struct tree_node){0};
		for (unsigned j = 0; j < m->count; j++)
			mopn_pair(m, block + i, j)[0] = mopn_pair(m, block + i, j)[1] = 1;
	}
	tree->nodes[node].child = block;
	tree->nodes[node].count = (uint16_t)count;
	if (tree->options.hints && tree_follow_hints(tree, &tree->nodes[node], k).min)
		for (uint32_t child = block; child < block + count; child++)
			for (unsigned i = 1; i < m->count && tree->nodes[child].num[k] == HINT_NUMBER; i++)
				mopn_pair(m, child, i)[k] = HINT_NUMBER;
	return true;
}

/* --- updates ------------------------------------------------------------------------------ */

/* The numbers of a node's children for a claim. Where those that hints name have failed, the others begin as others
 * do. */
static struct num_sum mopn_sum_children(const struct mopn *m, const struct tree_node *node, unsigned k, unsigned claim)
{
	struct num_sum sum;
	num_sum_init(&sum);
	for (unsigned i = 0; i < node->count; i++)
		num_sum_add(&sum, k, mopn_pair(m, node->child + i, claim), i);
	if (!m->top.tree.options.hints || sum.min != HINT_NUMBER)
		return sum;
	num_sum_init(&sum);
	for (unsigned i = 0; i < node->count; i++) {
		uint32_t *num = mopn_pair(m, node->child + i, claim);
		if (num[k] == HINT_NUMBER && !m->top.tree.nodes[node->child + i].count)
			num[k] = 1;
		num_sum_add(&sum, k, num, i);
	}
	return sum;
}

/* Frees what is below a node, and notes how many nodes that took. */
static void mopn_free_below(struct mopn *m, struct tree_node *node)
{
	if (!node->count)
		return;
	node->child = tree_clamp_effort(tree_free_below(&m->top.tree, node->child, node->count));
	node->count = 0;
}

/* With kept proofs, below a node whose mover wins all claims: frees all children but those that prove that. */
static void mopn_trim_won(struct mopn *m, const struct tree_node *node, unsigned k)
{
	unsigned best[MOPN_CLAIMS_MAX];
	for (unsigned i = 0; i < m->count; i++) {
		struct num_sum sum = mopn_sum_children(m, node, k, i);
		if (sum.min)
			return;
		best[i] = sum.best;
	}
	for (unsigned j = 0; j < node->count; j++) {
		struct tree_node *child = &m->top.tree.nodes[node->child + j];
		bool needed = false;
		for (unsigned i = 0; i < m->count; i++)
			needed |= best[i] == j;
		if (needed)
			continue;
		mopn_free_below(m, child);
		child->child = 0;
	}
}

/* A claim was solved at the node where the search stands: frees what no claim needs any more. */
static void mopn_drop_settled(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	struct tree_node *node = tree_here(tree);
	if (tree->options.keep_proofs) {
		mopn_trim_won(m, node, tree->path[tree->depth].k);
		return;
	}
	unsigned closed = mopn_closed_claims(m, tree->depth), all = mopn_all_claims(m);
	if (closed == all) {
		mopn_free_below(m, node);
		return;
	}
	for (uint32_t child = node->child; child < node->child + node->count; child++)
		if ((closed | mopn_solved_claims(m, child)) == all)
			mopn_free_below(m, &tree->nodes[child]);
}

/* The open pairs of the node where the search stands follow from its children. Returns whether one changed. */
static bool mopn_update_node(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	const struct tree_step *step = &tree->path[tree->depth];
	const struct tree_node *node = &tree->nodes[step->node];
	bool changed = false, solved = false;
	for (unsigned i = 0; i < m->count; i++) {
		uint32_t *here = mopn_pair(m, step->node, i), num[2];
		if (num_solved(here))
			continue;
		struct num_sum sum = mopn_sum_children(m, node, step->k, i);
		ghi_backup(&m->question[i], &sum, step->k, tree->depth, num);
		PD_DEBUG_ASSERT(num_sound(num));
		changed |= num[0] != here[0] || num[1] != here[1];
		num_copy(here, num);
		if (!num_solved(num))
			continue;
		solved = true;
		if (!tree->depth && num[step->k] == 0)
			m->move[i] = tree->nodes[node->child + sum.best].move;
	}
	if (solved)
		mopn_drop_settled(m);
	return changed;
}

static void mopn_ascend(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	bool changed = true;
	while (changed && tree->depth) {
		tree->depth--;
		changed = mopn_update_node(m);
	}
	tree->root_move = m->move[0];
}

bool mopn_expand(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	const struct tree_step *step = &tree->path[tree->depth];
	PD_ASSERT(!tree->nodes[step->node].count && mopn_is_open(m, step->node));
	if (tree_repetition(tree)) {
		for (unsigned i = 1; i < m->count; i++)
			num_set_solved(mopn_pair(m, step->node, i), !m->question[i].ranked[0],
				       num_rank(tree->nodes[step->node].num));
		mopn_ascend(m);
		return true;
	}
	if (tree->options.host && tree->depth && mopn_ask_host(m)) {
		mopn_ascend(m);
		return true;
	}
	if (!mopn_make_children(m, step->node, step->k))
		return false;
	if (mopn_update_node(m))
		mopn_ascend(m);
	tree->root_move = m->move[0];
	return true;
}

/* --- the search --------------------------------------------------------------------------- */

void mopn_descend(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	unsigned claim = choose_claim(m);
	if (claim != m->claim)
		tree->depth = 0;
	m->claim = claim;
	for (const struct tree_node *node = tree_here(tree); node->count; node = tree_here(tree)) {
		const struct tree_step *step = &tree->path[tree->depth];
		uint32_t wanted = mopn_pair(m, step->node, claim)[step->k], child = node->child;
		while (mopn_pair(m, child, claim)[step->k] != wanted)
			child++;
		PD_ASSERT(child < node->child + node->count && tree->depth < tree->depth_max);
		tree_step_down(tree, tree->depth, child);
	}
}

/* Records what is newly solved at the root on every path: as a leaf with its effort, or with its whole proof. */
static void mopn_record_solved(struct mopn *m)
{
	struct tree *tree = &m->top.tree;
	for (unsigned i = 0; i < m->count; i++) {
		const uint32_t *num = mopn_pair(m, TREE_ROOT, i);
		if (m->recorded[i] || !num_solved(num) || ghi_path_dependent(&m->question[i], num))
			continue;
		m->recorded[i] = true;
		if (m->top.options->detail == PN_FRONTIER) {
			struct pd_reason reason = question_reason(&m->question[i], num);
			reason.move = m->move[i];
			reason.effort = tree_clamp_effort(tree->generated - m->begun + 1);
			fact_buffer_put(m->top.facts, &m->question[i], tree_state(tree, 0), reason);
			continue;
		}
		tree->depth = 0;
		mopn_exchange_claims(m, i);
		tree_emit(tree, m->top.facts);
		mopn_exchange_claims(m, i);
	}
}

static enum pn_engine_end mopn_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct mopn *m = (void *)engine;
	struct tree *tree = &m->top.tree;
	const uint32_t *root = tree_numbers(tree);
	uint64_t start = tree->generated, stop = start + *nodes;
	enum pn_engine_end end = PN_ENGINE_MORE;
	PD_ASSERT(m->count && m->count <= MOPN_CLAIMS_MAX);
	while (!num_solved(root) && tree->generated < stop && end == PN_ENGINE_MORE) {
		for (unsigned i = 0; i < m->count; i++)
			question_limit_sums(&m->question[i], tree->generated);
		mopn_descend(m);
		if (!mopn_expand(m))
			end = PN_ENGINE_FULL;
		mopn_record_solved(m);
	}
	if (num_solved(root))
		end = ghi_path_dependent(&tree->question, root) ? PN_ENGINE_DEPTH : PN_ENGINE_SOLVED;
	uint64_t used = tree->generated - start;
	*nodes = used < *nodes ? *nodes - used : 0;
	return end;
}

/* Begins a tree for the claim, and for the others that are open when the value is asked and they are few. */
static void mopn_begin(struct mopn *m, const struct question *q, const void *state)
{
	struct tree *tree = &m->top.tree;
	int step = q->game->value_step;
	tree_start(tree, q, state, UINT64_MAX);
	m->count = 1;
	m->claim = 0;
	m->begun = tree->generated;
	m->question[0] = *q;
	if (m->lo && (*m->hi - *m->lo) / step <= (int)m->extra + 1)
		for (int t = *m->lo + step; t <= *m->hi; t += step) {
			if (t == q->threshold)
				continue;
			struct question *other = &m->question[m->count++];
			*other = question_of(q->game, t);
			other->weak = q->weak;
			other->identity = q->identity;
		}
	for (unsigned i = 0; i < m->count; i++) {
		m->move[i] = PD_NO_MOVE;
		m->recorded[i] = false;
		num_copy(mopn_pair(m, TREE_ROOT, i), tree_numbers(tree));
	}
	PD_ASSERT(!num_solved(tree_numbers(tree)));
}

/* --- the engine --------------------------------------------------------------------------- */

static void mopn_destroy(struct pn_engine *engine)
{
	struct mopn *m = (void *)engine;
	if (m->pairs)
		pn_memory_unmap(m->pairs, m->top.tree.capacity * m->extra * sizeof *m->pairs);
	tree_fini(&m->top.tree);
	free(m);
}

static struct pn_engine *mopn_create(const struct pn_engine_setup *setup)
{
	const struct game *game = setup->game;
	struct tree_options options = {
		.keep_proofs = setup->options->detail != PN_FRONTIER,
		.mobility = setup->options->mobility,
		.hints = setup->hints,
		.seed = setup->options->seed,
	};
	struct mopn *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	m->top = (struct tree_engine){.engine = {&pn_engine_mopn}, .options = setup->options, .facts = setup->facts};
	m->lo = setup->lo;
	m->hi = setup->hi;
	int others = (game->value_max - game->value_min) / game->value_step - 1;
	m->extra = !m->lo ? 0 : others < MOPN_CLAIMS_MAX ? (unsigned)others : MOPN_CLAIMS_MAX - 1;
	size_t more = m->extra * sizeof *m->pairs, node = sizeof(struct tree_node);
	if (!tree_init(&m->top.tree, game, setup->level1_bytes / (node + more) * node, &options)) {
		free(m);
		return NULL;
	}
	if (m->extra && !(m->pairs = pn_memory_map(m->top.tree.capacity * more))) {
		mopn_destroy(&m->top.engine);
		return NULL;
	}
	return &m->top.engine;
}

/* A claim of the tree that is there goes on with it. */
static bool mopn_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct mopn *m = (void *)engine;
	for (unsigned i = 0; i < m->count; i++)
		if (m->lo && m->question[i].threshold == question->threshold) {
			mopn_exchange_claims(m, i);
			m->top.tree.depth = 0;
			return true;
		}
	mopn_begin(m, question, state);
	return true;
}

/* The open nodes of the position are found along paths, as in tree_learn. Nodes with solved claims are left alone: what
 * they say follows from their children. */
static void mopn_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct mopn *m = (void *)engine;
	struct tree *tree = &m->top.tree;
	const struct game *game = tree->question.game;
	uint8_t key[GAME_KEY_MAX];
	uint32_t depth = 0;
	tree->options.host = learnt->host; /* from here on expansions ask it */
	tree->path[0].next = tree->depth = 0;
	while (learnt->started && mopn_closed_claims(m, 0) != mopn_all_claims(m)) {
		struct tree_step *step = &tree->path[depth];
		const struct tree_node *node = &tree->nodes[step->node];
		if (step->next >= node->count) {
			if (!depth)
				break;
			depth--;
			continue;
		}
		uint32_t child = node->child + step->next++;
		if (mopn_solved_claims(m, child) == mopn_all_claims(m))
			continue;
		tree_step_down(tree, depth++, child);
		if (!mopn_is_open(m, child) || game->rules->key(game, tree_state(tree, depth), key) != learnt->size ||
		    memcmp(key, learnt->key, learnt->size) || !mopn_ask_host(m))
			continue;
		mopn_free_below(m, tree_here(tree));
		tree_here(tree)->child = 0;
		mopn_ascend(m);
		for (uint32_t d = depth, i = 0; i <= d; i++) /* what the path led to may be freed */
			if (!tree->nodes[tree->path[i].node].count) {
				depth = i;
				break;
			}
	}
	tree->depth = 0;
}

static struct tree *mopn_idle_tree(struct pn_engine *engine)
{
	struct mopn *m = (void *)engine;
	m->count = 0; /* its tree is gone */
	return &m->top.tree;
}

static void mopn_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct tree *tree = &((const struct mopn *)(const void *)engine)->top.tree;
	*out = (struct pn_engine_progress){.level2 = tree->generated, .positions = tree->generated, .in_tree = true};
}

static void mopn_pause(struct pn_engine *engine)
{
	(void)engine; /* the next claim may go on with the tree */
}

const struct pn_engine_type pn_engine_mopn = {
	.plain = true,
	.create = mopn_create,
	.destroy = mopn_destroy,
	.start = mopn_start,
	.run = mopn_run,
	.numbers = tree_engine_numbers,
	.move = tree_engine_move,
	.progress = mopn_report,
	.learn = mopn_learn,
	.drop = mopn_pause,
	.view = tree_engine_view,
	.tree = mopn_idle_tree,
};
