/* Tables: verifies all tables of a directory in one pass (T101 of solver/games/THEOREMS.md).
 *
 * A table states for every position of a class whether the player to move wins or loses, within how many plies, or
 * draws. Each entry is compared with what the rules and the entries after each move demand. By T101 tables that agree
 * with that everywhere are right, so nothing else is trusted: neither who built them nor in which order. */
#pragma once

#include "clients/proofcheck/rules.h"

enum { CK_TABLE_TEXT = 400 };

struct ck_table_verdict {
	const char *file; /* its name in the directory */
	bool verified;
	char why[CK_TABLE_TEXT]; /* unless verified */
	char game[CK_NAME_MAX], class[CK_CLASS_NAME];
	uint64_t positions, wins, losses, draws;
	unsigned longest;
	char digest[65];
};

/* Calls `tell` for each table of the directory, in the order of the names of the files. A table that rests on another
 * one that is missing or was not verified is not verified either. Returns how many are not verified, or -1 with *fail
 * when the directory cannot be read or memory is short. */
int ck_tables_check(const char *dir, unsigned threads, void (*tell)(void *ctx, const struct ck_table_verdict *v),
		    void *ctx, struct pd_fail *fail);
