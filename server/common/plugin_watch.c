#include "server/common/plugin_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"

enum {
	STACK = 1 << 16 /* bytes of the handlers' stack: a plug-in may have used up the thread's own */,
	EXIT_BROKEN = 1,
	THREADS = 2048
};

struct plugin_thread {
	_Atomic(struct sv_plugin *) inside; /* NULL: in no plug-in */
	_Atomic uint64_t calls;             /* incremented by each call into a plug-in */
	const char *_Atomic member;         /* the member of the rules that is called */
	atomic_flag taken;
};

static struct plugin_thread threads[THREADS];
static _Thread_local struct plugin_thread *mine; /* NULL: this thread was in no plug-in yet */

/* A thread's entry and the stack for its handlers, given up when the thread ends. */
struct thread_end {
	struct plugin_thread *thread;
	char stack[STACK];
};

static pthread_key_t at_end;

static void leave_table(void *arg)
{
	struct thread_end *end = arg;
	stack_t none = {.ss_flags = SS_DISABLE}, now;
	if (!sigaltstack(NULL, &now) && now.ss_sp == end->stack)
		sigaltstack(&none, NULL);
	atomic_flag_clear(&end->thread->taken);
	free(end);
	mine = NULL;
}

static void make_key(void)
{
	pthread_key_create(&at_end, leave_table);
}

/* An entry for this thread, and a stack for the handlers unless it has one. */
static struct plugin_thread *enter_table(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned i = 0;
	pthread_once(&once, make_key);
	while (i < THREADS && atomic_flag_test_and_set(&threads[i].taken))
		i++;
	PD_ASSERT(i < THREADS);
	struct thread_end *end = malloc(sizeof *end);
	stack_t now, own = {0};
	if (end) {
		end->thread = &threads[i];
		own.ss_sp = end->stack;
		own.ss_size = sizeof end->stack;
		if (!sigaltstack(NULL, &now) && now.ss_flags & SS_DISABLE)
			sigaltstack(&own, NULL);
		pthread_setspecific(at_end, end);
	}
	return mine = &threads[i];
}

struct sv_plugin *sv_plugin_enter(struct sv_plugin *plugin, const char *member)
{
	struct plugin_thread *t = mine ? mine : enter_table();
	struct sv_plugin *before = atomic_load_explicit(&t->inside, memory_order_relaxed);
	uint64_t calls = atomic_load_explicit(&t->calls, memory_order_relaxed);
	atomic_store_explicit(&t->member, member, memory_order_relaxed);
	atomic_store_explicit(&t->calls, calls + 1, memory_order_relaxed);
	atomic_store_explicit(&t->inside, plugin, memory_order_release);
	return before;
}

void sv_plugin_leave(struct sv_plugin *before)
{
	PD_DEBUG_ASSERT(mine != NULL);
	atomic_store_explicit(&mine->inside, before, memory_order_release);
}

static atomic_int note_file = -1;            /* `plugin-crashes`, to be appended to */
static atomic_flag noted = ATOMIC_FLAG_INIT; /* one note per process: other threads may crash as well */

void sv_plugins_note_in(const char *data)
{
	char path[4096];
	int file = -1;
	if (data && snprintf(path, sizeof path, "%s/plugin-crashes", data) < (int)sizeof path)
		file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	int old = atomic_exchange(&note_file, file);
	if (old >= 0)
		close(old);
	if (data && file < 0)
		pd_log(PD_LOG_WARN, "%.200s cannot be written: %s; crashes of plug-ins are not counted", path,
		       strerror(errno));
}

static void write_note(const struct sv_plugin *plugin, const char *what)
{
	char line[SV_PLUGIN_NOTE + 80];
	size_t size = plugin->note_size, more = strlen(what);
	int file = atomic_load(&note_file);
	if (file < 0 || atomic_flag_test_and_set(&noted))
		return;
	more = more < 64 ? more : 64;
	memcpy(line, plugin->note, size);
	memcpy(line + size, what, more);
	line[size + more] = '\n';
	if (write(file, line, size + more + 1) < 0)
		return; /* nothing can be done about it */
}

