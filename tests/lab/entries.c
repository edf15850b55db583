/* Entries: forged tables. One entry of a table changes, header and digest fit, and the checker has to refuse it.
 *
 *	lab entries [N] [--seed S] [--share]
 *
 * The tables are built here. In small classes every entry becomes every other number of 16 bits; in large ones N
 * entries (100,000 a class) chosen at random become another one: a neighbour, another kind of result, or any number.
 * The checker visits every entry, so it refuses a table exactly if it refuses one of them (ck_tables_accepts); tables
 * that were forged on disk, by the slow way, are those of the test proofcheck.tables. Exit status 1: a forged table
 * would pass, or a true one would not. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/table_check.h"
#include "server/proofs/tables/table_build.h"
#include "store/tables.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"
#include "tests/support/walk.h"

enum { SHARE = 2000, SHARE_CLASSES = 6, ALL_VALUES = 65536, SHARE_STEP = 6000 /* values */ };

struct forging {
	struct ck_tables *tables;
	unsigned number;
	uint64_t entries, forged, passed, seed;
	struct st_table_file *file;
};

static const struct {
	const char *game, *class;
	bool small; /* all changes */
} classes[] = {
	{"checkers:8", "MvM", true},  {"checkers:8", "KvM", true},   {"checkers:8", "KvK", true},
	{"antichess", "PvP", true},   {"antichess", "BBvN", false},  {"checkers:8", "KMvM", false},
	{"antichess", "KRvP", false}, {"chess-mate", "KPvK", false}, {"checkers:8", "KKvMM", false},
};

static void forge_entry(struct forging *f, uint64_t index, uint16_t right, uint16_t entry)
{
	if (entry == right)
		return;
	f->forged++;
	if (!ck_tables_accepts(f->tables, f->number, index, entry))
		return;
	f->passed++;
	printf("FAULT: entry %" PRIu64 " may be %u instead of %u\n", index, entry, right);
}

/* Every change, or a share of them. */
static void forge_all(struct forging *f, bool share)
{
	uint16_t right;
	for (uint64_t i = 0; i < f->entries; i++) {
		if (!st_table_get(f->file, i, &right))
			exit(1);
		uint32_t from = share ? (uint32_t)walk_below(&f->seed, SHARE_STEP) : 0;
		for (uint32_t v = from; v < ALL_VALUES; v += share ? SHARE_STEP : 1)
			forge_entry(f, i, right, (uint16_t)v);
	}
}

static void forge_some(struct forging *f, uint64_t count)
{
	uint16_t right;
	while (f->forged < count) {
		uint64_t i = walk_random(&f->seed) % f->entries;
		if (!st_table_get(f->file, i, &right))
			exit(1);
		uint16_t entry[] = {(uint16_t)(right ^ 1), (uint16_t)(right + 2),
				    (uint16_t)(right - 2), (uint16_t)walk_below(&f->seed, 256),
				    PD_TABLE_DRAW,         (uint16_t)walk_below(&f->seed, ALL_VALUES)};
		forge_entry(f, i, right, entry[walk_below(&f->seed, sizeof entry / sizeof *entry)]);
	}
}

/* Builds the table, checks it as it is, and attacks it; returns the faults. */
static uint64_t attack_class(const char *dir, unsigned which, uint64_t count, bool share, struct forging *f)
{
	const char *game = classes[which].game;
	struct sv_table_order order = {
		.dir = dir, .game = game, .class = classes[which].class, .threads = 2, .checkpoint_s = 1000};
	struct sv_table_built built;
	struct pd_fail fail;
	char name[ST_TABLE_NAME], path[ST_TABLE_NAME + 300], folder[300];
	const struct ck_table_verdict *v;
	st_table_name(game, order.class, ST_TABLE_SUFFIX, name);
	snprintf(folder, sizeof folder, "%s/tables", dir);
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (sv_table_build(&order, &built, &fail) || ck_tables_open(folder, NULL, 2, &f->tables, &fail) ||
	    st_table_open(path, &f->file, &fail)) {
		printf("FAULT: %s\n", fail.text);
		return 1;
	}
	unsigned bad = ck_tables_verify(f->tables);
	for (f->number = 0; (v = ck_tables_verdict(f->tables, f->number)) && strcmp(v->file, name) != 0;)
		f->number++;
	f->entries = built.entries;
	f->forged = f->passed = 0;
	if (v && !bad && classes[which].small)
		forge_all(f, share);
	else if (v && !bad)
		forge_some(f, count);
	printf("| %-10s | %-6s | %9" PRIu64 " | %10" PRIu64 " | %" PRIu64 " |\n", game, order.class, f->entries,
	       f->forged, f->passed);
	fflush(stdout);
	st_table_close(f->file);
	ck_tables_close(f->tables);
	return f->passed + bad + !v;
}

PROGRAM(entries)
{
	struct forging f = {.seed = walk_seed("lab.entries", 1)};
	uint64_t count = 100000, faults = 0, sum = 0;
	bool share = false;
	char dir[200], folder[300];
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--share")) {
			share = true;
			count = SHARE;
		} else if (!strcmp(argv[i], "--seed") && i + 1 < argc) {
			f.seed = strtoull(argv[++i], NULL, 10);
		} else if (argv[i][0] >= '1' && argv[i][0] <= '9') {
			count = strtoull(argv[i], NULL, 10);
		} else {
			fprintf(stderr, "usage: ./dev lab entries [N] [--seed S] | --share\n");
			return 2;
		}
	}
	storedir_new(dir, sizeof dir);
	printf("| game | class | entries | forged | passed |\n| --- | --- | --- | --- | --- |\n");
	for (unsigned i = 0; i < (share ? SHARE_CLASSES : sizeof classes / sizeof *classes); i++) {
		faults += attack_class(dir, i, count, share, &f);
		sum += f.forged;
	}
	printf("%" PRIu64 " forged tables, %" PRIu64 " faults\n", sum, faults);
	snprintf(folder, sizeof folder, "%s/tables", dir);
	storedir_remove(folder);
	storedir_remove(dir);
	return faults ? 1 : 0;
}
