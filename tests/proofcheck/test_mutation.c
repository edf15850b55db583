/* Mutation: true certificates, and thousands of corrupted ones.
 *
 * Every corrupted certificate is judged twice: by the checker and by forge_judge, an independent implementation. Both
 * must agree, and everything verified must be true. The test makes a few thousand; by hand
 *
 *     test_proofcheck mutation COUNT SEED [FILE...]
 *
 * makes COUNT, from the files instead of its own certificates if there are any; and
 *
 *     test_proofcheck write_certificate FILE GAME POSITION CLAIM LEAVES [GRAPH]
 *
 * writes a true certificate (one reason in LEAVES has an effort, 0: none); `write_cards`, with the same words, one of
 * format 4. A certificate without agreement is left as a file, with its seed. For tests in Python,
 *
 *     test_proofcheck measure PROGRAM WORD...
 *
 * runs a program and prints its peak memory. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clients/proofcheck/check.h"
#include "clients/proofcheck/text_form.h"
#include "proto/graph_file.h"
#include "tests/proofcheck/forge.h"
#include "tests/support/gamedata.h"
#include "tests/support/program.h"
#include "tests/support/walk.h"

enum { BASES_MAX = 256, COUNT_USUAL = 4000 };

/* A true certificate with its game. */
struct base {
	struct forge forge;
	struct game *game;   /* owned */
	struct truth *truth; /* owned; NULL for files */
};

struct tally {
	unsigned verified, rejected, unknown, either;
};

/* --- making bases ------------------------------------------------------------------------- */

struct text {
	const char *bytes;
	size_t size;
};

static int give_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	const struct text *text = ctx;
	return pr_graph_parse(text->bytes, text->size, out, fail);
}

static void open_game(struct base *b, const char *name, const char *graph, size_t size)
{
	struct text text = {graph, size};
	struct game_host host = {&text, give_graph};
	struct pd_fail fail;
	if (game_open(name, &host, &b->game, &fail)) {
		fprintf(stderr, "%s: %s\n", name, fail.text);
		exit(2);
	}
}

/* Opens the game and finds the truth about the position. */
static void begin_base(struct base *b, const char *game, const char *position, const char *graph)
{
	struct walk_state root;
	open_game(b, game, graph, graph ? strlen(graph) : 0);
	if (b->game->rules->parse(b->game, position, &root, NULL))
		abort();
	b->truth = truth_new(b->game, &root);
}

static void make_base(struct base *b, const char *game, const char *position, const char *claim, unsigned leaves,
		      char *graph, uint64_t *seed)
{
	begin_base(b, game, position, graph);
	forge_make(&b->forge, b->game, position, claim, b->truth, leaves, graph, seed);
	free(graph);
}

static void make_base_of_cards(struct base *b, const char *game, const char *position, const char *claim,
			       unsigned leaves, uint64_t *seed)
{
	begin_base(b, game, position, NULL);
	forge_make_cards(&b->forge, b->game, position, claim, b->truth, leaves, seed);
}

/* Certificates with cards. */
static const struct {
	const char *game, *position, *claim;
	unsigned leaves;
} of_cards[] = {
	{"connect4:4x4", "1213", "value", 0},
	{"connect4:4x4", "223344", "value", 5},
	{"connect4:4x4", "22233", "second-draws", 0},
	{"connect4:3x6", "22", "value", 0},
	{"mnk:3,3,3", "", "value", 0},
	{"mnk:3,3,3", "a1", "value", 7},
	{"mnk:4,3,3", "b2 a1 d3", "value", 0},
	{"mnk:4,3,3,2,1", "b2", "value", 0},
	{"mnk:4,3,3,exact", "b2 b1", "value", 0},
	{"mnk:5,2,3,exact", "", "value", 6},
	{"mnk:3,3,3,2,2,exact", "a1", "value", 0},
	{"connect4:5x3", "333", "value", 4},
};
enum { OF_CARDS = sizeof of_cards / sizeof *of_cards };

