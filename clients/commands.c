#include "clients/commands.h"

#include <ctype.h>

#include "clients/text.h"
#include "proto/base/assert.h"
#include "proto/base/distance.h"
#include "proto/base/print.h"

/* Sets of options for commands.def. */
#define SERVER_BITS                                                                                                    \
	(CL_BIT(SERVER) | CL_BIT(SOCKET) | CL_BIT(TIMEOUT) | CL_BIT(TOKEN_FILE) | CL_BIT(TLS) | CL_BIT(TLS_CA))
#define GAME_BITS   (CL_BIT(GAME_DIR) | CL_BIT(GAME_PROGRAM) | CL_BIT(GAME_FILES))
#define RECORD_BITS (CL_BIT(RECORD) | CL_BIT(GAME_NUMBER))
#define READ_BITS   (SERVER_BITS | CL_BIT(DATA) | CL_BIT(GRAPHS) | GAME_BITS)
#define PLAY_BITS   (SERVER_BITS | CL_BIT(DATA) | CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(MEMORY) | CL_BIT(THREADS))
#define SEARCH_BITS                                                                                                    \
	(CL_BIT(POSITION) | RECORD_BITS | CL_BIT(CLAIM) | CL_BIT(ALGORITHM) | CL_BIT(OPTION) | CL_BIT(DETAIL) |        \
	 CL_BIT(NODES) | CL_BIT(SECONDS) | CL_BIT(MEMORY) | CL_BIT(THREADS) | CL_BIT(SEED) | CL_BIT(SHORTEN))
#define COMPARE_BITS                                                                                                   \
	((SEARCH_BITS & ~(CL_BIT(ALGORITHM) | CL_BIT(SEED) | CL_BIT(SHORTEN))) | CL_BIT(ALGORITHMS) | CL_BIT(SEEDS) |  \
	 CL_BIT(CSV) | CL_BIT(GRAPHS) | GAME_BITS)
#define SUITE_BITS                                                                                                     \
	(CL_BIT(CSV) | CL_BIT(SVG) | CL_BIT(OUT) | CL_BIT(PARALLEL) | CL_BIT(AGAINST) | CL_BIT(ANY_BUILD) |            \
	 CL_BIT(GRAPHS) | GAME_BITS)
#define JOBS_HELP  "If a job fails, the failure is reported, the other jobs are processed, and the exit code is 1.\n"
#define RULES_HELP "Needs no server; asks one when --server, --socket or $PROOFD_SERVER names it.\n"

enum {
	ANY = 100000,        /* the number of words is not limited */
	DISTANCE_MAX = 2,    /* letters in which a suggested name may differ */
	SUMMARY_COLUMN = 36, /* where the summary of a command begins */
	OPTION_COLUMN = 24,  /* where the help of an option begins */
	EXAMPLE_INDENT = 6   /* of the continuation lines of an example */
};

static const struct cl_command commands[] = {
#define CL_COMMAND_AS(name, text, ...) {text, __VA_ARGS__, cl_cmd_##name, NULL},
#define CL_COMMAND(name, ...)          {#name, __VA_ARGS__, cl_cmd_##name, NULL},
#define CL_CALL(name, ...)             {#name, __VA_ARGS__, NULL, &cl_call_##name},
#include "clients/commands.def"
#undef CL_COMMAND
#undef CL_CALL
};

enum { COMMANDS = sizeof commands / sizeof *commands };

const struct cl_command *cl_command_at(unsigned index)
{
	return index < COMMANDS ? &commands[index] : NULL;
}

/* True when `word` is one of the words of `list`. */
static bool is_listed(const char *list, const char *word)
{
	size_t size = strlen(word);
	for (const char *at = list; size && (at = strstr(at, word)) != NULL; at += size)
		if ((at == list || at[-1] == ' ') && (!at[size] || at[size] == ' '))
			return true;
	return false;
}

/* The command that a user may mean; NULL: none. Synonyms come before similar names. */
static const struct cl_command *find_nearest(const char *name)
{
	const struct cl_command *found = NULL;
	unsigned distance = DISTANCE_MAX + 1;
	for (unsigned i = 0; i < COMMANDS; i++)
		if (is_listed(commands[i].synonyms, name))
			return &commands[i];
	for (unsigned i = 0; i < COMMANDS; i++) {
		unsigned d = pd_distance(commands[i].name, name);
		if (d < distance) {
			distance = d;
			found = &commands[i];
		}
	}
	return found;
}

