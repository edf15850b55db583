/* Images: every state that a power cut could leave is opened and compared with what had been acknowledged (D1, D2).
 *
 * A program (images_story.h) makes checkpoints, flushes, merges and rewrites on a directory while preload_shadow.c
 * records what it does to the files. Then the record is read again. At each moment at which something becomes durable
 * or is acknowledged, images of the disk are made (images_disk.h) and opened with the real store: all that was
 * acknowledged must be there, of the step in progress all or nothing, and nothing else. After some checkpoints the
 * program is started again on one of these images, so openings after a cut are cut off as well.
 *
 *   lab images [--checkpoints N] [--seed N] [--jobs N] [--only MOMENT/IMAGE] [--share] */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lab/images_disk.h"
#include "tests/lab/images_story.h"
#include "tests/support/program.h"
#include "tests/support/storedir.h"

enum {
	SUBSETS_ALL = 5, /* up to this many pending changes every subset is tried */
	IMAGE_S = 300,   /* an image that takes longer hangs */
	PHASES = 5,
	KINDS = 13,
	JOBS_MAX = 16,
	SHOWN_MAX = 2, /* findings of one kind at one phase that are told */
	GO_ON_EACH = 16
};

enum kind {
	NONE,
	ALL,
	BUT_ONE,
	ONE,
	LAST,
	FIRST_ONES,
	RANDOM,
	EVERY,
	TORN,
	LONG,
	SYNCED_LOST,
	SYNCED_TORN,
	NO_DIRECTORY
};

static const char *const kind_name[KINDS] = {"nothing of what is pending",
					     "all of it",
					     "all but one change",
					     "one change alone",
					     "the last change alone",
					     "the first n changes",
					     "a random subset",
					     "one of all subsets",
					     "a write torn at sectors",
					     "lengths kept, bytes lost",
					     "a synced write in progress, lost",
					     "a synced write in progress, torn",
					     "the directory's name lost"};

enum phase { CREATION, OPENING, CHECKPOINT, MAINTENANCE, REWRITE };

static const char *const phase_name[PHASES] = {"first creation", "opening after a cut", "checkpoint", "maintenance",
					       "rewrite"};

/* Shared with the children that judge. */
struct counts {
	_Atomic uint64_t images[PHASES][KINDS], older[PHASES], newer[PHASES], went_on, findings, hangs, signals;
	uint32_t current[JOBS_MAX], kind[JOBS_MAX]; /* the image that a child is at */
	_Atomic uint32_t shown[PHASES][KINDS];
};

struct run {
	struct story story;
	struct counts *counts;
	char base[4096]; /* where everything is kept, in memory */
	unsigned jobs, epoch;
	int64_t only_moment, only_image;
	/* where the reading of the record is */
	struct disk *disk;
	struct model *before, *after; /* with `done` steps, and one more */
	unsigned done;
	bool open; /* step `done` has begun */
	enum phase phase;
	uint64_t moment; /* moments so far, of all epochs */
	/* the write through a synced descriptor that is under way at this moment; else NULL */
	const struct shadow_event *through;
	const uint8_t *through_data;
	pid_t child[JOBS_MAX];
	/* the image that the next epoch begins with */
	bool has_next;
	uint32_t next_steps;
};

/* --- one image ---------------------------------------------------------------------------- */

static void show(const struct run *run, unsigned image, enum kind kind, const char *text)
{
	if (atomic_fetch_add(&run->counts->shown[run->phase][kind], 1) < SHOWN_MAX)
		printf("finding: %s, step %u, %s: %s\n  again: lab images --seed %" PRIu64 " --only %" PRIu64 "/%u\n",
		       phase_name[run->phase], run->done, kind_name[kind], text, run->story.seed, run->moment, image);
	fflush(stdout);
}

static void remove_directory(const char *dir)
{
	if (access(dir, F_OK) == 0)
		storedir_remove(dir);
}

