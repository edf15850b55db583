/* Dots and Boxes. RULES.md has the rules and the notation.
 *
 * Layout. One word of lines: first those across, line = row * width + column, row by row from the bottom, then those
 * down, line = width * (height + 1) + row * (width + 1) + column. A move's code is its line.
 *
 * Key. Symmetries are those of grid.h. In addition, lines that border only one box, the same one, are interchangeable,
 * such as the two at a corner. In each image the drawn ones among such lines are replaced by the first of these lines.
 * The smallest of the images as numbers, bit = line, is written in as few bytes as hold all lines, lowest first. Then
 * one byte: the score (First's boxes less Second's) plus the number of boxes, and 128 more when Second is to move. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"

enum {
	LINES_MAX = 63, /* so that ~0 in borders_on is never a subset of the lines */
	BYTES_MAX = 8,
	BOXES_MAX = 25,
	OUTER_MAX = 4, /* lines of a box that border no other box */
	SECOND = 128
};

struct state {
	uint64_t lines; /* drawn */
	int32_t score;  /* First's boxes less Second's */
	uint32_t side;  /* to move: 0 First, 1 Second */
};

/* Interchangeable lines: two or more that border the same single box. */
struct outer {
	uint64_t set;
	unsigned count;
	uint8_t line[OUTER_MAX]; /* ascending */
};

struct dots {
	struct cells_game base; /* its columns and rows count dots, not boxes */
	unsigned width, height, boxes, lines, bytes, symmetries;
	uint64_t full;
	uint64_t box[BOXES_MAX];
	uint64_t borders_on[LINES_MAX][2]; /* the boxes that a line borders; ~0 for none */
	unsigned outers;
	struct outer outer[BOXES_MAX];
	uint8_t outer_of[LINES_MAX]; /* 1 + its index in outer; 0: none */
	uint8_t map[GRID_SYMMETRIES_MAX][LINES_MAX], inverse[GRID_SYMMETRIES_MAX][LINES_MAX];
	uint64_t table[GRID_SYMMETRIES_MAX][BYTES_MAX][256];
};

static const struct dots *dots_of(const struct game *game)
{
	return (const struct dots *)game;
}

/* --- inner loop --------------------------------------------------------------------------- */

static bool dots_first_to_move(const struct game *game, const void *state)
{
	return ((const struct state *)state)->side == 0;
}

static bool dots_terminal(const struct game *game, const void *state, int *value)
{
	const struct state *s = state;
	if (s->lines != dots_of(game)->full)
		return false;
	*value = s->score;
	return true;
}

static unsigned dots_count(const struct game *game, const void *state)
{
	return dots_of(game)->lines - text_count(((const struct state *)state)->lines);
}

/* The number of boxes that a line completes. */
static inline unsigned made_by(const struct dots *d, uint64_t lines, unsigned line)
{
	lines |= UINT64_C(1) << line;
	return (unsigned)!(d->borders_on[line][0] & ~lines) + !(d->borders_on[line][1] & ~lines);
}

/* Lists lines that complete a box first. */
static unsigned dots_moves(const struct game *game, const void *state, game_move *out)
{
	const struct dots *d = dots_of(game);
	uint64_t lines = ((const struct state *)state)->lines, open = d->full & ~lines;
	unsigned n = 0;
	for (uint64_t set = open; set; set &= set - 1)
		if (made_by(d, lines, (unsigned)__builtin_ctzll(set)))
			out[n++] = (game_move)__builtin_ctzll(set);
	for (uint64_t set = open; set; set &= set - 1)
		if (!made_by(d, lines, (unsigned)__builtin_ctzll(set)))
			out[n++] = (game_move)__builtin_ctzll(set);
	return n;
}

static void dots_play(const struct game *game, void *state, game_move move)
{
	const struct dots *d = dots_of(game);
	struct state *s = state;
	PD_DEBUG_ASSERT(move < d->lines && !(s->lines >> move & 1));
	int made = (int)made_by(d, s->lines, move);
	s->lines |= UINT64_C(1) << move;
	s->score += s->side ? -made : made;
	s->side ^= !made;
}

