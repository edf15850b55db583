/* Tables: the oracle (tests/support/retro.h) on all endings of two men in antichess, both implementations of the
 * numbers, forged entries, damaged bytes, kills, a full disk, two builders. */
#include <openssl/evp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/proofcheck/table_check.h"
#include "proto/base/table_format.h"
#include "server/common/game_tables.h"
#include "server/proofs/tables/table_build.h"
#include "solver/stored.h"
#include "store/tables.h"
#include "tests/support/child.h"
#include "tests/support/effort.h"
#include "tests/support/endings.h"
#include "tests/support/retro.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"
#include "tests/support/whole_file.h"

enum { FILE_MAX = 1 << 20, PATH = 5000, SLOW = 40 /* of how many forged tables the slow checker sees one */ };

static uint64_t base_seed;

static struct sv_table_order order_of(const char *dir, const char *game, const char *class)
{
	return (struct sv_table_order){.dir = dir, .game = game, .class = class, .threads = 2, .checkpoint_s = 100};
}

static void build(const char *dir, const char *game, const char *class, struct sv_table_built *out)
{
	struct sv_table_order order = order_of(dir, game, class);
	struct pd_fail fail;
	ck_assert_msg(!sv_table_build(&order, out, &fail), "%s", fail.text);
}

static void table_path(const char *dir, const char *game, const char *class, const char *suffix, char out[PATH])
{
	char name[ST_TABLE_NAME];
	st_table_name(game, class, suffix, name);
	ck_assert_int_lt(snprintf(out, PATH, "%s/tables/%s", dir, name), PATH);
}

static void remove_all(const char *dir)
{
	char path[PATH];
	snprintf(path, sizeof path, "%s/tables", dir);
	storedir_remove(path);
	storedir_remove(dir);
}

/* --- the oracle --------------------------------------------------------------------------- */

struct against {
	const struct game *game, *plain; /* with tables; without */
	const struct retro *retro;
	unsigned wins, draws; /* numbers of the claims */
	uint64_t compared;
};

/* What the tables say of a position, as bounds with ranks, against what the oracle says. */
static void compare_position(void *ctx, const void *state)
{
	struct against *a = ctx;
	struct pd_fact fact = {0};
	struct pd_fail fail;
	unsigned far, near;
	int value;
	if (a->plain->rules->terminal(a->plain, state, &value))
		return;
	ck_assert_int_eq(pn_tables_fact(a->game, state, &fact, &fail), 1);
	bool wins = retro_holds(a->retro, a->wins, state, &near), holds = retro_holds(a->retro, a->draws, state, &far);
	const struct pd_reason *lo = pd_fact_best(&fact, PD_LO), *hi = pd_fact_best(&fact, PD_HI);
	if (wins || !holds) {
		const struct pd_reason *r = wins ? lo : hi;
		ck_assert(lo == (wins ? r : NULL) && hi == (wins ? NULL : r));
		ck_assert(r && r->bound == (wins ? 1 : -1) && r->rank == (wins ? near : far) && r->effort == 0);
	} else {
		ck_assert(lo && hi && lo->bound == 0 && hi->bound == 0);
		ck_assert(lo->rank == PD_RANK_NONE && hi->rank == PD_RANK_NONE);
	}
	for (uint32_t i = 0; i < fact.count; i++)
		ck_assert_ptr_null(pn_reason_wrong(a->plain, &pd_fact_reasons(&fact)[i]));
	struct game_theorem t;
	uint8_t witness[GAME_WITNESS_MAX];
	for (int threshold = 0; threshold <= 1; threshold++) {
		bool told = a->game->rules->theorem(a->game, state, threshold, &t, witness);
		ck_assert(told || (fact.count == 1 && pd_fact_reasons(&fact)->rank == 1));
		ck_assert(!told || (t.proved == (threshold ? wins : holds) && t.number == GAME_TABLE));
	}
	pd_fact_fini(&fact);
	a->compared++;
}

static void add_position(void *ctx, const void *state)
{
	ck_assert(retro_add(ctx, state));
}

