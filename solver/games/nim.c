/* Nim. RULES.md has the rules and the notation.
 *
 * Layout. A move's code is 64 times the heap, counted from 0, plus the counters left.
 *
 * Key. One byte for each heap, the sizes in ascending order, since it does not matter which heap is which; then one
 * byte, 1 when Second is to move. Heaps of equal size keep their order. Sorted sizes fit the initial heaps, which are
 * also sorted. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/cells.h"

enum { HEAPS_MAX = 8, SIZE_MAX_OF_HEAP = 63, CODE = 64 };

struct state {
	uint8_t heap[HEAPS_MAX]; /* heaps that the game does not have are empty */
	uint64_t side;           /* to move: 0 First, 1 Second */
};

_Static_assert((int)SIZE_MAX_OF_HEAP <= (int)GAME_MOVE_PLACES_MAX, "a move may name each counter of a heap");
_Static_assert((int)HEAPS_MAX *SIZE_MAX_OF_HEAP <= (int)GAME_PLACES_MAX, "there is a place for every counter");

struct nim {
	struct cells_game base;
	unsigned heaps;
	uint8_t size[HEAPS_MAX]; /* at the start, ascending */
};

static const struct nim *nim_of(const struct game *game)
{
	return (const struct nim *)game;
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool nim_first_to_move(const struct game *game, const void *state)
{
	return ((const struct state *)state)->side == 0;
}

static unsigned nim_count(const struct game *game, const void *state)
{
	const struct state *s = state;
	unsigned n = 0;
	for (unsigned i = 0; i < nim_of(game)->heaps; i++)
		n += s->heap[i];
	return n;
}

static bool nim_terminal(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (nim_count(game, state))
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

/* Lists moves, the largest first; `once` skips a heap that is as large as an earlier one. */
static unsigned list_moves(const struct nim *m, const struct state *s, bool once, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < m->heaps; i++)
		if (!once || !memchr(s->heap, s->heap[i], i))
			for (unsigned left = 0; left < s->heap[i]; left++)
				out[n++] = (game_move)(CODE * i + left);
	return n;
}

static unsigned nim_moves(const struct game *game, const void *state, game_move *out)
{
	return list_moves(nim_of(game), state, false, out);
}

static unsigned nim_unique(const struct game *game, const void *state, game_move *out)
{
	return list_moves(nim_of(game), state, true, out);
}

static void nim_play(const struct game *game, void *state, game_move move)
{
	struct state *s = state;
	PD_DEBUG_ASSERT(move / CODE < nim_of(game)->heaps && s->heap[move / CODE] > move % CODE);
	s->heap[move / CODE] = move % CODE;
	s->side ^= 1;
}

/* The mover wins at once if a single heap is left. */
static bool nim_immediate_win(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	unsigned left = 0;
	for (unsigned i = 0; i < nim_of(game)->heaps; i++)
		left += s->heap[i] != 0;
	if (left != 1)
		return false;
	*value = s->side ? -1 : 1;
	return true;
}

/* --- keys --------------------------------------------------------------------------------- */

/* The heaps in ascending order of their sizes, equal ones in their own order. */
static void order_of(const struct nim *m, const struct state *s, uint8_t order[HEAPS_MAX])
{
	for (unsigned i = 0; i < m->heaps; i++) {
		unsigned place = i;
		for (; place > 0 && s->heap[order[place - 1]] > s->heap[i]; place--)
			order[place] = order[place - 1];
		order[place] = (uint8_t)i;
	}
}

static size_t nim_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct nim *m = nim_of(game);
	const struct state *s = state;
	uint8_t order[HEAPS_MAX];
	order_of(m, s, order);
	for (unsigned i = 0; i < m->heaps; i++)
		out[i] = s->heap[order[i]];
	out[m->heaps] = (uint8_t)s->side;
	return m->heaps + 1;
}

static int nim_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct nim *m = nim_of(game);
	struct state s = {{0}, 0};
	if (size != m->heaps + 1u || key[m->heaps] > 1)
		return PD_E_CORRUPT;
	for (unsigned i = 0; i < m->heaps; i++) {
		if (key[i] > m->size[i] || (i && key[i] < key[i - 1]))
			return PD_E_CORRUPT;
		s.heap[i] = key[i];
	}
	s.side = key[m->heaps];
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move nim_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct nim *m = nim_of(game);
	uint8_t order[HEAPS_MAX];
	unsigned heap = move / CODE, i = 0;
	if (heap >= m->heaps) /* not a move */
		return move;
	order_of(m, state, order);
	if (back)
		return (game_move)(CODE * order[heap] + move % CODE);
	while (order[i] != heap)
		i++;
	return (game_move)(CODE * i + move % CODE);
}

/* --- text --------------------------------------------------------------------------------- */

static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct nim *m = nim_of(game);
	const char *p = *text + 1;
	unsigned heap = (unsigned)(**text - 'a'), left;
	if (heap >= m->heaps || (*p == '0' && p[1] >= '0' && p[1] <= '9') || !text_number(&p, &left))
		return "a move is the letter of a heap and the counters left in it, as in b2";
	*text = p;
	*out = (game_move)(CODE * heap + left);
	return left < ((const struct state *)state)->heap[heap] ? NULL : "a move takes at least one counter";
}

static bool is_board(const char *text)
{
	return *text >= '0' && *text <= '9';
}

static const char *read_heaps(const struct game *game, const char **text, void *state)
{
	const struct nim *m = nim_of(game);
	struct state *s = state;
	for (unsigned i = 0; i < m->heaps; i++) {
		unsigned size;
		if (!text_number(text, &size))
			return "a position is the sizes of all heaps and the player to move, as in 3,0,5 x";
		if (size > m->size[i])
			return "a heap never has more counters than at the start";
		s->heap[i] = (uint8_t)size;
		if (i + 1 < m->heaps && *(*text)++ != ',')
			return --*text, "there are more heaps";
	}
	const char *p = *text;
	if (p[0] != ' ' || (p[1] != 'x' && p[1] != 'o') || p[2])
		return "x or o, the player to move, follows the heaps";
	s->side = p[1] == 'o';
	return NULL;
}

