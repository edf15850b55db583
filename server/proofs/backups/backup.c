#include "server/proofs/backups/backup.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/out.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/experiments/experiment_lines.h"
#include "server/proofs/maintenance/fresh_directory.h"
#include "server/proofs/maintenance/lies.h"
#include "server/proofs/tables/table_copy.h"
#include "store/files.h"
#include "store/store.h"

struct sv_backup {
	pthread_t thread; /* the loop thread's, like `joinable` */
	bool joinable;
	atomic_bool stop;

	/* Under the lock. */
	bool running;
	char name[ST_BACKUP_NAME_MAX + 1]; /* "": there was none yet */
	struct st_backup_sum sum;
	struct sv_left_out left_out;
	uint64_t begin_ns, end_ns;
	struct pd_fail fail; /* code 0: none */
};

struct sv_backup *sv_backup_new(void)
{
	return calloc(1, sizeof(struct sv_backup));
}

void sv_backup_free(struct sv_backup *backup)
{
	PD_ASSERT(!backup || !backup->joinable);
	free(backup);
}

static bool go_on(void *ctx, const struct st_backup_sum *so_far)
{
	struct sv_core *core = ctx;
	sv_lock(core);
	core->backup->sum = *so_far;
	sv_unlock(core);
	return !atomic_load(&core->backup->stop);
}

static void log_end(const struct sv_backup *b)
{
	double seconds = (double)(b->end_ns - b->begin_ns) / 1e9;
	if (b->fail.code)
		pd_log(PD_LOG_ERROR, "backup %s: not complete after %.1f s: %s", b->name, seconds, b->fail.text);
	else
		pd_log(PD_LOG_INFO, "backup %s: complete, %.1f MB copied, %.1f MB kept from before, %.1f s", b->name,
		       (double)b->sum.bytes_copied / 1e6, (double)b->sum.bytes_kept / 1e6, seconds);
	if (b->left_out.count)
		pd_log(PD_LOG_WARN, "backup %s: damaged and left out (%u): %s", b->name, b->left_out.count,
		       b->left_out.text);
}

/* The file of the experiments. */
struct lines_file {
	FILE *file;
	struct sv_left_out *left_out;
};

static int put_line(void *ctx, const char *line, size_t size, struct pd_fail *fail)
{
	const struct lines_file *f = ctx;
	return fwrite(line, 1, size, f->file) == size
		       ? PD_OK
		       : pd_fail_errno(fail, ST_BACKUP_EXPERIMENTS, "write", ST_BACKUP_EXPERIMENTS);
}

static void leave_out(void *ctx, const char *name, const char *why)
{
	const struct lines_file *f = ctx;
	sv_left_out_add(f->left_out, name, why);
}

/* Adds what is beside LMDB's files: tables, and the experiments as lines of a dump. `ctx`: struct sv_left_out. */
static int add_others(void *ctx, const char *data, const char *backup, struct pd_fail *fail)
{
	char path[ST_PATH];
	struct sv_left_out *left_out = ctx;
	struct sv_tables_copied tables;
	int rc = st_path(path, backup, ST_BACKUP_EXPERIMENTS, "", fail);
	rc = rc ? rc : sv_tables_copy(data, backup, &tables, fail);
	if (rc)
		return rc;
	*left_out = tables.left_out;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct lines_file lines = {fd < 0 ? NULL : fdopen(fd, "w"), left_out};
	struct sv_experiment_walk walk = {.put = put_line, .damaged = leave_out, .ctx = &lines};
	if (!lines.file)
		return pd_fail_errno(fail, ST_BACKUP_EXPERIMENTS, "create", path);
	rc = sv_experiments_walk(data, &walk, fail);
	if (!rc && (fflush(lines.file) || fsync(fd)))
		rc = pd_fail_errno(fail, ST_BACKUP_EXPERIMENTS, "write", path);
	fclose(lines.file);
	if (rc || !walk.count)
		unlink(path);
	return rc;
}

