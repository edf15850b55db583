#include "clients/proofcheck/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/estimate.h"
#include "clients/proofcheck/header_game.h"
#include "clients/proofcheck/opening.h"
#include "clients/proofcheck/record.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"

enum { BLOCKS_AT_ONCE = 16, PROGRESS_NS = 200 * 1000 * 1000, THREADS_MAX = 1024 };
enum { EFFORT_MANY = 1000000, POSITIONS_MANY = 20000000 };

struct pass;

struct worker {
	struct pass *pass;
	struct ck_judge *judge; /* owned; NULL in the survey */
	struct ck_sums sums;
	uint64_t block; /* being checked */
	pthread_t thread;
	bool started;
};

/* One pass over all blocks. */
struct pass {
	struct ck_cert *cert;
	const struct ck_game *game; /* NULL: the survey */
	const struct ck_options *options;
	struct ck_tables *tables;   /* may be NULL */
	_Atomic uint64_t next;      /* the first block not yet handed out */
	_Atomic uint64_t bad;       /* the first block with a fault; UINT64_MAX: none so far */
	_Atomic uint64_t positions; /* checked */
	struct pd_mutex lock;       /* guards what follows */
	pthread_cond_t ended;
	unsigned running;
	struct ck_fault fault; /* of block `bad` */
	bool unknown;          /* it says why there is no verdict */
	struct ck_sums sums;
	uint64_t searched;
};

static void report_fault(struct pass *pass, uint64_t block, const struct ck_fault *fault, bool unknown)
{
	pd_mutex_lock(&pass->lock);
	if (block < atomic_load(&pass->bad)) {
		atomic_store(&pass->bad, block);
		pass->fault = *fault;
		pass->unknown = unknown;
	}
	pd_mutex_unlock(&pass->lock);
}

/* Stops searches when a fault in an earlier block is known. */
static bool is_pointless(void *ctx)
{
	const struct worker *w = ctx;
	return atomic_load(&w->pass->bad) < w->block;
}

static void judge_block(struct worker *w)
{
	struct ck_fault fault;
	struct ck_walk walk;
	bool wrong = false;
	if (!ck_walk_begin(w->pass->cert, w->block, &walk, &fault)) {
		report_fault(w->pass, w->block, &fault, false);
		return;
	}
	while (ck_walk_next(&walk, &wrong, &fault)) {
		enum ck_finding finding = ck_judge_record(w->judge, &walk.record, walk.end, &fault);
		if (finding == CK_STOP)
			return;
		if (finding != CK_GOOD) {
			report_fault(w->pass, w->block, &fault, finding == CK_CANNOT);
			return;
		}
		atomic_fetch_add_explicit(&w->pass->positions, 1, memory_order_relaxed);
	}
	if (wrong)
		report_fault(w->pass, w->block, &fault, false);
}

static void survey_block(struct worker *w)
{
	struct ck_fault fault;
	if (!ck_block_survey(w->pass->cert, w->block, &w->sums, &fault))
		report_fault(w->pass, w->block, &fault, false);
}

/* Checks blocks until none are left or an earlier block has a fault. Blocks are handed out in file order, so every
 * block before a fault is checked. */
static void *check_blocks(void *arg)
{
	struct worker *w = arg;
	struct pass *pass = w->pass;
	uint64_t blocks = pass->cert->header.blocks;
	PD_ASSERT(!w->judge == !pass->game);
	for (;;) {
		uint64_t begin = atomic_fetch_add(&pass->next, BLOCKS_AT_ONCE);
		for (w->block = begin; w->block < blocks && w->block < begin + BLOCKS_AT_ONCE && !is_pointless(w);
		     w->block++)
			if (w->judge)
				judge_block(w);
			else
				survey_block(w);
		if (w->block < begin + BLOCKS_AT_ONCE)
			break;
	}
	pd_mutex_lock(&pass->lock);
	pass->sums.positions += w->sums.positions;
	pass->sums.reasons += w->sums.reasons;
	pass->sums.leaves += w->sums.leaves;
	pass->sums.cards += w->sums.cards;
	pass->sums.effort = ck_add_capped(pass->sums.effort, w->sums.effort);
	pass->searched += w->judge ? w->judge->searched : 0;
	PD_ASSERT(pass->running > 0);
	pass->running--;
	pthread_cond_signal(&pass->ended);
	pd_mutex_unlock(&pass->lock);
	return NULL;
}

static bool prepare_worker(struct worker *w, struct pass *pass)
{
	w->pass = pass;
	if (!pass->game)
		return true;
	w->judge = ck_judge_new(pass->game, pass->cert, is_pointless, w);
	if (w->judge)
		w->judge->tables = pass->tables;
	return w->judge;
}

