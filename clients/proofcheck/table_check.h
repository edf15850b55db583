/* Tables: verifies the tables of a directory, or those that cards cite and those that these rest on (T101 of
 * solver/games/THEOREMS.md).
 *
 * A table states for every position of a class whether the player to move wins or loses, within how many plies, or
 * draws. Each entry is compared with what the rules and the entries after each move demand. By T101 tables that agree
 * with that everywhere are right, so nothing else is trusted: neither who built them nor in which order. */
#pragma once

#include "clients/proofcheck/rules.h"
#include "proto/base/table_format.h"

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

struct ck_tables;

/* Reads the headers of the tables of a directory, in the order of the names of their files. A table whose header is not
 * sound has that verdict, and so has one of another game than `game`; NULL: any game. Everything else is read when it
 * is needed, and takes two bytes of memory for each entry of the table that is being checked, of the tables that its
 * moves lead to, and of those that cards cite. `threads`, 1 to 999: how many compare entries. Fails when the directory
 * cannot be read or memory is short. */
int ck_tables_open(const char *dir, const char *game, unsigned threads, struct ck_tables **out, struct pd_fail *fail);
/* NULL: nothing. */
void ck_tables_close(struct ck_tables *tables);
/* Compares every entry, and verifies checksums, digests and the counts of headers. A table that rests on another one
 * that is missing or was not verified is not verified either. Returns how many are not verified. */
unsigned ck_tables_verify(struct ck_tables *tables);
/* The verdict on a table, from number 0; NULL after the last. Borrowed. */
const struct ck_table_verdict *ck_tables_verdict(const struct ck_tables *tables, unsigned number);
/* Reads the entry of a position, which is not over, in the table with this digest. The first call for a table verifies
 * it and those that it rests on, while others wait. Otherwise says why: no table of the directory has that digest, it
 * is not verified, or it is of another game or class; or memory is short. Any thread. */
enum ck_table_found { CK_TABLE_FOUND, CK_TABLE_REFUSED, CK_TABLE_MEMORY };
enum ck_table_found ck_tables_look_up(struct ck_tables *tables, const uint8_t digest[PD_TABLE_DIGEST],
				      const struct ck_game *game, const struct ck_position *p, uint16_t *entry,
				      char why[CK_TABLE_TEXT]);
/* Whether a check would accept `entry` as entry `index` of a sound table. One thread at a time, not during a check. */
bool ck_tables_accepts(struct ck_tables *tables, unsigned number, uint64_t index, uint16_t entry);
