/* Directory: see directory.h. */
#include "clients/probe/directory.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"

enum {
	REFRESH_MS = 1000,
	TRIES = 3 /* to open: the two files are read one after the other, and a server may write in between */
};

/* The directories that are open in this process. LMDB allows one environment a file and process: closing another one
 * would give back the locks of the first. */
static LIST_HEAD(, proofd_probe) open_directories = LIST_HEAD_INITIALIZER(open_directories);
static struct pd_mutex open_lock = PD_MUTEX_INIT(PD_LOCK_PROBE_OPEN);

int pb_failed(struct proofd_error *error, const struct pd_fail *fail)
{
	PD_ASSERT(fail->code);
	if (error) {
		error->code = fail->code;
		snprintf(error->slug, sizeof error->slug, "%s", pd_error_slug(fail->code));
		snprintf(error->field, sizeof error->field, "%s", fail->field);
		snprintf(error->message, sizeof error->message, "%s", fail->text);
	}
	return -1;
}

/* --- opening ------------------------------------------------------------------------------ */

static void directory_free(struct proofd_probe *probe)
{
	while (!SLIST_EMPTY(&probe->games)) {
		struct proofd_probe_game *game = SLIST_FIRST(&probe->games);
		SLIST_REMOVE_HEAD(&probe->games, link);
		game_close(game->game);
		free(game);
	}
	for (unsigned i = 0; i < PB_READERS; i++) {
		PD_ASSERT(!atomic_load(&probe->reader[i].taken)); /* a thread is still in a probe */
		st_reader_close(probe->reader[i].reader);
		pd_fact_fini(&probe->reader[i].known.fact);
	}
	st_close(probe->store);
	pd_mutex_fini(&probe->refreshing);
	pd_mutex_fini(&probe->lock);
	free(probe->graphs);
	free(probe);
}

static struct proofd_probe *directory_new(const struct proofd_probe_options *options)
{
	struct proofd_probe *probe = aligned_alloc(_Alignof(struct pb_reader), sizeof *probe);
	uint32_t ms = options && options->refresh_ms ? options->refresh_ms : REFRESH_MS;
	if (!probe)
		return NULL;
	memset(probe, 0, sizeof *probe);
	SLIST_INIT(&probe->games);
	pd_mutex_init(&probe->refreshing, PD_LOCK_PROBE_REFRESH);
	pd_mutex_init(&probe->lock, PD_LOCK_PROBE);
	probe->refresh_ns = ms == UINT32_MAX ? UINT64_MAX : ms * UINT64_C(1000000);
	probe->opens = 1;
	if (options && options->graphs) {
		probe->graphs = strdup(options->graphs);
		if (!probe->graphs) {
			directory_free(probe);
			return NULL;
		}
	}
	return probe;
}

/* Under open_lock. */
static int open_store(const char *dir, struct proofd_probe *probe, struct pd_fail *fail)
{
	int rc = PD_E_CORRUPT;
	for (unsigned i = 0; i < TRIES && rc == PD_E_CORRUPT; i++)
		rc = st_open(dir, ST_READ_ONLY, &probe->store, fail);
	atomic_store(&probe->refreshed_ns, pd_now_ns());
	return rc;
}

static int open_directory(const char *dir, const struct proofd_probe_options *options, struct proofd_probe **out,
			  struct pd_fail *fail)
{
	char path[4096];
	struct stat st;
	struct proofd_probe *probe;
	if (snprintf(path, sizeof path, "%s/work.mdb", dir) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "dir", "the path of the data directory is too long");
	if (stat(path, &st))
		return pd_fail_set(fail, pd_error_of_errno(errno), "dir", "%.200s is no data directory of proofd: %s",
				   dir, strerror(errno));
	LIST_FOREACH(probe, &open_directories, link)
		if (probe->device == st.st_dev && probe->number == st.st_ino) {
			probe->opens++;
			*out = probe;
			return PD_OK;
		}
	probe = directory_new(options);
	if (!probe)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "there is no memory for a directory");
	int rc = open_store(dir, probe, fail);
	if (rc) {
		directory_free(probe);
		return rc;
	}
	probe->device = st.st_dev;
	probe->number = st.st_ino;
	LIST_INSERT_HEAD(&open_directories, probe, link);
	*out = probe;
	return PD_OK;
}