START_TEST(two_men_are_as_the_oracle_says)
{
	static const char *const names[] = {"antichess", "antichess:stalemate=fewer"};
	const char *name = names[_i];
	char dir[200], class[GAME_CLASS_NAME];
	struct sv_table_built built;
	struct game *game, *plain;
	struct pd_fail fail;
	char material[ENDINGS_MEN_MAX + 1];
	storedir_new(dir, sizeof dir);
	ck_assert(!game_open(name, NULL, &plain, &fail));
	struct game_class c;
	unsigned classes = 0;
	for (; plain->rules->classes->at(plain, 2, classes, &c); classes++) {
		memcpy(class, c.name, sizeof class);
		build(dir, name, class, &built);
		ck_assert_str_eq(built.class, class);
		ck_assert_uint_eq(built.entries, c.size);
		struct sv_table_order order = order_of(dir, name, class);
		ck_assert_msg(!sv_table_verify(&order, &built, &fail), "%s", fail.text);
	}
	ck_assert_uint_eq(classes, 21);
	ck_assert(!sv_game_open(dir, name, NULL, &game, &fail));
	struct against a = {.game = game, .plain = plain};
	struct retro *retro = retro_new(plain, 400000);
	for (unsigned i = 0; endings_material(2, i, material); i++)
		endings_chessmen(plain, material, &(struct endings_to){retro, add_position});
	a.retro = retro;
	a.wins = retro_solve(retro, 1);
	a.draws = retro_solve(retro, 0);
	struct walk_state s;
	for (uint32_t i = 0; i < retro_positions(retro); i += effort_stride()) {
		retro_state(retro, i, &s);
		if (plain->rules->classes->id(plain, &s))
			compare_position(&a, &s);
	}
	printf("%s: %llu positions compared\n", name, (unsigned long long)a.compared);
	ck_assert_uint_gt(a.compared, 200000 / effort_stride());
	retro_free(retro);
	game_close(game);
	game_close(plain);
	remove_all(dir);
}
END_TEST

/* --- numbers ------------------------------------------------------------------------------ */

/* Both implementations have the same classes, sizes, holes and positions, and the law of game_classes holds. Looks at
 * all numbers of the class, or at some of them when there are more than `numbers`. */
static void compare_class(const struct game *game, const struct ck_game *checker, const struct game_class *c,
			  uint64_t numbers)
{
	struct walk_state s, child;
	struct ck_position p;
	game_move moves[GAME_MOVES_MAX];
	uint8_t key[GAME_KEY_MAX], other[CK_KEY_MAX];
	char name[CK_CLASS_NAME];
	uint64_t number, step = 1 + c->size / numbers;
	struct game_class next[GAME_CLASS_NEXT_MAX];
	unsigned nexts = game->rules->classes->next(game, c, next);
	ck_assert_uint_eq(checker->rules->class_size(checker, c->name), c->size);
	for (uint64_t i = 0; i < c->size; i += 1 + i % step) {
		bool there = game->rules->classes->position(game, c, i, &s);
		ck_assert_msg(there == checker->rules->class_position(checker, c->name, i, &p), "%s %llu", c->name,
			      (unsigned long long)i);
		if (!there)
			continue;
		ck_assert(game->rules->classes->id(game, &s) == c->id && game->rules->classes->index(game, c, &s) == i);
		size_t size = game->rules->key(game, &s, key);
		ck_assert(size == checker->rules->encode(checker, &p, other) && !memcmp(key, other, size));
		unsigned count = game->rules->moves(game, &s, moves);
		for (unsigned m = 0; m < count; m++) {
			int value;
			const struct game_class *to = NULL;
			child = s;
			game->rules->play(game, &child, moves[m]);
			uint64_t id = game->rules->classes->id(game, &child);
			for (unsigned n = 0; n < nexts; n++)
				to = next[n].id == id ? &next[n] : to;
			to = id == c->id ? c : to;
			if (!id) {
				ck_assert(game->rules->terminal(game, &child, &value));
				continue;
			}
			ck_assert_msg(to != NULL, "a move of %s leads to a class that it does not name", c->name);
			size = game->rules->key(game, &child, key);
			ck_assert(ck_decode(checker, key, size, &p) &&
				  checker->rules->class_index(checker, &p, name, &number));
			ck_assert_str_eq(name, to->name);
			ck_assert_uint_eq(number, game->rules->classes->index(game, to, &child));
			ck_assert(game->rules->classes->position(game, to, number, &child));
		}
	}
}

