/* A fixed suite of questions with known answers, asked of algorithms with tables of several sizes, by one thread or by
 * several.
 *
 * Usage: bench suite [--suite short|middle|floor|openings | --file FILE] [--only TEXT] [--algorithms a,b]
 *        [--tables BITS,BITS] [--threads N,N] [--turns NODES] [--seeds N] [--seconds S] [--nodes N] [--memory MIB]
 *        [--set NAME=VALUE]... [--json FILE] [--each yes]
 *
 * A row for each algorithm, table size and number of threads: answers right, wrong (must be 0) and missing when the
 * seconds of processor time (30) or the nodes (no bound) ended; the geometric mean over all questions of the median
 * processor seconds, where what is missing counts with the seconds it was given (a lower bound, therefore); and over
 * the questions that all rows answered the same means of the seconds of processor and of wall clock, and of nodes. With
 * --each the questions follow, with the seconds of every row and how many times as quick as the first row it is. With
 * --turns search threads take turns of up to so many nodes on one thread, so that their node counts repeat whatever
 * else the machine does. With --json all runs go to a file, one object a line. Tables are given in bits: 2^BITS
 * entries; 0: what memory allows or the option table says (and what is told of algorithms without one). Exit 1 when any
 * answer was wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/asking.h"
#include "tests/support/program.h"

struct question {
	const char *suite, *game, *position, *claim;
	int lo, hi; /* the right answer: what is to be known of the value */
};

