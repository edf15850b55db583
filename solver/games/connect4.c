/* Connect Four on a board of any size that fits 64 bits.
 *
 * Rules. Two players drop stones into columns in turn; First has x, Second o. The player who first has four stones in a
 * row, a column or a diagonal wins; a full board is a draw. Boards too small for four in a row are fine: they are
 * always drawn.
 *
 * Notation. A move is a column: 1 to 9, then a for the tenth, and so on. A position is the columns played from the
 * start, or a board (solver/games/text.h). What a board must keep to: stones lie on stones, First has as many as Second
 * or one more, the side to move has not won, and if the other has, one of its topmost stones completed every four.
 * Whether some order of moves leads there is not asked.
 *
 * Layout (Tromp, Pons). A column takes height + 1 bits, bottom first; the topmost bit is always empty, so no shift
 * carries a line from one column into the next, and a sum in one column never reaches another:
 *
 *      6 13 20 27 34 41 48      bit of a square = column * (height + 1) + row
 *      5 12 19 26 33 40 47
 *      ...
 *      0  7 14 21 28 35 42
 *
 * `mine` are the stones of the side to move, `mask` all stones. The same two boards are kept mirrored as well: that
 * costs two operations a move and makes the key, `canon` and `unique_moves` nearly free.
 *
 * Key. mine + mask (Pons): in a column of h stones mask is 2^h - 1, so the sum lies in 2^h - 1 .. 2^(h+1) - 2, and
 * these ranges are disjoint. It is written for the position or for its mirror image, whichever is the smaller number,
 * little-endian, in as many bytes as width * (height + 1) bits need. The side to move follows from the number of
 * stones.
 *
 * Invariants. mine is a part of mask; plies counts the stones of mask; *_mirror are the mirror images. */
#include "solver/game.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/text.h"

enum { COLUMNS_MAX = 32 }; /* one row takes two bits a column */

struct state {
	uint64_t mine, mask;
	uint64_t mine_mirror, mask_mirror;
	uint64_t plies;
};

_Static_assert(sizeof(struct state) <= GAME_STATE_MAX, "a state fits the room of searches");

struct connect4 {
	struct game game;
	unsigned width, height;
	unsigned stride;                   /* bits of a column */
	unsigned across[3];                /* distances between neighbours of a line: row and both diagonals */
	uint64_t squares;                  /* width * height */
	uint64_t board, bottom;            /* all squares; those of the lowest row */
	uint8_t order[COLUMNS_MAX];        /* columns, centre first, and left before right */
	uint64_t ordered_top[COLUMNS_MAX]; /* topmost square of order[i] */
	uint64_t foot[COLUMNS_MAX], foot_mirror[COLUMNS_MAX]; /* lowest square of a column and of its mirror image */
};

static const struct connect4 *of(const struct game *game)
{
	return (const struct connect4 *)game;
}

/* --- lines -------------------------------------------------------------------------------- */

static inline uint64_t pairs(uint64_t x, unsigned distance)
{
	uint64_t two = x & x >> distance;
	return two & two >> 2 * distance;
}

static inline bool has_four(const struct connect4 *c, uint64_t x)
{
	return (pairs(x, 1) | pairs(x, c->across[0]) | pairs(x, c->across[1]) | pairs(x, c->across[2])) != 0;
}

/* Squares that complete a line with three stones of x, `distance` apart. */
static inline uint64_t gaps(uint64_t x, unsigned distance)
{
	uint64_t up = x << distance, down = x >> distance;
	uint64_t two_up = up & up << distance, two_down = down & down >> distance;
	return (two_up & (two_up << distance | down)) | (two_down & (two_down >> distance | up));
}

