/* Preload names: put before the C library (LD_PRELOAD), it appends a line to the file LAB_NAMES_LOG for each name that
 * a program gives or takes below the directory LAB_NAMES_DIR, and for each sync: what was done and the absolute paths,
 * with tabs between. tests/lab/names.py reads it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ROOM = PATH_MAX + 256 };

/* The path that a name has now, with the links in its directory resolved; "" when it is not below LAB_NAMES_DIR. */
static void resolve_path(int at, const char *name, char out[ROOM])
{
	const char *below = getenv("LAB_NAMES_DIR"), *slash = strrchr(name, '/');
	char folder[ROOM], start[64] = "";
	int size = slash == name ? 1 : slash ? (int)(slash - name) : 0;
	if (*name != '/')
		snprintf(start, sizeof start, at == AT_FDCWD ? "./" : "/proc/self/fd/%d/", at);
	snprintf(folder, sizeof folder, "%s%.*s", start, size, name);
	if (!below || !realpath(folder, out) || strncmp(out, below, strlen(below)) != 0) {
		*out = 0;
		return;
	}
	size_t used = strlen(out);
	snprintf(out + used, ROOM - used, "/%s", slash ? slash + 1 : name);
}

static void note_call(const char *what, const char *path, const char *other)
{
	char line[2 * ROOM + 32];
	const char *log = getenv("LAB_NAMES_LOG");
	if (!log || !*path)
		return;
	int size = snprintf(line, sizeof line, "%s\t%s\t%s\n", what, path, other);
	int fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (syscall(SYS_write, fd, line, size) != size)
		abort();
	syscall(SYS_close, fd);
}

/* The end of a call that gives (`give`) or takes a name. */
static int note_named(int rc, bool give, int at, const char *name)
{
	char path[ROOM];
	int error = errno;
	if (rc >= 0) {
		resolve_path(at, name, path);
		note_call(give ? "give" : "take", path, "");
	}
	errno = error;
	return rc;
}

static bool is_there(int at, const char *name)
{
	struct stat st;
	int error = errno;
	bool there = !fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW);
	errno = error;
	return there;
}

static int open_noted(int at, const char *name, int flags, mode_t mode)
{
	bool gives = flags & O_CREAT && !is_there(at, name);
	int fd = (int)syscall(SYS_openat, at, name, flags, mode);
	return gives ? note_named(fd, true, at, name) : fd;
}

int open(const char *name, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_noted(AT_FDCWD, name, flags, mode);
}

int openat(int at, const char *name, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_noted(at, name, flags, mode);
}

int open64(const char *name, int flags, ...) __attribute__((alias("open")));
int openat64(int at, const char *name, int flags, ...) __attribute__((alias("openat")));

FILE *fopen(const char *name, const char *mode)
{
	static FILE *(*next)(const char *, const char *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fopen");
	bool gives = !is_there(AT_FDCWD, name);
	FILE *file = next(name, mode);
	if (file && gives)
		note_named(0, true, AT_FDCWD, name);
	return file;
}

int mkdirat(int at, const char *name, mode_t mode)
{
	return note_named((int)syscall(SYS_mkdirat, at, name, mode), true, at, name);
}

int mkdir(const char *name, mode_t mode)
{
	return mkdirat(AT_FDCWD, name, mode);
}

int linkat(int from, const char *old, int to, const char *name, int flags)
{
	return note_named((int)syscall(SYS_linkat, from, old, to, name, flags), true, to, name);
}

int unlinkat(int at, const char *name, int flags)
{
	return note_named((int)syscall(SYS_unlinkat, at, name, flags), false, at, name);
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

int renameat(int from, const char *old, int to, const char *name)
{
	char paths[2][ROOM];
	resolve_path(from, old, paths[0]);
	int rc = (int)syscall(SYS_renameat2, from, old, to, name, 0);
	int error = errno;
	resolve_path(to, name, paths[1]);
	if (!rc)
		note_call("move", paths[0], paths[1]);
	errno = error;
	return rc;
}

int rename(const char *old, const char *name)
{
	return renameat(AT_FDCWD, old, AT_FDCWD, name);
}

static int note_synced(int fd, long call)
{
	char link[64], path[ROOM];
	int rc = (int)syscall(call, fd), error = errno;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (!rc && realpath(link, path))
		note_call("sync", path, "");
	errno = error;
	return rc;
}

int fsync(int fd)
{
	return note_synced(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return note_synced(fd, SYS_fdatasync);
}
