/* Antichess, also losing chess, giveaway or suicide chess: the side that loses all men wins. RULES.md has the rules and
 * the notation, chessboard.h keys and codes of moves.
 *
 * A move wins at once only by a stalemate that leaves the other side more men, which is rare, so there is no test for
 * an immediate win. A search mostly counts moves, which needs no list of them. */
#include <stdio.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "proto/base/assert.h"
#include "solver/games/chess_text.h"
#include "solver/games/processor.h"

struct antichess {
	struct chess_game chess;
	bool fewer;                      /* stalemate=fewer */
	const struct counting *counting; /* the fastest for this processor */
};

static const struct antichess *antichess_of(const struct game *game)
{
	return (const struct antichess *)game;
}

enum { PROMOTIONS = 5 };

/* The targets of the mover's pawns: captures except en passant, and quiet steps. */
struct pawn_steps {
	uint64_t west, east, one, two;
};

static inline struct pawn_steps pawn_steps(const struct chess_men *m, unsigned side)
{
	uint64_t pawns = m->own & m->pawns, one = chess_ahead(pawns, side) & ~m->occupied;
	return (struct pawn_steps){
		.west = chess_west(pawns, side) & m->enemy,
		.east = chess_east(pawns, side) & m->enemy,
		.one = one,
		.two = chess_ahead(one & chess_third_row(side), side) & ~m->occupied,
	};
}

/* --- counting ----------------------------------------------------------------------------------
 * No two men reach the same square in the same direction, so the number of moves is that of the squares reached in each
 * direction. If the processor has vectors of 256 bits, a second way to count is chosen at run time; a debug build
 * compares both.
 *
 * Counting takes the sorted men, the turn and the en-passant mark of a position. Only the kinds of the mover's men
 * matter, so after a move the kinds before it can be used. */

struct counted {
	struct chess_men men; /* the kinds may contain men outside `own`, which are ignored */
	unsigned side;        /* to move */
	uint64_t passing;     /* own pawns that can capture en passant */
};

static inline struct counted count_men(const struct chess_state *s)
{
	struct counted c = {.men = chess_men(s), .side = s->side, .passing = 0};
	if (s->passing)
		c.passing = chess_passing_pawns(s, c.men.own & c.men.pawns);
	return c;
}

/* The position after a move, for counting: the other side keeps its men except a captured one. */
static inline struct counted counted_after(const struct chess_state *s, const struct chess_men *before, game_move move)
{
	unsigned from = move & 63, to = move >> 6 & 63;
	struct counted c = {.men = *before, .side = s->side ^ 1u, .passing = 0};
	c.men.own = before->enemy & ~chess_bit(to);
	c.men.enemy = (before->own & ~chess_bit(from)) | chess_bit(to);
	if (before->pawns >> from & 1) {
		if (s->passing && to == chess_passing_square(s))
			c.men.own &= ~chess_bit(chess_passed_pawn(s));
		if ((from ^ to) == 16) {
			struct chess_state passed = {.side = (uint8_t)c.side, .passing = (uint8_t)(1 + from % 8)};
			c.passing = chess_passing_pawns(&passed, c.men.own & c.men.pawns);
		}
	}
	c.men.occupied = c.men.own | c.men.enemy;
	return c;
}

struct tally {
	unsigned captures, quiet;
};

/* Adds the pawns. Inlined in both ways of counting. */
__attribute__((always_inline)) static inline unsigned add_pawns(const struct counted *c, struct tally t)
{
	struct pawn_steps p = pawn_steps(&c->men, c->side);
	uint64_t last = ROW_1 | ROW_8;
	t.captures += chess_count(p.west) + chess_count(p.east);
	t.quiet += chess_count(p.one) + chess_count(p.two);
	if ((p.west | p.east | p.one) & last) {
		t.captures += (PROMOTIONS - 1) * (chess_count(p.west & last) + chess_count(p.east & last));
		t.quiet += (PROMOTIONS - 1) * chess_count(p.one & last);
	}
	if (c->passing)
		t.captures += chess_count(c->passing);
	return c->men.enemy ? t.captures ? t.captures : t.quiet : 0;
}