static void nim_start(const struct game *game, void *state)
{
	struct state s = {{0}, 0};
	memcpy(s.heap, nim_of(game)->size, sizeof s.heap);
	memcpy(state, &s, sizeof s);
}

static size_t nim_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct nim *m = nim_of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned i = 0; i < m->heaps; i++)
		text_printf(&line, i ? ",%u" : "%u", s->heap[i]);
	text_printf(&line, s->side ? " o" : " x");
	return line.length;
}

static size_t nim_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	text_printf(&line, "%c%u", (char)('a' + move / CODE), move % CODE);
	return line.length;
}

/* --- the board: a column of counters for each heap ------------------------------------------ */

static void nim_board(const struct game *game, struct game_board *out)
{
	const struct nim *m = nim_of(game);
	unsigned high = m->size[m->heaps - 1];
	out->side[0] = "First";
	out->side[1] = "Second";
	for (unsigned i = 0; i < m->heaps; i++) {
		out->label[out->labels++] = (struct game_label){
			.x = (int16_t)(12 * i), .y = (int16_t)(12 * high - 2), .text = {(char)('a' + i)}};
		for (unsigned j = 0; j < m->size[i]; j++) {
			struct game_place *p = &out->place[out->places++];
			*p = (struct game_place){
				.x = (int16_t)(12 * i), .y = (int16_t)(12 * (high - 1 - j)), .shape = GAME_SQUARE};
			snprintf(p->name, sizeof p->name, "%c%u", (char)('a' + i), j % 100 + 1);
		}
	}
	out->piece[out->pieces++] = (struct game_piece){'o', GAME_NO_SIDE, GAME_DISC, "counter", NULL};
}

static void nim_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct nim *m = nim_of(game);
	const struct state *s = state;
	unsigned place = 0;
	for (unsigned i = 0; i < m->heaps; i++)
		for (unsigned j = 0; j < m->size[i]; j++)
			out->on[place++] = j < s->heap[i];
	out->to_move = !nim_count(game, state) ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

/* The counters that the move takes. */
static unsigned nim_move_places(const struct game *game, const void *state, game_move move,
				uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct nim *m = nim_of(game);
	const struct state *s = state;
	unsigned first = 0, n = 0;
	for (unsigned i = 0; i < move / CODE; i++)
		first += m->size[i];
	for (unsigned j = move % CODE; j < s->heap[move / CODE]; j++)
		out[n++] = (uint16_t)(first + j);
	return n;
}

/* Counters may lie anywhere in the column of a heap. On an empty board First has lost. */
static int nim_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct nim *m = nim_of(game);
	struct state s = {{0}, diagram->to_move == GAME_SECOND};
	unsigned place = 0;
	for (unsigned i = 0; i < m->heaps; i++)
		for (unsigned j = 0; j < m->size[i]; j++)
			s.heap[i] = (uint8_t)(s.heap[i] + (diagram->on[place++] != 0));
	if (diagram->to_move == GAME_NO_SIDE && nim_count(game, &s))
		return cells_refuse(fail, "counters are left: name the side to move");
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static bool read_sizes(const char *params, struct nim *m)
{
	const char *p = params;
	do {
		unsigned size, place = m->heaps;
		if (m->heaps == HEAPS_MAX || !text_number(&p, &size) || size < 1 || size > SIZE_MAX_OF_HEAP)
			return false;
		for (; place > 0 && m->size[place - 1] > size; place--)
			m->size[place] = m->size[place - 1];
		m->size[place] = (uint8_t)size;
		m->heaps++;
	} while (*p++ == ',');
	return !p[-1];
}

static int nim_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail)
{
	static const struct cells_form form = {.read_move = read_move, .is_board = is_board, .read_board = read_heaps};
	struct nim *m = cells_new(rules, &form, sizeof *m, fail);
	if (!m)
		return PD_E_NO_MEMORY;
	if (!read_sizes(params, m)) {
		cells_close(&m->base.game);
		return cells_refuse_params(rules, params, fail);
	}
	struct game *game = &m->base.game;
	struct text_line name = text_line(game->name, sizeof game->name);
	for (unsigned i = 0; i < m->heaps; i++) {
		game->moves_max += m->size[i];
		text_printf(&name, i ? ",%u" : "nim:%u", m->size[i]);
	}
	game->plies_max = game->moves_max;
	game->state_size = sizeof(struct state);
	game->key_size_max = m->heaps + 1;
	game->value_step = 2;
	*out = game;
	return PD_OK;
}

const struct game_rules game_nim_rules = {
	CELLS_TEXT,
	.name = "nim",
	.title = "Nim",
	.params = "A,B,...: the sizes of up to 8 heaps, each 1 to 63",
	.notation = "A position is the sizes of the heaps and x or o for the player to move (First or Second), as in "
		    "3,0,5 o; or the moves from the start, separated by blanks. A move is the letter of a heap and how "
		    "many counters it leaves there, as in b2.",
	.example = "nim:3,4,5",
	.open = nim_open,
	CELLS_RULES(nim),
	.print = nim_print,
	.move_print = nim_move_print,
	.canon = nim_canon,
	.unique_moves = nim_unique,
	.immediate_win = nim_immediate_win,
	.count = nim_count,
	.board = nim_board,
	.diagram = nim_diagram,
	.move_places = nim_move_places,
	.set_up = nim_set_up,
};
