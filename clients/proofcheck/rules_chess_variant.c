/* Chess variants: does First win by force, by mate or by the end that the variant adds? The value is 1 if so, else 0.
 *
 * crazyhouse: a man taken goes to the hand of the player who took it, a promoted one as a pawn, and may be put on an
 * empty square instead of a move; pawns not on the first or last row. 3check: the third check wins. kingofthehill: a
 * king on d4, e4, d5 or e5 wins. racingkings: no check may be given; a king on the last row wins, but when White's gets
 * there Black may still draw by getting there with the next move. horde: White has only pawns, those on the first row
 * may step two squares as well; Black wins by taking all. atomic: a capture removes both men and all men but pawns
 * around; a player without a king has lost, no move may explode the mover's own king, and kings side by side are not
 * in check.
 *
 * at: men as in chessmen.h, then marks and counts, see below. First and keys are as in chess-mate, with changes that
 * the comment at the top of the solver's file describes, and so are the codes of moves. */
#include "clients/proofcheck/chessmen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/board.h"

#define LETTERS "PNBRQK  pnbrqk"

enum variant { CRAZYHOUSE, THREE_CHECK, HILL, RACE, HORDE, ATOMIC, VARIANTS }; /* game->line */

/* Where `at` holds what is not a man on the board. */
enum {
	PROMOTED = 64, /* + square: 1 for a man that was a pawn */
	CASTLES = 128, /* + square: 1 for a rook with which its side may castle */
	HAND = 192,    /* + 5 * colour + kind - 1: how many are in hand */
	CHECKS = 202,  /* + colour: checks that the side must still give */
	NOWHERE = 255
};