/* Edge costs: a line that completes no box costs its mover one for each box that it leaves to the other side. No gain:
 * 93 % of the nodes of df-pn in the five questions by which one was chosen from 1, 2 and 4, 105 % in five others. */
static void dots_edge_costs(const struct game *game, const void *state, int threshold, const game_move *moves,
			    unsigned count, uint16_t (*out)[2])
{
	const struct dots *d = dots_of(game);
	const struct state *s = state;
	for (unsigned i = 0; i < count; i++) {
		uint64_t lines = s->lines | UINT64_C(1) << moves[i];
		bool completes = made_by(d, s->lines, moves[i]);
		unsigned left = 0;
		for (unsigned j = 0; j < 2 && !completes; j++) {
			uint64_t box = d->borders_on[moves[i]][j];
			left += ~box && text_count(box & ~lines) == 1;
		}
		out[i][s->side] = (uint16_t)left;
		out[i][!s->side] = 0;
	}
}

/* The lines that open the chain which a line opens: all those of its boxes that lack two lines, and so on. */
static uint64_t chain_of(const struct dots *d, uint64_t lines, unsigned line)
{
	uint64_t chain = UINT64_C(1) << line, before = 0;
	while (chain != before) {
		before = chain;
		for (unsigned i = 0; i < d->boxes; i++)
			if ((d->box[i] & chain) && text_count(d->box[i] & ~lines) == 2)
				chain |= d->box[i] & ~lines;
	}
	return chain;
}

/* Alike are lines that open the same chain. */
static void dots_alike(const struct game *game, const void *state, const game_move *moves, unsigned count, uint8_t *out)
{
	const struct dots *d = dots_of(game);
	uint64_t lines = ((const struct state *)state)->lines;
	for (unsigned i = 0; i < count; i++) {
		uint64_t chain = chain_of(d, lines, moves[i]);
		if (out[i] || !(chain & (chain - 1)) || made_by(d, lines, moves[i]))
			continue;
		for (unsigned j = i; j < count; j++)
			if (chain >> moves[j] & 1 && !out[j] && !made_by(d, lines, moves[j]))
				out[j] = (uint8_t)(i + 1);
	}
}

/* The number of complete boxes. */
static unsigned count_complete(const struct dots *d, uint64_t lines)
{
	unsigned n = 0;
	for (unsigned i = 0; i < d->boxes; i++)
		n += !(d->box[i] & ~lines);
	return n;
}

/* --- keys --------------------------------------------------------------------------------- */

static inline uint64_t image_of(const struct dots *d, unsigned symmetry, uint64_t lines)
{
	uint64_t image = 0;
	for (unsigned i = 0; i < d->bytes; i++)
		image |= d->table[symmetry][i][lines >> 8 * i & 0xff];
	return image;
}

/* Replaces drawn lines among interchangeable ones by the first of them. */
static inline uint64_t sort_lines(const struct dots *d, uint64_t lines)
{
	for (unsigned i = 0; i < d->outers; i++) {
		const struct outer *o = &d->outer[i];
		uint64_t drawn = lines & o->set;
		if (!drawn || drawn == o->set)
			continue;
		lines ^= drawn;
		for (unsigned j = text_count(drawn); j-- > 0;)
			lines |= UINT64_C(1) << o->line[j];
	}
	return lines;
}

static unsigned find_canonical(const struct dots *d, uint64_t lines, uint64_t *least)
{
	unsigned best = 0;
	*least = sort_lines(d, lines);
	for (unsigned i = 1; i < d->symmetries; i++) {
		uint64_t image = sort_lines(d, image_of(d, i, lines));
		if (image < *least) {
			*least = image;
			best = i;
		}
	}
	return best;
}

static size_t dots_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct dots *d = dots_of(game);
	const struct state *s = state;
	uint64_t least;
	uint8_t bytes[sizeof least];
	find_canonical(d, s->lines, &least);
	pd_put_le64(bytes, least);
	memcpy(out, bytes, d->bytes);
	out[d->bytes] = (uint8_t)(s->score + (int)d->boxes + (s->side ? SECOND : 0));
	return d->bytes + 1;
}

