#include <inttypes.h>
#include <string.h>

#include "clients/proofcheck/text.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"

static void write_reason(const struct ck_reason *r, FILE *out)
{
	fprintf(out, r->upper ? " <=%" PRId64 : " >=%" PRId64, r->bound);
	if (r->has_rank)
		fprintf(out, ",r%" PRIu64, r->rank);
	if (r->has_move)
		fprintf(out, ",m%" PRIu64, r->move);
	if (r->has_effort)
		fprintf(out, ",e%" PRIu64, r->effort);
}

/* `game` may be NULL: the position's text is left out. */
static void write_record(const struct ck_walk *walk, const struct ck_game *game, FILE *out)
{
	const struct ck_record *record = &walk->record;
	const uint8_t *p = record->reason;
	struct ck_position position;
	struct ck_reason r;
	char text[CK_TEXT_MAX];
	PD_ASSERT(record->key_size >= 1 && record->reasons >= 1);
	for (size_t i = 0; i < record->key_size; i++)
		fprintf(out, "%02x", record->key[i]);
	for (unsigned i = 0; i < record->reasons && !ck_reason_read(&p, walk->end, &r); i++)
		write_reason(&r, out);
	if (game && ck_decode(game, record->key, record->key_size, &position)) {
		game->rules->print(game, &position, text);
		pd_print(out, " : %s", text);
	}
	fputc('\n', out);
}

static bool write_body(struct ck_cert *cert, const struct ck_game *game, FILE *out, struct ck_fault *fault)
{
	struct ck_sums sums = {0};
	for (uint64_t i = 0; i < cert->header.blocks; i++) {
		struct ck_walk walk;
		bool wrong = false;
		if (!ck_block_survey(cert, i, &sums, fault) || !ck_walk_begin(cert, i, &walk, fault))
			return false;
		fputs("block\n", out);
		while (ck_walk_next(&walk, &wrong, fault))
			write_record(&walk, game, out);
		if (wrong)
			return false;
	}
	fputs("end\n", out);
	return true;
}

static enum ck_verdict write_all(struct ck_cert *cert, FILE *out, struct ck_fault *fault)
{
	struct ck_game game;
	struct ck_fault unknown;
	if (!ck_cert_prepare(cert, fault))
		return cert->no_memory ? CK_UNKNOWN : CK_REJECTED;
	fputs("proofd certificate text 1\n", out);
	fwrite(cert->bytes, 1, cert->body, out);
	if (cert->header.graph) {
		fwrite(cert->bytes + cert->body, 1, cert->header.graph, out);
		fputc('\n', out);
	}
	bool known = ck_open_game(cert, &game, &unknown) == CK_VERIFIED;
	bool good = write_body(cert, known ? &game : NULL, out, fault);
	if (known)
		ck_close(&game);
	return good ? CK_VERIFIED : CK_REJECTED;
}

enum ck_verdict ck_text_write(const uint8_t *bytes, uint64_t size, FILE *out, struct ck_fault *fault)
{
	struct ck_cert cert;
	enum ck_verdict verdict;
	if (ck_cert_open(&cert, bytes, size, fault))
		verdict = write_all(&cert, out, fault);
	else
		verdict = cert.no_memory || ck_header_is_foreign(bytes, size) ? CK_UNKNOWN : CK_REJECTED;
	ck_cert_close(&cert);
	return verdict;
}
