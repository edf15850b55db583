/* proofctl export: writes the proof of one answer to a certificate, from a data directory or from the server.
 *
 * From the server it comes in pieces, into FILE.part, which is renamed to FILE when it is complete. A FILE.part of an
 * earlier attempt is continued if it begins like the proof's first piece. FILE - is stdout: pieces from the server go
 * there at once; a data directory exports to a temporary file first, because a complete certificate is renamed. */
#include <inttypes.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "clients/commands.h"
#include "clients/interrupt.h"
#include "clients/libproofd/reply.h"
#include "clients/progress.h"
#include "clients/small_file.h"
#include "clients/text.h"
#include "clients/web_page.h"
#include "proto/base/clock.h"
#include "proto/base/part_file.h"
#include "proto/base/print.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/certificate_store.h"

enum {
	SHOW_MS = 100,
	ASK_MS = 1000,            /* between two requests for the server's progress */
	WAIT_MS = 20,             /* for the reply, between two checks for signals */
	LINE_S = 30,              /* between two lines of progress when stderr is not a terminal */
	PIECE = 1 << 19,          /* bytes of the certificate in one reply */
	ROOM = PIECE / 3 * 4 + 4, /* bytes of its text */
	PATH_BYTES = 4096,
	RULES_TEXT = 300,          /* bytes of an option with the name of a game */
	SHA256_TEXT = 65,          /* bytes of a digest as sha256sum prints it, including the zero */
	CHECK_NODES_PER_S = 200000 /* nodes that proofcheck searches in Connect Four; other games are not faster */
};

static const char *choose_detail(const struct cl_options *options)
{
	return cl_given(options, CL_OPT_DETAIL) ? options->text[CL_OPT_DETAIL] : "full";
}

static bool is_stdout(const char *file)
{
	return !strcmp(file, "-");
}

struct report {
	struct cl_progress progress;
	uint64_t looked_ns; /* when progress was last due */
	uint64_t line_ns;   /* when a line of it was last printed, without a terminal */
	uint64_t fetch_ns;  /* when the download began */
	uint64_t first_ns;  /* when positions were first told, and how many; 0: not yet */
	int64_t first;
	const char *step;         /* that the export is in, if its end can be estimated */
	uint64_t step_ns;         /* when it was first seen */
	double step_done;         /* share of the step that was done then */
	int signal;               /* number of the signal that ended the export; 0: none */
	char sha256[SHA256_TEXT]; /* of the file */
	char rules[RULES_TEXT];   /* the option that gives proofcheck the rules of the game; "": they are built in */
};

/* A line of progress: redrawn in place on a terminal, elsewhere printed every LINE_S seconds. */
static void show_progress(struct report *r, const char *what)
{
	struct cl_text time;
	uint64_t now = pd_now_ns();
	if (r->progress.live) {
		cl_progress_draw(&r->progress, "%s", what);
	} else if (now - r->line_ns >= (uint64_t)LINE_S * 1000000000) {
		pd_print(stderr, "proofctl: %s, %s\n", what, cl_duration(&time, cl_progress_seconds(&r->progress)));
		r->line_ns = now;
	}
}

/* True when `ms` have passed since progress was last due. Also checks for signals. */
static bool is_due(struct report *r, unsigned ms)
{
	uint64_t now = pd_now_ns();
	if (!r->signal)
		r->signal = cl_interrupt_take();
	if (now - r->looked_ns < (uint64_t)ms * 1000000)
		return false;
	r->looked_ns = now;
	return true;
}

/* `first`: the positions at the beginning of the `seconds`. */
static void show_positions(struct report *r, int64_t positions, int64_t first, double seconds, const char *more)
{
	struct cl_text count, rate;
	char what[200];
	snprintf(what, sizeof what, "%s, %s a second%s", cl_counted(&count, positions, "position"),
		 cl_short(&rate, seconds > 0 ? (double)(positions - first) / seconds : 0), more);
	show_progress(r, what);
}

