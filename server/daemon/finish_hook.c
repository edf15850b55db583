#include "server/daemon/finish_hook.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"

extern char **environ;

enum { OWN_VARIABLES = 5, HANDLES = 3 };

/* One run of the program, waiting or under way. */
struct dm_hook_run {
	struct dm_hook *hook; /* NULL once the hook is closed */
	uint32_t job;
	uv_process_t process;
	uv_pipe_t input;
	uv_timer_t timer;
	uv_write_t write;
	unsigned open;                 /* handles that are not closed yet */
	char *variable[OWN_VARIABLES]; /* owned: NAME=VALUE */
	char *json;                    /* owned, with its newline */
	size_t json_size;
	STAILQ_ENTRY(dm_hook_run) link;
	LIST_ENTRY(dm_hook_run) running;
};

static void start_waiting(struct dm_hook *hook);

static void run_free(struct dm_hook_run *run)
{
	if (!run)
		return;
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		free(run->variable[i]);
	free(run->json);
	free(run);
}

static void on_close(uv_handle_t *handle)
{
	struct dm_hook_run *run = handle->data;
	PD_ASSERT(run->open > 0);
	if (!--run->open)
		run_free(run);
}

static void close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_close);
}

/* The run is over or abandoned. */
static void close_run(struct dm_hook_run *run)
{
	if (run->process.type == UV_PROCESS)
		close_handle((uv_handle_t *)&run->process);
	close_handle((uv_handle_t *)&run->input);
	close_handle((uv_handle_t *)&run->timer);
}

static void end_run(struct dm_hook_run *run)
{
	struct dm_hook *hook = run->hook;
	PD_ASSERT(hook->run_count > 0);
	LIST_REMOVE(run, running);
	hook->run_count--;
	close_run(run);
}

static void on_exit_of(uv_process_t *process, int64_t status, int number)
{
	struct dm_hook_run *run = process->data;
	struct dm_hook *hook = run->hook;
	if (number)
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish was killed by signal %d", run->job, number);
	else if (status)
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish exited with status %d", run->job, (int)status);
	end_run(run);
	start_waiting(hook);
}

static void on_time_up(uv_timer_t *timer)
{
	struct dm_hook_run *run = timer->data;
	pd_log(PD_LOG_WARN, "job %u: killed the program of --on-finish, which ran for %d s", run->job, DM_HOOK_S);
	kill(-run->process.pid, SIGKILL); /* and its children: it leads a process group */
}

/* Also when the program does not read its input. */
static void on_written(uv_write_t *write, int status)
{
	struct dm_hook_run *run = write->data;
	(void)status;
	close_handle((uv_handle_t *)&run->input);
}

/* The server's environment without the variables of its service manager, and the run's own; NULL without memory. The
 * strings are borrowed. */
static char **environment_of(const struct dm_hook_run *run)
{
	static const char *const private[] = {"NOTIFY_SOCKET=", "WATCHDOG_",    "LISTEN_",       "PROOFD_JOB=",
					      "PROOFD_STATE=",  "PROOFD_GAME=", "PROOFD_VALUE=", "PROOFD_REASON="};
	size_t count = 0, n = 0;
	while (environ[count])
		count++;
	char **out = calloc(count + OWN_VARIABLES + 1, sizeof *out);
	for (size_t i = 0; out && i < count; i++) {
		bool own = false;
		for (unsigned j = 0; j < sizeof private / sizeof *private; j++)
			own |= !strncmp(environ[i], private[j], strlen(private[j]));
		if (!own)
			out[n++] = environ[i];
	}
	for (unsigned i = 0; out && i < OWN_VARIABLES; i++)
		out[n++] = run->variable[i];
	return out;
}

static int spawn_program(struct dm_hook *hook, struct dm_hook_run *run)
{
	char *words[] = {(char *)(uintptr_t)hook->program, NULL};
	uv_stdio_container_t stdio[3] = {{.flags = UV_CREATE_PIPE | UV_READABLE_PIPE},
					 {.flags = UV_IGNORE},
					 {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO}};
	stdio[0].data.stream = (uv_stream_t *)&run->input;
	uv_process_options_t options = {.file = hook->program,
					.args = words,
					.env = environment_of(run),
					.exit_cb = on_exit_of,
					.flags = UV_PROCESS_DETACHED,
					.stdio = stdio,
					.stdio_count = 3};
	int rc = options.env ? uv_spawn(hook->loop, &run->process, &options) : UV_ENOMEM;
	free(options.env);
	return rc;
}

