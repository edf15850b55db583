/* Writer: the one thread that owns the store's batches (D3).
 *
 * Tasks come in a queue (task.h); those that wait are committed together in one transaction and then told of. When that
 * transaction fails, each is tried alone, so that one job's trouble is not the others'. A checkpoint that the disk has
 * no room for is kept and tried again: its job shows as paused, its worker waits at the next checkpoint, and nothing is
 * lost (D4). What a request wanted written is not kept: the request fails, and nothing has changed. Between tasks the
 * writer moves facts in bulk. */
#ifndef SV_WRITER_H
#define SV_WRITER_H

struct sv_core;

/* The thread; `arg` is the struct sv_core. */
void *sv_writer_main(void *arg);

#endif
