#include "store/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/key.h"
#include "store/meta_page.h"
#include "store/record.h"

enum { DB_ROOT = 40, DEPTH_MAX = 32 };

static uint64_t number_of(const uint8_t *page)
{
	return pd_get_le64(page);
}

bool st_scan_read(const struct st_scan *scan, uint64_t at, void *out, size_t size)
{
	PD_ASSERT(scan->fd >= 0);
	uint8_t *p = out;
	while (size) {
		ssize_t n = pread(scan->fd, p, size, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		size -= (size_t)n;
	}
	return true;
}

/* The page at a position; zeros beyond the end of the file. */
static bool page_at(const struct st_scan *scan, uint64_t position, uint8_t *p)
{
	uint64_t at = position * scan->page;
	memset(p, 0, scan->page);
	if (st_scan_read(scan, at, p, scan->page))
		return true;
	ssize_t n = pread(scan->fd, p, scan->page, (off_t)at);
	return n > 0;
}

/* How many nodes a branch or leaf has; 0 for a page of another kind. */
static unsigned nodes_of(const struct st_scan *scan, const uint8_t *p, unsigned kind)
{
	unsigned lower = pd_get_le16(p + 12), upper = pd_get_le16(p + 14);
	if ((pd_get_le16(p + 10) & ST_PAGE_KINDS) != kind || lower < ST_PAGE_HEAD || lower % 2 || lower > upper ||
	    upper > scan->page)
		return 0;
	return (lower - ST_PAGE_HEAD) / 2;
}

/* A leaf's node at a place in a page; false when no record of ours can be there. */
static bool place_get(const struct st_scan *scan, const uint8_t *p, size_t at, struct st_page_node *out)
{
	return st_page_node_get(p, scan->page, at, false, out) && out->key_size && out->data_size <= ST_VALUE_MAX;
}

static bool is_reached(const struct st_scan *scan, uint64_t n)
{
	PD_DEBUG_ASSERT(scan->reached && n < scan->pages);
	return scan->reached[n / 8] >> (n % 8) & 1;
}

static bool mark_reached(struct st_scan *scan, uint64_t number, unsigned depth)
{
	if (depth > DEPTH_MAX || number < 2 || number >= scan->pages || is_reached(scan, number))
		return true;
	uint8_t *p = malloc(scan->page);
	if (!p)
		return false;
	bool ok = true, placed = page_at(scan, number, p) && number_of(p) == number;
	unsigned branches = placed ? nodes_of(scan, p, ST_PAGE_BRANCH) : 0,
		 leaves = placed ? nodes_of(scan, p, ST_PAGE_LEAF) : 0;
	if (branches || leaves)
		scan->reached[number / 8] |= (uint8_t)(1 << (number % 8));
	for (unsigned i = 0; ok && i < branches; i++) {
		size_t at = pd_get_le16(p + ST_PAGE_HEAD + 2 * i);
		if (at >= ST_PAGE_HEAD && at + ST_NODE_HEAD <= scan->page)
			ok = mark_reached(scan, (pd_get_le64(p + at) & UINT64_C(0xffffffffffff)), depth + 1);
	}
	for (unsigned i = 0; ok && i < leaves; i++) {
		struct st_page_node node;
		if (place_get(scan, p, pd_get_le16(p + ST_PAGE_HEAD + 2 * i), &node) &&
		    node.flags == ST_NODE_DATABASE && node.data_size == ST_PAGE_DB)
			ok = mark_reached(scan, pd_get_le64(node.data + DB_ROOT), depth + 1);
	}
	free(p);
	return ok;
}

/* The node of that name in a leaf. */
static bool find_named(const struct st_scan *scan, const uint8_t *p, const char *name, struct st_page_node *out)
{
	for (unsigned i = 0; i < nodes_of(scan, p, ST_PAGE_LEAF); i++)
		if (place_get(scan, p, pd_get_le16(p + ST_PAGE_HEAD + 2 * i), out) && out->key_size == strlen(name) &&
		    !memcmp(out->key, name, out->key_size))
			return true;
	return false;
}

/* Whether the page is a table of names, and the number of its transaction, 0: unreadable. `q` has room for a page. */
static bool root_read(const struct st_scan *scan, const uint8_t *p, uint8_t *q, uint64_t *txn)
{
	struct st_page_node node;
	*txn = 0;
	if (!find_named(scan, p, "meta", &node) || node.flags != ST_NODE_DATABASE || node.data_size != ST_PAGE_DB)
		return false;
	uint64_t meta = pd_get_le64(node.data + DB_ROOT);
	if (meta >= scan->pages || !page_at(scan, meta, q) || number_of(q) != meta ||
	    !find_named(scan, q, "txn", &node))
		return true;
	MDB_val value = {node.data_size, (void *)(uintptr_t)node.data};
	if (!(node.flags & ST_NODE_BIG) && st_unseal("txn", 3, &value) && value.mv_size == 8)
		*txn = pd_get_le64(value.mv_data);
	return true;
}

struct heads {
	struct st_meta_page head[2];
	bool good[2];
};

static void read_heads(const struct st_scan *scan, uint32_t page, struct heads *out)
{
	uint8_t bytes[ST_META_BYTES];
	for (unsigned i = 0; i < 2; i++)
		out->good[i] = st_scan_read(scan, (uint64_t)i * page, bytes, sizeof bytes) &&
			       st_meta_page_get(bytes, i, &out->head[i]) && st_meta_page_leads(&out->head[i]) &&
			       out->head[i].page == page;
}

/* The largest number of a transaction in the page. */
static uint64_t newest_txn(const struct st_scan *scan, const uint8_t *p)
{
	uint64_t most = 0;
	for (size_t at = ST_PAGE_HEAD; at + ST_NODE_HEAD < scan->page; at += 2) {
		struct st_page_node node;
		if (!place_get(scan, p, at, &node) || node.flags || node.key_size != 3 || memcmp(node.key, "txn", 3))
			continue;
		MDB_val value = {node.data_size, (void *)(uintptr_t)node.data};
		if (st_unseal("txn", 3, &value) && value.mv_size == 8 && pd_get_le64(value.mv_data) > most)
			most = pd_get_le64(value.mv_data);
	}
	return most;
}

/* The page of the newest table of names, 0: none; `p` and `q` have room for pages. Without both meta pages all tables
 * of names in the file are compared; a trace of a newer transaction shows that the table found is not the newest. */
static uint64_t find_root(struct st_scan *scan, const struct heads *h, uint8_t *p, uint8_t *q)
{
	bool both = scan->heads = h->good[0] && h->good[1];
	uint64_t txn, best = 0, newest = 0;
	for (unsigned i = 0; i < 2; i++)
		if (h->good[i] && h->head[i].id > newest)
			newest = h->head[i].id;
	if (both) {
		const struct st_meta_page *head = &h->head[h->head[1].id > h->head[0].id];
		if (head->db[1].root < scan->pages && page_at(scan, head->db[1].root, p) &&
		    number_of(p) == head->db[1].root && root_read(scan, p, q, &txn) && (!txn || txn == newest)) {
			scan->txn = newest;
			scan->sure = true;
			return head->db[1].root;
		}
	}
	for (uint64_t n = 2; n < scan->pages; n++) {
		uint64_t seen = page_at(scan, n, p) ? newest_txn(scan, p) : 0;
		newest = seen > newest && !both ? seen : newest;
		if (number_of(p) == n && root_read(scan, p, q, &txn) && txn > scan->txn) {
			scan->txn = txn;
			best = n;
		}
	}
	scan->sure = best && scan->txn == newest;
	return best;
}

static bool note_moved(struct st_scan *scan, uint64_t position, uint64_t number)
{
	PD_ASSERT(scan->moved_count <= scan->moved_room);
	if (scan->moved_count + 2 > scan->moved_room) {
		size_t room = scan->moved_room ? 2 * scan->moved_room : 64;
		uint64_t *grown = realloc(scan->moved, room * sizeof *grown);
		if (!grown)
			return false;
		scan->moved = grown;
		scan->moved_room = room;
	}
	scan->moved[scan->moved_count++] = position;
	scan->moved[scan->moved_count++] = number;
	return true;
}

/* Lists long values that are not at the position of their page number, which is rare. */
static bool find_moved(struct st_scan *scan)
{
	enum { MOVED_MAX = 2 * 4096 };
	uint8_t head[ST_PAGE_HEAD];
	for (uint64_t n = 2; n < scan->pages && scan->moved_count < MOVED_MAX; n++)
		if (st_scan_read(scan, n * scan->page, head, sizeof head) && number_of(head) != n &&
		    number_of(head) < scan->pages && number_of(head) > 1 &&
		    (pd_get_le16(head + 10) & ST_PAGE_KINDS) == ST_PAGE_OVERFLOW &&
		    !note_moved(scan, n, number_of(head)))
			return false;
	return true;
}

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to look through a damaged file");
}

