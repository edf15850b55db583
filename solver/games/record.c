/* Records: see solver/record.h. */
#include "solver/record.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum { MOVE_BYTES = 64, EXCERPT = 24, CELL = 12 };

struct record {
	const struct game *game;
	void *state;
	struct game_played *played;
	struct pd_fail *fail;
	bool start; /* a position in the record counts */
};

/* --- single moves ------------------------------------------------------------------------- */

static int too_long(struct record *r)
{
	return pd_fail_set(r->fail, PD_E_MOVE, "moves", "the record is too long: %u moves, or %u attempts to read one",
			   GAME_RECORD_MOVES, GAME_RECORD_ATTEMPTS);
}

static void play(struct record *r, game_move move)
{
	const struct game *g = r->game;
	r->played->places = g->rules->move_places ? g->rules->move_places(g, r->state, move, r->played->place) : 0;
	PD_ASSERT(r->played->places <= GAME_MOVE_PLACES_MAX);
	g->rules->play(g, r->state, move);
	PD_ASSERT(r->played->count < GAME_RECORD_MOVES);
	if (r->played->list)
		r->played->list[r->played->count] = move;
	r->played->count++;
}

/* The move that exactly these bytes name; false when there is none. */
static bool is_move(struct record *r, const char *text, size_t size, game_move *out, struct pd_fail *why)
{
	char move[MOVE_BYTES];
	int value;
	if (!size || size >= sizeof move || r->game->rules->terminal(r->game, r->state, &value))
		return false;
	memcpy(move, text, size);
	move[size] = 0;
	r->played->attempts++;
	if (!r->game->rules->move_parse(r->game, r->state, move, out, why))
		return true;
	if (r->game->rules->notations)
		return false; /* letters may differ in meaning by their case */
	bool upper = false;
	for (size_t i = 0; i < size; i++) {
		upper |= isupper((unsigned char)move[i]) != 0;
		move[i] = (char)tolower((unsigned char)move[i]);
	}
	return upper && !r->game->rules->move_parse(r->game, r->state, move, out, NULL);
}

static int illegal(struct record *r, const char *text, size_t size, const struct pd_fail *why)
{
	int value;
	unsigned number = r->played->count + 1;
	if (r->game->rules->terminal(r->game, r->state, &value))
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u, '%s': the game is over before it", number,
				   text_excerpt(text, size < EXCERPT ? size : EXCERPT).text);
	struct text_excerpt excerpt = text_excerpt(text, size < EXCERPT ? size : EXCERPT);
	if (excerpt.text[0] && strstr(why->text, excerpt.text)) /* the game names it */
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u: %.200s", number, why->text);
	return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u, '%s', is not legal here%s%.200s", number,
			   excerpt.text, why->text[0] ? ": " : "", why->text);
}

/* The moves that a word holds, one after the other. */
static int play_word(struct record *r, const char *text, size_t size)
{
	struct pd_fail why = {0}, ignored;
	game_move move;
	bool first = true;
	while (size) {
		size_t length = size < MOVE_BYTES ? size : MOVE_BYTES - 1;
		if (r->played->count >= GAME_RECORD_MOVES)
			return too_long(r);
		for (; length && !is_move(r, text, length, &move, first ? &why : &ignored); length--) {
			first = false;
			if (r->played->attempts > GAME_RECORD_ATTEMPTS)
				return too_long(r);
		}
		if (!length)
			return illegal(r, text, size, &why);
		play(r, move);
		text += length;
		size -= length;
		first = true;
		why.text[0] = 0;
	}
	return PD_OK;
}

int game_read_move(const struct game *game, const char *text, const void *state, game_move *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t copy[GAME_STATE_MAX];
	struct game_played played = {0};
	struct record r = {game, copy, &played, fail, false};
	struct pd_fail why = {0};
	memcpy(copy, state, game->state_size);
	return is_move(&r, text, strlen(text), out, &why) ? PD_OK : illegal(&r, text, strlen(text), &why);
}

