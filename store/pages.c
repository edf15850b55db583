/* Pages: reading LMDB's structures.
 *
 *	page      le64 number, le16 0, le16 flags, le16 lower, le16 upper; then le16 offsets of nodes up to `lower`,
 *	          nodes from `upper` to the end
 *	node      le16 low, le16 high, le16 flags, le16 key size, key, data. Branch: low, high and flags are a page
 *	          number. Leaf: low and high are the size of the data, which may be the number of an overflow page
 *	          (flag 1) or a database (flag 2)
 *	database  le32 0, le16 flags, le16 depth, le64 branch pages, leaf pages, overflow pages, records, number of
 *	          the root page
 *	meta      in page 0 and 1: le32 magic, le32 version, le64 address, map size, two databases (free pages,
 *	          names), le64 last page, transaction
 *
 * Numbers are in the byte order of the machine; format.c refuses files of another order. */
#include "store/pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/env.h"
#include "store/key.h"
#include "store/meta_page.h"

enum {
	DEPTH_MAX = 32,
	LEAVES_FEW = 1 << 12, /* a table with fewer leaves (16 megabytes) is read completely */
	TRIES = 5             /* to read a head that a writer may be changing */
};

struct walk {
	const struct st_env *env;
	struct pd_fail *fail;
	int fd;
	struct st_meta_page meta;
	uint8_t *used; /* owned: one bit per page */
	uint8_t *page; /* owned: DEPTH_MAX + 1 of them */
	bool numbers;  /* keys are numbers: the list of free pages */
	bool leaves;   /* leaves are read */
	struct st_page_db seen;
};

static int fail_damaged(const struct walk *w, uint64_t page, const char *what)
{
	return st_env_corrupt(w->env, w->fail, "page %" PRIu64 " is damaged: %s", page, what);
}

/* Marks pages as used; a page may have only one use. */
static int mark_used(struct walk *w, uint64_t first, uint64_t count)
{
	PD_ASSERT(w->used);
	if (first < 2 || first > w->meta.last || !count || count > w->meta.last - first + 1)
		return fail_damaged(w, first, "the file has no such page");
	for (uint64_t n = first; n < first + count; n++) {
		if (w->used[n / 8] >> (n % 8) & 1)
			return fail_damaged(w, n, "it is used twice");
		w->used[n / 8] |= (uint8_t)(1 << (n % 8));
	}
	return PD_OK;
}

static int read_page(const struct walk *w, uint64_t number, uint8_t *p)
{
	ssize_t n = pread(w->fd, p, w->meta.page, (off_t)(number * w->meta.page));
	if (n < 0)
		return pd_fail_errno(w->fail, w->env->name, "read", w->env->name);
	return n == (ssize_t)w->meta.page && st_page_get64(p) == number
		       ? PD_OK
		       : fail_damaged(w, number, "it has the number of another page");
}

static unsigned nodes_of(const uint8_t *p)
{
	return (st_page_get16(p + 12) - ST_PAGE_HEAD) / 2u;
}

/* Node i; false when it does not lie in the page. */
static bool node_get(const struct walk *w, const uint8_t *p, unsigned i, bool branch, struct st_page_node *out)
{
	size_t at = st_page_get16(p + ST_PAGE_HEAD + 2 * i);
	return at >= st_page_get16(p + 14) && st_page_node_get(p, w->meta.page, at, branch, out);
}

static bool keys_rise(const struct walk *w, const struct st_page_node *a, const struct st_page_node *b)
{
	if (w->numbers)
		return a->key_size == 8 && b->key_size == 8 && st_page_get64(a->key) < st_page_get64(b->key);
	return st_key_compare(a->key, a->key_size, b->key, b->key_size) < 0;
}

