#include "server/proofs/maintenance/lies.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/fact.h"
#include "proto/base/log.h"
#include "proto/base/random.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"
#include "server/proofs/maintenance/retraction.h"

#define ALL    "all"
#define SHARED "shared"

static const char retract_name[] = "retract", liars_name[] = "liars";

static int fail_of_errno(const char *what, const char *name, const char *dir, struct pd_fail *fail)
{
	return pd_fail_set(fail, pd_error_of_errno(errno), "data", "cannot %s the file `%s` of %.200s: %s", what, name,
			   dir, strerror(errno));
}

static int path_of(const char *dir, const char *name, char path[PATH_MAX], struct pd_fail *fail)
{
	if (snprintf(path, PATH_MAX, "%s/%s", dir, name) < PATH_MAX)
		return PD_OK;
	return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
}

bool sv_liars_name(const struct sv_liars *liars, uint32_t giver)
{
	for (size_t i = 0; i < liars->count; i++)
		if (liars->giver[i] == giver)
			return true;
	return false;
}

static bool is_event(uint32_t number)
{
	return number && number != SV_SHARED && !pd_is_giver(number);
}

bool sv_liars_all(const struct sv_liars *liars)
{
	bool all = sv_liars_name(liars, 0);
	for (size_t i = 0; !all && i < liars->count; i++)
		all = is_event(liars->giver[i]);
	return all;
}

bool sv_liars_gave(const struct sv_liars *liars, uint32_t job)
{
	return pd_is_giver(job) && (sv_liars_name(liars, job) || sv_liars_all(liars));
}

void sv_liars_add(struct sv_liars *liars, uint32_t giver)
{
	if (sv_liars_name(liars, giver))
		return;
	if (liars->count == SV_LIARS_MAX)
		liars->giver[liars->count = 0] = giver = 0;
	liars->giver[liars->count++] = giver;
}

/* The number of a line; UINT32_MAX: such a file cannot have it. */
static uint32_t parse_line(const char *line)
{
	uint32_t giver = strlen(line) == PD_GIVER_TEXT - 1 ? pd_giver_parse(line) : 0, event;
	int end = 0;
	if (giver || !strcmp(line, ALL))
		return giver;
	if (!strcmp(line, SHARED))
		return SV_SHARED;
	if (sscanf(line, ALL " %8" SCNx32 "%n", &event, &end) == 1 && !line[end] && is_event(event))
		return event;
	return UINT32_MAX;
}

/* Takes a line with its newline; false when such a file cannot have it. */
static bool take_line(struct sv_liars *liars, char *line)
{
	size_t size = strcspn(line, "\n");
	bool whole = line[size] == '\n';
	line[size] = 0;
	uint32_t number = parse_line(line);
	if (whole && number != UINT32_MAX)
		sv_liars_add(liars, number);
	return whole && number != UINT32_MAX;
}

static int read_file(const char *dir, const char *name, struct sv_liars *out, struct pd_fail *fail)
{
	char path[PATH_MAX], line[32];
	out->count = 0;
	int rc = path_of(dir, name, path, fail);
	if (rc)
		return rc;
	FILE *file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ENOTDIR ? PD_OK : fail_of_errno("read", name, dir, fail);
	bool good = true;
	while (good && fgets(line, sizeof line, file))
		good = take_line(out, line);
	if (ferror(file))
		rc = fail_of_errno("read", name, dir, fail);
	else if (!good || !out->count)
		rc = pd_fail_set(fail, PD_E_CORRUPT, "data",
				 "the file `%s` of %.200s, which names workers that lied, is damaged", name, dir);
	fclose(file);
	return rc;
}

int sv_liars_read(const char *dir, struct sv_liars *out, struct pd_fail *fail)
{
	int rc = read_file(dir, retract_name, out, fail);
	if (rc != PD_E_CORRUPT)
		return rc;
	return pd_fail_set(fail, PD_E_CORRUPT, "data",
			   "the file `%s` of %.200s, which names workers whose facts are to be taken back, is damaged; "
			   "with the line `%s` it means the facts of all workers",
			   retract_name, dir, ALL);
}

static int print_line(uint32_t number, char *line, size_t room)
{
	char text[PD_GIVER_TEXT];
	if (is_event(number))
		return snprintf(line, room, ALL " %08" PRIx32 "\n", number);
	return snprintf(line, room, "%s\n", number == SV_SHARED ? SHARED : number ? pd_giver_print(number, text) : ALL);
}

static bool write_lines(int fd, const struct sv_liars *liars)
{
	char line[32];
	for (size_t i = 0; i < liars->count; i++) {
		int size = print_line(liars->giver[i], line, sizeof line);
		if (write(fd, line, (size_t)size) != size)
			return false;
	}
	return true;
}

