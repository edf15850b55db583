/* Small write: the records of a small proof (small_proof.h), for a certificate. */
#pragma once

#include "server/proofs/certificates/export_records.h"
#include "server/proofs/certificates/small_proof.h"

/* Checks the proof and adds its records: every strategy is played out, every theorem asked, every move followed. Adds
 * to *uses the reasons with a strategy, and to *strategies the different ones. PD_E_CORRUPT when the proof does not
 * hold, PD_E_NO_MEMORY. */
int sv_small_write(struct sv_small_proof *p, struct sv_export_records *records, uint64_t *uses, uint64_t *strategies,
		   struct pd_fail *fail);
