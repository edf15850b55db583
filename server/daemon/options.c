/* Options: see options.h. Parser and --help come from one table. */
#include "server/daemon/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <uv.h>

#include "proto/base/assert.h"
#include "proto/base/distance.h"
#include "proto/base/log.h"
#include "server/net/conn.h"
#include "server/daemon/options_file.h"

#define VERIFY_OTHERS 10 /* percent */
#define KEEP_JOBS     10000
#define KEEP_BYTES    (UINT64_C(16) << 30)

enum option_id {
	OPT_NONE, /* getopt_long's values begin at 1 */
#define DM_OPTION(id, name, argument, initial, where, help, manual) OPT_##id,
#include "server/daemon/options.def"
	OPT_END
};

static const struct dm_option_row rows[] = {
#define DM_SECTION(title) {.section = title},
#define DM_OPTION(id, name, argument, initial, where, help, manual)                                                    \
	{NULL, name, argument, initial, help, manual, DM_##where, OPT_##id},
#include "server/daemon/options.def"
};

const struct dm_option_row *dm_option_at(unsigned i)
{
	return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

static int read_memory(const char *text, uint64_t *out, struct pd_fail *fail)
{
	int rc = dm_read_size("memory", text, out, fail);
	if (!rc && !*out)
		rc = pd_fail_set(fail, PD_E_USAGE, "memory", "--memory takes a size from 1M up, not '%.40s'", text);
	return rc;
}

static int read_buffers(const char *text, uint64_t *out, struct pd_fail *fail)
{
	int rc = dm_read_size("buffers-max", text, out, fail);
	if (!rc && *out < NT_QUEUE_HARD)
		rc = pd_fail_set(fail, PD_E_USAGE, "buffers-max",
				 "--buffers-max takes 17M or more: one client may need as much");
	return rc;
}

/* Sets one option, by section: each function knows those of its own, and asks the next one about others. The value is
 * borrowed for as long as `out`, and NULL when the option takes none. */
static int set_other(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	switch (id) {
	case OPT_LOG:
		return dm_read_log(value, &out->log, fail);
	case OPT_LOG_FORMAT:
		return dm_read_form(value, &out->log_form, fail);
	case OPT_LOG_FILE:
		out->server.log_file = value;
		return PD_OK;
	case OPT_ON_FINISH:
		out->server.on_finish = value;
		return PD_OK;
	case OPT_CONFIG:
		out->config = value;
		return PD_OK;
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

static int read_share(const char *text, struct dm_workers *out, struct pd_fail *fail)
{
	double percent = 0;
	char *end;
	if (!strcmp(text, "all"))
		percent = 100;
	else if (strcmp(text, "none") != 0) {
		percent = strtod(text, &end);
		if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100) ||
		    percent != (double)(unsigned)percent)
			return pd_fail_set(fail, PD_E_USAGE, "verify",
					   "--verify takes all, none or an integer from 0 to 100, not '%.40s'", text);
	}
	out->verify_sealed = out->verify_others = (unsigned)percent;
	return PD_OK;
}

static int set_workers(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	switch (id) {
	case OPT_WORKERS:
		out->workers.url = strcmp(value, "none") != 0 ? value : NULL;
		return PD_OK;
	case OPT_WORKERS_TLS_CA:
		out->workers.tls_ca = value;
		return PD_OK;
	case OPT_WORKERS_TLS_CERT:
		out->workers.tls_cert = value;
		return PD_OK;
	case OPT_WORKERS_TLS_KEY:
		out->workers.tls_key = value;
		return PD_OK;
	case OPT_WORKERS_CREDS:
		out->workers.creds = value;
		return PD_OK;
	case OPT_WORKER_KEY:
		out->workers.key = value;
		return PD_OK;
	case OPT_VERIFY:
		return read_share(value, &out->workers, fail);
	default:
		return set_other(id, value, out, fail);
	}
}

static int set_search(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	switch (id) {
	case OPT_THREADS:
		return dm_read_unsigned("threads", value, 0, 1024, &out->core.threads, fail);
	case OPT_MEMORY:
		return read_memory(value, &out->core.memory, fail);
	case OPT_SLICE:
		return dm_read_number("slice", value, (struct dm_number_range){0, 1e9, false}, &out->core.slice_s,
				      fail);
	case OPT_CHECKPOINT:
		return dm_read_number("checkpoint", value, (struct dm_number_range){0.05, 3600, false},
				      &out->core.checkpoint_s, fail);
	case OPT_DISK_RESERVE:
		return dm_read_size("disk-reserve", value, &out->core.disk_reserve, fail);
	case OPT_NICE:
		return dm_read_nice(value, &out->core.nice, fail);
	default:
		return set_workers(id, value, out, fail);
	}
}

static int add_http_name(const char *name, struct nt_config *out, struct pd_fail *fail)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	size_t size = strlen(name);
	if (!size || size > 253 || strspn(name, letters) != size)
		return pd_fail_set(fail, PD_E_USAGE, "http-name",
				   "--http-name takes a host name, like proofs.example.org, not '%.80s'", name);
	if (out->http_name_count == NT_HTTP_NAMES_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "http-name", "--http-name may be given %d times at most",
				   (int)NT_HTTP_NAMES_MAX);
	out->http_names[out->http_name_count++] = name;
	return PD_OK;
}

static int set_connection(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	switch (id) {
	case OPT_LISTEN:
		out->server.listen = strcmp(value, "none") != 0 ? value : NULL;
		return PD_OK;
	case OPT_SOCKET:
		out->no_socket = !strcmp(value, "none");
		out->server.socket = out->no_socket ? NULL : value;
		return PD_OK;
	case OPT_MONITOR:
		out->server.monitor = strcmp(value, "none") != 0 ? value : NULL;
		return PD_OK;
	case OPT_HTTP:
		out->server.http = strcmp(value, "none") != 0 ? value : NULL;
		return PD_OK;
	case OPT_HTTP_NAME:
		return add_http_name(value, &out->server, fail);
	case OPT_TOKEN_FILE:
		out->core.tokens = &out->tokens;
		out->server.token_file = value;
		return sv_tokens_read(value, true, &out->tokens, fail);
	case OPT_TLS_CERT:
		out->server.tls_cert = value;
		return PD_OK;
	case OPT_TLS_KEY:
		out->server.tls_key = value;
		return PD_OK;
	case OPT_PLAIN_TCP:
		out->server.plain_tcp = true;
		return PD_OK;
	case OPT_RATE:
		return dm_read_unsigned("rate", value, 0, 1e6, &out->core.rate, fail);
	case OPT_JOBS_MAX:
		return dm_read_unsigned("jobs-max", value, 0, UINT32_MAX / 2, &out->core.jobs_max, fail);
	case OPT_JOBS_PER_CLIENT:
		return dm_read_unsigned("jobs-per-client", value, 0, UINT32_MAX / 2, &out->core.jobs_per_client, fail);
	case OPT_CONNECTIONS:
		return dm_read_unsigned("connections", value, 1, 100000, &out->server.connections_max, fail);
	case OPT_STALL:
		return dm_read_number("stall", value, (struct dm_number_range){0.1, 86400, false}, &out->server.stall_s,
				      fail);
	case OPT_IDLE:
		return dm_read_number("idle", value, (struct dm_number_range){0, 1e6, false}, &out->server.idle_s,
				      fail);
	case OPT_BUFFERS:
		return read_buffers(value, &out->server.buffers_max, fail);
	default:
		return set_search(id, value, out, fail);
	}
}

static int set_data(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	switch (id) {
	case OPT_DATA:
		out->core.data = value;
		return PD_OK;
	case OPT_DATA_GROUP:
		out->data_group = value;
		return PD_OK;
	case OPT_MEMORY_ONLY:
		out->memory_only = true;
		return PD_OK;
	case OPT_READ_ONLY:
		out->core.read_only = true;
		return PD_OK;
	case OPT_BACKUP_DIR:
		out->core.backup_dir = value;
		return PD_OK;
	case OPT_GRAPHS:
		out->core.graphs = value;
		return PD_OK;
	case OPT_GAME_DIR:
		return sv_game_dirs_add(&out->game_dirs, value, fail);
	case OPT_PLUGIN_TIMEOUT:
		return dm_read_unsigned("plugin-timeout", value, 0, 86400, &out->core.plugin_timeout_s, fail);
	case OPT_KEEP_JOBS:
		return dm_read_unsigned("keep-jobs", value, 0, UINT32_MAX / 2, &out->core.keep_jobs, fail);
	case OPT_IDLE_TT:
		return dm_read_size("idle-tt", value, &out->core.idle_tables, fail);
	case OPT_PROOFCHECK:
		out->core.proofcheck = value;
		return PD_OK;
	case OPT_RULES:
		out->core.rules = value;
		return PD_OK;
	case OPT_PROOFCHECK_TIME:
		return dm_read_unsigned("proofcheck-time", value, 0, 86400 * 365, &out->core.check_s, fail);
	case OPT_PROOFS_MAX:
		return dm_read_size("proofs-max", value, &out->core.proofs_max, fail);
	default:
		return set_connection(id, value, out, fail);
	}
}

static int set_option(enum option_id id, const char *value, struct dm_options *out, struct pd_fail *fail)
{
	PD_ASSERT(id > OPT_NONE && id < OPT_END);
	return set_data(id, value, out, fail);
}

/* --- the configuration file --------------------------------------------------------------- */

/* A value that outlives the file. */
struct dm_words {
	struct dm_words *next;
	char text[];
};

static const char *keep_word(struct dm_options *out, const char *text)
{
	size_t size = strlen(text) + 1;
	struct dm_words *word = malloc(sizeof *word + size);
	if (!word)
		return NULL;
	memcpy(word->text, text, size);
	word->next = out->words;
	out->words = word;
	return word->text;
}

/* Where options were set. */
struct sources {
	struct dm_options *out;
	bool line[OPT_END];     /* on the command line: what the file says of them is passed over */
	unsigned file[OPT_END]; /* in that line of the file; 0: not */
};

static int unknown_name(const char *name, struct pd_fail *fail)
{
	const struct dm_option_row *best = NULL;
	unsigned least = 4;
	for (const struct dm_option_row *row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
		unsigned distance = row->section || row->where == DM_LINE_ONLY ? least : pd_distance(row->name, name);
		if (distance < least) {
			least = distance;
			best = row;
		}
	}
	if (best)
		return pd_fail_set(fail, PD_E_USAGE, name, "there is no option '%.40s'; did you mean '%s'?", name,
				   best->name);
	return pd_fail_set(fail, PD_E_USAGE, name, "there is no option '%.40s'; proofd.conf(5) lists them", name);
}

/* PD_E_USAGE unless the value is a yes or a no. */
static int read_flag(const struct dm_file_line *line, bool *out, struct pd_fail *fail)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(line->value, words[i])) {
			*out = i & 1;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, line->name, "%.40s takes yes or no, not '%.40s'", line->name, line->value);
}

