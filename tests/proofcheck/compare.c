#include "tests/proofcheck/compare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/picture.h"
#include "proto/base/hash.h"
#include "proto/graph_file.h"
#include "solver/games/board_picture.h"
#include "tests/support/walk.h"

enum {
	TRIES = 12, /* moves tried by a walk that seeks or avoids the end */
	NAMES = 4   /* moves of a position whose names are compared */
};

_Static_assert((int)CK_KEY_MAX == (int)GAME_KEY_MAX, "what is exported can be checked");

/* A position on both sides. */
struct both {
	struct walk_state state;
	struct ck_position p;
};

__attribute__((format(printf, 2, 3))) static bool differ(struct compare *c, const char *format, ...)
{
	size_t used = (size_t)snprintf(c->wrong, sizeof c->wrong, "%s: ", c->game->name);
	va_list list;
	va_start(list, format);
	vsnprintf(c->wrong + used, sizeof c->wrong - used, format, list);
	va_end(list);
	c->differences++;
	return false;
}

/* --- games -------------------------------------------------------------------------------- */

struct graph_text {
	const char *bytes;
	size_t size;
};

static int graph_give(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	const struct graph_text *text = ctx;
	return pr_graph_parse(text->bytes, text->size, out, fail);
}

static bool same_scale(struct compare *c)
{
	const struct game *game = c->game;
	const struct ck_game *mine = &c->mine;
	if (strcmp(game->name, mine->name) != 0 || game->rules_version != mine->version)
		return differ(c, "the checker calls it %s, or has rules of another version", mine->name);
	if (game->value_min != mine->worst || game->value_max != mine->best || game->value_step != mine->step)
		return differ(c, "another scale of values");
	if (game->acyclic == mine->repeats || (!game->acyclic && game->infinite_value != mine->infinite))
		return differ(c, "one of the two has cycles, or another value of infinite play");
	if (game->key_size_max > mine->key_max)
		return differ(c, "the checker's keys are shorter");
	return true;
}

bool compare_open(struct compare *c, const char *name, const char *graph, size_t graph_size, uint64_t seed)
{
	struct graph_text text = {graph, graph_size};
	struct game_host host = {&text, graph_give};
	struct pd_fail fail;
	memset(c, 0, sizeof *c);
	c->random = seed;
	c->children_max = GAME_MOVES_MAX;
	c->differences = 1; /* unless it opens */
	if (game_open(name, graph ? &host : NULL, &c->game, &fail)) {
		snprintf(c->wrong, sizeof c->wrong, "%s: %s", name, fail.text);
		return false;
	}
	if (ck_open(&c->mine, name, graph, graph_size, &fail)) {
		snprintf(c->wrong, sizeof c->wrong, "%s, by the checker: %s", name, fail.text);
		game_close(c->game);
		return false;
	}
	c->differences = 0;
	c->room = 64;
	c->seen = calloc(c->room, sizeof *c->seen);
	if (!c->seen)
		abort();
	if (same_scale(c))
		return true;
	compare_close(c);
	return false;
}

void compare_close(struct compare *c)
{
	free(c->seen);
	ck_close(&c->mine);
	game_close(c->game);
}

/* --- positions that were compared --------------------------------------------------------- */

static bool put_hash(uint64_t *seen, uint64_t room, uint64_t hash)
{
	uint64_t at = hash & (room - 1);
	while (seen[at] && seen[at] != hash)
		at = (at + 1) & (room - 1);
	bool fresh = !seen[at];
	seen[at] = hash;
	return fresh;
}

/* True for a key that was not compared before. */
static bool is_new(struct compare *c, const uint8_t *key, size_t size)
{
	if (2 * (c->positions + 1) > c->room) {
		uint64_t *more = calloc(2 * c->room, sizeof *more);
		if (!more)
			abort();
		for (uint64_t i = 0; i < c->room; i++)
			if (c->seen[i])
				put_hash(more, 2 * c->room, c->seen[i]);
		free(c->seen);
		c->seen = more;
		c->room *= 2;
	}
	return put_hash(c->seen, c->room, pd_hash64(key, size) | 1);
}