/* Waits for the threads and reports progress. */
static void wait_for_workers(struct pass *pass)
{
	const struct ck_options *o = pass->options;
	pd_mutex_lock(&pass->lock);
	while (pass->running) {
		pd_mutex_wait_until(&pass->lock, &pass->ended, pd_now_ns() + PROGRESS_NS);
		if (pass->game && o->progress) {
			pd_mutex_unlock(&pass->lock);
			o->progress(o->ctx, atomic_load(&pass->positions), pass->cert->header.positions);
			pd_mutex_lock(&pass->lock);
		}
	}
	pd_mutex_unlock(&pass->lock);
}

/* Runs the workers, as many as can be started; false when none can. */
static bool run_workers(struct pass *pass, struct worker *workers, unsigned count)
{
	unsigned started = 0;
	for (unsigned i = 0; i < count; i++) {
		if (!prepare_worker(&workers[i], pass))
			break;
		pd_mutex_lock(&pass->lock);
		pass->running++;
		pd_mutex_unlock(&pass->lock);
		workers[i].started = !pthread_create(&workers[i].thread, NULL, check_blocks, &workers[i]);
		started += workers[i].started;
		if (!workers[i].started) {
			pd_mutex_lock(&pass->lock);
			pass->running--;
			pd_mutex_unlock(&pass->lock);
		}
	}
	wait_for_workers(pass);
	for (unsigned i = 0; i < count; i++) {
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
		ck_judge_free(workers[i].judge);
	}
	return started > 0;
}