static void *backup_main(void *arg)
{
	struct sv_core *core = arg;
	struct sv_backup *b = core->backup;
	struct st_backup_sum sum;
	struct sv_left_out left_out = {.count = 0};
	struct pd_fail fail = {.code = 0};
	const struct st_backup_order order = {.place = core->config.backup_dir,
					      .name = b->name,
					      .go_on = go_on,
					      .ctx = core,
					      .more = add_others,
					      .more_ctx = &left_out};
	PD_ASSERT(b->running && core->config.backup_dir);
	int rc = st_backup(core->store, &order, &sum, &fail);
	sv_lock(core);
	b->sum = sum;
	b->left_out = left_out;
	if (rc)
		b->fail = fail;
	b->end_ns = pd_now_ns();
	b->running = false;
	log_end(b);
	sv_unlock(core);
	return NULL;
}

int sv_backup_start(struct sv_core *core, const char *name, struct pd_fail *fail)
{
	struct sv_backup *b = core->backup;
	if (st_backup_name_check(name, fail))
		return fail->code;
	if (!core->config.backup_dir)
		return pd_fail_set(fail, PD_E_STATE, "name",
				   "this server has no directory for backups; start it with --backup-dir DIR");
	if (core->config.data && st_retraction_refuse(core->config.data, fail))
		return fail->code;
	sv_lock(core);
	bool running = b->running;
	sv_unlock(core);
	if (running && strcmp(b->name, name)) /* only this thread changes the name */
		return pd_fail_set(fail, PD_E_BUSY, "name", "the backup %s is under way: wait until it is complete",
				   b->name);
	if (running)
		return PD_OK;
	if (b->joinable) /* it has ended */
		pthread_join(b->thread, NULL);
	sv_lock(core);
	snprintf(b->name, sizeof b->name, "%s", name);
	b->sum = (struct st_backup_sum){0};
	b->left_out = (struct sv_left_out){0};
	b->fail.code = PD_OK;
	b->begin_ns = pd_now_ns();
	b->running = true;
	sv_unlock(core);
	b->joinable = !pthread_create(&b->thread, NULL, backup_main, core);
	if (b->joinable)
		return PD_OK;
	sv_lock(core);
	b->running = false;
	b->end_ns = b->begin_ns;
	pd_fail_set(&b->fail, PD_E_NO_MEMORY, "", "no thread can be started for a backup");
	*fail = b->fail;
	sv_unlock(core);
	return fail->code;
}

void sv_backup_interrupt(struct sv_core *core)
{
	if (core->backup)
		atomic_store(&core->backup->stop, true);
}

void sv_backup_stop(struct sv_core *core)
{
	struct sv_backup *b = core->backup;
	if (!b || !b->joinable)
		return;
	sv_backup_interrupt(core);
	pthread_join(b->thread, NULL);
	b->joinable = false;
}

void sv_backup_print(struct sv_core *core, struct pr_out *out)
{
	sv_lock(core);
	const struct sv_backup b = *core->backup;
	sv_unlock(core);
	const char *state = !*b.name ? "none" : b.running ? "running" : b.fail.code ? "failed" : "complete";
	double seconds = *b.name ? (double)((b.running ? pd_now_ns() : b.end_ns) - b.begin_ns) / 1e9 : 0;
	pr_members(out, PR_S("state", state), PR_S("name", *b.name ? b.name : NULL), PR_U("done", b.sum.done),
		   PR_U("all", b.sum.all), PR_U("bytes_copied", b.sum.bytes_copied),
		   PR_U("bytes_kept", b.sum.bytes_kept), PR_U("files", b.sum.files),
		   PR_U("files_kept", b.sum.files_kept), PR_R("seconds", seconds, 3));
	if (b.left_out.count)
		pr_str(out, "left_out", b.left_out.text);
	if (b.fail.code)
		pr_members(out, PR_S("code", pd_error_slug(b.fail.code)), PR_S("error", b.fail.text));
}

int sv_backup_dir_check(const char *dir, struct pd_fail *fail)
{
	struct stat st;
	PD_ASSERT(dir);
	if (!stat(dir, &st) && S_ISDIR(st.st_mode) && !access(dir, R_OK | W_OK | X_OK))
		return PD_OK;
	return pd_fail_set(fail, PD_E_USAGE, "backup-dir",
			   "--backup-dir: %.150s is not a directory that this server may write to; create it first",
			   dir);
}

