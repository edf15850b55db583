/* m,n,k: tic-tac-toe on a board of any size up to 64 squares.
 *
 * Rules. Two players put stones on empty squares in turn; First has x, Second o. The player who first has k stones or
 * more in a row, a column or a diagonal wins; a full board is a draw. With k larger than both sides of the board
 * neither side can win.
 *
 * Notation. A square is a column (a, b, ..., z, aa, ab, ...) and a row from the bottom, as in b3. A position is the
 * squares played from the start, separated by blanks or commas, or a board (solver/games/text.h). A board must have as
 * many x as o or one more, no line of the side to move, and if the other has lines, one stone that they share: its last
 * move. These are exactly the boards that can come up.
 *
 * Layout. Two boards of 64 bits, square = row * width + column, without gaps. A line of k is found by shifting a board
 * onto itself and looking only at squares where a line can start, so a line that runs over the edge is never seen:
 *
 *      6 7 8      start squares of a line to the right, k = 2:   6 7 .
 *      3 4 5                                                     3 4 .
 *      0 1 2                                                     0 1 .
 *
 * Symmetries are numbered by three bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows
 * (squares only). Images are looked up a byte of the board at a time in one table for each of the three.
 *
 * Key. The pair (x, o) of the smallest image, compared as numbers, x first; x and o are written one after the other,
 * `squares` bits each, little-endian, in as many bytes as that needs. The side to move follows from the number of
 * stones. Of symmetries that give the same pair the one with the smallest number counts, so a canonical position is its
 * own frame.
 *
 * Invariants. The boards do not overlap; plies counts their stones. */
#include "solver/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/text.h"

enum {
	SQUARES_MAX = 64,
	BYTES_MAX = SQUARES_MAX / 8,
	STEPS_MAX = 8, /* shifts that find a run of up to 64: six doublings and a rest */
	SYMMETRIES_MAX = 8,
	MIRROR_COLUMNS = 1,
	MIRROR_ROWS = 2,
	SWAP = 4
};

