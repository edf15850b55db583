/* Text: the text form of a certificate (proto/CERTIFICATE.md), written and read.
 *
 * One line a position. It holds all that the certificate does, so that what is read back has the same digest. */
#pragma once

#include <stdio.h>

#include "clients/proofcheck/check.h"

/* Writes the certificate as text. Checks the form, not the meaning. CK_REJECTED or CK_UNKNOWN and a fault when the form
 * is wrong, as ck_check has them; whether the stream took it all is the caller's to ask. */
enum ck_verdict ck_text_write(const uint8_t *bytes, uint64_t size, FILE *out, struct ck_fault *fault);

/* What is wrong with a text, or with the file to be written (line 0). */
struct ck_text_fault {
	uint64_t line, column; /* from 1 */
	char text[300];
};

/* Reads a text and writes the certificate of format 2 to `file`, by way of FILE.part. With `digest` it has to have
 * the digest that its header says; without it gets its own. False and a fault otherwise; no file is left then. */
bool ck_text_read(FILE *in, const char *file, bool digest, struct ck_text_fault *fault);
