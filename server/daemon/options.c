/* Options: see options.h. Parser and --help come from one table. */
#include "server/daemon/options.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/distance.h"
#include "server/net/conn.h"
#include "server/net/visitor.h"

#define KEEP_JOBS  10000
#define KEEP_BYTES (UINT64_C(16) << 30)

enum {
	FILE_MAX = 1 << 20, /* bytes of the configuration file */
	PUBLIC_RATE = 50    /* requests a second of a client */
};

/* --- values that take more than a type ------------------------------------------------------ */

static int read_socket(const char *name, const char *text, void *options, struct pd_fail *fail)
{
	struct dm_options *out = options;
	(void)name, (void)fail;
	out->no_socket = !strcmp(text, "none");
	out->server.socket = out->no_socket ? NULL : text;
	return PD_OK;
}

static int read_token_file(const char *name, const char *text, void *options, struct pd_fail *fail)
{
	struct dm_options *out = options;
	(void)name;
	out->core.tokens = &out->tokens;
	out->server.token_file = text;
	return sv_tokens_read(text, true, &out->tokens, fail);
}

static int read_http_name(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	struct nt_config *out = member;
	size_t size = strlen(text);
	if (!size || size > 253 || strspn(text, letters) != size)
		return pd_fail_set(fail, PD_E_USAGE, name,
				   "--%s takes a host name, like proofs.example.org, not '%.80s'", name, text);
	if (out->http_name_count == NT_HTTP_NAMES_MAX)
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s may be given %d times at most", name,
				   (int)NT_HTTP_NAMES_MAX);
	out->http_names[out->http_name_count++] = text;
	return PD_OK;
}

static int read_cors(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	struct nt_public *out = &((struct nt_config *)member)->public;
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-:[]";
	const char *host = strncmp(text, "https://", 8) ? text + 7 : text + 8;
	bool good = !strcmp(text, "*") || ((!strncmp(text, "https://", 8) || !strncmp(text, "http://", 7)) && *host &&
					   strspn(host, letters) == strlen(host) && strlen(text) < 256);
	if (!good)
		return pd_fail_set(fail, PD_E_USAGE, name,
				   "--%s takes an origin in lower case, like https://example.org, or *, not '%.80s'",
				   name, text);
	if (out->origin_count == NT_ORIGINS_MAX)
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s may be given %d times at most", name,
				   (int)NT_ORIGINS_MAX);
	out->origins[out->origin_count++] = text;
	return PD_OK;
}

static int read_trusted_proxy(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	struct nt_public *out = &((struct nt_config *)member)->public;
	if (out->proxy_count == NT_PROXIES_MAX)
		return pd_fail_set(fail, PD_E_USAGE, name, "--%s may be given %d times at most", name,
				   (int)NT_PROXIES_MAX);
	if (!nt_address_read(text, strlen(text), &out->proxies[out->proxy_count]))
		return pd_fail_set(fail, PD_E_USAGE, name,
				   "--%s takes an IP address, like 127.0.0.1 or ::1, not '%.80s'", name, text);
	out->proxy_count++;
	return PD_OK;
}

static int read_share(const char *name, const char *text, void *member, struct pd_fail *fail)
{
	struct dm_workers *out = member;
	double percent = 0;
	char *end;
	if (!strcmp(text, "certificates"))
		percent = SV_VERIFY_PROOFS;
	else if (!strcmp(text, "all"))
		percent = SV_VERIFY_ALL;
	else if (strcmp(text, "none") != 0) {
		percent = strtod(text, &end);
		if (end == text || (*end && strcmp(end, "%") != 0) || !(percent >= 0 && percent <= 100) ||
		    percent != (double)(unsigned)percent)
			return pd_fail_set(
				fail, PD_E_USAGE, name,
				"--%s takes certificates, all, none or an integer from 0 to 100, not '%.40s'", name,
				text);
	}
	out->verify_sealed = out->verify_others = (unsigned)percent;
	return PD_OK;
}

