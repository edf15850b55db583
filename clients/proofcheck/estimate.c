#include "clients/proofcheck/estimate.h"

#include "clients/proofcheck/record.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum { SAMPLE_NS = 250 * 1000 * 1000, BLOCKS_MAX = 4096 };

/* Assumed times where the sample measured none. */
static const double position_ns = 20000, node_ns = 10000;

struct sample {
	struct ck_judge *judge; /* owned */
	uint64_t until;         /* pd_now_ns */
	uint64_t plain, plain_ns;
	uint64_t effort, effort_ns;
};

static bool is_late(void *ctx)
{
	const struct sample *s = ctx;
	return pd_now_ns() >= s->until;
}

/* The sum of a record's efforts, nodes. */
static uint64_t effort_of(const struct ck_record *record, const uint8_t *end)
{
	const uint8_t *p = record->reason;
	uint64_t sum = 0;
	struct ck_reason r = {.effort = 0};
	for (unsigned i = 0; i < record->reasons && !ck_reason_read(&p, end, &r); i++)
		sum = ck_add_capped(sum, r.effort);
	return sum;
}

/* Judges one record and ignores the finding. Where the time limit ended a search, the nodes searched count as the
 * effort. */
static void try_record(struct sample *s, const struct ck_record *record, const uint8_t *end)
{
	struct ck_fault fault;
	uint64_t effort = effort_of(record, end), searched = s->judge->searched, begin = pd_now_ns();
	enum ck_finding finding = ck_judge_record(s->judge, record, end, &fault);
	uint64_t ns = pd_now_ns() - begin, nodes = s->judge->searched - searched;
	if (!effort) {
		s->plain++;
		s->plain_ns += ns;
	} else {
		s->effort = ck_add_capped(s->effort, finding == CK_STOP && nodes < effort ? nodes : effort);
		s->effort_ns += ns;
	}
}

static void try_block(struct sample *s, const struct ck_cert *cert, uint64_t block)
{
	struct ck_fault fault;
	struct ck_walk walk;
	bool wrong;
	if (!ck_walk_begin(cert, block, &walk, &fault))
		return;
	while (!is_late(s) && ck_walk_next(&walk, &wrong, &fault))
		try_record(s, &walk.record, walk.end);
}

double ck_estimate(const struct ck_cert *cert, const struct ck_game *game, const struct ck_sums *sums, unsigned threads)
{
	uint64_t blocks = cert->header.blocks, count = blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
	struct sample s = {.until = pd_now_ns() + SAMPLE_NS};
	PD_ASSERT(threads >= 1);
	s.judge = ck_judge_new(game, cert, is_late, &s);
	/* Blocks from all parts of the file in turn, each once: the step is a prime. */
	for (uint64_t i = 0; s.judge && i < count && !is_late(&s); i++)
		try_block(&s, cert, (uint64_t)((double)blocks * (double)(i * 2654435761 % count) / (double)count));
	ck_judge_free(s.judge);
	double plain = s.plain ? (double)s.plain_ns / (double)s.plain : position_ns,
	       node = s.effort ? (double)s.effort_ns / (double)s.effort : node_ns;
	uint64_t rest = sums->positions > sums->leaves ? sums->positions - sums->leaves : 0;
	return ((double)rest * plain + (double)sums->effort * node) / 1e9 / threads;
}
