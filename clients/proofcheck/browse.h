/* Browse: what a certificate says of one position and of its moves, for people (proofcheck --show).
 *
 * Nothing is checked here: what is shown is what the file says. Records are found by binary search, so a large file is
 * not read as a whole, and of a compressed one only the frames that are looked at are unpacked. */
#pragma once

#include "clients/proofcheck/check.h"

struct ck_visit {
	const char *file;     /* its name */
	uint64_t file_size;   /* bytes */
	const char *position; /* text as the game reads it; NULL: the root */
	const char *moves; /* names of moves played from there, or #CODE, with blanks or commas between; may be NULL */
	bool json;
};

/* Prints the position to stdout. CK_UNKNOWN and a fault when the game cannot be opened, CK_REJECTED and a fault when
 * the file is damaged where it is looked at, or there is no such position or move. */
enum ck_verdict ck_browse(const uint8_t *bytes, uint64_t size, const struct ck_visit *visit, struct ck_fault *fault);
