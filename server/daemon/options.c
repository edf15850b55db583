/* Options: see options.h. One table says what there is: the parser, the checks and --help are made from it. */
#include "server/daemon/options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "proto/doc.h"
#include "server/daemon/conn.h"

enum { TOKEN_MIN = 16 };

/* X(enumerator, long name, name of the argument or NULL, help) */
#define OPTIONS(X)                                                                                                     \
	X(DATA, "data", "DIR", "keep everything in DIR (made when it is not there)")                                   \
	X(MEMORY_ONLY, "memory-only", NULL, "keep nothing: all is gone when the server ends")                          \
	X(LISTEN, "listen", "HOST:PORT", "TCP, loopback only; default 127.0.0.1:4590, port 0: any, \"none\": no TCP")  \
	X(SOCKET, "socket", "PATH", "the Unix socket; default DIR/proofd.sock, \"none\": none")                        \
	X(TOKEN_FILE, "token-file", "FILE", "who knows what stands in FILE may stop the server over TCP")              \
	X(THREADS, "threads", "N", "jobs that run at one time; default: the processors of this machine")               \
	X(CHECKPOINT, "checkpoint", "SECONDS", "between checkpoints of a running job; default 2")                      \
	X(MEMORY, "memory", "SIZE", "for all running jobs together, like 8G; default: 3/4 of what it may have")        \
	X(NICE, "nice", "N", "niceness of the search, so that queries come first; default 19")                         \
	X(KEEP_JOBS, "keep-jobs", "N", "jobs that are over and are kept; default 10000, 0: all")                       \
	X(IDLE_TABLES, "idle-tables", "SIZE", "for tables of exhausted and failed jobs; default 16G, 0: no bound")     \
	X(PROOFS_MAX, "proofs-max", "SIZE", "for certificates that are kept; default 16G, 0: no bound")                \
	X(GRAPHS, "graphs", "DIR", "where the games andor:NAME lie, NAME.json each")                                   \
	X(READ_ONLY, "read-only", NULL, "queries only, beside a server that has DIR")                                  \
	X(CONNECTIONS, "connections", "N", "clients at one time; default 1000")                                        \
	X(STALL, "stall", "SECONDS", "drop a client that leaves its replies unread for so long; default 60")           \
	X(IDLE, "idle", "SECONDS", "idle for so long, a client makes room when all places are taken; default 60")      \
	X(BUFFERS, "buffers-max", "SIZE", "unread replies and unfinished requests of all clients; default 256M")       \
	X(LOG, "log", "LEVEL", "error, warn, info (default) or debug, on stderr")                                      \
	X(HELP, "help", NULL, "this text")                                                                             \
	X(VERSION, "version", NULL, "the version")

#define KEEP_JOBS  10000
#define KEEP_BYTES (UINT64_C(16) << 30)

enum option_id {
	OPT_NONE, /* getopt_long's values begin at 1 */
#define X(id, name, argument, help) OPT_##id,
	OPTIONS(X)
#undef X
};

static int read_number(const char *name, const char *text, double min, double max, bool whole, double *out,
		       struct pd_fail *fail)
{
	char *end;
	double value = strtod(text, &end);
	if (end == text || *end || !(value >= min && value <= max) || (whole && value != (double)(long)value))
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s takes %s from %g to %g, not '%.40s'", name,
				   whole ? "an integer" : "a number", min, max, text);
	*out = value;
	return PD_OK;
}

static int read_unsigned(const char *name, const char *text, double min, double max, unsigned *out,
			 struct pd_fail *fail)
{
	double value = 0;
	int rc = read_number(name, text, min, max, true, &value, fail);
	if (!rc)
		*out = (unsigned)value;
	return rc;
}

static int read_size(const char *name, const char *text, uint64_t *out, struct pd_fail *fail)
{
	struct pd_fail why;
	if (pr_size_parse(text, out, &why))
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s: %.280s", name, why.text);
	return PD_OK;
}

static int read_buffers(const char *text, uint64_t *out, struct pd_fail *fail)
{
	int rc = read_size("buffers-max", text, out, fail);
	if (!rc && *out < DM_QUEUE_HARD)
		rc = pd_fail_set(fail, PD_E_USAGE, "buffers-max",
				 "--buffers-max takes 17M or more: one client may need as much");
	return rc;
}

/* The first line of a file that nobody else may read. */
static int read_token(const char *path, char *out, size_t room, struct pd_fail *fail)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = fd < 0 || fstat(fd, &st) ? -1 : read(fd, out, room);
	int why = errno;
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: %.200s cannot be read: %s", path,
				   strerror(why));
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return pd_fail_set(fail, PD_E_USAGE, "token-file", "--token-file: others may read %.200s; chmod 600 it",
				   path);
	const char *end = memchr(out, '\n', (size_t)size);
	size_t length = end ? (size_t)(end - out) : (size_t)size;
	if (length < TOKEN_MIN || length >= room || memchr(out, 0, length))
		return pd_fail_set(fail, PD_E_USAGE, "token-file",
				   "--token-file: a token is one line of %d to %zu bytes", (int)TOKEN_MIN, room - 1);
	out[length] = 0;
	return PD_OK;
}

static int read_log(const char *text, enum pd_log_level *out, struct pd_fail *fail)
{
	static const char *const names[] = {"error", "warn", "info", "debug"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i])) {
			*out = (enum pd_log_level)i;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, "log", "--log takes error, warn, info or debug, not '%.40s'", text);
}

