#include "server/proofs/certificates/export_ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/buf.h"
#include "proto/base/random.h"
#include "solver/stored.h"

enum {
	QUESTIONS_MAX = 1 << 12,
	RESULTS_MAX = 1 << 14,
	SEEN = 1 << 18,
	BUCKETS = 1 << 15,
	THREADS_MAX = 63,
	PROOF_BYTES_MAX = 1 << 20 /* of one result; a larger proof is found again by the walk */
};

/* A leaf, or a need for which the store may have one. */
struct question {
	uint16_t size;
	bool is_need;
	union {
		struct sv_need need;
		struct pd_reason leaf;
	};
	uint8_t key[GAME_KEY_MAX];
};

/* A leaf that is searched or was. A thread that searches it writes `facts` without the lock, and nobody else reads them
 * before it is done. */
struct result {
	struct result *next;          /* in its bucket */
	struct result *newer, *older; /* by the time when the search was begun */
	struct pd_reason leaf;
	enum pn_verdict verdict;
	bool done;
	bool kept; /* the walk searches it and will take it */
	uint16_t size;
	struct pd_buf facts; /* size of the key, reason, key, ... */
	uint8_t key[];
};

/* What one thread searches with. */
struct searcher {
	struct sv_ahead *ahead;
	struct st_reader *reader; /* NULL: that of the walk's thread */
	struct pn_bounded_room *room;
	struct pd_fact fact;
	struct result *result; /* of the search that runs */
};

struct sv_ahead {
	struct st_store *store;  /* borrowed */
	const struct game *game; /* borrowed */
	uint32_t game_id;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t asked, found;
	struct question *questions;  /* owned; a ring: the newest is taken first, the oldest overwritten */
	unsigned newest, count;      /* index of the place after the newest; questions */
	struct result **buckets;     /* owned */
	uint64_t *seen;              /* owned; by its last bits, the hash of a leaf that was searched here */
	struct result *first, *last; /* oldest and newest */
	unsigned results;
	bool ending;
	struct searcher walk; /* the thread of the walk, which searches what nobody has searched; not under the lock */
	pthread_t threads[THREADS_MAX];
	unsigned thread_count;
};

/* --- results; under the lock ---------------------------------------------------------------- */

static struct result **bucket_of(const struct sv_ahead *a, const uint8_t *key, size_t size)
{
	return &a->buckets[pd_bucket_hash(key, size) % BUCKETS];
}

static bool is_same_leaf(const struct pd_reason *a, const struct pd_reason *b)
{
	return a->side == b->side && a->bound == b->bound && a->rank == b->rank && a->effort == b->effort;
}

static struct result *find_result(const struct sv_ahead *a, const uint8_t *key, size_t size,
				  const struct pd_reason *leaf)
{
	struct result *r = *bucket_of(a, key, size);
	while (r && (r->size != size || memcmp(r->key, key, size) || !is_same_leaf(&r->leaf, leaf)))
		r = r->next;
	return r;
}

/* The place of a leaf's hash among those that were searched. Proofs have many leaves in common; the walk rarely needs
 * one twice. */
static uint64_t *place_of_seen(const struct sv_ahead *a, const uint8_t *key, size_t size, const struct pd_reason *leaf,
			       uint64_t *hash)
{
	*hash = pd_bucket_hash(key, size) ^
		((uint64_t)leaf->rank << 48 | (uint64_t)(uint16_t)leaf->bound << 32 | leaf->effort) ^
		(uint64_t)leaf->side << 63;
	return &a->seen[*hash % SEEN];
}

static bool was_seen(const struct sv_ahead *a, const uint8_t *key, size_t size, const struct pd_reason *leaf)
{
	uint64_t hash;
	return *place_of_seen(a, key, size, leaf, &hash) == hash;
}

/* Takes a result out of the table; the caller owns it. */
static void unlink_result(struct sv_ahead *a, struct result *r)
{
	struct result **at = bucket_of(a, r->key, r->size);
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	*(r->older ? &r->older->newer : &a->first) = r->newer;
	*(r->newer ? &r->newer->older : &a->last) = r->older;
	a->results--;
}

static void free_result(struct result *r)
{
	pd_buf_fini(&r->facts);
	free(r);
}

/* Drops the oldest results that nothing has taken. */
static void drop_old(struct sv_ahead *a)
{
	struct result *r = a->first;
	while (r && a->results >= RESULTS_MAX) {
		struct result *newer = r->newer;
		if (r->done && !r->kept) {
			unlink_result(a, r);
			free_result(r);
		}
		r = newer;
	}
}

