#include "clients/lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum { ROOM = 4 * CL_LINE_MAX }; /* bytes of input that has arrived */

bool cl_lines_init(struct cl_lines *lines)
{
	*lines = (struct cl_lines){.in = malloc(ROOM + CL_LINE_MAX + 1)};
	return lines->in != NULL;
}

void cl_lines_fini(struct cl_lines *lines)
{
	free(lines->in);
	lines->in = NULL;
}

/* Takes a line off the buffer; it is valid until the next call. A line without an end is copied to the space after the
 * buffer. */
static char *cut_line(struct cl_lines *lines)
{
	char *line = lines->in + lines->from;
	size_t look = lines->count < CL_LINE_MAX ? lines->count : CL_LINE_MAX;
	char *end = memchr(line, '\n', look);
	size_t size = end ? (size_t)(end - line) : look;
	if (!end && (!size || (!lines->ended && size < CL_LINE_MAX)))
		return NULL;
	PD_ASSERT(size <= CL_LINE_MAX && lines->from + lines->count <= ROOM);
	lines->zero = memchr(line, 0, size) != NULL;
	if (!end)
		line = memcpy(lines->in + ROOM, line, size);
	line[size] = 0;
	if (size && line[size - 1] == '\r')
		line[size - 1] = 0;
	if (!lines->begun && size >= 3 && !memcmp(line, "\xef\xbb\xbf", 3)) /* a byte order mark */
		line += 3;
	lines->begun = true;
	lines->partial = !end && size == CL_LINE_MAX;
	lines->from += size + (end != NULL);
	lines->count -= size + (end != NULL);
	return line;
}

/* Reads what has arrived: at least one byte unless the input has ended. */
static void fill_buffer(struct cl_lines *lines)
{
	if (lines->from + lines->count == ROOM || !lines->count) {
		memmove(lines->in, lines->in + lines->from, lines->count);
		lines->from = 0;
	}
	PD_ASSERT(lines->from + lines->count < ROOM);
	ssize_t n = read(STDIN_FILENO, lines->in + lines->from + lines->count, ROOM - lines->from - lines->count);
	if (n > 0)
		lines->count += (size_t)n;
	else
		lines->ended = n == 0 || errno != EINTR;
	lines->error = n < 0 && errno != EINTR ? errno : 0;
}

char *cl_lines_next(struct cl_lines *lines, int wait_ms)
{
	for (;;) {
		char *line = cut_line(lines);
		if (line || lines->ended)
			return line;
		struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
		int ready = poll(&fd, 1, wait_ms);
		if (ready == 0 || (ready < 0 && errno == EINTR))
			return NULL;
		fill_buffer(lines);
	}
}

char *cl_word_next(char **text)
{
	char *word = *text + strspn(*text, " \t");
	if (!*word)
		return NULL;
	char *end = word + strcspn(word, " \t");
	*text = *end ? end + 1 : end;
	*end = 0;
	return word;
}
