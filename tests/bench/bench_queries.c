/* The load client of `./dev bench queries`: one program for proofd and Redis, so that what it costs is the same for
 * both.
 *
 * Usage: bench queries proofd|redis|http|ws HOST:PORT GAME POSITIONS CONNECTIONS KEYS LENGTH [PID [RATE]]
 *        bench queries copy PROOFD REDIS GAME POSITIONS
 *
 * Each connection sends a request, waits for its whole reply, and sends the next: never two at once. A request asks for
 * KEYS random lines of the file POSITIONS: `fact.query` with `position` (1) or `positions` (more) of proofd, over TCP
 * or (`ws`) a WebSocket; `http`: GET /query of proofd, for one; GET or MGET of Redis. With RATE the one connection
 * sends that many requests a second, whatever the replies do. LENGTH is in seconds or, like `5000x`, in requests (to
 * count what one takes). `copy` puts what proofd replies for each position into Redis, under the game and the position.
 *
 * Prints a JSON object: requests a second, median and 99th percentile of the time from sending to having the reply,
 * and, given the PID of the server, microseconds of its processor time a request: of all its threads, or of its first
 * one when there is a rate, for then others may search. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "tests/support/program.h"

enum { CONNECTIONS_MAX = 1000, SAMPLES_MAX = 1 << 22, REQUEST_MAX = 1 << 20, REPLY_MAX = 1 << 22, COPY_KEYS = 1000 };

struct piece {
	const char *text;
	size_t size;
};

struct conn {
	int fd;
	uint64_t sent;  /* when its request was sent */
	char *out, *in; /* the request; the reply so far */
	size_t out_size, in_size;
	size_t parsed; /* of a RESP reply: bytes that are understood */
	long awaited;  /* of a RESP reply: values that are to come; -1: its head is */
};

static struct piece *positions;
static size_t position_count;
static const char *game;
static bool redis, http, ws;
static unsigned keys;
static uint32_t samples[SAMPLES_MAX]; /* nanoseconds */
static uint64_t seed = 88172645463325252u, bad;

static _Noreturn void die_saying(const char *what)
{
	perror(what);
	exit(2);
}

static _Noreturn void complain(const char *what, const char *detail)
{
	fprintf(stderr, "bench queries: %s: %.300s\n", what, detail);
	exit(2);
}

static const struct piece *any_position(void)
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return &positions[(seed >> 20) % position_count];
}

static void read_positions(const char *path)
{
	int fd = open(path, O_RDONLY);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	char *text = size > 0 ? malloc((size_t)size) : NULL;
	if (!text || pread(fd, text, (size_t)size, 0) != size)
		die_saying(path);
	close(fd);
	for (off_t i = 0; i < size; i++)
		position_count += text[i] == '\n';
	positions = calloc(position_count + 1, sizeof *positions);
	if (!positions || !position_count)
		die_saying(path);
	for (size_t i = 0; i < position_count; i++) {
		char *end = strchr(text, '\n');
		positions[i] = (struct piece){text, (size_t)(end - text)};
		text = end + 1;
	}
}

/* --- sockets ------------------------------------------------------------------------------ */

static int connect_to(const char *address)
{
	char host[128];
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
	int one = 1;
	snprintf(host, sizeof host, "%s", address);
	char *colon = strrchr(host, ':');
	if (!colon)
		complain("not an address", address);
	*colon = 0;
	if (getaddrinfo(host, colon + 1, &hints, &list))
		complain("not an address", address);
	int fd = socket(list->ai_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, list->ai_addr, list->ai_addrlen))
		die_saying(address);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	freeaddrinfo(list);
	return fd;
}

static void send_all(int fd, const char *data, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = write(fd, data + at, size - at);
		if (n < 0 && errno == EAGAIN)
			continue; /* a request fits into the socket's buffer, unless it is large; then the server reads
				     it now */
		if (n < 0 && errno != EINTR)
			die_saying("write");
		at += n > 0 ? (size_t)n : 0;
	}
}

