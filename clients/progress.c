#include "clients/progress.h"

#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/print.h"

enum { LINE_BYTES = 2400, PERIOD_MS = 100 };

void cl_progress_begin(struct cl_progress *progress)
{
	*progress = (struct cl_progress){.live = cl_is_terminal(stderr), .begin_ns = pd_now_ns()};
}

double cl_progress_seconds(const struct cl_progress *progress)
{
	return (double)(pd_now_ns() - progress->begin_ns) / 1e9;
}

bool cl_progress_is_due(struct cl_progress *progress)
{
	return progress->live && pd_now_ns() - progress->said_ns >= (uint64_t)PERIOD_MS * 1000000;
}

void cl_progress_draw(struct cl_progress *progress, const char *format, ...)
{
	char text[LINE_BYTES];
	struct cl_text time;
	va_list args;
	va_start(args, format);
	int size = vsnprintf(text, sizeof text, format, args);
	va_end(args);
	PD_ASSERT(size >= 0 && progress->live);
	if ((size_t)size < sizeof text)
		snprintf(text + size, sizeof text - (size_t)size, ", %s",
			 cl_duration(&time, cl_progress_seconds(progress)));
	pd_print(stderr, "\r%.*s\033[K", (int)cl_width(stderr) - 1, text);
	fflush(stderr);
	progress->said_ns = pd_now_ns();
}

void cl_progress_end(struct cl_progress *progress)
{
	if (!progress->said_ns)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress->said_ns = 0;
}
