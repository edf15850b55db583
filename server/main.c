/* proofd: the daemon. Options, open, run, close; everything else has a place of its own. */
#include <stdio.h>
#include <unistd.h>

#include "proto/out.h"
#include "server/core/core.h"
#include "server/shell/options.h"
#include "server/shell/server.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

/* The line that tells whoever started us that we are ready, and where. */
static void announce(const struct sh_server *server, const char *data)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 1 << 16);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_str(&out, "proofd", PD_VERSION);
	pr_int(&out, "pid", getpid());
	pr_str(&out, "listen", sh_server_address(server));
	pr_str(&out, "socket", sh_server_socket(server));
	pr_str(&out, "data", data);
	pr_close(&out);
	puts(line.failed ? "{}" : line.data);
	fflush(stdout);
	pd_buf_fini(&line);
}

static int serve(const struct sh_options *options, struct pd_fail *fail)
{
	struct sh_server *server;
	struct sv_core *core;
	int rc = sh_server_open(&options->shell, &server, fail);
	if (rc)
		return rc;
	rc = sv_core_open(&options->core, sh_server_wake, server, &core, fail);
	if (!rc) {
		announce(server, options->core.data);
		sh_server_run(server, core);
		sv_core_close(core);
	}
	sh_server_close(server);
	return rc;
}

int main(int argc, char **argv)
{
	struct sh_options options;
	struct pd_fail fail;
	int rc = sh_options_parse(argc, argv, &options, &fail);
	if (!rc && options.help) {
		sh_options_help(stdout);
		return EXIT_OK;
	}
	if (!rc && options.version) {
		puts("proofd " PD_VERSION);
		return EXIT_OK;
	}
	if (!rc) {
		pd_log_threshold(options.log);
		rc = serve(&options, &fail);
	}
	if (!rc)
		return EXIT_OK;
	fprintf(stderr, "proofd: %s\n", fail.text);
	return rc == PD_E_USAGE || rc == PD_E_UNSUPPORTED ? EXIT_USAGE : EXIT_FAILED;
}
