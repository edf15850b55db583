/* Check: a whole data directory, record by record and fact by fact.
 *
 * Every record must decode, and every reason of every fact must be justified (F2, F3): one ply down where its effort is 0, by the bounded
 * search that it names where it is not. Facts are independent of each other, so threads share them out in blocks. A leaf may lean on
 * facts below it; that cannot go in a circle in an acyclic game, and those facts are checked themselves. It may not lean on itself: while a leaf is
 * searched, its own fact is hidden. */
#include "server/core/internal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_FACTS = 256, QUEUE_BLOCKS = 64, NODES_MIN = 100000, NODES_PER_EFFORT = 64, TRIES = 3, RAISE = 30 };
static const uint64_t prover_memory = 64 << 20;

struct item {
	uint32_t game;
	uint16_t size;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
};

struct block {
	unsigned count;
	struct item item[BLOCK_FACTS];
};

struct checked_game {
	uint32_t id;
	struct game *game; /* NULL: it cannot be opened here, or has other rules */
};

struct check {
	struct st_store *store;
	const char *graphs;
	struct checked_game *games;
	unsigned game_count;
	void (*problem)(void *ctx, const char *text);
	void (*progress)(void *ctx, const struct sv_check *so_far);
	void *ctx;
	pthread_mutex_t lock;
	pthread_cond_t ready, room;
	struct block *queue[QUEUE_BLOCKS];
	unsigned head, queued;
	bool closed;
	struct sv_check sum;
};

struct checker { /* one thread */
	struct check *check;
	struct st_reader *reader;
	struct pn_prover **provers; /* by game; owned */
	struct pn_host host;        /* what the provers ask */
	struct sv_check sum;
	const struct game *game;
	uint32_t game_id;
	const struct item *hidden;  /* the leaf that is being searched */
};

static void report(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void report(struct check *c, const char *format, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	pthread_mutex_lock(&c->lock);
	c->sum.problems++;
	c->problem(c->ctx, text);
	pthread_mutex_unlock(&c->lock);
}

/* --- one reason ----------------------------------------------------------------------------------------------------------------------------- */

static bool stored_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct checker *k = ctx;
	struct pd_fail fail;
	if (k->hidden && size == k->hidden->size && !memcmp(key, k->hidden->key, size))
		return false;
	return st_fact_get(k->reader, k->game_id, key, size, out, &fail) > 0;
}

/* The child after `move` has the bound: by the rules, or by a fact of smaller rank. */
static bool child_has(struct checker *k, const void *state, game_move move, const struct pd_reason *r)
{
	const struct game *g = k->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	int value;
	memcpy(child, state, g->state_size);
	g->rules->play(g, child, move);
	if (g->rules->terminal(g, child, &value))
		return r->side == PD_LO ? value >= r->bound : value <= r->bound;
	if (!stored_fact(k, key, g->rules->key(g, child, key), &fact))
		return false;
	const struct pd_reason *below = pd_fact_find(&fact, r->side, r->bound);
	return below && (below->rank < r->rank || r->rank == PD_RANK_NONE);
}

/* NULL when the reason is justified one ply down, else what is wrong. */
static const char *justified(struct checker *k, const void *state, const struct pd_reason *r)
{
	const struct game *g = k->game;
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	if (g->rules->first_to_move(g, state) == (r->side == PD_LO)) {
		/* Legal moves are put into the key's frame, not the stored one into the state's: who knows what is stored. */
		for (unsigned i = 0; i < count; i++)
			if (r->move != PD_NO_MOVE && game_canon(g, state, moves[i], false) == r->move)
				return child_has(k, state, moves[i], r) ? NULL : "its move does not lead to the bound with a smaller rank";
		return "its move is not legal";
	}
	for (unsigned i = 0; i < count; i++)
		if (!child_has(k, state, moves[i], r))
			return "a legal move does not lead to the bound with a smaller rank";
	return count ? NULL : "the position has no moves";
}

/* The effort is what the search took that found the leaf, with what its cache knew of the nodes around. A search without that cache may need more, so
 * the budget is raised twice before the leaf counts as unfounded. */
static const char *leaf_proved(struct checker *k, struct pn_prover *prover, const void *state, const struct pd_reason *r)
{
	struct pd_fail fail;
	enum pn_verdict verdict = PN_OPEN;
	struct pn_goal goal = pn_goal_of(k->game, r);
	uint64_t budget = (uint64_t)r->effort * NODES_PER_EFFORT;
	if (budget < NODES_MIN)
		budget = NODES_MIN;
	k->sum.leaves++;
	for (unsigned tries = 0; tries < TRIES && verdict == PN_OPEN; tries++, budget *= RAISE) {
		uint64_t left = budget;
		if (pn_prover_run(prover, state, &goal, &left, &verdict, &fail))
			return "its bounded search found no memory";
		k->sum.leaf_nodes += budget - left;
	}
	if (verdict == PN_OPEN)
		return "its bounded search does not find it again";
	return (verdict == PN_PROVED) == (r->side == PD_LO) ? NULL : "its bounded search finds the opposite";
}

