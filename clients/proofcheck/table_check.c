#include "clients/proofcheck/table_check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

enum { CHUNK = 1024, THREADS_MAX = 999 };

struct table {
	char *file; /* owned */
	struct pd_table_head head;
	struct ck_game game;
	bool open;                 /* the game is */
	uint16_t *_Atomic entries; /* owned; NULL: not in memory */
	struct pd_id sum;          /* of the entries when they were read first; {0, 0}: they never were */
	bool good;
	bool cited;                  /* a card cites it: its entries stay in memory */
	bool wanted, checked;        /* its entries are to be compared; they were */
	struct table *_Atomic waits; /* of a class that it rests on, of which there are different tables */
	struct ck_table_verdict verdict;
};

struct ck_tables {
	char *dir;     /* owned */
	uint64_t seed; /* of the sums: nobody can choose other entries with the same one */
	unsigned threads;
	pthread_mutex_t lock;    /* held while tables are verified for cards */
	pthread_mutex_t loading; /* held while entries are read; taken last */
	struct table *at;        /* owned */
	struct table **by_class; /* owned; those with a sound header, by game and class */
	unsigned count, classes;
	bool *rests;         /* owned; count * count: whether the first rests on the second */
	atomic_bool starved; /* memory was short */
};

/* One table that threads check together. */
struct work {
	struct ck_tables *all;
	unsigned number; /* of the table */
	atomic_uint_fast64_t taken;
	atomic_bool stop;
	pthread_mutex_t lock; /* guards the verdict and `rests` */
};

static bool refuse_table(struct table *t, const char *why)
{
	if (!t->verdict.why[0])
		snprintf(t->verdict.why, sizeof t->verdict.why, "%s", why);
	t->good = false;
	return false;
}

static bool refuse_starved(struct ck_tables *all, struct table *t)
{
	atomic_store(&all->starved, true);
	return refuse_table(t, "there is not enough memory");
}

/* --- files -------------------------------------------------------------------------------- */

/* A file in memory. */
struct map {
	void *bytes;
	size_t size;
};

static bool map_table(struct ck_tables *all, struct table *t, struct map *map)
{
	char path[4096];
	struct stat st;
	if (snprintf(path, sizeof path, "%s/%s", all->dir, t->file) >= (int)sizeof path)
		return refuse_table(t, "its path is too long");
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool good = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
	void *bytes = good ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	bool starved = good && bytes == MAP_FAILED && errno == ENOMEM; /* the address space may have a limit */
	if (fd >= 0)
		close(fd);
	if (starved)
		return refuse_starved(all, t);
	if (bytes == MAP_FAILED)
		return refuse_table(t, "it cannot be read");
	*map = (struct map){bytes, (size_t)st.st_size};
	return true;
}

/* Whether the digest in the header is that of the file. */
static bool has_digest(const struct pd_table *f)
{
	uint8_t digest[EVP_MAX_MD_SIZE];
	EVP_MD_CTX *sha = EVP_MD_CTX_new();
	bool good = sha && EVP_DigestInit_ex(sha, EVP_sha256(), NULL) == 1 &&
		    EVP_DigestUpdate(sha, f->bytes, f->signed_size) == 1 &&
		    EVP_DigestUpdate(sha, f->bytes + f->body, f->size - f->body) == 1 &&
		    EVP_DigestFinal_ex(sha, digest, NULL) == 1 && !memcmp(digest, f->head.digest, PD_TABLE_DIGEST);
	EVP_MD_CTX_free(sha);
	return good;
}

/* Opens the game that the header names. */
static bool open_game(struct ck_tables *all, struct table *t)
{
	const struct pd_table_head *h = &t->head;
	struct pd_fail fail;
	const struct ck_game *g = &t->game;
	if (t->open)
		return true;
	int rc = ck_open(&t->game, h->game, "", 0, &fail);
	if (rc)
		return rc == PD_E_NO_MEMORY ? refuse_starved(all, t)
					    : refuse_table(t, "this program does not know its game");
	t->open = true;
	if (!g->rules->class_size || !g->rules->class_position || !g->rules->class_index)
		return refuse_table(t, "this program knows no classes of its game");
	if (!g->repeats || g->best - g->infinite > g->step || g->infinite - g->worst > g->step)
		return refuse_table(t, "its game has more values than tables can hold");
	if (strcmp(g->name, h->game) != 0 || g->version != h->rules)
		return refuse_table(t, "it is of another version of the rules");
	return g->rules->class_size(g, h->class) == h->size ? true : refuse_table(t, "its class has a different size");
}

