/* Breakthrough on boards of 2 to 16 columns and 4 to 32 rows, at most 64 squares: `breakthrough:8x8` is the usual one.
 * RULES.md has the rules and the notation.
 *
 * Move code. from + 64 * direction; from is row from the bottom * W + column, direction 0 goes to the column before, 1
 * straight, 2 to the column behind.
 *
 * Key. First's men as a number, bit = square, then Second's in as many bits, then one bit, 1 when Second is to move;
 * one string of bits, lowest first, in as few bytes as hold it. The only symmetry mirrors the columns: of the two
 * images the one counts whose First's number is smaller, and if these are equal whose Second's is.
 *
 * Layout. Two boards of 64 bits, square = row * W + column, without gaps, and their mirror images, which cost two
 * operations a move and make the key nearly free.
 *
 * Knowledge (static_solve). A man is a runner if it gets to its far row by going straight ahead whatever the enemy
 * does. Let it stand on column c with d rows to go and the enemy to move. Before the runner's move number k + 1 an
 * enemy man has made at most k + 1 moves, each one row towards it and at most one column aside; so the squares from
 * which it can take the runner, or stand in its way, are the `cone` of the runner's square. The last step needs no
 * straight way: one diagonal is always open. If no enemy man stands in the cone, no own man ahead in the column, and
 * the enemy's foremost man needs more than d moves, the runner wins in 2d plies. One ply earlier the side to move may
 * make any step that leads to such a runner. And two men one step from their far row win: only one of them can be
 * taken.
 *
 * Invariants. The boards do not overlap; `mirror` are the mirror images; the side to move has no man on its far row,
 * and the other side has at least one man. */
#include "solver/games/breakthrough.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"

/* --- inner loop --------------------------------------------------------------------------- */

static bool breakthrough_first_to_move(const struct game *game, const void *state)
{
	const struct breakthrough_state *s = state;
	return s->side == 0;
}

static bool breakthrough_terminal(const struct game *game, const void *state, int *value)
{
	const struct breakthrough_state *s = state;
	if (!has_lost(breakthrough_of(game), s))
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

/* Foremost men first, each in the order of the directions. */
static unsigned breakthrough_moves(const struct game *game, const void *state, game_move *out)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned n = 0;
	if (has_lost(b, s))
		return 0;
	uint64_t can[DIRECTIONS] = {men_that_step(b, s, 0), men_that_step(b, s, 1), men_that_step(b, s, 2)};
	for (uint64_t rest = can[0] | can[1] | can[2]; rest;) {
		unsigned from = (unsigned)(s->side ? __builtin_ctzll(rest) : 63 - __builtin_clzll(rest));
		rest ^= bit_of(from);
		for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
			out[n] = (game_move)(from + 64 * direction);
			n += can[direction] >> from & 1;
		}
	}
	PD_DEBUG_ASSERT(n);
	return n;
}

static unsigned breakthrough_count(const struct game *game, const void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	if (has_lost(b, s))
		return 0;
	return text_count(men_that_step(b, s, 0)) + text_count(men_that_step(b, s, 1)) +
	       text_count(men_that_step(b, s, 2));
}

void breakthrough_play(const struct game *game, void *state, game_move move)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state *s = state;
	unsigned side = (unsigned)s->side, from = move % 64, to = target_of(b, side, from, move / 64);
	unsigned mirror_from = b->mirrored[from], mirror_to = b->mirrored[to];
	PD_DEBUG_ASSERT(s->men[side] & bit_of(from) && !(s->men[side] & bit_of(to)));
	s->men[side] ^= bit_of(from) | bit_of(to);
	s->men[!side] &= ~bit_of(to);
	s->mirror[side] ^= bit_of(mirror_from) | bit_of(mirror_to);
	s->mirror[!side] &= ~bit_of(mirror_to);
	s->side = !side;
}

