#include "clients/web_page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/ask.h"
#include "proto/base/assert.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/checker.h"
#include "server/proofs/certificates/proof.h"

/* A page of that size still opens at once; a larger certificate is better checked than played. */
enum { CERTIFICATE_MAX = 64 << 20, PAGE_MAX = 3 * CERTIFICATE_MAX, SAID_MAX = 1 << 17 };

/* The games whose rules the page knows (clients/web/play_rules.mjs). */
static const char *const games[] = {"connect4", "hex", "mnk", "domineering", "breakthrough", "atari-go", "nogo", "nim"};

/* Where the data of a proof go in the page. */
static const char place[] = "<script type=\"application/json\" id=\"proof\">null";

static bool is_played(const char *game)
{
	size_t size = strcspn(game, ":");
	for (unsigned i = 0; i < sizeof games / sizeof *games; i++)
		if (strlen(games[i]) == size && !memcmp(games[i], game, size))
			return true;
	return false;
}

/* Reads the head of the certificate and refuses what a page cannot play. */
static int read_head(const char *path, struct sv_certificate_text *text, struct cl_web *out, struct pd_fail *fail)
{
	char plugin[32];
	errno = 0;
	if (!sv_certificate_text_read(path, text))
		return pd_fail_errno(fail, "file", "read", path);
	if (!sv_certificate_format(text))
		return pd_fail_set(fail, PD_E_USAGE, "certificate", "%.300s is not a certificate", path);
	sv_certificate_word(text, "game", out->game, sizeof out->game);
	sv_certificate_word(text, "claim", out->claim, sizeof out->claim);
	sv_certificate_word(text, "status", out->status, sizeof out->status);
	sv_certificate_word(text, "plugin", plugin, sizeof plugin);
	if (*plugin || !is_played(out->game))
		return pd_fail_set(fail, PD_E_USAGE, "certificate",
				   "the page does not know the rules of %s; it plays connect4, hex, mnk, domineering, "
				   "breakthrough, atari-go, nogo and nim",
				   out->game);
	if (sv_certificate_number(text, "leaves"))
		return pd_fail_set(fail, PD_E_USAGE, "certificate",
				   "the certificate leaves bounds to a search, which the page does not have; export it "
				   "with --detail full");
	return PD_OK;
}

/* Sets the paths of both files and makes the folder. */
static int make_folder(const char *path, const char *dir, struct cl_web *out, struct pd_fail *fail)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct stat from, to;
	if (snprintf(out->page, sizeof out->page, "%s/index.html", dir) >= (int)sizeof out->page ||
	    snprintf(out->certificate, sizeof out->certificate, "%s/%s", dir, name) >= (int)sizeof out->certificate)
		return pd_fail_set(fail, PD_E_USAGE, "file", "the name of the folder is too long");
	if (!strcmp(name, "index.html"))
		return pd_fail_set(fail, PD_E_USAGE, "certificate", "index.html is the page: rename the certificate");
	if (mkdir(dir, 0777) && errno != EEXIST)
		return pd_fail_errno(fail, "file", "make", dir);
	if (!stat(path, &from) && !stat(out->certificate, &to) && from.st_dev == to.st_dev && from.st_ino == to.st_ino)
		return pd_fail_set(fail, PD_E_USAGE, "file",
				   "the certificate is in the folder %.200s: name another folder", dir);
	return PD_OK;
}

/* Reads a file; *bytes is to be freed. */
static int read_file(const char *path, uint8_t **bytes, uint64_t *size, struct pd_fail *fail)
{
	struct stat st;
	FILE *file = fopen(path, "rb");
	*bytes = NULL;
	if (!file || fstat(fileno(file), &st)) {
		if (file)
			fclose(file);
		return pd_fail_errno(fail, "file", "read", path);
	}
	int rc = PD_OK;
	*size = (uint64_t)st.st_size;
	if (*size > CERTIFICATE_MAX)
		rc = pd_fail_set(fail, PD_E_USAGE, "certificate",
				 "the certificate has %llu bytes unpacked, and a page holds at most %u",
				 (unsigned long long)*size, (unsigned)CERTIFICATE_MAX);
	else if (!(*bytes = malloc(*size + 1)))
		rc = cl_no_memory(fail);
	else if (fread(*bytes, 1, *size, file) != *size)
		rc = pd_fail_errno(fail, "file", "read", path);
	fclose(file);
	return rc;
}

static int write_file(const char *path, const void *bytes, uint64_t size, struct pd_fail *fail)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return pd_fail_errno(fail, "file", "write", path);
	bool good = fwrite(bytes, 1, size, file) == size && !fflush(file);
	int rc = good ? PD_OK : pd_fail_errno(fail, "file", "write", path);
	if (fclose(file) && !rc)
		rc = pd_fail_errno(fail, "file", "write", path);
	if (rc)
		unlink(path);
	return rc;
}

/* Puts the certificate into the folder, unpacked; *bytes is to be freed. */
static int put_certificate(const char *checker, const char *path, unsigned format, struct cl_web *out, uint8_t **bytes,
			   struct pd_fail *fail)
{
	struct pd_buf said;
	int rc = PD_OK;
	if (format != 2 && format != 4) {
		pd_buf_init(&said, SAID_MAX);
		unlink(out->certificate); /* of an earlier page: the checker replaces no file */
		const struct sv_checker_order order = {.program = checker,
						       .file = path,
						       .made = out->certificate,
						       .way = "--unpack",
						       .file_bytes = CERTIFICATE_MAX};
		rc = sv_checker_run(&order, &said, fail);
		pd_buf_fini(&said);
		return rc ? rc : read_file(out->certificate, bytes, &out->certificate_bytes, fail);
	}
	rc = read_file(path, bytes, &out->certificate_bytes, fail);
	return rc ? rc : write_file(out->certificate, *bytes, out->certificate_bytes, fail);
}

