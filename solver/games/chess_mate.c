/* Chess as a problem: does First force mate? The value is 1 if First can give mate against every defence, else 0.
 * RULES.md has the rules and the notation, chessboard.h keys and codes of moves.
 *
 * First is the side to move in the given position unless its text says otherwise; each state records it.
 *
 * Only legal moves are generated (chess_legal.h). After each move the search asks whether the game is over and how many
 * moves there are; `play` counts them, and the state keeps both. */
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/chess_legal.h"
#include "solver/games/chess_text.h"

enum { PROMOTIONS = 4 };

/* --- the moves of each kind of men -------------------------------------------------------- */

/* The pawns that may capture en passant. */
static uint64_t passing_pawns(const struct chess_lines *l, const struct chess_state *s, const struct chess_men *m)
{
	uint64_t target = chess_bit(chess_passing_square(s)), taken = chess_bit(chess_passed_pawn(s)), legal = 0;
	unsigned king = chess_first(m->own & m->kings);
	for (uint64_t men = chess_passing_pawns(s, m->own & m->pawns); men; men &= men - 1) {
		uint64_t occupied = m->occupied ^ (men & (~men + 1)) ^ target ^ taken;
		if (!chess_in_check(l, m, s->side, king, m->enemy ^ taken, occupied))
			legal |= men & (~men + 1);
	}
	return legal;
}

/* The king's targets in castling. `safe` are the squares that the enemy does not attack. */
static inline uint64_t castling_targets(const struct chess_state *s, const struct chess_men *m, uint64_t safe)
{
	unsigned first_row = s->side ? 56 : 0, rights = s->rights >> (s->side ? 2 : 0);
	uint64_t empty = ~m->occupied >> first_row, quiet = safe >> first_row, to = 0;
	if (rights & 1 && (empty & 0x60) == 0x60 && (quiet & 0x70) == 0x70)
		to |= chess_bit(first_row + 6);
	if (rights & 2 && (empty & 0x0e) == 0x0e && (quiet & 0x1c) == 0x1c)
		to |= chess_bit(first_row + 2);
	return to;
}

static inline uint64_t king_steps(const struct chess_lines *l, const struct chess_state *s, const struct chess_men *m,
				  unsigned king)
{
	uint64_t safe = ~chess_attacked(l, m, s->side), steps = l->king[king] & ~m->own & safe;
	return s->rights ? steps | castling_targets(s, m, safe) : steps;
}

/* --- all moves ---------------------------------------------------------------------------- */

static unsigned count_pawns(const struct chess_steps *p)
{
	uint64_t last = ROW_1 | ROW_8;
	unsigned n = chess_count(p->west) + chess_count(p->east) + chess_count(p->one) + chess_count(p->two);
	if ((p->west | p->east | p->one) & last)
		n += (PROMOTIONS - 1) *
		     (chess_count(p->west & last) + chess_count(p->east & last) + chess_count(p->one & last));
	return n;
}

/* Fills in the number of legal moves, 0 when the game is over, and whether there is check, and clears an en-passant
 * target on which no pawn may capture. Where the rule of N moves ends the game, no check is noted: there is no mate. */
static void derive_rights(const struct game *game, struct chess_state *s)
{
	const struct chess_lines *l = &chess_of(game)->lines;
	struct chess_men m = chess_men(s);
	struct chess_duty d = chess_find_duty(l, &m, s->side);
	unsigned n = chess_count(king_steps(l, s, &m, d.king));
	if (s->passing) {
		unsigned captures = chess_count(passing_pawns(l, s, &m));
		n += captures;
		s->passing = captures ? s->passing : 0;
	}
	if (d.targets) {
		struct chess_steps p = chess_pawn_steps(&m, &d, s->side);
		n += count_pawns(&p);
		for (uint64_t men = m.own & m.knights & ~d.pinned_at_all; men; men &= men - 1)
			n += chess_count(l->knight[chess_first(men)] & d.targets);
		for (uint64_t men = m.own & m.oblique; men; men &= men - 1)
			n += chess_count(chess_oblique_steps(l, &m, &d, chess_first(men)));
		for (uint64_t men = m.own & m.straight; men; men &= men - 1)
			n += chess_count(chess_straight_steps(l, &m, &d, chess_first(men)));
	}
	s->count = (uint16_t)n;
	s->check = d.checkers != 0;
	if (n && chess_expired(game, s))
		s->count = s->check = 0;
}

static unsigned mate_moves(const struct game *game, const void *state, game_move *out)
{
	const struct chess_lines *l = &chess_of(game)->lines;
	const struct chess_state *s = state;
	struct chess_men m = chess_men(s);
	struct chess_duty d = chess_find_duty(l, &m, s->side);
	struct chess_steps p = chess_pawn_steps(&m, &d, s->side);
	game_move *begin = out;
	if (!s->count)
		return 0;
	out = chess_emit_pawns(out, p.west, STEP_WEST, s->side, CHESS_QUEEN);
	out = chess_emit_pawns(out, p.east, STEP_EAST, s->side, CHESS_QUEEN);
	out = chess_emit_pawns(out, p.one, STEP_AHEAD, s->side, CHESS_QUEEN);
	out = chess_emit_pawns(out, p.two, STEP_TWO, s->side, CHESS_QUEEN);
	if (s->passing)
		for (uint64_t men = passing_pawns(l, s, &m); men; men &= men - 1)
			*out++ = (game_move)chess_code(chess_first(men), chess_passing_square(s));
	for (uint64_t men = m.own & m.knights & ~d.pinned_at_all; men; men &= men - 1)
		out = chess_emit(out, chess_first(men), l->knight[chess_first(men)] & d.targets);
	for (uint64_t men = m.own & m.oblique; men; men &= men - 1)
		out = chess_emit(out, chess_first(men), chess_oblique_steps(l, &m, &d, chess_first(men)));
	for (uint64_t men = m.own & m.straight; men; men &= men - 1)
		out = chess_emit(out, chess_first(men), chess_straight_steps(l, &m, &d, chess_first(men)));
	out = chess_emit(out, d.king, king_steps(l, s, &m, d.king));
	return (unsigned)(out - begin);
}

