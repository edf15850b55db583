/* Certificate head: the text lines at the beginning of a certificate's file (proto/CERTIFICATE.md), as they stand. What
 * they say is not believed here; proofcheck judges it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SV_CERTIFICATE_HEAD_MAX = 1 << 16 /* bytes that are read */ };

struct sv_certificate_text {
	char lines[SV_CERTIFICATE_HEAD_MAX + 1]; /* up to the empty line, as far as there is one */
	uint64_t bytes;                          /* of the file */
};

/* False when there is no such file, or nothing can be read of it. */
bool sv_certificate_text_read(const char *path, struct sv_certificate_text *out);
/* True for the format that is compressed. */
bool sv_certificate_is_packed(const struct sv_certificate_text *text);
/* The value of the line `name`: cut off where `out` ends; "" when there is no such line. Not of the first line. */
void sv_certificate_word(const struct sv_certificate_text *text, const char *name, char *out, size_t size);
/* The same as a number; 0 when there is none. */
uint64_t sv_certificate_number(const struct sv_certificate_text *text, const char *name);
