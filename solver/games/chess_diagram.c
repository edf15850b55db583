/* The chess board as data, for the games on it. A note has what the men do not show: castling rights, the en-passant
 * square, and in chess-mate who First is, as in "castling KQkq; en passant e3; First is White". Without it First is the
 * side to move. */
#include "solver/games/chessboard.h"

#include <string.h>

#include "solver/games/text.h"

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

enum { KINDS = CHESS_KING };

void chess_board(const struct game *game, struct game_board *out)
{
	game_board_grid(out, 8, 8, GAME_SQUARE);
	out->side[WHITE_SIDE] = "White";
	out->side[BLACK_SIDE] = "Black";
	out->colour[WHITE_SIDE] = "white";
	out->colour[BLACK_SIDE] = "black";
	for (unsigned i = 0; i < sizeof men / sizeof *men; i++)
		out->piece[out->pieces++] = men[i];
}

void chess_diagram(const struct chess_state *s, const struct chess_form *form, bool over, struct game_diagram *out)
{
	struct text_line line = text_line(out->note, sizeof out->note);
	for (unsigned square = 0; square < 64; square++) {
		unsigned man = chess_man(s, square);
		out->on[square] = (uint8_t)(!man ? 0 : man > CHESS_BLACK ? man - CHESS_BLACK + KINDS : man);
	}
	out->to_move = over ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
	if (s->rights)
		text_printf(&line, "castling %s%s%s%s", s->rights & 1 ? "K" : "", s->rights & 2 ? "Q" : "",
			    s->rights & 4 ? "k" : "", s->rights & 8 ? "q" : "");
	if (s->passing)
		text_printf(&line, "%sen passant %c%c", line.length ? "; " : "", 'a' + s->passing - 1,
			    s->side ? '3' : '6');
	if (form->mate)
		text_printf(&line, "%sFirst is %s", line.length ? "; " : "", s->first_black ? "Black" : "White");
}

unsigned chess_move_places(const struct game *game, const void *state, game_move move,
			   uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move & 63;
	out[1] = move >> 6 & 63;
	return 2;
}

/* Reads a part of a note that begins with `head` and moves behind it and a separator; NULL when another part begins. */
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

/* Marks by a note; false when it is none. */
static bool read_note(const char *note, const struct chess_form *form, struct chess_state *s)
{
	static const char rights[] = "KQkq";
	const char *part, *right;
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
	part = form->mate ? read_part(&note, "First is ") : NULL;
	if (part && strcmp(part, "White") != 0 && strcmp(part, "Black") != 0)
		return false;
	if (part)
		s->first_black = *part == 'B';
	return !*note;
}

int chess_set_up(const struct game *game, const struct chess_form *form, const struct game_diagram *diagram,
		 void *state, struct pd_fail *fail)
{
	struct chess_state s = {0};
	if (diagram->to_move >= GAME_NO_SIDE)
		return pd_fail_set(fail, PD_E_POSITION, "position", "it is not said who is to move");
	s.side = diagram->to_move == GAME_SECOND ? BLACK_SIDE : WHITE_SIDE;
	for (unsigned square = 0; square < 64; square++) {
		unsigned on = diagram->on[square];
		if (on > 2 * KINDS)
			return pd_fail_set(fail, PD_E_POSITION, "position", "there is no such piece");
		if (on)
			chess_put(&s, square, on > KINDS ? on - KINDS + CHESS_BLACK : on);
	}
	if (!read_note(diagram->note, form, &s))
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "the note is not understood; it is like 'castling KQkq; en passant e3%s'",
				   form->mate ? "; First is White" : "");
	const char *wrong = chess_complete(game, form, &s);
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}