static const struct question built_in[] = {
	{"short", "connect4:5x5", "", "value", 0, 0},
	{"short", "connect4:4x6", "", "value", 0, 0},
	{"short", "connect4:7x6", "444444", "first-draws", 0, 1},
	{"short", "mnk:4,4,3", "", "value", 1, 1},
	{"short", "hex:5", "c3 b3", "first-wins", 1, 1},
	{"short", "uttt",
	 "O;@........;X.OO...O./X..X.O.O./X.X...O.O/.X.OXO.../O.O.X..../.XX....O./......X.O/XO.X.X.../.O.....XX",
	 "second-wins", 0, 1},
	{"short", "antichess", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - -", "second-wins", -1, -1},
	{"short", "antichess", "r1bqkbnr/pppppppp/n7/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"middle", "connect4:5x6", "", "value", 0, 0},
	{"middle", "connect4:6x5", "", "value", 0, 0},
	{"middle", "connect4:7x6", "23156612526", "value", -1, -1},
	{"middle", "connect4:7x6", "274121776146", "value", 1, 1},
	{"middle", "hex:5", "", "first-wins", 1, 1},
	{"middle", "antichess", "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"middle", "antichess", "rnbqkbnr/pppppp1p/6p1/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"middle", "antichess", "rnbqkb1r/pppppppp/5n2/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"floor", "connect4:4x4", "", "value", 0, 0},
	{"floor", "connect4:5x4", "", "value", 0, 0},
	{"floor", "connect4:4x5", "", "value", 0, 0},
	{"floor", "connect4:6x4", "", "value", -1, -1},
	{"floor", "connect4:4x6", "", "value", 0, 0},
	{"floor", "connect4:5x5", "", "value", 0, 0},
	{"floor", "connect4:5x6", "", "value", 0, 0},
	{"floor", "connect4:6x5", "", "value", 0, 0},
	{"floor", "hex:5", "c3 b3", "first-wins", 1, 1},
	{"floor", "hex:5", "", "first-wins", 1, 1},
	{"floor", "uttt",
	 "O;@........;X.OO...O./X..X.O.O./X.X...O.O/.X.OXO.../O.O.X..../.XX....O./......X.O/XO.X.X.../.O.....XX",
	 "second-wins", 0, 1},
	{"floor", "antichess", "r1bqkbnr/pppppppp/n7/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"floor", "antichess", "rnbqkbnr/ppppp1pp/8/5p2/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"floor", "antichess", "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkbnr/pppppppp/8/8/8/3P4/PPP1PPPP/RNBQKBNR b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkbnr/pppppppp/8/8/5P2/8/PPPPP1PP/RNBQKBNR b - -", "second-wins", -1, -1},
	{"openings", "antichess", "rnbqkb1r/pppppppp/5n2/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/1ppppppp/8/p7/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/1ppppppp/p7/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/ppp1pppp/8/3p4/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/pppp1ppp/8/4p3/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/ppppp1pp/5p2/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/pppppp1p/6p1/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
	{"openings", "antichess", "rnbqkbnr/ppppppp1/7p/8/8/4P3/PPPP1PPP/RNBQKBNR w - -", "first-wins", 1, 1},
};

enum { QUESTIONS_MAX = 256, LIST_MAX = 16, SEEDS_MAX = 16, THREADS_MAX = 64, ROWS_MAX = 256, LINE = 512 };

struct run {
	bool right, answered;
	double cpu, wall;
	uint64_t nodes, entries;
};

struct row {
	enum pn_algorithm algorithm;
	unsigned bits, threads;
	struct run runs[QUESTIONS_MAX][SEEDS_MAX];
};

struct settings {
	const char *suite, *file, *only;
	struct question questions[QUESTIONS_MAX]; /* that are asked */
	unsigned count;
	enum pn_algorithm algorithms[LIST_MAX];
	unsigned algorithm_count, bits[LIST_MAX], bits_count, threads[LIST_MAX], threads_count, seeds;
	double seconds;
	uint64_t nodes;
	unsigned turn; /* as in struct asking */
	bool each;
	struct pn_options options;
	FILE *json;
};

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "bench suite: %s: %s\n", what, why);
	exit(2);
}

/* --- one run ------------------------------------------------------------------------------ */

static void run_question(const struct settings *s, const struct question *q, const struct row *row, unsigned seed,
			 struct run *out)
{
	struct asking asking = {q->game, q->position, q->claim, s->options, s->nodes, s->seconds, s->turn};
	struct asked asked;
	asking.options.algorithm = row->algorithm;
	if (row->bits)
		asking.options.tt_entries = 1u << row->bits;
	asking.options.seed = seed;
	asking.options.threads = row->threads;
	asking_run(&asking, &asked);
	const struct pn_answer *answer = &asked.answer;
	*out = (struct run){
		.answered = answer->answered,
		.right = answer->answered && answer->lo >= q->lo && answer->hi <= q->hi,
		.cpu = asked.cpu,
		.wall = asked.wall,
		.nodes = asked.nodes,
		.entries = asked.progress.entries,
	};
	if (s->json) {
		fprintf(s->json,
			"{\"game\":\"%s\",\"position\":\"%s\",\"claim\":\"%s\",\"algorithm\":\"%s\",\"table\":%u,"
			"\"threads\":%u,\"seed\":%u,"
			"\"lo\":%d,\"hi\":%d,\"answered\":%s,\"level1\":%llu,\"level2\":%llu,\"entries\":%llu,\"cpu\":%"
			".6f,\"wall\":%.6f}\n",
			q->game, q->position, q->claim, pn_algorithm_text(row->algorithm), row->bits, row->threads,
			seed, answer->lo, answer->hi, answer->answered ? "true" : "false",
			(unsigned long long)asked.progress.level1, (unsigned long long)asked.progress.level2,
			(unsigned long long)out->entries, out->cpu, out->wall);
		fflush(s->json);
	}
}

/* --- the table ---------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(const struct row *row, unsigned question, unsigned seeds, double (*of)(const struct run *))
{
	double values[SEEDS_MAX];
	for (unsigned i = 0; i < seeds; i++)
		values[i] = of(&row->runs[question][i]);
	qsort(values, seeds, sizeof *values, by_value);
	return seeds % 2 ? values[seeds / 2] : (values[seeds / 2 - 1] + values[seeds / 2]) / 2;
}

static double cpu_of(const struct run *r)
{
	return r->cpu;
}

static double wall_of(const struct run *r)
{
	return r->wall;
}

static double nodes_of(const struct run *r)
{
	return (double)r->nodes;
}

static double entries_of(const struct run *r)
{
	return (double)r->entries;
}

/* Geometric mean over the questions that count. */
static double mean(const struct row *row, const bool *counts, unsigned seeds, double (*of)(const struct run *))
{
	double sum = 0;
	unsigned n = 0;
	for (unsigned q = 0; q < QUESTIONS_MAX; q++)
		if (counts[q]) {
			sum += log(median(row, q, seeds, of) + 1e-9);
			n++;
		}
	return n ? exp(sum / n) : 0;
}

static unsigned print_report(const struct settings *s, const struct row *rows, unsigned count)
{
	bool all[QUESTIONS_MAX] = {0}, counts[QUESTIONS_MAX] = {0};
	unsigned wrong = 0, common = 0;
	for (unsigned q = 0; q < s->count; q++) {
		all[q] = counts[q] = true;
		for (unsigned r = 0; r < count; r++)
			for (unsigned i = 0; i < s->seeds; i++)
				counts[q] = counts[q] && rows[r].runs[q][i].answered;
		common += counts[q];
	}
	printf("%u questions, %u seeds; means over the %u that all rows answered\n", s->count, s->seeds, common);
	printf("%-8s %5s %7s %6s %6s %8s %10s %10s %10s %12s %10s\n", "by", "table", "threads", "right", "wrong",
	       "missing", "cpu s, all", "cpu s", "wall s", "nodes", "entries");
	for (unsigned r = 0; r < count; r++) {
		unsigned right = 0, bad = 0, missing = 0;
		for (unsigned q = 0; q < s->count; q++)
			for (unsigned i = 0; i < s->seeds; i++) {
				const struct run *run = &rows[r].runs[q][i];
				right += run->right;
				missing += !run->answered;
				bad += run->answered && !run->right;
			}
		wrong += bad;
		char bits[8] = "all";
		if (rows[r].bits)
			snprintf(bits, sizeof bits, "2^%u", rows[r].bits % 100);
		printf("%-8s %5s %7u %6u %6u %8u %10.3f %10.3f %10.3f %12.0f %10.0f\n",
		       pn_algorithm_text(rows[r].algorithm), bits, rows[r].threads, right, bad, missing,
		       mean(&rows[r], all, s->seeds, cpu_of), mean(&rows[r], counts, s->seeds, cpu_of),
		       mean(&rows[r], counts, s->seeds, wall_of), mean(&rows[r], counts, s->seeds, nodes_of),
		       mean(&rows[r], counts, s->seeds, entries_of));
	}
	return wrong;
}

static bool all_answered(const struct row *row, unsigned question, unsigned seeds)
{
	for (unsigned i = 0; i < seeds; i++)
		if (!row->runs[question][i].answered)
			return false;
	return true;
}

/* Question by question: median seconds, and the ratio to the first row's. */
static void report_each(const struct settings *s, const struct row *rows, unsigned count)
{
	double logs[ROWS_MAX] = {0}, worst[ROWS_MAX];
	unsigned common = 0;
	for (unsigned r = 0; r < count; r++)
		worst[r] = INFINITY;
	printf("\nwall seconds, medians of %u seeds, and how many times as quick as the first\n", s->seeds);
	for (unsigned q = 0; q < s->count; q++) {
		bool answered = true;
		for (unsigned r = 0; r < count && answered; r++)
			answered = all_answered(&rows[r], q, s->seeds);
		printf("%-13s %-32.32s", s->questions[q].game, s->questions[q].position);
		double first = median(&rows[0], q, s->seeds, wall_of);
		for (unsigned r = 0; r < count; r++) {
			double ratio = first / median(&rows[r], q, s->seeds, wall_of);
			printf("  %8.2f (%5.2f)", first / ratio, ratio);
			logs[r] += answered ? log(ratio) : 0;
			worst[r] = answered && ratio < worst[r] ? ratio : worst[r];
		}
		common += answered;
		printf("%s\n", answered ? "" : "  not all answered");
	}
	for (unsigned r = 0; r < count && common; r++)
		printf("%s, %u threads: geometric mean %.2f, least %.2f\n", pn_algorithm_text(rows[r].algorithm),
		       rows[r].threads, exp(logs[r] / common), worst[r]);
}

/* --- arguments ---------------------------------------------------------------------------- */

static unsigned numbers(const char *text, unsigned *out, unsigned most)
{
	unsigned count = 0;
	char *end = NULL;
	for (const char *p = text; count < LIST_MAX; p = end + 1) {
		unsigned long n = strtoul(p, &end, 10);
		if (end == p || n > most || (*end && *end != ','))
			fail(text, "is no list of numbers in range");
		out[count++] = (unsigned)n;
		if (!*end)
			break;
	}
	return count;
}

static void read_algorithms(struct settings *s, const char *text)
{
	char copy[256];
	struct pd_fail f;
	snprintf(copy, sizeof copy, "%s", text);
	s->algorithm_count = 0;
	for (char *name = strtok(copy, ","); name && s->algorithm_count < LIST_MAX; name = strtok(NULL, ","))
		if (pn_algorithm_parse(name, &s->algorithms[s->algorithm_count++], &f))
			fail(name, f.text);
}

static void read_option(struct settings *s, const char *text)
{
	char name[64];
	struct pd_fail f;
	const char *value = strchr(text, '=');
	if (!value || (size_t)(value - text) >= sizeof name)
		fail(text, "is not NAME=VALUE");
	memcpy(name, text, (size_t)(value - text));
	name[value - text] = 0;
	if (pn_option_set(&s->options, name, value + 1, &f))
		fail(name, f.text);
}

static void add_question(struct settings *s, const struct question *q)
{
	if (s->only && !strstr(q->game, s->only) && !strstr(q->position, s->only))
		return;
	if (s->count == QUESTIONS_MAX)
		fail(q->position, "is one question too many");
	s->questions[s->count++] = *q;
}

/* Questions from a file, a line each, fields divided by tabs: game, position, claim, lo, hi, and what else there may
 * be. The lines are kept until the program ends. */
static void read_file(struct settings *s)
{
	char line[LINE];
	FILE *in = fopen(s->file, "r");
	if (!in)
		fail(s->file, "cannot be read");
	while (fgets(line, sizeof line, in)) {
		char *fields[6] = {NULL}, *rest = *line == '#' ? NULL : strdup(line);
		for (unsigned i = 0; i < 5 && rest; i++)
			fields[i] = strsep(&rest, "\t\n");
		if (fields[4])
			add_question(s, &(struct question){"", fields[0], fields[1], fields[2], atoi(fields[3]),
							   atoi(fields[4])});
		else if (*line != '#')
			fail(line, "has too few fields");
	}
	fclose(in);
}

static void read_arguments(struct settings *s, int argc, char **argv)
{
	for (int i = 1; i < argc; i += 2) {
		const char *option = argv[i], *value = argv[i + 1];
		if (!value)
			fail(option, "wants a value");
		if (!strcmp(option, "--suite"))
			s->suite = value;
		else if (!strcmp(option, "--file"))
			s->file = value;
		else if (!strcmp(option, "--nodes"))
			s->nodes = (uint64_t)strtod(value, NULL);
		else if (!strcmp(option, "--only"))
			s->only = value;
		else if (!strcmp(option, "--algorithms"))
			read_algorithms(s, value);
		else if (!strcmp(option, "--tables"))
			s->bits_count = numbers(value, s->bits, 31);
		else if (!strcmp(option, "--threads"))
			s->threads_count = numbers(value, s->threads, THREADS_MAX);
		else if (!strcmp(option, "--seeds"))
			numbers(value, &s->seeds, SEEDS_MAX);
		else if (!strcmp(option, "--seconds"))
			s->seconds = strtod(value, NULL);
		else if (!strcmp(option, "--each"))
			s->each = true;
		else if (!strcmp(option, "--memory"))
			s->options.memory = strtoull(value, NULL, 10) << 20;
		else if (!strcmp(option, "--set"))
			read_option(s, value);
		else if (!strcmp(option, "--turns"))
			s->turn = (unsigned)atoi(value);
		else if (!strcmp(option, "--json"))
			s->json = fopen(value, "w");
		else
			fail(option, "is no option");
	}
}

PROGRAM(suite)
{
	static struct settings s = {
		.suite = "short",
		.algorithms = {PN_PDS_PN, PN_DFPN_PN, PN_PAPER, PN_PDS, PN_DFPN},
		.algorithm_count = 5,
		.bits_count = 1,
		.threads = {1},
		.threads_count = 1,
		.seeds = 1,
		.seconds = 30,
		.nodes = UINT64_MAX,
	};
	pn_options_init(&s.options);
	read_arguments(&s, argc, argv);
	if (s.file)
		read_file(&s);
	else
		for (unsigned i = 0; i < sizeof built_in / sizeof *built_in; i++)
			if (!strcmp(built_in[i].suite, s.suite))
				add_question(&s, &built_in[i]);
	if (!s.count)
		fail(s.file ? s.file : s.suite, "has no such question");
	static struct row rows[ROWS_MAX];
	unsigned count = 0;
	for (unsigned a = 0; a < s.algorithm_count; a++) {
		bool table = pn_algorithm_has_tt(s.algorithms[a]);
		for (unsigned b = 0; b < (table ? s.bits_count : 1); b++)
			for (unsigned t = 0; t < s.threads_count && count < ROWS_MAX; t++)
				rows[count++] = (struct row){s.algorithms[a], table ? s.bits[b] : 0, s.threads[t]};
	}
	/* Question by question and seed by seed, so that rows that are compared run close together. */
	for (unsigned q = 0; q < s.count; q++)
		for (unsigned seed = 0; seed < s.seeds; seed++)
			for (unsigned r = 0; r < count; r++)
				run_question(&s, &s.questions[q], &rows[r], seed, &rows[r].runs[q][seed]);
	unsigned wrong = print_report(&s, rows, count);
	if (s.each)
		report_each(&s, rows, count);
	if (s.json)
		fclose(s.json);
	return wrong > 0;
}
