/* Chess variants as text (FEN with hands, promoted men and checks) and on their board. */
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/chess_variant.h"

static const char letters[] = ".PNBRQK..pnbrqk";

static unsigned code_of(char c)
{
	const char *at = c && c != '.' ? strchr(letters, c) : NULL;
	return at ? (unsigned)(at - letters) : 0;
}

/* --- reading ------------------------------------------------------------------------------ */

/* Reads men in hand up to a character that is none of them. */
static void read_hands(const char **text, struct chess_variant_state *s)
{
	for (unsigned code; (code = code_of(**text)) != 0 && (code & 7) < CHESS_KING; ++*text) {
		uint8_t *n = &s->hand[code >> 3][(code & 7) - 1];
		*n += *n <= VARIANT_MEN_MAX;
	}
}

/* Reads the board, and in crazyhouse what is in hand, [QRn] or /QRn. */
static const char *read_board(const struct chess_variant *v, const char **text, struct chess_variant_state *s)
{
	unsigned row = 7, file = 0;
	for (; **text && **text != ' ' && **text != '['; ++*text) {
		unsigned code = code_of(**text);
		if (**text == '/') {
			if (file != 8)
				return "a row has 8 squares";
			if (!row)
				break;
			row--;
			file = 0;
		} else if (**text == '~' && (*text)[-1] != '~' && v->hands && file > 0) {
			s->promoted |= chess_bit(8 * row + file - 1);
		} else if (**text >= '1' && **text <= '8') {
			file += (unsigned)(**text - '0');
		} else if (code && file < 8) {
			chess_put(&s->board, 8 * row + file++, code);
		} else {
			return "a row has letters of men, numbers of empty squares, and 8 squares in all";
		}
		if (file > 8)
			return "a row has 8 squares";
	}
	if (row || file != 8)
		return "the board has 8 rows of 8 squares";
	if (!v->hands || **text == ' ')
		return **text == ' ' ? NULL : "a blank follows the board";
	bool bracket = *(*text)++ == '[';
	read_hands(text, s);
	if (bracket && *(*text)++ != ']') {
		--*text;
		return "the men in hand are letters of men without kings, and ] follows them";
	}
	return NULL;
}

/* The rook that a castling right means; 64: there is none. K and Q mean the rook furthest from the king, letters of
 * files any rook (X-FEN). */
static unsigned rook_of(const struct chess_state *s, char right)
{
	static const char wings[] = "KQkq";
	const char *wing = strchr(wings, right);
	bool black = right >= 'a';
	unsigned row = black ? 56 : 0, king = 64, found = 64;
	for (unsigned i = row; i < row + 8; i++)
		king = chess_man(s, i) == (CHESS_KING | (black ? CHESS_BLACK : 0)) ? i : king;
	for (unsigned i = row; i < row + 8 && king < 64; i++) {
		if (chess_man(s, i) != (CHESS_ROOK | (black ? CHESS_BLACK : 0)))
			continue;
		bool meant = !wing                ? (char)((black ? 'a' : 'A') + i % 8) == right
			     : (wing - wings) % 2 ? i < king && found == 64
						  : i > king;
		found = meant ? i : found;
	}
	return found;
}

static const char *read_rights(const char **text, struct chess_variant_state *s)
{
	if (**text == '-') {
		++*text;
	} else {
		if (**text == ' ' || !**text)
			return "castling rights, - or some of KQkq, follow the side to move";
		for (; **text && **text != ' '; ++*text) {
			unsigned rook = strchr("KQkqABCDEFGHabcdefgh", **text) ? rook_of(&s->board, **text) : 64;
			if (rook == 64 || s->castling & chess_bit(rook))
				return "the castling field must be -, or letters of KQkq or of files, each for a rook "
				       "on "
				       "the row of its king, once";
			s->castling |= chess_bit(rook);
		}
	}
	if (**text != ' ')
		return "a blank follows the castling rights";
	++*text;
	return NULL;
}

