#include "server/proofs/maintenance/verify.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/common/game_tables.h"
#include "server/common/open_games.h"
#include "solver/table_theorem.h"
#include "solver/dominance.h"

static const uint64_t prover_memory = 64 << 20;

/* --- facts on their way to the threads ---------------------------------------------------- */

enum { BLOCK_FACTS = 256, QUEUE_BLOCKS = 64 };

struct queued_fact {
	uint32_t game; /* its number in the store */
	uint16_t size;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
};

struct fact_block {
	unsigned count;
	struct queued_fact item[BLOCK_FACTS];
};

/* A bounded queue: the reader waits while it is full, the judging threads while it is empty. */
struct fact_queue {
	struct pd_mutex lock; /* guards what follows */
	pthread_cond_t ready, room;
	struct fact_block *queue[QUEUE_BLOCKS]; /* owned; a ring */
	unsigned head, queued;
	bool closed; /* no more blocks will come */
};

static void free_block(struct fact_block *block)
{
	for (unsigned i = 0; block && i < block->count; i++)
		pd_fact_fini(&block->item[i].fact);
	free(block);
}

static void queue_init(struct fact_queue *q)
{
	*q = (struct fact_queue){0};
	pd_mutex_init(&q->lock, PD_LOCK_FACT_QUEUE);
	pthread_cond_init(&q->ready, NULL);
	pthread_cond_init(&q->room, NULL);
}

static void queue_fini(struct fact_queue *q)
{
	PD_ASSERT(q->closed);
	while (q->queued) { /* blocks that no thread took */
		free_block(q->queue[q->head]);
		q->head = (q->head + 1) % QUEUE_BLOCKS;
		q->queued--;
	}
	pthread_cond_destroy(&q->room);
	pthread_cond_destroy(&q->ready);
	pd_mutex_fini(&q->lock);
}

static void queue_give(struct fact_queue *q, struct fact_block *block)
{
	PD_ASSERT(block->count >= 1 && block->count <= BLOCK_FACTS);
	pd_mutex_lock(&q->lock);
	PD_ASSERT(!q->closed);
	while (q->queued == QUEUE_BLOCKS)
		pd_mutex_wait(&q->lock, &q->room);
	q->queue[(q->head + q->queued++) % QUEUE_BLOCKS] = block;
	pthread_cond_signal(&q->ready);
	pd_mutex_unlock(&q->lock);
}

static struct fact_block *queue_take(struct fact_queue *q)
{
	struct fact_block *block = NULL;
	pd_mutex_lock(&q->lock);
	while (!q->queued && !q->closed)
		pd_mutex_wait(&q->lock, &q->ready);
	PD_ASSERT(q->head < QUEUE_BLOCKS && q->queued <= QUEUE_BLOCKS);
	if (q->queued) {
		block = q->queue[q->head];
		q->head = (q->head + 1) % QUEUE_BLOCKS;
		q->queued--;
		pthread_cond_signal(&q->room);
	}
	pd_mutex_unlock(&q->lock);
	return block;
}

static void queue_close(struct fact_queue *q)
{
	pd_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->ready);
	pd_mutex_unlock(&q->lock);
}

/* --- one reason --------------------------------------------------------------------------- */

struct judging { /* one thread */
	struct fact_queue *queue;
	struct sv_verifier *judge;
	struct st_reader *reader;
	struct pn_prover **provers; /* by game; owned */
	struct pn_host host;        /* where the provers look facts up */
	struct sv_check sum;
	const struct sv_verified_game *of;
	const struct game *game;
	const struct queued_fact *hidden; /* the leaf that is searched; its own fact is not used */
	struct pd_fact below;             /* of the position after a move */
};

static void report_fault(struct sv_verifier *j, const struct sv_fault *f)
{
	PD_ASSERT(f->text && !f->state == !f->reason);
	pd_mutex_lock(&j->lock);
	j->fault(j->ctx, f);
	pd_mutex_unlock(&j->lock);
}

