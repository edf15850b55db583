/* Salvage: facts, from the runs that the newest list names and from the write-ahead log behind them (salvage.h). */
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/block.h"
#include "store/key.h"
#include "store/pack.h"
#include "store/runblock.h"
#include "store/salvage_index.h"
#include "store/wal.h"

/* Blocks of runs that were read. */
struct seen {
	uint64_t *slot; /* owned: checksums, not 0 */
	size_t room, count;
};

struct facts {
	struct st_salvage *s;
	int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason);
	void *ctx;
	struct pd_fail *fail;
	struct seen seen;
	uint64_t entries; /* of runs, that were read */
	int rc;
};

static void insert_sum(struct seen *seen, uint64_t sum)
{
	PD_ASSERT(seen->count < seen->room && sum);
	size_t i = sum & (seen->room - 1);
	while (seen->slot[i] && seen->slot[i] != sum)
		i = (i + 1) & (seen->room - 1);
	seen->count += !seen->slot[i];
	seen->slot[i] = sum;
}

/* 1 when the checksum was not there yet, 0 when it was, -1 without memory. */
static int see_sum(struct seen *seen, uint64_t sum)
{
	if (2 * (seen->count + 1) > seen->room) {
		struct seen grown = {.room = seen->room ? 2 * seen->room : 1024};
		grown.slot = calloc(grown.room, sizeof *grown.slot);
		if (!grown.slot)
			return -1;
		for (size_t i = 0; i < seen->room; i++)
			if (seen->slot[i])
				insert_sum(&grown, seen->slot[i]);
		free(seen->slot);
		*seen = grown;
	}
	size_t before = seen->count;
	insert_sum(seen, sum ? sum : 1);
	return seen->count > before;
}

static int give_reason(struct facts *f, bool facts, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	uint32_t game = size > 4 ? st_salvage_game_of(f->s, facts, pd_get_be32(key)) : UINT32_MAX;
	if (game == UINT32_MAX) {
		f->s->sum.facts_lost++;
		return 0;
	}
	f->s->sum.reasons++;
	return f->each(f->ctx, game, key + 4, size - 4, reason);
}

static int give_block(struct facts *f, struct st_run_view *view)
{
	struct pd_fact fact;
	int rc = 0;
	pd_fact_init(&fact);
	while (!rc && st_run_view_next(view) > 0) {
		f->entries++;
		int bad = st_fact_decode(view->value, view->value_size, &fact);
		if (bad == PD_E_NO_MEMORY)
			rc = st_salvage_no_memory(f->fail);
		else if (bad || !st_fact_sound(&fact))
			f->s->sum.facts_lost++;
		for (uint32_t i = 0; !rc && !bad && i < fact.count; i++)
			rc = give_reason(f, true, view->key, view->key_size, &pd_fact_reasons(&fact)[i]);
	}
	pd_fact_fini(&fact);
	return rc;
}

static int prove_run(void *ctx, const struct st_scan_node *node)
{
	struct facts *f = ctx;
	struct st_run_view view;
	for (uint32_t i = 0; i < f->s->runs.count; i++) {
		if (!st_run_view_open(&view, node->value, node->value_size, f->s->runs.run[i].id, node->key,
				      node->key_size))
			continue;
		int fresh = see_sum(&f->seen, pd_get_le64(node->value));
		if (fresh < 0)
			f->rc = st_salvage_no_memory(f->fail);
		else if (fresh)
			f->rc = give_block(f, &view);
		return f->rc ? -1 : 1;
	}
	return 0;
}

static int give_log(struct facts *f, const struct st_item *x)
{
	uint8_t key[ST_KEY_64];
	struct st_block_view view;
	struct st_wal_record record = {.key_size = 0};
	int rc = 0;
	st_put_be64(key, x->n);
	if (!st_scan_read(&f->s->work, x->at, f->s->buffer, x->size) ||
	    !st_block_open(f->s->buffer, x->size, ST_BLOCK_FACTS, key, sizeof key, &view))
		return pd_fail_set(f->fail, PD_E_IO, "work.mdb",
				   "block %llu of the write-ahead log cannot be read again", (unsigned long long)x->n);
	for (uint32_t i = 0; !rc && i < view.count; i++) {
		if (!st_wal_next(&view, &record)) {
			f->s->sum.facts_lost += view.count - i;
			break;
		}
		rc = give_reason(f, false, record.key, record.key_size, &record.reason);
	}
	return rc;
}

/* Blocks of the log that do not stand in runs. */
static int each_log(struct facts *f)
{
	struct st_salvage *s = f->s;
	uint64_t from = s->runs.merged, found = 0, last = 0, past = s->counters_found ? s->counters.next_log : 1;
	int rc = 0;
	for (size_t i = 0; !rc && i < s->count; i++) {
		const struct st_item *x = &s->item[i];
		if (x->kind != ST_ITEM_WAL || x->n <= from || x->n == last || (s->counters_sure && x->n >= past))
			continue;
		last = x->n;
		x = st_salvage_single(s, ST_ITEM_WAL, 0, last);
		if (x)
			rc = give_log(f, x);
		found += x != NULL;
	}
	if (last >= past)
		past = last + 1;
	s->sum.log_blocks_lost = past > from + 1 && past - from - 1 > found ? past - from - 1 - found : 0;
	return rc;
}

int st_salvage_facts(struct st_salvage *s,
		     int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size,
				 const struct pd_reason *reason),
		     void *ctx, struct pd_fail *fail)
{
	struct facts f = {.s = s, .each = each, .ctx = ctx, .fail = fail};
	uint64_t listed = 0;
	for (uint32_t i = 0; i < s->runs.count; i++)
		listed += s->runs.run[i].entries;
	int rc = s->runs.count ? st_scan_each(&s->facts, prove_run, &f, fail) : 0;
	free(f.seen.slot);
	if (rc)
		return rc < 0 ? f.rc : rc;
	s->sum.facts_lost += listed > f.entries ? listed - f.entries : 0;
	return each_log(&f);
}
