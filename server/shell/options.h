/* Options: proofd's command line. */
#ifndef SH_OPTIONS_H
#define SH_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "proto/base/error.h"
#include "proto/base/log.h"
#include "server/core/core.h"
#include "server/shell/server.h"

struct sh_options {
	struct sv_config core;    /* strings borrowed from argv */
	struct sh_config shell;
	enum pd_log_level log;
	bool no_socket;           /* --socket none: not even the one in the data directory */
	char token[257];          /* of --token-file; core.token points here */
	bool help, version;       /* asked for; the rest is then not checked */
};

/* PD_E_USAGE, or PD_E_UNSUPPORTED, with the option as field and one sentence. */
int sh_options_parse(int argc, char **argv, struct sh_options *out, struct pd_fail *fail);
void sh_options_help(FILE *file);

#endif
