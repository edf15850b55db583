#include "solver/games/chess_text.h"

#include <stdio.h>
#include <string.h>

static const char letters[] = ".PNBRQK..pnbrqk", rights[] = "KQkq";

/* --- cells: pieces 1 to 6 are White's men from pawn to king, 7 to 12 Black's -------------- */

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	out->turn = ((const struct chess_state *)state)->side;
	for (unsigned square = 0; square < 64; square++) {
		unsigned man = chess_man(state, square);
		out->at[square] = (uint8_t)(man > CHESS_BLACK ? man - CHESS_BLACK + CHESS_KING : man);
	}
}

/* Puts men on an empty board, by the numbers of struct cells: 1 to 6 White's from pawn to king, 7 to 12 Black's. */
static void put_cells(struct chess_state *s, const uint8_t *at)
{
	for (unsigned square = 0; square < 64; square++)
		if (at[square])
			chess_put(s, square,
				  at[square] > CHESS_KING ? at[square] - CHESS_KING + CHESS_BLACK : at[square]);
}

void *chess_new(const struct game_rules *rules, const struct chess_form *form, size_t size, struct pd_fail *fail)
{
	static const struct cells_form cells = {.letters = "PNBRQKpnbrqk", .to_cells = to_cells};
	struct chess_game *g = cells_new(rules, &cells, size, fail);
	if (!g)
		return NULL;
	g->form = form;
	g->base.width = g->base.height = 8;
	g->base.game.state_size = sizeof(struct chess_state);
	g->base.game.key_size_max = CHESS_KEY_MAX;
	g->base.game.moves_max = CHESS_MOVES_MAX;
	g->base.game.acyclic = false;
	chess_lines_init(&g->lines);
	return g;
}

bool chess_read_limit(struct chess_game *g, const char *text, char mark)
{
	struct game *game = &g->base.game;
	size_t used = strlen(game->name);
	unsigned moves;
	if (!*text)
		return true;
	if (!text_number(&text, &moves) || *text || !moves || moves > UINT8_MAX / 2)
		return false;
	g->limit = (uint8_t)(2 * moves);
	game->key_size_max++;
	snprintf(game->name + used, sizeof game->name - used, "%c%u", mark, moves);
	return true;
}

/* --- positions as text -------------------------------------------------------------------- */

const char *chess_read_side(const char **text, struct chess_state *s)
{
	const char *p = *text;
	if (p[0] != ' ' || (p[1] != 'w' && p[1] != 'b') || p[2] != ' ')
		return "a blank, the side to move, w or b, and another blank follow the board";
	s->side = p[1] == 'b';
	*text += 3;
	return NULL;
}

static const char *read_rights(const char **text, bool mate, struct chess_state *s)
{
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
		return "castling rights, - or some of KQkq, and a blank follow the side to move";
	++*text;
	s->rights = mate ? (uint8_t)read : 0;
	return NULL;
}

const char *chess_read_passing(const char **text, struct chess_state *s)
{
	const char *p = *text;
	if (*p == '-') {
		++*text;
		return NULL;
	}
	if (*p < 'a' || *p > 'h' || p[1] != (s->side ? '3' : '6'))
		return s->side ? "the en-passant square, - or a square of the third row, follows the castling rights"
			       : "the en-passant square, - or a square of the sixth row, follows the castling rights";
	s->passing = (uint8_t)(1 + *p - 'a');
	*text += 2;
	return NULL;
}

/* Skips the operations of EPD, `bm Nf3; id "a; b";`: each is a name, operands and a semicolon. */
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

const char *chess_read_rest(const char **text, bool mate, struct chess_state *s)
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
	return mate ? "the fields of a FEN may be followed by its two counters and then first=w or first=b, or by the "
		      "operations of EPD, but by no more"
		    : "the fields of a FEN may be followed by its two counters or the operations of EPD, but by no "
		      "more";
}