/* What is wrong with a position; NULL when nothing is. */
static const char *find_fault(const struct dots *d, const struct state *s)
{
	int made = (int)count_complete(d, s->lines);
	if (s->score < -made || s->score > made || (made - s->score) % 2)
		return "the players together have as many boxes as are complete";
	return NULL;
}

static int dots_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	const struct dots *d = dots_of(game);
	struct state s = {0};
	uint8_t bytes[sizeof s.lines] = {0};
	uint64_t least;
	if (size != d->bytes + 1u)
		return PD_E_CORRUPT;
	memcpy(bytes, key, d->bytes);
	s.lines = pd_get_le64(bytes);
	s.side = (key[d->bytes] & SECOND) != 0;
	s.score = (key[d->bytes] & ~SECOND) - (int)d->boxes;
	if ((s.lines & ~d->full) || find_fault(d, &s) || find_canonical(d, s.lines, &least) != 0 || least != s.lines)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* The line that sort_lines puts in the place of a line, or the reverse with `back`. Drawn lines keep their order, and
 * so do the others, which follow them. */
static unsigned sorted_line(const struct dots *d, uint64_t lines, unsigned line, bool back)
{
	if (!d->outer_of[line])
		return line;
	const struct outer *o = &d->outer[d->outer_of[line] - 1];
	unsigned order[OUTER_MAX], n = 0;
	for (unsigned drawn = 2; drawn-- > 0;)
		for (unsigned i = 0; i < o->count; i++)
			if ((lines >> o->line[i] & 1) == drawn)
				order[n++] = o->line[i];
	unsigned i = 0;
	while (i < n && line != (back ? o->line[i] : order[i]))
		i++;
	PD_ASSERT(i < n && n == o->count);
	return back ? order[i] : o->line[i];
}

static game_move dots_canon(const struct game *game, const void *state, game_move move, bool back)
{
	const struct dots *d = dots_of(game);
	uint64_t lines = ((const struct state *)state)->lines, least;
	if (move >= d->lines) /* not a move */
		return move;
	unsigned symmetry = find_canonical(d, lines, &least);
	uint64_t image = image_of(d, symmetry, lines);
	if (back)
		return d->inverse[symmetry][sorted_line(d, image, move, true)];
	return (game_move)sorted_line(d, image, d->map[symmetry][move], false);
}

/* Children with the same lines, up to symmetry, have the same key if equally many boxes were completed. */
static unsigned dots_unique(const struct game *game, const void *state, game_move *out)
{
	const struct dots *d = dots_of(game);
	const struct state *s = state;
	game_move all[LINES_MAX];
	uint64_t seen[LINES_MAX];
	unsigned count = dots_moves(game, state, all), n = 0, made[LINES_MAX];
	for (unsigned i = 0; i < count; i++) {
		unsigned j = 0;
		find_canonical(d, s->lines | UINT64_C(1) << all[i], &seen[n]);
		made[n] = made_by(d, s->lines, all[i]);
		while (seen[j] != seen[n] || made[j] != made[n])
			j++;
		out[n] = all[i];
		n += j == n;
	}
	return n;
}

/* --- text --------------------------------------------------------------------------------- */

/* The two dots of a line. */
static void ends_of(const struct dots *d, unsigned line, unsigned *a, unsigned *b)
{
	unsigned across = d->width * (d->height + 1);
	if (line < across) {
		*a = line / d->width * (d->width + 1) + line % d->width;
		*b = *a + 1;
	} else {
		*a = line - across;
		*b = *a + d->width + 1;
	}
}