/* --- requests ----------------------------------------------------------------------------- */

static char *put(char *p, const char *text, size_t size)
{
	memcpy(p, text, size);
	return p + size;
}

static char *put_text(char *p, const char *text)
{
	return put(p, text, strlen(text));
}

static char *put_number(char *p, size_t number)
{
	char digits[24];
	size_t at = sizeof digits;
	do
		digits[--at] = (char)('0' + number % 10);
	while (number /= 10);
	return put(p, digits + at, sizeof digits - at);
}

static char *put_bulk(char *p, const char *prefix, const struct piece *piece)
{
	size_t before = prefix ? strlen(prefix) + 1 : 0;
	*p++ = '$';
	p = put_number(p, before + piece->size);
	p = put(p, "\r\n", 2);
	if (prefix) {
		p = put(p, prefix, before - 1);
		*p++ = '/';
	}
	p = put(p, piece->text, piece->size);
	return put(p, "\r\n", 2);
}

static size_t resp_request(char *out)
{
	char *p = out;
	*p++ = '*';
	p = put_number(p, 1 + keys);
	p = put_text(p, keys == 1 ? "\r\n$3\r\nGET\r\n" : "\r\n$4\r\nMGET\r\n");
	for (unsigned i = 0; i < keys; i++)
		p = put_bulk(p, game, any_position());
	return (size_t)(p - out);
}

static size_t json_request(char *out, const struct piece *list, unsigned count)
{
	static size_t id;
	char *p = put_text(out, "{\"jsonrpc\":\"2.0\",\"id\":");
	p = put_number(p, ++id);
	p = put_text(p, ",\"method\":\"fact.query\",\"params\":{\"game\":\"");
	p = put_text(p, game);
	p = put_text(p, count == 1 ? "\",\"position\":\"" : "\",\"positions\":[\"");
	for (unsigned i = 0; i < count; i++) {
		const struct piece *piece = list ? &list[i] : any_position();
		if (i)
			p = put(p, "\",\"", 3);
		p = put(p, piece->text, piece->size);
	}
	p = put_text(p, count == 1 ? "\"}}\n" : "\"]}}\n");
	return (size_t)(p - out);
}

/* A position in a query string. */
static char *put_escaped(char *p, const struct piece *piece)
{
	static const char digits[] = "0123456789ABCDEF";
	for (size_t i = 0; i < piece->size; i++) {
		unsigned char c = (unsigned char)piece->text[i];
		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
			*p++ = (char)c;
			continue;
		}
		*p++ = '%';
		*p++ = digits[c >> 4];
		*p++ = digits[c & 15];
	}
	return p;
}