/* Reads the digits of "3+3"; false if that is not what is there. */
static bool read_pair(const char *text, uint8_t out[2])
{
	if (text[0] < '0' || text[0] > '3' || text[1] != '+' || text[2] < '0' || text[2] > '3')
		return false;
	out[0] = (uint8_t)(text[0] - '0');
	out[1] = (uint8_t)(text[2] - '0');
	return true;
}

/* Reads the checks that must still be given, 3+3 here, or those given, +0+0 behind the counters; without either none
 * has been given. Returns what is wrong, or NULL. */
static const char *read_checks(const char **text, struct chess_variant_state *s)
{
	const char *p = *text;
	s->left[0] = s->left[1] = VARIANT_CHECKS;
	if (*p == ' ' && read_pair(p + 1, s->left)) {
		*text += 4;
		return NULL;
	}
	unsigned number;
	for (unsigned i = 0; i < 2 && *p == ' ' && p[1] >= '0' && p[1] <= '9'; i++) {
		const char *digits = p + 1;
		if (!text_number(&digits, &number))
			return NULL; /* what reads the counters refuses it */
		p = digits;
	}
	uint8_t given[2];
	if (p[0] == ' ' && p[1] == '+' && read_pair(p + 2, given)) {
		for (unsigned i = 0; i < 2; i++)
			s->left[i] = (uint8_t)(VARIANT_CHECKS - given[i]);
		*text = p + 5;
		if (p[5] == ' ' && p[6] >= '0' && p[6] <= '9')
			return "the counters come before the checks that were given, as in 0 1 +0+0";
	}
	return NULL;
}

