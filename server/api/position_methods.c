/* Position methods: a position with its board, as text, as data and as a drawing. */
#include "server/api/methods.h"

#include <stdio.h>

#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/proofs/answers/theorem_print.h"
#include "solver/games/board_picture.h"
#include "solver/games/board_svg.h"

struct shown {
	struct sv_request *r;
	const struct game *game;
	const char *notation;
	struct game_played played;
	bool over;
	int value;
	char result[64]; /* the value in words, when the game is over */
	unsigned theorems;
	struct game_told told[2];
	char marks[GAME_PLACES_MAX]; /* of the groups of the first theorem, for each place, if they are asked for */
	struct game_board board;
	struct game_diagram diagram;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
};

static int refuse_setup(struct shown *s, const char *member, const char *what)
{
	char field[32];
	snprintf(field, sizeof field, "setup.%s", member);
	return pd_fail_set(&s->r->fail, PD_E_PARAMS, field, "parameter '%s' %s", field, what);
}

/* The index of a piece by its letter; `pieces` when there is none. */
static unsigned piece_of(const struct game_board *b, char letter)
{
	unsigned piece = 0;
	while (piece < b->pieces && b->piece[piece].letter != letter)
		piece++;
	return piece;
}

/* Reads the letters of the pieces of the side that moves first, a slash, and those of the other side. */
static int read_hands(struct shown *s, const char *text)
{
	unsigned side = 0;
	for (const char *p = text; *p; p++) {
		unsigned piece = piece_of(&s->board, *p);
		if (*p == '/' && side == 0) {
			side = 1;
			continue;
		}
		if (piece == s->board.pieces || s->diagram.hand[side][piece] == UINT8_MAX)
			return refuse_setup(s, "hands", "must be letters of pieces for each side, with a / between");
		s->diagram.hand[side][piece]++;
	}
	return PD_OK;
}

static int read_setup(struct shown *s, pr_ref setup)
{
	const char *on = pr_get_str(setup, "on", "");
	int64_t side = pr_get_int(setup, "side", GAME_NO_SIDE);
	struct game_diagram *d = &s->diagram;
	if (pr_has(s->r->params, "position") || sv_position_moved(s->r->params))
		return pd_fail_set(&s->r->fail, PD_E_PARAMS, "setup", "give either setup, or position and moves");
	if (!s->game->rules->set_up)
		return pd_fail_set(&s->r->fail, PD_E_UNSUPPORTED, "setup", "positions of %s cannot be set up",
				   s->game->name);
	if (strlen(on) != s->board.places)
		return refuse_setup(s, "on", "must have one character for each place of the board");
	for (unsigned i = 0; i < s->board.places; i++) {
		unsigned piece = piece_of(&s->board, on[i]);
		if (on[i] != '.' && piece == s->board.pieces)
			return refuse_setup(s, "on", "has a letter that is not a piece of the game");
		d->on[i] = (uint8_t)(on[i] == '.' ? 0 : piece + 1);
	}
	d->to_move = (uint8_t)side;
	snprintf(d->note, sizeof d->note, "%s", pr_get_str(setup, "note", ""));
	int rc = read_hands(s, pr_get_str(setup, "hands", ""));
	return rc ? rc : s->game->rules->set_up(s->game, d, s->state, &s->r->fail);
}

static void print_side(struct pr_out *out, unsigned side)
{
	pr_members(out, PR_IF(side < GAME_NO_SIDE, PR_U("side", side)));
}

static void print_pieces(const struct game_board *b, struct pr_out *out)
{
	static const char *const looks[] = {"disc", "cross", "ring", "glyph", "fill", "letter"};
	pr_open_array(out, "pieces");
	for (unsigned i = 0; i < b->pieces; i++) {
		pr_open_object(out, NULL);
		pr_strn(out, "letter", &b->piece[i].letter, 1);
		pr_str(out, "name", b->piece[i].name);
		print_side(out, b->piece[i].side);
		pr_members(out, PR_S("look", looks[b->piece[i].look]), PR_S("glyph", b->piece[i].glyph));
		pr_close(out);
	}
	pr_close(out);
}