/* All squares, taken or not, that would complete four of x. A line upwards is only ever completed at its top. */
static inline uint64_t winning_squares(const struct connect4 *c, uint64_t x)
{
	uint64_t upwards = x << 1 & x << 2 & x << 3;
	return upwards | gaps(x, c->across[0]) | gaps(x, c->across[1]) | gaps(x, c->across[2]);
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool connect4_first_to_move(const struct game *game, const void *state)
{
	(void)game;
	const struct state *s = state;
	return (s->plies & 1) == 0;
}

static bool connect4_terminal(const struct game *game, const void *state, int *value)
{
	const struct connect4 *c = of(game);
	const struct state *s = state;
	if (has_four(c, s->mine ^ s->mask)) {
		*value = s->plies & 1 ? 1 : -1;
		return true;
	}
	if (s->plies == c->squares) {
		*value = 0;
		return true;
	}
	return false;
}

static unsigned connect4_moves(const struct game *game, const void *state, game_move *out)
{
	const struct connect4 *c = of(game);
	const struct state *s = state;
	if (has_four(c, s->mine ^ s->mask))
		return 0;
	unsigned n = 0;
	for (unsigned i = 0; i < c->width; i++) {
		out[n] = c->order[i];
		n += (s->mask & c->ordered_top[i]) == 0;
	}
	return n;
}

static bool symmetric(const struct state *s)
{
	return s->mine == s->mine_mirror && s->mask == s->mask_mirror;
}

/* Only a symmetric position has twins: were two children mirror images of each other without that, both moves would
 * have to be the one stone that makes the position symmetric. */
static unsigned connect4_distinct(const struct game *game, const void *state, game_move *out)
{
	unsigned count = connect4_moves(game, state, out);
	if (!symmetric(state))
		return count;
	unsigned half = (of(game)->width + 1) / 2, n = 0;
	for (unsigned i = 0; i < count; i++)
		if (out[i] < half)
			out[n++] = out[i];
	return n;
}

static void connect4_play(const struct game *game, void *state, game_move move)
{
	const struct connect4 *c = of(game);
	struct state *s = state;
	PD_DEBUG_ASSERT(move < c->width && s->plies < c->squares);
	PD_DEBUG_ASSERT((s->mine & ~s->mask) == 0);
	s->mine ^= s->mask;
	s->mine_mirror ^= s->mask_mirror;
	s->mask |= s->mask + c->foot[move];
	s->mask_mirror |= s->mask_mirror + c->foot_mirror[move];
	s->plies++;
}

static bool connect4_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct connect4 *c = of(game);
	const struct state *s = state;
	uint64_t playable = (s->mask + c->bottom) & c->board;
	if (!(winning_squares(c, s->mine) & playable))
		return false;
	*value = s->plies & 1 ? -1 : 1;
	return true;
}

/* Initial numbers: the mover has as many moves as do not lose at once. Two open threats of the opponent cannot both be
 * met, one forces the reply, and a square below a threat is not for the taking. */
static void connect4_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct connect4 *c = of(game);
	const struct state *s = state;
	(void)threshold;
	uint64_t playable = (s->mask + c->bottom) & c->board, threats = winning_squares(c, s->mine ^ s->mask);
	uint64_t forced = playable & threats;
	if (forced)
		playable = forced & (forced - 1) ? 0 : forced;
	playable &= ~(threats >> 1);
	unsigned moves = (unsigned)__builtin_popcountll(playable);
	num[0] = num[1] = 1;
	num[!(s->plies & 1)] = moves ? moves : 1;
}

/* --- keys --------------------------------------------------------------------------------- */

static size_t connect4_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct state *s = state;
	uint64_t key = s->mine + s->mask, mirror = s->mine_mirror + s->mask_mirror;
	size_t size = game->key_size_max;
	key = key < mirror ? key : mirror;
	if (size >= 4) { /* two stores that overlap, since a loop over bytes costs several times as much */
		pd_put_le32(out, (uint32_t)key);
		pd_put_le32(out + size - 4, (uint32_t)(key >> 8 * (size - 4)));
	} else {
		for (size_t i = 0; i < size; i++)
			out[i] = (uint8_t)(key >> 8 * i);
	}
	return size;
}

static game_move connect4_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a mirror is its own inverse */
	const struct state *s = state;
	bool mirrored = s->mine_mirror + s->mask_mirror < s->mine + s->mask;
	return mirrored ? (game_move)(of(game)->width - 1 - move) : move;
}

