/* Salvage: see salvage.h.
 *
 * First a walk through each file writes down where each record stands that has a checksum of its own, by kind, job and
 * number. Versions of one record stand side by side in that list, the best founded first. Blocks of runs are not in it:
 * they are read in a walk of their own. */
#include "store/salvage.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "store/block.h"
#include "store/counters.h"
#include "store/existence.h"
#include "store/lock.h"
#include "store/pack.h"
#include "store/record.h"
#include "store/run_list.h"
#include "store/runblock.h"
#include "store/scan.h"
#include "store/tt_state.h"
#include "store/wal.h"

enum kind {
	COUNTERS,
	IDENTITY,
	NOTE,
	RUNS,
	GAME,
	FACTS_GAME,
	CARD,
	TABLE,
	JOB,
	EVENT,
	JOURNAL,
	SNAPSHOT,
	LOG,
	CONFLICT
};
enum { GAME_HEAD = 8, RECORD_ROOM = ST_SEAL + ST_JOB_MAX };

/* Where a version of a record stands. */
struct item {
	uint8_t kind, grade;
	uint32_t job; /* or game */
	uint64_t n;   /* number of the event, block or transaction */
	uint64_t at, sum;
	uint32_t size;
};

struct game {
	char *name; /* owned */
	uint64_t rules_version;
};

/* Numbers of games in a file, and which game each is. */
struct number {
	uint32_t id, game;
};
struct numbers {
	struct number *number; /* owned */
	uint32_t count;
};

/* Blocks of runs that were read. */
struct seen {
	uint64_t *slot; /* owned: checksums, not 0 */
	size_t room, count;
};

struct st_salvage {
	int lock_fd;
	struct st_scan work, facts;
	const char *job_head;
	struct item *item; /* owned */
	size_t count, room;
	bool no_memory;
	struct game *game; /* owned; sum.games of them */
	struct numbers work_games, facts_games;
	struct st_counters counters;
	bool counters_found, counters_sure;
	uint32_t cards; /* that are certainly there */
	struct st_run_list runs;
	struct st_salvaged sum;
	uint8_t *buffer; /* owned: RECORD_ROOM */
};

/* --- the list of records ------------------------------------------------------------------ */

struct walk {
	struct st_salvage *s;
	bool facts;                 /* which file */
	uint64_t page;              /* the one it is in */
	size_t first;               /* the first item of that page */
	bool listed;                /* its head is sound, or at least leads to records */
	uint64_t txn, leftover_txn; /* number of the transaction that wrote it, as one of its records says, or what is
				       left of one; 0: none does */
};

/* Records that are replaced in place are the newer, the newer the transaction that wrote their page. */
static void page_end(struct walk *w)
{
	for (size_t i = w->first; i < w->s->count; i++) {
		struct item *item = &w->s->item[i];
		if (item->kind <= RUNS)
			item->n = !w->listed ? w->leftover_txn : item->grade > ST_FOUND ? w->txn : 0;
	}
	w->first = w->s->count;
	w->listed = false;
	w->txn = w->leftover_txn = 0;
}

static int note(struct walk *w, enum kind kind, uint32_t job, uint64_t n, const struct st_scan_node *node)
{
	struct st_salvage *s = w->s;
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		struct item *grown = realloc(s->item, room * sizeof *grown);
		if (!grown) {
			s->no_memory = true;
			return -1;
		}
		s->item = grown;
		s->room = room;
	}
	s->item[s->count++] = (struct item){.kind = (uint8_t)kind,
					    .grade = (uint8_t)node->grade,
					    .job = job,
					    .n = n,
					    .at = node->at,
					    .sum = pd_hash64(node->value, node->value_size),
					    .size = (uint32_t)node->value_size};
	return 1;
}

static bool is_key(const struct st_scan_node *node, const char *text)
{
	return node->key_size == strlen(text) && !memcmp(node->key, text, node->key_size);
}

static bool game_text(const uint8_t *p, size_t size)
{
	if (size <= GAME_HEAD || size > GAME_HEAD + ST_NAME_MAX)
		return false;
	for (size_t i = GAME_HEAD; i < size; i++)
		if (p[i] < ' ')
			return false;
	return true;
}

