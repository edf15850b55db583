/* Scan: the records of a damaged file of LMDB, page by page and without LMDB (private to store/).
 *
 * Every record that counts has a checksum that its key is part of, so it proves itself wherever it stands, and no page
 * has to be believed. All places of all pages are tried. That finds older versions as well, in pages that are free by
 * now and between the records of others; so a node also says how much speaks for its being the newest.
 *
 * The file is only read, with plain reads of limited size; nothing that stands in it leads outside of a buffer. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_scan {
	int fd;           /* -1: there is no such file */
	const char *name; /* borrowed */
	uint32_t page;    /* bytes of one */
	uint64_t pages;   /* the last one may be cut off */
	bool sure;        /* the newest transaction is known, so that what it leads to is the newest version */
	bool heads;       /* both meta pages are sound, so that what was never committed can be told */
	uint64_t txn;     /* number of the newest transaction known */
	uint8_t *reached; /* owned: a bit a page, of what the newest known transaction leads to */
	uint64_t *moved;  /* owned: position and number of pages that stand where others belong, in turn */
	size_t moved_count, moved_room;
};

enum st_grade {
	ST_FOUND,  /* left over between the records of a page, or in a page that is damaged */
	ST_LISTED, /* a record of a page that may be an old one */
	ST_NEWEST  /* the newest transaction leads there */
};

struct st_scan_node {
	enum st_grade grade;
	uint64_t page;
	const uint8_t *key, *value; /* good during the call */
	size_t key_size, value_size;
	uint64_t at; /* where the value begins in the file; it is in one piece */
};

/* A file that is missing is one without pages. If opening fails there is nothing to close. */
int st_scan_open(struct st_scan *scan, const char *dir, const char *name, struct pd_fail *fail);
void st_scan_close(struct st_scan *scan);
/* Calls `prove` for all that may be a record: 1 when it proves to be one, 0 when not, -1 to end the walk, with that
 * result. Records may come twice. */
int st_scan_each(const struct st_scan *scan, int (*prove)(void *ctx, const struct st_scan_node *node), void *ctx,
		 struct pd_fail *fail);
/* Reads a value again. */
bool st_scan_read(const struct st_scan *scan, uint64_t at, void *out, size_t size);