/* Whether the entries are those that were read before, if they were: what was compared must be what is compared with,
 * even if someone writes to the file between the look at its digest and the reading. */
static bool are_same(const struct ck_tables *all, struct table *t, const uint16_t *entries, uint64_t count)
{
	struct pd_id sum = pd_id_of(entries, (size_t)count * sizeof *entries, all->seed);
	bool first = !t->sum.lo && !t->sum.hi;
	if (first)
		t->sum = sum;
	return first || pd_id_equal(t->sum, sum);
}

static bool read_entries(struct ck_tables *all, struct table *t, const struct pd_table *table)
{
	const struct pd_table_head *h = &table->head;
	struct ck_table_verdict *v = &t->verdict;
	uint16_t *entries = calloc((size_t)table->blocks * PD_TABLE_BLOCK, sizeof *entries);
	bool good = true;
	v->positions = v->wins = v->losses = v->draws = v->longest = 0;
	for (uint64_t b = 0; entries && b < table->blocks && good; b++)
		good = pd_table_unpack(table, b, entries + b * PD_TABLE_BLOCK);
	for (uint64_t i = 0; entries && good && i < h->size; i++) {
		uint16_t e = entries[i];
		v->positions += e != PD_TABLE_HOLE;
		v->draws += e == PD_TABLE_DRAW;
		v->wins += pd_table_decided(e) && pd_table_wins(e);
		v->losses += pd_table_decided(e) && !pd_table_wins(e);
		if (pd_table_decided(e) && pd_table_plies(e) > v->longest)
			v->longest = pd_table_plies(e);
	}
	if (!entries)
		return refuse_starved(all, t);
	bool counted = good && v->wins == h->wins && v->losses == h->losses && v->draws == h->draws &&
		       v->longest == h->longest;
	if (counted && are_same(all, t, entries, h->size)) {
		atomic_store_explicit(&t->entries, entries, memory_order_release);
		return true;
	}
	free(entries);
	return refuse_table(t, counted ? "it has changed meanwhile"
			       : good  ? "the counts in its header are wrong"
				       : "a block of it is damaged");
}

/* Reads the entries from bytes whose digest is that of the header that was listed. */
static bool load_mapped(struct ck_tables *all, struct table *t, const struct map *map)
{
	struct pd_table table;
	const char *wrong = pd_table_open(&table, map->bytes, map->size);
	if (wrong)
		return refuse_table(t, wrong);
	if (memcmp(table.head.digest, t->head.digest, PD_TABLE_DIGEST) != 0 || table.head.size != t->head.size ||
	    strcmp(table.head.class, t->head.class) != 0 || strcmp(table.head.game, t->head.game) != 0)
		return refuse_table(t, "it has changed since its header was read");
	if (!has_digest(&table))
		return refuse_table(t, "the digest in its header is wrong");
	return open_game(all, t) && read_entries(all, t, &table);
}

/* The entries of a table, which are read on first use; NULL, and the table is refused, when they cannot be read. Any
 * thread. */
static const uint16_t *entries_of(struct ck_tables *all, struct table *t)
{
	struct map map;
	if (!atomic_load_explicit(&t->entries, memory_order_acquire)) {
		pthread_mutex_lock(&all->loading);
		if (!atomic_load(&t->entries) && t->good && map_table(all, t, &map)) {
			load_mapped(all, t, &map);
			munmap(map.bytes, map.size);
		}
		pthread_mutex_unlock(&all->loading);
	}
	return atomic_load_explicit(&t->entries, memory_order_acquire);
}

/* Forgets entries, except of tables that cards cite. */
static void forget_entries(struct ck_tables *all)
{
	for (unsigned i = 0; i < all->count; i++)
		if (!all->at[i].cited)
			free(atomic_exchange(&all->at[i].entries, NULL));
}