/* Checks head and nodes of a page. */
static int page_check(const struct walk *w, uint64_t number, const uint8_t *p, bool branch)
{
	unsigned lower = st_page_get16(p + 12), upper = st_page_get16(p + 14);
	struct st_page_node node, last = {.flags = 0};
	size_t bytes = 0;
	if ((st_page_get16(p + 10) & ST_PAGE_KINDS) != (branch ? ST_PAGE_BRANCH : ST_PAGE_LEAF))
		return fail_damaged(w, number, branch ? "it should be a branch" : "it should be a leaf");
	if (lower < ST_PAGE_HEAD || lower % 2 || lower > upper || upper > w->meta.page ||
	    nodes_of(p) < (branch ? 2 : 1))
		return fail_damaged(w, number, "its head is wrong");
	for (unsigned i = 0; i < nodes_of(p); i++) {
		if (!node_get(w, p, i, branch, &node))
			return fail_damaged(w, number, "a record is not inside it");
		/* The first key of a branch counts as the smallest; LMDB does not read it. */
		if (i > (branch ? 1 : 0) && !keys_rise(w, &last, &node))
			return fail_damaged(w, number, "its records are out of order");
		size_t inside = branch ? 0 : node.flags & ST_NODE_BIG ? sizeof node.page : node.data_size;
		bytes += (ST_NODE_HEAD + node.key_size + inside + 1) & ~(size_t)1;
		last = node;
	}
	return bytes <= w->meta.page - upper ? PD_OK : fail_damaged(w, number, "its records overlap");
}

/* Checks an overflow page and its successors. There may be more of them than the record needs: LMDB does not free pages
 * when a shorter record replaces a long one in the same transaction. */
static int check_overflow(struct walk *w, uint64_t number, uint64_t size, uint8_t *p)
{
	uint64_t least = (ST_PAGE_HEAD + size - 1) / w->meta.page + 1;
	if (number < 2 || number > w->meta.last)
		return fail_damaged(w, number, "the file has no such page");
	ssize_t n = pread(w->fd, p, ST_PAGE_HEAD, (off_t)(number * w->meta.page));
	uint64_t count = n == ST_PAGE_HEAD ? st_page_get32(p + 12) : 0;
	if (n != ST_PAGE_HEAD || st_page_get64(p) != number ||
	    (st_page_get16(p + 10) & ST_PAGE_KINDS) != ST_PAGE_OVERFLOW || count < least)
		return fail_damaged(w, number, "it is not the page of a long record");
	w->seen.overflows += count;
	return mark_used(w, number, count);
}

static int walk_db(struct walk *w, const struct st_page_db *db, bool numbers, unsigned level);

/* Marks the pages that a record of the free list names: an array that begins with its length. */
static int free_list(struct walk *w, uint64_t number, const uint8_t *list, size_t size)
{
	uint64_t count = size >= 8 ? st_page_get64(list) : 0, last = UINT64_MAX;
	if (size < 8 || count > size / 8 - 1)
		return fail_damaged(w, number, "a list of free pages is longer than its record");
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t page = st_page_get64(list + 8 * i);
		int rc = page < last ? mark_used(w, page, 1)
				     : fail_damaged(w, number, "a list of free pages is out of order");
		if (rc)
			return rc;
		last = page;
	}
	return PD_OK;
}

static int big_free_list(struct walk *w, uint64_t number, const struct st_page_node *node)
{
	uint8_t *list = malloc(node->data_size);
	if (!list)
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to look at the free pages");
	off_t at = (off_t)(st_page_get64(node->data) * w->meta.page + ST_PAGE_HEAD);
	ssize_t n = pread(w->fd, list, node->data_size, at);
	int rc = n == (ssize_t)node->data_size ? free_list(w, number, list, node->data_size)
					       : fail_damaged(w, number, "a list of free pages is truncated");
	free(list);
	return rc;
}

static int check_leaf(struct walk *w, uint64_t number, const uint8_t *p, unsigned level)
{
	struct st_page_node node;
	int rc = page_check(w, number, p, false);
	for (unsigned i = 0; !rc && i < nodes_of(p); i++) {
		node_get(w, p, i, false, &node);
		w->seen.records++;
		bool big = node.flags & ST_NODE_BIG;
		if (node.flags & ~(unsigned)(ST_NODE_BIG | ST_NODE_DATABASE) ||
		    (node.flags & ST_NODE_DATABASE && node.data_size != ST_PAGE_DB))
			return fail_damaged(w, number, "a record has an unknown kind");
		if (big)
			rc = check_overflow(w, st_page_get64(node.data), node.data_size,
					    w->page + (size_t)DEPTH_MAX * w->meta.page);
		if (!rc && w->numbers)
			rc = big ? big_free_list(w, number, &node) : free_list(w, number, node.data, node.data_size);
		if (!rc && node.flags & ST_NODE_DATABASE) {
			struct st_page_db db = st_page_db_get(node.data), seen = w->seen;
			rc = walk_db(w, &db, false, level + 1);
			w->seen = seen;
		}
	}
	return rc;
}

