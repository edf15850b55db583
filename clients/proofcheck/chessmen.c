#include "clients/proofcheck/chessmen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

#define LETTERS "PNBRQK  pnbrqk"

static int sign_of(int n)
{
	return (n > 0) - (n < 0);
}

/* True when all squares between two squares of one line are empty. */
static bool line_is_clear(const struct ck_position *p, unsigned from, unsigned to)
{
	int right = sign_of((int)(to % 8) - (int)(from % 8)), up = sign_of((int)(to / 8) - (int)(from / 8));
	for (int square = (int)from + 8 * up + right; square != (int)to; square += 8 * up + right)
		if (p->at[square])
			return false;
	return true;
}

/* True when the man on `from` attacks `to`: it could capture an enemy there. */
static bool man_attacks(const struct ck_position *p, unsigned from, unsigned to)
{
	int right = (int)(to % 8) - (int)(from % 8), up = (int)(to / 8) - (int)(from / 8);
	int far = abs(right) > abs(up) ? abs(right) : abs(up);
	bool straight = !right || !up, diagonal = abs(right) == abs(up);
	if (!far)
		return false;
	switch (ck_man_kind(p->at[from])) {
	case CK_PAWN:
		return abs(right) == 1 && up == (ck_man_colour(p->at[from]) ? -1 : 1);
	case CK_KNIGHT:
		return abs(right * up) == 2;
	case CK_BISHOP:
		return diagonal && line_is_clear(p, from, to);
	case CK_ROOK:
		return straight && line_is_clear(p, from, to);
	case CK_QUEEN:
		return (straight || diagonal) && line_is_clear(p, from, to);
	case CK_KING:
		return far == 1;
	default:
		return false;
	}
}

bool ck_attacked(const struct ck_position *p, unsigned square, unsigned colour)
{
	for (unsigned from = 0; from < 64; from++)
		if (p->at[from] && ck_man_colour(p->at[from]) == colour && man_attacks(p, from, square))
			return true;
	return false;
}

/* The target square of an en passant capture by the side to move; 64: none. */
static unsigned passant_square(const struct ck_position *p)
{
	return p->passant ? (p->turn ? 16u : 40u) + p->passant - 1 : 64;
}

static bool pawn_may_go(const struct ck_position *p, unsigned from, unsigned to)
{
	int up = p->turn ? -1 : 1, rows = ((int)(to / 8) - (int)(from / 8)) * up;
	if (man_attacks(p, from, to))
		return p->at[to] || to == passant_square(p);
	if (from % 8 != to % 8 || p->at[to])
		return false;
	if (rows == 1)
		return true;
	return rows == 2 && from / 8 == (p->turn ? 6 : 1) && !p->at[(int)from + 8 * up];
}

static bool may_go(const struct ck_position *p, unsigned from, unsigned to)
{
	if (p->at[to] && ck_man_colour(p->at[to]) == p->turn)
		return false;
	return ck_man_kind(p->at[from]) == CK_PAWN ? pawn_may_go(p, from, to) : man_attacks(p, from, to);
}

unsigned ck_men_moves(const struct ck_position *p, unsigned last_kind, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned from = 0; from < 64; from++) {
		if (!p->at[from] || ck_man_colour(p->at[from]) != p->turn)
			continue;
		for (unsigned to = 0; to < 64; to++) {
			if (!may_go(p, from, to))
				continue;
			unsigned move = from | to << 6;
			bool promotes = ck_man_kind(p->at[from]) == CK_PAWN && to / 8 == (p->turn ? 0 : 7);
			if (!promotes)
				out[n++] = (uint16_t)move;
			for (unsigned kind = CK_KNIGHT; promotes && kind <= last_kind; kind++)
				out[n++] = (uint16_t)(move | kind << 12);
		}
	}
	return n;
}

static bool takes_en_passant(const struct ck_position *p, unsigned move)
{
	unsigned from = move & 63, to = move >> 6 & 63;
	return ck_man_kind(p->at[from]) == CK_PAWN && from % 8 != to % 8 && !p->at[to];
}

bool ck_men_takes(const struct ck_position *p, unsigned move)
{
	return p->at[move >> 6 & 63] || takes_en_passant(p, move);
}

/* True when a pawn of that colour stands next to the square on its row. */
static bool pawn_next_to(const struct ck_position *p, unsigned square, unsigned colour)
{
	return (square % 8 > 0 && ck_man_is(p, square - 1, CK_PAWN, colour)) ||
	       (square % 8 < 7 && ck_man_is(p, square + 1, CK_PAWN, colour));
}

