/* Seal: shows that a message of the cluster comes from someone who has the key, and was not changed (HMAC-SHA-256 of
 * everything before it, truncated to 16 bytes). It hides nothing: TLS does that. A repeated message is recognized by
 * epoch, worker and task number, not by the seal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

enum { CW_SEAL_SIZE = 16, CW_KEY_BYTES_MIN = 16, CW_KEY_BYTES_MAX = 4096 };

struct cw_seal {
	uint8_t key[32]; /* SHA-256 of the file's content without trailing blanks */
};

/* Reads the key from a file that only its owner and group may read or write: 16 to 4,096 bytes without blanks at the
 * end. PD_E_USAGE, PD_E_IO, PD_E_NOT_FOUND, PD_E_NO_MEMORY with field `option` (its name without dashes). */
int cw_seal_read(const char *option, const char *path, struct cw_seal *out, struct pd_fail *fail);
/* These two are false when memory runs out (libcrypto allocates for each hash); *out is then undefined. */
bool cw_seal_of(const void *key, size_t size, struct cw_seal *out) __attribute__((warn_unused_result));
bool cw_seal_make(const struct cw_seal *seal, const uint8_t *data, size_t size, uint8_t out[CW_SEAL_SIZE])
	__attribute__((warn_unused_result));
/* In constant time. False also when memory runs out. */
bool cw_seal_right(const struct cw_seal *seal, const uint8_t *data, size_t size, const uint8_t claimed[CW_SEAL_SIZE]);