/* Checks a page and all pages below it. `left`: levels below it; `level`: index of a free buffer. */
static int check_tree(struct walk *w, uint64_t number, unsigned left, unsigned level)
{
	uint8_t *p = w->page + (size_t)level * w->meta.page;
	struct st_page_node node;
	int rc = level >= DEPTH_MAX ? fail_damaged(w, number, "it is too deep in its tree") : mark_used(w, number, 1);
	if (rc)
		return rc;
	if (!left) {
		w->seen.leaves++;
		if (!w->leaves)
			return PD_OK;
		rc = read_page(w, number, p);
		return rc ? rc : check_leaf(w, number, p, level);
	}
	w->seen.branches++;
	rc = read_page(w, number, p);
	if (!rc)
		rc = page_check(w, number, p, true);
	for (unsigned i = 0; !rc && i < nodes_of(p); i++) {
		node_get(w, p, i, true, &node);
		rc = check_tree(w, node.page, left - 1, level + 1);
	}
	return rc;
}

static int walk_db(struct walk *w, const struct st_page_db *db, bool numbers, unsigned level)
{
	bool names = level == 0;
	if (db->flags && !numbers)
		return fail_damaged(w, db->root, "a table has an unknown kind");
	if (db->root == ST_NO_PAGE)
		return db->depth || db->records || db->branches || db->leaves || db->overflows
			       ? fail_damaged(w, 0, "an empty table has records")
			       : PD_OK;
	if (!db->depth || db->depth > DEPTH_MAX)
		return fail_damaged(w, db->root, "a table has an impossible depth");
	w->numbers = numbers;
	/* Of the tables of facts.mdb only runs are large, and their leaves hold checksummed blocks that nothing
	 * changes. */
	w->leaves = names || db->overflows || db->leaves < LEAVES_FEW;
	w->seen = (struct st_page_db){.depth = db->depth};
	int rc = check_tree(w, db->root, db->depth - 1u, level);
	if (!rc && (w->seen.branches != db->branches || w->seen.leaves != db->leaves ||
		    (w->leaves && (w->seen.overflows != db->overflows || w->seen.records != db->records))))
		rc = fail_damaged(w, db->root, "a table does not have the pages that it should");
	w->numbers = false;
	w->leaves = true; /* for the table of names, whose check continues */
	return rc;
}

int st_pages_check(const struct st_env *env, uint64_t id, struct pd_fail *fail)
{
	PD_ASSERT(env->fd >= 0);
	struct walk w = {.env = env, .fail = fail};
	struct st_meta_page meta[2];
	int newer = -1;
	if (mdb_env_get_fd(env->env, &w.fd))
		return PD_OK;
	for (unsigned i = 0; i < TRIES && newer < 0; i++)
		newer = st_meta_pages_read(w.fd, meta);
	if (newer < 0)
		return fail_damaged(&w, 0, "it is not the head of an LMDB file");
	w.meta = meta[id ? id % 2 : (unsigned)newer];
	if (id && w.meta.id != id)
		return PD_OK;
	if (!st_meta_page_leads(&w.meta))
		return fail_damaged(&w, 0, "its head leads to pages beyond its last");
	w.used = calloc(1, w.meta.last / 8 + 1);
	w.page = malloc((size_t)(DEPTH_MAX + 1) * w.meta.page);
	int rc = w.used && w.page ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look at the pages");
	if (!rc)
		rc = walk_db(&w, &w.meta.db[0], true, 0);
	if (!rc)
		rc = walk_db(&w, &w.meta.db[1], false, 0);
	free(w.used);
	free(w.page);
	return rc;
}
