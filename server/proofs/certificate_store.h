/* Shelf: the certificates that a data directory keeps, and how much room they take.
 *
 * A file's time of modification is when it was used last: made, asked for again, or read. So what is used least goes
 * first, over restarts as well, and without a list that could be wrong. */
#ifndef SV_CERTIFICATE_STORE_H
#define SV_CERTIFICATE_STORE_H

#include <stdint.h>

enum { SV_CERTIFICATE_BUSY_S = 60 }; /* a certificate that was used so lately may be being read */
/* Notes that the certificate at `path` is used. */
void sv_certificates_touch(const char *path);
/* Makes room: as long as the certificates in `directory` have more than `most` bytes together, the least recently used
 * one goes, but neither `keep` (a file's name, may be NULL) nor one that may be being read. Returns the bytes that are
 * left. */
uint64_t sv_certificates_trim(const char *directory, uint64_t most, const char *keep);

#endif
