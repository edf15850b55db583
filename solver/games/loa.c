/* Lines of Action, on square boards of 4 to 8 rows: `loa:8` is the usual one. RULES.md has the rules and the notation.
 *
 * Key. Byte 0: the side to move, 0 Black, 1 White. Then the cells row by row from the top row, left to right, 2 bits
 * each (0 empty, 1 Black, 2 White), four cells a byte, the first cell in the lowest bits, the last byte padded with
 * zeros. Of the 8 symmetric images of the board (identity, rotations, reflections), the key uses the one with the
 * lexicographically smallest byte string.
 *
 * Move code. from * 64 + to, a square being row from the bottom * N + column; the pass is 0xfffe, which no move of two
 * squares has, because from differs from to.
 *
 * Layout. Two boards of 64 bits, bit = square. A state also carries, updated by each move:
 *  - The number of men on each line, four bits each, a word for each of the four directions of lines.
 *  - The eight images of the board in the form of keys, each as two words whose numeric order is the order of the byte
 *    strings. So a key is the least of eight pairs, and a move changes two or three fields of two bits in each.
 *  - The outcome, if the game is over.
 *
 * Symmetries are numbered as in grid.h. If several give the same smallest string, the one with the smallest number is
 * used, so a canonical position is its own frame.
 *
 * Invariants. The boards do not overlap and neither is empty: a side with one man is connected, so the game ends before
 * that man could be taken. Counts, images and end are functions of boards and side. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"

enum {
	SIDE_MIN = 4,
	SIDE_MAX = 8,
	SQUARES_MAX = 64,
	LINES = 4,                       /* directions of lines: rows, columns, the two diagonals */
	WAYS = 8,                        /* directions of movement: two a line, way / 2 is the line */
	MOVES_MAX = 4 * SQUARES_MAX,     /* of a line's L squares at most L / 2 have men that can move one way */
	WORDS = 2 * GRID_SYMMETRIES_MAX, /* of all images of a board, two for each symmetry */
	NEAR = 4,                        /* cells that two moves can change */
	PASS = 0xfffe
};

enum { BLACK, WHITE };
enum { OPEN, WON, DRAWN = WON + 2 }; /* WON + side: that side has won */

/* No padding: equal states are equal bytes. */
struct loa_state {
	uint64_t men[2];        /* Black's and White's */
	uint64_t counts[LINES]; /* men on every line, four bits each */
	uint64_t image[WORDS];
	uint32_t side; /* to move: BLACK or WHITE */
	uint32_t end;  /* OPEN, or how the game ended */
};

struct loa {
	struct cells_game base;
	unsigned n, squares, bytes; /* bytes of the cells in a key */
	bool mover_wins;            /* simultaneous=mover */
	bool stuck_loses;           /* nomove=loss */
	uint64_t not_first_column, not_last_column;
	int step[WAYS];
	uint8_t reach[SQUARES_MAX][WAYS];                  /* squares between a square and the edge */
	uint64_t ray[SQUARES_MAX][WAYS];                   /* those squares */
	uint8_t shift[SQUARES_MAX][LINES];                 /* position of the count of a square's line in its word */
	uint64_t bit[SQUARES_MAX][WORDS];                  /* the low bit of a square's cell in every image */
	uint8_t map[GRID_SYMMETRIES_MAX][SQUARES_MAX];     /* the image of a square */
	uint8_t inverse[GRID_SYMMETRIES_MAX][SQUARES_MAX]; /* the square with that image */
};

static const struct loa *loa_of(const struct game *game)
{
	return (const struct loa *)game;
}

static inline uint64_t bit_of(unsigned square)
{
	return UINT64_C(1) << square;
}

/* The square of the i-th cell of a key, and of a board's text. */
static inline unsigned cell_square(const struct loa *m, unsigned i)
{
	return (m->n - 1 - i / m->n) * m->n + i % m->n;
}

/* A set and all its neighbours; bits beyond the board may be set as well. */
static uint64_t near_squares(const struct loa *m, uint64_t set)
{
	uint64_t row = set | (set & m->not_last_column) << 1 | (set & m->not_first_column) >> 1;
	return row | row << m->n | row >> m->n;
}

