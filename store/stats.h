/* Statistics: the figures that the writer knows (private to store/). */
#pragma once

#include "proto/base/error.h"

struct st_store;

/* Brings the figures of st_stats up to date; the writer's. */
void st_stats_renew(struct st_store *store);
