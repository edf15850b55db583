/* Chess mate: chess, where only First's mate counts. The value is 1 if First mates, else 0.
 *
 * Rules: chess, without the fifty-move rule, but with the parameter N with a rule of N moves (chessmen.h). First is the
 * side that moves at the root, unless the text ends with first=w or first=b. A mate by Second, stalemate and infinite
 * play are worth 0.
 *
 * castle: a bit for each right that still exists: 1 White short, 2 White long, 4 Black short, 8 Black long. passant is
 * set only when an en passant capture is legal. first: 0 White, 1 Black. Byte 0 of a key: 1 Black moves, castle << 1,
 * 32 First is Black. Castling is coded as the king's move. */
#include "clients/proofcheck/men_classes.h"

#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"

/* Castling: the squares of king and rook. The squares between them must be empty, and the king may not be attacked on
 * its origin, the square that it crosses or its target. */
static const struct castling {
	uint8_t right, king, over, to, rook;
} castlings[4] = {{1, 4, 5, 6, 7}, {2, 4, 3, 2, 0}, {4, 60, 61, 62, 63}, {8, 60, 59, 58, 56}};

static unsigned king_of(const struct ck_position *p, unsigned colour)
{
	unsigned square = 0;
	while (square < 64 && !ck_man_is(p, square, CK_KING, colour))
		square++;
	return square;
}

static bool in_check(const struct ck_position *p, unsigned colour)
{
	return ck_attacked(p, king_of(p, colour), !colour);
}

static bool king_is_safe(const struct ck_position *p, unsigned move)
{
	struct ck_position next = *p;
	ck_men_play(&next, move);
	return !in_check(&next, p->turn);
}

static bool may_castle(const struct ck_position *p, const struct castling *c)
{
	unsigned colour = c->king == 60;
	if (!(p->castle & c->right) || colour != p->turn)
		return false;
	unsigned low = c->rook < c->king ? c->rook : c->king, high = c->rook < c->king ? c->king : c->rook;
	if (ck_count_kind(p->at + low + 1, high - low - 1, 0) < high - low - 1)
		return false;
	return !ck_attacked(p, c->king, !colour) && !ck_attacked(p, c->over, !colour) &&
	       !ck_attacked(p, c->to, !colour);
}

static unsigned mate_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned all = ck_men_moves(p, CK_QUEEN, out), n = 0;
	for (unsigned i = 0; i < all; i++)
		if (king_is_safe(p, out[i]))
			out[n++] = out[i];
	for (unsigned i = 0; i < 4; i++)
		if (may_castle(p, &castlings[i]))
			out[n++] = (uint16_t)(castlings[i].king | castlings[i].to << 6);
	return n;
}

/* A king that can castle can also move one step, so castling is not considered. */
static bool can_move(const struct ck_position *p)
{
	uint16_t list[CK_MOVES_MAX];
	unsigned n = ck_men_moves(p, CK_QUEEN, list);
	for (unsigned i = 0; i < n; i++)
		if (king_is_safe(p, list[i]))
			return true;
	return false;
}

static bool mate_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	if (can_move(p)) {
		*value = 0;
		return ck_men_expired(g, p);
	}
	*value = in_check(p, p->turn) && p->turn != p->first;
	return true;
}

static bool mate_first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return p->turn == p->first;
}

/* Removes the castling rights whose king or rook is not on its original square. */
static void keep_rights(struct ck_position *p)
{
	for (unsigned i = 0; i < 4; i++) {
		const struct castling *c = &castlings[i];
		unsigned colour = c->king == 60;
		if (!ck_man_is(p, c->king, CK_KING, colour) || !ck_man_is(p, c->rook, CK_ROOK, colour))
			p->castle &= (uint8_t)~c->right;
	}
}

/* Clears the en passant capture unless it is legal. */
static void keep_passant(struct ck_position *p)
{
	uint16_t list[CK_MOVES_MAX];
	unsigned n = p->passant ? ck_men_moves(p, CK_QUEEN, list) : 0;
	for (unsigned i = 0; i < n; i++)
		if (ck_men_takes(p, list[i]) && !p->at[list[i] >> 6 & 63] && king_is_safe(p, list[i]))
			return;
	p->passant = 0;
}

static void mate_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned from = move & 63, to = move >> 6 & 63;
	if (ck_man_kind(p->at[from]) == CK_KING)
		for (unsigned i = 0; i < 4; i++) {
			const struct castling *c = &castlings[i];
			if (from == c->king && to == c->to && p->castle & c->right) {
				p->at[c->over] = p->at[c->rook];
				p->at[c->rook] = 0;
			}
		}
	ck_men_count(g, p, move);
	ck_men_play(p, move);
	keep_rights(p);
	keep_passant(p);
}

