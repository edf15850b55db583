#include "server/proofs/tables/table_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/memory_bound.h"
#include "server/proofs/tables/table_file.h"
#include "server/proofs/tables/table_work.h"
#include "solver/table_theorem.h"
#include "store/files.h"
#include "store/tables.h"

enum { SAMPLE = 20000, SAMPLE_LEAST = 500 /* positions */, CLASSES_MAX = 4096, ENTRY_BYTES = 8, EDGE_BYTES = 4 };

#define PLAIN(plies, kind) ((uint16_t)((plies) << 2 | (kind)))

static inline unsigned kind_of(uint16_t due)
{
	return due & 3;
}

static inline unsigned plies_of(uint16_t due)
{
	return due >> 2;
}

static void raise_most(struct sv_table_work *w, unsigned plies)
{
	unsigned most = atomic_load(&w->most);
	PD_ASSERT(plies <= PD_TABLE_PLIES_MAX);
	while (plies > most && !atomic_compare_exchange_weak(&w->most, &most, plies))
		;
}

/* --- moves -------------------------------------------------------------------------------- */

/* Room of one thread for the moves of a position. */
struct moves {
	_Alignas(16) uint8_t state[GAME_STATE_MAX], child[GAME_STATE_MAX];
	game_move move[GAME_MOVES_MAX];
};

/* What the moves of a position into other classes say, and how many stay inside. */
struct outside {
	unsigned inside;  /* moves; their numbers are in `to` */
	bool wins, safe;  /* a move wins; a move draws */
	unsigned nearest; /* plies of the nearest win */
	unsigned longest; /* plies of the loss, if these moves were all */
	uint32_t to[GAME_MOVES_MAX];
};

static void look_outside(struct sv_table_work *w, struct moves *m, struct outside *out)
{
	const struct game *g = w->game;
	unsigned count = g->rules->moves(g, m->state, m->move);
	uint32_t inside;
	out->inside = out->nearest = out->longest = 0;
	out->wins = out->safe = false;
	PD_ASSERT(count > 0);
	for (unsigned i = 0; i < count; i++) {
		memcpy(m->child, m->state, g->state_size);
		g->rules->play(g, m->child, m->move[i]);
		uint16_t entry = sv_table_after(w, m->child, &inside);
		if (inside != UINT32_MAX) {
			out->to[out->inside++] = inside;
			continue;
		}
		unsigned plies = pd_table_decided(entry) ? pd_table_plies(entry) + 1 : 0;
		if (entry == PD_TABLE_HOLE) { /* of a table on disk */
			atomic_store(&w->broken, true);
			atomic_store(&w->stop, true);
		}
		out->safe |= !plies;
		if (plies && pd_table_wins(entry)) {
			out->longest = plies > out->longest ? plies : out->longest;
		} else if (plies) {
			out->nearest = !out->wins || plies < out->nearest ? plies : out->nearest;
			out->wins = true;
		}
	}
}

static uint16_t due_of_over(uint16_t entry)
{
	if (!pd_table_decided(entry))
		return PLAIN(0, DUE_SAFE);
	return PLAIN(0, pd_table_wins(entry) ? DUE_WIN : DUE_LOSS);
}

/* The first pass. */
static void generate_moves(struct sv_table_work *w, uint64_t from, uint64_t to)
{
	const struct game *g = w->game;
	struct moves m;
	struct outside out;
	uint16_t over;
	for (uint64_t i = from; i < to; i++) {
		uint16_t due;
		if (!g->rules->classes->position(g, &w->class, i, m.state)) {
			atomic_store_explicit(&w->due[i], DUE_HOLE, memory_order_relaxed);
			continue;
		}
		if (pn_table_over(g, m.state, &over)) {
			atomic_store_explicit(&w->due[i], due_of_over(over), memory_order_relaxed);
			continue;
		}
		look_outside(w, &m, &out);
		for (unsigned k = 0; k < out.inside; k++)
			atomic_fetch_add_explicit(&w->start[out.to[k]], 1, memory_order_relaxed);
		if (out.wins)
			due = PLAIN(out.nearest, DUE_WIN);
		else if (out.safe)
			due = PLAIN(0, DUE_SAFE);
		else
			due = PLAIN(out.longest, out.inside ? DUE_WAITS : DUE_LOSS);
		if (kind_of(due) == DUE_WIN || kind_of(due) == DUE_LOSS)
			raise_most(w, plies_of(due));
		atomic_store_explicit(&w->left[i], (uint16_t)out.inside, memory_order_relaxed);
		atomic_store_explicit(&w->due[i], due, memory_order_relaxed);
	}
}