static uint64_t mirror_image(const struct connect4 *c, uint64_t x)
{
	uint64_t column = (UINT64_C(2) << (c->stride - 1)) - 1, image = 0;
	for (unsigned i = 0; i < c->width; i++)
		image |= (x >> i * c->stride & column) << (c->width - 1 - i) * c->stride;
	return image;
}

/* What is wrong with a position whose stones already lie on stones; NULL when nothing is. */
static const char *fault(const struct connect4 *c, const struct state *s)
{
	uint64_t theirs = s->mine ^ s->mask;
	if (text_count(s->mine) != s->plies / 2)
		return "First has as many stones as Second, or one more";
	if (has_four(c, s->mine))
		return "the side to move has four in a row already";
	if (!has_four(c, theirs))
		return NULL;
	for (unsigned i = 0; i < c->width; i++) {
		uint64_t column = ((UINT64_C(2) << (c->stride - 1)) - 1) << i * c->stride;
		uint64_t top = (s->mask & column) + c->foot[i]; /* the square above the column's stones */
		if (top != c->foot[i] && !has_four(c, theirs & ~(top >> 1)))
			return NULL;
	}
	return "the game went on after four in a row";
}

/* Fills in what follows from mine and mask. */
static void complete(const struct connect4 *c, struct state *s)
{
	s->mine_mirror = mirror_image(c, s->mine);
	s->mask_mirror = mirror_image(c, s->mask);
	s->plies = text_count(s->mask);
}

static int connect4_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct connect4 *c = of(game);
	struct state s = {0};
	uint64_t sum = 0;
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (size_t i = 0; i < size; i++)
		sum |= (uint64_t)key[i] << 8 * i;
	uint64_t column = (UINT64_C(2) << (c->stride - 1)) - 1, seen = 0;
	for (unsigned i = 0; i < c->width; i++) {
		uint64_t value = sum >> i * c->stride & column;
		if (value == column)
			return PD_E_CORRUPT;
		uint64_t stones = 1; /* becomes 2^h - 1 for the h with 2^h - 1 <= value < 2^(h+1) - 1 */
		while (stones <= value)
			stones = stones << 1 | 1;
		stones >>= 1;
		s.mask |= stones << i * c->stride;
		s.mine |= (value - stones) << i * c->stride;
		seen |= column << i * c->stride;
	}
	complete(c, &s);
	if ((sum & ~seen) || s.mine_mirror + s.mask_mirror < sum || fault(c, &s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- text --------------------------------------------------------------------------------- */

static char column_letter(unsigned column)
{
	return (char)(column < 9 ? '1' + column : 'a' + (column - 9));
}

/* The column of a letter; the board's width when there is none. */
static unsigned column_of(const struct connect4 *c, char letter)
{
	unsigned column = 0;
	while (column < c->width && column_letter(column) != letter)
		column++;
	return column;
}

/* Plays a column given as a letter. NULL on success, otherwise what is wrong. */
static const char *play_letter(const struct connect4 *c, struct state *s, char letter)
{
	unsigned column = column_of(c, letter);
	int value;
	if (column == c->width)
		return "there is no such column";
	if (connect4_terminal(&c->game, s, &value))
		return "the game is over before this move";
	if (s->mask & c->foot[column] << (c->height - 1))
		return "the column is full";
	connect4_play(&c->game, s, (game_move)column);
	return NULL;
}

/* The board of a state, and back; the squares of text are numbered by rows, those of a state by columns. */
static struct text_board board_of(const struct connect4 *c, const struct state *s)
{
	struct text_board board = {.width = c->width, .height = c->height};
	uint64_t first = s->plies & 1 ? s->mine ^ s->mask : s->mine;
	for (unsigned column = 0; column < c->width; column++)
		for (unsigned row = 0; row < c->height; row++) {
			uint64_t bit = c->foot[column] << row;
			if (s->mask & bit)
				board.stones[!(first & bit)] |= UINT64_C(1) << (row * c->width + column);
		}
	return board;
}

static int parse_board(const struct connect4 *c, const char *text, struct state *s, struct pd_fail *fail)
{
	struct text_board board = {.width = c->width, .height = c->height};
	int rc = text_board_parse(&board, text, fail);
	if (rc)
		return rc;
	uint64_t first = 0;
	for (unsigned column = 0; column < c->width; column++)
		for (unsigned row = 0; row < c->height; row++) {
			uint64_t square = UINT64_C(1) << (row * c->width + column), bit = c->foot[column] << row;
			if (!((board.stones[0] | board.stones[1]) & square))
				continue;
			if (row > 0 && !(s->mask & bit >> 1))
				return pd_fail_set(
					fail, PD_E_POSITION, "position",
					"the stone in column %c, row %u from the bottom lies on an empty square",
					column_letter(column), row + 1);
			s->mask |= bit;
			first |= board.stones[0] & square ? bit : 0;
		}
	s->mine = text_count(s->mask) & 1 ? s->mask ^ first : first;
	complete(c, s);
	const char *wrong = fault(c, s);
	return wrong ? pd_fail_set(fail, PD_E_POSITION, "position", "this board cannot come up: %s", wrong) : PD_OK;
}

static int connect4_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct connect4 *c = of(game);
	struct state s = {0};
	if (text_is_board(text)) {
		int rc = parse_board(c, text, &s, fail);
		if (rc)
			return rc;
	} else {
		for (size_t i = 0; text[i]; i++) {
			const char *wrong = play_letter(c, &s, text[i]);
			if (wrong)
				return pd_fail_set(
					fail, PD_E_POSITION, "position",
					"at index %zu (counted from 0), column '%s': %s; the columns are 1 to %c", i,
					text_excerpt(text + i, 1).text, wrong, column_letter(c->width - 1));
		}
	}
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t connect4_print(const struct game *game, const void *state, char *out, size_t size)
{
	struct text_board board = board_of(of(game), state);
	return text_board_print(&board, out, size);
}

static int connect4_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			       struct pd_fail *fail)
{
	const struct connect4 *c = of(game);
	struct state s;
	memcpy(&s, state, sizeof s);
	const char *wrong = text[0] && text[1] ? "a move is one character" : play_letter(c, &s, text[0]);
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s; the columns are 1 to %c",
				   text_excerpt(text, 16).text, wrong, column_letter(c->width - 1));
	*out = (game_move)column_of(c, text[0]);
	return PD_OK;
}

