/* Salvage: jobs, events, transposition tables, conflicts (salvage.h). */
#include "proto/base/assert.h"
#include "store/block.h"
#include "store/existence.h"
#include "store/pack.h"
#include "store/salvage_index.h"
#include "store/tt_state.h"

static bool all_known(const struct st_salvage *s)
{
	return s->counters_sure && s->existences == s->counters.jobs;
}

/* The job's existence record; false when there is none. Where all existence records are known, an old one is
 * ignored. */
static bool existence_of(struct st_salvage *s, uint32_t job, struct st_existence *out)
{
	size_t count;
	const struct st_item *x = st_salvage_items(s, ST_ITEM_EXISTENCE, job, UINT64_MAX, &count);
	bool counts = count && (x->grade == ST_NEWEST || !all_known(s));
	const uint8_t *p = counts ? st_salvage_fetch(s, x, false) : NULL;
	*out = (struct st_existence){0};
	return p && st_existence_unpack(p, ST_EXISTENCE_BYTES, out);
}

enum st_job_trace st_salvage_job(struct st_salvage *s, uint32_t job,
				 void (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	PD_ASSERT(job);
	size_t count;
	struct st_existence existence;
	bool known = existence_of(s, job, &existence), all = all_known(s);
	if (all && !known)
		return ST_JOB_NONE; /* it was forgotten; a record that is left over does not bring it back */
	const struct st_item *x = st_salvage_items(s, ST_ITEM_JOB, job, UINT64_MAX, &count);
	bool sure = count && x->grade == ST_NEWEST && (count == 1 || x[1].grade != ST_NEWEST);
	unsigned found = 0;
	for (size_t i = 0; i < (sure ? 1 : count); i++) {
		const uint8_t *p = st_salvage_fetch(s, &x[i], false);
		found += p != NULL;
		if (p)
			each(ctx, p, x[i].size - ST_SEAL);
	}
	if (found)
		return sure ? ST_JOB_SURE : ST_JOB_FOUND;
	return all && !existence.record ? ST_JOB_NONE : ST_JOB_LOST;
}

int st_salvage_events(struct st_salvage *s, uint32_t job, int (*each)(void *ctx, const void *record, size_t size),
		      void *ctx, uint64_t *lost)
{
	struct st_existence existence;
	size_t count;
	existence_of(s, job, &existence);
	const struct st_item *x = st_salvage_items(s, ST_ITEM_EVENT, job, UINT64_MAX, &count);
	uint64_t next = 0, found = 0;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *p = x[i].n >= next ? st_salvage_fetch(s, &x[i], false) : NULL;
		if (!p)
			continue;
		int rc = each(ctx, p, x[i].size - ST_SEAL);
		if (rc)
			return rc;
		next = x[i].n + 1;
		found++;
	}
	*lost = (next > existence.events ? next : existence.events) - found;
	return 0;
}

int st_salvage_meta(struct st_salvage *s, int (*each)(void *ctx, unsigned id, const void *record, size_t size),
		    void *ctx)
{
	int rc = 0;
	for (unsigned id = 0; !rc && id < ST_META_COUNT; id++) {
		size_t size;
		bool sure;
		const uint8_t *p = st_meta_flags(id) & ST_META_KEPT ? st_salvage_newest(s, id, &size, &sure) : NULL;
		rc = p ? each(ctx, id, p, size) : 0;
	}
	return rc;
}

/* --- tables ------------------------------------------------------------------------------- */

/* Blocks first to past - 1 of a job's journal or snapshot. */
struct block_range {
	enum st_item_kind kind;
	uint32_t job;
	uint64_t first, past;
};

static bool blocks_there(const struct st_salvage *s, const struct block_range *range)
{
	for (uint64_t n = range->first; n < range->past; n++) {
		const struct st_item *x = st_salvage_single(s, range->kind, range->job, n);
		if (!x || x->grade != ST_NEWEST)
			return false;
	}
	return true;
}

static int each_blocks(struct st_salvage *s, const struct block_range *range,
		       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx)
{
	PD_ASSERT(range->first <= range->past);
	struct st_tt_entry entries[ST_BLOCK_MAX / (ST_ENTRY_ID + 2)];
	int rc = 0;
	for (uint64_t n = range->first; !rc && n < range->past; n++) {
		const struct st_item *x = st_salvage_single(s, range->kind, range->job, n);
		if (!st_scan_read(&s->work, x->at, s->buffer, x->size))
			return PD_E_IO;
		const uint8_t *p = s->buffer + ST_BLOCK_HEAD, *end = s->buffer + x->size;
		size_t count = 0;
		while (p && p < end && count < sizeof entries / sizeof *entries)
			p = st_entry_unpack(p, end, entries[count++].bytes);
		rc = p == end ? each(ctx, entries, count) : PD_E_CORRUPT;
	}
	return rc;
}

int st_salvage_tt(struct st_salvage *s, uint32_t job, struct pd_id *question,
		  int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx, int *rc)
{
	struct st_tt_state state;
	struct st_existence existence;
	bool known = existence_of(s, job, &existence);
	const struct st_item *x = st_salvage_single(s, ST_ITEM_TT, job, UINT64_MAX);
	const uint8_t *p = x && x->grade == ST_NEWEST ? st_salvage_fetch(s, x, false) : NULL;
	*rc = PD_OK;
	if (!p || !st_tt_state_unpack(p, x->size - ST_SEAL, &state))
		return !known || existence.tt ? -1 : 0;
	if (state.dropped || (!state.snapshot_blocks && state.journal_start == state.journal_next))
		return 0;
	uint64_t first = (uint64_t)state.snapshot << 32;
	const struct block_range snapshot = {ST_ITEM_SNAPSHOT, job, first, first + state.snapshot_blocks};
	const struct block_range journal = {ST_ITEM_JOURNAL, job, state.journal_start, state.journal_next};
	if (!s->sum.identity || state.journal_next - state.journal_start > s->count || !blocks_there(s, &snapshot) ||
	    !blocks_there(s, &journal))
		return -1;
	*question = state.question;
	*rc = each_blocks(s, &snapshot, each, ctx);
	if (!*rc)
		*rc = each_blocks(s, &journal, each, ctx);
	return 1;
}

int st_salvage_conflicts(struct st_salvage *s, int (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < s->count; i++) {
		const uint8_t *p = s->item[i].kind == ST_ITEM_CONFLICT ? st_salvage_fetch(s, &s->item[i], false) : NULL;
		if (p)
			rc = each(ctx, p, s->item[i].size - ST_SEAL);
	}
	return rc;
}