/* The step of an export whose end can be estimated: the share that is done, and the time that the rest will take. */
static void print_step(struct report *r, const char *step, double done, char *out, size_t size)
{
	struct cl_text left;
	uint64_t now = pd_now_ns();
	if (r->step != step || done < r->step_done) {
		r->step = step;
		r->step_ns = now;
		r->step_done = done;
	}
	double since = (double)(now - r->step_ns) / 1e9, more = done - r->step_done;
	snprintf(out, size, "; %s, %.0f %%", step, 100 * done);
	if (more > 0 && since > 1)
		snprintf(out + strlen(out), size - strlen(out), ", %s left",
			 cl_duration(&left, since * (1 - done) / more));
}

static bool on_progress(void *ctx, const struct sv_export_progress *p)
{
	struct report *r = ctx;
	char more[100] = "";
	if (!is_due(r, SHOW_MS))
		return !r->signal;
	if (p->whole)
		print_step(r, p->writes ? "writing" : "searching leaves again", (double)p->done / (double)p->whole,
			   more, sizeof more);
	if (!r->first_ns) { /* what an earlier export has logged is there at once */
		r->first_ns = pd_now_ns();
		r->first = (int64_t)p->positions;
	}
	show_positions(r, (int64_t)p->positions, r->first, (double)(pd_now_ns() - r->first_ns) / 1e9, more);
	return !r->signal;
}

/* Finds the option with the rules of the game of a certificate. `link`: to the server that made it; NULL: this process
 * did. */
static void find_rules(struct report *r, const struct cl_options *options, struct cl_link *link, const char *file)
{
	struct sv_certificate_text *text = malloc(sizeof *text);
	struct pd_fail ignored;
	pr_ref told;
	char digest[32] = "", game[512] = "";
	if (text && sv_certificate_text_read(file, text)) {
		sv_certificate_word(text, "plugin", digest, sizeof digest);
		sv_certificate_word(text, "game", game, sizeof game);
	}
	free(text);
	size_t size = strcspn(game, ":");
	bool program = link && *digest && !cl_ask(link, "game.describe", &told, &ignored, PR_S("game", game)) &&
		       !strncmp(pr_get_str(pr_get(told, "plugin"), "file", ""), "program ", 8);
	for (unsigned i = 0; !link && i < options->game_dirs.programs; i++) {
		const char *given = options->game_dirs.program[i];
		program |= !strncmp(given, game, size) && given[size] == '=';
	}
	if (program)
		snprintf(r->rules, sizeof r->rules, "--program \"%.*s=COMMAND\" ", (int)size, game);
	else if (*digest)
		snprintf(r->rules, sizeof r->rules, "--rules RULES.so ");
}

/* Estimates the time of a check; proofcheck --stats is more exact. */
static void print_estimate(FILE *to, const struct sv_exported *e, const char *rules, const char *file)
{
	struct cl_text a, b;
	if (e->effort)
		cl_row(to, "the check", "searches about %s again; about %s on one thread",
		       cl_counted(&a, e->effort, "node"), cl_duration(&b, (double)e->effort / CHECK_NODES_PER_S));
	if (e->leaves && !is_stdout(file))
		cl_row(to, "how long", "proofcheck %s--stats %s", rules, file);
}

/* The command that checks the file, with what proofcheck needs besides. */
static void print_check(FILE *to, const struct cl_options *options, const struct sv_exported *e, const char *rules,
			const char *file)
{
	const char *data = options->text[CL_OPT_DATA], *what = "";
	char tables[4096] = "";
	if (cl_given(options, CL_OPT_TABLES) && e->cards)
		snprintf(tables, sizeof tables, "--tables %.4000s%s ", data ? data : "DIR", data ? "/tables" : "");
	if (*rules)
		what = strstr(rules, "COMMAND") ? "  (COMMAND: another program, with the game's rules for proofcheck)"
						: "  (RULES.so: the game's rules for proofcheck, not its plug-in)";
	cl_row(to, "check it", "proofcheck %s%s%s%s%s", rules, tables, file, what,
	       *tables && !data ? "  (DIR: the folder tables of the server's data directory)" : "");
}

