/* Laws of keys: canonical positions, symmetric images, invalid bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/gametest/law.h"
#include "proto/base/hash.h"
#include "proto/base/random.h"

/* Compares what two positions with the same key must have in common. */
static void check_alike(struct gt *t, const struct gt_state *a, const struct gt_state *b, const char *what)
{
	int of_a = 0, of_b = 0;
	bool over = t->rules->terminal(t->game, a, &of_a);
	if (over != t->rules->terminal(t->game, b, &of_b))
		cl_gt_broken(t, "two positions have the same key, but the game is over in only one of them (%s)", what);
	if (over && of_a != of_b)
		cl_gt_broken(t, "two positions with the same key end with %d and %d (%s)", of_a, of_b, what);
	if (!over && t->rules->first_to_move(t->game, a) != t->rules->first_to_move(t->game, b))
		cl_gt_broken(t, "two positions with the same key have different players to move (%s)", what);
}

static void check_keys(struct gt *t)
{
	struct gt_state s, canonical, again;
	struct gt_key k, l;
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		cl_gt_key(t, &s, &k);
		cl_gt_key(t, &s, &l);
		if (!cl_gt_equal_keys(&k, &l))
			cl_gt_broken(t, "key gives different bytes when it is called again");
		cl_gt_canonical(t, &s, &canonical);
		if (!cl_gt_same_key(t, &s, &canonical))
			cl_gt_broken(t, "unkey(key) has another key");
		cl_gt_canonical(t, &canonical, &again);
		if (memcmp(&again, &canonical, t->game->state_size))
			cl_gt_broken(t, "the canonical position of a canonical position is a different one");
		check_alike(t, &s, &canonical, "this one and unkey(key)");
	}
}

/* The signatures of positions, by key. */
struct seen {
	struct entry {
		struct gt_key key;
		uint64_t signature;
		game_move path[64]; /* the first moves that led there */
		unsigned plies;
	} * entry;
	unsigned size; /* a power of 2 */
};

/* A hash of the keys of all children in any order, the player to move, and the result. */
static uint64_t signature_of(struct gt *t, const struct gt_state *s)
{
	static struct gt_moves moves;
	struct gt_state child;
	struct gt_key key;
	uint64_t sum = 0;
	int value = 0;
	bool over = t->rules->terminal(t->game, s, &value);
	cl_gt_moves(t, s, &moves);
	for (unsigned i = 0; i < moves.count; i++) {
		cl_gt_child(t, s, moves.at[i], &child);
		cl_gt_key(t, &child, &key);
		sum += pd_hash64(key.bytes, key.size) | 1;
	}
	int64_t rest[2] = {over ? value : 0, over ? 2 : t->rules->first_to_move(t->game, s)};
	return sum ^ pd_hash64(rest, sizeof rest);
}

static void check_seen(struct gt *t, struct seen *seen, const struct gt_state *s)
{
	struct gt_key key;
	cl_gt_key(t, s, &key);
	struct entry *e = &seen->entry[pd_hash64(key.bytes, key.size) & (seen->size - 1)];
	uint64_t signature = signature_of(t, s);
	bool same = cl_gt_equal_keys(&e->key, &key);
	if (same && e->signature != signature) {
		char text[600];
		size_t used = 0;
		struct gt_state at;
		memset(&at, 0, sizeof at);
		t->rules->start(t->game, &at);
		text[0] = 0;
		for (unsigned i = 0; i < e->plies && i < 64 && used < 300; i++) {
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%.30s", i ? " " : "",
						 cl_gt_move_text(t, &at, e->path[i]).text);
			t->rules->play(t->game, &at, e->path[i]);
		}
		cl_gt_broken(t,
			     "this position and the one after %s%s have the same key, but differ in their moves, their "
			     "player to move or their result",
			     text[0] ? text : "no move", e->plies > 64 ? " ..." : "");
	}
	if (same)
		return;
	e->key = key;
	e->signature = signature;
	e->plies = t->report->plies;
	memcpy(e->path, t->report->moves, sizeof e->path);
}

