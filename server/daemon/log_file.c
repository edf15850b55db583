#include "server/daemon/log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/print.h"

/* JOURNAL_STREAM is DEVICE:INODE of the stream that systemd has connected (systemd.exec(5)). */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;
	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && !fstat(STDERR_FILENO, &st) &&
	       st.st_dev == (dev_t)device && st.st_ino == (ino_t)inode;
}

/* Opens without blocking. A descriptor, or -1 with *fail. */
static int open_file(const char *path, struct pd_fail *fail)
{
	struct stat st;
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
	if (fd < 0 || fstat(fd, &st)) {
		pd_fail_set(fail, PD_E_USAGE, "log-file", "--log-file: cannot write %.200s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		pd_fail_set(fail, PD_E_USAGE, "log-file", "--log-file: %.200s is not a regular file", path);
	} else {
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

int dm_log_reopen(const char *path, struct pd_fail *fail)
{
	PD_ASSERT(path);
	int fd = open_file(path, fail);
	if (fd < 0)
		return fail->code;
	int before = pd_log_to(fd);
	if (before != STDERR_FILENO)
		close(before);
	return PD_OK;
}

static enum pd_log_form choose_form(enum dm_log_form form, const char *path)
{
	switch (form) {
	case DM_LOG_AS_TEXT:
		return PD_LOG_TEXT;
	case DM_LOG_AS_JSON:
		return PD_LOG_JSON;
	case DM_LOG_AS_JOURNAL:
		return PD_LOG_JOURNAL;
	case DM_LOG_DEFAULT:
		break;
	}
	return !path && stderr_is_journal() ? PD_LOG_JOURNAL : PD_LOG_TEXT;
}

int dm_log_begin(enum pd_log_level level, enum dm_log_form form, const char *path, struct pd_fail *fail)
{
	pd_log_threshold(level);
	pd_log_form(choose_form(form, path));
	return path ? dm_log_reopen(path, fail) : PD_OK;
}

void dm_log_failure(const struct pd_fail *failure, enum dm_log_form form, const char *path)
{
	struct pd_buf text;
	bool plain = choose_form(form, path) == PD_LOG_TEXT;
	if (path || !plain)
		pd_log(PD_LOG_ERROR, "%s", failure->text);
	if (!path && !plain)
		return;
	pd_buf_init(&text, PIPE_BUF);
	pd_buf_show(&text, "proofd: %s\n", failure->text);
	pd_write_now(STDERR_FILENO, text.data, text.size); /* stdio would block while stderr is a full pipe */
	pd_buf_fini(&text);
}