void ck_men_play(struct ck_position *p, unsigned move)
{
	unsigned from = move & 63, to = move >> 6 & 63, kind = move >> 12;
	PD_ASSERT(p->at[from] && ck_man_colour(p->at[from]) == p->turn && from != to && kind <= CK_KING);
	if (takes_en_passant(p, move))
		p->at[from / 8 * 8 + to % 8] = 0;
	bool doubled = ck_man_kind(p->at[from]) == CK_PAWN && (to == from + 16 || from == to + 16);
	p->at[to] = kind ? (uint8_t)(kind | p->turn << 3) : p->at[from];
	p->at[from] = 0;
	p->turn = !p->turn;
	p->passant = doubled && pawn_next_to(p, to, p->turn) ? (uint8_t)(to % 8 + 1) : 0;
}

static bool pawns_in_place(const struct ck_position *p)
{
	for (unsigned i = 0; i < 64; i++)
		if (ck_man_kind(p->at[i]) == CK_PAWN && (i < 8 || i >= 56))
			return false;
	return true;
}

const char *ck_men_find_fields(const char *text)
{
	unsigned blanks = 0;
	for (; *text; text++) {
		if (*text == ' ' && (!text[1] || text[1] == ' '))
			return "there must be one blank between two fields, and none at the end";
		blanks += *text == ' ';
	}
	return blanks >= 3 ? NULL : "board, side to move, castling rights and en passant square must be there";
}

const char *ck_men_read(const char *text, struct ck_position *p, const char **rest)
{
	size_t size = strcspn(text, " ");
	memset(p, 0, sizeof *p);
	const char *wrong = ck_men_find_fields(text);
	if (!wrong)
		wrong = ck_board_read(text, size, 8, 8, LETTERS, p->at);
	if (wrong)
		return wrong;
	if (!pawns_in_place(p))
		return "a pawn stands on the first or the last row";
	text += size + strspn(text + size, " ");
	if ((*text != 'w' && *text != 'b') || (text[1] && text[1] != ' '))
		return "the side to move, w or b, must follow the board";
	p->turn = *text == 'b';
	*rest = text + 1 + strspn(text + 1, " ");
	return NULL;
}

const char *ck_men_read_passant(const char **rest, struct ck_position *p)
{
	const char *text = *rest;
	if (!*text || *text == '-') {
		*rest += *text == '-';
	} else {
		unsigned file = (unsigned)(text[0] - 'a'), target = p->turn ? 2 : 5, pawn = p->turn ? 3 : 4,
			 from = p->turn ? 1 : 6;
		if (file > 7 || text[1] != (char)('1' + target))
			return "the en passant square must be like e6 (White to move) or e3 (Black to move)";
		if (!ck_man_is(p, pawn * 8 + file, CK_PAWN, !p->turn) || p->at[target * 8 + file] ||
		    p->at[from * 8 + file])
			return "no pawn can have stepped over the en passant square";
		p->passant = pawn_next_to(p, pawn * 8 + file, p->turn) ? (uint8_t)(file + 1) : 0;
		*rest += 2;
	}
	if (**rest && **rest != ' ')
		return "the en passant square must be like e3, or -";
	*rest += strspn(*rest, " ");
	return NULL;
}

const char *ck_men_skip_counters(const char *rest)
{
	for (unsigned i = 0; i < 2; i++) {
		size_t digits = strspn(rest, "0123456789");
		if (digits && digits <= 9 && (!rest[digits] || rest[digits] == ' '))
			rest += digits + strspn(rest + digits, " ");
	}
	return rest;
}

bool ck_men_open_limit(struct ck_game *g, const char *text)
{
	char *end;
	unsigned long moves = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	g->line = (unsigned)(2 * moves);
	return !*text || (moves >= 1 && moves <= 127 && !*end);
}

bool ck_men_expired(const struct ck_game *g, const struct ck_position *p)
{
	return g->line && p->node == g->line;
}

void ck_men_count(const struct ck_game *g, struct ck_position *p, unsigned move)
{
	bool pawn = ck_man_kind(p->at[move & 63]) == CK_PAWN;
	if (g->line)
		p->node = pawn || ck_men_takes(p, move) ? 0 : p->node + 1;
}