static void note_failure(struct sv_verifier *j, const struct pd_fail *fail)
{
	pd_mutex_lock(&j->lock);
	if (!j->failed.code)
		j->failed = *fail;
	pd_mutex_unlock(&j->lock);
}

static bool is_visible(const struct judging *k, const uint8_t *key, size_t size, const struct pd_reason *r)
{
	return !k->judge->visible || k->judge->visible(k->judge->ctx, k->of->id, key, size, r);
}

struct looked { /* the fact whose reasons are filtered */
	const struct judging *judging;
	const uint8_t *key;
	size_t size;
};

/* A malformed reason is a fault of its own fact; other reasons may not rest on it. */
static bool is_usable(void *ctx, const struct pd_reason *r)
{
	const struct looked *l = ctx;
	return !pn_reason_wrong(l->judging->game, r) && is_visible(l->judging, l->key, l->size, r);
}

static bool stored_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct judging *k = ctx;
	struct looked whose = {k, key, size};
	struct pd_fail fail;
	if (k->hidden && size == k->hidden->size && !memcmp(key, k->hidden->key, size))
		return false;
	int rc = st_fact_get(k->reader, k->of->id, key, size, out, &fail);
	if (rc < 0)
		note_failure(k->judge, &fail);
	if (rc > 0)
		pd_fact_keep(out, is_usable, &whose);
	else
		out->count = 0;
	if (rc >= 0 && pn_tables_key_fact(k->game, key, size, out, &fail) < 0)
		note_failure(k->judge, &fail);
	return out->count > 0;
}

/* True when the child after `move` has the bound: it is terminal, or has a fact with a smaller rank (F3). */
static bool child_has(struct judging *k, const void *state, game_move move, const struct pd_reason *r)
{
	const struct game *g = k->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	if (g->rules->terminal(g, child, &value))
		return r->side == PD_LO ? value >= r->bound : value <= r->bound;
	if (!stored_fact(k, key, g->rules->key(g, child, key), &k->below))
		return false;
	const struct pd_reason *below = pd_fact_find(&k->below, r->side, r->bound);
	return below && (below->rank < r->rank || r->rank == PD_RANK_NONE);
}

/* NULL when the reason follows by dominance from a fact of at most the same rank, else the fault. */
static const char *follows_by_dominance(struct judging *k, const struct queued_fact *item, const struct pd_reason *r)
{
	uint8_t key[GAME_KEY_MAX];
	if (!pn_dominated_key(k->game, item->key, item->size, r, key))
		return "the position does not dominate the one that it names";
	const struct pd_reason *other =
		stored_fact(k, key, item->size, &k->below) ? pd_fact_find(&k->below, r->side, r->bound) : NULL;
	return other && other->rank <= r->rank
		       ? NULL
		       : "the position that it dominates does not have the bound with that rank";
}

/* NULL when the reason is justified one ply down, else the fault. */
static const char *is_justified(struct judging *k, const void *state, const struct pd_reason *r)
{
	const struct game *g = k->game;
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	if (g->rules->first_to_move(g, state) == (r->side == PD_LO)) {
		/* Legal moves are mapped to the key's frame, not the stored move to the state's, because the stored
		 * move may be anything. */
		for (unsigned i = 0; i < count; i++)
			if (r->move != PD_NO_MOVE && game_canon(g, state, moves[i], false) == r->move)
				return child_has(k, state, moves[i], r)
					       ? NULL
					       : "its move does not lead to the bound with a smaller rank";
		return "its move is not legal";
	}
	for (unsigned i = 0; i < count; i++)
		if (!child_has(k, state, moves[i], r))
			return "a legal move does not lead to the bound with a smaller rank";
	return count ? NULL : "the position has no moves";
}

int sv_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf, uint64_t limit,
		  struct pn_leaf_verdict *result, struct pd_fail *fail)
{
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	policy.nodes_max = limit ? limit : SV_LEAF_NODES_MAX;
	return pn_leaf_check(prover, state, leaf, &policy, result, fail);
}

static const char misses[] = "its move does not lead to the bound within its rank";

