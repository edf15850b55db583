#include "server/daemon/worker_main.h"

#include <signal.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/out.h"
#include "server/daemon/worker_options.h"
#include "server/cluster_connect.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

#define REST_NS UINT64_C(2000000000) /* time for the search threads to stop */

/* Prints the line that says that the worker runs. */
static void print_ready_line(const char *name, const char *where)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 1 << 16);
	pr_out_init(&out, &line);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("proofd", PD_VERSION), PR_I("pid", getpid()), PR_S("worker", name),
		   PR_S("join", where), PR_CLOSE);
	pd_buf_put(&line, "\n", 1);
	if (line.failed || !pd_write_now(STDOUT_FILENO, line.data, line.size))
		pd_log(PD_LOG_WARN, "the line that says that this worker runs cannot be written to stdout");
	pd_buf_fini(&line);
}

/* The signals that are waited for, and SIGUSR2: the life of the worker is over. Every thread has them blocked. */
static void signals_begin(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGUSR2);
	int rc = pthread_sigmask(SIG_BLOCK, set, NULL);
	PD_ASSERT(!rc);
	signal(SIGPIPE, SIG_IGN); /* a lost connection is a write error */
}

static void signal_end(void *ctx)
{
	(void)ctx;
	kill(getpid(), SIGUSR2);
}

static void on_hangup(const char *log_file, struct wk_worker *worker)
{
	struct pd_fail fail;
	if (!log_file)
		wk_stop(worker);
	else if (dm_log_reopen(log_file, &fail))
		pd_log(PD_LOG_ERROR, "%s", fail.text);
}

/* Waits until the worker's life is over; a second stop signal ends the process. */
static void wait_for_end(const char *log_file, struct wk_worker *worker, const sigset_t *set)
{
	bool stopping = false;
	for (int number;;) {
		if (sigwait(set, &number) != 0 || number == SIGUSR2)
			return;
		if (number == SIGHUP) {
			on_hangup(log_file, worker);
			continue;
		}
		if (stopping)
			_exit(EXIT_FAILED);
		stopping = true;
		pd_log(PD_LOG_INFO, "stopping: %s", number == SIGINT ? "SIGINT" : "SIGTERM");
		wk_stop(worker);
	}
}

static void log_refusal(void *ctx, const char *sentence)
{
	(void)ctx;
	pd_log(PD_LOG_ERROR, "%s", sentence);
}

static int run_worker(struct dm_worker_options *options, struct sv_cluster_connection *connection, const sigset_t *set,
		      struct pd_fail *fail)
{
	struct wk_worker *worker;
	struct sv_plugin_watch *watch = NULL;
	int rc = options->game_dirs.count ? sv_plugins_load(&options->game_dirs, NULL, log_refusal, NULL, fail) : PD_OK;
	rc = rc || !sv_plugins_any() ? rc : sv_plugins_watch(options->plugin_timeout_s, &watch, fail);
	options->worker.port = connection->transport.opener;
	options->worker.where = sv_transport_where(&connection->transport);
	options->worker.seal = connection->sealed ? &connection->seal : NULL;
	options->worker.ended = signal_end;
	rc = rc ? rc : wk_open(&options->worker, &worker, fail);
	if (!rc) {
		print_ready_line(wk_name(worker), options->worker.where);
		wait_for_end(options->log_file, worker, set);
		rc = wk_wait(worker, fail);
		if (!wk_rests(worker, REST_NS)) {
			if (rc)
				dm_log_failure(fail, options->log_form, options->log_file);
			_exit(rc ? EXIT_FAILED : EXIT_OK);
		}
		wk_close(worker);
	}
	sv_plugins_unwatch(watch);
	return rc;
}

/* Renames options in messages of the transport, which names those of proofd: --workers-creds is --creds here. */
static void name_as_here(struct pd_fail *fail)
{
	static const char theirs[] = "--workers-";
	const size_t size = sizeof theirs - 1;
	for (char *at; (at = strstr(fail->text, theirs));)
		memmove(at + 2, at + size, strlen(at + size) + 1);
	if (!strncmp(fail->field, theirs + 2, size - 2))
		memmove(fail->field, fail->field + size - 2, strlen(fail->field + size - 2) + 1);
}

static int join_coordinator(struct dm_worker_options *options, struct pd_fail *fail)
{
	const struct cp_config config = {.url = options->join,
					 .tls_ca = options->tls_ca,
					 .tls_cert = options->tls_cert,
					 .tls_key = options->tls_key,
					 .creds = options->creds,
					 .program = "proofd worker"};
	struct sv_cluster_connection connection = {0};
	sigset_t set;
	signals_begin(&set);
	int rc = sv_cluster_connect(&config, options->worker_key, &connection, fail);
	if (rc)
		name_as_here(fail);
	else
		rc = run_worker(options, &connection, &set, fail);
	sv_cluster_disconnect(&connection);
	return rc;
}

int join_main(int argc, char **argv)
{
	struct dm_worker_options options;
	struct pd_fail fail;
	int rc = dm_worker_options_parse(argc, argv, &options, &fail);
	if (!rc && (options.help || options.version)) {
		if (options.help)
			dm_worker_options_help(stdout);
		else
			puts("proofd " PD_VERSION);
		dm_worker_options_fini(&options);
		return EXIT_OK;
	}
	rc = rc ? rc : dm_log_begin(options.log, options.log_form, options.log_file, &fail);
	rc = rc ? rc : join_coordinator(&options, &fail);
	if (rc)
		dm_log_failure(&fail, options.log_form, options.log_file);
	dm_worker_options_fini(&options);
	if (!rc)
		return EXIT_OK;
	return rc == PD_E_USAGE || rc == PD_E_UNSUPPORTED || rc == PD_E_PARAMS ? EXIT_USAGE : EXIT_FAILED;
}