/* Runs one pass. CK_VERIFIED: no fault. */
static enum ck_verdict run_pass(struct pass *pass, struct ck_fault *fault)
{
	uint64_t shares = (pass->cert->header.blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
	unsigned count = pass->options->threads < THREADS_MAX ? pass->options->threads : THREADS_MAX;
	count = count < shares ? count : (unsigned)shares;
	if (!count)
		return CK_VERIFIED;
	struct worker *workers = calloc(count, sizeof *workers);
	atomic_init(&pass->next, 0);
	atomic_init(&pass->bad, UINT64_MAX);
	atomic_init(&pass->positions, 0);
	pd_mutex_init(&pass->lock, PD_LOCK_CHECK);
	pd_cond_init(&pass->ended);
	bool good = workers && run_workers(pass, workers, count);
	pthread_cond_destroy(&pass->ended);
	pd_mutex_fini(&pass->lock);
	free(workers);
	if (!good) {
		ck_fault_set(fault, 0, "there is not enough memory for the check, or no thread can be started");
		return CK_UNKNOWN;
	}
	if (atomic_load(&pass->bad) == UINT64_MAX)
		return CK_VERIFIED;
	PD_ASSERT(atomic_load(&pass->bad) < pass->cert->header.blocks && pass->fault.text[0]);
	*fault = pass->fault;
	return pass->unknown ? CK_UNKNOWN : CK_REJECTED;
}

static bool check_digest(const struct ck_cert *cert, struct ck_fault *fault)
{
	char digest[33];
	ck_cert_digest(cert, digest);
	return !memcmp(digest, cert->header.digest.at, 32) ||
	       ck_fault_set(fault, cert->body,
			    "the digest is %s, the header says %.32s: the file has been damaged or changed", digest,
			    cert->header.digest.at);
}

static bool check_sums(const struct ck_header *h, const struct ck_sums *sums, struct ck_fault *fault)
{
	return ck_count_is(h->positions, sums->positions, "positions", fault) &&
	       ck_count_is(h->reasons, sums->reasons, "reasons", fault) &&
	       ck_count_is(h->leaves, sums->leaves, "leaves", fault) &&
	       ck_count_is(h->cards, sums->cards, "cards", fault);
}

enum ck_verdict ck_open_game(const struct ck_cert *cert, struct ck_game *game, struct ck_fault *fault)
{
	const struct ck_header *h = &cert->header;
	if (!ck_cert_reach(cert, cert->body, h->graph, fault))
		return CK_REJECTED;
	return ck_header_open_game(h, cert->bytes + cert->body, cert->body, game, fault);
}

/* Checks the root: its text, its key, and that it has the bounds of the header. */
static bool check_root(const struct ck_cert *cert, const struct ck_game *game, struct ck_fault *fault)
{
	const struct ck_header *h = &cert->header;
	const struct ck_bound *bounds[] = {&h->lo, &h->hi};
	struct ck_position root;
	uint8_t key[CK_KEY_MAX];
	for (unsigned upper = 0; upper < 2; upper++)
		if (bounds[upper]->there && !ck_is_value(game, bounds[upper]->value))
			return ck_fault_set(fault, 0,
					    "'%s' in the header is %" PRId64 ", which is not one of the game's values",
					    upper ? "hi" : "lo", bounds[upper]->value);
	if (!ck_header_read_root(h, game, &root, fault))
		return false;
	PD_ASSERT(h->lo.there || h->hi.there);
	struct ck_view view = ck_look(game, cert, &root);
	size_t size = game->rules->encode(game, &root, key);
	ck_fault_set(fault, 0, "the root in the header is not the key of its position");
	game->rules->print(game, &root, fault->position);
	if (size != h->root_size || memcmp(key, h->root, size))
		return false;
	if (view.over && h->blocks) {
		snprintf(fault->text, sizeof fault->text,
			 "the game is over at the root, so there should be no records");
		return false;
	}
	for (unsigned upper = 0; upper < 2; upper++) {
		const struct ck_bound *bound = bounds[upper];
		snprintf(fault->text, sizeof fault->text, "the root should have %s %" PRId64 ", but %s",
			 upper ? "at most" : "at least", bound->value,
			 view.over    ? "the game is over there with another value"
			 : view.count ? "its record does not say so"
				      : "it has no record");
		if (bound->there && !ck_view_has(game, &view, upper, bound->value, CK_ANY_RANK))
			return false;
	}
	return true;
}

const char *ck_header_outcome(const struct ck_game *game, const struct ck_header *h)
{
	if (h->lo.there && (h->lo.value == game->best || (h->hi.there && h->lo.value == h->hi.value)))
		return ck_outcome(game, h->lo.value);
	return h->hi.there && h->hi.value == game->worst ? ck_outcome(game, h->hi.value) : NULL;
}

/* Reports an estimate unless the certificate is so small that the estimate would take longer than the check. */
static void report_estimate(const struct ck_cert *cert, const struct ck_game *game, const struct ck_options *options,
			    const struct ck_sums *sums)
{
	if (options->estimate && (sums->effort >= EFFORT_MANY || sums->positions >= POSITIONS_MANY))
		options->estimate(options->ctx, ck_estimate(cert, game, sums, options->threads), sums);
}

static enum ck_verdict check_records(struct ck_cert *cert, const struct ck_game *game, const struct ck_options *options,
				     struct ck_result *result)
{
	struct pass pass = {.cert = cert, .game = game, .options = options};
	uint64_t start = pd_now_ns();
	struct pd_fail fail;
	if (options->tables && cert->header.cards &&
	    ck_tables_open(options->tables, game->name, options->threads, &pass.tables, &fail)) {
		ck_fault_set(&result->fault, 0, "%s", fail.text);
		return CK_UNKNOWN;
	}
	enum ck_verdict verdict = run_pass(&pass, &result->fault);
	ck_tables_close(pass.tables);
	result->seconds = (double)(pd_now_ns() - start) / 1e9;
	result->searched = pass.searched;
	return verdict;
}

static enum ck_verdict check_open(struct ck_cert *cert, const struct ck_options *options, struct ck_result *result)
{
	struct ck_fault *fault = &result->fault;
	struct ck_game game;
	enum ck_verdict verdict = ck_cert_prepare(cert, fault);
	if (verdict == CK_VERIFIED && options->digest && !check_digest(cert, fault))
		verdict = CK_REJECTED;
	if (verdict == CK_VERIFIED)
		verdict = ck_open_game(cert, &game, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	result->outcome = ck_header_outcome(&game, &cert->header);
	struct pass survey = {.cert = cert, .options = options};
	verdict = run_pass(&survey, fault);
	if (verdict == CK_VERIFIED &&
	    (!check_sums(&cert->header, &survey.sums, fault) || !check_root(cert, &game, fault)))
		verdict = CK_REJECTED;
	if (verdict == CK_VERIFIED)
		report_estimate(cert, &game, options, &survey.sums);
	if (verdict == CK_VERIFIED)
		verdict = check_records(cert, &game, options, result);
	ck_close(&game);
	return verdict;
}

enum ck_verdict ck_check(const uint8_t *bytes, uint64_t size, const struct ck_options *options,
			 struct ck_result *result)
{
	struct ck_cert cert;
	PD_ASSERT(options->threads >= 1);
	memset(result, 0, sizeof *result);
	result->verdict = ck_open_file(&cert, bytes, size, &result->fault);
	if (result->verdict == CK_VERIFIED) {
		result->header = cert.header;
		result->has_header = true;
		result->verdict = check_open(&cert, options, result);
	}
	ck_cert_close(&cert);
	PD_ASSERT(result->verdict == CK_VERIFIED || result->fault.text[0]);
	return result->verdict;
}
