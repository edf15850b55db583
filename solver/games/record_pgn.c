/* PGN: tags, then moves with numbers, comments in braces or from ; to the end of the line, variations in parentheses,
 * NAGs ($6), marks (!?, +=), and the result.
 *
 * Everything except the moves is skipped, so a misplaced brace or parenthesis could hide moves. Four checks catch that:
 * whatever is opened must be closed, a comment contains no {, a move number must be that of the move reached, and a
 * game with a Result tag must end with a result. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"
#include "solver/games/record.h"
#include "solver/games/text.h"

enum { TAG_NAME_MAX = 32, VARIATIONS = 64 /* within each other, when they are played */ };

/* A variation that is played: it replaces the move `back`, the `moves`-th of its line. */
struct variation {
	const char *opened;
	uint32_t back;
	unsigned moves;
};

/* One game while it is read. */
struct pgn {
	struct record *r;
	const char *p;
	unsigned moves;
	bool has_result, set_up, from; /* tags: Result, SetUp "1", FEN */
	bool done;                     /* the result was read */
	bool numbered;                 /* `base` is known */
	int64_t base;                  /* twice the number of the first move, plus 1 when Black played it */
	unsigned depth;                /* of the variations that are played */
	struct variation in[VARIATIONS];
};

/* Marks of moves, the longer ones first, since they are compared with the end of a word. Those of Unicode are the signs
 * for advantages, unclear, zugzwang, initiative, attack, counterplay, better is, and only move. */
static const char *const marks[] = {"e.p.",   "+/-",    "-/+",    "+/=",    "=/+",    "ep",     "+-",     "-+",
				    "+=",     "=+",     "!!",     "!?",     "?!",     "??",     "!",      "?",
				    "=",      "\u00b1", "\u2213", "\u2a72", "\u2a71", "\u221e", "\u25a1", "\u2191",
				    "\u2192", "\u21c6", "\u2313", "\u2299", "N",      "D"};
enum { MARKS = sizeof marks / sizeof *marks, LETTER_MARKS = 2 /* the last ones, marks only as words of their own */ };

/* True for a result; with `pdn` also for one that counts two points. */
static bool is_result(const char *text, size_t size, bool pdn)
{
	static const char *const results[] = {"1-0", "0-1", "1/2-1/2", "*",  "\u00bd-\u00bd" /* halves */,
					      "2-0", "0-2", "1-1",     "0-0"};
	for (unsigned i = 0; i < sizeof results / sizeof *results - (pdn ? 0 : 4); i++)
		if (game_record_is(text, size, results[i], false))
			return true;
	return false;
}

static bool has_pdn(const struct record *r)
{
	return r->game->rules->records & GAME_RECORD_PDN;
}

static size_t word_size(const char *text)
{
	return strcspn(text, " \t\r\n{}();[]");
}

/* --- comments and variations -------------------------------------------------------------- */

/* True when a line's first byte is at `p`. */
static bool at_line_start(const struct pgn *g)
{
	return g->p == g->r->text || g->p[-1] == '\n';
}

/* Skips a comment or an escaped line; *taken tells whether there was one. */
static int skip_comment(struct pgn *g, bool *taken)
{
	const char *from = g->p;
	*taken = *from == '{' || *from == ';' || (*from == '%' && at_line_start(g));
	if (*from == '{') {
		g->p = from + 1 + strcspn(from + 1, "{}");
		if (*g->p == '{')
			return game_record_fail(g->r, g->p, "a { in a comment: the brace before it may not be closed");
		if (!*g->p)
			return game_record_unclosed(g->r, from, "comment");
		game_tree_say(game_record_tree(g->r), from + 1, (size_t)(g->p - from - 1));
		g->p++;
	} else if (*taken) {
		g->p += strcspn(g->p, "\n");
		if (*from == ';')
			game_tree_say(game_record_tree(g->r), from + 1, (size_t)(g->p - from - 1));
	}
	return PD_OK;
}

