/* Commands: see commands.h. */
#include "clients/commands.h"

#include <string.h>

#define SERVER_BITS (CL_BIT(SERVER) | CL_BIT(SOCKET) | CL_BIT(TIMEOUT))
#define READ_BITS   (SERVER_BITS | CL_BIT(DATA) | CL_BIT(GRAPHS))
#define SEARCH_BITS                                                                                                    \
	(CL_BIT(POSITION) | CL_BIT(CLAIM) | CL_BIT(ALGORITHM) | CL_BIT(OPTION) | CL_BIT(DETAIL) | CL_BIT(NODES) |      \
	 CL_BIT(SECONDS) | CL_BIT(MEMORY) | CL_BIT(THREADS) | CL_BIT(SEED) | CL_BIT(SHORTEN))

enum { ANY = 100000 };

static const struct cl_command table[] = {
	{"solve", "GAME", "answer a question here and now, without a server",
	 "The answer goes to stdout, progress to stderr. With --data DIR everything found is kept in DIR: when a\n"
	 "search is interrupted (Ctrl-C, a crash, the end of its budget), the same command goes on where it was, and\n"
	 "what DIR knows already is not searched again. --nodes and --seconds count from where it goes on.\n"
	 "\n"
	 "Exit codes: 0 answered, 3 the budget ended first, 2 wrong command line or position, 1 failure, 130 Ctrl-C.\n",
	 SEARCH_BITS | CL_BIT(DATA) | CL_BIT(GRAPHS) | CL_BIT(CHECKPOINT), 1, 1, cl_cmd_solve},
	{"submit", "GAME", "hand a question to the server; prints the job's number",
	 "When the number is printed the job is on disk and survives a crash of the server.\n",
	 SEARCH_BITS | SERVER_BITS | CL_BIT(PRIORITY) | CL_BIT(KEY), 1, 1, cl_cmd_submit},
	{"watch", "JOB", "follow a job until it ends",
	 "On a terminal a panel that is kept up to date, elsewhere a line now and then (--interval), with --json an\n"
	 "object a line. Exit codes as those of wait.\n",
	 SERVER_BITS | CL_BIT(INTERVAL), 1, 1, cl_cmd_watch},
	{"wait", "JOB...", "wait until jobs have ended",
	 "Exit codes: 0 all are solved, 3 a budget ended first, 1 one failed or was cancelled.\n", SERVER_BITS, 1, ANY,
	 cl_cmd_wait},
	{"list", "", "jobs, newest first", "", READ_BITS | CL_BIT(STATE) | CL_BIT(LIMIT), 0, 0, cl_cmd_list},
	{"show", "JOB", "all about one job", "", READ_BITS, 1, 1, cl_cmd_show},
	{"pause", "JOB...", "stop jobs for now, keeping their work", "", SERVER_BITS, 1, ANY, cl_cmd_pause},
	{"resume", "JOB...", "go on with paused, exhausted or failed jobs",
	 "A job whose budget is used up needs a larger one first: proofctl set JOB --nodes N\n", SERVER_BITS, 1, ANY,
	 cl_cmd_resume},
	{"cancel", "JOB...", "end jobs; what they have proved stays", "", SERVER_BITS, 1, ANY, cl_cmd_cancel},
	{"remove", "JOB...", "forget jobs that are over; what they have proved stays",
	 "Record, history and table of each job go for good, and its number is not given again. A job that is not "
	 "over\n"
	 "has to be cancelled first.\n",
	 SERVER_BITS, 1, ANY, cl_cmd_remove},
	{"set", "JOB", "change a job's priority or its budgets", "",
	 SERVER_BITS | CL_BIT(PRIORITY) | CL_BIT(NODES) | CL_BIT(SECONDS), 1, 1, cl_cmd_set},
	{"history", "JOB", "how a job went: its events and checkpoints", "", READ_BITS | CL_BIT(LIMIT), 1, 1,
	 cl_cmd_history},
	{"query", "GAME [POSITION...]", "what is proved about positions",
	 "Without a position: the initial one. A lone `-` reads positions from stdin, one a line.\n"
	 "Exit code 2 when a position could not be read; the others are answered all the same.\n",
	 READ_BITS | CL_BIT(MOVES), 1, ANY, cl_cmd_query},
	{"line", "GAME", "best play from a position, as far as it is proved", "",
	 READ_BITS | CL_BIT(POSITION) | CL_BIT(LIMIT), 1, 1, cl_cmd_line},
	{"games", "[GAME]", "the games there are, or all about one", "", READ_BITS, 0, 1, cl_cmd_games},
	{"position", "GAME [TEXT]", "show a position: the board and its legal moves", "", READ_BITS, 1, 2,
	 cl_cmd_position},
	{"perft", "GAME DEPTH", "count the positions after so many plies, to check the rules", "",
	 CL_BIT(POSITION) | CL_BIT(GRAPHS), 2, 2, cl_cmd_perft},
	{"stats", "", "what the server is doing", "", READ_BITS, 0, 0, cl_cmd_stats},
	{"shutdown", "", "checkpoint everything and stop the server",
	 "Over its Unix socket, which only its owner can open; a server that is reached over TCP tells where that is.\n"
	 "Without it the token of `proofd --token-file` is needed.\n",
	 SERVER_BITS | CL_BIT(TOKEN_FILE), 0, 0, cl_cmd_shutdown},
	{"check", "DIR", "check every record and every proof of a data directory",
	 "Needs no server, and does no harm beside one. Uses all processors unless --threads says otherwise.\n"
	 "Exit codes: 0 all is well, 1 problems were found or it could not look, 3 nothing wrong was found, but there\n"
	 "are facts or jobs of games that cannot be opened here (a graph is missing, or has changed).\n",
	 CL_BIT(GRAPHS) | CL_BIT(THREADS), 1, 1, cl_cmd_check},
	{"repair", "DIR NEW", "copy what is sound of a damaged data directory to a new one",
	 "DIR is only read, and no server may have it; NEW must not exist, or be empty. Copies whatever still bears "
	 "its\n"
	 "checksum: jobs with their numbers, histories and tables, and all facts. Jobs that may lean on facts that\n"
	 "are lost begin again, with all that is left. Then `proofctl check NEW` says what is not founded any more.\n"
	 "Exit codes: 0 nothing was lost, 3 something was, 2 wrong command line, 1 failure.\n",
	 0, 2, 2, cl_cmd_repair},
	{"taint", "", "take back facts that are not trusted any more, and all that leans on them",
	 "For the facts that a job found (--job N), those of a game under a version of its rules (--game NAME\n"
	 "--rules V), or those of all jobs that a version of this program worked on (--engine VERSION). No server\n"
	 "may have the directory. What leans on them is found by checking the facts of the games concerned again;\n"
	 "with --nodes N what was kept as a leaf falls as well when its search takes more than N nodes. All jobs of\n"
	 "these games begin again. --dry-run says what would be. The same command goes on where it was interrupted.\n",
	 CL_BIT(DATA) | CL_BIT(JOB) | CL_BIT(GAME) | CL_BIT(RULES) | CL_BIT(ENGINE) | CL_BIT(DRY_RUN) | CL_BIT(GRAPHS) |
		 CL_BIT(THREADS) | CL_BIT(NODES),
	 0, 0, cl_cmd_taint},
	{"export", "[GAME] FILE", "write the proof of an answer to a file that proofcheck reads",
	 "From a data directory (--data) or from the server; with --job N the answer of that job, else that of GAME "
	 "and\n"
	 "--position. --claim says which answer is meant; without it the strongest that is known. The certificate "
	 "holds\n"
	 "all that is needed to check the answer by the rules alone. --detail frontier leaves out what a bounded "
	 "search\n"
	 "finds again: the file is smaller, and the checker takes longer. A download that was interrupted goes on.\n",
	 CL_BIT(POSITION) | CL_BIT(CLAIM) | CL_BIT(DETAIL) | CL_BIT(JOB) | READ_BITS, 1, 2, cl_cmd_export},
	{"call", "METHOD [JSON]", "call a method of the protocol and print its result",
	 "`proofctl call rpc.discover` describes them all.\n", READ_BITS, 1, 2, cl_cmd_call},
	{"help", "[COMMAND]", "this text, or all about one command", "", 0, 0, 1, cl_cmd_help},
};

