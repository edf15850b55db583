/* Browse: what a certificate says about one position and its moves (proofcheck --show).
 *
 * Nothing is checked here: the output is what the file says. Records are found by binary search, so a large file is not
 * read as a whole, and only the necessary frames of a compressed file are unpacked. */
#pragma once

#include "clients/proofcheck/check.h"

struct ck_visit {
	const char *file;     /* its name */
	uint64_t file_size;   /* bytes */
	const char *position; /* text as the game reads it; NULL: the root */
	const char *moves;    /* names or #CODEs of moves to play, separated by blanks or commas; may be NULL */
	bool json;
};

/* Prints the position to stdout. CK_UNKNOWN and a fault when the game cannot be opened, CK_REJECTED and a fault when a
 * part of the file that was read is damaged, or there is no such position or move. */
enum ck_verdict ck_browse(const uint8_t *bytes, uint64_t size, const struct ck_visit *visit, struct ck_fault *fault);
