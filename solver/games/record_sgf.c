/* SGF: the main line of a tree of nodes, (;SZ[5];B[c3](;W[b2])(;W[d4])), which ends at the first closing parenthesis.
 * Variations are skipped after a check of their syntax. A property is a name of capital letters (older files spell it
 * out: AddBlack) and values in brackets. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "solver/games/record_sgf_board.h"
#include "solver/games/text.h"

/* One game while it is read. */
struct sgf {
	struct record *r;
	const char *p;
	unsigned depth; /* of open parentheses */
	int black;      /* -1: no move yet; 1: Black is First; 0: White is First */
	bool node;      /* within a node: properties may follow */
	bool line_over; /* the main line has ended: the rest is variations */
	bool resigned;
	struct game_sgf_setup setup;
	/* Of a record that is read into a tree: where the open parentheses branch off, and what the node says. */
	uint32_t branch[GAME_TREE_DEPTH];
	struct pd_buf text;
	unsigned mark;
};

/* --- moves -------------------------------------------------------------------------------- */

/* Finds the legal move that names this place alone; with GAME_PLACES_MAX the one that names no place, a pass. */
static bool find_move(struct record *r, unsigned place, game_move *out)
{
	const struct game *g = r->game;
	game_move moves[GAME_MOVES_MAX];
	uint16_t places[GAME_MOVE_PLACES_MAX];
	int value;
	if (!g->rules->move_places || g->rules->terminal(g, r->state, &value))
		return false;
	unsigned count = g->rules->moves(g, r->state, moves), wanted = place < GAME_PLACES_MAX;
	for (unsigned i = 0; i < count; i++)
		if (g->rules->move_places(g, r->state, moves[i], places) == wanted && (!wanted || places[0] == place)) {
			*out = moves[i];
			return true;
		}
	return false;
}

static bool is_pass(const char *text, size_t size)
{
	return !size || game_record_is(text, size, "tt", false) || game_record_is(text, size, "pass", true);
}

static int play_vertex(struct sgf *sgf, const char *text, size_t size)
{
	struct record *r = sgf->r;
	struct pd_fail why = {0};
	game_move move;
	int rc = game_record_room(r);
	if (rc)
		return rc;
	if (game_record_is(text, size, "resign", true) || game_record_is(text, size, "forfeit", true) ||
	    game_record_is(text, size, "time", true)) {
		sgf->resigned = true;
		return PD_OK;
	}
	if (game_sgf_is_swap(r->game, text, size))
		return game_sgf_swap(r, text, size);
	unsigned place = game_sgf_place(r->game, text, size);
	if (!game_record_is_move(r, text, size, &move, &why) &&
	    !(place < GAME_PLACES_MAX && find_move(r, place, &move)) &&
	    !(is_pass(text, size) && find_move(r, GAME_PLACES_MAX, &move)))
		return game_record_illegal(r, text, size, &why);
	game_record_step(r, move);
	return PD_OK;
}

static int play_stone(struct sgf *sgf, bool black, const char *text, size_t size)
{
	struct record *r = sgf->r;
	int value;
	PD_ASSERT(sgf->black >= -1 && sgf->black <= 1);
	if (r->idle || sgf->line_over)
		return PD_OK;
	if (sgf->resigned)
		return game_record_fail(r, text, "a move after the game was resigned");
	int rc = game_sgf_setup_apply(r, &sgf->setup, black ? GAME_FIRST : GAME_SECOND);
	if (rc)
		return rc;
	if (sgf->setup.begun)
		sgf->black = 1;
	bool over = r->game->rules->terminal(r->game, r->state, &value);
	bool first = !over && r->game->rules->first_to_move(r->game, r->state);
	if (sgf->black < 0)
		sgf->black = black == first;
	if (!over && (black == (sgf->black == 1)) != first)
		return game_record_wrong_turn(r, text, size, black);
	return play_vertex(sgf, text, size);
}

/* --- properties --------------------------------------------------------------------------- */

/* SZ[11] or SZ[9:7]: the columns and rows of the board. Boards of edges have no such size. */
static int check_size(struct sgf *sgf, const char *text, size_t size)
{
	struct record *r = sgf->r;
	struct game_board b = {0};
	const char *p = text;
	unsigned columns, rows, own_columns, own_rows;
	bool good = text_number(&p, &columns);
	rows = columns;
	if (good && *p == ':')
		p++, good = text_number(&p, &rows);
	if (!good || p != text + size)
		return game_record_fail(r, text, "the size of a board is SZ[11], or SZ[9:7]: columns and rows");
	if (!r->game->rules->board || r->idle)
		return PD_OK;
	r->game->rules->board(r->game, &b);
	if (b.place[0].shape == GAME_EDGE_ACROSS || b.place[0].shape == GAME_EDGE_DOWN)
		return PD_OK;
	game_sgf_size(&b, &own_columns, &own_rows);
	if (columns == own_columns && rows == own_rows)
		return PD_OK;
	return game_record_fail(r, text, "the record's board has %u columns and %u rows, the board of %s %u and %u",
				columns, rows, r->game->name, own_columns, own_rows);
}

