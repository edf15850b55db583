#include "server/common/game_tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/log.h"
#include "store/tables.h"

_Static_assert((int)PN_TABLE_DIGEST == (int)PD_TABLE_DIGEST, "a witness is a digest");

/* The tables of a game. They belong to the game once they are attached. */
struct opened {
	const struct game *game;
	unsigned count;
	struct pn_table *tables; /* owned, with the files */
	struct pd_fail *fail;
};

static void close_tables(void *ctx)
{
	struct opened *o = ctx;
	for (unsigned i = 0; i < o->count; i++)
		st_table_close(o->tables[i].file);
	free(o->tables);
	free(o);
}

static int keep_table(struct opened *o, const struct game_class *class, struct st_table_file *file)
{
	struct pn_table *tables = realloc(o->tables, (o->count + 1) * sizeof *tables);
	if (!tables)
		return pd_fail_set(o->fail, PD_E_NO_MEMORY, "", "no memory for tables");
	o->tables = tables;
	tables[o->count] = (struct pn_table){.class = *class, .file = file};
	memcpy(tables[o->count].digest, st_table_head(file)->digest, PN_TABLE_DIGEST);
	o->count++;
	return PD_OK;
}

static int open_table(void *ctx, const char *path, const char *name)
{
	struct opened *o = ctx;
	const struct game *g = o->game;
	char prefix[ST_TABLE_NAME];
	struct game_class class;
	struct st_table_file *file;
	struct pd_fail why;
	st_table_name(g->name, "", "", prefix);
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return PD_OK;
	int rc = st_table_open(path, &file, &why);
	if (rc == PD_E_NO_MEMORY)
		return pd_fail_set(o->fail, rc, why.field, "%s", why.text);
	if (rc && rc != PD_E_NOT_FOUND) /* not removed meanwhile */
		pd_log(PD_LOG_ERROR, "%s; it is not used", why.text);
	if (rc)
		return PD_OK;
	const struct pd_table_head *h = st_table_head(file);
	if (!st_table_named(file, name)) {
		pd_log(PD_LOG_ERROR, "%.300s has the header of the table %s of %s; it is not used", path, h->class,
		       h->game);
		st_table_close(file);
		return PD_OK;
	}
	if (strcmp(h->game, g->name) != 0) {
		st_table_close(file);
		return PD_OK;
	}
	if (h->rules != g->rules_version || g->rules->classes->open(g, h->class, &class, &why) ||
	    class.size != h->size) {
		pd_log(PD_LOG_WARN, "%.300s is a table of other rules of %s and is not used", path, g->name);
		st_table_close(file);
		return PD_OK;
	}
	rc = keep_table(o, &class, file);
	if (rc)
		st_table_close(file);
	return rc;
}

/* Whether a table is missing on which another one rests (pn_tables_gap), and which. */
static bool tell_gap(const struct game *game, const void *state, char out[SV_MISSING_HINT])
{
	char above[GAME_CLASS_NAME], below[GAME_CLASS_NAME];
	bool gap = pn_tables_gap(game, state, above, below);
	if (gap)
		snprintf(out, SV_MISSING_HINT,
			 "the table %s rests on the table %s, which is missing: proofctl table build %s %s", above,
			 below, game->name, above);
	return gap;
}

const char *sv_missing_hint(const struct game *game, const void *state, char out[SV_MISSING_HINT])
{
	return tell_gap(game, state, out) ? out : "proofctl check lists all that is damaged";
}

static void report_gap(const struct game *game)
{
	char text[SV_MISSING_HINT];
	if (tell_gap(game, NULL, text))
		pd_log(PD_LOG_WARN, "some proofs will lack positions: %s", text);
}

static int attach_tables(const char *dir, struct game *game, struct pd_fail *fail)
{
	if (!dir || !pn_tables_possible(game))
		return PD_OK;
	struct opened *o = calloc(1, sizeof *o);
	if (!o)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for tables");
	*o = (struct opened){.game = game, .fail = fail};
	const struct pn_table_source source = {st_table_get, close_tables, o};
	int rc = st_tables_each(dir, ST_TABLE_SUFFIX, open_table, o, fail);
	if (!rc && o->count)
		rc = pn_tables_attach(game, o->tables, o->count, &source, fail);
	if (rc || !o->count)
		close_tables(o);
	else
		report_gap(game);
	return rc;
}

int sv_game_open(const char *dir, const char *name, const struct game_host *host, struct game **out,
		 struct pd_fail *fail)
{
	int rc = game_open(name, host, out, fail);
	if (rc)
		return rc;
	rc = attach_tables(dir, *out, fail);
	if (rc) {
		game_close(*out);
		*out = NULL;
	}
	return rc;
}