static int take(enum option_id id, struct dm_options *out, bool *memory_only, struct pd_fail *fail)
{
	double number = 0;
	int rc;
	switch (id) {
	case OPT_DATA:
		out->core.data = optarg;
		return PD_OK;
	case OPT_MEMORY_ONLY:
		*memory_only = true;
		return PD_OK;
	case OPT_LISTEN:
		out->shell.listen = strcmp(optarg, "none") != 0 ? optarg : NULL;
		return PD_OK;
	case OPT_SOCKET:
		out->no_socket = !strcmp(optarg, "none");
		out->shell.socket = out->no_socket ? NULL : optarg;
		return PD_OK;
	case OPT_TOKEN_FILE:
		out->core.token = out->token;
		return read_token(optarg, out->token, sizeof out->token, fail);
	case OPT_THREADS:
		return read_unsigned("threads", optarg, 0, 1024, &out->core.threads, fail);
	case OPT_CHECKPOINT:
		return read_number("checkpoint", optarg, 0.05, 3600, false, &out->core.checkpoint_s, fail);
	case OPT_MEMORY:
		rc = read_size("memory", optarg, &out->core.memory, fail);
		return rc || out->core.memory ? rc
					      : pd_fail_set(fail, PD_E_USAGE, "memory",
							    "--memory takes a size from 1M up, not '%.40s'", optarg);
	case OPT_KEEP_JOBS:
		return read_unsigned("keep-jobs", optarg, 0, UINT32_MAX / 2, &out->core.keep_jobs, fail);
	case OPT_IDLE_TABLES:
		return read_size("idle-tables", optarg, &out->core.idle_tables, fail);
	case OPT_PROOFS_MAX:
		return read_size("proofs-max", optarg, &out->core.proofs_max, fail);
	case OPT_NICE:
		rc = read_number("nice", optarg, 0, 19, true, &number, fail);
		out->core.nice = rc ? 0 : (int)number;
		return rc;
	case OPT_GRAPHS:
		out->core.graphs = optarg;
		return PD_OK;
	case OPT_READ_ONLY:
		out->core.read_only = true;
		return PD_OK;
	case OPT_CONNECTIONS:
		return read_unsigned("connections", optarg, 1, 100000, &out->shell.connections_max, fail);
	case OPT_STALL:
		return read_number("stall", optarg, 0.1, 86400, false, &out->shell.stall_s, fail);
	case OPT_IDLE:
		return read_number("idle", optarg, 0, 1e6, false, &out->shell.idle_s, fail);
	case OPT_BUFFERS:
		return read_buffers(optarg, &out->shell.buffers_max, fail);
	case OPT_LOG:
		return read_log(optarg, &out->log, fail);
	case OPT_HELP:
		out->help = true;
		return PD_OK;
	case OPT_VERSION:
		out->version = true;
		return PD_OK;
	case OPT_NONE:
		break;
	}
	return pd_fail_set(fail, PD_E_USAGE, "", "an option is not known");
}

static int check(const struct dm_options *options, bool memory_only, struct pd_fail *fail)
{
	if (!options->core.data && !memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   "say where to keep the proofs: --data DIR, or --memory-only to keep nothing");
	if (options->core.data && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "memory-only", "--data and --memory-only exclude each other");
	if (options->core.read_only && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "read-only", "--read-only needs a directory to read: --data DIR");
	bool own = options->core.data && !options->core.read_only && !options->no_socket;
	if (!options->shell.listen && !options->shell.socket && !own)
		return pd_fail_set(fail, PD_E_USAGE, "listen",
				   "nobody could connect: give --listen HOST:PORT or --socket PATH");
	return PD_OK;
}

int dm_options_parse(int argc, char **argv, struct dm_options *out, struct pd_fail *fail)
{
	static const struct option list[] = {
#define X(id, name, argument, help) {name, (argument) != NULL ? required_argument : no_argument, NULL, OPT_##id},
		OPTIONS(X)
#undef X
			{0},
	};
	bool memory_only = false;
	*out = (struct dm_options){.log = PD_LOG_INFO};
	sv_config_init(&out->core);
	out->core.keep_jobs = KEEP_JOBS;
	out->core.idle_tables = KEEP_BYTES;
	out->core.proofs_max = KEEP_BYTES;
	dm_config_init(&out->shell);
	out->core.threads = uv_available_parallelism();
	opterr = 0;
	for (int id; (id = getopt_long(argc, argv, ":", list, NULL)) != -1;) {
		const char *word = argv[optind - 1];
		if (id == ':')
			return pd_fail_set(fail, PD_E_USAGE, word, "%.80s needs a value; see --help", word);
		if (id == '?')
			return pd_fail_set(fail, PD_E_USAGE, word,
					   "%.80s is not an option here, or takes no value; see --help", word);
		int rc = take((enum option_id)id, out, &memory_only, fail);
		if (rc)
			return rc;
	}
	if (out->help || out->version)
		return PD_OK;
	if (optind < argc)
		return pd_fail_set(fail, PD_E_USAGE, argv[optind], "'%.80s' is one word too many; see --help",
				   argv[optind]);
	return check(out, memory_only, fail);
}

void dm_options_help(FILE *file)
{
	static const struct {
		const char *name, *argument, *help;
	} list[] = {
#define X(id, name, argument, help) {name, argument, help},
		OPTIONS(X)
#undef X
	};
	fputs("proofd: a proof server for two-player games\n\n  proofd --data DIR [options]\n\n", file);
	for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
		int width = fprintf(file, "  --%s %s", list[i].name, list[i].argument ? list[i].argument : "");
		fprintf(file, "%*s%s\n", width < 26 ? 26 - width : 1, "", list[i].help);
	}
	fputs("\nWhen it is ready it prints one line of JSON that says where it listens. SIGTERM stops it, and so does "
	      "server.shutdown\n"
	      "on its Unix socket (proofctl shutdown).\n"
	      "Exit codes: 0 stopped as asked, 1 failure, 2 wrong command line.\n",
	      file);
}