static const struct {
	const char *name, *start;
} variants[VARIANTS] = {{"crazyhouse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq -"},
			{"3check", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3"},
			{"kingofthehill", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"},
			{"racingkings", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - -"},
			{"horde", "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq -"},
			{"atomic", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"}};

static unsigned find_king(const struct ck_position *p, unsigned colour)
{
	for (unsigned square = 0; square < 64; square++)
		if (ck_man_is(p, square, CK_KING, colour))
			return square;
	return NOWHERE;
}

static bool next_to(unsigned a, unsigned b)
{
	return a != b && abs((int)(a % 8) - (int)(b % 8)) <= 1 && abs((int)(a / 8) - (int)(b / 8)) <= 1;
}

/* True when a king of that colour would be in check on the square. */
static bool is_attacked(const struct ck_game *g, const struct ck_position *p, unsigned square, unsigned colour)
{
	unsigned enemy = find_king(p, !colour);
	if (g->line == ATOMIC && enemy != NOWHERE && next_to(square, enemy))
		return false;
	return ck_attacked(p, square, !colour);
}

static bool is_checked(const struct ck_game *g, const struct ck_position *p, unsigned colour)
{
	unsigned king = find_king(p, colour);
	return king != NOWHERE && is_attacked(g, p, king, colour);
}

static bool is_drop(unsigned move)
{
	return (move & 63) == (move >> 6 & 63);
}

/* --- castling ----------------------------------------------------------------------------- */

/* The code of castling with that rook. */
static unsigned code_castling(unsigned king, unsigned rook)
{
	bool usual = king % 8 == 4 && (rook % 8 == 0 || rook % 8 == 7);
	return king | (!usual ? rook : rook < king ? king - 2 : king + 2) << 6;
}

/* The rook of a move that castles. */
static unsigned find_castling(const struct ck_position *p, unsigned move)
{
	unsigned king = find_king(p, p->turn);
	for (unsigned rook = 0; rook < 64; rook++)
		if (p->at[CASTLES + rook] && ck_man_is(p, rook, CK_ROOK, p->turn) &&
		    code_castling(king, rook) == move && king == (move & 63))
			return rook;
	return NOWHERE;
}

static unsigned king_target(unsigned king, unsigned rook)
{
	return king / 8 * 8 + (rook < king ? 2 : 6);
}

static unsigned rook_target(unsigned king, unsigned rook)
{
	return king / 8 * 8 + (rook < king ? 3 : 5);
}

static bool is_between(unsigned square, unsigned a, unsigned b)
{
	return (a <= square && square <= b) || (b <= square && square <= a);
}

/* Every square that king and rook cross or reach must be empty except for the two. With the king off the board, no
 * square that it leaves or crosses may be attacked, nor its target after the move. */
static bool may_castle(const struct ck_game *g, const struct ck_position *p, unsigned king, unsigned rook)
{
	unsigned kt = king_target(king, rook), rt = rook_target(king, rook), row = king / 8 * 8;
	struct ck_position without = *p, after;
	without.at[king] = 0;
	for (unsigned square = row; square < row + 8; square++) {
		bool crossed = is_between(square, king, kt);
		if ((crossed || is_between(square, rook, rt)) && square != king && square != rook && p->at[square])
			return false;
		if (crossed && (square != kt || square == king) && is_attacked(g, &without, square, p->turn))
			return false;
	}
	after = without;
	after.at[rook] = 0;
	after.at[rt] = p->at[rook];
	return !is_attacked(g, &after, kt, p->turn);
}

static void move_castling(struct ck_position *p, unsigned king, unsigned rook)
{
	uint8_t king_man = p->at[king], rook_man = p->at[rook];
	p->at[king] = p->at[rook] = 0;
	p->at[king_target(king, rook)] = king_man;
	p->at[rook_target(king, rook)] = rook_man;
	p->turn = !p->turn;
	p->passant = 0;
}

/* --- playing ------------------------------------------------------------------------------ */

static void put_from_hand(struct ck_position *p, unsigned square, unsigned kind)
{
	p->at[HAND + 5 * p->turn + kind - 1]--;
	p->at[square] = (uint8_t)(kind | p->turn << 3);
	p->turn = !p->turn;
	p->passant = 0;
}

/* A move of a man on the board that is not castling. */
static void move_man(const struct ck_game *g, struct ck_position *p, unsigned move)
{
	unsigned from = move & 63, to = move >> 6 & 63, mover = p->turn;
	bool takes = ck_men_takes(p, move), was_pawn = p->at[PROMOTED + to];
	unsigned taken = p->at[to] && !was_pawn ? ck_man_kind(p->at[to]) : CK_PAWN;
	ck_men_play(p, move);
	if (g->line == CRAZYHOUSE) {
		if (takes)
			p->at[HAND + 5 * mover + taken - 1]++;
		p->at[PROMOTED + to] = move >> 12 || p->at[PROMOTED + from];
		p->at[PROMOTED + from] = 0;
	}
	for (unsigned square = 0; g->line == ATOMIC && takes && square < 64; square++)
		if (square == to || (next_to(square, to) && ck_man_kind(p->at[square]) != CK_PAWN))
			p->at[square] = 0;
	p->at[CASTLES + from] = p->at[CASTLES + to] = 0;
}

/* Plays a move, whether it leaves the kings safe or not. */
static void play_boldly(const struct ck_game *g, struct ck_position *p, unsigned move)
{
	unsigned mover = p->turn, rook = is_drop(move) ? NOWHERE : find_castling(p, move);
	if (is_drop(move))
		put_from_hand(p, move & 63, move >> 12);
	else if (rook != NOWHERE)
		move_castling(p, move & 63, rook);
	else
		move_man(g, p, move);
	for (unsigned i = 0; i < 2; i++) /* a king that has moved or is gone cannot castle */
		for (unsigned square = 56 * i; square < 56 * i + 8; square++)
			if (!ck_man_is(p, square, CK_ROOK, i) ||
			    (mover == i &&
			     (rook != NOWHERE || (!is_drop(move) && ck_man_is(p, move >> 6 & 63, CK_KING, mover)))) ||
			    find_king(p, i) == NOWHERE)
				p->at[CASTLES + square] = 0;
	if (g->line == THREE_CHECK && p->at[CHECKS + mover] && is_checked(g, p, !mover))
		p->at[CHECKS + mover]--;
}

static bool is_legal(const struct ck_game *g, const struct ck_position *p, unsigned move)
{
	struct ck_position next = *p;
	play_boldly(g, &next, move);
	if (find_king(p, p->turn) != NOWHERE && find_king(&next, p->turn) == NOWHERE)
		return false;
	if (find_king(p, !p->turn) != NOWHERE && find_king(&next, !p->turn) == NOWHERE)
		return true;
	return !is_checked(g, &next, p->turn) && !(g->line == RACE && is_checked(g, &next, !p->turn));
}

/* --- moves -------------------------------------------------------------------------------- */

static unsigned list_drops(const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0;
	for (unsigned kind = CK_PAWN; kind <= CK_QUEEN; kind++)
		for (unsigned square = 0; square < 64 && p->at[HAND + 5 * p->turn + kind - 1]; square++)
			if (!p->at[square] && (kind != CK_PAWN || (square >= 8 && square < 56)))
				out[n++] = (uint16_t)(square | square << 6 | kind << 12);
	return n;
}

static unsigned variant_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned all = ck_men_moves(p, CK_QUEEN, out), n = 0, king = find_king(p, p->turn);
	for (unsigned i = 0; g->line == HORDE && !p->turn && i < 8; i++)
		if (ck_man_is(p, i, CK_PAWN, 0) && !p->at[i + 8] && !p->at[i + 16])
			out[all++] = (uint16_t)(i | (i + 16) << 6);
	all += list_drops(p, out + all);
	for (unsigned i = 0; i < all; i++)
		if (is_legal(g, p, out[i]))
			out[n++] = out[i];
	for (unsigned rook = 0; rook < 64 && king != NOWHERE; rook++)
		if (p->at[CASTLES + rook] && rook / 8 == king / 8 && may_castle(g, p, king, rook))
			out[n++] = (uint16_t)code_castling(king, rook);
	return n;
}

/* --- the end ------------------------------------------------------------------------------ */

static bool on_goal(const struct ck_game *g, const struct ck_position *p, unsigned colour)
{
	unsigned king = find_king(p, colour);
	if (king == NOWHERE)
		return false;
	return (g->line == RACE && king / 8 == 7) ||
	       (g->line == HILL && (king == 27 || king == 28 || king == 35 || king == 36));
}

/* True when the side has won by the variant's own rule. */
static bool has_won(const struct ck_game *g, const struct ck_position *p, unsigned colour)
{
	unsigned white_men = 0;
	for (unsigned i = 0; i < 64; i++)
		white_men += p->at[i] && !ck_man_colour(p->at[i]);
	return (on_goal(g, p, colour) && !on_goal(g, p, !colour)) ||
	       (g->line == THREE_CHECK && !p->at[CHECKS + colour]) || (g->line == HORDE && colour && !white_men) ||
	       (g->line == ATOMIC && find_king(p, !colour) == NOWHERE);
}

/* True when White's king has won the race unless Black's arrives with the next move, and it can. */
static bool is_last_lap(const struct ck_game *g, const struct ck_position *p, const uint16_t *moves, unsigned n)
{
	if (g->line != RACE || !p->turn || on_goal(g, p, 1))
		return false;
	for (unsigned i = 0; i < n; i++)
		if ((moves[i] & 63) == find_king(p, 1) && (moves[i] >> 6 & 63) >= 56)
			return true;
	return false;
}

static bool variant_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t moves[CK_MOVES_MAX];
	unsigned n = variant_list_moves(g, p, moves);
	for (unsigned colour = 0; colour < 2; colour++)
		if (has_won(g, p, colour) && !is_last_lap(g, p, moves, n)) {
			*value = colour == p->first;
			return true;
		}
	if (n && !(on_goal(g, p, 0) && on_goal(g, p, 1)))
		return false;
	*value = !n && is_checked(g, p, p->turn) && p->turn != p->first;
	return true;
}

static bool variant_first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return p->turn == p->first;
}

/* Clears the en passant capture unless it is legal; it is not when the king of the side to move has exploded. */
static void keep_passant(const struct ck_game *g, struct ck_position *p)
{
	uint16_t list[CK_MOVES_MAX];
	bool over = g->line == ATOMIC && find_king(p, p->turn) == NOWHERE;
	unsigned n = p->passant && !over ? ck_men_moves(p, CK_QUEEN, list) : 0;
	for (unsigned i = 0; i < n; i++)
		if (ck_men_takes(p, list[i]) && !p->at[list[i] >> 6 & 63] && is_legal(g, p, list[i]))
			return;
	p->passant = 0;
}

static void variant_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	play_boldly(g, p, move);
	keep_passant(g, p);
}

/* --- positions ---------------------------------------------------------------------------- */

static const char *find_king_fault(const struct ck_game *g, const struct ck_position *p)
{
	for (unsigned colour = 0; colour < 2; colour++) {
		unsigned kings = ck_count_kind(p->at, 64, CK_KING | colour << 3);
		bool none = g->line == HORDE && !colour, may_lack = g->line == ATOMIC && colour == p->turn;
		if (kings > !none || (!kings && !none && !may_lack))
			return "a side has a king too many or none";
	}
	if (g->line == RACE && is_checked(g, p, p->turn))
		return "in racingkings no king is in check";
	bool gone = g->line == ATOMIC && find_king(p, p->turn) == NOWHERE;
	return !gone && is_checked(g, p, !p->turn) ? "the side that is not to move is in check" : NULL;
}

static const char *find_rook_fault(const struct ck_position *p)
{
	unsigned rooks[2][2] = {{0}};
	for (unsigned square = 0; square < 64; square++) {
		unsigned colour = square >= 56, king = find_king(p, colour);
		if (!p->at[CASTLES + square])
			continue;
		if ((square >= 8 && square < 56) || !ck_man_is(p, square, CK_ROOK, colour) || king == NOWHERE ||
		    king / 8 != square / 8 || p->at[PROMOTED + square] || rooks[colour][square > king]++)
			return "a castling right is without its king or rook";
	}
	return NULL;
}

/* Returns what is wrong with a position, or NULL. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p)
{
	unsigned men = 0;
	for (unsigned i = 0; i < 64; i++) {
		unsigned kind = ck_man_kind(p->at[i]);
		bool low = i < 8 && !(g->line == HORDE && !ck_man_colour(p->at[i]));
		men += p->at[i] != 0;
		if (kind == CK_PAWN && (low || i >= 56))
			return "a pawn stands on the first or the last row";
		if (kind == CK_PAWN && g->line == RACE)
			return "racingkings has no pawns";
		if (p->at[PROMOTED + i] && (kind < CK_KNIGHT || kind > CK_QUEEN))
			return "a man cannot be a promoted one";
	}
	for (unsigned i = 0; i < 10; i++)
		men += p->at[HAND + i];
	if (men > 64)
		return "more than 64 men";
	if (g->line == THREE_CHECK && (!p->at[CHECKS + p->turn] || p->at[CHECKS] > 3 || p->at[CHECKS + 1] > 3))
		return "the checks to give are out of range";
	const char *wrong = find_rook_fault(p);
	return wrong ? wrong : find_king_fault(g, p);
}

/* The rook of that colour on the row of its king that is furthest from it, on the higher files or the lower ones. */
static unsigned outer_rook(const struct ck_position *p, unsigned colour, bool higher)
{
	unsigned king = find_king(p, colour), row = 56 * colour;
	for (unsigned i = 0; i < 8 && king != NOWHERE && king / 8 == row / 8; i++) {
		unsigned square = higher ? row + 7 - i : row + i;
		if (square == king)
			break;
		if (ck_man_is(p, square, CK_ROOK, colour))
			return square;
	}
	return NOWHERE;
}

static const char *read_rights(const char **rest, struct ck_position *p)
{
	const char *text = *rest;
	for (; *text && *text != ' '; text++) {
		unsigned colour = *text >= 'a', file = (unsigned)(*text - (colour ? 'a' : 'A'));
		unsigned rook = NOWHERE;
		if (*text == '-' && text == *rest && (!text[1] || text[1] == ' '))
			continue;
		if (strchr("KQkq", *text))
			rook = outer_rook(p, colour, *text == 'K' || *text == 'k');
		else if (file < 8 && ck_man_is(p, 56 * colour + file, CK_ROOK, colour))
			rook = 56 * colour + file;
		if (rook == NOWHERE || p->at[CASTLES + rook]++)
			return "the castling field must be - or name rooks by KQkq or their files";
	}
	*rest = text + strspn(text, " ");
	return NULL;
}

/* Reads the board and the men in hand. */
static const char *read_board(const struct ck_game *g, const char **rest, struct ck_position *p)
{
	char plain[128] = "";
	size_t size = 0;
	unsigned square = 56, slashes = 0;
	const char *text = *rest;
	for (; *text && *text != ' ' && *text != '['; text++) {
		if (*text == '/' && ++slashes == 8 && g->line == CRAZYHOUSE)
			break;
		if (*text == '~') {
			if (g->line != CRAZYHOUSE || text == *rest || !strchr("NBRQnbrq", text[-1]))
				return "no man is promoted here";
			p->at[PROMOTED + (square - 1) % 64] = 1;
			continue;
		}
		square += *text == '/' ? -16u : *text >= '1' && *text <= '8' ? (unsigned)(*text - '0') : 1;
		if (size + 1 >= sizeof plain)
			return "the board is too long";
		plain[size++] = *text;
	}
	uint8_t at[64];
	const char *wrong = ck_board_read(plain, size, 8, 8, LETTERS, at);
	if (wrong)
		return wrong;
	memcpy(p->at, at, sizeof at);
	if (*text && *text != ' ' && g->line == CRAZYHOUSE) {
		bool bracket = *text++ == '[';
		for (; *text && *text != ' ' && *text != ']'; text++) {
			const char *man = strchr("PNBRQpnbrq", *text);
			if (!man || p->at[HAND + (man - "PNBRQpnbrq")] > 64)
				return "what is in hand is no man, or too many";
			p->at[HAND + (man - "PNBRQpnbrq")]++;
		}
		if (bracket && *text++ != ']')
			return "] must follow the men in hand";
	}
	if (*text && *text != ' ')
		return "a blank must follow the board";
	*rest = text + strspn(text, " ");
	return NULL;
}

/* Reads two digits from 0 to 3 with a + between them. */
static bool read_pair(const char *text, uint8_t out[2])
{
	if (text[0] < '0' || text[0] > '3' || text[1] != '+' || text[2] < '0' || text[2] > '3' ||
	    (text[3] && text[3] != ' '))
		return false;
	out[0] = (uint8_t)(text[0] - '0');
	out[1] = (uint8_t)(text[2] - '0');
	return true;
}

static const char *read_tail(const struct ck_game *g, const char *rest, struct ck_position *p)
{
	uint8_t given[2];
	bool known = g->line == THREE_CHECK && read_pair(rest, p->at + CHECKS);
	if (g->line == THREE_CHECK && !known)
		p->at[CHECKS] = p->at[CHECKS + 1] = 3;
	if (known)
		rest += 3 + strspn(rest + 3, " ");
	rest = ck_men_skip_counters(rest);
	if (g->line == THREE_CHECK && !known && *rest == '+' && read_pair(rest + 1, given)) {
		p->at[CHECKS] = (uint8_t)(3 - given[0]);
		p->at[CHECKS + 1] = (uint8_t)(3 - given[1]);
		rest += 4 + strspn(rest + 4, " ");
	}
	p->first = p->turn;
	if (!strncmp(rest, "first=", 6) && (rest[6] == 'w' || rest[6] == 'b')) {
		p->first = rest[6] == 'b';
		rest += 7 + strspn(rest + 7, " ");
	}
	return *rest ? "the text goes on after the position" : NULL;
}

static const char *variant_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *rest = *text ? text : variants[g->line].start, *wrong;
	memset(out, 0, sizeof *out);
	if ((wrong = ck_men_find_fields(rest)) || (wrong = read_board(g, &rest, out)))
		return wrong;
	if ((*rest != 'w' && *rest != 'b') || (rest[1] && rest[1] != ' '))
		return "the side to move, w or b, must follow the board";
	out->turn = *rest++ == 'b';
	rest += strspn(rest, " ");
	if ((wrong = read_rights(&rest, out)) || (wrong = ck_men_read_passant(&rest, out)) ||
	    (wrong = read_tail(g, rest, out)) || (wrong = find_fault(g, out)))
		return wrong;
	keep_passant(g, out);
	return NULL;
}

