#include "solver/games/stones.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

enum { BLOCKED = 3 }; /* in cells, after CELLS_FIRST and CELLS_SECOND */

/* --- blocks ------------------------------------------------------------------------------- */

struct stones_blocks stones_scan(const struct grid *g, const struct stones *s)
{
	struct stones_blocks out = {{0}, {0}, {0}};
	uint64_t free = stones_free(g, s);
	for (unsigned side = 0; side < 2; side++) {
		for (uint64_t rest = s->on[side]; rest;) {
			uint64_t block = rest & (~rest + 1), around = grid_neighbours(g, block), more;
			while ((more = around & rest & ~block) != 0) {
				block |= more;
				around |= grid_neighbours(g, more);
			}
			uint64_t liberties = around & free;
			rest &= ~block;
			if (!liberties)
				out.none[side] |= block;
			else if (!(liberties & (liberties - 1)))
				out.last[side] |= liberties;
			else
				out.among[side] |= liberties;
		}
	}
	return out;
}

/* --- inner loop --------------------------------------------------------------------------- */

bool stones_first_to_move(const struct game *game, const void *state)
{
	return ((const struct stones *)state)->side == 0;
}

/* Writes the points of a set in the order of moves. */
static unsigned list_points(const struct grid *g, uint64_t set, game_move *out)
{
	unsigned n = 0;
	for (unsigned i = 0; i < g->squares; i++) {
		out[n] = g->order[i];
		n += set >> g->order[i] & 1;
	}
	return n;
}

bool stones_terminal(const struct game *game, const void *state, int *value)
{
	const struct stones *s = state;
	if (s->legal[s->side])
		return false;
	*value = s->side ? 1 : -1;
	return true;
}

unsigned stones_moves(const struct game *game, const void *state, game_move *out)
{
	const struct stones *s = state;
	return s->legal[s->side] ? list_points(&stones_of(game)->grid, s->legal[s->side], out) : 0;
}

unsigned stones_count(const struct game *game, const void *state)
{
	const struct stones *s = state;
	return text_count(s->legal[s->side]);
}

void stones_play(const struct game *game, void *state, game_move move)
{
	const struct stones_game *b = stones_of(game);
	struct stones *s = state;
	PD_DEBUG_ASSERT(move < b->grid.squares && s->legal[s->side] >> move & 1);
	s->on[s->side] |= UINT64_C(1) << move;
	s->side ^= 1;
	b->derive(&b->grid, s);
}

/* Finds the moves that have a twin earlier in the order. Moves a and b have children with the same key if a symmetry
 * maps one child to the other. That symmetry keeps blocked points and the waiting side's stones. Either it also keeps
 * the mover's stones and maps a to b; or it moves exactly one of them: then a is mapped to the point that this stone
 * leaves, and b is the point that it reaches. */
static uint64_t find_twins(const struct grid *g, const struct stones *s)
{
	uint64_t mover = s->on[s->side], waiting = s->on[!s->side], drop = 0, images[GRID_SYMMETRIES_MAX];
	grid_images(&g->tables, g->symmetries, waiting, images);
	for (unsigned i = 1; i < g->symmetries; i++) {
		if (images[i] != waiting || (s->blocked && grid_image(&g->tables, i, s->blocked) != s->blocked))
			continue;
		uint64_t image = grid_image(&g->tables, i, mover), gone = mover & ~image, come = image & ~mover;
		if (!gone) {
			drop |= g->later[i];
		} else if (!(gone & (gone - 1))) {
			unsigned a = g->inverse[i][__builtin_ctzll(gone)], b = (unsigned)__builtin_ctzll(come);
			if (a != b)
				drop |= UINT64_C(1) << (g->rank[a] > g->rank[b] ? a : b);
		}
	}
	return drop;
}

unsigned stones_unique(const struct game *game, const void *state, game_move *out)
{
	const struct grid *g = &stones_of(game)->grid;
	const struct stones *s = state;
	uint64_t legal = s->legal[s->side];
	return legal ? list_points(g, legal & ~find_twins(g, s), out) : 0;
}

/* --- keys --------------------------------------------------------------------------------- */

static unsigned find_canonical(const struct grid *g, const struct stones *s, uint64_t least[2])
{
	uint64_t words[2] = {s->on[0] | s->blocked, s->on[1] | s->blocked};
	return grid_canonical(g, words, 2, least);
}

size_t stones_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct grid *g = &stones_of(game)->grid;
	const struct stones *s = state;
	uint64_t least[2];
	find_canonical(g, s, least);
	return grid_pack(g, least, 2, s->side, out);
}

