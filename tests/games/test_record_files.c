/* The corpus of records, tests/data/records: each file leads to the position that its table says. And what a reader
 * takes it has read whole: a file with a mark of its format damaged is refused or gives the same moves, one that is cut
 * off is refused, and so is one with something behind its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/record.h"
#include "tests/support/effort.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { ROWS_MAX = 400, FILES_MIN = 150, LINE_BYTES = 1024, DAMAGES = 400, CUTS = 200 };

/* A row of the table, and its file. */
static struct row {
	char file[64], game[GAME_NAME_MAX], position[512];
	unsigned number, moves;
	char *text;
} rows[ROWS_MAX];
static unsigned row_count;

static char *read_all(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/records/%s", TEST_DATA, name);
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, GAME_RECORD_BYTES + 1);
	if (!file || !text || !fread(text, 1, GAME_RECORD_BYTES, file)) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	fclose(file);
	return text;
}

static void read_table(const char *name)
{
	char *table = read_all(name), *rest = table;
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		struct row *row = &rows[row_count];
		if (*line == '#')
			continue;
		if (row_count == ROWS_MAX || sscanf(line, "%63[^\t]\t%95[^\t]\t%u\t%u\t%511[^\n]", row->file, row->game,
						    &row->number, &row->moves, row->position) != 5) {
			fprintf(stderr, "%s: %s\n", name, line);
			exit(2);
		}
		row->text = read_all(row->file);
		row_count++;
	}
	free(table);
}

struct reading {
	struct walk_state state;
	struct game_played played;
	struct pd_fail fail;
	int rc;
};

static struct reading read_text(const struct game *game, const char *text, unsigned number)
{
	struct reading r = {.played = {.number = number}};
	game->rules->start(game, &r.state);
	r.rc = game_play_record(game, text, true, &r.state, &r.played, &r.fail);
	if (r.rc)
		ck_assert_msg(r.rc == PD_E_MOVE && !strcmp(r.fail.field, "moves") && r.fail.text[0], "%s", text);
	return r;
}

START_TEST(files_lead_to_their_positions)
{
	const struct row *row = &rows[_i];
	struct game *game = open_game(row->game);
	char text[GAME_TEXT_MAX];
	struct reading r = read_text(game, row->text, row->number);
	ck_assert_msg(!r.rc, "%s: %s", row->file, r.fail.text);
	game->rules->print(game, &r.state, text, sizeof text);
	ck_assert_msg(r.played.count == row->moves, "%s: %u moves", row->file, r.played.count);
	struct walk_state wanted;
	ck_assert_msg(!game->rules->parse(game, row->position, &wanted, &r.fail), "%s", r.fail.text);
	uint8_t key[GAME_KEY_MAX], other[GAME_KEY_MAX];
	size_t size = game->rules->key(game, &r.state, key);
	ck_assert_msg(game->rules->key(game, &wanted, other) == size && !memcmp(key, other, size), "%s: %s", row->file,
		      text);
	if (row->number) {
		r = read_text(game, row->text, 0);
		ck_assert_msg(r.rc && strstr(r.fail.text, "choose one"), "%s: %s", row->file, r.fail.text);
	}
	game_close(game);
}
END_TEST

/* What marks the structure of the formats. */
static const char marks[] = "[](){}\";\\%$*";
static const char brackets[] = "[](){}\"";

static void check_damaged(const struct game *game, const struct row *row, const struct reading *whole, const char *text,
			  size_t at)
{
	struct reading r = read_text(game, text, row->number);
	ck_assert_msg(
		r.rc || (r.played.count == whole->played.count && !memcmp(&r.state, &whole->state, game->state_size)),
		"%s: damaged at byte %zu it gives %u moves: %.60s", row->file, at, r.played.count,
		text + (at < 20 ? 0 : at - 20));
}

