#include "clients/proofcheck/card_show.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/picture.h"
#include "clients/proofcheck/strategy.h"
#include "clients/proofcheck/witness.h"
#include "clients/proofcheck/zone.h"
#include "proto/base/print.h"

enum { ANY_SQUARE = UINT16_MAX + 1 };

/* What the side that the bound favours does, or has. */
static const char *const sentences[] = {
	[1] = "answers each square of a pair by the other, and any other square by the one above it",
	[2] = "answers each square of a pair by the other and any other square by the one above it, until the square "
	      "marked 1 is its own and wins",
	[5] = "answers in each group in which the other side plays, and so fills a square of each open line",
	[7] = "leaves the other side no line of three boards that it could win",
	[8] = "answers each cell of a pair by the other, and its edges are joined",
	[9] = "is sure of more moves than the other side can make",
	[10] = "has a runner that cannot be stopped",
	[11] = "answers in each group in which the other side plays; the lines that are left weigh too little",
	[12] = "forces each reply until two squares win",
	[CK_STRATEGY] = "wins at once, or else leaves no win at once, makes a double threat where it can, and plays on "
			"the square of the greatest weight",
	[CK_TABLE] = "has an entry in the table whose SHA-256 is the witness",
	[CK_DOMINANCE] = "plays as at the position with the same board and the order part of the witness",
	[CK_ZONE] = "has an answer in the list of the witness, or a record, after each reply",
};

static void say_theorem(const struct ck_reason *r)
{
	const char *side = r->upper ? "Second" : "First";
	const char *text = r->theorem < sizeof sentences / sizeof *sentences ? sentences[r->theorem] : NULL;
	pd_print(stdout, "\n%-11s T%" PRIu64 " of solver/games/THEOREMS.md", "theorem", r->theorem);
	if (text)
		pd_print(stdout, ": %s %s", side, text);
	pd_print(stdout, "\n");
}

static bool groups_of(const struct ck_reason *r, struct ck_groups *out)
{
	struct ck_card card = {r->upper, r->bound, (unsigned)r->theorem, r->witness, (unsigned)r->size};
	return ck_groups_read(&card, ANY_SQUARE, out);
}

/* The mark of each group: a digit or a letter that is no man of the board. */
static char mark_of(const struct ck_game *g, unsigned group)
{
	static const char marks[] = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *men = g->rules->grid ? g->rules->grid->letters : "", *at = marks;
	for (; *at; at++)
		if (!strchr(men, *at) && !group--)
			return *at;
	return '*';
}

static void print_strategy(const struct ck_game *g, const struct ck_position *p, const struct ck_reason *r)
{
	uint64_t squares = (uint64_t)g->width * g->height;
	if (r->size != 1 + squares) {
		pd_print(stdout, "%-11s its %" PRIu64 " bytes are no weights of the %" PRIu64 " squares\n", "witness",
			 r->size, squares);
		return;
	}
	pd_print(stdout, "%-11s policy %u and the weights of the squares\n", "witness", r->witness[0]);
	ck_picture_weights(g, p, r->witness + 1);
}

/* The theorems that a zone lists, and how many replies each of them answers. */
static void print_zone(const struct ck_game *g, const struct ck_position *p, const struct ck_reason *r)
{
	struct ck_card card = {r->upper, r->bound, CK_ZONE, r->witness, (unsigned)r->size};
	struct ck_zone zone;
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = g->rules->moves(g, p, moves);
	bool good = ck_zone_read(&card, &zone);
	pd_print(stdout, "%-11s %s\n", "witness", good ? "each answer, and the replies that it covers" : "no answers");
	for (unsigned i = 0; good && i < zone.count; i++) {
		struct ck_zone one = {1, {zone.answer[i]}};
		unsigned covered = 0;
		for (unsigned k = 0; k < count; k++) {
			struct ck_position child = *p;
			g->rules->play(g, &child, moves[k]);
			covered += ck_zone_plies(g, &one, &child, r->has_rank ? r->rank : UINT64_MAX) > 0;
		}
		pd_print(stdout, "  T%u: %u of %u replies\n", one.answer[0].theorem, covered, count);
	}
}

void ck_card_print(const struct ck_game *g, const struct ck_position *p, const struct ck_reason *r)
{
	struct ck_groups groups;
	char marks[CK_SQUARES_MAX] = {0}, text[CK_TEXT_MAX];
	say_theorem(r);
	if (r->theorem == CK_STRATEGY) {
		print_strategy(g, p, r);
		return;
	}
	if (r->theorem == CK_ZONE)
		print_zone(g, p, r);
	if (!r->size || (r->theorem >= CK_TABLE && r->theorem <= CK_ZONE))
		return;
	if (!groups_of(r, &groups)) {
		pd_print(stdout, "%-11s its %" PRIu64 " bytes are no groups of squares\n", "witness", r->size);
		return;
	}
	g->rules->print(g, p, text);
	pd_print(stdout, "%-11s %u group%s of squares in %s\n", "witness", groups.count, groups.count == 1 ? "" : "s",
		 text);
	for (unsigned i = 0; i < groups.count; i++)
		for (unsigned k = 0; k < groups.size[i]; k++)
			if (groups.square[groups.first[i] + k] < CK_SQUARES_MAX)
				marks[groups.square[groups.first[i] + k]] = mark_of(g, i);
	if (g->rules->grid && !g->rules->picture)
		ck_picture(g, p, marks);
	for (unsigned i = 0; i < groups.count && !g->rules->grid; i++) {
		pd_print(stdout, "  %c:", mark_of(g, i));
		for (unsigned k = 0; k < groups.size[i]; k++)
			pd_print(stdout, " %u", groups.square[groups.first[i] + k]);
		pd_print(stdout, "\n");
	}
}

void ck_card_put(struct pr_out *out, const struct ck_reason *r)
{
	struct ck_groups groups;
	char hex[2 * CK_WITNESS_MAX + 1] = "";
	for (uint64_t i = 0; i < r->size; i++)
		snprintf(hex + 2 * i, 3, "%02x", r->witness[i]);
	pr_uint(out, "theorem", r->theorem);
	pr_str(out, "witness", hex);
	if (r->theorem == CK_STRATEGY && r->size) {
		pr_uint(out, "policy", r->witness[0]);
		pr_open_array(out, "weights");
		for (uint64_t i = 1; i < r->size; i++)
			pr_int(out, NULL, (int8_t)r->witness[i]);
		pr_close(out);
	}
	if (r->theorem >= CK_STRATEGY || !groups_of(r, &groups))
		return;
	pr_open_array(out, "groups");
	for (unsigned i = 0; i < groups.count; i++) {
		pr_open_array(out, NULL);
		for (unsigned k = 0; k < groups.size[i]; k++)
			pr_uint(out, NULL, groups.square[groups.first[i] + k]);
		pr_close(out);
	}
	pr_close(out);
}
