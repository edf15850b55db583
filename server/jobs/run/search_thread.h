/* Search thread: takes the first queued job that is ready, searches it, and takes the next. When none is ready it joins
 * the search group of a running job (search_group.h). */
#pragma once

struct sv_core;

/* The thread; `arg` is the struct sv_core. */
void *sv_search_thread(void *arg);
