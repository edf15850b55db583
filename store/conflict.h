/* Records of contradictions between facts (F4): database `conflicts` (private to store/).
 *
 * le64 wall clock in ms since 1970, le16 bytes of the key, the key (be32 game, exact key), le32 bytes of the fact, the
 * stored fact, the reason that contradicts it. */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "store/key.h"

struct st_store;

/* A new record, which the caller frees; NULL when memory runs out. */
uint8_t *st_conflict_pack(const uint8_t *key, size_t size, const struct pd_fact *fact, const struct pd_reason *reason,
			  size_t *record_size);
/* Writes a sentence about a record, damaged or not. */
void st_conflict_describe(const uint8_t *record, size_t record_size, char *out, size_t size);
/* The key and the reason that was found, both in the record; false when it does not decode. */
bool st_conflict_unpack(const uint8_t *record, size_t record_size, struct st_fact_key *key, struct pd_reason *reason);
/* Writes a record in a transaction of its own. */
int st_conflict_put(struct st_store *store, const void *record, size_t size, struct pd_fail *fail);
