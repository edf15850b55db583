#include "server/proofs/certificates/proof_verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "proto/out.h"
#include "server/common/core_parts.h"
#include "server/common/plugins.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/checker.h"
#include "server/proofs/certificates/known_files.h"
#include "server/proofs/certificates/proof.h"
#include "server/proofs/certificates/proof_name.h"
#include "solver/game_rules.h"
#include "store/tables.h"

enum { SAID_BYTES_MAX = 1 << 17, TEXT_BYTES = 8192, PATH_BYTES = 4096 };

/* The verdict: what the checker's report says, unless this file rejects the certificate for a reason of its own. */
struct verdict {
	const char *word; /* verified, rejected, unknown */
	const char *reason;
	pr_ref report;
};

/* Reads the report; PD_E_IO, with the output of the checker, when it is not a report. */
static int read_report(const struct pd_buf *said, struct pr_doc **doc, struct verdict *out, struct pd_fail *fail)
{
	static const char *const words[] = {"verified", "rejected", "unknown"};
	struct pd_fail why;
	int length = (int)strcspn(said->data, "\n");
	if (pr_doc_parse(said->data, said->size, doc, &why))
		return pd_fail_set(fail, PD_E_IO, "", "the checker gives no verdict: %.*s", length < 200 ? length : 200,
				   said->data);
	out->report = pr_doc_root(*doc);
	const char *word = pr_get_str(out->report, "verdict", "");
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i]))
			out->word = words[i];
	if (out->word) {
		out->reason = pr_get_str(out->report, "reason", NULL);
		return PD_OK;
	}
	pr_doc_free(*doc);
	return pd_fail_set(fail, PD_E_IO, "", "the checker gives no verdict that this server knows");
}

static void describe_verdict(const struct verdict *v, char *out, size_t size)
{
	pr_ref r = v->report;
	const char *position = pr_get_str(r, "position", "");
	if (strcmp(v->word, "verified") != 0) {
		snprintf(out, size, "%s: %s", strcmp(v->word, "rejected") ? "UNKNOWN" : "REJECTED",
			 v->reason ? v->reason : "the checker gave no reason");
		return;
	}
	pr_ref checker = pr_get(r, "checker");
	snprintf(out, size,
		 "VERIFIED: %s is %s for %s, %s%s%s. %" PRId64 " positions were checked by %s%s%s%s%s, version %s.",
		 pr_get_str(r, "claim", "?"), pr_get_str(r, "status", "?"), pr_get_str(r, "game", "?"),
		 *position ? "position '" : "the initial position", position, *position ? "'" : "",
		 pr_get_int(r, "positions", 0), checker ? "the rules in " : "proofcheck's own rules of the game",
		 pr_get_str(checker, "file", ""), checker ? " (digest " : "", pr_get_str(checker, "digest", ""),
		 checker ? ")" : "", pr_get_str(r, "rules", "?"));
}

static int print_verdict(const char *id, const struct verdict *v, struct pr_out *out, struct pd_fail *fail)
{
	static const char *const texts[] = {"game",  "rules",  "plugin",  "position",
					    "claim", "status", "outcome", "detail"};
	static const char *const numbers[] = {
		"format", "lo", "hi", "positions", "reasons", "leaves", "cards", "searched_nodes", "offset"};
	char *text = malloc(TEXT_BYTES);
	const char *copy;
	if (!text)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the verdict");
	describe_verdict(v, text, TEXT_BYTES);
	pr_open_object(out, NULL);
	pr_members(out, PR_S("proof", id), PR_S("verdict", v->word), PR_S("text", text));
	for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++)
		if ((copy = pr_get_str(v->report, texts[i], NULL)) != NULL)
			pr_str(out, texts[i], copy);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (pr_kind_of(pr_get(v->report, numbers[i])) == PR_INT)
			pr_int(out, numbers[i], pr_get_int(v->report, numbers[i], 0));
	copy = pr_get_str(v->report, "where", NULL);
	pr_members(out, PR_OPT(pr_has(v->report, "seconds"), PR_R("seconds", pr_get_real(v->report, "seconds", 0), 6)),
		   PR_OPT(v->reason, PR_S("reason", v->reason)), PR_OPT(copy, PR_S("where", copy)));
	pr_close(out);
	free(text);
	return PD_OK;
}

/* Whether the file proves another answer than the one that its name is a hash of. PD_E_NO_MEMORY, and proof-missing
 * when the file cannot be read any more: then it is not known what was verified. */
static int look_at_name(const char *path, const char *id, bool *other, struct pd_fail *fail)
{
	struct sv_certificate_text *text = malloc(sizeof *text);
	int rc = PD_OK;
	if (!text)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the verdict");
	else if (!sv_certificate_text_read(path, text))
		rc = sv_proof_missing(fail);
	else
		*other = !sv_proof_has_its_name(text, id);
	free(text);
	return rc;
}