static int check_game(struct sgf *sgf, const char *text, size_t size)
{
	const struct game_sgf *own = sgf->r->game->rules->sgf;
	const char *p = text;
	unsigned number;
	if (sgf->r->idle || !own || (text_number(&p, &number) && p == text + size && number == own->number))
		return PD_OK;
	return game_record_fail(sgf->r, text, "the record is of GM[%s], but %s is GM[%u]",
				text_excerpt(text, size).text, sgf->r->game->rules->name, own->number);
}

/* True if an ignored value could be a move whose property name is misspelt. */
static bool could_be_move(const struct sgf *sgf, const char *name, const char *text, size_t size)
{
	static const char known[] = " AN AP AR AS BL BM BR BS BT C CA CH CP CR DD DM DO DT EL EV EX FF FG FI GB GC GE "
				    "GK GN GW HA HO IP IT IY KI "
				    "KM KO L LB LN LT M MA MN N NW OB OM ON OP OT OV OW PB PC PM PW RE RG RO RU SC SE "
				    "SI SL SO SP SQ SS ST SU TB "
				    "TC TE TM TO TR TU TW UC US V VW WL WR WS WT XX ";
	char word[8];
	snprintf(word, sizeof word, " %s ", name);
	return !strstr(known, word) && game_sgf_place(sgf->r->game, text, size) < GAME_PLACES_MAX;
}

/* Keeps a value of SimpleText for the end of the node. */
static void keep_text(struct sgf *sgf, const char *text, size_t size)
{
	if (sgf->text.size)
		pd_buf_puts(&sgf->text, "\n");
	for (size_t i = 0; i < size; i++) {
		bool escaped = text[i] == '\\' && i + 1 < size;
		i += escaped;
		if (!escaped || (text[i] != '\n' && text[i] != '\r'))
			pd_buf_put(&sgf->text, text + i, 1);
		else if (i + 1 < size && text[i] == '\r' && text[i + 1] == '\n')
			i++;
	}
}

/* Comments and marks, which belong to the move of their node wherever they stand in it. */
static void take_remark(struct sgf *sgf, const char *name, const char *text, size_t size)
{
	bool strong = game_record_is(text, size, "2", false);
	if (!strcmp(name, "C"))
		keep_text(sgf, text, size);
	else if (!strcmp(name, "TE"))
		sgf->mark = strong ? GAME_MARK_BRILLIANT : GAME_MARK_GOOD;
	else if (!strcmp(name, "BM"))
		sgf->mark = strong ? GAME_MARK_BLUNDER : GAME_MARK_BAD;
	else if (!strcmp(name, "IT"))
		sgf->mark = GAME_MARK_INTERESTING;
	else if (!strcmp(name, "DO"))
		sgf->mark = GAME_MARK_DUBIOUS;
}

static void end_node(struct sgf *sgf)
{
	if (sgf->text.failed)
		sgf->r->played->tree->no_memory = true;
	else
		game_tree_say(game_record_tree(sgf->r), sgf->text.data, sgf->text.size);
	game_tree_mark(game_record_tree(sgf->r), sgf->mark);
	pd_buf_fini(&sgf->text);
	pd_buf_init(&sgf->text, GAME_RECORD_BYTES);
	sgf->mark = GAME_MARK_NONE;
}

static int take_value(struct sgf *sgf, const char *name, const char *text, size_t size)
{
	bool here = !sgf->r->idle && !sgf->line_over;
	if (!strcmp(name, "B") || !strcmp(name, "W"))
		return play_stone(sgf, *name == 'B', text, size);
	if (!strcmp(name, "SZ"))
		return check_size(sgf, text, size);
	if (!strcmp(name, "GM"))
		return check_game(sgf, text, size);
	if (!strcmp(name, "AB") || !strcmp(name, "AW") || !strcmp(name, "AE") || !strcmp(name, "PL"))
		return here ? game_sgf_setup_value(sgf->r, &sgf->setup, *name == 'P' ? 'P' : name[1], text, size)
			    : PD_OK;
	if (game_record_tree(sgf->r))
		take_remark(sgf, name, text, size);
	if (could_be_move(sgf, name, text, size))
		return game_record_fail(sgf->r, text, "'%s' could be a move, and SGF has no property %s",
					text_excerpt(text, size).text, name);
	return PD_OK;
}

/* Finds a move within a value, whose closing bracket is then likely missing; NULL: none. */
static const char *find_swallowed(const char *text, size_t size)
{
	static const char *const moves[] = {"B[", "W[", "Black[", "White["};
	for (size_t i = 0; i < size; i++) {
		for (unsigned j = 0; j < sizeof moves / sizeof *moves; j++)
			if (!strncmp(text + i, moves[j], strlen(moves[j])))
				return text + i;
		i += text[i] == '\\';
	}
	return NULL;
}