struct state {
	uint64_t stones[2]; /* First's and Second's */
	uint64_t plies;
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits the room of searches");
_Static_assert((int)SQUARES_MAX <= (int)GAME_MOVES_MAX, "game.h has room for the moves");

/* A direction in which k stones fit on the board. */
struct direction {
	uint64_t start;    /* squares where a line begins */
	unsigned distance; /* bits from one square of a line to the next */
	unsigned steps;
	uint8_t shift[STEPS_MAX];    /* x &= x >> shift, in turn, leaves the squares where a run of k begins */
	uint64_t place[SQUARES_MAX]; /* squares that can be the i-th of a line */
};

struct mnk {
	struct game game;
	unsigned width, height, k;
	unsigned squares, bytes, symmetries;
	uint64_t full;
	unsigned directions;
	struct direction direction[4];
	uint8_t order[SQUARES_MAX];                   /* squares, nearest to the centre first */
	uint8_t rank[SQUARES_MAX];                    /* place of a square in order */
	uint8_t map[SYMMETRIES_MAX][SQUARES_MAX];     /* where a symmetry takes a square */
	uint8_t inverse[SYMMETRIES_MAX][SQUARES_MAX]; /* where it came from */
	uint64_t later[SYMMETRIES_MAX];               /* squares that a symmetry takes to an earlier one in order */
	uint64_t table[3][BYTES_MAX][256];            /* images of the bytes of a board: columns, rows, swap */
};

static const struct mnk *of(const struct game *game)
{
	return (const struct mnk *)game;
}

/* --- lines -------------------------------------------------------------------------------- */

static bool has_line(const struct mnk *m, uint64_t stones)
{
	for (unsigned i = 0; i < m->directions; i++) {
		const struct direction *d = &m->direction[i];
		uint64_t x = stones;
		for (unsigned j = 0; j < d->steps; j++)
			x &= x >> d->shift[j];
		if (x & d->start)
			return true;
	}
	return false;
}

/* Whether a stone on one of the squares `empty` would complete a line of `stones`. For every direction and every place
 * i in a line: i stones before the square and k - 1 - i behind it. */
static bool completes(const struct mnk *m, uint64_t stones, uint64_t empty)
{
	uint64_t behind[SQUARES_MAX];
	for (unsigned i = 0; i < m->directions; i++) {
		const struct direction *d = &m->direction[i];
		behind[0] = empty;
		for (unsigned j = 1; j < m->k; j++)
			behind[j] = behind[j - 1] & stones >> j * d->distance;
		uint64_t before = ~UINT64_C(0), hit = behind[m->k - 1] & d->place[0];
		for (unsigned j = 1; j < m->k; j++) {
			before &= stones << j * d->distance;
			hit |= before & behind[m->k - 1 - j] & d->place[j];
		}
		if (hit)
			return true;
	}
	return false;
}

/* --- symmetries --------------------------------------------------------------------------- */

static uint64_t look_up(const struct mnk *m, unsigned which, uint64_t x)
{
	uint64_t image = 0;
	for (unsigned i = 0; i < m->bytes; i++)
		image |= m->table[which][i][x >> 8 * i & 0xff];
	return image;
}

static uint64_t image_of(const struct mnk *m, unsigned symmetry, uint64_t x)
{
	if (symmetry & MIRROR_COLUMNS)
		x = look_up(m, 0, x);
	if (symmetry & MIRROR_ROWS)
		x = look_up(m, 1, x);
	if (symmetry & SWAP)
		x = look_up(m, 2, x);
	return x;
}

static void images_of(const struct mnk *m, uint64_t x, uint64_t out[SYMMETRIES_MAX])
{
	out[0] = x;
	out[1] = look_up(m, 0, x);
	out[2] = look_up(m, 1, x);
	out[3] = look_up(m, 1, out[1]);
	for (unsigned i = 4; i < m->symmetries; i++)
		out[i] = look_up(m, 2, out[i - 4]);
}

/* The symmetry that gives the smallest pair, and the pair. */
static unsigned canonical(const struct mnk *m, const struct state *s, uint64_t pair[2])
{
	uint64_t first[SYMMETRIES_MAX];
	unsigned best = 0;
	images_of(m, s->stones[0], first);
	uint64_t least = first[0];
	for (unsigned i = 1; i < m->symmetries; i++)
		least = first[i] < least ? first[i] : least;
	uint64_t second = ~UINT64_C(0); /* more than any board, since at most half of the squares are Second's */
	for (unsigned i = 0; i < m->symmetries; i++) {
		if (first[i] != least)
			continue;
		uint64_t other = image_of(m, i, s->stones[1]);
		if (other < second) {
			second = other;
			best = i;
		}
	}
	pair[0] = least;
	pair[1] = second;
	return best;
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool mnk_first_to_move(const struct game *game, const void *state)
{
	(void)game;
	const struct state *s = state;
	return (s->plies & 1) == 0;
}

/* The player who moved last has won. */
static bool lost(const struct mnk *m, const struct state *s)
{
	return s->plies + 1 >= 2 * (uint64_t)m->k && has_line(m, s->stones[~s->plies & 1]);
}

static bool mnk_terminal(const struct game *game, const void *state, int *value)
{
	const struct mnk *m = of(game);
	const struct state *s = state;
	if (lost(m, s)) {
		*value = s->plies & 1 ? 1 : -1;
		return true;
	}
	if (s->plies == m->squares) {
		*value = 0;
		return true;
	}
	return false;
}

/* Writes the squares of a set in the order of moves. */
static unsigned list(const struct mnk *m, uint64_t set, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->squares; i++) {
		out[n] = m->order[i];
		n += set >> m->order[i] & 1;
	}
	return n;
}

static unsigned mnk_moves(const struct game *game, const void *state, game_move *out)
{
	const struct mnk *m = of(game);
	const struct state *s = state;
	uint64_t empty = m->full & ~(s->stones[0] | s->stones[1]);
	return !empty || lost(m, s) ? 0 : list(m, empty, out);
}

/* Moves that have a twin earlier in order. Two moves a and b have children with one key if a symmetry takes the one
 * child to the other. Then it leaves the waiting side's stones as they are, and either it does so with the mover's
 * stones and takes a to b, or it moves exactly one of them: a goes where that stone was, and b is where it is now. The
 * second case needs a quarter turn, since for a symmetry that is its own inverse a and b are then the same square. */
static uint64_t twins(const struct mnk *m, const struct state *s)
{
	uint64_t mover = s->stones[s->plies & 1], waiting = s->stones[~s->plies & 1], drop = 0;
	uint64_t images[SYMMETRIES_MAX];
	images_of(m, waiting, images);
	for (unsigned i = 1; i < m->symmetries; i++) {
		if (images[i] != waiting)
			continue;
		uint64_t image = image_of(m, i, mover);
		uint64_t gone = mover & ~image, come = image & ~mover;
		if (!gone) {
			drop |= m->later[i];
		} else if (!(gone & (gone - 1))) {
			unsigned a = m->inverse[i][__builtin_ctzll(gone)], b = (unsigned)__builtin_ctzll(come);
			if (a != b)
				drop |= UINT64_C(1) << (m->rank[a] > m->rank[b] ? a : b);
		}
	}
	return drop;
}

static unsigned mnk_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct mnk *m = of(game);
	const struct state *s = state;
	uint64_t empty = m->full & ~(s->stones[0] | s->stones[1]);
	return !empty || lost(m, s) ? 0 : list(m, empty & ~twins(m, s), out);
}

