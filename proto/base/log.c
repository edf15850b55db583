#include "proto/base/log.h"

#include "proto/base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static enum pd_log_level threshold = PD_LOG_INFO; /* set once, before there are threads */

void pd_log_threshold(enum pd_log_level level)
{
	threshold = level;
}

void pd_log(enum pd_log_level level, const char *format, ...)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	char line[1024];
	if (level > threshold)
		return;
	int64_t ms = pd_wall_ms();
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	gmtime_r(&seconds, &tm);
	size_t n = strftime(line, sizeof line, "%Y-%m-%dT%H:%M:%S", &tm);
	n += (size_t)snprintf(line + n, sizeof line - n, ".%03dZ %s ", (int)(ms % 1000), names[level]);
	va_list ap;
	va_start(ap, format);
	int wrote = vsnprintf(line + n, sizeof line - n - 1, format, ap);
	va_end(ap);
	n += wrote < 0 ? 0 : (size_t)wrote;
	if (n > sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	/* One write, so that lines of several threads do not mix. */
	ssize_t ignored = write(STDERR_FILENO, line, n);
	(void)ignored;
}
