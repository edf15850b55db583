/* Keys: "GAME\n" and bytes. Bytes of a store or a certificate are no key, or the key of a position that has exactly
 * these bytes for its key. */
#include <string.h>

#include "solver/games/game.h"
#include "tests/fuzz/fuzz.h"

FUZZ(key)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	char name[64];
	struct game *g;
	struct pd_fail fail;
	const uint8_t *line = memchr(data, '\n', size);
	size_t length = line ? (size_t)(line - data) : sizeof name;
	if (length >= sizeof name)
		return 0;
	memcpy(name, data, length);
	name[length] = 0;
	size -= length + 1;
	if (size > GAME_KEY_MAX || game_open(name, NULL, &g, &fail))
		return 0;
	if (!g->rules->unkey(g, line + 1, size, state)) {
		/* A key that is not canonical may open; what it opens to has another one. */
		size_t own = g->rules->key(g, state, key);
		int value;
		game_move moves[GAME_MOVES_MAX];
		FUZZ_CHECK(own >= 1 && own <= g->key_size_max);
		bool over = g->rules->terminal(g, state, &value);
		FUZZ_CHECK(over == !g->rules->moves(g, state, moves));
	}
	game_close(g);
	return 0;
}
