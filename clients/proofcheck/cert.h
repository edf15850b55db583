/* Cert: the bytes of a certificate (proto/CERTIFICATE.md): parts, blocks, records and look-up, but not their meaning.
 *
 * The file is mapped, not copied; a compressed file is unpacked (pack.h), and offsets are then those of its content. A
 * check unpacks and surveys everything first; browsing unpacks only the frames that it needs. A record is found by
 * binary search over the index and a scan of one block. Nothing in the file is trusted, not even a part that was read
 * before: every read is checked against the end of the block, so that arbitrary content (or content that changes during
 * the check) leads to a verdict and never to an overrun. */
#pragma once

#include "clients/proofcheck/pack.h"

/* Sizes and limits of blocks and reasons. */
enum {
	CK_BLOCK_HEAD = 6, /* bytes: its size and the count of its records */
	CK_BLOCK_RECORDS_MAX = 1024,
	CK_RANK_MAX = 65534,
	CK_MOVE_MAX = 65534,
	CK_THEOREM_MAX = 65535,
	CK_REASONS_MAX = 1 << 17 /* of a record */
};
enum { CK_FLAG_UPPER = 1, CK_FLAG_RANK = 2, CK_FLAG_MOVE = 4, CK_FLAG_EFFORT = 8, CK_FLAG_CARD = 16 }; /* of a reason */

struct ck_cert {
	const uint8_t *bytes; /* borrowed: the whole file, or what it unpacks to */
	uint64_t size;
	struct ck_header header;
	uint64_t body; /* offset of the first byte after the header, where the graph begins */
	uint64_t first_block, index;
	uint64_t *prefix;        /* owned, one per block: the first eight bytes of its first key, big-endian; NULL while
				  * browsing */
	struct ck_pack pack;     /* of a compressed certificate */
	struct ck_pack *lazy;    /* &pack while some of it is not unpacked; else NULL */
	void *owned;             /* what a packed file unpacks to; freed by ck_cert_close; NULL: nothing */
	struct ck_fault *broken; /* borrowed: while browsing, receives the first fault of a look-up; else NULL */
};

struct ck_reason {
	bool upper, has_rank, has_move, has_effort, has_card;
	int64_t bound;
	uint64_t rank, move, effort;
	uint64_t theorem, size; /* of the card; bytes of its witness, at most CK_WITNESS_MAX */
	const uint8_t *witness; /* borrowed from the bytes that were read */
};

/* The current record of a walk. */
struct ck_record {
	uint8_t key[CK_KEY_MAX];
	size_t key_size;
	unsigned reasons;      /* at least 1 */
	const uint8_t *start;  /* first byte of the record */
	const uint8_t *reason; /* first byte of the first reason */
	uint64_t offset;       /* of the record in the file, in bytes */
};

/* A walk over the records of one block. */
struct ck_walk {
	const uint8_t *base, *next, *end; /* start of the file; next byte to read; end of the block */
	unsigned left;                    /* records not yet read */
	bool cards;                       /* reasons may have cards */
	struct ck_record record;          /* the record read last; key_size 0 before the first */
};

/* Reads the header, of format 2 to 5 (ck_open_file opens all formats), and locates the parts; one thread can then
 * browse the certificate. Unless CK_VERIFIED is returned, the fault is filled in. The bytes remain the caller's and
 * outlive the certificate, which must not be moved; ck_cert_close follows in any case. */
enum ck_verdict ck_cert_open(struct ck_cert *cert, const uint8_t *bytes, uint64_t size, struct ck_fault *fault);
void ck_cert_close(struct ck_cert *cert);
/* Unpacks everything, for a survey by several threads. Unless CK_VERIFIED is returned, the fault is filled in. */
enum ck_verdict ck_cert_prepare(struct ck_cert *cert, struct ck_fault *fault);
/* Unpacks a part of the file if necessary; false and a fault when that fails. */
bool ck_cert_reach(const struct ck_cert *cert, uint64_t offset, uint64_t size, struct ck_fault *fault);

/* The digest in hexadecimal: XXH3-128 of the header up to its digest line and of everything after the header, as it is
 * unpacked. Reads bytes, size, body and, of the header, digest_line. */
void ck_cert_digest(const struct ck_cert *cert, char out[33]);

/* The offset of a block according to the index, which must be unpacked; for the number of blocks, the offset of the
 * index. */
uint64_t ck_block_offset(const struct ck_cert *cert, uint64_t block);
/* Begins a walk over a block; checks that the block ends where the next one begins. */
bool ck_walk_begin(const struct ck_cert *cert, uint64_t block, struct ck_walk *walk, struct ck_fault *fault);
/* Reads the next record. Returns false at the end of the block (*wrong false, *fault untouched) and on a fault (*wrong
 * true). */
bool ck_walk_next(struct ck_walk *walk, bool *wrong, struct ck_fault *fault);

/* Reads the reason at *at and advances *at past it. Returns NULL on success, else an error message. Whether the format
 * has cards is checked by ck_walk_next. */
const char *ck_reason_read(const uint8_t **at, const uint8_t *end, struct ck_reason *r);

struct ck_sums {
	uint64_t positions, reasons, leaves, cards;
	uint64_t effort; /* sum over all leaves, in nodes; saturates */
};

/* Saturating addition. */
static inline uint64_t ck_add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Reads a varint of minimal length; NULL when it is truncated, too long or padded. */
static inline const uint8_t *ck_varint_read(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
	uint64_t n = 0;
	for (unsigned shift = 0; p < end && shift < 64; shift += 7) {
		uint8_t byte = *p++;
		if (shift == 63 && byte > 1)
			return NULL;
		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = n;
			return byte || !shift ? p : NULL;
		}
	}
	return NULL;
}

/* Checks the form of a block and the order of its keys, up to and including the first key of the next block. Adds to
 * the sums and fills in the block's prefix. Blocks may be surveyed in any order and by several threads at once. */
bool ck_block_survey(struct ck_cert *cert, uint64_t block, struct ck_sums *sums, struct ck_fault *fault);

/* Looks up a key, while browsing or after all blocks were surveyed. On true, *reason is the first of
 * *count reasons and *end the end of their block. */
bool ck_cert_find(const struct ck_cert *cert, const uint8_t *key, size_t size, const uint8_t **reason, unsigned *count,
		  const uint8_t **end);
