/* Preload shadow: put before the C library (LD_PRELOAD), it records what a program does to the files of one directory
 * (shadow.h). It makes the system calls itself, so what it records is what happened. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/lab/shadow.h"

enum { FDS_MAX = 1024, FILES_MAX = 4096, NAME_SIZE = 256 };

enum what { NOTHING, FILE_OF_DIR, FILE_SYNCED, DIRECTORY, PARENT };

static struct {
	char dir[4096];
	int log;
	char what[FDS_MAX];
	uint32_t file[FDS_MAX];
	char name[FILES_MAX][NAME_SIZE]; /* by number, from 1; "" once it has gone */
	uint32_t files;
} shadow = {.log = -1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void)
{
	const char *dir = getenv(SHADOW_DIR), *log = getenv(SHADOW_LOG);
	if (!dir || !log)
		return;
	snprintf(shadow.dir, sizeof shadow.dir, "%s", dir);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
	shadow.log = fd < 0 ? -1 : (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 980);
	syscall(SYS_close, fd);
	if (shadow.log < 0)
		abort();
}

static void put_bytes(const void *data, size_t size)
{
	const char *p = data;
	while (size) {
		long n = syscall(SYS_write, shadow.log, p, size);
		if (n <= 0)
			abort();
		p += n;
		size -= (size_t)n;
	}
}

static void event(enum shadow_kind kind, uint32_t file, int64_t value, const void *data, size_t size)
{
	struct shadow_event e = {kind, file, value, size};
	int saved = errno;
	if (shadow.log >= 0) {
		put_bytes(&e, sizeof e);
		put_bytes(data, size);
	}
	errno = saved;
}

/* The part of a path below the directory; NULL when it is elsewhere, or a lock file of LMDB's. */
static const char *below(const char *path)
{
	size_t n = strlen(shadow.dir), size = strlen(path);
	if (!n || strncmp(path, shadow.dir, n) || path[n] != '/')
		return NULL;
	return size > 5 && !strcmp(path + size - 5, "-lock") ? NULL : path + n + 1;
}

/* Whether a descriptor is that of the directory, or of the one that holds it, by whatever name it was opened. */
static enum what directory_of(int fd)
{
	char parent[4100];
	struct stat st, known;
	snprintf(parent, sizeof parent, "%s/..", shadow.dir);
	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return NOTHING;
	if (!stat(shadow.dir, &known) && known.st_ino == st.st_ino && known.st_dev == st.st_dev)
		return DIRECTORY;
	return !stat(parent, &known) && known.st_ino == st.st_ino && known.st_dev == st.st_dev ? PARENT : NOTHING;
}

static uint32_t number_of_name(const char *name, bool add)
{
	for (uint32_t i = 1; i <= shadow.files; i++)
		if (!strcmp(shadow.name[i], name))
			return i;
	if (!add)
		return 0;
	if (shadow.files + 1 == FILES_MAX || strlen(name) >= NAME_SIZE)
		abort();
	strcpy(shadow.name[++shadow.files], name);
	return shadow.files;
}

static enum what what_of(int fd)
{
	return fd >= 0 && fd < FDS_MAX ? (enum what)shadow.what[fd] : NOTHING;
}

static bool is_file(int fd)
{
	return what_of(fd) == FILE_OF_DIR || what_of(fd) == FILE_SYNCED;
}

/* --- opening and closing ------------------------------------------------------------------ */