/* Sealed records under a number of four bytes: by what they hold. */
static int note_numbered(struct walk *w, const struct st_scan_node *node, const uint8_t *p, size_t size)
{
	uint32_t number = pd_get_be32(node->key);
	size_t head = strlen(w->s->job_head);
	struct st_existence card;
	struct st_tt_state state;
	if (!number)
		return 0;
	if (w->facts)
		return game_text(p, size) ? note(w, FACTS_GAME, number, 0, node) : 0;
	if (size >= head && size <= ST_JOB_MAX && !memcmp(p, w->s->job_head, head))
		return note(w, JOB, number, 0, node);
	if (st_existence_unpack(p, size, &card))
		return note(w, CARD, number, card.events, node);
	if (size == ST_TT_STATE && st_tt_state_unpack(p, size, &state) && p[44] <= 1)
		return note(w, TABLE, number, 0, node);
	return game_text(p, size) ? note(w, GAME, number, 0, node) : 0;
}

static int prove_sealed(struct walk *w, const struct st_scan_node *node)
{
	MDB_val value = {node->value_size, (void *)(uintptr_t)node->value};
	if (!st_unseal(node->key, node->key_size, &value))
		return 0;
	const uint8_t *p = value.mv_data;
	if (is_key(node, "txn")) {
		uint64_t txn = value.mv_size == 8 ? pd_get_le64(p) : 0;
		w->listed |= node->grade > ST_FOUND;
		if (node->grade > ST_FOUND)
			w->txn = txn;
		else if (txn > w->leftover_txn)
			w->leftover_txn = txn;
		return 1;
	}
	if (w->facts && is_key(node, "runs"))
		return note(w, RUNS, 0, 0, node);
	if (!w->facts && is_key(node, "counters"))
		return note(w, COUNTERS, 0, 0, node);
	if (!w->facts && is_key(node, "identity"))
		return value.mv_size == 8 && pd_get_le64(p) ? note(w, IDENTITY, 0, 0, node) : 0;
	if (!w->facts && is_key(node, "forgotten"))
		return note(w, NOTE, 0, 0, node);
	if (node->key_size == ST_KEY_32)
		return note_numbered(w, node, p, value.mv_size);
	if (w->facts)
		return 0;
	if (node->key_size == ST_KEY_32_64 && value.mv_size <= ST_EVENT_MAX)
		return note(w, EVENT, pd_get_be32(node->key), st_get_be64(node->key + 4), node);
	if (node->key_size == ST_KEY_64 && value.mv_size <= ST_JOB_MAX)
		return note(w, CONFLICT, 0, st_get_be64(node->key), node);
	return 0;
}

static int prove(void *ctx, const struct st_scan_node *node)
{
	struct walk *w = ctx;
	static const struct {
		enum st_block_type type;
		enum kind kind;
		size_t key_size;
	} blocks[] = {{ST_BLOCK_FACTS, LOG, ST_KEY_64},
		      {ST_BLOCK_JOURNAL, JOURNAL, ST_KEY_32_64},
		      {ST_BLOCK_SNAPSHOT, SNAPSHOT, ST_KEY_32_32_32}};
	struct st_block_view view;
	if (node->page != w->page)
		page_end(w);
	w->page = node->page;
	for (unsigned i = 0; i < 3 && !w->facts; i++) {
		if (node->key_size != blocks[i].key_size ||
		    !st_block_open(node->value, node->value_size, blocks[i].type, node->key, node->key_size, &view))
			continue;
		bool log = blocks[i].kind == LOG;
		return note(w, blocks[i].kind, log ? 0 : pd_get_be32(node->key), st_get_be64(node->key + (log ? 0 : 4)),
			    node);
	}
	return node->value_size < ST_SEAL || node->value_size > RECORD_ROOM ? 0 : prove_sealed(w, node);
}