/* --- one position ------------------------------------------------------------------------- */

static bool same_key(struct compare *c, const void *state, const struct ck_position *p, const char *what)
{
	uint8_t a[GAME_KEY_MAX], b[CK_KEY_MAX];
	char text[GAME_TEXT_MAX];
	size_t a_size = c->game->rules->key(c->game, state, a), b_size = c->mine.rules->encode(&c->mine, p, b);
	if (a_size == b_size && !memcmp(a, b, a_size))
		return true;
	c->game->rules->print(c->game, state, text, sizeof text);
	return differ(c, "the keys of %s differ (%s)", text, what);
}

/* Each side reads the text that the other prints. */
static bool same_texts(struct compare *c, const void *state, const struct ck_position *p, const char *text)
{
	char my_text[CK_TEXT_MAX];
	struct ck_position again;
	struct walk_state back;
	struct pd_fail fail;
	const char *bad = c->mine.rules->read(&c->mine, text, &again);
	if (bad)
		return differ(c, "%s: the checker cannot read it: %s", text, bad);
	c->mine.rules->print(&c->mine, p, my_text);
	if (c->game->rules->parse(c->game, my_text, &back, &fail))
		return differ(c, "%s, printed by the checker: %s", my_text, fail.text);
	return same_key(c, state, &again, "the text as the checker reads it") &&
	       same_key(c, &back, p, "the checker's text");
}

/* Compares whether the game is over and its value; sets *over. */
static bool same_end(struct compare *c, const void *state, const struct ck_position *p, bool *over)
{
	char text[GAME_TEXT_MAX];
	int a = 0, b = 0;
	*over = c->game->rules->terminal(c->game, state, &a);
	bool mine = c->mine.rules->over(&c->mine, p, &b);
	if (mine == *over && (!mine || a == b))
		return true;
	c->game->rules->print(c->game, state, text, sizeof text);
	return differ(c, "%s: over %d and worth %d, by the checker %d and %d", text, *over, a, mine, b);
}

static int by_code(const void *a, const void *b)
{
	return (int)*(const uint16_t *)a - (int)*(const uint16_t *)b;
}

/* The legal moves as sets; both lists are sorted. */
static bool same_moves(struct compare *c, const struct ck_position *p, uint16_t *moves, unsigned count,
		       const char *text)
{
	uint16_t mine[CK_MOVES_MAX];
	unsigned n = c->mine.rules->moves(&c->mine, p, mine);
	qsort(moves, count, sizeof *moves, by_code);
	qsort(mine, n, sizeof *mine, by_code);
	if (n == count && !memcmp(moves, mine, n * sizeof *mine))
		return true;
	return differ(c, "%s: %u moves, by the checker %u, or others", text, count, n);
}

static bool same_child(struct compare *c, const struct both *at, const struct ck_position *of_key, game_move move)
{
	struct both child = *at;
	struct ck_position image = *of_key;
	bool over;
	c->children++;
	c->game->rules->play(c->game, &child.state, move);
	c->mine.rules->play(&c->mine, &child.p, move);
	c->mine.rules->play(&c->mine, &image, game_canon(c->game, &at->state, move, false));
	return same_key(c, &child.state, &child.p, "a child") &&
	       same_key(c, &child.state, &image, "a child of the key's position") &&
	       same_end(c, &child.state, &child.p, &over);
}

/* Compares the names of a move. */
static bool same_name(struct compare *c, const struct both *at, game_move move, const char *text)
{
	char name[GAME_TEXT_MAX], mine[CK_MOVE_TEXT];
	uint16_t found;
	c->game->rules->move_print(c->game, &at->state, move, name, sizeof name);
	ck_move_name(&c->mine, &at->p, move, mine);
	if (strcmp(name, mine) != 0)
		return differ(c, "%s: the move %s, called %s by the checker", text, name, mine);
	return (ck_move_find(&c->mine, &at->p, name, strlen(name), &found) && found == move) ||
	       differ(c, "%s: the checker does not find the move %s", text, name);
}

