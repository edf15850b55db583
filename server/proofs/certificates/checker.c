#define _GNU_SOURCE /* pipe2, prlimit */
#include "server/proofs/certificates/checker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"

enum {
	SAID_MAX = 1 << 16,
	LOOK_MS = 100,   /* between two calls of go_on */
	END_MS = 2000,   /* wait for the end of a program that has closed its output */
	IDLE_FACTOR = 20 /* seconds allowed per second of processor time, because everything else runs first */
};

/* The limit is this plus eight times the size of the file, which may be compressed. */
static const uint64_t address_space = UINT64_C(2) << 30;

/* A running checker. */
struct child {
	pid_t pid;
	int from; /* its output */
};

int sv_checker_find(const char *program, char **out, struct pd_fail *fail)
{
	static const char name[] = "proofcheck";
	char path[4096];
	struct stat st;
	if (program) {
		snprintf(path, sizeof path, "%s", program);
	} else {
		ssize_t size = readlink("/proc/self/exe", path, sizeof path - sizeof name);
		path[size > 0 ? size : 0] = 0;
		char *slash = strrchr(path, '/');
		memcpy(slash ? slash + 1 : path, name, sizeof name);
	}
	bool good = strchr(path, '/') && !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
	if (program && !good)
		return pd_fail_set(fail, PD_E_USAGE, "proofcheck",
				   "--proofcheck takes the path of a program, and %.200s is not an executable file",
				   program);
	char *found = good ? strdup(path) : NULL;
	if (good && !found)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "proofcheck", "no memory for the name of the checker");
	*out = found;
	return PD_OK;
}

int sv_checker_rules(const char *path, char **out, struct pd_fail *fail)
{
	struct stat st;
	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return pd_fail_set(fail, PD_E_USAGE, "rules",
				   "--rules takes a file with rules for proofcheck, or a directory of such files, and "
				   "%.200s is neither",
				   path);
	*out = strdup(path);
	return *out ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "rules", "no memory for the name of the rules");
}

/* Files that this process has opened are closed on exec, but those that it has inherited are not. */
static int close_others(posix_spawn_file_actions_t *files)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
	return posix_spawn_file_actions_addclosefrom_np(files, STDERR_FILENO + 1);
#else
	(void)files;
	return 0;
#endif
}

static int spawn_it(const struct sv_checker_order *o, int output, pid_t *pid)
{
	char *file = (char *)(uintptr_t)o->file, temporary[PATH_MAX + 8], path[PATH_MAX + 8];
	char *rules = (char *)(uintptr_t)(o->rules ? o->rules : o->rules_program);
	char *own[] = {"proofcheck", "--json", "--threads", "1", "--", file, NULL};
	char *make[] = {"proofcheck", (char *)(uintptr_t)o->way, "--", file, (char *)(uintptr_t)o->made, NULL};
	char *given[] = {"proofcheck", "--json", "--threads", "1", o->rules ? "--rules" : "--program",
			 rules,        "--",     file,        NULL};
	const char *place = getenv("TMPDIR"); /* where a large certificate is unpacked */
	const char *where = getenv("PATH");   /* of programs with rules */
	char *environment[4] = {"LC_ALL=C"}, **next = environment + 1;
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	sigset_t none, all;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&how);
	if (place) {
		snprintf(temporary, sizeof temporary, "TMPDIR=%s", place);
		*next++ = temporary;
	}
	if (o->rules_program) {
		snprintf(path, sizeof path, "PATH=%s", where ? where : "/usr/bin:/bin");
		*next++ = path;
	}
	int rc;
	if (!(rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) &&
	    !(rc = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO)) &&
	    !(rc = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO)) && !(rc = close_others(&files)) &&
	    !(rc = posix_spawnattr_setsigmask(&how, &none)) && !(rc = posix_spawnattr_setsigdefault(&how, &all)) &&
	    !(rc = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)))
		rc = posix_spawn(pid, o->program, &files, &how, o->made ? make : rules ? given : own, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&how);
	return rc;
}