/* A man one step from the far row wins: see the first point of what is decided. So does taking the last man. */
static bool breakthrough_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned side = (unsigned)s->side;
	if (least_distance(b, side, s->men[side]) > 1 &&
	    (has_several(s->men[!side]) || !(attacked_squares(b, side, s->men[side]) & s->men[!side])))
		return false;
	*value = side ? -1 : 1;
	return true;
}

/* --- knowledge ---------------------------------------------------------------------------- */

/* Nodes that it takes to see a run of that many steps by the rules: the enemy's replies to each but the last. */
static uint32_t effort_of(const struct breakthrough_state *s, unsigned enemy, unsigned steps)
{
	uint64_t replies = 3 * (uint64_t)text_count(s->men[enemy]), nodes = 4;
	for (unsigned i = 1; i < steps && nodes < EFFORT_MAX; i++)
		nodes *= replies;
	return (uint32_t)(nodes < EFFORT_MAX ? nodes : EFFORT_MAX);
}

/* Men of a side that stand `steps` before its far row. */
static inline uint64_t men_at(const struct breakthrough *b, unsigned side, uint64_t men, unsigned steps)
{
	return men & (side ? b->far[1] << steps * b->width : b->far[0] >> steps * b->width);
}

/* A runner of `side`, the other to move, with at most that many steps to go: its steps; 0 when there is none. */
static unsigned runner_steps(const struct breakthrough *b, const struct breakthrough_state *s, unsigned side,
			     unsigned steps_max)
{
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 1; steps <= steps_max; steps++)
		for (uint64_t rest = men_at(b, side, mine, steps); rest; rest &= rest - 1) {
			unsigned square = (unsigned)__builtin_ctzll(rest);
			if (!(theirs & b->cone[side][square]) && !(mine & b->ahead[side][square]))
				return steps;
		}
	return 0;
}

/* A step of the side to move that makes a runner: its steps with this one; 0 when there is none. */
static unsigned new_runner_steps(const struct breakthrough *b, const struct breakthrough_state *s, unsigned steps_max)
{
	unsigned side = (unsigned)s->side;
	uint64_t mine = s->men[side], theirs = s->men[!side];
	for (unsigned steps = 2; steps <= steps_max; steps++)
		for (unsigned direction = 0; direction < DIRECTIONS; direction++) {
			uint64_t to = step_men(b, side, direction, men_at(b, side, mine, steps)) &
				      open_to(b, s, side, direction);
			for (; to; to &= to - 1) {
				unsigned square = (unsigned)__builtin_ctzll(to);
				if (!(theirs & b->cone[side][square]) && !(mine & b->ahead[side][square]))
					return steps;
			}
		}
	return 0;
}

static bool breakthrough_static_solve(const struct game *game, const void *state, struct game_static *out)
{
	const struct breakthrough *b = breakthrough_of(game);
	const struct breakthrough_state *s = state;
	unsigned side = (unsigned)s->side;
	unsigned mine = least_distance(b, side, s->men[side]), theirs = least_distance(b, !side, s->men[!side]), steps;
	if (theirs == 1) {
		/* The enemy wins with its next move unless the last man that can do so is taken. */
		uint64_t last = men_at(b, !side, s->men[!side], 1);
		if (!has_several(last) && (attacked_squares(b, side, s->men[side]) & last))
			return false;
		*out = (struct game_static){side ? 1 : -1, 2, effort_of(s, side, 2)};
		return true;
	}
	if ((steps = new_runner_steps(b, s, theirs < RUN_MAX ? theirs : RUN_MAX))) {
		*out = (struct game_static){side ? -1 : 1, 2 * steps - 1, effort_of(s, !side, steps)};
		return true;
	}
	if ((steps = runner_steps(b, s, !side, mine - 1 < RUN_MAX ? mine - 1 : RUN_MAX))) {
		*out = (struct game_static){side ? 1 : -1, 2 * steps, effort_of(s, side, steps + 1)};
		return true;
	}
	return false;
}