static int read_verdict(const char *path, const char *id, const struct pd_buf *said, struct pd_buf *json,
			struct pd_fail *fail)
{
	struct verdict v = {NULL, NULL, NULL};
	struct pr_doc *doc;
	struct pr_out out;
	bool other = false;
	PD_ASSERT(said->size);
	int rc = read_report(said, &doc, &v, fail);
	if (rc)
		return rc;
	if (!strcmp(v.word, "verified"))
		rc = look_at_name(path, id, &other, fail);
	if (other) {
		v.word = "rejected";
		v.reason = "the file is the certificate of another answer than the one that its name stands for";
	}
	pr_out_init(&out, json);
	if (!rc)
		rc = print_verdict(id, &v, &out, fail);
	pr_doc_free(doc);
	return rc;
}

/* The size of the file; false when there is none. */
static bool size_of(const char *path, uint64_t *bytes)
{
	struct stat st;
	if (stat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return false;
	*bytes = (uint64_t)st.st_size;
	return true;
}

/* Where the checker finds the rules of a game from a plug-in: `out` has room for PATH_BYTES, and is empty when the game
 * is one of its own. */
static int rules_of(const struct sv_core *core, const struct sv_certificate_text *text, char *out, struct pd_fail *fail)
{
	char game[GAME_NAME_MAX], digest[32];
	struct stat st;
	sv_certificate_word(text, "game", game, sizeof game);
	sv_certificate_word(text, "plugin", digest, sizeof digest);
	*out = 0;
	if (!*digest)
		return PD_OK;
	int name = (int)strspn(game, "abcdefghijklmnopqrstuvwxyz0123456789-_");
	if (!sv_config(core)->rules)
		return pd_fail_set(
			fail, PD_E_UNSUPPORTED, "proof",
			"%.80s is from a plug-in (digest %s), whose rules proofcheck does not know: start proofd "
			"with --rules FILE, or run proofcheck --rules FILE on the certificate",
			game, digest);
	bool many = !stat(sv_config(core)->rules, &st) && S_ISDIR(st.st_mode);
	int size = many ? snprintf(out, PATH_BYTES, "%s/%.*s.so", sv_config(core)->rules, name, game)
			: snprintf(out, PATH_BYTES, "%s", sv_config(core)->rules);
	if (size < 0 || size >= PATH_BYTES || !name || stat(out, &st) || !S_ISREG(st.st_mode))
		return pd_fail_set(
			fail, PD_E_UNSUPPORTED, "proof",
			"%.80s is from a plug-in (digest %s), and there is no file %.150s with its rules for "
			"proofcheck (--rules)",
			game, digest, out);
	return PD_OK;
}

/* A file with the rules of its game, or a program; "" and NULL: the checker's own. */
static int find_rules(const struct sv_core *core, const char *path, char *out, const char **program,
		      struct pd_fail *fail)
{
	char game[GAME_NAME_MAX];
	struct sv_certificate_text *text = malloc(sizeof *text);
	int rc = !text ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a check")
		 : !sv_certificate_text_read(path, text) ? sv_proof_missing(fail)
							 : PD_OK;
	*out = 0;
	*program = NULL;
	if (!rc) {
		sv_certificate_word(text, "game", game, sizeof game);
		*program = sv_checker_program(sv_config(core)->game_dirs, game);
		rc = *program ? PD_OK : rules_of(core, text, out, fail);
	}
	free(text);
	return rc;
}

/* The directory of the tables; false when there is none. */
static bool find_tables(const struct sv_core *core, char out[PATH_BYTES])
{
	struct stat st;
	int size = snprintf(out, PATH_BYTES, "%s/" ST_TABLES, sv_config(core)->data);
	return size < PATH_BYTES && !stat(out, &st) && S_ISDIR(st.st_mode);
}

int sv_proof_verify(struct sv_core *core, pr_ref params, bool (*wanted)(void *ctx), void *ctx, struct pd_buf *json,
		    struct pd_fail *fail)
{
	char path[PATH_BYTES], rules[PATH_BYTES], tables[PATH_BYTES];
	struct pd_buf said;
	struct sv_checker_order order = {.program = sv_config(core)->proofcheck,
					 .file = path,
					 .seconds = sv_config(core)->check_s,
					 .go_on = wanted,
					 .ctx = ctx};
	int rc = sv_proof_path(core, params, path, sizeof path, fail);
	if (rc)
		return rc;
	if (!sv_config(core)->proofcheck)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "proof",
				   "this server has no checker: proofcheck is not next to proofd, and --proofcheck "
				   "names none");
	if (!size_of(path, &order.file_bytes))
		return sv_proof_missing(fail);
	rc = find_rules(core, path, rules, &order.rules_program, fail);
	if (rc)
		return rc;
	order.rules = *rules ? rules : NULL;
	order.tables = find_tables(core, tables) ? tables : NULL;
	sv_known_touch(core, pr_get_str(params, "proof", ""), path);
	pd_buf_init(&said, SAID_BYTES_MAX);
	rc = sv_checker_run(&order, &said, fail);
	if (!rc)
		rc = read_verdict(path, pr_get_str(params, "proof", ""), &said, json, fail);
	pd_buf_fini(&said);
	return rc;
}
