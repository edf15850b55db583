#include "store/salvage.h"

#include <unistd.h>

#include "proto/base/assert.h"
#include "store/existence.h"
#include "store/format.h"
#include "store/lock.h"
#include "store/pack.h"
#include "store/runblock.h"
#include "store/salvage_index.h"
#include "store/tt_state.h"
#include "store/wal.h"

/* --- opening: the index, the counters, the list of runs, the games ------------------------- */

static int add_game(struct st_salvage *s, const uint8_t *p, size_t size, uint32_t *index)
{
	uint64_t rules = pd_get_le64(p);
	size_t length = size - ST_GAME_HEAD;
	for (uint32_t i = 0; i < s->sum.games; i++)
		if (s->game[i].rules_version == rules && strlen(s->game[i].name) == length &&
		    !memcmp(s->game[i].name, p + ST_GAME_HEAD, length)) {
			*index = i;
			return 0;
		}
	struct st_salvaged_game *grown = realloc(s->game, (s->sum.games + 1) * sizeof *grown);
	char *name = grown ? malloc(length + 1) : NULL;
	if (grown)
		s->game = grown;
	if (!name)
		return -1;
	memcpy(name, p + ST_GAME_HEAD, length);
	name[length] = 0;
	s->game[ *index = s->sum.games++] = (struct st_salvaged_game){name, rules};
	return 0;
}

/* Finds which game each number of a file means. */
static int number_games(struct st_salvage *s, bool facts, struct st_game_ids *out)
{
	enum st_item_kind kind = facts ? ST_ITEM_FACTS_GAME : ST_ITEM_GAME;
	uint32_t last = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].kind != kind || s->item[i].job == last)
			continue;
		last = s->item[i].job;
		const struct st_item *x = st_salvage_single(s, kind, last, UINT64_MAX);
		const uint8_t *p = x ? st_salvage_fetch(s, x, facts) : NULL;
		struct st_game_id number = {last, 0};
		if (!p || (s->counters_sure && !facts && last >= s->counters.next_game))
			continue;
		struct st_game_id *grown = realloc(out->number, (out->count + 1) * sizeof *grown);
		if (grown)
			out->number = grown;
		if (!grown || add_game(s, p, x->size - ST_SEAL, &number.game))
			return -1;
		out->number[out->count++] = number;
	}
	return 0;
}

static void read_meta(struct st_salvage *s)
{
	size_t size;
	bool sure;
	const uint8_t *p = st_salvage_newest(s, ST_META_COUNTERS, &size, &sure);
	s->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	s->counters_found = p && st_counters_unpack(p, size, &s->counters);
	s->sum.counted = s->counters_found && sure;
	s->counters_sure = s->sum.counted && s->work.heads;
	p = st_salvage_newest(s, ST_META_IDENTITY, &size, &sure);
	s->sum.identity = p ? pd_get_le64(p) : 0;
	p = st_salvage_newest(s, ST_META_RUNS, &size, &sure);
	s->sum.runs = !p || !st_run_list_unpack(p, size, &s->runs) ? ST_LIST_LOST : sure ? ST_LIST_NEWEST : ST_LIST_OLD;
	if (s->sum.runs == ST_LIST_LOST)
		s->runs = (struct st_run_list){0};
}

/* Notes the number of jobs, and of games that are lost. */
static void read_numbers(struct st_salvage *s)
{
	uint32_t last_game = 0, last_card = 0;
	s->sum.next_job = s->counters.next_job;
	for (size_t i = 0; i < s->count; i++) {
		const struct st_item *x = &s->item[i];
		bool job = x->kind >= ST_ITEM_EXISTENCE && x->kind <= ST_ITEM_SNAPSHOT && x->kind != ST_ITEM_EVENT;
		if (job && !s->counters_sure && x->job >= s->sum.next_job && x->job < UINT32_MAX)
			s->sum.next_job = x->job + 1;
		if ((x->kind == ST_ITEM_GAME || x->kind == ST_ITEM_FACTS_GAME) && x->job > last_game)
			last_game = x->job;
		if (x->kind == ST_ITEM_EXISTENCE && x->grade == ST_NEWEST && x->job != last_card) {
			last_card = x->job;
			s->existences++;
		}
		s->sum.conflicts += x->kind == ST_ITEM_CONFLICT;
	}
	if (s->counters_sure || s->counters.next_game > last_game)
		last_game = s->counters.next_game - 1;
	for (uint32_t id = 1; id && id <= last_game; id++)
		s->sum.games_lost +=
			st_salvage_game_of(s, true, id) == UINT32_MAX && st_salvage_game_of(s, false, id) == UINT32_MAX;
}