/* The moves of position i within the class; false where there is none, because i is a hole or the game is over. */
static bool look_inside(struct sv_table_work *w, uint64_t i, struct outside *out)
{
	struct moves m;
	uint16_t over;
	if (!w->game->rules->classes->position(w->game, &w->class, i, m.state) ||
	    pn_table_over(w->game, m.state, &over))
		return false;
	look_outside(w, &m, out);
	return true;
}

/* For a build that continues: counts the predecessors only. */
static void count_predecessors(struct sv_table_work *w, uint64_t from, uint64_t to)
{
	struct outside out;
	for (uint64_t i = from; i < to; i++) {
		unsigned count = look_inside(w, i, &out) ? out.inside : 0;
		for (unsigned k = 0; k < count; k++)
			atomic_fetch_add_explicit(&w->start[out.to[k]], 1, memory_order_relaxed);
	}
}

/* The second pass: start[i] is the end of the predecessors of i, and becomes their beginning. */
static void list_predecessors(struct sv_table_work *w, uint64_t from, uint64_t to)
{
	struct outside out;
	for (uint64_t i = from; i < to; i++) {
		unsigned count = look_inside(w, i, &out) ? out.inside : 0;
		for (unsigned k = 0; k < count; k++) {
			uint32_t at = atomic_fetch_sub_explicit(&w->start[out.to[k]], 1, memory_order_relaxed) - 1;
			w->edge[at] = (uint32_t)i;
		}
	}
}

/* --- plies -------------------------------------------------------------------------------- */

/* A move to a position that is lost within `settled` plies. */
static void win_by_move(struct sv_table_work *w, uint32_t i)
{
	unsigned plies = w->settled + 1;
	uint16_t due = atomic_load(&w->due[i]);
	while (kind_of(due) != DUE_WIN || plies_of(due) > plies) {
		PD_ASSERT(kind_of(due) != DUE_LOSS);
		if (atomic_compare_exchange_weak(&w->due[i], &due, PLAIN(plies, DUE_WIN))) {
			raise_most(w, plies);
			return;
		}
	}
}

/* A move to a position that is won within `settled` plies: if all are such, the longest defence counts. */
static void lose_a_move(struct sv_table_work *w, uint32_t i)
{
	uint16_t left = atomic_fetch_sub(&w->left[i], 1), due;
	PD_ASSERT(left > 0);
	if (left > 1)
		return;
	due = atomic_load(&w->due[i]);
	if (kind_of(due) != DUE_WAITS)
		return;
	unsigned plies = plies_of(due) > w->settled + 1 ? plies_of(due) : w->settled + 1;
	atomic_store(&w->due[i], PLAIN(plies, DUE_LOSS));
	raise_most(w, plies);
}

static void settle_ply(struct sv_table_work *w, uint64_t from, uint64_t to)
{
	uint16_t win = PLAIN(w->settled, DUE_WIN), loss = PLAIN(w->settled, DUE_LOSS);
	for (uint64_t i = from; i < to; i++) {
		uint16_t due = atomic_load_explicit(&w->due[i], memory_order_relaxed);
		if (due != win && due != loss)
			continue;
		uint32_t end = atomic_load_explicit(&w->start[i + 1], memory_order_relaxed);
		for (uint32_t k = atomic_load_explicit(&w->start[i], memory_order_relaxed); k < end; k++) {
			if (due == loss)
				win_by_move(w, w->edge[k]);
			else
				lose_a_move(w, w->edge[k]);
		}
	}
}

static int fail_stopped(const struct sv_table_work *w, struct pd_fail *fail)
{
	if (atomic_load(&w->broken))
		return pd_fail_set(fail, PD_E_CORRUPT, "material",
				   "a table that %s rests on is wrong: proofctl table verify says which",
				   w->class.name);
	return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the build was stopped; the same command continues it");
}