/* --- initial numbers ---------------------------------------------------------------------- */

/* Mobility, times 8 for each man that the side which has to show something is behind, or divided by 8 for each that it
 * is ahead: a third of the nodes that mobility alone takes, on boards of 20 to 25 squares. A search by the rules alone
 * is shown to the runners, which it would otherwise find behind all captures. */
static void breakthrough_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	enum { EVEN = 64, MAN = 3, DIFFERENCE_MAX = 4, NUMBER_MAX = 1000000 };
	const struct breakthrough_state *s = state;
	struct game_static known;
	if (breakthrough_static_solve(game, state, &known)) {
		num[known.value > 0 ? 0 : 1] = 1;
		num[known.value > 0 ? 1 : 0] = NUMBER_MAX;
		return;
	}
	int ahead = (int)text_count(s->men[0]) - (int)text_count(s->men[1]);
	ahead = ahead > DIFFERENCE_MAX ? DIFFERENCE_MAX : ahead < -DIFFERENCE_MAX ? -DIFFERENCE_MAX : ahead;
	uint32_t more = (uint32_t)EVEN << MAN * abs(ahead), less = (uint32_t)EVEN >> MAN * abs(ahead);
	num[0] = ahead > 0 ? less : more;
	num[1] = ahead > 0 ? more : less;
	num[!s->side] *= breakthrough_count(game, state);
	for (unsigned i = 0; i < 2; i++)
		num[i] = num[i] < 1 ? 1 : num[i] > NUMBER_MAX ? NUMBER_MAX : num[i];
}

/* --- keys --------------------------------------------------------------------------------- */

static inline bool is_mirrored(const struct breakthrough_state *s)
{
	return s->mirror[0] < s->men[0] || (s->mirror[0] == s->men[0] && s->mirror[1] < s->men[1]);
}

static size_t breakthrough_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct breakthrough_state *s = state;
	const uint64_t *men = is_mirrored(s) ? s->mirror : s->men;
	unsigned squares = breakthrough_of(game)->squares;
	uint8_t bytes[24];
	uint64_t low = men[0], high = men[1], side = s->side;
	if (squares < 64) {
		low |= high << squares;
		high = high >> (64 - squares);
		if (2 * squares >= 64)
			high |= side << (2 * squares - 64);
		else
			low |= side << 2 * squares;
	}
	pd_put_le64(bytes, low);
	pd_put_le64(bytes + 8, high);
	bytes[16] = (uint8_t)side;
	memcpy(out, bytes, game->key_size_max);
	return game->key_size_max;
}

static uint64_t mirror_image(const struct breakthrough *b, uint64_t men)
{
	uint64_t image = 0;
	for (; men; men &= men - 1)
		image |= bit_of(b->mirrored[__builtin_ctzll(men)]);
	return image;
}

/* What is wrong with a position; NULL when nothing is. */
const char *breakthrough_fault(const struct breakthrough *b, const struct breakthrough_state *s)
{
	if (text_count(s->men[0]) > 2 * b->width || text_count(s->men[1]) > 2 * b->width)
		return "a side has more men than it begins with";
	if (!s->men[!s->side])
		return "the side that is not to move has no men";
	if (s->men[s->side] & b->far[s->side])
		return "the side to move has reached its far row already";
	if (has_several(s->men[!s->side] & b->far[!s->side]))
		return "the game went on after a man had reached its far row";
	return NULL;
}

/* Fills in the mirror images. */
void breakthrough_complete(const struct breakthrough *b, struct breakthrough_state *s)
{
	s->mirror[0] = mirror_image(b, s->men[0]);
	s->mirror[1] = mirror_image(b, s->men[1]);
}

