#include "server/proofs/certificates/certificate_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "server/proofs/certificates/certificate_store.h"

enum { KEY_MAX = 256, FLAG_UPPER = 1, FLAG_RANK = 2, FLAG_MOVE = 4, FLAG_EFFORT = 8, FLAG_CARD = 16 };

struct reading {
	const uint8_t *at, *end;
	bool bad;
	uint8_t key[KEY_MAX];
	size_t size; /* of the key */
	void (*each)(void *ctx, const struct sv_certificate_said *said);
	void *ctx;
	uint64_t reasons;
};

static uint64_t read_number(struct reading *r)
{
	uint64_t number = 0;
	for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
		uint8_t byte = *r->at++;
		number |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return number;
	}
	r->bad = true;
	return 0;
}

static void skip_bytes(struct reading *r, uint64_t count)
{
	r->bad |= count > (uint64_t)(r->end - r->at);
	r->at += r->bad ? 0 : count;
}

static void read_reason(struct reading *r)
{
	struct sv_certificate_said said = {.key = r->key, .size = r->size};
	struct pd_reason reason = {.rank = PD_RANK_NONE, .move = PD_NO_MOVE};
	skip_bytes(r, 1);
	uint8_t flags = r->bad ? 0 : r->at[-1];
	uint64_t bound = read_number(r);
	reason.side = flags & FLAG_UPPER ? PD_HI : PD_LO;
	reason.bound = (int16_t)((bound >> 1) ^ -(bound & 1));
	if (flags & FLAG_RANK)
		reason.rank = (uint16_t)read_number(r);
	if (flags & FLAG_MOVE)
		reason.move = (uint16_t)read_number(r);
	if (flags & FLAG_EFFORT)
		reason.effort = read_number(r) > 0;
	if (flags & FLAG_CARD) {
		said.theorem = read_number(r);
		said.witness_size = read_number(r);
		said.witness = r->at;
		skip_bytes(r, said.witness_size);
	}
	if (r->bad)
		return;
	said.reason = reason;
	r->each(r->ctx, &said);
	r->reasons++;
}

static void read_record(struct reading *r)
{
	uint64_t shared = read_number(r), rest = read_number(r);
	r->bad |= shared > r->size || rest > KEY_MAX - shared;
	const uint8_t *bytes = r->at;
	skip_bytes(r, rest);
	if (r->bad)
		return;
	memcpy(r->key + shared, bytes, rest);
	r->size = shared + rest;
	for (uint64_t count = read_number(r); count && !r->bad; count--)
		read_reason(r);
}

/* Reads the next block. False: there is none. */
static bool read_block(FILE *file, struct reading *r, uint8_t **room, size_t *capacity)
{
	uint8_t head[6];
	if (fread(head, 1, sizeof head, file) != sizeof head)
		return false;
	size_t size = pd_get_le32(head);
	if (size < 2 || size > (size_t)1 << 30)
		return false;
	size -= 2;
	if (size > *capacity) {
		uint8_t *larger = realloc(*room, size);
		if (!larger)
			return false;
		*room = larger;
		*capacity = size;
	}
	if (fread(*room, 1, size, file) != size)
		return false;
	r->at = *room;
	r->end = *room + size;
	r->size = 0;
	for (unsigned count = pd_get_le16(head + 4); count && !r->bad; count--)
		read_record(r);
	return !r->bad;
}

uint64_t sv_certificate_read(const char *path, const struct sv_certificate_text *text,
			     void (*each)(void *ctx, const struct sv_certificate_said *said), void *ctx)
{
	struct reading r = {.each = each, .ctx = ctx};
	uint8_t *room = NULL;
	size_t capacity = 0;
	FILE *file = fopen(path, "rbe");
	uint64_t before = strlen(text->lines) + 1 + sv_certificate_number(text, "graph");
	uint64_t blocks = sv_certificate_number(text, "blocks");
	if (file && !fseek(file, (long)before, SEEK_SET))
		while (blocks && read_block(file, &r, &room, &capacity))
			blocks--;
	if (file)
		fclose(file);
	free(room);
	return r.reasons;
}
