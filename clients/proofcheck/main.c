/* proofcheck: reads one certificate and says VERIFIED or REJECTED; or shows what is in it. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/browse.h"
#include "clients/proofcheck/opening.h"
#include "clients/proofcheck/packed.h"
#include "clients/proofcheck/program_rules.h"
#include "clients/proofcheck/show.h"
#include "clients/proofcheck/stats.h"
#include "clients/proofcheck/table_check.h"
#include "clients/proofcheck/text_form.h"
#include "proto/base/assert.h"
#include "proto/base/part_file.h"
#include "proto/base/print.h"
#include "proto/base/standard.h"

enum { LONG_S = 10 /* a check that takes longer is announced */ };
enum { EXIT_VERIFIED = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2 };
enum task { TASK_CHECK, TASK_SHOW, TASK_STATS, TASK_TEXT, TASK_FROM_TEXT, TASK_PACK, TASK_UNPACK, TASK_ZONES };

struct arguments {
	enum task task;
	struct ck_report report;
	struct ck_options options;
	const char *second;  /* the word after the file: a position or the file to write; NULL: none */
	const char *moves;   /* of --moves; may be NULL */
	const char *program; /* of --program, likewise */
};

static const char usage[] = "usage: proofcheck [--rules FILE.so | --program NAME=COMMAND] [--threads N] [--json] "
			    "[--quiet] [--no-digest] FILE\n"
			    "       proofcheck --show FILE [POSITION] [--moves \"MOVES\"] [--json]\n"
			    "       proofcheck --stats FILE [--threads N] [--json]\n"
			    "       proofcheck --text FILE\n"
			    "       proofcheck --from-text TEXT FILE [--no-digest]\n"
			    "       proofcheck --pack FILE NEW\n"
			    "       proofcheck --unpack FILE NEW\n"
			    "       proofcheck --zones FILE NEW\n"
			    "       proofcheck --tables DIR [FILE] [--threads N] [--json]\n";
static const char help[] =
	"Checks a certificate by the rules of its game alone; with --tables and no certificate all tables of a "
	"directory.\nThe other forms check nothing.\n\n"
	"  --rules FILE  take the rules of a game that is not built in from this shared object\n"
	"  --program NAME=COMMAND\n"
	"                take the rules of the game NAME from this program, which speaks JSON\n"
	"  --threads N   use N threads, 1 to 999; default: one a processor\n"
	"  --json        print one JSON object on one line\n"
	"  --quiet       print the verdict only, without progress and warnings\n"
	"  --no-digest   do not compare the digest, which only detects damage\n"
	"  --show        show a position, what is proved of it and of each move; default: the root\n"
	"  --moves LIST  show the position after these moves, by name or #CODE\n"
	"  --stats       count positions, reasons, theorems, ranks, efforts and bytes, and estimate how long a check "
	"takes\n"
	"  --text        write the certificate to stdout as text, one line a position (CERTIFICATE.md)\n"
	"  --from-text   make a certificate from such a text\n"
	"  --pack        write a full certificate of a game without repetition in the smallest format, 6\n"
	"  --unpack      write a compressed or packed certificate in the plain format\n"
	"  --zones       write it in the plain format with zones, which are shared by replies and spare records\n"
	"  --tables DIR  check each entry of the tables in a directory, DIR/tables of a data directory DIR; with a "
	"certificate,\n                only of those that it cites, and of those that they rest on\n"
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
	return EXIT_USAGE;
}

/* --rules: loads the file. -1: go on; otherwise the exit status. */
static int take_rules(const char *file, struct ck_report *report)
{
	struct pd_fail fail;
	if (!*file || report->rules.file)
		return report_misuse("--rules takes a file and may be given only once", "");
	if (!ck_plugin_load(file, &report->rules, &fail))
		return -1;
	pd_print(stderr, "proofcheck: --rules: %s\n", fail.text);
	return EXIT_USAGE;
}

/* A word that is not an option. */
static int take_word(const char *word, struct arguments *a)
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

static int take_task(enum task task, struct arguments *a)
{
	if (a->task != TASK_CHECK)
		return report_misuse(
			"one of --show, --stats, --text, --from-text, --pack, --unpack and --zones at a time", "");
	a->task = task;
	return -1;
}