static void judge(struct run *run, const char *dir, unsigned image, enum kind kind)
{
	char text[512];
	struct counts *c = run->counts;
	alarm(IMAGE_S);
	bool on = image % GO_ON_EACH == 5;
	int steps = story_judge(&run->story, dir, run->done, run->open, run->before, run->after, on, text, sizeof text);
	alarm(0);
	atomic_fetch_add(&c->images[run->phase][kind], 1);
	atomic_fetch_add(&c->went_on, on && steps >= 0);
	if (steps < 0) {
		atomic_fetch_add(&c->findings, 1);
		show(run, image, kind, text);
	} else {
		atomic_fetch_add(steps > (int)run->done ? &c->newer[run->phase] : &c->older[run->phase], 1);
	}
	remove_directory(dir);
}

/* --- the images of a moment --------------------------------------------------------------- */

/* Calls itself through for each image with a number; those before `skip` are passed over, so that a child can go on
 * behind one that ended it. */
struct album {
	struct run *run;
	unsigned slot, image, skip;
	char dir[4200];
	uint64_t random;
	struct disk_choice choice;
};

static void take_picture(struct album *a, enum kind kind)
{
	struct run *run = a->run;
	unsigned image = a->image++;
	if (image < a->skip || image % run->jobs != a->slot || (run->only_image >= 0 && image != run->only_image))
		return;
	a->choice.locks = image % 3;
	run->counts->current[a->slot] = image;
	run->counts->kind[a->slot] = kind;
	remove_directory(a->dir);
	disk_image(run->disk, &a->choice, a->dir);
	judge(run, a->dir, image, kind);
}

static void keep_all(struct album *a, bool all)
{
	memset(&a->choice, 0, sizeof a->choice);
	memset(a->choice.keep, all, a->run->disk->count);
	a->choice.torn = -1;
}

static void keep_random(struct album *a)
{
	keep_all(a, false);
	uint64_t share = 1 + model_random(&a->random, 7);
	for (unsigned i = 0; i < a->run->disk->count; i++)
		a->choice.keep[i] = model_random(&a->random, 8) < share;
}

static void every_subset(struct album *a, unsigned n)
{
	for (unsigned set = 0; set < 1u << n; set++) {
		keep_all(a, false);
		for (unsigned i = 0; i < n; i++)
			a->choice.keep[i] = set >> i & 1;
		take_picture(a, !set ? NONE : set + 1 == 1u << n ? ALL : EVERY);
	}
}

static void some_subsets(struct album *a, unsigned n)
{
	keep_all(a, false);
	take_picture(a, NONE);
	keep_all(a, true);
	take_picture(a, ALL);
	for (unsigned k = 0; k < 8 && k < n; k++) {
		unsigned i = n <= 8 ? k : (unsigned)model_random(&a->random, n);
		keep_all(a, true);
		a->choice.keep[i] = 0;
		take_picture(a, BUT_ONE);
		keep_all(a, false);
		a->choice.keep[i] = 1;
		take_picture(a, ONE);
	}
	keep_all(a, false);
	a->choice.keep[n - 1] = 1;
	take_picture(a, LAST);
	for (unsigned k = 0; k < 4; k++) {
		keep_all(a, false);
		memset(a->choice.keep, 1, 1 + model_random(&a->random, n - 1));
		take_picture(a, FIRST_ONES);
	}
	for (unsigned k = 0; k < 10; k++) {
		keep_random(a);
		take_picture(a, RANDOM);
	}
}

static void torn_and_long(struct album *a, unsigned n)
{
	unsigned tries = n <= SUBSETS_ALL ? n : 8;
	for (unsigned k = 0; k < tries; k++) {
		unsigned i = n <= SUBSETS_ALL ? k : (unsigned)model_random(&a->random, n);
		if (a->run->disk->pending[i].change != DISK_WRITE)
			continue;
		if (k % 2)
			keep_random(a);
		else
			keep_all(a, k % 4 == 0);
		a->choice.torn = (int)i;
		a->choice.sectors = model_random(&a->random, 2) ? (1u << model_random(&a->random, 8)) - 1
								: model_random(&a->random, 256);
		take_picture(a, TORN);
	}
	for (unsigned k = 0; k < 3; k++) {
		if (k)
			keep_random(a);
		else
			keep_all(a, false);
		a->choice.lengthened = true;
		take_picture(a, LONG);
	}
}

/* A write through a synced descriptor that had not returned yet: lost, or torn; whole is the next moment's. It is the
 * last pending change for as long as this takes. */