/* Reads a line that is not drawn. */
static const char *read_move(const struct game *game, const void *state, const char **text, game_move *out)
{
	const struct dots *d = dots_of(game);
	unsigned a, b, from, to;
	if (cells_place_read(&d->base, text, &a) || cells_place_read(&d->base, text, &b))
		return "a move is the two dots of a line, as in a1b1";
	for (unsigned line = 0; line < d->lines; line++) {
		ends_of(d, line, &from, &to);
		*out = (game_move)line;
		if ((a == from && b == to) || (a == to && b == from))
			return ((const struct state *)state)->lines >> line & 1 ? "the line is drawn already" : NULL;
	}
	return "a line joins two dots next to each other";
}

/* The number of lines in a row of the board form, and the first of them; rows count from the top. */
static unsigned row_of(const struct dots *d, unsigned row, unsigned *first)
{
	unsigned up = d->height - row / 2;
	*first = row % 2 ? d->width * (d->height + 1) + (up - 1) * (d->width + 1) : up * d->width;
	return row % 2 ? d->width + 1 : d->width;
}

static const char *read_lines(const struct dots *d, const char **text, uint64_t *lines)
{
	for (unsigned row = 0; row <= 2 * d->height; row++) {
		unsigned first, count = row_of(d, row, &first);
		for (unsigned i = 0; i < count; i++, ++*text) {
			char drawn = row % 2 ? '|' : '-';
			if (**text != drawn && **text != '.')
				return row % 2 ? "a row of lines down has a | or . for each line, one more than there "
						 "are columns"
					       : "a row of lines across has a - or . for each column";
			*lines |= (uint64_t)(**text == drawn) << (first + i);
		}
		if (row < 2 * d->height && *(*text)++ != '/')
			return --*text, "the board has more rows, or this row is too long";
	}
	return NULL;
}

/* Reads "2:1" at *text. */
static bool read_score(const char **text, int32_t *score, unsigned *sum)
{
	unsigned first, second;
	if (!text_number(text, &first) || *(*text)++ != ':' || !text_number(text, &second) || first > BOXES_MAX ||
	    second > BOXES_MAX)
		return false;
	*score = (int32_t)first - (int32_t)second;
	*sum = first + second;
	return true;
}

static const char *read_board(const struct game *game, const char **text, void *state)
{
	const struct dots *d = dots_of(game);
	struct state *s = state;
	unsigned sum;
	const char *wrong = read_lines(d, text, &s->lines), *p = *text;
	if (wrong)
		return wrong;
	if (p[0] != ' ' || (p[1] != 'x' && p[1] != 'o') || p[2] != ' ')
		return "x or o, the player to move, and the boxes made, as in 2:1, follow the board";
	s->side = p[1] == 'o';
	p += 3;
	if (!read_score(&p, &s->score, &sum) || *p)
		return "the text ends with the boxes of First and Second, as in 2:1";
	return sum != count_complete(d, s->lines) ? "the players together have as many boxes as are complete" : NULL;
}

static void print_score(const struct dots *d, const struct state *s, struct text_line *line)
{
	int made = (int)count_complete(d, s->lines);
	text_printf(line, "%d:%d", (made + s->score) / 2, (made - s->score) / 2);
}

static size_t dots_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct dots *d = dots_of(game);
	const struct state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned row = 0; row <= 2 * d->height; row++) {
		unsigned first, count = row_of(d, row, &first);
		for (unsigned i = 0; i < count; i++)
			text_char(&line, !(s->lines >> (first + i) & 1) ? '.' : row % 2 ? '|' : '-');
		if (row < 2 * d->height)
			text_char(&line, '/');
	}
	text_printf(&line, s->side ? " o " : " x ");
	print_score(d, s, &line);
	return line.length;
}

static void print_move(const struct dots *d, unsigned move, struct text_line *line)
{
	unsigned a, b;
	ends_of(d, move, &a, &b);
	cells_place_print(&d->base, a, line);
	cells_place_print(&d->base, b, line);
}

static size_t dots_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	print_move(dots_of(game), move, &line);
	return line.length;
}

/* --- the board ---------------------------------------------------------------------------- */

