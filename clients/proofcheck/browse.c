#include "clients/proofcheck/browse.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/card_show.h"
#include "clients/proofcheck/header_game.h"
#include "clients/proofcheck/opening.h"
#include "clients/proofcheck/picture.h"
#include "clients/proofcheck/view.h"
#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "proto/out.h"

enum { JSON_BYTES_MAX = 8 << 20 };

struct browser {
	const struct ck_visit *visit;
	struct ck_cert cert;
	struct ck_game game;
	struct ck_position position;
	struct ck_view view;
	struct ck_fault broken; /* the first fault of a look-up; empty text: none */
	uint8_t key[CK_KEY_MAX];
	size_t key_size;
	unsigned count; /* legal moves; 0: the game is over */
	uint16_t moves[CK_MOVES_MAX];
	bool chosen[CK_MOVES_MAX]; /* a reason of the record names the move, or an image of it under a symmetry */
	struct ck_view child[CK_MOVES_MAX]; /* after each move */
	bool at_once[CK_MOVES_MAX];         /* the certificate has no record of the child, whose mover wins at once */
	struct pr_out *out;                 /* NULL: text */
};

static bool play_moves(struct browser *b, struct ck_fault *fault)
{
	static const char gaps[] = " ,\t";
	const struct ck_rules *rules = b->game.rules;
	const char *text = b->visit->moves ? b->visit->moves : "";
	for (unsigned number = 1;; number++) {
		uint16_t move;
		int value;
		char where[CK_TEXT_MAX];
		text += strspn(text, gaps);
		int size = (int)strcspn(text, gaps);
		if (!size)
			return true;
		rules->print(&b->game, &b->position, where);
		if (rules->over(&b->game, &b->position, &value))
			return ck_fault_set(fault, 0, "--moves: move %u, '%.*s': the game is over in %.200s", number,
					    size < 40 ? size : 40, text, where);
		if (!ck_move_find(&b->game, &b->position, text, (size_t)size, &move))
			return ck_fault_set(fault, 0, "--moves: move %u, '%.*s', is not legal in %.200s", number,
					    size < 40 ? size : 40, text, where);
		rules->play(&b->game, &b->position, move);
		text += size;
	}
}

static bool find_position(struct browser *b, struct ck_fault *fault)
{
	const char *text = b->visit->position;
	if (!text && !ck_header_read_root(&b->cert.header, &b->game, &b->position, fault))
		return false;
	const char *wrong = text ? b->game.rules->read(&b->game, text, &b->position) : NULL;
	if (wrong)
		return ck_fault_set(fault, 0, "the position '%.100s': %s", text, wrong);
	return play_moves(b, fault);
}

/* Marks the moves that lead where the move of a reason leads. That move belongs to the position that the record's key
 * describes, which may be an image of the position that is shown. */
static void mark_move(struct browser *b, uint16_t move)
{
	const struct ck_rules *rules = b->game.rules;
	struct ck_position next;
	uint8_t wanted[CK_KEY_MAX], key[CK_KEY_MAX];
	uint16_t legal[CK_MOVES_MAX];
	bool there = false;
	if (!ck_decode(&b->game, b->key, b->key_size, &next))
		return;
	unsigned count = rules->moves(&b->game, &next, legal);
	for (unsigned i = 0; i < count; i++)
		there = there || legal[i] == move;
	if (!there)
		return;
	rules->play(&b->game, &next, move);
	size_t size = rules->encode(&b->game, &next, wanted);
	for (unsigned i = 0; i < b->count; i++) {
		next = b->position;
		rules->play(&b->game, &next, b->moves[i]);
		b->chosen[i] =
			b->chosen[i] || (rules->encode(&b->game, &next, key) == size && !memcmp(key, wanted, size));
	}
}

static void mark_all(struct browser *b)
{
	const uint8_t *p = b->view.reason;
	struct ck_reason r;
	for (unsigned i = 0; i < b->view.count && !ck_reason_read(&p, b->view.end, &r); i++)
		if (r.has_move)
			mark_move(b, (uint16_t)r.move);
}

