/* Query rates of a running server, over TCP on the loopback.
 *
 * Usage: bench_queries HOST:PORT GAME [SECONDS]. Positions are those of seeded random games, some proved and some not. Prints a line a load:
 * requests and positions a second, and the median and 99th percentile of the time from sending a request to having its reply. The paced load sends
 * one request each millisecond whatever the replies do, and counts from the moment at which each was due. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "solver/game.h"

enum { POSITIONS = 4000, SAMPLES_MAX = 1 << 20, REPLY_MAX = 1 << 22 };

static char positions[POSITIONS][64];
static double samples[SAMPLES_MAX];
static char request[1 << 20], reply[REPLY_MAX];

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static int connect_to(const char *address)
{
	char host[128];
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	snprintf(host, sizeof host, "%s", address);
	char *colon = strrchr(host, ':');
	int one = 1;
	if (!colon)
		die("address");
	*colon = 0;
	if (getaddrinfo(host, colon + 1, &hints, &list))
		die("getaddrinfo");
	int fd = socket(list->ai_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, list->ai_addr, list->ai_addrlen))
		die("connect");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	freeaddrinfo(list);
	return fd;
}

static void make_positions(const char *name)
{
	struct game *g;
	struct pd_fail fail;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	char text[64];
	int value;
	if (game_open(name, NULL, &g, &fail)) {
		fprintf(stderr, "%s\n", fail.text);
		exit(2);
	}
	srand(1);
	for (unsigned i = 0; i < POSITIONS; i++) {
		size_t n = 0;
		unsigned plies = (unsigned)rand() % 12;
		g->rules->start(g, state);
		positions[i][0] = 0;
		while (plies-- && !g->rules->terminal(g, state, &value)) {
			game_move move = moves[(unsigned)rand() % g->rules->moves(g, state, moves)];
			g->rules->move_print(g, state, move, text, sizeof text);
			n += (size_t)snprintf(positions[i] + n, sizeof positions[i] - n, "%s", text);
			g->rules->play(g, state, move);
		}
	}
	game_close(g);
}

static size_t single_request(const char *game, unsigned i)
{
	return (size_t)snprintf(request, sizeof request,
				"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fact.query\",\"params\":{\"game\":\"%s\",\"position\":\"%s\"}}\n",
				game, positions[i % POSITIONS]);
}

static size_t array_request(const char *game, unsigned count, unsigned first)
{
	size_t n = (size_t)snprintf(request, sizeof request,
				    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fact.query\",\"params\":{\"game\":\"%s\",\"positions\":[", game);
	for (unsigned i = 0; i < count; i++)
		n += (size_t)snprintf(request + n, sizeof request - n, "%s\"%s\"", i ? "," : "", positions[(first + i) % POSITIONS]);
	return n + (size_t)snprintf(request + n, sizeof request - n, "]}}\n");
}

static void send_all(int fd, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = write(fd, request + at, size - at);
		if (n < 0 && errno != EINTR)
			die("write");
		at += n > 0 ? (size_t)n : 0;
	}
}

static void read_line(int fd)
{
	size_t size = 0;
	do {
		ssize_t n = read(fd, reply + size, sizeof reply - size);
		if (n <= 0)
			die("read");
		size += (size_t)n;
	} while (reply[size - 1] != '\n');
	reply[size] = 0;
	if (strstr(reply, "\"error\":{\"code\"")) {
		fprintf(stderr, "%.300s\n", reply);
		exit(2);
	}
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void report(const char *load, size_t count, double seconds, unsigned positions_each)
{
	qsort(samples, count, sizeof *samples, by_size);
	printf("%-34s %9.0f req/s %10.0f pos/s   p50 %8.3f ms   p99 %8.3f ms   max %8.3f ms\n", load, (double)count / seconds,
	       (double)count * positions_each / seconds, samples[count / 2] * 1e3, samples[count * 99 / 100] * 1e3,
	       samples[count - 1] * 1e3);
	fflush(stdout);
}

static void closed_loop(int fd, const char *game, const char *load, unsigned positions_each, double seconds)
{
	uint64_t start = pd_now_ns(), end = start + (uint64_t)(seconds * 1e9), now = start;
	size_t count = 0;
	while (now < end && count < SAMPLES_MAX) {
		size_t size = positions_each == 1 ? single_request(game, (unsigned)count * 7) :
						    array_request(game, positions_each, (unsigned)count * 13);
		uint64_t sent = pd_now_ns();
		send_all(fd, size);
		read_line(fd);
		now = pd_now_ns();
		samples[count++] = (double)(now - sent) / 1e9;
	}
	report(load, count, (double)(now - start) / 1e9, positions_each);
}

static void paced(int fd, const char *game, double seconds)
{
	uint64_t start = pd_now_ns();
	size_t count = 0, total = (size_t)(seconds * 1000);
	for (; count < total && count < SAMPLES_MAX; count++) {
		uint64_t due = start + count * 1000000, now = pd_now_ns();
		if (now < due) {
			struct timespec wait = {0, (long)(due - now)};
			nanosleep(&wait, NULL);
		}
		/* The client's own late wake-up is not the server's: counted from when it could send, unless a reply was late. */
		uint64_t sent = pd_now_ns();
		if (now > due)
			sent = due;
		send_all(fd, single_request(game, (unsigned)count * 11));
		read_line(fd);
		samples[count] = (double)(pd_now_ns() - sent) / 1e9;
	}
	report("single, paced 1,000/s", count, (double)(pd_now_ns() - start) / 1e9, 1);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: bench_queries HOST:PORT GAME [SECONDS]\n");
		return 2;
	}
	double seconds = argc > 3 ? atof(argv[3]) : 3;
	make_positions(argv[2]);
	int fd = connect_to(argv[1]);
	closed_loop(fd, argv[2], "single, one connection", 1, seconds);
	closed_loop(fd, argv[2], "1,000 positions a request", 1000, seconds);
	paced(fd, argv[2], 2 * seconds);
	close(fd);
	return 0;
}
