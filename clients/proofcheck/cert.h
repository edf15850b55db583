/* Cert: a certificate as bytes (proto/CERTIFICATE.md), before anybody asks what it means.
 *
 * The file is mapped, not read, and stays where it is: a record is found by binary search over the index and by going
 * through one block. Nothing is trusted, not even after it has been looked at once: every step is checked against the
 * end of the block, so that whatever stands in the file (or changes in it meanwhile) gives an answer and never an
 * overrun. */
#ifndef CK_CERT_H
#define CK_CERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/proofcheck/rules.h"

enum { CK_LINE_MAX = 16384 }; /* bytes of a header line's value; a position may be a long list of moves */

/* What is wrong, and where. */
struct ck_fault {
	uint64_t offset;            /* byte of the file */
	char position[CK_TEXT_MAX]; /* the position at fault, "" when it is none in particular */
	char text[400];             /* a sentence */
};

/* Fills a fault without a position; returns false, so that `return ck_fault_set(...)` reads well. */
bool ck_fault_set(struct ck_fault *fault, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A bound that may be missing. */
struct ck_bound {
	bool there;
	int64_t value;
};

/* Text borrowed from the mapping, not terminated. */
struct ck_text {
	const char *at;
	size_t size;
};

struct ck_header {
	unsigned format;      /* CK_FORMAT_MIN to CK_FORMAT_MAX */
	uint64_t digest_line; /* offset of the line 'digest: ...' */
	struct ck_text game, engine, position, claim, status, detail, digest;
	uint64_t rules;
	uint8_t root[CK_KEY_MAX];
	size_t root_size;
	bool value, lower; /* the claim is `value`; if not: what is said is a lower bound */
	int64_t least;     /* if not `value`: the lower bound must reach this, or the upper one not pass it */
	struct ck_bound lo, hi;
	bool full;
	uint64_t positions, reasons, leaves, blocks, graph;
};

struct ck_cert {
	const uint8_t *bytes; /* borrowed: the whole file */
	uint64_t size;
	struct ck_header header;
	uint64_t body; /* behind the empty line: where the graph begins */
	uint64_t first_block, index;
	uint64_t *prefix; /* owned; of each block the first eight bytes of its first key, as a number */
	bool no_memory;   /* why it could not be opened */
};

struct ck_reason {
	bool upper, has_rank, has_move, has_effort;
	int64_t bound;
	uint64_t rank, move, effort;
};

/* One record, while one goes through a block. */
struct ck_record {
	uint8_t key[CK_KEY_MAX];
	size_t key_size;
	unsigned reasons;      /* at least 1 */
	const uint8_t *start;  /* its first byte */
	const uint8_t *reason; /* the first */
	uint64_t offset;       /* of the record in the file */
};

/* A walk through a block. */
struct ck_walk {
	const uint8_t *base, *next, *end; /* the file; what comes next; the end of the block */
	unsigned left;                    /* records */
	struct ck_record record;          /* the one that was read last; key_size 0 before the first */
};

/* Reads the header and finds the parts; false with the fault when the file does not have this form. bytes stay the
 * caller's. */
bool ck_cert_open(struct ck_cert *cert, const uint8_t *bytes, uint64_t size, struct ck_fault *fault);
void ck_cert_close(struct ck_cert *cert);

/* The digest as the file's format defines it, in hexadecimal: XXH3-128 of everything after the header (format 1), or of
 * the header up to its digest line and everything after the header (format 2). Reads bytes, size, body and, of the
 * header, format and digest_line. */
void ck_cert_digest(const struct ck_cert *cert, char out[33]);

/* The offset of a block, as the index gives it. */
uint64_t ck_block_offset(const struct ck_cert *cert, uint64_t block);
/* Begins to walk through a block; checks that it ends where the next one begins. */
bool ck_walk_begin(const struct ck_cert *cert, uint64_t block, struct ck_walk *walk, struct ck_fault *fault);
/* Reads the next record; true as long as there was one. At the end *fault is untouched and *wrong false. */
bool ck_walk_next(struct ck_walk *walk, bool *wrong, struct ck_fault *fault);

/* Reads a reason at *p and moves behind it. NULL, or what is wrong. */
const char *ck_reason_read(const uint8_t **p, const uint8_t *end, struct ck_reason *out);

struct ck_sums {
	uint64_t positions, reasons, leaves;
};

/* Goes through a block: its form, and the order of its keys up to the first one of the next block. Adds to the sums and
 * fills in the block's prefix. Blocks may be surveyed in any order, and several at once. */
bool ck_block_survey(struct ck_cert *cert, uint64_t block, struct ck_sums *sums, struct ck_fault *fault);

/* Looks a key up, after the survey of all blocks. On true, *reason and *count tell where its reasons are, and *end
 * where its block ends. */
bool ck_cert_find(const struct ck_cert *cert, const uint8_t *key, size_t size, const uint8_t **reason, unsigned *count,
		  const uint8_t **end);

#endif