static int scan_heads(struct st_scan *scan, uint64_t size, struct pd_fail *fail)
{
	struct heads heads = {.good = {false, false}};
	long usual = sysconf(_SC_PAGESIZE);
	/* Page 0 has the size of a page, which is where page 1 begins. */
	for (uint32_t page = 512; page <= 1 << 16 && !heads.good[0] && !heads.good[1]; page *= 2) {
		scan->page = page;
		read_heads(scan, page, &heads);
	}
	if (!heads.good[0] && !heads.good[1])
		scan->page = usual >= 512 && usual <= 1 << 16 ? (uint32_t)usual : 4096;
	scan->pages = (size + scan->page - 1) / scan->page;
	scan->reached = calloc(1, scan->pages / 8 + 1);
	uint8_t *p = malloc(scan->page), *q = malloc(scan->page);
	bool ok = scan->reached && p && q;
	uint64_t root = ok ? find_root(scan, &heads, p, q) : 0;
	ok = ok && (!root || mark_reached(scan, root, 0)) && find_moved(scan);
	free(p);
	free(q);
	return ok ? PD_OK : no_memory(fail);
}

int st_scan_open(struct st_scan *scan, const char *dir, const char *name, struct pd_fail *fail)
{
	char path[ST_PATH];
	struct stat st;
	*scan = (struct st_scan){.fd = -1, .name = name};
	int rc = st_path(path, dir, name, "", fail);
	if (rc)
		return rc;
	scan->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (scan->fd < 0 && errno == ENOENT)
		return PD_OK;
	if (scan->fd < 0 || fstat(scan->fd, &st) || !S_ISREG(st.st_mode)) {
		rc = scan->fd < 0 ? pd_fail_errno(fail, "data", "read", path)
				  : pd_fail_set(fail, PD_E_IO, "data", "%s is not a plain file", path);
		st_scan_close(scan);
		return rc;
	}
	rc = scan_heads(scan, (uint64_t)st.st_size, fail);
	if (rc)
		st_scan_close(scan);
	return rc;
}

