#include "server/proofs/tables/table_list.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "server/proofs/tables/table_file.h"
#include "solver/table_theorem.h"
#include "store/files.h"
#include "store/tables.h"

static const char misnamed[] = "it has the header of another table";

struct listing {
	int (*each)(void *ctx, const char *file, const char *game, const struct sv_table_built *table,
		    const char *wrong);
	void *ctx;
	struct pd_fail *fail;
};

static int list_file(void *ctx, const char *path, const char *name)
{
	struct listing *l = ctx;
	struct sv_table_built built = {0};
	struct st_table_file *file;
	int rc = st_table_open(path, &file, l->fail);
	if (rc == PD_E_NOT_FOUND) /* removed meanwhile */
		return PD_OK;
	if (rc)
		return rc == PD_E_NO_MEMORY ? rc : l->each(l->ctx, name, NULL, NULL, l->fail->text);
	sv_table_tell(file, &built);
	if (st_table_named(file, name))
		rc = l->each(l->ctx, name, st_table_head(file)->game, &built, NULL);
	else
		rc = l->each(l->ctx, name, NULL, NULL, misnamed);
	st_table_close(file);
	return rc;
}

int sv_tables_list(const char *dir,
		   int (*each)(void *ctx, const char *file, const char *game, const struct sv_table_built *table,
			       const char *wrong),
		   void *ctx, struct pd_fail *fail)
{
	struct listing l = {each, ctx, fail};
	return st_tables_each(dir, ST_TABLE_SUFFIX, list_file, &l, fail);
}

bool sv_table_is_there(const char *dir, const char *file, const uint8_t digest[32])
{
	char folder[ST_PATH], path[ST_PATH];
	struct st_table_file *table;
	if (st_path(folder, dir, ST_TABLES, "", NULL) || st_path(path, folder, file, "", NULL) ||
	    st_table_open(path, &table, NULL))
		return false;
	bool same = !memcmp(st_table_head(table)->digest, digest, PD_TABLE_DIGEST);
	st_table_close(table);
	return same;
}

struct unfinished {
	int (*each)(void *ctx, const char *game, const char *class, uint64_t bytes);
	void *ctx;
};

static int tell_unfinished(void *ctx, const char *path, const char *name)
{
	const struct unfinished *u = ctx;
	char text[PD_TABLE_HEADER_MAX] = "", game[PD_TABLE_GAME] = "", class[PD_TABLE_CLASS] = "";
	struct stat st;
	(void)name;
	if (stat(path, &st)) /* removed meanwhile */
		return PD_OK;
	FILE *in = st_open_regular(path);
	if (in) {
		text[fread(text, 1, sizeof text - 1, in)] = 0;
		fclose(in);
	}
	_Static_assert(PD_TABLE_GAME == 96 && PD_TABLE_CLASS == 32, "the widths below");
	return sscanf(text, "proofd table 1\ngame: %95[^\n]\nrules: %*[0-9]\nclass: %31[^\n]\n", game, class) == 2
		       ? u->each(u->ctx, game, class, (uint64_t)st.st_size)
		       : PD_OK;
}

int sv_tables_unfinished(const char *dir, int (*each)(void *ctx, const char *game, const char *class, uint64_t bytes),
			 void *ctx, struct pd_fail *fail)
{
	struct unfinished u = {each, ctx};
	return st_tables_each(dir, ST_UNFINISHED, tell_unfinished, &u, fail);
}

struct examination {
	int (*each)(void *ctx, const char *path, const char *wrong);
	void *ctx;
	struct pd_fail *fail;
};

static int examine_file(void *ctx, const char *path, const char *name)
{
	struct examination *x = ctx;
	struct st_table_file *file;
	int rc = st_table_open(path, &file, x->fail);
	if (rc == PD_E_NOT_FOUND) /* removed meanwhile */
		return PD_OK;
	if (!rc) {
		rc = st_table_named(file, name) ? sv_table_sound(file, x->fail)
						: pd_fail_set(x->fail, PD_E_CORRUPT, "tables", "%s", misnamed);
		st_table_close(file);
	}
	bool damaged = rc == PD_E_CORRUPT || rc == PD_E_IO;
	return rc && !damaged ? rc : x->each(x->ctx, path, rc ? x->fail->text : NULL);
}

int sv_tables_examine(const char *dir, int (*each)(void *ctx, const char *path, const char *wrong), void *ctx,
		      struct pd_fail *fail)
{
	struct examination x = {each, ctx, fail};
	return st_tables_each(dir, ST_TABLE_SUFFIX, examine_file, &x, fail);
}

int sv_table_class_at(const char *name, unsigned men, unsigned n, char out[GAME_CLASS_NAME], struct pd_fail *fail)
{
	struct game *game;
	struct game_class class;
	if (game_open(name, NULL, &game, fail))
		return -1;
	bool found = false;
	int rc = pn_tables_possible(game) ? PD_OK
					  : pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
							"%s has no classes of positions for tables", game->name);
	if (!rc)
		found = game->rules->classes->at(game, men, n, &class);
	if (found)
		memcpy(out, class.name, GAME_CLASS_NAME);
	game_close(game);
	return rc ? -1 : found;
}
