/* Finished: tells the host that a job has ended, or waits because of trouble. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sv_core;
struct sv_job_completion;

/* Borrowed for the call. */
struct sv_finished {
	uint32_t job;
	const char *state; /* solved, exhausted, failed or paused */
	const char *game;
	const char *value;  /* what is known, in words; "" for nothing */
	const char *reason; /* "" when there is none */
	const char *json;   /* the *job* object of PROTOCOL.md, one line without its newline */
	size_t json_size;
};
typedef void sv_tell_finished(void *ctx, const struct sv_finished *finished);

/* On the loop thread, when a task of a job was carried out or has met trouble: calls core->host.finished once for each
 * change of a job to solved, exhausted or failed, and when it is paused by anything but a request: for want of memory
 * or of room on the disk, because its table is damaged. Once the change is on disk; that there is no room cannot be. */
void sv_finished_look(struct sv_core *core, const struct sv_job_completion *completion);