static void compare_equal_keys(struct gt *t)
{
	struct seen seen = {.size = 1 << 13};
	struct gt_state s, canonical;
	seen.entry = calloc(seen.size, sizeof *seen.entry);
	for (unsigned i = 0; seen.entry && i < 2 * t->rounds; i++) {
		cl_gt_position(t, &s);
		check_seen(t, &seen, &s);
		cl_gt_canonical(t, &s, &canonical);
		check_seen(t, &seen, &canonical);
	}
	free(seen.entry);
}

static void check_canon(struct gt *t, const struct gt_state *s)
{
	static struct gt_moves moves, there;
	struct gt_state canonical, a, b;
	cl_gt_canonical(t, s, &canonical);
	cl_gt_moves(t, s, &moves);
	cl_gt_moves(t, &canonical, &there);
	if (moves.count != there.count)
		cl_gt_broken(t, "this position has %u moves, but its canonical position has %u", moves.count,
			     there.count);
	for (unsigned i = 0; i < moves.count; i++) {
		game_move move = game_canon(t->game, s, moves.at[i], false);
		unsigned j = 0;
		while (j < there.count && there.at[j] != move)
			j++;
		struct gt_text text = cl_gt_move_text(t, s, moves.at[i]);
		if (j == there.count)
			cl_gt_broken(t, "canon takes %s to %u, which is not a move of the canonical position",
				     text.text, move);
		if (game_canon(t->game, s, move, true) != moves.at[i])
			cl_gt_broken(t, "canon does not take %s there and back", text.text);
		cl_gt_child(t, s, moves.at[i], &a);
		cl_gt_child(t, &canonical, move, &b);
		if (!cl_gt_same_key(t, &a, &b))
			cl_gt_broken(t, "%s and the move that canon gives for it lead to different keys", text.text);
	}
	for (unsigned i = 0; i < there.count; i++)
		if (game_canon(t->game, &canonical, there.at[i], false) != there.at[i])
			cl_gt_broken(t, "canon changes a move of a canonical position");
}

static void check_all_canon(struct gt *t)
{
	struct gt_state s;
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		check_canon(t, &s);
	}
}

static void check_bytes(struct gt *t, const struct gt_key *key)
{
	struct gt_state s, before;
	struct gt_key again;
	memset(&s, 0x5a, sizeof s);
	before = s;
	int rc = t->rules->unkey(t->game, key->bytes, key->size, &s);
	if (rc && rc != PD_E_CORRUPT)
		cl_gt_broken(t, "unkey refuses bytes with the code %d, not PD_E_CORRUPT", rc);
	if (rc && memcmp(&s, &before, sizeof s))
		cl_gt_broken(t, "unkey refuses bytes, but has written to the state");
	if (rc)
		return;
	memset(s.bytes + t->game->state_size, GT_SPARE_BYTE, sizeof s - t->game->state_size);
	cl_gt_key(t, &s, &again);
	if (!cl_gt_equal_keys(&again, key))
		cl_gt_broken(t, "unkey accepts bytes that are not a key: the position has another key");
}

static void refuse_bad_keys(struct gt *t)
{
	struct gt_state s;
	struct gt_key key;
	for (unsigned i = 0; i < 3 * t->rounds; i++) {
		cl_gt_position(t, &s);
		cl_gt_key(t, &s, &key);
		if (i % 5 == 0)
			for (size_t j = 0; j < key.size; j++)
				key.bytes[j] = (uint8_t)pd_random_next(&t->seed);
		else if (i % 5 == 1)
			key.size = cl_gt_below(t, (unsigned)key.size);
		else
			key.bytes[cl_gt_below(t, (unsigned)key.size)] ^= (uint8_t)(1u << cl_gt_below(t, 8));
		check_bytes(t, &key);
	}
	memset(&key, 0, sizeof key);
	check_bytes(t, &key);
	key.size = t->game->key_size_max + 1;
	if (!t->rules->unkey(t->game, key.bytes, key.size, &s))
		cl_gt_broken(t, "unkey accepts %zu bytes; key_size_max is %u", key.size, t->game->key_size_max);
}

const struct gt_law cl_laws_keys[] = {
	{"keys", "unkey(key) has that key, and the same player to move and result", check_keys},
	{"one-key", "positions with the same key have the same moves, player to move and result", compare_equal_keys},
	{"canon", "canon takes the moves of a position to those of its canonical position, and back", check_all_canon},
	{"bytes", "unkey refuses bytes that are not a key", refuse_bad_keys},
	{0},
};