static void dots_board(const struct game *game, struct game_board *out)
{
	const struct dots *d = dots_of(game);
	out->side[0] = "First";
	out->side[1] = "Second";
	for (unsigned i = 0; i < d->lines; i++) {
		unsigned a, b;
		ends_of(d, i, &a, &b);
		bool across = b == a + 1;
		unsigned column = a % (d->width + 1), row = a / (d->width + 1);
		struct game_place *p = &out->place[out->places++];
		p->x = (int16_t)(12 * column + (across ? 6 : 0));
		p->y = (int16_t)(12 * (d->height - row) - (across ? 0 : 6));
		p->shape = across ? GAME_EDGE_ACROSS : GAME_EDGE_DOWN;
		struct text_line name = text_line(p->name, sizeof p->name);
		print_move(d, i, &name);
	}
	for (unsigned i = 0; i <= d->width; i++)
		out->label[out->labels++] = (struct game_label){
			.x = (int16_t)(12 * i), .y = (int16_t)(12 * d->height + 10), .text = {(char)('a' + i)}};
	for (unsigned i = 0; i <= d->height; i++) {
		struct game_label *l = &out->label[out->labels++];
		*l = (struct game_label){.x = -10, .y = (int16_t)(12 * (d->height - i))};
		snprintf(l->text, sizeof l->text, "%u", (i + 1) % 100);
	}
	out->piece[out->pieces++] = (struct game_piece){'+', GAME_NO_SIDE, GAME_FILL, "line", NULL};
}

static void dots_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct dots *d = dots_of(game);
	const struct state *s = state;
	for (unsigned i = 0; i < d->lines; i++)
		out->on[i] = s->lines >> i & 1;
	out->to_move = s->lines == d->full ? GAME_NO_SIDE : s->side ? GAME_SECOND : GAME_FIRST;
	struct text_line note = text_line(out->note, sizeof out->note);
	text_printf(&note, "boxes ");
	print_score(d, s, &note);
}

