/* Rewrite: all facts go through a filter, and what it leaves replaces them at once (private to store/). */
#pragma once

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "store/store_types.h"

int st_rewrite(struct st_store *store, st_fact_filter *filter, void *ctx, struct pd_fail *fail);
