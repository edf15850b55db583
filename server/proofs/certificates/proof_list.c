/* Proof list: the methods proof.list and proof.remove. */
#include <errno.h>
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
#include "server/proofs/certificates/certificate_head.h"
#include "server/proofs/certificates/certificate_store.h"
#include "server/proofs/certificates/proof.h"

enum { NAME_SIZE = 32, MS = 1000 };

/* True for NAME.cert, and not for what an interrupted export left. */
static bool is_certificate(const struct sv_kept *file)
{
	return strlen(file->name) == NAME_SIZE + 5 && sv_proof_is_name(file->name, NAME_SIZE) &&
	       !strcmp(file->name + NAME_SIZE, ".cert");
}

static void print_word(const struct sv_certificate_text *text, const char *name, struct pr_out *out)
{
	char word[GAME_TEXT_MAX];
	sv_certificate_word(text, name, word, sizeof word);
	pr_str(out, name, word);
}

/* Prints what a certificate says of itself; nothing when it has been removed meanwhile. */
static void print_kept(const char *directory, const struct sv_kept *file, struct sv_certificate_text *text,
		       struct pr_out *out)
{
	static const char *const words[] = {"game", "rules", "position", "claim", "status", "detail"};
	static const char *const numbers[] = {"positions", "reasons", "leaves"};
	char path[4096];
	int size = snprintf(path, sizeof path, "%s/%s", directory, file->name);
	if (size < 0 || size >= (int)sizeof path || !sv_certificate_text_read(path, text))
		return;
	pr_open_object(out, NULL);
	pr_strn(out, "proof", file->name, NAME_SIZE);
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		print_word(text, words[i], out);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		pr_uint(out, numbers[i], sv_certificate_number(text, numbers[i]));
	pr_uint(out, "bytes", text->bytes);
	pr_int(out, "used", (int64_t)file->used.tv_sec * MS + file->used.tv_nsec / 1000000);
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
		pr_open_object(out, NULL);
		pr_str(out, "game", making->game);
		pr_str(out, "position", making->position);
		pr_str(out, "claim", *making->claim ? making->claim : NULL);
		pr_str(out, "detail", making->frontier ? "frontier" : "full");
		pr_uint(out, "positions", making->positions);
		pr_real(out, "seconds", (double)(pd_now_ns() - making->begin_ns) / 1e9, 3);
		pr_close(out);
	}
	pr_close(out);
	free(making);
	return PD_OK;
}

/* The directory of the certificates; "" where there is none. */
static void directory_of(const struct sv_core *core, char *out, size_t size)
{
	int n = snprintf(out, size, "%s/proofs", core->config.data ? core->config.data : "");
	if (!core->config.data || n < 0 || (size_t)n + NAME_SIZE + 16 > size)
		*out = 0;
}

int sv_proof_list(struct sv_core *core, pr_ref params, unsigned waiting, struct pd_buf *json, struct pd_fail *fail)
{
	char directory[4096];
	struct pr_out out;
	size_t files = 0, certificates = 0;
	size_t limit = (size_t)pr_get_int(params, "limit", PR_STORE_DEFAULT);
	uint64_t bytes = 0;
	directory_of(core, directory, sizeof directory);
	struct sv_certificate_text *text = malloc(sizeof *text);
	struct sv_kept *found = *directory ? sv_certificates_list(directory, &files, &bytes) : NULL;
	pr_out_init(&out, json);
	pr_open_object(&out, NULL);
	pr_open_array(&out, "proofs");
	for (size_t i = files; text && i-- > 0;) {
		if (!is_certificate(&found[i]))
			continue;
		if (certificates++ < limit)
			print_kept(directory, &found[i], text, &out);
	}
	pr_close(&out);
	pr_uint(&out, "count", certificates);
	pr_uint(&out, "bytes", bytes);
	pr_uint(&out, "bytes_max", core->config.proofs_max);
	int rc = text ? print_making(core, &out, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a list");
	pr_uint(&out, "waiting", waiting);
	pr_bool(&out, "checker", core->config.proofcheck && core->config.data && !core->config.read_only);
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
	pr_out_init(&out, json);
	pr_open_object(&out, NULL);
	pr_str(&out, "proof", pr_get_str(params, "proof", ""));
	pr_close(&out);
	return PD_OK;
}