/* "at least 1 (first wins), within 7 plies" */
static void print_bound(const struct browser *b, const struct ck_reason *r)
{
	const struct ck_game *g = &b->game;
	bool end = r->upper ? r->bound == g->worst : r->bound == g->best;
	const char *words = end ? ck_outcome(g, r->bound) : NULL;
	pd_print(stdout, "at %s %" PRId64 "%s%s%s", r->upper ? "most" : "least", r->bound, words ? " (" : "",
		 words ? words : "", words ? ")" : "");
	if (r->has_rank)
		pd_print(stdout, ", within %" PRIu64 " %s", r->rank, r->rank == 1 ? "ply" : "plies");
}

/* What the file says about one position, in one line, its strongest bounds first. */
static void print_view(const struct browser *b, const struct ck_view *view)
{
	const uint8_t *p = view->reason;
	struct ck_reason r, best[2];
	bool there[2] = {false, false};
	if (view->over) {
		const char *words = ck_outcome(&b->game, view->value);
		pd_print(stdout, "the game is over: %d%s%s\n", view->value, words ? ", " : "", words ? words : "");
		return;
	}
	for (unsigned i = 0; i < view->count && !ck_reason_read(&p, view->end, &r); i++) {
		if (!there[r.upper] || (r.upper ? r.bound < best[1].bound : r.bound > best[0].bound))
			best[r.upper] = r;
		there[r.upper] = true;
	}
	for (unsigned side = 0; side < 2; side++) {
		if (!there[side])
			continue;
		pd_print(stdout, "%s", side && there[0] ? "; " : "");
		print_bound(b, &best[side]);
	}
	pd_print(stdout, "%s\n", there[0] || there[1] ? "" : "the certificate does not say");
}

static void print_reasons(const struct browser *b)
{
	const uint8_t *p = b->view.reason;
	struct ck_reason r;
	struct ck_position own;
	bool image = ck_decode(&b->game, b->key, b->key_size, &own);
	for (unsigned i = 0; i < b->view.count && !ck_reason_read(&p, b->view.end, &r); i++) {
		pd_print(stdout, "%-11s ", i ? "" : "proved");
		print_bound(b, &r);
		if (r.has_effort)
			pd_print(stdout, ": a search of about %" PRIu64 " nodes finds it again\n", r.effort);
		else if (r.has_card)
			pd_print(stdout, ": by theorem T%" PRIu64 "\n", r.theorem);
		else
			pd_print(stdout, ": %s\n",
				 !r.has_move ? "every move"
				 : image     ? "the move with a star"
					     : "one move");
	}
	if (!b->view.over && !b->view.count)
		pd_print(stdout, "%-11s nothing: the proof does not need this position\n", "proved");
}

/* The theorems that the reasons of the position name. */
static void print_cards(const struct browser *b)
{
	const uint8_t *p = b->view.reason;
	struct ck_reason r;
	struct ck_position own;
	if (!ck_decode(&b->game, b->key, b->key_size, &own))
		return;
	for (unsigned i = 0; i < b->view.count && !ck_reason_read(&p, b->view.end, &r); i++)
		if (r.has_card)
			ck_card_print(&b->game, &own, &r);
}