static void mnk_play(const struct game *game, void *state, game_move move)
{
	(void)game;
	struct state *s = state;
	PD_DEBUG_ASSERT(move < 64 && !((s->stones[0] | s->stones[1]) >> move & 1));
	s->stones[s->plies & 1] |= UINT64_C(1) << move;
	s->plies++;
}

static bool mnk_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct mnk *m = of(game);
	const struct state *s = state;
	if (s->plies + 2 < 2 * (uint64_t)m->k ||
	    !completes(m, s->stones[s->plies & 1], m->full & ~(s->stones[0] | s->stones[1])))
		return false;
	*value = s->plies & 1 ? -1 : 1;
	return true;
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t mnk_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct mnk *m = of(game);
	uint64_t pair[2];
	uint8_t bytes[16];
	canonical(m, state, pair);
	if (m->squares < 64) {
		pd_put_le64(bytes, pair[0] | pair[1] << m->squares);
		pd_put_le64(bytes + 8, pair[1] >> (64 - m->squares));
	} else {
		pd_put_le64(bytes, pair[0]);
		pd_put_le64(bytes + 8, pair[1]);
	}
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

static game_move mnk_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct mnk *m = of(game);
	uint64_t pair[2];
	unsigned symmetry = canonical(m, state, pair);
	if (move >= SQUARES_MAX) /* no move at all */
		return move;
	return back ? m->inverse[symmetry][move] : m->map[symmetry][move];
}

/* What is wrong with a position; NULL when nothing is. */
static const char *fault(const struct mnk *m, const struct state *s)
{
	unsigned first = text_count(s->stones[0]), second = text_count(s->stones[1]);
	if (first != second && first != second + 1)
		return "First has as many stones as Second, or one more";
	if (has_line(m, s->stones[s->plies & 1]))
		return "the side to move has a winning line already";
	uint64_t last = s->stones[~s->plies & 1];
	if (!has_line(m, last))
		return NULL;
	for (uint64_t rest = last; rest; rest &= rest - 1)
		if (!has_line(m, last & ~(rest & (~rest + 1))))
			return NULL;
	return "the game went on after a winning line";
}

