/* Export directory: `proofctl export`, a certificate from a data directory without a core (core.h includes this). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_export_order {
	const char *game, *position;
	const char *claim;     /* NULL: the strongest that is known */
	const uint64_t *rules; /* the rules version that is meant; NULL: that of the game when it is opened */
	const char *file;      /* path of the certificate */
	bool frontier;         /* leaves remain leaves; else they are searched again and their proofs included */
	bool compress;         /* the file is compressed */
	bool (*progress)(void *ctx, uint64_t positions); /* now and then; false ends the export; may be NULL */
	void *ctx;
};

struct sv_exported {
	uint64_t positions, reasons, leaves, bytes;
	uint64_t effort; /* of all leaves, nodes */
	char claim[24], status[12];
	int lo, hi; /* the known bounds on the root's value; the ends of the scale where nothing is known */
};

/* Exports from a directory, opened read-only. PD_E_STATE with field "position" when the facts do not answer the claim,
 * with field "game" when the game has other rules than are meant. */
int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order,
			struct sv_exported *out, struct pd_fail *fail);
