#define _GNU_SOURCE /* qsort_r */
#include "server/proofs/certificates/compress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/proofs/certificates/certificate_read.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/small_walk.h"
#include "server/proofs/certificates/small_write.h"

enum {
	LOOK_MS = 100,
	SAVE_S = 60,
	AGAIN_MAX = 6,      /* times that a proof is walked again */
	AGAIN_PERCENT = 99, /* of the earlier cost; a walk that leaves more is the last */
	CARD_COST = 12,     /* records that a card weighs as much as */
	FIRST_SHIFT = 24,   /* a proof begins with 2^24 on its account, */
	RECORD_SHIFT = 7    /* and 2^7 for each record of the certificate */
};

struct compressing {
	const struct sv_compress_order *order;
	const struct game *game;
	const void *root;
	const struct sv_certificate_text *text;
	struct sv_small_proof *proof; /* of the bound in hand */
	struct sv_compressed *out;
	char state_file[4200];
	unsigned again;
	uint64_t save_ns; /* when the state is saved next */
};

/* --- one bound ---------------------------------------------------------------------------- */

/* The card of a certificate's strategy, an old one or a new one; SV_SMALL_NONE: it is none. */
static uint32_t take_card(struct sv_small_proof *p, const struct sv_certificate_said *said)
{
	if (said->witness_size != 1 + p->squares || said->witness[0] != STRATEGY_POLICY)
		return SV_SMALL_NONE;
	for (uint32_t i = 0; i < p->card_count; i++)
		if (!memcmp(p->cards.data + (size_t)i * p->squares, said->witness + 1, p->squares))
			return i;
	return sv_small_add_card(p, (const int8_t *)said->witness + 1);
}

/* Tells the oracle what a reason says, and makes it a node of the earlier proof. Without memory there is no node. */
static void take_reason(void *ctx, const struct sv_certificate_said *said)
{
	struct sv_small_proof *p = ctx;
	const struct pd_reason *r = &said->reason;
	if (r->side != (p->first ? PD_LO : PD_HI) || (p->first ? r->bound < p->bound : r->bound > p->bound))
		return;
	pn_oracle_tell(&p->oracle, said->key, said->size);
	struct sv_small_node *n = sv_small_add(&p->old, said->key, said->size);
	if (!n || n->done)
		return;
	n->done = true;
	n->move = r->move;
	n->kind = said->theorem && said->theorem != ZONE_THEOREM ? SV_SMALL_THEOREM
		  : r->move != PD_NO_MOVE                        ? SV_SMALL_MOVE
								 : SV_SMALL_ALL;
	if (said->theorem == STRATEGY_THEOREM)
		n->card = take_card(p, said);
	if (n->card != SV_SMALL_NONE)
		n->kind = SV_SMALL_CARD;
}

static int proof_init(struct compressing *c, struct sv_small_proof *p, bool first, int bound, struct pd_fail *fail)
{
	struct pn_strategy probe;
	*p = (struct sv_small_proof){.game = c->game,
				     .bound = bound,
				     .first = first,
				     .limit = c->order->positions,
				     .root = c->root,
				     .account = (UINT64_C(1) << FIRST_SHIFT) +
						(sv_certificate_number(c->text, "positions") << RECORD_SHIFT),
				     .share = 0};
	pd_mutex_init(&p->lock, PD_LOCK_SMALL_PROOF);
	pd_cond_init(&p->changed);
	sv_small_nodes_init(&p->now);
	sv_small_nodes_init(&p->old);
	pd_buf_init(&p->cards, SIZE_MAX / 2);
	int rc = pn_strategy_init(&probe, c->game, sv_small_threshold(p), first, 1, fail);
	p->squares = probe.squares;
	pn_strategy_fini(&probe);
	return rc ? rc : pn_oracle_init(&p->oracle, c->game, sv_small_threshold(p), first, c->order->memory, fail);
}