int stones_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct stones_game *b = stones_of(game);
	uint64_t words[2], least[2];
	bool side;
	if (!grid_unpack(&b->grid, key, size, words, 2, &side))
		return PD_E_CORRUPT;
	struct stones s = {.blocked = words[0] & words[1], .side = side};
	s.on[0] = words[0] & ~s.blocked;
	s.on[1] = words[1] & ~s.blocked;
	if (b->fault(&b->grid, &s) || find_canonical(&b->grid, &s, least) != 0)
		return PD_E_CORRUPT;
	b->derive(&b->grid, &s);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

game_move stones_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct grid *g = &stones_of(game)->grid;
	uint64_t least[2];
	unsigned symmetry = find_canonical(g, state, least);
	if (move >= g->squares) /* not a move */
		return move;
	return back ? g->inverse[symmetry][move] : g->map[symmetry][move];
}

/* --- cells -------------------------------------------------------------------------------- */

static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct stones *s = state;
	unsigned point;
	const char *wrong = cells_place_read(&stones_of(game)->base, text, &point);
	if (wrong)
		return wrong;
	*out = (game_move)point;
	if (!(stones_free(&stones_of(game)->grid, s) >> point & 1))
		return "the square is taken";
	if (s->legal[s->side] >> point & 1)
		return NULL;
	return s->legal[s->side] ? "the rules forbid a stone there" : "the game is over before this move";
}

static int from_cells(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail)
{
	const struct stones_game *b = stones_of(game);
	struct stones s = {.side = cells->turn};
	for (unsigned i = 0; i < b->grid.squares; i++) {
		s.on[0] |= (uint64_t)(cells->at[i] == CELLS_FIRST) << i;
		s.on[1] |= (uint64_t)(cells->at[i] == CELLS_SECOND) << i;
		s.blocked |= (uint64_t)(cells->at[i] == BLOCKED) << i;
	}
	const char *wrong = b->fault(&b->grid, &s);
	if (!wrong) {
		b->derive(&b->grid, &s);
		memcpy(state, &s, sizeof s);
	}
	return cells_refuse(fail, wrong);
}

static void to_cells(const struct game *game, const void *state, struct cells *out)
{
	const struct stones *s = state;
	out->turn = (uint8_t)s->side;
	for (unsigned i = 0; i < stones_of(game)->grid.squares; i++)
		out->at[i] = (uint8_t)((s->on[0] >> i & 1) * CELLS_FIRST + (s->on[1] >> i & 1) * CELLS_SECOND +
				       (s->blocked >> i & 1) * BLOCKED);
}

void stones_board(const struct game *game, struct game_board *out)
{
	static const struct game_piece pieces[] = {{'x', GAME_FIRST, GAME_DISC, "black stone", NULL},
						   {'o', GAME_SECOND, GAME_DISC, "white stone", NULL},
						   {'#', GAME_NO_SIDE, GAME_FILL, "blocked point", NULL}};
	game_board_grid(out, stones_of(game)->base.width, stones_of(game)->base.height, GAME_POINT);
	out->side[0] = "Black";
	out->side[1] = "White";
	out->pieces = BLOCKED;
	memcpy(out->piece, pieces, sizeof pieces);
}

/* --- opening ------------------------------------------------------------------------------ */

void stones_start(const struct game *game, void *state)
{
	const struct stones_game *b = stones_of(game);
	struct stones s = {{0}};
	b->derive(&b->grid, &s);
	memcpy(state, &s, sizeof s);
}

int stones_open(const struct game_rules *rules, const char *params, const struct stones_game *how, struct game **out,
		struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = "xo#",
					       .sides = "xo",
					       .second_first = true,
					       .read_move = read_move,
					       .to_cells = to_cells,
					       .from_cells = from_cells};
	unsigned width, height;
	if (!cells_size_read(params, &width, &height) || width > GRID_COLUMNS_MAX || height > GRID_SQUARES_MAX / width)
		return cells_refuse_params(rules, params, fail);
	struct stones_game *b = cells_new(rules, &form, sizeof *b, fail);
	if (!b)
		return PD_E_NO_MEMORY;
	struct game *game = &b->base.game;
	b->base.width = width;
	b->base.height = height;
	grid_prepare(&b->grid, width, height, true);
	game->state_size = sizeof(struct stones);
	game->key_size_max = (uint32_t)grid_packed(&b->grid, 2);
	game->moves_max = game->plies_max = b->grid.squares;
	game->value_step = 2;
	snprintf(game->name, sizeof game->name, "%s:%ux%u", rules->name, width, height);
	b->derive = how->derive;
	b->fault = how->fault;
	*out = game;
	return PD_OK;
}
