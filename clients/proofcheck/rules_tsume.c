/* Tsume-shogi: the attacker, who is First, gives check with every move; the value is 1 if it mates, else 0.
 *
 * Rules: shogi. A side has no two unpromoted pawns in a file; no pawn drop mates; no piece goes unpromoted to where it
 * could never move. The attacker may have no king. Who attacks is the side to move at the root, or that of first=b or
 * first=w. A defender without a move has lost, as in shogi. An attacker without a check, and infinite play, are worth
 * 0.
 *
 * at: the board as the attacker sees it, who moves up, 1 pawn, 2 lance, 3 knight, 4 silver, 5 bishop, 6 rook, 7 gold,
 * 8 king, 9 to 14 the first six promoted, plus 16 for the defender's. From HAND on follow the attacker's hand and the
 * defender's, each 7 numbers, pawns to golds. turn: 0 the attacker. first: 1 if the attacker is White, for texts. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"

enum { PAWN = 1, LANCE, KNIGHT, SILVER, BISHOP, ROOK, GOLD, KING, HORSE = 13, DRAGON = 14 };
enum { SIZE = 9, SQUARES = 81, HAND = SQUARES, KINDS = 7, PROMOTES = 8, DEFENDER = 16, KEY_BYTES = 58 };

static const char letters[] = " PLNSBRGK";
static const unsigned set[KINDS] = {18, 4, 4, 4, 2, 2, 4};

static unsigned kind_of(unsigned man)
{
	return man & 15;
}

static unsigned owner_of(unsigned man)
{
	return man / DEFENDER;
}

static unsigned unpromote_man(unsigned man)
{
	return kind_of(man) > KING ? kind_of(man) - PROMOTES : kind_of(man);
}

static uint8_t *hand_of(struct ck_position *p, unsigned side)
{
	return p->at + HAND + KINDS * side;
}

/* --- moves -------------------------------------------------------------------------------- */

/* The square that has number n in codes and keys: file by file from the right, each from the top. */
static unsigned square_of(unsigned n)
{
	return (8 - n % SIZE) * SIZE + 8 - n / SIZE;
}

static unsigned number_of(unsigned square)
{
	return (8 - square % SIZE) * SIZE + 8 - square / SIZE;
}

static int sign_of(int x)
{
	return (x > 0) - (x < 0);
}

/* True when all squares between two of a row, a column or a diagonal are empty. */
static bool is_clear(const struct ck_position *p, int from, int dx, int dy)
{
	int step = sign_of(dy) * SIZE + sign_of(dx), to = from + dy * SIZE + dx;
	for (int square = from + step; square != to; square += step)
		if (p->at[square])
			return false;
	return true;
}

/* True when the man on `from` could go to `to`, if no own man is there. */
static bool reaches_square(const struct ck_position *p, unsigned from, unsigned to)
{
	unsigned man = p->at[from];
	int dx = (int)(to % SIZE) - (int)(from % SIZE), dy = (int)(to / SIZE) - (int)(from / SIZE);
	int ahead = owner_of(man) ? -dy : dy;
	bool near = dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1 && (dx || dy);
	bool straight = (dx == 0) != (dy == 0), oblique = dx && (dx == dy || dx == -dy);
	switch (kind_of(man)) {
	case PAWN:
		return dx == 0 && ahead == 1;
	case LANCE:
		return dx == 0 && ahead > 0 && is_clear(p, (int)from, dx, dy);
	case KNIGHT:
		return (dx == 1 || dx == -1) && ahead == 2;
	case SILVER:
		return near && (ahead == 1 || oblique);
	case BISHOP:
		return oblique && is_clear(p, (int)from, dx, dy);
	case ROOK:
		return straight && is_clear(p, (int)from, dx, dy);
	case HORSE:
		return near || (oblique && is_clear(p, (int)from, dx, dy));
	case DRAGON:
		return near || (straight && is_clear(p, (int)from, dx, dy));
	case KING:
		return near;
	default: /* gold, and the men that move like it */
		return near && (ahead >= 0 || dx == 0);
	}
}

