/* Import: `proofctl import-facts`: the facts of one data directory are added to those of another.
 *
 * Both directories have to agree: a game is the same only under the same version of its rules, and no fact may
 * contradict another. That is looked at before anything is written. Facts of the first directory are checked by the
 * rules first, because a fact is believed wherever it is stored. What is imported names no job: the numbers belong to
 * another directory. */
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
	uint64_t added;                 /* reasons that `into` did not have yet, and that no other made useless */
};

/* PD_E_LOCKED while a process writes to `into`; no process should write to `from` meanwhile. PD_E_UNSUPPORTED with
 * field "game" when rules differ, PD_E_CONFLICT with both facts named, PD_E_CORRUPT when a fact of `from` is not
 * justified: then nothing was imported. After an interruption the call is repeated; until then some facts may lack
 * those that they depend on. */
int sv_import_facts(const char *from, const char *into, const struct sv_import_order *order, struct sv_imported *out,
		    struct pd_fail *fail);
