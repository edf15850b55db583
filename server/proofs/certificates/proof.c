#include "server/proofs/certificates/proof.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/out.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/jobs/index/job_index.h"
#include "server/proofs/certificates/certificate.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/export.h"
#include "server/proofs/certificates/known_files.h"
#include "store/files.h"

enum {
	ID_DIGITS = SV_PROOF_DIGITS,
	READ_MAX = 1 << 19,
	LINES = SV_PROOF_LINES,
	LINE_BYTES = SV_PROOF_LINE,
	LIST_MS = 1000,      /* for reading certificates that are listed */
	LIST_BYTES = 1 << 26 /* of one of them; a list would never come to the end of a large one */
};

struct wanted {
	char game[GAME_NAME_MAX], position[GAME_TEXT_MAX], claim[24];
	bool has_claim, frontier, compress, cards, tables;
	unsigned format;                /* of the certificate */
	char header[LINES][LINE_BYTES]; /* the lines of the certificate's header that identify it */
	bool of_job, rules_known;       /* the proof of a job's answer; its rules version is known */
	uint64_t rules;                 /* the job's rules version; later the game's */
};

/* Fills in the question of a job. */
static int of_job(struct sv_core *core, int64_t id, struct wanted *w, struct pd_fail *fail)
{
	sv_lock(core);
	const struct sv_job *job = sv_index_find(core->index, id);
	if (job) {
		snprintf(w->game, sizeof w->game, "%s", job->record.spec.game);
		snprintf(w->position, sizeof w->position, "%s", job->record.spec.position);
		snprintf(w->claim, sizeof w->claim, "%s", job->record.spec.claim.text);
		w->has_claim = w->of_job = true;
		w->rules_known = job->record.spec.rules.known;
		w->rules = job->record.spec.rules.version;
	}
	sv_unlock(core);
	return job ? PD_OK : pd_fail_set(fail, PD_E_NO_JOB, "job", "there is no job %" PRId64, id);
}

/* Sets the claim in its normal form, which names the certificate. */
static int set_claim(struct wanted *w, const char *text, struct pd_fail *fail)
{
	struct pd_claim claim;
	int rc = pd_claim_parse(text, &claim, fail);
	if (!rc)
		snprintf(w->claim, sizeof w->claim, "%s", claim.text);
	w->has_claim = !rc;
	return rc;
}

/* Fills in the position, after the moves of the request. */
static int set_position(struct sv_core *core, pr_ref params, struct wanted *w, struct pd_fail *fail)
{
	struct game *game;
	char *text = NULL;
	if (!sv_position_moved(params)) {
		snprintf(w->position, sizeof w->position, "%s", pr_get_str(params, "position", ""));
		return PD_OK;
	}
	int rc = sv_game_get(core, w->game, &game, fail);
	if (rc)
		return rc;
	rc = sv_position_text(game, params, &text, fail);
	if (!rc)
		snprintf(w->position, sizeof w->position, "%s", text);
	free(text);
	sv_game_put(core, game);
	return rc;
}

static int read_params(struct sv_core *core, pr_ref params, struct wanted *w, struct pd_fail *fail)
{
	int64_t job = pr_get_int(params, "job", 0);
	const char *game = pr_get_str(params, "game", NULL), *claim = pr_get_str(params, "claim", NULL);
	*w = (struct wanted){.frontier = !strcmp(pr_get_str(params, "detail", "full"), "frontier"),
			     .compress = pr_get_bool(params, "compress", false),
			     .cards = pr_get_bool(params, "cards", true),
			     .tables = pr_get_bool(params, "tables", false)};
	if (w->tables && !w->cards)
		return pd_fail_set(fail, PD_E_PARAMS, "tables",
				   "`tables` cannot be combined with `cards` false: cards cite the tables");
	if (job && (game || claim || pr_has(params, "position") || pr_has(params, "moves")))
		return pd_fail_set(fail, PD_E_PARAMS, "job", "give either a job, or a game with position and claim");
	if (job)
		return of_job(core, job, w, fail);
	if (!game)
		return pd_fail_set(fail, PD_E_PARAMS, "game",
				   "say which proof: a job, or a game with position and claim");
	snprintf(w->game, sizeof w->game, "%s", game);
	int rc = set_position(core, params, w, fail);
	return rc || !claim ? rc : set_claim(w, claim, fail);
}

