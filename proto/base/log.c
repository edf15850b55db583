#include "proto/base/log.h"

#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/base/print.h"
#include "proto/base/repeats.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TEXT_MAX = 1000, LINE_MAX_BYTES = 4000 /* below PIPE_BUF */ };

static enum pd_log_level threshold = PD_LOG_INFO; /* set once, before there are threads, like the next */
static enum pd_log_form form = PD_LOG_TEXT;

/* Orders the lines, and guards the next three. Nothing waits while it is held. */
static struct pd_mutex order = PD_MUTEX_INIT(PD_LOCK_LOG);
static unsigned long lost; /* lines that were dropped and not reported yet */
static int target = STDERR_FILENO;
static struct pd_repeats repeats;

void pd_log_threshold(enum pd_log_level level)
{
	threshold = level;
}

void pd_log_form(enum pd_log_form wanted)
{
	form = wanted;
}

int pd_log_to(int fd)
{
	pd_mutex_lock(&order);
	int before = target;
	target = fd;
	pd_mutex_unlock(&order);
	return before;
}

/* Writes if poll reports room, which no thread of this process can take meanwhile. */
static ssize_t write_with_room(int fd, const void *bytes, size_t size)
{
	struct pollfd on = {fd, POLLOUT, 0};
	int n;
	while ((n = poll(&on, 1, 0)) < 0 && errno == EINTR)
		;
	return n > 0 && on.revents & POLLOUT ? write(fd, bytes, size) : -1;
}

/* Opens the pipe again without waiting, which leaves the flags of the shared descriptor unchanged. */
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
	pd_mutex_lock(&order);
	bool all = write_now(fd, bytes, size);
	pd_mutex_unlock(&order);
	return all;
}

struct line {
	size_t size;
	char text[LINE_MAX_BYTES]; /* a text of TEXT_MAX bytes with many escapes may be cut */
};

static void put_text(struct line *line, const char *text)
{
	size_t n = strlen(text), room = sizeof line->text - line->size;
	if (n > room)
		n = room;
	memcpy(line->text + line->size, text, n);
	line->size += n;
}

static void put_time(struct line *line)
{
	char text[40];
	int64_t ms = pd_wall_ms();
	time_t seconds = (time_t)(ms / 1000);
	struct tm tm;
	gmtime_r(&seconds, &tm);
	size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + n, sizeof text - n, ".%03dZ", (int)(ms % 1000));
	put_text(line, text);
}

/* Puts a text with escapes for control characters (print.h). */
static void put_shown(struct line *line, const char *text)
{
	char shown[PD_SHOWN_MAX];
	for (; *text; text += pd_show_character(text, 4, shown), put_text(line, shown))
		;
}

/* A JSON string with its quotes, cut to at most `room` bytes between them. */
static void put_string(struct line *line, const char *text, size_t room)
{
	char shown[PD_SHOWN_MAX];
	put_text(line, "\"");
	for (size_t n, written = 0; *text && written + sizeof shown <= room; text += n, written += strlen(shown)) {
		n = pd_show_character(text, 4, shown);
		if (*text == '"' || *text == '\\' || !strncmp(shown, "\\x", 2)) {
			put_text(line, "\\"); /* \u001b is also an escape in JSON */
			written++;
		}
		put_text(line, shown);
	}
	put_text(line, "\"");
}

static void put_member(struct line *line, const char *name, const char *text)
{
	enum { ROOM = 300 };
	put_text(line, name);
	put_string(line, text, ROOM);
}

static void put_event(struct line *line, const struct pd_log_event *event)
{
	char number[32];
	put_member(line, ",\"event\":", event->event);
	snprintf(number, sizeof number, ",\"job\":%lu", (unsigned long)event->job);
	put_text(line, number);
	put_member(line, ",\"game\":", event->game);
	put_member(line, ",\"claim\":", event->claim);
	if (event->reason && event->reason[0])
		put_member(line, ",\"reason\":", event->reason);
}

static void compose_line(struct line *line, enum pd_log_level level, const struct pd_log_event *event, const char *text)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	static const char *const priorities[] = {"<3>", "<4>", "<6>", "<7>"};
	line->size = 0;
	switch (form) {
	case PD_LOG_TEXT:
		put_time(line);
		put_text(line, " ");
		put_text(line, names[level]);
		put_text(line, " ");
		put_shown(line, text);
		break;
	case PD_LOG_JOURNAL:
		put_text(line, priorities[level]);
		put_shown(line, text);
		break;
	case PD_LOG_JSON:
		put_text(line, "{\"time\":\"");
		put_time(line);
		put_text(line, "\",\"level\":\"");
		put_text(line, names[level]);
		put_text(line, "\"");
		if (event)
			put_event(line, event);
		put_text(line, ",\"text\":");
		put_string(line, text, 2 * TEXT_MAX);
		put_text(line, "}");
		break;
	}
	line->size -= line->size == sizeof line->text;
	put_text(line, "\n");
}

/* Under `order`: reports lost lines; true when none is left to report. */
static bool tell_lost(void)
{
	struct line line;
	char text[100];
	if (!lost)
		return true;
	snprintf(text, sizeof text, "%lu lines of this log are lost: they were not read in time", lost);
	compose_line(&line, PD_LOG_WARN, NULL, text);
	if (!write_now(target, line.text, line.size))
		return false;
	lost = 0;
	return true;
}

/* Under `order`. One write, so that lines of several threads do not mix. */
static void write_line(const struct line *line)
{
	if (!tell_lost() || !write_now(target, line->text, line->size))
		lost++;
}

/* Under `order`: reports lines that were left out. */
static void tell_repeats(uint64_t now, bool all)
{
	struct line line;
	char text[PD_REPEAT_SAMPLE + 60];
	while (pd_repeat_tell(&repeats, now, all, text, sizeof text)) {
		compose_line(&line, PD_LOG_WARN, NULL, text);
		write_line(&line);
	}
}

void pd_log_tell(bool all)
{
	pd_mutex_lock(&order);
	tell_repeats(pd_now_ns(), all);
	pd_mutex_unlock(&order);
}

__attribute__((format(printf, 3, 0))) static void log_line(enum pd_log_level level, const struct pd_log_event *event,
							   const char *format, va_list ap)
{
	struct line line;
	char text[TEXT_MAX];
	uint64_t now = pd_now_ns();
	if (vsnprintf(text, sizeof text, format, ap) < 0)
		text[0] = 0;
	compose_line(&line, level, event, text);
	pd_mutex_lock(&order);
	tell_repeats(now, false);
	if (event || level > PD_LOG_WARN || pd_repeat_may(&repeats, format, text, now))
		write_line(&line);
	pd_mutex_unlock(&order);
}

void pd_log_asked(const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	log_line(PD_LOG_INFO, NULL, format, ap);
	va_end(ap);
}

void pd_log_event(enum pd_log_level level, const struct pd_log_event *event, const char *format, ...)
{
	if (level > threshold)
		return;
	va_list ap;
	va_start(ap, format);
	log_line(level, event, format, ap);
	va_end(ap);
}