int cl_command_find(const char *name, const struct cl_command **out, struct pd_fail *fail)
{
	for (unsigned i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name)) {
			*out = &commands[i];
			return PD_OK;
		}
	const struct cl_command *other = find_nearest(name);
	if (other)
		return pd_fail_set(fail, PD_E_USAGE, name, "unknown command '%.40s'; did you mean `proofctl %s`?", name,
				   other->name);
	return pd_fail_set(fail, PD_E_USAGE, name, "unknown command '%.40s'; `proofctl help` lists the commands", name);
}

cl_bits cl_command_options(const struct cl_command *command)
{
	PD_ASSERT(command && command >= commands && command < commands + COMMANDS);
	return command->options | CL_BIT(JSON) | CL_BIT(HELP);
}

/* --- errors ------------------------------------------------------------------------------- */

int cl_report_exit(int code)
{
	switch (code) {
	case PD_E_USAGE:
	case PD_E_PARSE:
	case PD_E_REQUEST:
	case PD_E_METHOD:
	case PD_E_PARAMS:
	case PD_E_GAME:
	case PD_E_POSITION:
	case PD_E_MOVE:
	case PD_E_CLAIM:
	case PD_E_ALGORITHM:
	case PD_E_NO_JOB:
		return CL_EXIT_USAGE;
	default:
		return CL_EXIT_FAILED;
	}
}

/* The option or word of the command line for a parameter of the protocol. */
static void name_of(const char *field, char *out, size_t size)
{
	static const struct {
		const char *field, *name;
	} words[] = {{"options", "--option"}, {"game", "GAME"}, {"job", "JOB"}};
	if (!strcmp(field, "budget") || !strncmp(field, "budget.", 7))
		field = strstr(field, "seconds") ? "seconds" : "nodes";
	snprintf(out, size, "%s", field);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		if (!strcmp(field, cl_option_info((enum cl_option)i)->name))
			snprintf(out, size, "--%s", field);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(field, words[i].field))
			snprintf(out, size, "%s", words[i].name);
}

static void print_text(const struct pd_fail *fail)
{
	struct cl_ink ink = cl_ink_of(stderr);
	char name[80];
	name_of(fail->field, name, sizeof name);
	pd_print(stderr, "%sproofctl:%s ", ink.bad, ink.off);
	if (fail->code != PD_E_USAGE && name[0] && !strstr(fail->text, name))
		pd_print(stderr, "%s: ", name);
	pd_print(stderr, "%s\n", fail->text);
}

void cl_report(const struct pd_fail *fail, bool json)
{
	PD_ASSERT(fail->code != PD_OK);
	fflush(stdout);
	struct pd_fail ignored;
	if (!json)
		print_text(fail);
	else if (cl_print_members(stderr, &ignored, PR_OPEN_OBJECT("error"), PR_U("code", (unsigned)fail->code),
				  PR_S("message", fail->text), PR_OPEN_OBJECT("data"),
				  PR_S("slug", pd_error_slug(fail->code)),
				  PR_S("field", fail->field[0] ? fail->field : NULL), PR_CLOSE, PR_CLOSE))
		fputs("{}\n", stderr);
}

bool cl_report_go_on(const struct cl_options *options, int rc, struct pd_fail *fail, int *exit_code)
{
	if (!rc)
		return true;
	if (options->word_count < 2 || rc == PD_E_UNREACHABLE)
		return false;
	fail->code = rc;
	cl_report(fail, cl_given(options, CL_OPT_JSON));
	*exit_code = CL_EXIT_FAILED;
	return true;
}

/* --- commands that are calls --------------------------------------------------------------- */

static int print_result(const struct cl_options *options, const struct cl_call *call, pr_ref result,
			struct pd_fail *fail)
{
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_json(result, fail);
	call->print(result);
	if (call->gap && options->word_count > 1)
		putchar('\n');
	return PD_OK;
}