int game_play_move(const struct game *game, const char *text, void *state, struct game_played *played,
		   struct pd_fail *fail)
{
	struct record r = {game, state, played, fail, false};
	struct pd_fail why = {0};
	game_move move;
	if (played->count >= GAME_RECORD_MOVES)
		return too_long(&r);
	if (!is_move(&r, text, strlen(text), &move, &why))
		return illegal(&r, text, strlen(text), &why);
	play(&r, move);
	return PD_OK;
}

/* --- lists of moves, and PGN -------------------------------------------------------------- */

static bool blank(char c)
{
	return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r';
}

/* Begins again at the position of the record. */
static int set_start(struct record *r, const char *text, size_t size)
{
	char position[GAME_TEXT_MAX];
	struct pd_fail why;
	if (!r->start || r->played->count)
		return pd_fail_set(r->fail, PD_E_MOVE, "moves",
				   "the record has a position of its own; leave out the other one");
	if (size >= sizeof position)
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "the record's position is too long");
	memcpy(position, text, size);
	position[size] = 0;
	if (r->game->rules->parse(r->game, position, r->state, &why))
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "the record's position: %s", why.text);
	r->start = false;
	return PD_OK;
}

/* A tag, [FEN "..."]; *text moves behind it. */
static int read_tag(struct record *r, const char **text)
{
	const char *p = *text + 1, *name = p + strspn(p, " \t"), *quote = name + strcspn(name, "\"]");
	const char *value = *quote == '"' ? quote + 1 : quote, *end = value;
	while (*quote == '"' && *end && *end != '"')
		end += *end == '\\' && end[1] ? 2 : 1;
	p = end + strcspn(end, "]");
	*text = *p ? p + 1 : p;
	return strncmp(name, "FEN", 3) == 0 && blank(name[3]) ? set_start(r, value, (size_t)(end - value)) : PD_OK;
}

/* Behind the variation that begins at `text`. */
static const char *behind_variation(const char *text)
{
	unsigned depth = 0;
	for (; *text; text++) {
		if (*text == '{')
			text += strcspn(text, "}");
		if (!*text)
			break;
		depth += *text == '(';
		depth -= *text == ')';
		if (!depth)
			return text + 1;
	}
	return text;
}

static bool is_word(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && !memcmp(text, word, size);
}

static bool is_result(const char *text, size_t size)
{
	return is_word(text, size, "1-0") || is_word(text, size, "0-1") || is_word(text, size, "1/2-1/2") ||
	       is_word(text, size, "*");
}

/* A word that is no move, or one with a number before it and marks behind it. */
static int play_annotated(struct record *r, const char *text, size_t size)
{
	size_t digits = 0;
	while (digits < size && isdigit((unsigned char)text[digits]))
		digits++;
	if (digits && digits < size && text[digits] == '.') {
		while (digits < size && text[digits] == '.')
			digits++;
		text += digits;
		size -= digits;
	} else if (!digits) {
		while (size && text[0] == '.') { /* 12 ... e5 */
			text++;
			size--;
		}
	}
	while (size && (text[size - 1] == '!' || text[size - 1] == '?'))
		size--;
	return size && !is_word(text, size, "e.p.") && !is_word(text, size, "ep") ? play_word(r, text, size) : PD_OK;
}

static int play_list(struct record *r, const char *text)
{
	const char *p = text;
	int rc = PD_OK;
	while (!rc && *p) {
		size_t size = strcspn(p, " ,\t\r\n{(;[");
		game_move move;
		struct pd_fail ignored;
		if (blank(*p)) {
			p++;
		} else if (*p == '[') {
			rc = read_tag(r, &p);
		} else if (*p == '{') {
			p += strcspn(p, "}");
			p += *p == '}';
		} else if (*p == ';' || (*p == '%' && (p == text || p[-1] == '\n'))) {
			p += strcspn(p, "\n");
		} else if (*p == '(') {
			p = behind_variation(p);
		} else if (r->played->count < GAME_RECORD_MOVES && is_move(r, p, size, &move, &ignored)) {
			play(r, move);
			p += size;
		} else if (is_result(p, size)) {
			break;
		} else {
			rc = *p == '$' ? PD_OK : play_annotated(r, p, size);
			p += size;
		}
	}
	return rc;
}