static int compare_class(const struct table *t, const char *game, const char *class)
{
	int order = strcmp(t->head.class, class);
	return order ? order : strcmp(t->head.game, game);
}

static int compare_tables(const void *a, const void *b)
{
	const struct table *x = *(struct table *const *)a, *y = *(struct table *const *)b;
	int order = compare_class(x, y->head.game, y->head.class);
	return order ? order : (x > y) - (x < y);
}

/* --- one position ------------------------------------------------------------------------- */

/* The entry of a position that is over. */
static uint16_t entry_of_end(const struct ck_game *g, const struct ck_position *p, int value)
{
	if (value == g->infinite)
		return PD_TABLE_DRAW;
	return (value > g->infinite) == g->rules->first_moves(g, p) ? pd_table_win(0) : pd_table_loss(0);
}

/* The table of a class of the same game, with its entries; NULL: none that can be read, or there are different ones, of
 * which none is verified: the table has to wait for that. */
static struct table *find_class(struct ck_tables *all, unsigned number, const char *class)
{
	struct table *own = &all->at[number], *first = NULL;
	unsigned low = 0, high = all->classes;
	bool differ = false;
	if (!strcmp(own->head.class, class))
		return own;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		if (compare_class(all->by_class[middle], own->head.game, class) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < all->classes && !compare_class(all->by_class[low], own->head.game, class); low++) {
		struct table *t = all->by_class[low];
		if (!entries_of(all, t) || (t->checked && !t->good))
			continue;
		if (t->checked)
			return t;
		first = first ? first : t;
		differ |= memcmp(t->head.digest, first->head.digest, PD_TABLE_DIGEST) != 0;
	}
	if (differ)
		atomic_store(&own->waits, first);
	return differ ? NULL : first;
}

/* The entry of the position after a move; PD_TABLE_HOLE: no table has it. */
static uint16_t entry_after(const struct work *w, const struct ck_position *p, unsigned *from)
{
	const struct table *own = &w->all->at[w->number];
	const struct ck_game *g = &own->game;
	char name[CK_CLASS_NAME];
	uint64_t index;
	int value;
	*from = w->number;
	if (g->rules->over(g, p, &value))
		return entry_of_end(g, p, value);
	if (!g->rules->class_index(g, p, name, &index))
		return PD_TABLE_HOLE;
	struct table *t = find_class(w->all, w->number, name);
	if (!t)
		return PD_TABLE_HOLE;
	*from = (unsigned)(t - w->all->at);
	return index < t->head.size ? t->entries[index] : PD_TABLE_HOLE;
}

/* The entry that the moves of a position demand; PD_TABLE_HOLE: a position after a move is in no table. Marks the
 * tables that it used. */
static uint16_t demand_entry(const struct work *w, const struct ck_position *p, bool *used)
{
	const struct ck_game *g = &w->all->at[w->number].game;
	uint16_t moves[CK_MOVES_MAX];
	unsigned count = g->rules->moves(g, p, moves), nearest = UINT32_MAX, longest = 0, from;
	bool draws = false;
	for (unsigned i = 0; i < count; i++) {
		struct ck_position child = *p;
		g->rules->play(g, &child, moves[i]);
		uint16_t entry = entry_after(w, &child, &from);
		if (entry == PD_TABLE_HOLE)
			return PD_TABLE_HOLE;
		used[from] = true;
		if (entry == PD_TABLE_DRAW) {
			draws = true;
			continue;
		}
		unsigned plies = pd_table_plies(entry) + 1;
		if (!pd_table_wins(entry))
			nearest = plies < nearest ? plies : nearest;
		else
			longest = plies > longest ? plies : longest;
	}
	if (nearest != UINT32_MAX)
		return pd_table_win(nearest);
	return draws ? PD_TABLE_DRAW : pd_table_loss(longest);
}

static const char *entry_text(uint16_t entry, char out[40])
{
	if (!pd_table_decided(entry))
		return entry ? "a draw" : "no position";
	snprintf(out, 40, "a %s in %u plies", pd_table_wins(entry) ? "win" : "loss", pd_table_plies(entry));
	return out;
}