int proofd_probe_open(const char *dir, const struct proofd_probe_options *options, struct proofd_probe **out,
		      struct proofd_error *error)
{
	struct pd_fail fail;
	pd_mutex_lock(&open_lock);
	int rc = open_directory(dir, options, out, &fail);
	pd_mutex_unlock(&open_lock);
	return rc ? pb_failed(error, &fail) : 0;
}

void proofd_probe_close(struct proofd_probe *probe)
{
	if (!probe)
		return;
	pd_mutex_lock(&open_lock);
	PD_ASSERT(probe->opens);
	if (!--probe->opens) {
		LIST_REMOVE(probe, link);
		directory_free(probe);
	}
	pd_mutex_unlock(&open_lock);
}

/* --- refreshing --------------------------------------------------------------------------- */

/* Under `refreshing`. */
static int refresh_facts(struct proofd_probe *probe)
{
	atomic_store(&probe->refreshed_ns, pd_now_ns());
	int rc = st_facts_maintain(probe->store, false, &probe->fail);
	atomic_store(&probe->failed, rc < 0);
	return rc < 0 ? probe->fail.code : PD_OK;
}

int proofd_probe_refresh(struct proofd_probe *probe, struct proofd_error *error)
{
	pd_mutex_lock(&probe->refreshing);
	struct pd_fail fail;
	int rc = refresh_facts(probe);
	if (rc)
		fail = probe->fail;
	pd_mutex_unlock(&probe->refreshing);
	return rc ? pb_failed(error, &fail) : 0;
}

int pb_keep_up(struct proofd_probe *probe, struct pd_fail *fail)
{
	int rc = PD_OK;
	if (probe->refresh_ns != UINT64_MAX && pd_now_ns() - atomic_load(&probe->refreshed_ns) >= probe->refresh_ns &&
	    pd_mutex_try(&probe->refreshing)) {
		if (pd_now_ns() - atomic_load(&probe->refreshed_ns) >= probe->refresh_ns)
			refresh_facts(probe);
		pd_mutex_unlock(&probe->refreshing);
	}
	if (atomic_load_explicit(&probe->failed, memory_order_relaxed)) {
		pd_mutex_lock(&probe->refreshing);
		if (atomic_load(&probe->failed)) {
			*fail = probe->fail;
			rc = fail->code;
		}
		pd_mutex_unlock(&probe->refreshing);
	}
	return rc;
}

/* --- readers ------------------------------------------------------------------------------ */

static bool take_reader(struct pb_reader *reader)
{
	return atomic_load_explicit(&reader->taken, memory_order_relaxed) ||
	       atomic_exchange_explicit(&reader->taken, true, memory_order_acquire);
}

struct pb_reader *pb_reader_take(struct proofd_probe *probe, struct pd_fail *fail)
{
	/* Each thread begins to look at a place of its own. */
	uint64_t self = (uint64_t)(uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15);
	unsigned at = (unsigned)(self >> 57) % PB_READERS;
	struct pb_reader *reader = &probe->reader[at];
	for (unsigned tries = 1; take_reader(reader); tries++) {
		at = (at + 1) % PB_READERS;
		reader = &probe->reader[at];
		if (tries % PB_READERS == 0)
			sched_yield();
	}
	if (!reader->reader && st_reader_open(probe->store, &reader->reader, fail)) {
		reader->reader = NULL;
		pb_reader_give(reader);
		return NULL;
	}
	return reader;
}

void pb_reader_give(struct pb_reader *reader)
{
	PD_ASSERT(atomic_load_explicit(&reader->taken, memory_order_relaxed));
	atomic_store_explicit(&reader->taken, false, memory_order_release);
}
