#include "clients/libproofd/connection.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "clients/libproofd/fault.h"
#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/random.h"

enum { OUTPUT_MAX = 128 << 20 };

static int set_failed(struct proofd_error *error, int errnum)
{
	if (errnum == ENOMEM)
		return pc_fault_memory(error);
	return pc_fault_code(error, PD_E_UNREACHABLE, "", "%s",
			     errnum == ECONNRESET ? "the server closed the connection" : strerror(errnum));
}

static int receive_bytes(struct proofd *server, size_t *got, struct proofd_error *error)
{
	int why = pc_transport_read(server->transport, &server->core.in, got);
	int rc = *got ? pc_core_read(&server->core, error) : 0;
	return rc ? rc : why ? set_failed(error, why) : 0;
}

static int send_output(struct proofd *server, struct proofd_error *error)
{
	struct pd_buf out;
	pd_buf_init(&out, OUTPUT_MAX);
	pc_core_output(&server->core, &out);
	bool good = !out.failed && (!out.size || pc_transport_put(server->transport, out.data, out.size));
	pd_buf_fini(&out);
	int why = good ? pc_transport_flush(server->transport) : ENOMEM;
	return why ? set_failed(error, why) : 0;
}

/* Sends and reads what it can; if there is nothing to read, waits for at most that many seconds (negative: no limit).
 * -1: the connection has failed. */
static int step_once(struct proofd *server, double wait, struct proofd_error *error)
{
	size_t got = 0;
	if (!server->core.under_way && !pc_transport_unsent(server->transport)) {
		if (receive_bytes(server, &got, error))
			return -1; /* do not write to a connection that has ended */
		if (got)
			return 0;
	}
	if (send_output(server, error) || receive_bytes(server, &got, error))
		return -1;
	if (!got && wait != 0)
		pc_transport_wait(server->transport, wait);
	return 0;
}

void pc_disconnect(struct proofd *server)
{
	pc_transport_close(server->transport);
	server->transport = NULL;
}

static void exchange_bytes(struct proofd *server, double wait)
{
	struct proofd_error error;
	struct pc_core *core = &server->core;
	if (!step_once(server, wait, &error))
		return;
	/* do not reconnect after an error of the protocol, when memory has run out, or when reconnecting is disabled */
	bool final = error.code == 0 || error.code == PD_E_NO_MEMORY || server->reconnect_s <= 0;
	pc_disconnect(server);
	if (core->refused)
		error = core->refusal;
	pc_core_lost(core, error.message);
	if (final)
		pc_core_fail(core, &error);
}

int pc_connect(struct proofd *server, uint64_t deadline, struct proofd_error *error)
{
	struct pc_core *core = &server->core;
	struct proofd_error why;
	uint64_t end = pc_earlier(pc_deadline(server->patience_s), deadline);
	if (pc_transport_open(&server->address, &server->security, end, &server->transport, &why))
		return pc_fault_copy(error, &why);
	pc_core_connected(core);
	int rc = 0;
	while (!rc && !core->greeted && !core->refused) {
		if (pc_is_past(end))
			rc = pc_fault_code(&why, PD_E_UNREACHABLE, "",
					   "the server at %.200s has not answered for %g s; is it stopped?",
					   server->address.text, server->patience_s);
		else
			rc = step_once(server, pc_left(end), &why);
	}
	if (!rc && !core->refused)
		return 0;
	pc_disconnect(server);
	pc_core_lost(core, "the server did not answer server.hello");
	if (core->refused)
		return pc_fault_copy(error, &core->refusal);
	if (why.code == PD_E_UNREACHABLE && !pc_is_past(end))
		return pc_fault_code(error, PD_E_UNREACHABLE, "", "no proofd answers at %.120s: %.200s",
				     server->address.text, why.message);
	return pc_fault_copy(error, &why);
}

/* Whether another attempt may succeed: there is no server now, or it has too many clients. */
static bool is_temporary(const struct proofd_error *error)
{
	return error->code == PD_E_UNREACHABLE || error->code == PD_E_LIMIT || error->code == PD_E_BUSY ||
	       error->code == PD_E_SHUTDOWN || error->code == PD_E_NO_MEMORY;
}

static void pause_for(double seconds)
{
	nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
}

/* Tries to reconnect until it succeeds, `reconnect_s` have passed (then all waiting calls fail), or the deadline.
 * Pauses grow from 0.05 s to 5 s, each shortened at random by up to a half, so that many clients do not reconnect at
 * the same moment. */
static void open_again(struct proofd *server, uint64_t deadline)
{
	uint64_t give_up = server->reconnect_s > 0 ? pc_deadline(server->reconnect_s) : pd_now_ns();
	struct proofd_error error;
	for (double usual = 0.05;; usual = usual * 2 < 5 ? usual * 2 : 5) {
		if (!pc_connect(server, deadline, &error))
			return;
		double pause = usual * (0.5 + (double)(pd_random64() >> 11) / (double)(UINT64_C(1) << 54));
		uint64_t then = pd_now_ns() + (uint64_t)(pause * 1e9);
		if ((give_up && then >= give_up) || !is_temporary(&error)) {
			pc_core_fail(&server->core, &error);
			return;
		}
		bool late = deadline && then >= deadline;
		pause_for(late ? pc_left(deadline) : pause);
		if (late)
			return;
	}
}

void pc_serve(struct proofd *server, bool (*done)(const void *ctx), const void *ctx, uint64_t deadline)
{
	while (!done(ctx) && !pc_is_past(deadline)) {
		if (server->transport)
			exchange_bytes(server, pc_left(deadline));
		else
			open_again(server, deadline);
	}
}

void pc_push(struct proofd *server)
{
	if (server->transport)
		exchange_bytes(server, 0);
}

int pc_begin(struct proofd *server, const struct pc_request *request, struct proofd_pending **out,
	     struct proofd_error *error)
{
	if (pc_core_add(&server->core, request, out, error))
		return -1;
	(*out)->server = server;
	return 0;
}

static bool is_done(const void *ctx)
{
	const struct proofd_pending *call = ctx;
	return call->done;
}

int pc_settle(struct proofd *server, struct proofd_pending *call, struct proofd_error *error)
{
	pc_serve(server, is_done, call, pc_deadline(server->timeout_s));
	return call->done
		       ? 0
		       : pc_fault(error, "timeout", "%s: no reply within %g seconds", call->method, server->timeout_s);
}

int pc_outcome(struct proofd_pending *call, struct proofd_reply **out, struct proofd_error *error)
{
	int rc = call->failed ? pc_fault_copy(error, &call->error) : 0;
	PD_ASSERT(call->done && (call->failed || call->reply));
	if (!rc && out) {
		*out = call->reply;
		call->reply = NULL;
	}
	pc_call_forget(&call->server->core, call);
	return rc;
}

int pc_finish(struct proofd_pending *call, struct proofd_reply **out, struct proofd_error *error)
{
	struct proofd *server = call->server;
	if (!pc_settle(server, call, error))
		return pc_outcome(call, out, error);
	pc_call_forget(&server->core, call);
	return -1;
}

int pc_call(struct proofd *server, const struct pc_request *request, struct proofd_reply **out,
	    struct proofd_error *error)
{
	struct proofd_pending *call;
	return pc_begin(server, request, &call, error) ? -1 : pc_finish(call, out, error);
}