/* True when the king of that side is attacked; a side without a king never is. */
static bool in_check(const struct ck_position *p, unsigned side)
{
	for (unsigned king = 0; king < SQUARES; king++)
		for (unsigned from = 0; p->at[king] == KING + DEFENDER * side && from < SQUARES; from++)
			if (p->at[from] && owner_of(p->at[from]) != side && reaches_square(p, from, king))
				return true;
	return false;
}

/* The number of rows ahead of a square. */
static unsigned rows_ahead(unsigned square, unsigned side)
{
	return side ? square / SIZE : 8 - square / SIZE;
}

/* True when a man of that kind on that square could not move, even on an empty board. */
static bool is_stuck(unsigned kind, unsigned square, unsigned side)
{
	return ((kind == PAWN || kind == LANCE) && rows_ahead(square, side) == 0) ||
	       (kind == KNIGHT && rows_ahead(square, side) < 2);
}

static bool has_pawn(const struct ck_position *p, unsigned file, unsigned side)
{
	for (unsigned square = file; square < SQUARES; square += SIZE)
		if (p->at[square] == PAWN + DEFENDER * side)
			return true;
	return false;
}

static void tsume_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	unsigned from = move & 127, to = square_of(move >> 7 & 127);
	if (from < SQUARES) {
		unsigned taken = p->at[to], origin = square_of(from);
		if (taken)
			hand_of(p, p->turn)[unpromote_man(taken) - 1]++;
		p->at[to] = (uint8_t)(p->at[origin] + (move >> 14 ? PROMOTES : 0));
		p->at[origin] = 0;
	} else {
		hand_of(p, p->turn)[from - SQUARES]--;
		p->at[to] = (uint8_t)(from - SQUARES + 1 + DEFENDER * p->turn);
	}
	p->turn ^= 1;
}

static unsigned list_all(const struct ck_game *g, const struct ck_position *p, bool checks, unsigned most,
			 uint16_t *out);

/* True when a move that is right as far as the man goes is a legal one; with `checks` it must give check. */
static bool is_legal(const struct ck_game *g, const struct ck_position *p, uint16_t move, bool checks)
{
	struct ck_position next = *p;
	uint16_t reply;
	tsume_play_move(g, &next, move);
	bool check = in_check(&next, next.turn);
	if ((checks && !check) || in_check(&next, p->turn))
		return false;
	return !(check && (move & 127) == SQUARES + PAWN - 1 && !list_all(g, &next, false, 1, &reply));
}

/* Lists the moves of the man on a square, or drops of a kind (`from` SQUARES and above), until there are `most`. */
static unsigned list_from(const struct ck_game *g, const struct ck_position *p, unsigned from, bool checks,
			  unsigned most, uint16_t *out)
{
	bool drop = from >= SQUARES;
	unsigned side = p->turn, kind = drop ? from - SQUARES + 1 : kind_of(p->at[from]), n = 0;
	for (unsigned to = 0; to < SQUARES; to++) {
		if (drop ? p->at[to] || (kind == PAWN && has_pawn(p, to % SIZE, side))
			 : (p->at[to] && owner_of(p->at[to]) == side) || !reaches_square(p, from, to))
			continue;
		bool may = !drop && kind < GOLD && (rows_ahead(from, side) < 3 || rows_ahead(to, side) < 3);
		unsigned code = (drop ? from : number_of(from)) | number_of(to) << 7;
		for (unsigned promotes = 0; promotes <= may && n < most; promotes++) {
			uint16_t move = (uint16_t)(code | promotes << 14);
			if ((promotes || !is_stuck(kind, to, side)) && is_legal(g, p, move, checks))
				out[n++] = move;
		}
	}
	return n;
}

/* Lists legal moves until there are `most`; with `checks` only those that give check. */
static unsigned list_all(const struct ck_game *g, const struct ck_position *p, bool checks, unsigned most,
			 uint16_t *out)
{
	unsigned n = 0;
	for (unsigned from = 0; from < SQUARES; from++)
		if (p->at[from] && owner_of(p->at[from]) == p->turn)
			n += list_from(g, p, from, checks, most - n, out + n);
	for (unsigned i = 0; i < KINDS; i++)
		if (p->at[HAND + KINDS * p->turn + i])
			n += list_from(g, p, SQUARES + i, checks, most - n, out + n);
	return n;
}