/* Has proofcheck verify the certificate in the folder. */
static int verify_certificate(const char *checker, struct cl_web *out, struct pd_fail *fail)
{
	struct pd_buf said;
	struct pr_doc *doc = NULL;
	struct pd_fail why;
	pd_buf_init(&said, SAID_MAX);
	const struct sv_checker_order order = {
		.program = checker, .file = out->certificate, .file_bytes = out->certificate_bytes};
	int rc = sv_checker_run(&order, &said, fail);
	if (!rc && pr_doc_parse(said.data, said.size, &doc, &why))
		rc = pd_fail_set(fail, PD_E_IO, "certificate", "proofcheck gives no verdict: %.200s", said.data);
	if (!rc) {
		pr_ref report = pr_doc_root(doc);
		if (strcmp(pr_get_str(report, "verdict", ""), "verified") != 0)
			rc = pd_fail_set(fail, PD_E_STATE, "certificate", "proofcheck does not verify it: %.300s",
					 pr_get_str(report, "reason", "no reason"));
		out->positions = (uint64_t)pr_get_int(report, "positions", 0);
		snprintf(out->sha256, sizeof out->sha256, "%s", pr_get_str(report, "sha256", ""));
	}
	pr_doc_free(doc);
	pd_buf_fini(&said);
	return rc;
}

/* What the page knows: the board, the position at the root, and the certificate in base64. */
static int print_data(const struct cl_options *options, const struct sv_certificate_text *text,
		      const struct cl_web *web, const char *base64, struct pd_buf *out, struct pd_fail *fail)
{
	struct cl_link *link = NULL;
	struct pr_out json;
	pr_ref shown;
	char *position = malloc(SV_CERTIFICATE_HEAD_MAX);
	int rc = position ? cl_open_rules(options, &link, fail) : cl_no_memory(fail);
	if (!rc) {
		sv_certificate_word(text, "position", position, SV_CERTIFICATE_HEAD_MAX);
		rc = cl_ask(link, "position.show", &shown, fail, PR_S("game", web->game), PR_S("position", position),
			    PR_B("data", true));
	}
	if (!rc) {
		pr_out_init(&json, out);
		pr_members(&json, PR_OPEN_OBJECT(NULL), PR_S("file", strrchr(web->certificate, '/') + 1),
			   PR_S("sha256", web->sha256), PR_J("geometry", pr_get(shown, "geometry")),
			   PR_J("diagram", pr_get(shown, "diagram")), PR_S("certificate", base64), PR_CLOSE);
		rc = out->failed ? cl_no_memory(fail) : PD_OK;
	}
	free(position);
	cl_link_close(link);
	return rc;
}

/* Writes the page with the data in it. In JSON within HTML, < is written as an escape. */
static int write_page(const struct pd_buf *data, struct cl_web *out, struct pd_fail *fail)
{
	const char *page = (const char *)cl_web_page, *at = strstr(page, place);
	struct pd_buf whole;
	PD_ASSERT(at);
	pd_buf_init(&whole, PAGE_MAX);
	at += sizeof place - sizeof "null";
	pd_buf_put(&whole, page, (size_t)(at - page));
	for (size_t i = 0; i < data->size;) {
		const char *from = data->data + i, *angle = memchr(from, '<', data->size - i);
		size_t size = angle ? (size_t)(angle - from) : data->size - i;
		pd_buf_put(&whole, from, size);
		if (angle)
			pd_buf_puts(&whole, "\\u003c");
		i += size + (angle != NULL);
	}
	pd_buf_puts(&whole, at + sizeof "null" - 1);
	out->page_bytes = whole.size;
	int rc = whole.failed ? cl_no_memory(fail) : write_file(out->page, whole.data, whole.size, fail);
	pd_buf_fini(&whole);
	return rc;
}

static int make_page(const struct cl_options *options, const struct sv_certificate_text *text, const uint8_t *bytes,
		     struct cl_web *out, struct pd_fail *fail)
{
	struct pd_buf data;
	char *base64 = malloc(out->certificate_bytes / 3 * 4 + 5);
	pd_buf_init(&data, PAGE_MAX);
	int rc = base64 ? PD_OK : cl_no_memory(fail);
	if (!rc) {
		sv_encode_base64(bytes, out->certificate_bytes, base64);
		rc = print_data(options, text, out, base64, &data, fail);
	}
	if (!rc)
		rc = write_page(&data, out, fail);
	free(base64);
	pd_buf_fini(&data);
	return rc;
}

int cl_web_make(const struct cl_options *options, const char *path, const char *dir, struct cl_web *out,
		struct pd_fail *fail)
{
	struct sv_certificate_text *text = malloc(sizeof *text);
	uint8_t *bytes = NULL;
	char *checker = NULL;
	*out = (struct cl_web){0};
	int rc = text ? read_head(path, text, out, fail) : cl_no_memory(fail);
	if (!rc)
		rc = sv_checker_find(NULL, &checker, fail);
	if (!rc && !checker)
		rc = pd_fail_set(fail, PD_E_UNSUPPORTED, "proofcheck",
				 "the page is made of a certificate that proofcheck has verified, and proofcheck is "
				 "not next to proofctl");
	if (!rc)
		rc = make_folder(path, dir, out, fail);
	if (!rc) {
		rc = put_certificate(checker, path, sv_certificate_format(text), out, &bytes, fail);
		if (!rc)
			rc = verify_certificate(checker, out, fail);
		if (!rc)
			rc = make_page(options, text, bytes, out, fail);
		if (rc)
			unlink(out->certificate);
	}
	free(bytes);
	free(checker);
	free(text);
	return rc;
}