/* All plies, with checkpoints between them. */
static int settle_plies(struct sv_table_work *w, struct pd_fail *fail)
{
	uint64_t saved_ns = pd_now_ns();
	int rc = PD_OK;
	for (; !rc && w->settled <= atomic_load(&w->most); w->settled++) {
		w->progress.plies = w->settled;
		if ((double)(pd_now_ns() - saved_ns) >= w->order->checkpoint_s * 1e9) {
			rc = sv_table_save(w, fail);
			saved_ns = pd_now_ns();
		}
		/* A ply is done whole, so that what a checkpoint holds is what was settled before it. */
		if (!rc && !sv_table_run(w, SV_TABLE_PLIES, settle_ply))
			return fail_stopped(w, fail);
	}
	return rc;
}

/* --- memory ------------------------------------------------------------------------------- */

/* The bytes that the build takes, from a sample of the positions. */
static uint64_t estimate_bytes(const struct sv_table_work *w, unsigned sample)
{
	const struct game *g = w->game;
	struct moves m;
	uint64_t moves = 0, step = w->class.size / sample + 1, looked = 0, bytes = ENTRY_BYTES * w->class.size;
	struct game_class next[GAME_CLASS_NEXT_MAX];
	uint16_t over;
	for (uint64_t i = 0; i < w->class.size; i += step, looked++) {
		if (!g->rules->classes->position(g, &w->class, i, m.state) || pn_table_over(g, m.state, &over))
			continue;
		unsigned count = g->rules->moves(g, m.state, m.move);
		for (unsigned k = 0; k < count; k++) {
			memcpy(m.child, m.state, g->state_size);
			g->rules->play(g, m.child, m.move[k]);
			moves += g->rules->classes->id(g, m.child) == w->class.id;
		}
	}
	bytes += (uint64_t)((double)moves / (double)looked * 1.1 * (double)w->class.size) * EDGE_BYTES;
	for (unsigned i = g->rules->classes->next(g, &w->class, next); i-- > 0;)
		bytes += 2 * next[i].size;
	return bytes;
}

/* *bytes: the memory that the build takes. */
static int check_room(const struct sv_table_work *w, unsigned sample, uint64_t *bytes, struct pd_fail *fail)
{
	uint64_t most = w->order->memory;
	char need[SV_SIZE_TEXT], have[SV_SIZE_TEXT];
	*bytes = estimate_bytes(w, sample);
	if (!most)
		most = sv_memory_bound().bytes / 4 * 3;
	if (*bytes > most)
		return pd_fail_set(fail, PD_E_PARAMS, "memory",
				   "the table %s of %s takes about %s of memory to build, and it may take %s",
				   w->class.name, w->game->name, sv_size_text(*bytes, need), sv_size_text(most, have));
	return sv_table_room(w, fail);
}

static int allocate_work(struct sv_table_work *w, struct pd_fail *fail)
{
	size_t n = (size_t)w->class.size;
	w->due = calloc(n, sizeof *w->due);
	w->left = calloc(n, sizeof *w->left);
	w->start = calloc(n + 1, sizeof *w->start);
	return w->due && w->left && w->start
		       ? PD_OK
		       : pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory to build the table %s", w->class.name);
}

/* Turns counts of predecessors into the ends of their lists. */
static int place_predecessors(struct sv_table_work *w, struct pd_fail *fail)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < w->class.size; i++) {
		sum += atomic_load_explicit(&w->start[i], memory_order_relaxed);
		if (sum > UINT32_MAX)
			return pd_fail_set(fail, PD_E_PARAMS, "material",
					   "the class %s has more moves than a build can hold", w->class.name);
		atomic_store_explicit(&w->start[i], (uint32_t)sum, memory_order_relaxed);
	}
	atomic_store(&w->start[w->class.size], (uint32_t)sum);
	w->edge = malloc((size_t)(sum ? sum : 1) * sizeof *w->edge);
	return w->edge ? PD_OK
		       : pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for the moves of %s", w->class.name);
}

/* --- a table ------------------------------------------------------------------------------ */

static int analyze_table(struct sv_table_work *w, struct pd_fail *fail)
{
	int rc = allocate_work(w, fail);
	rc = rc ? rc : sv_table_load_next(w, fail);
	if (rc)
		return rc;
	int restored = sv_table_restore(w, fail);
	if (restored < 0)
		return fail->code;
	if (!sv_table_run(w, SV_TABLE_MOVES, restored ? count_predecessors : generate_moves))
		return fail_stopped(w, fail);
	rc = restored ? PD_OK : sv_table_save(w, fail);
	rc = rc ? rc : place_predecessors(w, fail);
	if (!rc && !sv_table_run(w, SV_TABLE_PREDECESSORS, list_predecessors))
		return fail_stopped(w, fail);
	return rc ? rc : settle_plies(w, fail);
}

