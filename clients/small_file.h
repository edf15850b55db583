/* Small file: writes the small proof of a certificate (server/proofs/certificates/compress.h), with progress and
 * signals, for `compress` and `export --small`. */
#pragma once

#include "clients/options.h"
#include "proto/base/error.h"
#include "server/proofs/certificates/compress.h"

/* What was made. */
struct cl_small {
	struct sv_compressed done; /* `bytes` is the size of the file, packed or not */
	double seconds;
	int exit_code; /* CL_EXIT_OK; else nothing was written, because of a signal or the end of --seconds */
};

/* Compresses the certificate `from` to `file`, packed with --pack (through FILE.plain). The caller holds
 * signals (interrupt.h). When a signal or --seconds ends it, it says so on stderr and returns PD_OK. Errors of
 * sv_compress; PD_E_UNSUPPORTED with field "proofcheck" when proofcheck is missing and has to pack. */
int cl_small_make(const struct cl_options *options, const char *from, const char *file, struct cl_small *out,
		  struct pd_fail *fail);
/* Writes the certificate `from` with zones to `file`, which proofcheck does; with `packs` also packed. `from` is then
 * removed. Sets positions, reasons, cards and bytes of `done`. PD_E_UNSUPPORTED without proofcheck. */
int cl_zones_make(const char *from, const char *file, bool packs, struct sv_compressed *done, struct pd_fail *fail);