static unsigned tsume_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	return list_all(g, p, p->turn == 0, CK_MOVES_MAX, out);
}

static bool tsume_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t move;
	if (list_all(g, p, p->turn == 0, 1, &move))
		return false;
	*value = p->turn == 1;
	return true;
}

/* --- positions ---------------------------------------------------------------------------- */

/* Returns what is wrong with the board and the attacker's hand, or NULL; gives the defender the other men. */
static const char *give_rest(struct ck_position *p)
{
	unsigned kings[2] = {ck_count_kind(p->at, SQUARES, KING), ck_count_kind(p->at, SQUARES, KING + DEFENDER)};
	if (kings[0] > 1 || kings[1] != 1)
		return "the defender must have one king, the attacker at most one";
	for (unsigned i = 0; i < KINDS; i++) {
		unsigned used = hand_of(p, 0)[i];
		for (unsigned square = 0; square < SQUARES; square++)
			used += p->at[square] && unpromote_man(p->at[square]) == i + 1;
		if (used > set[i])
			return "there are too many men of a kind";
		hand_of(p, 1)[i] = (uint8_t)(set[i] - used);
	}
	for (unsigned square = 0; square < SQUARES; square++) {
		unsigned man = p->at[square], pawns = 0;
		if (man && is_stuck(kind_of(man), square, owner_of(man)))
			return "a man can never move";
		for (unsigned other = square % SIZE; other < SQUARES; other += SIZE)
			pawns += kind_of(man) == PAWN && p->at[other] == man;
		if (pawns > 1)
			return "two pawns of a side are in one file";
	}
	return in_check(p, !p->turn) ? "the side that is not to move is in check" : NULL;
}

/* The man of a letter, at *text after a plus sign if it is promoted; 0 if there is none. Upper case is the attacker's.
 */
static unsigned read_man(const char **text)
{
	bool promoted = **text == '+';
	char c = (*text)[promoted], upper = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
	const char *at = upper > ' ' ? strchr(letters, upper) : NULL;
	unsigned kind = at ? (unsigned)(at - letters) : 0;
	if (!kind || (promoted && kind >= GOLD))
		return 0;
	*text += 1 + promoted;
	return kind + (promoted ? PROMOTES : 0) + (c == upper ? 0 : DEFENDER);
}

static const char *read_board(const char **text, struct ck_position *p)
{
	for (unsigned row = SIZE; row-- > 0;) {
		for (unsigned column = 0; column < SIZE;) {
			unsigned man = 0;
			if (**text >= '1' && **text <= '9')
				column += (unsigned)(*(*text)++ - '0');
			else if ((man = read_man(text)) != 0)
				p->at[row * SIZE + column++] = (uint8_t)man;
			else
				return "the board must have rows of nine squares";
			if (column > SIZE)
				return "a row is too long";
		}
		if (row && *(*text)++ != '/')
			return "rows must be separated by /";
	}
	return NULL;
}

static const char *read_hands(const char **text, struct ck_position *p)
{
	if (**text == '-') {
		++*text;
		return NULL;
	}
	while (**text && **text != ' ') {
		unsigned number = 1;
		if (**text >= '0' && **text <= '9' && (!ck_number(text, &number) || number > 18))
			return "a number in a hand must be 1 to 18";
		unsigned man = read_man(text), side = owner_of(man);
		if (!kind_of(man) || kind_of(man) > GOLD || hand_of(p, side)[kind_of(man) - 1])
			return "hands are letters of men, each once, with numbers";
		hand_of(p, side)[kind_of(man) - 1] = (uint8_t)number;
	}
	return NULL;
}

/* Exchanges the sides, and turns the board. */
static void exchange_sides(struct ck_position *p)
{
	struct ck_position old = *p;
	for (unsigned square = 0; square < SQUARES; square++) {
		unsigned man = old.at[SQUARES - 1 - square];
		p->at[square] = (uint8_t)(!man ? 0 : owner_of(man) ? man - DEFENDER : man + DEFENDER);
	}
	memcpy(hand_of(p, 0), hand_of(&old, 1), KINDS);
	memcpy(hand_of(p, 1), hand_of(&old, 0), KINDS);
	p->turn ^= 1;
}