static void variant_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	for (unsigned row = 8; row-- > 0; *out++ = row ? '/' : ' ') {
		char letter[2] = "";
		for (unsigned square = row * 8, run = 0; square < row * 8 + 8; square++) {
			run += !p->at[square];
			if (run && (p->at[square] || square % 8 == 7)) {
				*out++ = (char)('0' + run);
				run = 0;
			}
			letter[0] = p->at[square] ? LETTERS[p->at[square] - 1] : 0;
			out += sprintf(out, "%s%s", letter, p->at[PROMOTED + square] ? "~" : "");
		}
	}
	if (g->line == CRAZYHOUSE) {
		out[-1] = '[';
		for (unsigned colour = 0; colour < 2; colour++)
			for (unsigned kind = CK_QUEEN; kind >= CK_PAWN; kind--)
				for (unsigned n = 0; n < p->at[HAND + 5 * colour + kind - 1]; n++)
					*out++ = LETTERS[(kind | colour << 3) - 1];
		out += sprintf(out, "] ");
	}
	out += sprintf(out, "%c ", p->turn ? 'b' : 'w');
	unsigned rights = 0;
	for (unsigned i = 0; i < 4; i++)
		for (unsigned file = 0; file < 8; file++) {
			unsigned colour = i / 2, square = 56 * colour + file;
			bool higher = square > find_king(p, colour);
			if (!p->at[CASTLES + square] || higher == (i % 2 == 1))
				continue;
			bool outer = outer_rook(p, colour, higher) == square;
			*out++ = outer ? "KQkq"[i] : (char)((colour ? 'a' : 'A') + file);
			rights++;
		}
	out += sprintf(out, "%s ", rights ? "" : "-");
	if (p->passant)
		out += sprintf(out, "%c%c", 'a' + p->passant - 1, p->turn ? '3' : '6');
	else
		out += sprintf(out, "-");
	if (g->line == THREE_CHECK)
		out += sprintf(out, " %u+%u", p->at[CHECKS], p->at[CHECKS + 1]);
	if (p->first != p->turn)
		sprintf(out, " first=%c", p->first ? 'b' : 'w');
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t variant_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	struct ck_position marked = *p;
	for (unsigned i = 0; i < 64; i++)
		if (p->at[CASTLES + i])
			marked.at[i] |= 7;
	size_t size = ck_men_encode(&marked, p->turn | (unsigned)p->first << 5, out);
	if (g->line == CRAZYHOUSE) {
		memset(out + size, 0, 8);
		for (unsigned i = 0; i < 64; i++)
			out[size + i / 8] |= (uint8_t)(p->at[PROMOTED + i] << i % 8);
		memcpy(out + size + 8, p->at + HAND, 10);
		size += 18;
	}
	if (g->line == THREE_CHECK)
		out[size++] = (uint8_t)(p->at[CHECKS] + 4 * p->at[CHECKS + 1]);
	return size;
}