/* The rows of tests/data/games, so that every built-in game has a certificate here, and random graphs. */
static unsigned make_bases(struct base *bases, bool many, uint64_t *seed)
{
	const struct gamedata *rows = gamedata_read("proof");
	static const char *const claims[] = {"value",        "first-wins", "second-wins", "first-draws",
					     "second-draws", "first>=1",   "first>=-1",   "first>=2"};
	unsigned count = 0;
	for (unsigned i = 0; i < rows->count && count + 60 + OF_CARDS < BASES_MAX; i++) {
		const struct gamedata_row *row = &rows->row[i];
		size_t size;
		if (row->columns == 4 || many)
			make_base(&bases[count++], row->column[0], row->column[1], row->column[2],
				  (unsigned)atoi(row->column[3]), gamedata_graph(row->column[0], &size), seed);
	}
	for (unsigned i = 0; i < sizeof of_cards / sizeof *of_cards; i++)
		make_base_of_cards(&bases[count++], of_cards[i].game, of_cards[i].position, of_cards[i].claim,
				   of_cards[i].leaves, seed);
	for (unsigned i = 0; i < 60; i++)
		make_base(&bases[count++], "andor:any", "", claims[walk_below(seed, 8)], walk_below(seed, 3) ? 0 : 4,
			  forge_graph(seed), seed);
	return count;
}

static void close_base(struct base *b)
{
	truth_free(b->truth);
	forge_fini(&b->forge);
	game_close(b->game);
}

static void read_base(struct base *b, const char *path)
{
	FILE *file = fopen(path, "rb");
	struct pd_buf bytes;
	char part[65536];
	size_t n;
	pd_buf_init(&bytes, SIZE_MAX);
	while (file && (n = fread(part, 1, sizeof part, file)) > 0)
		pd_buf_put(&bytes, part, n);
	if (!file || ferror(file) || bytes.failed || !forge_read(&b->forge, bytes.data ? bytes.data : "", bytes.size)) {
		fprintf(stderr, "%s: cannot be read as a certificate\n", path);
		exit(2);
	}
	fclose(file);
	pd_buf_fini(&bytes);
	open_game(b, b->forge.line[FORGE_game], b->forge.graph, b->forge.graph_size);
}

/* --- corrupting --------------------------------------------------------------------------- */

static uint64_t some_number(uint64_t *seed)
{
	static const uint64_t numbers[] = {0, 1, 2, 3, 127, 128, 65533, 65534, 65535, 65536, UINT32_MAX, UINT64_MAX};
	return walk_below(seed, 2) ? numbers[walk_below(seed, 12)] : walk_below(seed, 40);
}

static void spoil_card(struct forge_reason *a, uint64_t *seed)
{
	switch (walk_below(seed, 6)) {
	case 0:
		a->theorem = walk_below(seed, 2) ? 1 + walk_below(seed, 11) : some_number(seed);
		break;
	case 1: /* a byte */
	case 2:
		if (a->size)
			a->witness[walk_below(seed, a->size)] = (uint8_t)walk_below(seed, 24);
		break;
	case 3: /* the end cut off */
		a->size = walk_below(seed, a->size + 1);
		break;
	case 4: /* more bytes, or other ones */
		if (a->size + 3 <= FORGE_WITNESS_MAX)
			a->size += 1 + walk_below(seed, 3);
		break;
	default:
		a->rank += walk_below(seed, 2) ? 1 : UINT64_MAX;
		break;
	}
}

static void spoil_reason(struct forge_record *r, uint64_t *seed)
{
	struct forge_reason *a = r->count ? &r->reason[walk_below(seed, r->count)] : NULL;
	unsigned at = a ? (unsigned)(a - r->reason) : 0;
	if (a && a->flags & 16 && walk_below(seed, 2)) {
		spoil_card(a, seed);
		return;
	}
	switch (walk_below(seed, a ? 10 : 1)) {
	case 0: /* one more */
		if (r->count < 16) {
			struct forge_reason *more = &r->reason[r->count];
			*more = a ? *a : (struct forge_reason){0};
			more->bound += (int)walk_below(seed, 3) - 1;
			more->flags = walk_below(seed, 2) ? more->flags : walk_below(seed, 32);
			r->count++;
		}
		break;
	case 1:
		memmove(a, a + 1, (r->count - at - 1) * sizeof *a);
		r->count--;
		break;
	case 2:
		a->bound += walk_below(seed, 2) ? 1 : -1;
		break;
	case 3:
		a->bound = (int64_t)some_number(seed);
		break;
	case 4:
		a->rank += walk_below(seed, 2) ? 1 : UINT64_MAX;
		break;
	case 5:
		a->rank = some_number(seed);
		break;
	case 6:
		a->move = walk_below(seed, 2) ? walk_below(seed, 9) : some_number(seed);
		break;
	case 7:
		a->flags ^= 1u << walk_below(seed, walk_below(seed, 8) ? 4 : 8);
		break;
	case 8:
		a->flags = (a->flags & 1) | 10;
		a->effort = some_number(seed) % 100000;
		break;
	default:
		a->effort = some_number(seed);
		break;
	}
}