static size_t http_request(char *out)
{
	char *p = put_text(out, "GET /query?game=");
	p = put_text(p, game);
	p = put_text(p, "&position=");
	p = put_escaped(p, any_position());
	p = put_text(p, " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	return (size_t)(p - out);
}

enum { WS_HEAD = 14 };

/* A frame with a mask. */
static size_t ws_request(char *out)
{
	static const unsigned char mask[4] = {0x37, 0xfa, 0x21, 0x3d};
	size_t size = json_request(out + WS_HEAD, NULL, keys) - 1; /* without the newline */
	size_t extra = size < 126 ? 0 : size < 65536 ? 2 : 8;
	out[0] = (char)0x81;
	out[1] = (char)(0x80 | (extra == 8 ? 127 : extra ? 126 : (int)size));
	for (size_t i = 0; i < extra; i++)
		out[2 + i] = (char)(size >> 8 * (extra - 1 - i));
	memcpy(out + 2 + extra, mask, sizeof mask);
	memmove(out + 6 + extra, out + WS_HEAD, size);
	for (size_t i = 0; i < size; i++)
		out[6 + extra + i] = (char)(out[6 + extra + i] ^ mask[i & 3]);
	return size + 6 + extra;
}

/* --- replies ------------------------------------------------------------------------------ */

/* The number in a RESP line at the parsed end; false while the line is not whole. */
static bool resp_number(struct conn *c, char kind, long *number)
{
	char *line = c->in + c->parsed, *end = memchr(line, '\n', c->in_size - c->parsed);
	if (!end)
		return false;
	if (*line != kind)
		complain("an unexpected reply", line);
	*number = strtol(line + 1, NULL, 10);
	c->parsed = (size_t)(end + 1 - c->in);
	return true;
}

static bool resp_done(struct conn *c)
{
	long size;
	if (c->awaited < 0 && keys == 1)
		c->awaited = 1;
	if (c->awaited < 0 && !resp_number(c, '*', &c->awaited))
		return false;
	while (c->awaited) {
		size_t before = c->parsed;
		if (!resp_number(c, '$', &size))
			return false;
		if (size >= 0 && c->in_size - c->parsed < (size_t)size + 2) {
			c->parsed = before;
			return false;
		}
		c->parsed += size < 0 ? 0 : (size_t)size + 2;
		bad += size < 0;
		c->awaited--;
	}
	return true;
}

static bool json_done(struct conn *c)
{
	if (c->in[c->in_size - 1] != '\n')
		return false;
	bad += !strstr(c->in, "{\"facts\":[{\"lo\""); /* near the beginning, when it is there */
	return true;
}

static bool http_done(struct conn *c)
{
	char *body = strstr(c->in, "\r\n\r\n"), *length = body ? strstr(c->in, "Content-Length: ") : NULL;
	if (!length)
		return false;
	if (c->in_size < (size_t)(body + 4 - c->in) + strtoul(length + 16, NULL, 10))
		return false;
	bad += strncmp(c->in, "HTTP/1.1 200", 12) != 0 || !strstr(body, "\"source\":");
	return true;
}

static bool ws_done(struct conn *c)
{
	size_t size = c->in_size > 1 ? (unsigned char)c->in[1] : 127, extra = size == 127 ? 8 : size == 126 ? 2 : 0;
	if (c->in_size < 2 + extra)
		return false;
	for (size_t i = 0; i < extra; i++)
		size = (i ? size << 8 : 0) | (unsigned char)c->in[2 + i];
	if (c->in_size < 2 + extra + size)
		return false;
	bad += !strstr(c->in + 2 + extra, "{\"facts\":[{\"lo\"");
	return true;
}

/* Makes a WebSocket of the connection. */
static void upgrade(struct conn *c)
{
	static const char request[] =
		"GET /rpc HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
	send_all(c->fd, request, sizeof request - 1);
	for (ssize_t n; !c->in_size || !strstr(c->in, "\r\n\r\n"); c->in_size += (size_t)n) {
		n = read(c->fd, c->in + c->in_size, 4096);
		if (n <= 0)
			die_saying("upgrade");
		c->in[c->in_size + (size_t)n] = 0;
	}
	if (strncmp(c->in, "HTTP/1.1 101", 12) != 0)
		complain("no WebSocket", c->in);
}

/* --- measuring ---------------------------------------------------------------------------- */

/* Nanoseconds of processor time of a process, or of its first thread alone. */
static uint64_t cpu_ns(int pid, bool first)
{
	char path[300];
	unsigned long long ns;
	uint64_t sum = 0;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, e->d_name);
		FILE *file = e->d_name[0] != '.' && (!first || atoi(e->d_name) == pid) ? fopen(path, "r") : NULL;
		if (file && fscanf(file, "%llu", &ns) == 1)
			sum += ns;
		if (file)
			fclose(file);
	}
	if (dir)
		closedir(dir);
	return sum;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static void print_report(size_t count, uint64_t ns, uint64_t server_ns)
{
	size_t kept = count < SAMPLES_MAX ? count : SAMPLES_MAX;
	qsort(samples, kept, sizeof *samples, by_size);
	printf("{\"requests\": %zu, \"rate\": %.1f, \"keys\": %.1f, \"p50_us\": %.1f, \"p99_us\": %.1f, \"max_us\": "
	       "%.1f, \"cpu_us\": %.2f, "
	       "\"bad\": %llu}\n",
	       count, (double)count * 1e9 / (double)ns, (double)count * keys * 1e9 / (double)ns,
	       samples[kept / 2] / 1e3, samples[kept * 99 / 100] / 1e3, samples[kept - 1] / 1e3,
	       (double)server_ns / 1e3 / (double)count, (unsigned long long)bad);
}