static void print_text(FILE *to, const struct cl_options *options, const struct sv_exported *e,
		       const struct report *report, const char *file)
{
	struct cl_text a, b, c, d;
	pd_print(to, "%s is %s\n", e->claim, e->status);
	cl_row(to, "file", "%s, %s bytes", is_stdout(file) ? "stdout" : file, cl_count(&a, e->bytes));
	cl_row(to, "positions", "%s, %.1f bytes each%s%s%s%s%s%s", cl_count(&a, e->positions),
	       e->positions ? (double)e->bytes / (double)e->positions : 0, e->leaves ? "; " : "",
	       e->leaves ? cl_counted(&b, e->leaves, "bound") : "", e->leaves ? " left to a search" : "",
	       e->cards ? "; " : "", e->cards ? cl_count(&d, e->cards) : "", e->cards ? " from theorems" : "");
	cl_row(to, "time", "%s", cl_duration(&c, cl_progress_seconds(&report->progress)));
	cl_row(to, "SHA-256", "%s", report->sha256);
	print_estimate(to, e, report->rules, file);
	if (!is_stdout(file))
		print_check(to, options, e, report->rules, file);
}

/* --- digests ------------------------------------------------------------------------------ */

static int begin_digest(EVP_MD_CTX **out, struct pd_fail *fail)
{
	*out = EVP_MD_CTX_new();
	return *out && EVP_DigestInit_ex(*out, EVP_sha256(), NULL) == 1 ? PD_OK : cl_no_memory(fail);
}

/* Writes the digest as text to `out`, and frees the hash; NULL is fine. */
static void end_digest(EVP_MD_CTX *hash, char out[SHA256_TEXT])
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned size = 0;
	if (hash)
		EVP_DigestFinal_ex(hash, bytes, &size);
	for (unsigned i = 0; i < size; i++)
		snprintf(out + (size_t)2 * i, 3, "%02x", bytes[i]);
	EVP_MD_CTX_free(hash);
}

/* Digests a file, and copies it to `to` unless that is NULL. */
static int digest_file(const char *path, FILE *to, char out[SHA256_TEXT], struct pd_fail *fail)
{
	char chunk[1 << 16];
	size_t size = 1;
	EVP_MD_CTX *hash;
	int rc = begin_digest(&hash, fail);
	FILE *file = rc ? NULL : fopen(path, "rb");
	while (file && size) {
		size = fread(chunk, 1, sizeof chunk, file);
		EVP_DigestUpdate(hash, chunk, size);
		if (to && fwrite(chunk, 1, size, to) != size)
			break;
	}
	if (file && size)
		rc = pd_fail_errno(fail, "file", "write", "to stdout");
	else if (!rc && (!file || ferror(file)))
		rc = pd_fail_errno(fail, "file", "read", path);
	if (file)
		fclose(file);
	end_digest(hash, out);
	return rc;
}

/* --- from a directory --------------------------------------------------------------------- */

static int export_directory(const struct cl_options *options, const char *file, struct sv_exported *done,
			    struct report *report, struct pd_fail *fail)
{
	struct sv_export_order order = {
		.game = options->words[0],
		.file = file,
		.claim = options->text[CL_OPT_CLAIM],
		.frontier = !strcmp(choose_detail(options), "frontier"),
		.compress = cl_given(options, CL_OPT_COMPRESS),
		.cards = !cl_given(options, CL_OPT_CARDS) || options->whole[CL_OPT_CARDS],
		.tables = cl_given(options, CL_OPT_TABLES),
		.threads = cl_threads(options),
		.progress = on_progress,
		.ctx = report,
	};
	if (cl_given(options, CL_OPT_JOB))
		return pd_fail_set(fail, PD_E_USAGE, "job",
				   "--job needs a server; with --data, name the game and the position");
	char *position;
	int rc = cl_plugins_load(options, options->text[CL_OPT_DATA], fail);
	if (!rc)
		rc = cl_position_text(options, &position, fail);
	if (rc)
		return rc;
	order.position = position;
	rc = sv_export_directory(options->text[CL_OPT_DATA], options->text[CL_OPT_GRAPHS], &order, done, fail);
	free(position);
	cl_progress_end(&report->progress);
	if (!rc)
		find_rules(report, options, NULL, file);
	return rc;
}