static void spoil_records(struct forge *f, uint64_t *seed)
{
	size_t at = f->count ? walk_random(seed) % f->count : 0, other = f->count ? walk_random(seed) % f->count : 0;
	if (!f->count)
		return;
	struct forge_record *r = &f->record[at], spare;
	switch (walk_below(seed, 6)) {
	case 0: /* one gone */
		memmove(r, r + 1, (f->count - at - 1) * sizeof *r);
		f->count--;
		break;
	case 1: /* one twice, where there is room for it */
		if (f->count < f->capacity) {
			memmove(r + 1, r, (f->count - at) * sizeof *r);
			f->count++;
		}
		break;
	case 2: /* two swapped */
		spare = *r;
		*r = f->record[other];
		f->record[other] = spare;
		break;
	case 3: /* another position's reasons */
		memcpy(r->reason, f->record[other].reason, sizeof r->reason);
		r->count = f->record[other].count;
		break;
	case 4:
		if (r->key_size)
			r->key[walk_below(seed, (unsigned)r->key_size)] ^= (uint8_t)(1u << walk_below(seed, 8));
		break;
	default:
		r->key_size = walk_below(seed, 2) ? r->key_size + 1 : r->key_size - 1;
		break;
	}
}

static void spoil_line(struct forge *f, uint64_t *seed)
{
	static const char *const words[] = {
		"",         "-",          "0",           "1",           "-1",           "-0",
		"01",       "2",          "32767",       "32768",       "-32769",       "18446744073709551616",
		"value",    "first-wins", "second-wins", "first-draws", "second-draws", "first>=0",
		"first>=1", "first>=-1",  "first>=2",    "first>=01",   "proved",       "disproved",
		"solved",   "full",       "frontier",    "mnk:3,3,3",   "connect4:4x4", "chess",
		"a1",       "b2",         "1",           "22",          "n1",           "x"};
	unsigned line = walk_below(seed, FORGE_digest + 1),
		 at = f->line[line][0] ? walk_below(seed, (unsigned)strlen(f->line[line])) : 0;
	char copy[8192];
	snprintf(copy, sizeof copy, "%s", f->line[line]);
	if (copy[0] && walk_below(seed, 2)) {
		copy[at] = (char)(copy[at] ^ 1u << walk_below(seed, 4));
		if (copy[at] == '\n')
			copy[at] = '!';
		forge_set(f, (enum forge_line)line, "%s", copy);
	} else {
		forge_set(f, (enum forge_line)line, "%s", words[walk_below(seed, sizeof words / sizeof words[0])]);
	}
}

/* Changes arbitrary bytes of the file, then corrects the digest if it can be found. */
static void spoil_bytes(struct pd_buf *file, uint64_t *seed)
{
	size_t at = walk_random(seed) % file->size, end = file->size;
	uint8_t *bytes = (uint8_t *)file->data;
	switch (walk_below(seed, 5)) {
	case 0:
		bytes[at] ^= (uint8_t)(1u << walk_below(seed, 8));
		break;
	case 1:
		bytes[at] = (uint8_t)some_number(seed);
		break;
	case 2:
		file->size = at;
		break;
	case 3:
		memmove(bytes + at, bytes + at + 1, end - at - 1);
		file->size--;
		break;
	default:
		pd_buf_put(file, "\0", 1);
		bytes = (uint8_t *)file->data;
		memmove(bytes + at + 1, bytes + at, end - at);
		bytes[at] = (uint8_t)some_number(seed);
		break;
	}
}