static int breakthrough_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {0};
	if (size != game->key_size_max)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < 8 * size; i++) {
		if (!(key[i / 8] >> i % 8 & 1))
			continue;
		if (i > 2 * b->squares)
			return PD_E_CORRUPT;
		if (i == 2 * b->squares)
			s.side = 1;
		else
			s.men[i / b->squares] |= bit_of(i % b->squares);
	}
	breakthrough_complete(b, &s);
	if ((s.men[0] & s.men[1]) || breakthrough_fault(b, &s) || is_mirrored(&s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move breakthrough_canon(const struct game *game, const void *state, game_move move, bool back)
{
	(void)back; /* a mirror is its own inverse */
	const struct breakthrough *b = breakthrough_of(game);
	if (move >= 64 * DIRECTIONS || move % 64u >= b->squares || !is_mirrored(state))
		return move;
	return (game_move)(b->mirrored[move % 64] + 64 * (2 - move / 64));
}

/* Two children have one key if they are equal, which two different moves never make them, or mirror images of each
 * other: then the position and its mirror image differ by the men that two moves displace, at most, and by the men that
 * they take. */
static unsigned breakthrough_distinct(const struct game *game, const void *state, game_move *out)
{
	const struct breakthrough_state *s = state;
	struct breakthrough_state child[MOVES_MAX];
	unsigned count = breakthrough_moves(game, state, out), n = 0, side = (unsigned)s->side;
	if (text_count(s->men[side] ^ s->mirror[side]) > 4 || text_count(s->men[!side] ^ s->mirror[!side]) > 2)
		return count;
	PD_DEBUG_ASSERT(count <= MOVES_MAX);
	for (unsigned i = 0; i < count; i++) {
		unsigned j = 0;
		child[n] = *s;
		breakthrough_play(game, &child[n], out[i]);
		while (j < n && (child[j].men[0] != child[n].mirror[0] || child[j].men[1] != child[n].mirror[1]))
			j++;
		if (j == n)
			out[n++] = out[i];
	}
	return n;
}

void breakthrough_start(const struct game *game, void *state)
{
	const struct breakthrough *b = breakthrough_of(game);
	struct breakthrough_state s = {.men = {b->begin[0], b->begin[1]}};
	breakthrough_complete(b, &s);
	memcpy(state, &s, sizeof s);
}

/* --- opening ------------------------------------------------------------------------------ */

/* Whether an enemy man `rows` in front of a runner and `columns` to the side of it, the enemy to move, may take the
 * runner or stand in its way; it has `steps` to go. Before step k + 1 the enemy has made k + 1 moves. */
static bool can_stop(unsigned rows, unsigned columns, unsigned steps)
{
	for (unsigned k = 0; k < steps; k++) {
		/* Taking it where it stands after k steps: by a move that is not straight. */
		unsigned moves = rows - k;
		if (rows > k && moves <= k + 1 && columns <= moves && (columns || moves > 1))
			return true;
		/* On the square of step k + 1, but for the last step. */
		if (k + 1 < steps && rows >= k + 1 && rows - k - 1 <= k + 1 && columns <= rows - k - 1)
			return true;
	}
	return false;
}

static void prepare_runs(struct breakthrough *b)
{
	for (unsigned from = 0; from < b->squares; from++)
		for (unsigned other = 0; other < b->squares; other++) {
			int across = (int)(other % b->width) - (int)(from % b->width);
			int up = (int)b->row[other] - (int)b->row[from];
			for (unsigned side = 0; side < SIDES; side++) {
				int rows = side ? -up : up;
				unsigned steps = side ? b->row[from] : b->height - 1 - b->row[from];
				if (rows <= 0)
					continue;
				if (!across)
					b->ahead[side][from] |= bit_of(other);
				if (can_stop((unsigned)rows, (unsigned)abs(across), steps))
					b->cone[side][from] |= bit_of(other);
			}
		}
}

static void prepare_board(struct breakthrough *b)
{
	b->squares = b->width * b->height;
	b->full = ~UINT64_C(0) >> (64 - b->squares);
	uint64_t row = ~UINT64_C(0) >> (64 - b->width);
	b->far[1] = row;
	b->far[0] = row << (b->height - 1) * b->width;
	b->begin[0] = row | row << b->width;
	b->begin[1] = b->far[0] | b->far[0] >> b->width;
	for (unsigned i = 0; i < b->squares; i++) {
		unsigned column = i % b->width;
		b->row[i] = (uint8_t)(i / b->width);
		b->mirrored[i] = (uint8_t)(i - column + b->width - 1 - column);
		b->from[0] |= column > 0 ? bit_of(i) : 0;
		b->from[1] |= bit_of(i);
		b->from[2] |= column + 1 < b->width ? bit_of(i) : 0;
	}
	for (unsigned direction = 0; direction < DIRECTIONS; direction++)
		b->shift[direction] = (uint8_t)(b->width + direction - 1);
	prepare_runs(b);
	PD_ASSERT(2 * b->width <= MEN_MAX && !(b->begin[0] & b->begin[1]));
}

static int breakthrough_open(const struct game_rules *rules, const char *params, const struct game_host *host,
			     struct game **out, struct pd_fail *fail)
{
	const char *p = params;
	unsigned width, height;
	if (!text_number(&p, &width) || *p++ != 'x' || !text_number(&p, &height) || *p)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "breakthrough takes columns and rows, as in breakthrough:8x8");
	if (width < 2 || height < 4 || width > 16 || height > 32 || width * height > SQUARES_MAX)
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "a board has at least 2 columns and 4 rows and at most 64 squares, not %ux%u", width,
				   height);
	struct breakthrough *b = calloc(1, sizeof *b);
	if (!b)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a game of breakthrough");
	b->width = width;
	b->height = height;
	prepare_board(b);
	b->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct breakthrough_state),
		.key_size_max = (2 * b->squares + 8) / 8,
		.moves_max = 6 * width,
		/* Each man goes to the row before its far row at most, and one goes further; of 2 W men on different
		 * squares, W have at most H - 2 steps to that row, and W at most H - 3. */
		.plies_max = 2 * width * (2 * height - 5) + 1,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	snprintf(b->game.name, sizeof b->game.name, "breakthrough:%ux%u", width, height);
	*out = &b->game;
	return PD_OK;
}

