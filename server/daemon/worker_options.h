/* Worker options: the command line of `proofd worker`. worker_options.def is the table of them. */
#pragma once

#include "server/core.h"
#include "server/daemon/log_file.h"
#include "server/daemon/option_table.h"
#include "server/worker/worker.h"

struct dm_worker_options {
	struct wk_config worker; /* strings borrowed from argv; port, seal, where and ended are left to the caller */
	const char *join, *worker_key, *creds, *tls_ca, *tls_cert, *tls_key; /* NULL: not given */
	struct sv_game_dirs game_dirs;
	unsigned plugin_timeout_s;
	enum pd_log_level log;
	enum dm_log_form log_form;
	const char *log_file;
	bool help, version; /* if set, the rest is not checked */
};

extern const struct dm_option_table dm_worker_options_table;

/* argv[0] is the word "worker". PD_E_USAGE with the option as field and one sentence. Afterwards
 * dm_worker_options_fini, also after an error. */
int dm_worker_options_parse(int argc, char **argv, struct dm_worker_options *out, struct pd_fail *fail);
void dm_worker_options_fini(struct dm_worker_options *options);
void dm_worker_options_help(FILE *file);
