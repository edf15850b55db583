/* Breakthrough: men move one square forward, straight or diagonally, but capture only diagonally. The first man on its
 * far row wins for its side; so does capturing every enemy man. Until the game is over there is always a move.
 *
 * at: 1 a man of First (White, at the bottom, moves up), 2 one of Second. First moves first. Move code: the square
 * where the move begins + 64 * (0 to the column before, 1 straight, 2 to the column behind). */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "clients/proofcheck/keys.h"
#include "clients/proofcheck/witness.h"
#include "proto/base/assert.h"

static unsigned count_men(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_count_kind(p->at, g->width * g->height, kind);
}

/* The number of men of that kind on their far row. */
static unsigned count_arrived(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	return ck_count_kind(p->at + (kind == 1 ? (g->height - 1) * g->width : 0), g->width, kind);
}

/* A side wins with its own move, so only the side that is not to move can have won. */
static bool breakthrough_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (!count_arrived(g, p, other) && count_men(g, p, mover))
		return false;
	*value = other == 1 ? 1 : -1;
	return true;
}

/* The square where the man on `from` arrives if it goes in that direction; false when it cannot. */
static bool leads_to(const struct ck_game *g, const struct ck_position *p, unsigned from, unsigned direction,
		     unsigned *to)
{
	int column = (int)(from % g->width) + (int)direction - 1, row = (int)(from / g->width) + (p->turn ? -1 : 1),
	    square = ck_square_at(g, column, row);
	if (p->at[from] != p->turn + 1 || square < 0)
		return false;
	*to = (unsigned)square;
	return !p->at[*to] || (direction != 1 && p->at[*to] != p->at[from]);
}

static unsigned breakthrough_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = 0, to;
	for (unsigned from = 0; from < g->width * g->height; from++)
		for (unsigned direction = 0; direction < 3; direction++)
			if (leads_to(g, p, from, direction, &to))
				out[n++] = (uint16_t)(from + 64 * direction);
	return n;
}

static int find_arrival(const struct ck_game *g, const struct ck_position *p, uint16_t move)
{
	unsigned to = 0;
	bool can = leads_to(g, p, move % 64, move / 64, &to);
	PD_ASSERT(can);
	return (int)to;
}

static void breakthrough_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	p->at[find_arrival(g, p, move)] = p->at[move % 64];
	p->at[move % 64] = 0;
	p->turn = !p->turn;
}

/* T10 of solver/games/THEOREMS.md. Rows that a man of that kind still has to go. */
static unsigned rows_to_go(const struct ck_game *g, unsigned square, unsigned kind)
{
	return kind == 1 ? g->height - 1 - square / g->width : square / g->width;
}

/* The fewest rows that a man of that kind has to go. */
static unsigned fewest_rows(const struct ck_game *g, const struct ck_position *p, unsigned kind)
{
	unsigned fewest = g->height;
	for (unsigned i = 0; i < g->width * g->height; i++)
		if (p->at[i] == kind && rows_to_go(g, i, kind) < fewest)
			fewest = rows_to_go(g, i, kind);
	return fewest;
}

/* Whether a man that is `rows` rows ahead and `across` columns aside of a runner with d rows to go can stop it, its
 * side being to move: takes it after the runner's step j, or stands before it at step j + 1, which is not the last. */
static bool can_stop_runner(int rows, int across, int d)
{
	for (int j = 0; j < d; j++) {
		int moves = rows - (j + 1); /* to the row before the runner */
		if (moves >= 0 && moves <= j && (moves ? across <= moves + 1 : across == 1))
			return true;
		if (moves >= 0 && moves <= j + 1 && across <= moves && j + 1 < d)
			return true;
	}
	return false;
}

