/* A data directory with facts of two workers, one of which is to be found a liar. */
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "server/proofs/backups/backup.h"
#include "server/proofs/maintenance/lies.h"
#include "tests/server/naive_taint.h"

#define ONE UINT64_C(0x0123456789abcdef) /* numbers of workers */
#define TWO UINT64_C(0xfedcba9876543210)

enum { GAME = 1, JOB = 2 };

/* --- a directory with facts of workers ---------------------------------------------------- */

/* Gives the facts of a job to the two workers and leaves some to the job. */
static inline int give_facts(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	for (uint32_t i = 0; i < fact->count; i++) {
		struct pd_reason *r = &(fact->many ? fact->many : fact->few)[i];
		uint64_t draw = pd_hash64(key, size) % 16;
		if (r->job == JOB && draw < 3)
			r->job = pd_giver_of(draw ? ONE : TWO);
	}
	return PD_OK;
}

/* Two solved jobs that share facts, of a game that is number 1. */
static inline void make_directory(char dir[64])
{
	struct insession s;
	struct st_store *store;
	struct pd_fail fail;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	submit_job(&s, "\"game\":\"connect4:4x4\",\"position\":\"2\",\"detail\":\"full\"");
	submit_job(&s, "\"game\":\"connect4:4x4\",\"detail\":\"full\"");
	insession_close(&s);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_facts_rewrite(store, give_facts, NULL, &fail));
	st_close(store);
	assert_clean(dir, NULL);
}

/* What is to be left of its facts when the worker goes. */
static inline struct facts without(const char *dir, uint64_t worker)
{
	struct game *g;
	ck_assert(!game_open("connect4:4x4", NULL, &g, NULL));
	struct facts expected = facts_of(dir);
	struct naive n = naive_taint(&expected, g, GAME, pd_giver_of(worker));
	ck_assert_uint_gt(n.chosen, 0);
	ck_assert_uint_gt(n.fallen, 0);
	game_close(g);
	return expected;
}

static inline void put_text(const char *dir, const char *name, const char *text)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	ck_assert(!fclose(file));
}

static inline void put_file(const char *dir, const char *text)
{
	put_text(dir, "retract", text);
}

static inline bool has_file(const char *dir)
{
	char path[256];
	snprintf(path, sizeof path, "%s/retract", dir);
	return !access(path, F_OK);
}

static inline void write_liar(const char *dir, uint64_t worker)
{
	struct sv_liars liars = {.count = 0};
	struct pd_fail fail;
	sv_liars_add(&liars, pd_giver_of(worker));
	ck_assert(!sv_liars_write(dir, &liars, &fail));
}

static inline bool go_on(void *ctx, const struct st_backup_sum *so_far)
{
	return true;
}

static inline void start_once(const char *dir, const char *place)
{
	struct insession s;
	struct sv_config config;
	sv_config_init(&config);
	config.data = dir;
	config.threads = 0;
	config.backup_dir = place;
	insession_open_as(&s, &config);
	insession_close(&s);
}

static inline void back_up(const char *dir, const char *path)
{
	struct sv_backup_made made;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!sv_backup_directory(dir, path, &(struct sv_backup_watch){go_on, NULL}, &made, &fail), "%s",
		      fail.text);
}

static inline uint64_t restore(const char *backup, const char *dir, const char *knows)
{
	struct sv_restored sum;
	struct pd_fail fail = {.text = ""};
	const struct sv_restore_order order = {backup, dir, knows};
	ck_assert_msg(!sv_restore(&order, &sum, &fail), "%s", fail.text);
	ck_assert(has_file(dir) == (sum.retract > 0));
	return sum.retract;
}

static inline void assert_banned(const char *dir, uint64_t worker)
{
	struct sv_liars banned;
	sv_liars_banned(dir, &banned, NULL);
	ck_assert(sv_liars_name(&banned, pd_giver_of(worker)));
}

/* --- forged facts -------------------------------------------------------------------------- */

static inline size_t key_of(const struct game *g, const char *position, uint8_t key[GAME_KEY_MAX])
{
	uint8_t state[GAME_STATE_MAX] __attribute__((aligned(16)));
	struct pd_fail fail;
	ck_assert(!g->rules->parse(g, position, state, &fail));
	return g->rules->key(g, state, key);
}

/* Stores that First wins tic-tac-toe from there on: a worker has said so, or a job concluded it from all moves. */
static inline void forge_fact(const char *dir, const char *position, uint32_t finder)
{
	const struct pd_reason lie = {.bound = 1,
				      .side = PD_LO,
				      .rank = pd_is_giver(finder) ? 5 : 6,
				      .move = PD_NO_MOVE,
				      .effort = pd_is_giver(finder),
				      .job = finder};
	uint8_t key[GAME_KEY_MAX];
	struct st_store *store;
	struct st_batch *batch;
	struct game *g;
	struct pd_fail fail;
	uint32_t id;
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, &fail));
	size_t size = key_of(g, position, key);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, game_version(g), &id, &fail));
	ck_assert(!st_batch_fact(batch, id, key, size, &lie, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	game_close(g);
}