static size_t connect4_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	(void)game;
	(void)state;
	struct text_line line = text_line(out, size);
	text_printf(&line, "%c", column_letter(move));
	return line.length;
}

/* --- opening ------------------------------------------------------------------------------ */

static void connect4_start(const struct game *game, void *state)
{
	(void)game;
	memset(state, 0, sizeof(struct state));
}

/* Everything that follows from width and height. */
static void prepare(struct connect4 *c)
{
	c->stride = c->height + 1;
	c->squares = c->width * c->height;
	PD_ASSERT(c->width <= COLUMNS_MAX && c->width * c->stride <= 64);
	for (unsigned i = 0; i < c->width; i++) {
		c->foot[i] = UINT64_C(1) << i * c->stride;
		c->foot_mirror[i] = UINT64_C(1) << (c->width - 1 - i) * c->stride;
		c->bottom |= c->foot[i];
	}
	for (unsigned row = 0; row < c->height; row++)
		c->board |= c->bottom << row;
	for (unsigned i = 0; i < c->width; i++) {
		/* 3 2 4 1 5 0 6, and 1 2 0 3: left before right, so that `unique_moves` keeps the left one of twins. */
		unsigned middle = (c->width - 1) / 2, step = (i + 1) / 2;
		c->order[i] = (uint8_t)((i + c->width) % 2 == 0 ? middle - step : middle + step);
		c->ordered_top[i] = c->foot[c->order[i]] << (c->height - 1);
	}
	/* On boards narrower than four only columns count, and the other distances could be too large to shift by. */
	bool wide = c->width >= 4;
	c->across[0] = wide ? c->stride : 1;
	c->across[1] = wide ? c->stride - 1 : 1;
	c->across[2] = wide ? c->stride + 1 : 1;
}