static void report_entry(struct work *w, uint64_t index, const struct ck_position *p, uint16_t right)
{
	struct table *t = &w->all->at[w->number];
	char text[CK_TEXT_MAX] = "", is[40], should[40], why[CK_TABLE_TEXT];
	atomic_store(&w->stop, true);
	if (atomic_load(&t->waits))
		return;
	if (p)
		t->game.rules->print(&t->game, p, text);
	snprintf(why, sizeof why, "entry %llu, %.150s: it is %s, and should be %s", (unsigned long long)index,
		 p ? text : "not a position", entry_text(t->entries[index], is),
		 p && right == PD_TABLE_HOLE ? "unknown: a position after a move is in no table"
					     : entry_text(right, should));
	pthread_mutex_lock(&w->lock);
	refuse_table(t, why);
	pthread_mutex_unlock(&w->lock);
}

/* Whether entry i is the one that the rules demand, *right; *there: it has a position, *p. */
static bool entry_holds(const struct work *w, uint64_t i, bool *used, struct ck_position *p, bool *there,
			uint16_t *right)
{
	const struct table *t = &w->all->at[w->number];
	const struct ck_game *g = &t->game;
	int value;
	*there = g->rules->class_position(g, t->head.class, i, p);
	*right = !*there                        ? PD_TABLE_HOLE
		 : g->rules->over(g, p, &value) ? entry_of_end(g, p, value)
						: demand_entry(w, p, used);
	return t->entries[i] == *right && *there == (*right != PD_TABLE_HOLE);
}

static void check_entries(struct work *w, uint64_t from, uint64_t to, bool *used)
{
	struct ck_position p;
	uint16_t right;
	bool there;
	for (uint64_t i = from; i < to && !atomic_load_explicit(&w->stop, memory_order_relaxed); i++)
		if (!entry_holds(w, i, used, &p, &there, &right))
			report_entry(w, i, there ? &p : NULL, right);
}

static void *run_worker(void *arg)
{
	struct work *w = arg;
	uint64_t size = w->all->at[w->number].head.size, from;
	bool *used = calloc(w->all->count, sizeof *used);
	while (used && !atomic_load(&w->stop) && (from = atomic_fetch_add(&w->taken, CHUNK)) < size)
		check_entries(w, from, from + CHUNK < size ? from + CHUNK : size, used);
	pthread_mutex_lock(&w->lock);
	for (unsigned i = 0; used && i < w->all->count; i++)
		w->all->rests[w->number * w->all->count + i] |= used[i];
	if (!used)
		refuse_starved(w->all, &w->all->at[w->number]);
	pthread_mutex_unlock(&w->lock);
	free(used);
	return NULL;
}

static void check_table(struct ck_tables *all, unsigned number)
{
	struct work w = {.all = all, .number = number, .lock = PTHREAD_MUTEX_INITIALIZER};
	pthread_t thread[THREADS_MAX];
	unsigned started = 0;
	while (started + 1 < all->threads && !pthread_create(&thread[started], NULL, run_worker, &w))
		started++;
	run_worker(&w);
	while (started > 0)
		pthread_join(thread[--started], NULL);
}

/* Reads the header. */
static void list_table(struct ck_tables *all, const char *game, struct table *t)
{
	struct ck_table_verdict *v = &t->verdict;
	struct pd_table table = {0};
	struct map map;
	v->file = t->file;
	t->good = true;
	if (!map_table(all, t, &map))
		return;
	const char *wrong = pd_table_open(&table, map.bytes, map.size);
	munmap(map.bytes, map.size);
	t->head = table.head;
	if (wrong) {
		refuse_table(t, wrong);
		return;
	}
	memcpy(v->game, t->head.game, sizeof v->game);
	memcpy(v->class, t->head.class, sizeof v->class);
	for (unsigned i = 0; i < PD_TABLE_DIGEST; i++)
		snprintf(v->digest + (size_t)2 * i, 3, "%02x", t->head.digest[i]);
	if (game && strcmp(t->head.game, game) != 0)
		refuse_table(t, "it is of another game");
}

