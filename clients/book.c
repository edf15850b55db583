#include "clients/book.h"

#include <stdio.h>
#include <stdlib.h>

#include "clients/polyglot.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "solver/games/record.h"

enum {
	LABEL_MAX = 128,
	LABEL_PLIES = 20,
	MOVE_MAX = 64,   /* of a move's text in a label */
	ROOM_MIN = 1024, /* a power of two */
	ENTRY = 16,      /* bytes of an entry of Polyglot */
	EDAX_HEAD = 42,
	EDAX_POSITION = 40 /* and two bytes for each move */
};

/* A position of the line that is being played. */
struct level {
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char move[MOVE_MAX]; /* that led to it */
};

struct book {
	const struct cl_book_order *order;
	const struct game *game;
	struct pd_id *seen; /* hash table of exact keys; all bits 0: a free place */
	size_t count, room;
	struct level *line; /* from the initial position on */
	unsigned line_room;
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
	return b->order->each(b->order->ctx, &position, b->fail);
}

/* The last moves of the line up to that ply, in the game's notation, as many as the room allows. */
static void print_label(const struct book *b, unsigned plies, char out[LABEL_MAX + 1])
{
	unsigned first = plies > LABEL_PLIES ? plies - LABEL_PLIES + 1 : 1;
	size_t size = (size_t)snprintf(out, LABEL_MAX + 1, "%s", first > 1 ? "..." : "");
	for (unsigned i = first; i <= plies && size < LABEL_MAX; i++)
		size += (size_t)snprintf(out + size, LABEL_MAX + 1 - size, "%s%s", size ? " " : "", b->line[i].move);
}

/* Makes room for a line of that many plies; its initial position is set by the caller. */
static int make_line(struct book *b, unsigned plies)
{
	if (plies < b->line_room)
		return PD_OK;
	struct level *grown = realloc(b->line, 2 * (size_t)(plies + 1) * sizeof *grown);
	if (!grown)
		return refuse_memory(b);
	b->line = grown;
	b->line_room = 2 * (plies + 1);
	return PD_OK;
}

/* Plays a move as number `plies` of the line, after those before it. */
static int play_step(struct book *b, unsigned plies, game_move move)
{
	if (make_line(b, plies))
		return PD_E_NO_MEMORY;
	struct level *level = &b->line[plies];
	memcpy(level->state, level[-1].state, b->game->state_size);
	b->game->rules->move_print(b->game, level->state, move, level->move, sizeof level->move);
	b->game->rules->play(b->game, level->state, move);
	return PD_OK;
}

static int tell_step(struct book *b, unsigned plies)
{
	char label[LABEL_MAX + 1];
	print_label(b, plies, label);
	return tell_position(b, b->line[plies].state, label);
}

static int tell_tree(struct book *b, const struct game_tree *tree)
{
	int rc = make_line(b, 0);
	if (!rc)
		memcpy(b->line[0].state, tree->start, b->game->state_size);
	for (uint32_t node = game_tree_next(tree, 0); !rc && node; node = game_tree_next(tree, node)) {
		unsigned plies = 0;
		for (uint32_t i = node; i; i = tree->nodes[i].parent)
			plies++;
		if (b->order->depth && plies > b->order->depth)
			continue;
		rc = play_step(b, plies, tree->nodes[node].move); /* the node before has at least its parent's ply */
		rc = rc ? rc : tell_step(b, plies);
	}
	return rc;
}