static int skip_variation(struct pgn *g)
{
	const char *opened = g->p;
	unsigned depth = 0;
	PD_ASSERT(*opened == '(');
	do {
		bool taken;
		int rc = skip_comment(g, &taken);
		if (rc)
			return rc;
		if (taken)
			continue;
		if (!*g->p)
			return game_record_unclosed(g->r, opened, "variation");
		if (strchr("[]}", *g->p))
			return game_record_fail(g->r, g->p, "'%c' in a variation", *g->p);
		depth += *g->p == '(';
		depth -= *g->p == ')';
		g->p++;
	} while (depth);
	return PD_OK;
}

static int open_variation(struct pgn *g)
{
	struct game_tree *tree = game_record_tree(g->r);
	if (g->moves == (g->depth ? g->in[g->depth - 1].moves - 1 : 0))
		return game_record_fail(g->r, g->p, "a variation in parentheses comes after the move that it replaces");
	if (!tree)
		return skip_variation(g);
	if (g->depth == VARIATIONS)
		return game_record_fail(g->r, g->p, "more than %d variations within each other", VARIATIONS);
	g->in[g->depth++] = (struct variation){g->p++, tree->at, g->moves--};
	game_tree_go(tree, g->r->game, g->r->state, tree->nodes[tree->at].parent);
	return PD_OK;
}

static void close_variation(struct pgn *g)
{
	const struct variation *in = &g->in[--g->depth];
	game_tree_go(game_record_tree(g->r), g->r->game, g->r->state, in->back);
	g->moves = in->moves;
	g->p++;
}

/* --- tags --------------------------------------------------------------------------------- */

/* True if a Variant tag means this game: it names one of its variants, or the name or the title of its rules. */
static bool is_variant(const struct game *game, const char *value, size_t size)
{
	const struct game_rules *rules = game->rules;
	bool known = game_record_is(value, size, rules->name, true) || game_record_is(value, size, rules->title, true);
	for (const struct game_variant *v = rules->variants; v && v->name; v++)
		if (!strcmp(v->params, game_params(game))) {
			if (game_record_is(value, size, v->name, true))
				return true;
			known &= !*v->params;
		}
	return known;
}

static int take_tag(struct pgn *g, const char *at, const char *name, size_t name_size, const char *value, size_t size)
{
	struct record *r = g->r;
	g->has_result |= game_record_is(name, name_size, "Result", true);
	g->set_up |= game_record_is(name, name_size, "SetUp", true) && game_record_is(value, size, "1", false);
	if (game_record_is(name, name_size, "FEN", true)) {
		if (g->from)
			return game_record_fail(r, at, "a second FEN tag");
		g->from = true;
		return r->idle ? PD_OK : game_record_start(r, at, value, size);
	}
	if (game_record_is(name, name_size, "Variant", true) && !r->idle && !is_variant(r->game, value, size))
		return game_record_fail(r, at, "the game is \"%s\", which is not %s", text_excerpt(value, size).text,
					r->game->name);
	if (game_record_is(name, name_size, "GameType", true) && !r->idle && has_pdn(r) &&
	    !game_record_is(value, strcspn(value, ",\""), "21", false))
		return game_record_fail(r, at, "the game has the type \"%s\"; English draughts is 21",
					text_excerpt(value, size).text);
	return PD_OK;
}

/* [Name "value"], where the value may contain \" and \\. */
static int read_tag(struct pgn *g)
{
	const char *opened = g->p, *name = opened + 1 + strspn(opened + 1, " \t"), *end = name;
	PD_ASSERT(*opened == '[');
	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	const char *quote = end + strspn(end, " \t"), *value = quote + 1;
	if (end == name || end - name > TAG_NAME_MAX || *quote != '"')
		return game_record_fail(
			g->r, opened, "a tag is written [Name \"value\"]; a list of moves has no brackets and quotes");
	const char *p = value;
	while (*p && *p != '"' && *p != '\n')
		p += *p == '\\' && (p[1] == '"' || p[1] == '\\') ? 2 : 1;
	if (*p != '"')
		return game_record_unclosed(g->r, quote, "quotation");
	const char *closing = p + 1 + strspn(p + 1, " \t");
	if (*closing != ']')
		return game_record_fail(g->r, closing, "a tag is written [Name \"value\"]: here its ] is missing");
	g->p = closing + 1;
	return take_tag(g, opened, name, (size_t)(end - name), value, (size_t)(p - value));
}