#define DM_OPTIONS struct dm_options
static const struct dm_option_row rows[] = {
#include "server/daemon/options.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct dm_option_table dm_options_table = {rows, ROWS, "proofd"};

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

/* A line of the file, without blanks around name and value; borrowed. */
struct file_line {
	const char *name, *value;
	unsigned line; /* from 1 */
};

/* Where options are set. */
struct sources {
	struct dm_options *out;
	bool line[ROWS];     /* on the command line, which takes precedence */
	unsigned file[ROWS]; /* number of its line in the file; 0: not there */
};

static int refuse_name(const char *name, struct pd_fail *fail)
{
	const struct dm_option_row *best = NULL;
	unsigned least = 4;
	if (!strcmp(name, "idle-tables"))
		return pd_fail_set(fail, PD_E_USAGE, name, "'idle-tables' is now called 'idle-tt'");
	for (const struct dm_option_row *row = rows; row < rows + ROWS; row++) {
		unsigned distance = row->section || row->where == DM_LINE_ONLY ? least : pd_distance(row->name, name);
		if (distance < least) {
			least = distance;
			best = row;
		}
	}
	if (best)
		return pd_fail_set(fail, PD_E_USAGE, name, "unknown option '%.40s'; did you mean '%s'?", name,
				   best->name);
	return pd_fail_set(fail, PD_E_USAGE, name, "unknown option '%.40s'; proofd(8) lists them", name);
}

/* PD_E_USAGE unless the value is yes or no. */
static int read_flag(const struct file_line *line, bool *out, struct pd_fail *fail)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcasecmp(line->value, words[i])) {
			*out = i & 1;
			return PD_OK;
		}
	return pd_fail_set(fail, PD_E_USAGE, line->name, "%.40s takes yes or no, not '%.40s'", line->name, line->value);
}

static int take_value(struct sources *sources, const struct dm_option_row *row, const struct file_line *line,
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
	int rc = dm_option_set(row, value, sources->out, &why);
	if (rc) /* messages name the option as --NAME */
		pd_fail_set(fail, (enum pd_error)rc, row->name, "%s", why.text + 2 * !strncmp(why.text, "--", 2));
	return rc;
}

static int take_setting(struct sources *sources, const struct file_line *line, struct pd_fail *fail)
{
	const struct dm_option_row *row = dm_option_find(&dm_options_table, line->name);
	if (!row)
		return refuse_name(line->name, fail);
	size_t at = (size_t)(row - rows);
	PD_ASSERT(at < ROWS);
	if (row->where == DM_LINE_ONLY)
		return pd_fail_set(fail, PD_E_USAGE, row->name, "--%s is an option of the command line only",
				   row->name);
	if (row->where != DM_REPEATED && sources->file[at])
		return pd_fail_set(fail, PD_E_USAGE, row->name, "%s is already set in line %u", row->name,
				   sources->file[at]);
	sources->file[at] = line->line;
	return sources->line[at] ? PD_OK : take_value(sources, row, line, fail);
}

/* The state of parsing a file. */
struct parsing {
	const char *path, *next, *end; /* next: the first byte that is not read yet */
	unsigned line;                 /* the one that was read last */
	struct sources *sources;
	struct pd_fail *fail;
	int rc; /* of the first failure, which is in `line` */
};

static int refuse_line(struct parsing *p, const char *name, const char *why)
{
	p->rc = pd_fail_set(p->fail, PD_E_USAGE, name, "%.120s:%u: %.180s", p->path, p->line, why);
	return p->rc;
}

/* ini.h's reader: the next line with its newline, but without leading blanks, which would make it a continuation. NULL
 * at the end or after an error. */