static void proof_fini(struct sv_small_proof *p)
{
	pn_oracle_fini(&p->oracle);
	sv_small_nodes_fini(&p->now);
	sv_small_nodes_fini(&p->old);
	pd_buf_fini(&p->cards);
	free(p->order.card);
	pthread_cond_destroy(&p->changed);
	pd_mutex_fini(&p->lock);
}

/* How large the certificate will be, roughly, in records. */
static uint64_t cost_of(const struct sv_small_nodes *nodes, uint32_t card_count, uint32_t *uses)
{
	uint64_t cost = nodes->count;
	memset(uses, 0, card_count * sizeof *uses);
	for (size_t i = 0; i < nodes->count; i++)
		if (nodes->list[i].kind == SV_SMALL_CARD && !uses[nodes->list[i].card]++)
			cost += CARD_COST;
	return cost;
}

/* --- threads ------------------------------------------------------------------------------ */

static void *walk_main(void *walker)
{
	sv_small_walk(walker);
	return NULL;
}

/* Shows progress, saves the state now and then. Under the lock, which it lets go while it shows. */
static void look_after(struct compressing *c)
{
	struct sv_small_proof *p = c->proof;
	struct sv_compress_progress now = {c->again, p->share, p->now.count, p->card_count, p->nodes};
	pd_mutex_unlock(&p->lock);
	bool go_on = !c->order->progress || c->order->progress(c->order->ctx, &now);
	pd_mutex_lock(&p->lock);
	if (pd_now_ns() >= c->save_ns && !p->again && !p->fail.code) {
		sv_small_save(p, c->state_file, &p->fail);
		c->save_ns = pd_now_ns() + SAVE_S * UINT64_C(1000000000);
	}
	if (!go_on && !p->fail.code)
		pd_fail_set(&p->fail, PD_E_STATE, "",
			    "the compression was stopped; the same command goes on from here");
	if (p->fail.code) {
		p->stop = true;
		atomic_store(&p->oracle.stop, true);
		pthread_cond_broadcast(&p->changed);
	}
}

static bool is_complete(const struct sv_small_proof *p)
{
	uint8_t key[GAME_KEY_MAX];
	const struct sv_small_node *n = sv_small_find(&p->now, key, p->game->rules->key(p->game, p->root, key));
	return n && n->done;
}

/* Walks with all threads until the root is done. */
static int walk_all(struct compressing *c, struct pd_fail *fail)
{
	struct sv_small_proof *p = c->proof;
	struct sv_small_walker *walkers = calloc(c->order->threads, sizeof *walkers);
	pthread_t *ids = calloc(c->order->threads, sizeof *ids);
	unsigned opened = 0, running = 0;
	int rc = walkers && ids ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for threads");
	while (!rc && opened < c->order->threads) {
		rc = sv_small_walker_init(&walkers[opened], p, opened, fail);
		opened++;
	}
	while (!rc && running < c->order->threads) {
		if (pthread_create(&ids[running], NULL, walk_main, &walkers[running]))
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "a thread cannot be started");
		else
			running++;
	}
	pd_mutex_lock(&p->lock);
	if (rc)
		p->fail = *fail;
	while (!is_complete(p) && !p->stop) {
		pd_mutex_wait_until(&p->lock, &p->changed, pd_now_ns() + LOOK_MS * UINT64_C(1000000));
		look_after(c);
	}
	pthread_cond_broadcast(&p->changed);
	pd_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < running; i++)
		pthread_join(ids[i], NULL);
	for (unsigned i = 0; i < opened; i++)
		sv_small_walker_fini(&walkers[i]);
	free(walkers);
	free(ids);
	if (p->fail.code)
		*fail = p->fail;
	return p->fail.code;
}

/* --- again -------------------------------------------------------------------------------- */

static int by_uses(const void *a, const void *b, void *uses)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint32_t *u = uses;
	return u[x] != u[y] ? (u[x] < u[y] ? 1 : -1) : (x > y) - (x < y);
}