static int call_each(const struct cl_options *options, const struct cl_call *call, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref result;
	int64_t job = 0;
	int rc = cl_job_numbers(options, fail);
	if (!rc)
		rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < options->word_count; i++) {
		rc = cl_job_number(options->words[i], &job, fail);
		if (!rc)
			rc = cl_ask(link, pr_method_info(call->method)->name, &result, fail, PR_I("job", job));
		if (!rc)
			rc = print_result(options, call, result, fail);
		else if (cl_report_go_on(options, rc, fail, exit_code))
			rc = PD_OK;
	}
	cl_link_close(link);
	return rc;
}

int cl_command_call(const struct cl_options *options, const struct cl_call *call, int *exit_code, struct pd_fail *fail)
{
	struct cl_link *link;
	pr_ref result;
	if (call->each)
		return call_each(options, call, exit_code, fail);
	int rc = cl_call(options, call, &link, &result, fail);
	if (!rc)
		rc = print_result(options, call, result, fail);
	cl_link_close(link);
	return rc;
}

/* --- help --------------------------------------------------------------------------------- */

/* The heading that the list of commands has before this command; NULL: none. */
static const char *find_heading(const struct cl_command *command)
{
	static const struct {
		const char *command, *heading;
	} groups[] = {
		{"solve", "Questions, without a server"},
		{"submit", "Jobs of a server"},
		{"query", "What is proved, and the games"},
		{"stats", "The server"},
		{"check", "Data directories"},
		{"export", "Proofs and tables"},
		{"uci", "Engines, scripts, help"},
	};
	for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strcmp(groups[i].command, command->name))
			return groups[i].heading;
	return NULL;
}

void cl_help_all(FILE *file)
{
	cl_wrap_lines(file, "proofctl: query a proof server for two-player games, or prove without one", 0, 0,
		      cl_width(file));
	for (unsigned i = 0; i < COMMANDS; i++) {
		const char *heading = find_heading(&commands[i]);
		if (heading)
			pd_print(file, "\n%s:\n", heading);
		unsigned column = (unsigned)pd_print(file, "  proofctl %s %s", commands[i].name, commands[i].usage);
		cl_wrap_at(file, commands[i].summary, column, SUMMARY_COLUMN, cl_width(file));
	}
	fputc('\n', file);
	cl_wrap_lines(
		file,
		"Commands that need a server find it by --server HOST:PORT, --socket PATH or $PROOFD_SERVER, else at "
		"127.0.0.1:4590. --json prints JSON and nothing else. `proofctl help COMMAND` describes a command, "
		"`proofctl help terms` explains the terms, `proofctl --version` prints the version.",
		0, 0, cl_width(file));
}

enum { TUNABLE_BYTES = 400 };

/* What a search option does, its range and its default. */
static void tell_tunable(const struct pn_tunable *t, char text[TUNABLE_BYTES])
{
	if (t->kind == PN_YES_NO)
		snprintf(text, TUNABLE_BYTES, "%s; yes or no, default %s", t->what, t->preset ? "yes" : "no");
	else if (t->preset < t->min)
		snprintf(text, TUNABLE_BYTES, "%s; %lld to %lld", t->what, (long long)t->min, (long long)t->max);
	else
		snprintf(text, TUNABLE_BYTES, "%s; %lld to %lld, default %lld", t->what, (long long)t->min,
			 (long long)t->max, (long long)t->preset);
}

/* Prints a command line that a shell can take; on a narrow terminal it is broken at blanks with backslashes. */
static void print_example(FILE *file, const char *line, size_t size)
{
	unsigned column = 2, limit = cl_limit(file);
	fputs("  ", file);
	for (size_t at = 0; at < size;) {
		size_t word = strcspn(line + at, " \n");
		if (column > 2 && column + word + 3 >= limit) {
			pd_print(file, "\\\n%*s", EXAMPLE_INDENT, "");
			column = EXAMPLE_INDENT;
		}
		pd_print(file, "%.*s", (int)word, line + at);
		fputc(at + word < size ? ' ' : '\n', file);
		column += (unsigned)word + 1;
		at += word + 1;
	}
}

static void print_examples(FILE *file, const char *examples)
{
	fputs("\nExamples:\n\n", file);
	while (*examples) {
		size_t size = strcspn(examples, "\n");
		PD_ASSERT(size && examples[size] == '\n');
		print_example(file, examples, size);
		examples += size + 1;
	}
}