/* Whether the man on a square, of the side that is not to move, is a runner; *d is then the number of its steps. */
static bool is_runner(const struct ck_game *g, const struct ck_position *p, unsigned square, unsigned *d)
{
	unsigned kind = 2u - p->turn, other = 3 - kind;
	if (p->at[square] != kind)
		return false;
	*d = rows_to_go(g, square, kind);
	if (!*d || fewest_rows(g, p, other) <= *d)
		return false;
	for (unsigned i = 0; i < g->width * g->height; i++) {
		int rows = (int)*d - (int)rows_to_go(g, i, kind),
		    across = (int)(i % g->width) - (int)(square % g->width);
		across = across < 0 ? -across : across;
		if (rows < 1 || !p->at[i])
			continue;
		if (p->at[i] == kind ? !across : can_stop_runner(rows, across, (int)*d))
			return false;
	}
	return true;
}

/* Plays the step from one square to another; false when it is not legal. */
static bool try_step(const struct ck_game *g, struct ck_position *p, unsigned from, unsigned to)
{
	for (unsigned direction = 0, end; direction < 3; direction++)
		if (leads_to(g, p, from, direction, &end) && end == to) {
			breakthrough_play_move(g, p, (uint16_t)(from + 64 * direction));
			return true;
		}
	return false;
}

/* Whether both are men of the side that is not to move, one row from its far row, and the side to move is not. */
static bool are_two_runners(const struct ck_game *g, const struct ck_position *p, const uint16_t square[2])
{
	unsigned kind = 2u - p->turn;
	for (unsigned i = 0; i < 2; i++)
		if (p->at[square[i]] != kind || rows_to_go(g, square[i], kind) != 1)
			return false;
	return square[0] != square[1] && fewest_rows(g, p, 3 - kind) > 1;
}

static bool breakthrough_has_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
				  unsigned *plies)
{
	struct ck_groups groups;
	struct ck_position after = *p;
	unsigned winner = card->upper ? 2 : 1, d;
	bool begins = winner == p->turn + 1u;
	int value;
	if (card->theorem != 10 || !ck_groups_read(card, g->width * g->height, &groups) || groups.count != 1)
		return false;
	const uint16_t *square = groups.square;
	if (groups.size[0] == 1 && !begins && is_runner(g, p, square[0], &d)) {
		*plies = 2 * d;
		return true;
	}
	if (groups.size[0] == 2 && begins) {
		if (!try_step(g, &after, square[0], square[1]) || breakthrough_is_over(g, &after, &value) ||
		    !is_runner(g, &after, square[1], &d))
			return false;
		*plies = 2 * d + 1;
		return true;
	}
	*plies = 2;
	return groups.size[0] == 2 && are_two_runners(g, p, square);
}

/* Writes the group to the witness if that makes a card of fewer than *best plies. */
static void try_group(const struct ck_game *g, const struct ck_position *p, const uint16_t *square, unsigned count,
		      struct ck_card *card, uint8_t *room, unsigned *best)
{
	uint8_t bytes[CK_WITNESS_MAX];
	struct ck_card made = *card;
	unsigned plies;
	made.witness = bytes;
	made.size = 0;
	if (!ck_group_add(&made, bytes, square, count) || !breakthrough_has_card(g, p, &made, &plies) || plies >= *best)
		return;
	memcpy(room, bytes, made.size);
	card->size = made.size;
	*best = plies;
}

/* Tries every man and step. */
static bool breakthrough_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
				   struct ck_card *out, uint8_t *room)
{
	unsigned winner = upper ? 2 : 1, best = UINT32_MAX, to, squares = g->width * g->height;
	bool begins = winner == p->turn + 1u;
	*out = (struct ck_card){.upper = upper, .bound = bound, .theorem = 10, .witness = room};
	for (unsigned i = 0; i < squares; i++) {
		if (p->at[i] != winner)
			continue;
		if (!begins)
			try_group(g, p, (const uint16_t[1]){(uint16_t)i}, 1, out, room, &best);
		for (unsigned j = i + 1; j < squares && !begins && rows_to_go(g, i, winner) == 1; j++)
			try_group(g, p, (const uint16_t[2]){(uint16_t)i, (uint16_t)j}, 2, out, room, &best);
		for (unsigned direction = 0; direction < 3 && begins; direction++)
			if (leads_to(g, p, i, direction, &to))
				try_group(g, p, (const uint16_t[2]){(uint16_t)i, (uint16_t)to}, 2, out, room, &best);
	}
	return best < UINT32_MAX;
}