/* Lists the cards that the old proof uses, the most used first. */
static void order_cards(struct sv_small_proof *p, uint32_t *uses)
{
	p->order.count = 0;
	for (uint32_t i = 0; i < p->card_count; i++)
		if (uses[i])
			p->order.card[p->order.count++] = i;
	qsort_r(p->order.card, p->order.count, sizeof *p->order.card, by_uses, uses);
}

/* Walks a complete proof again, as long as it becomes smaller by that. */
static int walk_again(struct compressing *c, struct pd_fail *fail)
{
	struct sv_small_proof *p = c->proof;
	uint32_t *uses = calloc(p->card_count + 1, sizeof *uses);
	p->order.card = calloc(p->card_count + 1, sizeof *p->order.card);
	int rc = uses && p->order.card ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a small proof");
	if (!rc && !p->again) {
		sv_small_nodes_fini(&p->old);
		p->old = p->now;
		sv_small_nodes_init(&p->now);
		p->again = true;
		rc = sv_small_save(p, c->state_file, fail);
	}
	uint64_t before = rc ? 0 : cost_of(&p->old, p->card_count, uses), now = 0;
	for (c->again = 1; !rc; c->again++) {
		order_cards(p, uses);
		rc = walk_all(c, fail);
		now = rc ? 0 : cost_of(&p->now, p->card_count, uses);
		if (rc || now * 100 > before * AGAIN_PERCENT || c->again == AGAIN_MAX)
			break;
		before = now;
		sv_small_nodes_fini(&p->old);
		p->old = p->now;
		sv_small_nodes_init(&p->now);
	}
	free(uses);
	return rc;
}

/* Finds a proof. Where the oracle was wrong, what the certificate itself says is followed. */
static int find_proof(struct compressing *c, struct pd_fail *fail)
{
	struct sv_small_proof *p = c->proof;
	sv_certificate_read(c->order->from, c->text, take_reason, p);
	int rc = walk_all(c, fail);
	if (rc != PD_E_STATE || strcmp(fail->field, "position") != 0 || !p->old.count)
		return rc;
	sv_small_nodes_fini(&p->now);
	p->stop = false;
	p->plain = true;
	p->fail = (struct pd_fail){0};
	atomic_store(&p->oracle.stop, false);
	return walk_all(c, fail);
}

static int compress_bound(struct compressing *c, bool first, int bound, struct sv_export_records *records,
			  struct pd_fail *fail)
{
	struct sv_small_proof p;
	c->proof = &p;
	c->again = 0;
	c->save_ns = pd_now_ns() + SAVE_S * UINT64_C(1000000000);
	snprintf(c->state_file, sizeof c->state_file, "%s.%s.state", c->order->file, first ? "lo" : "hi");
	int rc = proof_init(c, &p, first, bound, fail);
	if (!rc) {
		sv_small_load(&p, c->state_file);
		rc = p.again ? PD_OK : find_proof(c, fail);
	}
	if (!rc)
		rc = walk_again(c, fail);
	else if (rc == PD_E_STATE && p.cards.size && !p.again) /* stopped */
		sv_small_save(&p, c->state_file, &(struct pd_fail){0});
	c->out->nodes += p.nodes;
	if (!rc)
		rc = sv_small_write(&p, records, &c->out->uses, &c->out->strategies, fail);
	proof_fini(&p);
	return rc;
}

/* --- the certificate ---------------------------------------------------------------------- */

/* Reads a bound of the header, `-` or a value of the game. */
static int read_bound(const struct compressing *c, const char *name, bool *has, int *bound, struct pd_fail *fail)
{
	const struct game *g = c->game;
	char word[32], *end;
	sv_certificate_word(c->text, name, word, sizeof word);
	long value = strtol(word, &end, 10);
	*has = strcmp(word, "-") != 0;
	*bound = (int)value;
	if (!*has || (end != word && !*end && value >= g->value_min && value <= g->value_max &&
		      (value - g->value_min) % g->value_step == 0))
		return PD_OK;
	return pd_fail_set(fail, PD_E_CORRUPT, "file", "the certificate's %s is '%.20s', which is no value of %.80s",
			   name, word, g->name);
}