/* The request that waits for an export. */
struct waiting {
	struct sv_core *core;
	bool (*wanted)(void *ctx);
	void *ctx;
};

/* A certificate and its file. */
struct made {
	char id[ID_DIGITS + 1], path[4096];
	struct sv_exported what;
};

/* Reads the header of an existing certificate. False when there is none, when it is damaged, or when it proves
 * something else: the name is a hash and may collide. */
static bool read_existing(const struct waiting *waiting, const struct wanted *w, struct made *made)
{
	struct sv_certificate_text *text = malloc(sizeof *text);
	struct sv_exported *out = &made->what;
	bool good = text && sv_certificate_text_read(made->path, text) &&
		    sv_known_damage(waiting->core, made->id, made->path, waiting->wanted, waiting->ctx) != SV_DAMAGED;
	good = good && sv_certificate_format(text) == w->format;
	for (unsigned i = 0; good && i < LINES; i++)
		good = strstr(text->lines, w->header[i]) != NULL;
	if (good) {
		*out = (struct sv_exported){.bytes = text->bytes,
					    .positions = sv_certificate_number(text, "positions"),
					    .reasons = sv_certificate_number(text, "reasons"),
					    .leaves = sv_certificate_number(text, "leaves"),
					    .cards = sv_certificate_number(text, "cards")};
		sv_certificate_word(text, "claim", out->claim, sizeof out->claim);
		sv_certificate_word(text, "status", out->status, sizeof out->status);
	}
	free(text);
	return good;
}

static int refuse_reader(const struct sv_core *core, struct pd_fail *fail)
{
	return core->config.data && core->config.read_only
		       ? pd_fail_set(fail, PD_E_STATE, "",
				     "certificates are kept in the data directory, and this server only reads it")
		       : PD_OK;
}

static int path_of(struct sv_core *core, const char *id, char *out, size_t size, struct pd_fail *fail)
{
	if (!core->config.data)
		return pd_fail_set(fail, PD_E_STATE, "",
				   "certificates are kept in the data directory, and this server has none");
	int n = snprintf(out, size, "%s/proofs", core->config.data);
	if (n < 0 || (size_t)n + ID_DIGITS + 16 > size)
		return pd_fail_set(fail, PD_E_IO, "", "the name of the data directory is too long");
	if (!core->config.read_only && mkdir(out, 0700) && errno != EEXIST)
		return pd_fail_errno(fail, "", "make", out);
	snprintf(out + n, size - (size_t)n, "/%s.cert", id);
	return PD_OK;
}

/* Prints the lines that identify the certificate: game, rules, root, claim and detail. */
static void header_of(struct wanted *w, const struct game *game, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	char hex[2 * GAME_KEY_MAX + 1] = "";
	size_t size = game->rules->key(game, state, key), room = LINE_BYTES;
	memset(w->header, 0, sizeof w->header); /* all of it is hashed */
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	snprintf(w->header[0], room, "\ngame: %s\n", game->name);
	snprintf(w->header[1], room, "\nrules: %" PRIu64 "\n", game->rules_version);
	if (game->plugin_digest)
		snprintf(w->header[1], room, "\nrules: %" PRIu64 "\nplugin: %016" PRIx64 "\n", game->rules_version,
			 game->plugin_digest);
	snprintf(w->header[2], room, "\nroot: %s\n", hex);
	snprintf(w->header[3], room, "\nclaim: %s\n", w->claim);
	snprintf(w->header[4], room, "\ndetail: %s\n", w->frontier ? "frontier" : "full");
}