/* A mark is left out, doubled, or another one in its place. */
START_TEST(damaged_marks_are_refused_or_change_nothing)
{
	const struct row *row = &rows[_i];
	struct game *game = open_game(row->game);
	uint64_t seed = walk_seed("games.record_files", 17) + (uint64_t)_i;
	size_t size = strlen(row->text), places = 0;
	const struct reading whole = read_text(game, row->text, row->number);
	char *text = malloc(size + 2);
	size_t *place = malloc((size + 1) * sizeof *place);
	ck_assert(text && place && !whole.rc);
	for (size_t i = 0; i < size; i++)
		if (strchr(marks, row->text[i]))
			place[places++] = i;
	for (unsigned n = 0; places && n < effort_of(DAMAGES, 40); n++) {
		size_t at = place[walk_below(&seed, (unsigned)places)];
		unsigned way = walk_below(&seed, 2 + (strchr(brackets, row->text[at]) ? sizeof brackets - 1 : 0));
		size_t keep = at + (way != 0), from = at + (way != 1); /* 0: left out; 1: doubled */
		memcpy(text, row->text, keep);
		memcpy(text + keep, row->text + from, size + 1 - from);
		if (way > 1)
			text[at] = brackets[way - 2];
		check_damaged(game, row, &whole, text, at);
	}
	free(text);
	free(place);
	game_close(game);
}
END_TEST

/* Formats with an end of their own. */
static bool has_end(const struct row *row)
{
	const char *dot = strrchr(row->file, '.');
	return !strcmp(dot, ".sgf") || !strcmp(dot, ".ggf") ||
	       (!strcmp(dot, ".pgn") && strstr(row->text, "[Result ") != NULL);
}

START_TEST(cut_files_are_refused)
{
	const struct row *row = &rows[_i];
	struct game *game = open_game(row->game);
	uint64_t seed = walk_seed("games.record_files", 18) + (uint64_t)_i;
	size_t size = strlen(row->text), end = size;
	const struct reading whole = read_text(game, row->text, row->number);
	char *text = malloc(size + 1);
	ck_assert(text && !whole.rc);
	while (end && strchr(" \r\n", row->text[end - 1]))
		end--;
	for (unsigned n = 0; n < effort_of(CUTS, 20) && has_end(row); n++) {
		size_t cut = n < 8 ? end - 1 - n : 4 + walk_below(&seed, (unsigned)end - 4);
		memcpy(text, row->text, cut);
		text[cut] = 0;
		struct reading r = read_text(game, text, row->number);
		if (row->number) /* of several games only what was cut off may be missing */
			check_damaged(game, row, &whole, text, cut);
		else
			ck_assert_msg(r.rc, "%s: cut to %zu bytes it is read", row->file, cut);
	}
	free(text);
	game_close(game);
}
END_TEST

START_TEST(what_follows_the_end_is_refused)
{
	static const char *const more[] = {"]", ")", "}", "zz", "\"", "\\"};
	const struct row *row = &rows[_i];
	struct game *game = open_game(row->game);
	size_t size = strlen(row->text);
	char *text = malloc(size + 8);
	ck_assert(text != NULL);
	for (unsigned i = 0; i < sizeof more / sizeof *more; i++) {
		snprintf(text, size + 8, "%s\n%s", row->text, more[i]);
		struct reading r = read_text(game, text, row->number);
		ck_assert_msg(r.rc, "%s: with %s behind it", row->file, more[i]);
	}
	free(text);
	game_close(game);
}
END_TEST

START_TEST(there_are_many_in_all_formats)
{
	static const char *const formats[] = {".pgn", ".sgf", ".ggf", ".epd", ".txt"};
	unsigned files = 0, of[5] = {0};
	for (unsigned i = 0; i < row_count; i++) {
		files += !i || strcmp(rows[i].file, rows[i - 1].file);
		for (unsigned j = 0; j < 5; j++)
			of[j] += strstr(rows[i].file, formats[j]) != NULL;
	}
	ck_assert_uint_ge(files, FILES_MIN);
	for (unsigned j = 0; j < 5; j++)
		ck_assert_uint_ge(of[j], 4);
}
END_TEST

SUITE(record_files)
{
	read_table("records.tsv");
	read_table("setups.tsv"); /* stones that are set up, swaps, large boards */
	tcase_add_test(c, there_are_many_in_all_formats);
	tcase_add_loop_test(c, files_lead_to_their_positions, 0, (int)row_count);
	tcase_add_loop_test(c, damaged_marks_are_refused_or_change_nothing, 0, (int)row_count);
	tcase_add_loop_test(c, cut_files_are_refused, 0, (int)row_count);
	tcase_add_loop_test(c, what_follows_the_end_is_refused, 0, (int)row_count);
}