static int dots_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail)
{
	const struct dots *d = dots_of(game);
	struct state s = {.side = diagram->to_move == GAME_SECOND};
	const char *note = diagram->note;
	unsigned sum = 0;
	for (unsigned i = 0; i < d->lines; i++)
		s.lines |= (uint64_t)(diagram->on[i] != 0) << i;
	bool noted = !strncmp(note, "boxes ", 6);
	note += noted ? 6 : 0;
	if ((noted && !read_score(&note, &s.score, &sum)) || *note)
		return cells_refuse(fail, "the note says who has the boxes, as in boxes 2:1");
	if (sum != count_complete(d, s.lines))
		return pd_fail_set(fail, PD_E_POSITION, "position",
				   "%u boxes are complete, but the note shares out %u, as in boxes 2:1",
				   count_complete(d, s.lines), sum);
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static unsigned across_at(const struct dots *d, unsigned column, unsigned row)
{
	return row * d->width + column;
}

static unsigned down_at(const struct dots *d, unsigned column, unsigned row)
{
	return d->width * (d->height + 1) + row * (d->width + 1) + column;
}

static unsigned map_line(const struct dots *d, unsigned symmetry, unsigned line)
{
	unsigned a, b;
	ends_of(d, line, &a, &b);
	unsigned column = a % (d->width + 1), row = a / (d->width + 1);
	bool across = b == a + 1;
	if (symmetry & GRID_MIRROR_COLUMNS)
		column = d->width - (across ? 1 : 0) - column;
	if (symmetry & GRID_MIRROR_ROWS)
		row = d->height - (across ? 0 : 1) - row;
	if (symmetry & GRID_SWAP)
		return across ? down_at(d, row, column) : across_at(d, row, column);
	return across ? across_at(d, column, row) : down_at(d, column, row);
}

static void prepare_boxes(struct dots *d)
{
	unsigned borders[LINES_MAX] = {0};
	for (unsigned i = 0; i < LINES_MAX; i++)
		d->borders_on[i][0] = d->borders_on[i][1] = ~UINT64_C(0);
	for (unsigned row = 0; row < d->height; row++)
		for (unsigned column = 0; column < d->width; column++) {
			unsigned side[4] = {across_at(d, column, row), across_at(d, column, row + 1),
					    down_at(d, column, row), down_at(d, column + 1, row)};
			uint64_t box = 0;
			for (unsigned i = 0; i < 4; i++)
				box |= UINT64_C(1) << side[i];
			for (unsigned i = 0; i < 4; i++)
				d->borders_on[side[i]][borders[side[i]]++] = box;
			d->box[d->boxes++] = box;
		}
	for (unsigned i = 0; i < d->boxes; i++) {
		struct outer o = {0};
		for (uint64_t set = d->box[i]; set; set &= set - 1)
			if (borders[__builtin_ctzll(set)] == 1) {
				o.line[o.count++] = (uint8_t)__builtin_ctzll(set);
				o.set |= set & (~set + 1);
			}
		if (o.count < 2)
			continue;
		d->outer[d->outers++] = o;
		for (unsigned j = 0; j < o.count; j++)
			d->outer_of[o.line[j]] = (uint8_t)d->outers;
	}
}

static void prepare_board(struct dots *d)
{
	d->base.width = d->width + 1;
	d->base.height = d->height + 1;
	d->lines = d->width * (d->height + 1) + d->height * (d->width + 1);
	PD_ASSERT(d->lines <= LINES_MAX && d->width * d->height <= BOXES_MAX);
	d->bytes = (d->lines + 7) / 8;
	d->full = ~UINT64_C(0) >> (64 - d->lines);
	d->symmetries = d->width == d->height ? 8 : 4;
	prepare_boxes(d);
	for (unsigned i = 0; i < d->symmetries; i++)
		for (unsigned line = 0; line < d->lines; line++) {
			unsigned to = map_line(d, i, line);
			d->map[i][line] = (uint8_t)to;
			d->inverse[i][to] = (uint8_t)line;
			for (unsigned byte = 0; byte < 256; byte++)
				if (byte >> line % 8 & 1)
					d->table[i][line / 8][byte] |= UINT64_C(1) << to;
		}
}

static void dots_start(const struct game *game, void *state)
{
	memset(state, 0, sizeof(struct state));
}

static int dots_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {.read_move = read_move, .read_board = read_board};
	unsigned width, height;
	if (!cells_size_read(params, &width, &height) || width > BOXES_MAX || height > BOXES_MAX ||
	    width * (height + 1) + height * (width + 1) > LINES_MAX)
		return cells_refuse_params(rules, params, fail);
	struct dots *d = cells_new(rules, &form, sizeof *d, fail);
	if (!d)
		return PD_E_NO_MEMORY;
	struct game *game = &d->base.game;
	d->width = width;
	d->height = height;
	prepare_board(d);
	game->state_size = sizeof(struct state);
	game->key_size_max = d->bytes + 1;
	game->moves_max = game->plies_max = d->lines;
	game->value_min = (int16_t) - (int)d->boxes;
	game->value_max = (int16_t)d->boxes;
	game->value_step = 2;
	snprintf(game->name, sizeof game->name, "dots:%ux%u", width, height);
	*out = game;
	return PD_OK;
}

const struct game_rules game_dots_rules = {
	CELLS_TEXT,
	.name = "dots",
	.title = "Dots and Boxes",
	.params = "WxH: columns and rows of boxes, with at most 63 lines",
	.notation =
		"A position is the lines drawn from the start, separated by blanks or commas, as in a1b1 b2b1, dots "
		"being named from the bottom left; or a board, rows from the top separated by /, in turn lines "
		"across (- or .) and down (| or .), then x or o for the player to move (First or Second) and the "
		"boxes of each, as in -./||./-. o 1:0. A move is the two dots of a line. The value is First's boxes "
		"less Second's.",
	.example = "dots:3x3",
	.open = dots_open,
	CELLS_RULES(dots),
	.print = dots_print,
	.move_print = dots_move_print,
	.canon = dots_canon,
	.unique_moves = dots_unique,
	.count = dots_count,
	.edge_costs = dots_edge_costs,
	.alike = dots_alike,
	.board = dots_board,
	.diagram = dots_diagram,
	.move_places = cells_move_places,
	.set_up = dots_set_up,
};
