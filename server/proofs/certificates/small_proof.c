#include "server/proofs/certificates/small_proof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

enum { ROOM_FIRST = 1 << 10 };

/* --- nodes -------------------------------------------------------------------------------- */

void sv_small_nodes_init(struct sv_small_nodes *nodes)
{
	*nodes = (struct sv_small_nodes){0};
	pd_buf_init(&nodes->keys, SIZE_MAX / 2);
}

void sv_small_nodes_fini(struct sv_small_nodes *nodes)
{
	free(nodes->list);
	free(nodes->slots);
	pd_buf_fini(&nodes->keys);
	sv_small_nodes_init(nodes);
}

static uint32_t *find_slot(const struct sv_small_nodes *nodes, const uint8_t *key, size_t size)
{
	size_t i = pd_bucket_hash(key, size) & (2 * nodes->room - 1);
	for (; nodes->slots[i]; i = (i + 1) & (2 * nodes->room - 1)) {
		const struct sv_small_node *n = &nodes->list[nodes->slots[i] - 1];
		if (n->size == size && !memcmp(nodes->keys.data + n->key_at, key, size))
			break;
	}
	return &nodes->slots[i];
}

struct sv_small_node *sv_small_find(const struct sv_small_nodes *nodes, const uint8_t *key, size_t size)
{
	uint32_t at = nodes->room ? *find_slot(nodes, key, size) : 0;
	return at ? &nodes->list[at - 1] : NULL;
}

static bool grow_nodes(struct sv_small_nodes *nodes)
{
	size_t room = nodes->room ? 2 * nodes->room : ROOM_FIRST;
	struct sv_small_node *list = realloc(nodes->list, room * sizeof *list);
	uint32_t *slots = list ? calloc(2 * room, sizeof *slots) : NULL;
	nodes->list = list ? list : nodes->list;
	if (!slots)
		return false;
	free(nodes->slots);
	nodes->slots = slots;
	nodes->room = room;
	for (size_t i = 0; i < nodes->count; i++)
		*find_slot(nodes, (const uint8_t *)nodes->keys.data + list[i].key_at, list[i].size) = (uint32_t)i + 1;
	return true;
}

struct sv_small_node *sv_small_add(struct sv_small_nodes *nodes, const uint8_t *key, size_t size)
{
	struct sv_small_node *found = sv_small_find(nodes, key, size);
	if (found)
		return found;
	if (nodes->count == nodes->room && !grow_nodes(nodes))
		return NULL;
	uint32_t *slot = find_slot(nodes, key, size);
	struct sv_small_node *n = &nodes->list[nodes->count];
	*n = (struct sv_small_node){.key_at = nodes->keys.size, .size = (uint16_t)size, .card = SV_SMALL_NONE};
	pd_buf_put(&nodes->keys, key, size);
	if (nodes->keys.failed)
		return NULL;
	*slot = (uint32_t)++nodes->count;
	return n;
}

/* --- cards -------------------------------------------------------------------------------- */

uint32_t sv_small_add_card(struct sv_small_proof *p, const int8_t *weights)
{
	pd_buf_put(&p->cards, weights, p->squares);
	return p->cards.failed ? SV_SMALL_NONE : p->card_count++;
}

void sv_small_card(const struct sv_small_proof *p, uint32_t card, int8_t *weights)
{
	PD_ASSERT(card < p->card_count);
	memcpy(weights, p->cards.data + (size_t)card * p->squares, p->squares);
}

void sv_small_use(struct sv_small_proof *p, uint32_t card)
{
	unsigned at = 0;
	while (at < p->recent_count && p->recent[at] != card)
		at++;
	if (at == p->recent_count && p->recent_count < SV_SMALL_RECENT)
		p->recent_count++;
	if (at == SV_SMALL_RECENT)
		at--;
	memmove(p->recent + 1, p->recent, at * sizeof *p->recent);
	p->recent[0] = card;
}

/* --- the file ----------------------------------------------------------------------------- */

/* For this program alone, in the machine's byte order: head, cards, nodes, keys. What the file says is checked like
 * everything else when the certificate is written. */
struct head {
	char mark[16], game[GAME_NAME_MAX];
	uint64_t rules, nodes, key_bytes;
	uint32_t squares, limit, cards, key_size;
	int32_t bound;
	uint8_t first, again, node_size, unused;
	uint8_t key[GAME_KEY_MAX];
};

static const char file_mark[16] = "proofd small 1\n";