/* Puts a leaf into the table, to be searched by the caller; NULL without memory. */
static struct result *begin_result(struct sv_ahead *a, const uint8_t *key, size_t size, const struct pd_reason *leaf)
{
	uint64_t hash, *seen = place_of_seen(a, key, size, leaf, &hash);
	drop_old(a);
	*seen = hash;
	struct result *r = malloc(sizeof *r + size), **bucket = bucket_of(a, key, size);
	if (!r)
		return NULL;
	*r = (struct result){.next = *bucket, .older = a->last, .leaf = *leaf, .size = (uint16_t)size};
	memcpy(r->key, key, size);
	pd_buf_init(&r->facts, PROOF_BYTES_MAX);
	*bucket = r;
	*(a->last ? &a->last->newer : &a->first) = r;
	a->last = r;
	a->results++;
	return r;
}

/* --- questions; under the lock -------------------------------------------------------------- */

static struct question *next_place(struct sv_ahead *a)
{
	struct question *q = &a->questions[a->newest];
	a->newest = (a->newest + 1) % QUESTIONS_MAX;
	a->count += a->count < QUESTIONS_MAX;
	return q;
}

static void put_leaf(struct sv_ahead *a, const uint8_t *key, size_t size, const struct pd_reason *leaf)
{
	struct question *q = next_place(a);
	q->size = (uint16_t)size;
	q->is_need = false;
	q->leaf = *leaf;
	memcpy(q->key, key, size);
}

void sv_ahead_ask_need(struct sv_ahead *a, const uint8_t *key, const struct sv_need *need)
{
	pthread_mutex_lock(&a->lock);
	struct question *q = next_place(a);
	q->size = need->size;
	q->is_need = true;
	q->need = *need;
	memcpy(q->key, key, need->size);
	pthread_cond_signal(&a->asked);
	pthread_mutex_unlock(&a->lock);
}

/* --- the threads ---------------------------------------------------------------------------- */

static void keep_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct searcher *s = ctx;
	uint16_t bytes = (uint16_t)size;
	pd_buf_put(&s->result->facts, &bytes, sizeof bytes);
	pd_buf_put(&s->result->facts, reason, sizeof *reason);
	pd_buf_put(&s->result->facts, key, size);
}

static void give_facts(const struct pd_buf *facts, pn_fact_sink *fact, void *ctx)
{
	for (const uint8_t *p = (const uint8_t *)facts->data, *end = p + facts->size; p < end;) {
		uint16_t size;
		struct pd_reason reason;
		memcpy(&size, p, sizeof size);
		memcpy(&reason, p + sizeof size, sizeof reason);
		p += sizeof size + sizeof reason;
		fact(ctx, p, size, &reason);
		p += size;
	}
}

/* Asks for a leaf of a proof that was found. Under the lock. */
static void ask_below(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct sv_ahead *a = ctx;
	if (reason->effort && !was_seen(a, key, size, reason))
		put_leaf(a, key, size, reason);
}

/* Finds the leaf that a question is about; false: there is none. */
static bool find_leaf(struct searcher *s, const struct question *q, struct pd_reason *leaf)
{
	struct pd_fail ignored;
	if (!q->is_need) {
		*leaf = q->leaf;
		return true;
	}
	s->fact.count = 0;
	if (st_fact_get(s->reader, s->ahead->game_id, q->key, q->size, &s->fact, &ignored) != 1 ||
	    pn_fact_sound(s->ahead->game, q->key, q->size, &s->fact, &ignored))
		return false;
	const struct pd_reason *best = sv_need_choose(&s->fact, &q->need);
	if (!best || !best->effort)
		return false;
	*leaf = *best;
	return true;
}

/* Searches a leaf that was put into the table, and asks for those of its proof. Without the lock. */
static void search_leaf(struct searcher *s, struct result *r)
{
	struct sv_ahead *a = s->ahead;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	const struct pn_leaf_policy policy = pn_leaf_policy_check();
	const struct pn_bounded_options options = {.room = s->room, .fact = keep_fact, .fact_ctx = s};
	const struct pn_leaf_regeneration what = {a->game, state, &r->leaf, &policy, &options};
	enum pn_verdict verdict = PN_OPEN;
	struct pd_fail ignored;
	s->result = r;
	bool good = !a->game->rules->unkey(a->game, r->key, r->size, state) &&
		    !pn_leaf_first_search(&what, &verdict, &ignored) && !r->facts.failed;
	pthread_mutex_lock(&a->lock);
	r->verdict = good ? verdict : PN_OPEN;
	r->done = true;
	if (r->verdict != PN_OPEN)
		give_facts(&r->facts, ask_below, a);
	pthread_cond_broadcast(&a->found);
	pthread_mutex_unlock(&a->lock);
}

