/* Import: `proofctl import-facts`: adds the facts of one data directory to another.
 *
 * Both directories must agree: a game is the same only under the same version of its rules, and no fact may contradict
 * another. This is checked before anything is written. The facts of the first directory are verified by the rules
 * first, because every stored fact is trusted. Imported facts name no job: its number would belong to another
 * directory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct sv_import_order {
	const char *graphs; /* directory of andor:NAME graphs; NULL: none */
	bool unverified;    /* the facts are not checked by the rules first */
	unsigned threads;   /* of that check; 0: one */
};

struct sv_imported {
	uint64_t games, facts, reasons; /* of `from` */
	uint64_t added;                 /* reasons that are new to `into` and not implied by others */
	unsigned tables;                /* of `from`, on which these facts may rest, and which `into` lacks */
	char table[160];                /* the file of one of them */
};

/* PD_E_LOCKED while a process writes to `into`; no process should write to `from` meanwhile. PD_E_UNSUPPORTED with
 * field "game" when rules differ, PD_E_CONFLICT with both facts named, PD_E_CORRUPT when a fact of `from` is not
 * justified: then nothing was imported. After an interruption, repeat the call; until then facts on which others rest
 * may be missing. */
int sv_import_facts(const char *from, const char *into, const struct sv_import_order *order, struct sv_imported *out,
		    struct pd_fail *fail);