enum { COMMANDS = sizeof table / sizeof *table };

const struct cl_command *cl_command_at(unsigned index)
{
	return index < COMMANDS ? &table[index] : NULL;
}

int cl_command_find(const char *name, const struct cl_command **out, struct pd_fail *fail)
{
	const char *nearest = NULL;
	unsigned distance = 3;
	for (unsigned i = 0; i < COMMANDS; i++) {
		unsigned d = cl_distance(table[i].name, name);
		if (!d) {
			*out = &table[i];
			return PD_OK;
		}
		if (d < distance) {
			distance = d;
			nearest = table[i].name;
		}
	}
	if (nearest)
		return pd_fail_set(fail, PD_E_USAGE, name, "there is no command '%.40s'; did you mean `proofctl %s`?",
				   name, nearest);
	return pd_fail_set(fail, PD_E_USAGE, name, "there is no command '%.40s'; `proofctl help` lists what there is",
			   name);
}

uint64_t cl_command_options(const struct cl_command *command)
{
	return command->options | CL_BIT(JSON) | CL_BIT(HELP);
}

/* --- help --------------------------------------------------------------------------------- */

void cl_help_all(FILE *file)
{
	fputs("proofctl: asks a proof server about two-player games, or proves on its own\n\n", file);
	for (unsigned i = 0; i < COMMANDS; i++) {
		int width = fprintf(file, "  proofctl %s %s", table[i].name, table[i].usage);
		fprintf(file, "%*s%s\n", width < 36 ? 36 - width : 1, "", table[i].summary);
	}
	fputs("\nCommands that talk to a server find it by --server HOST:PORT, --socket PATH, $PROOFD_SERVER or at "
	      "127.0.0.1:4590.\n"
	      "--json prints JSON and nothing else. `proofctl help COMMAND` says more, `proofctl --version` which "
	      "version this is.\n",
	      file);
}

