#include "clients/ask.h"

#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "proto/rpc.h"

enum { PATIENCE_S = 10 };

static double read_patience(const struct cl_options *options)
{
	return cl_given(options, CL_OPT_TIMEOUT) ? options->real[CL_OPT_TIMEOUT] : PATIENCE_S;
}

static int check_where(const struct cl_options *options, bool local, struct pd_fail *fail)
{
	bool remote = cl_given(options, CL_OPT_SERVER) || cl_given(options, CL_OPT_SOCKET);
	if (cl_given(options, CL_OPT_SERVER) && cl_given(options, CL_OPT_SOCKET))
		return pd_fail_set(fail, PD_E_USAGE, "server", "--server and --socket cannot be combined");
	if (cl_given(options, CL_OPT_DATA) && remote)
		return pd_fail_set(fail, PD_E_USAGE, "data",
				   "--data works without a server; leave out --server and --socket");
	bool own = cl_given(options, CL_OPT_GAME_DIR) || cl_given(options, CL_OPT_GAME_PROGRAM);
	if (own && !cl_given(options, CL_OPT_DATA) && (remote || !local))
		return pd_fail_set(fail, PD_E_USAGE, "game-dir",
				   "--game-dir and --game-program need --data; a server has its own games");
	if (cl_given(options, CL_OPT_GRAPHS) && !cl_given(options, CL_OPT_DATA) && (remote || !local))
		return pd_fail_set(fail, PD_E_USAGE, "graphs", "--graphs needs --data; a server has its own graphs");
	return PD_OK;
}

/* Reports a refused plug-in on stderr, because stdout has the results. */
static void report_refused(void *ctx, const char *sentence)
{
	(void)ctx;
	pd_print(stderr, "proofctl: %s\n", sentence);
}

int cl_plugins_load(const struct cl_options *options, const char *data, struct pd_fail *fail)
{
	struct sv_game_dirs dirs = options->game_dirs;
	int rc = sv_game_dirs_env(&dirs, fail);
	if (!rc)
		rc = sv_plugins_load(&dirs, data, report_refused, NULL, fail);
	sv_game_dirs_fini(&dirs);
	return rc;
}

/* A core in this process without workers: on --data, read-only, or on an empty store in memory. */
static int open_here(const struct cl_options *options, struct cl_link **out, struct pd_fail *fail)
{
	struct sv_config config;
	sv_config_init(&config);
	config.data = options->text[CL_OPT_DATA];
	config.graphs = options->text[CL_OPT_GRAPHS];
	config.threads = 0;
	config.read_only = config.data != NULL;
	int rc = cl_plugins_load(options, config.data, fail);
	return rc ? rc : cl_link_embed(&config, out, fail);
}

/* Reads the first token of --token-file or $PROOFD_TOKEN_FILE; The caller frees *out, which is
 * NULL if neither is given. */
static int read_token(const struct cl_options *options, char **out, struct pd_fail *fail)
{
	const char *path = options->text[CL_OPT_TOKEN_FILE], *home = getenv("PROOFD_TOKEN_FILE");
	*out = NULL;
	if (!path)
		path = home && *home ? home : NULL;
	if (!path)
		return PD_OK;
	struct sv_tokens *tokens = malloc(sizeof *tokens);
	int rc = tokens ? sv_tokens_read(path, false, tokens, fail) : PD_E_NO_MEMORY;
	if (!rc && !(*out = strndup(tokens->item[0].text, tokens->item[0].size)))
		rc = PD_E_NO_MEMORY;
	free(tokens);
	return rc == PD_E_NO_MEMORY ? cl_no_memory(fail) : rc;
}

static int open_remote(const struct cl_options *options, const char *home, struct cl_link **out, struct pd_fail *fail)
{
	char local[256], *token;
	const char *path = options->text[CL_OPT_SOCKET], *server = options->text[CL_OPT_SERVER];
	if (path && !strchr(path, '/') && snprintf(local, sizeof local, "./%s", path) < (int)sizeof local)
		path = local;
	int rc = read_token(options, &token, fail);
	if (rc)
		return rc;
	const struct cl_where where = {
		.address = path     ? path
			   : server ? server
			   : home   ? home
				    : "127.0.0.1:4590",
		.field = path ? "socket" : "server",
		.patience_s = read_patience(options),
		.token = token,
		.tls = cl_given(options, CL_OPT_TLS) || cl_given(options, CL_OPT_TLS_CA),
		.tls_ca = options->text[CL_OPT_TLS_CA],
	};
	rc = cl_link_connect(&where, out, fail);
	free(token);
	if (rc == PD_E_UNREACHABLE && !path && !server && !home) {
		struct pd_fail why = *fail;
		return pd_fail_set(fail, rc, "server",
				   "%.250s; start one with `proofd --data DIR`, or ask without a server: "
				   "`proofctl solve`, `proofctl query --data DIR`",
				   why.text);
	}
	if (rc == PD_E_USAGE && home && where.address == home) {
		struct pd_fail why = *fail;
		return pd_fail_set(fail, PD_E_USAGE, "server", "$PROOFD_SERVER: %.290s", why.text);
	}
	return rc;
}

