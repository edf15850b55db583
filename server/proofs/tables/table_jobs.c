#include "server/proofs/tables/table_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "proto/out.h"
#include "server/common/core_parts.h"
#include "server/common/memory_bound.h"
#include "server/jobs/index/search_threads.h"
#include "server/proofs/tables/table_build.h"
#include "server/proofs/tables/table_list.h"
#include "store/files.h"
#include "store/tables.h"

enum { ORDER_BYTES = 512, RUN_BYTES = 32, CHECKPOINT_S = 10, RETRY_S = 5, RETRY_DISK_S = 60, CRASHES_FAILED = 3 };

#define SUFFIX_ORDER ".order"

static const uint64_t look_ns = 1000000000;

enum state { QUEUED, RUNNING, COMPLETE, FAILED, CANCELLED };

static const char *const state_names[] = {"queued", "running", "complete", "failed", "cancelled"};

/* Under the core's lock. */
struct build {
	char game[PD_TABLE_GAME], class[PD_TABLE_CLASS];
	unsigned threads;
	enum state state;
	bool cancel, discard; /* it is to end; without its checkpoints */
	bool planned;
	uint64_t memory; /* bytes that it reserves, once it is planned */
	uint64_t begin_ns, end_ns, retry_ns;
	char now[PD_TABLE_CLASS]; /* the class that is being built: this one, or one that it rests on */
	struct sv_table_progress progress;
	struct sv_table_built built;
	unsigned discarded;  /* checkpoints that were deleted */
	struct pd_fail fail; /* why it failed or waits; code 0: neither */
};

struct sv_table_jobs {
	pthread_t thread;
	bool started;
	struct pd_mutex files; /* one order at a time is written or removed, and enters or leaves the list */

	/* Under the core's lock. */
	bool stop;
	pthread_cond_t come;
	unsigned count;
	struct build *build[SV_TABLE_JOBS_MAX]; /* owned; oldest first */
};

struct sv_table_jobs *sv_table_jobs_new(void)
{
	struct sv_table_jobs *jobs = calloc(1, sizeof *jobs);
	if (!jobs)
		return NULL;
	pd_cond_init(&jobs->come);
	pd_mutex_init(&jobs->files, PD_LOCK_TABLE_ORDERS);
	return jobs;
}

void sv_table_jobs_free(struct sv_table_jobs *jobs)
{
	PD_ASSERT(!jobs || !jobs->started);
	if (!jobs)
		return;
	for (unsigned i = 0; i < jobs->count; i++)
		free(jobs->build[i]);
	pthread_cond_destroy(&jobs->come);
	pd_mutex_fini(&jobs->files);
	free(jobs);
}

/* --- orders on disk ----------------------------------------------------------------------- */

static int path_of_order(const struct sv_core *core, const struct build *b, char out[ST_PATH], struct pd_fail *fail)
{
	char name[ST_TABLE_NAME], folder[ST_PATH];
	st_table_name(b->game, b->class, SUFFIX_ORDER, name);
	int rc = st_path(folder, sv_config(core)->data, ST_TABLES, "", fail);
	return rc ? rc : st_path(out, folder, name, "", fail);
}

static size_t order_text(const struct build *b, char out[ORDER_BYTES])
{
	int n = snprintf(out, ORDER_BYTES, "proofd table order 1\ngame: %s\nclass: %s\nthreads: %u\n", b->game,
			 b->class, b->threads);
	PD_ASSERT(n > 0 && n + 32 < ORDER_BYTES);
	return (size_t)n + (size_t)snprintf(out + n, 32, "sum: %016" PRIx64 "\n", pd_hash64(out, (size_t)n));
}

static int write_order(const struct sv_core *core, const struct build *b, struct pd_fail *fail)
{
	char path[ST_PATH], folder[ST_PATH], text[ORDER_BYTES];
	size_t size = order_text(b, text);
	const char *data = sv_config(core)->data;
	if (path_of_order(core, b, path, fail) || st_path(folder, data, ST_TABLES, "", fail))
		return fail->code;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return pd_fail_errno(fail, "data", "make", path);
	st_own_file(fd, data, ST_OWN_DATA);
	bool good = st_write_all(fd, text, size) && !fsync(fd);
	int rc = good ? PD_OK : pd_fail_errno(fail, "data", "write", path);
	close(fd);
	rc = rc ? rc : st_sync_directory(folder, fail);
	if (rc)
		unlink(path);
	return rc;
}

