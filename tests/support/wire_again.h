/* Wire again: decodes a message of the cluster and encodes what it says. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"

/* Decodes every body of the message and writes them into `out`, hellos first, then tasks, known positions and so on:
 * what says the same becomes the same bytes. False: the bytes are no such message, or (large ones only) theirs would be
 * too many. The bytes are read from memory of exactly their size. */
bool wire_again(const uint8_t *data, size_t size, struct pd_buf *out);