static int exclude_writers(const char *dir, int *fd, struct pd_fail *fail)
{
	int rc = st_lock_owned(dir) ? PD_E_LOCKED : st_lock_read(dir, fd, fail);
	if (rc != PD_E_LOCKED)
		return rc;
	return pd_fail_set(fail, PD_E_LOCKED, "data",
			   "a process writes to %s: end it first, because a directory in use cannot be repaired", dir);
}

/* A version that all existing files state is not damage: a newer program has written them. */
static int check_versions(const struct st_salvage *s, struct pd_fail *fail)
{
	uint32_t work = s->version[0], facts = s->version[1], other = work ? work : facts;
	if (!other || other == ST_FORMAT_VERSION || (facts && facts != other))
		return PD_OK;
	return st_format_refuse(work ? "work.mdb" : "facts.mdb", other, fail);
}

static int scan_directory(struct st_salvage *s, const char *dir, struct pd_fail *fail)
{
	s->buffer = malloc(ST_RECORD_ROOM);
	int rc = s->buffer ? exclude_writers(dir, &s->lock_fd, fail) : st_salvage_no_memory(fail);
	if (!rc)
		rc = st_scan_open(&s->work, dir, "work.mdb", fail);
	if (!rc)
		rc = st_scan_open(&s->facts, dir, "facts.mdb", fail);
	if (!rc && s->work.fd < 0 && s->facts.fd < 0)
		return pd_fail_set(fail, PD_E_NOT_FOUND, "data",
				   "%s holds no data directory: work.mdb and facts.mdb are both missing", dir);
	if (!rc)
		rc = st_salvage_collect(s, false, fail);
	if (!rc)
		rc = st_salvage_collect(s, true, fail);
	if (!rc)
		rc = check_versions(s, fail);
	if (rc)
		return rc;
	st_salvage_sort(s);
	read_meta(s);
	if (number_games(s, false, &s->work_games) || number_games(s, true, &s->facts_games))
		return st_salvage_no_memory(fail);
	read_numbers(s);
	return PD_OK;
}

int st_salvage_open(const char *dir, const char *job_head, struct st_salvage **out, struct pd_fail *fail)
{
	PD_ASSERT(job_head && *job_head);
	struct st_salvage *s = calloc(1, sizeof *s);
	if (!s)
		return st_salvage_no_memory(fail);
	s->lock_fd = s->work.fd = s->facts.fd = -1;
	s->job_head = job_head;
	int rc = scan_directory(s, dir, fail);
	if (rc)
		st_salvage_close(s);
	else
		*out = s;
	return rc;
}

void st_salvage_close(struct st_salvage *s)
{
	if (!s)
		return;
	st_scan_close(&s->work);
	st_scan_close(&s->facts);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	for (uint32_t i = 0; i < s->sum.games; i++)
		free(s->game[i].name);
	free(s->game);
	free(s->work_games.number);
	free(s->facts_games.number);
	free(s->item);
	free(s->buffer);
	free(s);
}

const struct st_salvaged *st_salvage_sum(const struct st_salvage *s)
{
	return &s->sum;
}

const char *st_salvage_game(const struct st_salvage *s, uint32_t index, uint64_t *rules_version)
{
	PD_ASSERT(index < s->sum.games);
	*rules_version = s->game[index].rules_version;
	return s->game[index].name;
}

/* --- jobs, events, conflicts --------------------------------------------------------------- */

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
		return ST_JOB_NONE; /* it was removed; an old record does not bring it back */
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
	struct st_tt_entry entries[ST_BLOCK_ENTRIES];
	int rc = 0;
	for (uint64_t n = range->first; !rc && n < range->past; n++) {
		const struct st_item *x = st_salvage_single(s, range->kind, range->job, n);
		if (!st_scan_read(&s->work, x->at, s->buffer, x->size))
			return PD_E_IO;
		const struct st_block_view view = {s->buffer + ST_BLOCK_HEAD, s->buffer + x->size,
						   pd_get_le16(s->buffer + 10)};
		rc = st_block_entries(&view, entries) ? each(ctx, entries, view.count) : PD_E_CORRUPT;
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

/* --- facts, from the runs that the newest list names and from the log behind them ---------- */

/* The set of the blocks of runs that were read. */
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
	uint64_t entries; /* facts of runs that were read */
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

/* Adds a checksum: 1 when it is new, 0 when it is not, -1 when memory runs out. */
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

/* Walks through the blocks of the log that are not in runs. */
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
