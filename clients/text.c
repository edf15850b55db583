#include "clients/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/print.h"

enum {
	WIDTH_DEFAULT = 80,  /* columns if the stream is not a terminal */
	HEIGHT_DEFAULT = 24, /* lines if the size of the terminal is unknown */
	WRAP_MIN = 20,       /* columns below which a text gets its own lines ... */
	WRAP_INDENT = 6,     /* ... from this column on */
	ROW_COLUMN = 12,     /* of the text in a row of a report */
	ROW_LIMIT = 1 << 20  /* bytes of a text that is wrapped */
};

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
	PD_ASSERT(p < out->at + sizeof out->at);
	return out->at;
}

static const char *print_scaled(struct cl_text *out, double n, double step, const char *const units[], unsigned count)
{
	unsigned unit = 0;
	PD_ASSERT(step > 1 && count);
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
	return print_scaled(out, n, 1000, units, sizeof units / sizeof *units);
}

static const char *add_noun(struct cl_text *out, const char *noun)
{
	bool one = !strcmp(out->at, "1");
	size_t used = strlen(out->at), size = strlen(noun), y = !one && noun[size - 1] == 'y';
	snprintf(out->at + used, sizeof out->at - used, " %.*s%s", (int)(size - y), noun, one ? "" : y ? "ies" : "s");
	return out->at;
}

const char *cl_counted(struct cl_text *out, int64_t n, const char *noun)
{
	cl_count(out, n);
	return add_noun(out, noun);
}

const char *cl_short_of(struct cl_text *out, double n, const char *noun)
{
	cl_short(out, n);
	return add_noun(out, noun);
}

const char *cl_bytes(struct cl_text *out, double n)
{
	static const char *const units[] = {" B", " KiB", " MiB", " GiB", " TiB"};
	return print_scaled(out, n, 1024, units, sizeof units / sizeof *units);
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
	return (struct cl_ink){pd_ink(PD_INK_BOLD), pd_ink(PD_INK_DIM),  pd_ink(PD_INK_GOOD),
			       pd_ink(PD_INK_BAD),  pd_ink(PD_INK_WARM), pd_ink(PD_INK_OFF)};
}

unsigned cl_width(FILE *stream)
{
	struct winsize size;
	return !ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col >= CL_WIDTH_MIN ? size.ws_col : WIDTH_DEFAULT;
}

unsigned cl_height(FILE *stream)
{
	struct winsize size;
	return !ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_row ? size.ws_row : HEIGHT_DEFAULT;
}

unsigned cl_limit(FILE *stream)
{
	return isatty(fileno(stream)) ? cl_width(stream) : CL_NO_LIMIT;
}

void cl_wrap_lines(FILE *file, const char *text, unsigned column, unsigned indent, unsigned width)
{
	bool begun = false; /* the line contains a word of the text */
	PD_ASSERT(width >= CL_WIDTH_MIN);
	while (*text) {
		size_t blanks = strspn(text, " "), size = strcspn(text + blanks, " \n");
		const char *word = text + blanks;
		if (begun && column + blanks + size > width - 1 && size) {
			pd_print(file, "\n%*s", (int)indent, "");
			column = indent;
		} else if (size) {
			pd_print(file, "%*s", begun ? (int)blanks : (int)(column < indent ? indent - column : 0), "");
			column = begun ? column + (unsigned)blanks : column < indent ? indent : column;
		}
		if (column + size > width - 1) /* a word longer than a line */
			size = column < width - 1 ? width - 1 - column : 1;
		fwrite(word, 1, size, file);
		column += (unsigned)size;
		begun |= size > 0;
		text = word + size;
		if (*text == '\n' && text[1]) {
			fputc('\n', file);
			column = 0;
			begun = false;
		}
		text += *text == '\n';
	}
	fputc('\n', file);
}

void cl_print_field(FILE *file, const char *text)
{
	pd_print(file, *text && strchr("=+@", *text) ? "\"'" : "\"");
	for (size_t size; size = strcspn(text, "\""), text[size]; text += size + 1)
		pd_print(file, "%.*s\"\"", (int)size, text);
	pd_print(file, "%s\"", text);
}

void cl_wrap(FILE *file, const char *text, unsigned column, unsigned indent, unsigned width)
{
	struct pd_buf shown;
	pd_buf_init(&shown, ROW_LIMIT);
	pd_buf_show(&shown, "%s", text);
	cl_wrap_lines(file, shown.failed ? "" : shown.data, column, indent, width);
	pd_buf_fini(&shown);
}

void cl_wrap_at(FILE *file, const char *text, unsigned used, unsigned at, unsigned width)
{
	if (width < at + WRAP_MIN) {
		at = WRAP_INDENT;
		fputc('\n', file);
		used = 0;
	} else if (used + 1 > at) {
		fputc(' ', file);
		used++;
	}
	cl_wrap_lines(file, text, used, at, width);
}

void cl_row(FILE *file, const char *label, const char *format, ...)
{
	struct pd_buf text;
	va_list args;
	pd_buf_init(&text, ROW_LIMIT);
	va_start(args, format);
	pd_buf_vshow(&text, format, args);
	va_end(args);
	unsigned used = (unsigned)pd_print(file, "  %-9s ", label);
	cl_wrap_lines(file, text.data ? text.data : "", used, ROW_COLUMN, cl_limit(file));
	pd_buf_fini(&text);
}

int cl_read_all(FILE *file, const char *field, const char *name, struct pd_buf *out, struct pd_fail *fail)
{
	char piece[1 << 14];
	pd_buf_puts(out, "");
	for (size_t size; (size = fread(piece, 1, sizeof piece, file)) > 0;)
		pd_buf_put(out, piece, size);
	return ferror(file)  ? pd_fail_errno(fail, field, "read", name)
	       : out->failed ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for %.200s", name)
			     : PD_OK;
}