static void through_descriptor(struct album *a)
{
	struct shadow_event e = *a->run->through;
	e.kind = SHADOW_WRITE;
	unsigned old = a->run->disk->count;
	disk_apply(a->run->disk, &e, a->run->through_data);
	for (unsigned k = 0; k < 3; k++) {
		keep_all(a, k == 0);
		memset(a->choice.keep + old, 0, a->run->disk->count - old);
		take_picture(a, SYNCED_LOST);
	}
	for (unsigned k = 0; k < 4; k++) {
		if (k)
			keep_random(a);
		else
			keep_all(a, true);
		a->choice.torn = (int)(a->run->disk->count - 1);
		a->choice.sectors = model_random(&a->random, 255);
		take_picture(a, SYNCED_TORN);
	}
}

static void look_at_image(struct run *run, unsigned slot, unsigned skip)
{
	struct album a = {.run = run, .slot = slot, .skip = skip, .random = run->story.seed * 1000033 + run->moment};
	snprintf(a.dir, sizeof a.dir, "%.4000s/image-%u", run->base, slot);
	unsigned n = run->disk->count;
	if (n <= SUBSETS_ALL)
		every_subset(&a, n);
	else
		some_subsets(&a, n);
	if (n)
		torn_and_long(&a, n);
	if (run->through)
		through_descriptor(&a);
	if (run->disk->made && !run->disk->rooted) {
		keep_all(&a, false);
		a.choice.no_directory = true;
		take_picture(&a, NO_DIRECTORY);
	}
}

/* --- children: an image that ends the store must not end the run -------------------------- */

static void begin_child(struct run *run, unsigned slot, unsigned skip)
{
	fflush(stdout);
	run->counts->current[slot] = skip;
	run->child[slot] = fork();
	if (run->child[slot] < 0)
		abort();
	if (!run->child[slot]) {
		look_at_image(run, slot, skip);
		_exit(0);
	}
}

/* Waits for the child of a slot. Where it was ended by a signal another one goes on behind the image; this has to be
 * done while the disk is as it was, and so at once. */
static void end_child(struct run *run, unsigned slot)
{
	int status;
	char text[64];
	struct counts *c = run->counts;
	while (run->child[slot] > 0) {
		if (waitpid(run->child[slot], &status, 0) < 0 && errno == EINTR)
			continue;
		run->child[slot] = 0;
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			return;
		bool hang = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
		c->hangs += hang;
		c->signals += !hang;
		c->findings++;
		snprintf(text, sizeof text, hang ? "it hangs" : "it ends the process, status %#x", (unsigned)status);
		show(run, c->current[slot], (enum kind)c->kind[slot], text);
		begin_child(run, slot, c->current[slot] + 1);
	}
}

/* The images of a moment are shared out among the children. */
static void at_moment(struct run *run)
{
	run->moment++;
	if (run->only_moment >= 0 && run->moment != (uint64_t)run->only_moment)
		return;
	for (unsigned slot = 0; slot < run->jobs; slot++)
		begin_child(run, slot, 0);
	for (unsigned slot = 0; slot < run->jobs; slot++)
		end_child(run, slot);
}

/* --- reading the record ------------------------------------------------------------------- */

