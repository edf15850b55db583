/* Finished: tells the host that a job has ended, or is paused because of trouble. */
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

/* On the loop thread, when a task of a job was carried out or ran into trouble: calls core->host.finished once for each
 * change of a job to solved, exhausted or failed, and when a job is paused by anything other than a request: lack of
 * memory or disk space, a damaged table. The change must be on disk first, except a lack of disk space, which cannot be
 * written. */
void sv_finished_look(struct sv_core *core, const struct sv_job_completion *completion);
