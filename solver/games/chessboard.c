#include "solver/games/chessboard.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

static const char letters[] = ".PNBRQK..pnbrqk";

/* --- geometry ----------------------------------------------------------------------------- */

static uint64_t square_at(int row, int file)
{
	return row < 0 || row > 7 || file < 0 || file > 7 ? 0 : chess_bit((unsigned)(8 * row + file));
}

_Static_assert(sizeof(struct chess_state) <= GAME_STATE_MAX, "a state fits the room of searches");
_Static_assert((int)CHESS_KEY_MAX <= (int)GAME_KEY_MAX, "game.h has room for a key");
_Static_assert((int)CHESS_MOVES_MAX <= (int)GAME_MOVES_MAX, "game.h has room for the moves");

void chess_lines_init(struct chess_lines *l)
{
	static const int up[LINES] = {0, 1, 1, 1}, right[LINES] = {1, 0, 1, -1};
	memset(l, 0, sizeof *l);
	for (int square = 0; square < 64; square++) {
		int row = square / 8, file = square % 8;
		for (int line = 0; line < LINES; line++)
			for (int i = 1; i < 8; i++) {
				struct chess_halves *h = &l->line[square][line];
				h->upper |= square_at(row + i * up[line], file + i * right[line]);
				h->lower |= square_at(row - i * up[line], file - i * right[line]);
			}
		for (int dr = -2; dr <= 2; dr++)
			for (int df = -2; df <= 2; df++) {
				if (dr * dr + df * df == 5)
					l->knight[square] |= square_at(row + dr, file + df);
				else if (dr * dr + df * df == 1 || dr * dr + df * df == 2)
					l->king[square] |= square_at(row + dr, file + df);
			}
	}
}

/* --- positions that can be ---------------------------------------------------------------- */

/* What is wrong with rights and en-passant target; NULL when nothing is. */
static const char *check_marks(const struct chess_state *s)
{
	static const struct {
		uint8_t right, square, man;
	} home[] = {{3, 4, CHESS_KING},
		    {1, 7, CHESS_ROOK},
		    {2, 0, CHESS_ROOK},
		    {12, 60, CHESS_KING | CHESS_BLACK},
		    {4, 63, CHESS_ROOK | CHESS_BLACK},
		    {8, 56, CHESS_ROOK | CHESS_BLACK}};
	for (unsigned i = 0; i < sizeof home / sizeof home[0]; i++)
		if ((s->rights & home[i].right) && chess_man(s, home[i].square) != home[i].man)
			return "the castling field names a right whose king or rook is not at home";
	if (!s->passing)
		return NULL;
	unsigned target = chess_passing_square(s), pawn = chess_passed_pawn(s), origin = 2 * target - pawn;
	if (chess_man(s, pawn) != (s->side ? CHESS_PAWN : CHESS_PAWN | CHESS_BLACK) || chess_man(s, target) ||
	    chess_man(s, origin))
		return "no pawn can just have passed over the en-passant square";
	return NULL;
}

/* What is wrong with a position; NULL when nothing is, and then it is complete. */
const char *chess_complete(const struct game *game, const struct chess_form *form, struct chess_state *s)
{
	struct chess_men m = chess_men(s);
	if (m.pawns & (ROW_1 | ROW_8))
		return "a pawn stands on the first or the last row";
	const char *wrong = check_marks(s);
	return wrong ? wrong : form->complete(game, s);
}

void chess_start(struct chess_state *s, bool castling)
{
	static const uint8_t men[] = {CHESS_ROOK, CHESS_KNIGHT, CHESS_BISHOP, CHESS_QUEEN,
				      CHESS_KING, CHESS_BISHOP, CHESS_KNIGHT, CHESS_ROOK};
	memset(s, 0, sizeof *s);
	for (unsigned file = 0; file < 8; file++) {
		chess_put(s, file, men[file]);
		chess_put(s, 8 + file, CHESS_PAWN);
		chess_put(s, 48 + file, CHESS_PAWN | CHESS_BLACK);
		chess_put(s, 56 + file, men[file] | CHESS_BLACK);
	}
	s->rights = castling ? CHESS_CASTLING : 0;
}

/* --- keys --------------------------------------------------------------------------------- */

#if defined(__BMI2__) && defined(__x86_64__)

