/* Taint in graphs, with cycles and without, whose facts are put into the store one by one; and of leaves. */
#include "tests/server/naive_taint.h"

/* --- graphs, with cycles and without ------------------------------------------------------ */

static void write_graph(const char *dir, uint64_t *r, bool cyclic)
{
	char path[128];
	snprintf(path, sizeof path, "%s/g.json", dir);
	FILE *file = fopen(path, "w");
	unsigned count = 6 + walk_below(r, 40);
	fprintf(file, "{\"root\":\"n0\",\"infinite\":%d,\"nodes\":{", (int)walk_below(r, 3) - 1);
	for (unsigned i = 0; i < count; i++) {
		unsigned children = 1 + walk_below(r, 3);
		fprintf(file, "%s\"n%u\":", i ? "," : "", i);
		if ((i && !walk_below(r, 5)) || (!cyclic && i + 1 == count)) {
			fprintf(file, "{\"value\":%d}", (int)walk_below(r, 3) - 1);
			continue;
		}
		uint64_t listed = 0;
		fprintf(file, "{\"%s\":[", walk_below(r, 2) ? "or" : "and");
		for (unsigned j = 0; j < children; j++) {
			unsigned child = cyclic ? walk_below(r, count) : i + 1 + walk_below(r, count - i - 1);
			if (!(listed >> child & 1))
				fprintf(file, "%s\"n%u\"", listed ? "," : "", child);
			listed |= UINT64_C(1) << child;
		}
		fprintf(file, "]}");
	}
	fprintf(file, "}}\n");
	ck_assert(!fclose(file));
}

/* The true reason about a claim at a position, justified one ply down. */
static struct pd_reason truth(const struct game *g, const struct retro *retro, unsigned claim, int threshold,
			      const void *state)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	unsigned distance, below;
	bool holds = retro_holds(retro, claim, state, &distance);
	struct pd_reason r = {.bound = (int16_t)(holds ? threshold : threshold - 1),
			      .side = holds ? PD_LO : PD_HI,
			      .move = PD_NO_MOVE};
	bool counted = g->acyclic || (holds ? r.bound > g->infinite_value : r.bound < g->infinite_value);
	r.rank = counted ? (uint16_t)distance : PD_RANK_NONE;
	if (g->rules->first_to_move(g, state) != holds)
		return r;
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		if (retro_holds(retro, claim, child, &below) == holds && (!counted || below < distance))
			r.move = game_canon(g, state, moves[i], false);
	}
	ck_assert_uint_ne(r.move, PD_NO_MOVE);
	return r;
}

/* Records of solved jobs 1..count, of two versions in turn. */
static void put_jobs(struct st_batch *batch, const struct game *g, unsigned count)
{
	struct pd_fail fail = {.text = ""};
	for (unsigned i = 1; i <= count; i++) {
		struct sv_spec spec = {.game = strdup(g->name),
				       .position = strdup(""),
				       .threads = 1,
				       .memory = 1 << 20,
				       .scale = {-1, 1}};
		struct pd_buf record;
		uint32_t job;
		pn_options_init(&spec.options);
		ck_assert(!pd_claim_parse("value", &spec.claim, &fail));
		struct sv_record made = sv_record_new(&spec);
		made.state = SV_PAUSED;
		made.started_ms = 1;
		sv_record_engine_add(&made, i % 2 ? "0.0.7" : "0.0.77");
		pd_buf_init(&record, ST_JOB_MAX);
		sv_record_write(&made, &record);
		ck_assert(!st_batch_job_new(batch, &job, &fail));
		ck_assert(!st_batch_job_put(batch, job, record.data, record.size, &fail));
		pd_buf_fini(&record);
		sv_record_fini(&made);
	}
}

/* True facts about all positions of the graph, as if four jobs had found them, a few kept as leaves and a few missing.
 */