/* Exports to a temporary file and copies it to stdout. A signal ends the export, not the process, so that the file is
 * removed in any case. */
static int directory_to_stdout(const struct cl_options *options, struct sv_exported *done, struct report *report,
			       struct pd_fail *fail)
{
	const char *place = getenv("TMPDIR");
	char dir[3000], path[sizeof dir + 16];
	int size = snprintf(dir, sizeof dir, "%s/proofctl-XXXXXX", place && *place ? place : "/tmp");
	if (size >= (int)sizeof dir || !mkdtemp(dir))
		return pd_fail_set(fail, PD_E_IO, "file", "cannot create the temporary directory %.200s", dir);
	snprintf(path, sizeof path, "%s/certificate", dir);
	int rc = export_directory(options, path, done, report, fail);
	if (!rc)
		rc = digest_file(path, stdout, report->sha256, fail);
	unlink(path);
	if (rmdir(dir) && !rc)
		rc = pd_fail_errno(fail, "file", "remove", dir);
	return rc;
}

/* --- from the server ---------------------------------------------------------------------- */

static int fetch_piece(struct cl_link *link, const char *proof, int64_t offset, uint8_t *bytes, size_t *size,
		       struct pd_fail *fail)
{
	pr_ref piece;
	int rc = cl_ask(link, "proof.read", &piece, fail, PR_S("proof", proof), PR_I("offset", offset),
			PR_U("size", PIECE));
	if (rc)
		return rc;
	const char *data = pr_get_str(piece, "data", "");
	int64_t count = strlen(data) <= ROOM ? pc_decode_base64(data, bytes) : 0;
	*size = count > 0 ? (size_t)count : 0;
	return count > 0 ? PD_OK : pd_fail_set(fail, PD_E_IO, "file", "the certificate is shorter than announced");
}

static int set_stopped(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_STATE, "", "the export was stopped");
}

/* Shows, between two pieces, how many bytes have arrived and how long the rest will take. */
static int show_bytes(struct report *r, int64_t from, int64_t at, int64_t bytes, struct pd_fail *fail)
{
	struct cl_text a, b, left;
	char what[200];
	double seconds = (double)(pd_now_ns() - r->fetch_ns) / 1e9;
	if (is_due(r, SHOW_MS) && at > from) {
		snprintf(what, sizeof what, "%s of %s, %s left", cl_bytes(&a, at), cl_bytes(&b, bytes),
			 cl_duration(&left, seconds * (double)(bytes - at) / (double)(at - from)));
		show_progress(r, what);
	}
	return r->signal ? set_stopped(fail) : PD_OK;
}

/* Fetches the bytes from `at` on and writes them to `to`; `hash` may be NULL. */
static int fetch_rest(struct cl_link *link, const char *proof, int64_t at, int64_t bytes, FILE *to, EVP_MD_CTX *hash,
		      struct report *report, struct pd_fail *fail)
{
	uint8_t *piece = malloc(ROOM);
	const int64_t from = at;
	size_t size = 0;
	int rc = piece ? PD_OK : cl_no_memory(fail);
	while (!rc && at < bytes && !(rc = show_bytes(report, from, at, bytes, fail)) &&
	       !(rc = fetch_piece(link, proof, at, piece, &size, fail))) {
		if (fwrite(piece, 1, size, to) != size)
			rc = pd_fail_errno(fail, "file", "write", to == stdout ? "stdout" : "the certificate");
		if (hash)
			EVP_DigestUpdate(hash, piece, size);
		at += (int64_t)size;
	}
	free(piece);
	return rc;
}