static int mnk_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct mnk *m = of(game);
	uint8_t bytes[16] = {0};
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	memcpy(bytes, key, size);
	uint64_t low = pd_get_le64(bytes), high = pd_get_le64(bytes + 8), second = high;
	struct state s = {.stones = {low & m->full}};
	if (m->squares < 64) {
		second = low >> m->squares | high << (64 - m->squares);
		/* Bits behind the second board: those of `high` that the shift lost, and those beyond the board. */
		if (high >> m->squares)
			return PD_E_CORRUPT;
	}
	s.stones[1] = second;
	s.plies = text_count(s.stones[0] | s.stones[1]);
	uint64_t pair[2];
	if ((second & ~m->full) || (s.stones[0] & s.stones[1]) || fault(m, &s) || canonical(m, &s, pair) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- text --------------------------------------------------------------------------------- */

static void name_column(unsigned column, char out[4])
{
	if (column < 26)
		snprintf(out, 4, "%c", (char)('a' + column));
	else
		snprintf(out, 4, "%c%c", (char)('a' + (column / 26 - 1) % 26), (char)('a' + column % 26));
}

static bool blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Reads a square at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *read_square(const struct mnk *m, const char **text, unsigned *square)
{
	const char *p = *text;
	unsigned column = 0, row, letters = 0;
	while (*p >= 'a' && *p <= 'z' && letters++ < 2)
		column = column * 26 + (unsigned)(*p++ - 'a') + 1;
	if (!column || !text_number(&p, &row) || (*p && !blank(*p)))
		return "a square is a column letter and a row number, as in b3";
	if (column > m->width || row < 1 || row > m->height)
		return "the square is not on the board";
	*text = p;
	*square = (row - 1) * m->width + column - 1;
	return NULL;
}

/* Plays the square at *text and moves behind it. NULL on success, otherwise what is wrong. */
static const char *play_text(const struct mnk *m, struct state *s, const char **text, unsigned *square)
{
	const char *wrong = read_square(m, text, square);
	int value;
	if (wrong)
		return wrong;
	if (mnk_terminal(&m->game, s, &value))
		return "the game is over before this move";
	if ((s->stones[0] | s->stones[1]) >> *square & 1)
		return "the square is taken";
	mnk_play(&m->game, s, (game_move)*square);
	return NULL;
}

static int parse_moves(const struct mnk *m, const char *text, struct state *s, struct pd_fail *fail)
{
	const char *p = text;
	for (;;) {
		unsigned square;
		while (blank(*p))
			p++;
		if (!*p)
			return PD_OK;
		const char *start = p, *wrong = play_text(m, s, &p, &square);
		if (wrong)
			return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0), '%s': %s",
					   (size_t)(start - text), text_excerpt(start, strcspn(start, " ,\t")).text,
					   wrong);
	}
}

static int parse_board(const struct mnk *m, const char *text, struct state *s, struct pd_fail *fail)
{
	struct text_board board = {.width = m->width, .height = m->height};
	int rc = text_board_parse(&board, text, fail);
	if (rc)
		return rc;
	memcpy(s->stones, board.stones, sizeof s->stones);
	s->plies = text_count(s->stones[0] | s->stones[1]);
	const char *wrong = fault(m, s);
	return wrong ? pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong) : PD_OK;
}

static int mnk_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct mnk *m = of(game);
	struct state s = {0};
	int rc = text_is_board(text) ? parse_board(m, text, &s, fail) : parse_moves(m, text, &s, fail);
	if (!rc)
		memcpy(state, &s, sizeof s);
	return rc;
}

static struct text_board board_of(const struct mnk *m, const struct state *s)
{
	return (struct text_board){.width = m->width, .height = m->height, .stones = {s->stones[0], s->stones[1]}};
}

static size_t mnk_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct text_board board = board_of(of(game), state);
	return text_board_print(&board, out, size);
}

static int mnk_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			  struct pd_fail *fail)
{
	struct state s;
	unsigned square;
	const char *p = text;
	memcpy(&s, state, sizeof s);
	const char *wrong = play_text(of(game), &s, &p, &square);
	if (!wrong && *p)
		wrong = "a move is one square";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = (game_move)square;
	return PD_OK;
}

static size_t mnk_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	(void)state;
	const struct mnk *m = of(game);
	struct text_line line = text_line(out, size);
	char name[4];
	name_column(move % m->width, name);
	text_printf(&line, "%s%u", name, move / m->width + 1);
	return line.length;
}