static int build_class(struct sv_table_work *w, void *ctx, struct pd_fail *fail)
{
	struct sv_table_built *out = ctx;
	uint64_t bytes;
	int fd, there, rc = sv_table_lock(w, &fd, fail);
	if (rc)
		return rc;
	there = sv_table_there(w, &w->class, out, fail); /* another process may just have made it */
	bool damaged = !there && fail->code == PD_E_CORRUPT;
	if (there > 0)
		out->there++;
	rc = there ? (there < 0 ? fail->code : PD_OK) : check_room(w, SAMPLE, &bytes, fail);
	if (!rc && !there)
		rc = analyze_table(w, fail);
	if (!rc && !there)
		rc = sv_table_write(w, out, fail);
	if (!rc && !there) {
		sv_table_forget(w);
		out->made++;
		out->replaced += damaged;
	}
	sv_table_work_fini(w);
	sv_table_unlock(w, fd);
	return rc;
}

/* The classes to be built, those first on which others rest. */
struct plan {
	struct game *game;        /* owned */
	struct game_class *class; /* owned; CLASSES_MAX */
	unsigned count;
};

static bool is_planned(const struct plan *p, uint64_t id)
{
	for (unsigned i = 0; i < p->count; i++)
		if (p->class[i].id == id)
			return true;
	return false;
}

/* Every class is larger than those that it leads to by game_classes, so the recursion ends. */
static int plan_class(struct plan *p, const struct game_class *c, struct pd_fail *fail)
{
	struct game_class next[GAME_CLASS_NEXT_MAX];
	if (is_planned(p, c->id))
		return PD_OK;
	unsigned count = p->game->rules->classes->next(p->game, c, next);
	int rc = PD_OK;
	for (unsigned i = 0; i < count && !rc; i++)
		rc = plan_class(p, &next[i], fail);
	if (!rc && p->count == CLASSES_MAX)
		rc = pd_fail_set(fail, PD_E_LIMIT, "material", "%s rests on too many classes", c->name);
	if (!rc)
		p->class[p->count++] = *c;
	return rc;
}

static void close_plan(struct plan *plan)
{
	free(plan->class);
	game_close(plan->game);
}

/* Also syncs the name of a directory that exists, because its maker may have ended before it did so. */
static int make_directory(const char *dir, struct pd_fail *fail)
{
	char path[ST_PATH];
	int rc = st_path(path, dir, ST_TABLES, "", fail);
	if (!rc && mkdir(dir, 0700) && errno != EEXIST)
		rc = pd_fail_errno(fail, "data", "make", dir);
	if (!rc && mkdir(path, 0700) && errno != EEXIST)
		rc = pd_fail_errno(fail, "data", "make", path);
	return rc ? rc : st_sync_directory(dir, fail);
}

/* Opens the game and the class of an order. */
static int open_order(const struct sv_table_order *order, struct game **game, struct game_class *class,
		      struct pd_fail *fail)
{
	int rc = game_open(order->game, NULL, game, fail);
	if (rc)
		return rc;
	if (pn_tables_possible(*game))
		rc = (*game)->rules->classes->open(*game, order->class, class, fail);
	else
		rc = pd_fail_set(fail, PD_E_UNSUPPORTED, "game", "%s has no classes of positions for tables",
				 (*game)->name);
	if (rc)
		game_close(*game);
	return rc;
}

/* Opens game and class of an order, and lists the classes to be built. The caller frees plan->class and closes the game
 * if this succeeds. */
static int open_plan(const struct sv_table_order *order, struct plan *plan, struct pd_fail *fail)
{
	struct game *game;
	struct game_class class;
	*plan = (struct plan){0};
	int rc = open_order(order, &game, &class, fail);
	if (rc)
		return rc;
	plan->game = game;
	plan->class = calloc(CLASSES_MAX, sizeof *plan->class);
	rc = plan->class ? make_directory(order->dir, fail) : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory");
	rc = rc ? rc : plan_class(plan, &class, fail);
	if (rc)
		close_plan(plan);
	return rc;
}

