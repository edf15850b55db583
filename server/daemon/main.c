/* proofd: the daemon. Reads the options, opens core and sockets, runs, closes. */
#include <signal.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/standard.h"
#include "proto/out.h"
#include "server/daemon/options.h"
#include "server/daemon/serve.h"
#include "server/directory.h"
#include "server/cluster_connect.h"
#include "server/daemon/worker_main.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };
enum { LINE_MAX_BYTES = 1 << 16 };

/* What is needed once the server is ready. */
struct starting {
	const struct dm_options *options;
	struct pd_buf line; /* allocated at the start, so that printing it needs no memory */
};

/* Prints the line that says that the server is ready, and where it listens. */
static void print_ready_line(struct pd_buf *line, const struct dm_server *server, const char *data)
{
	struct pr_out out;
	pr_out_init(&out, line);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("proofd", PD_VERSION), PR_I("pid", getpid()),
		   PR_S("listen", dm_server_address(server)), PR_S("socket", dm_server_socket(server)),
		   PR_S("monitor", dm_server_monitor(server)), PR_S("http", dm_server_http(server)), PR_S("data", data),
		   PR_CLOSE);
	pd_buf_put(line, "\n", 1);
	if (line->failed || !pd_write_now(STDOUT_FILENO, line->data, line->size))
		pd_log(PD_LOG_WARN, "the line that says where this server listens cannot be written to stdout; the "
				    "server runs without it");
}

static void on_ready(void *ctx, const struct dm_server *server, struct sv_core *core, bool again)
{
	struct starting *starting = ctx;
	PD_ASSERT(server && core);
	if (!again)
		print_ready_line(&starting->line, server, starting->options->core.data);
}

static int serve_directory(struct dm_options *options, struct pd_fail *fail)
{
	int rc = options->core.data && !options->core.read_only ? sv_directory_check(options->core.data, fail) : PD_OK;
	if (!rc && options->core.data && !options->core.read_only)
		rc = sv_directory_make(options->core.data, options->data_group, fail);
	struct starting starting = {.options = options};
	pd_buf_init(&starting.line, LINE_MAX_BYTES);
	if (!rc && !pd_buf_reserve(&starting.line, LINE_MAX_BYTES))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	const struct dm_serving serving = {.server = &options->server,
					   .core = &options->core,
					   .no_socket = options->no_socket,
					   .ready = on_ready,
					   .ctx = &starting};
	rc = rc ? rc : dm_serve(&serving, fail);
	pd_buf_fini(&starting.line);
	return rc;
}

/* Finds the transport to the workers; `cluster` then points into `connection`. */
static int connect_workers(const struct dm_workers *workers, struct sv_cluster_connection *connection,
			   struct sv_cluster_config *cluster, struct pd_fail *fail)
{
	const struct cp_config config = {.url = workers->url,
					 .tls_ca = workers->tls_ca,
					 .tls_cert = workers->tls_cert,
					 .tls_key = workers->tls_key,
					 .creds = workers->creds,
					 .program = "proofd"};
	int rc = sv_cluster_connect(&config, workers->key, connection, fail);
	if (!rc)
		*cluster = (struct sv_cluster_config){.port = connection->transport.opener,
						      .seal = connection->sealed ? &connection->seal : NULL,
						      .verify_sealed = workers->verify_sealed,
						      .verify_others = workers->verify_others,
						      .share = workers->share,
						      .where = sv_transport_where(&connection->transport)};
	return rc;
}

/* Serves, with workers on other machines if the options ask for them. */
static int serve_with_workers(struct dm_options *options, struct pd_fail *fail)
{
	struct sv_cluster_connection connection = {0};
	struct sv_cluster_past past = {0};
	struct sv_cluster_config cluster;
	int rc = options->workers.url ? connect_workers(&options->workers, &connection, &cluster, fail) : PD_OK;
	if (!rc && options->workers.url) {
		cluster.past = &past;
		options->core.cluster = &cluster;
	}
	rc = rc ? rc : serve_directory(options, fail);
	options->core.cluster = NULL;
	sv_cluster_disconnect(&connection);
	return rc;
}

int main(int argc, char **argv)
{
	struct dm_options options;
	struct pd_fail fail;
	pd_standard_open();
	pd_standard_umask();
	pd_standard_processor("proofd");
	if (argc > 1 && !strcmp(argv[1], "worker"))
		return join_main(argc - 1, argv + 1);
	signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is then a write error, like a full disk */
	int rc = dm_options_parse(argc, argv, &options, &fail);
	if (!rc && options.help) {
		dm_options_help(stdout);
		dm_options_fini(&options);
		return EXIT_OK;
	}
	if (!rc && options.version) {
		puts("proofd " PD_VERSION);
		dm_options_fini(&options);
		return EXIT_OK;
	}
	if (!rc) {
		rc = dm_log_begin(options.log, options.log_form, options.server.log_file, &fail);
		if (!rc) {
			dm_options_warn(&options);
			rc = serve_with_workers(&options, &fail);
		}
	}
	if (rc)
		dm_log_failure(&fail, options.log_form, options.server.log_file);
	dm_options_fini(&options);
	if (!rc)
		return EXIT_OK;
	return rc == PD_E_USAGE || rc == PD_E_UNSUPPORTED || rc == PD_E_PARAMS ? EXIT_USAGE : EXIT_FAILED;
}
