#define _GNU_SOURCE /* memfd_create */
#include "clients/suite_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clients/interrupt.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/spawn.h"

enum { UNSTARTED = 127 }; /* exit code of a child that could not become the program */

static sigset_t only_sigchld(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	return set;
}

void cl_child_hold(void)
{
	sigset_t set = only_sigchld();
	sigprocmask(SIG_BLOCK, &set, NULL);
}

struct start {
	char *const *argv;
	const struct cl_child *child;
	pid_t parent;
};

/* For pd_spawn. */
static void become_program(void *ctx)
{
	const struct start *s = ctx;
	if (pd_spawn_files(open("/dev/null", O_RDONLY | O_CLOEXEC), s->child->out, s->child->err) &&
	    !prctl(PR_SET_PDEATHSIG, SIGKILL) && getppid() == s->parent)
		execv(s->argv[0], s->argv);
	_exit(UNSTARTED);
}

int cl_child_start(char *const *argv, struct cl_child *child, struct pd_fail *fail)
{
	struct start start = {argv, child, getpid()};
	PD_ASSERT(!child->pid);
	if (access(argv[0], X_OK))
		return pd_fail_errno(fail, "program", "run", argv[0]);
	child->out = memfd_create("out", MFD_CLOEXEC);
	child->err = memfd_create("err", MFD_CLOEXEC);
	child->start_ns = pd_now_ns();
	child->pid = child->out < 0 || child->err < 0 ? -1 : pd_spawn(become_program, &start);
	if (child->pid > 0)
		return PD_OK;
	int rc = pd_fail_errno(fail, "program", "run", argv[0]);
	cl_child_output(child, NULL, NULL);
	return rc;
}

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int cl_child_await(struct cl_child *children, unsigned count, struct cl_child_end *end)
{
	const struct timespec wait = {0, CL_LOOK_MS * 1000000L};
	sigset_t set = only_sigchld();
	struct rusage used;
	int status;
	pid_t pid = wait4(-1, &status, WNOHANG, &used);
	if (pid <= 0) { /* the signal of an end since then is pending */
		sigtimedwait(&set, NULL, &wait);
		pid = wait4(-1, &status, WNOHANG, &used);
	}
	for (unsigned i = 0; pid > 0 && i < count; i++) {
		if (children[i].pid != pid)
			continue;
		*end = (struct cl_child_end){
			.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
			.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
			.cpu = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
			.seconds = (double)(pd_now_ns() - children[i].start_ns) / 1e9,
			.peak = (int64_t)used.ru_maxrss * 1024,
		};
		children[i].pid = 0;
		return (int)i;
	}
	return -1;
}

static void read_back(int fd, struct pd_buf *to)
{
	char chunk[4096];
	ssize_t size;
	off_t at = 0;
	while (to && (size = pread(fd, chunk, sizeof chunk, at)) > 0) {
		pd_buf_put(to, chunk, (size_t)size);
		at += size;
	}
	if (fd >= 0)
		close(fd);
}

void cl_child_output(struct cl_child *child, struct pd_buf *out, struct pd_buf *err)
{
	read_back(child->out, out);
	read_back(child->err, err);
	*child = (struct cl_child){.out = -1, .err = -1};
}

void cl_child_kill(struct cl_child *children, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (children[i].pid > 0)
			kill(children[i].pid, SIGKILL);
	for (unsigned i = 0; i < count; i++) {
		if (children[i].pid <= 0)
			continue;
		while (waitpid(children[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		cl_child_output(&children[i], NULL, NULL);
	}
}