static int select_table(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');
	return entry->d_name[0] != '.' && dot && !strcmp(dot, ".table");
}

static int list_tables(const char *game, struct ck_tables *all, struct pd_fail *fail)
{
	struct dirent **names;
	int count = scandir(all->dir, &names, select_table, alphasort);
	if (count < 0)
		return pd_fail_errno(fail, "tables", "read", all->dir);
	all->at = calloc((size_t)count + 1, sizeof *all->at);
	all->by_class = calloc((size_t)count + 1, sizeof *all->by_class);
	all->rests = calloc((size_t)count * (size_t)count + 1, sizeof *all->rests);
	bool good = all->at && all->by_class && all->rests;
	for (int i = 0; i < count; i++) {
		char *name = good ? strdup(names[i]->d_name) : NULL;
		good &= name != NULL;
		if (good)
			all->at[all->count++].file = name;
		free(names[i]);
	}
	free(names);
	if (!good)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is not enough memory for the tables");
	for (unsigned i = 0; i < all->count; i++) {
		list_table(all, game, &all->at[i]);
		if (all->at[i].good)
			all->by_class[all->classes++] = &all->at[i];
	}
	qsort(all->by_class, all->classes, sizeof *all->by_class, compare_tables);
	return PD_OK;
}

void ck_tables_close(struct ck_tables *all)
{
	for (unsigned i = 0; all && i < all->count; i++) {
		struct table *t = &all->at[i];
		if (t->open)
			ck_close(&t->game);
		free(t->entries);
		free(t->file);
	}
	if (all) {
		pthread_mutex_destroy(&all->lock);
		pthread_mutex_destroy(&all->loading);
		free(all->dir);
		free(all->at);
		free(all->by_class);
		free(all->rests);
	}
	free(all);
}

/* What rests on a table that is not good is not good, until nothing changes. */
static void spread_faults(struct ck_tables *all)
{
	for (bool again = true; again;) {
		again = false;
		for (unsigned i = 0; i < all->count; i++)
			for (unsigned k = 0; k < all->count && all->at[i].good; k++)
				if (all->rests[i * all->count + k] && !all->at[k].good) {
					refuse_table(&all->at[i], "it rests on a table that is not verified");
					again = true;
				}
	}
}

int ck_tables_open(const char *dir, const char *game, unsigned threads, struct ck_tables **out, struct pd_fail *fail)
{
	struct ck_tables *all = calloc(1, sizeof *all);
	PD_ASSERT(threads >= 1 && threads <= THREADS_MAX);
	if (!all || !(all->dir = strdup(dir))) {
		free(all);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for tables");
	}
	all->threads = threads;
	all->seed = pd_random64();
	pthread_mutex_init(&all->lock, NULL);
	pthread_mutex_init(&all->loading, NULL);
	int rc = list_tables(game, all, fail);
	if (rc)
		ck_tables_close(all);
	else
		*out = all;
	return rc;
}

static bool is_waiting(const struct table *t)
{
	return t->wanted && !t->checked && t->waits;
}

/* Compares the entries of a table; what it rests on, or waits for, is wanted then. */
static void check_one(struct ck_tables *all, unsigned number)
{
	struct table *t = &all->at[number];
	bool *rests = all->rests + (size_t)number * all->count;
	atomic_store(&t->waits, NULL);
	if (entries_of(all, t))
		check_table(all, number);
	t->checked = !t->waits || !t->good;
	for (unsigned k = 0; k < all->count; k++) {
		struct table *other = &all->at[k];
		other->wanted |= rests[k] || (!t->checked && !compare_class(other, t->head.game, t->waits->head.class));
		rests[k] &= t->checked;
	}
	forget_entries(all);
}

/* Lets the tables go on that waited for others which have been verified or refused; false: there are none. */
static bool wake_tables(struct ck_tables *all)
{
	bool any = false;
	for (unsigned i = 0; i < all->count; i++) {
		struct table *t = &all->at[i], *first = t->waits;
		if (!is_waiting(t))
			continue;
		atomic_store(&t->waits, NULL);
		find_class(all, i, first->head.class);
		any |= !t->waits;
	}
	forget_entries(all);
	return any;
}