/* A job's answer under other rules says nothing about the game as it is now. */
static int check_rules(const struct wanted *w, const struct game *game, struct pd_fail *fail)
{
	const struct sv_spec spec = {.rules = {.version = w->rules, .known = w->rules_known}};
	return w->of_job && sv_job_rules_differ(&spec, game)
		       ? pd_fail_set(fail, PD_E_STATE, "job",
				     "the rules of %.80s have changed since that job was submitted; what it found is "
				     "of the old ones",
				     game->name)
		       : PD_OK;
}

/* Computes the certificate's name. */
static int name_of(struct sv_core *core, struct wanted *w, char id[ID_DIGITS + 1], struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game *game;
	int rc = sv_game_get(core, w->game, &game, fail);
	if (rc)
		return rc;
	rc = check_rules(w, game, fail);
	w->rules = game_version(game);
	if (!rc)
		rc = game->rules->parse(game, w->position, state, fail);
	if (!rc) {
		header_of(w, game, state);
		w->format = (w->cards ? SV_CERTIFICATE_CARDS : SV_CERTIFICATE_RULES) + w->compress;
		sv_proof_name((const char(*)[LINE_BYTES])w->header, w->format, w->tables, id);
	}
	sv_game_put(core, game);
	return rc;
}

static bool may_continue(void *ctx, const struct sv_export_progress *p)
{
	const struct waiting *waiting = ctx;
	struct sv_core *core = waiting->core;
	sv_lock(core);
	bool stop = core->closing;
	core->making->positions = p->positions;
	core->making->done = p->whole ? (double)p->done / (double)p->whole : 0;
	core->making->step = !p->whole ? "gathers" : p->writes ? "writes" : "searches";
	sv_unlock(core);
	return !stop && waiting->wanted(waiting->ctx);
}

static int place_file(struct sv_core *core, struct wanted *w, struct made *made, struct pd_fail *fail)
{
	int rc = name_of(core, w, made->id, fail);
	return rc ? rc : path_of(core, made->id, made->path, sizeof made->path, fail);
}

/* Gives a certificate of the strongest known claim, which was written to `draft`, the name of that claim. An existing
 * file of that name is kept: clients may be reading it. */
static int rename_to_claim(const struct waiting *waiting, struct wanted *w, struct made *made, const char *draft,
			   struct pd_fail *fail)
{
	int rc = set_claim(w, made->what.claim, fail);
	if (!rc)
		rc = place_file(waiting->core, w, made, fail);
	if (!rc && !read_existing(waiting, w, made))
		rc = sv_certificate_rename(draft, made->path, fail);
	return rc;
}

/* Makes room for the new certificate by removing old ones; removes the new one when that does not suffice. */
static int make_room(struct sv_core *core, const struct made *made, struct pd_fail *fail)
{
	char directory[4096], texts[2][SV_SIZE_TEXT];
	uint64_t most = core->config.proofs_max ? core->config.proofs_max : UINT64_MAX;
	const char *name = strrchr(made->path, '/') + 1;
	snprintf(directory, sizeof directory, "%.*s", (int)(name - 1 - made->path), made->path);
	if (sv_certificates_trim(directory, most, name) <= most)
		return PD_OK;
	unlink(made->path);
	if (made->what.bytes > most)
		return pd_fail_set(fail, PD_E_LIMIT, "",
				   "the certificate has %s, and all that are kept together can have %s here",
				   sv_size_text(made->what.bytes, texts[0]), sv_size_text(most, texts[1]));
	return pd_fail_set(fail, PD_E_BUSY, "",
			   "no room for the certificate: the others were used within the last %d seconds; try again",
			   SV_CERTIFICATE_BUSY_S);
}

