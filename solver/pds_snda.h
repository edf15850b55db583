/* Links: what a search remembers of the ways to its positions, to find sums that count the same leaves twice
 * (pds_snda.c). */
#pragma once

#include <stddef.h>

#include "solver/pds.h"

enum { PDS_LINK_MERGED = 10 };

/* The way to a position. */
struct pds_link {
	uint64_t id; /* half of the position's; 0: the slot is empty */
	struct pd_id parent;
	uint32_t merged[PDS_LINK_MERGED]; /* parts of the ids of its children that count in the maximum; 0: none */
};

_Static_assert(sizeof(struct pds_link) == 64, "one link a cache line");

/* One search's; its thread alone uses it. A slot keeps the latest position that came to it. */
struct pds_links {
	struct pds_link *slots; /* owned */
	size_t mask;            /* slots less one; their number is a power of two */
};

/* NULL when memory runs out. To be freed with pds_links_free, which takes NULL as well. */
struct pds_links *pds_links_new(uint64_t bytes);
void pds_links_free(struct pds_links *links);

/* The innermost frame was just made: notes which of its children are merged, follows the links up from those that were
 * met before, and merges children of frames whose sums count them twice. */
void pds_links_enter(struct pds *pds);
/* The picked child of the innermost frame is about to be entered: follows its links, and links it to the frame. */
void pds_links_descend(struct pds *pds);
/* The sum over the children of a frame that has merged ones. now: numbers of the picked child instead of its own, NULL:
 * none. */
void pds_links_sum(const struct pds *pds, const struct pds_frame *f, const uint32_t *now, struct num_sum *sum);
/* What the siblings of the picked child add to its number in that sum. */
uint64_t pds_links_others(const struct pds *pds, const struct pds_frame *f, const struct num_sum *sum);
