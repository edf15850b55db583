#include "store/pack.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"

/* The head byte of a packed reason. */
enum {
	HEAD_HI = 1,       /* side */
	HEAD_MOVE = 2,     /* a move follows */
	HEAD_EFFORT = 4,   /* an effort follows, which is 0 before a dominated order part */
	HEAD_JOB = 8,      /* a job other than 0 follows */
	HEAD_BOUND = 4,    /* shift of the zigzag-coded bound */
	BOUND_FOLLOWS = 15 /* this value: the bound follows as a varint of its own */
};

uint8_t *st_entry_pack(uint8_t *p, const uint8_t *entry)
{
	memcpy(p, entry, ST_ENTRY_ID);
	uint8_t *mask_at = p + ST_ENTRY_ID, *q = mask_at + 2;
	unsigned mask = 0;
	for (unsigned i = 0; i < ST_ENTRY - ST_ENTRY_ID; i++) {
		uint8_t b = entry[ST_ENTRY_ID + i];
		if (b) {
			mask |= 1u << i;
			*q++ = b;
		}
	}
	pd_put_le16(mask_at, (uint16_t)mask);
	return q;
}

const uint8_t *st_entry_unpack(const uint8_t *p, const uint8_t *end, uint8_t *entry)
{
	if (end - p < ST_ENTRY_ID + 2)
		return NULL;
	memcpy(entry, p, ST_ENTRY_ID);
	unsigned mask = pd_get_le16(p + ST_ENTRY_ID);
	p += ST_ENTRY_ID + 2;
	for (unsigned i = 0; i < ST_ENTRY - ST_ENTRY_ID; i++) {
		entry[ST_ENTRY_ID + i] = 0;
		if (mask >> i & 1) {
			if (p == end || !*p)
				return NULL;
			entry[ST_ENTRY_ID + i] = *p++;
		}
	}
	return p;
}

uint8_t *st_reason_pack(uint8_t *p, const struct pd_reason *reason)
{
	PD_ASSERT(reason->side <= PD_HI && !(reason->dominated && reason->effort));
	uint64_t bound = pd_zigzag(reason->bound);
	unsigned head = (reason->side == PD_HI ? HEAD_HI : 0) | (reason->move != PD_NO_MOVE ? HEAD_MOVE : 0) |
			(reason->effort || reason->dominated ? HEAD_EFFORT : 0) | (reason->job ? HEAD_JOB : 0);
	head |= (unsigned)(bound < BOUND_FOLLOWS ? bound : BOUND_FOLLOWS) << HEAD_BOUND;
	*p++ = (uint8_t)head;
	if (bound >= BOUND_FOLLOWS)
		p = pd_put_varint(p, bound);
	p = pd_put_varint(p, reason->rank);
	if (head & HEAD_MOVE)
		p = pd_put_varint(p, reason->move);
	if (head & HEAD_EFFORT)
		p = pd_put_varint(p, reason->effort);
	if (reason->dominated)
		p = pd_put_varint(p, reason->dominated);
	if (head & HEAD_JOB)
		p = pd_put_varint(p, reason->job);
	return p;
}

/* Reads a varint within [least, most]; NULL when there is none, or when p is NULL. */
static const uint8_t *unpack_number(const uint8_t *p, const uint8_t *end, uint64_t least, uint64_t most, uint64_t *v)
{
	*v = 0;
	p = pd_get_varint(p, end, v);
	return p && *v >= least && *v <= most ? p : NULL;
}

