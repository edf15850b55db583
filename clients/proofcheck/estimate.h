/* Estimate: how long a check will take, from a sample of its records.
 *
 * Records from all parts of the file are judged for a quarter of a second: what a record without an effort takes, and
 * what a node of effort takes. The efforts of the others are known, so the estimate follows. A search of the checker
 * may take more or fewer nodes than the effort says, so it is a rough one. */
#pragma once

#include "clients/proofcheck/cert.h"

/* Seconds on that many threads; at least 0. The sums are those of the whole certificate, which has been surveyed. */
double ck_estimate(const struct ck_cert *cert, const struct ck_game *game, const struct ck_sums *sums,
		   unsigned threads);
