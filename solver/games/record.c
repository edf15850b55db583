#include "solver/games/record.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum { MOVE_BYTES = 64, EXCERPT = 24 };

static const struct game_record_format *const formats[] = {&game_record_ggf, &game_record_sgf, &game_record_pgn,
							   &game_record_epd};
enum { FORMATS = sizeof formats / sizeof *formats };

/* --- text --------------------------------------------------------------------------------- */

bool game_record_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

const char *game_record_skip(const char *text)
{
	while (game_record_blank(*text))
		text++;
	return text;
}

bool game_record_is(const char *text, size_t size, const char *word, bool any_case)
{
	return strlen(word) == size && !(any_case ? strncasecmp(text, word, size) : strncmp(text, word, size));
}

/* --- errors ------------------------------------------------------------------------------- */

struct place {
	unsigned line, column; /* counted from 1, the column in bytes */
};

static struct place place_of(const struct record *r, const char *at)
{
	struct place place = {1, 1};
	PD_ASSERT(at >= r->text);
	for (const char *p = r->text; p < at; p++) {
		place.column = *p == '\n' ? 1 : place.column + 1;
		place.line += *p == '\n';
	}
	return place;
}

int game_record_fail(struct record *r, const char *at, const char *format, ...)
{
	struct place place = place_of(r, at);
	char text[sizeof r->fail->text];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return pd_fail_set(r->fail, PD_E_MOVE, "moves", "line %u, column %u: %.280s", place.line, place.column, text);
}

int game_record_unclosed(struct record *r, const char *opened, const char *what)
{
	return game_record_fail(r, opened, "the %s that begins here is not closed", what);
}

int game_record_wrong_turn(struct record *r, const char *text, size_t size, bool black)
{
	return game_record_fail(r, text, "move %u, '%s': it is not %s's turn", r->played->count + 1,
				text_excerpt(text, size).text, black ? "Black" : "White");
}

/* --- single moves ------------------------------------------------------------------------- */

int game_record_room(struct record *r)
{
	if (r->played->count < GAME_RECORD_MOVES && r->played->attempts <= GAME_RECORD_ATTEMPTS)
		return PD_OK;
	return pd_fail_set(r->fail, PD_E_MOVE, "moves", "the record is too long: %u moves, or %u attempts to read one",
			   GAME_RECORD_MOVES, GAME_RECORD_ATTEMPTS);
}

struct game_tree *game_record_tree(const struct record *r)
{
	return r->idle ? NULL : r->played->tree;
}

void game_record_step(struct record *r, game_move move)
{
	const struct game *g = r->game;
	r->played->places = g->rules->move_places ? g->rules->move_places(g, r->state, move, r->played->place) : 0;
	PD_ASSERT(r->played->places <= GAME_MOVE_PLACES_MAX);
	game_tree_step(game_record_tree(r), g, r->state, move);
	g->rules->play(g, r->state, move);
	PD_ASSERT(r->played->count < GAME_RECORD_MOVES);
	if (r->played->list)
		r->played->list[r->played->count] = move;
	r->played->count++;
}

bool game_record_is_move(struct record *r, const char *text, size_t size, game_move *out, struct pd_fail *why)
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
		return false; /* the case of a letter may have a meaning */
	bool upper = false;
	for (size_t i = 0; i < size; i++) {
		upper |= isupper((unsigned char)move[i]) != 0;
		move[i] = (char)tolower((unsigned char)move[i]);
	}
	return upper && !r->game->rules->move_parse(r->game, r->state, move, out, NULL);
}

int game_record_illegal(struct record *r, const char *text, size_t size, const struct pd_fail *why)
{
	int value;
	unsigned number = r->played->count + 1;
	char at[48] = "";
	struct text_excerpt excerpt = text_excerpt(text, size < EXCERPT ? size : EXCERPT);
	if (r->text && strchr(r->text, '\n')) {
		struct place place = place_of(r, text);
		snprintf(at, sizeof at, " (line %u, column %u)", place.line, place.column);
	}
	if (r->game->rules->terminal(r->game, r->state, &value))
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u, '%s'%s: the game is over before it", number,
				   excerpt.text, at);
	if (excerpt.text[0] && strstr(why->text, excerpt.text)) /* the message of the rules quotes the move already */
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u: %.200s%s", number, why->text, at);
	return pd_fail_set(r->fail, PD_E_MOVE, "moves", "move %u, '%s', is not legal here%s%.200s%s", number,
			   excerpt.text, why->text[0] ? ": " : "", why->text, at);
}

int game_record_move(struct record *r, const char *text, size_t size)
{
	struct pd_fail why = {0};
	game_move move;
	int rc = r->idle ? PD_OK : game_record_room(r);
	if (rc || r->idle)
		return rc;
	if (!game_record_is_move(r, text, size, &move, &why))
		return game_record_illegal(r, text, size, &why);
	game_record_step(r, move);
	return PD_OK;
}

int game_read_move(const struct game *game, const char *text, const void *state, game_move *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t copy[GAME_STATE_MAX];
	struct game_played played = {0};
	struct record r = {.game = game, .state = copy, .played = &played, .fail = fail};
	struct pd_fail why = {0};
	memcpy(copy, state, game->state_size);
	return game_record_is_move(&r, text, strlen(text), out, &why)
		       ? PD_OK
		       : game_record_illegal(&r, text, strlen(text), &why);
}