static void answer_question(struct searcher *s, const struct question *q)
{
	struct sv_ahead *a = s->ahead;
	struct pd_reason leaf;
	if (!find_leaf(s, q, &leaf))
		return;
	pthread_mutex_lock(&a->lock);
	struct result *r = was_seen(a, q->key, q->size, &leaf) ? NULL : begin_result(a, q->key, q->size, &leaf);
	pthread_mutex_unlock(&a->lock);
	if (r)
		search_leaf(s, r);
}

/* Takes the newest question; false: the threads are to end. */
static bool take_question(struct sv_ahead *a, struct question *out)
{
	pthread_mutex_lock(&a->lock);
	while (!a->count && !a->ending)
		pthread_cond_wait(&a->asked, &a->lock);
	bool good = !a->ending;
	if (good) {
		a->newest = (a->newest + QUESTIONS_MAX - 1) % QUESTIONS_MAX;
		a->count--;
		*out = a->questions[a->newest];
	}
	pthread_mutex_unlock(&a->lock);
	return good;
}

static void *searcher_main(void *ctx)
{
	struct searcher s = {.ahead = ctx, .room = pn_bounded_room_new(((struct sv_ahead *)ctx)->game)};
	struct question q;
	struct pd_fail ignored;
	pd_fact_init(&s.fact);
	if (s.room && !st_reader_open(s.ahead->store, &s.reader, &ignored)) {
		while (take_question(s.ahead, &q))
			answer_question(&s, &q);
		st_reader_close(s.reader);
	}
	pd_fact_fini(&s.fact);
	pn_bounded_room_free(s.room);
	return NULL;
}

/* --- the walk's side ------------------------------------------------------------------------ */

bool sv_ahead_take(struct sv_ahead *a, const uint8_t *key, size_t size, const struct pd_reason *leaf,
		   pn_fact_sink *fact, void *ctx)
{
	pthread_mutex_lock(&a->lock);
	struct result *r = find_result(a, key, size, leaf);
	bool mine = !r;
	if (mine)
		r = begin_result(a, key, size, leaf);
	if (r)
		r->kept = true;
	while (r && !mine && !r->done)
		pthread_cond_wait(&a->found, &a->lock);
	pthread_mutex_unlock(&a->lock);
	if (!r)
		return false;
	if (mine)
		search_leaf(&a->walk, r);
	pthread_mutex_lock(&a->lock);
	unlink_result(a, r);
	pthread_mutex_unlock(&a->lock);
	bool found = r->verdict != PN_OPEN;
	if (found)
		give_facts(&r->facts, fact, ctx);
	free_result(r);
	return found;
}

struct sv_ahead *sv_ahead_new(struct st_store *store, const struct game *game, uint32_t game_id, unsigned threads)
{
	struct sv_ahead *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->store = store;
	a->game = game;
	a->game_id = game_id;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->asked, NULL);
	pthread_cond_init(&a->found, NULL);
	a->questions = malloc(QUESTIONS_MAX * sizeof *a->questions);
	a->buckets = calloc(BUCKETS, sizeof(struct result *));
	a->seen = calloc(SEEN, sizeof *a->seen);
	a->walk = (struct searcher){.ahead = a, .room = pn_bounded_room_new(game)};
	bool good = a->questions && a->buckets && a->seen && a->walk.room;
	while (good && a->thread_count < threads && a->thread_count < THREADS_MAX &&
	       !pthread_create(&a->threads[a->thread_count], NULL, searcher_main, a))
		a->thread_count++;
	if (a->thread_count)
		return a;
	sv_ahead_free(a);
	return NULL;
}

void sv_ahead_free(struct sv_ahead *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->ending = true;
	pthread_cond_broadcast(&a->asked);
	pthread_mutex_unlock(&a->lock);
	for (unsigned i = 0; i < a->thread_count; i++)
		pthread_join(a->threads[i], NULL);
	while (a->first) {
		struct result *r = a->first;
		unlink_result(a, r);
		free_result(r);
	}
	pthread_cond_destroy(&a->found);
	pthread_cond_destroy(&a->asked);
	pthread_mutex_destroy(&a->lock);
	free(a->questions);
	free(a->buckets);
	free(a->seen);
	pn_bounded_room_free(a->walk.room);
	free(a);
}