START_TEST(both_implementations_number_alike)
{
	static const char *const names[] = {"antichess", "chess-mate"};
	struct game *game;
	struct ck_game checker;
	struct game_class c, again;
	struct pd_fail fail;
	ck_assert(!game_open(names[_i], NULL, &game, &fail) && !ck_open(&checker, names[_i], "", 0, &fail));
	for (unsigned men = 2; men <= 4; men++)
		for (unsigned n = 0; game->rules->classes->at(game, men, n, &c); n += men < 4 ? 1 : 19) {
			ck_assert(!game->rules->classes->open(game, c.name, &again, &fail));
			ck_assert(!memcmp(&c, &again, sizeof c));
			compare_class(game, &checker, &c, effort_of(600, 60));
		}
	ck_close(&checker);
	game_close(game);
}
END_TEST

/* The same for every number of a class with pawns of both sides and a man that is none: a sample misses the few in
 * which that man stands on the square by which a pawn that can be captured en passant is numbered. */
START_TEST(a_whole_class_is_numbered_alike)
{
	struct game *game;
	struct ck_game checker;
	struct game_class c;
	struct pd_fail fail;
	ck_assert(!game_open("antichess", NULL, &game, &fail) && !ck_open(&checker, "antichess", "", 0, &fail));
	ck_assert(!game->rules->classes->open(game, "KPvP", &c, &fail));
	compare_class(game, &checker, &c, effort_whole() ? UINT64_MAX : 5000);
	ck_close(&checker);
	game_close(game);
}
END_TEST

START_TEST(known_figures)
{
	static const struct {
		const char *class;
		unsigned longest;
	} known[] = {{"KRvK", 32}, {"KQvK", 20}, {"KvK", 0}, {"KPvK", 56}};
	struct sv_table_built built;
	char dir[200];
	storedir_new(dir, sizeof dir);
	build(dir, "chess-mate", known[_i].class, &built);
	ck_assert_uint_eq(built.longest, known[_i].longest);
	remove_all(dir);
}
END_TEST

/* --- forged tables ------------------------------------------------------------------------ */

struct forger {
	char dir[200], path[PATH];
	const char *game, *class;
	uint8_t *file; /* FILE_MAX */
	size_t size;
	struct pd_table table;
	uint16_t *entry;
};

/* Writes the table with its entries as they are now; header and digest fit. */
static void write_forged(struct forger *f)
{
	static uint8_t out[FILE_MAX];
	struct pd_table_head h = f->table.head;
	uint64_t blocks = pd_table_blocks(h.size), end = 0, *ends = calloc(blocks, sizeof *ends);
	h.wins = h.losses = h.draws = h.longest = 0;
	for (uint64_t i = 0; i < h.size; i++) {
		uint16_t e = f->entry[i];
		h.draws += e == PD_TABLE_DRAW;
		h.wins += pd_table_decided(e) && pd_table_wins(e);
		h.losses += pd_table_decided(e) && !pd_table_wins(e);
		if (pd_table_decided(e) && pd_table_plies(e) > h.longest)
			h.longest = pd_table_plies(e);
	}
	char text[PD_TABLE_HEADER_MAX];
	size_t plain = pd_table_write_head(&h, false, text), body = pd_table_write_head(&h, true, text), size = body;
	for (uint64_t b = 0; b < blocks; b++) {
		uint64_t left = h.size - b * PD_TABLE_BLOCK;
		end += pd_table_pack(b, f->entry + b * PD_TABLE_BLOCK,
				     left < PD_TABLE_BLOCK ? (unsigned)left : PD_TABLE_BLOCK, out + body + end);
		ends[b] = end;
	}
	size += end;
	pd_table_write_index(ends, blocks, out + size);
	size += pd_table_index_size(blocks);
	memcpy(out, text, plain);
	EVP_MD_CTX *sha = EVP_MD_CTX_new();
	EVP_DigestInit_ex(sha, EVP_sha256(), NULL);
	EVP_DigestUpdate(sha, out, plain);
	EVP_DigestUpdate(sha, out + body, size - body);
	EVP_DigestFinal_ex(sha, h.digest, NULL);
	EVP_MD_CTX_free(sha);
	ck_assert_uint_eq(pd_table_write_head(&h, true, (char *)text), body);
	memcpy(out, text, body);
	whole_file_write(f->path, out, size);
	free(ends);
}