static int open_link(const struct cl_options *options, bool local, struct cl_link **out, struct pd_fail *fail)
{
	const char *home = getenv("PROOFD_SERVER");
	int rc = check_where(options, local, fail);
	if (rc)
		return rc;
	home = home && *home ? home : NULL;
	bool named = cl_given(options, CL_OPT_SERVER) || cl_given(options, CL_OPT_SOCKET) || home;
	if (cl_given(options, CL_OPT_DATA) ||
	    (local && (!named || cl_given(options, CL_OPT_GRAPHS) || cl_given(options, CL_OPT_GAME_DIR) ||
		       cl_given(options, CL_OPT_GAME_PROGRAM))))
		return open_here(options, out, fail);
	return open_remote(options, home, out, fail);
}

int cl_open(const struct cl_options *options, struct cl_link **out, struct pd_fail *fail)
{
	return open_link(options, false, out, fail);
}

int cl_open_rules(const struct cl_options *options, struct cl_link **out, struct pd_fail *fail)
{
	return open_link(options, true, out, fail);
}

/* Connects to the Unix socket of the server that `link` leads to. The same process must answer there, because `link`
 * may lead to another machine. NULL if that is not possible. */
static struct cl_link *open_local(const struct cl_options *options, struct cl_link *link)
{
	struct cl_link *local = NULL;
	struct pd_fail why;
	pr_ref about;
	if (cl_given(options, CL_OPT_TOKEN_FILE) || cl_link_call(link, "server.hello", NULL, &about, &why))
		return NULL;
	const char *path = pr_get_str(about, "socket", NULL);
	const struct cl_where where = {.address = path, .field = "socket", .patience_s = read_patience(options)};
	int64_t pid = pr_get_int(about, "pid", 0);
	if (!path || !strchr(path, '/') || cl_link_connect(&where, &local, &why))
		return NULL;
	if (pid && !cl_link_call(local, "server.hello", NULL, &about, &why) && pr_get_int(about, "pid", 0) == pid)
		return local;
	cl_link_close(local);
	return NULL;
}

int cl_call_local(const struct cl_options *options, struct cl_link **link, const char *method, const char *name,
		  pr_ref *result, struct pd_fail *fail)
{
	int rc = cl_ask(*link, method, result, fail, PR_OPT_S("name", name));
	struct cl_link *local = rc == PD_E_UNSUPPORTED || rc == PD_E_FORBIDDEN ? open_local(options, *link) : NULL;
	if (!local)
		return rc;
	cl_link_close(*link);
	*link = local;
	return cl_ask(local, method, result, fail, PR_OPT_S("name", name));
}

void cl_json_begin(struct cl_json *json)
{
	pd_buf_init(&json->buf, PR_REPLY_MAX);
	pr_out_init(&json->out, &json->buf);
	pr_open_object(&json->out, NULL);
}

static int end_params(struct cl_json *json, struct pd_fail *fail)
{
	pr_close(&json->out);
	return json->buf.failed || json->buf.size > PR_LINE_MAX
		       ? pd_fail_set(fail, PD_E_LIMIT, "", "the request is longer than a server accepts")
		       : pr_out_check(&json->out, fail);
}

int cl_json_send(struct cl_json *json, struct cl_link *link, const char *method, int64_t *id, struct pd_fail *fail)
{
	PD_ASSERT(link != NULL);
	int rc = end_params(json, fail);
	if (!rc)
		rc = cl_link_send(link, method, json->buf.data, id, fail);
	pd_buf_fini(&json->buf);
	return rc;
}

int cl_json_call(struct cl_json *json, struct cl_link *link, const char *method, pr_ref *result, struct pd_fail *fail)
{
	PD_ASSERT(link != NULL);
	int rc = end_params(json, fail);
	if (!rc)
		rc = cl_link_call(link, method, json->buf.data, result, fail);
	pd_buf_fini(&json->buf);
	return rc;
}

int cl_json_print(struct cl_json *json, FILE *file, struct pd_fail *fail)
{
	pr_close(&json->out);
	int rc = json->buf.failed ? cl_no_memory(fail) : PD_OK;
	if (!rc)
		pd_print(file, "%s\n", json->buf.data);
	pd_buf_fini(&json->buf);
	return rc;
}

int cl_ask_items(struct cl_link *link, const char *method, pr_ref *result, struct pd_fail *fail,
		 const struct pr_item *items, size_t count)
{
	struct cl_json params;
	cl_json_begin(&params);
	pr_put_items(&params.out, items, count);
	return cl_json_call(&params, link, method, result, fail);
}