/* An option without a value. -2: another word. */
static int take_flag(const char *word, struct arguments *a)
{
	static const struct {
		const char *word;
		enum task task;
	} tasks[] = {{"--show", TASK_SHOW},           {"--stats", TASK_STATS}, {"--text", TASK_TEXT},
		     {"--from-text", TASK_FROM_TEXT}, {"--pack", TASK_PACK},   {"--unpack", TASK_UNPACK},
		     {"--zones", TASK_ZONES}};
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

/* The value of an option `name` or `name=value`; NULL for other words. */
static const char *value_of(const char *word, const char *name, const char *next, int *used)
{
	size_t size = strlen(name);
	if (strncmp(word, name, size) != 0 || (word[size] && word[size] != '='))
		return NULL;
	*used = !word[size];
	return word[size] ? word + size + 1 : next;
}

/* Reads one option. *used is 1 when it takes the next word as well. */
static int take_option(const char *word, const char *next, int *used, struct arguments *a)
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
		return EXIT_VERIFIED;
	}
	if ((value = value_of(word, "--rules", next, used)))
		return take_rules(value, &a->report);
	if ((value = value_of(word, "--program", next, used))) {
		a->program = value;
		return -1;
	}
	if ((value = value_of(word, "--tables", next, used))) {
		a->options.tables = value;
		return *value ? -1 : report_misuse("--tables takes the directory of the tables", "");
	}
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

/* Checks that the options and words can be combined, and loads the rules of a program. */
static int check_combination(struct arguments *a)
{
	struct pd_fail fail;
	bool writes = a->task == TASK_FROM_TEXT || a->task == TASK_UNPACK || a->task == TASK_PACK ||
		      a->task == TASK_ZONES,
	     shows = a->task == TASK_SHOW;
	if (a->options.tables && a->task != TASK_CHECK)
		return report_misuse("--tables goes with a check", "");
	if (!a->report.file && !a->options.tables)
		return report_misuse("which file?", "");
	if (writes && !a->second)
		return report_misuse("which file should be written?", "");
	if (a->second && !writes && !shows)
		return report_misuse("one file at a time; unexpected ", a->second);
	if (a->moves && !shows)
		return report_misuse("--moves goes with --show", "");
	if (a->report.json && (writes || a->task == TASK_TEXT))
		return report_misuse("--json goes with a check, --show or --stats", "");
	if (a->program && a->report.rules.file)
		return report_misuse("--rules and --program cannot be combined", "");
	if (a->program && ck_program_load(a->program, a->report.json, &a->report.rules, &fail)) {
		pd_print(stderr, "proofcheck: --program: %s\n", fail.text);
		return EXIT_USAGE;
	}
	return -1;
}

/* Reads the command line. -1: go on; otherwise the exit status, after a message. */
static int read_arguments(int argc, char **argv, struct arguments *a)
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

static unsigned count_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 999 ? 999 : (unsigned)n;
}

static void show_progress(void *ctx, uint64_t positions, uint64_t all)
{
	const struct arguments *a = ctx;
	if (isatty(STDERR_FILENO) && !a->report.quiet)
		ck_show_progress(positions, all);
}

static void announce_estimate(void *ctx, double seconds, const struct ck_sums *sums)
{
	const struct arguments *a = ctx;
	if (a->report.quiet || seconds < LONG_S)
		return;
	pd_print(stderr, "proofcheck: this will take about %s on %u thread%s", ck_duration(seconds).text,
		 a->options.threads, a->options.threads == 1 ? "" : "s");
	if (sums->leaves)
		pd_print(stderr, ": %s bounds must be searched again, about %s nodes", ck_count(sums->leaves).text,
			 ck_count(sums->effort).text);
	pd_print(stderr, "\n");
}

static int report_unreadable(const char *file, const char *why)
{
	pd_print(stderr, "proofcheck: %s: %s\n", file, why);
	return EXIT_USAGE;
}

/* Maps the file. -1: go on; otherwise the exit status, after a message. */
static int map_file(const char *file, const uint8_t **bytes, uint64_t *size)
{
	struct stat status;
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe is refused, not waited for */
	if (fd < 0)
		return report_unreadable(file, strerror(errno));
	int rc = -1;
	void *at = NULL;
	if (fstat(fd, &status)) {
		rc = report_unreadable(file, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		rc = report_unreadable(file, "a certificate must be a regular file");
	} else if (status.st_size > 0) {
		at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at == MAP_FAILED)
			rc = report_unreadable(file, strerror(errno));
	}
	close(fd);
	*bytes = at ? at : (const void *)"";
	*size = at ? (uint64_t)status.st_size : 0;
	return rc;
}