static void forger_open(struct forger *f, const char *game, const char *class)
{
	struct sv_table_built built;
	*f = (struct forger){.game = game, .class = class, .file = malloc(FILE_MAX)};
	storedir_new(f->dir, sizeof f->dir);
	build(f->dir, game, class, &built);
	table_path(f->dir, game, class, ".table", f->path);
	f->size = whole_file_read(f->path, f->file, FILE_MAX);
	ck_assert_ptr_null(pd_table_open(&f->table, f->file, f->size));
	f->entry = calloc(pd_table_blocks(f->table.head.size) * PD_TABLE_BLOCK, sizeof *f->entry);
	for (uint64_t b = 0; b < f->table.blocks; b++)
		ck_assert(pd_table_unpack(&f->table, b, f->entry + b * PD_TABLE_BLOCK));
}

static void forger_close(struct forger *f)
{
	remove_all(f->dir);
	free(f->file);
	free(f->entry);
}

/* Whether the checker verifies the forged table. */
static bool checker_accepts(struct forger *f)
{
	char dir[PATH];
	struct pd_fail fail;
	struct ck_tables *tables;
	const struct ck_table_verdict *v;
	snprintf(dir, sizeof dir, "%s/tables", f->dir);
	ck_assert(!ck_tables_open(dir, NULL, 1, &tables, &fail));
	ck_tables_verify(tables);
	for (unsigned i = 0; (v = ck_tables_verdict(tables, i)) != NULL; i++)
		if (!strcmp(v->file, strrchr(f->path, '/') + 1))
			break;
	ck_assert_ptr_nonnull(v);
	bool verified = v->verified;
	ck_tables_close(tables);
	return verified;
}

/* Every entry is replaced by every other kind of entry, and by its neighbours. */
START_TEST(forged_entries_are_refused)
{
	static const char *const classes[] = {"KvK", "BvB", "KvB", "PvP"};
	struct forger f;
	struct pd_fail fail;
	struct sv_table_built built;
	uint64_t forged = 0, seed = base_seed;
	forger_open(&f, "antichess", classes[_i]);
	write_forged(&f);
	ck_assert(checker_accepts(&f));
	struct sv_table_order order = order_of(f.dir, f.game, f.class);
	order.threads = 1;
	for (uint64_t i = 0; i < f.table.head.size; i += 1 + walk_below(&seed, 2 * effort_stride() - 1)) {
		uint16_t right = f.entry[i], longest = (uint16_t)(2 * f.table.head.longest + 2);
		uint16_t others[] = {
			PD_TABLE_HOLE,         PD_TABLE_DRAW,         (uint16_t)(2 + walk_below(&seed, longest)),
			(uint16_t)(right ^ 1), (uint16_t)(right + 2), (uint16_t)(right - 2)};
		for (unsigned k = 0; k < sizeof others / sizeof *others; k++) {
			if (others[k] == right || others[k] > 2 * PD_TABLE_PLIES_MAX)
				continue;
			f.entry[i] = others[k];
			write_forged(&f);
			ck_assert_msg(forged % (_i ? SLOW : 1) || !checker_accepts(&f), "%s: entry %llu, %u for %u",
				      f.class, (unsigned long long)i, others[k], right);
			ck_assert_int_eq(sv_table_verify(&order, &built, &fail), PD_E_CORRUPT);
			forged++;
		}
		f.entry[i] = right;
	}
	printf("%s: %llu forged tables refused\n", f.class, (unsigned long long)forged);
	forger_close(&f);
}
END_TEST

/* Looks up a position of the table as a card does that cites it. */
static enum ck_table_found look_up(struct ck_tables *tables, const struct ck_game *game,
				   const struct ck_table_verdict *v, char why[CK_TABLE_TEXT])
{
	uint8_t digest[PD_TABLE_DIGEST];
	struct ck_position p;
	char name[CK_CLASS_NAME];
	uint64_t index = 0;
	uint16_t entry = PD_TABLE_HOLE;
	while (!game->rules->class_position(game, v->class, index, &p) || game->rules->over(game, &p, &(int){0}))
		index++;
	ck_assert(game->rules->class_index(game, &p, name, &index));
	for (unsigned i = 0; i < PD_TABLE_DIGEST; i++)
		digest[i] = (uint8_t)strtoul((char[]){v->digest[2 * i], v->digest[2 * i + 1], 0}, NULL, 16);
	enum ck_table_found found = ck_tables_look_up(tables, digest, game, &p, &entry, why);
	ck_assert(found != CK_TABLE_FOUND || entry != PD_TABLE_HOLE);
	return found;
}

