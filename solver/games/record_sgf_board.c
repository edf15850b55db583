#include "solver/games/record_sgf_board.h"

#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/board_picture.h"
#include "solver/games/text.h"

enum { CELL = 12 };

/* --- points ------------------------------------------------------------------------------- */

static char letter_of(unsigned number)
{
	return (char)(number < 26 ? 'a' + number : 'A' + number % 26);
}

static char column_letter(const struct game_board *b, unsigned place)
{
	unsigned column = 0;
	for (unsigned i = 0; i < b->places; i++)
		column += b->place[i].y == b->place[place].y && b->place[i].x < b->place[place].x;
	return letter_of(column);
}

static int top_of(const struct game_board *b)
{
	int top = INT16_MAX;
	for (unsigned i = 0; i < b->places; i++)
		top = b->place[i].y < top ? b->place[i].y : top;
	return top;
}

void game_sgf_letters(const struct game_board *b, unsigned place, char out[3])
{
	PD_ASSERT(place < b->places);
	out[0] = column_letter(b, place);
	out[1] = letter_of((unsigned)(b->place[place].y - top_of(b)) / CELL);
	out[2] = 0;
}

unsigned game_sgf_place(const struct game *game, const char *text, size_t size)
{
	struct game_board b = {0};
	if (!game->rules->board)
		return GAME_PLACES_MAX;
	game->rules->board(game, &b);
	for (unsigned i = 0; i < b.places; i++)
		if (b.place[i].name[0] && game_record_is(text, size, b.place[i].name, true))
			return i;
	int top = top_of(&b);
	for (unsigned i = 0; size == 2 && i < b.places; i++)
		if (letter_of((unsigned)(b.place[i].y - top) / CELL) == text[1] && column_letter(&b, i) == text[0])
			return i;
	return GAME_PLACES_MAX;
}

void game_sgf_size(const struct game_board *b, unsigned *columns, unsigned *rows)
{
	*columns = *rows = 0;
	for (unsigned i = 0; i < b->places; i++) {
		bool first = true;
		for (unsigned j = 0; j < i; j++)
			first &= b->place[j].y != b->place[i].y;
		*rows += first;
		*columns += b->place[i].y == b->place[0].y;
	}
	PD_ASSERT(*columns && *rows);
}

/* --- set-up stones ------------------------------------------------------------------------ */

/* The index of the first piece of a side, from 1; 0 when it has none. */
static unsigned piece_of(const struct game_board *b, unsigned side)
{
	for (unsigned i = 0; i < b->pieces; i++)
		if (b->piece[i].side == side)
			return i + 1;
	return 0;
}

static int set_place(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size,
		     unsigned place)
{
	struct game_board b = {0};
	r->game->rules->board(r->game, &b);
	PD_ASSERT(place < b.places);
	uint8_t *on = &setup->diagram.on[place];
	unsigned piece = kind == 'E' ? 0 : piece_of(&b, kind == 'B' ? GAME_FIRST : GAME_SECOND);
	if (kind != 'E' && !piece)
		return game_record_fail(r, text, "%s has no stones to set up", r->game->rules->name);
	if (*on && piece)
		return game_record_fail(r, text, "A%c[%s]: the point already has a stone; AE removes it", kind,
					text_excerpt(text, size).text);
	*on = (uint8_t)piece;
	return PD_OK;
}

/* aa:cc: all points between two corners, on boards with upright columns. */
static int set_rectangle(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size,
			 const char *colon)
{
	struct game_board b = {0};
	size_t head = (size_t)(colon - text);
	unsigned low = game_sgf_place(r->game, text, head), high = game_sgf_place(r->game, colon + 1, size - head - 1);
	int rc = PD_OK;
	r->game->rules->board(r->game, &b);
	if (low >= b.places || high >= b.places || b.place[0].shape == GAME_HEXAGON ||
	    b.place[low].x > b.place[high].x || b.place[low].y > b.place[high].y)
		return game_record_fail(r, text,
					"A%c[%s]: these are not the upper left and lower right corners of "
					"a rectangle of points",
					kind, text_excerpt(text, size).text);
	for (unsigned i = 0; i < b.places && !rc; i++)
		if (b.place[i].x >= b.place[low].x && b.place[i].x <= b.place[high].x &&
		    b.place[i].y >= b.place[low].y && b.place[i].y <= b.place[high].y)
			rc = set_place(r, setup, kind, text, size, i);
	return rc;
}

