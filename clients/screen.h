/* Screen: a whole terminal, drawn frame by frame, and the keys that are pressed.
 *
 * It is the terminal's alternate screen: closing it restores the previous contents. Each frame is drawn over the
 * last one; lines are cut to the width and the height of the terminal, which may change at any time. Keys arrive only
 * if stdin is that terminal, and while the process is in its foreground. Ctrl-Z first restores the terminal.
 */
#pragma once

#include <termios.h>

#include "clients/text.h"
#include "proto/base/buf.h"

enum { CL_KEY_NONE = 0, CL_KEY_ENTER = '\r', CL_KEY_ESCAPE = 27, CL_KEY_UP = 256, CL_KEY_DOWN };

struct cl_screen {
	FILE *file; /* borrowed */
	bool keys;  /* stdin gives keys */
	bool utf8;  /* the environment selects UTF-8 */
	bool open;
	struct termios before; /* settings of stdin before; only with `keys` */
	struct cl_ink ink;
	struct pd_buf frame;
	unsigned width, height; /* of the frame: usable columns, and lines */
	unsigned column, line;  /* where the next text goes */
};

/* `file` must be a terminal (cl_is_terminal). */
void cl_screen_open(struct cl_screen *screen, FILE *file);
/* Restores the terminal. May be called again. */
void cl_screen_close(struct cl_screen *screen);

/* A frame: begin, texts and ends of lines, end. */
void cl_screen_begin(struct cl_screen *screen);
/* Text on the current line, cut where it ends; `ink` is a member of screen->ink or "". Control characters are shown as 
 * proto/base/print.h says. */
void cl_screen_put(struct cl_screen *screen, const char *ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Fills the line with blanks up to that column. */
void cl_screen_to(struct cl_screen *screen, unsigned column);
void cl_screen_newline(struct cl_screen *screen);
/* At most `lines` lines of text, broken at blanks and indented. */
void cl_screen_wrap(struct cl_screen *screen, const char *ink, const char *text, unsigned indent, unsigned lines);
void cl_screen_end(struct cl_screen *screen);
/* True when the terminal has another size than the last frame. */
bool cl_screen_resized(const struct cl_screen *screen);

/* The next key within wait_ms milliseconds: a character or CL_KEY_...; CL_KEY_NONE when there is none. */
int cl_screen_key(struct cl_screen *screen, unsigned wait_ms);
