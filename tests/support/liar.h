/* Liar: a server on a Unix socket that answers without having understood. */
#pragma once

#include <pthread.h>

enum { LIAR_LINES = 8, LIAR_BYTES = 300 };

/* It answers the n-th line of a connection with `line[n]`, whatever was asked, and then hangs up. */
struct liar {
	char dir[256], path[280];
	const char *_Atomic line[LIAR_LINES]; /* NULL ends the list; may be changed for what comes next */
	char got[LIAR_LINES][LIAR_BYTES];     /* what came on the last connection, cut; to be read behind liar_wait */
	unsigned got_count;
	int listener;
	int done[2]; /* a pipe: a byte for each connection that has ended */
	pthread_t thread;
};

/* The answer to a greeting. */
extern const char liar_hello[];
/* In place of a line: nothing more is said, and the client hangs up. */
extern const char liar_silence[];

/* `line` is set; the address is l->path. */
void liar_start(struct liar *l);
/* Waits until a connection has ended. */
void liar_wait(const struct liar *l);
void liar_end(struct liar *l);
