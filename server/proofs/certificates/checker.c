#define _GNU_SOURCE /* pipe2 */
#include "server/proofs/certificates/checker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/subprocess.h"

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
	struct stat st;
	if (!program) {
		*out = sv_program_beside("proofcheck");
		return PD_OK;
	}
	if (!strchr(program, '/') || stat(program, &st) || !S_ISREG(st.st_mode) || access(program, X_OK))
		return pd_fail_set(fail, PD_E_USAGE, "proofcheck",
				   "--proofcheck takes the path of a program, and %.200s is not an executable file",
				   program);
	*out = strdup(program);
	return *out ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "proofcheck", "no memory for the name of the checker");
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

/* Writes the words of its command line, at most 11 and a NULL. */
static void list_words(const struct sv_checker_order *o, const char **at)
{
	*at++ = o->program;
	if (o->made) {
		*at++ = o->way;
	} else {
		*at++ = "--json";
		*at++ = "--threads";
		*at++ = "1";
	}
	if (o->rules || o->rules_program) {
		*at++ = o->rules ? "--rules" : "--program";
		*at++ = o->rules ? o->rules : o->rules_program;
	}
	if (o->tables) {
		*at++ = "--tables";
		*at++ = o->tables;
	}
	*at++ = "--";
	*at++ = o->file;
	*at++ = o->made;
	*at = NULL;
}

static int start_child(const struct sv_checker_order *o, struct child *out, struct pd_fail *fail)
{
	const char *words[12];
	char temporary[PATH_MAX + 8], path[PATH_MAX + 8];
	const char *place = getenv("TMPDIR"); /* where a large certificate is unpacked */
	const char *where = getenv("PATH");   /* of programs with rules */
	char *environment[4] = {"LC_ALL=C"}, **next = environment + 1;
	uint64_t space = address_space + 8 * o->file_bytes;
	int ends[2];
	list_words(o, words);
	if (place) {
		snprintf(temporary, sizeof temporary, "TMPDIR=%s", place);
		*next++ = temporary;
	}
	if (o->rules_program) {
		snprintf(path, sizeof path, "PATH=%s", where ? where : "/usr/bin:/bin");
		*next++ = path;
	}
	if (pipe2(ends, O_CLOEXEC))
		return pd_fail_set(fail, pd_error_of_errno(errno), "", "no pipe to the checker: %s", strerror(errno));
	const struct sv_subprocess run = {
		.words = (char **)(uintptr_t)words,
		.environment = environment,
		.out = ends[1],
		.err = ends[1],
		.seconds = o->seconds,
		/* Programs inherit the limit, and some reserve far more address space than they use. */
		.memory = o->rules_program ? space : 0,
		.address_space = o->rules_program ? 0 : space,
	};
	int rc = sv_subprocess_start(&run, &out->pid, fail);
	close(ends[1]);
	if (rc)
		close(ends[0]);
	out->from = ends[0];
	return rc;
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

int sv_checker_run(const struct sv_checker_order *order, struct pd_buf *said, struct pd_fail *fail)
{
	struct child child;
	int status;
	int rc = start_child(order, &child, fail);
	if (rc)
		return rc;
	rc = read_output(order, &child, said, fail);
	close(child.from);
	if (rc || !sv_subprocess_await(child.pid, END_MS, &status))
		status = sv_subprocess_kill(child.pid);
	if (rc)
		return rc;
	if (WIFEXITED(status) && WEXITSTATUS(status) == SV_SUBPROCESS_UNSTARTED)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "", "the checker %.150s cannot be started: %.100s",
				   order->program, said->size ? said->data : "no reason");
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