/* --- SGF ---------------------------------------------------------------------------------- */

/* The legal move that names just the place in this column and row, both from the top left; false when there is none. */
static bool move_at(struct record *r, unsigned column, unsigned row, game_move *out)
{
	static const int none = INT16_MAX;
	const struct game *g = r->game;
	struct game_board b = {0};
	game_move moves[GAME_MOVES_MAX];
	int value, top = none;
	unsigned place = GAME_PLACES_MAX;
	if (!g->rules->board || g->rules->terminal(g, r->state, &value))
		return false;
	g->rules->board(g, &b);
	for (unsigned i = 0; i < b.places; i++)
		top = b.place[i].y < top ? b.place[i].y : top;
	for (unsigned i = 0; i < b.places; i++) {
		unsigned before = 0; /* places to the left of it */
		if (b.place[i].y != top + CELL * (int)row)
			continue;
		for (unsigned j = 0; j < b.places; j++)
			before += b.place[j].y == b.place[i].y && b.place[j].x < b.place[i].x;
		place = before == column ? i : place;
	}
	unsigned count = g->rules->moves(g, r->state, moves);
	for (unsigned i = 0; i < count; i++) {
		uint16_t places[GAME_MOVE_PLACES_MAX];
		if (g->rules->move_places(g, r->state, moves[i], places) == 1 && places[0] == place) {
			*out = moves[i];
			return true;
		}
	}
	return false;
}

/* The move that names no place; false when there is none. */
static bool pass_move(struct record *r, game_move *out)
{
	const struct game *g = r->game;
	game_move moves[GAME_MOVES_MAX];
	uint16_t places[GAME_MOVE_PLACES_MAX];
	int value;
	if (!g->rules->move_places || g->rules->terminal(g, r->state, &value))
		return false;
	unsigned count = g->rules->moves(g, r->state, moves);
	for (unsigned i = 0; i < count; i++)
		if (!g->rules->move_places(g, r->state, moves[i], places)) {
			*out = moves[i];
			return true;
		}
	return false;
}

/* The main line of an SGF tree: what stands before the first closing parenthesis. */
struct sgf {
	const char *p;
	int black; /* -1: no move yet; 1: Black is First; 0: White is */
	bool ended;
};

static int play_vertex(struct record *r, struct sgf *sgf, const char *text, size_t size)
{
	struct pd_fail why = {0};
	game_move move;
	bool letters = size == 2 && islower((unsigned char)text[0]) && islower((unsigned char)text[1]);
	if (r->played->count >= GAME_RECORD_MOVES || r->played->attempts > GAME_RECORD_ATTEMPTS)
		return too_long(r);
	if (is_word(text, size, "resign") || is_word(text, size, "forfeit") || is_word(text, size, "time")) {
		sgf->ended = true;
		return PD_OK;
	}
	if (!is_move(r, text, size, &move, &why) &&
	    !(letters && move_at(r, (unsigned)(text[0] - 'a'), (unsigned)(text[1] - 'a'), &move)) &&
	    !((!size || is_word(text, size, "tt") || is_word(text, size, "pass")) && pass_move(r, &move)))
		return illegal(r, text, size, &why);
	play(r, move);
	return PD_OK;
}

static int play_property(struct record *r, struct sgf *sgf, char colour, const char *text, size_t size)
{
	int value;
	bool over = r->game->rules->terminal(r->game, r->state, &value);
	bool first = !over && r->game->rules->first_to_move(r->game, r->state), black = colour == 'B';
	if (sgf->black < 0)
		sgf->black = black == first;
	if (!over && (black == (sgf->black == 1)) != first)
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u, '%s': it is not %s's turn",
				   r->played->count + 1, text_excerpt(text, size < EXCERPT ? size : EXCERPT).text,
				   black ? "Black" : "White");
	return play_vertex(r, sgf, text, size);
}