void cl_help_command(const struct cl_command *command, FILE *file)
{
	cl_bits bits = cl_command_options(command);
	const struct pn_tunable *t;
	pd_print(file, "proofctl %s %s%s[options]\n\n", command->name, command->usage, *command->usage ? " " : "");
	cl_wrap_lines(file, command->summary, 0, 2, cl_width(file));
	fputc('\n', file);
	if (*command->help) {
		cl_wrap_lines(file, command->help, 0, 0, cl_width(file));
		fputc('\n', file);
	}
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const struct cl_option_info *info = cl_option_info((enum cl_option)i);
		if (!(bits >> i & 1))
			continue;
		unsigned column =
			(unsigned)pd_print(file, "  --%s %s", info->name, info->argument ? info->argument : "");
		cl_wrap_at(file, info->help, column, OPTION_COLUMN, cl_width(file));
	}
	if (bits & CL_BIT(OPTION)) {
		fputs("\nSearch options, set by --option NAME=VALUE:\n\n", file);
		for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
			char text[TUNABLE_BYTES];
			unsigned column = (unsigned)pd_print(file, "  %s", t->name);
			tell_tunable(t, text);
			cl_wrap_at(file, text, column, OPTION_COLUMN, cl_width(file));
		}
	}
	print_examples(file, command->examples);
}

void cl_help_terms(FILE *file)
{
	for (const char *line = cl_glossary; *line; line += strcspn(line, "\n") + 1) {
		char term[64], meaning[1024];
		if (sscanf(line, "| %63[^|]| %1023[^|]|\n", term, meaning) != 2 || *term == '-' ||
		    !strncmp(term, "term ", 5))
			continue;
		term[strcspn(term, "|") - 1] = 0; /* its blank */
		pd_print(file, "%s\n    ", term);
		cl_wrap_lines(file, meaning, 4, 4, cl_width(file));
	}
}

/* --- the manual page ------------------------------------------------------------------------- */

static const char manual_head[] =
	".TH PROOFCTL 1 2026-11-26 \"proofd " PD_VERSION "\" \"User commands\"\n"
	".SH NAME\n"
	"proofctl \\- query a proof server for two-player games, or prove without one\n"
	".SH SYNOPSIS\n"
	".B proofctl\n"
	".I COMMAND\n"
	".RI [ words ]\n"
	".RI [ options ]\n"
	".SH DESCRIPTION\n"
	".B proofctl\n"
	"submits questions about positions of two-player games to\n"
	".BR proofd (8),\n"
	"follows the searches, and queries what is proved. Without a server it answers a question itself\n"
	".RB ( solve ),\n"
	"and works on data directories. Options may stand anywhere;\n"
	".B \\-\\-\n"
	"ends them. A number may be written 1000000, 1e6 or 1M.\n";

static const char manual_tail[] =
	".SH EXIT STATUS\n"
	".TP\n.B 0\n"
	"Done; of a search: answered; of a check: no problems; of a repair: nothing was lost.\n"
	".TP\n.B 1\n"
	"Failure; of a search: the job failed or was cancelled; of a check: problems were found; of a command with "
	"several\n"
	"jobs: it failed for at least one of them.\n"
	".TP\n.B 2\n"
	"The command line, game, position, claim or job number is invalid.\n"
	".TP\n.B 3\n"
	"The budget ended before the answer; of a check: no problems were found, but something was skipped because "
	"its\n"
	"game cannot be opened; of a repair: something was lost.\n"
	".TP\n.B 130, 143\n"
	"Ended by SIGINT or SIGTERM, after a checkpoint when there is a data directory.\n"
	".SH ENVIRONMENT\n"
	".TP\n.B PROOFD_SERVER\n"
	"Address of the server: HOST:PORT, or the path of a Unix socket; not a URL.\n"
	".TP\n.B PROOFD_TOKEN_FILE\n"
	"File of the token, when\n.B \\-\\-token\\-file\nis not given.\n"
	".TP\n.B PROOFD_GAME_DIR\n"
	"Directories of plug-ins, separated by colons, when\n.B \\-\\-game\\-dir\nis not given.\n"
	".TP\n.B NO_COLOR\n"
	"If set, there are no colours.\n"
	".TP\n.B TMPDIR\n"
	"Directory of the temporary file of\n.BR \"export \\-\\-data DIR GAME \\-\" .\nDefault /tmp.\n"
	".SH SEE ALSO\n"
	".BR proofcheck (1),\n"
	".BR proofd (8)\n";