static void print_header(const struct browser *b)
{
	const struct ck_header *h = &b->cert.header;
	const char *outcome = ck_header_outcome(&b->game, h);
	pd_print(stdout, "%-11s %s: format %u, %" PRIu64 " bytes\n", "certificate", b->visit->file, h->format,
		 b->visit->file_size);
	pd_print(stdout, "%-11s %.*s, rules %" PRIu64 "; found by %.*s\n", "game", (int)h->game.size, h->game.at,
		 h->rules, (int)h->engine.size, h->engine.at);
	pd_print(stdout, "%-11s %.*s is %.*s", "claim", (int)h->claim.size, h->claim.at, (int)h->status.size,
		 h->status.at);
	if (h->lo.there)
		pd_print(stdout, ", at least %" PRId64, h->lo.value);
	if (h->hi.there)
		pd_print(stdout, ", at most %" PRId64, h->hi.value);
	pd_print(stdout, "%s%s\n", outcome ? ": " : "", outcome ? outcome : "");
	pd_print(stdout,
		 "%-11s %.*s, %" PRIu64 " positions, %" PRIu64 " reasons, %" PRIu64 " of them to be searched again",
		 "proof", (int)h->detail.size, h->detail.at, h->positions, h->reasons, h->leaves);
	if (ck_has_cards(h))
		pd_print(stdout, ", %" PRIu64 " by a theorem", h->cards);
	pd_print(stdout, "\n");
	pd_print(stdout, "%-11s %.*s, not compared; nothing is checked here\n\n", "digest", (int)h->digest.size,
		 h->digest.at);
}

static void print_text(struct browser *b)
{
	const struct ck_game *g = &b->game;
	char text[CK_TEXT_MAX], name[CK_MOVE_TEXT];
	print_header(b);
	g->rules->print(g, &b->position, text);
	pd_print(stdout, "%-11s %s\n\n", "position", text);
	ck_picture(g, &b->position, NULL);
	if (b->view.over) {
		pd_print(stdout, "%-11s ", "proved");
		print_view(b, &b->view);
		return;
	}
	pd_print(stdout, "\n%-11s %s\n", "to move", g->rules->first_moves(g, &b->position) ? "First" : "Second");
	print_reasons(b);
	print_cards(b);
	pd_print(stdout, "\n");
	for (unsigned i = 0; i < b->count; i++) {
		ck_move_name(g, &b->position, b->moves[i], name);
		pd_print(stdout, "%c %-9s ", b->chosen[i] ? '*' : ' ', name);
		if (b->at_once[i])
			pd_print(stdout, "the player to move wins at once\n");
		else
			print_view(b, &b->child[i]);
	}
}

static void put_reasons(struct pr_out *out, const struct ck_view *view)
{
	const uint8_t *p = view->reason;
	struct ck_reason r;
	pr_open_array(out, "reasons");
	for (unsigned i = 0; i < view->count && !ck_reason_read(&p, view->end, &r); i++) {
		pr_open_object(out, NULL);
		pr_int(out, r.upper ? "hi" : "lo", r.bound);
		if (r.has_rank)
			pr_uint(out, "rank", r.rank);
		if (r.has_move)
			pr_uint(out, "code", r.move);
		if (r.has_effort)
			pr_uint(out, "effort", r.effort);
		if (r.has_card)
			ck_card_put(out, &r);
		pr_close(out);
	}
	pr_close(out);
}

static void put_position(struct browser *b, const struct ck_position *p, const struct ck_view *view)
{
	const struct ck_game *g = &b->game;
	char text[CK_TEXT_MAX], hex[2 * CK_KEY_MAX + 1] = "";
	uint8_t key[CK_KEY_MAX];
	size_t size = g->rules->encode(g, p, key);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	g->rules->print(g, p, text);
	pr_str(b->out, "position", text);
	pr_str(b->out, "key", hex);
	pr_bool(b->out, "over", view->over);
	if (view->over)
		pr_int(b->out, "value", view->value);
	else
		put_reasons(b->out, view);
}