/* Bytes of the value that begins at `p`, behind its bracket. */
static size_t value_size(const char *p)
{
	size_t size = 0;
	while (p[size] && p[size] != ']')
		size += p[size] == '\\' && p[size + 1] ? 2 : 1;
	return size;
}

/* The board of a record: SZ[11] or SZ[9:7], columns and rows. Boards of edges have no such size. */
static int check_size(struct record *r, const char *text)
{
	struct game_board b = {0};
	const char *p = text;
	unsigned columns, rows, top = 0, lines = 0;
	if (!r->game->rules->board || !text_number(&p, &columns))
		return PD_OK;
	rows = columns;
	if (*p == ':' && (p++, !text_number(&p, &rows)))
		return PD_OK;
	r->game->rules->board(r->game, &b);
	for (unsigned i = 0; i < b.places; i++) {
		bool first = true;
		if (b.place[i].shape == GAME_EDGE_ACROSS || b.place[i].shape == GAME_EDGE_DOWN)
			return PD_OK;
		for (unsigned j = 0; j < i; j++)
			first &= b.place[j].y != b.place[i].y;
		lines += first;
		top += b.place[i].y == b.place[0].y;
	}
	return columns == top && rows == lines
		       ? PD_OK
		       : pd_fail_set(r->fail, PD_E_MOVE, "moves",
				     "the record's board has %u columns and %u rows, the board of %s %u and %u",
				     columns, rows, r->game->name, top, lines);
}

static int read_property(struct record *r, struct sgf *sgf)
{
	char name[3] = "";
	unsigned letters = 0;
	int rc = PD_OK;
	for (; isalpha((unsigned char)*sgf->p); sgf->p++) /* older files spell names out: AddBlack */
		if (isupper((unsigned char)*sgf->p) && letters++ < sizeof name - 1)
			name[letters - 1] = *sgf->p;
	bool move = !strcmp(name, "B") || !strcmp(name, "W");
	if (!strcmp(name, "AB") || !strcmp(name, "AW") || !strcmp(name, "AE"))
		return pd_fail_set(r->fail, PD_E_MOVE, "moves",
				   "the record sets up stones (%s), which are no moves; give its position instead",
				   name);
	while (!rc && (sgf->p += strspn(sgf->p, " \t\r\n"), *sgf->p == '[')) {
		size_t size = value_size(++sgf->p);
		if (!strcmp(name, "SZ"))
			rc = check_size(r, sgf->p);
		if (move && !sgf->ended)
			rc = play_property(r, sgf, name[0], sgf->p, size);
		sgf->p += size;
		sgf->p += *sgf->p == ']';
	}
	return rc;
}

static int play_sgf(struct record *r, const char *text)
{
	struct sgf sgf = {.p = text, .black = -1};
	int rc = PD_OK;
	while (!rc && *sgf.p && *sgf.p != ')') {
		if (isalpha((unsigned char)*sgf.p))
			rc = read_property(r, &sgf);
		else
			sgf.p++;
	}
	return rc;
}

int game_play_record(const struct game *game, const char *text, bool start, void *state, struct game_played *played,
		     struct pd_fail *fail)
{
	struct record r = {game, state, played, fail, start};
	const char *p = text + strspn(text, " \t\r\n");
	PD_ASSERT(!played->count && !played->places);
	if (strlen(text) > GAME_RECORD_BYTES)
		return pd_fail_set(fail, PD_E_MOVE, "moves", "a record has at most %d bytes", (int)GAME_RECORD_BYTES);
	bool sgf = *p == '(' && p[1 + strspn(p + 1, " \t\r\n")] == ';';
	return sgf ? play_sgf(&r, p) : play_list(&r, text);
}
