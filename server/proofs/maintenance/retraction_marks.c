#include "server/proofs/maintenance/retraction_marks.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/random.h"
#include "store/store.h"

_Static_assert(20 + (int)ST_KEY_MAX <= (int)PD_IDENTITY_MAX, "every reason can be named");
enum { MARKS_FIRST = 1 << 10 };

void sv_marks_init(struct sv_marks *m)
{
	*m = (struct sv_marks){0};
	pd_identity_init(&m->identity, pd_random64());
}

void sv_marks_fini(struct sv_marks *m)
{
	free(m->slot);
	*m = (struct sv_marks){0};
}

struct pd_id sv_mark_of(const struct sv_marks *m, uint32_t game, const uint8_t *key, size_t size,
			const struct pd_reason *r)
{
	uint8_t bytes[20 + ST_KEY_MAX], *p = bytes;
	pd_put_le32(p, game);
	pd_put_le16(p + 4, (uint16_t)r->bound);
	pd_put_le16(p + 6, r->side);
	pd_put_le16(p + 8, r->rank);
	pd_put_le16(p + 10, r->move);
	pd_put_le32(p + 12, r->effort);
	pd_put_le32(p + 16, r->job);
	PD_ASSERT(size <= ST_KEY_MAX);
	memcpy(p + 20, key, size);
	struct pd_id id = pd_identity_of(&m->identity, bytes, 20 + size);
	id.lo += !id.lo && !id.hi;
	return id;
}

static struct pd_id *find_slot(const struct sv_marks *m, struct pd_id id)
{
	uint64_t i = id.lo;
	PD_ASSERT(m->capacity && !(m->capacity & (m->capacity - 1)) && 2 * m->count <= m->capacity);
	while ((m->slot[i & (m->capacity - 1)].lo || m->slot[i & (m->capacity - 1)].hi) &&
	       !pd_id_equal(m->slot[i & (m->capacity - 1)], id))
		i++;
	return &m->slot[i & (m->capacity - 1)];
}

bool sv_marked(const struct sv_marks *m, struct pd_id id)
{
	return m->capacity && pd_id_equal(*find_slot(m, id), id);
}

bool sv_mark(struct sv_marks *m, struct pd_id id)
{
	if (2 * (m->count + 1) > m->capacity) {
		struct sv_marks larger = {.capacity = m->capacity ? 2 * m->capacity : MARKS_FIRST, .count = m->count};
		larger.identity = m->identity;
		larger.slot = calloc(larger.capacity, sizeof *larger.slot);
		if (!larger.slot)
			return false;
		for (uint64_t i = 0; i < m->capacity; i++)
			if (m->slot[i].lo || m->slot[i].hi)
				*find_slot(&larger, m->slot[i]) = m->slot[i];
		free(m->slot);
		m->slot = larger.slot;
		m->capacity = larger.capacity;
	}
	struct pd_id *slot = find_slot(m, id);
	m->count += !pd_id_equal(*slot, id);
	*slot = id;
	return true;
}