static const char *on_scale(const struct game *g, const struct pd_reason *r)
{
	bool counted = g->acyclic || (r->side == PD_LO ? r->bound > g->infinite_value : r->bound < g->infinite_value);
	if (!r->rank)
		return "its rank is 0";
	if (counted && r->rank == PD_RANK_NONE)
		return "its side has to make progress, and it has no rank";
	if (r->side == PD_LO ? r->bound <= g->value_min || r->bound > g->value_max : r->bound >= g->value_max || r->bound < g->value_min)
		return "its bound says nothing, or is off the scale";
	return NULL;
}

static void check_fact(struct checker *k, struct pn_prover *prover, const struct item *item)
{
	const struct game *g = k->game;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	int value;
	if (g->rules->unkey(g, item->key, item->size, state) || g->rules->key(g, state, key) != item->size ||
	    memcmp(key, item->key, item->size)) {
		report(k->check, "%s: a fact's key is no key of a position", g->name);
		return;
	}
	for (unsigned i = 0; i < item->fact.count; i++) {
		const struct pd_reason *r = &item->fact.reason[i];
		const char *fault = on_scale(g, r);
		k->sum.reasons++;
		if (!fault && g->rules->terminal(g, state, &value))
			fault = "the game is over there";
		k->hidden = r->effort ? item : NULL;
		if (!fault)
			fault = r->effort ? leaf_proved(k, prover, state, r) : justified(k, state, r);
		if (fault) {
			char text[GAME_TEXT_MAX];
			g->rules->print(g, state, text, sizeof text);
			report(k->check, "%s: %.200s: value %s %d within %u plies (effort %u, job %u): %s", g->name, text,
			       r->side == PD_LO ? ">=" : "<=", r->bound, r->rank, r->effort, r->job, fault);
		}
	}
}

/* --- threads ------------------------------------------------------------------------------------------------------------------------------------ */

static void check_item(struct checker *k, const struct item *item)
{
	struct check *c = k->check;
	struct pd_fail fail;
	unsigned i = 0;
	while (i < c->game_count && c->games[i].id != item->game)
		i++;
	k->sum.facts++;
	if (i == c->game_count || !c->games[i].game) {
		k->sum.skipped++;
		return;
	}
	k->game = c->games[i].game;
	k->game_id = item->game;
	if (!k->provers[i] && pn_prover_new(k->game, prover_memory, &k->host, &k->provers[i], &fail)) {
		report(c, "no memory for bounded searches");
		return;
	}
	check_fact(k, k->provers[i], item);
}

static void add(struct sv_check *sum, struct sv_check *part)
{
	sum->facts += part->facts;
	sum->reasons += part->reasons;
	sum->leaves += part->leaves;
	sum->leaf_nodes += part->leaf_nodes;
	sum->skipped += part->skipped;
	*part = (struct sv_check){0};
}

static struct block *take_block(struct check *c)
{
	struct block *block = NULL;
	pthread_mutex_lock(&c->lock);
	while (!c->queued && !c->closed)
		pthread_cond_wait(&c->ready, &c->lock);
	if (c->queued) {
		block = c->queue[c->head];
		c->head = (c->head + 1) % QUEUE_BLOCKS;
		c->queued--;
		pthread_cond_signal(&c->room);
	}
	pthread_mutex_unlock(&c->lock);
	return block;
}

static void give_block(struct check *c, struct block *block)
{
	pthread_mutex_lock(&c->lock);
	while (c->queued == QUEUE_BLOCKS)
		pthread_cond_wait(&c->room, &c->lock);
	c->queue[(c->head + c->queued++) % QUEUE_BLOCKS] = block;
	pthread_cond_signal(&c->ready);
	pthread_mutex_unlock(&c->lock);
}

static void *checker_main(void *arg)
{
	struct checker *k = arg;
	struct check *c = k->check;
	struct block *block;
	while ((block = take_block(c)) != NULL) {
		for (unsigned i = 0; i < block->count; i++)
			check_item(k, &block->item[i]);
		free(block);
		pthread_mutex_lock(&c->lock);
		add(&c->sum, &k->sum);
		if (c->progress)
			c->progress(c->ctx, &c->sum);
		pthread_mutex_unlock(&c->lock);
	}
	return NULL;
}

/* --- the directory --------------------------------------------------------------------------------------------------------------------------------- */

struct feed {
	struct check *check;
	struct block *block;
};