int cl_ask_given_items(struct cl_link *link, const struct cl_given_call *call, pr_ref *result, struct pd_fail *fail)
{
	struct cl_json params;
	cl_json_begin(&params);
	pr_put_items(&params.out, call->items, call->count);
	cl_put_given(call->options, call->method, &params.out);
	return cl_json_call(&params, link, pr_method_info(call->method)->name, result, fail);
}

int cl_print_items(FILE *file, struct pd_fail *fail, const struct pr_item *items, size_t count)
{
	struct cl_json json;
	cl_json_begin(&json);
	pr_put_items(&json.out, items, count);
	return cl_json_print(&json, file, fail);
}

/* One NAME=VALUE. `literal` is the value as JSON; "" if it is neither a number nor yes or no. */
struct setting {
	char name[64];
	const char *value;
	char literal[PN_TUNABLE_TEXT];
};

static void read_setting(const char *text, struct setting *out)
{
	const char *equals = strchr(text, '=');
	double number;
	PD_ASSERT(equals != NULL); /* checked by the parser of the command line */
	snprintf(out->name, sizeof out->name, "%.*s", (int)(equals - text), text);
	out->value = equals + 1;
	out->literal[0] = 0;
	if (!strcmp(out->value, "yes") || !strcmp(out->value, "true"))
		snprintf(out->literal, sizeof out->literal, "true");
	else if (!strcmp(out->value, "no") || !strcmp(out->value, "false"))
		snprintf(out->literal, sizeof out->literal, "false");
	else if (cl_number_parse(out->value, &number))
		snprintf(out->literal, sizeof out->literal, "%.17g", number);
}

static void put_tunables(const struct cl_options *options, struct pr_out *out)
{
	pr_open_object(out, "options");
	for (unsigned i = 0; i < options->list_count; i++) {
		struct setting s;
		read_setting(options->list[i], &s);
		if (s.literal[0])
			pr_raw(out, s.name, s.literal, strlen(s.literal));
		else
			pr_str(out, s.name, s.value);
	}
	pr_close(out);
}

static void put_option(const struct cl_options *options, enum cl_option option, const char *key, struct pr_out *out)
{
	switch (cl_option_info(option)->type) {
	case CL_TEXT:
	case CL_FILE:
		pr_str(out, key, options->text[option]);
		break;
	case CL_INT:
	case CL_SIZE:
		pr_int(out, key, options->whole[option]);
		break;
	case CL_JOBS:
		pr_open_array(out, key);
		pr_raw(out, NULL, options->text[option], strlen(options->text[option])); /* numbers with commas */
		pr_close(out);
		break;
	case CL_LINES:
		pr_open_array(out, key);
		for (unsigned i = 0; i < options->line_count; i++)
			pr_str(out, NULL, options->lines[i]);
		pr_close(out);
		break;
	case CL_REAL:
		pr_real(out, key, options->real[option], 3);
		break;
	case CL_FLAG:
		pr_bool(out, key, true);
		break;
	case CL_YES:
		pr_bool(out, key, options->whole[option] != 0);
		break;
	case CL_LIST:
	case CL_DIRS:
		PD_ASSERT(!"lists are not put as a single value");
	}
}

static void put_budget(const struct cl_options *options, struct pr_out *out)
{
	static const enum cl_option budgets[] = {CL_OPT_NODES, CL_OPT_SECONDS, CL_OPT_CPU, CL_OPT_DISK};
	if (!(options->given & (CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(CPU) | CL_BIT(DISK))))
		return;
	pr_open_object(out, "budget");
	for (unsigned i = 0; i < sizeof budgets / sizeof *budgets; i++)
		if (cl_given(options, budgets[i]))
			put_option(options, budgets[i], cl_option_info(budgets[i])->name, out);
	pr_close(out);
}

/* Whether an option sets the parameter of the same name. Of the two options called --moves, only the one with a list
 * does; --data, --dot and --svg name files, and set none. */
static bool is_option_of(enum cl_option option, const char *param)
{
	const char *name = cl_option_info(option)->name;
	if (option == CL_OPT_MOVES || option == CL_OPT_DATA || option == CL_OPT_DOT || option == CL_OPT_SVG)
		return false;
	if (option == CL_OPT_LIMIT && !strcmp(param, "nodes_max"))
		return true;
	while (*name && (*name == *param || (*name == '-' && *param == '_'))) {
		name++;
		param++;
	}
	return !*name && !*param;
}

/* Names separated by commas, as an array. */
static void put_tags(const char *text, struct pr_out *out)
{
	pr_open_array(out, "tags");
	for (const char *p = text; *p; p += *p == ',') {
		size_t size = strcspn(p, ",");
		pr_strn(out, NULL, p, size);
		p += size;
	}
	pr_close(out);
}

