/* Certificate: the writer of certificate files (proto/CERTIFICATE.md): format 2, or 4 where reasons may have cards; 3
 * and 5 are the same compressed.
 *
 * Records are put in ascending order of their keys and written at once, to NAME.part. The file is synced and renamed to
 * NAME when it is complete. */
#pragma once

#include <stdio.h>

#include "proto/base/buf.h"
#include "proto/base/fact.h"
#include "proto/graph_file.h"

struct sv_pack;

enum { SV_CERTIFICATE_RULES = 2, SV_CERTIFICATE_CARDS = 4 }; /* formats; the compressed ones are one greater */
enum { SV_CERTIFICATE_FIRST = 1 };  /* a format that was never released; its files had other names */
enum { SV_CERTIFICATE_PACKED = 6 }; /* a format that proofcheck alone writes, from those with cards */

struct sv_certificate_head {
	const char *game, *position, *claim, *status; /* borrowed */
	uint64_t rules;
	uint64_t plugin;     /* digest of the file that the rules come from; 0: they are built in */
	const uint8_t *root; /* borrowed; exact key */
	size_t root_size;
	bool has_lo, has_hi; /* the bounds that are proved */
	int lo, hi;
	bool full;
	bool compress;
	uint64_t positions, reasons, leaves;    /* how many will be put; checked at the end */
	const struct pd_buf *cards;             /* borrowed until the end; NULL: a format without cards */
	uint64_t with_card;                     /* how many reasons have one; checked at the end */
	const char *graph;                      /* borrowed; the graph of an andor game as text, or NULL */
	const struct pr_graph_file *graph_file; /* borrowed; the file that it is in, or NULL */
	uint64_t graph_size;
};

struct sv_certificate {
	FILE *file; /* owned */
	char path[4096], part[4104];
	XXH3_state_t *digest; /* owned */
	long digest_at;       /* offset of its digits in the header */
	uint64_t offset;      /* bytes written, those of a compressed certificate before they were packed */
	uint64_t header;      /* of them, the header's */
	struct sv_pack *pack; /* owned; NULL: it is not compressed */
	struct pd_buf block, index;
	unsigned records;                    /* in the current block */
	const struct pd_buf *cards;          /* borrowed; NULL: a format without cards */
	uint64_t positions, reasons, leaves; /* still to be put */
	uint64_t with_card;                  /* of the reasons that are still to be put */
	uint8_t key[512];                    /* of the previous record */
	size_t key_size;
};

/* Begins a file and writes its header. On failure there is nothing to close. PD_E_IO, PD_E_NO_SPACE,
 * PD_E_BUSY. */
int sv_certificate_begin(struct sv_certificate *c, const char *path, const struct sv_certificate_head *head,
			 struct pd_fail *fail);
/* Appends a card: the number of a theorem, and its witness of at most GAME_WITNESS_MAX bytes. Returns the place of the
 * card in the buffer, never 0; 0 when memory runs out. */
uint32_t sv_certificate_card(struct pd_buf *cards, unsigned theorem, const uint8_t *witness, unsigned size);
/* Puts one record: `count` reasons of one position, PD_LO first, each side by ascending bound. The key must be greater
 * than the previous one. The move of a reason with an effort is not written. `job` of a reason is the place of its
 * card; 0: it has none. */
int sv_certificate_put(struct sv_certificate *c, const uint8_t *key, size_t size, const struct pd_reason *reasons,
		       unsigned count, struct pd_fail *fail);
/* Completes and renames the file, or removes it (unless `good`). *bytes is its size; may be NULL. */
int sv_certificate_end(struct sv_certificate *c, bool good, uint64_t *bytes, struct pd_fail *fail);
/* Gives a file that is on disk its name, durably. If the sync fails, it has the name and is complete. */
int sv_certificate_rename(const char *from, const char *to, struct pd_fail *fail);