static bool variant_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	size_t tail = g->line == CRAZYHOUSE ? 18 : g->line == THREE_CHECK;
	unsigned men = 0;
	if (size < CK_MEN_KEY_HEAD + tail || key[0] & ~0x21u || key[1] > 8)
		return false;
	const uint8_t *rest = key + size - tail;
	for (unsigned i = 0; i < 64; i++) {
		if (!(key[2 + i / 8] >> i % 8 & 1))
			continue;
		if (CK_MEN_KEY_HEAD + men / 2 >= size - tail)
			return false;
		unsigned man = key[CK_MEN_KEY_HEAD + men / 2] >> men % 2 * 4 & 15;
		if (!ck_man_kind(man))
			return false;
		p->at[CASTLES + i] = ck_man_kind(man) == 7;
		p->at[i] = (uint8_t)(ck_man_kind(man) == 7 ? man - 7 + CK_ROOK : man);
		p->at[PROMOTED + i] = 0;
		men++;
	}
	for (unsigned i = 0; g->line == CRAZYHOUSE && i < 64; i++)
		p->at[PROMOTED + i] = rest[i / 8] >> i % 8 & 1;
	for (unsigned i = 0; g->line == CRAZYHOUSE && i < 10; i++)
		p->at[HAND + i] = rest[8 + i];
	for (unsigned i = 0; g->line == THREE_CHECK && i < 2; i++)
		p->at[CHECKS + i] = rest[0] >> 2 * i & 3;
	p->turn = key[0] & 1;
	p->first = key[0] >> 5;
	p->passant = key[1];
	if (!ck_men_passant_fits(p) || find_fault(g, p))
		return false;
	keep_passant(g, p); /* if this clears it, the key is not canonical, and ck_decode refuses it */
	return true;
}