/* The men connected with those of `seed`. */
static uint64_t group_of(const struct loa *m, uint64_t men, uint64_t seed)
{
	for (;;) {
		uint64_t grown = near_squares(m, seed) & men;
		if (grown == seed)
			return seed;
		seed = grown;
	}
}

static bool is_connected(const struct loa *m, uint64_t men)
{
	return group_of(m, men, men & (~men + 1)) == men;
}

/* --- moves -------------------------------------------------------------------------------- */

/* Writes the moves of one man, at most eight. */
static unsigned man_moves(const struct loa *m, const struct loa_state *s, unsigned from, game_move *out)
{
	uint64_t own = s->men[s->side], enemy = s->men[!s->side];
	unsigned n = 0;
	for (unsigned way = 0; way < WAYS; way++) {
		unsigned far = s->counts[way / 2] >> m->shift[from][way / 2] & 15;
		if (far > m->reach[from][way])
			continue;
		unsigned to = (unsigned)((int)from + (int)far * m->step[way]);
		uint64_t between = m->ray[from][way] & ~m->ray[to][way] & ~bit_of(to);
		if ((own & bit_of(to)) || (enemy & between))
			continue;
		out[n++] = (game_move)(from * SQUARES_MAX + to);
	}
	return n;
}

static unsigned all_moves(const struct loa *m, const struct loa_state *s, game_move *out)
{
	unsigned n = 0;
	for (uint64_t men = s->men[s->side]; men; men &= men - 1)
		n += man_moves(m, s, (unsigned)__builtin_ctzll(men), out + n);
	return n;
}

static bool can_move(const struct loa *m, const struct loa_state *s)
{
	game_move moves[WAYS];
	for (uint64_t men = s->men[s->side]; men; men &= men - 1)
		if (man_moves(m, s, (unsigned)__builtin_ctzll(men), moves))
			return true;
	return false;
}

/* The outcome, given which sides are connected: `last`, the side that moved last, and `other`, the one to move. */
static uint32_t end_of(const struct loa *m, const struct loa_state *s, bool last, bool other)
{
	if (last && other)
		return m->mover_wins ? WON + !s->side : DRAWN;
	if (last || other)
		return WON + (last ? !s->side : s->side);
	return m->stuck_loses && !can_move(m, s) ? WON + !s->side : OPEN;
}

static unsigned loa_moves(const struct game *game, const void *state, game_move *out)
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	if (s->end)
		return 0;
	unsigned n = all_moves(m, s, out);
	if (!n)
		out[n++] = PASS; /* with nomove=loss the game would be over */
	return n;
}

static bool loa_first_to_move(const struct game *game, const void *state)
{
	return ((const struct loa_state *)state)->side == BLACK;
}

static bool loa_terminal(const struct game *game, const void *state, int *value)
{
	const struct loa_state *s = state;
	if (s->end)
		*value = s->end == DRAWN ? 0 : s->end == WON + BLACK ? 1 : -1;
	return s->end != OPEN;
}

/* Moves a man in all images. */
static void move_images(const struct loa *m, uint64_t image[WORDS], unsigned side, unsigned from, unsigned to,
			bool takes)
{
	for (unsigned i = 0; i < WORDS; i++)
		image[i] ^= (m->bit[from][i] ^ m->bit[to][i]) << side;
	if (takes)
		for (unsigned i = 0; i < WORDS; i++)
			image[i] ^= m->bit[to][i] << !side;
}

static void loa_play(const struct game *game, void *state, game_move move)
{
	const struct loa *m = loa_of(game);
	struct loa_state *s = state;
	unsigned side = s->side, from = move / SQUARES_MAX, to = move % SQUARES_MAX;
	s->side = !side;
	if (move == PASS)
		return;
	PD_DEBUG_ASSERT(from < SQUARES_MAX && from != to);
	PD_DEBUG_ASSERT(s->men[side] >> from & 1);
	PD_DEBUG_ASSERT(!(s->men[side] >> to & 1));
	bool takes = s->men[!side] & bit_of(to);
	s->men[side] ^= bit_of(from) | bit_of(to);
	s->men[!side] &= ~bit_of(to);
	for (unsigned i = 0; i < LINES; i++) {
		s->counts[i] -= UINT64_C(1) << m->shift[from][i];
		if (!takes)
			s->counts[i] += UINT64_C(1) << m->shift[to][i];
	}
	move_images(m, s->image, side, from, to, takes);
	s->end = end_of(m, s, is_connected(m, s->men[side]), takes && is_connected(m, s->men[!side]));
}