static int by_place(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	bool replaced = x->kind <= RUNS || x->kind == CARD; /* the number says how new it is */
	if (!replaced && x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if ((x->grade == ST_NEWEST) != (y->grade == ST_NEWEST))
		return x->grade == ST_NEWEST ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->grade != y->grade)
		return x->grade > y->grade ? -1 : 1;
	if (replaced && x->at != y->at)
		return x->at > y->at ? -1 : 1; /* LMDB moves what is there towards the end of a page */
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* Takes out copies: of one version only the best founded stays. Versions of one record are few. */
static void thin(struct st_salvage *s)
{
	size_t kept = 0, first = 0;
	for (size_t i = 0; i < s->count; i++) {
		const struct item *x = &s->item[i];
		if (kept && (s->item[first].kind != x->kind || s->item[first].job != x->job ||
			     (x->kind > RUNS && x->kind != CARD && s->item[first].n != x->n)))
			first = kept;
		bool copy = false;
		for (size_t j = first; j < kept && !copy; j++)
			copy = s->item[j].sum == x->sum && s->item[j].size == x->size;
		if (!copy)
			s->item[kept++] = *x;
	}
	s->count = kept;
}

/* The items of a kind and job, with a number if it is not UINT64_MAX: where they begin; *count: how many. */
static const struct item *items(const struct st_salvage *s, enum kind kind, uint32_t job, uint64_t n, size_t *count)
{
	size_t low = 0, high = s->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct item *x = &s->item[middle];
		bool before = x->kind != kind ? x->kind < kind
			      : x->job != job ? x->job < job
					      : n != UINT64_MAX && x->n < n;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	const struct item *x = s->item + low;
	for (high = low; high < s->count && s->item[high].kind == kind && s->item[high].job == job &&
			 (n == UINT64_MAX || s->item[high].n == n);)
		high++;
	*count = high - low;
	return x;
}

/* The one version that counts: the newest, or the only one. NULL when there is none, or nobody can tell which. */
static const struct item *single(const struct st_salvage *s, enum kind kind, uint32_t job, uint64_t n)
{
	size_t count;
	const struct item *x = items(s, kind, job, n, &count);
	if (!count)
		return NULL;
	return count == 1 || (x[0].grade == ST_NEWEST && x[1].grade != ST_NEWEST) ? x : NULL;
}

/* The record in the buffer, without its seal; it was verified when it was found. NULL when the file cannot be read
 * again. */
static const uint8_t *fetch(struct st_salvage *s, const struct item *x, bool facts)
{
	return x->size <= RECORD_ROOM && st_scan_read(facts ? &s->facts : &s->work, x->at, s->buffer, x->size) &&
			       pd_hash64(s->buffer, x->size) == x->sum
		       ? s->buffer + ST_SEAL
		       : NULL;
}

/* --- opening ------------------------------------------------------------------------------ */

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look through a damaged directory");
}

static int collect(struct st_salvage *s, bool facts, struct pd_fail *fail)
{
	struct walk w = {.s = s, .facts = facts, .first = s->count};
	int rc = st_scan_each(facts ? &s->facts : &s->work, prove, &w, fail);
	page_end(&w);
	return rc < 0 || s->no_memory ? no_memory(fail) : rc;
}

static int add_game(struct st_salvage *s, const uint8_t *p, size_t size, uint32_t *index)
{
	uint64_t rules = pd_get_le64(p);
	size_t length = size - GAME_HEAD;
	for (uint32_t i = 0; i < s->sum.games; i++)
		if (s->game[i].rules_version == rules && strlen(s->game[i].name) == length &&
		    !memcmp(s->game[i].name, p + GAME_HEAD, length)) {
			*index = i;
			return 0;
		}
	struct game *grown = realloc(s->game, (s->sum.games + 1) * sizeof *grown);
	char *name = grown ? malloc(length + 1) : NULL;
	if (grown)
		s->game = grown;
	if (!name)
		return -1;
	memcpy(name, p + GAME_HEAD, length);
	name[length] = 0;
	s->game[ *index = s->sum.games++] = (struct game){name, rules};
	return 0;
}

/* Which game each number stands for in a file. */
static int number_games(struct st_salvage *s, bool facts, struct numbers *out)
{
	enum kind kind = facts ? FACTS_GAME : GAME;
	uint32_t last = 0;
	for (size_t i = 0; i < s->count; i++) {
		if (s->item[i].kind != kind || s->item[i].job == last)
			continue;
		last = s->item[i].job;
		const struct item *x = single(s, kind, last, UINT64_MAX);
		const uint8_t *p = x ? fetch(s, x, facts) : NULL;
		struct number number = {last, 0};
		if (!p || (s->counters_sure && !facts && last >= s->counters.next_game))
			continue;
		struct number *grown = realloc(out->number, (out->count + 1) * sizeof *grown);
		if (grown)
			out->number = grown;
		if (!grown || add_game(s, p, x->size - ST_SEAL, &number.game))
			return -1;
		out->number[out->count++] = number;
	}
	return 0;
}

/* UINT32_MAX when nobody knows. A file's own numbers come first, because the two may be of different ages. */
static uint32_t game_of(const struct st_salvage *s, bool facts, uint32_t id)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		const struct numbers *numbers = facts == !pass ? &s->facts_games : &s->work_games;
		for (uint32_t i = 0; i < numbers->count; i++)
			if (numbers->number[i].id == id)
				return numbers->number[i].game;
		size_t count;
		items(s, numbers == &s->facts_games ? FACTS_GAME : GAME, id, UINT64_MAX, &count);
		if (count)
			return UINT32_MAX; /* two records claim it */
	}
	return UINT32_MAX;
}

