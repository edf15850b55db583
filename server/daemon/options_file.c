#include "server/daemon/options_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"

enum { FILE_MAX = 1 << 20 };

/* A file on its way through the parser. */
struct parsing {
	const char *path, *next, *end; /* next: the first byte that is not read yet */
	unsigned line;                 /* the one that was read last */
	dm_take_line *take;
	void *ctx;
	struct pd_fail *fail;
	int rc; /* of the first failure, which is in `line` */
};

static int refuse_line(struct parsing *p, const char *name, const char *why)
{
	p->rc = pd_fail_set(p->fail, PD_E_USAGE, name, "%.120s:%u: %.180s", p->path, p->line, why);
	return p->rc;
}

/* ini.h's reader: the next line with its newline, but without leading blanks, which would make it a continuation. NULL
 * at the end or after an error. */
static char *read_line(char *out, int room, void *stream)
{
	struct parsing *p = stream;
	if (p->rc || p->next == p->end)
		return NULL;
	const char *newline = memchr(p->next, '\n', (size_t)(p->end - p->next));
	const char *end = newline ? newline + 1 : p->end, *begin = p->next;
	p->next = end;
	p->line++;
	while (begin < end && (*begin == ' ' || *begin == '\t'))
		begin++;
	size_t size = (size_t)(end - begin);
	PD_ASSERT(room > 0);
	bool blank = size && strchr(";#\r\n", *begin);
	if (memchr(begin, 0, size)) {
		refuse_line(p, "config", "the line contains a zero byte; this is not text");
	} else if (size && *begin == '[') {
		refuse_line(p, "config", "sections are not supported; a line is NAME = VALUE");
	} else if (size >= (size_t)room && !blank) {
		refuse_line(p, "config", "the line is too long");
	}
	if (p->rc)
		return NULL;
	if (blank) /* a comment may have any length */
		size = 0;
	memcpy(out, begin, size);
	if (!size)
		out[size++] = '\n';
	out[size] = 0;
	return out;
}

/* ini.h's handler; 0 for a failure. */
static int take_line(void *user, const char *section, const char *name, const char *value)
{
	struct parsing *p = user;
	struct pd_fail why;
	(void)section; /* there is none */
	if (p->rc)
		return 1;
	if (value[0] == '"' || value[0] == '\'') {
		refuse_line(p, name, "values have no quotes");
		return 1;
	}
	if (p->take(p->ctx, &(struct dm_file_line){name, value, p->line}, &why))
		refuse_line(p, name, why.text);
	return 1;
}

int dm_options_file_parse(const char *path, struct dm_file_text text, dm_take_line *take, void *ctx,
			  struct pd_fail *fail)
{
	struct parsing p = {path, text.data, text.data + text.size, 0, take, ctx, fail, PD_OK};
	int wrong = ini_parse_stream(read_line, &p, take_line, &p);
	if (wrong < 0)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "config", "no memory to read %.200s", path);
	if (wrong && (!p.rc || (unsigned)wrong < p.line)) {
		p.line = (unsigned)wrong;
		refuse_line(&p, "config", "malformed; a line is NAME = VALUE, or a comment that begins with #");
	}
	return p.rc;
}

/* The whole file; *out is owned by the caller. */
static int read_all(const char *path, char **out, size_t *size, struct pd_fail *fail)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), why = 0;
	if (fd < 0 || fstat(fd, &st))
		why = errno;
	bool plain = !why && S_ISREG(st.st_mode) && st.st_size < FILE_MAX;
	char *text = plain ? malloc(FILE_MAX) : NULL;
	ssize_t n = 0;
	*size = 0;
	while (text && *size < FILE_MAX && (n = read(fd, text + *size, FILE_MAX - *size)) > 0)
		*size += (size_t)n;
	if (n < 0)
		why = errno;
	if (fd >= 0)
		close(fd);
	if (!why && text) {
		*out = text;
		return PD_OK;
	}
	free(text);
	if (why)
		return pd_fail_set(fail, PD_E_USAGE, "config", "--config: cannot read %.200s: %s", path, strerror(why));
	return plain ? pd_fail_set(fail, PD_E_NO_MEMORY, "config", "no memory to read %.200s", path)
		     : pd_fail_set(fail, PD_E_USAGE, "config",
				   "--config: %.200s is not a regular file of at most 1 MiB", path);
}

int dm_options_file_read(const char *path, dm_take_line *take, void *ctx, struct pd_fail *fail)
{
	char *text = NULL;
	size_t size = 0;
	int rc = read_all(path, &text, &size, fail);
	rc = rc ? rc : dm_options_file_parse(path, (struct dm_file_text){text, size}, take, ctx, fail);
	free(text);
	return rc;
}