/* --- opening ------------------------------------------------------------------------------ */

static void mnk_start(const struct game *game, void *state)
{
	(void)game;
	memset(state, 0, sizeof(struct state));
}

static void add_direction(struct mnk *m, int right, int up)
{
	struct direction d = {.distance = (unsigned)(up * (int)m->width + right)};
	int width = (int)m->width, height = (int)m->height, reach = (int)m->k - 1;
	for (int row = 0; row < height; row++)
		for (int column = 0; column < width; column++) {
			int far = column + right * reach;
			if (far < 0 || far >= width || row + up * reach >= height)
				continue;
			d.start |= UINT64_C(1) << (row * width + column);
			for (int i = 0; i <= reach; i++)
				d.place[i] |= UINT64_C(1) << ((row + up * i) * width + column + right * i);
		}
	if (!d.start)
		return;
	unsigned run = 1;
	for (; 2 * run <= m->k; run *= 2)
		d.shift[d.steps++] = (uint8_t)(run * d.distance);
	if (run < m->k)
		d.shift[d.steps++] = (uint8_t)((m->k - run) * d.distance);
	m->direction[m->directions++] = d;
}

/* Where a symmetry takes a square. */
static unsigned mapped(const struct mnk *m, unsigned symmetry, unsigned square)
{
	unsigned column = square % m->width, row = square / m->width;
	if (symmetry & MIRROR_COLUMNS)
		column = m->width - 1 - column;
	if (symmetry & MIRROR_ROWS)
		row = m->height - 1 - row;
	return symmetry & SWAP ? column * m->width + row : row * m->width + column;
}

/* Twice the distance from the centre, squared. */
static unsigned eccentricity(const struct mnk *m, unsigned square)
{
	int x = 2 * (int)(square % m->width) + 1 - (int)m->width, y = 2 * (int)(square / m->width) + 1 - (int)m->height;
	return (unsigned)(x * x + y * y);
}

static void prepare_order(struct mnk *m)
{
	PD_ASSERT(m->squares >= 1 && m->squares <= SQUARES_MAX);
	for (unsigned i = 0; i < m->squares; i++) {
		unsigned place = i; /* insertion sort; equal ones stay in the order of their numbers */
		for (; place > 0 && eccentricity(m, m->order[place - 1]) > eccentricity(m, i); place--)
			m->order[place] = m->order[place - 1];
		m->order[place] = (uint8_t)i;
	}
	for (unsigned i = 0; i < m->squares; i++)
		m->rank[m->order[i]] = (uint8_t)i;
}

static void prepare_symmetries(struct mnk *m)
{
	m->symmetries = m->width == m->height ? 8 : 4;
	for (unsigned i = 0; i < m->symmetries; i++)
		for (unsigned square = 0; square < m->squares; square++) {
			unsigned to = mapped(m, i, square);
			m->map[i][square] = (uint8_t)to;
			m->inverse[i][to] = (uint8_t)square;
			if (m->rank[to] < m->rank[square])
				m->later[i] |= UINT64_C(1) << square;
		}
	for (unsigned which = 0; which < 3 && 1u << which < m->symmetries; which++)
		for (unsigned square = 0; square < m->squares; square++)
			for (unsigned byte = 0; byte < 256; byte++)
				if (byte >> square % 8 & 1)
					m->table[which][square / 8][byte] |= UINT64_C(1) << m->map[1u << which][square];
}

static void prepare(struct mnk *m)
{
	m->squares = m->width * m->height;
	m->bytes = (m->squares + 7) / 8;
	m->full = ~UINT64_C(0) >> (64 - m->squares);
	add_direction(m, 1, 0);
	if (m->k > 1) { /* a single stone is a line in one direction as well as in four */
		add_direction(m, 0, 1);
		add_direction(m, 1, 1);
		add_direction(m, -1, 1);
	}
	prepare_order(m);
	prepare_symmetries(m);
}