static void start_run(struct dm_hook *hook, struct dm_hook_run *run)
{
	uv_pipe_init(hook->loop, &run->input, 0);
	uv_timer_init(hook->loop, &run->timer);
	run->process.data = run->input.data = run->timer.data = run->write.data = run;
	int rc = spawn_program(hook, run);
	run->open = HANDLES - (run->process.type != UV_PROCESS); /* without memory it was not tried */
	LIST_INSERT_HEAD(&hook->running, run, running);
	hook->run_count++;
	if (rc) {
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish cannot be started: %s", run->job,
		       uv_strerror(rc));
		end_run(run);
		return;
	}
	uv_buf_t buf = uv_buf_init(run->json, (unsigned)run->json_size);
	uv_timer_start(&run->timer, on_time_up, DM_HOOK_S * 1000, 0);
	if (uv_write(&run->write, (uv_stream_t *)&run->input, &buf, 1, on_written))
		close_handle((uv_handle_t *)&run->input);
}

static void start_waiting(struct dm_hook *hook)
{
	while (hook->run_count < DM_HOOK_RUNS && !STAILQ_EMPTY(&hook->waiting)) {
		struct dm_hook_run *run = STAILQ_FIRST(&hook->waiting);
		STAILQ_REMOVE_HEAD(&hook->waiting, link);
		hook->waiting_count--;
		start_run(hook, run);
	}
	if (hook->dropped && !hook->waiting_count) {
		pd_log(PD_LOG_WARN, "the program of --on-finish was not run for %u jobs: too many ended at once",
		       hook->dropped);
		hook->dropped = 0;
	}
}

int dm_hook_init(struct dm_hook *hook, uv_loop_t *loop, const char *program, struct pd_fail *fail)
{
	struct stat st;
	*hook = (struct dm_hook){.loop = loop, .program = program};
	STAILQ_INIT(&hook->waiting);
	LIST_INIT(&hook->running);
	if (program && (!strchr(program, '/') || stat(program, &st) || !S_ISREG(st.st_mode) || access(program, X_OK)))
		return pd_fail_set(fail, PD_E_USAGE, "on-finish",
				   "--on-finish takes the path of an executable program, and %.200s is not one",
				   program);
	return PD_OK;
}

/* NAME=VALUE, owned by the caller. */
static char *make_variable(const char *name, const char *value)
{
	size_t room = strlen(name) + strlen(value) + 2;
	char *out = malloc(room);
	if (out)
		snprintf(out, room, "%s=%s", name, value);
	return out;
}

static struct dm_hook_run *run_new(struct dm_hook *hook, const struct sv_finished *f)
{
	struct dm_hook_run *run = calloc(1, sizeof *run);
	char number[16];
	if (!run)
		return NULL;
	snprintf(number, sizeof number, "%lu", (unsigned long)f->job);
	run->hook = hook;
	run->job = f->job;
	const char *const parts[OWN_VARIABLES][2] = {{"PROOFD_JOB", number},
						     {"PROOFD_STATE", f->state},
						     {"PROOFD_GAME", f->game},
						     {"PROOFD_VALUE", f->value},
						     {"PROOFD_REASON", f->reason}};
	bool whole = true;
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		whole &= (run->variable[i] = make_variable(parts[i][0], parts[i][1])) != NULL;
	run->json = malloc(f->json_size + 1);
	run->json_size = f->json_size + 1;
	if (run->json && whole) {
		memcpy(run->json, f->json, f->json_size);
		run->json[f->json_size] = '\n';
		return run;
	}
	run_free(run);
	return NULL;
}

void dm_hook_finished(void *ctx, const struct sv_finished *finished)
{
	struct dm_hook *hook = ctx;
	PD_ASSERT(hook->program);
	struct dm_hook_run *run = hook->waiting_count < DM_HOOK_WAITING ? run_new(hook, finished) : NULL;
	if (!run) {
		hook->dropped++;
		return;
	}
	STAILQ_INSERT_TAIL(&hook->waiting, run, link);
	hook->waiting_count++;
	start_waiting(hook);
}

void dm_hook_close(struct dm_hook *hook)
{
	struct dm_hook_run *run;
	while ((run = STAILQ_FIRST(&hook->waiting))) {
		STAILQ_REMOVE_HEAD(&hook->waiting, link);
		run_free(run);
	}
	hook->waiting_count = 0;
	while ((run = LIST_FIRST(&hook->running)))
		end_run(run);
	PD_ASSERT(!hook->run_count);
}
