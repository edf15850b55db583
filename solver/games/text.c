#include "solver/games/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/utf8.h"

struct text_line text_line(char *out, size_t size)
{
	PD_ASSERT(out || !size);
	if (size)
		out[0] = 0;
	return (struct text_line){.out = out, .size = size};
}

void text_printf(struct text_line *line, const char *format, ...)
{
	size_t room = line->length < line->size ? line->size - line->length : 0;
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(room ? line->out + line->length : NULL, room, format, ap);
	va_end(ap);
	line->length += n > 0 ? (size_t)n : 0;
}

bool text_number(const char **text, unsigned *out)
{
	const char *p = *text;
	unsigned n = 0;
	while (*p >= '0' && *p <= '9' && p - *text < 9)
		n = n * 10 + (unsigned)(*p++ - '0');
	if (p == *text || (*p >= '0' && *p <= '9'))
		return false;
	*text = p;
	*out = n;
	return true;
}

struct text_excerpt text_excerpt(const char *text, size_t size)
{
	struct text_excerpt e = {0};
	size_t used = 0;
	for (size_t i = 0, n; i < size && text[i]; i += n ? n : 1) {
		n = pd_utf8_length(text + i, 4);
		bool control = n == 1 ? text[i] < ' ' || text[i] == 0x7f
				      : n == 2 && (uint8_t)text[i] == 0xc2 && (uint8_t)text[i + 1] < 0xa0;
		bool shown = n && !control;
		size_t more = shown ? n : 1;
		if (used + more >= sizeof e.text)
			break;
		memcpy(e.text + used, shown ? text + i : "?", more);
		used += more;
	}
	return e;
}
