#include "server/daemon/worker_options.h"

#include <uv.h>

static int read_name(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	size_t size = strlen(text);
	bool good = size >= 1 && size <= 63;
	for (size_t i = 0; good && i < size; i++)
		good = text[i] >= ' ' && text[i] <= '~';
	if (!good)
		return pd_fail_set(fail, PD_E_USAGE, name,
				   "--%s takes 1 to 63 printable characters of ASCII, not '%.80s'", name, text);
	*(const char **)member = text;
	return PD_OK;
}

#define DM_OPTIONS struct dm_worker_options
static const struct dm_option_row rows[] = {
#include "server/daemon/worker_options.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct dm_option_table dm_worker_options_table = {rows, ROWS, "proofd worker"};

static int check_options(const struct dm_worker_options *options, struct pd_fail *fail)
{
	if (!options->join)
		return pd_fail_set(fail, PD_E_USAGE, "join",
				   "--join is missing: proofd worker --join nats://HOST:PORT");
	return dm_check_pair("", options->tls_cert, options->tls_key, fail);
}

int dm_worker_options_parse(int argc, char **argv, struct dm_worker_options *out, struct pd_fail *fail)
{
	*out = (struct dm_worker_options){.log = PD_LOG_INFO, .plugin_timeout_s = SV_PLUGIN_TIMEOUT_S};
	out->worker.threads = uv_available_parallelism();
	out->worker.nice = 19;
	bool given[ROWS] = {false};
	int rc = dm_option_parse(&dm_worker_options_table, argc, argv, out, given, fail);
	if (rc || out->help || out->version)
		return rc;
	rc = sv_game_dirs_env(&out->game_dirs, fail);
	return rc ? rc : check_options(out, fail);
}

void dm_worker_options_fini(struct dm_worker_options *options)
{
	sv_game_dirs_fini(&options->game_dirs);
}

void dm_worker_options_help(FILE *file)
{
	fputs("proofd worker: searches for a proofd on another machine\n\n  proofd worker --join URL [options]\n",
	      file);
	dm_option_help(&dm_worker_options_table, file);
	fputs("\nIt keeps nothing on disk. SIGTERM and SIGINT stop it within a second; others get its tasks.\n"
	      "Exit codes: 0 stopped as asked, 1 failure, or refused by the coordinator, 2 wrong command line.\n",
	      file);
}
