/* SHA-256 of certificates, as sha256sum prints it. */
#pragma once

#include "proto/base/error.h"

enum { CL_SHA256_TEXT = 65 }; /* bytes of its text including the zero: lower-case hexadecimal digits */

struct cl_sha256;
/* NULL without memory; to be given to cl_sha256_end. */
struct cl_sha256 *cl_sha256_begin(void);
void cl_sha256_put(struct cl_sha256 *hash, const void *data, size_t size);
/* Prints it, and frees the hash; a NULL prints nothing. */
void cl_sha256_end(struct cl_sha256 *hash, char out[CL_SHA256_TEXT]);

/* That of a file. PD_E_IO with field "file", PD_E_NO_MEMORY. */
int cl_sha256_file(const char *path, char out[CL_SHA256_TEXT], struct pd_fail *fail);