static int take_value(struct sources *sources, const struct dm_option_row *row, const struct dm_file_line *line,
		      struct pd_fail *fail)
{
	struct pd_fail why;
	const char *value = NULL;
	if (row->argument) {
		if (!*line->value)
			return pd_fail_set(fail, PD_E_USAGE, row->name, "%s needs a value: %s = %s", row->name,
					   row->name, row->argument);
		value = keep_word(sources->out, line->value);
		if (!value)
			return pd_fail_set(fail, PD_E_NO_MEMORY, row->name, "no memory for the options");
	} else {
		bool yes = false;
		int rc = read_flag(line, &yes, fail);
		if (rc || !yes)
			return rc;
	}
	int rc = set_option((enum option_id)row->id, value, sources->out, &why);
	if (rc) /* they speak of --NAME */
		pd_fail_set(fail, (enum pd_error)rc, row->name, "%s", why.text + 2 * !strncmp(why.text, "--", 2));
	return rc;
}

static int take_line(void *ctx, const struct dm_file_line *line, struct pd_fail *fail)
{
	struct sources *sources = ctx;
	const struct dm_option_row *row = rows, *end = rows + sizeof rows / sizeof *rows;
	while (row < end && (row->section || strcmp(row->name, line->name) != 0))
		row++;
	if (row == end)
		return unknown_name(line->name, fail);
	PD_ASSERT(row->id > OPT_NONE && row->id < OPT_END);
	if (row->where == DM_LINE_ONLY)
		return pd_fail_set(fail, PD_E_USAGE, row->name, "--%s is for the command line only", row->name);
	if (row->where != DM_REPEATED && sources->file[row->id])
		return pd_fail_set(fail, PD_E_USAGE, row->name, "%s is set in line %u already", row->name,
				   sources->file[row->id]);
	sources->file[row->id] = line->line;
	return sources->line[row->id] ? PD_OK : take_value(sources, row, line, fail);
}

