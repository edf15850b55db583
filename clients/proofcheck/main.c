/* proofcheck: reads one certificate and says VERIFIED or REJECTED; or shows what is in it. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/proofcheck/arguments.h"
#include "clients/proofcheck/browse.h"
#include "clients/proofcheck/show.h"
#include "clients/proofcheck/stats.h"
#include "clients/proofcheck/text_form.h"
#include "proto/base/print.h"
#include "proto/base/processor.h"
#include "proto/base/standard.h"

enum { LONG_S = 10 /* a check that takes longer is announced */ };

static unsigned count_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : n > 999 ? 999 : (unsigned)n;
}

static void show_progress(void *ctx, uint64_t positions, uint64_t all)
{
	const struct ck_arguments *a = ctx;
	if (isatty(STDERR_FILENO) && !a->report.quiet)
		ck_show_progress(positions, all);
}

static void announce_estimate(void *ctx, double seconds, const struct ck_sums *sums)
{
	const struct ck_arguments *a = ctx;
	if (a->report.quiet || seconds < LONG_S)
		return;
	pd_print(stderr, "proofcheck: this will take about %s on %u thread%s", ck_duration(seconds).text,
		 a->options.threads, a->options.threads == 1 ? "" : "s");
	if (sums->leaves)
		pd_print(stderr, ": %s bounds are to be searched again, some %s nodes", ck_count(sums->leaves).text,
			 ck_count(sums->effort).text);
	pd_print(stderr, "\n");
}

static int report_unreadable(const char *file, const char *why)
{
	pd_print(stderr, "proofcheck: %s: %s\n", file, why);
	return CK_EXIT_USAGE;
}

/* Maps the file. An empty one is mapped nowhere, with *size 0. */
static int map_file(const char *file, const uint8_t **bytes, uint64_t *size)
{
	struct stat status;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return report_unreadable(file, strerror(errno));
	int rc = -1;
	void *at = NULL;
	if (fstat(fd, &status)) {
		rc = report_unreadable(file, strerror(errno));
	} else if (!S_ISREG(status.st_mode)) {
		rc = report_unreadable(file, "a certificate is a regular file");
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

/* The end of a task that gives no verdict. */
static int end_task(const char *file, enum ck_verdict verdict, const struct ck_fault *fault)
{
	if (verdict != CK_VERIFIED) {
		pd_print(stderr, "proofcheck: %s: %s\n", file, fault->text);
		return verdict == CK_REJECTED ? CK_EXIT_REJECTED : CK_EXIT_USAGE;
	}
	if (fflush(stdout) || ferror(stdout))
		return report_unreadable("standard output", "cannot be written");
	return CK_EXIT_VERIFIED;
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

static int check_certificate(struct ck_arguments *a, const uint8_t *bytes, uint64_t size)
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
	return verdict == CK_VERIFIED ? CK_EXIT_VERIFIED : verdict == CK_REJECTED ? CK_EXIT_REJECTED : CK_EXIT_USAGE;
}

static int from_text(const struct ck_arguments *a)
{
	struct ck_text_fault fault;
	FILE *in = fopen(a->report.file, "rb");
	if (!in)
		return report_unreadable(a->report.file, strerror(errno));
	bool good = ck_text_read(in, a->second, a->options.digest, &fault);
	bool readable = !ferror(in);
	fclose(in);
	if (good)
		return CK_EXIT_VERIFIED;
	if (!readable || !fault.line)
		return report_unreadable(readable ? a->second : a->report.file, readable ? fault.text : strerror(EIO));
	pd_print(stderr, "proofcheck: %s, line %llu, column %llu: %s\n", a->report.file, (unsigned long long)fault.line,
		 (unsigned long long)fault.column, fault.text);
	return CK_EXIT_REJECTED;
}

/* Writes what a certificate unpacks to. */
static int unpack_certificate(const struct ck_arguments *a, const uint8_t *bytes, uint64_t size)
{
	struct ck_cert cert;
	struct ck_fault fault;
	enum ck_verdict verdict = ck_cert_open(&cert, bytes, size, &fault);
	if (verdict == CK_VERIFIED)
		verdict = ck_cert_prepare(&cert, &fault);
	FILE *out = verdict == CK_VERIFIED ? fopen(a->second, "wbx") : NULL;
	bool good = out && fwrite(cert.bytes, 1, (size_t)cert.size, out) == cert.size;
	int error = errno;
	if (out && fclose(out) && good) {
		error = errno;
		good = false;
	}
	if (out && !good)
		unlink(a->second);
	ck_cert_close(&cert);
	if (verdict == CK_VERIFIED && !good)
		return report_unreadable(a->second, strerror(error));
	return end_task(a->report.file, verdict, &fault);
}

static int print_stats(const struct ck_arguments *a, const uint8_t *bytes, uint64_t size)
{
	struct ck_fault fault;
	struct ck_stats figures;
	enum ck_verdict verdict = ck_stats(bytes, size, a->options.threads, &figures, &fault);
	if (verdict == CK_VERIFIED)
		ck_stats_print(&figures, a->report.file, a->report.json);
	return end_task(a->report.file, verdict, &fault);
}

int main(int argc, char **argv)
{
	struct ck_arguments a = {.options = {.threads = count_processors(), .digest = true}};
	struct ck_fault fault;
	const uint8_t *bytes = NULL;
	uint64_t size = 0;
	pd_standard_open();
	pd_standard_umask();
	pd_processor_require("proofcheck");
	int rc = ck_arguments_read(argc, argv, &a);
	if (rc < 0 && a.task == CK_TASK_FROM_TEXT)
		return from_text(&a);
	if (rc < 0)
		rc = map_file(a.report.file, &bytes, &size);
	if (rc >= 0)
		return rc;
	struct ck_visit visit = {a.report.file, size, a.second, a.moves, a.report.json};
	switch (a.task) {
	case CK_TASK_SHOW:
		return end_task(a.report.file, ck_browse(bytes, size, &visit, &fault), &fault);
	case CK_TASK_STATS:
		return print_stats(&a, bytes, size);
	case CK_TASK_TEXT:
		return end_task(a.report.file, ck_text_write(bytes, size, stdout, &fault), &fault);
	case CK_TASK_UNPACK:
		return unpack_certificate(&a, bytes, size);
	default:
		return check_certificate(&a, bytes, size);
	}
}
