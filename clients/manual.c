/* `proofctl help manual`: the manual page, from the tables of commands and options. */
#include <ctype.h>

#include "clients/commands.h"
#include "proto/base/print.h"

static const char head[] =
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

static const char tail[] =
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

/* A sentence or more: options and what stands in backquotes are bold; a newline begins another paragraph. */
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
		} else if (*p == ' ' && p > text && strchr(".:;", p[-1])) { /* a line for each part of a sentence */
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
	static const uint64_t common = CL_BIT(JSON) | CL_BIT(HELP);
	bool some = false;
	pd_print(file, ".SS \"%s%s%s\"\n", command->name, *command->usage ? " " : "", command->usage);
	put_sentence(file, command->summary);
	pd_print_lines(file, *command->help ? ".\n.PP\n" : ".\n");
	put_prose(file, command->help);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const struct cl_option_info *info = cl_option_info((enum cl_option)i);
		if (!(command->options & ~common & (UINT64_C(1) << i)))
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

void cl_help_manual(FILE *file)
{
	const struct cl_command *command;
	const struct pn_tunable *t;
	pd_print_lines(file, head);
	fputs(".SH COMMANDS\n", file);
	for (unsigned i = 0; (command = cl_command_at(i)) != NULL; i++)
		put_command(file, command);
	fputs(".SH OPTIONS\n", file);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++)
		put_option(file, cl_option_info((enum cl_option)i));
	fputs(".SH SEARCH OPTIONS\n", file);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		char text[CL_TUNABLE_BYTES];
		cl_tunable_text(t, text);
		fputs(".TP\n\\fB", file);
		put_text(file, t->name, strlen(t->name));
		fputs("\\fR\n", file);
		put_sentence(file, text);
		fputs(".\n", file);
	}
	pd_print_lines(file, tail);
}
