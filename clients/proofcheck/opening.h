/* Opening: opens a certificate of any format. */
#pragma once

#include "clients/proofcheck/cert.h"

/* As ck_cert_open, and unpacks a packed certificate into memory that ck_cert_close frees. The header's format is that
 * of the file. */
enum ck_verdict ck_open_file(struct ck_cert *cert, const uint8_t *bytes, uint64_t size, struct ck_fault *fault);
