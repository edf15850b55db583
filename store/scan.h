/* Scan: the records of a damaged file of LMDB, page by page and without LMDB (private to store/).
 *
 * Every record has a checksum that covers its key, so it proves itself wherever it is, and no page has to be trusted.
 * All offsets of all pages are tried. That also finds older versions, in free pages and between other records; the
 * grade of a node says how likely it is the newest.
 *
 * The file is only read, with plain reads of limited size; no content leads outside of a buffer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_scan {
	int fd;           /* -1: there is no such file */
	const char *name; /* borrowed */
	uint32_t page;    /* bytes of one */
	uint64_t pages;   /* the last one may be cut off */
	bool sure;        /* the newest transaction is known; what it leads to is the newest version */
	bool heads;       /* both meta pages are sound, so uncommitted records are known */
	uint64_t txn;     /* number of the newest known transaction */
	uint8_t *reached; /* owned: one bit per page; the newest known transaction leads to it */
	uint64_t *moved;  /* owned: pairs of position and number, for pages in the position of others */
	size_t moved_count, moved_room;
};

enum st_grade {
	ST_FOUND,  /* a remnant between the records of a page, or in a damaged page */
	ST_LISTED, /* a record of a page that may be old */
	ST_NEWEST  /* the newest transaction leads there */
};

struct st_scan_node {
	enum st_grade grade;
	uint64_t page;
	const uint8_t *key, *value; /* valid during the call */
	size_t key_size, value_size;
	uint64_t at; /* where the value begins in the file */
};

/* A missing file counts as one without pages. After a failure nothing is open. */
int st_scan_open(struct st_scan *scan, const char *dir, const char *name, struct pd_fail *fail);
void st_scan_close(struct st_scan *scan);
/* Calls `prove` for everything that may be a record, perhaps twice. It returns 1 for a record, 0 for anything else, -1
 * to end the walk with that result. */
int st_scan_each(const struct st_scan *scan, int (*prove)(void *ctx, const struct st_scan_node *node), void *ctx,
		 struct pd_fail *fail);
/* Reads a value again. */
bool st_scan_read(const struct st_scan *scan, uint64_t at, void *out, size_t size);
