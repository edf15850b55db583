#define _GNU_SOURCE /* statx */
#include "server/proofs/certificates/citation.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/out.h"
#include "server/common/core_parts.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/known_files.h"
#include "server/proofs/certificates/proof.h"
#include "solver/game_rules.h"

enum { PIECE = 1 << 16 };

static int read_digest(FILE *file, bool (*wanted)(void *ctx), void *ctx, char sha256[65], struct pd_fail *fail)
{
	uint8_t piece[PIECE], hash[EVP_MAX_MD_SIZE];
	unsigned size = 0;
	EVP_MD_CTX *sha = EVP_MD_CTX_new();
	bool good = sha && EVP_DigestInit_ex(sha, EVP_sha256(), NULL) == 1, go_on = true;
	for (size_t n = 1; good && n && go_on;) {
		n = fread(piece, 1, sizeof piece, file);
		good = EVP_DigestUpdate(sha, piece, n) == 1;
		go_on = wanted(ctx);
	}
	good = good && EVP_DigestFinal_ex(sha, hash, &size) == 1;
	EVP_MD_CTX_free(sha);
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a digest");
	if (!go_on)
		return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the digest was cancelled");
	if (ferror(file))
		return pd_fail_set(fail, PD_E_IO, "", "the certificate cannot be read");
	for (unsigned i = 0; i < size; i++)
		snprintf(sha256 + 2 * i, 3, "%02x", hash[i]);
	return PD_OK;
}

/* What is known of the file besides its text. */
struct source {
	struct sv_known_file file;
	int64_t made_s; /* seconds since 1970 */
};

static int look_at_file(struct sv_core *core, FILE *file, bool (*wanted)(void *ctx), void *ctx, struct source *out,
			struct pd_fail *fail)
{
	struct statx st;
	if (statx(fileno(file), "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &st))
		return pd_fail_set(fail, PD_E_IO, "", "the certificate cannot be read");
	out->made_s = st.stx_mask & STATX_BTIME ? st.stx_btime.tv_sec : st.stx_mtime.tv_sec;
	if (*out->file.sha256)
		return PD_OK;
	int rc = read_digest(file, wanted, ctx, out->file.sha256, fail);
	if (!rc)
		sv_known_keep(core, &out->file);
	return rc;
}

static void print_citation(const struct source *source, const struct sv_certificate_text *text, struct pr_out *out)
{
	static const char *const names[] = {"game", "rules", "position", "claim", "status", "detail"};
	enum { GAME, RULES, POSITION, CLAIM, STATUS, DETAIL, WORDS };
	char word[WORDS][GAME_TEXT_MAX], day[16] = "?", cited[2 * GAME_TEXT_MAX];
	time_t made = (time_t)source->made_s;
	struct tm tm;
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_S("proof", source->file.name), PR_S("sha256", source->file.sha256),
		   PR_U("bytes", source->file.bytes), PR_I("made", source->made_s * 1000), PR_S("version", PD_VERSION));
	for (unsigned i = 0; i < WORDS; i++) {
		sv_certificate_word(text, names[i], word[i], sizeof word[i]);
		pr_str(out, names[i], word[i]);
	}
	if (gmtime_r(&made, &tm))
		strftime(day, sizeof day, "%Y-%m-%d", &tm);
	snprintf(cited, sizeof cited,
		 "%.95s, %.2047s: %.23s is %.23s. Certificate (%.23s) of %llu bytes, SHA-256 %s, rules %.200s, %s, "
		 "proofd %s.",
		 word[GAME], word[POSITION], word[CLAIM], word[STATUS], word[DETAIL],
		 (unsigned long long)source->file.bytes, source->file.sha256, word[RULES], day, PD_VERSION);
	pr_members(out, PR_S("text", cited), PR_CLOSE);
}

int sv_proof_cite(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		  struct pd_fail *fail)
{
	struct source source = {0};
	struct pr_out out;
	char path[4096];
	int rc = sv_proof_read_path(core, params, path, sizeof path, fail);
	if (rc)
		return rc;
	const char *id = pr_get_str(params, "proof", "");
	rc = sv_known_refuse_damaged(core, id, path, wanted, ctx, fail);
	if (rc)
		return rc;
	sv_known_find(core, id, path, &source.file);
	FILE *file = fopen(path, "rbe");
	struct sv_certificate_text *text = malloc(sizeof *text);
	if (!file || !text || !sv_certificate_text_read(path, text))
		rc = text || !file ? sv_proof_missing(fail)
				   : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a citation");
	rc = rc ? rc : look_at_file(core, file, wanted, ctx, &source, fail);
	if (!rc) {
		pr_out_init(&out, json);
		print_citation(&source, text, &out);
	}
	if (file)
		fclose(file);
	free(text);
	return rc;
}