/* PL[B], PL[white] */
static int set_turn(struct record *r, struct game_sgf_setup *setup, const char *text, size_t size)
{
	bool black = game_record_is(text, size, "B", true) || game_record_is(text, size, "black", true);
	if (!black && !game_record_is(text, size, "W", true) && !game_record_is(text, size, "white", true))
		return game_record_fail(r, text, "PL names the side to move, PL[B] or PL[W]");
	setup->diagram.to_move = black ? GAME_FIRST : GAME_SECOND;
	setup->turn = true;
	return PD_OK;
}

int game_sgf_setup_value(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size)
{
	PD_ASSERT(kind == 'B' || kind == 'W' || kind == 'E' || kind == 'P');
	const char *name = kind == 'P' ? "PL" : kind == 'E' ? "AE" : kind == 'B' ? "AB" : "AW";
	const char *colon = memchr(text, ':', size);
	if (!game_has_board(r->game) || !r->game->rules->set_up)
		return game_record_fail(r, text, "%s: positions of %s cannot be set up", name, r->game->rules->name);
	if (r->played->count)
		return game_record_fail(r, text, "%s after the first move; positions are set up before it", name);
	if (!r->start && !setup->begun)
		return game_record_fail(r, text, "%s: the record has its own position; leave out the other one", name);
	if (!setup->at) {
		setup->diagram = (struct game_diagram){0};
		r->game->rules->diagram(r->game, r->state, &setup->diagram);
		setup->turn = false;
		setup->begun = true;
		setup->at = text;
	}
	if (kind == 'P')
		return set_turn(r, setup, text, size);
	if (colon)
		return set_rectangle(r, setup, kind, text, size, colon);
	unsigned place = game_sgf_place(r->game, text, size);
	if (place < GAME_PLACES_MAX)
		return set_place(r, setup, kind, text, size, place);
	return game_record_fail(r, text, "%s[%s]: the board of %s has no such square", name,
				text_excerpt(text, size).text, r->game->name);
}

int game_sgf_setup_apply(struct record *r, struct game_sgf_setup *setup, unsigned turn)
{
	struct pd_fail why = {0};
	const char *at = setup->at;
	if (!at)
		return PD_OK;
	if (!setup->turn)
		setup->diagram.to_move = (uint8_t)turn;
	setup->at = NULL;
	if (r->game->rules->set_up(r->game, &setup->diagram, r->state, &why))
		return game_record_fail(r, at, "the position that is set up here: %.200s", why.text);
	r->start = false;
	return PD_OK;
}

/* --- swap --------------------------------------------------------------------------------- */

bool game_sgf_is_swap(const struct game *game, const char *text, size_t size)
{
	return game->rules->sgf && game->rules->sgf->swap &&
	       (game_record_is(text, size, "swap-pieces", true) || game_record_is(text, size, "swap-sides", true) ||
		game_record_is(text, size, "swap", true));
}

int game_sgf_swap(struct record *r, const char *text, size_t size)
{
	struct game_board b = {0};
	struct game_diagram d = {0}, swapped = {0};
	unsigned columns, rows, stone = 0;
	if (r->played->tree)
		return game_record_fail(r, text, "a record with a swap cannot be kept with its variations");
	r->game->rules->board(r->game, &b);
	r->game->rules->diagram(r->game, r->state, &d);
	if (r->played->count != 1 || !r->start)
		return game_record_fail(r, text,
					"a swap answers the first move on the empty board, and this is move %u",
					r->played->count + 1);
	r->played->count++;
	if (game_record_is(text, size, "swap-sides", true))
		return PD_OK;
	game_sgf_size(&b, &columns, &rows);
	if (columns != rows)
		return game_record_fail(r, text,
					"pieces can only be swapped on boards with equal sides, and this is %s",
					r->game->name);
	while (stone + 1 < b.places && !d.on[stone])
		stone++;
	unsigned image = stone % columns * columns + stone / columns;
	swapped.on[image] = (uint8_t)piece_of(&b, GAME_SECOND);
	swapped.to_move = GAME_FIRST;
	int rc = r->game->rules->set_up(r->game, &swapped, r->state, r->fail);
	r->played->places = 1;
	r->played->place[0] = (uint16_t)image;
	r->start = false;
	return rc;
}