/* --- immediate wins ---------------------------------------------------------------------- */

/* Squares adjacent to every group of a side's men except perhaps one. Only there can a moved man connect all: groups
 * other than its own do not change, and each of them needs the man on its new square. */
static uint64_t find_joints(const struct loa *m, uint64_t men)
{
	uint64_t missed = 0, missed_twice = 0;
	while (men && ~missed_twice) {
		uint64_t one = group_of(m, men, men & (~men + 1)), away = ~near_squares(m, one);
		missed_twice |= missed & away;
		missed |= away;
		men &= ~one;
	}
	return ~missed_twice;
}

/* True if a move connects the mover's men and wins. */
static bool move_connects(const struct loa *m, const struct loa_state *s, unsigned from, unsigned to)
{
	uint64_t own = s->men[s->side] ^ (bit_of(from) | bit_of(to)), enemy = s->men[!s->side];
	if (!is_connected(m, own))
		return false;
	return m->mover_wins || !(enemy & bit_of(to)) || !is_connected(m, enemy & ~bit_of(to));
}

static bool can_connect(const struct loa *m, const struct loa_state *s)
{
	uint64_t aims = find_joints(m, s->men[s->side]);
	for (uint64_t men = aims ? s->men[s->side] : 0; men; men &= men - 1) {
		game_move moves[WAYS];
		unsigned from = (unsigned)__builtin_ctzll(men), n = man_moves(m, s, from, moves);
		for (unsigned i = 0; i < n; i++) {
			unsigned to = moves[i] % SQUARES_MAX;
			if ((aims & bit_of(to)) && move_connects(m, s, from, to))
				return true;
		}
	}
	return false;
}

/* True if some move ends the game with `end`. All are tried, because a side can also win by leaving the other no
 * move. */
static bool can_end(const struct loa *m, const struct loa_state *s, uint32_t end)
{
	game_move moves[MOVES_MAX];
	struct loa_state child = {0};
	for (unsigned n = all_moves(m, s, moves); n > 0 && child.end != end; n--) {
		child = *s;
		loa_play(&m->base.game, &child, moves[n - 1]);
	}
	return child.end == end;
}

static bool loa_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	if (!(m->stuck_loses ? can_end(m, s, WON + s->side) : can_connect(m, s)))
		return false;
	*value = s->side == BLACK ? 1 : -1;
	return true;
}

/* Initial numbers: the side that the claim is about has to connect its groups, about one a move; one fewer if it is to
 * move.
 *
 * Geometric means of pds-pn on 100 forced wins from self-play: mobility 563,000 nodes and 0.218 s of processor time; 1
 * and 1 410,000 and 0.069 s (moves take long to count); this 182,000 and 0.039 s. Powers of the number of groups, or
 * the other side's groups as the other number, were no better. */
static void loa_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	unsigned side = threshold > 0 ? BLACK : WHITE, groups = 0;
	for (uint64_t men = s->men[side]; men; groups++)
		men &= ~group_of(m, men, men & (~men + 1));
	num[0] = num[1] = 1;
	num[side] = s->side == side ? groups - 1 : groups;
}

/* --- keys --------------------------------------------------------------------------------- */

/* The symmetry that gives the smallest string. */
static unsigned find_canonical(const uint64_t image[WORDS])
{
	unsigned best = 0;
	for (unsigned i = 2; i < WORDS; i += 2)
		if (image[i] < image[best] || (image[i] == image[best] && image[i + 1] < image[best + 1]))
			best = i;
	return best / 2;
}

_Static_assert(sizeof(struct loa_state) <= GAME_STATE_MAX && (int)MOVES_MAX <= (int)GAME_MOVES_MAX,
	       "game_rules.h has room for loa");

static size_t loa_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	const uint64_t *pair = s->image + 2 * find_canonical(s->image);
	out[0] = (uint8_t)s->side;
	for (unsigned i = 0; i < m->bytes; i++)
		out[1 + i] = (uint8_t)(pair[i / 8] >> 8 * (7 - i % 8));
	return 1 + m->bytes;
}