/* NULL when the leaf has its bound, else the fault. It is searched after its move; where that search is undecided, at
 * the position itself, which has other moves. */
static const char *leaf_proved(struct judging *k, struct pn_prover *prover, const void *state,
			       const struct pd_reason *r)
{
	_Alignas(16) uint8_t next[GAME_STATE_MAX];
	struct pn_leaf_policy once = pn_leaf_policy_check();
	struct pn_leaf_verdict result = {.verdict = PN_OPEN}, moved = {.verdict = PN_OPEN};
	struct pd_reason after = *r;
	struct pd_fail fail;
	int rc = 0, value;
	once.searches = 1;
	once.nodes_max = k->judge->leaf_nodes ? k->judge->leaf_nodes : SV_LEAF_NODES_MAX;
	memcpy(next, state, k->game->state_size);
	if (pn_leaf_follow(k->game, next, &after)) {
		if (k->game->rules->terminal(k->game, next, &value))
			return (r->side == PD_LO ? value >= r->bound : value <= r->bound) ? NULL : misses;
		if (!after.rank)
			return misses;
		rc = pn_leaf_check(prover, next, &after, &once, &moved, &fail);
	}
	if (!rc && moved.verdict == PN_OPEN)
		rc = sv_leaf_check(prover, state, r, k->judge->leaf_nodes, &result, &fail);
	k->sum.leaf_nodes += result.nodes + moved.nodes;
	if (rc) {
		note_failure(k->judge, &fail);
		return "no memory for its bounded search";
	}
	if (pn_leaf_contradicted(r, moved.verdict))
		return misses;
	if (pn_leaf_confirmed(r, moved.verdict) || pn_leaf_confirmed(r, result.verdict))
		return NULL;
	return pn_leaf_contradicted(r, result.verdict) ? "its bounded search finds the opposite"
						       : "its bounded search does not find it again";
}

static const char *judge_reason(struct judging *k, struct pn_prover *prover, const struct queued_fact *item,
				const void *state, const struct pd_reason *r)
{
	const struct game *g = k->game;
	const char *wrong = pn_reason_wrong(g, r);
	int value;
	if (!wrong && g->rules->terminal(g, state, &value))
		wrong = "the game is over there";
	game_move move;
	if (!wrong && r->move != PD_NO_MOVE && g->rules->first_to_move(g, state) == (r->side == PD_LO) &&
	    !game_legal_from_key(g, state, r->move, &move))
		wrong = "its move is not legal";
	if (wrong)
		return wrong;
	PD_ASSERT(!r->effort || prover);
	k->hidden = r->effort ? item : NULL;
	k->sum.leaves += r->effort > 0;
	return r->dominated ? follows_by_dominance(k, item, r)
	       : r->effort  ? leaf_proved(k, prover, state, r)
			    : is_justified(k, state, r);
}

/* A solved entry of a transposition table that goes beyond the fact of its position. */
struct entry_met {
	struct judging *judging;
	struct pn_prover *prover;
	const struct queued_fact *item;
	const void *state;
};

static void entry_fault(void *ctx, uint32_t job, const struct pd_reason *says)
{
	const struct entry_met *m = ctx;
	struct judging *k = m->judging;
	struct pd_reason r = *says;
	struct sv_fault f = {
		.game = k->of, .key = m->item->key, .size = m->item->size, .state = m->state, .reason = &r};
	r.job = job;
	k->hidden = m->item;
	if (!leaf_proved(k, m->prover, m->state, &r))
		return;
	f.text = "a solved entry of the job's table says so, and no fact does";
	report_fault(k->judge, &f);
}