static int write_file(const char *dir, const char *name, const struct sv_liars *liars, struct pd_fail *fail)
{
	char new_name[32];
	PD_ASSERT(liars->count);
	snprintf(new_name, sizeof new_name, "%s.new", name);
	int place = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place < 0)
		return fail_of_errno("write", name, dir, fail);
	int fd = openat(place, new_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write_lines(fd, liars) && !fsync(fd);
	good = good && !renameat(place, new_name, place, name) && !fsync(place);
	int rc = good ? PD_OK : fail_of_errno("write", name, dir, fail);
	if (fd >= 0)
		close(fd);
	close(place);
	return rc;
}

int sv_liars_write(const char *dir, const struct sv_liars *liars, struct pd_fail *fail)
{
	return write_file(dir, retract_name, liars, fail);
}

int sv_liars_banned(const char *dir, struct sv_liars *out, struct pd_fail *fail)
{
	struct pd_fail why;
	int rc = read_file(dir, liars_name, out, &why);
	if (rc == PD_E_NO_MEMORY)
		return pd_fail_set(fail, rc, why.field, "%s", why.text);
	if (rc) {
		pd_log(PD_LOG_ERROR, "%s: the workers that it named may join again", why.text);
		out->count = 0;
	}
	return PD_OK;
}

int sv_liars_keep(const char *dir, const struct sv_liars *liars, struct pd_fail *fail)
{
	struct sv_liars all;
	int rc = sv_liars_banned(dir, &all, fail);
	if (rc)
		return rc;
	size_t before = all.count;
	for (size_t i = 0; i < liars->count; i++) {
		if (!liars->giver[i]) /* it would not say when */
			continue;
		if (all.count == SV_LIARS_MAX)
			memmove(all.giver, all.giver + 1, --all.count * sizeof *all.giver);
		sv_liars_add(&all, liars->giver[i]);
	}
	return all.count != before || before == SV_LIARS_MAX ? write_file(dir, liars_name, &all, fail) : PD_OK;
}

/* Adds the numbers of a file that `known` does not have, but SV_SHARED, which is of that directory alone. */
static int learn_file(const char *from, const char *name, const struct sv_liars *known, struct sv_liars *fresh,
		      struct pd_fail *fail)
{
	struct sv_liars there;
	int rc = read_file(from, name, &there, fail);
	for (size_t i = 0; !rc && i < there.count; i++)
		if (there.giver[i] != SV_SHARED && !sv_liars_name(known, there.giver[i]))
			sv_liars_add(fresh, there.giver[i]);
	return rc;
}

int sv_liars_learn(const char *dir, const char *from, struct sv_liars *fresh, struct pd_fail *fail)
{
	struct sv_liars known;
	int rc = sv_liars_banned(dir, &known, fail);
	rc = rc ? rc : learn_file(from, liars_name, &known, fresh, fail);
	return rc ? rc : learn_file(from, retract_name, &known, fresh, fail);
}

/* Reads the file `retract`; what is for all workers gets the number of an event there. */
static int read_pending(const char *dir, struct sv_liars *out, struct pd_fail *fail)
{
	int rc = sv_liars_read(dir, out, fail);
	size_t i = 0;
	while (!rc && i < out->count && out->giver[i])
		i++;
	if (rc || i == out->count)
		return rc;
	do
		out->giver[i] = (uint32_t)pd_random64() & ~PD_GIVER_BIT;
	while (!is_event(out->giver[i]));
	return sv_liars_write(dir, out, fail);
}

int sv_liars_exchange(const char *dir, const char *place, struct pd_fail *fail)
{
	struct sv_liars pending, fresh = {.count = 0};
	struct pd_fail why;
	int rc = read_pending(dir, &pending, fail);
	if (rc)
		return rc;
	size_t before = pending.count;
	if (sv_liars_learn(dir, place, &pending, &why))
		pd_log(PD_LOG_ERROR, "%s: workers that it names as liars are not known here", why.text);
	if (pending.count != before)
		rc = sv_liars_write(dir, &pending, fail);
	if (sv_liars_learn(place, dir, &fresh, &why) || (fresh.count && sv_liars_keep(place, &fresh, &why)))
		pd_log(PD_LOG_ERROR, "%s: a backup restored from there may contain false facts again", why.text);
	return rc;
}

static int remove_file(const char *dir, struct pd_fail *fail)
{
	int place = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = place >= 0 && !unlinkat(place, retract_name, 0) && !fsync(place);
	int rc = good ? PD_OK : fail_of_errno("remove", retract_name, dir, fail);
	if (place >= 0)
		close(place);
	return rc;
}

