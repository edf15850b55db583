/* Certificate: the file of proto/CERTIFICATE.md, as it is written.
 *
 * Records are put in rising order of their keys, each with its reasons; the file is written as they come, under a name
 * of its own beside the one that is wanted, and takes that name when it is whole. */
#ifndef SV_CERTIFICATE_H
#define SV_CERTIFICATE_H

#include <stdint.h>
#include <stdio.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/hash.h"

enum { SV_CERTIFICATE_FORMAT = 2 }; /* that is written; format 1 had a digest of the body alone */

struct sv_certificate_head {
	const char *game, *position, *claim, *status; /* borrowed */
	uint64_t rules;
	const uint8_t *root; /* borrowed; exact key */
	size_t root_size;
	bool has_lo, has_hi; /* which bounds are proved */
	int lo, hi;
	bool full;
	uint64_t positions, reasons, leaves; /* that will be put */
	const char *graph;                   /* borrowed; JSON of an andor game */
	size_t graph_size;
};

struct sv_certificate {
	FILE *file; /* owned */
	char path[4096], part[4104];
	XXH3_state_t *digest; /* owned */
	long digest_at;       /* offset of its digits in the header */
	uint64_t offset;      /* bytes written */
	struct pd_buf block, index;
	unsigned records; /* in the block */
	uint64_t blocks;
	uint8_t key[512]; /* the one before */
	size_t key_size;
};

/* Begins a file. On failure nothing is to be closed. PD_E_IO. */
int sv_certificate_begin(struct sv_certificate *c, const char *path, const struct sv_certificate_head *head,
			 struct pd_fail *fail);
/* Puts one record: `count` reasons of one position, PD_LO first, of one side by rising bound. The key must be greater
 * than the one before. A reason with an effort has no move. */
int sv_certificate_put(struct sv_certificate *c, const uint8_t *key, size_t size, const struct pd_reason *reasons,
		       unsigned count, struct pd_fail *fail);
/* Writes what is left and gives the file its name, or (without `good`) removes it. *bytes is its size. */
int sv_certificate_end(struct sv_certificate *c, bool good, uint64_t *bytes, struct pd_fail *fail);

#endif