#if defined(__AVX2__)
#define WIDE /* the whole program is compiled for such a processor */
#elif defined(__x86_64__)
#define WIDE __attribute__((target("avx2,bmi,bmi2,popcnt")))
#endif

#ifdef WIDE

/* One direction a lane: the four that increase square numbers; right shifts give the opposite ones. */
typedef uint64_t lanes __attribute__((vector_size(32)));

#define LANES(a, b, c, d) ((lanes){a, b, c, d})

/* The sum of the sizes of four sets in each lane. */
WIDE static inline lanes count_lanes(lanes a, lanes b, lanes c, lanes d)
{
#if defined(__AVX512VPOPCNTDQ__) && defined(__AVX512VL__)
	return (lanes)_mm256_popcnt_epi64((__m256i)a) + (lanes)_mm256_popcnt_epi64((__m256i)b) +
	       (lanes)_mm256_popcnt_epi64((__m256i)c) + (lanes)_mm256_popcnt_epi64((__m256i)d);
#else
	/* Counts bits by a table of half bytes (Wojciech Mula). A byte of the sum is at most 32. */
	const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3,
					       1, 2, 2, 3, 2, 3, 3, 4);
	const lanes low = LANES(0, 0, 0, 0) + UINT64_C(0x0f0f0f0f0f0f0f0f), sets[4] = {a, b, c, d};
	__m256i sum = _mm256_setzero_si256();
	for (unsigned i = 0; i < 4; i++) {
		sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(table, (__m256i)(sets[i] & low)));
		sum = _mm256_add_epi8(sum, _mm256_shuffle_epi8(table, (__m256i)(sets[i] >> 4 & low)));
	}
	return (lanes)_mm256_sad_epu8(sum, _mm256_setzero_si256());
#endif
}

/* Knights jump in all directions at once; kings go one step in eight directions; sliders go over empty squares, in
 * 1 + 2 + 4 steps. `up` and `down` mask the squares that a step can reach without wrapping around the edge. */
WIDE static inline __attribute__((always_inline)) unsigned count_by_lanes(const struct counted *c)
{
	const struct chess_men *m = &c->men;
	const lanes up = LANES(~UINT64_C(0), ~FILE_A, ~FILE_A, ~FILE_H), by = LANES(8, 9, 1, 7);
	const lanes down = LANES(~UINT64_C(0), ~FILE_H, ~FILE_H, ~FILE_A);
	uint64_t straight = m->own & m->straight, oblique = m->own & m->oblique, kings = m->own & m->kings;
	lanes empty = LANES(0, 0, 0, 0) + ~m->occupied;
	lanes rise = LANES(straight, oblique, straight, oblique), fall = rise;
	lanes high = empty & up, low = empty & down;
	rise |= high & rise << by;
	fall |= low & fall >> by;
	high &= high << by;
	low &= low >> by;
	rise |= high & rise << 2 * by;
	fall |= low & fall >> 2 * by;
	high &= high << 2 * by;
	low &= low >> 2 * by;
	rise |= high & rise << 4 * by;
	fall |= low & fall >> 4 * by;
	rise = (rise | kings) << by & up;
	fall = (fall | kings) >> by & down;

	const lanes jump = LANES(17, 15, 10, 6), two_a = ~(FILE_A | FILE_A << 1) + LANES(0, 0, 0, 0);
	const lanes to = LANES(~FILE_A, ~FILE_H, two_a[0], ~(FILE_H | FILE_H >> 1));
	const lanes back = LANES(~FILE_H, ~FILE_A, ~(FILE_H | FILE_H >> 1), two_a[0]);
	lanes knights = LANES(0, 0, 0, 0) + (m->own & m->knights);
	lanes there = knights << jump & to, here = knights >> jump & back;

	lanes enemy = LANES(0, 0, 0, 0) + m->enemy;
	lanes both = count_lanes(rise & enemy, fall & enemy, there & enemy, here & enemy) << 32 |
		     count_lanes(rise & empty, fall & empty, there & empty, here & empty);
	uint64_t sum = both[0] + both[1] + both[2] + both[3];
	return add_pawns(c, (struct tally){.captures = (unsigned)(sum >> 32), .quiet = (unsigned)sum});
}

