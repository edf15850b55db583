#include "solver/games/stones.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

enum { FIRST_STONE = 1, SECOND_STONE = 2, BLOCKED = 3 }; /* in cells: the letters of "xo#" */

/* --- blocks ------------------------------------------------------------------------------- */

struct stones_blocks stones_scan(const struct grid *g, const struct stones *s)
{
	struct stones_blocks out = {{0}, {0}, {0}};
	uint64_t free = stones_free(g, s);
	for (unsigned side = 0; side < 2; side++) {
		uint64_t rest = s->on[side];
		while (rest) {
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

/* Moves a and b have children with one key if a symmetry takes the one child to the other. Then it leaves blocked
 * points and the waiting side's stones as they are, and either it does so with the mover's stones and takes a to b, or
 * it moves exactly one of them: a goes where that stone was, and b is where it is now. */
static uint64_t find_twins(const struct grid *g, const struct stones *s)
{
	uint64_t mover = s->on[s->side], waiting = s->on[!s->side], drop = 0, images[GRID_SYMMETRIES_MAX];
	grid_images(g, waiting, images);
	for (unsigned i = 1; i < g->symmetries; i++) {
		if (images[i] != waiting || (s->blocked && grid_image(g, i, s->blocked) != s->blocked))
			continue;
		uint64_t image = grid_image(g, i, mover), gone = mover & ~image, come = image & ~mover;
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
	if (move >= g->squares) /* no move at all */
		return move;
	return back ? g->inverse[symmetry][move] : g->map[symmetry][move];
}

/* --- text --------------------------------------------------------------------------------- */

/* Reads a legal move of the position. */
static const char *read_move(const struct stones_game *b, const struct stones *s, const char **text, unsigned *point)
{
	const char *p = *text, *wrong = cells_square_read(&b->form, &p, point);
	if (wrong)
		return wrong;
	if (*p && !cells_blank(*p))
		return "a move is one point, as in b3";
	if (!(stones_free(&b->grid, s) >> *point & 1))
		return "the point is taken";
	if (!(s->legal[s->side] >> *point & 1))
		return s->legal[s->side] ? "the rules forbid a stone there" : "the game is over before this move";
	*text = p;
	return NULL;
}

static const char *read_moves(const struct stones_game *b, const char **text, struct stones *s)
{
	for (;;) {
		unsigned point;
		while (cells_blank(**text))
			++*text;
		if (!**text)
			return NULL;
		const char *wrong = read_move(b, s, text, &point);
		if (wrong)
			return wrong;
		stones_play(&b->game, s, (game_move)point);
	}
}

/* A position made of cells, checked and filled in. */
static const char *from_cells(const struct stones_game *b, const uint8_t *cells, unsigned side, struct stones *s)
{
	*s = (struct stones){.side = side};
	for (unsigned i = 0; i < b->grid.squares; i++) {
		s->on[0] |= (uint64_t)(cells[i] == FIRST_STONE) << i;
		s->on[1] |= (uint64_t)(cells[i] == SECOND_STONE) << i;
		s->blocked |= (uint64_t)(cells[i] == BLOCKED) << i;
	}
	const char *wrong = b->fault(&b->grid, s);
	if (!wrong)
		b->derive(&b->grid, s);
	return wrong;
}

static void to_cells(const struct stones_game *b, const struct stones *s, uint8_t *cells)
{
	for (unsigned i = 0; i < b->grid.squares; i++)
		cells[i] = s->on[0] >> i & 1   ? FIRST_STONE
			   : s->on[1] >> i & 1 ? SECOND_STONE
					       : (uint8_t)((s->blocked >> i & 1) * BLOCKED);
}

static const char *read_board(const struct stones_game *b, const char **text, struct stones *s)
{
	uint8_t cells[GRID_SQUARES_MAX];
	unsigned side;
	const char *wrong = cells_read(&b->form, text, cells);
	if (!wrong)
		wrong = cells_side_read(text, "xo", &side);
	return wrong ? wrong : from_cells(b, cells, side, s);
}

void stones_start(const struct game *game, void *state)
{
	const struct stones_game *b = stones_of(game);
	struct stones s = {{0}};
	b->derive(&b->grid, &s);
	memcpy(state, &s, sizeof s);
}

int stones_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	const struct stones_game *b = stones_of(game);
	const char *p = text;
	struct stones s;
	stones_start(game, &s);
	const char *wrong = text_is_board(text) ? read_board(b, &p, &s) : read_moves(b, &p, &s);
	if (wrong)
		return cells_fail(fail, text, p, wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

size_t stones_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct stones_game *b = stones_of(game);
	const struct stones *s = state;
	struct text_line line = text_line(out, size);
	uint8_t cells[GRID_SQUARES_MAX];
	to_cells(b, s, cells);
	cells_print(&b->form, cells, &line);
	text_printf(&line, s->side ? " o" : " x");
	return line.length;
}

int stones_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
		      struct pd_fail *fail)
{
	unsigned point;
	const char *p = text, *wrong = read_move(stones_of(game), state, &p, &point);
	if (!wrong && *p)
		wrong = "a move is one point, as in b3";
	if (wrong)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%s': %s", text_excerpt(text, 16).text, wrong);
	*out = (game_move)point;
	return PD_OK;
}

size_t stones_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	cells_square_print(&stones_of(game)->form, move, &line);
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

void stones_board(const struct game *game, struct game_board *out)
{
	const struct grid *g = &stones_of(game)->grid;
	game_board_grid(out, g->width, g->height, GAME_POINT);
	out->side[0] = "Black";
	out->side[1] = "White";
	out->piece[out->pieces++] =
		(struct game_piece){.letter = 'x', .side = GAME_FIRST, .look = GAME_DISC, .name = "black stone"};
	out->piece[out->pieces++] =
		(struct game_piece){.letter = 'o', .side = GAME_SECOND, .look = GAME_DISC, .name = "white stone"};
	out->piece[out->pieces++] =
		(struct game_piece){.letter = '#', .side = GAME_NO_SIDE, .look = GAME_FILL, .name = "blocked point"};
	PD_ASSERT(out->pieces == BLOCKED && out->places == g->squares);
}

void stones_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct stones *s = state;
	to_cells(stones_of(game), s, out->on);
	out->to_move = !s->legal[s->side] ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
}

unsigned stones_move_places(const struct game *game, const void *state, game_move move,
			    uint16_t out[GAME_MOVE_PLACES_MAX])
{
	out[0] = move;
	return 1;
}

/* When the diagram says that the game is over, the player who would be to move has lost: Second, if that may be. */
int stones_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct stones_game *b = stones_of(game);
	struct stones s;
	const char *wrong = from_cells(b, diagram->on, diagram->to_move != GAME_FIRST, &s);
	if (diagram->to_move == GAME_NO_SIDE && (wrong || s.legal[s.side])) {
		wrong = from_cells(b, diagram->on, 0, &s);
		if (!wrong && s.legal[s.side])
			wrong = "both players have moves: say who is to move";
	}
	if (wrong)
		return pd_fail_set(fail, PD_E_POSITION, "position", "%s", wrong);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

int stones_open(const struct game_rules *rules, const char *params, struct stones_game **out, struct pd_fail *fail)
{
	unsigned width, height;
	const char *wrong = grid_size_read(params, &width, &height);
	if (wrong)
		return pd_fail_set(fail, PD_E_GAME, "game", "%s: %s", rules->name, wrong);
	struct stones_game *b = calloc(1, sizeof *b);
	if (!b)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a board");
	grid_prepare(&b->grid, width, height, true);
	b->form = (struct cells_form){width, height, "xo#"};
	b->game = (struct game){
		.rules = rules,
		.rules_version = 1,
		.state_size = sizeof(struct stones),
		.key_size_max = (uint32_t)grid_packed(&b->grid, 2),
		.moves_max = b->grid.squares,
		.plies_max = b->grid.squares,
		.value_min = -1,
		.value_max = 1,
		.value_step = 2,
		.acyclic = true,
	};
	snprintf(b->game.name, sizeof b->game.name, "%s:%ux%u", rules->name, width, height);
	*out = b;
	return PD_OK;
}

void stones_close(struct game *game)
{
	free(game);
}