/* The newest of the records that are replaced in place; NULL when there is none. */
static const uint8_t *newest(struct st_salvage *s, enum kind kind, size_t *size, bool *sure)
{
	size_t count;
	const struct item *x = items(s, kind, 0, UINT64_MAX, &count);
	const uint8_t *p = count ? fetch(s, x, kind == RUNS) : NULL;
	*size = p ? x->size - ST_SEAL : 0;
	const struct st_scan *scan = kind == RUNS ? &s->facts : &s->work;
	*sure = p && (x->grade == ST_NEWEST || (scan->sure && x->n == scan->txn));
	return p;
}

static void read_meta(struct st_salvage *s)
{
	size_t size;
	bool sure;
	const uint8_t *p = newest(s, COUNTERS, &size, &sure);
	s->counters = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	s->counters_found = p && st_counters_unpack(p, size, &s->counters);
	s->sum.counted = s->counters_found && sure;
	s->counters_sure = s->sum.counted && s->work.heads;
	p = newest(s, IDENTITY, &size, &sure);
	s->sum.identity = p ? pd_get_le64(p) : 0;
	p = newest(s, RUNS, &size, &sure);
	s->sum.runs = !p || !st_run_list_unpack(p, size, &s->runs) ? ST_LIST_LOST : sure ? ST_LIST_NEWEST : ST_LIST_OLD;
	if (s->sum.runs == ST_LIST_LOST)
		s->runs = (struct st_run_list){0};
}

/* Numbers of jobs that were given, and of games that are not known any more. */
static void read_numbers(struct st_salvage *s)
{
	uint32_t last_game = 0, last_card = 0;
	s->sum.next_job = s->counters.next_job;
	for (size_t i = 0; i < s->count; i++) {
		const struct item *x = &s->item[i];
		bool job = x->kind >= CARD && x->kind <= SNAPSHOT && x->kind != EVENT;
		if (job && !s->counters_sure && x->job >= s->sum.next_job && x->job < UINT32_MAX)
			s->sum.next_job = x->job + 1;
		if ((x->kind == GAME || x->kind == FACTS_GAME) && x->job > last_game)
			last_game = x->job;
		if (x->kind == CARD && x->grade == ST_NEWEST && x->job != last_card) {
			last_card = x->job;
			s->cards++;
		}
		s->sum.conflicts += x->kind == CONFLICT;
	}
	if (s->counters_sure || s->counters.next_game > last_game)
		last_game = s->counters.next_game - 1;
	for (uint32_t id = 1; id && id <= last_game; id++)
		s->sum.games_lost += game_of(s, true, id) == UINT32_MAX && game_of(s, false, id) == UINT32_MAX;
}

/* Keeps writers out meanwhile. */
static int keep_out(const char *dir, int *fd, struct pd_fail *fail)
{
	int rc = st_lock_owned(dir) ? PD_E_LOCKED : st_lock_read(dir, fd, fail);
	if (rc != PD_E_LOCKED)
		return rc;
	return pd_fail_set(fail, PD_E_LOCKED, "data",
			   "a process writes to %s: end it first, because a directory in use cannot be repaired", dir);
}

static int look(struct st_salvage *s, const char *dir, struct pd_fail *fail)
{
	s->buffer = malloc(RECORD_ROOM);
	int rc = s->buffer ? keep_out(dir, &s->lock_fd, fail) : no_memory(fail);
	if (!rc)
		rc = st_scan_open(&s->work, dir, "work.mdb", fail);
	if (!rc)
		rc = st_scan_open(&s->facts, dir, "facts.mdb", fail);
	if (!rc && s->work.fd < 0 && s->facts.fd < 0)
		return pd_fail_set(fail, PD_E_NOT_FOUND, "data",
				   "%s holds no data directory: work.mdb and facts.mdb are both missing", dir);
	if (!rc)
		rc = collect(s, false, fail);
	if (!rc)
		rc = collect(s, true, fail);
	if (rc)
		return rc;
	qsort(s->item, s->count, sizeof *s->item, by_place);
	thin(s);
	read_meta(s);
	if (number_games(s, false, &s->work_games) || number_games(s, true, &s->facts_games))
		return no_memory(fail);
	read_numbers(s);
	return PD_OK;
}