static void send_request(struct conn *c)
{
	c->out_size = redis  ? resp_request(c->out)
		      : http ? http_request(c->out)
		      : ws   ? ws_request(c->out)
			     : json_request(c->out, NULL, keys);
	c->in_size = c->parsed = 0;
	c->awaited = -1;
	c->sent = pd_now_ns();
	send_all(c->fd, c->out, c->out_size);
}

/* Takes in what has come; true when the reply is whole. */
static bool receive(struct conn *c)
{
	ssize_t n = read(c->fd, c->in + c->in_size, REPLY_MAX - c->in_size);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0)
		complain("the server ended the connection", strerror(errno));
	c->in_size += (size_t)n;
	c->in[c->in_size] = 0;
	return redis ? resp_done(c) : http ? http_done(c) : ws ? ws_done(c) : json_done(c);
}

static void sample(size_t *count, uint64_t sent)
{
	uint64_t took = pd_now_ns() - sent;
	samples[(*count)++ % SAMPLES_MAX] = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
}

/* For some seconds, or until `most` requests are sent. */
static size_t closed_loop(struct conn *conns, unsigned count, double seconds, size_t most)
{
	struct epoll_event events[CONNECTIONS_MAX];
	size_t done = 0;
	int poll = epoll_create1(0);
	uint64_t end = pd_now_ns() + (uint64_t)(seconds * 1e9);
	for (unsigned i = 0; i < count; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &conns[i]};
		epoll_ctl(poll, EPOLL_CTL_ADD, conns[i].fd, &event);
		send_request(&conns[i]);
	}
	for (unsigned open = count; open;) {
		int n = epoll_wait(poll, events, CONNECTIONS_MAX, 10000);
		if (n <= 0)
			die_saying("epoll_wait");
		for (int i = 0; i < n; i++) {
			struct conn *c = events[i].data.ptr;
			if (!receive(c))
				continue;
			sample(&done, c->sent);
			if (pd_now_ns() < end && done + open <= most)
				send_request(c);
			else
				open--;
		}
	}
	close(poll);
	return done;
}

/* The client's own late wake-up is not the server's: counted from when it could send, unless a reply was late. */
static size_t paced(struct conn *c, double seconds, unsigned rate)
{
	uint64_t start = pd_now_ns(), gap = 1000000000 / rate;
	size_t done = 0, total = (size_t)(seconds * rate);
	while (done < total) {
		uint64_t due = start + done * gap, now = pd_now_ns();
		struct timespec wait = {0, (long)(due - now)};
		if (now < due)
			nanosleep(&wait, NULL);
		send_request(c);
		while (!receive(c))
			;
		sample(&done, now > due ? due : c->sent);
	}
	return done;
}