static int remove_order(const struct sv_core *core, const struct build *b, struct pd_fail *fail)
{
	char path[ST_PATH], folder[ST_PATH];
	if (path_of_order(core, b, path, fail) || st_path(folder, sv_config(core)->data, ST_TABLES, "", fail))
		return fail->code;
	if (unlink(path) && errno != ENOENT)
		return pd_fail_errno(fail, "data", "remove", path);
	return st_sync_directory(folder, fail);
}

/* The same where a failure does little harm: the next server builds the table again. */
static void drop_order(const struct sv_core *core, const struct build *b)
{
	struct pd_fail fail;
	if (remove_order(core, b, &fail))
		pd_log(PD_LOG_WARN, "the order of the table %s of %s stays: %s", b->class, b->game, fail.text);
}

static int add_file(void *ctx, const char *path, const char *name)
{
	uint64_t *mark = ctx;
	struct stat st;
	if (!stat(path, &st))
		*mark += pd_hash64(&st.st_mtim, sizeof st.st_mtim) ^ pd_hash64(name, strlen(name));
	return PD_OK;
}

/* The line of a run that begins now: tables and checkpoints as they are. */
static void run_line(const struct sv_core *core, char out[RUN_BYTES])
{
	uint64_t mark = 0;
	struct pd_fail fail;
	st_tables_each(sv_config(core)->data, ".table", add_file, &mark, &fail);
	st_tables_each(sv_config(core)->data, ".build", add_file, &mark, &fail);
	snprintf(out, RUN_BYTES, "run: %016" PRIx64 "\n", mark);
}

/* A run that begins adds a line to its order, which goes when it ends. So a server that starts counts the runs that
 * ended with their server and got nowhere. */
