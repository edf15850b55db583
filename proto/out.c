/* Out: see out.h. Speed comes from three habits: the room for a member is asked for once, runs of plain characters are
 * copied whole, and numbers are printed without printf. */
#include "proto/out.h"

#include "proto/base/assert.h"
#include <math.h>
#include <stdlib.h>

#include "proto/base/utf8.h"
#include "proto/doc.h"
#include "proto/plain.h"

void pr_out_init(struct pr_out *out, struct pd_buf *buf)
{
	*out = (struct pr_out){.buf = buf};
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

/* Room for `size` bytes after the content, NULL on failure; the writer calls set_end with the end of what it wrote
 * there. */
static char *reserve_room(struct pd_buf *buf, size_t size)
{
	bool there = !buf->failed && buf->capacity - buf->size > size && size <= buf->limit &&
		     buf->size <= buf->limit - size;
	return there || pd_buf_reserve(buf, size) ? buf->data + buf->size : NULL;
}

static void set_end(struct pd_buf *buf, char *end)
{
	*end = 0;
	buf->size = (size_t)(end - buf->data);
}

static void put_bytes(struct pd_buf *buf, const char *bytes, size_t size)
{
	char *p = reserve_room(buf, size);
	if (p)
		set_end(buf, pr_copy(p, bytes, size));
}

/* A string that is not all plain characters; false when it is not UTF-8. */
static bool put_mixed(struct pd_buf *buf, const char *text, size_t size)
{
	bool good = true;
	pd_buf_put(buf, "\"", 1);
	for (size_t i = 0; i < size;) {
		size_t run = i;
		while (run < size && pr_plain_byte((unsigned char)text[run]))
			run++;
		if (run > i)
			pd_buf_put(buf, text + i, run - i);
		if (run == size)
			break;
		unsigned char c = (unsigned char)text[run];
		size_t n = 1;
		if (c < 0x80) {
			put_escape(buf, c);
		} else if ((n = pd_utf8_length(text + run, size - run)) > 0) {
			pd_buf_put(buf, text + run, n);
		} else {
			pd_buf_puts(buf, "\xef\xbf\xbd"); /* U+FFFD, the replacement character */
			n = 1;
			good = false;
		}
		i = run + n;
	}
	pd_buf_put(buf, "\"", 1);
	return good;
}

static void put_string(struct pd_buf *buf, const char *text, size_t size)
{
	if (!pr_plain(text, size)) {
		put_mixed(buf, text, size);
		return;
	}
	char *p = reserve_room(buf, size + 2);
	if (!p)
		return;
	*p++ = '"';
	p = pr_copy(p, text, size);
	*p++ = '"';
	set_end(buf, p);
}

/* Counts a value in its level; true when it needs a comma before it. */
static bool enter_value(struct pr_out *out, const char *key)
{
	bool some = out->some[out->depth];
	(void)key;
	PD_ASSERT((out->depth && out->closer[out->depth - 1] == '}') == (key != NULL));
	PD_ASSERT(out->depth || !some); /* one value at the top */
	out->some[out->depth] = true;
	return some;
}

/* The comma and the key before a value. */
static void put_before(struct pr_out *out, const char *key)
{
	if (enter_value(out, key))
		put_bytes(out->buf, ",", 1);
	if (key) {
		put_string(out->buf, key, strlen(key));
		put_bytes(out->buf, ":", 1);
	}
}

/* A whole member at once: comma, key, and a value of plain characters, with `quote` (or 0) around it. */
static void put_plain(struct pr_out *out, const char *key, const char *value, size_t size, char quote)
{
	size_t key_size = key ? strlen(key) : 0;
	bool some = out->some[out->depth];
	char *p = reserve_room(out->buf, some + (key ? key_size + 3 : 0) + size + (quote ? 2 : 0));
	if (!p || !pr_plain(key, key_size)) {
		put_before(out, key);
		if (quote)
			put_string(out->buf, value, size);
		else
			put_bytes(out->buf, value, size);
		return;
	}
	enter_value(out, key);
	if (some)
		*p++ = ',';
	if (key) {
		*p++ = '"';
		p = pr_copy(p, key, key_size);
		*p++ = '"';
		*p++ = ':';
	}
	if (quote)
		*p++ = quote;
	p = pr_copy(p, value, size);
	if (quote)
		*p++ = quote;
	set_end(out->buf, p);
}

static void open_level(struct pr_out *out, const char *key, const char *opener, char closer)
{
	put_before(out, key);
	PD_ASSERT(out->depth < PR_OUT_DEPTH);
	put_bytes(out->buf, opener, 1);
	out->closer[out->depth++] = closer;
	out->some[out->depth] = false;
}

void pr_open_object(struct pr_out *out, const char *key)
{
	open_level(out, key, "{", '}');
}

void pr_open_array(struct pr_out *out, const char *key)
{
	out->array = key;
	open_level(out, key, "[", ']');
}

void pr_close(struct pr_out *out)
{
	PD_ASSERT(out->depth);
	put_bytes(out->buf, &out->closer[--out->depth], 1);
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
	if (pr_plain(text, size)) {
		put_plain(out, key, text, size, '"');
	} else {
		put_before(out, key);
		if (!put_mixed(out->buf, text, size) && !out->broken)
			out->broken = key ? key : out->array ? out->array : "";
	}
}

int pr_out_check(const struct pr_out *out, struct pd_fail *fail)
{
	if (!out->broken)
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, out->broken,
			   "the text has a byte that does not belong to a character; text is UTF-8");
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
	put_plain(out, key, digits + at, sizeof digits - at, 0);
}