static const struct {
	int number;
	const char *name;
} signals[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
enum { SIGNALS = sizeof signals / sizeof *signals };

static struct sigaction previous[SIGNALS];

/* Adds a text to a line of `room` bytes. */
static size_t append_text(char *line, size_t at, size_t room, const char *text)
{
	while (*text && at < room)
		line[at++] = *text++;
	return at;
}

/* Reports the crash with functions that a signal handler may call, and without waiting for the reader of stderr. */
static void tell_crash(const struct sv_plugin *plugin, const char *member, const char *signal_name)
{
	char line[512];
	struct pollfd on = {STDERR_FILENO, POLLOUT, 0};
	size_t at = append_text(line, 0, sizeof line - 1, "proofd: the plug-in ");
	at = append_text(line, at, sizeof line - 1, plugin->file);
	at = append_text(line, at, sizeof line - 1, " has crashed: ");
	at = append_text(line, at, sizeof line - 1, signal_name);
	at = append_text(line, at, sizeof line - 1, " in its function `");
	at = append_text(line, at, sizeof line - 1, member);
	at = append_text(line, at, sizeof line - 1, "`; this process ends. What is on disk is safe");
	line[at++] = '\n';
	if (poll(&on, 1, 0) > 0 && on.revents & POLLOUT && write(STDERR_FILENO, line, at) < 0)
		return; /* no one listens */
}

static void pass_on(unsigned i, siginfo_t *info, void *context)
{
	if (previous[i].sa_flags & SA_SIGINFO) {
		previous[i].sa_sigaction(signals[i].number, info, context);
	} else if (previous[i].sa_handler == SIG_DFL || previous[i].sa_handler == SIG_IGN) {
		/* A fault recurs when this returns, and then ends the process. */
		signal(signals[i].number, SIG_DFL);
		if (info->si_code <= 0)
			raise(signals[i].number);
	} else {
		previous[i].sa_handler(signals[i].number);
	}
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	int error = errno;
	unsigned i = 0;
	struct sv_plugin *plugin = mine ? atomic_exchange(&mine->inside, NULL) : NULL;
	while (signals[i].number != number)
		i++;
	if (plugin) {
		write_note(plugin, signals[i].name);
		tell_crash(plugin, atomic_load(&mine->member), signals[i].name);
	}
	errno = error;
	pass_on(i, info, context);
}

static void install_handlers(void)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	action.sa_sigaction = on_fault;
	sigemptyset(&action.sa_mask);
	for (unsigned i = 0; i < SIGNALS; i++)
		sigaction(signals[i].number, &action, &previous[i]);
}

void sv_plugin_catch(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, install_handlers);
}

static struct {
	void (*tell)(void *ctx, const char *sentence); /* NULL: the process ends */
	void *ctx;
} on_broken;

void sv_plugins_on_broken(void (*tell)(void *ctx, const char *sentence), void *ctx)
{
	on_broken.tell = tell;
	on_broken.ctx = ctx;
}

void sv_plugin_broken(const struct sv_plugin *plugin, const char *format, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, format);
	vsnprintf(what, sizeof what, format, ap);
	va_end(ap);
	if (on_broken.tell)
		on_broken.tell(on_broken.ctx, what);
	write_note(plugin, "it has broken a law of game.h");
	pd_log(PD_LOG_ERROR,
	       "the plug-in %s breaks a law of game.h: %s; this process ends. What is on disk is safe; "
	       "`proofctl game-test` says more",
	       plugin->file, what);
	_exit(EXIT_BROKEN);
}

struct sv_plugin_watch {
	pthread_t thread;
	struct pd_mutex lock;
	pthread_cond_t stopped;
	bool stop;
	unsigned timeout_s;
	struct seen {
		uint64_t calls;
		unsigned rounds; /* rounds for which this call has been running */
	} seen[THREADS];
};

static void look_at_threads(struct sv_plugin_watch *w, unsigned rounds_most)
{
	for (unsigned i = 0; i < THREADS; i++) {
		const struct sv_plugin *plugin = atomic_load_explicit(&threads[i].inside, memory_order_acquire);
		uint64_t calls = atomic_load_explicit(&threads[i].calls, memory_order_relaxed);
		struct seen *seen = &w->seen[i];
		seen->rounds = plugin && calls == seen->calls ? seen->rounds + 1 : 0;
		seen->calls = calls;
		if (seen->rounds <= rounds_most)
			continue;
		char what[64];
		snprintf(what, sizeof what, "a call took more than %u s", w->timeout_s);
		write_note(plugin, what);
		pd_log(PD_LOG_ERROR,
		       "the plug-in %s has not come back from its function `%s` for %u s; this process ends. What is "
		       "on "
		       "disk is safe",
		       plugin->file, atomic_load(&threads[i].member), w->timeout_s);
		_exit(EXIT_BROKEN);
	}
}

static void *watch_main(void *arg)
{
	enum { ROUNDS = 20 };
	struct sv_plugin_watch *w = arg;
	uint64_t round_ns = UINT64_C(1000000000) * w->timeout_s / ROUNDS;
	pd_mutex_lock(&w->lock);
	while (!w->stop) {
		uint64_t next_ns =
			pd_now_ns() + round_ns; /* counted from now, because the process may have been stopped */
		while (!w->stop && pd_mutex_wait_until(&w->lock, &w->stopped, next_ns))
			;
		if (!w->stop)
			look_at_threads(w, ROUNDS);
	}
	pd_mutex_unlock(&w->lock);
	return NULL;
}

int sv_plugins_watch(unsigned timeout_s, struct sv_plugin_watch **out, struct pd_fail *fail)
{
	*out = NULL;
	if (!timeout_s)
		return PD_OK;
	struct sv_plugin_watch *w = calloc(1, sizeof *w);
	if (!w)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to watch plug-ins with");
	w->timeout_s = timeout_s;
	pd_cond_init(&w->stopped);
	pd_mutex_init(&w->lock, PD_LOCK_PLUGIN_WATCH);
	if (pthread_create(&w->thread, NULL, watch_main, w)) {
		pthread_cond_destroy(&w->stopped);
		pd_mutex_fini(&w->lock);
		free(w);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "threads",
				   "the thread that watches plug-ins cannot be started");
	}
	*out = w;
	return PD_OK;
}

void sv_plugins_unwatch(struct sv_plugin_watch *w)
{
	if (!w)
		return;
	pd_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_signal(&w->stopped);
	pd_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->stopped);
	pd_mutex_fini(&w->lock);
	free(w);
}
