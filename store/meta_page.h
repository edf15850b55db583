/* LMDB's two meta pages, read without LMDB (private to store/).
 *
 * Pages 0 and 1 of a file belong to the last two transactions; each names the roots of the free list and of the main
 * database. LMDB trusts them, so they are checked before LMDB opens the file. This is the layout of LMDB 0.9 on 64-bit
 * machines; pages.c describes it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "proto/base/error.h"

enum {
	ST_PAGE_HEAD = 16,        /* bytes before the nodes of a page */
	ST_PAGE_DB = 48,          /* bytes of a database's record */
	ST_META_BYTES = 16 + 136, /* bytes of a meta page that are in use */
	ST_NODE_HEAD = 8,         /* bytes of a node before its key */
};
/* Flags of a page, of which ST_PAGE_KINDS say what kind it is, and of a node. */
enum { ST_PAGE_BRANCH = 1, ST_PAGE_LEAF = 2, ST_PAGE_OVERFLOW = 4, ST_PAGE_META = 8, ST_PAGE_KINDS = 0x6f };
enum { ST_NODE_BIG = 1, ST_NODE_DATABASE = 2 };
#define ST_NO_PAGE UINT64_MAX

/* A database as LMDB describes it. */
struct st_page_db {
	uint16_t flags, depth;
	uint64_t branches, leaves, overflows, records, root; /* pages; records; page number or ST_NO_PAGE */
};

/* A node of a branch or leaf; borrowed from the page. */
struct st_page_node {
	unsigned flags;
	uint64_t page; /* of a branch */
	const uint8_t *key, *data;
	size_t key_size, data_size;
};

struct st_meta_page {
	uint32_t page;           /* bytes of a page: a power of two, 512 to 65,536 */
	struct st_page_db db[2]; /* the free list, the main database (names) */
	uint64_t last, id;       /* number of the last page in use; number of the transaction */
};

/* Numbers in the machine's byte order, which is LMDB's. */
static inline uint16_t st_page_get16(const uint8_t *p)
{
	uint16_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint32_t st_page_get32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline uint64_t st_page_get64(const uint8_t *p)
{
	uint64_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

struct st_page_db st_page_db_get(const uint8_t *p);
/* The node at byte `at` of a page of `size` bytes; false when it does not lie in the page. */
bool st_page_node_get(const uint8_t *p, size_t size, size_t at, bool branch, struct st_page_node *out);
/* Decodes ST_META_BYTES bytes of meta page `number`, 0 or 1; false when they are not that page. */
bool st_meta_page_get(const uint8_t *p, uint64_t number, struct st_meta_page *out);
/* Whether the roots lie within the file. */
bool st_meta_page_leads(const struct st_meta_page *meta);
/* Reads both. They must belong to consecutive transactions, the even one in page 0. Returns the index of the newer one,
 * or -1. The roots of the older one are not checked: a failed commit leaves new roots in it under the old transaction
 * number until commit_repair.c restores it, which a crash or a bad disk may prevent. */
int st_meta_pages_read(int fd, struct st_meta_page meta[2]);
/* PD_E_FORMAT when the file at `path` has no sound pair of meta pages. A missing or empty file passes. */
int st_meta_pages_check(const char *path, const char *name, struct pd_fail *fail);
