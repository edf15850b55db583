/* Salvage index: where the records of a damaged directory are (private to store/).
 *
 * A scan of each file (scan.h) enters every record whose checksum matches under its key: kind, job, number, position.
 * After sorting, versions of one record are adjacent, the most certain first. Blocks of runs have a scan of their own
 * (salvage.c). */
#pragma once

#include "store/counters.h"
#include "store/meta_record.h"
#include "store/run_list.h"
#include "store/scan.h"
#include "store/store_types.h"

enum st_item_kind {
	ST_ITEM_META, /* `job`: which of meta_record.h */
	ST_ITEM_GAME,
	ST_ITEM_FACTS_GAME,
	ST_ITEM_EXISTENCE,
	ST_ITEM_TT,
	ST_ITEM_JOB,
	ST_ITEM_EVENT,
	ST_ITEM_JOURNAL,
	ST_ITEM_SNAPSHOT,
	ST_ITEM_WAL,
	ST_ITEM_CONFLICT
};
enum { ST_GAME_HEAD = 8 /* le64 rules version */, ST_RECORD_ROOM = ST_SEAL + ST_JOB_MAX };

/* Where a version of a record is. */
struct st_item {
	uint8_t kind, grade;
	uint32_t job; /* or game, or enum st_meta_id */
	uint64_t n;   /* number of the event, block or transaction */
	uint64_t at, sum;
	uint32_t size;
};

struct st_salvaged_game {
	char *name; /* owned */
	uint64_t rules_version;
};

/* Numbers of games in a file, and which game each is. */
struct st_game_id {
	uint32_t id, game;
};
struct st_game_ids {
	struct st_game_id *number; /* owned */
	uint32_t count;
};

struct st_salvage {
	int lock_fd;
	struct st_scan work, facts;
	const char *job_head;
	struct st_item *item; /* owned */
	size_t count, room;
	bool no_memory;
	uint32_t version[2], version_grade[2]; /* format version that work.mdb and facts.mdb state; 0: none */
	struct st_salvaged_game *game;         /* owned; sum.games of them */
	struct st_game_ids work_games, facts_games;
	struct st_counters counters;
	bool counters_found, counters_sure;
	uint32_t existences; /* existence records that are certain */
	struct st_run_list runs;
	struct st_salvaged sum;
	uint8_t *buffer; /* owned: ST_RECORD_ROOM */
};

int st_salvage_no_memory(struct pd_fail *fail);
/* Scans one of the two files into the index. */
int st_salvage_collect(struct st_salvage *s, bool facts, struct pd_fail *fail);
/* Sorts the index and removes copies; before the look-ups below. */
void st_salvage_sort(struct st_salvage *s);
/* The versions of the records of a kind, job and number (UINT64_MAX: any); *count: how many. */
const struct st_item *st_salvage_items(const struct st_salvage *s, enum st_item_kind kind, uint32_t job, uint64_t n,
				       size_t *count);
/* The version that counts: the newest, or the only one; NULL: none, or not known. */
const struct st_item *st_salvage_single(const struct st_salvage *s, enum st_item_kind kind, uint32_t job, uint64_t n);
/* The record in s->buffer, without its seal; NULL when the file cannot be read again. */
const uint8_t *st_salvage_fetch(struct st_salvage *s, const struct st_item *x, bool facts);
/* The newest version of a record of `meta`, or NULL; *sure: certainly the newest. */
const uint8_t *st_salvage_newest(struct st_salvage *s, enum st_meta_id id, size_t *size, bool *sure);
/* Index of the game that has a number in one of the files; UINT32_MAX: not known. */
uint32_t st_salvage_game_of(const struct st_salvage *s, bool facts, uint32_t id);