static void fit_digest(struct pd_buf *file)
{
	pd_buf_put(file, "", 0);
	char *end = file->size ? strstr(file->data, "\n\n") : NULL,
	     *at = file->size ? strstr(file->data, "\ndigest: ") : NULL;
	if (!end || !at || at + 9 + 32 != end)
		return;
	struct ck_cert cert = {
		.bytes = (uint8_t *)file->data, .size = file->size, .body = (uint64_t)(end + 2 - file->data)};
	char text[33];
	cert.header.digest_line = (uint64_t)(at + 1 - file->data);
	ck_cert_digest(&cert, text);
	memcpy(at + 9, text, 32);
}

/* --- comparing ---------------------------------------------------------------------------- */

static bool leave_behind(const struct pd_buf *file, uint64_t seed, const char *what, const char *why,
			 const struct ck_result *result)
{
	char path[64];
	snprintf(path, sizeof path, "mutant-%" PRIu64 ".proof", seed);
	FILE *out = fopen(path, "wb");
	if (out) {
		fwrite(file->data, 1, file->size, out);
		fclose(out);
	}
	printf("seed %" PRIu64 ": %s: %s; %s %s (%s)\n", seed, what, why, result->fault.text, result->fault.position,
	       path);
	return false;
}

/* Reads a file, compressed or not. */
static bool read_plain(struct forge *f, const struct pd_buf *file)
{
	struct pd_buf plain;
	if (!forge_is_packed(file))
		return forge_read(f, file->size ? file->data : "", file->size);
	pd_buf_init(&plain, SIZE_MAX);
	bool good = forge_unpack(file, &plain) && forge_read(f, plain.data, plain.size);
	pd_buf_fini(&plain);
	return good;
}

/* Judges by the rules of the game that the file names, which the corruption may have changed. */
static enum forge_finding judge_file(const struct base *b, struct forge *f, char why[200])
{
	const char *name = f->line[FORGE_game];
	struct game *other;
	if (!strcmp(name, b->game->name) || !strncmp(b->game->name, "andor:", 6) || !strncmp(name, "andor:", 6) ||
	    game_open(name, NULL, &other, NULL))
		return forge_judge(f, b->game, b->truth, why);
	enum forge_finding finding = forge_judge(f, other, NULL, why);
	game_close(other);
	return finding;
}

/* Both verdicts, and whether they agree. */
static bool compare_verdicts(const struct base *b, const struct pd_buf *file, uint64_t seed, struct tally *tally)
{
	static const char *const findings[] = {"should be verified, but is not", "should be rejected, but is not"};
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	struct forge f;
	char why[200] = "not of the form";
	/* A copy of exactly the file's size, so that a sanitizer detects every read beyond it. */
	uint8_t *exact = malloc(file->size ? file->size : 1);
	if (!exact)
		abort();
	if (file->size)
		memcpy(exact, file->data, file->size);
	enum ck_verdict verdict = ck_check(exact, file->size, &options, &result);
	free(exact);
	enum forge_finding finding = FORGE_FALSE;
	if (read_plain(&f, file)) {
		finding = judge_file(b, &f, why);
		forge_fini(&f);
	}
	tally->verified += verdict == CK_VERIFIED;
	tally->rejected += verdict == CK_REJECTED;
	tally->unknown += verdict == CK_UNKNOWN;
	tally->either += finding == FORGE_EITHER;
	if (finding != FORGE_EITHER && (finding == FORGE_TRUE) != (verdict == CK_VERIFIED))
		return leave_behind(file, seed, findings[finding], why, &result);
	return true;
}

/* Whether a verified certificate is true. */
static bool is_true(const struct base *b, const struct pd_buf *file)
{
	struct forge f;
	struct walk_state root;
	unsigned distance;
	bool good = true;
	if (!b->truth || !read_plain(&f, file))
		return true;
	bool same = !strncmp(b->game->name, "andor:", 6) || !strcmp(f.line[FORGE_game], b->game->name);
	if (same && !b->game->rules->parse(b->game, f.line[FORGE_position], &root, NULL)) {
		struct truth *other = truth_knows(b->truth, &root) ? NULL : truth_new(b->game, &root);
		struct truth *truth = other ? other : b->truth;
		int value;
		bool over = b->game->rules->terminal(b->game, &root, &value);
		for (unsigned upper = 0; upper < 2; upper++) {
			const char *text = f.line[upper ? FORGE_hi : FORGE_lo];
			if (!strcmp(text, "-"))
				continue;
			int bound = atoi(text);
			bool holds = over ? (upper ? value <= bound : value >= bound)
					  : truth_holds(truth, &root, bound + (int)upper, &distance) != upper;
			good = good && holds;
		}
		truth_free(other);
	}
	forge_fini(&f);
	return good;
}