/* An image of now and then is kept for the program to go on with; the last one that was right is taken. */
static void keep_for_later(struct run *run, uint64_t *random)
{
	struct album a = {.run = run, .random = *random};
	char next[4200], text[512];
	struct stat st;
	if (model_random(random, 6))
		return;
	keep_random(&a);
	snprintf(a.dir, sizeof a.dir, "%.4000s/trial", run->base);
	disk_image(run->disk, &a.choice, a.dir);
	if (stat(a.dir, &st))
		return;
	/* In a child, because the judgement may end it. */
	uint32_t *told = &run->counts->current[0];
	*told = UINT32_MAX;
	pid_t pid = fork();
	if (!pid) {
		alarm(IMAGE_S);
		*told = (uint32_t)story_judge(&run->story, a.dir, run->done, run->open, run->before, run->after, false,
					      text, sizeof text);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	uint32_t steps = *told;
	storedir_remove(a.dir);
	if (steps >= UINT32_MAX - 1)
		return;
	snprintf(next, sizeof next, "%.4000s/next", run->base);
	remove_directory(next);
	disk_image(run->disk, &a.choice, next);
	run->next_steps = steps;
	run->has_next = true;
}

static void read_mark(struct run *run, const char *text)
{
	switch ((enum story_mark)text[0]) {
	case STORY_OPENING:
		run->phase = run->epoch ? OPENING : CREATION;
		break;
	case STORY_BEGIN:
		run->open = true;
		run->phase = story_is_rewrite(&run->story, run->done) ? REWRITE : CHECKPOINT;
		break;
	case STORY_DONE:
		story_advance(&run->story, run->before, run->done);
		story_advance(&run->story, run->after, ++run->done);
		run->open = false;
		break;
	case STORY_MAINTAIN:
		run->phase = MAINTENANCE;
		break;
	case STORY_OPENED:
	case STORY_REST:
		break;
	}
}

/* Whether something changes at this event for which images have to be made as things stand before it. */
static bool is_moment(const struct run *run, const struct shadow_event *e)
{
	switch ((enum shadow_kind)e->kind) {
	case SHADOW_SYNC:
	case SHADOW_SYNC_DIR:
	case SHADOW_RENAME:
	case SHADOW_UNLINK:
	case SHADOW_WRITE_SYNC:
		return true;
	case SHADOW_MARK: /* what is pending when something was just acknowledged */
		return run->disk->count > 0 || (run->disk->made && !run->disk->rooted);
	default:
		return false;
	}
}

static void read_record(struct run *run, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *begin = p;
	uint64_t random = run->story.seed * 77 + run->epoch;
	while (p < end) {
		struct shadow_event e;
		char text[32] = "";
		memcpy(&e, p, sizeof e);
		p += sizeof e;
		if (e.kind == SHADOW_MARK) {
			memcpy(text, p, e.size < sizeof text ? e.size : sizeof text - 1);
			read_mark(run, text);
		}
		if (is_moment(run, &e)) {
			run->through = e.kind == SHADOW_WRITE_SYNC ? &e : NULL;
			run->through_data = p;
			at_moment(run);
			run->through = NULL;
			if (run->done && p - begin > (end - begin) / 2)
				keep_for_later(run, &random);
		}
		disk_apply(run->disk, &e, p);
		p += e.size;
	}
	/* The machine stands still with what is pending at the end. */
	at_moment(run);
	if (run->disk->not_told) {
		printf("finding: the store writes in a way that the record does not tell\n");
		run->counts->findings++;
	}
}

/* --- an epoch: the program from one cut to the next --------------------------------------- */

static void run_story(const struct run *run, const char *dir, const char *log, unsigned steps)
{
	char first[16], count[16], seed[24], cuts[STORY_CUTS * 12] = "", *at = cuts;
	const char *argv[] = {"lab", "images", "--tell", dir, first, count, seed, cuts, NULL};
	snprintf(first, sizeof first, "%u", run->done);
	snprintf(count, sizeof count, "%u", steps);
	snprintf(seed, sizeof seed, "%" PRIu64, run->story.seed);
	for (unsigned i = 0; i < run->story.cuts; i++)
		at += sprintf(at, "%u,", run->story.cut[i]);
	pid_t pid = fork();
	int status;
	if (!pid) {
		setenv("LD_PRELOAD", LAB_PRELOAD "/preload_shadow.so", 1);
		setenv(SHADOW_DIR, dir, 1);
		setenv(SHADOW_LOG, log, 1);
		execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		printf("finding: the program that is recorded ended with status %#x\n", (unsigned)status);
		run->counts->findings++;
	}
}

static void one_epoch(struct run *run, unsigned steps)
{
	char dir[4200], log[4200], next[4200];
	struct stat st;
	snprintf(dir, sizeof dir, "%.4000s/data", run->base);
	snprintf(log, sizeof log, "%.4000s/log", run->base);
	snprintf(next, sizeof next, "%.4000s/next", run->base);
	if (run->has_next) {
		remove_directory(dir);
		if (rename(next, dir))
			abort();
		run->done = run->next_steps;
		run->story.cut[run->story.cuts++] = run->done;
	}
	run->has_next = false;
	run->disk = disk_new(run->epoch ? dir : NULL);
	run->before = story_replay(&run->story, run->done);
	run->after = story_replay(&run->story, run->done + 1);
	run->open = false;
	run_story(run, dir, log, steps);
	FILE *file = fopen(log, "rb");
	if (!file || fstat(fileno(file), &st))
		abort();
	uint8_t *record = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	if (record == MAP_FAILED)
		abort();
	read_record(run, record, record + st.st_size);
	munmap(record, (size_t)st.st_size);
	unlink(log);
	disk_free(run->disk);
	model_free(run->before);
	model_free(run->after);
	run->epoch++;
}

/* --- the run ------------------------------------------------------------------------------ */

static void print_table(const struct run *run)
{
	const struct counts *c = run->counts;
	uint64_t total = 0;
	printf("%-36s", "images");
	for (unsigned p = 0; p < PHASES; p++)
		printf(" %20s", phase_name[p]);
	printf("\n");
	for (unsigned k = 0; k < KINDS; k++) {
		printf("%-36s", kind_name[k]);
		for (unsigned p = 0; p < PHASES; p++) {
			printf(" %20" PRIu64, c->images[p][k]);
			total += c->images[p][k];
		}
		printf("\n");
	}
	printf("%-36s", "without the step in progress");
	for (unsigned p = 0; p < PHASES; p++)
		printf(" %20" PRIu64, c->older[p]);
	printf("\n%-36s", "with it, whole");
	for (unsigned p = 0; p < PHASES; p++)
		printf(" %20" PRIu64, c->newer[p]);
	printf("\n%u steps, %u cuts between them, %" PRIu64 " moments, %" PRIu64 " images, %" PRIu64
	       " of them went on and were opened again; %" PRIu64 " findings (%" PRIu64 " hangs, %" PRIu64
	       " ended by a signal)\n",
	       run->done, run->story.cuts, run->moment, total, c->went_on, c->findings, c->hangs, c->signals);
}

static int told(char **argv)
{
	struct story story = {.seed = strtoull(argv[5], NULL, 10)};
	for (char *at = argv[6]; *at && story.cuts < STORY_CUTS; at = strchr(at, ',') + 1)
		story.cut[story.cuts++] = (unsigned)strtoul(at, NULL, 10);
	/* Without exit handlers, as a cut would end it. */
	_exit(story_tell(&story, argv[2], (unsigned)atoi(argv[3]), (unsigned)atoi(argv[4])));
}

static int print_usage(void)
{
	printf("usage: lab images [--checkpoints N] [--seed N] [--jobs N] [--only MOMENT/IMAGE] [--share]\n");
	return 2;
}

static int run_all(struct run *run, unsigned steps)
{
	unsigned each = steps >= 80 ? steps / 8 : steps >= 8 ? steps / 2 : steps;
	snprintf(run->base, sizeof run->base, "%s/lab-images-XXXXXX", storedir_quick());
	if (!mkdtemp(run->base))
		return 2;
	run->counts = mmap(NULL, sizeof *run->counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->counts == MAP_FAILED)
		return 2;
	while (run->done < steps && run->story.cuts + 1 < STORY_CUTS)
		one_epoch(run, each);
	print_table(run);
	char command[4200];
	snprintf(command, sizeof command, "rm -rf '%.4000s'", run->base);
	if (system(command))
		return 2;
	return run->counts->findings ? 1 : 0;
}

PROGRAM(images)
{
	struct run run = {.story = {.seed = 1}, .jobs = 2, .only_moment = -1, .only_image = -1};
	unsigned steps = 220; /* a few of them are rewrites */
	if (argc == 7 && !strcmp(argv[1], "--tell"))
		return told(argv);
	for (int i = 1; i < argc; i++) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";
		if (!strcmp(argv[i], "--share")) {
			steps = 6;
			continue;
		}
		if (!strcmp(argv[i], "--checkpoints"))
			steps = (unsigned)strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "--seed"))
			run.story.seed = strtoull(value, NULL, 10);
		else if (!strcmp(argv[i], "--jobs"))
			run.jobs = (unsigned)strtoul(value, NULL, 10);
		else if (!strcmp(argv[i], "--only"))
			sscanf(value, "%" SCNd64 "/%" SCNd64, &run.only_moment, &run.only_image);
		else
			return print_usage();
		i++;
	}
	if (!steps || !run.jobs || run.jobs > JOBS_MAX)
		return print_usage();
	return run_all(&run, steps);
}