static game_move loa_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct loa *m = loa_of(game);
	unsigned symmetry = find_canonical(((const struct loa_state *)state)->image);
	const uint8_t *map = back ? m->inverse[symmetry] : m->map[symmetry];
	if (move >= SQUARES_MAX * SQUARES_MAX) /* a pass, or not a move */
		return move;
	return (game_move)(map[move / SQUARES_MAX] * SQUARES_MAX + map[move % SQUARES_MAX]);
}

/* Fills in counts, images and the outcome. */
static void loa_complete(const struct loa *m, struct loa_state *s)
{
	memset(s->counts, 0, sizeof s->counts);
	memset(s->image, 0, sizeof s->image);
	for (unsigned side = BLACK; side <= WHITE; side++)
		for (uint64_t men = s->men[side]; men; men &= men - 1) {
			unsigned square = (unsigned)__builtin_ctzll(men);
			for (unsigned i = 0; i < LINES; i++)
				s->counts[i] += UINT64_C(1) << m->shift[square][i];
			for (unsigned i = 0; i < WORDS; i++)
				s->image[i] |= m->bit[square][i] << side;
		}
	s->end = end_of(m, s, is_connected(m, s->men[!s->side]), is_connected(m, s->men[s->side]));
}

static int loa_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct loa *m = loa_of(game);
	struct loa_state s = {0};
	if (size != 1 + m->bytes || key[0] > 1)
		return PD_E_CORRUPT;
	s.side = key[0];
	for (unsigned i = 0; i < 4 * m->bytes; i++) {
		unsigned cell = key[1 + i / 4] >> 2 * (i % 4) & 3;
		if (cell == 3 || (cell && i >= m->squares))
			return PD_E_CORRUPT;
		if (cell)
			s.men[cell - 1] |= bit_of(cell_square(m, i));
	}
	if (!s.men[BLACK] || !s.men[WHITE])
		return PD_E_CORRUPT;
	loa_complete(m, &s);
	if (find_canonical(s.image) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* True if some image differs from the board in so few cells that two moves could have children with the same key: a
 * symmetry that maps one child to the other maps the board to itself, except the squares of the two moves. */
static bool almost_symmetric(const struct loa_state *s)
{
	const uint64_t low = UINT64_C(0x5555555555555555);
	for (unsigned i = 2; i < WORDS; i += 2) {
		uint64_t a = s->image[i] ^ s->image[0], b = s->image[i + 1] ^ s->image[1];
		uint64_t cells = ((a | a >> 1) & low) | ((b | b >> 1) & low) << 1;
		for (unsigned n = 0; n < NEAR; n++)
			cells &= cells - 1;
		if (!cells)
			return true;
	}
	return false;
}

static unsigned loa_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct loa *m = loa_of(game);
	const struct loa_state *s = state;
	unsigned count = loa_moves(game, state, out), kept = 0;
	uint64_t pairs[MOVES_MAX][2];
	if (count < 2 || !almost_symmetric(s))
		return count;
	for (unsigned i = 0; i < count; i++) {
		uint64_t image[WORDS];
		unsigned from = out[i] / SQUARES_MAX, to = out[i] % SQUARES_MAX, twin = 0;
		memcpy(image, s->image, sizeof image);
		move_images(m, image, s->side, from, to, s->men[!s->side] & bit_of(to));
		memcpy(pairs[kept], image + 2 * find_canonical(image), sizeof pairs[kept]);
		while (pairs[twin][0] != pairs[kept][0] || pairs[twin][1] != pairs[kept][1])
			twin++;
		if (twin == kept)
			out[kept++] = out[i];
	}
	return kept;
}

/* --- cells -------------------------------------------------------------------------------- */

