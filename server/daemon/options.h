/* Options: proofd's command line. options.def is the table of them. */
#ifndef DM_OPTIONS_H
#define DM_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "proto/base/log.h"
#include "server/core.h"
#include "server/daemon/server.h"

enum dm_option_where { DM_ANYWHERE, DM_LINE_ONLY, DM_REPEATED };

/* A row of options.def: a section's title, or an option. */
struct dm_option_row {
	const char *section; /* NULL: an option */
	const char *name, *argument, *initial, *help, *manual;
	enum dm_option_where where;
	int id;
};

/* The rows in their order; NULL behind the last. */
const struct dm_option_row *dm_option_at(unsigned i);

struct dm_options {
	struct sv_config core; /* strings borrowed from argv */
	struct dm_config server;
	struct sv_game_dirs game_dirs; /* core.game_dirs points here */
	enum pd_log_level log;
	bool no_socket;     /* --socket none: not even the one in the data directory */
	char token[257];    /* of --token-file; core.token points here */
	bool help, version; /* asked for; the rest is then not checked */
};

/* PD_E_USAGE, or PD_E_UNSUPPORTED, with the option as field and one sentence. */
int dm_options_parse(int argc, char **argv, struct dm_options *out, struct pd_fail *fail);
void dm_options_help(FILE *file);

#endif
