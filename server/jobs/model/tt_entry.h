/* Transposition table entry: its bytes on disk (store/FORMAT.md, tables). */
#pragma once

#include "proto/base/bytes.h"
#include "solver/solver.h"
#include "store/store.h"

static inline void sv_entry_pack(const struct pn_entry *e, struct st_tt_entry *out)
{
	uint8_t *p = out->bytes;
	pd_put_le64(p, e->id.lo);
	pd_put_le64(p + 8, e->id.hi);
	pd_put_le32(p + 16, e->num[0]);
	pd_put_le32(p + 20, e->num[1]);
	pd_put_le32(p + 24, e->work);
	pd_put_le16(p + 28, e->move);
	pd_put_le16(p + 30, e->depth);
}

static inline void sv_entry_unpack(const struct st_tt_entry *in, struct pn_entry *e)
{
	const uint8_t *p = in->bytes;
	*e = (struct pn_entry){
		.id = {pd_get_le64(p), pd_get_le64(p + 8)},
		.num = {pd_get_le32(p + 16), pd_get_le32(p + 20)},
		.work = pd_get_le32(p + 24),
		.move = pd_get_le16(p + 28),
		.depth = pd_get_le16(p + 30),
	};
}
