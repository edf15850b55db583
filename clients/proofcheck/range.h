/* Range: adaptive coding of binary choices, for packed certificates (proto/CERTIFICATE.md, "Packed: format 6").
 *
 * A choice whose probability in its context is p takes log2(1/p) bits. Writer and reader are one function, so that they
 * cannot disagree: each call codes the given bit, or ignores it and reads one. The method is the carryless binary
 * arithmetic coder of M. Mahoney's lpaq1 (2007), with chances that learn by 1/(n+2). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"

/* The chance of a 1 in one context. All zero: nothing was seen. */
struct ck_chance {
	uint16_t offset; /* the chance minus one half, of 65536, modulo 65536 */
	uint16_t seen;   /* bits, up to a limit */
};

struct ck_range {
	struct pd_buf *out; /* borrowed; NULL: reads */
	const uint8_t *in;  /* borrowed */
	uint64_t size;      /* bytes of `in` */
	uint64_t used;      /* bytes written, or read beyond the first four: those that are decided */
	uint32_t low, high; /* the interval that is left, both included */
	uint32_t code;      /* reading: the four bytes at `used` */
	bool bad;           /* the bytes ended before the bits */
};

void ck_range_write(struct ck_range *range, struct pd_buf *out);
void ck_range_read(struct ck_range *range, const uint8_t *in, uint64_t size);
/* Codes a bit; returns it. */
unsigned ck_range_bit(struct ck_range *range, struct ck_chance *chance, unsigned bit);
/* Codes a number of `bits` bits, the highest first; `tree` has 2^bits chances. */
unsigned ck_range_tree(struct ck_range *range, struct ck_chance *tree, unsigned bits, unsigned number);
/* Ends the bytes after the last bit. Reading: false when bytes are left, or some are missing. */
bool ck_range_end(struct ck_range *range);
