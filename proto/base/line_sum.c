#include "proto/base/line_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

static const char begin[] = ",\"sum\":\"";

enum { BEGIN = sizeof begin - 1, MEMBER = BEGIN + 16 + 2 /* bytes, with the final bracket */ };

static void print_member(const char *text, size_t size, char out[MEMBER + 1])
{
	snprintf(out, MEMBER + 1, "%s%016" PRIx64 "\"}", begin, pd_hash64(text, size));
}

void pd_line_sum_put(struct pd_buf *object)
{
	char member[MEMBER + 1];
	if (object->failed)
		return;
	PD_ASSERT(object->size > 2 && object->data[object->size - 1] == '}');
	print_member(object->data, --object->size, member);
	pd_buf_puts(object, member);
}

enum pd_line_sum pd_line_sum_check(const char *line, size_t size)
{
	char member[MEMBER + 1];
	size_t text = size > MEMBER ? size - MEMBER : 0;
	if (!text || memcmp(line + text, begin, BEGIN) != 0)
		return PD_LINE_PLAIN;
	print_member(line, text, member);
	return memcmp(line + text, member, MEMBER) ? PD_LINE_DAMAGED : PD_LINE_SOUND;
}
