/* Positions: "GAME\nPOSITION\nMOVE". Any game name, position text and move text gives an error or something that obeys
 * the laws of game.h: what is printed is read back to the same key, keys open to positions with that key, moves are
 * legal and read back, playing them gives positions of the same kind. */
#include <stdio.h>
#include <string.h>

#include "solver/games/board_picture.h"
#include "solver/games/game.h"
#include "solver/games/record.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/graph.h"

enum { MOVES_TRIED = 12, TEXT_BYTES = 3000 };

/* andor:NAME is a small graph, whatever its name. */
static int small_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	struct graph_maker m;
	graph_begin(&m, -2, 2);
	graph_node(&m, "A", true, "B C");
	graph_node(&m, "B", false, "A d");
	graph_node(&m, "C", true, "d e");
	graph_leaf(&m, "d", 2);
	graph_leaf(&m, "e", -1);
	*out = graph_end(&m);
	return PD_OK;
}

static void same_key(const struct game *g, const void *a, const void *b)
{
	uint8_t one[GAME_KEY_MAX], two[GAME_KEY_MAX];
	size_t size = g->rules->key(g, a, one);
	FUZZ_CHECK(size >= 1 && size <= g->key_size_max);
	FUZZ_CHECK(g->rules->key(g, b, two) == size && !memcmp(one, two, size));
}

static void look_at(const struct game *g, const void *state)
{
	_Alignas(16) uint8_t other[GAME_STATE_MAX];
	static char text[1 << 16];
	uint8_t key[GAME_KEY_MAX];
	struct pd_fail fail;
	size_t wanted = g->rules->print(g, state, text, sizeof text);
	FUZZ_CHECK(wanted < GAME_TEXT_MAX && strlen(text) == wanted);
	FUZZ_CHECK(!g->rules->parse(g, text, other, &fail));
	same_key(g, state, other);
	FUZZ_CHECK(!g->rules->unkey(g, key, g->rules->key(g, state, key), other));
	same_key(g, state, other);
	FUZZ_CHECK(game_picture(g, state, text, sizeof text) < GAME_TEXT_MAX);
}

static void look_at_moves(const struct game *g, const void *state, const char *move_text)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX], move;
	char text[GAME_TEXT_MAX];
	struct pd_fail fail;
	int value;
	bool over = g->rules->terminal(g, state, &value);
	unsigned count = g->rules->moves(g, state, moves);
	FUZZ_CHECK(over == !count && count <= g->moves_max);
	FUZZ_CHECK(!over ||
		   (value >= g->value_min && value <= g->value_max && (value - g->value_min) % g->value_step == 0));
	for (unsigned i = 0; i < count && i < MOVES_TRIED; i++) {
		FUZZ_CHECK(g->rules->move_print(g, state, moves[i], text, sizeof text) < sizeof text);
		FUZZ_CHECK(!g->rules->move_parse(g, state, text, &move, &fail));
		FUZZ_CHECK(game_canon(g, state, game_canon(g, state, moves[i], false), true) == moves[i]);
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		look_at(g, child);
	}
	if (g->rules->move_parse(g, state, move_text, &move, &fail))
		return;
	unsigned i = 0;
	while (i < count && moves[i] != move)
		i++;
	FUZZ_CHECK(i < count);
}

/* Any text is a record or an error that says where; the position that it leads to is one of the game. What is read is
 * read to its end: a bracket behind it is refused. */
static void play_record(const struct game *g, const void *state, const char *text)
{
	_Alignas(16) uint8_t moved[GAME_STATE_MAX], other[GAME_STATE_MAX];
	struct game_played played = {0}, more = {0};
	char longer[TEXT_BYTES + 3];
	struct pd_fail fail;
	memcpy(moved, state, g->state_size);
	if (game_play_record(g, text, true, moved, &played, &fail))
		FUZZ_CHECK(fail.code == PD_E_MOVE && fail.text[0] && !strcmp(fail.field, "moves"));
	else {
		memcpy(other, state, g->state_size);
		snprintf(longer, sizeof longer, "%s\n]", text);
		FUZZ_CHECK(game_play_record(g, longer, true, other, &more, &fail) == PD_E_MOVE);
	}
	FUZZ_CHECK(played.places <= GAME_MOVE_PLACES_MAX);
	look_at(g, moved);
}

FUZZ(position)
{
	static const struct game_host host = {NULL, small_graph};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[TEXT_BYTES];
	struct game *g;
	struct pd_fail fail;
	if (size >= sizeof text || memchr(data, 0, size))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	char *position = strchr(text, '\n'), *move = position ? strchr(position + 1, '\n') : NULL;
	if (position)
		*position++ = 0;
	if (move)
		*move++ = 0;
	if (game_open(text, &host, &g, &fail))
		return 0;
	FUZZ_CHECK(g->state_size <= GAME_STATE_MAX && g->key_size_max <= GAME_KEY_MAX &&
		   g->moves_max <= GAME_MOVES_MAX);
	if (!g->rules->parse(g, position ? position : "", state, &fail)) {
		look_at(g, state);
		look_at_moves(g, state, move ? move : "");
		play_record(g, state, move ? move : "");
	} else {
		FUZZ_CHECK(fail.code && fail.text[0]);
	}
	game_close(g);
	return 0;
}
