/* Export of a data directory, for clients: the public part of export.h (core.h includes it). */
#ifndef SV_EXPORT_DIRECTORY_H
#define SV_EXPORT_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

/* `proofctl export`: the facts of a directory that justify one answer, as a certificate (proto/CERTIFICATE.md). Opens
 * it read-only, needs no core. PD_E_STATE with field "position" when the facts do not answer the claim, with field
 * "game" when the game has other rules than are meant. */
struct sv_export_order {
	const char *game, *position;
	const char *claim; /* NULL: the strongest that is known */
	const uint64_t
		*rules; /* the version of the rules that is meant; NULL: the one that the game has when it is opened */
	const char *file; /* to be written */
	bool frontier;    /* leaves stay leaves; else all searches are run again and their proofs are taken in */
	bool (*progress)(void *ctx, uint64_t positions); /* may be NULL; now and then. False: the export is to end */
	void *ctx;
};
struct sv_exported {
	uint64_t positions, reasons, leaves, bytes;
	char claim[24], status[12];
	int lo, hi; /* what is known of the root's value; the scale's ends where nothing is */
};
int sv_export_directory(const char *dir, const char *graphs, const struct sv_export_order *order,
			struct sv_exported *out, struct pd_fail *fail);

#endif
