/* Buf: a growable byte string with a limit.
 *
 * A failure (limit reached, no memory) sticks: further puts do nothing, and the caller checks `failed` once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pd_buf {
	char *data;  /* owned; NULL while capacity is 0. Kept zero-terminated by the put functions */
	size_t size; /* bytes in use, without the terminating zero */
	size_t capacity;
	size_t limit; /* `size` never exceeds it */
	bool failed;
};

void pd_buf_init(struct pd_buf *buf, size_t limit);
void pd_buf_fini(struct pd_buf *buf);
/* Empties the buffer and clears the failure; keeps the memory. */
void pd_buf_reset(struct pd_buf *buf);
/* Makes room for `more` bytes and a zero after the content; false on failure. */
bool pd_buf_reserve(struct pd_buf *buf, size_t more);
void pd_buf_put(struct pd_buf *buf, const void *data, size_t size);
void pd_buf_puts(struct pd_buf *buf, const char *text);
void pd_buf_printf(struct pd_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Removes `size` bytes from the front. */
void pd_buf_eat(struct pd_buf *buf, size_t size);