void st_scan_close(struct st_scan *scan)
{
	if (scan->fd >= 0)
		close(scan->fd);
	free(scan->reached);
	free(scan->moved);
	*scan = (struct st_scan){.fd = -1};
}

struct walk {
	const struct st_scan *scan;
	int (*prove)(void *ctx, const struct st_scan_node *node);
	void *ctx;
	uint8_t *page, *value; /* owned */
};

static int try_at(struct walk *w, struct st_scan_node *node, uint64_t at)
{
	node->at = at;
	return st_scan_read(w->scan, at, w->value, node->value_size) ? w->prove(w->ctx, node) : 0;
}

/* Tries a long value at the position of its page number, and wherever else a page has that number. */
static int try_long(struct walk *w, struct st_scan_node *node, uint64_t number)
{
	const struct st_scan *scan = w->scan;
	if (number < 2 || number >= scan->pages)
		return 0;
	node->value = w->value;
	int rc = try_at(w, node, number * scan->page + ST_PAGE_HEAD);
	for (size_t i = 0; !rc && i < scan->moved_count; i += 2)
		if (scan->moved[i + 1] == number)
			rc = try_at(w, node, scan->moved[i] * scan->page + ST_PAGE_HEAD);
	return rc;
}

static int try_place(struct walk *w, uint64_t number, size_t at, enum st_grade grade)
{
	struct st_page_node place;
	if (!place_get(w->scan, w->page, at, &place) || place.flags & ~(unsigned)ST_NODE_BIG)
		return 0;
	struct st_scan_node node = {.grade = grade,
				    .page = number,
				    .key = place.key,
				    .key_size = place.key_size,
				    .value = place.data,
				    .value_size = place.data_size,
				    .at = number * w->scan->page + (uint64_t)(place.data - w->page)};
	return place.flags & ST_NODE_BIG ? try_long(w, &node, pd_get_le64(place.data)) : w->prove(w->ctx, &node);
}

static int each_page(struct walk *w, uint64_t number)
{
	const struct st_scan *scan = w->scan;
	if (!page_at(scan, number, w->page))
		return 0;
	enum st_grade grade = scan->sure && is_reached(scan, number) ? ST_NEWEST : ST_LISTED;
	int rc = 0;
	for (unsigned i = 0; rc >= 0 && i < nodes_of(scan, w->page, ST_PAGE_LEAF); i++)
		rc = try_place(w, number, pd_get_le16(w->page + ST_PAGE_HEAD + 2 * i), grade);
	for (size_t at = ST_PAGE_HEAD; rc >= 0 && at + ST_NODE_HEAD < scan->page; at += 2)
		rc = try_place(w, number, at, ST_FOUND);
	return rc;
}

int st_scan_each(const struct st_scan *scan, int (*prove)(void *ctx, const struct st_scan_node *node), void *ctx,
		 struct pd_fail *fail)
{
	if (scan->fd < 0)
		return 0;
	struct walk w = {scan, prove, ctx, malloc(scan->page), malloc(ST_VALUE_MAX)};
	int rc = w.page && w.value ? 0 : no_memory(fail);
	for (uint64_t n = 0; !rc && w.page && n < scan->pages; n++)
		rc = each_page(&w, n) < 0 ? -1 : 0;
	free(w.page);
	free(w.value);
	return rc;
}
