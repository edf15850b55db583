/* Out: see out.h. Speed comes from three habits: the room for a token is asked for once, runs of plain characters are copied whole, and
 * numbers are printed without printf. */
#include "proto/out.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void pr_out_init(struct pr_out *out, struct pd_buf *buf)
{
	*out = (struct pr_out){.buf = buf};
}

/* The length of the UTF-8 sequence at p (limit bytes are there), 0 when it is none: overlong forms, surrogates and numbers beyond
 * Unicode are none. */
static size_t utf8_length(const unsigned char *p, size_t limit)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	if (n > limit)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

static void put_escape(struct pd_buf *buf, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	static const char from[] = "\"\\\n\r\t\b\f", to[] = "\"\\nrtbf";
	const char *known = c ? strchr(from, c) : NULL;
	if (known) {
		char two[2] = {'\\', to[known - from]};
		pd_buf_put(buf, two, sizeof two);
	} else {
		char six[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
		pd_buf_put(buf, six, sizeof six);
	}
}

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
}

static void put_string(struct pd_buf *buf, const char *text, size_t size)
{
	pd_buf_put(buf, "\"", 1);
	for (size_t i = 0; i < size;) {
		size_t run = i;
		while (run < size && is_plain((unsigned char)text[run]))
			run++;
		if (run > i)
			pd_buf_put(buf, text + i, run - i);
		if (run == size)
			break;
		unsigned char c = (unsigned char)text[run];
		size_t n = 1;
		if (c < 0x80) {
			put_escape(buf, c);
		} else if ((n = utf8_length((const unsigned char *)text + run, size - run)) > 0) {
			pd_buf_put(buf, text + run, n);
		} else {
			pd_buf_puts(buf, "\xef\xbf\xbd"); /* U+FFFD, the replacement character */
			n = 1;
		}
		i = run + n;
	}
	pd_buf_put(buf, "\"", 1);
}

/* The comma and the key that stand before a value. */
static void before(struct pr_out *out, const char *key)
{
	bool in_object = out->depth && out->closer[out->depth - 1] == '}';
	assert(in_object == (key != NULL));
	assert(out->depth || !out->some[0]); /* one value at the top */
	if (out->some[out->depth])
		pd_buf_put(out->buf, ",", 1);
	out->some[out->depth] = true;
	if (key) {
		put_string(out->buf, key, strlen(key));
		pd_buf_put(out->buf, ":", 1);
	}
}

static void open_level(struct pr_out *out, const char *key, const char *opener, char closer)
{
	before(out, key);
	assert(out->depth < PR_OUT_DEPTH);
	pd_buf_put(out->buf, opener, 1);
	out->closer[out->depth++] = closer;
	out->some[out->depth] = false;
}

void pr_open_object(struct pr_out *out, const char *key)
{
	open_level(out, key, "{", '}');
}

void pr_open_array(struct pr_out *out, const char *key)
{
	open_level(out, key, "[", ']');
}

void pr_close(struct pr_out *out)
{
	assert(out->depth);
	pd_buf_put(out->buf, &out->closer[--out->depth], 1);
}

void pr_str(struct pr_out *out, const char *key, const char *text)
{
	if (text)
		pr_strn(out, key, text, strlen(text));
	else
		pr_null(out, key);
}

void pr_strn(struct pr_out *out, const char *key, const char *text, size_t size)
{
	before(out, key);
	put_string(out->buf, text, size);
}

void pr_int(struct pr_out *out, const char *key, int64_t value)
{
	if (value >= 0) {
		pr_uint(out, key, (uint64_t)value);
		return;
	}
	char digits[24];
	size_t at = sizeof digits;
	for (uint64_t v = 0 - (uint64_t)value; v; v /= 10)
		digits[--at] = (char)('0' + v % 10);
	digits[--at] = '-';
	before(out, key);
	pd_buf_put(out->buf, digits + at, sizeof digits - at);
}

void pr_uint(struct pr_out *out, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	before(out, key);
	pd_buf_put(out->buf, digits + at, sizeof digits - at);
}

void pr_real(struct pr_out *out, const char *key, double value, int decimals)
{
	if (!isfinite(value)) {
		pr_null(out, key);
		return;
	}
	before(out, key);
	pd_buf_printf(out->buf, "%.*f", decimals, value);
}

void pr_bool(struct pr_out *out, const char *key, bool value)
{
	before(out, key);
	pd_buf_puts(out->buf, value ? "true" : "false");
}

void pr_null(struct pr_out *out, const char *key)
{
	before(out, key);
	pd_buf_puts(out->buf, "null");
}

void pr_raw(struct pr_out *out, const char *key, const char *json, size_t size)
{
	before(out, key);
	pd_buf_put(out->buf, json, size);
}
