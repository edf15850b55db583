/* Log: one line an event, on stderr or in a file. Safe from any thread. In one of three forms:
 *
 *	text     2026-01-31T12:00:00.123Z info job 3 (mnk:3,3,3, value) submitted
 *	json     {"time":"2026-01-31T12:00:00.123Z","level":"info","event":"submitted","job":3,...,"text":"job 3 ..."}
 *	journal  <6>job 3 (mnk:3,3,3, value) submitted      (systemd's journal knows the time; sd-daemon(3))
 *
 * Logging never waits: a line that cannot be written at once (a full pipe) is dropped and counted, and the count is
 * logged when lines can be written again. Repeated warnings and errors are also counted (repeats.h), except for steps
 * of jobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pd_log_level { PD_LOG_ERROR, PD_LOG_WARN, PD_LOG_INFO, PD_LOG_DEBUG };
enum pd_log_form { PD_LOG_TEXT, PD_LOG_JSON, PD_LOG_JOURNAL };

/* Lines above this level are dropped; PD_LOG_INFO at start. Set it before there are threads. */
void pd_log_threshold(enum pd_log_level level);
/* PD_LOG_TEXT at start. Set it before there are threads. */
void pd_log_form(enum pd_log_form form);
/* Logs to this descriptor from now on (at start STDERR_FILENO). Returns the former one, which no thread uses any
 * more. */
int pd_log_to(int fd);

#define pd_log(level, ...) pd_log_event(level, NULL, __VA_ARGS__)
/* Logs how many lines were left out as repeats. Call it regularly, and at the end with `all`. */
void pd_log_tell(bool all);
/* A line of level info that ignores the threshold, because somebody asked for it. */
void pd_log_asked(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A step of a job; `event` is a word of the job's history. */
struct pd_log_event {
	const char *event;
	uint32_t job;
	const char *game, *claim;
	const char *reason; /* NULL or "": there is none */
};
/* JSON lines have the members of the event next to the text; the other forms have only the text. */
void pd_log_event(enum pd_log_level level, const struct pd_log_event *event, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes to a descriptor that other processes may share, without waiting and without changing its flags; false when not
 * everything was written. Up to PIPE_BUF bytes are written to a pipe as a whole or not at all. */
bool pd_write_now(int fd, const void *bytes, size_t size);
