#include "clients/proofcheck/packed.h"

#include <inttypes.h>
#include <string.h>

#include "clients/proofcheck/header_game.h"
#include "clients/proofcheck/plain_form.h"
#include "clients/proofcheck/symbols.h"
#include "clients/proofcheck/zone.h"
#include "proto/base/assert.h"

static const char no_digest[] = "00000000000000000000000000000000";

static enum ck_verdict report_no_memory(struct ck_fault *fault)
{
	ck_fault_set(fault, 0, "there is not enough memory for a packed certificate");
	return CK_UNKNOWN;
}

/* Opens the game of a header and reads the root. CK_VERIFIED: ck_close follows. */
static enum ck_verdict open_root(const struct ck_header *h, const uint8_t *graph, uint64_t body, struct ck_game *game,
				 struct ck_position *root, struct ck_fault *fault)
{
	enum ck_verdict verdict = ck_header_open_game(h, graph, body, game, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	bool good = ck_header_read_root(h, game, root, fault);
	if (good && game->repeats)
		good = ck_fault_set(fault, 0, "positions of %s can be repeated, but format %d is for other games",
				    game->name, CK_FORMAT_PACKED);
	if (!good)
		ck_close(game);
	return good ? CK_VERIFIED : CK_REJECTED;
}

/* --- reading ------------------------------------------------------------------------------ */

struct reader {
	struct ck_symbols *symbols; /* owned */
	uint64_t first;             /* offset of the symbols in the file */
};

static bool choose_from_symbols(void *ctx, const struct ck_stop *stop, struct ck_choice *out, struct ck_fault *fault)
{
	struct reader *r = ctx;
	const char *why = ck_symbols_code(r->symbols, stop, out);
	return !why || ck_fault_set(fault, 0, "%s", why);
}

/* Walks through the proof and checks that the symbols end with it. */
static bool read_symbols(struct ck_tour *t, struct reader *r, const struct ck_header *h, const struct ck_position *root,
			 struct ck_fault *fault)
{
	bool good = ck_tour_walk(t, h, root, fault);
	const char *why = good ? ck_symbols_end(r->symbols) : NULL;
	if (why)
		good = ck_fault_set(fault, 0, "%s", why);
	if (!good)
		fault->offset = r->first + ck_symbols_used(r->symbols);
	return good;
}

static bool check_counts(const struct ck_tour *t, const struct ck_header *h, struct ck_fault *fault)
{
	struct ck_counts c;
	ck_tour_count(t, &c);
	return ck_count_is(h->positions, c.positions, "positions", fault) &&
	       ck_count_is(h->reasons, c.reasons, "reasons", fault) && ck_count_is(h->leaves, 0, "leaves", fault) &&
	       ck_count_is(h->cards, c.cards, "cards", fault) && ck_count_is(h->blocks, c.blocks, "blocks", fault);
}

enum ck_verdict ck_packed_read(const uint8_t *bytes, uint64_t size, const struct ck_header *h, uint64_t body,
			       struct pd_buf *out, struct ck_fault *fault)
{
	struct ck_game game;
	struct ck_position root;
	PD_ASSERT(h->format == CK_FORMAT_PACKED && body <= size && !out->size);
	if (h->graph >= size - body) {
		ck_fault_set(fault, body, "the graph should have %" PRIu64 " bytes, but the file ends earlier",
			     h->graph);
		return CK_REJECTED;
	}
	enum ck_verdict verdict = open_root(h, bytes + body, body, &game, &root, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	struct reader r = {.first = body + h->graph};
	r.symbols = ck_symbols_new(NULL, bytes + r.first, size - r.first);
	struct ck_tour tour = {.game = &game,
			       .choose = choose_from_symbols,
			       .ctx = &r,
			       .most = ck_packed_weight_max(size),
			       .most_played = ck_packed_played_max(size)};
	if (!r.symbols) {
		verdict = report_no_memory(fault);
	} else if (!read_symbols(&tour, &r, h, &root, fault) || !check_counts(&tour, h, fault)) {
		verdict = tour.no_memory ? CK_UNKNOWN : CK_REJECTED;
	} else {
		ck_tour_sort(&tour);
		pd_buf_put(out, bytes, (size_t)r.first);
		if (!out->failed)
			out->data[CK_FORMAT_DIGIT] = '4';
		ck_plain_body(&tour, out);
		verdict = out->failed ? report_no_memory(fault) : CK_VERIFIED;
	}
	ck_symbols_free(r.symbols);
	ck_tour_fini(&tour);
	ck_close(&game);
	return verdict;
}

/* --- writing ------------------------------------------------------------------------------ */

struct writer {
	const struct ck_cert *cert;
	const struct ck_game *game;
	struct ck_symbols *symbols; /* owned; NULL: only zones are put in */
	struct pd_buf code;
	uint8_t room[CK_WITNESS_MAX]; /* the witness of a zone */
};

/* Finds the reason to pack: one with a card, or else the first that is strong enough. NULL on success, else what is
 * missing. */
static const char *find_reason(const struct ck_cert *cert, const struct ck_stop *stop, struct ck_reason *out)
{
	const uint8_t *p, *end;
	unsigned count;
	bool found = false, searched = false;
	struct ck_reason r;
	if (!ck_cert_find(cert, stop->key, stop->key_size, &p, &count, &end))
		return "the proof needs this position, but it has no record";
	for (unsigned i = 0; i < count && !ck_reason_read(&p, end, &r); i++) {
		bool strong = r.upper == stop->upper && (r.upper ? r.bound <= stop->bound : r.bound >= stop->bound);
		searched = searched || (strong && r.has_effort);
		if (strong && !r.has_effort && (!found || (r.has_card && !out->has_card))) {
			*out = r;
			found = true;
		}
	}
	return found      ? NULL
	       : searched ? "a reason has an effort, but a packed certificate holds none"
			  : "the proof needs a bound of this position that its record does not give";
}

/* The answer that a reason gives. NULL on success, else what is wrong with the reason. */
static const char *answer_by(const struct ck_reason *r, const struct ck_stop *stop, struct ck_choice *out)
{
	if (r->has_card && r->theorem == CK_DOMINANCE)
		return "a card of theorem 102 rests on another record, which a packed certificate cannot say";
	if (r->has_card) {
		*out = (struct ck_choice){CK_BY_CARD, 0, (unsigned)r->theorem, (unsigned)r->size, r->witness};
		return NULL;
	}
	if (r->has_move != stop->wants)
		return stop->wants ? "a reason should have a move" : "a reason has a move, but the other side moves";
	out->way = r->has_move ? CK_BY_MOVE : CK_BY_ALL;
	while (r->has_move && out->place < stop->moves && stop->move[out->place] != r->move)
		out->place++;
	return out->place < stop->moves ? NULL : "a reason has a move that is not legal";
}

/* Makes the answer a zone where that saves records. */
static void put_zone(struct writer *w, const struct ck_stop *stop, struct ck_choice *out)
{
	struct ck_card card;
	if (ck_zone_find(w->game, stop->position, stop->upper, stop->bound, &card, w->room))
		*out = (struct ck_choice){CK_BY_CARD, 0, card.theorem, card.size, card.witness};
}

static bool choose_from_records(void *ctx, const struct ck_stop *stop, struct ck_choice *out, struct ck_fault *fault)
{
	struct writer *w = ctx;
	struct ck_reason r = {.has_card = false};
	const char *why = find_reason(w->cert, stop, &r);
	if (!why)
		why = answer_by(&r, stop, out);
	if (!why && !w->symbols && out->way == CK_BY_ALL)
		put_zone(w, stop, out);
	if (!why && w->symbols) {
		struct ck_choice coded = *out;
		why = ck_symbols_code(w->symbols, stop, &coded);
	}
	if (!why)
		return true;
	ck_fault_set(fault, 0, "%s", why);
	w->game->rules->print(w->game, stop->position, fault->position);
	return false;
}

/* Writes the packed file of a walked tour, with the digest of the plain form, or the plain form itself. */
static enum ck_verdict write_file(struct ck_tour *t, struct writer *w, struct pd_buf *out, struct ck_fault *fault)
{
	const struct ck_header *h = &w->cert->header;
	struct ck_cert plain = {.header = *h};
	struct ck_counts counts;
	struct pd_buf content;
	char digest[33] = "";
	ck_tour_count(t, &counts);
	ck_tour_sort(t);
	pd_buf_init(&content, SIZE_MAX / 2);
	ck_plain_head(h, 4, &counts, no_digest, &content);
	plain.body = content.size;
	pd_buf_put(&content, w->cert->bytes + w->cert->body, h->graph);
	ck_plain_body(t, &content);
	if (!content.failed) {
		plain.bytes = (const uint8_t *)content.data;
		plain.size = content.size;
		plain.header.digest_line = plain.body - sizeof "digest: \n" - sizeof no_digest + 1;
		ck_cert_digest(&plain, digest);
	}
	if (w->symbols) {
		ck_plain_head(h, CK_FORMAT_PACKED, &counts, digest, out);
		pd_buf_put(out, w->cert->bytes + w->cert->body, h->graph);
		pd_buf_put(out, w->code.data, w->code.size);
	} else {
		ck_plain_head(h, 4, &counts, digest, out);
		pd_buf_put(out, content.data + plain.body, content.size - plain.body);
	}
	bool good = !content.failed && !w->code.failed && !out->failed;
	pd_buf_fini(&content);
	if (good && w->symbols &&
	    (t->weight > ck_packed_weight_max(out->size) || ck_tour_played(t) > ck_packed_played_max(out->size))) {
		ck_fault_set(fault, 0, "the proof is too large for a packed file of %zu bytes: compress it instead",
			     out->size);
		return CK_REJECTED;
	}
	return good ? CK_VERIFIED : report_no_memory(fault);
}

enum ck_verdict ck_packed_write(const struct ck_cert *cert, bool zones, struct pd_buf *out, struct ck_fault *fault)
{
	struct ck_game game;
	struct ck_position root;
	struct writer w = {.cert = cert, .game = &game};
	PD_ASSERT(!cert->lazy && !out->size);
	enum ck_verdict verdict = open_root(&cert->header, cert->bytes + cert->body, cert->body, &game, &root, fault);
	if (verdict != CK_VERIFIED)
		return verdict;
	pd_buf_init(&w.code, SIZE_MAX / 2);
	w.symbols = zones ? NULL : ck_symbols_new(&w.code, NULL, 0);
	struct ck_tour tour = {
		.game = &game, .choose = choose_from_records, .ctx = &w, .most = UINT64_MAX, .most_played = UINT64_MAX};
	if (!w.symbols && !zones) {
		verdict = report_no_memory(fault);
	} else if (!ck_tour_walk(&tour, &cert->header, &root, fault)) {
		verdict = tour.no_memory ? CK_UNKNOWN : CK_REJECTED;
	} else {
		if (w.symbols)
			ck_symbols_end(w.symbols);
		verdict = write_file(&tour, &w, out, fault);
	}
	ck_symbols_free(w.symbols);
	ck_tour_fini(&tour);
	pd_buf_fini(&w.code);
	ck_close(&game);
	return verdict;
}
