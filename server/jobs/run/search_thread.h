/* Worker: a thread that takes the queued job of highest priority, searches it, and takes the next. Where none is queued
 * it joins the search group of a running one (search_group.h). */
#ifndef SV_SEARCH_THREAD_H
#define SV_SEARCH_THREAD_H

struct sv_core;

/* The thread; `arg` is the struct sv_core. */
void *sv_search_thread(void *arg);

#endif