int sv_backup_directory(const char *data, const char *path, const struct sv_backup_watch *watch,
			struct sv_backup_made *out, struct pd_fail *fail)
{
	char copy[PATH_MAX];
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct st_store *store;
	struct sv_liars fresh = {.count = 0};
	*out = (struct sv_backup_made){.left_out.count = 0};
	if (snprintf(copy, sizeof copy, "%s", path) >= PATH_MAX)
		return pd_fail_set(fail, PD_E_USAGE, "name", "the path of the backup is too long");
	const char *place = slash && !slash[1] ? path : dirname(copy);
	if (st_open(data, ST_READ_ONLY, &store, fail))
		return fail->code;
	int rc = sv_liars_learn(place, data, &fresh, fail);
	if (!rc && fresh.count)
		rc = sv_liars_keep(place, &fresh, fail);
	if (!rc)
		rc = st_backup(
			store,
			&(struct st_backup_order){place, name, watch->go_on, watch->ctx, add_others, &out->left_out},
			&out->sum, fail);
	st_close(store);
	return rc;
}

/* Counts reasons given by workers that are known to lie. */
struct false_facts {
	const struct sv_liars *liars;
	uint64_t reasons;
};

static int count_false(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct false_facts *f = ctx;
	(void)game, (void)key, (void)size;
	for (uint32_t i = 0; i < fact->count; i++)
		f->reasons += sv_liars_gave(f->liars, pd_fact_reasons(fact)[i].job);
	return PD_OK;
}

static int look_for_false(const char *dir, const struct sv_liars *liars, uint64_t *reasons, struct pd_fail *fail)
{
	struct false_facts found = {.liars = liars};
	struct st_store *store;
	int rc = st_open(dir, ST_READ_ONLY, &store, fail);
	if (rc)
		return rc;
	rc = st_fact_walk(store, count_false, &found, fail);
	st_close(store);
	*reasons = found.reasons;
	return rc;
}

/* Notes workers that became known to lie after the backup was made, so that their facts are retracted. */
static int learn_lies(const struct sv_restore_order *order, const char *path, struct sv_restored *out,
		      struct pd_fail *fail)
{
	char place[PATH_MAX + 4];
	struct sv_liars liars = {.count = 0};
	snprintf(place, sizeof place, "%s/..", order->backup);
	if (sv_liars_learn(path, place, &liars, fail) ||
	    (order->knows && sv_liars_learn(path, order->knows, &liars, fail)))
		return fail->code;
	if (liars.count && (sv_liars_keep(path, &liars, fail) || look_for_false(path, &liars, &out->retract, fail)))
		return fail->code;
	return out->retract ? sv_liars_write(path, &liars, fail) : PD_OK;
}

static int take_experiments(const char *backup, const char *path, struct pd_fail *fail)
{
	char name[ST_PATH];
	struct sv_experiment_taker taker;
	int rc = st_path(name, backup, ST_BACKUP_EXPERIMENTS, "", fail);
	FILE *file = rc ? NULL : fopen(name, "re");
	if (!file)
		return rc ? rc : pd_fail_errno(fail, ST_BACKUP_EXPERIMENTS, "read", name);
	sv_experiment_taker_init(&taker, path, backup);
	rc = sv_experiments_restore(file, &taker, fail);
	sv_experiment_taker_fini(&taker);
	fclose(file);
	return rc;
}

int sv_restore(const struct sv_restore_order *order, struct sv_restored *out, struct pd_fail *fail)
{
	char name[PATH_MAX], path[PATH_MAX];
	*out = (struct sv_restored){.retract = 0};
	if (sv_fresh_name(order->dir, ".restoring", name, path, fail))
		return fail->code;
	if (!st_restore(order->backup, path, &out->from, fail) && !sv_tables_copy(order->backup, path, NULL, fail) &&
	    (!out->from.experiments || !take_experiments(order->backup, path, fail)) &&
	    !learn_lies(order, path, out, fail) && !sv_fresh_publish(path, name, order->backup, fail))
		return PD_OK;
	sv_fresh_remove(path);
	return fail->code;
}
