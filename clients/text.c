/* Text: see text.h. */
#include "clients/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

const char *cl_count(struct cl_text *out, int64_t n)
{
	char digits[24];
	int size = snprintf(digits, sizeof digits, "%" PRIu64, n < 0 ? -(uint64_t)n : (uint64_t)n);
	char *p = out->at;
	if (n < 0)
		*p++ = '-';
	for (int i = 0; i < size; i++) {
		if (i && (size - i) % 3 == 0)
			*p++ = ',';
		*p++ = digits[i];
	}
	*p = 0;
	return out->at;
}

static const char *scaled(struct cl_text *out, double n, double step, const char *const units[], unsigned count)
{
	unsigned unit = 0;
	while (unit + 1 < count && n >= 999.5) {
		n /= step;
		unit++;
	}
	int decimals = unit == 0 || n >= 99.95 ? 0 : n >= 9.995 ? 1 : 2;
	snprintf(out->at, sizeof out->at, "%.*f%s", decimals, n, units[unit]);
	return out->at;
}

const char *cl_short(struct cl_text *out, double n)
{
	static const char *const units[] = {"", " k", " M", " G", " T"};
	return scaled(out, n, 1000, units, sizeof units / sizeof *units);
}

const char *cl_bytes(struct cl_text *out, double n)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
	return scaled(out, n, 1024, units, sizeof units / sizeof *units);
}

const char *cl_duration(struct cl_text *out, double seconds)
{
	if (!(seconds >= 0))
		seconds = 0;
	long whole = (long)seconds;
	if (seconds < 1)
		snprintf(out->at, sizeof out->at, "%.3f s", seconds);
	else if (seconds < 60)
		snprintf(out->at, sizeof out->at, seconds < 10 ? "%.2f s" : "%.1f s", seconds);
	else if (whole < 3600)
		snprintf(out->at, sizeof out->at, "%ld min %02ld s", whole / 60, whole % 60);
	else if (whole < 86400)
		snprintf(out->at, sizeof out->at, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
	else
		snprintf(out->at, sizeof out->at, "%ld d %02ld h", whole / 86400, whole / 3600 % 24);
	return out->at;
}

const char *cl_when(struct cl_text *out, int64_t wall_ms)
{
	time_t seconds = (time_t)(wall_ms / 1000);
	struct tm tm;
	if (wall_ms <= 0 || !localtime_r(&seconds, &tm) || !strftime(out->at, sizeof out->at, "%Y-%m-%d %H:%M:%S", &tm))
		return "-";
	return out->at;
}

const char *cl_number(struct cl_text *out, pr_ref number)
{
	if (pr_kind_of(number) == PR_STRING)
		return pr_text(number, "-");
	if (pr_kind_of(number) != PR_INT && pr_kind_of(number) != PR_REAL)
		return "-";
	return cl_count(out, pr_number(number, 0));
}

bool cl_is_terminal(FILE *stream)
{
	const char *term = getenv("TERM");
	return isatty(fileno(stream)) && term && *term && strcmp(term, "dumb") != 0;
}

struct cl_ink cl_ink_of(FILE *stream)
{
	const char *no = getenv("NO_COLOR");
	if (!cl_is_terminal(stream) || (no && *no))
		return (struct cl_ink){"", "", "", "", "", ""};
	return (struct cl_ink){"\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[33m", "\033[0m"};
}

unsigned cl_width(FILE *stream)
{
	struct winsize size;
	return !ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col >= 20 ? size.ws_col : 80;
}