static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	static const char two_squares[] =
		"a move is two squares of the board with - or x between them, as in c1-c3, or pass";
	const struct loa_state *s = state;
	unsigned from, to, i = 0;
	game_move moves[MOVES_MAX];
	*out = PASS;
	if (!strncmp(*text, "pass", 4)) {
		*text += 4;
	} else {
		if (cells_place_read(&loa_of(game)->base, text, &from) || (**text != '-' && **text != 'x'))
			return two_squares;
		++*text;
		if (cells_place_read(&loa_of(game)->base, text, &to))
			return two_squares;
		*out = (game_move)(from * SQUARES_MAX + to);
	}
	if (s->end)
		return "the game is over before this move";
	unsigned count = loa_moves(game, s, moves);
	while (i < count && moves[i] != *out)
		i++;
	if (i < count)
		return NULL;
	if (*out == PASS)
		return "a side that has a legal move may not pass";
	if (moves[0] == PASS)
		return "the side to move has no legal move and passes";
	if (!(s->men[s->side] & bit_of(from)))
		return "the side to move has no man there";
	return "the man cannot move there: it goes as many squares as there are men on the line, not over enemy men, "
	       "not onto a man of its own side";
}

static size_t loa_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	const struct loa_state *s = state;
	struct text_line line = text_line(out, size);
	if (move == PASS) {
		text_printf(&line, "pass");
		return line.length;
	}
	cells_place_print(&loa_of(game)->base, move / SQUARES_MAX, &line);
	text_char(&line, s->men[!s->side] & bit_of(move % SQUARES_MAX) ? 'x' : '-');
	cells_place_print(&loa_of(game)->base, move % SQUARES_MAX, &line);
	return line.length;
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	struct loa_state s = {.side = cells->turn};
	for (unsigned i = 0; i < loa_of(game)->squares; i++)
		if (cells->at[i])
			s.men[cells->at[i] == CELLS_SECOND] |= bit_of(i);
	if (!s.men[BLACK] || !s.men[WHITE])
		return cells_refuse(fail, s.men[BLACK] ? "White has no men; each side has at least one"
						       : "Black has no men; each side has at least one");
	loa_complete(loa_of(game), &s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct loa_state *s = state;
	out->turn = (uint8_t)s->side;
	for (unsigned i = 0; i < loa_of(game)->squares; i++)
		out->at[i] = s->men[BLACK] & bit_of(i) ? CELLS_FIRST : s->men[WHITE] & bit_of(i) ? CELLS_SECOND : 0;
}

static void loa_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece men[] = {{'b', GAME_FIRST, GAME_DISC, "black man", NULL},
						{'w', GAME_SECOND, GAME_DISC, "white man", NULL}};
	game_board_grid(out, loa_of(game)->n, loa_of(game)->n, GAME_SQUARE);
	out->side[BLACK] = "Black";
	out->side[WHITE] = "White";
	out->pieces = 2;
	memcpy(out->piece, men, sizeof men);
}

static unsigned loa_move_places(const struct game *game, const void *state, game_move move,
				uint16_t out[GAME_MOVE_PLACES_MAX])
{
	if (move == PASS)
		return 0;
	out[0] = move / SQUARES_MAX;
	out[1] = move % SQUARES_MAX;
	return 2;
}

/* --- opening ------------------------------------------------------------------------------ */

static void loa_start(const struct game *game, void *state)
{
	const struct loa *m = loa_of(game);
	struct loa_state s = {.side = BLACK};
	for (unsigned i = 1; i + 1 < m->n; i++) {
		s.men[BLACK] |= bit_of(i) | bit_of((m->n - 1) * m->n + i);
		s.men[WHITE] |= bit_of(i * m->n) | bit_of(i * m->n + m->n - 1);
	}
	loa_complete(m, &s);
	memcpy(state, &s, sizeof s);
}

static void prepare_lines(struct loa *m)
{
	static const int right[WAYS] = {1, -1, 0, 0, 1, -1, -1, 1}, up[WAYS] = {0, 0, 1, -1, 1, -1, 1, -1};
	int n = (int)m->n;
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++) {
			int square = row * n + column;
			m->shift[square][0] = (uint8_t)(4 * row);
			m->shift[square][1] = (uint8_t)(4 * column);
			m->shift[square][2] = (uint8_t)(4 * (row - column + n - 1));
			m->shift[square][3] = (uint8_t)(4 * (row + column));
			m->not_first_column |= column > 0 ? bit_of((unsigned)square) : 0;
			m->not_last_column |= column < n - 1 ? bit_of((unsigned)square) : 0;
			for (unsigned way = 0; way < WAYS; way++) {
				int r = row + up[way], c = column + right[way];
				for (; r >= 0 && r < n && c >= 0 && c < n; r += up[way], c += right[way]) {
					m->reach[square][way]++;
					m->ray[square][way] |= bit_of((unsigned)(r * n + c));
				}
			}
		}
	for (unsigned way = 0; way < WAYS; way++)
		m->step[way] = up[way] * n + right[way];
}

