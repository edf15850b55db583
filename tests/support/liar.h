/* Liar: a server on a Unix socket that gives prepared answers, whatever the request. */
#pragma once

#include <pthread.h>

enum { LIAR_LINES = 8, LIAR_BYTES = 300 };

/* Answers the n-th line of a connection with `line[n]`, then hangs up. */
struct liar {
	char dir[256], path[280];
	const char *_Atomic line[LIAR_LINES]; /* NULL ends the list; may be changed between lines */
	char got[LIAR_LINES][LIAR_BYTES];     /* lines of the last connection, cut; valid after liar_wait */
	unsigned got_count;
	int listener;
	int done[2]; /* a pipe: one byte for each ended connection */
	pthread_t thread;
};

/* The answer to a greeting. */
extern const char liar_hello[];
/* Instead of a line: no answer, until the client hangs up. */
extern const char liar_silence[];

/* `line` must be set; the address is l->path. */
void liar_start(struct liar *l);
/* Waits until a connection has ended. */
void liar_wait(const struct liar *l);
void liar_end(struct liar *l);
