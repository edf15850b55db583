/* nats_talk URL WORKER [ca=FILE] [cert=FILE] [key=FILE] [creds=FILE]: a port over NATS for tests/cluster/test_nats.py.
 * WORKER: a number; 0: the coordinator. Reads commands, a line each:
 *
 *	send TO TEXT       TO: a worker's number, `all` or `c`; says `sent`, or `unsent` and why
 *	blob TO BYTES      sends that many bytes
 *	echo TO            sends every message that comes in on to TO, as it is
 *	time TO COUNT BYTES OUT  sends COUNT messages to an echo, OUT on their way at a time, and says how long it took
 *	nap                waits in the port in this thread: woken before, for 50 ms, and woken by another thread
 *	close              closes the port
 *
 * and says what happens: `connected SENTENCE`, `disconnected SENTENCE`, `got TEXT`, `log SENTENCE`, `refused SENTENCE`.
 * One thread waits in the port, as its owner; commands are obeyed by another. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "proto/base/clock.h"
#include "server/cluster/transport.h"

enum { LINE_MAX_BYTES = 4096, BLOB_MAX = 1 << 24, TIMES_MAX = 1 << 20 };

struct talk {
	struct cp_port *port;
	pthread_t owner; /* waits in the port */
	_Atomic bool stop;
	_Atomic uint64_t echo; /* 0: messages are printed */
	_Atomic bool timing;
	pthread_mutex_t lock;
	pthread_cond_t came;
	uint64_t count; /* echoes that came */
	uint64_t *took;
};

static void send_line(const char *word, const char *text, int size)
{
	printf("%s %.*s\n", word, size, text);
	fflush(stdout);
}

static void message(void *ctx, const uint8_t *data, size_t size)
{
	struct talk *talk = ctx;
	uint64_t to = atomic_load(&talk->echo), sent;
	if (atomic_load(&talk->timing)) {
		memcpy(&sent, data, sizeof sent);
		pthread_mutex_lock(&talk->lock);
		talk->took[talk->count++] = pd_now_ns() - sent;
		pthread_cond_signal(&talk->came);
		pthread_mutex_unlock(&talk->lock);
	} else if (to) {
		struct pd_fail fail;
		talk->port->type->send(talk->port, to, data, size, &fail);
	} else if (size > LINE_MAX_BYTES) {
		char text[40];
		send_line("got", text, snprintf(text, sizeof text, "%zu bytes", size));
	} else {
		send_line("got", (const char *)data, (int)size);
	}
}

static void connected(void *ctx, bool is, const char *what)
{
	send_line(is ? "connected" : "disconnected", what, (int)strlen(what));
}

static void log_line(enum pd_log_level level, const char *sentence)
{
	send_line("log", sentence, (int)strlen(sentence));
}

static uint64_t whom(const char *text)
{
	return !strcmp(text, "all") ? CP_ALL : !strcmp(text, "c") ? CP_COORDINATOR : strtoull(text, NULL, 10);
}

static void print_report(int rc, const struct pd_fail *fail)
{
	char text[400];
	if (rc)
		send_line("unsent", text, snprintf(text, sizeof text, "%s %s", pd_error_slug(rc), fail->text));
	else
		send_line("sent", "", 0);
}

