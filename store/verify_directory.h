/* Verify: decodes every record of a data directory (private to store/): st_check on disk. */
#pragma once

#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

int64_t st_verify_directory(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx,
			    struct pd_fail *fail);