/* The number of bytes of an earlier attempt to keep: all if it begins like the proof, else 0. */
static int64_t find_kept(struct cl_link *link, const char *proof, int64_t bytes, FILE *part, struct pd_fail *fail)
{
	uint8_t *first = malloc(2 * (size_t)ROOM);
	size_t size;
	int64_t kept = 0;
	if (first && !fetch_piece(link, proof, 0, first, &size, fail)) {
		size_t have = fread(first + ROOM, 1, size, part);
		if (have && !memcmp(first, first + ROOM, have) && !fseek(part, 0, SEEK_END))
			kept = ftell(part);
	}
	free(first);
	return kept <= bytes ? kept : 0;
}

static int download_to_stdout(struct cl_link *link, const char *proof, int64_t bytes, struct report *report,
			      struct pd_fail *fail)
{
	EVP_MD_CTX *hash;
	int rc = begin_digest(&hash, fail);
	if (!rc)
		rc = fetch_rest(link, proof, 0, bytes, stdout, hash, report, fail);
	end_digest(hash, report->sha256);
	return rc;
}

static int download_proof(struct cl_link *link, const char *proof, int64_t bytes, const char *file,
			  struct report *report, struct pd_fail *fail)
{
	char path[4096];
	if ((size_t)snprintf(path, sizeof path, "%s.part", file) >= sizeof path)
		return pd_fail_set(fail, PD_E_USAGE, "file", "the file name is too long");
	FILE *part;
	int rc = pd_part_open(path, &part, fail);
	if (rc)
		return rc;
	int64_t kept = find_kept(link, proof, bytes, part, fail);
	rc = fseek(part, kept, SEEK_SET) || ftruncate(fileno(part), kept)
		     ? pd_fail_errno(fail, "file", "write", path)
		     : fetch_rest(link, proof, kept, bytes, part, NULL, report, fail);
	if ((fflush(part) || fsync(fileno(part))) && !rc)
		rc = pd_fail_errno(fail, "file", "write", path);
	rc = rc ? rc : sv_certificate_rename(path, file, fail);
	fclose(part);
	return rc;
}

/* Shows the server's progress; it makes one certificate at a time. */
static int show_making(struct cl_link *link, struct report *report, struct pd_fail *fail)
{
	pr_ref list;
	char more[100] = "";
	int rc = cl_ask(link, "proof.list", &list, fail, PR_U("limit", 1));
	if (rc)
		return rc;
	pr_ref making = pr_at(pr_get(list, "making"), 0);
	int64_t waiting = pr_get_int(list, "waiting", 0);
	if (waiting)
		snprintf(more, sizeof more, " of %.40s; %" PRId64 " wait", pr_get_str(making, "game", "?"), waiting);
	const char *step = pr_get_str(making, "step", "gathers");
	if (making && !waiting && strcmp(step, "gathers"))
		print_step(report, !strcmp(step, "writes") ? "writing" : "searching leaves again",
			   pr_get_real(making, "done", 0), more, sizeof more);
	if (making)
		show_positions(report, pr_get_int(making, "positions", 0), 0, pr_get_real(making, "seconds", 0), more);
	return PD_OK;
}

/* Waits for the reply to proof.export. A signal also cancels the export on the server. */
static int await_made(struct cl_link *link, int64_t id, struct report *report, struct pd_fail *fail)
{
	struct pd_fail ignored;
	pr_ref note;
	int rc = PD_OK;
	is_due(report, 0);
	while (!rc && !report->signal && !cl_link_replied(link, id)) {
		rc = cl_link_next(link, WAIT_MS, &note, fail);
		if (!rc && is_due(report, ASK_MS) && !cl_link_replied(link, id))
			rc = show_making(link, report, fail);
	}
	if (!report->signal)
		return rc;
	cl_link_call(link, "proof.cancel", NULL, NULL, &ignored);
	return set_stopped(fail);
}

