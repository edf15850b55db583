/* Options: proofd's command line. options.def is the table of them. */
#pragma once

#include "server/daemon/log_file.h"
#include "server/daemon/option_table.h"
#include "server/daemon/server.h"

extern const struct dm_option_table dm_options_table;

/* Workers on other machines. */
struct dm_workers {
	const char *url, *tls_ca, *tls_cert, *tls_key, *creds, *key; /* NULL: not given */
	unsigned verify_sealed, verify_others; /* percent, for workers with the key and for others */
	uint64_t share;                        /* bytes a second */
};

struct dm_options {
	struct sv_config core; /* strings borrowed from argv and from `words` */
	struct nt_config server;
	struct sv_game_dirs game_dirs; /* core.game_dirs points here */
	struct dm_workers workers;
	enum pd_log_level log;
	enum dm_log_form log_form;
	const char *data_group; /* NULL: none */
	bool memory_only;
	bool no_socket;          /* --socket none: not even the one in the data directory */
	struct sv_tokens tokens; /* of --token-file; core.tokens points here */
	bool help, version;      /* if set, the rest is not checked */
	const char *config;      /* --config */
	struct dm_words *words;  /* owned: values from that file */
};

/* Reads the command line and the configuration file that it names. PD_E_USAGE or PD_E_UNSUPPORTED with the option as
 * field. Afterwards dm_options_fini, also after an error. */
int dm_options_parse(int argc, char **argv, struct dm_options *out, struct pd_fail *fail);
void dm_options_fini(struct dm_options *options);
/* Logs if other users may do too much with the configuration file. */
void dm_options_warn(const struct dm_options *options);
/* Reads a configuration file alone; for tests. */
int dm_options_config(struct dm_options *options, const char *text, size_t size, struct pd_fail *fail);
void dm_options_help(FILE *file);
