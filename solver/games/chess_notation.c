/* Moves of both chess games in the notations that chess programs use: SAN, as in Nf3, exd5, R1a3, e8=Q+, O-O, and UCI,
 * which is the games' own. Marks of check and mate are chess-mate's; in antichess there is no check. */
#include "solver/games/chessboard.h"

#include <string.h>

#include "solver/games/text.h"

const char *const chess_notations[] = {"san", "uci", NULL};

/* What has to be said of where a man comes from, so that no other legal move of a man of its kind to that square is
 * meant: its file if that is enough, else its row, else both. */
static void put_origin(const struct game *game, const struct chess_state *s, game_move move, struct text_line *line)
{
	game_move moves[CHESS_MOVES_MAX];
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

/* The move without the mark of check. */
static void put_san(const struct game *game, const struct chess_form *form, const struct chess_state *s, game_move move,
		    struct text_line *line)
{
	static const char letters[] = ".PNBRQK";
	unsigned from = move & 63, to = move >> 6 & 63, kind = chess_man(s, from) & 7;
	bool takes = chess_man(s, to) || (kind == CHESS_PAWN && from % 8 != to % 8);
	PD_ASSERT(kind >= CHESS_PAWN && kind <= CHESS_KING);
	if (form->mate && kind == CHESS_KING && (to == from + 2 || to + 2 == from)) {
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

size_t chess_move_print_in(const struct game *game, const struct chess_form *form, const void *state, game_move move,
			   const char *notation, struct text_line line)
{
	struct chess_state after;
	if (strcmp(notation, "san") != 0)
		return chess_move_print(move, line.out, line.size);
	put_san(game, form, state, move, &line);
	if (form->mate) {
		memcpy(&after, state, sizeof after);
		game->rules->play(game, &after, move);
		if (after.check)
			text_printf(&line, after.count ? "+" : "#");
	}
	return line.length;
}
