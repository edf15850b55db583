/* Log: one line an event on stderr, `2026-01-31T12:00:00.123Z level text`. Safe from any thread. */
#ifndef PD_LOG_H
#define PD_LOG_H

enum pd_log_level { PD_LOG_ERROR, PD_LOG_WARN, PD_LOG_INFO, PD_LOG_DEBUG };

/* Lines above this level are dropped; PD_LOG_INFO at start. Set it before there are threads. */
void pd_log_threshold(enum pd_log_level level);
void pd_log(enum pd_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
