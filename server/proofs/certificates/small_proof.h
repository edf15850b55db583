/* Small proof: a proof of one bound of one position while it is being found, for compress.h.
 *
 * A node is a position that needs a record, found by its key. A thread first claims it, then decides it: by a theorem
 * or a card, by one move, or by all moves. A node that moves decide is done once what is below it is done. Cards are
 * strategies by weights (solver/strategies.h), numbered in the order in which they were learned. */
#pragma once

#include "proto/base/buf.h"
#include "proto/base/mutex.h"
#include "solver/claim_oracle.h"
#include "solver/strategies.h"

enum sv_small_kind { SV_SMALL_OPEN, SV_SMALL_ALL, SV_SMALL_MOVE, SV_SMALL_CARD, SV_SMALL_THEOREM };

enum { SV_SMALL_RECENT = 24, SV_SMALL_NONE = UINT32_MAX };

struct sv_small_node {
	size_t key_at; /* place of its key */
	uint16_t size; /* bytes of its key */
	uint16_t move; /* in the key's frame, of SV_SMALL_MOVE */
	uint16_t rank; /* once it is written; 0: it is not */
	uint8_t kind;  /* enum sv_small_kind */
	uint8_t owner; /* 1 + the thread that decides it; 0: none */
	bool tried;    /* no card was found for it */
	bool done;
	uint32_t card; /* of SV_SMALL_CARD */
};

/* Nodes by their keys. */
struct sv_small_nodes {
	struct sv_small_node *list; /* owned */
	uint32_t *slots;            /* owned; index + 1 */
	size_t count, room;
	struct pd_buf keys;
};

/* Shared by the threads of one compression; what is not constant is under the lock. */
/* Cards that an earlier proof uses, most used first. */
struct sv_small_order {
	uint32_t *card; /* owned; with `again` alone */
	uint32_t count;
};

struct sv_small_proof {
	const struct game *game; /* borrowed */
	int bound;               /* First gets at least that, or at most */
	bool first;              /* the bound is a lower one: W is First */
	unsigned squares;
	uint32_t limit; /* positions of one strategy */
	const void *root;
	struct pn_oracle oracle;
	struct pd_mutex lock;
	pthread_cond_t changed;
	struct sv_small_nodes now, old; /* old: an earlier proof, constant during a walk; first the certificate's */
	bool again;                     /* `now` repeats it */
	bool plain;                     /* `now` follows it without cards */
	uint64_t account;               /* what the search for cards may spend, as effort_of in small_walk.c */
	struct sv_small_order order;
	struct pd_buf cards; /* weights, `squares` bytes a card */
	uint32_t card_count;
	uint32_t recent[SV_SMALL_RECENT]; /* cards, the last one used first */
	unsigned recent_count;
	uint64_t decided[SV_SMALL_THEOREM + 1]; /* nodes by kind */
	uint64_t nodes;                         /* that the oracle searched */
	uint64_t steps;                         /* nodes decided or done; threads wait for a change */
	double share;                           /* of the walk that is done, roughly, 0 to 1 */
	bool stop;
	struct pd_fail fail; /* code 0: none */
};

static inline int sv_small_threshold(const struct sv_small_proof *p)
{
	return p->first ? p->bound : p->bound + p->game->value_step;
}

/* The node of a key, NULL: there is none. Borrowed until a node is added. */
struct sv_small_node *sv_small_find(const struct sv_small_nodes *nodes, const uint8_t *key, size_t size);
/* The same, or a new open one; NULL without memory. */
struct sv_small_node *sv_small_add(struct sv_small_nodes *nodes, const uint8_t *key, size_t size);
void sv_small_nodes_init(struct sv_small_nodes *nodes);
void sv_small_nodes_fini(struct sv_small_nodes *nodes);

/* Adds a card, and returns its number. SV_SMALL_NONE without memory. Under the lock. */
uint32_t sv_small_add_card(struct sv_small_proof *p, const int8_t *weights);
/* Copies a card. Under the lock. */
void sv_small_card(const struct sv_small_proof *p, uint32_t card, int8_t *weights);
/* Puts a card to the front of the recent ones. Under the lock. */
void sv_small_use(struct sv_small_proof *p, uint32_t card);

/* Keeps the proof in a file, and reads it again: false when there is none, or it is not of the same question. Under the
 * lock. PD_E_IO. */
int sv_small_save(const struct sv_small_proof *p, const char *path, struct pd_fail *fail);
bool sv_small_load(struct sv_small_proof *p, const char *path);