/* Compares the canonical image of the position, which both sides make from the key. */
static bool same_image(struct compare *c, const struct both *at, struct ck_position *of_key, const char *text)
{
	uint8_t key[GAME_KEY_MAX];
	struct walk_state image;
	bool over;
	size_t size = c->game->rules->key(c->game, &at->state, key);
	if (!ck_decode(&c->mine, key, size, of_key))
		return differ(c, "%s: the checker refuses its key", text);
	if (c->game->rules->unkey(c->game, key, size, &image))
		return differ(c, "%s: its key is refused", text);
	return same_key(c, &at->state, of_key, "the key's position, by the checker") &&
	       same_key(c, &image, &at->p, "the key's position") && same_end(c, &image, of_key, &over);
}

/* Compares whether each side accepts a key with a changed bit. */
static bool same_refusal(struct compare *c, const void *state)
{
	uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
	struct walk_state back;
	struct ck_position p;
	char text[GAME_TEXT_MAX] = "";
	size_t size = c->game->rules->key(c->game, state, key);
	key[walk_below(&c->random, (unsigned)size)] ^= (uint8_t)(1u << walk_below(&c->random, 8));
	unsigned other = walk_below(&c->random, 10);
	if (other == 0)
		size--;
	else if (other == 1 && size < GAME_KEY_MAX)
		key[size++] = (uint8_t)walk_below(&c->random, 3);
	bool good = !c->game->rules->unkey(c->game, key, size, &back) &&
		    c->game->rules->key(c->game, &back, again) == size && !memcmp(again, key, size);
	if (good)
		c->game->rules->print(c->game, &back, text, sizeof text);
	else
		for (size_t i = 0; i < size; i++)
			snprintf(text + 2 * i, 3, "%02x", key[i]);
	if (ck_decode(&c->mine, key, size, &p) == good)
		return true;
	return differ(c, "a key is taken by %s alone: %s", good ? "the game" : "the checker", text);
}

static bool same_position(struct compare *c, const struct both *at)
{
	char text[GAME_TEXT_MAX];
	uint16_t moves[GAME_MOVES_MAX], copy[GAME_MOVES_MAX];
	struct ck_position of_key;
	bool over;
	c->positions++;
	c->game->rules->print(c->game, &at->state, text, sizeof text);
	if (!same_key(c, &at->state, &at->p, "itself") || !same_end(c, &at->state, &at->p, &over) ||
	    !same_texts(c, &at->state, &at->p, text) || !same_image(c, at, &of_key, text) ||
	    !same_refusal(c, &at->state))
		return false;
	c->ends += over;
	unsigned count = c->game->rules->moves(c->game, &at->state, moves);
	if (over)
		return count == 0 || differ(c, "%s: the game is over, and there are moves", text);
	if (c->mine.rules->first_moves(&c->mine, &at->p) != c->game->rules->first_to_move(c->game, &at->state))
		return differ(c, "%s: who is to move", text);
	memcpy(copy, moves, count * sizeof *moves);
	if (!same_moves(c, &at->p, copy, count, text))
		return false;
	for (unsigned i = 0; i < count; i++)
		copy[i] = game_canon(c->game, &at->state, moves[i], false);
	if (!same_moves(c, &of_key, copy, count, text))
		return false;
	unsigned chosen = count < c->children_max ? count : c->children_max;
	for (unsigned i = 0; i < chosen; i++) {
		unsigned other = i + (chosen < count ? walk_below(&c->random, count - i) : 0);
		uint16_t move = moves[other];
		moves[other] = moves[i];
		moves[i] = move;
		if (!same_child(c, at, &of_key, move) || (i < NAMES && !same_name(c, at, move, text)))
			return false;
	}
	return true;
}

/* --- walks -------------------------------------------------------------------------------- */