#endif

static inline void count_man(const struct chess_men *m, uint64_t reach, struct tally *t)
{
	t->captures += chess_count(reach & m->enemy);
	t->quiet += chess_count(reach & ~m->occupied);
}

/* Counts the moves man by man, from the geometry of the board. */
static inline unsigned count_by_men(const struct antichess *a, const struct counted *c)
{
	const struct chess_lines *l = &a->chess.lines;
	const struct chess_men *m = &c->men;
	struct tally t = {0, 0};
	for (uint64_t men = m->own & m->knights; men; men &= men - 1)
		count_man(m, l->knight[chess_first(men)], &t);
	for (uint64_t men = m->own & m->kings; men; men &= men - 1)
		count_man(m, l->king[chess_first(men)], &t);
	for (uint64_t men = m->own & m->oblique; men; men &= men - 1)
		count_man(m, chess_oblique(l, chess_first(men), m->occupied), &t);
	for (uint64_t men = m->own & m->straight; men; men &= men - 1)
		count_man(m, chess_straight(l, chess_first(men), m->occupied), &t);
	return add_pawns(c, t);
}

/* A way to count the moves of a position, and those after each of its moves. The latter loop, in which a search spends
 * most of its time, is part of it so that it contains no call. */
struct counting {
	unsigned (*count)(const struct antichess *a, const struct chess_state *s);
	void (*replies)(const struct antichess *a, const struct chess_state *s, const game_move *moves, unsigned count,
			uint16_t *out);
};

static inline unsigned count_narrow(const struct antichess *a, const struct chess_state *s)
{
	struct counted c = count_men(s);
	return count_by_men(a, &c);
}

/* The plain way, which debug builds compare with: makes the move and counts. */
static inline unsigned count_after(const struct antichess *a, const struct chess_state *s, game_move move)
{
	struct chess_state child = *s;
	chess_move_men(&child, move);
	return count_narrow(a, &child);
}

static void replies_narrow(const struct antichess *a, const struct chess_state *s, const game_move *moves,
			   unsigned count, uint16_t *out)
{
	struct chess_men m = chess_men(s);
	for (unsigned i = 0; i < count; i++) {
		struct counted c = counted_after(s, &m, moves[i]);
		out[i] = (uint16_t)count_by_men(a, &c);
		PD_DEBUG_ASSERT(out[i] == count_after(a, s, moves[i]));
	}
}

static const struct counting narrow = {count_narrow, replies_narrow};

#ifdef WIDE

WIDE static unsigned count_wide(const struct antichess *a, const struct chess_state *s)
{
	struct counted c = count_men(s);
	unsigned count = count_by_lanes(&c);
	PD_DEBUG_ASSERT(count == count_narrow(a, s));
	return count;
}

WIDE static void replies_wide(const struct antichess *a, const struct chess_state *s, const game_move *moves,
			      unsigned count, uint16_t *out)
{
	struct chess_men m = chess_men(s);
	for (unsigned i = 0; i < count; i++) {
		struct counted c = counted_after(s, &m, moves[i]);
		out[i] = (uint16_t)count_by_lanes(&c);
		PD_DEBUG_ASSERT(out[i] == count_after(a, s, moves[i]));
	}
}

static const struct counting wide = {count_wide, replies_wide};

#endif

static const struct counting *best_counting(void)
{
#ifdef WIDE
	if (processor_has_avx2())
		return &wide;
#endif
	return &narrow;
}

static unsigned antichess_count(const struct game *game, const void *state)
{
	const struct antichess *a = antichess_of(game);
	return chess_expired(game, state) ? 0 : a->counting->count(a, state);
}

