#include "clients/proofcheck/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/estimate.h"
#include "clients/proofcheck/opening.h"
#include "clients/proofcheck/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "proto/out.h"

enum { JSON_BYTES_MAX = 1 << 20, STARS = 40 };

/* The exponent of the largest power of two that is not greater than n, which is at least 1. */
static unsigned power_of(uint64_t n)
{
	unsigned power = 0;
	PD_ASSERT(n >= 1);
	while (n >>= 1)
		power++;
	return power;
}

static void count_bound(struct ck_stats *s, int64_t bound)
{
	unsigned i = 0;
	while (i < s->bound_count && s->bound[i] != bound)
		i++;
	if (i == CK_BOUNDS) {
		s->bounds[CK_BOUNDS]++;
		return;
	}
	s->bound_count += i == s->bound_count;
	s->bound[i] = bound;
	s->bounds[i]++;
}

static void count_reason(struct ck_stats *s, const struct ck_reason *r)
{
	s->by_move += r->has_move;
	s->by_all += !r->has_move && !r->has_effort && !r->has_card;
	s->upper += r->upper;
	s->unranked += !r->has_rank;
	count_bound(s, r->bound);
	if (r->has_card)
		s->by_theorem.cards[r->theorem < CK_THEOREMS ? r->theorem : 0]++;
	s->by_theorem.bytes += r->size;
	if (r->has_rank)
		s->rank[power_of(r->rank)]++;
	if (r->has_effort)
		s->effort[power_of(r->effort)]++;
	s->rank_max = r->rank > s->rank_max ? r->rank : s->rank_max;
	s->effort_max = r->effort > s->effort_max ? r->effort : s->effort_max;
}

static bool count_block(const struct ck_cert *cert, uint64_t block, struct ck_stats *s, struct ck_fault *fault)
{
	uint64_t size = ck_block_offset(cert, block + 1) - ck_block_offset(cert, block);
	struct ck_walk walk;
	bool wrong = false;
	s->block_min = !block || size < s->block_min ? size : s->block_min;
	s->block_max = size > s->block_max ? size : s->block_max;
	if (!ck_walk_begin(cert, block, &walk, fault))
		return false;
	while (ck_walk_next(&walk, &wrong, fault)) {
		const uint8_t *p = walk.record.reason;
		struct ck_reason r;
		s->key_bytes += walk.record.key_size;
		for (unsigned i = 0; i < walk.record.reasons && !ck_reason_read(&p, walk.end, &r); i++)
			count_reason(s, &r);
	}
	return !wrong;
}

static uint64_t root_rank_of(const struct ck_cert *cert)
{
	const uint8_t *p, *end;
	unsigned count;
	uint64_t most = 0;
	struct ck_reason r;
	if (!ck_cert_find(cert, cert->header.root, cert->header.root_size, &p, &count, &end))
		return 0;
	for (unsigned i = 0; i < count && !ck_reason_read(&p, end, &r); i++)
		most = r.rank > most ? r.rank : most;
	return most;
}