static int connect4_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			 struct game **out, struct pd_fail *fail)
{
	(void)host;
	const char *p = params;
	unsigned width, height;
	if (!text_number(&p, &width) || *p++ != 'x' || !text_number(&p, &height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game", "connect4 takes columns and rows, as in connect4:7x6");
	if (width < 1 || height < 1 || width > 64 || height > 64 || width * (height + 1) > 64)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board of %ux%u does not fit: columns * (rows + 1) is 2 to 64", width, height);
	struct connect4 *c = calloc(1, sizeof *c);
	if (!c)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of connect4");
	c->width = width;
	c->height = height;
	prepare(c);
	c->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct state),
		.key_size_max = (width * c->stride + 7) / 8,
		.moves_max = width,
		.plies_max = width * height,
		.value_min = -1,
		.value_max = 1,
		.value_step = 1,
		.acyclic = true,
	};
	snprintf(c->game.name, sizeof c->game.name, "connect4:%ux%u", width, height);
	*out = &c->game;
	return PD_OK;
}

static void connect4_close(struct game *game)
{
	free(game);
}

/* --- the board ---------------------------------------------------------------------------- */

/* Squares have no names: players call a move by its column. */
static void connect4_board(const struct game *game, struct game_board *out)
{
	const struct connect4 *c = of(game);
	game_board_grid(out, c->width, c->height, GAME_SQUARE);
	out->labels = (uint16_t)c->width;
	for (unsigned i = 0; i < c->width; i++)
		snprintf(out->label[i].text, sizeof out->label[i].text, "%c", column_letter(i));
	for (unsigned i = 0; i < out->places; i++) {
		out->place[i].name[0] = 0;
		out->place[i].shade = 0;
	}
	out->side[0] = "Red (x)";
	out->side[1] = "Yellow (o)";
	out->colour[0] = "#d22f27";
	out->colour[1] = "#f2c511";
	out->piece[out->pieces++] = (struct game_piece){'x', GAME_FIRST, GAME_DISC, "red disc", NULL};
	out->piece[out->pieces++] = (struct game_piece){'o', GAME_SECOND, GAME_DISC, "yellow disc", NULL};
}

static void connect4_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	char text[GAME_TEXT_MAX];
	connect4_print(game, state, text, sizeof text);
	text_board_show(text, of(game)->width, of(game)->height, out);
	out->to_move = text_turn(game, state);
}

/* The square where the stone comes to lie. */
static unsigned connect4_move_places(const struct game *game, const void *state, game_move move,
				     uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct connect4 *c = of(game);
	struct game_diagram d = {0};
	unsigned row = 0;
	connect4_diagram(game, state, &d);
	while (row + 1 < c->height && d.on[row * c->width + move])
		row++;
	out[0] = (uint16_t)(row * c->width + move);
	return 1;
}

static int connect4_set_up(const struct game *game, const struct game_diagram *diagram, void *state,
			   struct pd_fail *fail)
{
	return text_board_set_up(game, diagram, of(game)->width, of(game)->height, state, fail);
}

const struct game_rules game_connect4_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "connect4",
	.title = "Connect Four",
	.params = "WxH: columns and rows, each from 1, with W * (H + 1) at most 64; four in a row wins",
	.notation = "A position is the columns played from the start, 1 to 9 and then a, b, ..., as in 4453; or a "
		    "board, rows from the top separated by /, x for First, o for Second, numbers for runs of empty "
		    "squares, as in 7/7/7/7/7/3xo2 (a board of one row has a / at its end). A move is a column.",
	.example = "connect4:7x6",
	.open = connect4_open,
	.close = connect4_close,
	.start = connect4_start,
	.parse = connect4_parse,
	.print = connect4_print,
	.move_parse = connect4_move_parse,
	.move_print = connect4_move_print,
	.first_to_move = connect4_first_to_move,
	.terminal = connect4_terminal,
	.moves = connect4_moves,
	.play = connect4_play,
	.key = connect4_key,
	.unkey = connect4_unkey,
	.canon = connect4_canon,
	.unique_moves = connect4_distinct,
	.immediate_win = connect4_immediate_win,
	.initial_numbers = connect4_initial_numbers,
	.board = connect4_board,
	.diagram = connect4_diagram,
	.move_places = connect4_move_places,
	.set_up = connect4_set_up,
};