static void antichess_replies(const struct game *game, const void *state, const game_move *moves, unsigned count,
			      uint16_t *out)
{
	const struct antichess *a = antichess_of(game);
	const struct chess_state *s = state;
	a->counting->replies(a, state, moves, count, out);
	if (a->chess.limit && s->clock + 1 >= a->chess.limit)
		for (unsigned i = 0; i < count; i++)
			out[i] = chess_resets(s, moves[i]) ? out[i] : 0;
}

/* --- moves -------------------------------------------------------------------------------- */

/* The squares that each of the mover's men except pawns reaches. A queen has two entries. */
struct reaches {
	unsigned count;
	bool captures; /* some man can capture */
	uint8_t from[2 * 64];
	uint64_t to[2 * 64];
};

static inline void add_reach(struct reaches *r, const struct chess_men *m, unsigned from, uint64_t to)
{
	r->from[r->count] = (uint8_t)from;
	r->to[r->count++] = to;
	r->captures |= (to & m->enemy) != 0;
}

static void find_reaches(const struct chess_lines *l, const struct chess_men *m, struct reaches *r)
{
	r->count = 0;
	r->captures = false;
	for (uint64_t men = m->own & m->knights; men; men &= men - 1)
		add_reach(r, m, chess_first(men), l->knight[chess_first(men)]);
	for (uint64_t men = m->own & m->kings; men; men &= men - 1)
		add_reach(r, m, chess_first(men), l->king[chess_first(men)]);
	for (uint64_t men = m->own & m->oblique; men; men &= men - 1)
		add_reach(r, m, chess_first(men), chess_oblique(l, chess_first(men), m->occupied));
	for (uint64_t men = m->own & m->straight; men; men &= men - 1)
		add_reach(r, m, chess_first(men), chess_straight(l, chess_first(men), m->occupied));
}

static unsigned antichess_moves(const struct game *game, const void *state, game_move *out)
{
	const struct chess_state *s = state;
	struct chess_men m = chess_men(s);
	struct pawn_steps p = pawn_steps(&m, s->side);
	struct reaches r;
	game_move *begin = out;
	if (!m.enemy || chess_expired(game, s))
		return 0;
	find_reaches(&chess_of(game)->lines, &m, &r);
	out = chess_emit_pawns(out, p.west, STEP_WEST, s->side, CHESS_KING);
	out = chess_emit_pawns(out, p.east, STEP_EAST, s->side, CHESS_KING);
	if (s->passing)
		for (uint64_t men = chess_passing_pawns(s, m.own & m.pawns); men; men &= men - 1)
			*out++ = (game_move)chess_code(chess_first(men), chess_passing_square(s));
	bool captures = r.captures || out != begin;
	if (!captures) {
		out = chess_emit_pawns(out, p.one, STEP_AHEAD, s->side, CHESS_KING);
		out = chess_emit_pawns(out, p.two, STEP_TWO, s->side, CHESS_KING);
	}
	uint64_t targets = captures ? m.enemy : ~m.occupied;
	for (unsigned i = 0; i < r.count; i++)
		out = chess_emit(out, r.from[i], r.to[i] & targets);
	return (unsigned)(out - begin);
}

/* True unless the game is over: both sides have men, and the mover has a legal move. A man that can move and is neither
 * knight nor pawn can move to an adjacent square. */
static bool goes_on(const struct antichess *a, const struct chess_state *s)
{
	struct chess_men m = chess_men(s);
	struct pawn_steps p = pawn_steps(&m, s->side);
	if (!m.enemy)
		return false;
	if (p.one | p.west | p.east)
		return true;
	uint64_t straight = m.own & (m.straight | m.kings), row = m.own & (m.oblique | m.kings);
	uint64_t near = (straight & ~FILE_H) << 1 | (straight & ~FILE_A) >> 1 | straight << 8 | straight >> 8;
	row = (row & ~FILE_H) << 1 | (row & ~FILE_A) >> 1;
	if ((near | row << 8 | row >> 8) & ~m.own)
		return true;
	for (uint64_t men = m.own & m.knights; men; men &= men - 1)
		if (a->chess.lines.knight[chess_first(men)] & ~m.own)
			return true;
	return s->passing; /* a pawn can capture there */
}

