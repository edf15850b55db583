/* NKey: the contents of a credentials file.
 *
 * An NKey seed is base32 of two bytes for its type (SU...: of a user), the 32 bytes of an Ed25519 key, and a CRC-16. A
 * server knows the public key (U...), which libnats does not derive. */
#pragma once

#include <stdbool.h>

#include "proto/base/error.h"

enum { CN_KEY_TEXT = 57 }; /* a public key with its terminating zero */

struct cn_creds {
	bool jwt;                     /* it is a .creds file: user JWT and seed */
	char public_key[CN_KEY_TEXT]; /* of the seed; "" with `jwt` */
};

/* Reads a file with an NKey seed, or a .creds file. PD_E_USAGE with field "workers-creds": it cannot be read, others
 * may read it, or it holds neither. The error quotes nothing of the file. */
int cn_creds_read(const char *path, struct cn_creds *out, struct pd_fail *fail);