/* The first counter, where the game counts; the text is not advanced. */
static const char *read_clock(const struct chess_game *g, const char *text, struct chess_state *s)
{
	unsigned plies = 0;
	if (!g->limit || *text++ != ' ' || !text_number(&text, &plies))
		return NULL;
	if (plies > g->limit)
		return "the counter of halfmoves is more than twice the N of the game";
	s->clock = (uint8_t)plies;
	return NULL;
}

int chess_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	bool mate = chess_of(game)->form->mate;
	struct chess_state s = {0};
	uint8_t at[64];
	const char *p = text, *wrong;
	if (!*text) {
		chess_start(game, state);
		return PD_OK;
	}
	if ((wrong = cells_read(&chess_of(game)->base, &p, at)) || (wrong = chess_read_side(&p, &s)) ||
	    (wrong = read_rights(&p, mate, &s)) || (wrong = chess_read_passing(&p, &s)) ||
	    (wrong = read_clock(chess_of(game), p, &s)) || (wrong = chess_read_rest(&p, mate, &s)))
		return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
				   (size_t)(p - text), wrong);
	put_cells(&s, at);
	wrong = chess_complete(game, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

static void print_rights(const struct chess_state *s, struct text_line *line)
{
	for (unsigned i = 0; i < 4; i++)
		if (s->rights >> i & 1)
			text_char(line, rights[i]);
}

size_t chess_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct chess_state *s = state;
	struct text_line line = text_line(out, size);
	struct cells cells;
	to_cells(game, state, &cells);
	cells_print_rows(&chess_of(game)->base, cells.at, &line);
	text_printf(&line, " %c %s", s->side ? 'b' : 'w', s->rights ? "" : "-");
	print_rights(s, &line);
	if (s->passing)
		text_printf(&line, " %c%c", 'a' + s->passing - 1, s->side ? '3' : '6');
	else
		text_printf(&line, " -");
	if (chess_of(game)->limit)
		text_printf(&line, " %u 1", s->clock);
	if (chess_of(game)->form->mate && s->first_black != s->side)
		text_printf(&line, " first=%c", s->first_black ? 'b' : 'w');
	return line.length;
}

/* --- moves as text ------------------------------------------------------------------------ */

size_t chess_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	if (chess_is_drop(move))
		text_printf(&line, "%c@", letters[move >> 12]);
	else
		cells_place_print(&chess_of(game)->base, move & 63, &line);
	cells_place_print(&chess_of(game)->base, move >> 6 & 63, &line);
	if (move >> 12 && !chess_is_drop(move))
		text_char(&line, letters[CHESS_BLACK | move >> 12]);
	return line.length;
}

/* What a text states about a move; -1: not stated. */
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

/* The kind of a man by its letter, in lower case if `small`; 0 for none. */
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

/* N@f3; P@f3 or @f3 for a pawn: a man comes from the hand. */
static bool read_drop(const char *p, struct said *said)
{
	int kind = *p == '@' ? CHESS_PAWN : kind_of(*p++, false);
	if (!kind || p[0] != '@' || !is_file(p[1]) || !is_row(p[2]) || (p[3] && (!strchr("+#", p[3]) || p[4])))
		return false;
	int to = 8 * (p[2] - '1') + p[1] - 'a';
	*said = (struct said){.man = -1, .from_file = to % 8, .from_row = to / 8, .to = to, .promotion = kind};
	return true;
}