/* Reads one game of the text; *games: how many there are. */
static int read_game(struct book *b, const char *text, unsigned number, unsigned *games)
{
	const char *position = b->order->position;
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

int cl_book_read(const struct cl_book_order *order, const char *text, struct pd_fail *fail)
{
	struct book b = {.order = order, .game = order->game, .fail = fail};
	unsigned games = 1;
	int rc = PD_OK;
	for (unsigned number = 1; !rc && number <= games; number++)
		rc = read_game(&b, text, number, &games);
	free(b.seen);
	free(b.line);
	return rc;
}

/* --- Polyglot ----------------------------------------------------------------------------- */

/* A position that is reached; 0 is the initial one. */
struct reached {
	uint32_t before; /* the index of the position before */
	uint32_t plies;
	game_move move; /* that leads from there */
};

struct walk {
	struct book *b;
	const uint8_t *data;
	size_t entries;
	struct reached *list; /* owned; in the order of plies */
	uint32_t count, room;
};

static uint64_t entry_key(const struct walk *w, size_t entry)
{
	const uint8_t *p = w->data + ENTRY * entry;
	return (uint64_t)pd_get_be32(p) << 32 | pd_get_be32(p + 4);
}

static int check_entries(const struct walk *w, size_t size)
{
	if (size % ENTRY)
		return pd_fail_set(w->b->fail, PD_E_PARSE, "file",
				   "a Polyglot book has entries of %d bytes, and the one at byte %zu is cut off", ENTRY,
				   size - size % ENTRY);
	for (size_t i = 1; i < w->entries; i++)
		if (entry_key(w, i) < entry_key(w, i - 1))
			return pd_fail_set(w->b->fail, PD_E_PARSE, "file",
					   "byte %zu: a Polyglot book is sorted by its keys, and this key is smaller "
					   "than the one before",
					   ENTRY * i);
	return PD_OK;
}

/* The first entry with at least that key. */
static size_t find_entry(const struct walk *w, uint64_t key)
{
	size_t from = 0, to = w->entries;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (entry_key(w, middle) < key)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/* Finds the move of an entry, in which castling is the king's move to its own rook. */
static int read_entry(const struct walk *w, size_t entry, const void *state, game_move *out)
{
	const struct game *game = w->b->game;
	unsigned bits = pd_get_be32(w->data + ENTRY * entry + 8) >> 16;
	unsigned to = bits & 63, from = bits >> 6 & 63, promoted = bits >> 12 & 7;
	char text[] = {(char)('a' + from % 8), (char)('1' + from / 8), (char)('a' + to % 8),
		       (char)('1' + to / 8),   "\0nbrqk.."[promoted],  0},
	     position[GAME_TEXT_MAX];
	struct pd_fail why;
	bool castles = from % 8 == 4 && from / 8 == to / 8 && (to % 8 == 0 || to % 8 == 7) && !promoted;
	if (!game_read_move(game, text, state, out, &why))
		return PD_OK;
	text[2] = to % 8 ? 'g' : 'c';
	if (castles && !game_read_move(game, text, state, out, &why))
		return PD_OK;
	text[2] = (char)('a' + to % 8);
	game->rules->print(game, state, position, sizeof position);
	return pd_fail_set(w->b->fail, PD_E_MOVE, "file", "byte %zu: '%s' is not a legal move in %.200s", ENTRY * entry,
			   text, position);
}

static int add_reached(struct walk *w, struct reached reached)
{
	if (w->count == w->room) {
		struct reached *grown = realloc(w->list, (2 * (size_t)w->room + 1) * sizeof *grown);
		if (!grown)
			return refuse_memory(w->b);
		w->list = grown;
		w->room = 2 * w->room + 1;
	}
	w->list[w->count++] = reached;
	return PD_OK;
}

/* Plays the moves that lead to a position that was reached. */
static int play_line(struct walk *w, uint32_t at)
{
	uint32_t path[GAME_TREE_MOVES];
	unsigned plies = 0;
	int rc = PD_OK;
	for (; at; at = w->list[at].before)
		path[plies++] = at;
	for (unsigned i = 1; !rc && i <= plies; i++)
		rc = play_step(w->b, i, w->list[path[plies - i]].move);
	return rc;
}

/* Tells the positions that the book's moves lead to from a position that was reached. */
static int expand_reached(struct walk *w, uint32_t at)
{
	struct book *b = w->b;
	char position[GAME_TEXT_MAX];
	unsigned plies = w->list[at].plies;
	uint64_t key;
	int rc = play_line(w, at);
	if (rc)
		return rc;
	const struct level level = b->line[plies]; /* the line grows */
	b->game->rules->print(b->game, level.state, position, sizeof position);
	if (!cl_polyglot_key(position, at ? level.move : NULL, &key))
		return pd_fail_set(b->fail, PD_E_GAME, "game",
				   "a Polyglot book has keys of chess positions, and there is none for this position "
				   "of %.40s: %.200s",
				   b->game->name, position);
	size_t entry = find_entry(w, key);
	if (!at && (entry == w->entries || entry_key(w, entry) != key))
		return pd_fail_set(b->fail, PD_E_PARSE, "file",
				   "this is not a book for %.40s: it has no move in the initial position, %.200s",
				   b->game->name, position);
	for (; !rc && entry < w->entries && entry_key(w, entry) == key; entry++) {
		struct reached next = {.before = at, .plies = plies + 1};
		size_t before = b->count;
		if (!(pd_get_be32(w->data + ENTRY * entry + 8) >> 16)) /* a1a1: to be ignored */
			continue;
		rc = read_entry(w, entry, level.state, &next.move);
		rc = rc ? rc : play_step(b, plies + 1, next.move);
		rc = rc ? rc : tell_step(b, plies + 1);
		if (!rc && b->count > before && next.plies < GAME_TREE_MOVES)
			rc = add_reached(w, next);
	}
	return rc;
}

static int read_polyglot(struct book *b, const uint8_t *data, size_t size)
{
	struct walk w = {.b = b, .data = data, .entries = size / ENTRY};
	const char *begin = b->order->position ? b->order->position : "";
	int rc = check_entries(&w, size);
	rc = rc ? rc : make_line(b, 0);
	rc = rc ? rc : b->game->rules->parse(b->game, begin, b->line[0].state, b->fail);
	rc = rc ? rc : add_reached(&w, (struct reached){0});
	for (uint32_t at = 0; !rc && at < w.count; at++)
		if (!b->order->depth || w.list[at].plies < b->order->depth)
			rc = expand_reached(&w, at);
	free(w.list);
	return rc;
}

/* --- Edax --------------------------------------------------------------------------------- */

static const char edax_magic[] = "XADEKOOB";

static int refuse_edax(struct book *b, size_t at, const char *what)
{
	return pd_fail_set(b->fail, PD_E_PARSE, "file", "byte %zu of the Edax book: %.300s", at, what);
}

/* The position at `p`: two sets of discs, the first being those of the side to move, a1 their lowest bit. Colours are
 * not stored; as in Edax, Black moves where the number of empty squares is even. */
static int tell_edax(struct book *b, const uint8_t *p, size_t at)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[64 + 3], label[LABEL_MAX];
	uint64_t own = pd_get_le64(p), other = pd_get_le64(p + 8);
	struct pd_fail why;
	unsigned empty = 0;
	for (unsigned i = 0; i < 64; i++)
		empty += !((own | other) >> i & 1);
	const char *colours = empty % 2 ? "OX" : "XO";
	for (unsigned i = 0; i < 64; i++)
		text[i] = own >> i & 1 ? colours[0] : other >> i & 1 ? colours[1] : '-';
	snprintf(text + 64, 3, " %c", colours[0]);
	if (own & other)
		return refuse_edax(b, at, "two discs are on one square");
	if (b->game->rules->parse(b->game, text, state, &why))
		return refuse_edax(b, at, why.text);
	if (b->order->depth && empty + b->order->depth < 60)
		return PD_OK;
	snprintf(label, sizeof label, "score %d, level %u, %u empty", (int16_t)pd_get_le16(p + 32), p[39], empty);
	return tell_position(b, state, label);
}

/* The bytes of the position at `at`; without its moves where the file ends before them. */
static size_t edax_bytes(const uint8_t *data, size_t size, size_t at)
{
	size_t bytes = EDAX_POSITION + 2;
	return bytes + (size - at >= bytes ? 2 * (size_t)data[at + 38] : 0);
}

static int read_edax(struct book *b, const uint8_t *data, size_t size)
{
	size_t at = EDAX_HEAD, count = 0;
	int rc = PD_OK;
	if (strcmp(b->game->name, "othello:8") != 0)
		return pd_fail_set(b->fail, PD_E_USAGE, "game", "this is an Edax book, which is for othello:8");
	if (b->order->position)
		return pd_fail_set(b->fail, PD_E_USAGE, "position",
				   "an Edax book has its own positions: leave out --position");
	if (size < EDAX_HEAD)
		return refuse_edax(b, size, "the header is cut off");
	if (data[8] != 4)
		return refuse_edax(b, 8, "its version is not 4");
	for (; at < size; count++) { /* the whole file, before any position is told */
		size_t next = at + edax_bytes(data, size, at);
		if (next > size)
			return refuse_edax(b, at, "the position is cut off");
		at = next;
	}
	if (count != pd_get_le32(data + EDAX_HEAD - 4))
		return refuse_edax(b, EDAX_HEAD - 4, "the number of positions in the header is not that of the file");
	for (at = EDAX_HEAD; !rc && at < size; at += edax_bytes(data, size, at))
		rc = tell_edax(b, data + at, at);
	return rc;
}

int cl_book_read_binary(const struct cl_book_order *order, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct book b = {.order = order, .game = order->game, .fail = fail};
	size_t magic = sizeof edax_magic - 1;
	int rc = size >= magic && !memcmp(data, edax_magic, magic) ? read_edax(&b, data, size)
								   : read_polyglot(&b, data, size);
	free(b.seen);
	free(b.line);
	return rc;
}