/* Tells proof.list what is being made; `w` NULL: nothing. */
static void tell_making(struct sv_core *core, const struct wanted *w)
{
	struct sv_making making = {.now = w != NULL, .step = "gathers", .begin_ns = pd_now_ns()};
	if (w) {
		memcpy(making.game, w->game, sizeof making.game);
		memcpy(making.position, w->position, sizeof making.position);
		memcpy(making.claim, w->claim, sizeof making.claim);
		making.frontier = w->frontier;
	}
	sv_lock(core);
	PD_ASSERT(core->making->now != making.now); /* one at a time */
	*core->making = making;
	sv_unlock(core);
}

static int make_certificate(const struct waiting *waiting, struct wanted *w, struct made *made, struct pd_fail *fail)
{
	struct sv_core *core = waiting->core;
	char draft[sizeof made->path + 8];
	snprintf(draft, sizeof draft, "%s.part", made->path); /* never listed, and removed when it is left behind */
	struct sv_export_order order = {
		.game = w->game,
		.position = w->position,
		.claim = w->has_claim ? w->claim : NULL,
		.rules = &w->rules,
		.file = w->has_claim ? made->path : draft, /* its name needs the claim */
		.frontier = w->frontier,
		.compress = w->compress,
		.cards = w->cards,
		.tables = w->tables,
		.threads = 1, /* the others are for searches */
		.progress = may_continue,
		.ctx = (void *)(uintptr_t)waiting,
	};
	tell_making(core, w);
	int rc = sv_export(core->store, core->config.graphs, &order, &made->what, fail);
	tell_making(core, NULL);
	if (!w->has_claim) {
		rc = rc ? rc : rename_to_claim(waiting, w, made, draft, fail);
		unlink(draft);
	}
	return rc ? rc : make_room(core, made, fail);
}

int sv_proof_export(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		    struct pd_fail *fail)
{
	const struct waiting waiting = {core, wanted, ctx};
	struct wanted w;
	struct made made;
	struct pr_out out;
	int rc = wanted(ctx) ? refuse_reader(core, fail)
			     : pd_fail_set(fail, PD_E_SHUTDOWN, "", "the certificate is no longer wanted");
	rc = rc ? rc : read_params(core, params, &w, fail);
	if (!rc)
		rc = place_file(core, &w, &made, fail);
	if (!rc && !(w.has_claim && read_existing(&waiting, &w, &made)))
		rc = make_certificate(&waiting, &w, &made, fail);
	if (rc)
		return rc;
	const struct sv_exported done = made.what;
	PD_ASSERT(done.claim[0] && strlen(made.id) == ID_DIGITS);
	sv_known_touch(core, made.id, made.path);
	pr_out_init(&out, json);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("proof", made.id), PR_S("file", made.path),
		   PR_S("claim", done.claim), PR_S("status", done.status), PR_U("positions", done.positions),
		   PR_U("reasons", done.reasons), PR_U("leaves", done.leaves), PR_U("cards", done.cards),
		   PR_U("bytes", done.bytes), PR_CLOSE);
	return PD_OK;
}

/* --- reading ------------------------------------------------------------------------------ */

void sv_encode_base64(const uint8_t *bytes, size_t size, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		size_t have = size - i < 3 ? size - i : 3;
		uint32_t bits = (uint32_t)bytes[i] << 16 | (have > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				(have > 2 ? bytes[i + 2] : 0);
		for (unsigned k = 0; k < 4; k++)
			*out++ = k <= have ? digits[bits >> (18 - 6 * k) & 63] : '=';
	}
	*out = 0;
}

