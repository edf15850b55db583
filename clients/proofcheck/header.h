/* Header: the lines of text at the beginning of a certificate (proto/CERTIFICATE.md).
 *
 * The first line names the format. Formats 2 and 3 have no cards, formats 4 and 5 do; formats 3 and 5 are formats 2 and
 * 4, compressed after the header (pack.h). Format 6 is the walk through a certificate of format 4 (packed.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/proofcheck/rules.h"

enum { CK_FORMAT_MIN = 2, CK_FORMAT_MAX = 6, CK_FORMAT_PACKED = 6 };
enum { CK_FORMAT_DIGIT = sizeof "proofd certificate " - 1 }; /* offset of the format in the first line */
enum { CK_LINE_MAX = 16384 }; /* bytes of a header line's value; a position may be a long list of moves */

enum ck_verdict {
	CK_VERIFIED,
	CK_REJECTED,
	CK_UNKNOWN /* unknown format, game or rules version, or out of memory; says nothing about the claim */
};

/* The fault that rejects a certificate. */
struct ck_fault {
	uint64_t offset;            /* byte of the file */
	char position[CK_TEXT_MAX]; /* the position at fault; "" when the fault concerns no single position */
	char text[400];             /* a sentence */
};

/* Fills in a fault without a position. Returns false, for `return ck_fault_set(...)`. */
bool ck_fault_set(struct ck_fault *fault, uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__ /* the analyzer sees one file at a time and would not know the result */
#define ck_fault_set(fault, offset, ...) (ck_fault_set((fault), (offset), __VA_ARGS__), false)
#endif

/* Whether there are as many of something as the header says; sets the fault if not. */
bool ck_count_is(uint64_t said, uint64_t found, const char *name, struct ck_fault *fault);

/* The value of a lower-case hexadecimal digit; -1 for other characters. */
static inline int ck_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A bound that may be absent. */
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
	struct ck_text plugin; /* digest of the plug-in with the search's rules; empty: they were built in */
	uint8_t root[CK_KEY_MAX];
	size_t root_size;
	bool value, lower; /* the claim is `value`; otherwise: the certificate proves a lower bound */
	int64_t least;     /* unless `value`: the smallest lower bound, or the largest upper bound, that suffices */
	struct ck_bound lo, hi;
	bool full;
	uint64_t positions, reasons, leaves, blocks, graph;
	uint64_t cards; /* reasons with a card; 0 in formats without cards */
};

/* Whether reasons may have cards, and positions that win at once need no record. */
static inline bool ck_has_cards(const struct ck_header *h)
{
	return h->format >= 4;
}

static inline bool ck_is_compressed(const struct ck_header *h)
{
	return h->format % 2 == 1;
}

/* Reads the header; *end is the offset of the first byte after its empty line. CK_REJECTED and a fault when the header
 * violates the format, CK_UNKNOWN and a fault when this program does not read the format. */
enum ck_verdict ck_header_read(const uint8_t *bytes, uint64_t size, struct ck_header *header, uint64_t *end,
			       struct ck_fault *fault);
