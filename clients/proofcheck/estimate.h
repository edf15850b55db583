/* Estimate: how long a check will take, from a sample of its records.
 *
 * Judges records from all parts of the file for a quarter of a second, to measure the time of a record without an
 * effort and the time of a node of effort. The estimate is rough: a search of the checker may take more or fewer nodes
 * than the effort says. */
#pragma once

#include "clients/proofcheck/cert.h"

/* Seconds on that many threads, at least 0. The sums are those of the whole certificate, which was surveyed. */
double ck_estimate(const struct ck_cert *cert, const struct ck_game *game, const struct ck_sums *sums,
		   unsigned threads);