static bool print_json(struct browser *b)
{
	const struct ck_game *g = &b->game;
	const struct ck_header *h = &b->cert.header;
	char name[CK_MOVE_TEXT];
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, JSON_BYTES_MAX);
	pr_out_init(&out, &line);
	b->out = &out;
	pr_open_object(&out, NULL);
	pr_str(&out, "file", b->visit->file);
	pr_uint(&out, "format", h->format);
	pr_strn(&out, "game", h->game.at, h->game.size);
	pr_strn(&out, "claim", h->claim.at, h->claim.size);
	pr_strn(&out, "status", h->status.at, h->status.size);
	pr_uint(&out, "positions", h->positions);
	put_position(b, &b->position, &b->view);
	if (!b->view.over)
		pr_str(&out, "to_move", g->rules->first_moves(g, &b->position) ? "first" : "second");
	pr_open_array(&out, "moves");
	for (unsigned i = 0; i < b->count; i++) {
		struct ck_position next = b->position;
		ck_move_name(g, &b->position, b->moves[i], name);
		g->rules->play(g, &next, b->moves[i]);
		pr_open_object(&out, NULL);
		pr_str(&out, "move", name);
		pr_uint(&out, "code", b->moves[i]);
		pr_bool(&out, "chosen", b->chosen[i]);
		put_position(b, &next, &b->child[i]);
		if (b->at_once[i])
			pr_bool(&out, "wins_at_once", true);
		pr_close(&out);
	}
	pr_close(&out);
	pr_close(&out);
	bool good = !line.failed;
	pd_print(stdout, "%s\n", good ? line.data : "{}");
	pd_buf_fini(&line);
	return good;
}

static enum ck_verdict no_memory(struct ck_fault *fault)
{
	ck_fault_set(fault, 0, "there is not enough memory to show a position");
	return CK_UNKNOWN;
}

/* Whether the player to move at a child without a record wins at once, which needs none in formats with cards: the best
 * value, or one within a bound that the position shown has. */
static bool is_won_at_once(const struct browser *b, const struct ck_position *child, const struct ck_view *view)
{
	const uint8_t *p = b->view.reason;
	struct ck_reason r;
	if (!ck_has_cards(&b->cert.header) || view->over || view->count)
		return false;
	bool first = b->game.rules->first_moves(&b->game, child);
	bool won = ck_wins_at_once(&b->game, child, !first, first ? b->game.best : b->game.worst);
	for (unsigned i = 0; !won && i < b->view.count && !ck_reason_read(&p, b->view.end, &r); i++)
		won = ck_wins_at_once(&b->game, child, r.upper, r.bound);
	return won;
}

static enum ck_verdict show_position(struct browser *b, struct ck_fault *fault)
{
	const struct ck_rules *rules = b->game.rules;
	if (!find_position(b, fault))
		return CK_REJECTED;
	b->key_size = rules->encode(&b->game, &b->position, b->key);
	b->cert.broken = &b->broken;
	b->view = ck_look(&b->game, &b->cert, &b->position);
	b->count = b->view.over ? 0 : rules->moves(&b->game, &b->position, b->moves);
	PD_ASSERT(b->view.over || b->count);
	for (unsigned i = 0; i < b->count; i++) {
		struct ck_position next = b->position;
		rules->play(&b->game, &next, b->moves[i]);
		b->child[i] = ck_look(&b->game, &b->cert, &next);
		b->at_once[i] = is_won_at_once(b, &next, &b->child[i]);
	}
	if (b->broken.text[0]) {
		*fault = b->broken;
		return CK_REJECTED;
	}
	mark_all(b);
	if (!b->visit->json)
		print_text(b);
	else if (!print_json(b))
		return no_memory(fault);
	return CK_VERIFIED;
}

enum ck_verdict ck_browse(const uint8_t *bytes, uint64_t size, const struct ck_visit *visit, struct ck_fault *fault)
{
	struct browser *b = calloc(1, sizeof *b);
	if (!b)
		return no_memory(fault);
	b->visit = visit;
	enum ck_verdict verdict = ck_open_file(&b->cert, bytes, size, fault);
	if (verdict == CK_VERIFIED)
		verdict = ck_open_game(&b->cert, &b->game, fault);
	if (verdict == CK_VERIFIED) {
		verdict = show_position(b, fault);
		ck_close(&b->game);
	}
	ck_cert_close(&b->cert);
	free(b);
	return verdict;
}
