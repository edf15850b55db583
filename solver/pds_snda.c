/* df-pn that counts once what several children share: elimination of double counts where paths meet again (after
 * Kishimoto, "Dealing with infinite loops, underestimation, and overestimation of depth-first proof-number search",
 * AAAI 2010, whose source node detection groups children by where their numbers come from; by stored links to parents,
 * after the tsume-shogi solver KomoringHeights).
 *
 * Each position is linked to the node that it was last entered from. When a node is entered, the search follows the
 * links up from each child that it has met before, at most as many steps as it is deep. If they lead, by another way,
 * to a node B of the path, the sum of B counts the child's leaves twice: once through the child of B on the path, once
 * through the child of B at the end of the links. From then on B counts those two children in a maximum:
 *
 *     phi(B) = sum over the other children + the greatest of the merged ones.
 *
 * A way whose numbers come from elsewhere is not worth it: no merging when on the links the number in question rises by
 * more than SLACK in one step, or when on the path a node of B's type has a sum that exceeds its picked child by more
 * than that. In a tree nothing is ever merged, because every position has one parent.
 *
 * With `weak` the merged children count as one child: the number is never below the greatest of all. With `widen`
 * nothing is merged. The links are lossy, and stay in memory: the entries of the table have no room for them. */
#include "solver/pds_snda.h"

#include "solver/pds_policy.h"

enum {
	LINKS_MIN = 64, /* slots */
	SLACK = 3       /* leaves */
};

struct pds_links *pds_links_new(uint64_t bytes)
{
	struct pds_links *links = malloc(sizeof *links);
	size_t slots = LINKS_MIN;
	while (2 * slots * sizeof *links->slots <= bytes)
		slots *= 2;
	if (!links)
		return NULL;
	*links = (struct pds_links){calloc(slots, sizeof *links->slots), slots - 1};
	if (links->slots)
		return links;
	free(links);
	return NULL;
}

void pds_links_free(struct pds_links *links)
{
	if (links)
		free(links->slots);
	free(links);
}

static struct pds_link *slot_of(const struct pds_links *links, struct pd_id id)
{
	return &links->slots[id.lo & links->mask];
}

/* The position's slot; NULL when another one has it. */
static struct pds_link *find_link(const struct pds_links *links, struct pd_id id)
{
	struct pds_link *link = slot_of(links, id);
	return link->id && link->id == id.hi ? link : NULL;
}

/* What stands for a child in `merged`. */
static uint32_t part_of(struct pd_id id)
{
	return (uint32_t)id.hi | 1;
}

/* --- merged children ---------------------------------------------------------------------- */

static bool is_merged(const struct pds_link *link, struct pd_id child)
{
	for (unsigned i = 0; i < PDS_LINK_MERGED && link->merged[i]; i++)
		if (link->merged[i] == part_of(child))
			return true;
	return false;
}

/* Notes which children of a frame that was just made are merged. */
static void read_merged(const struct pds *pds, struct pds_frame *f)
{
	const struct pds_link *link = find_link(pds->links, f->id);
	f->merged = link && link->merged[0];
	for (uint32_t i = 0; f->merged && i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		c->merged = is_merged(link, c->id);
	}
}

/* Merges a child of a frame, by its identity. When the position's slot is full or lost, for this stay only. */
static void merge_child(const struct pds *pds, struct pds_frame *f, struct pd_id child)
{
	struct pds_link *link = find_link(pds->links, f->id);
	unsigned used = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (pd_id_equal(c->id, child))
			c->merged = f->merged = true;
	}
	while (link && used < PDS_LINK_MERGED && link->merged[used] && link->merged[used] != part_of(child))
		used++;
	if (link && used < PDS_LINK_MERGED)
		link->merged[used] = part_of(child);
}

/* The greatest number of the merged children, and how many of them are open. */
static uint32_t most_merged(const struct pds *pds, const struct pds_frame *f, const uint32_t *now, uint64_t *sum,
			    uint32_t *open)
{
	uint32_t most = 0;
	*sum = *open = 0;
	for (uint32_t i = 0; i < f->count; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		const uint32_t *num = now && i == f->picked ? now : c->num;
		if (num_solved(num) || !c->merged)
			continue;
		*sum += num[1 - f->k];
		++*open;
		most = num[1 - f->k] > most ? num[1 - f->k] : most;
	}
	return most;
}