static void note_run(const struct sv_core *core, const struct build *b)
{
	char path[ST_PATH], line[RUN_BYTES];
	struct pd_fail fail;
	int fd = path_of_order(core, b, path, &fail) ? -1 : open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	run_line(core, line);
	if (fd >= 0 && (!st_write_all(fd, line, strlen(line)) || fsync(fd)))
		pd_log(PD_LOG_WARN, "%.300s cannot be written: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
}

static void forget_runs(const struct sv_core *core, const struct build *b)
{
	char path[ST_PATH], text[ORDER_BYTES];
	struct pd_fail fail;
	if (!path_of_order(core, b, path, &fail) && truncate(path, (off_t)order_text(b, text)) && errno != ENOENT)
		pd_log(PD_LOG_WARN, "%.300s cannot be written: %s", path, strerror(errno));
}

/* Reads an order. PD_E_CORRUPT when it is damaged, as after a crash before it was acknowledged; other failures are
 * those of reading. *crashes: how many runs of it ended without warning since the last progress. */
static int read_order(const struct sv_core *core, const char *path, struct build *out, unsigned *crashes,
		      struct pd_fail *fail)
{
	char text[ORDER_BYTES] = "", again[ORDER_BYTES], line[RUN_BYTES];
	FILE *in = st_open_regular(path);
	size_t size = in ? fread(text, 1, sizeof text - 1, in) : 0;
	int rc = in && !ferror(in) ? PD_OK : pd_fail_errno(fail, "data", "read", path);
	if (in)
		fclose(in);
	if (rc)
		return rc;
	pd_fail_set(fail, PD_E_CORRUPT, "data", "%.200s is not the order of a table", path);
	_Static_assert(PD_TABLE_GAME == 96 && PD_TABLE_CLASS == 32, "the widths below");
	if (sscanf(text, "proofd table order 1\ngame: %95[^\n]\nclass: %31[^\n]\nthreads: %u\n", out->game, out->class,
		   &out->threads) != 3 ||
	    out->threads < 1 || out->threads > SV_TABLE_THREADS_MAX)
		return fail->code;
	size_t order = order_text(out, again);
	if (order > size || memcmp(text, again, order) != 0)
		return fail->code;
	run_line(core, line);
	*crashes = 0;
	for (const char *p = text + order; !strncmp(p, line, strlen(line)); p += strlen(line))
		++*crashes;
	if (!*crashes && size > order)
		forget_runs(core, out);
	return PD_OK;
}

/* --- the thread --------------------------------------------------------------------------- */

/* Whether the build can begin, or be planned; what keeps it waiting goes into b->fail. */
static bool may_begin(struct sv_core *core, struct build *b, uint64_t now)
{
	const struct sv_search_threads *threads = sv_search_threads(core);
	uint64_t most = sv_config(core)->memory, room = threads->reserved < most ? most - threads->reserved : 0;
	char need[SV_SIZE_TEXT], have[SV_SIZE_TEXT];
	PD_ASSERT(sv_locked(core));
	if (b->state != QUEUED)
		return false;
	if (threads->quota.hold == SV_HOLD_DISK || threads->quota.hold == SV_HOLD_MEMORY) {
		pd_fail_set(&b->fail, PD_E_NO_SPACE, "", "%s", threads->quota.text);
		return false;
	}
	if (now < b->retry_ns)
		return false;
	if (!b->planned || b->memory <= room || !threads->reserved)
		return true;
	pd_fail_set(&b->fail, PD_E_LIMIT, "memory", "it takes %s of memory, and running jobs leave %s",
		    sv_size_text(b->memory, need), sv_size_text(room, have));
	return false;
}

struct running {
	struct sv_core *core;
	struct build *build;
};

static bool on_progress(void *ctx, const struct sv_table_progress *p)
{
	struct running *r = ctx;
	sv_lock(r->core);
	snprintf(r->build->now, sizeof r->build->now, "%s", p->class);
	r->build->progress = *p;
	r->build->progress.class = NULL;
	bool stop = sv_table_jobs(r->core)->stop || r->build->cancel ||
		    sv_search_threads(r->core)->quota.hold == SV_HOLD_DISK;
	sv_unlock(r->core);
	return !stop;
}

static struct sv_table_order order_of(const struct sv_core *core, const char *game, const char *class, unsigned threads)
{
	return (struct sv_table_order){.dir = sv_config(core)->data,
				       .game = game,
				       .class = class,
				       .threads = threads,
				       .memory = sv_config(core)->memory,
				       .checkpoint_s = CHECKPOINT_S};
}

static enum state state_after(const struct sv_core *core, const struct build *b, int rc)
{
	if (!rc)
		return COMPLETE;
	if (b->cancel)
		return CANCELLED;
	/* It goes on when there is room, or in the next server. */
	bool later = sv_table_jobs(core)->stop || rc == PD_E_SHUTDOWN || rc == PD_E_NO_SPACE || rc == PD_E_BUSY;
	return later ? QUEUED : FAILED;
}

static void log_end(const struct build *b)
{
	if (b->state == COMPLETE)
		pd_log(PD_LOG_INFO, "the table %s of %s is complete: %" PRIu64 " bytes", b->class, b->game,
		       b->built.bytes);
	else
		pd_log(b->state == FAILED ? PD_LOG_ERROR : PD_LOG_INFO, "the table %s of %s is %s: %s", b->class,
		       b->game, state_names[b->state], b->fail.text);
}

/* Deletes the checkpoints of a build that is over and counts them; with the lock `files`. */
static int discard_checkpoints(const struct sv_core *core, const struct build *b, unsigned *discarded,
			       struct pd_fail *fail)
{
	const struct sv_table_order order = order_of(core, b->game, b->class, b->threads);
	return sv_table_discard(&order, discarded, fail);
}

/* Ends a run; with the lock, which is released meanwhile. Nobody orders or cancels until that is done. */
static void end_build(struct sv_core *core, struct build *b, int rc, const struct pd_fail *why)
{
	struct sv_table_jobs *jobs = sv_table_jobs(core);
	struct pd_fail fail;
	unsigned discarded = 0;
	sv_unlock(core);
	pd_mutex_lock(&jobs->files);
	sv_lock(core);
	enum state state = state_after(core, b, rc);
	sv_unlock(core);
	if (state == QUEUED)
		forget_runs(core, b);
	else
		drop_order(core, b);
	if (state == CANCELLED && b->discard && discard_checkpoints(core, b, &discarded, &fail))
		pd_log(PD_LOG_ERROR, "the checkpoint of the table %s of %s stays: %s", b->class, b->game, fail.text);
	sv_lock(core);
	b->fail = rc ? *why : (struct pd_fail){.code = PD_OK};
	b->discarded = discarded;
	b->end_ns = pd_now_ns();
	b->retry_ns = b->end_ns + (rc == PD_E_NO_SPACE ? RETRY_DISK_S : RETRY_S) * look_ns;
	b->state = state;
	pd_mutex_unlock(&jobs->files);
	if (b->begin_ns)
		log_end(b);
}

/* What a build takes that an earlier server left. Under the lock, which is released meanwhile. */
static void plan_build(struct sv_core *core, struct build *b)
{
	struct running running = {core, b};
	struct sv_table_order order = order_of(core, b->game, b->class, b->threads);
	struct pd_fail fail = {.code = PD_OK};
	uint64_t memory = 0;
	order.go_on = on_progress;
	order.ctx = &running;
	b->state = RUNNING;
	sv_unlock(core);
	note_run(core, b);
	int rc = sv_table_plan(&order, &memory, &fail);
	forget_runs(core, b);
	sv_lock(core);
	b->planned = rc != PD_E_SHUTDOWN;
	b->memory = rc ? 0 : memory; /* the build finds out what is wrong */
	if (b->cancel)
		end_build(core, b, PD_E_SHUTDOWN, &fail);
	else
		b->state = QUEUED;
}

/* Under the lock, which is released meanwhile. */
static void run_build(struct sv_core *core, struct build *b)
{
	struct running running = {core, b};
	struct sv_table_order order = order_of(core, b->game, b->class, b->threads);
	struct sv_table_built built;
	struct pd_fail fail = {.code = PD_OK};
	order.go_on = on_progress;
	order.ctx = &running;
	b->state = RUNNING;
	b->fail.code = PD_OK;
	b->begin_ns = pd_now_ns();
	sv_search_threads(core)->reserved += b->memory;
	sv_unlock(core);
	note_run(core, b);
	int rc = sv_table_build(&order, &built, &fail);
	sv_lock(core);
	sv_search_threads(core)->reserved -= b->memory;
	pthread_cond_broadcast(&sv_search_threads(core)->work);
	b->built = built;
	end_build(core, b, rc, &fail);
}

static void *jobs_main(void *arg)
{
	struct sv_core *core = arg;
	struct sv_table_jobs *jobs = sv_table_jobs(core);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), sv_config(core)->nice);
	sv_lock(core);
	while (!jobs->stop) {
		uint64_t now = pd_now_ns();
		struct build *next = NULL;
		for (unsigned i = 0; i < jobs->count && !next; i++)
			if (may_begin(core, jobs->build[i], now))
				next = jobs->build[i];
		if (next)
			(next->planned ? run_build : plan_build)(core, next);
		else
			sv_lock_wait_until(core, &jobs->come, now + look_ns);
	}
	sv_unlock(core);
	return NULL;
}

