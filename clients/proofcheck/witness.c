#include "clients/proofcheck/witness.h"

#include "proto/base/assert.h"

bool ck_groups_read(const struct ck_card *card, unsigned board, struct ck_groups *out)
{
	unsigned at = 0;
	out->count = out->squares = 0;
	if (card->size > CK_WITNESS_MAX)
		return false;
	while (at < card->size) {
		unsigned size = card->witness[at++];
		if (!size || 2 * size > card->size - at)
			return false;
		out->size[out->count] = (uint8_t)size;
		out->first[out->count++] = (uint16_t)out->squares;
		for (; size; size--, at += 2) {
			unsigned square = card->witness[at] + 256u * card->witness[at + 1];
			if (square >= board)
				return false;
			out->square[out->squares++] = (uint16_t)square;
		}
	}
	PD_ASSERT(out->count <= CK_GROUPS_MAX && out->squares <= CK_GROUP_SQUARES_MAX);
	return true;
}

bool ck_groups_are_apart(const struct ck_groups *groups, const struct ck_position *p)
{
	bool seen[CK_SQUARES_MAX] = {false};
	for (unsigned i = 0; i < groups->squares; i++) {
		unsigned square = groups->square[i];
		if (p->at[square] || seen[square])
			return false;
		seen[square] = true;
	}
	return true;
}

bool ck_group_add(struct ck_card *card, uint8_t *room, const uint16_t *square, unsigned count)
{
	PD_ASSERT(count >= 1 && count <= 255);
	if (card->size + 1 + 2 * count > CK_WITNESS_MAX)
		return false;
	room[card->size++] = (uint8_t)count;
	for (unsigned i = 0; i < count; i++) {
		room[card->size++] = (uint8_t)square[i];
		room[card->size++] = (uint8_t)(square[i] >> 8);
	}
	return true;
}