/* A value in brackets, in which \] stands for ]. */
static int read_value(struct sgf *sgf, const char *name)
{
	const char *text = sgf->p + 1;
	size_t size = 0;
	PD_ASSERT(*sgf->p == '[');
	while (text[size] && text[size] != ']')
		size += text[size] == '\\' && text[size + 1] ? 2 : 1;
	if (!text[size])
		return game_record_unclosed(sgf->r, sgf->p, "value");
	const char *move = find_swallowed(text, size);
	if (move)
		return game_record_fail(
			sgf->r, move,
			"a value holds %.2s: the bracket before it may not be closed; in a comment, write %c\\[", move,
			*move);
	sgf->p = text + size + 1;
	return take_value(sgf, name, text, size);
}

static int read_property(struct sgf *sgf)
{
	char name[3] = "";
	const char *at = sgf->p;
	unsigned letters = 0;
	int rc = PD_OK;
	for (; isalpha((unsigned char)*sgf->p); sgf->p++)
		if (isupper((unsigned char)*sgf->p) && letters++ < sizeof name - 1)
			name[letters - 1] = *sgf->p;
	if (!sgf->node)
		return game_record_fail(sgf->r, at, "a node of SGF begins with a semicolon: (;B[c3];W[b2])");
	if (!isupper((unsigned char)*at))
		return game_record_fail(sgf->r, at, "a property of SGF has a name of capital letters, as in B[c3]");
	sgf->p = game_record_skip(sgf->p);
	if (*sgf->p != '[')
		return game_record_fail(sgf->r, at, "a property of SGF has a value in brackets, as in B[c3]");
	for (; !rc && *sgf->p == '['; sgf->p = rc ? sgf->p : game_record_skip(sgf->p))
		rc = read_value(sgf, name);
	return rc;
}

/* --- trees -------------------------------------------------------------------------------- */

/* A parenthesis or a semicolon. */
static int read_mark(struct sgf *sgf, bool *after_tree)
{
	const char *at = sgf->p;
	const char *next = game_record_skip(at + 1);
	PD_ASSERT(sgf->depth || *at == '(');
	if (*at == '(' && *next != ';' && *next)
		return game_record_fail(sgf->r, next, "in SGF, a ( is followed by the ; of a node");
	if (*at == ';' && *after_tree)
		return game_record_fail(sgf->r, at, "a node after a variation: a ) is misplaced");
	struct game_tree *tree = game_record_tree(sgf->r);
	if (tree) {
		end_node(sgf);
		if (*at == '(' && sgf->depth == GAME_TREE_DEPTH)
			return game_record_fail(sgf->r, at, "more than %d variations within each other",
						GAME_TREE_DEPTH);
		if (*at == '(')
			sgf->branch[sgf->depth] = tree->at;
		else if (*at == ')')
			game_tree_go(tree, sgf->r->game, sgf->r->state, sgf->branch[sgf->depth - 1]);
		sgf->resigned &= *at != ')';
	}
	sgf->depth += *at == '(';
	sgf->depth -= *at == ')';
	sgf->line_over |= *at == ')' && !tree;
	sgf->node = *at == ';';
	*after_tree = *at == ')';
	sgf->p++;
	return PD_OK;
}

static int sgf_read(struct record *r, const char **text)
{
	struct sgf sgf = {.r = r, .p = *text, .black = -1};
	bool after_tree = false;
	int rc = PD_OK;
	pd_buf_init(&sgf.text, GAME_RECORD_BYTES);
	if (*sgf.p != '(')
		return game_record_fail(r, sgf.p, "a record of SGF begins with (;");
	do {
		char c = *sgf.p;
		if (!c)
			return game_record_unclosed(r, *text, "record");
		if (c == '(' || c == ')' || c == ';')
			rc = read_mark(&sgf, &after_tree);
		else if (isalpha((unsigned char)c))
			rc = read_property(&sgf);
		else
			rc = game_record_fail(r, sgf.p, "'%s': expected a property of SGF such as B[c3], a ; or a )",
					      text_excerpt(sgf.p, strcspn(sgf.p, " \t\r\n(;)")).text);
		if (!rc && sgf.depth)
			sgf.p = game_record_skip(sgf.p);
	} while (!rc && sgf.depth);
	pd_buf_fini(&sgf.text);
	*text = sgf.p;
	return rc ? rc : game_sgf_setup_apply(r, &sgf.setup, GAME_NO_SIDE);
}

static bool sgf_begins(const char *text)
{
	return *text == '(' || *text == ';';
}

const struct game_record_format game_record_sgf = {"SGF begins with (;", GAME_RECORD_SGF, sgf_begins, sgf_read};
