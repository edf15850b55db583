#define _GNU_SOURCE /* pipe2, execvpe, prlimit */
#include "proto/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/spawn.h"

enum { SAID_MAX = 200, CPU_MORE = 4, CPU_LEAST_S = 60, END_MS = 500, X32_BIT = 0x40000000 };

struct pd_child {
	struct pd_child_limits limits;
	pid_t pid;
	int talk;            /* a socket: its stdin and stdout */
	int errors;          /* its stderr; -1 when that is closed */
	uint64_t renewed_ns; /* when its processor time was */
	char said[SAID_MAX]; /* the end of the last line of stderr that is not empty */
	size_t said_size;
	bool line_ended;
};

/* --- starting ----------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define OWN_ARCH AUDIT_ARCH_PPC64LE
#endif

/* Calls that are refused: those that make sockets, that reach other processes or leave the process group, that change
 * files by their names, and that make memory which RLIMIT_DATA does not count. */
static const uint32_t refused[] = {
	SYS_socket,
	SYS_io_uring_setup,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_pidfd_getfd,
	SYS_kill,
	SYS_tkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_pidfd_send_signal,
	SYS_setsid,
	SYS_setpgid,
	SYS_setpriority,
	SYS_ioprio_set,
	SYS_sched_setparam,
	SYS_sched_setscheduler,
	SYS_sched_setattr,
	SYS_migrate_pages,
	SYS_move_pages,
	SYS_shmget,
	SYS_shmat,
	SYS_shmctl,
	SYS_semctl,
	SYS_msgctl,
	SYS_openat2,
	SYS_truncate,
	SYS_unlinkat,
	SYS_renameat2,
	SYS_mkdirat,
	SYS_linkat,
	SYS_symlinkat,
	SYS_mknodat,
	SYS_fchmod,
	SYS_fchmodat,
	SYS_fchown,
	SYS_fchownat,
	SYS_utimensat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	452, /* fchmodat2; headers may be older than the kernel */
	463, /* setxattrat */
	466, /* removexattrat */
	469, /* file_setattr */
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef SYS_open /* and so the other calls without a directory */
	SYS_creat,
	SYS_unlink,
	SYS_rmdir,
	SYS_rename,
	SYS_mkdir,
	SYS_link,
	SYS_symlink,
	SYS_mknod,
	SYS_chmod,
	SYS_chown,
	SYS_lchown,
	SYS_utime,
	SYS_utimes,
	SYS_futimesat,
#endif
};

#define LOAD(member)       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define REFUSED            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define ALLOWED            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
/* Allows a call if and only if the masked low word of argument n is the value (equal: 1) or another one (equal: 0). */
#define CHECK(call, n, mask, value, equal)                                                                             \
	IS(call, 0, 5), LOAD(args[n]), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask), IS(value, equal, !(equal)), REFUSED, \
		ALLOWED
/* Refuses a call whose argument 1 has that low word. */
#define REFUSE(call, value) IS(call, 0, 4), LOAD(args[1]), IS(value, 0, 1), REFUSED, LOAD(nr)

/* From now on this process makes no sockets, opens no files for writing, and reaches no other process. */
static bool enter_sandbox(void)
{
#ifdef OWN_ARCH
	enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, SHARES = MAP_SHARED | MAP_ANONYMOUS };
	struct sock_filter rows[96 + 2 * sizeof refused / sizeof *refused] = {
		LOAD(arch),
		IS(OWN_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		LOAD(nr),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
		REFUSED,
		CHECK(SYS_openat, 2, WRITES, 0, 1),
#ifdef SYS_open
		CHECK(SYS_open, 1, WRITES, 0, 1),
#endif
		CHECK(SYS_mmap, 3, SHARES, SHARES, 0),
		CHECK(SYS_prlimit64, 0, UINT32_MAX, 0, 1),
		CHECK(SYS_tgkill, 0, UINT32_MAX, (uint32_t)getpid(), 1), /* abort() */
		CHECK(SYS_sched_setaffinity, 0, UINT32_MAX, 0, 1),
		/* The owner of a descriptor gets a signal when it becomes ready. */
		REFUSE(SYS_fcntl, F_SETOWN),
		REFUSE(SYS_fcntl, F_SETOWN_EX),
		REFUSE(SYS_ioctl, FIOSETOWN),
		REFUSE(SYS_ioctl, SIOCSPGRP),
		REFUSE(SYS_ioctl, FS_IOC_SETFLAGS), /* chattr, which opens for reading */
		REFUSE(SYS_ioctl, FS_IOC_FSSETXATTR),
	};
	unsigned count = 0;
	while (rows[count].code)
		count++;
	for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
		rows[count++] = (struct sock_filter)IS(refused[i], 0, 1);
		rows[count++] = (struct sock_filter)REFUSED;
	}
	rows[count++] = (struct sock_filter)ALLOWED;
	const struct sock_fprog filter = {(unsigned short)count, rows};
	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
#else
	return false; /* the numbers of system calls differ */
#endif
}