/* Writes beside a table another one of its class with a wrong entry and the right digest, as NAME. */
static void forge_beside(const struct forger *f, const char *class, const char *name)
{
	struct forger one = {.game = f->game, .class = class, .file = malloc(FILE_MAX)};
	table_path(f->dir, f->game, class, ".table", one.path);
	one.size = whole_file_read(one.path, one.file, FILE_MAX);
	ck_assert_ptr_null(pd_table_open(&one.table, one.file, one.size));
	uint64_t wrong = one.table.head.size;
	one.entry = calloc(pd_table_blocks(wrong) * PD_TABLE_BLOCK, sizeof *one.entry);
	for (uint64_t b = 0; b < one.table.blocks; b++)
		ck_assert(pd_table_unpack(&one.table, b, one.entry + b * PD_TABLE_BLOCK));
	do
		ck_assert_uint_gt(wrong--, 0);
	while (one.entry[wrong] != PD_TABLE_DRAW && !pd_table_decided(one.entry[wrong]));
	one.entry[wrong] = one.entry[wrong] == pd_table_win(1) ? pd_table_loss(2) : pd_table_win(1);
	snprintf(one.path, sizeof one.path, "%s/tables/%s", f->dir, name);
	write_forged(&one);
	free(one.entry);
	free(one.file);
}

/* Forged tables beside honest ones, before or after them in the order of names; of one class, or of all: they alone are
 * refused, and cards that cite the honest ones hold. */
START_TEST(forged_tables_beside_honest_ones)
{
	static const char *const classes[] = {"RvN", "NvN", "BvN", "QvN", "KvN", "NvP"};
	char dir[PATH], name[40], why[CK_TABLE_TEXT];
	struct forger f;
	struct ck_game game;
	struct pd_fail fail;
	struct ck_tables *tables;
	const struct ck_table_verdict *v;
	unsigned count = 0;
	forger_open(&f, "antichess", "NvP"); /* with what it rests on */
	for (unsigned k = 0; k < (_i & 2 ? sizeof classes / sizeof *classes : 1); k++) {
		snprintf(name, sizeof name, "%c%u.table", _i & 1 ? 'z' : '0', k);
		forge_beside(&f, classes[k], name);
	}
	snprintf(dir, sizeof dir, "%s/tables", f.dir);
	ck_assert(!ck_open(&game, "antichess", "", 0, &fail));
	for (unsigned cards = 0; cards < 2; cards++) {
		ck_assert(!ck_tables_open(dir, NULL, 2, &tables, &fail));
		if (!cards)
			ck_tables_verify(tables);
		for (unsigned i = 0; (v = ck_tables_verdict(tables, i)) != NULL; i++, count++) {
			bool forged = v->file[0] == '0' || v->file[0] == 'z';
			bool good = cards ? look_up(tables, &game, v, why) == CK_TABLE_FOUND : v->verified;
			ck_assert_msg(good != forged, "%s: %s", v->file, v->why);
		}
		ck_tables_close(tables);
	}
	ck_assert_uint_eq(count, 2 * (_i & 2 ? 12 : 7));
	ck_close(&game);
	forger_close(&f);
}
END_TEST

