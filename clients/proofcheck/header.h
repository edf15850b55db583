/* Header: the lines of text at the beginning of a certificate (proto/CERTIFICATE.md).
 *
 * The first line names the format. Format 2 differs from format 1 in one respect: its digest covers the header, too. */
#ifndef CK_HEADER_H
#define CK_HEADER_H

#include "clients/proofcheck/cert.h"

enum { CK_FORMAT_MIN = 1, CK_FORMAT_MAX = 2 };

/* Reads the header; *end is the offset of the first byte after its empty line. Returns false and fills in the fault
 * when the header violates the format. */
bool ck_header_read(const uint8_t *bytes, uint64_t size, struct ck_header *header, uint64_t *end,
		    struct ck_fault *fault);

/* True when the file is a certificate of a format that this program does not read. */
bool ck_header_is_foreign(const uint8_t *bytes, uint64_t size);

#endif
