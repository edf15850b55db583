/* proofctl export: the proof of one answer as a certificate, from a data directory or from the server.
 *
 * From the server it comes in pieces, into FILE.part, which takes the name FILE when it is whole. What is there of it
 * from an earlier try is kept, if it is of the same proof: FILE.part begins like the proof's first piece. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/ask.h"
#include "clients/commands.h"
#include "clients/text.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/out.h"
#include "server/core.h"

enum { SHOW_MS = 100, PIECE = 1 << 19 };

struct report {
	bool live;
	uint64_t said_ns, begin_ns;
};

static bool on_progress(void *ctx, uint64_t positions)
{
	struct report *r = ctx;
	struct cl_text count, time;
	uint64_t now = pd_now_ns();
	if (!r->live || now - r->said_ns < (uint64_t)SHOW_MS * 1000000)
		return true;
	r->said_ns = now;
	fprintf(stderr, "\r%s positions, %s\033[K", cl_count(&count, (int64_t)positions),
		cl_duration(&time, (double)(now - r->begin_ns) / 1e9));
	fflush(stderr);
	return true;
}

static void print_json(const struct sv_exported *e, const char *file)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 1 << 16);
	pr_out_init(&out, &line);
	pr_open_object(&out, NULL);
	pr_str(&out, "file", file);
	pr_str(&out, "claim", e->claim);
	pr_str(&out, "status", e->status);
	pr_uint(&out, "positions", e->positions);
	pr_uint(&out, "reasons", e->reasons);
	pr_uint(&out, "leaves", e->leaves);
	pr_uint(&out, "bytes", e->bytes);
	pr_close(&out);
	printf("%s\n", line.data);
	pd_buf_fini(&line);
}

static void print_text(const struct sv_exported *e, const char *file, double seconds)
{
	struct cl_text a, b, c;
	printf("%s is %s\n  file      %s, %s bytes\n", e->claim, e->status, file, cl_count(&a, (int64_t)e->bytes));
	printf("  positions %s, %.1f bytes each", cl_count(&a, (int64_t)e->positions),
	       e->positions ? (double)e->bytes / (double)e->positions : 0);
	if (e->leaves)
		printf("; %s bounds are to be searched again", cl_count(&b, (int64_t)e->leaves));
	printf("\n  time      %s\n  check it  proofcheck %s\n", cl_duration(&c, seconds), file);
}

/* --- from a directory ----------------------------------------------------------------------------------------------
 */

static int from_directory(const struct cl_options *options, const char *file, bool frontier, struct sv_exported *done,
			  struct pd_fail *fail)
{
	struct report report = {.live = cl_is_terminal(stderr), .begin_ns = pd_now_ns()};
	struct sv_export_order order = {
		.game = options->words[0],
		.file = file,
		.position = cl_given(options, CL_OPT_POSITION) ? options->text[CL_OPT_POSITION] : "",
		.claim = cl_given(options, CL_OPT_CLAIM) ? options->text[CL_OPT_CLAIM] : NULL,
		.frontier = frontier,
		.progress = on_progress,
		.ctx = &report,
	};
	if (cl_given(options, CL_OPT_JOB))
		return pd_fail_set(fail, PD_E_USAGE, "job",
				   "--job goes with a server; with --data say game and position");
	int rc = sv_export_directory(options->text[CL_OPT_DATA], options->text[CL_OPT_GRAPHS], &order, done, fail);
	if (report.live && report.said_ns)
		fputs("\r\033[K", stderr);
	return rc;
}

/* --- from the server -----------------------------------------------------------------------------------------------
 */

static int digit_of(char c)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;
	return at ? (int)(at - digits) : -1;
}

/* Returns the bytes, at most as many as the text has letters. */
static size_t unbase64(const char *text, uint8_t *out)
{
	size_t n = 0;
	uint32_t bits = 0;
	unsigned have = 0;
	for (; digit_of(*text) >= 0; text++) {
		bits = bits << 6 | (uint32_t)digit_of(*text);
		have += 6;
		if (have >= 8) {
			have -= 8;
			out[n++] = (uint8_t)(bits >> have);
		}
	}
	return n;
}

/* One piece from `offset` on; *bytes has room for PIECE and *size says how many came. */
static int fetch(struct cl_link *link, const char *proof, int64_t offset, uint8_t *bytes, size_t *size,
		 struct pd_fail *fail)
{
	struct cl_params params;
	struct pr_doc *doc;
	pr_ref piece;
	cl_params_begin(&params);
	pr_str(&params.out, "proof", proof);
	pr_int(&params.out, "offset", offset);
	pr_int(&params.out, "size", PIECE);
	int rc = cl_params_call(&params, link, "proof.read", &doc, &piece, fail);
	if (rc)
		return rc;
	const char *data = pr_get_str(piece, "data", "");
	*size = strlen(data) <= PIECE / 3 * 4 + 4 ? unbase64(data, bytes) : 0;
	pr_doc_free(doc);
	return PD_OK;
}

/* How many bytes of an earlier try may stay: those of a file that begins as the proof does. */
static int64_t kept_of(FILE *part, const uint8_t *first, size_t size, uint8_t *room)
{
	rewind(part);
	size_t have = fread(room, 1, size, part);
	if (!have || memcmp(room, first, have) != 0 || fseek(part, 0, SEEK_END))
		return 0;
	return ftell(part);
}

