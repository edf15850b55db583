/* Plain form: writes the records of a tour as a certificate of format 4 (proto/CERTIFICATE.md). */
#pragma once

#include "clients/proofcheck/tour.h"
#include "proto/base/buf.h"

struct ck_counts {
	uint64_t positions, reasons, cards, blocks;
};

/* Counts the records of a tour and what is in them. */
void ck_tour_count(const struct ck_tour *tour, struct ck_counts *counts);
/* Appends the header of a file of that format (4 or CK_FORMAT_PACKED) to an empty `out`: that of `h`, but with these
 * counts and this digest, 32 digits. */
void ck_plain_head(const struct ck_header *h, unsigned format, const struct ck_counts *counts, const char *digest,
		   struct pd_buf *out);
/* Appends blocks and index to `out`, which holds the header and the graph. The tour is sorted. */
void ck_plain_body(const struct ck_tour *tour, struct pd_buf *out);