static int feed_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct feed *feed = ctx;
	if (!feed->block)
		feed->block = calloc(1, sizeof *feed->block);
	if (!feed->block)
		return PD_E_NO_MEMORY;
	if (size > GAME_KEY_MAX) {
		report(feed->check, "a fact's key of %zu bytes is too long", size);
		return PD_OK;
	}
	struct item *item = &feed->block->item[feed->block->count++];
	item->game = game;
	item->size = (uint16_t)size;
	memcpy(item->key, key, size);
	item->fact = *fact;
	if (feed->block->count == BLOCK_FACTS) {
		give_block(feed->check, feed->block);
		feed->block = NULL;
	}
	return PD_OK;
}

static void feed_game(void *ctx, uint32_t id, const char *name, uint64_t rules_version)
{
	struct check *c = ctx;
	struct game_host host = {(void *)(uintptr_t)c->graphs, sv_graph_read};
	struct pd_fail fail;
	struct checked_game *games = realloc(c->games, (c->game_count + 1) * sizeof *games);
	if (!games)
		return;
	c->games = games;
	struct checked_game *g = &games[c->game_count++];
	*g = (struct checked_game){.id = id};
	if (!game_open(name, &host, &g->game, &fail) && g->game->rules_version != rules_version) {
		game_close(g->game);
		g->game = NULL;
	}
}

static void record_problem(void *ctx, const char *text)
{
	report(ctx, "%s", text);
}

/* The store sees bytes in a job's record; here they must be what the server reads. */
static int check_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_job *job;
	struct pd_fail fail;
	int rc = sv_job_unrecord(id, record, size, &job, &fail);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	if (rc)
		report(ctx, "job %u: %s", id, fail.text);
	else
		sv_job_free(job);
	return PD_OK;
}

static int checker_open(struct checker *k, struct check *c, struct pd_fail *fail)
{
	*k = (struct checker){.check = c, .host = {k, stored_fact}};
	k->provers = calloc(c->game_count + 1, sizeof *k->provers);
	return k->provers ? st_reader_open(c->store, &k->reader, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check");
}

static void checker_close(struct checker *k)
{
	for (unsigned i = 0; k->provers && i < k->check->game_count; i++)
		pn_prover_free(k->provers[i]);
	free(k->provers);
	if (k->reader)
		st_reader_close(k->reader);
}

/* Feeds all facts to the threads and waits for them. */
static int run_checkers(struct check *c, unsigned threads, struct pd_fail *fail)
{
	struct checker *checkers = calloc(threads, sizeof *checkers);
	pthread_t *ids = calloc(threads, sizeof *ids);
	struct st_reader *reader = NULL;
	struct feed feed = {.check = c};
	unsigned opened = 0, running = 0;
	int rc = checkers && ids ? st_reader_open(c->store, &reader, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check");
	while (!rc && opened < threads)
		rc = checker_open(&checkers[opened++], c, fail);
	while (!rc && running < threads) {
		if (pthread_create(&ids[running], NULL, checker_main, &checkers[running]))
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "a thread cannot be started");
		else
			running++;
	}
	if (!rc)
		rc = st_fact_each(reader, feed_fact, &feed, fail);
	if (feed.block && running)
		give_block(c, feed.block);
	pthread_mutex_lock(&c->lock);
	c->closed = true;
	pthread_cond_broadcast(&c->ready);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < running; i++)
		pthread_join(ids[i], NULL);
	for (unsigned i = 0; i < opened; i++)
		checker_close(&checkers[i]);
	if (reader)
		st_reader_close(reader);
	free(checkers);
	free(ids);
	return rc;
}

int sv_check_directory(const char *dir, const char *graphs, unsigned threads, void (*problem)(void *ctx, const char *text),
		       void (*progress)(void *ctx, const struct sv_check *so_far), void *ctx, struct sv_check *out, struct pd_fail *fail)
{
	struct check c = {.graphs = graphs, .problem = problem, .progress = progress, .ctx = ctx};
	int rc = st_open(dir, ST_READ_ONLY, &c.store, fail);
	if (rc)
		return rc;
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.ready, NULL);
	pthread_cond_init(&c.room, NULL);
	if (st_check(c.store, record_problem, &c, fail) < 0)
		rc = fail->code;
	if (!rc)
		rc = st_job_each(c.store, check_job, &c, fail);
	if (!rc) {
		st_game_each(c.store, feed_game, &c);
		rc = run_checkers(&c, threads ? threads : 1, fail);
	}
	for (unsigned i = 0; i < c.game_count; i++)
		if (c.games[i].game)
			game_close(c.games[i].game);
	free(c.games);
	st_close(c.store);
	pthread_cond_destroy(&c.room);
	pthread_cond_destroy(&c.ready);
	pthread_mutex_destroy(&c.lock);
	*out = c.sum;
	return rc;
}