/* Called when the process has started: in its first microseconds it has not read the file yet. */
static void set_limits(const struct sv_checker_order *o, pid_t pid)
{
	const struct rlimit none = {0, 0}, time = {o->seconds, (rlim_t)o->seconds + 1};
	setpriority(PRIO_PROCESS, (id_t)pid, 19);
	prlimit(pid, RLIMIT_CORE, &none, NULL);
	if (o->seconds)
		prlimit(pid, RLIMIT_CPU, &time, NULL);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they reserve terabytes */
	const struct rlimit space = {address_space + 8 * o->file_bytes, address_space + 8 * o->file_bytes};
	/* Programs inherit the limit, and some reserve far more space than they use. */
	prlimit(pid, o->rules_program ? RLIMIT_DATA : RLIMIT_AS, &space, NULL);
#else
	(void)address_space;
#endif
}

static int start_child(const struct sv_checker_order *o, struct child *out, struct pd_fail *fail)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC))
		return pd_fail_set(fail, pd_error_of_errno(errno), "", "no pipe to the checker: %s", strerror(errno));
	int rc = spawn_it(o, ends[1], &out->pid);
	close(ends[1]);
	if (rc) {
		close(ends[0]);
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "", "the checker %.150s cannot be started: %s", o->program,
				   strerror(rc));
	}
	out->from = ends[0];
	set_limits(o, out->pid);
	return PD_OK;
}

static int time_up(const struct sv_checker_order *o, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_LIMIT, "",
			   "the check takes longer than %u seconds of processor time; "
			   "proofcheck can do it elsewhere, or the server with a larger --proofcheck-time",
			   o->seconds);
}

/* Reads the output until it is closed. */
static int read_output(const struct sv_checker_order *o, const struct child *c, struct pd_buf *said,
		       struct pd_fail *fail)
{
	char piece[4096];
	size_t room = SAID_MAX;
	uint64_t begin = pd_now_ns();
	for (;;) {
		struct pollfd wait = {.fd = c->from, .events = POLLIN};
		if (poll(&wait, 1, LOOK_MS) < 0 && errno != EINTR)
			return pd_fail_set(fail, PD_E_IO, "", "cannot read the output of the checker: %s",
					   strerror(errno));
		if (o->go_on && !o->go_on(o->ctx))
			return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the verdict is no longer wanted");
		if (o->seconds && (pd_now_ns() - begin) / 1000000000 > (uint64_t)IDLE_FACTOR * o->seconds)
			return time_up(o, fail);
		if (!wait.revents)
			continue;
		ssize_t size = read(c->from, piece, sizeof piece);
		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0)
			return PD_OK;
		PD_ASSERT((size_t)size <= sizeof piece);
		size_t taken = (size_t)size < room ? (size_t)size : room;
		pd_buf_put(said, piece, taken); /* the rest is ignored */
		room -= taken;
	}
}

/* Waits for the process to end, and kills it after a while. *status as from waitpid; 0: unknown. */
static void end_child(const struct child *c, bool at_once, int *status)
{
	*status = 0;
	for (unsigned ms = 0; !at_once && ms < END_MS; ms += 10) {
		pid_t pid = waitpid(c->pid, status, WNOHANG);
		if (pid == c->pid || (pid < 0 && errno != EINTR))
			return;
		poll(NULL, 0, 10);
	}
	kill(c->pid, SIGKILL);
	while (waitpid(c->pid, status, 0) < 0 && errno == EINTR)
		;
}

int sv_checker_run(const struct sv_checker_order *order, struct pd_buf *said, struct pd_fail *fail)
{
	struct child child;
	int status;
	int rc = start_child(order, &child, fail);
	if (rc)
		return rc;
	rc = read_output(order, &child, said, fail);
	close(child.from);
	end_child(&child, rc != PD_OK, &status);
	if (rc)
		return rc;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return time_up(order, fail);
	if (said->failed)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the verdict");
	if (order->made)
		return status ? pd_fail_set(fail, PD_E_IO, "", "the checker's %s fails: %.200s", order->way,
					    said->size ? said->data : "no reason")
			      : PD_OK;
	return said->size ? PD_OK
			  : pd_fail_set(fail, PD_E_IO, "", "the checker ended without a verdict%s",
					WIFSIGNALED(status) ? ", by a signal" : "");
}
