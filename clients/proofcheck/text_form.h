/* Text form: a certificate as text, one line a position (proto/CERTIFICATE.md), written and read.
 *
 * The text holds everything that the certificate holds, so a certificate that is read back has the same digest. */
#pragma once

#include <stdio.h>

#include "clients/proofcheck/check.h"

/* Writes the certificate as text. Checks the form, not the meaning. Returns CK_REJECTED or CK_UNKNOWN with a fault when
 * the form is wrong, as ck_check does. The caller checks whether writing to the stream failed. */
enum ck_verdict ck_text_write(const uint8_t *bytes, uint64_t size, FILE *out, struct ck_fault *fault);

/* A fault of a text, or of the file to be written (line 0). */
struct ck_text_fault {
	uint64_t line, column; /* from 1 */
	char text[300];
};

/* Reads a text and writes the certificate of format 2 or 4 to `file`, through FILE.part. With `digest` the header must
 * have the right digest; otherwise the file gets the right one. False and a fault on failure; no file is left then. */
bool ck_text_read(FILE *in, const char *file, bool digest, struct ck_text_fault *fault);