void sv_table_jobs_interrupt(struct sv_core *core)
{
	PD_ASSERT(sv_locked(core));
	if (!sv_table_jobs(core)) /* there was no memory to open the core */
		return;
	sv_table_jobs(core)->stop = true;
	pthread_cond_broadcast(&sv_table_jobs(core)->come);
}

void sv_table_jobs_stop(struct sv_core *core)
{
	if (!sv_table_jobs(core) || !sv_table_jobs(core)->started)
		return;
	struct sv_table_jobs *jobs = sv_table_jobs(core);
	pthread_join(jobs->thread, NULL);
	jobs->started = false;
	for (unsigned i = 0; i < jobs->count; i++)
		if (jobs->build[i]->state == QUEUED) /* also one that has not begun in this server */
			forget_runs(core, jobs->build[i]);
}

/* --- orders ------------------------------------------------------------------------------- */

static struct build *find_build(struct sv_table_jobs *jobs, const char *game, const char *class)
{
	for (unsigned i = jobs->count; i-- > 0;)
		if (!strcmp(jobs->build[i]->game, game) && !strcmp(jobs->build[i]->class, class))
			return jobs->build[i];
	return NULL;
}

/* Makes room at the end: an order for that class, which has ended, goes; else, if too many, the oldest that has. */
static bool make_room(struct sv_table_jobs *jobs, const struct build *b)
{
	const struct build *known = find_build(jobs, b->game, b->class);
	unsigned gone = 0;
	while (gone < jobs->count && (known ? jobs->build[gone] != known : jobs->build[gone]->state <= RUNNING))
		gone++;
	if (gone < jobs->count && (known || jobs->count == SV_TABLE_JOBS_MAX)) {
		free(jobs->build[gone]);
		memmove(&jobs->build[gone], &jobs->build[gone + 1], (--jobs->count - gone) * sizeof *jobs->build);
	}
	return jobs->count < SV_TABLE_JOBS_MAX;
}