static void print_places(const struct game_board *b, struct pr_out *out)
{
	static const char *const shapes[] = {"square", "hexagon", "point", "edge-across", "edge-down"};
	pr_open_array(out, "places");
	for (unsigned i = 0; i < b->places; i++) {
		pr_open_object(out, NULL);
		pr_members(out, PR_I("x", b->place[i].x), PR_I("y", b->place[i].y),
			   PR_S("shape", shapes[b->place[i].shape]), PR_U("shade", b->place[i].shade),
			   PR_U("region", b->place[i].region), PR_S("name", b->place[i].name));
		pr_close(out);
	}
	pr_close(out);
}

/* Prints the lines and texts around the places. */
static void print_decoration(const struct game_board *b, struct pr_out *out)
{
	pr_open_array(out, "strokes");
	for (unsigned i = 0; i < b->strokes; i++) {
		pr_open_object(out, NULL);
		pr_members(out, PR_I("x1", b->stroke[i].x1), PR_I("y1", b->stroke[i].y1), PR_I("x2", b->stroke[i].x2),
			   PR_I("y2", b->stroke[i].y2));
		print_side(out, b->stroke[i].side);
		pr_bool(out, "heavy", b->stroke[i].heavy);
		pr_close(out);
	}
	pr_close(out);
	pr_open_array(out, "labels");
	for (unsigned i = 0; i < b->labels; i++) {
		pr_open_object(out, NULL);
		pr_members(out, PR_I("x", b->label[i].x), PR_I("y", b->label[i].y), PR_S("text", b->label[i].text));
		pr_close(out);
	}
	pr_close(out);
}

static void print_board(const struct shown *s, struct pr_out *out)
{
	const struct game_board *b = &s->board;
	pr_open_object(out, "geometry");
	pr_open_array(out, "sides");
	for (unsigned side = 0; side < 2; side++) {
		pr_open_object(out, NULL);
		pr_members(out, PR_S("name", b->side[side]), PR_S("colour", b->colour[side]));
		pr_close(out);
	}
	pr_close(out);
	pr_bool(out, "hands", b->hands);
	print_places(b, out);
	print_pieces(b, out);
	print_decoration(b, out);
	pr_close(out);
}

static void print_hands(const struct shown *s, struct pr_out *out)
{
	char text[2 * GAME_PIECES_MAX * 16];
	size_t size = 0;
	for (unsigned side = 0; side < 2; side++) {
		if (side)
			text[size++] = '/';
		for (unsigned i = 0; i < s->board.pieces; i++)
			for (unsigned n = 0; n < s->diagram.hand[side][i] && size + 2 < sizeof text; n++)
				text[size++] = s->board.piece[i].letter;
	}
	pr_strn(out, "hands", text, size);
}

static void print_diagram(const struct shown *s, struct pr_out *out)
{
	char on[GAME_PLACES_MAX];
	const struct game_diagram *d = &s->diagram;
	pr_open_object(out, "diagram");
	for (unsigned i = 0; i < s->board.places; i++)
		on[i] = '.';
	for (unsigned i = 0; i < s->board.places; i++)
		if (d->on[i])
			on[i] = s->board.piece[d->on[i] - 1].letter;
	pr_strn(out, "on", on, s->board.places);
	print_hands(s, out);
	print_side(out, d->to_move);
	pr_str(out, "note", d->note);
	pr_open_array(out, "playable");
	for (unsigned i = 0; i < s->board.places; i++)
		if (d->playable[i])
			pr_uint(out, NULL, i);
	pr_close(out);
	pr_open_array(out, "last");
	for (unsigned i = 0; i < s->played.places; i++)
		pr_uint(out, NULL, s->played.place[i]);
	pr_close(out);
	pr_close(out);
}

static void print_legal(const struct shown *s, const game_move *moves, unsigned count, struct pr_out *out)
{
	uint16_t places[GAME_MOVE_PLACES_MAX];
	char text[GAME_TEXT_MAX];
	pr_open_array(out, "legal");
	for (unsigned i = 0; i < count; i++) {
		pr_open_object(out, NULL);
		game_move_text(s->game, s->state, moves[i], s->notation, text, sizeof text);
		pr_str(out, "move", text);
		pr_open_array(out, "places");
		unsigned named = s->game->rules->move_places(s->game, s->state, moves[i], places);
		for (unsigned j = 0; j < named; j++)
			pr_uint(out, NULL, places[j]);
		pr_close(out);
		pr_close(out);
	}
	pr_close(out);
}

