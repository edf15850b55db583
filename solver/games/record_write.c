#include "solver/games/record_write.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/record_sgf_board.h"

enum { COLUMNS = 79, TOKEN = 128 };

struct writer {
	const struct game *game;
	const struct game_line_tree *tree;
	struct pd_buf *out;
	const char *notation;
	unsigned column; /* in the output line */
	bool glue;       /* write the next word without a blank before it */
	bool numbers;    /* number the moves, as in PGN */
	bool white;      /* White plays the first move of the record */
	bool letters;    /* write points of SGF as letters from the top left */
	struct game_board board;
};

/* A position while its line is written, `ply` moves after the start. */
struct place {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned ply;
};

static struct place start_of(const struct writer *w)
{
	struct place at = {.ply = 0};
	memcpy(at.state, w->tree->start, w->game->state_size);
	return at;
}

static bool has_pdn(const struct game *game)
{
	return game->rules->records & GAME_RECORD_PDN;
}

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
	       (form == GAME_FORM_PGN ? (game->rules->records & GAME_RECORD_PGN) && (has_san(game) || has_pdn(game))
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

/* Writes a text with backslashes before these characters. */
static void put_escaped(struct pd_buf *out, const char *text, const char *escaped)
{
	for (const char *p = text; *p; p++)
		pd_buf_printf(out, strchr(escaped, *p) ? "\\%c" : "%c", *p);
}

/* --- moves and PGN ------------------------------------------------------------------------ */

/* Writes a word after a blank, or at the beginning of the next line. */
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

/* Writes the number of a move by White, or, if `needed`, of a move by Black. */
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

/* Writes what is said of a move in PGN. True if there is a comment, after which moves by Black are numbered. */
static bool put_notes(struct writer *w, const struct game_line_node *node)
{
	char nag[16];
	snprintf(nag, sizeof nag, "$%u", node->mark);
	if (w->numbers && node->mark)
		put_word(w, nag);
	if (!w->numbers || !node->text)
		return false;
	pd_buf_puts(w->out, w->column ? "\n{" : "{");
	for (const char *p = node->text; *p; p++)
		pd_buf_printf(w->out, "%c", *p == '{' ? '(' : *p == '}' ? ')' : *p);
	pd_buf_puts(w->out, "}\n");
	w->column = 0;
	return true;
}

static void put_move(struct writer *w, const struct place *at, game_move move)
{
	char text[TOKEN];
	game_move_text(w->game, at->state, move, w->notation, text, sizeof text);
	put_word(w, text);
}

/* Writes the line that begins with `node`; `alone`: without the alternatives to its first move. */
static void put_line(struct writer *w, const struct place *from, uint32_t node, bool alone)
{
	const struct game_line_node *nodes = w->tree->nodes;
	struct place at = *from;
	bool numbered = true;
	for (; node; node = nodes[node].child, alone = false) {
		put_number(w, at.ply, numbered);
		put_move(w, &at, nodes[node].move);
		numbered = put_notes(w, &nodes[node]);
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

/* True if the game is over at the end of the main line; *value is then what First gets. */
static bool main_line_ends(const struct writer *w, int *value)
{
	const struct game_line_node *nodes = w->tree->nodes;
	struct place at = start_of(w);
	for (uint32_t node = nodes[0].child; node; node = nodes[node].child)
		w->game->rules->play(w->game, at.state, nodes[node].move);
	return w->game->rules->terminal(w->game, at.state, value);
}

static const char *result_of(const struct writer *w)
{
	const struct game *g = w->game;
	int value;
	if (!main_line_ends(w, &value) || (value == 0 && g->rules->words)) /* 0 is not a draw */
		return "*";
	if (value == 0)
		return "1/2-1/2";
	bool first_white = w->white == g->rules->first_to_move(g, w->tree->start);
	return (value > 0) == first_white ? "1-0" : "0-1";
}

/* Writes the first four fields of the position, and the counters of a FEN after them. */
static void put_fen(struct writer *w)
{
	char text[GAME_TEXT_MAX], *end = text;
	w->game->rules->print(w->game, w->tree->start, text, sizeof text);
	for (unsigned field = 0; field < 4; field++)
		end += strspn(end, " ") + strcspn(end + strspn(end, " "), " ");
	*end = 0;
	pd_buf_printf(w->out, "[SetUp \"1\"]\n[FEN \"%s%s\"]\n", text, has_pdn(w->game) ? "" : " 0 1");
}

static bool white_begins(const struct writer *w)
{
	char text[GAME_TEXT_MAX];
	if (has_pdn(w->game))
		return w->game->rules->first_to_move(w->game, w->tree->start);
	w->game->rules->print(w->game, w->tree->start, text, sizeof text);
	const char *side = strchr(text, ' ');
	return !side || side[1] != 'b';
}

static void put_pgn(struct writer *w)
{
	struct place start = start_of(w);
	w->numbers = true;
	w->notation = has_pdn(w->game) ? NULL : "san";
	w->white = white_begins(w);
	/* Programs for checkers differ in whether 1-0 is a win of the side that begins or of White. */
	const char *result = has_pdn(w->game) ? "*" : result_of(w), *player = w->tree->title ? "?" : "best play";
	pd_buf_puts(w->out, "[Event \"");
	put_escaped(w->out, w->tree->title ? w->tree->title : w->game->name, "\"\\");
	pd_buf_printf(w->out,
		      "\"]\n[Site \"proofd\"]\n[Date \"????.??.??\"]\n[Round \"-\"]\n[White \"%s\"]\n"
		      "[Black \"%s\"]\n[Result \"%s\"]\n",
		      player, player, result);
	for (const struct game_variant *v = w->game->rules->variants; v && v->name; v++)
		if (v->written && !strcmp(v->params, game_params(w->game)))
			pd_buf_printf(w->out, "[Variant \"%s\"]\n", v->name);
	if (!is_initial(w->game, w->tree->start))
		put_fen(w);
	pd_buf_puts(w->out, "\n");
	put_notes(w, &w->tree->nodes[0]);
	put_line(w, &start, w->tree->nodes[0].child, false);
	put_word(w, result);
	pd_buf_puts(w->out, "\n");
}

static void put_moves(struct writer *w)
{
	struct place start = start_of(w);
	w->notation = w->tree->notation;
	put_line(w, &start, w->tree->nodes[0].child, false);
	pd_buf_puts(w->out, "\n");
}

/* --- SGF ---------------------------------------------------------------------------------- */

/* Writes a place of the board as a point of SGF. */
static void write_point(const struct writer *w, unsigned place, char *out, size_t size)
{
	if (w->letters)
		game_sgf_letters(&w->board, place, out);
	else
		snprintf(out, size, "%s", w->board.place[place].name);
}

static void put_stone(struct writer *w, const struct place *at, game_move move)
{
	const struct game *g = w->game;
	uint16_t places[GAME_MOVE_PLACES_MAX];
	char point[TOKEN];
	if (w->letters && g->rules->move_places(g, at->state, move, places) == 1)
		write_point(w, places[0], point, sizeof point);
	else
		g->rules->move_print(g, at->state, move, point, sizeof point);
	pd_buf_printf(w->out, "%s;%c[%s]", at->ply && at->ply % 8 == 0 ? "\n" : "",
		      g->rules->first_to_move(g, at->state) ? 'B' : 'W', point);
}

/* A text of SGF. An escaped [ cannot be taken for a move. */
static const char sgf_escaped[] = "[]\\";

static void put_remarks(struct writer *w, const struct game_line_node *node)
{
	static const char *const properties[GAME_MARKS] = {
		[GAME_MARK_GOOD] = "TE[1]",    [GAME_MARK_BAD] = "BM[1]",        [GAME_MARK_BRILLIANT] = "TE[2]",
		[GAME_MARK_BLUNDER] = "BM[2]", [GAME_MARK_INTERESTING] = "IT[]", [GAME_MARK_DUBIOUS] = "DO[]"};
	if (node->mark)
		pd_buf_puts(w->out, properties[node->mark]);
	if (!node->text)
		return;
	pd_buf_puts(w->out, "C[");
	put_escaped(w->out, node->text, sgf_escaped);
	pd_buf_puts(w->out, "]");
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
		put_remarks(w, &nodes[node]);
		w->game->rules->play(w->game, at.state, nodes[node].move);
		at.ply++;
	}
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
			write_point(w, i, point, sizeof point);
			pd_buf_printf(w->out, "%s[%s]", some ? "" : names[side], point);
			some = true;
		}
	}
	if (d.to_move < GAME_NO_SIDE)
		pd_buf_printf(w->out, "PL[%c]", d.to_move == GAME_FIRST ? 'B' : 'W');
}

static void put_sgf(struct writer *w)
{
	const struct game_sgf *own = w->game->rules->sgf;
	struct place start = start_of(w);
	unsigned columns, rows;
	w->game->rules->board(w->game, &w->board);
	w->letters = own->letters;
	pd_buf_printf(w->out, "(;FF[4]CA[UTF-8]AP[proofd]GM[%u]", own->number);
	game_sgf_size(&w->board, &columns, &rows);
	pd_buf_printf(w->out, rows == columns ? "SZ[%u]" : "SZ[%u:%u]", columns, rows);
	pd_buf_puts(w->out, "GN[");
	put_escaped(w->out, w->tree->title ? w->tree->title : w->game->name, sgf_escaped);
	pd_buf_puts(w->out, "]");
	if (!is_initial(w->game, w->tree->start))
		put_setup(w);
	put_remarks(w, &w->tree->nodes[0]);
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