/* The castling rights lost when a man leaves or reaches a square. */
static const uint8_t rights_lost[64] = {[0] = 2, [4] = 3, [7] = 1, [56] = 8, [60] = 12, [63] = 4};

static void mate_play(const struct game *game, void *state, game_move move)
{
	struct chess_state *s = state;
	unsigned from = move & 63, to = move >> 6 & 63;
	PD_DEBUG_ASSERT(chess_man(s, from));
	chess_tick(game, s, move);
	if (s->rights) {
		if ((to == from + 2 || to + 2 == from) && (chess_man(s, from) & 7) == CHESS_KING) {
			unsigned corner = to > from ? to + 1 : to - 2, rook = chess_man(s, corner);
			chess_clear(s, chess_bit(corner));
			chess_put(s, (from + to) / 2, rook);
		}
		s->rights &= (uint8_t) ~(rights_lost[from] | rights_lost[to]);
	}
	chess_move_men(s, move);
	derive_rights(game, s);
}

/* --- the end ------------------------------------------------------------------------------ */

static bool mate_first_to_move(const struct game *game, const void *state)
{
	const struct chess_state *s = state;
	return s->side == s->first_black;
}

static bool mate_terminal(const struct game *game, const void *state, int *value)
{
	const struct chess_state *s = state;
	if (!s->count)
		*value = s->check && s->side != s->first_black;
	return !s->count;
}

static void mate_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct chess_state *s = state;
	bool first = s->side == s->first_black;
	num[first] = s->count;
	num[!first] = 1;
}

/* T13 of THEOREMS.md: a bare king never mates. */
static bool mate_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			 uint8_t *witness)
{
	const struct chess_state *s = state;
	uint64_t men = s->plane[0] | s->plane[1] | s->plane[2], kings = s->plane[1] & s->plane[2];
	if (men & ~kings & (s->first_black ? s->plane[3] : ~s->plane[3]))
		return false;
	*out = (struct game_theorem){.number = 13, .plies = GAME_NO_RANK, .effort = 1};
	return true;
}

/* --- opening ------------------------------------------------------------------------------ */

static const char *mate_complete(const struct game *game, struct chess_state *s)
{
	const struct chess_lines *l = &chess_of(game)->lines;
	struct chess_men m = chess_men(s);
	if (chess_count(m.own & m.kings) != 1 || chess_count(m.enemy & m.kings) != 1)
		return "each side has one king";
	if (chess_in_check(l, &m, !s->side, chess_first(m.enemy & m.kings), m.own, m.occupied))
		return "the side that is not to move is in check";
	derive_rights(game, s);
	return NULL;
}

static int mate_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	static const struct chess_form form = {.mate = true, .hint = "", .complete = mate_complete};
	struct chess_game *g = chess_new(rules, &form, sizeof *g, fail);
	if (!g)
		return PD_E_NO_MEMORY;
	g->base.game.value_min = 0;
	memcpy(g->base.game.name, "chess-mate", sizeof "chess-mate");
	if (!chess_read_limit(g, params, ':')) {
		cells_close(&g->base.game);
		return cells_refuse_params(rules, params, fail);
	}
	*out = &g->base.game;
	return PD_OK;
}

/* It makes no difference here whether First is mated or the game is drawn. */
static const struct game_words mate_words = {.first = "first mates", .draw = "no mate"};

static const struct game_variant mate_variants[] = {
	{"", "chess", false},         {"", "standard", false}, {"", "normal", false},     {"", "orthodox", false},
	{"", "from position", false}, {"50", "chess", false},  {"50", "standard", false}, {NULL, NULL, false}};

const struct game_rules game_chess_mate_rules = {
	CHESS_RULES,
	.name = "chess-mate",
	.title = "Chess: does First force mate?",
	.params =
		"nothing: the value is 1 if First can force mate, else 0; or N from 1 to 127, as in 50: after N moves "
		"of both sides without a capture or a pawn's move there is no mate any more",
	.notation = "A position is a FEN or EPD; operations are ignored, and so are counters, but with N the first one "
		    "counts halfmoves. first=w or first=b may follow it; "
		    "otherwise First is the side to move. A move is e2e4, with a promotion e7e8q; Nf3, exd5, e8=Q and "
		    "O-O are read as well.",
	.example = "chess-mate",
	.open = mate_open,
	.first_to_move = mate_first_to_move,
	.terminal = mate_terminal,
	.moves = mate_moves,
	.play = mate_play,
	.initial_numbers = mate_initial_numbers,
	.words = &mate_words,
	.counted = "mate in",
	.theorem = mate_theorem,
	.variants = mate_variants,
};