static int compress_claim(struct compressing *c, struct pd_fail *fail)
{
	const struct game *g = c->game;
	struct sv_export_records records;
	uint8_t root[GAME_KEY_MAX];
	char position[GAME_TEXT_MAX];
	struct sv_certificate_head head = {.game = g->name,
					   .position = position,
					   .rules = g->rules_version,
					   .plugin = g->plugin_digest,
					   .claim = c->out->claim,
					   .status = c->out->status,
					   .root = root,
					   .root_size = g->rules->key(g, c->root, root),
					   .full = true,
					   .cards = &records.cards};
	int value;
	if (read_bound(c, "lo", &head.has_lo, &head.lo, fail) || read_bound(c, "hi", &head.has_hi, &head.hi, fail))
		return fail->code;
	bool over = g->rules->terminal(g, c->root, &value);
	bool lo = head.has_lo && head.lo > g->value_min && !over, hi = head.has_hi && head.hi < g->value_max && !over;
	sv_certificate_word(c->text, "claim", c->out->claim, sizeof c->out->claim);
	sv_certificate_word(c->text, "status", c->out->status, sizeof c->out->status);
	g->rules->print(g, c->root, position, sizeof position);
	sv_export_records_init(&records);
	int rc = lo ? compress_bound(c, true, head.lo, &records, fail) : PD_OK;
	if (!rc && hi)
		rc = compress_bound(c, false, head.hi, &records, fail);
	head.positions = c->out->positions = records.count;
	head.reasons = c->out->reasons = records.reasons;
	head.with_card = c->out->cards = records.with_card;
	if (!rc)
		rc = sv_export_records_write(&records,
					     &(struct sv_export_writing){.path = c->order->file, .threads = 1}, &head,
					     &c->out->bytes, fail);
	sv_export_records_fini(&records);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		snprintf(c->state_file, sizeof c->state_file, "%s.%s.state", c->order->file, i ? "lo" : "hi");
		unlink(c->state_file);
	}
	return rc;
}

/* Opens the game and the position that the certificate names. */
static int open_question(struct compressing *c, struct game **game, void *root, struct pd_fail *fail)
{
	char name[GAME_NAME_MAX], *position = malloc(SV_CERTIFICATE_HEAD_MAX);
	sv_certificate_word(c->text, "game", name, sizeof name);
	int rc = position ? game_open(name, NULL, game, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory");
	if (!rc && (*game)->rules_version != sv_certificate_number(c->text, "rules"))
		rc = pd_fail_set(fail, PD_E_STATE, "game", "the certificate is for another version of %.80s", name);
	if (!rc)
		rc = pn_strategy_check(*game, fail);
	if (!rc) {
		sv_certificate_word(c->text, "position", position, SV_CERTIFICATE_HEAD_MAX);
		rc = (*game)->rules->parse(*game, position, root, fail);
	}
	free(position);
	return rc;
}

int sv_compress(const struct sv_compress_order *order, struct sv_compressed *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct sv_certificate_text *text = malloc(sizeof *text);
	struct compressing c = {.order = order, .root = root, .text = text, .out = out};
	struct game *game = NULL;
	PD_ASSERT(order->threads >= 1 && order->threads <= SV_COMPRESS_THREADS_MAX);
	PD_ASSERT(order->positions >= 1 && order->positions <= SV_COMPRESS_POSITIONS_MAX);
	*out = (struct sv_compressed){0};
	int rc = text ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
	if (!rc && (!sv_certificate_text_read(order->from, text) || !sv_certificate_format(text)))
		rc = pd_fail_set(fail, PD_E_CORRUPT, "file", "%.200s is not a certificate", order->from);
	if (!rc)
		rc = open_question(&c, &game, root, fail);
	c.game = game;
	if (!rc)
		rc = compress_claim(&c, fail);
	if (game)
		game_close(game);
	free(text);
	return rc;
}
