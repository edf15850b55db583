#include "proto/base/print.h"

#include <stdint.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/utf8.h"

enum { TEXT_LIMIT = 1 << 30, SPEC_MAX = 48, NUMBER_MAX = 400 /* %f of the largest double has 309 digits */ };

static const char inks[PD_INK_COUNT][8] = {"\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[33m", "\033[0m"};

const char *pd_ink(enum pd_ink ink)
{
	PD_ASSERT(ink < PD_INK_COUNT);
	return inks[ink];
}

/* An ink is recognized by its address. */
static bool is_ink(const char *text)
{
	return (uintptr_t)text >= (uintptr_t)inks && (uintptr_t)text < (uintptr_t)inks + sizeof inks;
}

/* Characters that a terminal acts on. All of them are below U+10000. */
static bool is_control(unsigned c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f;
}

size_t pd_show_character(const char *text, size_t limit, char shown[PD_SHOWN_MAX])
{
	const unsigned char *p = (const unsigned char *)text;
	size_t size = pd_utf8_length(text, limit);
	unsigned c = size == 1   ? p[0]
		     : size == 2 ? (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU)
		     : size == 3 ? (p[0] & 0x0fU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU)
				 : UINT16_MAX;
	if (!size) {
		snprintf(shown, PD_SHOWN_MAX, "\\x%02x", p[0]);
		return 1;
	}
	if (is_control(c)) {
		snprintf(shown, PD_SHOWN_MAX, "\\u%04x", c & UINT16_MAX);
	} else {
		memcpy(shown, text, size);
		shown[size] = 0;
	}
	return size;
}

struct spec {
	char flags[8];    /* any of '-', '+', ' ', '#', '0' */
	int width;        /* minimum in bytes; 0: not given */
	int precision;    /* -1: not given */
	char length[3];   /* "", h, hh, l, ll, z, j or t */
	char conversion;  /* the letter */
	const char *next; /* after it */
};

struct arguments {
	va_list at; /* in a struct, so that a pointer to it is the same type everywhere */
};

static int number_of(const char **p, struct arguments *args)
{
	int n = 0;
	if (**p == '*') {
		++*p;
		return va_arg(args->at, int);
	}
	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (**p - '0');
	return n;
}

/* Reads what follows a `%`. */
static struct spec spec_read(const char *p, struct arguments *args)
{
	struct spec s = {.precision = -1};
	size_t flags = strspn(p, "-+ #0"), length;
	PD_ASSERT(flags < sizeof s.flags - 1);
	memcpy(s.flags, p, flags);
	p += flags;
	s.width = number_of(&p, args);
	if (s.width < 0) {
		s.flags[flags] = '-';
		s.width = -s.width;
	}
	if (*p == '.') {
		p++;
		s.precision = number_of(&p, args);
	}
	length = strspn(p, "hlzjt");
	PD_ASSERT(length < sizeof s.length);
	memcpy(s.length, p, length);
	s.conversion = p[length];
	s.next = p + length + 1;
	return s;
}

/* Appends up to `room` bytes of the shown text; `keep` is a character that is not escaped, or 0. */
static void put_shown(struct pd_buf *buf, const char *text, size_t size, size_t room, char keep)
{
	char shown[PD_SHOWN_MAX];
	for (size_t n; size; text += n, size -= n) {
		for (n = 0; n < size && n < room && (is_plain(text[n]) || (keep && text[n] == keep)); n++)
			;
		pd_buf_put(buf, text, n);
		room -= n;
		if (n)
			continue;
		n = pd_show_character(text, size, shown);
		size_t wide = strlen(shown);
		if (wide > room)
			break;
		pd_buf_put(buf, shown, wide);
		room -= wide;
	}
}

