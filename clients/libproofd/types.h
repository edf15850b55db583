/* Types of client.h that the other files of libproofd also use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct proofd;         /* a connection */
struct proofd_pending; /* a call under way */
struct proofd_watch;   /* of one job; a slow reader misses states, but never the last one */

struct proofd_reply; /* owns what a call has returned */
/* A part of it, borrowed. NULL stands for a missing value and may be passed to all functions. */
typedef const struct proofd_part *proofd_value;

/* A query whose facts are read as JSON. */
struct proofd_asked {
	const char *game;
	const char *const *positions;
	size_t count;
	bool each_move;       /* member `moves` of each fact */
	const char *notation; /* of moves; NULL: the game's own */
};