/* Simplifies a text: figurines become letters, or nothing for pawns; e.p. is removed, ++ becomes +. */
static void make_plain(const char *text, char *out, size_t size)
{
	static const char figures[] =
		"KQRBN"; /* U+2654 to U+265F: white king, queen, rook, bishop, knight, pawn, black */
	size_t n = 0;
	for (; *text && n + 1 < size; text++) {
		unsigned figure = (unsigned char)text[0] == 0xe2 && (unsigned char)text[1] == 0x99
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

/* True for castling: the king moves two squares, or onto its own rook. */
static bool is_castling(const struct chess_state *s, game_move move)
{
	unsigned from = move & 63, to = move >> 6 & 63, man = chess_man(s, from);
	return (man & 7) == CHESS_KING &&
	       (from == to + 2 || to == from + 2 || chess_man(s, to) == (man & CHESS_BLACK) + CHESS_ROOK);
}

/* True if the text is castling written as the king's move to the rook, e1h1, and `move` is that castling. */
static bool castles_to_rook(const struct chess_state *s, const struct said *said, game_move move)
{
	int from = move & 63, to = move >> 6 & 63;
	unsigned king = chess_man(s, (unsigned)from);
	return (king & 7) == CHESS_KING && (to == from + 2 || to == from - 2) && !chess_man(s, (unsigned)to) &&
	       said->man < 0 && said->from_file == from % 8 && said->from_row == from / 8 && !said->promotion &&
	       said->to == (to > from ? from + 3 : from - 4) &&
	       chess_man(s, (unsigned)said->to) == (king & CHESS_BLACK) + CHESS_ROOK;
}

static bool move_matches(const struct chess_state *s, const struct said *said, game_move move)
{
	int from = move & 63, to = move >> 6 & 63, man = (int)chess_man(s, (unsigned)from) & 7;
	bool takes = chess_man(s, (unsigned)to) || (man == CHESS_PAWN && from % 8 != to % 8);
	if (castles_to_rook(s, said, move))
		return true;
	if (said->castles)
		return is_castling(s, move) && (to > from) == (said->to % 8 == 6);
	if (to != said->to || move >> 12 != said->promotion || (said->man >= 0 && man != said->man) ||
	    (said->from_file >= 0 && from % 8 != said->from_file) ||
	    (said->from_row >= 0 && from / 8 != said->from_row))
		return false;
	if (said->man == CHESS_PAWN && takes && said->from_file < 0)
		return false; /* d5 is not a capture */
	return (!said->takes || takes) && !(said->quiet && takes) && (said->man < 0 || !is_castling(s, move));
}

int chess_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	const struct chess_form *form = chess_of(game)->form;
	const struct chess_state *s = state;
	struct said said;
	char plain[24];
	game_move moves[GAME_MOVES_MAX], found = 0;
	make_plain(text, plain, sizeof plain);
	if (!read_coordinates(plain, &said) && !read_drop(plain, &said) &&
	    !(form->mate && read_castling(plain, s->side, &said)) && !read_algebraic(plain, &said))
		return pd_fail_set(fail, PD_E_MOVE, "move",
				   "'%s' is not a move; a move is e2e4, e7e8q for a promotion, or Nf3, exd5, e8=Q",
				   text_excerpt(text, 20).text);
	unsigned count = game->rules->moves(game, state, moves), matching = 0;
	for (unsigned i = 0; i < count; i++)
		if (move_matches(s, &said, moves[i])) {
			found = moves[i];
			matching++;
		}
	if (matching > 1)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' can mean %u moves; add the square of origin",
				   text_excerpt(text, 20).text, matching);
	if (!matching)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s' is not legal here%s", text_excerpt(text, 20).text,
				   form->hint);
	*out = found;
	return PD_OK;
}

/* --- SAN ---------------------------------------------------------------------------------- */

const char *const chess_notations[] = {"san", "uci", NULL};

/* Writes what distinguishes a man's origin from those of other men of its kind with a legal move to the same square:
 * its file if that is enough, else its row, else both. */
