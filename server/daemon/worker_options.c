#include "server/daemon/worker_options.h"

#include <getopt.h>
#include <string.h>
#include <uv.h>

#include "proto/base/assert.h"

enum option_id {
	OPT_NONE, /* getopt_long's values begin at 1 */
#define DM_OPTION(id, name, argument, initial, where, help, manual) OPT_##id,
#include "server/daemon/worker_options.def"
	OPT_END
};

static const struct dm_option_row rows[] = {
#define DM_SECTION(title) {.section = title},
#define DM_OPTION(id, name, argument, initial, where, help, manual)                                                    \
	{NULL, name, argument, initial, help, manual, DM_##where, OPT_##id},
#include "server/daemon/worker_options.def"
};

const struct dm_option_row *dm_worker_option_at(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

static int read_name(const char *text, const char **out, struct pd_fail *fail)
{
	size_t size = strlen(text);
	bool good = size >= 1 && size <= 63;
	for (size_t i = 0; good && i < size; i++)
		good = text[i] >= ' ' && text[i] <= '~';
	if (!good)
		return pd_fail_set(fail, PD_E_USAGE, "name",
				   "--name takes 1 to 63 letters, digits and signs of ASCII, not '%.80s'", text);
	*out = text;
	return PD_OK;
}

static int read_memory(const char *text, uint64_t *out, struct pd_fail *fail)
{
	int rc = dm_read_size("memory", text, out, fail);
	if (!rc && *out < WK_MEMORY_MIN)
		rc = pd_fail_set(fail, PD_E_USAGE, "memory", "--memory takes a size from 1M up, not '%.40s'", text);
	return rc;
}

/* Those that are nothing but a word. */
static const char **word_of(enum option_id id, struct dm_worker_options *out)
{
	switch (id) {
	case OPT_JOIN:
		return &out->join;
	case OPT_WORKER_KEY:
		return &out->worker_key;
	case OPT_CREDS:
		return &out->creds;
	case OPT_TLS_CA:
		return &out->tls_ca;
	case OPT_TLS_CERT:
		return &out->tls_cert;
	case OPT_TLS_KEY:
		return &out->tls_key;
	case OPT_GRAPHS:
		return &out->worker.graphs;
	case OPT_LOG_FILE:
		return &out->log_file;
	default:
		return NULL;
	}
}

/* The value is borrowed for as long as `out`, and NULL when the option takes none. */
static int set_option(enum option_id id, const char *value, struct dm_worker_options *out, struct pd_fail *fail)
{
	const char **word = word_of(id, out);
	PD_ASSERT(id > OPT_NONE && id < OPT_END);
	if (word) {
		*word = value;
		return PD_OK;
	}
	switch (id) {
	case OPT_NAME:
		return read_name(value, &out->worker.name, fail);
	case OPT_THREADS:
		return dm_read_unsigned("threads", value, 1, WK_THREADS_MAX, &out->worker.threads, fail);
	case OPT_MEMORY:
		return read_memory(value, &out->worker.memory, fail);
	case OPT_NICE:
		return dm_read_nice(value, &out->worker.nice, fail);
	case OPT_GAME_DIR:
		return sv_game_dirs_add(&out->game_dirs, value, fail);
	case OPT_PLUGIN_TIMEOUT:
		return dm_read_unsigned("plugin-timeout", value, 0, 86400, &out->plugin_timeout_s, fail);
	case OPT_LOG:
		return dm_read_log(value, &out->log, fail);
	case OPT_LOG_FORMAT:
		return dm_read_form(value, &out->log_form, fail);
	case OPT_HELP:
		out->help = true;
		return PD_OK;
	case OPT_VERSION:
		out->version = true;
		return PD_OK;
	default:
		return pd_fail_set(fail, PD_E_USAGE, "", "an option is not known");
	}
}

static int parse_line(int argc, char **argv, struct dm_worker_options *out, struct pd_fail *fail)
{
	static const struct option list[] = {
#define DM_OPTION(id, name, argument, initial, where, help, manual)                                                    \
	{name, (argument) != NULL ? required_argument : no_argument, NULL, OPT_##id},
#include "server/daemon/worker_options.def"
		{0},
	};
	opterr = 0;
	optind = 0;
	for (int id; (id = getopt_long(argc, argv, ":h", list, NULL)) != -1;) {
		const char *word = argv[optind - 1];
		if (id == ':')
			return pd_fail_set(fail, PD_E_USAGE, word, "%.80s needs a value; see proofd worker --help",
					   word);
		if (id == '?')
			return pd_fail_set(
				fail, PD_E_USAGE, word,
				"%.80s is not an option of a worker, or takes no value; see proofd worker --help",
				word);
		int rc = set_option(id == 'h' ? OPT_HELP : (enum option_id)id, optarg, out, fail);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return pd_fail_set(fail, PD_E_USAGE, argv[optind],
				   "'%.80s' is one word too many; see proofd worker --help", argv[optind]);
	return PD_OK;
}

static int check(const struct dm_worker_options *options, struct pd_fail *fail)
{
	if (!options->join)
		return pd_fail_set(fail, PD_E_USAGE, "join",
				   "say where the work comes from: proofd worker --join nats://HOST:PORT");
	if (!options->tls_cert != !options->tls_key)
		return pd_fail_set(fail, PD_E_USAGE, options->tls_cert ? "tls-key" : "tls-cert",
				   "--tls-cert and --tls-key belong together: a certificate and its key");
	return PD_OK;
}

int dm_worker_options_parse(int argc, char **argv, struct dm_worker_options *out, struct pd_fail *fail)
{
	*out = (struct dm_worker_options){.log = PD_LOG_INFO, .plugin_timeout_s = SV_PLUGIN_TIMEOUT_S};
	out->worker.threads = uv_available_parallelism();
	out->worker.nice = 19;
	int rc = parse_line(argc, argv, out, fail);
	if (rc || out->help || out->version)
		return rc;
	rc = sv_game_dirs_env(&out->game_dirs, fail);
	return rc ? rc : check(out, fail);
}

void dm_worker_options_fini(struct dm_worker_options *options)
{
	sv_game_dirs_fini(&options->game_dirs);
}

void dm_worker_options_help(FILE *file)
{
	fputs("proofd worker: searches for a proofd on another machine\n\n  proofd worker --join URL [options]\n",
	      file);
	dm_option_help(rows, sizeof rows / sizeof *rows, file);
	fputs("\nIt keeps nothing on disk. SIGTERM and SIGINT stop it within a second; what it has in hand goes to "
	      "others.\n"
	      "Exit codes: 0 stopped as asked, 1 failure, or refused by the coordinator, 2 wrong command line.\n",
	      file);
}
