#include "server/common/plugin_crashes.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum { PLUGINS_MAX = 512, LINE = 640, PARTS = 5 };

struct crash_list {
	struct sv_plugin_crash crash[PLUGINS_MAX];
	unsigned count;
};

/* The entry of that digest; NULL when the table is full. */
static struct sv_plugin_crash *entry_of(struct crash_list *t, uint64_t digest)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->crash[i].digest == digest)
			return &t->crash[i];
	if (t->count == PLUGINS_MAX)
		return NULL;
	t->crash[t->count] = (struct sv_plugin_crash){.digest = digest};
	return &t->crash[t->count++];
}

static void take_line(struct crash_list *t, char *line)
{
	char *part[PARTS], *rest, *end;
	unsigned parts = 0;
	line[strcspn(line, "\n")] = 0;
	for (char *at = strtok_r(line, "\t", &rest); at && parts < PARTS; at = strtok_r(NULL, "\t", &rest))
		part[parts++] = at;
	uint64_t digest = parts >= 2 ? strtoull(part[1], &end, 16) : 0;
	if (!digest || *end)
		return;
	struct sv_plugin_crash *crash = entry_of(t, digest);
	if (!crash)
		return;
	if (parts == PARTS && !strcmp(part[0], "crash")) {
		crash->count++;
		snprintf(crash->file, sizeof crash->file, "%s", part[2]);
		snprintf(crash->games, sizeof crash->games, "%s", part[3]);
		snprintf(crash->last, sizeof crash->last, "%s", part[4]);
	} else if (parts == 2 && !strcmp(part[0], "retry")) {
		crash->count = 0;
	}
}

static int read_list(const char *data, struct crash_list *t, struct pd_fail *fail)
{
	char path[4096], line[LINE];
	t->count = 0;
	if (snprintf(path, sizeof path, "%s/plugin-crashes", data) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_IO, "data", "the name of the data directory is too long");
	FILE *file = fopen(path, "re");
	if (!file && errno == ENOENT)
		return PD_OK;
	if (!file)
		return pd_fail_errno(fail, "data", "read", path);
	while (fgets(line, sizeof line, file))
		take_line(t, line);
	bool bad = ferror(file) != 0;
	fclose(file);
	return bad ? pd_fail_set(fail, PD_E_IO, "data", "%.200s cannot be read", path) : PD_OK;
}

int sv_plugins_crashed(const char *data, void (*each)(void *ctx, const struct sv_plugin_crash *crash), void *ctx,
		       struct pd_fail *fail)
{
	struct crash_list *t = malloc(sizeof *t);
	int rc = t ? read_list(data, t, fail)
		   : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the crashes of plug-ins");
	for (unsigned i = 0; !rc && i < t->count; i++)
		if (t->crash[i].count)
			each(ctx, &t->crash[i]);
	free(t);
	return rc;
}

/* Appends a line for each plug-in of that name. */
struct retry {
	const char *file;
	char lines[PLUGINS_MAX * 24];
	size_t size;
};

static void retry_one(void *ctx, const struct sv_plugin_crash *crash)
{
	struct retry *r = ctx;
	PD_ASSERT(r->size + 24 <= sizeof r->lines);
	if (!strcmp(crash->file, r->file))
		r->size += (size_t)snprintf(r->lines + r->size, 24, "retry\t%016" PRIx64 "\n", crash->digest);
}

int sv_plugins_retry(const char *data, const char *file, struct pd_fail *fail)
{
	struct retry *r = calloc(1, sizeof *r);
	char path[4096];
	if (!r)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the crashes of plug-ins");
	r->file = file;
	int rc = sv_plugins_crashed(data, retry_one, r, fail);
	if (!rc && !r->size)
		rc = pd_fail_set(fail, PD_E_NOT_FOUND, "retry", "no plug-in named '%.80s' has crashed here", file);
	if (!rc) {
		snprintf(path, sizeof path, "%s/plugin-crashes", data);
		int to = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
		bool good = to >= 0 && write(to, r->lines, r->size) == (ssize_t)r->size && !fsync(to);
		if (!good)
			rc = pd_fail_errno(fail, "data", "write", path);
		if (to >= 0)
			close(to);
	}
	free(r);
	return rc;
}