/* Ends a task other than a check; returns the exit status. */
static int end_task(const char *file, enum ck_verdict verdict, const struct ck_fault *fault)
{
	if (verdict != CK_VERIFIED) {
		pd_print(stderr, "proofcheck: %s: %s%s%s\n", file, fault->text, fault->position[0] ? ": " : "",
			 fault->position);
		return verdict == CK_REJECTED ? EXIT_REJECTED : EXIT_USAGE;
	}
	if (fflush(stdout) || ferror(stdout))
		return report_unreadable("standard output", "cannot be written");
	return EXIT_VERIFIED;
}

static void print_sha256(const uint8_t *bytes, uint64_t size, char out[65])
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned count = 0;
	if (EVP_Digest(bytes, (size_t)size, hash, &count, EVP_sha256(), NULL) != 1)
		count = 0;
	for (unsigned i = 0; i < count && i < 32; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", hash[i]);
}

static int check_certificate(struct arguments *a, const uint8_t *bytes, uint64_t size)
{
	struct ck_result result;
	a->report.threads = a->options.threads;
	a->options.progress = show_progress;
	a->options.estimate = announce_estimate;
	a->options.ctx = a;
	enum ck_verdict verdict = ck_check(bytes, size, &a->options, &result);
	if (isatty(STDERR_FILENO) && !a->report.quiet)
		ck_hide_progress();
	if (verdict == CK_VERIFIED && !a->report.quiet)
		print_sha256(bytes, size, a->report.sha256);
	ck_show(&a->report, &result);
	if (fflush(stdout) || ferror(stdout))
		return report_unreadable("standard output", "cannot be written");
	return verdict == CK_VERIFIED ? EXIT_VERIFIED : verdict == CK_REJECTED ? EXIT_REJECTED : EXIT_USAGE;
}

static int from_text(const struct arguments *a)
{
	struct ck_text_fault fault;
	FILE *in = fopen(a->report.file, "rb");
	if (!in)
		return report_unreadable(a->report.file, strerror(errno));
	bool good = ck_text_read(in, a->second, a->options.digest, &fault);
	bool readable = !ferror(in);
	fclose(in);
	if (good)
		return EXIT_VERIFIED;
	if (!readable || !fault.line)
		return report_unreadable(readable ? a->second : a->report.file, readable ? fault.text : strerror(EIO));
	pd_print(stderr, "proofcheck: %s, line %llu, column %llu: %s\n", a->report.file, (unsigned long long)fault.line,
		 (unsigned long long)fault.column, fault.text);
	return EXIT_REJECTED;
}

/* Writes a new file under another name, and renames it when it is on disk. */
static int write_new(const char *file, const void *bytes, uint64_t size, struct pd_fail *fail)
{
	char part[4096];
	FILE *out;
	if (!access(file, F_OK))
		return pd_fail_set(fail, PD_E_PARAMS, "", "%s", strerror(EEXIST));
	if (snprintf(part, sizeof part, "%s.part", file) >= (int)sizeof part)
		return pd_fail_set(fail, PD_E_PARAMS, "", "%s", strerror(ENAMETOOLONG));
	int rc = pd_part_open(part, &out, fail);
	if (rc)
		return rc;
	bool good = !ftruncate(fileno(out), 0) && fwrite(bytes, 1, (size_t)size, out) == size && !fflush(out) &&
		    !fsync(fileno(out)) && !rename(part, file);
	if (!good) {
		rc = pd_fail_set(fail, PD_E_IO, "", "%s", strerror(errno));
		unlink(part);
	}
	fclose(out);
	return rc;
}

/* Packs an open certificate, of which only the form is checked, or puts zones into it. */
static enum ck_verdict pack_certificate(struct ck_cert *cert, bool zones, struct pd_buf *out, struct ck_fault *fault)
{
	struct ck_sums sums = {0};
	for (uint64_t i = 0; i < cert->header.blocks; i++)
		if (!ck_block_survey(cert, i, &sums, fault))
			return CK_REJECTED;
	return ck_packed_write(cert, zones, out, fault);
}

/* Writes the certificate unpacked, packed (--pack) or with zones (--zones). */
static int rewrite_certificate(const struct arguments *a, const uint8_t *bytes, uint64_t size)
{
	struct ck_cert cert;
	struct ck_fault fault;
	struct pd_buf packed;
	bool unpacks = a->task == TASK_UNPACK;
	struct pd_fail fail;
	int rc = PD_OK;
	pd_buf_init(&packed, SIZE_MAX / 2);
	enum ck_verdict verdict = ck_open_file(&cert, bytes, size, &fault);
	if (verdict == CK_VERIFIED)
		verdict = ck_cert_prepare(&cert, &fault);
	if (verdict == CK_VERIFIED && !unpacks)
		verdict = pack_certificate(&cert, a->task == TASK_ZONES, &packed, &fault);
	if (verdict == CK_VERIFIED)
		rc = unpacks ? write_new(a->second, cert.bytes, cert.size, &fail)
			     : write_new(a->second, packed.data, packed.size, &fail);
	ck_cert_close(&cert);
	pd_buf_fini(&packed);
	return rc ? report_unreadable(a->second, fail.text) : end_task(a->report.file, verdict, &fault);
}