/* Under the lock: queues an order whose file is on disk. */
static int queue_build(struct sv_core *core, const struct build *b, struct pd_fail *fail)
{
	struct sv_table_jobs *jobs = sv_table_jobs(core);
	struct build *copy = malloc(sizeof *copy);
	if (!copy || (!jobs->started && pthread_create(&jobs->thread, NULL, jobs_main, core))) {
		free(copy);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory or thread to build a table");
	}
	jobs->started = true;
	*copy = *b;
	jobs->build[jobs->count++] = copy;
	pthread_cond_broadcast(&jobs->come);
	return PD_OK;
}

static void print_build(const struct build *b, struct pr_out *out)
{
	static const char *const phases[] = {"moves", "predecessors", "plies", "writing"};
	bool runs = b->state == RUNNING;
	uint64_t end_ns = runs ? pd_now_ns() : b->end_ns;
	pr_members(out, PR_S("game", b->game), PR_S("material", b->class), PR_S("state", state_names[b->state]),
		   PR_U("threads", b->threads), PR_U("memory", b->memory),
		   PR_R("seconds", b->begin_ns ? (double)(end_ns - b->begin_ns) / 1e9 : 0, 3));
	if (runs && *b->now)
		pr_members(out, PR_S("building", b->now), PR_S("phase", phases[b->progress.phase]),
			   PR_U("plies", b->progress.plies), PR_U("done", b->progress.done),
			   PR_U("all", b->progress.all));
	if (b->state == COMPLETE)
		pr_members(out, PR_U("made", b->built.made), PR_U("bytes", b->built.bytes));
	if (b->discarded)
		pr_members(out, PR_U("discarded", b->discarded));
	if (runs && b->cancel)
		pr_members(out, PR_S("reason", "it is being cancelled"));
	else if (b->fail.code)
		pr_members(out, PR_S("code", pd_error_slug(b->fail.code)), PR_S("reason", b->fail.text));
}

/* Under the lock: prints the order for the same class that has not ended. 1, 0: there is none, -1: it is being
 * cancelled. */
static int join_known(const struct sv_core *core, const struct build *b, struct pr_out *out, struct pd_fail *fail)
{
	const struct build *known = find_build(sv_table_jobs(core), b->game, b->class);
	if (!known || known->state > RUNNING)
		return 0;
	if (!known->cancel)
		print_build(known, out);
	else
		pd_fail_set(fail, PD_E_STATE, "material", "the build of %s is being cancelled", b->class);
	return known->cancel ? -1 : 1;
}

