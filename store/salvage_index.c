#include "store/salvage_index.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "store/block.h"
#include "store/existence.h"
#include "store/format.h"
#include "store/meta_decode.h"
#include "store/tt_state.h"

int st_salvage_no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look through a damaged directory");
}

struct walk {
	struct st_salvage *s;
	bool facts;                 /* which file */
	uint64_t page;              /* the page of the current node */
	size_t first;               /* the first item of that page */
	bool listed;                /* its head leads to records */
	uint64_t txn, leftover_txn; /* the transaction that wrote the page, as a record and a remnant say; 0: none */
};

/* The age of a record that is replaced in place is that of the transaction that wrote its page. */
static void page_end(struct walk *w)
{
	for (size_t i = w->first; i < w->s->count; i++) {
		struct st_item *item = &w->s->item[i];
		if (item->kind == ST_ITEM_META)
			item->n = !w->listed ? w->leftover_txn : item->grade > ST_FOUND ? w->txn : 0;
	}
	w->first = w->s->count;
	w->listed = false;
	w->txn = w->leftover_txn = 0;
}

static int note_item(struct walk *w, enum st_item_kind kind, uint32_t job, uint64_t n, const struct st_scan_node *node)
{
	struct st_salvage *s = w->s;
	PD_ASSERT(kind <= ST_ITEM_CONFLICT && s->count <= s->room);
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 1024;
		struct st_item *grown = realloc(s->item, room * sizeof *grown);
		if (!grown) {
			s->no_memory = true;
			return -1;
		}
		s->item = grown;
		s->room = room;
	}
	s->item[s->count++] = (struct st_item){.kind = (uint8_t)kind,
					       .grade = (uint8_t)node->grade,
					       .job = job,
					       .n = n,
					       .at = node->at,
					       .sum = pd_hash64(node->value, node->value_size),
					       .size = (uint32_t)node->value_size};
	return 1;
}

static bool is_game_text(const uint8_t *p, size_t size)
{
	if (size <= ST_GAME_HEAD || size > ST_GAME_HEAD + ST_NAME_MAX)
		return false;
	for (size_t i = ST_GAME_HEAD; i < size; i++)
		if (p[i] < ' ')
			return false;
	return true;
}

/* Notes a sealed record under a number of four bytes; its content tells its kind. */
static int note_numbered(struct walk *w, const struct st_scan_node *node, const uint8_t *p, size_t size)
{
	uint32_t number = pd_get_be32(node->key);
	size_t head = strlen(w->s->job_head);
	struct st_existence existence;
	struct st_tt_state state;
	if (!number)
		return 0;
	if (w->facts)
		return is_game_text(p, size) ? note_item(w, ST_ITEM_FACTS_GAME, number, 0, node) : 0;
	if (size >= head && size <= ST_JOB_MAX && !memcmp(p, w->s->job_head, head))
		return note_item(w, ST_ITEM_JOB, number, 0, node);
	if (st_existence_unpack(p, size, &existence))
		return note_item(w, ST_ITEM_EXISTENCE, number, existence.events, node);
	if (size == ST_TT_STATE && st_tt_state_unpack(p, size, &state) && p[44] <= 1)
		return note_item(w, ST_ITEM_TT, number, 0, node);
	return is_game_text(p, size) ? note_item(w, ST_ITEM_GAME, number, 0, node) : 0;
}