/* A card loads its table and those below it, and no other. */
START_TEST(tables_are_read_on_first_use)
{
	static const char *const read[] = {"NvN", "RvN"}; /* neither rests on another table */
	char dir[300], data[200], why[CK_TABLE_TEXT];
	struct sv_table_built built;
	struct ck_game game;
	struct pd_fail fail;
	struct ck_tables *tables;
	const struct ck_table_verdict *v;
	storedir_new(data, sizeof data);
	build(data, "antichess", "PvN", &built); /* with what it rests on, RvN and others */
	build(data, "antichess", "BvB", &built);
	build(data, "antichess", "NvN", &built);
	snprintf(dir, sizeof dir, "%s/tables", data);
	ck_assert(!ck_open(&game, "antichess", "", 0, &fail));
	ck_assert(!ck_tables_open(dir, "antichess", 1, &tables, &fail));
	for (unsigned k = 0; k < 2; k++) {
		unsigned in_use = 0;
		for (unsigned i = 0; (v = ck_tables_verdict(tables, i)) && strcmp(v->class, read[k]) != 0;)
			i++;
		ck_assert_ptr_nonnull(v);
		ck_assert_uint_eq(v->positions, 0);
		struct ck_table_verdict other = *v;
		ck_assert_int_eq(look_up(tables, &game, v, why), CK_TABLE_FOUND);
		for (unsigned i = 0; (v = ck_tables_verdict(tables, i)); i++)
			in_use += v->positions != 0;
		ck_assert_uint_eq(in_use, k + 1);
		other.digest[0] = other.digest[0] == '0' ? '1' : '0';
		ck_assert_int_eq(look_up(tables, &game, &other, why), CK_TABLE_REFUSED);
	}
	ck_assert_uint_eq(ck_tables_verify(tables), 0);
	for (unsigned i = 0; (v = ck_tables_verdict(tables, i)); i++)
		ck_assert(v->verified && v->positions);
	ck_tables_close(tables);
	ck_close(&game);
	remove_all(data);
}
END_TEST

/* A byte changes: what is read then is what was there, or nothing. */
START_TEST(damage_is_never_an_answer)
{
	struct forger f;
	struct pd_fail fail;
	struct st_table_file *file;
	uint64_t seed = base_seed;
	uint16_t block[PD_TABLE_BLOCK];
	unsigned lost = 0;
	forger_open(&f, "antichess", "KvB");
	for (size_t at = 0; at < f.size; at += 1 + walk_below(&seed, 2 * effort_stride() - 1)) {
		uint8_t old = f.file[at];
		f.file[at] = (uint8_t)(old ^ (1 + walk_below(&seed, 255)));
		whole_file_write(f.path, f.file, f.size);
		f.file[at] = old;
		int rc = st_table_open(f.path, &file, &fail);
		if (rc) {
			ck_assert_int_eq(rc, PD_E_CORRUPT);
			lost++;
			continue;
		}
		for (uint64_t b = 0; b < f.table.blocks; b++) {
			unsigned n = st_table_unpack(file, b, block);
			lost += !n;
			ck_assert(!memcmp(block, f.entry + b * PD_TABLE_BLOCK, n * sizeof *block));
		}
		st_table_close(file);
		bool header = at < f.table.body;
		ck_assert(header || lost);
		ck_assert(at % SLOW || !checker_accepts(&f));
	}
	ck_assert_uint_gt(lost, 0);
	for (size_t size = 0; size < f.size; size += 1 + f.size / 50) { /* cut off, also while it is mapped */
		whole_file_write(f.path, f.file, f.size);
		ck_assert(!st_table_open(f.path, &file, &fail));
		ck_assert(!truncate(f.path, (off_t)size));
		for (uint64_t b = 0; b < f.table.blocks; b++) {
			unsigned n = st_table_unpack(file, b, block);
			ck_assert(!memcmp(block, f.entry + b * PD_TABLE_BLOCK, n * sizeof *block));
		}
		st_table_close(file);
		ck_assert_int_eq(st_table_open(f.path, &file, &fail), PD_E_CORRUPT);
	}
	forger_close(&f);
}
END_TEST

/* --- builders ----------------------------------------------------------------------------- */

START_TEST(killed_builds_continue)
{
	char dir[200], path[PATH], fresh[200];
	static uint8_t one[FILE_MAX], two[FILE_MAX];
	struct sv_table_built built;
	struct pd_fail fail;
	uint64_t seed = base_seed;
	unsigned kills = 0;
	storedir_new(dir, sizeof dir);
	storedir_new(fresh, sizeof fresh);
	build(fresh, "antichess", "KRvP", &built);
	for (unsigned i = 0; i < effort_of(20, 3); i++) {
		pid_t child = fork_child();
		ck_assert_int_ge(child, 0);
		if (!child) {
			struct sv_table_order order = order_of(dir, "antichess", "KRvP");
			order.checkpoint_s = 0;
			_exit(sv_table_build(&order, &built, &fail) != 0);
		}
		usleep(1000 + walk_below(&seed, 150000));
		kill(child, SIGKILL);
		int status;
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		kills += WIFSIGNALED(status);
		ck_assert(WIFSIGNALED(status) || !WEXITSTATUS(status));
	}
	build(dir, "antichess", "KRvP", &built);
	table_path(dir, "antichess", "KRvP", ".table", path);
	size_t size = whole_file_read(path, one, FILE_MAX);
	table_path(fresh, "antichess", "KRvP", ".table", path);
	ck_assert_uint_eq(whole_file_read(path, two, FILE_MAX), size);
	ck_assert(!memcmp(one, two, size));
	printf("%u kills\n", kills);
	remove_all(dir);
	remove_all(fresh);
}
END_TEST

