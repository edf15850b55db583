#include "tests/support/liar.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/support/storedir.h"
#include "tests/support/suite.h"

const char liar_hello[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"limits\":{}}}\n";
const char liar_silence[] = "(silence)";

/* Reads the next line and keeps it as far as there is room; false at the end of the connection. */
static bool take_line(struct liar *l, int fd)
{
	char byte, *line = l->got_count < LIAR_LINES ? l->got[l->got_count++] : NULL;
	size_t size = 0;
	ssize_t n;
	while ((n = recv(fd, &byte, 1, 0)) == 1 && byte != '\n')
		if (line && size < LIAR_BYTES - 1)
			line[size++] = byte;
	if (line)
		line[size] = 0;
	return n == 1;
}

static void serve_client(struct liar *l, int fd)
{
	char byte;
	bool silent = false;
	l->got_count = 0;
	for (unsigned i = 0; i < LIAR_LINES && l->line[i] && !silent; i++) {
		const char *line = l->line[i];
		silent = line == liar_silence;
		if (!take_line(l, fd) || (!silent && send(fd, line, strlen(line), MSG_NOSIGNAL) < 0))
			break;
	}
	if (!silent)
		shutdown(fd, SHUT_WR);
	while (recv(fd, &byte, 1, 0) == 1)
		;
	close(fd);
}

static void *serve_all(void *arg)
{
	struct liar *l = arg;
	int fd;
	while ((fd = accept(l->listener, NULL, NULL)) >= 0) {
		serve_client(l, fd);
		if (write(l->done[1], "", 1) != 1)
			abort();
	}
	return NULL;
}

void liar_start(struct liar *l)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	storedir_new(l->dir, sizeof l->dir);
	snprintf(l->path, sizeof l->path, "%s/socket", l->dir);
	ck_assert(!pipe(l->done));
	ck_assert_uint_lt(strlen(l->path), sizeof at.sun_path);
	memcpy(at.sun_path, l->path, strlen(l->path));
	l->listener = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert(!bind(l->listener, (struct sockaddr *)&at, sizeof at) && !listen(l->listener, 5));
	ck_assert(!pthread_create(&l->thread, NULL, serve_all, l));
}

void liar_wait(const struct liar *l)
{
	char byte;
	ck_assert(read(l->done[0], &byte, 1) == 1);
}

void liar_end(struct liar *l)
{
	shutdown(l->listener, SHUT_RDWR);
	pthread_join(l->thread, NULL);
	close(l->listener);
	close(l->done[0]);
	close(l->done[1]);
	storedir_remove(l->dir);
}
