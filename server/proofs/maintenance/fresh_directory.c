#include "server/proofs/maintenance/fresh_directory.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/assert.h"
#include "server/experiments/experiment_lines.h"
#include "store/files.h"
#include "store/tables.h"

void sv_fresh_remove(const char *path)
{
	static const char *const folders[] = {ST_TABLES, "proofs"};
	char folder[ST_PATH];
	for (unsigned i = 0; i < sizeof folders / sizeof *folders; i++)
		if (!st_path(folder, path, folders[i], "", NULL))
			st_remove_directory(folder);
	sv_experiments_discard(path);
	st_remove_directory(path);
}

/* PD_E_USAGE unless nothing of that name exists, or an empty directory. */
static int check_empty(const char *path, struct pd_fail *fail)
{
	struct dirent *entry;
	unsigned files = 0;
	DIR *dir = opendir(path);
	if (!dir && errno == ENOENT)
		return PD_OK;
	if (!dir && errno != ENOTDIR)
		return pd_fail_errno(fail, "data", "open", path);
	while (dir && (entry = readdir(dir)) != NULL)
		files += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	if (dir && !files)
		return PD_OK;
	return pd_fail_set(fail, PD_E_USAGE, "NEW",
			   "%s exists already: name a directory that does not exist, or an empty one", path);
}

int sv_fresh_name(const char *dir, const char *suffix, char *name, char *path, struct pd_fail *fail)
{
	struct stat st;
	size_t size = strlen(dir);
	PD_ASSERT(strlen(suffix) < 16);
	while (size > 1 && dir[size - 1] == '/')
		size--;
	if (!size || size >= PATH_MAX - 16)
		return pd_fail_set(fail, PD_E_USAGE, "NEW", "name the new directory, in at most %d bytes",
				   PATH_MAX - 17);
	snprintf(name, PATH_MAX - 16, "%.*s", (int)size, dir);
	snprintf(path, PATH_MAX, "%s%s", name, suffix);
	int rc = check_empty(name, fail);
	if (!rc && !lstat(path, &st))
		rc = pd_fail_set(fail, PD_E_USAGE, "NEW",
				 "%.250s is left over from an earlier try that was interrupted: remove it first", path);
	return rc;
}

int sv_fresh_publish(const char *path, const char *name, const char *like, struct pd_fail *fail)
{
	char parent[PATH_MAX];
	PD_ASSERT(*name && strlen(name) < sizeof parent);
	snprintf(parent, sizeof parent, "%s", name);
	if (like && st_own_like(path, like, fail))
		return fail->code;
	if (st_sync_directory(path, fail)) /* the names of its folders */
		return fail->code;
	if (rename(path, name))
		return pd_fail_errno(fail, "data", "rename", path);
	return st_sync_directory(dirname(parent), fail);
}
