/* Writing records: see solver/record_write.h. */
#include "solver/record_write.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/record_sgf.h"

enum { COLUMNS = 79, CELL = 12, TOKEN = 128 };

struct writer {
	const struct game *game;
	const struct game_line_tree *tree;
	struct pd_buf *out;
	const char *notation;
	unsigned column; /* of the line that is written */
	bool glue;       /* the next word follows without a blank */
	bool numbers;    /* moves are numbered, as in PGN */
	bool white;      /* the first move of the record is White's */
	bool letters;    /* points of SGF are letters from the top left */
	struct game_board board;
};

/* A position while its line is written, and how far it is from the start. */
struct place {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned ply;
};

static bool has_san(const struct game *game)
{
	const char *const *own = game->rules->notations;
	while (own && *own && strcmp(*own, "san") != 0)
		own++;
	return own && *own;
}

const char *game_form_name(enum game_form form)
{
	static const char *const names[GAME_FORMS] = {
		[GAME_FORM_MOVES] = "moves", [GAME_FORM_PGN] = "pgn", [GAME_FORM_SGF] = "sgf"};
	PD_ASSERT((unsigned)form < GAME_FORMS);
	return names[form];
}

bool game_has_form(const struct game *game, enum game_form form)
{
	const struct game_sgf *sgf = game->rules->sgf;
	return form == GAME_FORM_MOVES ||
	       (form == GAME_FORM_PGN ? (game->rules->records & GAME_RECORD_PGN) && has_san(game)
				      : sgf && !sgf->read_only && game->rules->board);
}

static bool is_initial(const struct game *game, const void *state)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX], initial[GAME_TEXT_MAX];
	game->rules->start(game, start);
	game->rules->print(game, state, text, sizeof text);
	game->rules->print(game, start, initial, sizeof initial);
	return !strcmp(text, initial);
}

/* --- moves and PGN ------------------------------------------------------------------------ */

/* A word behind a blank, or at the beginning of the next line. */
static void put_word(struct writer *w, const char *word)
{
	size_t size = strlen(word);
	if (w->column && !w->glue) {
		bool full = w->column + 1 + size > COLUMNS;
		pd_buf_puts(w->out, full ? "\n" : " ");
		w->column = full ? 0 : w->column + 1;
	}
	pd_buf_put(w->out, word, size);
	w->column += (unsigned)size;
	w->glue = false;
}

static void put_glued(struct writer *w, const char *word)
{
	w->glue = true;
	put_word(w, word);
}

/* The number of the move, where White moves, and where a reader could not know it. */
static void put_number(struct writer *w, unsigned ply, bool needed)
{
	char number[16];
	bool white = (ply % 2 == 0) == w->white;
	unsigned move = (ply + !w->white) / 2 + 1;
	if (!w->numbers || (!white && !needed))
		return;
	snprintf(number, sizeof number, "%u%s", move, white ? "." : "...");
	put_word(w, number);
}

static void put_move(struct writer *w, const struct place *at, game_move move)
{
	char text[TOKEN];
	game_move_text(w->game, at->state, move, w->notation, text, sizeof text);
	put_word(w, text);
}

/* Writes the line that begins with `node`; `alone`: without what may be played in its place. */
static void put_line(struct writer *w, const struct place *from, uint32_t node, bool alone)
{
	const struct game_line_node *nodes = w->tree->nodes;
	struct place at = *from;
	bool numbered = true;
	for (; node; node = nodes[node].child, alone = false) {
		put_number(w, at.ply, numbered);
		put_move(w, &at, nodes[node].move);
		numbered = false;
		for (uint32_t other = alone ? 0 : nodes[node].sibling; other; other = nodes[other].sibling) {
			put_word(w, "(");
			w->glue = true;
			put_line(w, &at, other, true);
			put_glued(w, ")");
			numbered = true;
		}
		w->game->rules->play(w->game, at.state, nodes[node].move);
		at.ply++;
	}
}

/* The end of the main line: what First gets, when the game is over there. */
static bool main_value(const struct writer *w, int *value)
{
	const struct game_line_node *nodes = w->tree->nodes;
	struct place at = {.ply = 0};
	memcpy(at.state, w->tree->start, w->game->state_size);
	for (uint32_t node = nodes[0].child; node; node = nodes[node].child)
		w->game->rules->play(w->game, at.state, nodes[node].move);
	return w->game->rules->terminal(w->game, at.state, value);
}

