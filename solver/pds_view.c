#include "solver/pds_view.h"

#include "proto/base/assert.h"

/* The numbers of the frame's node at `depth` as they follow from the frames: from the innermost one up. And the index
 * of its most promising child; UINT32_MAX when all lose. */
static void pds_frame_numbers(const struct pds *pds, uint32_t depth, uint32_t now[2], uint32_t *best)
{
	PD_ASSERT(pds->started && depth <= pds->depth);
	now[0] = now[1] = 1;
	for (uint32_t d = pds->depth + 1; d-- > depth;) {
		const struct pds_frame *f = &pds->frames[d];
		const struct pds_child *picked = d < pds->depth ? pds_picked(pds, f) : NULL;
		struct num_sum sum;
		num_sum_init(&sum);
		for (uint32_t i = 0; i < f->count; i++) {
			const struct pds_child *c = &pds->children[f->first + i];
			num_sum_add(&sum, f->k, c == picked ? now : c->num, i);
		}
		*best = sum.min != UINT32_MAX ? sum.best : UINT32_MAX;
		ghi_backup(&pds->question, &sum, f->k, d, now);
	}
}

void pds_view_root(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct pds *pds = (const void *)engine;
	uint32_t now[2], best;
	*leading = pds->started ? pds->root.move : PD_NO_MOVE;
	num[0] = pds->started ? pds->root.num[0] : 1;
	num[1] = pds->started ? pds->root.num[1] : 1;
	if (!pds->started || num_solved(num))
		return;
	pds_frame_numbers(pds, 0, now, &best);
	if (best != UINT32_MAX)
		*leading = pds->children[pds->frames[0].first + best].move;
	if (num_solved(now)) /* not verified yet */
		return;
	num[0] = now[0];
	num[1] = now[1];
}

/* A node that the search is in. */
static void pds_view_frame(const struct pds *pds, uint32_t depth, struct pn_view *out)
{
	const struct pds_frame *f = &pds->frames[depth];
	game_move leading;
	uint32_t now[2], best;
	pds_frame_numbers(pds, depth, now, &best);
	out->num[0] = now[0];
	out->num[1] = now[1];
	if (!depth)
		pds_view_root(&pds->engine, out->num, &leading);
	out->follows = !num_solved(now) && out->num[0] == now[0] && out->num[1] == now[1];
	out->path_dependent = num_solved(out->num) && ghi_path_dependent(&pds->question, out->num);
	out->inside = true;
	out->before = f->known;
	out->since = pds_nodes(pds) - f->work - f->known;
}

bool pds_view_position(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct pds *pds = (const void *)engine;
	uint32_t d = 0;
	*out = (struct pn_view){{1, 1}};
	if (!pds->started)
		return false;
	while (d < path->count && d < pds->depth && pds_picked(pds, &pds->frames[d])->move == path->moves[d])
		d++;
	if (d == path->count) {
		pds_view_frame(pds, d, out);
		return true;
	}
	if (d + 1 < path->count)
		return false;
	const struct pds_frame *f = &pds->frames[d];
	for (uint32_t i = 0; i < f->count; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		if (c->move != path->moves[d])
			continue;
		out->num[0] = c->num[0];
		out->num[1] = c->num[1];
		out->path_dependent = c->path_dependent;
		out->inside = pds->leaf.evaluating && d == pds->depth && i == f->picked;
		out->remote = out->inside && pds->leaf.remote;
		out->since = out->inside && pds->leaf.tree.nodes ? pds->leaf.tree.generated - pds->leaf.start : 0;
		return true;
	}
	return false;
}