static int export_server(const struct cl_options *options, const char *file, struct sv_exported *done,
			 struct report *report, struct pd_fail *fail)
{
	struct cl_link *link;
	struct cl_json params;
	struct pr_doc *kept = NULL;
	pr_ref made;
	int64_t id;
	int rc = cl_open(options, &link, fail);
	if (rc)
		return rc;
	cl_json_begin(&params);
	if (!cl_given(options, CL_OPT_JOB))
		pr_str(&params.out, "game", options->words[0]);
	cl_put_given(options, PR_PROOF_EXPORT, &params.out);
	if (!cl_given(options, CL_OPT_DETAIL))
		pr_str(&params.out, "detail", choose_detail(options));
	rc = cl_json_send(&params, link, "proof.export", &id, fail);
	if (!rc)
		rc = await_made(link, id, report, fail);
	if (!rc)
		rc = cl_link_receive(link, id, &made, fail);
	if (!rc) {
		kept = cl_link_keep(link);
		*done = (struct sv_exported){
			.positions = (uint64_t)pr_get_int(made, "positions", 0),
			.reasons = (uint64_t)pr_get_int(made, "reasons", 0),
			.leaves = (uint64_t)pr_get_int(made, "leaves", 0),
			.cards = (uint64_t)pr_get_int(made, "cards", 0),
			.bytes = (uint64_t)pr_get_int(made, "bytes", 0),
		};
		snprintf(done->claim, sizeof done->claim, "%s", pr_get_str(made, "claim", ""));
		snprintf(done->status, sizeof done->status, "%s", pr_get_str(made, "status", ""));
		const char *proof = pr_get_str(made, "proof", "");
		report->fetch_ns = pd_now_ns();
		rc = is_stdout(file) ? download_to_stdout(link, proof, (int64_t)done->bytes, report, fail)
				     : download_proof(link, proof, (int64_t)done->bytes, file, report, fail);
		if (!rc && !is_stdout(file))
			find_rules(report, options, link, file);
	}
	pr_doc_free(kept);
	cl_progress_end(&report->progress);
	cl_link_close(link);
	return rc;
}

/* --- the command -------------------------------------------------------------------------- */

static int check_words(const struct cl_options *options, struct pd_fail *fail)
{
	const char *detail = choose_detail(options), *file = options->words[options->word_count - 1];
	bool job = cl_given(options, CL_OPT_JOB);
	if (strcmp(detail, "full") && strcmp(detail, "frontier"))
		return pd_fail_set(fail, PD_E_USAGE, "detail", "--detail takes full or frontier, not '%.40s'", detail);
	if (options->word_count != (job ? 1 : 2))
		return pd_fail_set(fail, PD_E_USAGE, "file",
				   job ? "with --job: proofctl export --job N FILE"
				       : "missing argument: proofctl export GAME FILE");
	if (cl_given(options, CL_OPT_THREADS) && !cl_given(options, CL_OPT_DATA))
		return pd_fail_set(fail, PD_E_USAGE, "threads", "--threads is for an export with --data");
	if (cl_given(options, CL_OPT_TABLES) && cl_given(options, CL_OPT_CARDS) && !options->whole[CL_OPT_CARDS])
		return pd_fail_set(fail, PD_E_USAGE, "tables", "--tables cannot be combined with --cards no");
	if (is_stdout(file) && cl_given(options, CL_OPT_JSON))
		return pd_fail_set(fail, PD_E_USAGE, "json",
				   "FILE - writes the certificate to stdout; omit --json, or name a file");
	if (is_stdout(file) && cl_given(options, CL_OPT_WEB))
		return pd_fail_set(fail, PD_E_USAGE, "web", "--web makes the page of a file: name one instead of -");
	if ((cl_given(options, CL_OPT_SMALL) || cl_given(options, CL_OPT_ZONES)) &&
	    (is_stdout(file) || cl_given(options, CL_OPT_COMPRESS) || strcmp(detail, "full") != 0))
		return pd_fail_set(
			fail, PD_E_USAGE, "small",
			"--small and --zones write a file of their own form: name one instead of -, and omit "
			"--compress and --detail");
	if (cl_given(options, CL_OPT_ZONES) && cl_given(options, CL_OPT_WEB))
		return pd_fail_set(fail, PD_E_USAGE, "zones", "the page of --web cannot play zones: omit --zones");
	if (cl_given(options, CL_OPT_PACK) && !cl_given(options, CL_OPT_SMALL))
		return pd_fail_set(fail, PD_E_USAGE, "pack", "--pack needs --small");
	if (is_stdout(file) && isatty(STDOUT_FILENO))
		return pd_fail_set(fail, PD_E_USAGE, "file",
				   "a certificate is binary; redirect stdout to a file or a pipe");
	return PD_OK;
}