/* Returns what is wrong with the board, or NULL. */
static const char *find_fault(const struct ck_position *p)
{
	if (ck_count_kind(p->at, 64, CK_KING) != 1 || ck_count_kind(p->at, 64, CK_KING | 8) != 1)
		return "each side must have one king";
	return in_check(p, !p->turn) ? "the side that is not to move is in check" : NULL;
}

static const char *read_rights(const char **rest, struct ck_position *p)
{
	static const char letters[] = "KQkq";
	const char *text = *rest;
	if (*text == '-')
		text++;
	for (; *text && *text != ' '; text++) {
		const char *letter = strchr(letters, *text);
		if (!letter || *(text > *rest ? text - 1 : "") == '-')
			return "the castling field must be - or some of KQkq";
		uint8_t right = (uint8_t)(1u << (letter - letters));
		if (p->castle & right)
			return "the castling field names a right twice";
		p->castle |= right;
	}
	*rest = text + strspn(text, " ");
	return NULL;
}

static const char *mate_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *rest,
		*wrong = ck_men_read(*text ? text : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", out, &rest);
	out->first = wrong ? 0 : out->turn;
	if (!wrong)
		wrong = read_rights(&rest, out);
	if (!wrong)
		wrong = ck_men_read_passant(&rest, out);
	if (!wrong)
		wrong = find_fault(out);
	if (wrong)
		return wrong;
	uint8_t rights = out->castle;
	keep_rights(out);
	if (rights != out->castle)
		return "a castling right is without its king or rook";
	keep_passant(out);
	if ((wrong = ck_men_read_counters(g, &rest, out)) != NULL)
		return wrong;
	if (!strncmp(rest, "first=", 6) && (rest[6] == 'w' || rest[6] == 'b')) {
		out->first = rest[6] == 'b';
		rest += 7 + strspn(rest + 7, " ");
	}
	return *rest ? "the text goes on after the position" : NULL;
}

static void mate_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	char rights[5] = "";
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++)
		if (p->castle & castlings[i].right)
			rights[n++] = "KQkq"[i];
	size_t size = ck_men_print_counters(g, p, out, ck_men_print(p, n ? rights : "-", out));
	if (p->first != p->turn)
		sprintf(out + size, " first=%c", p->first ? 'b' : 'w');
}

static size_t mate_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	unsigned head = p->turn | (unsigned)p->castle << 1 | (unsigned)p->first << 5;
	return ck_men_encode_count(g, p, out, ck_men_encode(p, head, out));
}

static bool mate_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (!ck_men_decode_count(g, key, &size, p) || !ck_men_decode(key, size, p) || key[0] > 63)
		return false;
	p->castle = key[0] >> 1 & 15;
	p->first = key[0] >> 5;
	if (find_fault(p))
		return false;
	keep_rights(p);
	keep_passant(p); /* if this clears it, the key is not canonical, and ck_decode refuses it */
	return true;
}

/* T13: First has no man but its king, so it never mates. */
static bool mate_has_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			  unsigned *plies)
{
	if (card->theorem != 13 || card->size || !card->upper || card->bound < 0)
		return false;
	for (unsigned square = 0; square < 64; square++)
		for (unsigned kind = 1; kind < CK_KING; kind++)
			if (ck_man_is(p, square, kind, p->first))
				return false;
	*plies = CK_NO_RANK;
	return true;
}

static bool mate_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			   struct ck_card *out, uint8_t *room)
{
	unsigned plies;
	*out = (struct ck_card){.upper = upper, .bound = bound, .theorem = 13, .witness = room};
	return mate_has_card(g, p, out, &plies);
}

static int mate_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			  struct pd_fail *fail)
{
	if (!ck_men_open_limit(g, params) || (!*params && strcmp(g->name, "chess-mate")))
		return pd_fail_set(fail, PD_E_GAME, "game", "chess-mate takes no parameter, or N from 1 to 127");
	g->width = g->height = 8;
	g->worst = 0;
	g->repeats = true;
	g->key_max = CK_MEN_KEY_HEAD + 32 + (g->line != 0);
	return PD_OK;
}

static const char *mate_name_outcome(int64_t value)
{
	return value > 0 ? "first mates" : "no mate";
}

const struct ck_rules ck_chess_mate = {
	.name = "chess-mate",
	CK_RULES(mate),
	.over = mate_is_over,
	.first_moves = mate_first_moves,
	.outcome = mate_name_outcome,
	.move_name = ck_men_move_name,
	.grid = &ck_men_grid,
	CK_MEN_CLASSES,
	.card = mate_has_card,
	.find_card = mate_find_card,
};