/* The nodes to keep: while a proof is repeated, those of the earlier one. */
static const struct sv_small_nodes *nodes_kept(const struct sv_small_proof *p)
{
	return p->again ? &p->old : &p->now;
}

static void fill_head(const struct sv_small_proof *p, struct head *h)
{
	const struct sv_small_nodes *nodes = nodes_kept(p);
	memset(h, 0, sizeof *h);
	memcpy(h->mark, file_mark, sizeof h->mark);
	memcpy(h->game, p->game->name, sizeof h->game);
	h->rules = p->game->rules_version;
	h->nodes = nodes->count;
	h->key_bytes = nodes->keys.size;
	h->squares = p->squares;
	h->limit = p->limit;
	h->cards = p->card_count;
	h->bound = p->bound;
	h->first = p->first;
	h->again = p->again;
	h->node_size = sizeof(struct sv_small_node);
	h->key_size = (uint32_t)p->game->rules->key(p->game, p->root, h->key);
}

static bool write_bytes(FILE *file, const void *data, size_t size)
{
	return !size || fwrite(data, 1, size, file) == size;
}

int sv_small_save(const struct sv_small_proof *p, const char *path, struct pd_fail *fail)
{
	const struct sv_small_nodes *nodes = nodes_kept(p);
	char part[4200];
	struct head h;
	fill_head(p, &h);
	snprintf(part, sizeof part, "%s.new", path);
	FILE *file = fopen(part, "wbe");
	bool good = file && write_bytes(file, &h, sizeof h) && write_bytes(file, p->cards.data, p->cards.size) &&
		    write_bytes(file, nodes->list, nodes->count * sizeof *nodes->list) &&
		    write_bytes(file, nodes->keys.data, nodes->keys.size) && !fflush(file) && !fsync(fileno(file));
	int rc = good ? PD_OK : pd_fail_errno(fail, "file", "write", part);
	if (file)
		fclose(file);
	if (!rc && rename(part, path))
		rc = pd_fail_errno(fail, "file", "rename", part);
	if (rc)
		unlink(part);
	return rc;
}

/* Reads `size` bytes to the end of a buffer. */
static bool read_bytes(FILE *file, struct pd_buf *out, size_t size)
{
	if (!pd_buf_reserve(out, size) || fread(out->data + out->size, 1, size, file) != size)
		return false;
	out->size += size;
	return true;
}

/* Adds the nodes of a file; a node that is not decided is dropped. */
static bool read_nodes(struct sv_small_proof *p, FILE *file, const struct head *h)
{
	struct pd_buf nodes, keys;
	pd_buf_init(&nodes, SIZE_MAX / 2);
	pd_buf_init(&keys, SIZE_MAX / 2);
	bool good = h->nodes <= UINT32_MAX && h->key_bytes <= h->nodes * GAME_KEY_MAX &&
		    read_bytes(file, &nodes, h->nodes * sizeof(struct sv_small_node)) &&
		    read_bytes(file, &keys, h->key_bytes);
	for (uint64_t i = 0; good && i < h->nodes; i++) {
		struct sv_small_node from, *to;
		memcpy(&from, nodes.data + i * sizeof from, sizeof from);
		good = from.kind <= SV_SMALL_THEOREM && from.size <= GAME_KEY_MAX &&
		       from.key_at + from.size <= h->key_bytes &&
		       (from.kind != SV_SMALL_CARD || from.card < p->card_count);
		if (!good || (from.kind == SV_SMALL_OPEN && !from.tried))
			continue;
		to = sv_small_add(h->again ? &p->old : &p->now, (const uint8_t *)keys.data + from.key_at, from.size);
		good = to != NULL;
		if (good) {
			from.key_at = to->key_at;
			from.owner = 0;
			*to = from;
		}
	}
	pd_buf_fini(&nodes);
	pd_buf_fini(&keys);
	return good;
}

bool sv_small_load(struct sv_small_proof *p, const char *path)
{
	struct head want, h;
	FILE *file = fopen(path, "rbe");
	fill_head(p, &want);
	bool good = file && fread(&h, sizeof h, 1, file) == 1;
	if (good) {
		want.nodes = h.nodes;
		want.key_bytes = h.key_bytes;
		want.cards = h.cards;
		want.again = h.again = h.again != 0;
		good = !memcmp(&want, &h, sizeof h);
	}
	if (good && read_bytes(file, &p->cards, (size_t)h.cards * p->squares)) {
		p->card_count = h.cards;
		good = read_nodes(p, file, &h);
		p->again = h.again;
	} else {
		good = false;
	}
	if (file)
		fclose(file);
	return good;
}