/* A random record; of a certificate with cards more often one with a card. */
static struct forge_record *pick_record(struct forge *f, uint64_t *seed)
{
	struct forge_record *r = &f->record[walk_random(seed) % f->count];
	for (unsigned tries = walk_below(seed, 30); tries && f->format == 4 && !(r->reason[0].flags & 16); tries--)
		r = &f->record[walk_random(seed) % f->count];
	return r;
}

static bool run_mutation(const struct base *b, uint64_t seed, struct tally *tally)
{
	uint64_t random = seed;
	struct forge f;
	struct pd_buf file;
	forge_copy(&f, &b->forge);
	pd_buf_init(&file, SIZE_MAX);
	if (b->truth)
		forge_cut(&f, &random);
	unsigned times = walk_below(&random, 8) ? 1 : walk_below(&random, 4), how = walk_below(&random, 20);
	for (unsigned i = 0; i < times && how < 14; i++) {
		if (how < 9 && f.count)
			spoil_reason(pick_record(&f, &random), &random);
		else
			spoil_records(&f, &random);
	}
	forge_fit(&f);
	for (unsigned i = 0; i < times && how >= 14 && how < 17; i++)
		spoil_line(&f, &random);
	if (how < 17 && walk_below(&random, 40) == 0)
		f.format = f.format == 4 ? 2 : 4;
	forge_write(&f, how != 16, &file);
	/* Compressed before its bytes are changed, or afterwards, or not at all. */
	unsigned packed = walk_below(&random, 6);
	uint32_t piece = 512 + walk_below(&random, 1000);
	if (packed == 1)
		forge_pack(&file, piece);
	for (unsigned i = 0; i < times && how >= 17; i++)
		if (file.size)
			spoil_bytes(&file, &random);
	if (how >= 17 && packed != 1 && walk_below(&random, 8))
		fit_digest(&file);
	if (packed == 2 && file.size > 21 &&
	    (!memcmp(file.data, "proofd certificate 2\n", 21) || !memcmp(file.data, "proofd certificate 4\n", 21)))
		forge_pack(&file, piece);
	unsigned before = tally->verified;
	bool good = compare_verdicts(b, &file, seed, tally);
	if (good && tally->verified > before && !is_true(b, &file)) {
		struct ck_result none = {0};
		good = leave_behind(&file, seed, "verified and false", "", &none);
	}
	pd_buf_fini(&file);
	forge_fini(&f);
	return good;
}

/* --- running ------------------------------------------------------------------------------ */

/* Every base must be verified. */
static bool check_base(const struct base *b)
{
	struct pd_buf file;
	struct forge copy;
	struct tally tally = {0};
	pd_buf_init(&file, SIZE_MAX);
	forge_copy(&copy, &b->forge);
	forge_write(&copy, b->truth != NULL, &file);
	bool good = compare_verdicts(b, &file, 0, &tally) && tally.verified == 1;
	forge_fini(&copy);
	pd_buf_fini(&file);
	return good;
}

/* A graph file as text, to be freed; NULL when there is none. */
static char *read_graph(const char *path)
{
	enum { BYTES_MAX = 1 << 20 };
	FILE *file = path ? fopen(path, "rb") : NULL;
	char *text = file ? calloc(1, BYTES_MAX + 1) : NULL;
	if (text && !fread(text, 1, BYTES_MAX, file))
		text[0] = 0;
	if (file)
		fclose(file);
	return text;
}

