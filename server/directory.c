/* Directory: see directory.h. */
#include "server/directory.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"

/* The files of a data directory, under their names or half written. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "work.mdb", 8) || !strncmp(name, "facts.mdb", 9) || !strcmp(name, "proofs") ||
	       !strcmp(name, "proofd.sock") || !strcmp(name, "plugin-crashes") || !strncmp(name, "retract", 7) ||
	       !strncmp(name, "liars", 5);
}

/* Files that say nothing about whose directory it is: hidden ones, an empty lock, the root of a file system. */
static bool is_neutral(const char *name)
{
	return name[0] == '.' || !strcmp(name, "lock") || !strcmp(name, "lost+found");
}

int sv_directory_check(const char *dir, struct pd_fail *fail)
{
	char foreign[256] = "";
	bool ours = false;
	const struct dirent *entry;
	PD_ASSERT(dir != NULL);
	DIR *list = opendir(dir);
	if (!list)
		return PD_OK;
	while (!ours && (entry = readdir(list)) != NULL) {
		ours = is_ours(entry->d_name);
		if (!ours && !is_neutral(entry->d_name))
			snprintf(foreign, sizeof foreign, "%s", entry->d_name);
	}
	closedir(list);
	if (ours || !*foreign)
		return PD_OK;
	return pd_fail_set(
		fail, PD_E_USAGE, "data",
		"%.120s is not a data directory and not empty (it holds %.60s); choose a new or an empty one", dir,
		foreign);
}