static int read_piece(FILE *file, int64_t offset, size_t size, struct pd_buf *json, struct pd_fail *fail)
{
	struct stat st;
	struct pr_out out;
	PD_ASSERT(offset >= 0 && size >= 1 && size <= READ_MAX);
	uint8_t *bytes = malloc(size);
	char *text = malloc(size / 3 * 4 + 5);
	int rc = PD_OK;
	if (!bytes || !text) {
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a piece of a certificate");
	} else if (fstat(fileno(file), &st) || offset > st.st_size || fseek(file, offset, SEEK_SET)) {
		rc = pd_fail_set(fail, PD_E_PARAMS, "offset", "the certificate has fewer bytes");
	} else {
		size_t n = fread(bytes, 1, size, file);
		sv_encode_base64(bytes, n, text);
		pr_out_init(&out, json);
		pr_members(&out, PR_OPEN_OBJECT(NULL), PR_I("offset", offset), PR_U("size", n),
			   PR_I("bytes", st.st_size), PR_S("data", text), PR_CLOSE);
	}
	free(bytes);
	free(text);
	return rc;
}

int sv_proof_read_path(struct sv_core *core, pr_ref params, char *path, size_t size, struct pd_fail *fail)
{
	const char *id = pr_get_str(params, "proof", "");
	if (!sv_proof_is_name(id, strlen(id)))
		return pd_fail_set(fail, PD_E_PARAMS, "proof",
				   "a proof's name is the %d hexadecimal digits that proof.export gave", ID_DIGITS);
	return path_of(core, id, path, size, fail);
}

int sv_proof_path(struct sv_core *core, pr_ref params, char *path, size_t size, struct pd_fail *fail)
{
	int rc = refuse_reader(core, fail);
	return rc ? rc : sv_proof_read_path(core, params, path, size, fail);
}

int sv_proof_missing(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_PARAMS, "proof", "there is no proof of that name; ask proof.export for it");
}

int sv_proof_read(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		  struct pd_fail *fail)
{
	char path[4096];
	const char *id = pr_get_str(params, "proof", "");
	int rc = sv_proof_read_path(core, params, path, sizeof path, fail);
	rc = rc ? rc : sv_known_refuse_damaged(core, id, path, wanted, ctx, fail);
	if (rc)
		return rc;
	FILE *file = fopen(path, "rbe");
	if (!file)
		return sv_proof_missing(fail);
	if (!core->config.read_only)
		sv_known_touch(core, id, path);
	rc = read_piece(file, pr_get_int(params, "offset", 0), (size_t)pr_get_int(params, "size", READ_MAX), json,
			fail);
	fclose(file);
	return rc;
}

/* --- the list ----------------------------------------------------------------------------- */

static void print_word(const struct sv_certificate_text *text, const char *name, struct pr_out *out)
{
	char word[GAME_TEXT_MAX];
	sv_certificate_word(text, name, word, sizeof word);
	pr_str(out, name, word);
}

/* Files are read until a time. */
struct listing {
	struct sv_core *core;
	const char *directory;
	uint64_t until_ns;
	bool small; /* the file that is being listed */
};

static bool has_time(void *ctx)
{
	const struct listing *l = ctx;
	return l->small && pd_now_ns() < l->until_ns;
}

/* Prints what a certificate says of itself, and whether it is damaged, if that is known; nothing when it has been
 * removed meanwhile. */
static void print_kept(struct listing *l, const struct sv_kept *file, struct sv_certificate_text *text,
		       struct pr_out *out)
{
	static const char *const words[] = {"game", "rules", "position", "claim", "status", "detail"};
	static const char *const numbers[] = {"positions", "reasons", "leaves", "cards"};
	char path[4096], name[ID_DIGITS + 1];
	int size = snprintf(path, sizeof path, "%s/%s", l->directory, file->name);
	snprintf(name, sizeof name, "%.*s", ID_DIGITS, file->name);
	if (size < 0 || size >= (int)sizeof path || !sv_certificate_text_read(path, text))
		return;
	pr_open_object(out, NULL);
	pr_str(out, "proof", name);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		print_word(text, words[i], out);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		pr_uint(out, numbers[i], sv_certificate_number(text, numbers[i]));
	pr_uint(out, "bytes", text->bytes);
	l->small = text->bytes <= LIST_BYTES;
	enum sv_damage damage = sv_known_damage(l->core, name, path, has_time, l);
	pr_members(out, PR_OPT(damage >= SV_SOUND, PR_B("damaged", damage == SV_DAMAGED)));
	pr_int(out, "used", (int64_t)file->used.tv_sec * 1000 + file->used.tv_nsec / 1000000);
	pr_close(out);
}