int game_play_move(const struct game *game, const char *text, void *state, struct game_played *played,
		   struct pd_fail *fail)
{
	struct record r = {.game = game, .state = state, .played = played, .fail = fail};
	return game_record_move(&r, text, strlen(text));
}

int game_record_start(struct record *r, const char *at, const char *text, size_t size)
{
	char position[GAME_TEXT_MAX];
	struct pd_fail why;
	_Alignas(16) uint8_t unused[GAME_STATE_MAX];
	if (!r->idle && (!r->start || r->played->count))
		return game_record_fail(r, at, "the record has its own position; leave out the other one");
	if (size >= sizeof position)
		return game_record_fail(r, at, "the record's position is longer than %zu bytes", sizeof position - 1);
	memcpy(position, text, size);
	position[size] = 0;
	if (r->game->rules->parse(r->game, position, r->idle ? unused : r->state, &why))
		return game_record_fail(r, at, "the record's position: %.250s", why.text);
	r->start &= r->idle;
	return PD_OK;
}

/* --- lists of moves ----------------------------------------------------------------------- */

/* The error for a character with which no move begins, where a move is expected. */
static int refuse_list(struct record *r, const char *at)
{
	char others[120] = "";
	for (unsigned i = 0; i < FORMATS; i++)
		if (r->game->rules->records & formats[i]->bit)
			snprintf(others + strlen(others), sizeof others - strlen(others), "; %s",
				 formats[i]->begins_with);
	return game_record_fail(
		r, at,
		"'%c' begins no move: a list has blanks or commas between moves, and no brackets, quotes "
		"or comments%s",
		*at, others);
}

/* Plays the moves that a word consists of. */
static int play_word(struct record *r, const char *text, size_t size)
{
	struct pd_fail why = {0}, ignored;
	game_move move;
	bool first = true;
	while (size) {
		size_t length = size < MOVE_BYTES ? size : MOVE_BYTES - 1;
		int rc = game_record_room(r);
		for (; !rc && length && !game_record_is_move(r, text, length, &move, first ? &why : &ignored);
		     length--) {
			first = false;
			rc = game_record_room(r);
		}
		if (rc)
			return rc;
		if (!length)
			return strchr("[](){};\"'", *text) ? refuse_list(r, text)
							   : game_record_illegal(r, text, size, &why);
		game_record_step(r, move);
		text += length;
		size -= length;
		first = true;
		why.text[0] = 0;
	}
	return PD_OK;
}

static int play_list(struct record *r, const char *text)
{
	static const char between[] = " ,\t\r\n";
	int rc = PD_OK;
	for (const char *p = text + strspn(text, between); !rc && *p; p += strspn(p, between)) {
		size_t size = strcspn(p, between);
		rc = play_word(r, p, size);
		p += size;
	}
	return rc;
}

/* --- texts of one game or more ------------------------------------------------------------ */

/* Reads games from `text` on until the one with the given number is played; 0: reads all and plays none. *games is how
 * many were read. */
static int read_games(struct record *r, const struct game_record_format *format, const char *text, unsigned number,
		      unsigned *games)
{
	int rc = PD_OK;
	*games = 0;
	for (const char *p = game_record_skip(text); !rc && *p && (!number || *games < number);
	     p = game_record_skip(p)) {
		const char *from = p;
		r->idle = ++*games != number;
		rc = format->read(r, &p);
		PD_ASSERT(rc || p > from);
	}
	return rc;
}

static int end_tree(struct record *r)
{
	return game_tree_end(game_record_tree(r), r->game, r->state)
		       ? PD_OK
		       : pd_fail_set(r->fail, PD_E_NO_MEMORY, "", "no memory for a record");
}

static int play_games(struct record *r, const struct game_record_format *format, const char *text)
{
	unsigned wanted = r->played->number, games;
	int rc = read_games(r, format, text, 0, &games);
	if (rc)
		return rc;
	r->played->games = games;
	if (games > 1 && !wanted)
		return pd_fail_set(r->fail, PD_E_MOVE, "moves",
				   "the text has %u games; choose one of them by game_number, 1 to %u", games, games);
	if (wanted > games)
		return pd_fail_set(r->fail, PD_E_MOVE, "moves", "game %u does not exist: the text has %u", wanted,
				   games);
	rc = read_games(r, format, text, wanted ? wanted : 1, &games);
	return rc ? rc : end_tree(r);
}

int game_play_record(const struct game *game, const char *text, bool start, void *state, struct game_played *played,
		     struct pd_fail *fail)
{
	const char *first = strncmp(text, "\xef\xbb\xbf", 3) ? text : text + 3, *p = game_record_skip(first);
	struct record r = {game, state, played, fail, first, start, false};
	PD_ASSERT(!played->count && !played->places);
	if (strlen(text) > GAME_RECORD_BYTES)
		return pd_fail_set(fail, PD_E_MOVE, "moves", "a record has at most %d bytes", (int)GAME_RECORD_BYTES);
	for (unsigned i = 0; *p && i < FORMATS; i++)
		if ((game->rules->records & formats[i]->bit) && formats[i]->begins(p))
			return play_games(&r, formats[i], p);
	played->games = 1;
	if (played->number > 1)
		return pd_fail_set(fail, PD_E_MOVE, "moves", "game %u does not exist: a list of moves is one game",
				   played->number);
	int rc = play_list(&r, first);
	return rc ? rc : end_tree(&r);
}