static void put_origin(const struct game *game, const struct chess_state *s, game_move move, struct text_line *line)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned from = move & 63, man = chess_man(s, from);
	unsigned count = game->rules->moves(game, s, moves);
	bool others = false, same_file = false, same_row = false;
	for (unsigned i = 0; i < count; i++) {
		unsigned other = moves[i] & 63;
		if (other == from || (moves[i] >> 6 & 63) != (move >> 6 & 63) || chess_man(s, other) != man)
			continue;
		others = true;
		same_file |= other % 8 == from % 8;
		same_row |= other / 8 == from / 8;
	}
	if (others && (!same_file || same_row))
		text_char(line, 'a' + from % 8);
	if (same_file)
		text_printf(line, "%u", from / 8 + 1);
}

/* Writes a move in SAN without the check mark. */
static void put_san(const struct game *game, const struct chess_state *s, game_move move, struct text_line *line)
{
	unsigned from = move & 63, to = move >> 6 & 63, kind = chess_man(s, from) & 7;
	bool takes = chess_man(s, to) || (kind == CHESS_PAWN && from % 8 != to % 8);
	if (chess_is_drop(move)) {
		text_printf(line, "%c@%c%u", letters[move >> 12], 'a' + to % 8, to / 8 + 1);
		return;
	}
	PD_ASSERT(kind >= CHESS_PAWN && kind <= CHESS_KING);
	if (chess_of(game)->form->mate && is_castling(s, move)) {
		text_printf(line, to > from ? "O-O" : "O-O-O");
		return;
	}
	if (kind != CHESS_PAWN) {
		text_char(line, letters[kind]);
		put_origin(game, s, move, line);
	} else if (takes) {
		text_char(line, 'a' + from % 8);
	}
	text_printf(line, "%s%c%u", takes ? "x" : "", 'a' + to % 8, to / 8 + 1);
	if (move >> 12)
		text_printf(line, "=%c", letters[move >> 12]);
}

size_t chess_move_print_in(const struct game *game, const void *state, game_move move, const char *notation, char *out,
			   size_t size)
{
	struct text_line line = text_line(out, size);
	_Alignas(16) uint8_t after[GAME_STATE_MAX];
	if (strcmp(notation, "san") != 0)
		return chess_move_print(game, state, move, out, size);
	put_san(game, state, move, &line);
	if (chess_of(game)->form->mate) {
		const struct chess_state *s = (const struct chess_state *)after;
		memcpy(after, state, game->state_size);
		game->rules->play(game, after, move);
		if (s->check)
			text_printf(&line, s->count ? "+" : "#");
	}
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

/* In the order of the codes: PNBRQK of White, then of Black. */
static const struct game_piece men[] = {
	{'P', GAME_FIRST, GAME_GLYPH, "white pawn", "\u2659"},
	{'N', GAME_FIRST, GAME_GLYPH, "white knight", "\u2658"},
	{'B', GAME_FIRST, GAME_GLYPH, "white bishop", "\u2657"},
	{'R', GAME_FIRST, GAME_GLYPH, "white rook", "\u2656"},
	{'Q', GAME_FIRST, GAME_GLYPH, "white queen", "\u2655"},
	{'K', GAME_FIRST, GAME_GLYPH, "white king", "\u2654"},
	{'p', GAME_SECOND, GAME_GLYPH, "black pawn", "\u265f"},
	{'n', GAME_SECOND, GAME_GLYPH, "black knight", "\u265e"},
	{'b', GAME_SECOND, GAME_GLYPH, "black bishop", "\u265d"},
	{'r', GAME_SECOND, GAME_GLYPH, "black rook", "\u265c"},
	{'q', GAME_SECOND, GAME_GLYPH, "black queen", "\u265b"},
	{'k', GAME_SECOND, GAME_GLYPH, "black king", "\u265a"},
};

void chess_board(const struct game *game, struct game_board *out)
{
	game_board_grid(out, 8, 8, GAME_SQUARE);
	out->side[WHITE_SIDE] = "White";
	out->side[BLACK_SIDE] = "Black";
	out->colour[WHITE_SIDE] = "white";
	out->colour[BLACK_SIDE] = "black";
	out->pieces = sizeof men / sizeof *men;
	memcpy(out->piece, men, sizeof men);
}

unsigned chess_move_places(const struct game *game, const void *state, game_move move,
			   uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move & 63;
	out[1] = move >> 6 & 63;
	return chess_is_drop(move) ? 1 : 2;
}

/* The note holds castling rights, the en-passant square, the counter where the game counts, and in chess-mate which
 * side is First, as in "castling KQkq; en passant e3; halfmoves 0; First is White". Without the last part First is the
 * side to move. */
void chess_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct chess_state *s = state;
	struct text_line line = text_line(out->note, sizeof out->note);
	cells_diagram(game, state, out);
	if (out->to_move != GAME_NO_SIDE)
		out->to_move = s->side == WHITE_SIDE ? GAME_FIRST : GAME_SECOND;
	if (s->rights) {
		text_printf(&line, "castling ");
		print_rights(s, &line);
	}
	if (s->passing)
		text_printf(&line, "%sen passant %c%c", line.length ? "; " : "", 'a' + s->passing - 1,
			    s->side ? '3' : '6');
	if (chess_of(game)->limit)
		text_printf(&line, "%shalfmoves %u", line.length ? "; " : "", s->clock);
	if (chess_of(game)->form->mate)
		text_printf(&line, "%sFirst is %s", line.length ? "; " : "", s->first_black ? "Black" : "White");
}

