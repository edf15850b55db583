/* Writer thread: between two commits (write/writer.h) it looks after the queue: jobs that others concern (settle.h),
 * what is kept on disk (retention.h), and room on disk and in memory (quota.h). */
#pragma once

/* The thread; `arg` is the struct sv_core. */
void *sv_writer_thread(void *arg);