static int variant_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			     struct pd_fail *fail)
{
	g->line = 0;
	while (g->line < VARIANTS && strcmp(variants[g->line].name, params) != 0)
		g->line++;
	if (g->line == VARIANTS)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"chess-variant takes crazyhouse, 3check, kingofthehill, racingkings, horde or atomic");
	g->width = g->height = 8;
	g->worst = 0;
	g->repeats = true;
	g->key_max = CK_MEN_KEY_HEAD + 32 + 18;
	return PD_OK;
}

static const char *variant_name_outcome(int64_t value)
{
	return value > 0 ? "first wins" : "no win";
}

static void variant_move_name(const struct ck_game *game, const struct ck_position *p, uint16_t move,
			      char out[CK_MOVE_TEXT])
{
	if (!is_drop(move)) {
		ck_men_move_name(game, p, move, out);
		return;
	}
	*out++ = LETTERS[(move >> 12) - 1];
	*out++ = '@';
	ck_square_name(out, move & 7, move >> 3 & 7);
}

const struct ck_rules ck_chess_variant = {
	.name = "chess-variant",
	CK_RULES(variant),
	.over = variant_is_over,
	.first_moves = variant_first_moves,
	.outcome = variant_name_outcome,
	.move_name = variant_move_name,
	.grid = &ck_men_grid,
};
