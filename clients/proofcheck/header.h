/* Header: the lines of text at the beginning of a certificate. */
#ifndef CK_HEADER_H
#define CK_HEADER_H

#include "clients/proofcheck/cert.h"

#define CK_MAGIC "proofd certificate 1\n"

/* Reads the header; *end is the first byte behind its empty line. False with the fault when it is not as it should be.
 */
bool ck_header_read(const uint8_t *bytes, uint64_t size, struct ck_header *header, uint64_t *end,
		    struct ck_fault *fault);

#endif