static int print_svg(const struct shown *s, struct pr_out *out)
{
	struct pd_buf svg;
	struct game_svg how = {s->played.place, s->played.places, NULL, s->over ? s->result : NULL, s->marks};
	pd_buf_init(&svg, 1 << 20);
	game_board_svg(&s->board, &s->diagram, &how, &svg);
	int rc = svg.failed ? pd_fail_set(&s->r->fail, PD_E_NO_MEMORY, "", "no memory for a drawing") : PD_OK;
	if (!rc)
		pr_strn(out, "svg", svg.data, svg.size);
	pd_buf_fini(&svg);
	return rc;
}

static int read_position(struct shown *s)
{
	pr_ref params = s->r->params, setup = pr_get(params, "setup");
	const struct game_rules *rules = s->game->rules;
	bool wanted = setup || pr_get_bool(params, "data", false) || pr_get_bool(params, "svg", false);
	if (wanted && !rules->board)
		return pd_fail_set(&s->r->fail, PD_E_UNSUPPORTED, "game", "%s has no board to show", s->game->name);
	if (rules->board)
		rules->board(s->game, &s->board);
	int rc = sv_position_notation(s->game, params, &s->notation, &s->r->fail);
	if (!rc)
		rc = setup ? read_setup(s, setup)
			   : sv_position_read(s->game, params, s->state, &s->played, &s->r->fail);
	if (rc)
		return rc;
	s->over = rules->terminal(s->game, s->state, &s->value);
	if (s->over)
		game_value_text(game_words(s->game), game_scale(s->game), (struct game_interval){s->value, s->value},
				s->result, sizeof s->result);
	s->diagram = (struct game_diagram){0};
	if (rules->board)
		rules->diagram(s->game, s->state, &s->diagram);
	s->theorems = game_theorems(s->game, s->state, s->told);
	return PD_OK;
}

/* Sets the marks; false when there is nothing to mark. */
static bool mark_groups(struct shown *s)
{
	struct game_group groups[GAME_GROUPS_MAX];
	if (!s->theorems || !game_has_board(s->game) || !pr_get_bool(s->r->params, "marks", false))
		return false;
	unsigned count = game_theorem_groups(&s->board, &s->told[0], groups);
	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < groups[i].count; j++)
			s->marks[game_group_place(&groups[i], j)] = groups[i].mark;
	return count > 0;
}

static void print_position(struct shown *s, struct pr_out *out)
{
	const struct game *g = s->game;
	char text[GAME_TEXT_MAX];
	pr_str(out, "game", g->name);
	g->rules->print(g, s->state, text, sizeof text);
	pr_str(out, "position", text);
	if (mark_groups(s))
		game_board_picture(&s->board, &s->diagram, s->marks, text, sizeof text);
	else
		game_picture(g, s->state, text, sizeof text);
	pr_members(out, PR_S("board", text),
		   PR_IF(!s->over, PR_B("first_to_move", g->rules->first_to_move(g, s->state))),
		   PR_B("terminal", s->over));
	if (s->over) {
		pr_members(out, PR_I("value", s->value), PR_S("text", s->result));
	}
}

static int print_all(struct shown *s, struct pr_out *out)
{
	const struct game *g = s->game;
	game_move moves[GAME_MOVES_MAX];
	uint8_t key[GAME_KEY_MAX];
	char text[GAME_TEXT_MAX];
	unsigned count = s->over ? 0 : g->rules->moves(g, s->state, moves);
	int rc = PD_OK;
	_Static_assert(2 * (int)GAME_KEY_MAX < (int)GAME_TEXT_MAX, "a key fits as text");
	pr_open_object(out, NULL);
	print_position(s, out);
	pr_open_array(out, "moves");
	for (unsigned i = 0; i < count; i++) {
		game_move_text(g, s->state, moves[i], s->notation, text, sizeof text);
		pr_str(out, NULL, text);
	}
	pr_close(out);
	size_t size = g->rules->key(g, s->state, key);
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", key[i]);
	pr_strn(out, "key", text, 2 * size);
	if (pr_get_bool(s->r->params, "data", false)) {
		print_board(s, out);
		print_diagram(s, out);
		print_legal(s, moves, count, out);
	}
	sv_theorems_print(g, s->told, s->theorems, out);
	if (pr_get_bool(s->r->params, "svg", false))
		rc = print_svg(s, out);
	pr_close(out);
	return rc;
}

int sv_method_position_show(struct sv_request *r)
{
	struct game *g;
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	struct shown s = {.r = r, .game = g};
	rc = read_position(&s);
	rc = rc ? rc : print_all(&s, &r->out);
	sv_game_put(r->core, g);
	return rc;
}