const char *ck_men_read_counters(const struct ck_game *g, const char **rest, struct ck_position *p)
{
	const char *text = *rest;
	*rest = ck_men_skip_counters(text);
	if (!g->line || *rest == text)
		return NULL;
	unsigned long plies = strtoul(text, NULL, 10);
	if (plies > g->line)
		return "the first counter is more than twice the N of the game";
	p->node = (uint32_t)plies;
	return NULL;
}

size_t ck_men_print_counters(const struct ck_game *g, const struct ck_position *p, char *out, size_t size)
{
	return size + (g->line ? (size_t)sprintf(out + size, " %u 1", (unsigned)p->node) : 0);
}

size_t ck_men_encode_count(const struct ck_game *g, const struct ck_position *p, uint8_t *out, size_t size)
{
	if (!g->line)
		return size;
	out[size] = (uint8_t)p->node;
	return size + 1;
}

bool ck_men_decode_count(const struct ck_game *g, const uint8_t *key, size_t *size, struct ck_position *p)
{
	if (!g->line)
		return true;
	p->node = *size ? key[--*size] : 0;
	return p->node <= g->line;
}

bool ck_men_dominates(const struct ck_game *g, const struct ck_position *a, const struct ck_position *b, int64_t bound,
		      bool upper)
{
	bool same = !memcmp(a->at, b->at, 64) && a->turn == b->turn && a->first == b->first && a->castle == b->castle &&
		    a->passant == b->passant;
	bool end = upper ? bound < g->infinite : bound > g->infinite;
	return g->line && same && (end ? a->node <= b->node : a->node >= b->node);
}

size_t ck_men_print(const struct ck_position *p, const char *rights, char *out)
{
	size_t size = ck_board_print(p->at, 8, 8, LETTERS, out);
	size += (size_t)sprintf(out + size, " %c %s ", p->turn ? 'b' : 'w', rights);
	if (p->passant)
		return size + (size_t)sprintf(out + size, "%c%c", 'a' + p->passant - 1, p->turn ? '3' : '6');
	return size + (size_t)sprintf(out + size, "-");
}

size_t ck_men_encode(const struct ck_position *p, unsigned head, uint8_t *out)
{
	unsigned men = 0;
	memset(out, 0, CK_MEN_KEY_HEAD + 32);
	out[0] = (uint8_t)head;
	out[1] = p->passant;
	for (unsigned i = 0; i < 64; i++) {
		if (!p->at[i])
			continue;
		out[2 + i / 8] |= (uint8_t)(1u << i % 8);
		out[CK_MEN_KEY_HEAD + men / 2] |= (uint8_t)(p->at[i] << men % 2 * 4);
		men++;
	}
	return CK_MEN_KEY_HEAD + (men + 1) / 2;
}

bool ck_men_decode(const uint8_t *key, size_t size, struct ck_position *p)
{
	unsigned men = 0;
	if (size < CK_MEN_KEY_HEAD || key[1] > 8)
		return false;
	p->turn = key[0] & 1;
	p->passant = key[1];
	for (unsigned i = 0; i < 64; i++) {
		if (!(key[2 + i / 8] >> i % 8 & 1))
			continue;
		if (CK_MEN_KEY_HEAD + men / 2 >= size)
			return false;
		unsigned man = key[CK_MEN_KEY_HEAD + men / 2] >> men % 2 * 4 & 15;
		if (ck_man_kind(man) < CK_PAWN || ck_man_kind(man) > CK_KING)
			return false;
		p->at[i] = (uint8_t)man;
		men++;
	}
	return pawns_in_place(p) && ck_men_passant_fits(p);
}

bool ck_men_passant_fits(const struct ck_position *p)
{
	if (!p->passant)
		return true;
	unsigned file = p->passant - 1u, pawn = (p->turn ? 3u : 4u) * 8 + file;
	return ck_man_is(p, pawn, CK_PAWN, !p->turn) && !p->at[passant_square(p)] &&
	       !p->at[(p->turn ? 1u : 6u) * 8 + file] && pawn_next_to(p, pawn, p->turn);
}

const struct ck_grid ck_men_grid = {.letters = ".PNBRQK??pnbrqk"};

void ck_men_move_name(const struct ck_game *game, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	unsigned from = move & 63, to = move >> 6 & 63;
	out = ck_square_name(out, from % 8, from / 8);
	out = ck_square_name(out, to % 8, to / 8);
	if (move >> 12)
		sprintf(out, "%c", ".pnbrqk?????????"[move >> 12]);
}