static int mnk_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	(void)host;
	const char *p = params;
	unsigned width, height, k;
	if (!text_number(&p, &width) || *p++ != ',' || !text_number(&p, &height) || *p++ != ',' ||
	    !text_number(&p, &k) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "mnk takes columns, rows and stones in a row, as in mnk:3,3,3");
	if (width < 1 || height < 1 || width > 64 || height > 64 || width * height > SQUARES_MAX || k < 1 ||
	    k > SQUARES_MAX)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"a board has 1 to 64 squares and 1 to 64 stones win, not %ux%u squares and %u stones", width,
			height, k);
	struct mnk *m = calloc(1, sizeof *m);
	if (!m)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of mnk");
	m->width = width;
	m->height = height;
	m->k = k;
	prepare(m);
	m->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (2 * m->squares + 7) / 8,
		.moves_max = m->squares,
		.plies_max = m->squares,
		.value_min = -1,
		.value_max = 1,
		.value_step = 1,
		.acyclic = true,
	};
	snprintf(m->game.name, sizeof m->game.name, "mnk:%u,%u,%u", width, height, k);
	*out = &m->game;
	return PD_OK;
}

static void mnk_close(struct game *game)
{
	free(game);
}

/* --- the board ---------------------------------------------------------------------------- */

/* Crosses and rings in squares; from five in a row on, stones on points. */
static void mnk_board(const struct game *game, struct game_board *out)
{
	const struct mnk *m = of(game);
	bool stones = m->k >= 5;
	game_board_grid(out, m->width, m->height, stones ? GAME_POINT : GAME_SQUARE);
	for (unsigned i = 0; i < out->places; i++)
		out->place[i].shade = 0;
	out->side[0] = stones ? "Black (x)" : "X";
	out->side[1] = stones ? "White (o)" : "O";
	out->piece[out->pieces++] = stones ? (struct game_piece){'x', GAME_FIRST, GAME_DISC, "black stone", NULL}
					   : (struct game_piece){'x', GAME_FIRST, GAME_CROSS, "cross", NULL};
	out->piece[out->pieces++] = stones ? (struct game_piece){'o', GAME_SECOND, GAME_DISC, "white stone", NULL}
					   : (struct game_piece){'o', GAME_SECOND, GAME_RING, "nought", NULL};
}

static void mnk_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	char text[GAME_TEXT_MAX];
	mnk_print(game, state, text, sizeof text);
	text_board_show(text, of(game)->width, of(game)->height, out);
	out->to_move = text_turn(game, state);
}

static unsigned mnk_move_places(const struct game *game, const void *state, game_move move,
				uint16_t out[GAME_MOVE_PLACES_MAX])
{
	(void)game, (void)state;
	out[0] = move;
	return 1;
}

static int mnk_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	return text_board_set_up(game, diagram, of(game)->width, of(game)->height, state, fail);
}

const struct game_rules game_mnk_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "mnk",
	.title = "Tic-tac-toe, K in a row",
	.params = "W,H,K: columns, rows (together at most 64 squares) and how many stones in a row win, or more (1 to "
		  "64)",
	.notation =
		"A position is the squares played from the start, separated by blanks or commas, as in b2 a1 c3, "
		"row 1 being the lowest; or a board, rows from the top separated by /, x for First, o for Second, "
		"numbers for runs of empty squares, as in 2x/1x1/o2 (a board of one row has a / at its end). A move "
		"is a square.",
	.example = "mnk:3,3,3",
	.open = mnk_open,
	.close = mnk_close,
	.start = mnk_start,
	.parse = mnk_parse,
	.print = mnk_print,
	.move_parse = mnk_move_parse,
	.move_print = mnk_move_print,
	.first_to_move = mnk_first_to_move,
	.terminal = mnk_terminal,
	.moves = mnk_moves,
	.play = mnk_play,
	.key = mnk_key,
	.unkey = mnk_unkey,
	.canon = mnk_canon,
	.unique_moves = mnk_distinct,
	.immediate_win = mnk_immediate_win,
	.board = mnk_board,
	.diagram = mnk_diagram,
	.move_places = mnk_move_places,
	.set_up = mnk_set_up,
};
