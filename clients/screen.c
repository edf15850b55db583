#include "clients/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/print.h"
#include "proto/base/utf8.h"

enum { FRAME_MAX = 1 << 20 /* bytes of a frame */ };

static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *value = NULL;
	for (unsigned i = 0; i < sizeof names / sizeof *names && !(value && *value); i++)
		value = getenv(names[i]);
	const char *set = value ? strchr(value, '.') : NULL;
	return set && (!strncasecmp(set, ".utf-8", 6) || !strncasecmp(set, ".utf8", 5));
}

static void write_text(const struct cl_screen *s, const char *text)
{
	fwrite(text, 1, strlen(text), s->file);
	fflush(s->file);
}

static sigset_t stop_signal(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	return set;
}

/* Reads keys if this process is in the foreground of its terminal. */
static void take_keys(struct cl_screen *s)
{
	s->keys = isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() && !tcgetattr(STDIN_FILENO, &s->before);
	if (s->keys) {
		struct termios raw = s->before;
		raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
		raw.c_iflag &= ~(tcflag_t)ICRNL;
		raw.c_cc[VMIN] = 0;
		raw.c_cc[VTIME] = 0;
		s->keys = !tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
	}
}

static void enter_screen(struct cl_screen *s)
{
	take_keys(s);
	write_text(s, "\033[?1049h\033[?25l");
	s->open = true;
}

static void leave_screen(struct cl_screen *s)
{
	write_text(s, "\033[?25h\033[?1049l");
	if (s->keys)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
	s->open = s->keys = false;
}

void cl_screen_open(struct cl_screen *s, FILE *file)
{
	sigset_t set = stop_signal();
	PD_ASSERT(cl_is_terminal(file));
	*s = (struct cl_screen){.file = file, .utf8 = is_utf8(), .ink = cl_ink_of(file)};
	pd_buf_init(&s->frame, FRAME_MAX);
	sigprocmask(SIG_BLOCK, &set, NULL);
	enter_screen(s);
}

void cl_screen_close(struct cl_screen *s)
{
	sigset_t set = stop_signal();
	if (!s->open)
		return;
	leave_screen(s);
	pd_buf_fini(&s->frame);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* On Ctrl-Z (SIGTSTP): restores the terminal, stops, and redraws after it continues. */
static void stop_when_asked(struct cl_screen *s)
{
	sigset_t set = stop_signal();
	const struct timespec now = {0, 0};
	if (sigtimedwait(&set, NULL, &now) != SIGTSTP)
		return;
	leave_screen(s);
	raise(SIGSTOP);
	enter_screen(s);
	s->height = 0;
}

bool cl_screen_resized(const struct cl_screen *s)
{
	return cl_width(s->file) - 1 != s->width || cl_height(s->file) != s->height;
}

void cl_screen_begin(struct cl_screen *s)
{
	PD_ASSERT(s->open);
	s->width = cl_width(s->file) - 1; /* a character in the last column would wrap the line */
	s->height = cl_height(s->file);
	s->column = s->line = 0;
	pd_buf_reset(&s->frame);
	pd_buf_puts(&s->frame, "\033[H");
}

void cl_screen_put(struct cl_screen *s, const char *ink, const char *format, ...)
{
	struct pd_buf text;
	va_list args;
	if (s->line >= s->height)
		return;
	pd_buf_init(&text, FRAME_MAX);
	va_start(args, format);
	pd_buf_vshow(&text, format, args);
	va_end(args);
	pd_buf_puts(&s->frame, ink);
	for (size_t at = 0, size; at < text.size && s->column < s->width; s->column++, at += size) {
		size = pd_utf8_length(text.data + at, text.size - at);
		PD_ASSERT(size);
		pd_buf_put(&s->frame, text.data + at, size);
	}
	pd_buf_fini(&text);
	if (*ink)
		pd_buf_puts(&s->frame, s->ink.off);
}

void cl_screen_to(struct cl_screen *s, unsigned column)
{
	if (column > s->column)
		cl_screen_put(s, "", "%*s", (int)(column - s->column), "");
}

void cl_screen_newline(struct cl_screen *s)
{
	if (s->line + 1 < s->height)
		pd_buf_puts(&s->frame, "\033[K\n");
	s->line++;
	s->column = 0;
}

void cl_screen_wrap(struct cl_screen *s, const char *ink, const char *text, unsigned indent, unsigned lines)
{
	unsigned room = s->width > indent ? s->width - indent : 1;
	for (unsigned i = 0; i < lines && *text; i++) {
		size_t size = strlen(text);
		if (size > room) {
			size = room;
			while (size && text[size] != ' ')
				size--;
			size = size ? size : room;
		}
		cl_screen_to(s, indent);
		cl_screen_put(s, ink, "%.*s", (int)size, text);
		cl_screen_newline(s);
		text += size;
		text += strspn(text, " ");
	}
}

void cl_screen_end(struct cl_screen *s)
{
	pd_buf_puts(&s->frame, "\033[J");
	if (!s->frame.failed)
		fwrite(s->frame.data, 1, s->frame.size, s->file);
	fflush(s->file);
}

int cl_screen_key(struct cl_screen *s, unsigned wait_ms)
{
	unsigned char bytes[8];
	struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
	int ready = poll(&fd, s->keys ? 1 : 0, (int)wait_ms);
	stop_when_asked(s);
	if (!s->keys) {
		take_keys(s);
		if (s->keys)
			s->height = 0; /* back in the foreground: redraw over what others have written */
		return CL_KEY_NONE;
	}
	if (ready <= 0)
		return CL_KEY_NONE;
	ssize_t n = read(STDIN_FILENO, bytes, 1);
	if (n <= 0) { /* the terminal is closed */
		s->keys = n < 0 && (errno == EINTR || errno == EAGAIN);
		return CL_KEY_NONE;
	}
	if (bytes[0] == '\n')
		return CL_KEY_ENTER;
	if (bytes[0] != CL_KEY_ESCAPE)
		return bytes[0];
	n = poll(&fd, 1, 0) > 0 ? read(STDIN_FILENO, bytes + 1, 2) : 0;
	if (n == 2 && (bytes[1] == '[' || bytes[1] == 'O') && (bytes[2] == 'A' || bytes[2] == 'B'))
		return bytes[2] == 'A' ? CL_KEY_UP : CL_KEY_DOWN;
	return n > 0 ? CL_KEY_NONE : CL_KEY_ESCAPE;
}
