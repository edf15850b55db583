/* Plugin: rules for the checker from a shared object, `proofcheck --rules FILE.so` (checker_rules.h). */
#pragma once

#include "clients/proofcheck/rules.h"

/* Where rules come from. */
struct ck_source {
	const char *file;   /* borrowed from who loaded it; NULL: they are built in */
	const char *author; /* lives as long as the process */
	uint64_t digest;    /* of the file */
};

/* Loads the file, whose rules are from now on opened as if they were built in. Once, before ck_check. PD_E_NOT_FOUND,
 * PD_E_IO, PD_E_UNSUPPORTED with a sentence when it does not fit. */
int ck_plugin_load(const char *file, struct ck_source *out, struct pd_fail *fail);
