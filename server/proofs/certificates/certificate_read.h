/* Certificate read: what the records of a plain certificate (formats 2 and 4) say, without any check. For programs that
 * use it as a hint; proofcheck judges certificates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/base/fact.h"

struct sv_certificate_text;

/* Calls `each` for every reason of the file, without move and card, up to the first that cannot be read. Returns how
 * many there were. The key is borrowed. */
uint64_t sv_certificate_read(const char *path, const struct sv_certificate_text *text,
			     void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			     void *ctx);
