#include "store/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"

/* Whose something in a directory is to be. */
struct share {
	uid_t owner; /* (uid_t)-1: the user that this process runs as */
	gid_t group; /* (gid_t)-1: whatever it is now */
	bool readable;
};

static struct share share_in(const struct stat *dir)
{
	bool root = !geteuid(), group = (dir->st_mode & 0777) == 0750;
	return (struct share){root ? dir->st_uid : (uid_t)-1, root || group ? dir->st_gid : (gid_t)-1, group};
}

static void give_file(int fd, const struct share *to, mode_t mode)
{
	PD_ASSERT(fd >= 0 && !(mode & S_IRWXO));
	bool given = !fchown(fd, to->owner, to->group);
	fchmod(fd, given ? mode : mode & ~(mode_t)S_IRWXG);
}

static mode_t mode_of(const struct share *to, enum st_own what)
{
	return to->readable ? what == ST_OWN_LOCK ? 0660 : 0640 : 0600;
}

void st_own_file(int fd, const char *dir, enum st_own what)
{
	struct stat st;
	if (stat(dir, &st))
		return;
	const struct share to = share_in(&st);
	give_file(fd, &to, mode_of(&to, what));
}

static void give_entry(int dir, const char *name, const struct share *to)
{
	static const char suffix[] = "-lock";
	size_t size = strlen(name), tail = sizeof suffix - 1;
	bool lock = size > tail && !strcmp(name + size - tail, suffix);
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	give_file(fd, to, mode_of(to, lock ? ST_OWN_LOCK : ST_OWN_DATA));
	close(fd);
}

int st_own_like(const char *dir, const char *other, struct pd_fail *fail)
{
	struct stat st;
	DIR *list = opendir(dir);
	if (!list || stat(other, &st)) {
		int error = errno;
		if (list)
			closedir(list);
		return pd_fail_set(fail, pd_error_of_errno(error), "data", "cannot read %.200s: %s", list ? other : dir,
				   strerror(error));
	}
	const struct share to = share_in(&st);
	for (const struct dirent *entry; (entry = readdir(list));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			give_entry(dirfd(list), entry->d_name, &to);
	give_file(dirfd(list), &to, to.readable ? 0750 : 0700);
	closedir(list);
	return PD_OK;
}