struct start {
	char *words[PD_CHILD_WORDS + 1], *environment[8];
	const struct pd_child_limits *limits;
	int talk, errors;
	volatile int error; /* set by the new process */
	volatile bool sandbox;
};

/* For pd_spawn. */
static void become_program(void *ctx)
{
	struct start *s = ctx;
	const struct rlimit none = {0, 0}, files = {PD_CHILD_FILES, PD_CHILD_FILES},
			    data = {s->limits->memory, s->limits->memory};
	struct rlimit cpu = {0, RLIM_INFINITY};
	getrlimit(RLIMIT_CPU, &cpu);
	cpu.rlim_cur = cpu.rlim_max < CPU_LEAST_S ? cpu.rlim_max : CPU_LEAST_S;
	if (!pd_spawn_files(s->talk, s->talk, s->errors) || setpgid(0, 0) || setrlimit(RLIMIT_CORE, &none) ||
	    setrlimit(RLIMIT_FSIZE, &none) || setrlimit(RLIMIT_NOFILE, &files) || setrlimit(RLIMIT_DATA, &data) ||
	    setrlimit(RLIMIT_CPU, &cpu)) {
		s->error = errno;
		_exit(1);
	}
	s->sandbox = enter_sandbox();
	if (s->sandbox)
		execvpe(s->words[0], s->words, s->environment);
	s->error = errno ? errno : ENOSYS;
	/* Where vfork is a fork, as under ThreadSanitizer, the parent reads these as the last words of the program. */
	const char *why = strerrordesc_np(s->error);
	if (!why || write(STDERR_FILENO, why, strlen(why)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
		_exit(2);
	_exit(1);
}

/* Splits a copy of the command. False: no word, or too many. */
static bool split_command(char *command, struct start *s)
{
	unsigned count = 0;
	char *rest = NULL;
	for (char *word = strtok_r(command, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (count == PD_CHILD_WORDS)
			return false;
		s->words[count++] = word;
	}
	return count > 0;
}

static void fill_environment(struct start *s, char room[4][4200])
{
	static const char *const names[] = {"PATH", "HOME", "PYTHONPATH", "NODE_PATH"};
	unsigned count = 0;
	s->environment[count++] = "LANG=C.UTF-8";
	s->environment[count++] = "PYTHONHASHSEED=0";
	s->environment[count++] = "PYTHONDONTWRITEBYTECODE=1";
	for (unsigned i = 0; i < 4; i++) {
		const char *value = getenv(names[i]);
		if (value && snprintf(room[i], 4200, "%s=%s", names[i], value) < 4200)
			s->environment[count++] = room[i];
	}
}

static int start_fail(struct pd_fail *fail, const char *command, const char *why)
{
	return pd_fail_set(fail, PD_E_UNSUPPORTED, "", "the program `%.150s` cannot be started: %.100s", command, why);
}

int pd_child_start(const char *command, const struct pd_child_limits *limits, struct pd_child **out,
		   struct pd_fail *fail)
{
	char room[4][4200], *copy = strdup(command);
	struct start s = {.limits = limits, .sandbox = true};
	struct pd_child *c = calloc(1, sizeof *c);
	int talk[2] = {-1, -1}, errors[2] = {-1, -1}, rc = PD_OK;
	if (!copy || !c)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a program");
	else if (!split_command(copy, &s))
		rc = start_fail(fail, command, "it has no word, or more than 32");
	else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) || pipe2(errors, O_CLOEXEC))
		rc = start_fail(fail, command, strerror(errno));
	if (!rc) {
		fill_environment(&s, room);
		s.talk = talk[1];
		s.errors = errors[1];
		*c = (struct pd_child){*limits, .talk = talk[0], .errors = errors[0], .renewed_ns = pd_now_ns()};
		c->pid = pd_spawn(become_program, &s);
		if (c->pid < 0)
			rc = start_fail(fail, command, strerror(errno));
	}
	close(talk[1]);
	close(errors[1]);
	free(copy);
	if (!rc && s.error) {
		waitpid(c->pid, NULL, 0);
		rc = start_fail(fail, command,
				s.sandbox ? strerror(s.error)
					  : "this system has no seccomp to keep it from sockets and files");
	}
	if (rc) {
		close(talk[0]);
		close(errors[0]);
		free(c);
		return rc;
	}
	fcntl(c->errors, F_SETFL, O_NONBLOCK);
	*out = c;
	return PD_OK;
}

/* --- talking ------------------------------------------------------------------------------ */

/* Reads what there is of its stderr, and keeps the end of the last line. */
static void hear_errors(struct pd_child *c)
{
	char piece[1024];
	ssize_t size = read(c->errors, piece, sizeof piece);
	if (!size) { /* closed; poll would report it for ever */
		close(c->errors);
		c->errors = -1;
	}
	for (ssize_t i = 0; i < size; i++) {
		if (piece[i] == '\n') {
			c->line_ended = true;
			continue;
		}
		if (c->line_ended)
			c->said_size = 0;
		c->line_ended = false;
		if (c->said_size + 1 < SAID_MAX)
			c->said[c->said_size++] = (char)((unsigned char)piece[i] < ' ' ? ' ' : piece[i]);
	}
	c->said[c->said_size] = 0;
}

/* How it ended, as a sentence. */
static int tell_end(struct pd_child *c, struct pd_fail *fail)
{
	char how[64] = "it has closed its output";
	int status;
	for (unsigned ms = 0; ms < END_MS; ms += 5) {
		hear_errors(c);
		if (waitpid(c->pid, &status, WNOHANG) != c->pid) {
			poll(NULL, 0, 5);
			continue;
		}
		hear_errors(c);
		kill(-c->pid, SIGKILL);
		c->pid = 0;
		if (WIFSIGNALED(status))
			snprintf(how, sizeof how, "it was ended by signal %d (%.30s)", WTERMSIG(status),
				 strsignal(WTERMSIG(status)));
		else
			snprintf(how, sizeof how, "it has ended with exit code %d", WEXITSTATUS(status));
		break;
	}
	return pd_fail_set(fail, PD_E_IO, "", "%s%s%.180s", how, *c->said ? "; its last words: " : "", c->said);
}

/* Renews its processor time: an answer may take `seconds`, on several threads. */
static void renew_time(struct pd_child *c, uint64_t now)
{
	clockid_t clock;
	struct timespec used;
	uint64_t more = (uint64_t)CPU_MORE * (c->limits.seconds > CPU_LEAST_S ? c->limits.seconds : CPU_LEAST_S);
	if (c->renewed_ns + UINT64_C(10000000000) > now)
		return;
	if (!clock_getcpuclockid(c->pid, &clock) && !clock_gettime(clock, &used)) {
		struct rlimit cpu;
		prlimit(c->pid, RLIMIT_CPU, NULL, &cpu);
		rlim_t most = c->limits.seconds ? (rlim_t)((uint64_t)used.tv_sec + more) : cpu.rlim_max;
		cpu.rlim_cur = most < cpu.rlim_max ? most : cpu.rlim_max;
		prlimit(c->pid, RLIMIT_CPU, &cpu, NULL);
	}
	c->renewed_ns = now;
}

/* Reads a piece of the answer. 1: it is complete, 0: it goes on. */
static int hear_answer(struct pd_child *c, struct pd_buf *answer, struct pd_fail *fail)
{
	char piece[1 << 14];
	ssize_t size = recv(c->talk, piece, sizeof piece, MSG_DONTWAIT);
	if (size < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (size <= 0)
		return -tell_end(c, fail);
	const char *end = memchr(piece, '\n', (size_t)size);
	pd_buf_put(answer, piece, end ? (size_t)(end - piece) : (size_t)size);
	if (answer->failed || answer->size > c->limits.answer)
		return -pd_fail_set(fail, PD_E_IO, "", "its answer has more than %zu bytes", c->limits.answer);
	if (end && end != piece + size - 1)
		return -pd_fail_set(fail, PD_E_IO, "", "it says more than one line, '%.60s', when asked one",
				    answer->data);
	return end != NULL;
}

int pd_child_ask(struct pd_child *c, const char *line, size_t size, struct pd_buf *answer, struct pd_fail *fail)
{
	uint64_t now = pd_now_ns(), until = now + UINT64_C(1000000000) * c->limits.seconds;
	size_t sent = 0;
	int got = 0;
	PD_ASSERT(c->pid > 0 && size);
	pd_buf_reset(answer);
	renew_time(c, now);
	while (!got) {
		struct pollfd on[2] = {{c->talk, sent < size ? POLLIN | POLLOUT : POLLIN, 0}, {c->errors, POLLIN, 0}};
		if (poll(on, 2, 200) < 0 && errno != EINTR)
			return pd_fail_set(fail, PD_E_IO, "", "it cannot be heard: %s", strerror(errno));
		if (on[1].revents)
			hear_errors(c);
		if (on[0].revents & POLLIN || on[0].revents & (POLLHUP | POLLERR))
			got = hear_answer(c, answer, fail);
		if (!got && on[0].revents & POLLOUT && sent < size) {
			ssize_t more = send(c->talk, line + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
			if (more < 0 && errno != EAGAIN && errno != EINTR)
				return tell_end(c, fail);
			sent += more > 0 ? (size_t)more : 0;
		}
		if (!got && c->limits.seconds && pd_now_ns() > until)
			return pd_fail_set(fail, PD_E_IO, "", "it has not answered within %u s%s%.180s",
					   c->limits.seconds, *c->said ? "; its last words: " : "", c->said);
	}
	if (got < 0)
		return fail->code;
	if (sent < size)
		return pd_fail_set(fail, PD_E_IO, "", "it answers before it was asked");
	return PD_OK;
}

void pd_child_end(struct pd_child *c)
{
	if (!c)
		return;
	close(c->talk);
	close(c->errors);
	if (c->pid > 0) {
		kill(-c->pid, SIGKILL);
		while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	free(c);
}