static int prove_sealed(struct walk *w, const struct st_scan_node *node)
{
	MDB_val value = {node->value_size, (void *)(uintptr_t)node->value};
	if (!st_unseal(node->key, node->key_size, &value))
		return 0;
	const uint8_t *p = value.mv_data;
	enum st_meta_flag file = w->facts ? ST_META_FACTS : ST_META_WORK;
	enum st_meta_id id = st_meta_find(file, node->key, node->key_size);
	if (id == ST_META_TXN) {
		uint64_t txn = value.mv_size == 8 ? pd_get_le64(p) : 0;
		w->listed |= node->grade > ST_FOUND;
		if (node->grade > ST_FOUND)
			w->txn = txn;
		else if (txn > w->leftover_txn)
			w->leftover_txn = txn;
		return 1;
	}
	if (id != ST_META_COUNT)
		return st_meta_decodes(id, file, p, value.mv_size) ? note_item(w, ST_ITEM_META, id, 0, node) : 0;
	if (node->key_size == ST_KEY_32)
		return note_numbered(w, node, p, value.mv_size);
	if (w->facts)
		return 0;
	if (node->key_size == ST_KEY_32_64 && value.mv_size <= ST_EVENT_MAX)
		return note_item(w, ST_ITEM_EVENT, pd_get_be32(node->key), st_get_be64(node->key + 4), node);
	if (node->key_size == ST_KEY_64 && value.mv_size <= ST_JOB_MAX)
		return note_item(w, ST_ITEM_CONFLICT, 0, st_get_be64(node->key), node);
	return 0;
}

/* A version that the newest transaction leads to counts more than one in a page that may be old. */
static void note_version(const struct walk *w, const struct st_scan_node *node)
{
	uint32_t version = st_format_version(node->value, node->value_size, w->facts);
	if (version && (uint32_t)node->grade >= w->s->version_grade[w->facts]) {
		w->s->version[w->facts] = version;
		w->s->version_grade[w->facts] = (uint32_t)node->grade;
	}
}

static int prove_node(void *ctx, const struct st_scan_node *node)
{
	struct walk *w = ctx;
	static const struct {
		enum st_block_type type;
		enum st_item_kind kind;
		size_t key_size;
	} blocks[] = {{ST_BLOCK_FACTS, ST_ITEM_WAL, ST_KEY_64},
		      {ST_BLOCK_JOURNAL, ST_ITEM_JOURNAL, ST_KEY_32_64},
		      {ST_BLOCK_SNAPSHOT, ST_ITEM_SNAPSHOT, ST_KEY_32_32_32}};
	struct st_block_view view;
	if (node->page != w->page)
		page_end(w);
	w->page = node->page;
	if (st_meta_find(w->facts ? ST_META_FACTS : ST_META_WORK, node->key, node->key_size) == ST_META_FORMAT &&
	    node->grade > ST_FOUND)
		note_version(w, node);
	for (unsigned i = 0; i < 3 && !w->facts; i++) {
		if (node->key_size != blocks[i].key_size ||
		    !st_block_open(node->value, node->value_size, blocks[i].type, node->key, node->key_size, &view))
			continue;
		bool log = blocks[i].kind == ST_ITEM_WAL;
		return note_item(w, blocks[i].kind, log ? 0 : pd_get_be32(node->key),
				 st_get_be64(node->key + (log ? 0 : 4)), node);
	}
	return node->value_size < ST_SEAL || node->value_size > ST_RECORD_ROOM ? 0 : prove_sealed(w, node);
}

static int by_place(const void *a, const void *b)
{
	const struct st_item *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	bool replaced = x->kind == ST_ITEM_META || x->kind == ST_ITEM_EXISTENCE; /* `n` says how new it is */
	if (!replaced && x->n != y->n)
		return x->n < y->n ? -1 : 1;
	if ((x->grade == ST_NEWEST) != (y->grade == ST_NEWEST))
		return x->grade == ST_NEWEST ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->grade != y->grade)
		return x->grade > y->grade ? -1 : 1;
	if (replaced && x->at != y->at)
		return x->at > y->at ? -1 : 1; /* LMDB moves live records towards the end of a page */
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