static void put_string(struct pd_buf *buf, const struct spec *s, const char *text)
{
	size_t room = s->precision < 0 ? SIZE_MAX : (size_t)s->precision, begin = buf->size;
	if (is_ink(text)) {
		pd_buf_puts(buf, text);
		return;
	}
	put_shown(buf, text, strnlen(text, room), room, 0);
	size_t shown = buf->size - begin, blanks = (size_t)s->width > shown ? (size_t)s->width - shown : 0;
	if (!pd_buf_reserve(buf, blanks) || !blanks)
		return;
	bool left = strchr(s->flags, '-') != NULL;
	if (!left)
		memmove(buf->data + begin + blanks, buf->data + begin, shown);
	memset(buf->data + begin + (left ? shown : 0), ' ', blanks);
	buf->size += blanks;
	buf->data[buf->size] = 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the spec is a piece of a format that was checked */
static int format_integer(char *out, const char *spec, const struct spec *s, struct arguments *args)
{
	switch (s->length[0] == 'l' && s->length[1] == 'l' ? 'q' : s->length[0]) {
	case 'l':
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, long));
	case 'q':
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, long long));
	case 'z':
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, size_t));
	case 'j':
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, intmax_t));
	case 't':
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, ptrdiff_t));
	default:
		return snprintf(out, NUMBER_MAX, spec, va_arg(args->at, int));
	}
}

static void put_number(struct pd_buf *buf, const struct spec *s, struct arguments *args)
{
	char spec[SPEC_MAX], out[NUMBER_MAX], width[16] = "", precision[16] = "";
	if (s->width)
		snprintf(width, sizeof width, "%d", s->width);
	if (s->precision >= 0)
		snprintf(precision, sizeof precision, ".%d", s->precision);
	snprintf(spec, sizeof spec, "%%%s%s%s%s%c", s->flags, width, precision, s->length, s->conversion);
	int n = strchr("diuxXo", s->conversion) ? format_integer(out, spec, s, args)
						: snprintf(out, sizeof out, spec, va_arg(args->at, double));
	PD_ASSERT(n >= 0 && n < NUMBER_MAX);
	pd_buf_put(buf, out, (size_t)n);
}
#pragma GCC diagnostic pop

void pd_buf_vshow(struct pd_buf *buf, const char *format, va_list args)
{
	struct arguments copy;
	va_copy(copy.at, args);
	for (const char *p = format; *p;) {
		size_t own = strcspn(p, "%");
		pd_buf_put(buf, p, own);
		p += own;
		if (!*p)
			break;
		struct spec s = spec_read(p + 1, &copy);
		p = s.next;
		if (s.conversion == '%') {
			pd_buf_put(buf, "%", 1);
		} else if (s.conversion == 's') {
			put_string(buf, &s, va_arg(copy.at, const char *));
		} else if (s.conversion == 'c') {
			char one[2] = {(char)va_arg(copy.at, int), 0};
			put_string(buf, &s, one);
		} else {
			PD_ASSERT(s.conversion && strchr("diuxXofFeEgG", s.conversion));
			put_number(buf, &s, &copy);
		}
	}
	va_end(copy.at);
}

void pd_buf_show(struct pd_buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pd_buf_vshow(buf, format, args);
	va_end(args);
}

static int print_buf(FILE *file, struct pd_buf *buf)
{
	int printed = buf->size ? (int)fwrite(buf->data, 1, buf->size, file) : 0;
	pd_buf_fini(buf);
	return printed;
}

int pd_vprint(FILE *file, const char *format, va_list args)
{
	struct pd_buf buf;
	pd_buf_init(&buf, TEXT_LIMIT);
	pd_buf_vshow(&buf, format, args);
	return print_buf(file, &buf);
}

int pd_print(FILE *file, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int printed = pd_vprint(file, format, args);
	va_end(args);
	return printed;
}

void pd_print_lines(FILE *file, const char *text)
{
	struct pd_buf buf;
	pd_buf_init(&buf, TEXT_LIMIT);
	put_shown(&buf, text, strlen(text), SIZE_MAX, '\n');
	print_buf(file, &buf);
}
