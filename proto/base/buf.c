#include "proto/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pd_buf_init(struct pd_buf *buf, size_t limit)
{
	*buf = (struct pd_buf){.limit = limit};
}

void pd_buf_fini(struct pd_buf *buf)
{
	free(buf->data);
	*buf = (struct pd_buf){.limit = buf->limit};
}

void pd_buf_reset(struct pd_buf *buf)
{
	buf->size = 0;
	buf->failed = false;
	if (buf->data)
		buf->data[0] = 0;
}

bool pd_buf_reserve(struct pd_buf *buf, size_t more)
{
	if (buf->failed)
		return false;
	if (more > buf->limit || buf->size > buf->limit - more) {
		buf->failed = true;
		return false;
	}
	size_t need = buf->size + more + 1;
	if (need <= buf->capacity)
		return true;
	size_t capacity = buf->capacity ? buf->capacity : 64;
	while (capacity < need)
		capacity *= 2;
	char *data = realloc(buf->data, capacity);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->capacity = capacity;
	return true;
}

void pd_buf_put(struct pd_buf *buf, const void *data, size_t size)
{
	if (!pd_buf_reserve(buf, size))
		return;
	if (size) /* the address of an empty piece may be NULL */
		memcpy(buf->data + buf->size, data, size);
	buf->size += size;
	buf->data[buf->size] = 0;
}

void pd_buf_puts(struct pd_buf *buf, const char *text)
{
	pd_buf_put(buf, text, strlen(text));
}

void pd_buf_printf(struct pd_buf *buf, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n < 0) {
		buf->failed = true;
		return;
	}
	if (!pd_buf_reserve(buf, (size_t)n))
		return;
	va_start(ap, format);
	vsnprintf(buf->data + buf->size, (size_t)n + 1, format, ap);
	va_end(ap);
	buf->size += (size_t)n;
}

void pd_buf_eat(struct pd_buf *buf, size_t size)
{
	memmove(buf->data, buf->data + size, buf->size - size);
	buf->size -= size;
	buf->data[buf->size] = 0;
}