static int print_stats(const struct arguments *a, const uint8_t *bytes, uint64_t size)
{
	struct ck_fault fault;
	struct ck_stats figures;
	enum ck_verdict verdict = ck_stats(bytes, size, a->options.threads, &figures, &fault);
	if (verdict == CK_VERIFIED)
		ck_stats_print(&figures, a->report.file, a->report.json);
	return end_task(a->report.file, verdict, &fault);
}

static void tell_table(const struct arguments *a, const struct ck_table_verdict *v)
{
	const char *verdict = v->verified ? "VERIFIED" : "REJECTED";
	if (a->report.json) {
		printf("{\"file\":\"%s\",\"verdict\":\"%s\",\"game\":\"%s\",\"class\":\"%s\",\"positions\":%llu,"
		       "\"wins\":%llu,\"losses\":%llu,\"draws\":%llu,\"longest\":%u,\"digest\":\"%s\"}\n",
		       v->file, v->verified ? "verified" : "rejected", v->game, v->class,
		       (unsigned long long)v->positions, (unsigned long long)v->wins, (unsigned long long)v->losses,
		       (unsigned long long)v->draws, v->longest, v->digest);
		return;
	}
	pd_print(stdout, "%s %s\n", verdict, v->file);
	if (!v->verified)
		pd_print(stdout, "  %s\n", v->why);
	else if (!a->report.quiet)
		pd_print(stdout,
			 "  %s of %s: %llu positions, %llu won, %llu lost, %llu drawn; longest %u plies; SHA-256 %s\n",
			 v->class, v->game, (unsigned long long)v->positions, (unsigned long long)v->wins,
			 (unsigned long long)v->losses, (unsigned long long)v->draws, v->longest, v->digest);
}

static int check_tables(struct arguments *a)
{
	struct pd_fail fail;
	struct ck_tables *tables;
	const struct ck_table_verdict *v;
	if (ck_tables_open(a->options.tables, NULL, a->options.threads, &tables, &fail))
		return report_unreadable(a->options.tables, fail.text);
	unsigned bad = ck_tables_verify(tables);
	for (unsigned i = 0; (v = ck_tables_verdict(tables, i)) != NULL; i++)
		tell_table(a, v);
	ck_tables_close(tables);
	if (fflush(stdout) || ferror(stdout))
		return report_unreadable("standard output", "cannot be written");
	return bad ? EXIT_REJECTED : EXIT_VERIFIED;
}

/* A page of a mapped file is missing. */
static void on_missing_page(int number)
{
	static const char text[] = "proofcheck: a file became shorter while it was read, or its disk fails\n";
	(void)number;
	ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
	(void)written;
	_exit(EXIT_USAGE);
}

int main(int argc, char **argv)
{
	struct arguments a = {.options = {.threads = count_processors(), .digest = true}};
	struct ck_fault fault;
	const uint8_t *bytes = NULL;
	uint64_t size = 0;
	pd_standard_open();
	pd_standard_umask();
	pd_standard_processor("proofcheck");
	signal(SIGBUS, on_missing_page);
	int rc = read_arguments(argc, argv, &a);
	if (rc < 0 && a.task == TASK_FROM_TEXT)
		return from_text(&a);
	if (rc < 0 && !a.report.file)
		return check_tables(&a);
	if (rc < 0)
		rc = map_file(a.report.file, &bytes, &size);
	if (rc >= 0)
		return rc;
	struct ck_visit visit = {a.report.file, size, a.second, a.moves, a.report.json};
	switch (a.task) {
	case TASK_SHOW:
		return end_task(a.report.file, ck_browse(bytes, size, &visit, &fault), &fault);
	case TASK_STATS:
		return print_stats(&a, bytes, size);
	case TASK_TEXT:
		return end_task(a.report.file, ck_text_write(bytes, size, stdout, &fault), &fault);
	case TASK_PACK:
	case TASK_UNPACK:
	case TASK_ZONES:
		return rewrite_certificate(&a, bytes, size);
	default:
		return check_certificate(&a, bytes, size);
	}
}