/* The codes of the men from number `skip` on, at most 16, four bits each. */
static uint64_t codes_of_men(const struct chess_state *s, uint64_t occupied, unsigned skip)
{
	uint64_t word = 0;
	for (unsigned i = 0; i < 4; i++)
		word |= __builtin_ia32_pdep_di(__builtin_ia32_pext_di(s->plane[i], occupied) >> skip,
					       UINT64_C(0x1111111111111111) << i);
	return word;
}

#else

static uint64_t codes_of_men(const struct chess_state *s, uint64_t occupied, unsigned skip)
{
	uint64_t word = 0;
	for (; occupied && skip > 0; skip--)
		occupied &= occupied - 1;
	for (unsigned i = 0; occupied && i < 16; i++, occupied &= occupied - 1)
		word |= (uint64_t)chess_man(s, chess_first(occupied)) << 4 * i;
	return word;
}

#endif

static void put_word(uint8_t *out, uint64_t word, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(word >> 8 * i);
}

size_t chess_key(const struct chess_state *s, uint8_t *out)
{
	uint64_t occupied = s->plane[0] | s->plane[1] | s->plane[2];
	unsigned bytes = (chess_count(occupied) + 1) / 2;
	PD_DEBUG_ASSERT(10 + bytes <= CHESS_KEY_MAX);
	PD_DEBUG_ASSERT(s->side < 2 && s->rights <= CHESS_CASTLING && s->passing <= 8);
	out[0] = (uint8_t)(s->side | s->rights << 1 | s->first_black << 5);
	out[1] = s->passing;
	put_word(out + 2, occupied, 8);
	for (unsigned i = 0; i < bytes; i += 8)
		put_word(out + 10 + i, codes_of_men(s, occupied, 2 * i), bytes - i < 8 ? bytes - i : 8);
	return 10 + bytes;
}

/* Reads the men of a key; false when they are none. */
static bool read_men(struct chess_state *s, const uint8_t *key, size_t size)
{
	uint64_t occupied = 0;
	for (unsigned i = 0; i < 8; i++)
		occupied |= (uint64_t)key[2 + i] << 8 * i;
	unsigned count = chess_count(occupied);
	if (size != 10 + (count + 1) / 2 || (count % 2 && key[size - 1] >> 4))
		return false;
	for (unsigned i = 0; i < count; i++, occupied &= occupied - 1) {
		unsigned code = key[10 + i / 2] >> 4 * (i % 2) & 15;
		if ((code & 7) < CHESS_PAWN || (code & 7) > CHESS_KING)
			return false;
		chess_put(s, chess_first(occupied), code);
	}
	return true;
}