static game_move choose_move(struct compare *c, const void *state, enum compare_way way)
{
	uint16_t moves[GAME_MOVES_MAX];
	int value;
	unsigned count = c->game->rules->moves(c->game, state, moves);
	game_move move = moves[walk_below(&c->random, count)];
	for (unsigned i = 0; way != COMPARE_ANY && i < TRIES; i++) {
		struct walk_state child;
		memcpy(&child, state, c->game->state_size);
		c->game->rules->play(c->game, &child, move);
		if (c->game->rules->terminal(c->game, &child, &value) == (way == COMPARE_SOON))
			break;
		move = moves[walk_below(&c->random, count)];
	}
	return move;
}

/* Compares the moves of a walk from the initial position as text: both sides read the list to the final position, or
 * neither reads such lists. Skips lists that are too long. */
struct played {
	char text[COMPARE_TEXT_MAX / 2];
	size_t used;
};

static void played_add(const struct compare *c, struct played *list, const void *state, game_move move)
{
	size_t room = sizeof list->text - list->used;
	if (list->used && room > 1)
		list->text[list->used++] = ' ', room--;
	size_t length = c->game->rules->move_print(c->game, state, move, list->text + list->used, room);
	list->used = length < room ? list->used + length : sizeof list->text;
}

static bool same_list(struct compare *c, const struct played *list, const struct both *at)
{
	struct both again;
	struct pd_fail fail;
	if (!list->used || list->used >= sizeof list->text)
		return true;
	bool refused = c->game->rules->parse(c->game, list->text, &again.state, &fail) != PD_OK;
	const char *bad = c->mine.rules->read(&c->mine, list->text, &again.p);
	if (refused != (bad != NULL))
		return differ(c, "%s: one side alone refuses these moves: %s", list->text, bad ? bad : fail.text);
	return refused || (same_key(c, &again.state, &at->p, "the moves as a text") &&
			   same_key(c, &at->state, &again.p, "the moves as a text, by the checker"));
}

bool compare_walk(struct compare *c, const char *text, unsigned plies, enum compare_way way)
{
	struct both at;
	struct played list = {.used = 0};
	struct pd_fail fail;
	uint8_t key[GAME_KEY_MAX];
	int value;
	bool refused = c->game->rules->parse(c->game, text, &at.state, &fail) != PD_OK;
	const char *bad = c->mine.rules->read(&c->mine, text, &at.p);
	if (refused != (bad != NULL))
		return differ(c, "%s: one side alone refuses it: %s", text, bad ? bad : fail.text);
	c->games += !refused;
	for (unsigned ply = 0; !refused; ply++) {
		size_t size = c->game->rules->key(c->game, &at.state, key);
		if (is_new(c, key, size) && !same_position(c, &at))
			return false;
		if (ply >= plies || c->game->rules->terminal(c->game, &at.state, &value))
			break;
		game_move move = choose_move(c, &at.state, way);
		if (!*text && list.used < sizeof list.text)
			played_add(c, &list, &at.state, move);
		c->game->rules->play(c->game, &at.state, move);
		c->mine.rules->play(&c->mine, &at.p, move);
	}
	return refused || same_list(c, &list, &at);
}

bool compare_set_up(struct compare *c, unsigned plies, enum compare_way way)
{
	const struct game_rules *rules = c->game->rules;
	struct game_board board = {0};
	struct game_diagram d = {0};
	struct walk_state s;
	char text[GAME_TEXT_MAX];
	int value;
	if (!game_has_board(c->game) || !rules->set_up)
		return true;
	rules->board(c->game, &board);
	rules->start(c->game, &s);
	for (unsigned left = walk_below(&c->random, plies); left && !rules->terminal(c->game, &s, &value); left--)
		rules->play(c->game, &s, choose_move(c, &s, way));
	rules->diagram(c->game, &s, &d);
	for (unsigned left = walk_below(&c->random, 5); left; left--)
		d.on[walk_below(&c->random, board.places)] = (uint8_t)walk_below(&c->random, board.pieces + 1u);
	d.to_move = (uint8_t)walk_below(&c->random, GAME_NO_SIDE + 1u);
	if (rules->set_up(c->game, &d, &s, NULL))
		return true;
	rules->print(c->game, &s, text, sizeof text);
	return compare_walk(c, text, plies, way);
}
