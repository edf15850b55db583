/* Lines: see lines.h. */
#include "clients/lines.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/assert.h"

bool cl_lines_init(struct cl_lines *lines)
{
	*lines = (struct cl_lines){.in = malloc(2 * CL_LINE_MAX + 2)};
	return lines->in != NULL;
}

void cl_lines_fini(struct cl_lines *lines)
{
	free(lines->in);
	lines->in = NULL;
}

/* Takes a line off the buffer: it is moved behind what is left, where it stays until the next call. */
static char *cut(struct cl_lines *lines)
{
	char *line = lines->in + CL_LINE_MAX + 1, *end = memchr(lines->in, '\n', lines->count);
	size_t size = end ? (size_t)(end - lines->in) : lines->count;
	if (!end && (!lines->count || (!lines->ended && lines->count < CL_LINE_MAX)))
		return NULL;
	PD_ASSERT(size <= CL_LINE_MAX && lines->count <= CL_LINE_MAX);
	memcpy(line, lines->in, size);
	line[size] = 0;
	if (size && line[size - 1] == '\r')
		line[size - 1] = 0;
	lines->count -= size + (end != NULL);
	memmove(lines->in, lines->in + size + (end != NULL), lines->count);
	return line;
}

char *cl_lines_next(struct cl_lines *lines, int wait_ms)
{
	for (;;) {
		char *line = cut(lines);
		if (line || lines->ended)
			return line;
		struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
		int ready = poll(&fd, 1, wait_ms);
		if (ready == 0 || (ready < 0 && errno == EINTR))
			return NULL;
		ssize_t n = read(STDIN_FILENO, lines->in + lines->count, CL_LINE_MAX - lines->count);
		if (n > 0)
			lines->count += (size_t)n;
		else
			lines->ended = n == 0 || errno != EINTR;
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