int chess_unkey(const struct game *game, const struct chess_form *form, const uint8_t *key, size_t size, void *state)
{
	struct chess_state s = {0};
	if (size < 10 || size > CHESS_KEY_MAX || key[0] >> (form->mate ? 6 : 1) || key[1] > 8 ||
	    !read_men(&s, key, size))
		return PD_E_CORRUPT;
	s.side = key[0] & 1;
	s.rights = key[0] >> 1 & CHESS_CASTLING;
	s.first_black = key[0] >> 5;
	s.passing = key[1];
	if (chess_complete(game, form, &s) || s.passing != key[1])
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- positions as text -------------------------------------------------------------------- */

/* Reads the men; NULL on success, otherwise what is wrong at *text. */
static const char *read_board(const char **text, struct chess_state *s)
{
	for (unsigned row = 8; row-- > 0;) {
		for (unsigned file = 0; file < 8; ++*text) {
			char c = **text;
			const char *man = c && c != '.' ? strchr(letters, c) : NULL;
			if (c >= '1' && c <= '8') {
				if ((unsigned)(c - '0') > 8 - file)
					return "the row has more than 8 squares";
				file += (unsigned)(c - '0');
			} else if (man) {
				chess_put(s, 8 * row + file++, (unsigned)(man - letters));
			} else {
				return c == '/' || c == ' ' || !c
					       ? "the row has fewer than 8 squares"
					       : "a row is made of PNBRQK, pnbrqk and digits for empty squares";
			}
		}
		if (**text != (row ? '/' : ' '))
			return row ? "here a '/' and another row should follow; a board has 8 rows of 8 squares"
				   : "behind the 8 rows stand a blank and the side to move, w or b";
		++*text;
	}
	return NULL;
}

static const char *read_side(const char **text, struct chess_state *s)
{
	if ((**text != 'w' && **text != 'b') || (*text)[1] != ' ')
		return "here stand the side to move, w or b, and a blank";
	s->side = **text == 'b';
	*text += 2;
	return NULL;
}

static const char *read_rights(const char **text, bool mate, struct chess_state *s)
{
	static const char rights[] = "KQkq";
	const char *right;
	unsigned read = 0;
	if (**text == '-')
		++*text;
	else
		for (; **text && (right = strchr(rights, **text)) != NULL; ++*text) {
			unsigned bit = 1u << (right - rights);
			if (read & bit)
				return "a castling right is named twice";
			read |= bit;
		}
	if ((*text)[-1] == ' ' || **text != ' ')
		return "here stand castling rights, - or some of KQkq, and a blank";
	++*text;
	s->rights = mate ? (uint8_t)read : 0;
	return NULL;
}

static const char *read_passing(const char **text, struct chess_state *s)
{
	const char *p = *text;
	if (*p == '-') {
		++*text;
		return NULL;
	}
	if (*p < 'a' || *p > 'h' || p[1] != (s->side ? '3' : '6'))
		return s->side ? "here stands the en-passant square, - or a square of the third row"
			       : "here stands the en-passant square, - or a square of the sixth row";
	s->passing = (uint8_t)(1 + *p - 'a');
	*text += 2;
	return NULL;
}

/* Passes over the operations of EPD at *text, `bm Nf3; id "a; b";`: a name, operands, and a semicolon behind each. */
static const char *read_operations(const char **text)
{
	const char *p = *text;
	for (; *p; p += strspn(p, " ")) {
		*text = p;
		if ((*p < 'a' || *p > 'z') && (*p < 'A' || *p > 'Z'))
			return "an operation of EPD begins with a name, as in bm Nf3;";
		for (; *p && *p != ';'; p++)
			if (*p == '"' && !(p = strchr(p + 1, '"')))
				return "a quotation in an operation of EPD is not closed";
		if (*p != ';')
			return "an operation of EPD ends with a semicolon, as in bm Nf3;";
		p++;
	}
	*text = p;
	return NULL;
}

/* Reads what may follow the four fields: two counters, and who First is; or the operations of EPD. */
static const char *read_rest(const char **text, bool mate, struct chess_state *s)
{
	unsigned number, counters = 0;
	s->first_black = mate ? s->side : 0;
	while (counters < 2 && **text == ' ' && (*text)[1] >= '0' && (*text)[1] <= '9') {
		++*text;
		if (!text_number(text, &number))
			return "a counter has at most nine digits";
		counters++;
	}
	if (mate && (!strncmp(*text, " first=w", 8) || !strncmp(*text, " first=b", 8))) {
		s->first_black = (*text)[7] == 'b';
		*text += 8;
	}
	if (**text == ' ' && strchr(*text, ';')) {
		*text += strspn(*text, " ");
		return read_operations(text);
	}
	if (!**text)
		return NULL;
	return mate ? "behind the fields of a FEN may stand its two counters, and then first=w or first=b, or the "
		      "operations of EPD, no more"
		    : "behind the fields of a FEN may stand its two counters, or the operations of EPD, no more";
}

int chess_parse(const struct game *game, const struct chess_form *form, const char *text, void *state,
		struct pd_fail *fail)
{
	struct chess_state s = {0};
	const char *p = text, *wrong;
	if (!*text) {
		game->rules->start(game, state);
		return PD_OK;
	}
	if ((wrong = read_board(&p, &s)) || (wrong = read_side(&p, &s)) || (wrong = read_rights(&p, form->mate, &s)) ||
	    (wrong = read_passing(&p, &s)) || (wrong = read_rest(&p, form->mate, &s)))
		return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
				   (size_t)(p - text), wrong);
	wrong = chess_complete(game, form, &s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

size_t chess_print(const struct chess_state *s, const struct chess_form *form, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	for (unsigned i = 0, run = 0; i < 64; i++) {
		unsigned man = chess_man(s, 8 * (7 - i / 8) + i % 8);
		bool last = i % 8 == 7;
		run += !man;
		if (run && (man || last))
			text_printf(&line, "%u", run);
		run = man || last ? 0 : run;
		if (man)
			text_char(&line, letters[man]);
		if (last)
			text_printf(&line, "%s", i < 63 ? "/" : " ");
	}
	text_printf(&line, "%c %s", s->side ? 'b' : 'w', s->rights ? "" : "-");
	for (unsigned i = 0; i < 4; i++)
		if (s->rights >> i & 1)
			text_char(&line, "KQkq"[i]);
	if (s->passing)
		text_printf(&line, " %c%c", 'a' + s->passing - 1, s->side ? '3' : '6');
	else
		text_printf(&line, " -");
	if (form->mate && s->first_black != s->side)
		text_printf(&line, " first=%c", s->first_black ? 'b' : 'w');
	return line.length;
}

/* --- moves as text ------------------------------------------------------------------------ */

size_t chess_move_print(game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned from = move & 63, to = move >> 6 & 63;
	text_printf(&line, "%c%u%c%u", 'a' + from % 8, from / 8 + 1, 'a' + to % 8, to / 8 + 1);
	if (move >> 12)
		text_char(&line, letters[CHESS_BLACK | move >> 12]);
	return line.length;
}

/* What a text says of a move: -1 where it says nothing. */
struct said {
	int man, from_file, from_row, to, promotion;
	bool takes, quiet, castles;
};

static bool is_file(char c)
{
	return c >= 'a' && c <= 'h';
}

static bool is_row(char c)
{
	return c >= '1' && c <= '8';
}

/* The kind of a man by its letter, lower case when `small`; 0 when it is none. */
static int kind_of(char c, bool small)
{
	const char *at = c && c != '.' ? strchr(letters, c) : NULL;
	int code = at ? (int)(at - letters) : 0;
	return small ? (code > CHESS_BLACK ? code & 7 : 0) : (code < CHESS_BLACK ? code : 0);
}

/* e2e4, e7e8q */
static bool read_coordinates(const char *p, struct said *said)
{
	if (!is_file(p[0]) || !is_row(p[1]) || !is_file(p[2]) || !is_row(p[3]))
		return false;
	*said = (struct said){
		.man = -1, .from_file = p[0] - 'a', .from_row = p[1] - '1', .to = 8 * (p[3] - '1') + p[2] - 'a'};
	said->promotion = p[4] ? kind_of(p[4], true) : 0;
	return !p[4] || (said->promotion > CHESS_PAWN && !p[5]);
}

/* Standard algebraic notation: Nf3, exd5, R1a3, e8=Q+. */
static bool read_algebraic(const char *p, struct said *said)
{
	*said = (struct said){.man = CHESS_PAWN, .from_file = -1, .from_row = -1, .to = -1};
	if (kind_of(*p, false) > CHESS_PAWN)
		said->man = kind_of(*p++, false);
	size_t end = strcspn(p, "=+#");
	if (said->man == CHESS_PAWN && end > 0 && kind_of(p[end - 1], false) > CHESS_PAWN)
		end--; /* e8Q */
	const char *q = p + end;
	if (end < 2 || !is_file(q[-2]) || !is_row(q[-1]))
		return false;
	said->to = 8 * (q[-1] - '1') + q[-2] - 'a';
	if (p + 2 < q && is_file(*p))
		said->from_file = *p++ - 'a';
	if (p + 2 < q && is_row(*p))
		said->from_row = *p++ - '1';
	if (p + 2 < q && *p == 'x')
		said->takes = *p++ == 'x';
	else if (p + 2 < q && *p == '-' && said->from_file >= 0 && said->from_row >= 0) /* e2-e4 */
		said->quiet = *p++ == '-';
	if (p + 2 != q)
		return false;
	q += *q == '=';
	if (q[-1] == '=' || kind_of(*q, false) > CHESS_PAWN) {
		said->promotion = kind_of(*q++, false);
		if (said->promotion <= CHESS_PAWN)
			return false;
	}
	q += *q == '+' || *q == '#';
	return !*q;
}

/* O-O and O-O-O, with zeros as well. */
static bool read_castling(const char *p, unsigned side, struct said *said)
{
	size_t length = strcspn(p, "+#");
	bool short_one = length == 3 && (!strncmp(p, "O-O", 3) || !strncmp(p, "0-0", 3));
	bool long_one = length == 5 && (!strncmp(p, "O-O-O", 5) || !strncmp(p, "0-0-0", 5));
	if (!(short_one || long_one) || (p[length] && p[length + 1]))
		return false;
	*said = (struct said){.man = CHESS_KING,
			      .from_file = 4,
			      .from_row = side ? 7 : 0,
			      .to = (side ? 56 : 0) + (short_one ? 6 : 2),
			      .castles = true};
	return true;
}

/* The text without what changes nothing: figurines are letters, or nothing for pawns; e.p. goes, ++ is +. */
static void make_plain(const char *text, char *out, size_t size)
{
	static const char figures[] =
		"KQRBN"; /* U+2654 to U+265F: white king, queen, rook, bishop, knight, pawn, black */
	size_t n = 0;
	for (; *text && n + 1 < size; text++) {
		unsigned figure = (unsigned)(unsigned char)text[0] == 0xe2 && (unsigned char)text[1] == 0x99
					  ? (unsigned)(unsigned char)text[2] - 0x94
					  : 12;
		if (figure >= 12)
			out[n++] = *text;
		else if (figure % 6 < 5)
			out[n++] = figures[figure % 6];
		text += figure < 12 ? 2 : 0;
	}
	out[n] = 0;
	if (n > 4 && !strcmp(out + n - 4, "e.p."))
		out[n - 4] = 0;
	else if (n > 2 && (!strcmp(out + n - 2, "ep") || !strcmp(out + n - 2, "++")))
		out[n - (out[n - 1] == '+' ? 1 : 2)] = 0;
}

/* The king's move that a rook as its target means: e1h1. */
static bool castles_to_rook(const struct chess_state *s, const struct said *said, game_move move)
{
	int from = move & 63, to = move >> 6 & 63;
	unsigned king = chess_man(s, (unsigned)from);
	return (king & 7) == CHESS_KING && (to == from + 2 || to == from - 2) && said->man < 0 &&
	       said->from_file == from % 8 && said->from_row == from / 8 && !said->promotion &&
	       said->to == (to > from ? from + 3 : from - 4) &&
	       chess_man(s, (unsigned)said->to) == (king & CHESS_BLACK) + CHESS_ROOK;
}

static bool move_matches(const struct chess_state *s, const struct said *said, game_move move)
{
	int from = move & 63, to = move >> 6 & 63, man = (int)chess_man(s, (unsigned)from) & 7;
	bool takes = chess_man(s, (unsigned)to) || (man == CHESS_PAWN && from % 8 != to % 8);
	if (castles_to_rook(s, said, move))
		return true;
	if (to != said->to || move >> 12 != said->promotion || (said->man >= 0 && man != said->man) ||
	    (said->from_file >= 0 && from % 8 != said->from_file) ||
	    (said->from_row >= 0 && from / 8 != said->from_row))
		return false;
	if (said->man == CHESS_PAWN && takes && said->from_file < 0)
		return false; /* d5 is no capture */
	bool castles = man == CHESS_KING && (from - to == 2 || to - from == 2);
	return (!said->takes || takes) && !(said->quiet && takes) && (said->man < 0 || castles == said->castles);
}

int chess_move_parse(const struct game *game, const struct chess_form *form, const void *state, const char *text,
		     game_move *out, struct pd_fail *fail)
{
	const struct chess_state *s = state;
	struct said said;
	char plain[24];
	game_move moves[CHESS_MOVES_MAX], found = 0;
	make_plain(text, plain, sizeof plain);
	if (!read_coordinates(plain, &said) && !(form->mate && read_castling(plain, s->side, &said)) &&
	    !read_algebraic(plain, &said))
		return pd_fail_set(fail, PD_E_MOVE, "move",
				   "'%s' is no move; a move is e2e4, e7e8q for a promotion, or Nf3, exd5, e8=Q",
				   text_excerpt(text, 20).text);
	unsigned count = game->rules->moves(game, state, moves), matching = 0;
	for (unsigned i = 0; i < count; i++)
		if (move_matches(s, &said, moves[i])) {
			found = moves[i];
			matching++;
		}
	if (matching > 1)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' can be %u moves; say from which square",
				   text_excerpt(text, 20).text, matching);
	if (!matching)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' is not legal here%s", text_excerpt(text, 20).text,
				   form->hint);
	*out = found;
	return PD_OK;
}
