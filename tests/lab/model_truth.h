/* Truth: what a small store should contain, in plain arrays without a pointer, so that it can lie in memory that
 * processes share. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "store/store.h"

enum {
	TRUTH_JOBS = 4,     /* numbers 1..4 at most */
	TRUTH_GAMES = 3,    /* names 0..2 */
	TRUTH_IDS = 400,    /* identities of table entries of a job */
	TRUTH_KEYS = 40,    /* exact keys of a game */
	TRUTH_REASONS = 136 /* of a fact, at most */
};

/* A layer of a table: which version of each entry it has; 0: none. */
struct truth_layer {
	uint32_t version[TRUTH_IDS];
};

struct truth_job {
	bool put;        /* it has a record */
	uint32_t record; /* its salt */
	uint32_t size;   /* and its bytes */
	uint32_t events;
	struct pd_id question;
	/* A finished snapshot replaces the old one, and what the journal got since it began becomes the journal. */
	bool snapshotting;
	struct truth_layer snapshot, journal, next_snapshot, since;
};

struct truth_fact {
	uint32_t count;
	struct pd_reason reason[TRUTH_REASONS];
};

struct truth {
	uint32_t jobs, games;         /* given so far */
	uint32_t number[TRUTH_GAMES]; /* of each name; 0: none */
	uint32_t conflicts;           /* written down */
	struct truth_job job[TRUTH_JOBS + 1];
	struct truth_fact fact[TRUTH_GAMES][TRUTH_KEYS];
};

void truth_game_name(uint32_t name, char *out, size_t size);
struct st_tt_entry truth_entry(uint32_t job, uint32_t id, uint32_t version);
/* Bytes of a record or of an event: `size` of them. */
void truth_bytes(uint32_t salt, void *out, size_t size);
size_t truth_event_size(uint32_t number);
void truth_table(struct truth_job *job, uint32_t id, uint32_t version);
void truth_snapshot_start(struct truth_job *job);
void truth_snapshot_end(struct truth_job *job);
void truth_drop(struct truth_job *job);
void truth_add(struct truth_fact *fact, const struct pd_reason *reason);
/* What a rewrite with this salt leaves of a fact. */
void truth_sift(uint32_t salt, const uint8_t *key, size_t size, struct pd_fact *fact);
void truth_rewrite(struct truth *truth, uint32_t salt);
/* A start of the store forgets unfinished snapshots. */
void truth_reopened(struct truth *truth);
uint64_t truth_facts(const struct truth *truth);
/* NULL when the store has exactly this, else what differs (a text that lives until the next call). */
const char *truth_compare(const struct truth *truth, struct st_store *store);