static uint64_t cpu_ns(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static void take_time(struct talk *talk, uint64_t to, const unsigned long *n, uint8_t *bytes)
{
	struct pd_fail fail;
	char text[200];
	unsigned long count = n[0] < TIMES_MAX ? n[0] : TIMES_MAX, sent = 0;
	size_t size = n[1] < 8 ? 8 : n[1];
	talk->took = calloc(count, sizeof *talk->took);
	talk->count = 0;
	if (!talk->took)
		abort();
	atomic_store(&talk->timing, true);
	uint64_t begin = pd_now_ns(), cpu = cpu_ns();
	pthread_mutex_lock(&talk->lock);
	while (talk->count < count) {
		while (sent < count && sent - talk->count < n[2]) {
			pthread_mutex_unlock(&talk->lock);
			uint64_t now = pd_now_ns();
			memcpy(bytes, &now, sizeof now);
			if (talk->port->type->send(talk->port, to, bytes, size, &fail))
				abort();
			sent++;
			pthread_mutex_lock(&talk->lock);
		}
		pthread_cond_wait(&talk->came, &talk->lock);
	}
	pthread_mutex_unlock(&talk->lock);
	cpu = cpu_ns() - cpu;
	double s = (double)(pd_now_ns() - begin) / 1e9;
	atomic_store(&talk->timing, false);
	qsort(talk->took, count, sizeof *talk->took, by_size);
	send_line("time", text,
		  snprintf(text, sizeof text,
			   "%.0f a second, round trip p50 %.0f us, p99 %.0f us, %.1f us of processor time each",
			   (double)count / s, (double)talk->took[count / 2] / 1e3,
			   (double)talk->took[count * 99 / 100] / 1e3, (double)cpu / 1e3 / (double)count));
	free(talk->took);
}

static void *owner_main(void *ctx)
{
	struct talk *talk = ctx;
	while (!atomic_load(&talk->stop))
		talk->port->type->wait(talk->port, UINT64_MAX);
	return NULL;
}

static void own(struct talk *talk)
{
	atomic_store(&talk->stop, false);
	if (pthread_create(&talk->owner, NULL, owner_main, talk))
		abort();
}

static void disown(struct talk *talk)
{
	atomic_store(&talk->stop, true);
	talk->port->type->wake(talk->port);
	pthread_join(talk->owner, NULL);
}

static void *wake_later(void *port)
{
	const struct timespec while_it_waits = {.tv_nsec = 20000000};
	nanosleep(&while_it_waits, NULL);
	((struct cp_port *)port)->type->wake(port);
	return NULL;
}

static void nap(struct talk *talk)
{
	const uint64_t s = 1000000000;
	char text[100];
	pthread_t waker;
	disown(talk);
	uint64_t begin = pd_now_ns();
	talk->port->type->wake(talk->port);
	talk->port->type->wait(talk->port, begin + 30 * s);
	uint64_t woken = pd_now_ns();
	while (pd_now_ns() < woken + s / 20)
		talk->port->type->wait(talk->port, woken + s / 20);
	uint64_t rested = pd_now_ns();
	if (pthread_create(&waker, NULL, wake_later, talk->port))
		abort();
	talk->port->type->wait(talk->port, rested + 30 * s);
	uint64_t end = pd_now_ns();
	pthread_join(waker, NULL);
	own(talk);
	send_line("nap", text,
		  snprintf(text, sizeof text, "%.3f %.3f %.3f", (double)(woken - begin) / 1e9,
			   (double)(rested - woken) / 1e9, (double)(end - rested) / 1e9));
}

static void obey(struct talk *talk, char *line, uint8_t *blob)
{
	char word[16], to[32];
	struct pd_fail fail;
	int at = 0;
	unsigned long n[3] = {0};
	if (sscanf(line, "%15s %31s %n", word, to, &at) < 1)
		return;
	line[strcspn(line, "\n")] = 0;
	if (!strcmp(word, "send")) {
		print_report(talk->port->type->send(talk->port, whom(to), (const uint8_t *)line + at, strlen(line + at),
						    &fail),
			     &fail);
	} else if (!strcmp(word, "blob")) {
		size_t size = strtoul(line + at, NULL, 10);
		print_report(
			talk->port->type->send(talk->port, whom(to), blob, size < BLOB_MAX ? size : BLOB_MAX, &fail),
			&fail);
	} else if (!strcmp(word, "echo")) {
		atomic_store(&talk->echo, whom(to));
		send_line("echo", to, (int)strlen(to));
	} else if (!strcmp(word, "time") && sscanf(line + at, "%lu %lu %lu", n, n + 1, n + 2) == 3) {
		take_time(talk, whom(to), n, blob);
	} else if (!strcmp(word, "nap")) {
		nap(talk);
	} else if (!strcmp(word, "close")) {
		disown(talk);
		talk->port->type->close(talk->port);
		talk->port = NULL;
		send_line("closed", "", 0);
	}
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"ca=", "cert=", "key=", "creds="};
	struct talk talk = {.port = NULL};
	struct sv_transport nats = {0};
	struct pd_fail fail;
	char line[LINE_MAX_BYTES];
	if (argc < 3)
		return 2;
	struct cp_config config = {.url = argv[1], .log = log_line};
	const char **files[] = {&config.tls_ca, &config.tls_cert, &config.tls_key, &config.creds};
	for (int i = 3; i < argc; i++)
		for (unsigned f = 0; f < sizeof names / sizeof *names; f++)
			if (!strncmp(argv[i], names[f], strlen(names[f])))
				*files[f] = argv[i] + strlen(names[f]);
	uint8_t *blob = calloc(1, BLOB_MAX);
	pthread_mutex_init(&talk.lock, NULL);
	pthread_cond_init(&talk.came, NULL);
	uint64_t worker = strtoull(argv[2], NULL, 10);
	const struct cp_events events = {&talk, message, connected};
	int rc = blob ? sv_transport_open(&config, &nats, &fail) : PD_E_NO_MEMORY;
	if (!rc)
		send_line("where", sv_transport_where(&nats), (int)strlen(sv_transport_where(&nats)));
	if (!rc)
		rc = nats.opener.open(nats.opener.ctx, worker ? worker : CP_COORDINATOR, &events, &talk.port, &fail);
	if (rc)
		send_line("refused", fail.text, (int)strlen(fail.text));
	if (!rc)
		own(&talk);
	while (!rc && talk.port && fgets(line, sizeof line, stdin))
		obey(&talk, line, blob);
	if (talk.port) {
		disown(&talk);
		talk.port->type->close(talk.port);
	}
	sv_transport_close(&nats);
	free(blob);
	return rc ? 1 : 0;
}
