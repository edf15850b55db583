/* Certificate store: the certificates that a data directory keeps (DIR/proofs), and the space they take.
 *
 * A file's modification time is the time of its last use: made, asked for again, or read. So the least recently used
 * certificate is removed first, across restarts, without an index that could be wrong. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "proto/base/error.h"

enum { SV_CERTIFICATE_BUSY_S = 60 }; /* a certificate used within that many seconds may still be read by a client */

/* A file of the store: a certificate, one that was never completed (.part), or the log from which an export continues
 * (.work, export_log.h), which counts, and is removed, like a certificate. */
struct sv_kept {
	char name[64];
	uint64_t bytes;
	struct timespec used;
};

/* Lists the files, least recently used first, and sums up their bytes; *out is NULL when there are none or there is no
 * such directory. To be freed. PD_E_NO_MEMORY, PD_E_IO. */
int sv_certificates_list(const char *directory, struct sv_kept **out, size_t *count, uint64_t *bytes,
			 struct pd_fail *fail);
/* Updates the time of last use of the certificate at `path`. */
void sv_certificates_touch(const char *path);
/* Removes the least recently used certificates until those in `directory` have at most `most` bytes together. Spares
 * `keep` (a file's name; may be NULL) and those that may be in use. Returns the bytes that remain; 0 when they cannot
 * be listed now. */
uint64_t sv_certificates_trim(const char *directory, uint64_t most, const char *keep);
/* Removes all certificates of a data directory, because facts are retracted that they may rest on. PD_E_IO,
 * PD_E_NO_MEMORY. */
int sv_certificates_drop(const char *data, struct pd_fail *fail);

/* --- what a certificate says of itself ---------------------------------------------------- */

/* The text lines at the beginning of its file (proto/CERTIFICATE.md), unchecked: proofcheck judges them. */
enum { SV_CERTIFICATE_HEAD_MAX = 1 << 16 /* bytes that are read */ };

struct sv_certificate_text {
	char lines[SV_CERTIFICATE_HEAD_MAX + 1]; /* up to the empty line, as far as there is one */
	uint64_t bytes;                          /* of the file */
};

/* False when the file is missing or unreadable. */
bool sv_certificate_text_read(const char *path, struct sv_certificate_text *out);
/* The format; 0 when there is none. */
unsigned sv_certificate_format(const struct sv_certificate_text *text);
/* The value of the line `name`, truncated to fit; "" when there is no such line. Not for the first line. */
void sv_certificate_word(const struct sv_certificate_text *text, const char *name, char *out, size_t size);
/* The same as a number; 0 when there is no such line. */
uint64_t sv_certificate_number(const struct sv_certificate_text *text, const char *name);