/* Returns what is wrong with the position, or NULL. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p)
{
	unsigned mover = p->turn + 1u, other = 2u - p->turn;
	if (count_men(g, p, 1) > 2 * g->width || count_men(g, p, 2) > 2 * g->width)
		return "a side has more men than two rows hold";
	if (count_arrived(g, p, mover))
		return "the side to move has already won";
	if (count_arrived(g, p, other) > 1)
		return "two men have reached their far row, but the first one should have ended the game";
	return count_men(g, p, other) ? NULL : "the side that moved last has no man that could have moved";
}

/* A move is two squares, perhaps with - between them, or x if it captures a man. */
static bool read_move(const struct ck_game *g, const struct ck_position *p, const char **text, unsigned *move)
{
	unsigned from, to, end;
	if (!ck_square_read(text, g->width, g->height, &from))
		return false;
	char between = **text;
	*text += between == '-' || between == 'x';
	if (!ck_square_read(text, g->width, g->height, &to) || (between == '-' && p->at[to]) ||
	    (between == 'x' && !p->at[to]))
		return false;
	for (unsigned direction = 0; direction < 3; direction++)
		if (leads_to(g, p, from, direction, &end) && end == to) {
			*move = from + 64 * direction;
			return true;
		}
	return false;
}

static const char *breakthrough_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	if (strchr(text, '/')) {
		const char *wrong = ck_rows_read(g, text, "Pp", CK_SIDES("w", "b"), out, NULL);
		return wrong ? wrong : find_fault(g, out);
	}
	for (unsigned i = 0; i < 2 * g->width; i++) {
		out->at[i] = 1;
		out->at[g->width * g->height - 1 - i] = 2;
	}
	return ck_moves_read(g, text, out, read_move);
}

static void breakthrough_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	size_t size = ck_board_print(p->at, g->width, g->height, "Pp", out);
	snprintf(out + size, CK_TEXT_MAX - size, " %c", p->turn ? 'b' : 'w');
}

static const struct ck_key_form form = {.sets = 2, .symmetries = CK_MIRROR, .most = 2, .turn = true};

static size_t breakthrough_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	return ck_key_write(g, &form, p, out);
}

static bool breakthrough_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	return ck_key_read(g, &form, key, size, p) && !find_fault(g, p);
}

static int breakthrough_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
				  struct pd_fail *fail)
{
	if (!ck_size_read(&params, &g->width, &g->height) || *params || g->width < 2 || g->height < 4 ||
	    g->width * g->height > 64)
		return pd_fail_set(
			fail, PD_E_GAME, "game",
			"breakthrough takes columns x rows, as in breakthrough:8x8: at least 2 columns and 4 rows, "
			"at most 64 squares");
	g->step = 2;
	g->infinite = -1;
	g->key_max = ck_key_size(g, &form);
	return PD_OK;
}

static void breakthrough_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move,
				   char out[CK_MOVE_TEXT])
{
	unsigned from = move % 64, column = from % g->width, row = from / g->width;
	out = ck_square_name(out, column, row);
	ck_square_name(out, column + move / 64 - 1, p->turn ? row - 1 : row + 1);
}

const struct ck_rules ck_breakthrough = {
	.name = "breakthrough",
	CK_RULES(breakthrough),
	.over = breakthrough_is_over,
	.first_moves = ck_turn_0_moves,
	.move_name = breakthrough_name_move,
	.card = breakthrough_has_card,
	.find_card = breakthrough_find_card,
	.square = find_arrival,
	.grid = &(const struct ck_grid){.letters = ".Pp"},
};