static void prepare_images(struct loa *m)
{
	for (unsigned i = 0; i < GRID_SYMMETRIES_MAX; i++)
		for (unsigned cell = 0; cell < m->squares; cell++) {
			unsigned to = cell_square(m, cell), byte = cell / 4;
			for (unsigned square = 0; square < m->squares; square++)
				if (grid_map(m->n, m->n, i, square) == to) {
					m->map[i][square] = (uint8_t)to;
					m->inverse[i][to] = (uint8_t)square;
					m->bit[square][2 * i + byte / 8] = bit_of(8 * (7 - byte % 8) + 2 * (cell % 4));
				}
		}
}

/* Reads the number of rows and the options, each at most once; false when they are something else. */
static bool read_params(const char *text, struct loa *m)
{
	static const char *const options[] = {",simultaneous=draw", ",simultaneous=mover", ",nomove=pass",
					      ",nomove=loss"};
	bool given[2] = {false, false};
	if (!text_number(&text, &m->n) || m->n < SIDE_MIN || m->n > SIDE_MAX)
		return false;
	while (*text) {
		unsigned i = 0;
		while (i < 4 && strncmp(text, options[i], strlen(options[i])) != 0)
			i++;
		if (i == 4 || given[i / 2])
			return false;
		given[i / 2] = true;
		*(i < 2 ? &m->mover_wins : &m->stuck_loses) = i % 2;
		text += strlen(options[i]);
	}
	return true;
}

static int loa_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	static const struct cells_form form = {
		.letters = "bw", .sides = "bw", .read_move = read_move, .to_cells = to_cells, .from_cells = from_cells};
	struct loa *m = cells_new(rules, &form, sizeof *m, fail);
	if (!m)
		return PD_E_NO_MEMORY;
	struct game *game = &m->base.game;
	if (!read_params(params, m)) {
		cells_close(game);
		return cells_refuse_params(rules, params, fail);
	}
	m->base.width = m->base.height = m->n;
	m->squares = m->n * m->n;
	m->bytes = (m->squares + 3) / 4;
	PD_ASSERT(m->squares <= SQUARES_MAX);
	prepare_lines(m);
	prepare_images(m);
	game->state_size = sizeof(struct loa_state);
	game->key_size_max = 1 + m->bytes;
	game->moves_max = 4 * m->squares;
	game->acyclic = false;
	snprintf(game->name, sizeof game->name, "loa:%u%s%s", m->n, m->mover_wins ? ",simultaneous=mover" : "",
		 m->stuck_loses ? ",nomove=loss" : "");
	*out = game;
	return PD_OK;
}

const struct game_rules game_loa_rules = {
	CELLS_BOARD,
	.name = "loa",
	.title = "Lines of Action",
	.params = "N: rows and columns, 4 to 8; then perhaps ,simultaneous=mover (a move that connects both sides wins "
		  "for the player who made it; otherwise it is a draw) and ,nomove=loss (a player who cannot move has "
		  "lost; otherwise that player passes)",
	.notation = "A position is a board, rows from the top separated by /, b for Black (First), w for White, digits "
		    "for empty "
		    "squares, then a blank and the side to move, as in 1bb1/w2w/w2w/1bb1 b; or the moves from the "
		    "start, separated by blanks "
		    "or commas. A move is c1-c3, with a capture a3xc1 (row 1 is the lowest), or pass.",
	.example = "loa:8",
	.open = loa_open,
	CELLS_RULES(loa),
	.move_print = loa_move_print,
	.canon = loa_canon,
	.unique_moves = loa_distinct,
	.immediate_win = loa_immediate_win,
	.initial_numbers = loa_initial_numbers,
	.board = loa_board,
	.move_places = loa_move_places,
	.records = GAME_RECORD_PGN | GAME_RECORD_SGF | GAME_RECORD_EPD,
	.sgf = &(const struct game_sgf){.number = 9, .read_only = true},
};
