#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "server/daemon/reports.h"

extern char **environ;

enum { OWN_VARIABLES = 5, HANDLES = 3 };

struct run {
	struct dm_report base;
	uv_process_t process;
	uv_pipe_t input;
	uv_timer_t timer;
	uv_write_t write;
	unsigned open;                 /* handles that are not closed yet */
	char *variable[OWN_VARIABLES]; /* owned: NAME=VALUE */
};

static void on_close(uv_handle_t *handle)
{
	struct run *run = handle->data;
	PD_ASSERT(run->open > 0);
	if (!--run->open)
		dm_report_free(&run->base);
}

static void close_handle(uv_handle_t *handle)
{
	if (!uv_is_closing(handle))
		uv_close(handle, on_close);
}

static bool close_run(struct dm_report *report)
{
	struct run *run = (struct run *)report;
	if (run->process.type == UV_PROCESS)
		close_handle((uv_handle_t *)&run->process);
	close_handle((uv_handle_t *)&run->input);
	close_handle((uv_handle_t *)&run->timer);
	return true;
}

static void end_run(struct run *run)
{
	close_run(&run->base);
	dm_report_end(&run->base);
}

static void on_exit_of(uv_process_t *process, int64_t status, int number)
{
	struct run *run = process->data;
	if (number)
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish was killed by signal %d", run->base.job,
		       number);
	else if (status)
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish exited with status %d", run->base.job,
		       (int)status);
	end_run(run);
}

static void on_time_up(uv_timer_t *timer)
{
	struct run *run = timer->data;
	pd_log(PD_LOG_WARN, "job %u: killed the program of --on-finish, which ran for %d s", run->base.job, DM_HOOK_S);
	kill(-run->process.pid, SIGKILL); /* and its children: it leads a process group */
}

/* Also called when the program does not read its input. */
static void on_written(uv_write_t *write, int status)
{
	struct run *run = write->data;
	(void)status;
	close_handle((uv_handle_t *)&run->input);
}

/* The server's environment without the variables of its service manager, plus those of the run; NULL without memory.
 * The strings are borrowed. */
static char **environment_of(const struct run *run)
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

static int spawn_program(struct run *run)
{
	char *words[] = {(char *)(uintptr_t)run->base.reports->target, NULL};
	uv_stdio_container_t stdio[3] = {{.flags = UV_CREATE_PIPE | UV_READABLE_PIPE},
					 {.flags = UV_IGNORE},
					 {.flags = UV_INHERIT_FD, .data.fd = STDERR_FILENO}};
	stdio[0].data.stream = (uv_stream_t *)&run->input;
	uv_process_options_t options = {.file = run->base.reports->target,
					.args = words,
					.env = environment_of(run),
					.exit_cb = on_exit_of,
					.flags = UV_PROCESS_DETACHED,
					.stdio = stdio,
					.stdio_count = 3};
	int rc = options.env ? uv_spawn(run->base.reports->loop, &run->process, &options) : UV_ENOMEM;
	free(options.env);
	return rc;
}

static void start_run(struct dm_report *report)
{
	struct run *run = (struct run *)report;
	uv_pipe_init(report->reports->loop, &run->input, 0);
	uv_timer_init(report->reports->loop, &run->timer);
	run->process.data = run->input.data = run->timer.data = run->write.data = run;
	int rc = spawn_program(run);
	run->open = HANDLES - (run->process.type != UV_PROCESS); /* without memory it was not initialized */
	if (rc) {
		pd_log(PD_LOG_WARN, "job %u: the program of --on-finish cannot be started: %s", report->job,
		       uv_strerror(rc));
		end_run(run);
		return;
	}
	uv_buf_t buf = uv_buf_init(report->text.data, (unsigned)report->text.size);
	uv_timer_start(&run->timer, on_time_up, DM_HOOK_S * 1000, 0);
	if (uv_write(&run->write, (uv_stream_t *)&run->input, &buf, 1, on_written))
		close_handle((uv_handle_t *)&run->input);
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

static bool prepare_run(struct dm_report *report, const struct sv_finished *f)
{
	struct run *run = (struct run *)report;
	char number[16];
	snprintf(number, sizeof number, "%lu", (unsigned long)f->job);
	const char *const parts[OWN_VARIABLES][2] = {{"PROOFD_JOB", number},
						     {"PROOFD_STATE", f->state},
						     {"PROOFD_GAME", f->game},
						     {"PROOFD_VALUE", f->value},
						     {"PROOFD_REASON", f->reason}};
	bool whole = true;
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		whole &= (run->variable[i] = make_variable(parts[i][0], parts[i][1])) != NULL;
	return whole;
}

static void release_run(struct dm_report *report)
{
	for (unsigned i = 0; i < OWN_VARIABLES; i++)
		free(((struct run *)report)->variable[i]);
}

static int init_hook(struct dm_reports *reports, const char *program, struct pd_fail *fail)
{

	struct stat st;
	if (!strchr(program, '/') || stat(program, &st) || !S_ISREG(st.st_mode) || access(program, X_OK))
		return pd_fail_set(fail, PD_E_USAGE, "on-finish",
				   "--on-finish takes the path of an executable program, and %.200s is not one",
				   program);

	reports->target = program;
	return PD_OK;
}

const struct dm_reporter dm_finish_hook = {sizeof(struct run), init_hook, prepare_run,
					   start_run,          close_run, release_run};
