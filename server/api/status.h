/* Status: what a core does at the moment, as text for people. For the loop thread. */
#pragma once

struct sv_core;

enum { SV_STATUS_TEXT = 160 };

/* A phrase for a service manager's status, up to SV_STATUS_TEXT bytes with the terminating zero. */
void sv_status_line(struct sv_core *core, char *out);
/* Calls say(ctx, line) for each of several lines: jobs, each running job up to a limit, search, facts, memory, disk,
 * connections. */
void sv_status_each(struct sv_core *core, void (*say)(void *ctx, const char *line), void *ctx);