static enum ck_verdict count_all(struct ck_cert *cert, struct ck_stats *s, struct ck_fault *fault)
{
	struct ck_game game;
	struct ck_fault unknown;
	uint64_t blocks = cert->header.blocks;
	enum ck_verdict verdict = ck_cert_prepare(cert, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	for (uint64_t i = 0; i < blocks; i++)
		if (!ck_block_survey(cert, i, &s->sums, fault))
			return CK_REJECTED;
	for (uint64_t i = 0; i < blocks; i++)
		if (!count_block(cert, i, s, fault))
			return CK_REJECTED;
	s->content_bytes = cert->size;
	s->header_bytes = cert->body;
	s->block_bytes = cert->index - cert->first_block;
	s->index_bytes = cert->size - cert->index;
	s->root_rank = root_rank_of(cert);
	s->seconds = -1;
	if (ck_open_game(cert, &game, &unknown) == CK_VERIFIED) {
		s->seconds = ck_estimate(cert, &game, &s->sums, s->threads);
		ck_close(&game);
	}
	return CK_VERIFIED;
}

enum ck_verdict ck_stats(const uint8_t *bytes, uint64_t size, unsigned threads, struct ck_stats *s,
			 struct ck_fault *fault)
{
	struct ck_cert cert;
	*s = (struct ck_stats){.threads = threads, .file_bytes = size};
	enum ck_verdict verdict = ck_open_file(&cert, bytes, size, fault);
	s->header = cert.header;
	if (verdict == CK_VERIFIED)
		verdict = count_all(&cert, s, fault);
	ck_cert_close(&cert);
	return verdict;
}

static void print_row(const char *name, uint64_t n, uint64_t all)
{
	pd_print(stdout, "  %-22s %15s", name, ck_count(n).text);
	if (all)
		pd_print(stdout, "  %5.1f %%", 100.0 * (double)n / (double)all);
	pd_print(stdout, "\n");
}

static void print_histogram(const char *title, const uint64_t rows[CK_POWERS])
{
	uint64_t most = 0;
	unsigned first = 0, last = 0;
	for (unsigned i = 0; i < CK_POWERS; i++) {
		first = most ? first : i;
		most = rows[i] > most ? rows[i] : most;
		last = rows[i] ? i : last;
	}
	if (!most)
		return;
	pd_print(stdout, "\n%s\n", title);
	for (unsigned i = first; i <= last; i++) {
		char range[48];
		uint64_t low = UINT64_C(1) << i;
		unsigned stars = (unsigned)((double)rows[i] * STARS / (double)most + 0.999);
		if (i)
			snprintf(range, sizeof range, "%" PRIu64 " - %" PRIu64, low, low - 1 + low);
		else
			snprintf(range, sizeof range, "1");
		pd_print(stdout, "  %-22s %15s  %.*s\n", range, ck_count(rows[i]).text, (int)stars,
			 "****************************************");
	}
}

static void print_sizes(const struct ck_stats *s)
{
	const struct ck_header *h = &s->header;
	pd_print(stdout, "\nbytes\n");
	print_row("file", s->file_bytes, 0);
	if (s->file_bytes != s->content_bytes) {
		print_row("unpacked", s->content_bytes, 0);
		pd_print(stdout, "  %-22s %15.2f\n", "compressed by", (double)s->content_bytes / (double)s->file_bytes);
	}
	print_row("header", s->header_bytes, 0);
	if (h->graph)
		print_row("graph", h->graph, 0);
	print_row("blocks", s->block_bytes, 0);
	print_row("index", s->index_bytes, 0);
	if (h->blocks) {
		if (s->sums.cards)
			print_row("witnesses", s->by_theorem.bytes, 0);
		print_row("smallest block", s->block_min, 0);
		print_row("largest block", s->block_max, 0);
		pd_print(stdout, "  %-22s %15.1f\n", "a position", (double)s->file_bytes / (double)s->sums.positions);
		pd_print(stdout, "  %-22s %15.1f\n", "a key, in full",
			 (double)s->key_bytes / (double)s->sums.positions);
	}
}

static void print_cards(const struct ck_stats *s)
{
	char name[32];
	for (unsigned i = 1; i < CK_THEOREMS; i++) {
		snprintf(name, sizeof name, "by theorem T%u", i);
		if (s->by_theorem.cards[i])
			print_row(name, s->by_theorem.cards[i], s->sums.reasons);
	}
	if (s->by_theorem.cards[0])
		print_row("by other theorems", s->by_theorem.cards[0], s->sums.reasons);
}

static void print_text(const struct ck_stats *s, const char *file)
{
	const struct ck_header *h = &s->header;
	uint64_t all = s->sums.reasons;
	pd_print(stdout, "%s: %.*s, %.*s, format %u\n\n", file, (int)h->game.size, h->game.at, (int)h->detail.size,
		 h->detail.at, h->format);
	print_row("positions", s->sums.positions, 0);
	print_row("blocks", h->blocks, 0);
	print_row("reasons", all, 0);
	print_row("by one move", s->by_move, all);
	print_row("by all moves", s->by_all, all);
	print_row("by a search (leaves)", s->sums.leaves, all);
	print_cards(s);
	print_row("lower bounds", all - s->upper, all);
	print_row("upper bounds", s->upper, all);
	if (s->unranked)
		print_row("without a rank", s->unranked, all);
	for (unsigned i = 0; i < s->bound_count; i++) {
		char name[48];
		snprintf(name, sizeof name, "bound %" PRId64, s->bound[i]);
		print_row(name, s->bounds[i], all);
	}
	if (s->bounds[CK_BOUNDS])
		print_row("other bounds", s->bounds[CK_BOUNDS], all);
	if (s->root_rank)
		print_row("plies from the root", s->root_rank, 0);
	print_row("largest rank", s->rank_max, 0);
	if (s->sums.leaves) {
		print_row("largest effort, nodes", s->effort_max, 0);
		print_row("efforts, nodes", s->sums.effort, 0);
	}
	print_sizes(s);
	print_histogram("reasons by rank", s->rank);
	print_histogram("leaves by effort, nodes", s->effort);
	if (s->seconds >= 0)
		pd_print(stdout, "\na check takes about %s on %u thread%s\n", ck_duration(s->seconds).text, s->threads,
			 s->threads == 1 ? "" : "s");
}

static void put_histogram(struct pr_out *out, const char *name, const uint64_t rows[CK_POWERS])
{
	unsigned count = CK_POWERS;
	while (count && !rows[count - 1])
		count--;
	pr_open_array(out, name);
	for (unsigned i = 0; i < count; i++)
		pr_uint(out, NULL, rows[i]);
	pr_close(out);
}

static void put_cards(struct pr_out *out, const struct ck_stats *s)
{
	pr_uint(out, "cards", s->sums.cards);
	pr_uint(out, "witness_bytes", s->by_theorem.bytes);
	pr_open_array(out, "theorems");
	for (unsigned i = 1; i < CK_THEOREMS; i++)
		if (s->by_theorem.cards[i])
			pr_members(out, PR_OPEN_OBJECT(NULL), PR_U("theorem", i), PR_U("cards", s->by_theorem.cards[i]),
				   PR_CLOSE);
	pr_close(out);
}

static void print_json(const struct ck_stats *s, const char *file)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, JSON_BYTES_MAX);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_str(&out, "file", file);
	pr_uint(&out, "format", s->header.format);
	pr_strn(&out, "game", s->header.game.at, s->header.game.size);
	pr_strn(&out, "detail", s->header.detail.at, s->header.detail.size);
	pr_members(&out, PR_U("positions", s->sums.positions), PR_U("blocks", s->header.blocks),
		   PR_U("reasons", s->sums.reasons), PR_U("by_move", s->by_move), PR_U("by_all", s->by_all),
		   PR_U("leaves", s->sums.leaves), PR_U("upper", s->upper), PR_U("unranked", s->unranked),
		   PR_U("root_rank", s->root_rank), PR_U("rank_max", s->rank_max), PR_U("effort", s->sums.effort),
		   PR_U("effort_max", s->effort_max), PR_U("bytes", s->file_bytes),
		   PR_U("unpacked_bytes", s->content_bytes), PR_U("key_bytes", s->key_bytes));
	put_histogram(&out, "ranks", s->rank);
	put_histogram(&out, "efforts", s->effort);
	if (ck_has_cards(&s->header))
		put_cards(&out, s);
	pr_members(&out, PR_U("threads", s->threads), PR_IF(s->seconds >= 0, PR_R("check_s", s->seconds, 3)));
	pr_close(&out);
	pd_print(stdout, "%s\n", line.failed ? "{}" : line.data);
	pd_buf_fini(&line);
}

void ck_stats_print(const struct ck_stats *s, const char *file, bool json)
{
	if (json)
		print_json(s, file);
	else
		print_text(s, file);
}