int dm_options_config(struct dm_options *options, const char *text, size_t size, struct pd_fail *fail)
{
	struct sources sources = {.out = options};
	return dm_options_file_parse("proofd.conf", (struct dm_file_text){text, size}, take_line, &sources, fail);
}

/* Whether the file holds the password or token of the NATS server. */
static bool has_secret(const struct dm_options *options)
{
	const char *url = options->workers.url;
	for (const struct dm_words *word = options->words; word; word = word->next)
		if (word->text == url)
			return strchr(url, '@') != NULL;
	return false;
}

void dm_options_warn(const struct dm_options *options)
{
	struct stat st;
	if (!options->config || stat(options->config, &st))
		return;
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		pd_log(PD_LOG_WARN, "--config: other users may write to %.200s; use chmod go-w", options->config);
	if ((st.st_mode & (S_IRGRP | S_IROTH)) && has_secret(options))
		pd_log(PD_LOG_WARN, "--config: other users may read %.200s, and a password is in it; use chmod 600",
		       options->config);
}

void dm_options_fini(struct dm_options *options)
{
	sv_game_dirs_fini(&options->game_dirs);
	while (options->words) {
		struct dm_words *word = options->words;
		options->words = word->next;
		free(word);
	}
}

/* --- the command line --------------------------------------------------------------------- */