static void help_tunables(FILE *file)
{
	const struct pn_tunable *t;
	fputs("\nThe NAME=VALUE of --option:\n\n", file);
	for (unsigned i = 0; (t = pn_tunable_at(i)) != NULL; i++) {
		int width = fprintf(file, "  %s", t->name);
		fprintf(file, "%*s", 24 - width, "");
		if (t->kind == PN_YES_NO)
			fprintf(file, "yes or no, default %s\n", t->preset ? "yes" : "no");
		else
			fprintf(file, "%lld to %lld%s", (long long)t->min, (long long)t->max,
				t->preset < t->min ? "\n" : "");
		if (t->kind != PN_YES_NO && t->preset >= t->min)
			fprintf(file, ", default %lld\n", (long long)t->preset);
		fprintf(file, "%*s%s\n", 24, "", t->what);
	}
}

void cl_help_command(const struct cl_command *command, FILE *file)
{
	uint64_t bits = cl_command_options(command);
	fprintf(file, "proofctl %s %s%s[options]\n\n  %s\n\n", command->name, command->usage,
		*command->usage ? " " : "", command->summary);
	if (*command->help)
		fprintf(file, "%s\n", command->help);
	for (unsigned i = 0; i < CL_OPTION_COUNT; i++) {
		const struct cl_option_info *info = cl_option_info((enum cl_option)i);
		if (!(bits >> i & 1))
			continue;
		int width = fprintf(file, "  --%s %s", info->name, info->argument ? info->argument : "");
		fprintf(file, "%*s%s\n", width < 24 ? 24 - width : 1, "", info->help);
	}
	if (bits & CL_BIT(OPTION))
		help_tunables(file);
}

int cl_cmd_help(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	const struct cl_command *command = NULL;
	*exit_code = CL_EXIT_OK;
	if (!options->word_count) {
		cl_help_all(stdout);
		return PD_OK;
	}
	int rc = cl_command_find(options->words[0], &command, fail);
	if (!rc)
		cl_help_command(command, stdout);
	return rc;
}