static char *read_line(char *out, int room, void *stream)
{
	struct parsing *p = stream;
	if (p->rc || p->next == p->end)
		return NULL;
	const char *newline = memchr(p->next, '\n', (size_t)(p->end - p->next));
	const char *end = newline ? newline + 1 : p->end, *begin = p->next;
	p->next = end;
	p->line++;
	while (begin < end && (*begin == ' ' || *begin == '\t'))
		begin++;
	size_t size = (size_t)(end - begin);
	PD_ASSERT(room > 0);
	bool blank = size && strchr(";#\r\n", *begin);
	if (memchr(begin, 0, size)) {
		refuse_line(p, "config", "the line contains a zero byte; the file is not text");
	} else if (size && *begin == '[') {
		refuse_line(p, "config", "sections are not supported; a line is NAME = VALUE");
	} else if (size >= (size_t)room && !blank) {
		refuse_line(p, "config", "the line is too long");
	}
	if (p->rc)
		return NULL;
	if (blank) /* a comment may have any length */
		size = 0;
	memcpy(out, begin, size);
	if (!size)
		out[size++] = '\n';
	out[size] = 0;
	return out;
}

/* ini.h's handler; 0 for a failure. */
static int take_line(void *user, const char *section, const char *name, const char *value)
{
	struct parsing *p = user;
	struct pd_fail why;
	(void)section; /* there is none */
	if (p->rc)
		return 1;
	if (value[0] == '"' || value[0] == '\'') {
		refuse_line(p, name, "values have no quotes");
		return 1;
	}
	if (take_setting(p->sources, &(struct file_line){name, value, p->line}, &why))
		refuse_line(p, name, why.text);
	return 1;
}

/* Parses the text of the file `path`. PD_E_USAGE with a message that begins with file and line. */
static int parse_file(const char *path, const char *text, size_t size, struct sources *sources, struct pd_fail *fail)
{
	struct parsing p = {path, text, text + size, 0, sources, fail, PD_OK};
	int wrong = ini_parse_stream(read_line, &p, take_line, &p);
	if (wrong < 0)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "config", "no memory to read %.200s", path);
	if (wrong && (!p.rc || (unsigned)wrong < p.line)) {
		p.line = (unsigned)wrong;
		refuse_line(&p, "config", "malformed; a line is NAME = VALUE, or a comment that begins with #");
	}
	return p.rc;
}

/* The whole file; *out is owned by the caller. */
static int read_all(const char *path, char **out, size_t *size, struct pd_fail *fail)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), why = 0;
	if (fd < 0 || fstat(fd, &st))
		why = errno;
	bool plain = !why && S_ISREG(st.st_mode) && st.st_size < FILE_MAX;
	char *text = plain ? malloc(FILE_MAX) : NULL;
	ssize_t n = 0;
	*size = 0;
	while (text && *size < FILE_MAX && (n = read(fd, text + *size, FILE_MAX - *size)) > 0)
		*size += (size_t)n;
	if (n < 0)
		why = errno;
	if (fd >= 0)
		close(fd);
	if (!why && text) {
		*out = text;
		return PD_OK;
	}
	free(text);
	if (why)
		return pd_fail_set(fail, PD_E_USAGE, "config", "--config: cannot read %.200s: %s", path, strerror(why));
	return plain ? pd_fail_set(fail, PD_E_NO_MEMORY, "config", "no memory to read %.200s", path)
		     : pd_fail_set(fail, PD_E_USAGE, "config",
				   "--config: %.200s is not a regular file of at most 1 MiB", path);
}

/* PD_E_USAGE; with field "config" when the file cannot be read, or is not a regular file of at most 1 MiB. */
static int read_config(const char *path, struct sources *sources, struct pd_fail *fail)
{
	char *text = NULL;
	size_t size = 0;
	int rc = read_all(path, &text, &size, fail);
	rc = rc ? rc : parse_file(path, text, size, sources, fail);
	free(text);
	return rc;
}

