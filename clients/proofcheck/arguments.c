#include "clients/proofcheck/arguments.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

static const char usage[] = "usage: proofcheck [--rules FILE.so] [--threads N] [--json] [--quiet] [--no-digest] FILE\n"
			    "       proofcheck --show FILE [POSITION] [--moves \"MOVES\"] [--json]\n"
			    "       proofcheck --stats FILE [--threads N] [--json]\n"
			    "       proofcheck --text FILE\n"
			    "       proofcheck --from-text TEXT FILE [--no-digest]\n"
			    "       proofcheck --unpack FILE NEW\n";
static const char help[] =
	"Checks a certificate by the rules of its game alone. The other forms check nothing.\n\n"
	"  --rules FILE  take the rules of a game that is not built in from this shared object\n"
	"  --threads N   use N threads, 1 to 999; default: one for each processor\n"
	"  --json        print one JSON object on one line\n"
	"  --quiet       print the verdict only, without progress and warnings\n"
	"  --no-digest   do not compare the digest, which only detects damage\n"
	"  --show        show a position, what is proved of it and of each move; default: the root\n"
	"  --moves LIST  show the position after these moves, by name or #CODE\n"
	"  --stats       count positions, reasons, ranks, efforts and bytes, and estimate how long a check takes\n"
	"  --text        write the certificate to stdout as text, one line a position (CERTIFICATE.md)\n"
	"  --from-text   make a certificate of such a text\n"
	"  --unpack      write a compressed certificate as the uncompressed one that it stands for\n"
	"  --version     print the version\n\n"
	"Exit status: 0 VERIFIED, or done; 1 REJECTED; 2 UNKNOWN (format, game or rules version), or the file cannot "
	"be\n"
	"read.\n\n"
	"Examples:\n"
	"  proofcheck 5x5.proof\n"
	"  proofcheck --show 5x5.proof --moves \"3 3 2\"\n"
	"  proofcheck --text 5x5.proof | grep -c '^block$'\n";

static int report_misuse(const char *what, const char *which)
{
	pd_print(stderr, "proofcheck: %s%s\n", what, which);
	pd_print_lines(stderr, usage);
	return CK_EXIT_USAGE;
}

/* --rules: loads the file. -1: go on; otherwise the exit status. */
static int take_rules(const char *file, struct ck_report *report)
{
	struct pd_fail fail;
	if (!*file || report->rules.file)
		return report_misuse("--rules takes a file, and stands once", "");
	if (!ck_plugin_load(file, &report->rules, &fail))
		return -1;
	pd_print(stderr, "proofcheck: --rules: %s\n", fail.text);
	return CK_EXIT_USAGE;
}

/* A word that is no option. */
static int take_word(const char *word, struct ck_arguments *a)
{
	if (!a->report.file) {
		a->report.file = word;
	} else if (!a->second) {
		a->second = word;
	} else {
		return report_misuse("one file at a time; unexpected ", word);
	}
	return -1;
}

static int take_task(enum ck_task task, struct ck_arguments *a)
{
	if (a->task != CK_TASK_CHECK)
		return report_misuse("one of --show, --stats, --text, --from-text and --unpack at a time", "");
	a->task = task;
	return -1;
}

/* An option without a value. -2: it is none. */
static int take_flag(const char *word, struct ck_arguments *a)
{
	static const struct {
		const char *word;
		enum ck_task task;
	} tasks[] = {{"--show", CK_TASK_SHOW},
		     {"--stats", CK_TASK_STATS},
		     {"--text", CK_TASK_TEXT},
		     {"--from-text", CK_TASK_FROM_TEXT},
		     {"--unpack", CK_TASK_UNPACK}};
	for (unsigned i = 0; i < sizeof tasks / sizeof tasks[0]; i++)
		if (!strcmp(word, tasks[i].word))
			return take_task(tasks[i].task, a);
	if (!strcmp(word, "--json"))
		a->report.json = true;
	else if (!strcmp(word, "--quiet"))
		a->report.quiet = true;
	else if (!strcmp(word, "--no-digest"))
		a->options.digest = false;
	else
		return -2;
	return -1;
}

/* The value of an option that is `name`, or `name=value`; NULL: the word is another one. */
static const char *value_of(const char *word, const char *name, const char *next, int *used)
{
	size_t size = strlen(name);
	if (strncmp(word, name, size) != 0 || (word[size] && word[size] != '='))
		return NULL;
	*used = !word[size];
	return word[size] ? word + size + 1 : next;
}

/* One option. *used is 1 when it takes the next word as well. */
static int take_option(const char *word, const char *next, int *used, struct ck_arguments *a)
{
	const char *value;
	int rc = take_flag(word, a);
	*used = 0;
	if (rc != -2)
		return rc;
	if (!strcmp(word, "--help") || !strcmp(word, "--version")) {
		if (word[2] == 'h') {
			pd_print_lines(stdout, usage);
			putchar('\n');
			pd_print_lines(stdout, help);
		} else {
			puts("proofcheck " PD_VERSION);
		}
		return CK_EXIT_VERIFIED;
	}
	if ((value = value_of(word, "--rules", next, used)))
		return take_rules(value, &a->report);
	if ((value = value_of(word, "--moves", next, used))) {
		a->moves = value;
		return -1;
	}
	if ((value = value_of(word, "--threads", next, used)))
		return ck_number(&value, &a->options.threads) && !*value
			       ? -1
			       : report_misuse("--threads takes a number from 1 to 999", "");
	return report_misuse("there is no option ", word);
}

/* What goes together. */
static int check_combination(const struct ck_arguments *a)
{
	bool writes = a->task == CK_TASK_FROM_TEXT || a->task == CK_TASK_UNPACK, shows = a->task == CK_TASK_SHOW;
	if (!a->report.file)
		return report_misuse("which file?", "");
	if (writes && !a->second)
		return report_misuse("which file is to be written?", "");
	if (a->second && !writes && !shows)
		return report_misuse("one file at a time; unexpected ", a->second);
	if (a->moves && !shows)
		return report_misuse("--moves goes with --show", "");
	if (a->report.json && (writes || a->task == CK_TASK_TEXT))
		return report_misuse("--json goes with a check, --show or --stats", "");
	return -1;
}

int ck_arguments_read(int argc, char **argv, struct ck_arguments *a)
{
	bool plain = false;
	PD_ASSERT(a->options.threads >= 1);
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		int used = 0, rc;
		if (!plain && !strcmp(word, "--")) {
			plain = true;
			continue;
		}
		rc = plain || word[0] != '-' || !word[1] ? take_word(word, a)
							 : take_option(word, i + 1 < argc ? argv[i + 1] : "", &used, a);
		if (rc >= 0)
			return rc;
		i += used;
	}
	return check_combination(a);
}
