/* Compress: finds a small proof of what a certificate claims, and writes it as a certificate (format 4).
 *
 * The proof consists of moves, of theorems of the game, and of strategies by weights, which are learned against an
 * oracle (solver/strategies.h, solver/claim_oracle.h, small_walk.h). The oracle begins with what the certificate's
 * records say; where no strategy is found, the proof keeps the certificate's moves. When it is complete it is walked
 * again, so that cards and positions are used more often; that is repeated as long as the proof becomes smaller.
 *
 * Nothing of this is trusted when the certificate is written: every strategy is played out again, every theorem asked
 * again, and every move followed to its end. The state is kept in a file beside the certificate about once a minute,
 * and the next call with the same claim goes on from there. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

enum { SV_COMPRESS_POSITIONS = 8000, SV_COMPRESS_POSITIONS_MAX = 20000, SV_COMPRESS_THREADS_MAX = 64 };

/* What has been done so far. */
struct sv_compress_progress {
	unsigned again;            /* number of the repeated walk; 0: the proof is being found */
	double share;              /* of the walk, roughly, 0 to 1 */
	uint64_t positions, cards; /* decided positions; cards learned */
	uint64_t nodes;            /* searched by the oracle */
};

struct sv_compress_order {
	const char *from, *file; /* the certificate, and the one that is written */
	unsigned threads;        /* 1 to SV_COMPRESS_THREADS_MAX */
	uint64_t memory;         /* bytes of the oracle's table */
	unsigned positions;      /* of one strategy, 1 to SV_COMPRESS_POSITIONS_MAX */
	/* Called several times a second, on the calling thread; false ends the compression, which can be continued. */
	bool (*progress)(void *ctx, const struct sv_compress_progress *progress);
	void *ctx;
};

struct sv_compressed {
	uint64_t positions, reasons, cards; /* records; their reasons; of those, with a card of any theorem */
	uint64_t strategies, uses;          /* different strategies; reasons that use one */
	uint64_t bytes, nodes;              /* of the file; nodes: that the oracle searched */
	char claim[24], status[12];
};

/* PD_E_CORRUPT with field "file" when `from` is no certificate; PD_E_UNSUPPORTED with field "game" when the game has no
 * strategies; PD_E_STATE with field "position" when the claim does not hold there, with no field when `progress` said
 * stop; PD_E_IO, PD_E_NO_MEMORY. Unbounded running time. */
int sv_compress(const struct sv_compress_order *order, struct sv_compressed *out, struct pd_fail *fail);
