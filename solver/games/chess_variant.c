/* Chess variants as problems: does First win by force, by mate or by the end that the variant adds? The value is 1 if
 * it does, else 0. RULES.md has the rules and the notation; First is as in chess-mate.
 *
 * Key. The board part is that of chessboard.h without castling rights (bits 1 to 4 of byte 0 are 0): instead the nibble
 * of a rook with which its side may castle is 7, plus 8 for Black. In crazyhouse follow 8 bytes, the set of promoted
 * men, and the part of the hands: how many pawns, knights, bishops, rooks and queens White has in hand, then Black, a
 * byte each. In 3check one byte follows: the checks that White must still give, plus 4 times those of Black.
 *
 * Move code. As in chessboard.h. A man from the hand: its square | its square << 6 | its kind << 12. Castling is the
 * king's move if the king stands on the e file and the rook on a or h, else from the king's square to that of the rook.
 *
 * Kings are safe as in chess (chess_legal.h); in atomic and racingkings, and for captures en passant, each move is made
 * to test it. */
#include "solver/games/chess_variant.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/chess_legal.h"

enum { LIST_MAX = 1024, KEY_MAX = CHESS_KEY_MAX + 8 + 10 };

_Static_assert((int)LIST_MAX >= (int)CHESS_MOVES_MAX + 5 * 64, "room for the moves of men on the board and in hand");

#define HILL (UINT64_C(3) << 27 | UINT64_C(3) << 35)