static void breakthrough_close(struct game *game)
{
	free(game);
}

const struct game_rules game_breakthrough_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "breakthrough",
	.title = "Breakthrough",
	.params = "WxH: columns (from 2) and rows (from 4), together at most 64 squares; two rows of men a side",
	.notation =
		"A position is a board as in chess, rows from the top separated by /, P for White's men, p for "
		"Black's, numbers for runs of empty squares, then the side to move, as in pppp/pppp/PPPP/PPPP w; or "
		"the moves from the start, separated by blanks or commas. A move is two squares, a2b3; a2xb3, and b3 "
		"and axb3 as in chess, are read as well.",
	.example = "breakthrough:5x5",
	.open = breakthrough_open,
	.close = breakthrough_close,
	.start = breakthrough_start,
	.parse = breakthrough_parse,
	.print = breakthrough_print,
	.move_parse = breakthrough_move_parse,
	.move_print = breakthrough_move_print,
	.first_to_move = breakthrough_first_to_move,
	.terminal = breakthrough_terminal,
	.moves = breakthrough_moves,
	.play = breakthrough_play,
	.key = breakthrough_key,
	.unkey = breakthrough_unkey,
	.canon = breakthrough_canon,
	.unique_moves = breakthrough_distinct,
	.immediate_win = breakthrough_immediate_win,
	.count = breakthrough_count,
	.initial_numbers = breakthrough_initial_numbers,
	.static_solve = breakthrough_static_solve,
	.board = breakthrough_board,
	.diagram = breakthrough_diagram,
	.move_places = breakthrough_move_places,
	.set_up = breakthrough_set_up,
	.records = GAME_RECORD_PGN | GAME_RECORD_EPD,
};
