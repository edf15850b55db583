/* Rewrite: all facts go through a filter, and what it leaves replaces them at once (private to store/). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"

struct st_store;

struct st_rewrite {
	struct st_store *store;
	int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact);
	void *ctx;
	struct pd_fail *fail;
	struct pd_fact kept; /* of the current fact */
	/* Adds a fact to what replaces all others; `key` is a database key. */
	void *to; /* owned by the backend */
	int (*put)(struct st_rewrite *w, const uint8_t *key, size_t size, const struct pd_fact *fact);
};
/* Calls filter and put for every fact, in key order. */
int st_rewrite_each(struct st_rewrite *w);
/* The rewrite on disk. */
int st_rewrite_runs(struct st_rewrite *w);
