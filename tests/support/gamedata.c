#include "tests/support/gamedata.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/graph_file.h"

enum { FILE_BYTES_MAX = 1 << 18, KIND_COUNT = 7 };

static const struct {
	const char *name;
	unsigned columns_min, columns_max;
} kinds[KIND_COUNT] = {
	{"open", 1, 1}, {"name", 2, 2},  {"refuse", 1, 1}, {"perft", 3, GAMEDATA_COLUMNS_MAX},
	{"walk", 3, 3}, {"proof", 4, 5}, {"draw", 4, 4},
};

static void stop_program(const char *what, const char *which)
{
	fprintf(stderr, "game data: %s: %s\n", what, which);
	exit(2);
}

/* The file's text, to be freed. */
static char *file_read(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, FILE_BYTES_MAX + 1);
	if (!file || !text)
		stop_program("there is no such file (CONTRIBUTING.md, adding a game)", path);
	*size = fread(text, 1, FILE_BYTES_MAX, file);
	if (ferror(file) || *size == FILE_BYTES_MAX)
		stop_program("cannot be read, or is too long", path);
	fclose(file);
	return text;
}

unsigned gamedata_games(void)
{
	unsigned count = 0;
	while (game_builtin(count))
		count++;
	return count;
}

/* Whether the full name is of that game: the part before the colon. */
static bool names_game(const char *name, const struct game_rules *rules)
{
	size_t size = strcspn(name, ":");
	return strlen(rules->name) == size && !memcmp(rules->name, name, size);
}

static void row_split(char *line, const struct game_rules *rules, struct gamedata_row *row, unsigned *kind)
{
	char *rest = line;
	const char *name = strsep(&rest, "\t");
	for (*kind = 0; *kind < KIND_COUNT && strcmp(kinds[*kind].name, name); (*kind)++)
		;
	while (rest && row->columns < GAMEDATA_COLUMNS_MAX)
		row->column[row->columns++] = strsep(&rest, "\t");
	if (*kind == KIND_COUNT || rest || row->columns < kinds[*kind].columns_min ||
	    row->columns > kinds[*kind].columns_max)
		stop_program("not a row of a known kind with its columns", name);
	if (!names_game(row->column[0], rules))
		stop_program("a row in the file of another game", row->column[0]);
}

static void read_game_rows(unsigned game, const char *kind, struct gamedata *data)
{
	const struct game_rules *rules = game_builtin(game);
	unsigned rows[KIND_COUNT] = {0};
	char path[512];
	size_t size;
	snprintf(path, sizeof path, "%s/%s.tsv", TEST_GAMES, rules->name);
	char *rest = file_read(path, &size); /* the rows point into it: kept */
	while (rest && *rest) {
		char *line = strsep(&rest, "\n");
		struct gamedata_row row = {.game = game};
		unsigned k;
		if (!*line || *line == '#')
			continue;
		row_split(line, rules, &row, &k);
		rows[k]++;
		if (strcmp(kinds[k].name, kind))
			continue;
		if (data->count == GAMEDATA_ROWS_MAX)
			stop_program("too many rows of one kind", kind);
		data->row[data->count++] = row;
	}
	for (unsigned k = 0; k < KIND_COUNT; k++)
		if (!rows[k] && (rules->board || strcmp(kinds[k].name, "draw"))) {
			fprintf(stderr, "game data: %s has no row of the kind '%s'\n", path, kinds[k].name);
			exit(2);
		}
}

/* A file without a game: the game was removed from the registry. */
static void every_file_has_a_game(void)
{
	DIR *dir = opendir(TEST_GAMES);
	if (!dir)
		stop_program("there is no such folder", TEST_GAMES);
	for (const struct dirent *entry; (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name);
		bool found = length < 4 || strcmp(entry->d_name + length - 4, ".tsv") != 0;
		for (unsigned i = 0; !found && game_builtin(i); i++)
			found = strlen(game_builtin(i)->name) == length - 4 &&
				!memcmp(game_builtin(i)->name, entry->d_name, length - 4);
		if (!found)
			stop_program("the file of a game that is not in proto/base/games.def", entry->d_name);
	}
	closedir(dir);
}

/* All rows, so that they stay reachable until the program ends. */
struct kept {
	struct kept *next;
	struct gamedata data;
};

const struct gamedata *gamedata_read(const char *kind)
{
	static struct kept *all;
	struct kept *kept = calloc(1, sizeof *kept);
	if (!kept)
		abort();
	kept->next = all;
	all = kept;
	struct gamedata *data = &kept->data;
	every_file_has_a_game();
	for (unsigned i = 0; game_builtin(i); i++)
		read_game_rows(i, kind, data);
	if (!data->count)
		stop_program("there is no such kind of row", kind);
	return data;
}

struct graph_text {
	const char *bytes;
	size_t size;
};

static int graph_give(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	const struct graph_text *text = ctx;
	return pr_graph_parse(text->bytes, text->size, out, fail);
}

char *gamedata_graph(const char *name, size_t *size)
{
	char path[512];
	*size = 0;
	if (strncmp(name, "andor:", 6))
		return NULL;
	snprintf(path, sizeof path, "%s/%s.json", TEST_GRAPHS, name + 6);
	return file_read(path, size);
}

struct game *gamedata_open(const char *name)
{
	struct graph_text text;
	struct game_host host = {&text, graph_give};
	struct game *game;
	struct pd_fail fail;
	char *bytes = gamedata_graph(name, &text.size);
	text.bytes = bytes;
	if (game_open(name, bytes ? &host : NULL, &game, &fail))
		stop_program(name, fail.text);
	free(bytes);
	return game;
}