static void judge_fact(struct judging *k, struct pn_prover *prover, const struct queued_fact *item)
{
	const struct game *g = k->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct sv_fault f = {.game = k->of, .key = item->key, .size = item->size};
	if (g->rules->unkey(g, item->key, item->size, state) || g->rules->key(g, state, key) != item->size ||
	    memcmp(key, item->key, item->size)) {
		f.text = "the key of a fact is not the key of a position";
		report_fault(k->judge, &f);
		return;
	}
	f.state = state;
	for (uint32_t i = 0; i < item->fact.count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(&item->fact)[i];
		if (!(k->judge->parts & (r->effort ? SV_LEAVES : SV_ONE_PLY)) ||
		    !is_visible(k, item->key, item->size, r))
			continue;
		k->sum.reasons++;
		f.text = judge_reason(k, prover, item, state, r);
		f.reason = r;
		if (f.text)
			report_fault(k->judge, &f);
	}
	struct entry_met met = {k, prover, item, state};
	if (k->judge->entries)
		sv_entries_meet(k->judge->entries,
				&(struct sv_entry_fact){item->game, item->key, item->size, &item->fact}, entry_fault,
				&met);
}

/* --- threads ------------------------------------------------------------------------------ */

/* Its index in the list of games; their count: there is none. */
static unsigned find_game(const struct sv_verifier *j, uint32_t id)
{
	unsigned i = 0;
	while (i < j->game_count && j->games[i].id != id)
		i++;
	return i;
}

static void judge_item(struct judging *k, const struct queued_fact *item)
{
	struct sv_verifier *j = k->judge;
	struct pd_fail fail;
	unsigned i = find_game(j, item->game);
	k->sum.facts++;
	if (i == j->game_count || !j->games[i].judged) {
		k->sum.skipped++;
		if (i < j->game_count)
			atomic_store_explicit(&j->games[i].passed_over, true, memory_order_relaxed);
		return;
	}
	k->of = &j->games[i];
	PD_ASSERT(k->of->game);
	k->game = k->of->game;
	if ((j->parts & SV_LEAVES) && !k->provers[i]) {
		struct pn_prover_options options = {
			.memory = prover_memory, .knowledge = true, .host = &k->host, .identity = pd_random64()};
		if (pn_prover_new(k->game, &options, &k->provers[i], &fail)) {
			note_failure(j, &fail);
			return;
		}
	}
	judge_fact(k, k->provers[i], item);
}

static void add_counts(struct sv_check *sum, struct sv_check *part)
{
	sum->facts += part->facts;
	sum->reasons += part->reasons;
	sum->leaves += part->leaves;
	sum->leaf_nodes += part->leaf_nodes;
	sum->skipped += part->skipped;
	*part = (struct sv_check){0};
}

static void *judging_main(void *arg)
{
	struct judging *k = arg;
	struct sv_verifier *j = k->judge;
	struct fact_block *block;
	while ((block = queue_take(k->queue)) != NULL) {
		for (unsigned i = 0; i < block->count; i++)
			judge_item(k, &block->item[i]);
		free_block(block);
		pd_mutex_lock(&j->lock);
		add_counts(&j->sum, &k->sum);
		if (j->progress)
			j->progress(j->ctx, &j->sum);
		pd_mutex_unlock(&j->lock);
	}
	return NULL;
}

static int judging_open(struct judging *k, struct sv_verifier *judge, struct fact_queue *queue, struct pd_fail *fail)
{
	*k = (struct judging){.queue = queue, .judge = judge, .host = {k, stored_fact}};
	k->provers = calloc(judge->game_count + 1, sizeof *k->provers);
	return k->provers ? st_reader_open(judge->store, &k->reader, fail)
			  : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check");
}

static void judging_close(struct judging *k)
{
	for (unsigned i = 0; k->provers && i < k->judge->game_count; i++)
		pn_prover_free(k->provers[i]);
	free(k->provers);
	pd_fact_fini(&k->below);
	st_reader_close(k->reader);
}

/* --- facts of one board ------------------------------------------------------------------- */

enum { BOARD_FACTS = 1024 }; /* that are compared with each other */

/* The last facts that were met, all with the same board part: in the order of keys they follow each other. */
struct board {
	uint32_t game;
	unsigned size, count;     /* bytes of the board part; facts, also those that gave way to others */
	struct queued_fact *fact; /* owned; BOARD_FACTS of them */
};

static void board_clear(struct board *b)
{
	for (unsigned i = 0; i < b->count && i < BOARD_FACTS; i++)
		pd_fact_fini(&b->fact[i].fact);
	b->count = 0;
}