static const char *result_of(const struct writer *w)
{
	const struct game *g = w->game;
	int value;
	if (!main_value(w, &value) || (value == 0 && g->rules->words)) /* where 0 is no draw */
		return "*";
	if (value == 0)
		return "1/2-1/2";
	bool first_white = w->white == g->rules->first_to_move(g, w->tree->start);
	return (value > 0) == first_white ? "1-0" : "0-1";
}

/* The first four fields of a position's text, and the counters that FEN has behind them. */
static void put_fen(struct writer *w)
{
	char text[GAME_TEXT_MAX], *end = text;
	w->game->rules->print(w->game, w->tree->start, text, sizeof text);
	for (unsigned field = 0; field < 4; field++)
		end += strspn(end, " ") + strcspn(end + strspn(end, " "), " ");
	*end = 0;
	pd_buf_printf(w->out, "[SetUp \"1\"]\n[FEN \"%s 0 1\"]\n", text);
}

static bool white_begins(const struct writer *w)
{
	char text[GAME_TEXT_MAX];
	w->game->rules->print(w->game, w->tree->start, text, sizeof text);
	const char *side = strchr(text, ' ');
	return !side || side[1] != 'b';
}

static void put_pgn(struct writer *w)
{
	struct place start = {.ply = 0};
	memcpy(start.state, w->tree->start, w->game->state_size);
	w->numbers = true;
	w->notation = "san";
	w->white = white_begins(w);
	const char *result = result_of(w);
	pd_buf_printf(w->out,
		      "[Event \"%s\"]\n[Site \"proofd\"]\n[Date \"????.??.??\"]\n[Round \"-\"]\n[White \"best play\"]\n"
		      "[Black \"best play\"]\n[Result \"%s\"]\n",
		      w->game->name, result);
	for (const struct game_variant *v = w->game->rules->variants; v && v->name; v++)
		if (v->written && !strcmp(v->params, game_params(w->game)))
			pd_buf_printf(w->out, "[Variant \"%s\"]\n", v->name);
	if (!is_initial(w->game, w->tree->start))
		put_fen(w);
	pd_buf_puts(w->out, "\n");
	if (w->tree->remark) {
		pd_buf_printf(w->out, "{%s}\n", w->tree->remark);
		w->column = 0;
	}
	put_line(w, &start, w->tree->nodes[0].child, false);
	put_word(w, result);
	pd_buf_puts(w->out, "\n");
}

static void put_moves(struct writer *w)
{
	struct place start = {.ply = 0};
	memcpy(start.state, w->tree->start, w->game->state_size);
	w->notation = w->tree->notation;
	put_line(w, &start, w->tree->nodes[0].child, false);
	pd_buf_puts(w->out, "\n");
}

/* --- SGF ---------------------------------------------------------------------------------- */

static char letter_of(unsigned number)
{
	return (char)(number < 26 ? 'a' + number : 'A' + number % 26);
}

/* A place of the board as a point of SGF. */
static void point_of(const struct writer *w, unsigned place, char *out, size_t size)
{
	const struct game_board *b = &w->board;
	unsigned column = 0;
	int top = INT16_MAX;
	PD_ASSERT(place < b->places);
	if (!w->letters) {
		snprintf(out, size, "%s", b->place[place].name);
		return;
	}
	for (unsigned i = 0; i < b->places; i++) {
		top = b->place[i].y < top ? b->place[i].y : top;
		column += b->place[i].y == b->place[place].y && b->place[i].x < b->place[place].x;
	}
	snprintf(out, size, "%c%c", letter_of(column), letter_of((unsigned)(b->place[place].y - top) / CELL));
}

