/* Wire again: decodes a message of the cluster and encodes it again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"

/* Decodes all bodies of the message and writes them into `out`, hellos first, then tasks, known positions and so on, so
 * that equal messages become equal bytes. False: the bytes are not a message, or the result would be too large. The
 * bytes are read from memory of exactly their size. */
bool wire_again(const uint8_t *data, size_t size, struct pd_buf *out);
