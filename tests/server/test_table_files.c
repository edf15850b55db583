/* Table files: what is read and copied while somebody writes to them, and what cannot be opened. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "server/common/game_tables.h"
#include "server/proofs/tables/table_build.h"
#include "server/proofs/tables/table_copy.h"
#include "store/tables.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/whole_file.h"

enum { FILE_MAX = 1 << 16, PATH = 500 };

/* A table of losing chess in a directory of its own. */
struct sample {
	char dir[200], path[PATH];
	uint8_t bytes[FILE_MAX];
	size_t size;
	uint16_t block[PD_TABLE_BLOCK]; /* its first one */
	unsigned count;
};

static void table_path(const char *dir, const char *class, char out[PATH])
{
	char name[ST_TABLE_NAME];
	st_table_name("antichess", class, ST_TABLE_SUFFIX, name);
	ck_assert_int_lt(snprintf(out, PATH, "%s/tables/%s", dir, name), PATH);
}

static void build_class(const char *dir, const char *class)
{
	struct sv_table_order order = {
		.dir = dir, .game = "antichess", .class = class, .threads = 1, .checkpoint_s = 100};
	struct sv_table_built built;
	struct pd_fail fail;
	ck_assert_msg(!sv_table_build(&order, &built, &fail), "%s", fail.text);
}

static struct sample *sample_new(const char *class)
{
	struct sample *s = calloc(1, sizeof *s);
	struct pd_table table;
	storedir_new(s->dir, sizeof s->dir);
	build_class(s->dir, class);
	table_path(s->dir, class, s->path);
	s->size = whole_file_read(s->path, s->bytes, FILE_MAX);
	ck_assert_ptr_null(pd_table_open(&table, s->bytes, s->size));
	s->count = pd_table_unpack(&table, 0, s->block);
	ck_assert_uint_gt(s->count, 0);
	return s;
}

static void remove_all(const char *dir)
{
	char path[PATH];
	snprintf(path, sizeof path, "%s/tables", dir);
	storedir_remove(path);
	storedir_remove(dir);
}

static void sample_free(struct sample *s)
{
	remove_all(s->dir);
	free(s);
}

static bool has_entries(struct st_table_file *file, const struct sample *f)
{
	uint16_t block[PD_TABLE_BLOCK], entry;
	unsigned n = st_table_unpack(file, 0, block);
	bool there = st_table_get(file, 0, &entry);
	ck_assert(!memcmp(block, f->block, n * sizeof *block));
	ck_assert(!there || entry == f->block[0]);
	ck_assert_int_eq(there, n > 0);
	return there;
}

/* Another table of the same length is written to the file of one that is in use: its blocks have the same places, and
 * right checksums. */
START_TEST(another_table_in_its_place_is_damage)
{
	struct sample *f = sample_new("RvB"), *other = sample_new("QvB");
	struct pd_fail fail;
	struct st_table_file *file;
	ck_assert_uint_eq(f->size, other->size);
	ck_assert(memcmp(f->block, other->block, sizeof f->block) != 0);
	ck_assert(!st_table_open(f->path, &file, &fail));
	ck_assert(has_entries(file, f));
	whole_file_write(f->path, other->bytes, other->size);
	ck_assert(!has_entries(file, f));
	whole_file_write(f->path, f->bytes, f->size);
	ck_assert(has_entries(file, f));
	st_table_close(file);
	sample_free(f);
	sample_free(other);
}
END_TEST

/* Writes rubbish to the file and what was there, again and again; `pause`: the rubbish stays for a while. */
static void spoil_for_ever(const struct sample *f, bool pause)
{
	uint8_t *rubbish = malloc(f->size);
	int fd = open(f->path, O_WRONLY);
	uint64_t seed = 1;
	if (!rubbish || fd < 0)
		_exit(1);
	for (;;) {
		for (size_t i = 0; i < f->size; i++)
			rubbish[i] = (uint8_t)walk_below(&seed, 256);
		if (pwrite(fd, rubbish, f->size, 0) < 0 || (pause && usleep(1)) || pwrite(fd, f->bytes, f->size, 0) < 0)
			_exit(1);
		usleep(1);
	}
}

/* What was checked is what is read, also when the bytes change between the two. */
START_TEST(what_changes_meanwhile_is_damage_or_right)
{
	struct sample *f = sample_new("PvP");
	struct pd_fail fail;
	struct st_table_file *file;
	unsigned rounds = effort_of(50000, 200);
	ck_assert(!st_table_open(f->path, &file, &fail));
	pid_t child = fork_child();
	if (!child)
		spoil_for_ever(f, false);
	for (unsigned i = 0; i < rounds; i++) {
		uint16_t block[PD_TABLE_BLOCK];
		unsigned n = st_table_unpack(file, 0, block);
		ck_assert(!memcmp(block, f->block, n * sizeof *block));
	}
	ck_assert(!kill(child, SIGKILL));
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	st_table_close(file);
	sample_free(f);
}
END_TEST