static void fill_directory(const char *dir, const struct game *g, uint64_t *random)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	uint32_t id;
	struct retro *retro = retro_new(g, 64);
	g->rules->start(g, state);
	ck_assert(retro_add(retro, state));
	unsigned claim[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	put_jobs(batch, g, 4);
	for (uint32_t i = 0; i < retro_positions(retro); i++) {
		retro_state(retro, i, state);
		size_t size = g->rules->key(g, state, key);
		for (int t = 0; t <= 1 && !retro_over(retro, i); t++) {
			struct pd_reason r = truth(g, retro, claim[t], t, state);
			unsigned draw = walk_below(random, 24);
			r.job = draw ? 2 + walk_below(random, 3) : 1;
			r.effort = walk_below(random, 12) ? 0 : 1 + walk_below(random, 50);
			if (draw != 5)
				ck_assert_msg(!st_batch_fact(batch, id, key, size, &r, &fail), "%s", fail.text);
		}
	}
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	retro_free(retro);
}

/* Four out of five graphs with cycles. The facts are not closed at first, so job 1, which has few of them, is tainted
 * first; then job 2. */
START_TEST(graphs_fall_as_far_as_they_must)
{
	size_t fallen = 0, kept = 0, chosen = 0, rounds = 0, cycles = 0;
	for (uint64_t seed = 1; seed <= 45; seed++) {
		char dir[64], graphs[64];
		struct game *g;
		uint64_t random = seed * 77 + 1;
		struct pd_fail fail = {.text = ""};
		scratch_dir(dir);
		scratch_dir(graphs);
		write_graph(graphs, &random, seed % 5 > 0);
		struct game_host host = {graphs, sv_graph_read};
		ck_assert_msg(!game_open("andor:g", &host, &g, &fail), "%s", fail.text);
		fill_directory(dir, g, &random);
		for (uint32_t job = 1; job <= 2; job++) {
			struct facts expected = facts_of(dir);
			struct naive n = naive_taint(&expected, g, 1, job);
			if (!n.chosen) { /* then nothing is judged either */
				free(expected.at);
				continue;
			}
			struct sv_retracted sum =
				taint_naively(dir, (struct sv_retraction_order){.job = job, .graphs = graphs});
			ck_assert_uint_eq(sum.chosen, n.chosen);
			ck_assert_uint_eq(sum.fallen, n.fallen);
			ck_assert_uint_eq(sum.kept, expected.count - n.chosen - n.fallen);
			assert_same_facts(&expected, dir);
			assert_clean(dir, graphs);
			fallen += n.fallen;
			chosen += n.chosen;
			kept += sum.kept;
			rounds += sum.rounds;
			for (size_t i = 0; i < expected.count; i++)
				cycles += !expected.at[i].gone && expected.at[i].reason.rank == PD_RANK_NONE;
			free(expected.at);
		}
		game_close(g);
		scratch_remove(dir);
		scratch_remove(graphs);
	}
	printf("%zu reasons chosen, %zu fell with them in %zu rounds, %zu stay, %zu of them without a rank\n", chosen,
	       fallen, rounds, kept, cycles);
	ck_assert_uint_gt(fallen, 120);
	ck_assert_uint_gt(kept, 200);
	ck_assert_uint_gt(cycles, 100);
}
END_TEST

START_TEST(a_version_is_matched_as_a_whole)
{
	char dir[64], graphs[64];
	struct game *g;
	struct pd_fail fail = {.text = ""};
	uint64_t random = 99;
	scratch_dir(dir);
	scratch_dir(graphs);
	write_graph(graphs, &random, true);
	struct game_host host = {graphs, sv_graph_read};
	ck_assert(!game_open("andor:g", &host, &g, &fail));
	fill_directory(dir, g, &random);
	struct facts all = facts_of(dir);
	size_t chosen = 0;
	for (size_t i = 0; i < all.count; i++)
		chosen += all.at[i].reason.job % 2;
	struct sv_retracted sum = taint_naively(dir, (struct sv_retraction_order){.engine = "0.0.7", .graphs = graphs});
	ck_assert_uint_eq(sum.chosen, chosen);
	ck_assert_int_eq(try_taint(dir, (struct sv_retraction_order){.engine = "0.0.7"}, &fail), PD_E_NOT_FOUND);
	ck_assert_str_eq(fail.field, "engine");
	free(all.at);
	game_close(g);
	scratch_remove(dir);
	scratch_remove(graphs);
}
END_TEST