int chess_variant_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct chess_variant *v = chess_variant_of(game)->variant;
	struct chess_variant_state s = {0};
	const char *p = text, *wrong;
	if (!*text) {
		game->rules->start(game, state);
		return PD_OK;
	}
	wrong = read_board(v, &p, &s);
	if (!wrong)
		wrong = chess_read_side(&p, &s.board);
	if (!wrong)
		wrong = read_rights(&p, &s);
	if (!wrong)
		wrong = chess_read_passing(&p, &s.board);
	if (!wrong && v->checks)
		wrong = read_checks(&p, &s);
	if (!wrong)
		wrong = chess_read_rest(&p, true, &s.board);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
				   (size_t)(p - text), wrong);
	wrong = chess_variant_complete(game, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

/* --- printing ----------------------------------------------------------------------------- */

static void print_board(const struct chess_variant *v, const struct chess_variant_state *s, struct text_line *line)
{
	for (unsigned row = 8, empty = 0; row-- > 0;) {
		for (unsigned square = 8 * row; square < 8 * row + 8; square++) {
			unsigned man = chess_man(&s->board, square);
			empty += !man;
			if (empty && (man || square % 8 == 7)) {
				text_printf(line, "%u", empty);
				empty = 0;
			}
			if (man)
				text_printf(line, "%c%s", letters[man], s->promoted >> square & 1 ? "~" : "");
		}
		if (row)
			text_char(line, '/');
	}
	if (!v->hands)
		return;
	text_char(line, '[');
	for (unsigned side = 0; side < 2; side++)
		for (unsigned kind = CHESS_QUEEN; kind >= CHESS_PAWN; kind--)
			for (unsigned n = 0; n < s->hand[side][kind - 1]; n++)
				text_char(line, letters[kind | (side ? CHESS_BLACK : 0)]);
	text_char(line, ']');
}

/* Writes KQkq, or the letter of a file where another rook stands further from the king; nothing without rights. */
static void print_rights(const struct chess_variant_state *s, struct text_line *line)
{
	for (const char *right = "KQkq"; *right; right++) {
		bool black = *right >= 'a', right_wing = *right == 'K' || *right == 'k';
		unsigned row = black ? 56 : 0, king = row;
		while (king < row + 7 && chess_man(&s->board, king) != (CHESS_KING | (black ? CHESS_BLACK : 0)))
			king++;
		PD_ASSERT(king < row + 8);
		uint64_t rooks = s->castling & ROW_1 << row;
		rooks &= right_wing ? ~(chess_bit(king) - 1) : chess_bit(king) - 1;
		if (!rooks)
			continue;
		unsigned rook = chess_first(rooks);
		text_char(line, rook_of(&s->board, *right) == rook ? *right : (char)((black ? 'a' : 'A') + rook % 8));
	}
}

size_t chess_variant_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct chess_variant *v = chess_variant_of(game)->variant;
	const struct chess_variant_state *s = state;
	struct text_line line = text_line(out, size);
	print_board(v, s, &line);
	text_printf(&line, " %c %s", s->board.side ? 'b' : 'w', s->castling ? "" : "-");
	print_rights(s, &line);
	if (s->board.passing)
		text_printf(&line, " %c%c", 'a' + s->board.passing - 1, s->board.side ? '3' : '6');
	else
		text_printf(&line, " -");
	if (v->checks)
		text_printf(&line, " %u+%u", s->left[0], s->left[1]);
	if (s->board.first_black != s->board.side)
		text_printf(&line, " first=%c", s->board.first_black ? 'b' : 'w');
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

/* Promoted men are pieces of their own, after those of chess: knight, bishop, rook, queen. */
enum { MEN = 12, PROMOTED = 4 };

static const struct game_piece promoted_men[] = {
	{'H', GAME_FIRST, GAME_GLYPH, "white promoted knight", "\u2658\u0334"},
	{'A', GAME_FIRST, GAME_GLYPH, "white promoted bishop", "\u2657\u0334"},
	{'T', GAME_FIRST, GAME_GLYPH, "white promoted rook", "\u2656\u0334"},
	{'D', GAME_FIRST, GAME_GLYPH, "white promoted queen", "\u2655\u0334"},
	{'h', GAME_SECOND, GAME_GLYPH, "black promoted knight", "\u265e\u0334"},
	{'a', GAME_SECOND, GAME_GLYPH, "black promoted bishop", "\u265d\u0334"},
	{'t', GAME_SECOND, GAME_GLYPH, "black promoted rook", "\u265c\u0334"},
	{'d', GAME_SECOND, GAME_GLYPH, "black promoted queen", "\u265b\u0334"},
};

void chess_variant_board(const struct game *game, struct game_board *out)
{
	chess_board(game, out);
	if (!chess_variant_of(game)->variant->hands)
		return;
	out->hands = true;
	memcpy(out->piece + MEN, promoted_men, sizeof promoted_men);
	out->pieces = MEN + 2 * PROMOTED;
}

/* The note is as in chess-mate; the checks that must still be given follow in 3check, as in "checks to give 3+2". */
void chess_variant_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct chess_variant *v = chess_variant_of(game)->variant;
	const struct chess_variant_state *s = state;
	struct text_line line = text_line(out->note, sizeof out->note);
	cells_diagram(game, state, out);
	if (out->to_move != GAME_NO_SIDE)
		out->to_move = s->board.side == WHITE_SIDE ? GAME_FIRST : GAME_SECOND;
	for (uint64_t men = s->promoted; men; men &= men - 1) {
		unsigned square = chess_first(men), man = chess_man(&s->board, square);
		out->on[square] = (uint8_t)(MEN + (man >> 3) * PROMOTED + (man & 7) - CHESS_PAWN);
	}
	for (unsigned side = 0; side < 2; side++)
		memcpy(out->hand[side] + 6 * side, s->hand[side], sizeof s->hand[side]);
	if (s->castling) {
		text_printf(&line, "castling ");
		print_rights(s, &line);
	}
	if (s->board.passing)
		text_printf(&line, "%sen passant %c%c", line.length ? "; " : "", 'a' + s->board.passing - 1,
			    s->board.side ? '3' : '6');
	text_printf(&line, "%sFirst is %s", line.length ? "; " : "", s->board.first_black ? "Black" : "White");
	if (v->checks)
		text_printf(&line, "; checks to give %u+%u", s->left[0], s->left[1]);
}