/* Removes copies: of each version only the most certain one stays. Records have few versions. */
static void remove_copies(struct st_salvage *s)
{
	size_t kept = 0, first = 0;
	for (size_t i = 0; i < s->count; i++) {
		const struct st_item *x = &s->item[i];
		if (kept && (s->item[first].kind != x->kind || s->item[first].job != x->job ||
			     (x->kind != ST_ITEM_META && x->kind != ST_ITEM_EXISTENCE && s->item[first].n != x->n)))
			first = kept;
		bool copy = false;
		for (size_t j = first; j < kept && !copy; j++)
			copy = s->item[j].sum == x->sum && s->item[j].size == x->size;
		if (!copy)
			s->item[kept++] = *x;
	}
	PD_ASSERT(kept <= s->count);
	s->count = kept;
}

void st_salvage_sort(struct st_salvage *s)
{
	if (s->count)
		qsort(s->item, s->count, sizeof *s->item, by_place);
	remove_copies(s);
}

const struct st_item *st_salvage_items(const struct st_salvage *s, enum st_item_kind kind, uint32_t job, uint64_t n,
				       size_t *count)
{
	size_t low = 0, high = s->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct st_item *x = &s->item[middle];
		bool before = x->kind != kind ? x->kind < kind
			      : x->job != job ? x->job < job
					      : n != UINT64_MAX && x->n < n;
		if (before)
			low = middle + 1;
		else
			high = middle;
	}
	const struct st_item *x = s->item + low;
	for (high = low; high < s->count && s->item[high].kind == kind && s->item[high].job == job &&
			 (n == UINT64_MAX || s->item[high].n == n);)
		high++;
	*count = high - low;
	return x;
}

const struct st_item *st_salvage_single(const struct st_salvage *s, enum st_item_kind kind, uint32_t job, uint64_t n)
{
	size_t count;
	const struct st_item *x = st_salvage_items(s, kind, job, n, &count);
	if (!count)
		return NULL;
	return count == 1 || (x[0].grade == ST_NEWEST && x[1].grade != ST_NEWEST) ? x : NULL;
}

const uint8_t *st_salvage_fetch(struct st_salvage *s, const struct st_item *x, bool facts)
{
	return x->size <= ST_RECORD_ROOM && st_scan_read(facts ? &s->facts : &s->work, x->at, s->buffer, x->size) &&
			       pd_hash64(s->buffer, x->size) == x->sum
		       ? s->buffer + ST_SEAL
		       : NULL;
}

int st_salvage_collect(struct st_salvage *s, bool facts, struct pd_fail *fail)
{
	PD_ASSERT(!facts || s->facts.name);
	struct walk w = {.s = s, .facts = facts, .first = s->count};
	int rc = st_scan_each(facts ? &s->facts : &s->work, prove_node, &w, fail);
	page_end(&w);
	return rc < 0 || s->no_memory ? st_salvage_no_memory(fail) : rc;
}

const uint8_t *st_salvage_newest(struct st_salvage *s, enum st_meta_id id, size_t *size, bool *sure)
{
	size_t count;
	bool facts = st_meta_flags(id) & ST_META_FACTS;
	const struct st_item *x = st_salvage_items(s, ST_ITEM_META, id, UINT64_MAX, &count);
	const uint8_t *p = count ? st_salvage_fetch(s, x, facts) : NULL;
	*size = p ? x->size - ST_SEAL : 0;
	const struct st_scan *scan = facts ? &s->facts : &s->work;
	*sure = p && (x->grade == ST_NEWEST || (scan->sure && x->n == scan->txn));
	return p;
}

/* The numbers of the file itself come first, because the two files may differ in age. */
uint32_t st_salvage_game_of(const struct st_salvage *s, bool facts, uint32_t id)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		const struct st_game_ids *numbers = facts == !pass ? &s->facts_games : &s->work_games;
		for (uint32_t i = 0; i < numbers->count; i++)
			if (numbers->number[i].id == id)
				return numbers->number[i].game;
		size_t count;
		st_salvage_items(s, numbers == &s->facts_games ? ST_ITEM_FACTS_GAME : ST_ITEM_GAME, id, UINT64_MAX,
				 &count);
		if (count)
			return UINT32_MAX; /* two records claim it */
	}
	return UINT32_MAX;
}