/* Reads an SFEN into an empty position; a capital letter stands for the attacker until the sides are exchanged. */
static const char *read_sfen(const char *text, struct ck_position *p)
{
	const char *wrong = read_board(&text, p);
	if (wrong)
		return wrong;
	if (text[0] != ' ' || (text[1] != 'b' && text[1] != 'w') || text[2] != ' ' || !text[3] || text[3] == ' ')
		return "the side to move, b or w, and the hands must follow the board";
	p->turn = text[1] == 'w';
	p->first = p->turn;
	text += 3;
	if ((wrong = read_hands(&text, p)) != NULL)
		return wrong;
	if (text[0] == ' ' && text[1] >= '0' && text[1] <= '9') {
		size_t digits = strspn(text + 1, "0123456789");
		if (digits > 9)
			return "a move number has at most nine digits";
		text += 1 + digits;
	}
	if (!strncmp(text, " first=", 7) && (text[7] == 'b' || text[7] == 'w')) {
		p->first = text[7] == 'w';
		text += 8;
	}
	if (*text)
		return "the text goes on after the position";
	if (p->first)
		exchange_sides(p);
	return NULL;
}

static const char *tsume_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	static const uint8_t none[KINDS];
	uint8_t given[KINDS];
	memset(out, 0, sizeof *out);
	const char *wrong = read_sfen(*text ? text : "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P", out);
	if (wrong)
		return wrong;
	memcpy(given, hand_of(out, 1), KINDS);
	wrong = give_rest(out);
	if (!wrong && memcmp(given, none, KINDS) != 0 && memcmp(given, hand_of(out, 1), KINDS) != 0)
		wrong = "the defender's hand must be all men that are nowhere else";
	return wrong;
}

/* The letter of a man of the attacker (side 0) or the defender in the colours of the text. */
static char letter_of(const struct ck_position *p, unsigned kind, unsigned side)
{
	return (char)(side == p->first ? letters[kind] : letters[kind] - 'A' + 'a');
}

/* The square that texts show in that row and column from the bottom left. */
static unsigned shown_square(const struct ck_position *p, unsigned row, unsigned column)
{
	unsigned square = row * SIZE + column;
	return p->first ? SQUARES - 1 - square : square;
}

static char *print_hand(const struct ck_position *p, unsigned side, char *out)
{
	static const uint8_t order[KINDS] = {ROOK, BISHOP, GOLD, SILVER, KNIGHT, LANCE, PAWN};
	for (unsigned i = 0; i < KINDS; i++) {
		unsigned count = p->at[HAND + KINDS * side + order[i] - 1];
		if (count > 1)
			out += sprintf(out, "%u", count);
		if (count)
			*out++ = letter_of(p, order[i], side);
	}
	*out = 0;
	return out;
}

static void tsume_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	for (unsigned row = SIZE; row-- > 0;) {
		unsigned empty = 0;
		for (unsigned column = 0; column < SIZE; column++) {
			unsigned man = p->at[shown_square(p, row, column)];
			empty += !man;
			if (empty && (man || column == SIZE - 1)) {
				*out++ = (char)('0' + empty);
				empty = 0;
			}
			if (kind_of(man) > KING)
				*out++ = '+';
			if (man)
				*out++ = letter_of(p, unpromote_man(man), owner_of(man));
		}
		*out++ = row ? '/' : ' ';
	}
	*out++ = p->turn == p->first ? 'b' : 'w';
	*out++ = ' ';
	char *end = print_hand(p, !p->first, print_hand(p, p->first, out));
	if (end == out)
		*end++ = '-';
	sprintf(end, "%s", !p->turn ? "" : p->first ? " first=w" : " first=b");
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t tsume_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint64_t file[SIZE] = {0};
	for (unsigned n = SQUARES; n-- > 0;)
		file[n / SIZE] = file[n / SIZE] * 32 + p->at[square_of(n)];
	bool mirrored = false;
	for (unsigned i = SIZE; i-- > 0;)
		if (file[i] != file[SIZE - 1 - i])
			mirrored = file[SIZE - 1 - i] < file[i]; /* the first file that differs decides */
	memset(out, 0, KEY_BYTES);
	for (unsigned bit = 0; bit < 5 * SQUARES; bit++)
		if (file[mirrored ? SIZE - 1 - bit / 45 : bit / 45] >> bit % 45 & 1)
			out[bit / 8] |= (uint8_t)(1u << bit % 8);
	out[50] |= (uint8_t)(p->turn << 5);
	memcpy(out + 51, p->at + HAND, KINDS);
	return KEY_BYTES;
}