void pds_links_sum(const struct pds *pds, const struct pds_frame *f, const uint32_t *now, struct num_sum *sum)
{
	uint64_t merged;
	uint32_t open, most = most_merged(pds, f, now, &merged, &open);
	PD_ASSERT(merged <= sum->sum && open <= sum->open);
	if (!open)
		return;
	sum->sum -= merged - most;
	sum->open -= open - 1;
	PD_ASSERT(sum->sum >= sum->most);
}

uint64_t pds_links_others(const struct pds *pds, const struct pds_frame *f, const struct num_sum *sum)
{
	const struct pds_child *c = pds_picked(pds, f);
	uint64_t merged;
	uint32_t open, own = c->num[1 - f->k];
	if (c->merged)
		own = most_merged(pds, f, NULL, &merged, &open);
	PD_ASSERT(own <= sum->sum);
	return sum->sum - own;
}

/* --- following links ---------------------------------------------------------------------- */

/* The depth of the frame with that position; UINT32_MAX: it is not on the path. */
static uint32_t depth_of(const struct pds *pds, struct pd_id id)
{
	uint32_t d = pds->depth + 1;
	while (d-- > 0)
		if (pd_id_equal(pds->frames[d].id, id))
			return d;
	return UINT32_MAX;
}

/* Whether the numbers of the frame at `depth` come from child `i` of the innermost frame: no frame of its type below it
 * adds much. */
static bool comes_from_path(const struct pds *pds, uint32_t depth, uint32_t i)
{
	for (uint32_t d = depth + 1; d <= pds->depth; d++) {
		const struct pds_frame *f = &pds->frames[d];
		uint32_t on_path = d < pds->depth ? f->picked : i;
		uint64_t sum = 0;
		if (f->k != pds->frames[depth].k)
			continue;
		for (uint32_t j = 0; j < f->count; j++) {
			const struct pds_child *c = &pds->children[f->first + j];
			if (j != on_path && !c->merged && !num_solved(c->num))
				sum += c->num[1 - f->k];
		}
		if (sum > SLACK)
			return false;
	}
	return true;
}

/* The links up from child `i` of the innermost frame came to the frame at `depth`, through its child `by`. */
static void merge_ways(struct pds *pds, uint32_t depth, uint32_t i, struct pd_id by)
{
	struct pds_frame *f = &pds->frames[depth];
	struct pd_id own = pds->children[f->first + (depth < pds->depth ? f->picked : i)].id;
	if (pd_id_equal(own, by) || !comes_from_path(pds, depth, i))
		return;
	merge_child(pds, f, own);
	merge_child(pds, f, by);
}

/* Follows the links up from child `i` of the innermost frame, which is open. */
static void follow_links(struct pds *pds, uint32_t i)
{
	const struct pds_frame *f = &pds->frames[pds->depth];
	const struct pds_child *c = &pds->children[f->first + i];
	struct pd_id at = c->id;
	uint32_t num[2] = {c->num[0], c->num[1]};
	bool suspect[2] = {true, true}; /* that pn, that dn counts twice */
	const struct pds_link *link = find_link(pds->links, at);
	if (link && pd_id_equal(link->parent, f->id))
		return;
	for (uint32_t step = 0; link && step <= pds->depth && (suspect[0] || suspect[1]); step++) {
		struct pd_id parent = link->parent;
		struct pn_entry e;
		uint32_t depth = depth_of(pds, parent);
		if (depth != UINT32_MAX) {
			if (suspect[1 - pds->frames[depth].k])
				merge_ways(pds, depth, i, at);
			return;
		}
		if (!tt_get(pds->tt, parent, &e) || num_solved(e.num))
			return;
		for (unsigned j = 0; j < 2; j++)
			suspect[j] &= e.num[j] <= (uint64_t)num[j] + SLACK;
		num_copy(num, e.num);
		at = parent;
		link = find_link(pds->links, at);
	}
}

void pds_links_enter(struct pds *pds)
{
	struct pds_frame *f = &pds->frames[pds->depth];
	read_merged(pds, f);
	for (uint32_t i = 0; i < f->count; i++)
		if (pds->children[f->first + i].in_tt && !num_solved(pds->children[f->first + i].num))
			follow_links(pds, i);
}

void pds_links_descend(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[pds->depth];
	struct pd_id id = pds_picked(pds, f)->id;
	struct pds_link *link = slot_of(pds->links, id);
	follow_links(pds, f->picked);
	if (link->id != id.hi)
		*link = (struct pds_link){.id = id.hi};
	link->parent = f->id;
}

const struct pds_policy pds_policy_snda = {
	.epsilon = 0.25,
	.links = true,
	.game_numbers = true,
	PDS_DFPN_THRESHOLDS,
};