/* Finds the part of a note that begins with `head`, and advances *note past it and a separator; NULL if another part
 * begins. */
static const char *read_part(const char **note, const char *head)
{
	size_t size = strlen(head);
	if (strncmp(*note, head, size) != 0)
		return NULL;
	const char *part = *note + size;
	*note = part + strcspn(part, ";");
	while (**note == ';' || **note == ' ')
		++*note;
	return part;
}

/* Sets rights, en-passant square, counter and First by a note; false if it is malformed. */
static bool read_note(const char *note, const struct chess_game *g, struct chess_state *s)
{
	const struct chess_form *form = g->form;
	const char *part, *right;
	unsigned plies;
	s->first_black = form->mate ? s->side : 0;
	if (form->mate && (part = read_part(&note, "castling ")) != NULL) {
		for (; *part && (right = strchr(rights, *part)) != NULL; part++)
			s->rights |= (uint8_t)(1u << (right - rights));
		if (*part && *part != ';')
			return false;
	}
	part = read_part(&note, "en passant ");
	if (part && (*part < 'a' || *part > 'h' || part[1] != (s->side ? '3' : '6')))
		return false;
	if (part)
		s->passing = (uint8_t)(1 + *part - 'a');
	part = g->limit ? read_part(&note, "halfmoves ") : NULL;
	if (part && (!text_number(&part, &plies) || plies > g->limit || (*part && *part != ';')))
		return false;
	s->clock = part ? (uint8_t)plies : 0;
	part = form->mate ? read_part(&note, "First is ") : NULL;
	if (part && strcmp(part, "White") != 0 && strcmp(part, "Black") != 0)
		return false;
	if (part)
		s->first_black = *part == 'B';
	return !*note;
}

int chess_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct chess_game *g = chess_of(game);
	struct chess_state s = {.side = diagram->to_move == GAME_SECOND ? BLACK_SIDE : WHITE_SIDE};
	if (diagram->to_move >= GAME_NO_SIDE)
		return cells_refuse(fail, "name the side to move");
	for (unsigned square = 0; square < 64; square++)
		if (diagram->on[square] > sizeof men / sizeof *men)
			return cells_refuse(fail, "the game has no such piece");
	put_cells(&s, diagram->on);
	if (!read_note(diagram->note, g, &s))
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "malformed note; it is like 'castling KQkq; en passant e3%s%s'",
				   g->limit ? "; halfmoves 0" : "", g->form->mate ? "; First is White" : "");
	const char *wrong = chess_complete(game, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}
