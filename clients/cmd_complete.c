/* proofctl complete: completions of the last word of a command line, for all shells (proofctl.bash, proofctl.zsh,
 * proofctl.fish), from the tables of commands and options, the games and the server. */
#include <inttypes.h>

#include "clients/commands.h"
#include "clients/show.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

enum { JOBS = 50, PATIENCE_S = 1, NAME_MAX_BYTES = 300 };

/* The command line that is being completed. */
struct completion {
	const char *const *words; /* after `proofctl`; the last one is incomplete */
	unsigned count;
	const struct cl_command *command; /* the first word; NULL: none is complete */
	char before[NAME_MAX_BYTES]; /* begins each candidate: "--algorithm=", or the items before the last comma */
	const char *start;           /* what the rest of a candidate must begin with */
};

static void offer_word_of(const struct completion *c, const char *name, const char *what)
{
	if (strncmp(name, c->start, strlen(c->start)) != 0)
		return;
	pd_print(stdout, "%s%s", c->before, name);
	if (*what)
		pd_print(stdout, "\t%.*s", (int)strcspn(what, "\n"), what);
	putchar('\n');
}

static void offer_commands(const struct completion *c)
{
	const struct cl_command *command;
	for (unsigned i = 0; (command = cl_command_at(i)) != NULL; i++)
		offer_word_of(c, command->name, command->summary);
}

static void offer_options(const struct completion *c)
{
	cl_bits bits = cl_command_options(c->command);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		char name[40];
		const struct cl_option_info *info = cl_option_info((enum cl_option)i);
		snprintf(name, sizeof name, "--%s", info->name);
		if (bits >> i & 1)
			offer_word_of(c, name, info->help);
	}
}

/* Offers the items of an array: texts, or objects with the members `name` and `what`. */
static void offer_items(const struct completion *c, pr_ref items, const char *name, const char *what)
{
	for (size_t i = 0; i < pr_count(items); i++) {
		pr_ref item = pr_at(items, i);
		offer_word_of(c, name ? pr_get_str(item, name, "") : pr_text(item, ""), pr_get_str(item, what, ""));
	}
}

/* Asks a core of its own about the rules, and offers an array of the result. */
static void offer_from_rules(const struct completion *c, const char *method, const char *game, const char *array,
			     const char *name, const char *what)
{
	static const struct cl_options none = {0};
	struct sv_config config;
	struct cl_link *link;
	pr_ref result;
	struct pd_fail why;
	sv_config_init(&config);
	config.threads = 0;
	if (cl_plugins_load(&none, NULL, &why) || cl_link_embed(&config, &link, &why))
		return;
	if (!cl_ask(link, method, &result, &why, PR_OPT_S("game", game)))
		offer_items(c, pr_get(result, array), name, what);
	cl_link_close(link);
}

static void offer_games(const struct completion *c)
{
	offer_from_rules(c, "game.list", NULL, "games", "example", "title");
}

/* Offers the notations of the game, which is the first word after the command. */
static void offer_notations(const struct completion *c)
{
	if (c->count >= 3)
		offer_from_rules(c, "game.describe", c->words[1], "notations", NULL, "");
}

static bool offer_job(void *ctx, pr_ref job)
{
	char number[24], what[200];
	struct cl_text question;
	snprintf(number, sizeof number, "%" PRId64, pr_get_int(job, "job", 0));
	snprintf(what, sizeof what, "%s: %s", pr_get_str(job, "state", "?"), cl_question(&question, job));
	offer_word_of(ctx, number, what);
	return true;
}

/* The option that the word `--name` or `--name=...` names; CL_OPTION_COUNT if the command has none of that name. */
static enum cl_option option_of(const struct completion *c, const char *word)
{
	cl_bits bits = cl_command_options(c->command);
	if (!strcmp(word, "-O"))
		return CL_OPT_OPTION;
	if (strncmp(word, "--", 2) != 0)
		return CL_OPTION_COUNT;
	size_t size = strcspn(word + 2, "=");
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const char *name = cl_option_info((enum cl_option)i)->name;
		if (bits >> i & 1 && strlen(name) == size && !memcmp(name, word + 2, size))
			return (enum cl_option)i;
	}
	return CL_OPTION_COUNT;
}