/* Compares the entries of the tables that are wanted, and of those that they rest on. */
static void check_wanted(struct ck_tables *all)
{
	for (bool again = true; again;) {
		again = false;
		for (unsigned i = 0; i < all->count; i++) {
			if (!all->at[i].wanted || all->at[i].checked || is_waiting(&all->at[i]))
				continue;
			again = true;
			check_one(all, i);
		}
		if (!again) {
			spread_faults(all);
			again = wake_tables(all);
		}
	}
	for (unsigned i = 0; i < all->count; i++)
		if (is_waiting(&all->at[i])) {
			all->at[i].checked = true;
			refuse_table(&all->at[i], "it rests on one of several tables of a class, which rest on it");
		}
	spread_faults(all);
}

unsigned ck_tables_verify(struct ck_tables *all)
{
	unsigned bad = 0;
	for (unsigned i = 0; i < all->count; i++)
		all->at[i].wanted = true;
	check_wanted(all);
	for (unsigned i = 0; i < all->count; i++) {
		all->at[i].verdict.verified = all->at[i].good;
		bad += !all->at[i].good;
	}
	return bad;
}

const struct ck_table_verdict *ck_tables_verdict(const struct ck_tables *all, unsigned number)
{
	return number < all->count ? &all->at[number].verdict : NULL;
}

/* The table with that digest, verified: one that is sound, if there is one. */
static struct table *verify_digest(struct ck_tables *all, const uint8_t *digest)
{
	struct table *found = NULL;
	for (unsigned i = 0; i < all->count && !(found && found->good); i++) {
		struct table *t = &all->at[i];
		if (memcmp(t->head.digest, digest, PD_TABLE_DIGEST) != 0)
			continue;
		found = t;
		t->cited = t->wanted = true;
		if (!t->checked)
			check_wanted(all);
		entries_of(all, t); /* it may have been verified before it was cited */
	}
	return found;
}

static enum ck_table_found tell_unusable(char why[CK_TABLE_TEXT], const struct table *t, const char *text)
{
	snprintf(why, CK_TABLE_TEXT, "the table %.100s%s%.250s", t ? t->file : "that it cites", t ? ": " : " ", text);
	return CK_TABLE_REFUSED;
}

enum ck_table_found ck_tables_look_up(struct ck_tables *all, const uint8_t digest[PD_TABLE_DIGEST],
				      const struct ck_game *game, const struct ck_position *p, uint16_t *entry,
				      char why[CK_TABLE_TEXT])
{
	char name[CK_CLASS_NAME];
	uint64_t index;
	pthread_mutex_lock(&all->lock);
	struct table *t = verify_digest(all, digest);
	bool good = t && t->good;
	pthread_mutex_unlock(&all->lock);
	if (!good && atomic_load(&all->starved)) {
		tell_unusable(why, NULL, "cannot be verified: there is not enough memory");
		return CK_TABLE_MEMORY;
	}
	if (!good)
		return tell_unusable(
			why, t,
			t ? t->verdict.why
			  : "is not in the directory of --tables (of a data directory DIR, that is DIR/tables)");
	PD_ASSERT(t->checked && t->entries && !strcmp(t->head.game, game->name));
	if (!game->rules->class_index(game, p, name, &index) || strcmp(name, t->head.class) != 0 ||
	    index >= t->head.size || t->entries[index] == PD_TABLE_HOLE)
		return tell_unusable(why, t, "it does not hold this position");
	*entry = t->entries[index];
	return CK_TABLE_FOUND;
}

bool ck_tables_accepts(struct ck_tables *all, unsigned number, uint64_t index, uint16_t entry)
{
	struct table *t = &all->at[number];
	struct work w = {.all = all, .number = number};
	struct ck_position p;
	uint16_t right;
	bool there;
	if (!entries_of(all, t))
		return false;
	uint16_t kept = t->entries[index];
	t->entries[index] = entry;
	bool holds = entry_holds(&w, index, all->rests, &p, &there, &right);
	t->entries[index] = kept;
	return holds;
}