/* Prints the certificate that is being made, as a list of at most one. */
static int print_making(struct sv_core *core, struct pr_out *out, struct pd_fail *fail)
{
	struct sv_making *making = malloc(sizeof *making);
	if (!making)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a list");
	sv_lock(core);
	*making = *core->making;
	sv_unlock(core);
	pr_open_array(out, "making");
	if (making->now) {
		pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("game", making->game), PR_S("position", making->position),
			   PR_S("claim", *making->claim ? making->claim : NULL),
			   PR_S("detail", making->frontier ? "frontier" : "full"), PR_U("positions", making->positions),
			   PR_R("seconds", (double)(pd_now_ns() - making->begin_ns) / 1e9, 3),
			   PR_S("step", making->step), PR_R("done", making->done, 4), PR_CLOSE);
	}
	pr_close(out);
	free(making);
	return PD_OK;
}

/* The directory of the certificates; "" where there is none. */
static void directory_of(const struct sv_core *core, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/proofs", core->config.data ? core->config.data : "");
	if (!core->config.data || n < 0 || (size_t)n + ID_DIGITS + 16 > size)
		*out = 0;
}

int sv_proof_list(struct sv_core *core, pr_ref params, unsigned waiting, struct pd_buf *json, struct pd_fail *fail)
{
	char directory[4096];
	struct pr_out out;
	size_t files = 0, certificates = 0;
	size_t limit = (size_t)pr_get_int(params, "limit", PR_STORE_DEFAULT);
	uint64_t bytes = 0;
	struct listing l = {core, directory, pd_now_ns() + LIST_MS * UINT64_C(1000000), true};
	directory_of(core, directory, sizeof directory);
	struct sv_kept *found = NULL;
	if (*directory && sv_certificates_list(directory, &found, &files, &bytes, fail))
		return fail->code;
	struct sv_certificate_text *text = malloc(sizeof *text);
	pr_out_init(&out, json);
	pr_open_object(&out, NULL);
	pr_open_array(&out, "proofs");
	for (size_t i = files; text && i-- > 0;) {
		if (!sv_proof_is_file(found[i].name))
			continue;
		if (certificates++ < limit)
			print_kept(&l, &found[i], text, &out);
	}
	pr_close(&out);
	pr_members(&out, PR_U("count", certificates), PR_U("bytes", bytes), PR_U("bytes_max", core->config.proofs_max));
	int rc = text ? print_making(core, &out, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a list");
	pr_members(&out, PR_U("waiting", waiting),
		   PR_B("checker", core->config.proofcheck && core->config.data && !core->config.read_only));
	pr_close(&out);
	free(found);
	free(text);
	return rc;
}

int sv_proof_remove(struct sv_core *core, pr_ref params, struct pd_buf *json, struct pd_fail *fail)
{
	char path[4096];
	struct pr_out out;
	int rc = sv_proof_path(core, params, path, sizeof path, fail);
	if (rc)
		return rc;
	if (unlink(path))
		return errno == ENOENT ? sv_proof_missing(fail)
				       : pd_fail_set(fail, pd_error_of_errno(errno), "proof",
						     "the certificate cannot be removed: %s", strerror(errno));
	directory_of(core, path, sizeof path);
	rc = st_sync_directory(path, fail);
	if (rc)
		return rc;
	pr_out_init(&out, json);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("proof", pr_get_str(params, "proof", "")), PR_CLOSE);
	return PD_OK;
}