static void put_text(FILE *file, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		pd_print(file, text[i] == '-' ? "\\-" : text[i] == '\\' ? "\\e" : "%c", text[i]);
}

/* Puts sentences: options and text in backquotes are bold; a newline begins a new paragraph. */
static void put_prose(FILE *file, const char *text)
{
	for (const char *p = text; *p;) {
		size_t quoted = *p == '`' ? strcspn(p + 1, "`") : 0;
		size_t option = !strncmp(p, "--", 2) ? 2 + strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-") : 0;
		size_t bold = quoted ? quoted : option > 2 ? option : 0;
		if (bold) {
			fputs("\\fB", file);
			put_text(file, p + (quoted > 0), bold);
			fputs("\\fR", file);
			p += quoted ? bold + 2 : bold;
		} else if (*p == '\n') {
			size_t blank = strspn(p, "\n");
			pd_print_lines(file, p[blank] ? "\n.PP\n" : "\n");
			p += blank;
		} else if (*p == ' ' && p > text && strchr(".:;", p[-1])) { /* each part of a sentence gets a line */
			fputc('\n', file);
			p++;
		} else {
			put_text(file, p++, 1);
		}
	}
}

static void put_sentence(FILE *file, const char *text)
{
	fputc(toupper((unsigned char)*text), file);
	put_prose(file, text + 1);
}

static void put_command(FILE *file, const struct cl_command *command)
{
	static const cl_bits common = CL_BIT(JSON) | CL_BIT(HELP);
	bool some = false;
	pd_print(file, ".SS \"%s%s%s\"\n", command->name, *command->usage ? " " : "", command->usage);
	put_sentence(file, command->summary);
	pd_print_lines(file, *command->help ? ".\n.PP\n" : ".\n");
	put_prose(file, command->help);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const struct cl_option_info *info = cl_option_info((enum cl_option)i);
		if (!(command->options & ~common & ((cl_bits)1 << i)))
			continue;
		pd_print_lines(file, some ? ",\n" : ".PP\nOptions:\n");
		fputs("\\fB\\-\\-", file);
		put_text(file, info->name, strlen(info->name));
		fputs("\\fR", file);
		some = true;
	}
	pd_print_lines(file, some ? ".\n.PP\n.nf\n" : ".PP\n.nf\n");
	for (const char *p = command->examples; *p; p++)
		put_text(file, p, 1);
	fputs(".fi\n", file);
}

static void put_option(FILE *file, const struct cl_option_info *info)
{
	fputs(".TP\n\\fB\\-\\-", file);
	put_text(file, info->name, strlen(info->name));
	fputs("\\fR", file);
	if (info->argument)
		pd_print(file, " \\fI%s\\fR", info->argument);
	fputc('\n', file);
	put_sentence(file, info->help);
	fputs(".\n", file);
}

/* `proofctl help manual`: the manual page, as source for man. */
static void print_manual(FILE *file)
{
	const struct cl_command *command;
	const struct pn_tunable *t;
	pd_print_lines(file, manual_head);
	fputs(".SH COMMANDS\n", file);
	for (unsigned i = 0; (command = cl_command_at(i)) != NULL; i++)
		put_command(file, command);
	fputs(".SH OPTIONS\n", file);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		put_option(file, cl_option_info((enum cl_option)i));
	fputs(".SH SEARCH OPTIONS\n", file);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char text[TUNABLE_BYTES];
		tell_tunable(t, text);
		fputs(".TP\n\\fB", file);
		put_text(file, t->name, strlen(t->name));
		fputs("\\fR\n", file);
		put_sentence(file, text);
		fputs(".\n", file);
	}
	pd_print_lines(file, manual_tail);
}

int cl_cmd_help(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const char *topic = options->word_count ? options->words[0] : "";
	const struct cl_command *command = NULL;
	*exit_code = CL_EXIT_OK;
	if (!*topic)
		cl_help_all(stdout);
	else if (!strcmp(topic, "terms"))
		cl_help_terms(stdout);
	else if (!strcmp(topic, "manual"))
		print_manual(stdout);
	else if (!cl_command_find(topic, &command, fail))
		cl_help_command(command, stdout);
	else
		return fail->code;
	return PD_OK;
}
