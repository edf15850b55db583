/* Pack: the short forms of what the store keeps in millions (private to store/). FORMAT.md draws them. */
#ifndef ST_PACK_H
#define ST_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fact.h"

enum {
	ST_ENTRY = 32,    /* bytes of a table entry in memory */
	ST_ENTRY_ID = 16, /* of them kept as they are: an identity does not compress */
	ST_ENTRY_PACKED_MAX = ST_ENTRY + 2,
	ST_REASON_PACKED_MAX = 1 + 3 + 3 + 3 + 5 + 5,
	ST_FACT_PACKED_MAX = PD_REASONS_MAX * ST_REASON_PACKED_MAX
};

/* Writers return the first byte after what they wrote; readers too, or NULL when [p, end) is too short or not canonical. */
uint8_t *st_entry_pack(uint8_t *p, const uint8_t *entry);
const uint8_t *st_entry_unpack(const uint8_t *p, const uint8_t *end, uint8_t *entry);
uint8_t *st_reason_pack(uint8_t *p, const struct pd_reason *reason);
const uint8_t *st_reason_unpack(const uint8_t *p, const uint8_t *end, struct pd_reason *reason);

/* The size in bytes; 0 for a fact without reasons. */
size_t st_fact_pack(uint8_t *p, const struct pd_fact *fact);
bool st_fact_unpack(const uint8_t *p, size_t size, struct pd_fact *out);
/* Whether the reasons stand in the order that fact.h gives and lo <= hi: what damage rarely leaves intact. */
bool st_fact_sound(const struct pd_fact *fact);

/* Adds to `fact` what `other` knows besides. Reasons for which there is no room, or that contradict, are left out. */
void st_fact_union(struct pd_fact *fact, const struct pd_fact *other);

#endif