const uint8_t *st_reason_unpack(const uint8_t *p, const uint8_t *end, struct pd_reason *reason)
{
	if (p == end)
		return NULL;
	unsigned head = *p++;
	uint64_t bound = head >> HEAD_BOUND, rank = 0, move = PD_NO_MOVE, effort = 0, job = 0, dominated = 0;
	if (bound == BOUND_FOLLOWS)
		p = unpack_number(p, end, BOUND_FOLLOWS, UINT16_MAX, &bound);
	p = unpack_number(p, end, 0, UINT16_MAX, &rank);
	if (head & HEAD_MOVE)
		p = unpack_number(p, end, 0, PD_NO_MOVE - 1, &move);
	if (head & HEAD_EFFORT)
		p = unpack_number(p, end, 0, UINT32_MAX, &effort);
	if (head & HEAD_EFFORT && !effort)
		p = unpack_number(p, end, 1, UINT64_MAX, &dominated);
	if (head & HEAD_JOB)
		p = unpack_number(p, end, 1, UINT32_MAX, &job);
	if (!p)
		return NULL;
	*reason = (struct pd_reason){.bound = (int16_t)pd_unzigzag(bound),
				     .side = head & HEAD_HI ? PD_HI : PD_LO,
				     .rank = (uint16_t)rank,
				     .move = (uint16_t)move,
				     .effort = (uint32_t)effort,
				     .job = (uint32_t)job,
				     .dominated = dominated};
	return p;
}

size_t st_fact_pack(uint8_t *p, const struct pd_fact *fact)
{
	const struct pd_reason *r = pd_fact_reasons(fact);
	uint8_t *q = p;
	for (uint32_t i = 0; i < fact->count; i++)
		q = st_reason_pack(q, &r[i]);
	return (size_t)(q - p);
}

int st_fact_decode(const uint8_t *p, size_t size, struct pd_fact *out)
{
	const uint8_t *end = p + size;
	struct pd_reason reason;
	out->count = 0;
	while (p < end) {
		p = st_reason_unpack(p, end, &reason);
		if (!p)
			return PD_E_CORRUPT;
		if (!pd_fact_append(out, &reason))
			return PD_E_NO_MEMORY;
	}
	return out->count ? PD_OK : PD_E_CORRUPT;
}

bool st_fact_sound(const struct pd_fact *fact)
{
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (!fact->count || (lo && hi && lo->bound > hi->bound))
		return false;
	for (uint32_t i = 1; i < fact->count; i++) {
		const struct pd_reason *b = &pd_fact_reasons(fact)[i], *a = b - 1;
		if (a->side > b->side)
			return false;
		if (a->side == b->side && (a->side == PD_LO ? a->bound <= b->bound : a->bound >= b->bound))
			return false;
		if (a->side == b->side && a->rank <= b->rank)
			return false;
	}
	return true;
}

int st_fact_fail(int rc, const char *where, struct pd_fail *fail)
{
	return pd_fail_set(fail, rc, rc == PD_E_NO_MEMORY ? "" : where, "%s",
			   rc == PD_E_NO_MEMORY ? "no memory to read a fact"
						: "a fact does not decode, or contradicts another");
}

int st_fact_union(struct pd_fact *fact, const struct pd_fact *other)
{
	const struct pd_reason *r = pd_fact_reasons(other);
	for (uint32_t i = 0; i < other->count; i++) {
		int added = pd_fact_add(fact, &r[i]);
		if (added < 0)
			return added == -1 ? PD_E_CORRUPT : PD_E_NO_MEMORY;
	}
	return PD_OK;
}

bool st_packed_make(struct st_packed *packed, const struct pd_fact *fact)
{
	uint8_t *to = packed->few;
	packed->many = NULL;
	if (fact->count > PD_REASONS_FEW)
		to = packed->many = malloc(st_fact_packed_most(fact));
	if (!to)
		return false;
	packed->bytes = to;
	packed->size = st_fact_pack(to, fact);
	return true;
}

void st_packed_fini(struct st_packed *packed)
{
	free(packed->many);
	packed->many = NULL;
}

bool st_fact_canonical(const uint8_t *p, size_t size)
{
	struct pd_fact fact;
	struct st_packed packed = {.many = NULL};
	pd_fact_init(&fact);
	bool good = !st_fact_decode(p, size, &fact) && st_fact_sound(&fact) && st_packed_make(&packed, &fact) &&
		    packed.size == size && !memcmp(packed.bytes, p, size);
	st_packed_fini(&packed);
	pd_fact_fini(&fact);
	return good;
}