/* True if the word at that index is an option whose value is the next word. */
static bool awaits_value(const struct completion *c, unsigned at, enum cl_option *out)
{
	*out = at ? option_of(c, c->words[at]) : CL_OPTION_COUNT;
	return *out != CL_OPTION_COUNT && cl_option_info(*out)->argument && !strchr(c->words[at], '=');
}

/* Connects to the server that the command line names, or to the default one; false if it does not answer soon. */
static bool open_server(const struct completion *c, struct cl_link **link)
{
	struct cl_options options;
	struct pd_fail why;
	char **argv = calloc(c->count + 2, sizeof *argv);
	bool open = false;
	enum cl_option last;
	if (!argv)
		return false;
	argv[0] = "proofctl";
	unsigned whole = c->count - 1; /* words, without an option whose value is being completed */
	whole -= whole && awaits_value(c, whole - 1, &last);
	for (unsigned i = 0; i < whole; i++)
		argv[i + 1] = (char *)c->words[i];
	if (!cl_options_parse((int)whole + 1, argv, &options, &why)) {
		options.given |= CL_BIT(TIMEOUT);
		options.real[CL_OPT_TIMEOUT] = PATIENCE_S;
		open = !cl_open(&options, link, &why);
	}
	cl_options_fini(&options);
	free(argv);
	return open;
}

static void offer_jobs(const struct completion *c)
{
	struct cl_link *link;
	struct pd_fail why;
	if (!open_server(c, &link))
		return;
	cl_jobs_each(link, NULL, JOBS, offer_job, (void *)c, &why);
	cl_link_close(link);
}

static void offer_groups(const struct completion *c)
{
	struct cl_link *link;
	pr_ref result;
	struct pd_fail why;
	if (!open_server(c, &link))
		return;
	if (!cl_link_call(link, "group.list", NULL, &result, &why))
		offer_items(c, pr_get(result, "groups"), "group", "");
	cl_link_close(link);
}

static void offer_methods(const struct completion *c)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		offer_word_of(c, pr_method_info((enum pr_method)i)->name, pr_method_info((enum pr_method)i)->summary);
}

/* Offers words like limit|pause|resume, up to a blank. */
static void offer_words(const struct completion *c, const char *words)
{
	for (const char *p = words; *p && *p != ' '; p += strspn(p, "|")) {
		char word[40];
		size_t size = strcspn(p, "| ");
		snprintf(word, sizeof word, "%.*s", (int)size, p);
		offer_word_of(c, word, "");
		p += size;
	}
}

static void offer_dirs(const struct completion *c)
{
	(void)c;
	puts(":dirs");
}

static void offer_files(const struct completion *c)
{
	(void)c;
	puts(":files");
}

/* Offers candidates for a word of the usage, such as GAME or limit|pause. */
static void offer_kind(struct completion *c, const char *kind, size_t size)
{
	static const struct {
		const char *kind;
		void (*offer)(const struct completion *c);
	} kinds[] = {{"DIR", offer_dirs},   {"DATA", offer_dirs},        {"NEW", offer_dirs},
		     {"FROM", offer_dirs},  {"INTO", offer_dirs},        {"BACKUP", offer_dirs},
		     {"FILE", offer_files}, {"PATH", offer_files},       {"GAME", offer_games},
		     {"JOB", offer_jobs},   {"COMMAND", offer_commands}, {"METHOD", offer_methods}};
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strlen(kinds[i].kind) == size && !memcmp(kinds[i].kind, kind, size))
			kinds[i].offer(c);
	if (size == 4 && !memcmp(kind, "NAME", 4) && !strcmp(c->command->name, "group"))
		offer_groups(c);
	if (memchr(kind, '|', size))
		offer_words(c, kind);
}

static void offer_tunables(const struct completion *c)
{
	const struct pn_tunable *t;
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char name[80];
		snprintf(name, sizeof name, "%s=", t->name);
		offer_word_of(c, name, t->what);
	}
}