static int unwritten(const char *path, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_IO, "file", "%.200s cannot be written: %s", path, strerror(errno));
}

static int fetch_all(struct cl_link *link, const char *proof, int64_t bytes, FILE *part, const char *path,
		     struct pd_fail *fail)
{
	uint8_t *piece = malloc(2 * (PIECE + 4));
	size_t size = 0;
	int rc = piece ? fetch(link, proof, 0, piece, &size, fail)
		       : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a piece");
	int64_t at = rc ? 0 : kept_of(part, piece, size, piece + PIECE + 4);
	if (at > bytes)
		at = 0;
	if (!rc && (fseek(part, at, SEEK_SET) || ftruncate(fileno(part), at)))
		rc = unwritten(path, fail);
	while (!rc && at < bytes) {
		rc = fetch(link, proof, at, piece, &size, fail);
		if (!rc && !size)
			rc = pd_fail_set(fail, PD_E_IO, "file", "the proof ends before its last byte");
		if (!rc && fwrite(piece, 1, size, part) != size)
			rc = unwritten(path, fail);
		at += rc ? 0 : (int64_t)size;
	}
	free(piece);
	return rc;
}

static int download(struct cl_link *link, const char *proof, int64_t bytes, const char *file, struct pd_fail *fail)
{
	char path[4096];
	if ((size_t)snprintf(path, sizeof path, "%s.part", file) >= sizeof path)
		return pd_fail_set(fail, PD_E_USAGE, "file", "the name of the file is too long");
	FILE *part = fopen(path, "r+b");
	if (!part)
		part = fopen(path, "w+b");
	if (!part)
		return unwritten(path, fail);
	int rc = fetch_all(link, proof, bytes, part, path, fail);
	if ((fflush(part) || fsync(fileno(part))) && !rc)
		rc = unwritten(path, fail);
	fclose(part);
	if (!rc && rename(path, file))
		rc = unwritten(file, fail);
	return rc;
}

static int from_server(const struct cl_options *options, const char *file, const char *detail, struct sv_exported *done,
		       struct pd_fail *fail)
{
	struct cl_link *link;
	struct cl_params params;
	struct pr_doc *doc;
	pr_ref made;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_params_begin(&params);
	if (cl_given(options, CL_OPT_JOB)) {
		pr_int(&params.out, "job", options->whole[CL_OPT_JOB]);
	} else {
		pr_str(&params.out, "game", options->words[0]);
		pr_str(&params.out, "position",
		       cl_given(options, CL_OPT_POSITION) ? options->text[CL_OPT_POSITION] : "");
	}
	if (cl_given(options, CL_OPT_CLAIM))
		pr_str(&params.out, "claim", options->text[CL_OPT_CLAIM]);
	pr_str(&params.out, "detail", detail);
	rc = cl_params_call(&params, link, "proof.export", &doc, &made, fail);
	if (!rc) {
		*done = (struct sv_exported){
			.positions = (uint64_t)pr_get_int(made, "positions", 0),
			.reasons = (uint64_t)pr_get_int(made, "reasons", 0),
			.leaves = (uint64_t)pr_get_int(made, "leaves", 0),
			.bytes = (uint64_t)pr_get_int(made, "bytes", 0),
		};
		snprintf(done->claim, sizeof done->claim, "%s", pr_get_str(made, "claim", ""));
		snprintf(done->status, sizeof done->status, "%s", pr_get_str(made, "status", ""));
		rc = download(link, pr_get_str(made, "proof", ""), (int64_t)done->bytes, file, fail);
		pr_doc_free(doc);
	}
	cl_link_close(link);
	return rc;
}

/* --- the command ---------------------------------------------------------------------------------------------------
 */

int cl_cmd_export(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	uint64_t begin_ns = pd_now_ns();
	struct sv_exported done;
	const char *detail = cl_given(options, CL_OPT_DETAIL) ? options->text[CL_OPT_DETAIL] : "full";
	const char *file = options->words[options->word_count - 1];
	bool job = cl_given(options, CL_OPT_JOB);
	if (strcmp(detail, "full") && strcmp(detail, "frontier"))
		return pd_fail_set(fail, PD_E_USAGE, "detail", "--detail takes full or frontier, not '%.40s'", detail);
	if (options->word_count != (job ? 1 : 2))
		return pd_fail_set(fail, PD_E_USAGE, "file",
				   job ? "with --job: proofctl export --job N FILE"
				       : "something is missing: proofctl export GAME FILE");
	pd_log_threshold(PD_LOG_ERROR);
	int rc = cl_given(options, CL_OPT_DATA)
			 ? from_directory(options, file, !strcmp(detail, "frontier"), &done, fail)
			 : from_server(options, file, detail, &done, fail);
	if (rc)
		return rc;
	if (cl_given(options, CL_OPT_JSON))
		print_json(&done, file);
	else
		print_text(&done, file, (double)(pd_now_ns() - begin_ns) / 1e9);
	*exit_code = CL_EXIT_OK;
	return PD_OK;
}
