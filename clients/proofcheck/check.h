/* Check: the verdict on a certificate.
 *
 * Two passes over the blocks, shared by several threads. The survey checks the form: every byte belongs to a part, keys
 * ascend, counts agree with the header. The second pass checks the meaning: every reason of every record follows from
 * the rules and from other records (proto/CERTIFICATE.md). No record is kept in memory; children are looked up in the
 * file. The fault reported is the first in file order, whatever the number of threads. */
#ifndef CK_CHECK_H
#define CK_CHECK_H

#include "clients/proofcheck/cert.h"

enum ck_verdict {
	CK_VERIFIED,
	CK_REJECTED,
	CK_UNKNOWN /* unknown format, game or rules version, or out of memory; says nothing about the claim */
};

struct ck_options {
	unsigned threads; /* at least 1 */
	bool digest;      /* compare the digest */
	/* Progress of the second pass, a few times a second; may be NULL. Called by the thread that called ck_check. */
	void (*progress)(void *ctx, uint64_t positions, uint64_t all);
	void *ctx;
};

struct ck_result {
	enum ck_verdict verdict;
	struct ck_fault fault;   /* unless verified */
	struct ck_header header; /* borrows from the bytes; all zero when it could not be read */
	bool has_header;
	const char *outcome; /* the claimed value in the game's words; NULL: the bounds leave several, or no words */
	uint64_t searched;   /* nodes of the searches for reasons with an effort */
	double seconds;      /* of the second pass */
};

/* Checks a whole certificate. The bytes remain the caller's. */
enum ck_verdict ck_check(const uint8_t *bytes, uint64_t size, const struct ck_options *options,
			 struct ck_result *result);

#endif
