#include "store/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/assert.h"

int st_path(char out[ST_PATH], const char *dir, const char *name, const char *suffix, struct pd_fail *fail)
{
	if (snprintf(out, ST_PATH, "%s/%s%s", dir, name, suffix) < ST_PATH)
		return PD_OK;
	return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
}

uint64_t st_disk_free(const char *dir)
{
	struct statvfs fs;
	return dir && !statvfs(dir, &fs) ? (uint64_t)fs.f_bavail * fs.f_frsize : UINT64_MAX;
}

int st_sync_directory(const char *dir, struct pd_fail *fail)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = fd < 0 || fsync(fd) ? pd_fail_errno(fail, "data", "sync", dir) : PD_OK;
	if (fd >= 0)
		close(fd);
	return rc;
}

FILE *st_open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int error = fd < 0 || fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? 0 : EINVAL;
	FILE *file = error ? NULL : fdopen(fd, "rb");
	if (file)
		return file;
	error = error ? error : errno;
	if (fd >= 0)
		close(fd);
	errno = error;
	return NULL;
}

bool st_write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		size -= (size_t)n;
	}
	return true;
}

void st_remove_directory(const char *path)
{
	const struct dirent *entry;
	DIR *list = opendir(path);
	while (list && (entry = readdir(list)) != NULL)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(path);
}

static bool note_id(const struct stat *st, struct st_file_id *out)
{
	*out = (struct st_file_id){.device = st->st_dev, .number = st->st_ino};
	return true;
}

bool st_file_id_of(const char *path, struct st_file_id *out)
{
	struct stat st;
	return !stat(path, &st) && note_id(&st, out);
}

bool st_file_id_of_fd(int fd, struct st_file_id *out)
{
	struct stat st;
	return !fstat(fd, &st) && note_id(&st, out);
}

bool st_file_id_equal(const struct st_file_id *a, const struct st_file_id *b)
{
	return a->device == b->device && a->number == b->number;
}

/* The owner, group and mode for what is in a directory. */
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
		int rc = pd_fail_errno(fail, "data", "read", list ? other : dir);
		if (list)
			closedir(list);
		return rc;
	}
	const struct share to = share_in(&st);
	for (const struct dirent *entry; (entry = readdir(list));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			give_entry(dirfd(list), entry->d_name, &to);
	give_file(dirfd(list), &to, to.readable ? 0750 : 0700);
	closedir(list);
	return PD_OK;
}