static void antichess_play(const struct game *game, void *state, game_move move)
{
	struct chess_state *s = state;
	PD_DEBUG_ASSERT(chess_man(s, move & 63));
	chess_tick(game, s, move);
	chess_move_men(s, move);
	if (s->passing) {
		struct chess_men m = chess_men(s);
		if (!chess_passing_pawns(s, m.own & m.pawns))
			s->passing = 0;
	}
}

/* --- the end ------------------------------------------------------------------------------ */

static bool antichess_first_to_move(const struct game *game, const void *state)
{
	return ((const struct chess_state *)state)->side == WHITE_SIDE;
}

static bool antichess_terminal(const struct game *game, const void *state, int *value)
{
	const struct antichess *a = antichess_of(game);
	const struct chess_state *s = state;
	if (goes_on(a, s)) {
		if (!chess_expired(game, s))
			return false;
		*value = 0;
		return true;
	}
	struct chess_men m = chess_men(s);
	int won = s->side == WHITE_SIDE ? 1 : -1; /* the side to move */
	unsigned own = chess_count(m.own), enemy = chess_count(m.enemy);
	if (!own || !enemy)
		*value = own ? -won : won;
	else
		*value = !a->fewer || own < enemy ? won : own > enemy ? -won : 0;
	return true;
}

/* --- opening ------------------------------------------------------------------------------ */

static const char *antichess_complete(const struct game *game, struct chess_state *s)
{
	struct chess_men m = chess_men(s);
	if (s->passing && !chess_passing_pawns(s, m.own & m.pawns))
		s->passing = 0;
	return NULL;
}

static int antichess_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			  struct game **out, struct pd_fail *fail)
{
	static const struct chess_form form = {.hint = "; a side that can capture must do so",
					       .complete = antichess_complete};
	const char *rest = params;
	bool fewer = !strncmp(params, "stalemate=fewer", 15), wins = !strncmp(params, "stalemate=wins", 14);
	struct antichess *a = chess_new(rules, &form, sizeof *a, fail);
	if (!a)
		return PD_E_NO_MEMORY;
	struct game *game = &a->chess.base.game;
	a->fewer = fewer;
	a->counting = best_counting();
	snprintf(game->name, sizeof game->name, "antichess%s", fewer ? ":stalemate=fewer" : "");
	rest += fewer ? 15 : wins ? 14 : 0;
	bool more = rest != params && *rest;
	if (more && *rest == ',' && rest[1]) {
		more = false;
		rest++;
	}
	if (more || !chess_read_limit(&a->chess, rest, fewer ? ',' : ':')) {
		cells_close(game);
		return cells_refuse_params(rules, params, fail);
	}
	*out = game;
	return PD_OK;
}

static const struct game_variant antichess_variants[] = {{"", "Antichess", true},
							 {"50", "Antichess", true},
							 {"stalemate=fewer", "Suicide", true},
							 {"stalemate=fewer,50", "Suicide", true},
							 {NULL, NULL, false}};

const struct game_rules game_antichess_rules = {
	CHESS_RULES,
	.name = "antichess",
	.title = "Antichess (losing chess)",
	.params =
		"nothing; stalemate=fewer: a side with men but without a legal move wins if it has fewer men, and "
		"draws with equally many (otherwise it wins in any case); N from 1 to 127, as in 50: after N moves of "
		"both sides without a capture or a pawn's move the game is drawn; or both, as in stalemate=fewer,50",
	.notation =
		"A position is a FEN or EPD; operations and castling rights are ignored, and so are counters, but with "
		"N the first one counts halfmoves. First has White. "
		"A move is e2e4, with a promotion e7e8q (or r, b, n, k); SAN is read as well: Nf3, exd5, e8=K.",
	.example = "antichess",
	.open = antichess_open,
	.first_to_move = antichess_first_to_move,
	.terminal = antichess_terminal,
	.moves = antichess_moves,
	.play = antichess_play,
	.count = antichess_count,
	.replies = antichess_replies,
	.variants = antichess_variants,
};
