#include "store/pack.h"

#include <string.h>

#include "proto/base/bytes.h"

/* The head byte of a packed reason. */
enum {
	HEAD_HI = 1,       /* side */
	HEAD_MOVE = 2,     /* a move follows */
	HEAD_EFFORT = 4,   /* an effort other than 0 follows */
	HEAD_JOB = 8,      /* a job other than 0 follows */
	HEAD_BOUND = 4,    /* shift of the bound's zigzag; */
	BOUND_FOLLOWS = 15 /* this value says that it stands in a varint of its own */
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
	uint64_t bound = pd_zigzag(reason->bound);
	unsigned head = (reason->side == PD_HI ? HEAD_HI : 0) | (reason->move != PD_NO_MOVE ? HEAD_MOVE : 0) |
			(reason->effort ? HEAD_EFFORT : 0) | (reason->job ? HEAD_JOB : 0);
	head |= (unsigned)(bound < BOUND_FOLLOWS ? bound : BOUND_FOLLOWS) << HEAD_BOUND;
	*p++ = (uint8_t)head;
	if (bound >= BOUND_FOLLOWS)
		p = pd_put_varint(p, bound);
	p = pd_put_varint(p, reason->rank);
	if (head & HEAD_MOVE)
		p = pd_put_varint(p, reason->move);
	if (head & HEAD_EFFORT)
		p = pd_put_varint(p, reason->effort);
	if (head & HEAD_JOB)
		p = pd_put_varint(p, reason->job);
	return p;
}

/* A varint within [least, most]; keeps p NULL once it is. */
static const uint8_t *number(const uint8_t *p, const uint8_t *end, uint64_t least, uint64_t most, uint64_t *v)
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
	uint64_t bound = head >> HEAD_BOUND, rank = 0, move = PD_NO_MOVE, effort = 0, job = 0;
	if (bound == BOUND_FOLLOWS)
		p = number(p, end, BOUND_FOLLOWS, UINT16_MAX, &bound);
	p = number(p, end, 0, UINT16_MAX, &rank);
	if (head & HEAD_MOVE)
		p = number(p, end, 0, PD_NO_MOVE - 1, &move);
	if (head & HEAD_EFFORT)
		p = number(p, end, 1, UINT32_MAX, &effort);
	if (head & HEAD_JOB)
		p = number(p, end, 1, UINT32_MAX, &job);
	if (!p)
		return NULL;
	*reason = (struct pd_reason){.bound = (int16_t)pd_unzigzag(bound),
				     .side = head & HEAD_HI ? PD_HI : PD_LO,
				     .rank = (uint16_t)rank,
				     .move = (uint16_t)move,
				     .effort = (uint32_t)effort,
				     .job = (uint32_t)job};
	return p;
}

size_t st_fact_pack(uint8_t *p, const struct pd_fact *fact)
{
	uint8_t *q = p;
	for (unsigned i = 0; i < fact->count; i++)
		q = st_reason_pack(q, &fact->reason[i]);
	return (size_t)(q - p);
}

bool st_fact_unpack(const uint8_t *p, size_t size, struct pd_fact *out)
{
	const uint8_t *end = p + size;
	*out = (struct pd_fact){0};
	while (p && p < end) {
		if (out->count == PD_REASONS_MAX)
			return false;
		p = st_reason_unpack(p, end, &out->reason[out->count]);
		out->count++;
	}
	return p && out->count;
}

bool st_fact_sound(const struct pd_fact *fact)
{
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (!fact->count || (lo && hi && lo->bound > hi->bound))
		return false;
	for (unsigned i = 1; i < fact->count; i++) {
		const struct pd_reason *a = &fact->reason[i - 1], *b = &fact->reason[i];
		if (a->side > b->side)
			return false;
		if (a->side == b->side && (a->side == PD_LO ? a->bound <= b->bound : a->bound >= b->bound))
			return false;
		if (a->side == b->side && a->rank <= b->rank)
			return false;
	}
	return true;
}

void st_fact_union(struct pd_fact *fact, const struct pd_fact *other)
{
	for (unsigned i = 0; i < other->count; i++)
		pd_fact_add(fact, &other->reason[i]);
}
