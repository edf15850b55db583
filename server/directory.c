#include "server/directory.h"

#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

/* Whether this is a file of a data directory, complete or half written. */
static bool is_ours(const char *name)
{
	return !strncmp(name, "work.mdb", 8) || !strncmp(name, "facts.mdb", 9) || !strcmp(name, "proofs") ||
	       !strcmp(name, "experiments") || !strcmp(name, "proofd.sock") || !strcmp(name, "plugin-crashes") ||
	       !strncmp(name, "retract", 7) || !strncmp(name, "liars", 5) || !strcmp(name, "tables") ||
	       !strcmp(name, "series");
}

/* Whether the file says nothing about the directory: a hidden file, `lock`, or `lost+found` in the root of a file
 * system. */
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

/* What anyone but the owner may do with the directory or with the file of the facts, as bits. */
static mode_t open_to(const char *dir, const struct stat *st)
{
	char path[4096];
	struct stat file;
	int n = snprintf(path, sizeof path, "%s/work.mdb", dir);
	bool there = n > 0 && n < (int)sizeof path && !stat(path, &file);
	return (st->st_mode | (there ? file.st_mode : 0)) & 077;
}

/* Logs permissions of an existing directory that are too wide or too narrow. `group`: NULL, or the name of *asked. */
static void look_at(const char *dir, const char *group, const struct group *asked)
{
	struct stat st;
	if (stat(dir, &st))
		return; /* opening it reports the error */
	bool shared = (st.st_mode & 0777) == 0750;
	mode_t wide = open_to(dir, &st) & ~(mode_t)(shared ? 050 : 0);
	if (wide)
		pd_log(PD_LOG_WARN,
		       "other users can read %.200s (mode %03o), also the key that keeps answers from being forged: "
		       "chmod -R go-rwx %.200s",
		       dir, (unsigned)st.st_mode & 0777, dir);
	if (group && (!shared || st.st_gid != asked->gr_gid))
		pd_log(PD_LOG_WARN,
		       "--data-group %.60s: %.100s exists and is left unchanged (mode %03o, group %lu); chgrp "
		       "-R "
		       "%.60s, chmod 750 on it, 640 on its *.mdb and 660 on its *-lock let the group read",
		       group, dir, (unsigned)st.st_mode & 0777, (unsigned long)st.st_gid, group);
}

int sv_directory_make(const char *dir, const char *group, struct pd_fail *fail)
{
	const struct group *asked = group ? getgrnam(group) : NULL;
	if (group && !asked)
		return pd_fail_set(fail, PD_E_USAGE, "data-group", "--data-group: there is no group '%.60s'", group);
	if (mkdir(dir, 0700)) {
		if (errno == EEXIST)
			look_at(dir, group, asked);
		return PD_OK; /* opening it reports the error */
	}
	if (!group || (!chown(dir, (uid_t)-1, asked->gr_gid) && !chmod(dir, 0750)))
		return PD_OK;
	int error = errno;
	rmdir(dir);
	return pd_fail_set(fail, PD_E_USAGE, "data-group",
			   "--data-group: %.100s cannot be given to the group %.60s: %s", dir, group, strerror(error));
}