void pr_uint(struct pr_out *out, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	put_plain(out, key, digits + at, sizeof digits - at, 0);
}

void pr_real(struct pr_out *out, const char *key, double value, int decimals)
{
	if (!isfinite(value)) {
		pr_null(out, key);
		return;
	}
	put_before(out, key);
	pd_buf_printf(out->buf, "%.*f", decimals, value);
}

void pr_bool(struct pr_out *out, const char *key, bool value)
{
	put_plain(out, key, value ? "true" : "false", value ? 4 : 5, 0);
}

void pr_null(struct pr_out *out, const char *key)
{
	put_plain(out, key, "null", 4, 0);
}

void pr_raw(struct pr_out *out, const char *key, const char *json, size_t size)
{
	put_before(out, key);
	put_bytes(out->buf, json, size);
}

static void put_json(struct pr_out *out, const char *key, pr_ref value)
{
	size_t size;
	char *text = pr_dump(value, &size);
	if (text)
		pr_raw(out, key, text, size);
	else
		out->buf->failed = true;
	free(text);
}

void pr_put_items(struct pr_out *out, const struct pr_item *items, size_t count)
{
	for (const struct pr_item *item = items; item < items + count; item++)
		switch (item->kind) {
		case PR_ITEM_NULL:
			pr_null(out, item->key);
			break;
		case PR_ITEM_STR:
			pr_str(out, item->key, item->text);
			break;
		case PR_ITEM_INT:
			pr_int(out, item->key, item->integer);
			break;
		case PR_ITEM_UINT:
			pr_uint(out, item->key, item->count);
			break;
		case PR_ITEM_REAL:
			pr_real(out, item->key, item->real, item->decimals);
			break;
		case PR_ITEM_BOOL:
			pr_bool(out, item->key, item->yes);
			break;
		case PR_ITEM_JSON:
			put_json(out, item->key, item->json);
			break;
		case PR_ITEM_OBJECT:
			pr_open_object(out, item->key);
			break;
		case PR_ITEM_ARRAY:
			pr_open_array(out, item->key);
			break;
		case PR_ITEM_CLOSE:
			pr_close(out);
			break;
		case PR_ITEM_ABSENT:
			break;
		}
}

void pr_put_members(struct pr_out *out, const char *text, size_t size)
{
	if (!size)
		return;
	PD_ASSERT(out->depth && out->closer[out->depth - 1] == '}' && *text == ',');
	bool first = !out->some[out->depth];
	out->some[out->depth] = true;
	put_bytes(out->buf, text + first, size - first);
}
