#include "proto/base/log.h"

#include "proto/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static enum pd_log_level threshold = PD_LOG_INFO; /* set once, before there are threads */

/* Orders the lines, and guards `lost`. Nothing waits while it is held. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static unsigned long lost; /* lines dropped and not told of */

void pd_log_threshold(enum pd_log_level level)
{
	threshold = level;
}

/* poll says that there is room, and no one of this process takes it meanwhile. */
static ssize_t write_with_room(int fd, const void *bytes, size_t size)
{
	struct pollfd on = {fd, POLLOUT, 0};
	int n;
	while ((n = poll(&on, 1, 0)) < 0 && errno == EINTR)
		;
	return n > 0 && on.revents & POLLOUT ? write(fd, bytes, size) : -1;
}

/* A pipe opened again does not wait, while the descriptor that is shared stays as it was. */
static ssize_t write_to_pipe(int fd, const void *bytes, size_t size)
{
	char path[40];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (own < 0) /* another user's pipe, or no descriptor left */
		return write_with_room(fd, bytes, size);
	ssize_t n = write(own, bytes, size);
	close(own);
	return n;
}

static bool write_now(int fd, const void *bytes, size_t size)
{
	struct stat st;
	if (fstat(fd, &st))
		return false;
	ssize_t n = S_ISFIFO(st.st_mode)   ? write_to_pipe(fd, bytes, size)
		    : S_ISSOCK(st.st_mode) ? send(fd, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
					   : write_with_room(fd, bytes, size);
	return n == (ssize_t)size;
}

bool pd_write_now(int fd, const void *bytes, size_t size)
{
	pthread_mutex_lock(&order);
	bool all = write_now(fd, bytes, size);
	pthread_mutex_unlock(&order);
	return all;
}

static size_t print_head(char *line, size_t room, const char *level)
{
	int64_t ms = pd_wall_ms();
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	gmtime_r(&seconds, &tm);
	size_t n = strftime(line, room, "%Y-%m-%dT%H:%M:%S", &tm);
	return n + (size_t)snprintf(line + n, room - n, ".%03dZ %s ", (int)(ms % 1000), level);
}

/* Under `order`: true when nothing is owed any more. */
static bool tell_lost(void)
{
	char line[160];
	if (!lost)
		return true;
	size_t n = print_head(line, sizeof line, "warn");
	n += (size_t)snprintf(line + n, sizeof line - n, "%lu lines of this log are lost: they were not read in time\n",
			      lost);
	if (!write_now(STDERR_FILENO, line, n))
		return false;
	lost = 0;
	return true;
}

void pd_log(enum pd_log_level level, const char *format, ...)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	char line[1024];
	if (level > threshold)
		return;
	size_t n = print_head(line, sizeof line, names[level]);
	va_list ap;
	va_start(ap, format);
	int wrote = vsnprintf(line + n, sizeof line - n - 1, format, ap);
	va_end(ap);
	n += wrote < 0 ? 0 : (size_t)wrote;
	if (n > sizeof line - 2)
		n = sizeof line - 2;
	line[n++] = '\n';
	pthread_mutex_lock(&order);
	/* One write, so that lines of several threads do not mix. */
	if (!tell_lost() || !write_now(STDERR_FILENO, line, n))
		lost++;
	pthread_mutex_unlock(&order);
}
