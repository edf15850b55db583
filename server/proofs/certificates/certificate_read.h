/* Certificate read: what the records of a plain certificate (formats 2 and 4) say, without any check. For programs that
 * use it as a hint; proofcheck judges certificates. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "proto/base/fact.h"

struct sv_certificate_text;

/* A reason with the key of its record. What it points to is borrowed until the call ends. */
struct sv_certificate_said {
	const uint8_t *key, *witness; /* witness: of its card */
	size_t size, witness_size;
	uint64_t theorem;        /* of its card; 0: it has none */
	struct pd_reason reason; /* `effort` is 1 if it has one, `job` is 0 */
};

/* Calls `each` for every reason of the file, up to the first that cannot be read. Returns how many there were. */
uint64_t sv_certificate_read(const char *path, const struct sv_certificate_text *text,
			     void (*each)(void *ctx, const struct sv_certificate_said *said), void *ctx);