static int refuse_unfit(const struct sv_core *core, struct pd_fail *fail)
{
	if (sv_config(core)->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	return sv_config(core)->data ? PD_OK
				     : pd_fail_set(fail, PD_E_UNSUPPORTED, "", "this server has no data directory");
}

/* With the lock `files`: writes the order and queues the build, unless there is one. */
static int enter_order(struct sv_core *core, const struct build *b, struct pr_out *out, struct pd_fail *fail)
{
	sv_lock(core);
	int known = join_known(core, b, out, fail), rc = known < 0 ? fail->code : PD_OK;
	if (!known && !make_room(sv_table_jobs(core), b))
		rc = pd_fail_set(fail, PD_E_LIMIT, "material", "%d tables are ordered already", SV_TABLE_JOBS_MAX);
	sv_unlock(core);
	rc = rc || known ? rc : write_order(core, b, fail);
	if (rc || known)
		return rc;
	sv_lock(core);
	rc = queue_build(core, b, fail);
	if (!rc)
		print_build(b, out);
	sv_unlock(core);
	if (rc)
		drop_order(core, b);
	return rc;
}

/* Plans what a client orders, until the server stops. */
static bool is_open(void *ctx, const struct sv_table_progress *p)
{
	struct sv_core *core = ctx;
	(void)p;
	sv_lock(core);
	bool open = !sv_table_jobs(core)->stop;
	sv_unlock(core);
	return open;
}

int sv_table_jobs_order(struct sv_core *core, const char *game, const char *class, unsigned threads, struct pr_out *out,
			struct pd_fail *fail)
{
	struct build b = {.threads = threads, .planned = true};
	struct sv_table_order order = order_of(core, game, class, threads);
	order.go_on = is_open;
	order.ctx = core;
	int rc = refuse_unfit(core, fail);
	rc = rc ? rc : sv_table_names(&order, b.game, b.class, fail);
	rc = rc ? rc : sv_table_plan(&order, &b.memory, fail);
	if (rc)
		return rc;
	pd_mutex_lock(&sv_table_jobs(core)->files);
	rc = enter_order(core, &b, out, fail);
	pd_mutex_unlock(&sv_table_jobs(core)->files);
	return rc;
}

/* With the lock `files`, so that no build ends meanwhile. */
static int cancel_build(struct sv_core *core, struct build *copy, bool discard, struct pd_fail *fail)
{
	sv_lock(core);
	struct build *b = find_build(sv_table_jobs(core), copy->game, copy->class);
	bool active = b && b->state <= RUNNING;
	sv_unlock(core);
	if (active && remove_order(core, copy, fail))
		return fail->code;
	sv_lock(core);
	int rc = PD_OK;
	bool runs = active && b->state == RUNNING;
	if (active) {
		b->cancel = true;
		b->discard = b->discard || discard;
		b->state = runs ? RUNNING : CANCELLED;
	} else if (!discard && b) {
		rc = pd_fail_set(fail, PD_E_STATE, "material", "the build of %s is %s", b->class,
				 state_names[b->state]);
	} else if (!discard) {
		rc = pd_fail_set(fail, PD_E_NOT_FOUND, "material", "no build of %s of %s was ordered", copy->class,
				 copy->game);
	}
	*copy = b ? *b : *copy;
	sv_unlock(core);
	if (rc || !discard || runs)
		return rc;
	rc = discard_checkpoints(core, copy, &copy->discarded, fail);
	sv_lock(core);
	if (b) /* it stays while `files` is held */
		b->discarded = copy->discarded;
	sv_unlock(core);
	return rc;
}

int sv_table_jobs_cancel(struct sv_core *core, const char *game, const char *class, bool discard, struct pr_out *out,
			 struct pd_fail *fail)
{
	const struct sv_table_order order = order_of(core, game, class, 1);
	struct build b = {.threads = 1, .state = CANCELLED};
	int rc = refuse_unfit(core, fail);
	rc = rc ? rc : sv_table_names(&order, b.game, b.class, fail);
	if (rc)
		return rc;
	pd_mutex_lock(&sv_table_jobs(core)->files);
	rc = cancel_build(core, &b, discard, fail);
	pd_mutex_unlock(&sv_table_jobs(core)->files);
	if (!rc)
		print_build(&b, out);
	return rc;
}

/* --- what there is ------------------------------------------------------------------------ */

struct listing {
	const char *game;
	struct pr_out *out;
	bool damaged; /* prints the damaged ones, else the others */
};

static int print_table(void *ctx, const char *file, const char *game, const struct sv_table_built *t, const char *wrong)
{
	struct listing *l = ctx;
	char digest[65];
	if (!wrong == l->damaged || (game && l->game && strcmp(l->game, game) != 0))
		return PD_OK;
	if (wrong) {
		pr_members(l->out, PR_OPEN_OBJECT(NULL), PR_S("file", file), PR_S("reason", wrong), PR_CLOSE);
		return PD_OK;
	}
	for (unsigned i = 0; i < sizeof t->digest; i++)
		snprintf(digest + (size_t)2 * i, 3, "%02x", t->digest[i]);
	pr_members(l->out, PR_OPEN_OBJECT(NULL), PR_S("game", game), PR_S("material", t->class),
		   PR_U("positions", t->wins + t->losses + t->draws), PR_U("wins", t->wins), PR_U("losses", t->losses),
		   PR_U("draws", t->draws), PR_U("longest", t->longest), PR_U("bytes", t->bytes),
		   PR_S("digest", digest), PR_CLOSE);
	return PD_OK;
}

static int print_checkpoint(void *ctx, const char *game, const char *class, uint64_t bytes)
{
	struct listing *l = ctx;
	if (!l->game || !strcmp(l->game, game))
		pr_members(l->out, PR_OPEN_OBJECT(NULL), PR_S("game", game), PR_S("material", class),
			   PR_U("bytes", bytes), PR_CLOSE);
	return PD_OK;
}

int sv_table_jobs_print(struct sv_core *core, const char *game, struct pr_out *out, struct pd_fail *fail)
{
	struct listing l = {.game = game, .out = out};
	const struct sv_table_jobs *jobs = sv_table_jobs(core);
	const char *dir = sv_config(core)->data;
	for (l.damaged = false;; l.damaged = true) {
		pr_open_array(out, l.damaged ? "damaged" : "tables");
		if (dir && sv_tables_list(dir, print_table, &l, fail))
			return fail->code;
		pr_close(out);
		if (l.damaged)
			break;
	}
	pr_open_array(out, "checkpoints");
	if (dir && sv_tables_unfinished(dir, print_checkpoint, &l, fail))
		return fail->code;
	pr_close(out);
	pr_open_array(out, "builds");
	sv_lock(core);
	for (unsigned i = 0; i < jobs->count; i++) {
		if (game && strcmp(jobs->build[i]->game, game) != 0)
			continue;
		pr_open_object(out, NULL);
		print_build(jobs->build[i], out);
		pr_close(out);
	}
	sv_unlock(core);
	pr_close(out);
	return PD_OK;
}

static int restore_order(void *ctx, const char *path, const char *name)
{
	struct sv_core *core = ctx;
	struct build b = {.state = QUEUED};
	struct pd_fail fail;
	unsigned crashes = 0;
	(void)name;
	int rc = read_order(core, path, &b, &crashes, &fail);
	if (rc) { /* the next server may be able to read it */
		pd_log(PD_LOG_ERROR, "%s%s", fail.text, rc == PD_E_CORRUPT ? ", and is removed" : "");
		if (rc == PD_E_CORRUPT)
			unlink(path);
		return PD_OK;
	}
	if (crashes >= CRASHES_FAILED) {
		b.state = FAILED;
		pd_fail_set(&b.fail, PD_E_INTERNAL, "",
			    "proofd ended %u times in a row while this table was built; order it to try again",
			    crashes);
		log_end(&b);
		drop_order(core, &b);
	}
	sv_lock(core);
	if (sv_table_jobs(core)->count < SV_TABLE_JOBS_MAX && queue_build(core, &b, &fail))
		pd_log(PD_LOG_ERROR, "%.300s: %s", path, fail.text);
	sv_unlock(core);
	return PD_OK;
}

int sv_table_jobs_restore(struct sv_core *core, struct pd_fail *fail)
{
	return sv_config(core)->data && !sv_config(core)->read_only
		       ? st_tables_each(sv_config(core)->data, SUFFIX_ORDER, restore_order, core, fail)
		       : PD_OK;
}
