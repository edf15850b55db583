/* Line sum: a line of JSON, an object, whose last member is the checksum of what precedes it:
 *
 *   {"question":"c4","seed":0,"sum":"7c0f4a3be5d19c02"}
 *
 * `sum` is the XXH3-64 of the bytes up to the comma before it, in 16 hexadecimal digits. */
#pragma once

#include <stddef.h>

#include "proto/base/buf.h"

enum pd_line_sum {
	PD_LINE_PLAIN, /* it has no sum */
	PD_LINE_SOUND,
	PD_LINE_DAMAGED
};

/* Adds the sum to a buffer that holds one object, which has members. */
void pd_line_sum_put(struct pd_buf *object);
/* Compares the sum of a line without its newline. */
enum pd_line_sum pd_line_sum_check(const char *line, size_t size);