int st_salvage_open(const char *dir, const char *job_head, struct st_salvage **out, struct pd_fail *fail)
{
	struct st_salvage *s = calloc(1, sizeof *s);
	if (!s)
		return no_memory(fail);
	s->lock_fd = s->work.fd = s->facts.fd = -1;
	s->job_head = job_head;
	int rc = look(s, dir, fail);
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
	*rules_version = s->game[index].rules_version;
	return s->game[index].name;
}

/* --- jobs --------------------------------------------------------------------------------- */

static bool all_cards(const struct st_salvage *s)
{
	return s->counters_sure && s->cards == s->counters.jobs;
}

/* What is known of the job's card: false when there is none. Where all cards are known, an old one says nothing. */
static bool card_of(struct st_salvage *s, uint32_t job, struct st_existence *out)
{
	size_t count;
	const struct item *x = items(s, CARD, job, UINT64_MAX, &count);
	bool counts = count && (x->grade == ST_NEWEST || !all_cards(s));
	const uint8_t *p = counts ? fetch(s, x, false) : NULL;
	*out = (struct st_existence){0};
	return p && st_existence_unpack(p, ST_EXISTENCE_BYTES, out);
}

enum st_job_trace st_salvage_job(struct st_salvage *s, uint32_t job,
				 void (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	size_t count;
	struct st_existence card;
	bool carded = card_of(s, job, &card), all = all_cards(s);
	if (all && !carded)
		return ST_JOB_NONE; /* it was forgotten; a record that is left over does not bring it back */
	const struct item *x = items(s, JOB, job, UINT64_MAX, &count);
	bool sure = count && x->grade == ST_NEWEST && (count == 1 || x[1].grade != ST_NEWEST);
	unsigned found = 0;
	for (size_t i = 0; i < (sure ? 1 : count); i++) {
		const uint8_t *p = fetch(s, &x[i], false);
		found += p != NULL;
		if (p)
			each(ctx, p, x[i].size - ST_SEAL);
	}
	if (found)
		return sure ? ST_JOB_SURE : ST_JOB_FOUND;
	return all && !card.record ? ST_JOB_NONE : ST_JOB_LOST;
}

int st_salvage_events(struct st_salvage *s, uint32_t job, int (*each)(void *ctx, const void *record, size_t size),
		      void *ctx, uint64_t *lost)
{
	struct st_existence card;
	size_t count;
	card_of(s, job, &card);
	const struct item *x = items(s, EVENT, job, UINT64_MAX, &count);
	uint64_t next = 0, found = 0;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *p = x[i].n >= next ? fetch(s, &x[i], false) : NULL;
		if (!p)
			continue;
		int rc = each(ctx, p, x[i].size - ST_SEAL);
		if (rc)
			return rc;
		next = x[i].n + 1;
		found++;
	}
	*lost = (next > card.events ? next : card.events) - found;
	return 0;
}

