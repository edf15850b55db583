#define _GNU_SOURCE /* fallocate */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/files.h"

enum { READER_BYTES = 64 /* per reader in LMDB's lock file, whose head is smaller than the 4096 bytes added below */ };

/* The process that holds a flock on the open file, as the kernel lists it; 0: not listed. */
static long holder_of(int fd)
{
	struct stat st;
	char line[256];
	long found = 0;
	FILE *locks = fopen("/proc/locks", "re");
	if (!locks || fstat(fd, &st)) {
		if (locks)
			fclose(locks);
		return 0;
	}
	while (!found && fgets(line, sizeof line, locks)) {
		unsigned device_major, device_minor;
		unsigned long long number;
		long pid;
		if (sscanf(line, "%*s FLOCK %*s WRITE %ld %x:%x:%llu", &pid, &device_major, &device_minor, &number) ==
			    4 &&
		    number == st.st_ino && device_major == major(st.st_dev) && device_minor == minor(st.st_dev))
			found = pid;
	}
	fclose(locks);
	return found;
}

static int fail_locked(const char *dir, int fd, struct pd_fail *fail)
{
	char path[ST_PATH], pid[32] = "";
	long holder = holder_of(fd);
	int text = st_path(path, dir, "lock", "", NULL) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = text < 0 ? 0 : read(text, pid, sizeof pid - 1);
	if (text >= 0)
		close(text);
	pid[n > 0 ? n : 0] = 0;
	pid[strcspn(pid, "\n")] = 0;
	if (holder > 0)
		snprintf(pid, sizeof pid, "%ld", holder);
	return pd_fail_set(fail, PD_E_LOCKED, "data", "%s is in use by process %s", dir, *pid ? pid : "(unknown)");
}

static int lock_file(const char *dir, const char *path, int fd, struct pd_fail *fail)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return PD_OK;
	if (errno != EWOULDBLOCK)
		return pd_fail_errno(fail, "data", "lock", path);
	if (!flock(fd, LOCK_SH | LOCK_NB))
		return pd_fail_set(fail, PD_E_LOCKED, "data", "%s is being read by a process that may not write there",
				   dir);
	return fail_locked(dir, fd, fail);
}

static bool still_called(const char *path, int fd)
{
	struct st_file_id open_file, named;
	return st_file_id_of_fd(fd, &open_file) && st_file_id_of(path, &named) && st_file_id_equal(&open_file, &named);
}

/* The process number is for people, so a full disk does not matter here. */
static void write_number(const char *dir)
{
	PD_ASSERT(dir && *dir);
	char path[ST_PATH];
	if (st_path(path, dir, "lock", "", NULL))
		return;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || dprintf(fd, "%ld\n", (long)getpid()) < 0)
		pd_log(PD_LOG_WARN, "cannot write %s: %s", path, strerror(errno));
	if (fd < 0)
		return;
	st_own_file(fd, dir, ST_OWN_DATA);
	close(fd);
}

int st_lock_write(const char *dir, int *fd, bool *fresh, struct pd_fail *fail)
{
	char old[ST_PATH], new[ST_PATH];
	int rc = st_path(old, dir, "work.mdb", "", fail);
	if (!rc)
		rc = st_path(new, dir, "work.mdb", ".new", fail);
	if (rc)
		return rc;
	for (;;) {
		const char *path = old;
		*fd = open(old, O_RDWR | O_CLOEXEC);
		*fresh = *fd < 0 && errno == ENOENT;
		if (*fresh) {
			path = new;
			*fd = open(new, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		}
		if (*fd < 0)
			return pd_fail_errno(fail, "data", "open", path);
		rc = lock_file(dir, path, *fd, fail);
		/* Meanwhile another process may have completed the directory: then work.mdb is the file to lock. */
		if (!rc && still_called(path, *fd) && !(*fresh && !access(old, F_OK))) {
			write_number(dir);
			return PD_OK;
		}
		close(*fd);
		*fd = -1;
		if (rc)
			return rc;
	}
}

int st_lock_read(const char *dir, int *fd, struct pd_fail *fail)
{
	char path[ST_PATH];
	int rc = st_path(path, dir, "work.mdb", "", fail);
	if (rc)
		return rc;
	*fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*fd < 0 || !flock(*fd, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
		return PD_OK;
	return pd_fail_set(fail, PD_E_LOCKED, "data",
			   "a server writes to %s: to read at the same time, this user must be allowed to write "
			   "%s/work.mdb-lock and %s/facts.mdb-lock",
			   dir, dir, dir);
}

bool st_lock_owned(const char *dir)
{
	char path[ST_PATH];
	if (st_path(path, dir, "work.mdb", "", NULL))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool locked = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return locked;
}

int st_lock_file_reserve(const char *dir, const char *name, unsigned readers, struct pd_fail *fail)
{
	PD_ASSERT(readers);
	char path[ST_PATH];
	struct stat st;
	int rc = st_path(path, dir, name, "-lock", fail);
	if (rc)
		return rc;
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &st)) {
		rc = pd_fail_errno(fail, "data", "open", path);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	if (!st.st_size)
		st_own_file(fd, dir, ST_OWN_LOCK);
	/* An existing file keeps its size: other processes may have mapped it. */
	off_t size = st.st_size ? st.st_size : (off_t)readers * READER_BYTES + 4096;
	if (fallocate(fd, 0, 0, size) && errno != EOPNOTSUPP && errno != ENOSYS)
		rc = pd_fail_errno(fail, "data", "make room for", path);
	close(fd);
	return rc;
}