/* Calls `each` for the classes that have no sound table. */
static int each_missing(const struct sv_table_order *order, const struct plan *plan, struct sv_table_built *out,
			int (*each)(struct sv_table_work *w, void *ctx, struct pd_fail *fail), void *ctx,
			struct pd_fail *fail)
{
	int rc = PD_OK;
	for (unsigned i = 0; i < plan->count && !rc; i++) {
		struct sv_table_work *w = calloc(1, sizeof *w);
		if (!w)
			return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a table");
		*w = (struct sv_table_work){.order = order, .game = plan->game, .class = plan->class[i]};
		w->progress.class = w->class.name;
		w->progress.all = w->class.size;
		if (order->go_on && !order->go_on(order->ctx, &w->progress))
			rc = fail_stopped(w, fail);
		int there = rc ? -1 : sv_table_there(w, &w->class, out, fail);
		out->there += there > 0;
		if (there > 0)
			sv_table_forget(w); /* of a process that was killed when it had written the table */
		rc = there ? (there < 0 ? fail->code : PD_OK) : each(w, ctx, fail);
		free(w);
	}
	return rc;
}

int sv_table_build(const struct sv_table_order *order, struct sv_table_built *out, struct pd_fail *fail)
{
	struct plan plan;
	*out = (struct sv_table_built){0};
	int rc = open_plan(order, &plan, fail);
	if (rc)
		return rc;
	rc = each_missing(order, &plan, out, build_class, out, fail);
	close_plan(&plan);
	return rc;
}

int sv_table_discard(const struct sv_table_order *order, unsigned *gone, struct pd_fail *fail)
{
	struct plan plan;
	int rc = open_plan(order, &plan, fail), fd;
	*gone = 0;
	if (rc)
		return rc;
	for (unsigned i = 0; i < plan.count && !rc; i++) {
		struct sv_table_work *w = calloc(1, sizeof *w);
		if (!w) {
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to discard a checkpoint");
			break;
		}
		*w = (struct sv_table_work){.order = order, .game = plan.game, .class = plan.class[i]};
		rc = sv_table_lock(w, &fd, fail);
		if (!rc) {
			*gone += sv_table_forget(w);
			sv_table_unlock(w, fd);
		} else if (rc == PD_E_BUSY && i + 1 < plan.count) {
			rc = PD_OK; /* another build goes on with a class that this one rests on */
		}
		free(w);
	}
	close_plan(&plan);
	return rc;
}

struct needs {
	unsigned sample; /* positions of a class */
	uint64_t memory;
};

static int look_at_class(struct sv_table_work *w, void *ctx, struct pd_fail *fail)
{
	struct needs *needs = ctx;
	uint64_t bytes;
	int rc = check_room(w, needs->sample, &bytes, fail);
	needs->memory = !rc && bytes > needs->memory ? bytes : needs->memory;
	return rc;
}

int sv_table_names(const struct sv_table_order *order, char game[PD_TABLE_GAME], char class[PD_TABLE_CLASS],
		   struct pd_fail *fail)
{
	struct game *opened;
	struct game_class found;
	int rc = open_order(order, &opened, &found, fail);
	if (rc)
		return rc;
	snprintf(game, PD_TABLE_GAME, "%s", opened->name);
	snprintf(class, PD_TABLE_CLASS, "%s", found.name);
	game_close(opened);
	return PD_OK;
}

int sv_table_plan(const struct sv_table_order *order, uint64_t *memory, struct pd_fail *fail)
{
	struct plan plan;
	struct sv_table_built built = {0};
	int rc = open_plan(order, &plan, fail);
	if (rc)
		return rc;
	struct needs needs = {.sample = SAMPLE / plan.count + SAMPLE_LEAST};
	rc = each_missing(order, &plan, &built, look_at_class, &needs, fail);
	*memory = needs.memory;
	close_plan(&plan);
	return rc;
}

/* --- check -------------------------------------------------------------------------------- */