/* Keeps the items before the last comma. */
static void skip_items(struct completion *c)
{
	const char *comma = strrchr(c->start, ',');
	size_t used = strlen(c->before), size = comma ? (size_t)(comma + 1 - c->start) : 0;
	if (!size || used + size >= sizeof c->before)
		return;
	memcpy(c->before + used, c->start, size);
	c->before[used + size] = 0;
	c->start += size;
}

/* The values of options. For other options the name of the value is a kind (offer_kind). */
static const struct {
	enum cl_option option;
	bool list; /* the value is a list of items separated by commas */
	const char *words;
	void (*offer)(const struct completion *c); /* without `words` */
} values[] = {
#define X(name, text, ...) text "|"
	{CL_OPT_ALGORITHMS, true, PN_ALGORITHMS(X), NULL},
	{CL_OPT_ALGORITHM, false, PN_ALGORITHMS(X), NULL},
	{CL_OPT_STATE, false, PR_JOB_STATES(X), NULL},
#undef X
	{CL_OPT_CLAIM, false, "value|first-wins|second-wins|first-draws|second-draws|first-at-least-0", NULL},
	{CL_OPT_DETAIL, false, "full|frontier", NULL},
	{CL_OPT_SORT, false, "state|rate|priority", NULL},
	{CL_OPT_NOTATION, false, NULL, offer_notations},
	{CL_OPT_OPTION, false, NULL, offer_tunables},
	{CL_OPT_GAME, false, NULL, offer_games},
	{CL_OPT_GROUP, false, NULL, offer_groups},
	{CL_OPT_AFTER, true, NULL, offer_jobs},
	{CL_OPT_JOB, false, NULL, offer_jobs},
};

static void offer_values(struct completion *c, enum cl_option option)
{
	const char *argument = cl_option_info(option)->argument;
	for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
		if (values[i].option != option)
			continue;
		if (values[i].list)
			skip_items(c);
		if (values[i].offer)
			values[i].offer(c);
		else
			offer_words(c, values[i].words);
		return;
	}
	offer_kind(c, argument ? argument : "", argument ? strlen(argument) : 0);
}

/* Offers candidates for word number `place` after the command, by its usage: "[GAME] FILE", "JOB...". */
static void offer_word(struct completion *c, unsigned place)
{
	const char *p = c->command->usage;
	bool optional = false;
	for (unsigned i = 0; *p; i++) {
		size_t size = strcspn(p, " ");
		bool more = size > 3 && (strstr(p, "...") == p + size - 3 || strstr(p, "...]") == p + size - 4);
		const char *kind = p + (*p == '[');
		bool begins = i == place || (more && place > i) || (optional && i == place + 1);
		if (begins)
			offer_kind(c, kind, strcspn(kind, " .]"));
		optional = *p == '[';
		p += size + (p[size] == ' ');
	}
}

static void complete_words(struct completion *c)
{
	const char *last = c->words[c->count - 1], *equals = strchr(last, '=');
	enum cl_option option;
	unsigned place = 0;
	if (c->count == 1) {
		offer_commands(c);
		return;
	}
	if (!c->command)
		return;
	if (awaits_value(c, c->count - 2, &option)) {
		offer_values(c, option);
		return;
	}
	option = equals ? option_of(c, last) : CL_OPTION_COUNT;
	if (option != CL_OPTION_COUNT && (size_t)(equals + 1 - last) < sizeof c->before) {
		snprintf(c->before, sizeof c->before, "%.*s", (int)(equals + 1 - last), last);
		c->start = equals + 1;
		offer_values(c, option);
		return;
	}
	if (*last == '-') {
		offer_options(c);
		return;
	}
	for (unsigned i = 1; i + 1 < c->count; i++)
		place += c->words[i][0] != '-' && !awaits_value(c, i - 1, &option);
	offer_word(c, place);
}

int cl_cmd_complete(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct completion c = {.words = options->words, .count = options->word_count};
	PD_ASSERT(options->words != NULL);
	*exit_code = CL_EXIT_OK;
	if (!c.count)
		return PD_OK;
	c.start = c.words[c.count - 1];
	if (cl_command_find(c.words[0], &c.command, fail))
		c.command = NULL;
	complete_words(&c);
	return PD_OK;
}
