/* Tour: the walk of format 6 (proto/CERTIFICATE.md) over the positions that a proof needs.
 *
 * The walk begins at the root and asks at every position that needs a record why the bound holds there: by all moves,
 * by one move or by a card. The maker of the tour answers, from the symbols of a packed file, or from the records of a
 * plain one. The tour goes where the answer leads, and keeps the answers as records with the smallest ranks. It is the
 * same walk in both directions, so what is packed unpacks to the same records.
 *
 * A tour belongs to one thread. Every position that it enters is the root or a child of a position at which it asked;
 * the stack is on the heap. */
#pragma once

#include "clients/proofcheck/cert.h"
#include "clients/proofcheck/strategy_play.h"
#include "clients/proofcheck/key_table.h"

enum { CK_TOUR_SAFE_MAX = 16 }; /* of more moves all count as safe, which saves time */

enum ck_way { CK_BY_ALL, CK_BY_MOVE, CK_BY_CARD };

/* A position at which the walk asks. */
struct ck_stop {
	const struct ck_position *position; /* in the frame of its key */
	const uint8_t *key;
	size_t key_size;
	bool upper, wants; /* of the bound; its player is to move */
	int64_t bound;
	unsigned depth;              /* plies from the root */
	unsigned moves, safe;        /* legal moves; where the player of the bound moves, how many of them are safe */
	uint16_t move[CK_MOVES_MAX]; /* safe moves first, each part ascending */
};

/* The answer. */
struct ck_choice {
	enum ck_way way;
	unsigned place; /* of the move in the stop's list */
	unsigned theorem, size;
	const uint8_t *witness; /* copied */
};

/* Why a bound holds at an entry. */
struct ck_why {
	uint16_t rank; /* 0: the bound is not needed there */
	uint16_t move, theorem, size;
	uint8_t way;
	const uint8_t *witness; /* the tour's */
};

struct ck_entry {
	const uint8_t *key; /* the tour's */
	size_t key_size;
	struct ck_why why[2]; /* of the lower and of the upper bound */
};

struct ck_tour {
	const struct ck_game *game; /* borrowed */
	/* Answers, or returns false after it filled in the fault. */
	bool (*choose)(void *ctx, const struct ck_stop *stop, struct ck_choice *out, struct ck_fault *fault);
	void *ctx;
	int64_t bound[2];       /* of the walks: lower, upper */
	uint64_t most;          /* limit of `weight` */
	uint64_t most_played;   /* limit of ck_tour_played */
	uint64_t asked;         /* answers of zones that were asked, at most */
	uint64_t weight;        /* bytes of all keys and witnesses, and 16 for each reason */
	struct ck_entry *entry; /* owned; in the order of the walk, until ck_tour_sort */
	size_t entries, room;
	struct ck_table names;            /* by size and key: the indices of entries */
	struct ck_strategies *strategies; /* owned */
	struct ck_chunk *chunk;           /* owned: keys and witnesses */
	bool no_memory;
};

/* Walks from the root for both bounds of the header. False and a fault on failure, also for lack of memory (no_memory).
 * The caller fills in game, choose, ctx and most first; ck_tour_fini follows in any case. */
bool ck_tour_walk(struct ck_tour *tour, const struct ck_header *header, const struct ck_position *root,
		  struct ck_fault *fault);
/* The positions that strategies played out, and the answers of zones that were asked. */
uint64_t ck_tour_played(const struct ck_tour *tour);
/* Puts the entries into the order of their keys; nothing can be walked afterwards. */
void ck_tour_sort(struct ck_tour *tour);
void ck_tour_fini(struct ck_tour *tour);
