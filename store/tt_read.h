/* Reading transposition tables back from disk (private to store/): the calls of store.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/hash.h"

struct st_store;
struct st_tt_entry;

int st_tt_read_each(struct st_store *store, uint32_t job,
		    int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		    struct pd_fail *fail);
int st_tt_read_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail);
uint64_t st_tt_read_bytes(struct st_store *store, uint32_t job);