/* Tags, with comments and escaped lines between them. */
static int read_tags(struct pgn *g)
{
	int rc = PD_OK;
	bool taken = true;
	while (!rc && taken) {
		g->p = game_record_skip(g->p);
		rc = skip_comment(g, &taken);
		if (!rc && !taken && *g->p == '[') {
			rc = read_tag(g);
			taken = true;
		}
	}
	if (!rc && g->set_up && !g->from)
		rc = game_record_fail(g->r, g->p, "the tags say that a position was set up, but there is no FEN tag");
	return rc;
}

/* --- moves -------------------------------------------------------------------------------- */

/* Checks a move number; `black`: several dots follow it, so the move is Black's. */
static int check_number(struct pgn *g, const char *at, unsigned number, bool black)
{
	PD_ASSERT(g->numbered || !g->base);
	if (!g->numbered) {
		g->numbered = true;
		g->base = 2 * (int64_t)number + (black && !g->moves) - g->moves;
		if (!g->r->idle && g->r->start && g->base != 2)
			return game_record_fail(g->r, at,
						"move number %u at the beginning: moves are missing, or a "
						"FEN tag for the initial position",
						number);
	}
	if (g->base + g->moves - 2 * (int64_t)number >= 0 && g->base + g->moves - 2 * (int64_t)number <= 1)
		return PD_OK;
	return game_record_fail(g->r, at, "move number %u, where the next move has number %lld: moves are missing",
				number, (long long)(g->base + g->moves) / 2);
}

/* Reads a number and dots at the beginning of a word. */
static int read_number(struct pgn *g, size_t *size)
{
	const char *at = g->p, *p = at;
	unsigned number = 0, dots = 0;
	bool some = text_number(&p, &number);
	size_t digits = (size_t)(p - at);
	while (digits + dots < *size && p[dots] == '.')
		dots++;
	if ((some && digits < *size && !dots) || (!some && !dots))
		return PD_OK; /* 0-0 */
	/* Blanks may separate a number from its dots: 12 . ... */
	const char *more = p + dots + strspn(p + dots, " ");
	unsigned behind = (unsigned)strspn(more, ".");
	if (some) {
		int rc = check_number(g, at, number, dots + behind > 1);
		if (rc)
			return rc;
	}
	g->p += digits + dots;
	*size -= digits + dots;
	return PD_OK;
}

/* $6 */
static int read_nag(struct pgn *g, size_t size)
{
	const char *p = g->p + 1;
	unsigned number;
	PD_ASSERT(*g->p == '$');
	if (!text_number(&p, &number) || p != g->p + size || number > 255)
		return game_record_fail(g->r, g->p, "'%s': a NAG is $ and a number from 0 to 255",
					text_excerpt(g->p, size).text);
	game_tree_mark(game_record_tree(g->r), number);
	g->p += size;
	return PD_OK;
}

/* The size of a word without the mark at its end, if it has one. */
static size_t without_mark(const char *text, size_t size)
{
	const char *nag = memchr(text, '$', size);
	for (unsigned i = 0; !nag && i < MARKS - LETTER_MARKS; i++) {
		size_t length = strlen(marks[i]);
		if (size > length && !memcmp(text + size - length, marks[i], length))
			return size - length;
	}
	return nag && nag > text ? (size_t)(nag - text) : size;
}

/* The size of the mark that a text begins with; 0 for none. Letters are marks only as words of their own. */
static size_t mark_size(const char *text, size_t size)
{
	for (unsigned i = 0; i < MARKS; i++) {
		size_t length = strlen(marks[i]);
		if (length == size || (length < size && i < MARKS - LETTER_MARKS))
			if (!memcmp(text, marks[i], length))
				return length;
	}
	return 0;
}