/* The entry that the rules and the entries after each move demand. */
static uint16_t demand_entry(const struct sv_table_work *w, const struct outside *room)
{
	unsigned nearest = room->nearest, longest = room->longest;
	bool wins = room->wins, safe = room->safe;
	for (unsigned k = 0; k < room->inside; k++) {
		uint16_t entry = atomic_load_explicit(&w->due[room->to[k]], memory_order_relaxed);
		if (entry == PD_TABLE_HOLE)
			return PD_TABLE_HOLE; /* a position that the table says does not exist */
		if (entry == PD_TABLE_DRAW) {
			safe = true;
			continue;
		}
		unsigned plies = pd_table_plies(entry) + 1;
		if (pd_table_wins(entry)) {
			longest = plies > longest ? plies : longest;
		} else {
			nearest = !wins || plies < nearest ? plies : nearest;
			wins = true;
		}
	}
	if (wins)
		return pd_table_win(nearest);
	return safe ? PD_TABLE_DRAW : pd_table_loss(longest);
}

/* `due` holds the entries themselves. */
static void check_entries(struct sv_table_work *w, uint64_t from, uint64_t to)
{
	struct moves m;
	struct outside out;
	for (uint64_t i = from; i < to; i++) {
		uint16_t entry = atomic_load_explicit(&w->due[i], memory_order_relaxed), right = PD_TABLE_HOLE;
		if (w->game->rules->classes->position(w->game, &w->class, i, m.state) &&
		    !pn_table_over(w->game, m.state, &right)) {
			look_outside(w, &m, &out);
			right = demand_entry(w, &out);
		}
		if (entry == right)
			continue;
		uint64_t none = 0;
		atomic_compare_exchange_strong(&w->wrong, &none, i + 1);
		atomic_store(&w->stop, true);
		return;
	}
}

static int read_entries(struct sv_table_work *w, struct st_table_file *file, struct sv_table_built *out,
			struct pd_fail *fail)
{
	uint16_t block[PD_TABLE_BLOCK];
	const struct pd_table_head *h = st_table_head(file);
	struct pd_table_head count = *h;
	count.wins = count.losses = count.draws = count.longest = 0;
	w->due = calloc((size_t)w->class.size, sizeof *w->due);
	if (!w->due)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the table %s", w->class.name);
	for (uint64_t b = 0, i = 0; b < pd_table_blocks(w->class.size); b++) {
		unsigned n = st_table_unpack(file, b, block);
		if (!n)
			return pd_fail_set(fail, PD_E_CORRUPT, "material",
					   "block %" PRIu64 " of the table %s is damaged", b, w->class.name);
		for (unsigned k = 0; k < n; k++)
			sv_table_count(&count, block[k]), w->due[i++] = block[k];
	}
	if (memcmp(&count, h, sizeof count) != 0)
		return pd_fail_set(fail, PD_E_CORRUPT, "material", "the counts in the header of %s are wrong",
				   w->class.name);
	uint8_t digest[PD_TABLE_DIGEST];
	int rc = sv_table_digest(file, digest, fail);
	if (!rc && memcmp(digest, h->digest, sizeof digest) != 0)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "material", "the digest in the header of %s is wrong",
				 w->class.name);
	sv_table_tell(file, out);
	return rc;
}

static int check_class(struct sv_table_work *w, struct sv_table_built *out, struct pd_fail *fail)
{
	struct st_table_file *file;
	int rc = sv_table_open(w, &w->class, &file, fail);
	if (rc)
		return rc;
	rc = read_entries(w, file, out, fail);
	st_table_close(file);
	rc = rc ? rc : sv_table_load_next(w, fail);
	if (rc || sv_table_run(w, SV_TABLE_MOVES, check_entries))
		return rc;
	uint64_t wrong = atomic_load(&w->wrong);
	if (atomic_load(&w->broken))
		return fail_stopped(w, fail);
	return wrong ? pd_fail_set(fail, PD_E_CORRUPT, "material", "entry %" PRIu64 " of the table %s is wrong",
				   wrong - 1, w->class.name)
		     : pd_fail_set(fail, PD_E_SHUTDOWN, "", "the check was stopped");
}

int sv_table_verify(const struct sv_table_order *order, struct sv_table_built *out, struct pd_fail *fail)
{
	struct game *game;
	struct game_class class;
	*out = (struct sv_table_built){0};
	int rc = open_order(order, &game, &class, fail);
	if (rc)
		return rc;
	struct sv_table_work *w = calloc(1, sizeof *w);
	if (w) {
		*w = (struct sv_table_work){.order = order, .game = game, .class = class};
		rc = check_class(w, out, fail);
		sv_table_work_fini(w);
		free(w);
	} else {
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a table");
	}
	game_close(game);
	return rc;
}
