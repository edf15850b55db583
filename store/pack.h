/* Pack: the packed forms of table entries and facts (private to store/). FORMAT.md describes them. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"

enum {
	ST_ENTRY = 32,    /* bytes of a table entry in memory */
	ST_ENTRY_ID = 16, /* the first of these, which are not packed: an identity does not compress */
	ST_ENTRY_PACKED_MAX = ST_ENTRY + 2,
	ST_REASON_PACKED_MAX = 1 + 3 + 3 + 3 + 5 + 5 + 10
};

/* Writers return the first byte after what they wrote; readers too, or NULL when [p, end) is too short or not
 * canonical. */
uint8_t *st_entry_pack(uint8_t *p, const uint8_t *entry);
const uint8_t *st_entry_unpack(const uint8_t *p, const uint8_t *end, uint8_t *entry);
uint8_t *st_reason_pack(uint8_t *p, const struct pd_reason *reason);
const uint8_t *st_reason_unpack(const uint8_t *p, const uint8_t *end, struct pd_reason *reason);

/* The most bytes that the packed fact may take. */
static inline size_t st_fact_packed_most(const struct pd_fact *fact)
{
	return (size_t)fact->count * ST_REASON_PACKED_MAX;
}

/* The size in bytes; 0 for a fact without reasons. */
size_t st_fact_pack(uint8_t *p, const struct pd_fact *fact);
/* Decodes into an initialized fact. After a failure, PD_E_CORRUPT or PD_E_NO_MEMORY, *out is not valid. */
int st_fact_decode(const uint8_t *p, size_t size, struct pd_fact *out);
/* Whether the reasons are in the order of fact.h and lo <= hi. */
bool st_fact_sound(const struct pd_fact *fact);

/* Fills *fail for PD_E_CORRUPT or PD_E_NO_MEMORY of the above; `where`: the file. Returns rc. */
int st_fact_fail(int rc, const char *where, struct pd_fail *fail);

/* Adds the reasons of `other` to `fact`. PD_E_CORRUPT when they contradict each other, PD_E_NO_MEMORY. */
int st_fact_union(struct pd_fact *fact, const struct pd_fact *other);

/* Whether the bytes are a sound fact, packed as by st_fact_pack; false also when memory runs out. */
bool st_fact_canonical(const uint8_t *p, size_t size);

/* A fact in its packed form, for short use. */
struct st_packed {
	const uint8_t *bytes;
	size_t size;
	uint8_t *many; /* owned; NULL: the bytes are in `few` */
	uint8_t few[PD_REASONS_FEW * ST_REASON_PACKED_MAX];
};

/* False when memory runs out. Not to be moved; ends with st_packed_fini. */
bool st_packed_make(struct st_packed *packed, const struct pd_fact *fact);
void st_packed_fini(struct st_packed *packed);