static void report_contradiction(struct sv_verifier *j, const struct sv_verified_game *of,
				 const struct queued_fact *item, const struct pd_reason *r, const char *text)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	const struct sv_fault f = {
		.game = of, .key = item->key, .size = item->size, .state = state, .reason = r, .text = text};
	if (!of->game->rules->unkey(of->game, item->key, item->size, state)) /* else it is a fault of its own */
		report_fault(j, &f);
}

/* What is proved of a dominated position also holds for the one that dominates it: reports a fact that contradicts
 * this. */
static void compare_dominance(struct sv_verifier *j, const struct sv_verified_game *of, const struct queued_fact *a,
			      const struct queued_fact *dominated)
{
	const struct game *g = of->game;
	size_t board = a->size - g->rules->order_part(g);
	for (uint32_t i = 0; i < dominated->fact.count; i++) {
		const struct pd_reason *r = &pd_fact_reasons(&dominated->fact)[i];
		if (pn_reason_wrong(g, r) ||
		    !g->rules->dominates(g, a->key + board, dominated->key + board, r->bound, r->side == PD_LO))
			continue;
		for (uint32_t k = 0; k < a->fact.count; k++) {
			const struct pd_reason *s = &pd_fact_reasons(&a->fact)[k];
			bool denies =
				s->side != r->side && (r->side == PD_LO ? s->bound < r->bound : s->bound > r->bound);
			if (!denies || pn_reason_wrong(g, s))
				continue;
			report_contradiction(j, of, a, s, "the opposite is proved of a position that it dominates");
			report_contradiction(j, of, dominated, r,
					     "the opposite is proved of a position that dominates it");
			return;
		}
	}
}

/* Compares a fact with the others of its board. False when memory is short. */
static bool board_meet(struct board *b, struct sv_verifier *j, const struct queued_fact *item)
{
	unsigned i = find_game(j, item->game);
	if (i == j->game_count || !j->games[i].judged || !pn_has_dominance(j->games[i].game))
		return true;
	const struct sv_verified_game *of = &j->games[i];
	unsigned part = of->game->rules->order_part(of->game), size = item->size - part;
	if (item->size <= part)
		return true;
	if (!b->fact && !(b->fact = calloc(BOARD_FACTS, sizeof *b->fact)))
		return false;
	if (b->count && (b->game != item->game || b->size != size || memcmp(b->fact[0].key, item->key, size) != 0))
		board_clear(b);
	for (unsigned k = 0; k < b->count && k < BOARD_FACTS; k++) {
		compare_dominance(j, of, item, &b->fact[k]);
		compare_dominance(j, of, &b->fact[k], item);
	}
	struct queued_fact *kept = &b->fact[b->count % BOARD_FACTS];
	if (b->count >= BOARD_FACTS)
		pd_fact_fini(&kept->fact);
	*kept = *item;
	kept->fact = (struct pd_fact){0};
	b->game = item->game;
	b->size = size;
	b->count++;
	return pd_fact_copy(&kept->fact, &item->fact);
}

/* --- a run -------------------------------------------------------------------------------- */

struct feed {
	struct sv_verifier *judge;
	struct fact_queue *queue;
	struct fact_block *block;
	struct board board;
};

static int feed_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct feed *feed = ctx;
	if (!feed->block)
		feed->block = calloc(1, sizeof *feed->block);
	if (!feed->block)
		return PD_E_NO_MEMORY;
	if (size > GAME_KEY_MAX) {
		struct sv_verified_game unknown = {.id = game, .name = (char *)(uintptr_t) "a game"};
		struct sv_fault f = {.game = &unknown, .key = key, .size = size, .text = "a fact's key is too long"};
		report_fault(feed->judge, &f);
		return PD_OK;
	}
	struct queued_fact *item = &feed->block->item[feed->block->count++];
	item->game = game;
	item->size = (uint16_t)size;
	memcpy(item->key, key, size);
	if (!pd_fact_copy(&item->fact, fact))
		return PD_E_NO_MEMORY;
	/* Who hides reasons retracts those that are faults, and one of the two facts may be right. */
	bool compared = (feed->judge->parts & SV_ONE_PLY) && !feed->judge->visible;
	if (compared && !board_meet(&feed->board, feed->judge, item))
		return PD_E_NO_MEMORY;
	if (feed->block->count == BLOCK_FACTS) {
		queue_give(feed->queue, feed->block);
		feed->block = NULL;
	}
	return PD_OK;
}