/* A copy of a table that somebody writes to is what was there, or is left out and named. */
START_TEST(copies_are_right_or_left_out)
{
	struct sample *f = sample_new("KvN");
	struct pd_fail fail;
	struct sv_tables_copied out;
	unsigned rounds = effort_of(1000, 300);
	char dir[200], path[PATH];
	uint8_t *copy = malloc(FILE_MAX);
	storedir_new(dir, sizeof dir);
	table_path(dir, "KvN", path);
	pid_t child = fork_child();
	if (!child)
		spoil_for_ever(f, true);
	for (unsigned i = 0; i <= rounds; i++) {
		if (i == rounds) { /* the last one: nobody writes any more */
			ck_assert(!kill(child, SIGKILL));
			ck_assert_int_eq(waitpid(child, NULL, 0), child);
			whole_file_write(f->path, f->bytes, f->size);
		}
		ck_assert_msg(!sv_tables_copy(f->dir, dir, &out, &fail), "%s", fail.text);
		ck_assert_uint_eq(out.tables + out.left_out.count, 1);
		ck_assert(out.tables || !strncmp(out.left_out.text, "table antichess.KvN.table: ", 27));
		ck_assert_int_eq(access(path, F_OK), out.tables ? 0 : -1);
		if (!out.tables)
			continue;
		ck_assert_uint_eq(whole_file_read(path, copy, FILE_MAX), f->size);
		ck_assert(!memcmp(copy, f->bytes, f->size));
	}
	ck_assert_uint_eq(out.tables, 1);
	sample_free(f);
	remove_all(dir);
	free(copy);
}
END_TEST

/* A game is opened with the tables that can be read. */
START_TEST(what_cannot_be_opened_is_left_out)
{
	struct game *game;
	struct pd_fail fail;
	struct pd_fact fact = {0};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char dir[200], path[PATH];
	storedir_new(dir, sizeof dir);
	build_class(dir, "KvK");
	table_path(dir, "KvN", path);
	ck_assert(!symlink("nowhere", path));
	ck_assert(!sv_game_open(dir, "antichess", NULL, &game, &fail));
	ck_assert(!game->rules->parse(game, "8/8/8/3k4/8/8/8/K7 w - -", state, &fail));
	ck_assert_int_eq(pn_tables_fact(game, state, &fact, &fail), 1);
	ck_assert(!game->rules->parse(game, "8/8/8/3n4/8/8/8/K7 w - -", state, &fail));
	ck_assert_int_eq(pn_tables_fact(game, state, &fact, &fail), 0);
	pd_fact_fini(&fact);
	game_close(game);
	remove_all(dir);
}
END_TEST

/* A gap is told of the positions that it concerns. */
START_TEST(a_gap_has_two_ends)
{
	static const struct {
		const char *text;
		bool gap;
	} at[] = {{"8/8/8/3k4/8/8/7b/K7 w - -", true},
		  {"8/8/8/3k4/8/8/8/K7 w - -", true},
		  {"8/8/8/3b4/8/8/8/K7 w - -", false},
		  {"8/8/8/3kb3/8/8/8/KB6 w - -", false}};
	struct game *game;
	struct pd_fail fail;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char dir[200], path[PATH], above[GAME_CLASS_NAME], below[GAME_CLASS_NAME];
	storedir_new(dir, sizeof dir);
	build_class(dir, "KBvK");
	ck_assert(!sv_game_open(dir, "antichess", NULL, &game, &fail));
	ck_assert(!pn_tables_gap(game, NULL, above, below));
	game_close(game);
	table_path(dir, "KvK", path);
	ck_assert(!unlink(path));
	ck_assert(!sv_game_open(dir, "antichess", NULL, &game, &fail));
	ck_assert(pn_tables_gap(game, NULL, above, below));
	ck_assert_str_eq(above, "KBvK");
	ck_assert_str_eq(below, "KvK");
	for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
		ck_assert_msg(!game->rules->parse(game, at[i].text, state, &fail), "%s", fail.text);
		ck_assert_int_eq(pn_tables_gap(game, state, above, below), at[i].gap);
	}
	game_close(game);
	remove_all(dir);
}
END_TEST

SUITE(table_files)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, another_table_in_its_place_is_damage);
	tcase_add_test(c, what_changes_meanwhile_is_damage_or_right);
	tcase_add_test(c, copies_are_right_or_left_out);
	tcase_add_test(c, what_cannot_be_opened_is_left_out);
	tcase_add_test(c, a_gap_has_two_ends);
}
