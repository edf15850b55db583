/* Check: the verdict on a certificate.
 *
 * Two passes over the blocks, shared by several threads. The survey checks the form: every byte belongs to a part, keys
 * ascend, counts agree with the header. The second pass checks the meaning: every reason of every record follows from
 * the rules and from other records (proto/CERTIFICATE.md). No record is kept in memory; children are looked up in the
 * file. The fault reported is the first in file order, whatever the number of threads. */
#pragma once

#include "clients/proofcheck/cert.h"

struct ck_options {
	unsigned threads;   /* at least 1 */
	bool digest;        /* compare the digest */
	const char *tables; /* directory of the tables that it may cite; NULL: none */
	/* Progress of the second pass, five times a second; may be NULL. Called by the thread that called ck_check. */
	void (*progress)(void *ctx, uint64_t positions, uint64_t all);
	/* Called before a second pass that may take long, with its estimated seconds; may be NULL. */
	void (*estimate)(void *ctx, double seconds, const struct ck_sums *sums);
	void *ctx;
};

struct ck_result {
	enum ck_verdict verdict;
	struct ck_fault fault;   /* unless verified */
	struct ck_header header; /* borrows from the bytes; all zero when it could not be read */
	bool has_header;
	const char *outcome; /* the claimed value in the game's words; NULL: several values, or no words */
	uint64_t searched;   /* nodes of the searches for reasons with an effort */
	double seconds;      /* of the second pass */
};

/* Opens the game that the certificate is about. CK_VERIFIED: ck_close follows. CK_UNKNOWN when this program does not
 * know the game or its rules version. */
enum ck_verdict ck_open_game(const struct ck_cert *cert, struct ck_game *game, struct ck_fault *fault);
/* The value in words, where the header's bounds leave only one; else NULL. */
const char *ck_header_outcome(const struct ck_game *game, const struct ck_header *h);

/* Checks a whole certificate. The bytes remain the caller's. */
enum ck_verdict ck_check(const uint8_t *bytes, uint64_t size, const struct ck_options *options,
			 struct ck_result *result);
