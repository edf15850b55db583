/* Log: one line an event on stderr, `2026-01-31T12:00:00.123Z level text`. Safe from any thread.
 *
 * Logging never waits: a line that stderr does not take at once (a pipe that no one empties) is dropped and counted,
 * and the count is told when lines get through again. */
#ifndef PD_LOG_H
#define PD_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum pd_log_level { PD_LOG_ERROR, PD_LOG_WARN, PD_LOG_INFO, PD_LOG_DEBUG };

/* Lines above this level are dropped; PD_LOG_INFO at start. Set it before there are threads. */
void pd_log_threshold(enum pd_log_level level);
void pd_log(enum pd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes to a descriptor that other processes may share, without waiting and without changing it for them; false when
 * not all of it went. Up to PIPE_BUF bytes go to a pipe as a whole or not at all. */
bool pd_write_now(int fd, const void *bytes, size_t size);

#endif
