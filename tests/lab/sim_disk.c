#define _GNU_SOURCE /* RTLD_NEXT */
#include "tests/lab/sim_disk.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/lab/sim_threads.h"

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

enum { FILES_MAX = 64 };

struct write { /* one that is not synced */
	unsigned file;
	off_t at;
	size_t size;
	unsigned char *before, *after;
};

static unsigned bad;
static struct {
	ino_t inode;
	int fd;
} file[FILES_MAX];
static unsigned file_count;
static struct write *writes;
static size_t write_count, write_room;

void sim_disk_bad(unsigned one_in)
{
	bad = one_in;
}

/* --- what is not synced ------------------------------------------------------------------- */

/* The number of the file, which is kept open from now on. */
static unsigned file_of(int fd)
{
	struct stat st;
	if (fstat(fd, &st))
		abort();
	for (unsigned i = 0; i < file_count; i++)
		if (file[i].inode == st.st_ino)
			return i;
	if (file_count == FILES_MAX)
		sim_finding("more files than the simulation has room for");
	file[file_count].inode = st.st_ino;
	file[file_count].fd = dup(fd);
	return file_count++;
}

static void note_write(int fd, const void *data, size_t size, off_t at)
{
	if (!sim_is_on() || fcntl(fd, F_GETFL) & O_DSYNC)
		return;
	if (write_count == write_room) {
		write_room = write_room ? 2 * write_room : 64;
		if (!(writes = realloc(writes, write_room * sizeof *writes)))
			abort();
	}
	struct write *one = &writes[write_count++];
	*one = (struct write){file_of(fd), at, size, calloc(1, size), malloc(size)};
	if (!one->before || !one->after || pread(fd, one->before, size, at) < 0)
		abort();
	memcpy(one->after, data, size);
}

static void note_sync(int fd)
{
	size_t left = 0;
	for (size_t i = 0; sim_is_on() && i < write_count; i++) {
		if (writes[i].file == file_of(fd)) {
			free(writes[i].before);
			free(writes[i].after);
		} else {
			writes[left++] = writes[i];
		}
	}
	if (sim_is_on())
		write_count = left;
}

void sim_disk_cut(void)
{
	unsigned kept = sim_below(5); /* of four */
	for (size_t i = write_count; i-- > 0;)
		if (REAL(pwrite)(file[writes[i].file].fd, writes[i].before, writes[i].size, writes[i].at) < 0)
			abort();
	for (size_t i = 0; i < write_count; i++)
		if (sim_below(4) < kept &&
		    REAL(pwrite)(file[writes[i].file].fd, writes[i].after, writes[i].size, writes[i].at) < 0)
			abort();
}

/* --- instead of libc's -------------------------------------------------------------------- */

/* The call begins: others may go on meanwhile. False when it fails, with errno. */
static bool begin_call(const char *what, unsigned ns_most)
{
	if (!sim_is_on())
		return true;
	if (sim_below(4))
		sim_step(what, NULL);
	else
		sim_sleep(what, sim_below(ns_most));
	if (!bad || sim_below(bad))
		return true;
	errno = sim_below(2) ? ENOSPC : EIO;
	return false;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t at)
{
	if (!begin_call("pwrite", 1000000))
		return -1;
	if (bad && !sim_below(2 * bad) && size > 512) /* the beginning of it is written */
		size = 512 * (1 + sim_below((unsigned)(size / 512)));
	note_write(fd, data, size, at);
	return REAL(pwrite)(fd, data, size, at);
}

static void note_parts(int fd, const struct iovec *parts, int count, off_t at)
{
	for (int i = 0; i < count; at += (off_t)parts[i++].iov_len)
		note_write(fd, parts[i].iov_base, parts[i].iov_len, at);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at)
{
	if (!begin_call("pwritev", 1000000))
		return -1;
	note_parts(fd, parts, count, at);
	return REAL(pwritev)(fd, parts, count, at);
}

ssize_t writev(int fd, const struct iovec *parts, int count)
{
	off_t at = sim_is_on() ? lseek(fd, 0, SEEK_CUR) : -1;
	if (at < 0) /* no file */
		return REAL(writev)(fd, parts, count);
	if (!begin_call("writev", 1000000))
		return -1;
	note_parts(fd, parts, count, at);
	return REAL(writev)(fd, parts, count);
}

static int sync_file(const char *what, int fd, int (*real)(int))
{
	int rc = begin_call(what, 30000000) ? real(fd) : -1;
	if (!rc)
		note_sync(fd);
	return rc;
}

int fdatasync(int fd)
{
	return sync_file("fdatasync", fd, REAL(fdatasync));
}

int fsync(int fd)
{
	return sync_file("fsync", fd, REAL(fsync));
}

int msync(void *at, size_t size, int flags)
{
	return begin_call("msync", 1000000) ? REAL(msync)(at, size, flags) : -1;
}
