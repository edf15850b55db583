/* proofcheck: reads one certificate and says VERIFIED or REJECTED. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/show.h"

enum { EXIT_VERIFIED = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2 };

static const char usage[] = "usage: proofcheck [--rules FILE.so] [--threads N] [--json] [--quiet] [--no-digest] FILE\n";
static const char help[] =
	"Checks a certificate by the rules of its game alone.\n\n"
	"  --rules FILE  take the rules of a game that is not built in from this shared object\n"
	"  --threads N   use N threads, 1 to 999; default: one for each processor\n"
	"  --json        print one JSON object on one line\n"
	"  --quiet       print the verdict only, without a progress bar\n"
	"  --no-digest   do not compare the digest, which only detects damage\n"
	"  --version     print the version\n\n"
	"Exit status: 0 VERIFIED, 1 REJECTED, 2 UNKNOWN (format, game or rules version), or the file cannot be read.\n";

static int misused(const char *what, const char *which)
{
	fprintf(stderr, "proofcheck: %s%s\n%s", what, which, usage);
	return EXIT_USAGE;
}

static unsigned processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 999 ? 999 : (unsigned)n;
}

/* --rules: loads the file. -1: go on; otherwise the exit status. */
static int take_rules(const char *file, struct ck_report *report)
{
	struct pd_fail fail;
	if (!*file || report->rules.file)
		return misused("--rules takes a file, and stands once", "");
	if (!ck_plugin_load(file, &report->rules, &fail))
		return -1;
	fprintf(stderr, "proofcheck: --rules: %s\n", fail.text);
	return EXIT_USAGE;
}

/* Reads the command line. -1: go on; otherwise the exit status. */
static int read_words(int argc, char **argv, struct ck_report *report, struct ck_options *options)
{
	bool plain = false;
	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];
		const char *number = i + 1 < argc ? argv[i + 1] : "";
		if (plain || word[0] != '-' || !word[1]) {
			if (report->file)
				return misused("one file at a time; unexpected ", word);
			report->file = word;
		} else if (!strcmp(word, "--")) {
			plain = true;
		} else if (!strcmp(word, "--json")) {
			report->json = true;
		} else if (!strcmp(word, "--quiet")) {
			report->quiet = true;
		} else if (!strcmp(word, "--no-digest")) {
			options->digest = false;
		} else if (!strcmp(word, "--help") || !strcmp(word, "--version")) {
			printf("%s%s%s", word[2] == 'h' ? usage : "proofcheck " PD_VERSION "\n",
			       word[2] == 'h' ? "\n" : "", word[2] == 'h' ? help : "");
			return EXIT_VERIFIED;
		} else if (!strcmp(word, "--rules") || !strncmp(word, "--rules=", 8)) {
			int rc = take_rules(word[7] ? word + 8 : number, report);
			if (rc >= 0)
				return rc;
			i += !word[7];
		} else if (!strcmp(word, "--threads") || !strncmp(word, "--threads=", 10)) {
			number = word[9] ? word + 10 : number;
			i += !word[9];
			if (!ck_number(&number, &options->threads) || *number)
				return misused("--threads takes a number from 1 to 999", "");
		} else {
			return misused("there is no option ", word);
		}
	}
	return report->file ? -1 : misused("which file?", "");
}

static void progress(void *ctx, uint64_t positions, uint64_t all)
{
	(void)ctx;
	ck_show_progress(positions, all);
}

static int unreadable(const char *file, const char *why)
{
	fprintf(stderr, "proofcheck: %s: %s\n", file, why);
	return EXIT_USAGE;
}

/* Maps the file. An empty one is mapped nowhere, with *size 0. */
static int map(const char *file, const uint8_t **bytes, uint64_t *size)
{
	struct stat status;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return unreadable(file, strerror(errno));
	int rc = -1;
	void *at = NULL;
	if (fstat(fd, &status)) {
		rc = unreadable(file, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		rc = unreadable(file, "a certificate is a regular file");
	} else if (status.st_size > 0) {
		at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at == MAP_FAILED)
			rc = unreadable(file, strerror(errno));
	}
	close(fd);
	*bytes = at ? at : (const void *)"";
	*size = at ? (uint64_t)status.st_size : 0;
	return rc;
}

int main(int argc, char **argv)
{
	struct ck_report report = {0};
	struct ck_options options = {.threads = processors(), .digest = true};
	struct ck_result result;
	const uint8_t *bytes = NULL;
	uint64_t size = 0;
	int rc = read_words(argc, argv, &report, &options);
	if (rc >= 0)
		return rc;
	rc = map(report.file, &bytes, &size);
	if (rc >= 0)
		return rc;
	report.threads = options.threads;
	if (isatty(STDERR_FILENO) && !report.quiet)
		options.progress = progress;
	enum ck_verdict verdict = ck_check(bytes, size, &options, &result);
	if (options.progress)
		ck_hide_progress();
	ck_show(&report, &result);
	if (fflush(stdout) || ferror(stdout))
		return unreadable("standard output", "cannot be written");
	return verdict == CK_VERIFIED ? EXIT_VERIFIED : verdict == CK_REJECTED ? EXIT_REJECTED : EXIT_USAGE;
}