/* Writes the file in blocks of random sizes, and closes the base; returns an exit status. */
static int write_base(struct base *b, const char *path, uint64_t seed)
{
	struct pd_buf file;
	forge_cut(&b->forge, &seed);
	forge_fit(&b->forge);
	pd_buf_init(&file, SIZE_MAX);
	forge_write(&b->forge, true, &file);
	FILE *out = fopen(path, "wb");
	bool good = out && fwrite(file.data, 1, file.size, out) == file.size;
	good = out && !fclose(out) && good;
	pd_buf_fini(&file);
	close_base(b);
	return good ? 0 : 2;
}

PROGRAM(write_certificate)
{
	struct base b = {0};
	uint64_t seed = 1;
	if (argc < 6)
		return 2;
	make_base(&b, argv[2], argv[3], argv[4], (unsigned)atoi(argv[5]), read_graph(argc > 6 ? argv[6] : NULL), &seed);
	return write_base(&b, argv[1], seed);
}

PROGRAM(write_cards)
{
	struct base b = {0};
	uint64_t seed = 1;
	if (argc < 6)
		return 2;
	make_base_of_cards(&b, argv[2], argv[3], argv[4], (unsigned)atoi(argv[5]), &seed);
	return write_base(&b, argv[1], seed);
}

static const char *const verdict_words[] = {
	[CK_VERIFIED] = "VERIFIED", [CK_REJECTED] = "REJECTED", [CK_UNKNOWN] = "UNKNOWN"};

/* Prints what proofcheck says of a text. `made` is where the certificate is written. */
static bool judge_text(const char *name, const char *made)
{
	struct ck_options options = {.threads = 1, .digest = true};
	struct ck_result result;
	struct ck_text_fault fault;
	char bytes[1 << 18];
	FILE *in = fopen(name, "rb");
	if (!in)
		return false;
	bool good = ck_text_read(in, made, false, &fault);
	fclose(in);
	if (!good) {
		printf("REJECTED %s\n", fault.text);
		return true;
	}
	FILE *file = fopen(made, "rb");
	size_t size = file ? fread(bytes, 1, sizeof bytes, file) : sizeof bytes;
	if (!file || fclose(file) || size == sizeof bytes)
		return false;
	enum ck_verdict verdict = ck_check((const uint8_t *)bytes, size, &options, &result);
	printf("%s %s\n", verdict_words[verdict], verdict == CK_VERIFIED ? "" : result.fault.text);
	return true;
}

/* Judges texts of at most 100 kB, whose names are lines of the standard input; each answer is one line. */
PROGRAM(judge_texts)
{
	char name[4096], made[4200];
	while (fgets(name, sizeof name, stdin)) {
		name[strcspn(name, "\n")] = 0;
		snprintf(made, sizeof made, "%s.made", name);
		if (!judge_text(name, made) || fflush(stdout))
			return 2;
	}
	return 0;
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* Runs a program and prints its peak memory in KiB and its processor time in seconds. A child of Python would start
 * with Python's memory. */
PROGRAM(measure)
{
	struct rusage usage;
	int status = 2;
	pid_t child = fork();
	if (!child) {
		execv(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child)
		return 2;
	printf("%ld %.3f\n", usage.ru_maxrss, seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

PROGRAM(mutation)
{
	static struct base bases[BASES_MAX];
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : COUNT_USUAL;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : walk_seed("mutation", 1);
	uint64_t random = seed;
	unsigned n = 0, bad = 0;
	struct tally tally = {0};
	for (int i = 3; i < argc && n < BASES_MAX; i++)
		read_base(&bases[n++], argv[i]);
	if (argc <= 3)
		n = make_bases(bases, count > COUNT_USUAL, &random);
	for (unsigned i = 0; i < n; i++)
		if (!check_base(&bases[i])) {
			printf("the true certificate %u (%s) is not verified\n", i, bases[i].forge.line[FORGE_game]);
			bad++;
		}
	for (uint64_t i = 0; i < count && bad < 10; i++) {
		uint64_t number = walk_random(&random);
		bad += !run_mutation(&bases[number % n], number, &tally);
	}
	printf("%" PRIu64
	       " mutants of %u certificates: %u verified, %u rejected, %u of unknown games, %u left open, %u wrong\n",
	       count, n, tally.verified, tally.rejected, tally.unknown, tally.either, bad);
	for (unsigned i = 0; i < n; i++)
		close_base(&bases[i]);
	return bad ? 1 : 0;
}