/* Makes the page of --web. */
static int make_web(const struct cl_options *options, const char *file, struct pd_fail *fail)
{
	struct cl_web *web = malloc(sizeof *web);
	int rc = web ? cl_web_make(options, file, options->text[CL_OPT_WEB], web, fail) : cl_no_memory(fail);
	free(web);
	return rc;
}

/* Compresses the exported certificate `full`, or only puts zones; it is kept until that is complete. */
static int make_small(const struct cl_options *options, const char *full, const char *file, struct sv_exported *done,
		      int *exit_code, struct pd_fail *fail)
{
	struct cl_small small = {.exit_code = CL_EXIT_OK};
	int rc = cl_given(options, CL_OPT_SMALL) ? cl_small_make(options, full, file, &small, fail)
						 : cl_zones_make(full, file, false, &small.done, fail);
	*exit_code = small.exit_code;
	if (rc || small.exit_code)
		return rc;
	unlink(full);
	done->positions = small.done.positions;
	done->reasons = small.done.reasons;
	done->cards = small.done.cards;
	done->bytes = small.done.bytes;
	done->leaves = done->effort = 0;
	return PD_OK;
}

/* Exports to a file, from the directory or from the server. */
static int export_to_file(const struct cl_options *options, const char *file, struct sv_exported *done,
			  struct report *report, struct pd_fail *fail)
{
	return cl_given(options, CL_OPT_DATA) ? export_directory(options, file, done, report, fail)
					      : export_server(options, file, done, report, fail);
}

/* Exports, compresses with --small, and makes the page of --web. */
static int export_all(const struct cl_options *options, const char *file, struct sv_exported *done,
		      struct report *report, int *exit_code, struct pd_fail *fail)
{
	char full[PATH_BYTES];
	bool small = cl_given(options, CL_OPT_SMALL) || cl_given(options, CL_OPT_ZONES);
	if (snprintf(full, sizeof full, "%s.full", file) >= (int)sizeof full)
		return pd_fail_set(fail, PD_E_USAGE, "file", "the file name is too long");
	int rc = cl_given(options, CL_OPT_DATA) && is_stdout(file)
			 ? directory_to_stdout(options, done, report, fail)
			 : export_to_file(options, small ? full : file, done, report, fail);
	*exit_code = report->signal ? CL_EXIT_SIGNAL + report->signal : CL_EXIT_OK;
	if (!rc && small)
		rc = make_small(options, full, file, done, exit_code, fail);
	if (rc || *exit_code)
		return rc;
	if (!is_stdout(file))
		rc = digest_file(file, NULL, report->sha256, fail);
	return rc || !cl_given(options, CL_OPT_WEB) ? rc : make_web(options, file, fail);
}

int cl_cmd_export(const struct cl_options *options, int *exit_code, struct pd_fail *fail)
{
	struct report report = {.line_ns = pd_now_ns()};
	struct sv_exported done;
	const char *file = options->words[options->word_count - 1];
	int rc = check_words(options, fail);
	if (rc)
		return rc;
	cl_progress_begin(&report.progress);
	cl_interrupt_hold();
	rc = export_all(options, file, &done, &report, exit_code, fail);
	if (rc || *exit_code)
		return report.signal ? PD_OK : rc;
	if (cl_given(options, CL_OPT_JSON))
		return cl_print_members(
			stdout, fail, PR_S("file", file), PR_S("claim", done.claim), PR_S("status", done.status),
			PR_U("positions", done.positions), PR_U("reasons", done.reasons), PR_U("leaves", done.leaves),
			PR_U("cards", done.cards), PR_OPT(done.effort || !done.leaves, PR_U("effort", done.effort)),
			PR_U("bytes", done.bytes), PR_S("sha256", report.sha256));
	print_text(is_stdout(file) ? stderr : stdout, options, &done, &report, file);
	return PD_OK;
}