/* Puts the men of a diagram on the board and into the hands. Returns what is wrong with them, or NULL. */
static const char *put_diagram(const struct game *game, const struct game_diagram *d, struct chess_variant_state *s)
{
	bool hands = chess_variant_of(game)->variant->hands;
	for (unsigned square = 0; square < 64; square++) {
		unsigned piece = d->on[square], extra = piece - MEN - 1;
		if (piece > MEN + (hands ? 2 * PROMOTED : 0))
			return "the game has no such piece";
		if (piece > MEN) {
			s->promoted |= chess_bit(square);
			piece = extra / PROMOTED * 6 + extra % PROMOTED + CHESS_KNIGHT;
		}
		if (piece)
			chess_put(&s->board, square, piece > 6 ? piece - 6 + CHESS_BLACK : piece);
	}
	for (unsigned i = 0; i < 2 * GAME_PIECES_MAX; i++) {
		unsigned side = i / GAME_PIECES_MAX, piece = i % GAME_PIECES_MAX, n = d->hand[side][piece];
		if (n && (!hands || piece < 6 * side || piece > 6 * side + 4))
			return "only pawns, knights, bishops, rooks and queens are in hand, in crazyhouse";
		if (n > VARIANT_MEN_MAX)
			return "there are at most 64 men on the board and in hand";
		if (n)
			s->hand[side][piece - 6 * side] = (uint8_t)n;
	}
	return NULL;
}

/* Writes a diagram's note as the fields of a FEN that follow the side to move; false if it is malformed. */
static bool print_note(const char *note, const struct chess_variant *v, struct text_line *line)
{
	static const char *const heads[] = {"castling ", "en passant ", "First is ", "checks to give "};
	const char *part[4] = {"-", "-", "", ""};
	int size[4] = {1, 1, 0, 0};
	for (unsigned i = 0; i < 4; i++) {
		size_t head = strlen(heads[i]);
		if (strncmp(note, heads[i], head) != 0)
			continue;
		part[i] = note + head;
		size[i] = (int)strcspn(part[i], ";");
		note = part[i] + size[i];
		note += strspn(note, "; ");
	}
	bool black = !strncmp(part[2], "Black", 5);
	if (*note || (size[2] && (size[2] != 5 || (!black && strncmp(part[2], "White", 5) != 0))) ||
	    (size[3] && !v->checks))
		return false;
	text_printf(line, "%.*s %.*s", size[0], part[0], size[1], part[1]);
	if (size[3])
		text_printf(line, " %.*s", size[3], part[3]);
	if (size[2])
		text_printf(line, " first=%c", black ? 'b' : 'w');
	return true;
}

int chess_variant_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct chess_variant *v = chess_variant_of(game)->variant;
	struct chess_variant_state s = {0};
	char text[GAME_TEXT_MAX];
	struct text_line line = text_line(text, sizeof text);
	if (diagram->to_move >= GAME_NO_SIDE)
		return cells_refuse(fail, "name the side to move");
	const char *wrong = put_diagram(game, diagram, &s);
	if (wrong)
		return cells_refuse(fail, wrong);
	print_board(v, &s, &line);
	text_printf(&line, " %c ", diagram->to_move == GAME_SECOND ? 'b' : 'w');
	if (!print_note(diagram->note, v, &line) || line.length >= sizeof text)
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "malformed note; it is like 'castling KQkq; en passant e3; First is White%s'",
				   v->checks ? "; checks to give 3+3" : "");
	return chess_variant_parse(game, text, state, fail);
}