static int check(const struct dm_options *options, struct pd_fail *fail)
{
	bool memory_only = options->memory_only;
	if (!options->core.data && !memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   "say where to keep the proofs: --data DIR, or --memory-only to keep nothing");
	if (options->core.data && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "memory-only", "--data and --memory-only exclude each other");
	if (options->core.read_only && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "read-only", "--read-only needs a directory to read: --data DIR");
	if (!options->server.tls_cert != !options->server.tls_key)
		return pd_fail_set(fail, PD_E_USAGE, options->server.tls_cert ? "tls-key" : "tls-cert",
				   "--tls-cert and --tls-key belong together: a certificate and its key");
	const struct dm_workers *workers = &options->workers;
	if (!workers->tls_cert != !workers->tls_key)
		return pd_fail_set(
			fail, PD_E_USAGE, workers->tls_cert ? "workers-tls-key" : "workers-tls-cert",
			"--workers-tls-cert and --workers-tls-key belong together: a certificate and its key");
	if (workers->url && options->core.read_only)
		return pd_fail_set(fail, PD_E_USAGE, "workers",
				   "--workers needs a server that searches: without --read-only");
	bool own = options->core.data && !options->core.read_only && !options->no_socket;
	if (!options->server.listen && !options->server.socket && !options->server.http && !own)
		return pd_fail_set(
			fail, PD_E_USAGE, "listen",
			"no client could connect: give --listen HOST:PORT, --http HOST:PORT or --socket PATH");
	return PD_OK;
}

static void set_defaults(struct dm_options *out)
{
	*out = (struct dm_options){.log = PD_LOG_INFO};
	sv_config_init(&out->core);
	out->core.keep_jobs = KEEP_JOBS;
	out->core.idle_tables = KEEP_BYTES;
	out->workers.verify_others = VERIFY_OTHERS;
	out->core.proofs_max = KEEP_BYTES;
	nt_config_init(&out->server);
	out->core.threads = uv_available_parallelism();
}

static int parse_line(int argc, char **argv, struct sources *sources, struct pd_fail *fail)
{
	static const struct option list[] = {
#define DM_OPTION(id, name, argument, initial, where, help, manual)                                                    \
	{name, (argument) != NULL ? required_argument : no_argument, NULL, OPT_##id},
#include "server/daemon/options.def"
		{"idle-tables", required_argument, NULL, OPT_IDLE_TT}, /* its name in version 0.1.0 */
		{0},
	};
	opterr = 0;
	for (int id; (id = getopt_long(argc, argv, ":h", list, NULL)) != -1;) {
		const char *word = argv[optind - 1];
		if (id == ':')
			return pd_fail_set(fail, PD_E_USAGE, word, "%.80s needs a value; see --help", word);
		if (id == '?')
			return pd_fail_set(fail, PD_E_USAGE, word,
					   "%.80s is not an option here, or takes no value; see --help", word);
		if (id == 'h')
			id = OPT_HELP;
		PD_ASSERT(id > OPT_NONE && id < OPT_END);
		sources->line[id] = true;
		int rc = set_option((enum option_id)id, optarg, sources->out, fail);
		if (rc)
			return rc;
	}
	if (optind < argc)
		return pd_fail_set(fail, PD_E_USAGE, argv[optind], "'%.80s' is one word too many; see --help",
				   argv[optind]);
	/* One is the opposite of the other. */
	sources->line[OPT_DATA] = sources->line[OPT_MEMORY_ONLY] =
		sources->line[OPT_DATA] || sources->line[OPT_MEMORY_ONLY];
	return PD_OK;
}

int dm_options_parse(int argc, char **argv, struct dm_options *out, struct pd_fail *fail)
{
	struct sources sources = {.out = out};
	set_defaults(out);
	int rc = parse_line(argc, argv, &sources, fail);
	if (rc || out->help || out->version)
		return rc;
	if (out->config)
		rc = dm_options_file_read(out->config, take_line, &sources, fail);
	out->core.game_dirs = &out->game_dirs;
	if (!rc)
		rc = sv_game_dirs_env(&out->game_dirs, fail);
	if (!rc)
		rc = check(out, fail);
	if (!rc && out->workers.url && !out->core.threads) {
		out->core.only_workers = true;
		out->core.threads = 1;
	}
	return rc;
}

void dm_options_help(FILE *file)
{
	fputs("proofd: a proof server for two-player games\n\n  proofd --data DIR [options]\n", file);
	dm_option_help(rows, sizeof rows / sizeof *rows, file);
	fputs("\nWhen it is ready, it prints one line of JSON that says where it listens.\n"
	      "SIGTERM, SIGINT and `proofctl shutdown` stop it.\n"
	      "Exit codes: 0 stopped as asked, 1 failure, 2 wrong command line.\n",
	      file);
}