/* Each write fails from some size of file on; afterwards the build succeeds. */
START_TEST(full_disk_is_an_error)
{
	char dir[200];
	struct sv_table_built built;
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	for (rlim_t most = 0; most < 20000; most += 1 + most / 2) {
		pid_t child = fork_child();
		ck_assert_int_ge(child, 0);
		if (!child) {
			struct sv_table_order order = order_of(dir, "antichess", "KvP");
			struct rlimit limit = {most, most};
			order.checkpoint_s = 0;
			signal(SIGXFSZ, SIG_IGN);
			int rc = setrlimit(RLIMIT_FSIZE, &limit) ? -1 : sv_table_build(&order, &built, &fail);
			_exit(rc != 0 && rc != PD_E_NO_SPACE);
		}
		int status;
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	}
	build(dir, "antichess", "KvP", &built);
	struct sv_table_order order = order_of(dir, "antichess", "KvP");
	ck_assert_msg(!sv_table_verify(&order, &built, &fail), "%s", fail.text);
	remove_all(dir);
}
END_TEST

static bool stop_at_once(void *ctx, const struct sv_table_progress *p)
{
	return false;
}

START_TEST(what_does_not_fit_is_refused)
{
	char dir[200], path[PATH];
	struct sv_table_built built;
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	build(dir, "antichess", "KvK", &built);
	struct sv_table_order order = order_of(dir, "antichess", "KvX");
	ck_assert_int_eq(sv_table_build(&order, &built, &fail), PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "material");
	order = order_of(dir, "connect4:4x4", "KvK");
	ck_assert_int_eq(sv_table_build(&order, &built, &fail), PD_E_UNSUPPORTED);
	order = order_of(dir, "antichess", "QRvN");
	order.memory = 100000;
	ck_assert_int_eq(sv_table_build(&order, &built, &fail), PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "memory");
	order = order_of(dir, "antichess", "KvB");
	order.go_on = stop_at_once;
	int rc = sv_table_build(&order, &built, &fail); /* it may be done before it asks */
	ck_assert(!rc || rc == PD_E_SHUTDOWN);
	table_path(dir, "antichess", "NvN", ".lock", path);
	FILE *lock = fopen(path, "wb");
	ck_assert(lock && !flock(fileno(lock), LOCK_EX));
	order = order_of(dir, "antichess", "NvN");
	ck_assert_int_eq(sv_table_build(&order, &built, &fail), PD_E_BUSY);
	fclose(lock);
	ck_assert_msg(!sv_table_build(&order, &built, &fail), "%s", fail.text);
	ck_assert_int_ne(access(path, F_OK), 0);
	remove_all(dir);
}
END_TEST

SUITE(tables)
{
	base_seed = walk_seed("proofcheck.tables", 1);
	tcase_set_timeout(c, 600);
	tcase_add_loop_test(c, two_men_are_as_the_oracle_says, 0, 2);
	tcase_add_loop_test(c, both_implementations_number_alike, 0, 2);
	tcase_add_test(c, a_whole_class_is_numbered_alike);
	tcase_add_loop_test(c, known_figures, 0, 4);
	tcase_add_loop_test(c, forged_entries_are_refused, 0, 4);
	tcase_add_loop_test(c, forged_tables_beside_honest_ones, 0, 4);
	tcase_add_test(c, tables_are_read_on_first_use);
	tcase_add_test(c, damage_is_never_an_answer);
	tcase_add_test(c, killed_builds_continue);
	tcase_add_test(c, full_disk_is_an_error);
	tcase_add_test(c, what_does_not_fit_is_refused);
}