int dm_options_config(struct dm_options *options, const char *text, size_t size, struct pd_fail *fail)
{
	struct sources sources = {.out = options};
	return parse_file("proofd.conf", text, size, &sources, fail);
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

static int check_options(const struct dm_options *options, struct pd_fail *fail)
{
	bool memory_only = options->memory_only;
	if (!options->core.data && !memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   "say where to keep the proofs: --data DIR, or --memory-only to keep nothing");
	if (options->core.data && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "memory-only", "--data and --memory-only exclude each other");
	if (options->core.read_only && memory_only)
		return pd_fail_set(fail, PD_E_USAGE, "read-only", "--read-only needs --data DIR");
	if (options->server.public.on && !options->server.http)
		return pd_fail_set(fail, PD_E_USAGE, "public", "--public needs --http HOST:PORT");
	if (options->server.public.on && options->core.tokens)
		return pd_fail_set(fail, PD_E_USAGE, "token-file", "--public takes no tokens: leave out --token-file");
	if (options->server.public.on && options->server.listen)
		return pd_fail_set(fail, PD_E_USAGE, "listen",
				   "--public serves only --http and --socket: leave out --listen");
	if (!options->server.public.on && (options->server.public.origin_count || options->server.public.proxy_count))
		return pd_fail_set(fail, PD_E_USAGE, options->server.public.origin_count ? "cors" : "trusted-proxy",
				   "--cors and --trusted-proxy need --public");
	const struct dm_workers *workers = &options->workers;
	int rc = dm_check_pair("", options->server.tls_cert, options->server.tls_key, fail);
	rc = rc ? rc : dm_check_pair("workers-", workers->tls_cert, workers->tls_key, fail);
	if (rc)
		return rc;
	if (workers->url && options->core.read_only)
		return pd_fail_set(fail, PD_E_USAGE, "workers", "--workers and --read-only exclude each other");
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
	out->workers.verify_others = SV_VERIFY_PROOFS;
	out->core.proofs_max = KEEP_BYTES;
	nt_config_init(&out->server);
	out->core.threads = uv_available_parallelism();
}

/* What --public implies. */
static void begin_public(struct dm_options *out)
{
	struct nt_config usual;
	nt_config_init(&usual);
	if (out->server.listen && !strcmp(out->server.listen, usual.listen))
		out->server.listen = NULL;
	out->core.read_only = out->core.public = true;
	if (!out->core.rate)
		out->core.rate = PUBLIC_RATE;
}

int dm_options_parse(int argc, char **argv, struct dm_options *out, struct pd_fail *fail)
{
	struct sources sources = {.out = out};
	bool *line = sources.line;
	set_defaults(out);
	int rc = dm_option_parse(&dm_options_table, argc, argv, out, line, fail);
	if (rc || out->help || out->version)
		return rc;
	/* They exclude each other: either one on the command line overrides both in the file. */
	const size_t data = (size_t)(dm_option_find(&dm_options_table, "data") - rows);
	const size_t memory_only = (size_t)(dm_option_find(&dm_options_table, "memory-only") - rows);
	line[data] = line[memory_only] = line[data] || line[memory_only];
	if (out->config)
		rc = read_config(out->config, &sources, fail);
	out->core.game_dirs = &out->game_dirs;
	out->game_dirs.seconds = out->core.plugin_timeout_s;
	rc = rc ? rc : sv_game_dirs_env(&out->game_dirs, fail);
	if (out->server.public.on)
		begin_public(out);
	rc = rc ? rc : check_options(out, fail);
	if (!rc && out->workers.url && !out->core.threads) {
		out->core.only_workers = true;
		out->core.threads = 1;
	}
	return rc;
}

void dm_options_help(FILE *file)
{
	fputs("proofd: a proof server for two-player games\n\n  proofd --data DIR [options]\n", file);
	dm_option_help(&dm_options_table, file);
	fputs("\nWhen it is ready, it prints one line of JSON that says where it listens.\n"
	      "SIGTERM, SIGINT and `proofctl shutdown` stop it.\n"
	      "Exit codes: 0 stopped as asked, 1 failure, 2 wrong command line.\n",
	      file);
}