static void measure_queries(int argc, char **argv)
{
	unsigned count = (unsigned)atoi(argv[5]), rate = argc > 9 ? (unsigned)atoi(argv[9]) : 0;
	int pid = argc > 8 ? atoi(argv[8]) : 0;
	size_t most = strchr(argv[7], 'x') ? (size_t)atol(argv[7]) : SIZE_MAX;
	double seconds = most == SIZE_MAX ? atof(argv[7]) : 1e9;
	keys = (unsigned)atoi(argv[6]);
	if (!count || count > CONNECTIONS_MAX || !keys || keys > (http ? 1 : 10000) || (rate && count > 1))
		complain("out of range", "CONNECTIONS, KEYS or RATE");
	struct conn *conns = calloc(count, sizeof *conns);
	for (unsigned i = 0; i < count; i++) {
		conns[i].fd = connect_to(argv[2]);
		conns[i].out = malloc(REQUEST_MAX);
		conns[i].in = malloc(REPLY_MAX + 1);
		if (ws)
			upgrade(&conns[i]);
		if (!rate)
			fcntl(conns[i].fd, F_SETFL, O_NONBLOCK);
	}
	uint64_t cpu = cpu_ns(pid, rate), start = pd_now_ns();
	size_t done = rate ? paced(conns, seconds, rate) : closed_loop(conns, count, seconds, most);
	uint64_t end = pd_now_ns();
	print_report(done, end - start, cpu_ns(pid, rate) - cpu);
}

/* --- copying ------------------------------------------------------------------------------ */

/* What proofd says of some positions, each into Redis. Facts are objects without objects inside. */
static void copy_some(struct conn *from, struct conn *to, const struct piece *list, unsigned count)
{
	from->in_size = 0;
	send_all(from->fd, from->out, json_request(from->out, list, count));
	while (!receive(from))
		;
	char *p = strstr(from->in, "\"facts\":[{"), *q = to->out;
	if (!p)
		complain("an unexpected reply", from->in);
	p += 8;
	for (unsigned i = 0; i < count; i++) {
		p = strchr(p, '{');
		char *end = p ? strchr(p, '}') : NULL;
		if (!end)
			complain("an unexpected reply", "too few facts");
		struct piece fact = {p, (size_t)(end + 1 - p)};
		q = put_text(q, "*3\r\n$3\r\nSET\r\n");
		q = put_bulk(q, game, &list[i]);
		q = put_bulk(q, NULL, &fact);
		p = end;
	}
	send_all(to->fd, to->out, (size_t)(q - to->out));
	for (size_t got = 0; got < 5 * count;) { /* "+OK\r\n" each */
		ssize_t n = read(to->fd, to->in, REPLY_MAX);
		if (n <= 0 || to->in[0] == '-')
			complain("redis does not take the facts", to->in);
		got += (size_t)n;
	}
}

static void copy(char **argv)
{
	struct conn from = {.fd = connect_to(argv[2]), .out = malloc(REQUEST_MAX), .in = malloc(REPLY_MAX + 1)};
	struct conn to = {.fd = connect_to(argv[3]), .out = malloc(REQUEST_MAX), .in = calloc(1, REPLY_MAX + 1)};
	for (size_t i = 0; i < position_count; i += COPY_KEYS)
		copy_some(&from, &to, positions + i,
			  (unsigned)(position_count - i < COPY_KEYS ? position_count - i : COPY_KEYS));
}

PROGRAM(queries)
{
	bool copying = argc == 6 && !strcmp(argv[1], "copy");
	redis = argc > 1 && !strcmp(argv[1], "redis");
	http = argc > 1 && !strcmp(argv[1], "http");
	ws = argc > 1 && !strcmp(argv[1], "ws");
	if (!copying && (argc < 8 || argc > 10 || (!redis && !http && !ws && strcmp(argv[1], "proofd") != 0))) {
		fprintf(stderr,
			"usage: bench queries proofd|redis|http|ws HOST:PORT GAME POSITIONS CONNECTIONS KEYS LENGTH "
			"[PID [RATE]]\n"
			"       bench queries copy PROOFD REDIS GAME POSITIONS\n");
		return 2;
	}
	game = argv[copying ? 4 : 3];
	read_positions(argv[copying ? 5 : 4]);
	if (copying)
		copy(argv);
	else
		measure_queries(argc, argv);
	return 0;
}