/* Passes all facts to the threads and waits for them. */
int sv_verifier_run(struct sv_verifier *judge, struct pd_fail *fail)
{
	PD_ASSERT(judge->parts && !(judge->parts & ~(unsigned)(SV_ONE_PLY | SV_LEAVES)) && judge->fault);
	PD_ASSERT(!judge->entries || judge->parts == (SV_ONE_PLY | SV_LEAVES));
	struct fact_queue queue;
	unsigned threads = judge->threads ? judge->threads : 1, opened = 0, running = 0;
	struct judging *judging = calloc(threads, sizeof *judging);
	pthread_t *ids = calloc(threads, sizeof *ids);
	struct st_reader *reader = NULL;
	struct feed feed = {.judge = judge, .queue = &queue};
	queue_init(&queue);
	int rc = judging && ids ? st_reader_open(judge->store, &reader, fail)
				: pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check");
	while (!rc && opened < threads)
		rc = judging_open(&judging[opened++], judge, &queue, fail);
	while (!rc && running < threads) {
		if (pthread_create(&ids[running], NULL, judging_main, &judging[running]))
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "a thread cannot be started");
		else
			running++;
	}
	if (!rc) {
		rc = st_fact_each(reader, feed_fact, &feed, fail);
		if (rc == PD_E_NO_MEMORY)
			pd_fail_set(fail, rc, "", "no memory for a check");
	}
	if (feed.block && !rc && feed.block->count) {
		queue_give(&queue, feed.block);
		feed.block = NULL;
	}
	free_block(feed.block);
	board_clear(&feed.board);
	free(feed.board.fact);
	queue_close(&queue);
	for (unsigned i = 0; i < running; i++)
		pthread_join(ids[i], NULL);
	for (unsigned i = 0; i < opened; i++)
		judging_close(&judging[i]);
	st_reader_close(reader);
	free(judging);
	free(ids);
	queue_fini(&queue);
	return rc;
}

/* --- games -------------------------------------------------------------------------------- */

static void open_game(void *ctx, uint32_t id, const char *name, uint64_t rules_version)
{
	struct sv_verifier *judge = ctx;
	struct game_host host = {(void *)(uintptr_t)judge->graphs, sv_graph_read};
	struct pd_fail fail;
	struct sv_verified_game *games = realloc(judge->games, (judge->game_count + 1) * sizeof *games);
	char *copy = strdup(name);
	if (games)
		judge->games = games;
	if (!games || !copy) {
		free(copy);
		judge->failed.code = PD_E_NO_MEMORY;
		return;
	}
	struct sv_verified_game *g = &games[judge->game_count++];
	*g = (struct sv_verified_game){.id = id, .rules_version = rules_version, .name = copy};
	if (!sv_game_open(st_directory(judge->store), name, &host, &g->game, &fail) &&
	    game_version(g->game) != rules_version) {
		game_close(g->game);
		g->game = NULL;
	}
	g->judged = g->game != NULL;
}

int sv_verifier_open(struct sv_verifier *judge, struct pd_fail *fail)
{
	pd_mutex_init(&judge->lock, PD_LOCK_VERIFY);
	st_game_each(judge->store, open_game, judge);
	return judge->failed.code ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the games of the directory")
				  : PD_OK;
}

void sv_verifier_close(struct sv_verifier *judge)
{
	for (unsigned i = 0; i < judge->game_count; i++) {
		if (judge->games[i].game)
			game_close(judge->games[i].game);
		free(judge->games[i].name);
	}
	free(judge->games);
	pd_mutex_fini(&judge->lock);
}