static int read_move(struct pgn *g, size_t size)
{
	struct record *r = g->r;
	struct pd_fail why = {0}, ignored;
	game_move move;
	size_t length = size, next;
	PD_ASSERT(size);
	if (r->idle) {
		while ((next = without_mark(g->p, length)) < length)
			length = next;
	} else {
		int rc = game_record_room(r);
		if (rc)
			return rc;
		while (!game_record_is_move(r, g->p, length, &move, length == size ? &why : &ignored)) {
			next = without_mark(g->p, length);
			if (next == length)
				return game_record_illegal(r, g->p, size, &why);
			length = next;
		}
		game_record_step(r, move);
	}
	g->moves++;
	g->p += length;
	return PD_OK;
}

/* Reads a word that is not a result: a number, a move, marks, or several of these. */
static int read_word(struct pgn *g, size_t size)
{
	const char *end = g->p + size;
	int rc = read_number(g, &size);
	if (rc || !size)
		return rc;
	if (*g->p == '$' && !g->moves)
		return game_record_fail(g->r, g->p, "a NAG comes after a move");
	if (*g->p != '$' && (!g->moves || !mark_size(g->p, size)))
		rc = read_move(g, size);
	while (!rc && g->p < end) { /* marks */
		size = (size_t)(end - g->p);
		size_t mark = mark_size(g->p, size), nag = 1 + strcspn(g->p + 1, "$");
		if (*g->p == '$')
			rc = read_nag(g, nag < size ? nag : size);
		else if (!mark)
			return game_record_fail(g->r, g->p, "'%s' is not a mark of a move",
						text_excerpt(g->p, size).text);
		else {
			game_tree_mark(game_record_tree(g->r), game_mark_of(g->p, mark));
			g->p += mark;
		}
	}
	return rc;
}

/* Reads moves up to the result, the tags of another game, or the end. */
static int read_moves(struct pgn *g)
{
	int rc = PD_OK;
	while (!rc && !g->done) {
		bool taken;
		g->p = game_record_skip(g->p);
		rc = skip_comment(g, &taken);
		if (rc || taken)
			continue;
		size_t size = word_size(g->p);
		if (g->depth && (!*g->p || *g->p == '['))
			return game_record_unclosed(g->r, g->in[g->depth - 1].opened, "variation");
		if (!*g->p || *g->p == '[')
			break;
		if (*g->p == '(')
			rc = open_variation(g);
		else if (*g->p == ')' && g->depth)
			close_variation(g);
		else if (!size)
			rc = game_record_fail(g->r, g->p, "'%c' was not opened", *g->p);
		else if (is_result(g->p, size, has_pdn(g->r)))
			g->done = !g->depth, g->p += size;
		else
			rc = read_word(g, size);
	}
	return rc;
}

static int pgn_read(struct record *r, const char **text)
{
	struct pgn g = {.r = r, .p = *text};
	int rc = read_tags(&g);
	if (!rc)
		rc = read_moves(&g);
	if (!rc && !g.done && g.has_result)
		rc = game_record_fail(r, g.p,
				      "the game has no result at its end (1-0, 0-1, 1/2-1/2 or *); it may be cut off");
	else if (!rc && !g.done && !g.moves)
		rc = game_record_fail(r, g.p, "the game has neither moves nor a result; it may be cut off");
	bool taken = true;
	while (!rc && taken) { /* comments after the result */
		g.p = game_record_skip(g.p);
		rc = skip_comment(&g, &taken);
	}
	if (!rc && *g.p && *g.p != '[')
		rc = game_record_fail(r, g.p, "only the tags of another game may follow the result of a game");
	*text = g.p;
	return rc;
}

static bool pgn_begins(const char *text)
{
	const char *p = text;
	unsigned number;
	if (strchr("[{};()%.$", *text) || is_result(text, word_size(text), false))
		return true;
	return text_number(&p, &number) && (*p == '.' || game_record_blank(*p) || !*p);
}

const struct game_record_format game_record_pgn = {"PGN begins with a tag or a move number", GAME_RECORD_PGN,
						   pgn_begins, pgn_read};
