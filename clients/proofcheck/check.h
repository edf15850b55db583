/* Check: whether a certificate is true.
 *
 * Two passes, both over blocks that several threads take in turn. The survey looks at the form: every byte belongs to
 * something, keys rise, counts are what the header says. The second pass looks at the meaning: every reason of every
 * record follows from the rules and from other records (CERTIFICATE.md says how). Nothing is kept of a record; what its
 * children need is looked up in the file. The first fault in the order of the file is the one that is reported,
 * whatever the number of threads. */
#ifndef CK_CHECK_H
#define CK_CHECK_H

#include "clients/proofcheck/cert.h"

enum ck_verdict {
	CK_VERIFIED,
	CK_REJECTED,
	CK_UNKNOWN /* another format, game or version of rules than this program knows; or no memory. Says nothing about
		      the claim */
};

struct ck_options {
	unsigned threads; /* at least 1 */
	bool digest;      /* compare the digest */
	/* Told a few times a second how far the second pass is; may be NULL. Called by the thread that called ck_check.
	 */
	void (*progress)(void *ctx, uint64_t positions, uint64_t all);
	void *ctx;
};

struct ck_result {
	enum ck_verdict verdict;
	struct ck_fault fault;   /* unless verified */
	struct ck_header header; /* borrows from the bytes; all zero when it could not be read */
	bool has_header;
	const char *outcome; /* the value that the header claims in the game's words; NULL: not known as one, or without
				words */
	uint64_t searched;   /* nodes of the searches for reasons with an effort */
	double seconds;      /* of the second pass */
};

/* Checks a whole certificate. The bytes stay the caller's. */
enum ck_verdict ck_check(const uint8_t *bytes, uint64_t size, const struct ck_options *options,
			 struct ck_result *result);

#endif
