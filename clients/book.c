#include "clients/book.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/hash.h"
#include "solver/games/record.h"

enum { LABEL_MAX = 128, LABEL_PLIES = 20, ROOM_MIN = 1024 /* a power of two */ };

struct book {
	const struct game *game;
	unsigned depth;
	struct pd_id *seen; /* hash table of exact keys; all bits 0: a free place */
	size_t count, room;
	int (*each)(void *ctx, const struct cl_book_position *position, struct pd_fail *fail);
	void *ctx;
	struct pd_fail *fail;
};

static int refuse_memory(struct book *b)
{
	return pd_fail_set(b->fail, PD_E_NO_MEMORY, "", "no memory for the positions of a book");
}

/* The place of an identity, or the free one where it belongs. */
static struct pd_id *find_place(const struct book *b, struct pd_id id)
{
	size_t at = id.lo & (b->room - 1);
	while ((b->seen[at].lo | b->seen[at].hi) && !pd_id_equal(b->seen[at], id))
		at = (at + 1) & (b->room - 1);
	return &b->seen[at];
}

static bool grow_seen(struct book *b)
{
	struct book old = *b;
	b->room = old.room ? 2 * old.room : ROOM_MIN;
	b->seen = calloc(b->room, sizeof *b->seen);
	if (!b->seen) {
		*b = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++)
		if (old.seen[i].lo | old.seen[i].hi)
			*find_place(b, old.seen[i]) = old.seen[i];
	free(old.seen);
	return true;
}

/* Tells a position of which there was none with the same key. */
static int tell_position(struct book *b, const void *state, const char *label)
{
	uint8_t key[GAME_KEY_MAX];
	char text[GAME_TEXT_MAX];
	int value;
	if (b->game->rules->terminal(b->game, state, &value))
		return PD_OK;
	if (2 * b->count >= b->room && !grow_seen(b))
		return refuse_memory(b);
	struct pd_id id = pd_id_of(key, b->game->rules->key(b->game, state, key), 0);
	struct pd_id *place = find_place(b, id);
	if (pd_id_equal(*place, id))
		return PD_OK;
	*place = id;
	b->count++;
	b->game->rules->print(b->game, state, text, sizeof text);
	const struct cl_book_position position = {text, label};
	return b->each(b->ctx, &position, b->fail);
}

/* The last moves that lead to a node, in the game's notation, as many as the room allows. */
static void print_label(const struct book *b, const struct game_tree *tree, uint32_t node, char out[LABEL_MAX + 1])
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char move[GAME_TEXT_MAX];
	uint32_t path[GAME_TREE_MOVES];
	unsigned plies = 0;
	for (; node; node = tree->nodes[node].parent)
		path[plies++] = node;
	size_t size = (size_t)snprintf(out, LABEL_MAX + 1, "%s", plies > LABEL_PLIES ? "..." : "");
	memcpy(state, tree->start, b->game->state_size);
	while (plies--) {
		game_move played = tree->nodes[path[plies]].move;
		b->game->rules->move_print(b->game, state, played, move, sizeof move);
		b->game->rules->play(b->game, state, played);
		if (plies < LABEL_PLIES && size < LABEL_MAX)
			size += (size_t)snprintf(out + size, LABEL_MAX + 1 - size, "%s%s", size ? " " : "", move);
	}
}

static int tell_tree(struct book *b, const struct game_tree *tree)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char label[LABEL_MAX + 1];
	struct game_tree at = *tree; /* a place of its own in the same tree */
	int rc = PD_OK;
	for (uint32_t node = game_tree_next(tree, 0); !rc && node; node = game_tree_next(tree, node)) {
		unsigned plies = 0;
		for (uint32_t i = node; i; i = tree->nodes[i].parent)
			plies++;
		if (b->depth && plies > b->depth)
			continue;
		game_tree_go(&at, b->game, state, node);
		print_label(b, tree, node, label);
		rc = tell_position(b, state, label);
	}
	return rc;
}

/* Reads one game of the text; *games: how many there are. */
static int read_game(struct book *b, const char *text, const char *position, unsigned number, unsigned *games)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_tree tree;
	struct pd_fail why = {0};
	struct game_played played = {.number = number, .tree = &tree};
	int rc = b->game->rules->parse(b->game, position ? position : "", state, b->fail);
	if (rc)
		return rc;
	game_tree_init(&tree);
	rc = game_play_record(b->game, text, !position, state, &played, &why);
	if (rc)
		pd_fail_set(b->fail, (enum pd_error)rc, "file", "game %u: %.400s", number, why.text);
	else if (!game_tree_end(&tree, b->game, state) || tree.no_memory)
		rc = refuse_memory(b);
	else
		rc = tell_tree(b, &tree);
	*games = played.games;
	game_tree_fini(&tree);
	return rc;
}

int cl_book_read(const struct game *game, const char *text, const char *position, unsigned depth,
		 int (*each)(void *ctx, const struct cl_book_position *position, struct pd_fail *fail), void *ctx,
		 struct pd_fail *fail)
{
	struct book b = {.game = game, .depth = depth, .each = each, .ctx = ctx, .fail = fail};
	unsigned games = 1;
	int rc = PD_OK;
	for (unsigned number = 1; !rc && number <= games; number++)
		rc = read_game(&b, text, position, number, &games);
	free(b.seen);
	return rc;
}