static int open_recorded(int at, const char *path, int flags, mode_t mode)
{
	struct stat before;
	const char *name = shadow.log < 0 || (at != AT_FDCWD && *path != '/') ? NULL : below(path);
	pthread_mutex_lock(&lock);
	bool there = name && !stat(path, &before);
	int fd = (int)syscall(SYS_openat, at, path, flags, mode);
	if (fd >= 0 && fd < FDS_MAX && shadow.log >= 0) {
		shadow.what[fd] = directory_of(fd);
		if (name && shadow.what[fd] == NOTHING) {
			shadow.what[fd] = flags & (O_DSYNC | O_SYNC) ? FILE_SYNCED : FILE_OF_DIR;
			shadow.file[fd] = number_of_name(name, true);
			event(SHADOW_OPEN, shadow.file[fd], !there, name, strlen(name));
			if (there && flags & O_TRUNC)
				event(SHADOW_TRUNCATE, shadow.file[fd], 0, "", 0);
		}
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_recorded(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_recorded(at, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

int close(int fd)
{
	pthread_mutex_lock(&lock);
	if (fd >= 0 && fd < FDS_MAX)
		shadow.what[fd] = NOTHING;
	int rc = (int)syscall(SYS_close, fd);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

static void wrote(int fd, const void *data, ssize_t n, off_t offset)
{
	if (n > 0 && is_file(fd))
		event(what_of(fd) == FILE_SYNCED ? SHADOW_WRITE_SYNC : SHADOW_WRITE, shadow.file[fd], offset, data,
		      (size_t)n);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	pthread_mutex_lock(&lock);
	ssize_t n = syscall(SYS_pwrite64, fd, data, size, offset);
	wrote(fd, data, n, offset);
	pthread_mutex_unlock(&lock);
	return n;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) __attribute__((alias("pwrite")));

ssize_t write(int fd, const void *data, size_t size)
{
	if (fd == SHADOW_MARKS && shadow.log >= 0) {
		pthread_mutex_lock(&lock);
		event(SHADOW_MARK, 0, 0, data, size);
		pthread_mutex_unlock(&lock);
		return (ssize_t)size;
	}
	if (!is_file(fd))
		return syscall(SYS_write, fd, data, size);
	pthread_mutex_lock(&lock);
	off_t offset = lseek(fd, 0, SEEK_CUR);
	ssize_t n = syscall(SYS_write, fd, data, size);
	wrote(fd, data, n, offset);
	pthread_mutex_unlock(&lock);
	return n;
}

static void wrote_pieces(int fd, const struct iovec *piece, int count, ssize_t n, off_t offset)
{
	for (int i = 0; i < count && n > 0; i++) {
		ssize_t size = (size_t)n < piece[i].iov_len ? n : (ssize_t)piece[i].iov_len;
		wrote(fd, piece[i].iov_base, size, offset);
		offset += size;
		n -= size;
	}
}

ssize_t writev(int fd, const struct iovec *piece, int count)
{
	if (!is_file(fd))
		return syscall(SYS_writev, fd, piece, count);
	pthread_mutex_lock(&lock);
	off_t offset = lseek(fd, 0, SEEK_CUR);
	ssize_t n = syscall(SYS_writev, fd, piece, count);
	wrote_pieces(fd, piece, count, n, offset);
	pthread_mutex_unlock(&lock);
	return n;
}

ssize_t pwritev(int fd, const struct iovec *piece, int count, off_t offset)
{
	pthread_mutex_lock(&lock);
	ssize_t n = syscall(SYS_pwritev, fd, piece, count, offset, 0);
	wrote_pieces(fd, piece, count, n, offset);
	pthread_mutex_unlock(&lock);
	return n;
}

ssize_t pwritev64(int fd, const struct iovec *piece, int count, off_t offset) __attribute__((alias("pwritev")));

int ftruncate(int fd, off_t length)
{
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(SYS_ftruncate, fd, length);
	if (!rc && is_file(fd))
		event(SHADOW_TRUNCATE, shadow.file[fd], length, "", 0);
	pthread_mutex_unlock(&lock);
	return rc;
}

int ftruncate64(int fd, off_t length) __attribute__((alias("ftruncate")));

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *map = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
	if (map != MAP_FAILED && is_file(fd) && flags & MAP_SHARED && protection & PROT_WRITE) {
		pthread_mutex_lock(&lock);
		event(SHADOW_UNKNOWN, shadow.file[fd], 0, "mmap", 4);
		pthread_mutex_unlock(&lock);
	}
	return map;
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) __attribute__((alias("mmap")));

/* --- syncing ------------------------------------------------------------------------------ */

static int synced(int fd, long call)
{
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(call, fd);
	if (!rc && is_file(fd))
		event(SHADOW_SYNC, shadow.file[fd], 0, "", 0);
	else if (!rc && what_of(fd) != NOTHING)
		event(SHADOW_SYNC_DIR, 0, what_of(fd) == PARENT, "", 0);
	pthread_mutex_unlock(&lock);
	return rc;
}

int fsync(int fd)
{
	return synced(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return synced(fd, SYS_fdatasync);
}

/* --- names -------------------------------------------------------------------------------- */

int rename(const char *from, const char *to)
{
	char both[2 * NAME_SIZE];
	const char *a = below(from), *b = below(to);
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
	if (!rc && a && b) {
		uint32_t old = number_of_name(b, false), file = number_of_name(a, true);
		if (old)
			shadow.name[old][0] = 0;
		strcpy(shadow.name[file], b);
		size_t n = (size_t)snprintf(both, sizeof both, "%s", a) + 1;
		n += (size_t)snprintf(both + n, sizeof both - n, "%s", b);
		event(SHADOW_RENAME, file, 0, both, n);
	} else if (!rc && (a || b)) {
		event(SHADOW_UNKNOWN, 0, 0, "rename", 6);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int unlink(const char *path)
{
	const char *name = below(path);
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(SYS_unlink, path);
	if (!rc && name) {
		uint32_t file = number_of_name(name, false);
		if (file)
			shadow.name[file][0] = 0;
		event(SHADOW_UNLINK, file, 0, name, strlen(name));
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

int link(const char *from, const char *to)
{
	int rc = (int)syscall(SYS_link, from, to);
	if (!rc && (below(from) || below(to)))
		event(SHADOW_UNKNOWN, 0, 0, "link", 4);
	return rc;
}

int mkdir(const char *path, mode_t mode)
{
	pthread_mutex_lock(&lock);
	int rc = (int)syscall(SYS_mkdir, path, mode);
	if (!rc && !strcmp(path, shadow.dir))
		event(SHADOW_MKDIR, 0, 0, "", 0);
	pthread_mutex_unlock(&lock);
	return rc;
}
