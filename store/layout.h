/* The two environments of a data directory: their databases, and the handles of them (private to store/).
 *
 * FORMAT.md describes the records. Names on disk are those of format version 2. */
#pragma once

#include "store/env.h"

enum { ST_FORMAT_VERSION = 2 };

/* The named databases of the work environment. */
#define ST_WORK_DBIS(X)                                                                                                \
	X(META, "meta")                                                                                                \
	X(GAMES, "games")                                                                                              \
	X(JOBS, "jobs")                                                                                                \
	X(EXISTENCE, "cards")                                                                                          \
	X(EVENTS, "events")                                                                                            \
	X(TT, "tables")                                                                                                \
	X(JOURNAL, "journal")                                                                                          \
	X(SNAPSHOT, "snapshot")                                                                                        \
	X(WAL, "factlog")                                                                                              \
	X(CONFLICTS, "conflicts")

enum st_work_dbi {
#define X(id, name) ST_##id,
	ST_WORK_DBIS(X)
#undef X
		ST_WORK_COUNT
};

enum {
	/* Databases run.0 .. run.23 of the facts environment: created with the file, filled and emptied in turn. */
	ST_RUN_SLOTS = 24,
	ST_RUNS_MAX = 16 /* the most live runs; the other databases are being filled, or empty */
};

/* work.mdb */
struct st_work {
	struct st_env env;
	MDB_dbi dbi[ST_WORK_COUNT];
};

/* facts.mdb */
struct st_facts {
	struct st_env env;
	MDB_dbi meta, games, run[ST_RUN_SLOTS];
};
