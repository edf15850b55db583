/* Study: variations of a game with comments and marks of moves, which clients keep on the server.
 *
 * A study is a record among those of the jobs, numbered in the same sequence, so what holds for job records on disk
 * holds for it: one transaction each, checksums, existence records, backups, dumps, repair. The record is one JSON
 * object that begins with `{"v":1,"study":`; no job's does. Moves are legal in the game and written as the game writes
 * them. Each change raises the revision by one, and has to name the revision that it changes. */
#pragma once

#include "proto/base/buf.h"
#include "proto/doc.h"
#include "server/common/tokens.h"
#include "solver/games/record.h"
#include "store/store_types.h"

enum {
	SV_STUDIES_MAX = 1000, /* of a server, and of the same client where that has no other limit */
	SV_STUDY_TITLE_MAX = 120,
	SV_STUDY_DEPTH = 512, /* plies */
	SV_STUDY_MOVES = 4000
};

struct sv_study {
	uint32_t id; /* 0: not given yet */
	int64_t revision, created_ms, changed_ms;
	unsigned moves;
	uint64_t source; /* hash of the game record that it was made from; 0: none */
	char title[SV_STUDY_TITLE_MAX + 1], game[GAME_NAME_MAX], client[SV_CLIENT_MAX + 1]; /* client "": none */
	bool changing;        /* a change is being written */
	struct pd_buf record; /* as stored */
};

/* Whether a stored record is a study's; NULL, a damaged one, is a job's. */
bool sv_study_is(const void *bytes, size_t size);
/* Reads a stored record, whose moves are not played. PD_E_CORRUPT, PD_E_NO_MEMORY; *out is then empty. */
int sv_study_read(uint32_t id, const void *bytes, size_t size, struct sv_study *out, struct pd_fail *fail);
/* Prints the record of a study whose other members are set. PD_E_LIMIT when it has too many moves or bytes. */
int sv_study_write(struct sv_study *study, const struct game *game, const struct game_tree *tree, struct pd_fail *fail);
void sv_study_fini(struct sv_study *study);
/* Plays the `nodes` of an object from its `position` on into an initialized tree. PD_E_POSITION, PD_E_MOVE, PD_E_PARAMS
 * with the node's number, counted from 1. */
int sv_study_play(const struct game *game, pr_ref object, struct game_tree *tree, struct pd_fail *fail);

/* The studies of a core, by rising numbers. Under the core's lock. */
struct sv_studies {
	struct sv_study **list; /* owned */
	unsigned count;
	bool once; /* a request with `once` is carried out; others like it wait */
};
void sv_studies_fini(struct sv_studies *studies);
/* Makes room for as many more as threads can add at the same time; false when memory is short. */
bool sv_studies_reserve(struct sv_studies *studies);
/* Its index; `count`: not found. */
unsigned sv_studies_find(const struct sv_studies *studies, int64_t id);
/* Takes over a study, for which there is room; it replaces the one with its number. */
void sv_studies_put(struct sv_studies *studies, struct sv_study *study);
void sv_studies_remove(struct sv_studies *studies, unsigned index);
/* How many the client has. */
unsigned sv_studies_of(const struct sv_studies *studies, const char *client);

/* A change, from a request to the writer and back. */
struct sv_study_change {
	struct sv_study *study; /* what is written */
	bool remove;            /* the study is removed */
	bool done;              /* under the core's lock: `fail` is set, and the number of a new study */
	struct pd_fail fail;    /* code 0: it is on disk */
};