int st_salvage_note(struct st_salvage *s, int (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	size_t size;
	bool sure;
	const uint8_t *p = newest(s, NOTE, &size, &sure);
	return p ? each(ctx, p, size) : 0;
}

/* --- tables ------------------------------------------------------------------------------- */

static bool blocks_there(const struct st_salvage *s, enum kind kind, uint32_t job, uint64_t first, uint64_t past)
{
	for (uint64_t n = first; n < past; n++) {
		const struct item *x = single(s, kind, job, n);
		if (!x || x->grade != ST_NEWEST)
			return false;
	}
	return true;
}

static int each_blocks(struct st_salvage *s, enum kind kind, uint32_t job, uint64_t first, uint64_t past,
		       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx)
{
	struct st_tt_entry entries[ST_BLOCK_MAX / (ST_ENTRY_ID + 2)];
	int rc = 0;
	for (uint64_t n = first; !rc && n < past; n++) {
		const struct item *x = single(s, kind, job, n);
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
	struct st_existence card;
	bool carded = card_of(s, job, &card);
	const struct item *x = single(s, TABLE, job, UINT64_MAX);
	const uint8_t *p = x && x->grade == ST_NEWEST ? fetch(s, x, false) : NULL;
	*rc = PD_OK;
	if (!p || !st_tt_state_unpack(p, x->size - ST_SEAL, &state))
		return !carded || card.tt ? -1 : 0;
	if (state.dropped || (!state.snapshot_blocks && state.journal_start == state.journal_next))
		return 0;
	uint64_t snapshot = (uint64_t)state.snapshot << 32;
	if (!s->sum.identity || state.journal_next - state.journal_start > s->count ||
	    !blocks_there(s, SNAPSHOT, job, snapshot, snapshot + state.snapshot_blocks) ||
	    !blocks_there(s, JOURNAL, job, state.journal_start, state.journal_next))
		return -1;
	*question = state.question;
	*rc = each_blocks(s, SNAPSHOT, job, snapshot, snapshot + state.snapshot_blocks, each, ctx);
	if (!*rc)
		*rc = each_blocks(s, JOURNAL, job, state.journal_start, state.journal_next, each, ctx);
	return 1;
}

int st_salvage_conflicts(struct st_salvage *s, int (*each)(void *ctx, const void *record, size_t size), void *ctx)
{
	int rc = 0;
	for (size_t i = 0; !rc && i < s->count; i++) {
		const uint8_t *p = s->item[i].kind == CONFLICT ? fetch(s, &s->item[i], false) : NULL;
		if (p)
			rc = each(ctx, p, s->item[i].size - ST_SEAL);
	}
	return rc;
}

/* --- facts -------------------------------------------------------------------------------- */

struct facts {
	struct st_salvage *s;
	int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_reason *reason);
	void *ctx;
	struct pd_fail *fail;
	struct seen seen;
	uint64_t entries; /* of runs, that were read */
	int rc;
};

static void insert(struct seen *seen, uint64_t sum)
{
	size_t i = sum & (seen->room - 1);
	while (seen->slot[i] && seen->slot[i] != sum)
		i = (i + 1) & (seen->room - 1);
	seen->count += !seen->slot[i];
	seen->slot[i] = sum;
}

/* 1 when the checksum was not there yet, 0 when it was, -1 without memory. */
static int see(struct seen *seen, uint64_t sum)
{
	if (2 * (seen->count + 1) > seen->room) {
		struct seen grown = {.room = seen->room ? 2 * seen->room : 1024};
		grown.slot = calloc(grown.room, sizeof *grown.slot);
		if (!grown.slot)
			return -1;
		for (size_t i = 0; i < seen->room; i++)
			if (seen->slot[i])
				insert(&grown, seen->slot[i]);
		free(seen->slot);
		*seen = grown;
	}
	size_t before = seen->count;
	insert(seen, sum ? sum : 1);
	return seen->count > before;
}

static int give(struct facts *f, bool facts, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	uint32_t game = size > 4 ? game_of(f->s, facts, pd_get_be32(key)) : UINT32_MAX;
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
	int more = 0, rc = 0;
	pd_fact_init(&fact);
	while (!rc && (more = st_run_view_next(view)) > 0) {
		f->entries++;
		int bad = st_fact_decode(view->value, view->value_size, &fact);
		if (bad == PD_E_NO_MEMORY)
			rc = no_memory(f->fail);
		else if (bad || !st_fact_sound(&fact))
			f->s->sum.facts_lost++;
		for (uint32_t i = 0; !rc && !bad && i < fact.count; i++)
			rc = give(f, true, view->key, view->key_size, &pd_fact_reasons(&fact)[i]);
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
		int fresh = see(&f->seen, pd_get_le64(node->value));
		if (fresh < 0)
			f->rc = no_memory(f->fail);
		else if (fresh)
			f->rc = give_block(f, &view);
		return f->rc ? -1 : 1;
	}
	return 0;
}

static int give_log(struct facts *f, const struct item *x)
{
	uint8_t key[ST_KEY_64];
	struct st_block_view view;
	struct st_wal_record record = {.key_size = 0};
	int rc = 0;
	st_put_be64(key, x->n);
	if (!st_scan_read(&f->s->work, x->at, f->s->buffer, x->size) ||
	    !st_block_open(f->s->buffer, x->size, ST_BLOCK_FACTS, key, sizeof key, &view))
		return pd_fail_set(f->fail, PD_E_IO, "work.mdb", "block %llu of the fact log cannot be read again",
				   (unsigned long long)x->n);
	for (uint32_t i = 0; !rc && i < view.count; i++) {
		if (!st_wal_next(&view, &record)) {
			f->s->sum.facts_lost += view.count - i;
			break;
		}
		rc = give(f, false, record.key, record.key_size, &record.reason);
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
		const struct item *x = &s->item[i];
		if (x->kind != LOG || x->n <= from || x->n == last || (s->counters_sure && x->n >= past))
			continue;
		last = x->n;
		x = single(s, LOG, 0, last);
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