static void put_stone(struct writer *w, const struct place *at, game_move move)
{
	const struct game *g = w->game;
	uint16_t places[GAME_MOVE_PLACES_MAX];
	char point[TOKEN];
	if (w->letters && g->rules->move_places(g, at->state, move, places) == 1)
		point_of(w, places[0], point, sizeof point);
	else
		g->rules->move_print(g, at->state, move, point, sizeof point);
	pd_buf_printf(w->out, "%s;%c[%s]", at->ply && at->ply % 8 == 0 ? "\n" : "",
		      g->rules->first_to_move(g, at->state) ? 'B' : 'W', point);
}

static void put_tree(struct writer *w, const struct place *from, uint32_t node, bool alone)
{
	const struct game_line_node *nodes = w->tree->nodes;
	struct place at = *from;
	for (; node; node = nodes[node].child, alone = false) {
		if (nodes[node].sibling && !alone) {
			for (uint32_t branch = node; branch; branch = nodes[branch].sibling) {
				pd_buf_puts(w->out, "\n(");
				put_tree(w, &at, branch, true);
				pd_buf_puts(w->out, ")");
			}
			return;
		}
		put_stone(w, &at, nodes[node].move);
		w->game->rules->play(w->game, at.state, nodes[node].move);
		at.ply++;
	}
}

/* SZ[11], or SZ[9:7]: columns and rows. */
static void put_size(struct writer *w)
{
	const struct game_board *b = &w->board;
	unsigned columns = 0, rows = 0;
	for (unsigned i = 0; i < b->places; i++) {
		bool first = true;
		for (unsigned j = 0; j < i; j++)
			first &= b->place[j].y != b->place[i].y;
		rows += first;
		columns += b->place[i].y == b->place[0].y;
	}
	PD_ASSERT(columns && rows);
	if (rows == columns)
		pd_buf_printf(w->out, "SZ[%u]", columns);
	else
		pd_buf_printf(w->out, "SZ[%u:%u]", columns, rows);
}

static void put_setup(struct writer *w)
{
	static const char *const names[] = {"AB", "AW"};
	struct game_diagram d = {0};
	char point[TOKEN];
	w->game->rules->diagram(w->game, w->tree->start, &d);
	for (unsigned side = 0; side < 2; side++) {
		bool some = false;
		for (unsigned i = 0; i < w->board.places; i++) {
			if (!d.on[i] || w->board.piece[d.on[i] - 1].side != side)
				continue;
			point_of(w, i, point, sizeof point);
			pd_buf_printf(w->out, "%s[%s]", some ? "" : names[side], point);
			some = true;
		}
	}
	if (d.to_move < GAME_NO_SIDE)
		pd_buf_printf(w->out, "PL[%c]", d.to_move == GAME_FIRST ? 'B' : 'W');
}

static void put_escaped(struct pd_buf *out, const char *text)
{
	for (const char *p = text; *p; p++)
		pd_buf_printf(out, *p == ']' || *p == '\\' ? "\\%c" : "%c", *p);
}

static void put_sgf(struct writer *w)
{
	const struct game_sgf *own = w->game->rules->sgf;
	struct place start = {.ply = 0};
	memcpy(start.state, w->tree->start, w->game->state_size);
	w->game->rules->board(w->game, &w->board);
	w->letters = own->letters;
	pd_buf_printf(w->out, "(;FF[4]CA[UTF-8]AP[proofd]GM[%u]", own->number);
	put_size(w);
	pd_buf_puts(w->out, "GN[");
	put_escaped(w->out, w->game->name);
	pd_buf_puts(w->out, "]");
	if (!is_initial(w->game, w->tree->start))
		put_setup(w);
	if (w->tree->remark) {
		pd_buf_puts(w->out, "C[");
		put_escaped(w->out, w->tree->remark);
		pd_buf_puts(w->out, "]");
	}
	pd_buf_puts(w->out, "\n");
	put_tree(w, &start, w->tree->nodes[0].child, false);
	pd_buf_puts(w->out, ")\n");
}

void game_record_write(const struct game *game, const struct game_line_tree *tree, enum game_form form,
		       struct pd_buf *out)
{
	struct writer w = {.game = game, .tree = tree, .out = out};
	PD_ASSERT(game_has_form(game, form) && !tree->nodes[0].sibling);
	if (form == GAME_FORM_PGN)
		put_pgn(&w);
	else if (form == GAME_FORM_SGF)
		put_sgf(&w);
	else
		put_moves(&w);
}