/* --- leaves ------------------------------------------------------------------------------- */

static size_t key_of(const struct game *g, const char *position, uint8_t *key)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!g->rules->parse(g, position, state, &fail), "%s", fail.text);
	return g->rules->key(g, state, key);
}

/* A directory with the facts of another, all found by job 1, but for the upper bound of the position 32: that is a leaf
 * of job 2's. Job 3 depends on it one ply above. */
static void with_a_leaf(const char *dir, const char *from, const struct game *g)
{
	uint8_t leaf[GAME_KEY_MAX], above[GAME_KEY_MAX];
	size_t leaf_size = key_of(g, "32", leaf), above_size = key_of(g, "3", above);
	struct facts all = facts_of(from);
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail = {.text = ""};
	struct pd_reason step = {0};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	uint32_t id;
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	put_jobs(batch, g, 3);
	for (size_t i = 0; i < all.count; i++) {
		struct stored *s = &all.at[i];
		s->reason.job = 1;
		if (!key_order(s, 1, leaf, leaf_size) && s->reason.side == PD_HI) {
			s->reason.job = 2;
			s->reason.effort = 1;
			step = s->reason;
		}
		ck_assert(!st_batch_fact(batch, id, s->key, s->size, &s->reason, &fail));
	}
	ck_assert_uint_eq(step.job, 2);
	step.job = 3;
	step.effort = 0;
	step.rank++;
	ck_assert(!g->rules->parse(g, "3", state, &fail));
	unsigned count = g->rules->moves(g, state, moves);
	for (unsigned i = 0; i < count; i++) {
		char text[GAME_TEXT_MAX];
		g->rules->move_print(g, state, moves[i], text, sizeof text);
		if (!strcmp(text, "2"))
			step.move = game_canon(g, state, moves[i], false);
	}
	ck_assert(!st_batch_fact(batch, id, above, above_size, &step, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	free(all.at);
}

/* Allowed so few nodes, the search for the leaf does with job 1's facts and does not without them; allowed all that it
 * wants, it does by the rules alone. */
START_TEST(a_leaf_falls_when_its_search_needs_what_has_gone)
{
	enum { FEW = 300 };
	char solved[64], dir[64], copy[128];
	struct insession s;
	struct game *g;
	struct sv_retracted sum;
	scratch_dir(solved);
	scratch_dir(dir);
	insession_open(&s, solved, 1, 0.05);
	submit_job(&s, "\"game\":\"connect4:5x4\",\"position\":\"32\",\"detail\":\"full\"");
	insession_close(&s);
	ck_assert(!game_open("connect4:5x4", NULL, &g, NULL));
	with_a_leaf(dir, solved, g);
	assert_clean(dir, NULL);
	struct facts all = facts_of(dir);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint_naively(copy, (struct sv_retraction_order){.job = 3, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, 1);
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.kept, all.count - 1);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint_naively(copy, (struct sv_retraction_order){.job = 2, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, 1);
	ck_assert_uint_eq(sum.fallen, 1);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint_naively(copy, (struct sv_retraction_order){.job = 1, .leaf_nodes = FEW});
	ck_assert_uint_eq(sum.chosen, all.count - 2);
	ck_assert_uint_eq(sum.fallen, 2);
	ck_assert_uint_eq(sum.rounds, 2);
	ck_assert_uint_eq(sum.kept, 0);
	storedir_remove(copy);

	storedir_copy(dir, copy, sizeof copy);
	sum = taint_naively(copy, (struct sv_retraction_order){.job = 1});
	ck_assert_uint_eq(sum.fallen, 0);
	ck_assert_uint_eq(sum.kept, 2);
	assert_clean(copy, NULL);
	storedir_remove(copy);

	free(all.at);
	game_close(g);
	scratch_remove(dir);
	scratch_remove(solved);
}
END_TEST

SUITE(taint_graphs)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, graphs_fall_as_far_as_they_must);
	tcase_add_test(c, a_version_is_matched_as_a_whole);
	tcase_add_test(c, a_leaf_falls_when_its_search_needs_what_has_gone);
}