void cl_put_given(const struct cl_options *options, enum pr_method method, struct pr_out *out)
{
	for (const struct pr_param *param = pr_method_info(method)->params; param->name; param++) {
		for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
			if (cl_given(options, (enum cl_option)i) && is_option_of((enum cl_option)i, param->name))
				put_option(options, (enum cl_option)i, param->name, out);
		if (!strcmp(param->name, "tags") && cl_given(options, CL_OPT_TAG))
			put_tags(options->text[CL_OPT_TAG], out);
		if (!strcmp(param->name, "budget"))
			put_budget(options, out);
		if (!strcmp(param->name, "options") && options->list_count)
			put_tunables(options, out);
	}
}

int cl_put_game(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	(void)fail;
	pr_str(out, "game", options->words[0]);
	return PD_OK;
}

int cl_put_job(const struct cl_options *options, struct pr_out *out, struct pd_fail *fail)
{
	int64_t job = 0;
	int rc = cl_job_number(options->words[0], &job, fail);
	if (!rc)
		pr_int(out, "job", job);
	return rc;
}

int cl_call(const struct cl_options *options, const struct cl_call *call, struct cl_link **link, pr_ref *result,
	    struct pd_fail *fail)
{
	struct cl_json params;
	*link = NULL;
	cl_json_begin(&params);
	int rc = call->put ? call->put(options, &params.out, fail) : PD_OK;
	if (!rc)
		rc = open_link(options, call->rules, link, fail);
	if (rc) {
		pd_buf_fini(&params.buf);
		return rc;
	}
	cl_put_given(options, call->method, &params.out);
	return cl_json_call(&params, *link, pr_method_info(call->method)->name, result, fail);
}

int cl_position_text(const struct cl_options *options, char **out, struct pd_fail *fail)
{
	static const struct cl_call show = {PR_POSITION_SHOW, .rules = true, .put = cl_put_game};
	const char *position = options->text[CL_OPT_POSITION];
	struct cl_link *link = NULL;
	pr_ref shown;
	int rc = PD_OK;
	if (cl_given(options, CL_OPT_RECORD)) {
		rc = cl_call(options, &show, &link, &shown, fail);
		position = rc ? NULL : pr_get_str(shown, "position", "");
	}
	*out = rc ? NULL : strdup(position ? position : "");
	if (!rc && !*out)
		rc = cl_no_memory(fail);
	cl_link_close(link);
	return rc;
}

int cl_tunables(const struct cl_options *options, struct pn_options *out, struct pd_fail *fail)
{
	int rc = PD_OK;
	pn_options_init(out);
	for (unsigned i = 0; !rc && i < options->list_count; i++) {
		struct setting s;
		read_setting(options->list[i], &s);
		rc = pn_option_set(out, s.name, s.literal[0] ? s.literal : s.value, fail);
	}
	return rc;
}

int cl_job_number(const char *word, int64_t *out, struct pd_fail *fail)
{
	char *end;
	long long number = strtoll(word, &end, 10);
	if (end == word || *end || number < 1 || number > (long long)UINT32_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "job",
				   "a job number is an integer of at least 1, not '%.40s'; `proofctl list` lists them",
				   word);
	*out = number;
	return PD_OK;
}

int cl_job_numbers(const struct cl_options *options, struct pd_fail *fail)
{
	int64_t number;
	int rc = PD_OK;
	for (unsigned i = 0; !rc && i < options->word_count; i++)
		rc = cl_job_number(options->words[i], &number, fail);
	return rc;
}

int cl_jobs_each(struct cl_link *link, const char *state, int64_t limit, bool (*each)(void *ctx, pr_ref job), void *ctx,
		 struct pd_fail *fail)
{
	int64_t before = 0;
	PD_ASSERT(limit > 0);
	do {
		pr_ref page;
		int rc = cl_ask(link, "job.list", &page, fail, PR_OPT_S("state", state), PR_OPT_I("before", before),
				PR_I("limit", limit));
		if (rc)
			return rc;
		struct pr_doc *kept = cl_link_keep(link); /* `each` may make calls */
		pr_ref jobs = pr_get(page, "jobs");
		before = pr_get_int(page, "next", 0);
		for (size_t i = 0; i < pr_count(jobs) && limit; i++)
			limit = each(ctx, pr_at(jobs, i)) ? limit - 1 : 0;
		pr_doc_free(kept);
	} while (limit && before);
	return PD_OK;
}

int cl_print_json(pr_ref value, struct pd_fail *fail)
{
	char *text = pr_dump(value, NULL);
	if (!text)
		return cl_no_memory(fail);
	pd_print(stdout, "%s\n", text);
	free(text);
	return PD_OK;
}
