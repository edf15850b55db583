/* Preload fault: put before the C library (LD_PRELOAD), it makes the k-th call of one kind fail, and those after it for
 * as long as a burst lasts. Who runs the program controls it by a page of shared memory, a file named by
 * LAB_FAULT_PAGE; tests/lab/faults.py writes the same layout. What failed first is noted there with the places it was
 * called from. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

enum { TRACE = 32 };

enum kind { ALLOC, WRITE, SYNC, MAP, THREAD, OPEN, KINDS };

struct page {
	_Atomic uint32_t armed; /* calls are counted, and fail, while this is 1 */
	uint32_t kind;          /* which kind fails */
	uint64_t first, burst;  /* the calls first .. first + burst - 1 of the kind, from 1; 0: none */
	uint32_t error;         /* errno; 0: a write that takes half of what it was given */
	_Atomic uint32_t depth; /* places in the trace */
	_Atomic uint64_t count[KINDS];
	_Atomic uint64_t hits;
	uint64_t base;         /* where the program was loaded */
	uint64_t trace[TRACE]; /* where the first call that failed came from, innermost first */
};

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

static struct page *page; /* NULL: nothing fails */

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LAB_FAULT_PAGE");
	int fd = path ? (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *p = (void *)syscall(SYS_mmap, NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	syscall(SYS_close, fd);
	if (p == MAP_FAILED)
		return;
	page = p;
	page->base = getauxval(AT_PHDR) & ~(uint64_t)4095; /* its first page holds them */
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	unsigned *n = arg;
	if (*n < TRACE)
		page->trace[(*n)++] = _Unwind_GetIP(context);
	return *n < TRACE ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Whether this call has to fail. */
static bool hit(enum kind kind)
{
	static _Thread_local bool inside;
	unsigned depth = 0;
	if (!page || inside || !atomic_load_explicit(&page->armed, memory_order_acquire))
		return false;
	uint64_t n = atomic_fetch_add(&page->count[kind], 1) + 1;
	if (page->kind != kind || !page->first || n < page->first || n - page->first >= page->burst)
		return false;
	if (!atomic_fetch_add(&page->hits, 1)) {
		inside = true; /* the unwinder may allocate */
		_Unwind_Backtrace(visit, &depth);
		inside = false;
		atomic_store(&page->depth, depth);
	}
	return true;
}

/* --- memory ------------------------------------------------------------------------------- */

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t size)
{
	return hit(ALLOC) ? no_memory() : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return hit(ALLOC) ? no_memory() : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size)
{
	return hit(ALLOC) ? no_memory() : __libc_realloc(p, size);
}

void *reallocarray(void *p, size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return no_memory();
	return realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t size)
{
	return hit(ALLOC) ? no_memory() : __libc_memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *p = hit(ALLOC) ? NULL : __libc_memalign(align, size);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (hit(MAP)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t size, int protection, int flags, int fd, off_t offset) __attribute__((alias("mmap")));

/* --- files: only regular ones fail, and never the standard three -------------------------- */

static bool is_file(int fd)
{
	struct stat st;
	return page && fd > 2 && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* How much of a write goes through: all, half of it, or -1 and errno. */
static ssize_t allowed(int fd, size_t size)
{
	if (!is_file(fd) || !hit(WRITE))
		return (ssize_t)size;
	if (!page->error)
		return (ssize_t)(size / 2);
	errno = (int)page->error;
	return -1;
}

ssize_t write(int fd, const void *data, size_t size)
{
	ssize_t n = allowed(fd, size);
	return n < 0 ? n : syscall(SYS_write, fd, data, n);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	ssize_t n = allowed(fd, size);
	return n < 0 ? n : syscall(SYS_pwrite64, fd, data, n, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset) __attribute__((alias("pwrite")));

/* A short one writes the first piece, or half of it when it is the only one. */
static ssize_t pieces(long call, int fd, const struct iovec *piece, int count, off_t offset)
{
	struct iovec half = *piece;
	size_t size = 0;
	for (int i = 0; i < count; i++)
		size += piece[i].iov_len;
	ssize_t n = allowed(fd, size);
	if (n < 0)
		return n;
	if ((size_t)n < size) {
		half.iov_len = count > 1 ? half.iov_len : half.iov_len / 2;
		return syscall(call, fd, &half, 1, offset, 0);
	}
	return syscall(call, fd, piece, count, offset, 0);
}

ssize_t writev(int fd, const struct iovec *piece, int count)
{
	return count > 0 ? pieces(SYS_writev, fd, piece, count, 0) : syscall(SYS_writev, fd, piece, count);
}

ssize_t pwritev(int fd, const struct iovec *piece, int count, off_t offset)
{
	return count > 0 ? pieces(SYS_pwritev, fd, piece, count, offset)
			 : syscall(SYS_pwritev, fd, piece, count, offset, 0);
}

ssize_t pwritev64(int fd, const struct iovec *piece, int count, off_t offset) __attribute__((alias("pwritev")));

int ftruncate(int fd, off_t length)
{
	if (is_file(fd) && hit(WRITE)) {
		errno = page->error ? (int)page->error : EIO;
		return -1;
	}
	return (int)syscall(SYS_ftruncate, fd, length);
}

int ftruncate64(int fd, off_t length) __attribute__((alias("ftruncate")));

static int sync_or_fail(int fd, long call)
{
	if (hit(SYNC)) {
		errno = page->error ? (int)page->error : EIO;
		return -1;
	}
	return (int)syscall(call, fd);
}

int fsync(int fd)
{
	return sync_or_fail(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return sync_or_fail(fd, SYS_fdatasync);
}

static int open_or_fail(int at, const char *path, int flags, mode_t mode)
{
	if (hit(OPEN)) {
		errno = page->error ? (int)page->error : EMFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, at, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_or_fail(AT_FDCWD, path, flags, mode);
}

int openat(int at, const char *path, int flags, ...)
{
	va_list args;
	va_start(args, flags);
	mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return open_or_fail(at, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int at, const char *path, int flags, ...) __attribute__((alias("openat")));

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "fopen");
	if (hit(OPEN)) {
		errno = page->error ? (int)page->error : EMFILE;
		return NULL;
	}
	return next(path, mode);
}

/* --- threads ------------------------------------------------------------------------------ */

int pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
	return hit(THREAD) ? EAGAIN : next(id, attr, run, arg);
}