static bool tsume_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	if (size != KEY_BYTES || key[50] > 63)
		return false;
	memset(p, 0, sizeof *p);
	for (unsigned n = 0; n < SQUARES; n++) {
		unsigned man = 0;
		for (unsigned bit = 5 * n; bit < 5 * n + 5; bit++)
			man |= (unsigned)(key[bit / 8] >> bit % 8 & 1) << (bit - 5 * n);
		if (man && (!kind_of(man) || kind_of(man) > DRAGON))
			return false;
		p->at[square_of(n)] = (uint8_t)man;
	}
	p->turn = key[50] >> 5;
	memcpy(hand_of(p, 0), key + 51, KINDS);
	return !give_rest(p);
}

/* --- display, opening --------------------------------------------------------------------- */

static void tsume_picture(const struct ck_game *g, const struct ck_position *p, char *out)
{
	out += sprintf(out, "  9  8  7  6  5  4  3  2  1\n");
	for (unsigned row = SIZE; row-- > 0;) {
		for (unsigned column = 0; column < SIZE; column++) {
			unsigned man = p->at[shown_square(p, row, column)];
			out += sprintf(out, " %c%c", kind_of(man) > KING ? '+' : ' ',
				       man ? letter_of(p, unpromote_man(man), owner_of(man)) : '.');
		}
		out += sprintf(out, " %c\n", 'i' - row);
	}
	out += sprintf(out, "in hand: ");
	out = print_hand(p, !p->first, print_hand(p, p->first, out));
	sprintf(out, "\n");
}

static void tsume_move_name(const struct ck_game *g, const struct ck_position *p, uint16_t move, char *out)
{
	unsigned from = move & 127, to = move >> 7 & 127;
	if (from >= SQUARES)
		out += sprintf(out, "%c*", letters[from - SQUARES + 1]);
	else
		out += sprintf(out, "%u%c", (p->first ? 80 - from : from) / SIZE + 1,
			       'a' + (p->first ? 80 - from : from) % SIZE);
	to = p->first ? 80 - to : to;
	sprintf(out, "%u%c%s", to / SIZE + 1, 'a' + to % SIZE, move >> 14 ? "+" : "");
}

static int tsume_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			   struct pd_fail *fail)
{
	if (strcmp(g->name, "tsume"))
		return pd_fail_set(fail, PD_E_GAME, "game", "tsume takes no parameters");
	g->width = g->height = SIZE;
	g->worst = 0;
	g->repeats = true;
	g->key_max = KEY_BYTES;
	return PD_OK;
}

static const char *tsume_name_outcome(int64_t value)
{
	return value > 0 ? "first mates" : "no mate";
}

/* The same board and side to move, and the attacker's hand has at least as much of everything (the defender: at most).
 * */
static bool tsume_dominates(const struct ck_game *g, const struct ck_position *a, const struct ck_position *b,
			    int64_t bound, bool upper)
{
	bool holds = !memcmp(a->at, b->at, SQUARES) && a->turn == b->turn;
	for (unsigned i = HAND; i < HAND + KINDS; i++)
		holds = holds && (upper ? a->at[i] <= b->at[i] : a->at[i] >= b->at[i]);
	return holds;
}

const struct ck_rules ck_tsume = {
	.name = "tsume",
	CK_RULES(tsume),
	.over = tsume_is_over,
	.first_moves = ck_turn_0_moves,
	.outcome = tsume_name_outcome,
	.picture = tsume_picture,
	.move_name = tsume_move_name,
	.dominates = tsume_dominates,
};