static void log_progress(void *ctx, const struct sv_retracted *so_far, uint64_t judged)
{
	const struct sv_liars_order *order = ctx;
	(void)so_far, (void)judged;
	if (order->patience)
		order->patience(order->ctx);
}

/* Of facts of workers there are none now: SV_SHARED leaves the file `liars`, which names an event. */
static int end_sharing(const char *dir, struct pd_fail *fail)
{
	struct sv_liars banned, left = {.count = 0};
	int rc = sv_liars_banned(dir, &banned, fail);
	if (rc)
		return rc;
	for (size_t i = 0; i < banned.count; i++)
		if (banned.giver[i] != SV_SHARED)
			sv_liars_add(&left, banned.giver[i]);
	return left.count < banned.count ? write_file(dir, liars_name, &left, fail) : PD_OK;
}

int sv_liars_retract(const char *dir, const struct sv_liars_order *order, struct pd_fail *fail)
{
	struct sv_retracted sum = {0};
	struct sv_liars liars;
	static const uint32_t every = 0;
	int rc = read_pending(dir, &liars, fail);
	if (rc || !liars.count)
		return rc;
	const bool all = sv_liars_all(&liars);
	const struct sv_retraction_order retraction = {.givers = all ? &every : liars.giver,
						       .giver_count = all ? 1 : liars.count,
						       .threads = order->threads ? order->threads : 1,
						       .graphs = order->graphs,
						       .progress = log_progress,
						       .ctx = (void *)(uintptr_t)order};
	pd_log(PD_LOG_WARN, "facts of workers that lied are taken back, and what depends on them");
	rc = sv_liars_keep(dir, &liars, fail);
	if (!rc)
		rc = sv_retract(dir, &retraction, &sum, fail);
	if (!rc && all)
		rc = end_sharing(dir, fail);
	if (!rc)
		rc = remove_file(dir, fail);
	if (!rc)
		pd_log(PD_LOG_WARN,
		       "taken back: %" PRIu64 " reasons, and %" PRIu64
		       " that depended on them; %u jobs go on without them",
		       sum.chosen, sum.fallen, sum.jobs);
	return rc;
}

void sv_lies_init(struct sv_lies *lies)
{
	*lies = (struct sv_lies){.told = false};
	pd_mutex_init(&lies->lock, PD_LOCK_LIES);
}

void sv_lies_fini(struct sv_lies *lies)
{
	pd_mutex_fini(&lies->lock);
}

bool sv_lies_banned(void *ctx, uint32_t giver)
{
	const struct sv_core *core = ctx;
	return sv_liars_name(&core->lies->banned, giver);
}

/* Under the lock of `lies`. `again`: an earlier failure has been logged. */
static void write_down(struct sv_core *core, struct sv_lies *lies, bool again)
{
	struct pd_fail fail;
	bool written = !core->config.data || !sv_liars_write(core->config.data, &lies->liars, &fail);
	atomic_store(&lies->written, written);
	if (!written && !again)
		pd_log(PD_LOG_ERROR, "%s; it is tried again, and no request is answered meanwhile", fail.text);
}

void sv_lied(void *ctx, uint32_t giver, const char *name, bool spread)
{
	struct sv_core *core = ctx;
	struct sv_lies *lies = core->lies;
	char number[PD_GIVER_TEXT], who[96] = "a worker";
	if (giver)
		snprintf(who, sizeof who, "worker %s (%.63s)", pd_giver_print(giver, number), name);
	pd_log(PD_LOG_ERROR, "%s gave a false result: what %s gave before is taken back%s", who,
	       !giver   ? "all workers"
	       : spread ? "it and all workers that it shared solved positions with"
			: "it",
	       core->config.data ? "" : ", and with it all else, because there is no data directory");
	pd_mutex_lock(&lies->lock);
	if (giver)
		sv_liars_add(&lies->liars, giver);
	if (spread)
		sv_liars_add(&lies->liars, 0);
	atomic_store(&lies->written, false);
	atomic_store(&lies->told, true);
	write_down(core, lies, false);
	pd_mutex_unlock(&lies->lock);
	sv_wake(core);
}

void sv_lies_tick(struct sv_core *core)
{
	struct sv_lies *lies = core->lies;
	if (!atomic_load(&lies->told) || atomic_load(&lies->written) || !pd_mutex_try(&lies->lock))
		return;
	if (!atomic_load(&lies->written))
		write_down(core, lies, true);
	pd_mutex_unlock(&lies->lock);
}