static const struct chess_variant table[] = {
	{.name = "crazyhouse", .start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq -", .hands = true},
	{.name = "3check", .start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3", .checks = true},
	{.name = "kingofthehill",
	 .start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
	 .goal = {HILL, HILL}},
	{.name = "racingkings", .start = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - -", .quiet = true, .goal = {ROW_8, ROW_8}},
	{.name = "horde",
	 .start = "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq -",
	 .horde = true},
	{.name = "atomic", .start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", .explodes = true},
};

static const struct chess_variant *variant_of(const struct game *game)
{
	return chess_variant_of(game)->variant;
}

static uint64_t men_of(const struct chess_state *s, unsigned side)
{
	struct chess_men m = chess_men(s);
	return side == s->side ? m.own : m.enemy;
}

static uint64_t king_of(const struct chess_state *s, unsigned side)
{
	return men_of(s, side) & s->plane[1] & s->plane[2];
}

/* --- check -------------------------------------------------------------------------------- */

/* True if the king of that side is attacked. In atomic no king captures, and kings side by side protect each other. */
static bool is_checked(const struct chess_game *g, const struct chess_variant *v, const struct chess_state *s,
		       unsigned side)
{
	struct chess_men m = chess_men(s);
	uint64_t king = king_of(s, side), enemy = men_of(s, !side);
	if (!king)
		return false;
	unsigned square = chess_first(king);
	if (v->explodes) {
		if (g->lines.king[square] & enemy & m.kings)
			return false;
		enemy &= ~m.kings;
	}
	return chess_in_check(&g->lines, &m, side, square, enemy, m.occupied);
}

/* --- moves on the board ------------------------------------------------------------------- */

/* The rook of a move that castles; 64: it does not castle. */
static unsigned castling_rook(const struct chess_variant_state *s, game_move move)
{
	unsigned from = move & 63, to = move >> 6 & 63;
	if (!s->castling || (chess_man(&s->board, from) & 7) != CHESS_KING)
		return 64;
	if (chess_bit(to) & men_of(&s->board, s->board.side))
		return to;
	return to == from + 2 ? from + 3 : to + 2 == from ? from - 4 : 64;
}

static void move_castling(struct chess_variant_state *s, unsigned king, unsigned rook)
{
	unsigned row = king & 56, side = s->board.side, black = side ? CHESS_BLACK : 0;
	PD_ASSERT(rook / 8 == king / 8 && rook != king);
	chess_clear(&s->board, chess_bit(king) | chess_bit(rook));
	chess_put(&s->board, row + (rook > king ? 6 : 2), CHESS_KING | black);
	chess_put(&s->board, row + (rook > king ? 5 : 3), CHESS_ROOK | black);
	s->board.passing = 0;
	s->board.side ^= 1;
}

/* Removes what the explosion on a square destroys: the man there, and around it all men but pawns. */
static void explode_square(const struct chess_lines *l, struct chess_state *s, unsigned square)
{
	struct chess_men m = chess_men(s);
	chess_clear(s, chess_bit(square) | (l->king[square] & ~m.pawns));
}

/* Changes men, marks and turn; `passing` is set after every double step from the second row. */
static void move_men(const struct game *game, struct chess_variant_state *s, game_move move)
{
	const struct chess_variant *v = variant_of(game);
	struct chess_state *b = &s->board;
	unsigned from = move & 63, to = move >> 6 & 63, side = b->side, kind = chess_man(b, from) & 7;
	unsigned rook = castling_rook(s, move), taken = chess_man(b, to) & 7;
	if (rook < 64) {
		move_castling(s, from, rook);
		s->castling &= ~(ROW_1 << (from & 56));
		return;
	}
	if (chess_is_drop(move)) {
		PD_DEBUG_ASSERT(s->hand[side][(move >> 12) - 1] && !taken);
		s->hand[side][(move >> 12) - 1]--;
		chess_put(b, to, move >> 12 | (side ? CHESS_BLACK : 0));
		b->passing = 0;
		b->side ^= 1;
		return;
	}
	if (kind == CHESS_PAWN && b->passing && to == chess_passing_square(b))
		taken = CHESS_PAWN;
	chess_move_men(b, move);
	if (from < 8)
		b->passing = 0;
	if (taken && v->explodes)
		explode_square(&chess_of(game)->lines, b, to);
	if (s->castling) {
		uint64_t homes = kind == CHESS_KING ? ROW_1 << (side ? 56 : 0) : 0;
		for (unsigned i = 0; i < 2 && v->explodes; i++)
			homes |= king_of(b, i) ? 0 : ROW_1 << 56 * i;
		s->castling &= ~(chess_bit(from) | chess_bit(to) | homes) & (b->plane[0] | b->plane[1] | b->plane[2]);
	}
	if (!v->hands)
		return;
	if (taken)
		s->hand[side][s->promoted >> to & 1 ? 0 : taken - CHESS_PAWN]++;
	bool promoted = move >> 12 || s->promoted >> from & 1;
	s->promoted &= ~(chess_bit(from) | chess_bit(to));
	s->promoted |= (uint64_t)promoted << to;
}

/* True if a move of the generator leaves the kings as the rules demand. */
static bool is_legal(const struct game *game, const struct chess_variant_state *s, game_move move)
{
	const struct chess_variant *v = variant_of(game);
	struct chess_variant_state after = *s;
	unsigned side = s->board.side;
	move_men(game, &after, move);
	if (v->explodes) {
		if (!king_of(&after.board, side))
			return false;
		if (!king_of(&after.board, !side))
			return true;
	}
	return !is_checked(chess_of(game), v, &after.board, side) &&
	       !(v->quiet && is_checked(chess_of(game), v, &after.board, !side));
}

/* --- the moves of each kind of men -------------------------------------------------------- */

/* The squares between two of one row, both included. */
static uint64_t row_between(unsigned a, unsigned b)
{
	unsigned low = a < b ? a : b, high = a < b ? b : a;
	return ((chess_bit(high) - 1) | chess_bit(high)) & ~(chess_bit(low) - 1);
}

/* True if the king of the side to move is not attacked on a square, when only `occupied` stops sliders. */
static bool is_safe(const struct chess_game *g, const struct chess_variant *v, const struct chess_state *s,
		    unsigned square, uint64_t occupied)
{
	struct chess_men m = chess_men(s);
	if (v->explodes) {
		if (g->lines.king[square] & m.enemy & m.kings)
			return true;
		m.enemy &= ~m.kings;
	}
	return !chess_in_check(&g->lines, &m, s->side, square, m.enemy, occupied);
}

static bool may_castle(const struct game *game, const struct chess_variant_state *s, unsigned king, unsigned rook)
{
	const struct chess_game *g = chess_of(game);
	const struct chess_variant *v = variant_of(game);
	unsigned row = king & 56, king_to = row + (rook > king ? 6 : 2), rook_to = row + (rook > king ? 5 : 3);
	struct chess_men m = chess_men(&s->board);
	uint64_t others = m.occupied ^ chess_bit(king) ^ chess_bit(rook), path = row_between(king, king_to);
	if (others & (path | row_between(rook, rook_to)))
		return false;
	for (path &= ~chess_bit(king_to) | chess_bit(king); path; path &= path - 1)
		if (!is_safe(g, v, &s->board, chess_first(path), m.occupied ^ chess_bit(king)))
			return false;
	return is_safe(g, v, &s->board, king_to, others | chess_bit(rook_to));
}

static game_move *emit_castling(const struct game *game, const struct chess_variant_state *s, unsigned king,
				game_move *out)
{
	for (uint64_t rooks = s->castling & ROW_1 << (king & 56); rooks; rooks &= rooks - 1) {
		unsigned rook = chess_first(rooks);
		bool home = king % 8 == 4 && (rook % 8 == 0 || rook % 8 == 7);
		if (may_castle(game, s, king, rook))
			*out++ = (game_move)chess_code(king, !home ? rook : rook > king ? king + 2 : king - 2);
	}
	return out;
}

static game_move *emit_passing(const struct game *game, const struct chess_variant_state *s, const struct chess_men *m,
			       game_move *out)
{
	for (uint64_t men = chess_passing_pawns(&s->board, m->own & m->pawns); men; men &= men - 1) {
		game_move move = (game_move)chess_code(chess_first(men), chess_passing_square(&s->board));
		if (is_legal(game, s, move))
			*out++ = move;
	}
	return out;
}

static game_move *emit_pawns(const struct chess_variant *v, const struct chess_state *s, const struct chess_men *m,
			     const struct chess_duty *d, game_move *out)
{
	struct chess_steps p = chess_pawn_steps(m, d, s->side);
	if (v->horde && s->side == WHITE_SIDE)
		p.two |= (((m->own & m->pawns & ROW_1) << 8 & ~m->occupied) << 8) & ~m->occupied;
	out = chess_emit_pawns(out, p.west, STEP_WEST, s->side, CHESS_QUEEN);
	out = chess_emit_pawns(out, p.east, STEP_EAST, s->side, CHESS_QUEEN);
	out = chess_emit_pawns(out, p.one, STEP_AHEAD, s->side, CHESS_QUEEN);
	return chess_emit_pawns(out, p.two, STEP_TWO, s->side, CHESS_QUEEN);
}

static game_move *emit_king(const struct game *game, const struct chess_variant_state *s, const struct chess_men *m,
			    game_move *out)
{
	const struct chess_lines *l = &chess_of(game)->lines;
	unsigned king = chess_first(m->own & m->kings);
	uint64_t steps = l->king[king];
	steps &= variant_of(game)->explodes ? ~m->occupied : ~m->own & ~chess_attacked(l, m, s->board.side);
	out = chess_emit(out, king, steps);
	return s->castling ? emit_castling(game, s, king, out) : out;
}

static uint64_t drop_squares(const struct chess_men *m, const struct chess_duty *d, unsigned kind)
{
	return d->targets & ~m->occupied & (kind == CHESS_PAWN ? ~(ROW_1 | ROW_8) : ~UINT64_C(0));
}

/* --- all moves ---------------------------------------------------------------------------- */

static struct chess_duty find_duty(const struct game *game, const struct chess_state *s, const struct chess_men *m)
{
	if (variant_of(game)->explodes || !(m->own & m->kings))
		return (struct chess_duty){.targets = ~m->own};
	return chess_find_duty(&chess_of(game)->lines, m, s->side);
}

/* Lists the moves of men on the board; returns the end of the list. */
static game_move *list_board(const struct game *game, const struct chess_variant_state *s, const struct chess_men *m,
			     const struct chess_duty *d, game_move *out)
{
	const struct chess_variant *v = variant_of(game);
	const struct chess_lines *l = &chess_of(game)->lines;
	game_move *begin = out, *end;
	if (d->targets) {
		out = emit_pawns(v, &s->board, m, d, out);
		for (uint64_t men = m->own & m->knights & ~d->pinned_at_all; men; men &= men - 1)
			out = chess_emit(out, chess_first(men), l->knight[chess_first(men)] & d->targets);
		for (uint64_t men = m->own & m->oblique; men; men &= men - 1)
			out = chess_emit(out, chess_first(men), chess_oblique_steps(l, m, d, chess_first(men)));
		for (uint64_t men = m->own & m->straight; men; men &= men - 1)
			out = chess_emit(out, chess_first(men), chess_straight_steps(l, m, d, chess_first(men)));
	}
	if (m->own & m->kings)
		out = emit_king(game, s, m, out);
	if (v->explodes || v->quiet) {
		end = out;
		out = begin;
		for (const game_move *move = begin; move < end; move++)
			if (is_legal(game, s, *move))
				*out++ = *move;
	}
	return s->board.passing ? emit_passing(game, s, m, out) : out;
}

static unsigned variant_moves(const struct game *game, const void *state, game_move *out)
{
	const struct chess_variant_state *s = state;
	if (!s->board.count)
		return 0;
	struct chess_men m = chess_men(&s->board);
	struct chess_duty d = find_duty(game, &s->board, &m);
	game_move *end = list_board(game, s, &m, &d, out);
	for (unsigned kind = CHESS_PAWN; kind <= CHESS_QUEEN; kind++) {
		if (!s->hand[s->board.side][kind - 1])
			continue;
		for (uint64_t to = drop_squares(&m, &d, kind); to; to &= to - 1)
			*end++ = (game_move)(chess_code(chess_first(to), chess_first(to)) | kind << 12);
	}
	PD_DEBUG_ASSERT(end - out == s->board.count);
	return (unsigned)(end - out);
}

/* --- the end ------------------------------------------------------------------------------ */

/* True if the variant's own rules end the game, mate and stalemate aside. `moves` are those on the board. */
static bool has_ended(const struct game *game, const struct chess_variant_state *s, const game_move *moves,
		      unsigned count)
{
	const struct chess_variant *v = variant_of(game);
	const struct chess_state *b = &s->board;
	uint64_t white = king_of(b, WHITE_SIDE), black = king_of(b, BLACK_SIDE);
	if (v->checks && (!s->left[0] || !s->left[1]))
		return true;
	if (v->horde && !men_of(b, WHITE_SIDE))
		return true;
	if (v->explodes && !(white && black))
		return true;
	if (!(white & v->goal[0]) && !(black & v->goal[1]))
		return false;
	if (!v->quiet || b->side == WHITE_SIDE || black & v->goal[1])
		return true;
	for (unsigned i = 0; i < count; i++) /* Black moves last: its king may reach the last row as well */
		if (chess_bit(moves[i] & 63) & black && chess_bit(moves[i] >> 6 & 63) & v->goal[1])
			return false;
	return true;
}

/* Fills in the number of legal moves, 0 when the game is over, and whether there is check, and clears an en-passant
 * target on which no pawn may capture. */
static void derive_rest(const struct game *game, struct chess_variant_state *s)
{
	struct chess_state *b = &s->board;
	struct chess_men m = chess_men(b);
	struct chess_duty d = find_duty(game, b, &m);
	game_move moves[LIST_MAX];
	if (b->passing && emit_passing(game, s, &m, moves) == moves)
		b->passing = 0;
	unsigned count = (unsigned)(list_board(game, s, &m, &d, moves) - moves);
	bool ended = has_ended(game, s, moves, count);
	for (unsigned kind = CHESS_PAWN; kind <= CHESS_QUEEN; kind++)
		if (s->hand[b->side][kind - 1])
			count += chess_count(drop_squares(&m, &d, kind));
	PD_ASSERT(count <= LIST_MAX);
	b->check =
		variant_of(game)->explodes ? is_checked(chess_of(game), variant_of(game), b, b->side) : d.checkers != 0;
	b->count = ended ? 0 : (uint16_t)count;
}

static void variant_play(const struct game *game, void *state, game_move move)
{
	struct chess_variant_state *s = state;
	move_men(game, s, move);
	derive_rest(game, s);
	if (s->board.check && s->left[!s->board.side] && !--s->left[!s->board.side])
		s->board.count = 0;
}

/* The side that has won a game that is over; -1: neither. */
static int winner_of(const struct game *game, const struct chess_variant_state *s)
{
	const struct chess_variant *v = variant_of(game);
	const struct chess_state *b = &s->board;
	for (int side = WHITE_SIDE; side <= BLACK_SIDE; side++) {
		bool own = king_of(b, (unsigned)side) & v->goal[side], other = king_of(b, !side) & v->goal[!side];
		if ((own && !other) || (v->checks && !s->left[side]) || (v->explodes && !king_of(b, !side)) ||
		    (v->horde && side == BLACK_SIDE && !men_of(b, WHITE_SIDE)))
			return side;
	}
	return b->check ? !b->side : -1;
}

static bool variant_terminal(const struct game *game, const void *state, int *value)
{
	const struct chess_variant_state *s = state;
	if (!s->board.count)
		*value = winner_of(game, s) == s->board.first_black;
	return !s->board.count;
}

static bool variant_first_to_move(const struct game *game, const void *state)
{
	const struct chess_variant_state *s = state;
	return s->board.side == s->board.first_black;
}

static void variant_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct chess_variant_state *s = state;
	bool first = s->board.side == s->board.first_black;
	num[first] = s->board.count;
	num[!first] = 1;
}

/* A man taken in crazyhouse comes back, and so can a pawn. */
static bool variant_irreversible(const struct game *game, const void *state, game_move move)
{
	return !variant_of(game)->hands && chess_irreversible(game, state, move);
}

/* --- positions ---------------------------------------------------------------------------- */

/* What is wrong with the kings; NULL if nothing is. */
static const char *check_kings(const struct game *game, const struct chess_variant_state *s)
{
	const struct chess_variant *v = variant_of(game);
	const struct chess_state *b = &s->board;
	for (unsigned side = WHITE_SIDE; side <= BLACK_SIDE; side++) {
		unsigned kings = chess_count(king_of(b, side));
		if (v->horde && side == WHITE_SIDE ? kings > 0
						   : kings > 1 || (!kings && !(v->explodes && side == b->side)))
			return v->horde      ? "in horde White has no king, and Black has one"
			       : v->explodes ? "each side has one king, unless that of the side to move has exploded"
					     : "each side has one king";
	}
	bool exploded = v->explodes && !king_of(b, b->side);
	if (!exploded && is_checked(chess_of(game), v, b, !b->side))
		return "the side that is not to move is in check";
	return v->quiet && is_checked(chess_of(game), v, b, b->side) ? "in racingkings no side is ever in check" : NULL;
}

/* What is wrong with rooks that may castle; NULL if nothing is. */
static const char *check_castling(const struct chess_variant_state *s)
{
	for (unsigned side = WHITE_SIDE; side <= BLACK_SIDE; side++) {
		uint64_t row = ROW_1 << (side ? 56 : 0), king = king_of(&s->board, side) & row;
		uint64_t rooks = s->castling & row, all = men_of(&s->board, side) & s->board.plane[2];
		if (rooks & ~(all & ~s->board.plane[0] & ~s->board.plane[1]) || rooks & s->promoted ||
		    (rooks && !king) || chess_count(rooks & (king - 1)) > 1 || chess_count(rooks & ~(king - 1)) > 1)
			return "a castling right needs king and rook on the first row of their side";
	}
	return s->castling & ~(ROW_1 | ROW_8) ? "only a rook on the first or the last row may castle" : NULL;
}

const char *chess_variant_complete(const struct game *game, struct chess_variant_state *s)
{
	const struct chess_variant *v = variant_of(game);
	struct chess_men m = chess_men(&s->board);
	unsigned men = chess_count(m.occupied), side = s->board.side;
	uint64_t pawns = v->horde ? men_of(&s->board, BLACK_SIDE) : m.occupied;
	if (m.pawns & (ROW_8 | (ROW_1 & pawns)))
		return "a pawn stands on the first or the last row";
	if (v->quiet && m.pawns)
		return "in racingkings there are no pawns";
	if (s->promoted & (~m.occupied | m.pawns | m.kings))
		return "~ may follow only a knight, bishop, rook or queen";
	for (unsigned i = 0; i < 10; i++)
		men += s->hand[i / 5][i % 5];
	if (men > VARIANT_MEN_MAX)
		return "there are at most 64 men on the board and in hand";
	if (v->checks && (!s->left[side] || s->left[0] > VARIANT_CHECKS || s->left[1] > VARIANT_CHECKS))
		return "each side must still give 1 to 3 checks, or 0 if it has just given the last";
	const char *wrong = chess_check_passing(&s->board);
	if (!wrong)
		wrong = check_castling(s);
	if (!wrong)
		wrong = check_kings(game, s);
	if (!wrong)
		derive_rest(game, s);
	return wrong;
}

static void variant_start(const struct game *game, void *state)
{
	int rc = chess_variant_parse(game, variant_of(game)->start, state, NULL);
	PD_ASSERT(!rc);
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t variant_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct chess_variant_state *s = state;
	const struct chess_variant *v = variant_of(game);
	struct chess_state b = s->board;
	b.plane[0] |= s->castling;
	b.plane[1] |= s->castling;
	size_t size = chess_key(game, &b, out);
	for (unsigned i = 0; v->hands && i < 8; i++)
		out[size++] = (uint8_t)(s->promoted >> 8 * i);
	for (unsigned i = 0; v->hands && i < 10; i++)
		out[size++] = s->hand[i / 5][i % 5];
	if (v->checks)
		out[size++] = (uint8_t)(s->left[0] | s->left[1] << 2);
	return size;
}

static int variant_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct chess_variant *v = variant_of(game);
	struct chess_variant_state s = {0};
	size_t tail = v->hands ? 18 : v->checks;
	if (size < 10 + tail || size > KEY_MAX || key[0] & ~33u || key[1] > 8 ||
	    !chess_read_men(&s.board, key, size - tail, 7))
		return PD_E_CORRUPT;
	s.castling = s.board.plane[0] & s.board.plane[1] & s.board.plane[2];
	s.board.plane[0] ^= s.castling;
	s.board.plane[1] ^= s.castling;
	s.board.side = key[0] & 1;
	s.board.first_black = key[0] >> 5;
	s.board.passing = key[1];
	for (unsigned i = 0; v->hands && i < 8; i++)
		s.promoted |= (uint64_t)key[size - 18 + i] << 8 * i;
	for (unsigned i = 0; v->hands && i < 10; i++)
		s.hand[i / 5][i % 5] = key[size - 10 + i];
	if (v->checks && key[size - 1] >> 4)
		return PD_E_CORRUPT;
	for (unsigned i = 0; v->checks && i < 2; i++)
		s.left[i] = key[size - 1] >> 2 * i & 3;
	if (chess_variant_complete(game, &s) || s.board.passing != key[1])
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static int variant_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			struct game **out, struct pd_fail *fail)
{
	static const struct chess_form form = {.mate = true, .hint = ""};
	const struct chess_variant *v = table, *end = table + sizeof table / sizeof *table;
	while (v < end && strcmp(v->name, params) != 0)
		v++;
	if (v == end)
		return cells_refuse_params(rules, params, fail);
	struct chess_variant_game *g = chess_new(rules, &form, sizeof *g, fail);
	if (!g)
		return PD_E_NO_MEMORY;
	struct game *game = &g->chess.base.game;
	g->variant = v;
	game->state_size = sizeof(struct chess_variant_state);
	game->key_size_max = KEY_MAX;
	game->moves_max = LIST_MAX;
	game->value_min = 0;
	snprintf(game->name, sizeof game->name, "chess-variant:%s", v->name);
	*out = game;
	return PD_OK;
}

static const struct game_words variant_words = {.first = "first wins", .draw = "no win"};

static const struct game_variant variant_names[] = {{"crazyhouse", "Crazyhouse", true},
						    {"3check", "Three-check", true},
						    {"kingofthehill", "King of the Hill", true},
						    {"racingkings", "Racing Kings", true},
						    {"horde", "Horde", true},
						    {"atomic", "Atomic", true},
						    {"3check", "3check", false},
						    {"kingofthehill", "kingofthehill", false},
						    {"racingkings", "racingkings", false},
						    {NULL, NULL, false}};

const struct game_rules game_chess_variant_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "chess-variant",
	.title = "Chess variants: does First win by force?",
	.params = "crazyhouse, 3check, kingofthehill, racingkings, horde or atomic; the value is 1 if First can force "
		  "mate or the variant's own win, else 0",
	.notation =
		"A position is a FEN: [QRn] after the board holds the men in hand, ~ follows a promoted man (both in "
		"crazyhouse), 3+3 after the en-passant square the checks that White and Black must still give "
		"(3check). first=w or first=b may follow; otherwise First is the side to move. A move is e2e4, "
		"e7e8q, N@f3 from the hand, or SAN.",
	.example = "chess-variant:3check",
	.open = variant_open,
	.close = cells_close,
	CELLS_RULES(variant),
	.parse = chess_variant_parse,
	.print = chess_variant_print,
	.move_parse = chess_move_parse,
	.move_print = chess_move_print,
	.initial_numbers = variant_initial_numbers,
	.irreversible = variant_irreversible,
	.words = &variant_words,
	.board = chess_variant_board,
	.diagram = chess_variant_diagram,
	.move_places = chess_move_places,
	.set_up = chess_variant_set_up,
	.notations = chess_notations,
	.move_print_in = chess_move_print_in,
	.records = GAME_RECORD_PGN | GAME_RECORD_EPD,
	.variants = variant_names,
};
