/* Stats: counts the contents of a certificate (proofcheck --stats). This checks the form, not the meaning. */
#pragma once

#include "clients/proofcheck/check.h"

enum { CK_POWERS = 64, CK_BOUNDS = 16, CK_THEOREMS = 128 };

struct ck_theorem_counts {
	uint64_t cards[CK_THEOREMS]; /* by the number of their theorem; [0]: of theorems beyond those */
	uint64_t bytes;              /* of the witnesses */
};

struct ck_stats {
	struct ck_header header; /* borrows from the bytes */
	struct ck_sums sums;
	uint64_t file_bytes, content_bytes; /* the same unless the file is compressed */
	uint64_t header_bytes, block_bytes, index_bytes;
	uint64_t by_move, by_all; /* reasons with a move; reasons without move, effort and card: all moves */
	uint64_t upper, unranked;
	uint64_t key_bytes;            /* of all keys in full */
	uint64_t rank[CK_POWERS];      /* reasons by the power of two of their rank: 1, 2-3, 4-7, ... */
	uint64_t effort[CK_POWERS];    /* leaves by the power of two of their effort */
	uint64_t rank_max, effort_max; /* 0: no reason has one */
	uint64_t block_min, block_max; /* bytes of a block, including its size; 0: there are no blocks */
	uint64_t root_rank;            /* plies within which the root is decided; 0: no reason of the root has a rank */
	int64_t bound[CK_BOUNDS];      /* the bounds that occur, in the order of their first occurrence */
	uint64_t bounds[CK_BOUNDS + 1]; /* reasons with bound[i]; at the end those with bounds beyond these */
	unsigned bound_count;
	struct ck_theorem_counts by_theorem;
	double seconds; /* estimated, of a check on `threads` threads; negative: the game is unknown */
	unsigned threads;
};

/* Counts. Returns CK_REJECTED or CK_UNKNOWN with a fault when the form is wrong, as ck_check does. */
enum ck_verdict ck_stats(const uint8_t *bytes, uint64_t size, unsigned threads, struct ck_stats *stats,
			 struct ck_fault *fault);

/* Prints the figures to stdout, as text or as one line of JSON. */
void ck_stats_print(const struct ck_stats *stats, const char *file, bool json);
