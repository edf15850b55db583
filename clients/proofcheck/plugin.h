/* Plugin: rules for the checker from a shared object, `proofcheck --rules FILE.so` (checker_rules.h). */
#pragma once

#include "clients/proofcheck/rules.h"

struct ck_source {
	const char *file;   /* borrowed from the caller of ck_plugin_load; NULL: built in */
	const char *author; /* lives as long as the process */
	uint64_t digest;    /* of the file */
};

/* Loads the file; its rules are then opened like built-in ones. Call it once, before ck_check. PD_E_NOT_FOUND, PD_E_IO;
 * PD_E_UNSUPPORTED with a sentence when the file does not fit. */
int ck_plugin_load(const char *file, struct ck_source *out, struct pd_fail *fail);
