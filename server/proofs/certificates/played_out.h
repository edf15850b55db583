/* Playing out: what a certificate needs below the leaves that knowledge of the game decides.
 *
 * The search decides such a leaf at once (theorem and static_solve of solver/game_rules.h), but a certificate may need
 * an enormous number of positions for it. This header says where the plain search is pointless, counts the positions
 * that are played out, estimates how many there will be, and refuses what would be too large.
 *
 * The estimate is an extrapolation. The walk is depth first, so it finishes positions near the end of the game long
 * before the leaf itself. The sizes of what is finished grow by about the same factor with each ply of rank; the leaf's
 * own size is what the same growth gives for its rank. That is rough: for the 5,954,215 positions of mnk:5,5,5 the
 * first estimate was 457,000, the last one 7,980,000. So an export is only refused early when two estimates, the second
 * at double the positions, are far above the limit.
 *
 * Memory is limited by the positions, and by the size of the overlay (export.c). */
#pragma once

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "solver/games/game.h"

enum {
	SV_PLAYED_MAX = 50000000, /* positions of a certificate that may be played out */
	SV_PLAYED_SECONDS = 600,  /* of processor time for that */
	SV_PLAYED_RANKS = 512,    /* ranks from this on are not used for estimates */
	SV_PLAYED_EFFORTS = 33    /* bit lengths of an effort */
};

/* Of one export, for one thread. */
struct sv_played {
	const struct game *game;              /* borrowed */
	struct pd_buf open;                   /* needs that are being played out, from the leaf down; none: no leaf */
	uint64_t before;                      /* positions played out below earlier leaves */
	uint64_t check_at;                    /* positions played out at which the estimate is made again */
	uint64_t spent_ns, began_ns;          /* processor time below earlier leaves; when this leaf began */
	unsigned calls;                       /* of sv_played_check, which looks at the time now and then */
	bool far;                             /* the last estimate was far above the limit */
	uint64_t finished[SV_PLAYED_RANKS];   /* most positions below a finished need of that rank */
	uint32_t tried[SV_PLAYED_EFFORTS][2]; /* plain searches that missed, and that found, by bit length of effort */
	unsigned pointless;                   /* from this bit length on the plain search is not tried */
};

void sv_played_init(struct sv_played *played, const struct game *game);
void sv_played_fini(struct sv_played *played);

/* Appends what is counted so far to `out`, or sets it to such bytes; nothing is being played out. False: the bytes are
 * too few; else *p is behind them. */
void sv_played_save(const struct sv_played *played, struct pd_buf *out);
bool sv_played_load(struct sv_played *played, const uint8_t **p, const uint8_t *end);

/* Whether the game's knowledge gives the bound of a leaf at its position. */
bool sv_played_knows(const struct sv_played *played, const void *state, const struct pd_reason *leaf);

/* Whether to omit the plain search of a known leaf, because too many of those with at most its effort missed. */
bool sv_played_omits_search(const struct sv_played *played, const struct pd_reason *leaf);
/* Counts a plain search of a known leaf. */
void sv_played_count_search(struct sv_played *played, const struct pd_reason *leaf, bool found);

/* Whether what is justified now is played out, below a known leaf. */
bool sv_played_is_open(const struct sv_played *played);
/* A need is justified by the rules: `rank` of its reason, `stack` the size of the walk's stack without it, `positions`
 * of the certificate so far. PD_E_NO_MEMORY. */
int sv_played_open(struct sv_played *played, unsigned rank, size_t stack, uint64_t positions, struct pd_fail *fail);
/* The stack has that size: the needs above it are finished. */
void sv_played_close(struct sv_played *played, size_t stack, uint64_t positions);

/* PD_E_LIMIT when more positions are played out than may be, or for longer, or when two estimates in turn are far above
 * that. */
int sv_played_check(struct sv_played *played, uint64_t positions, struct pd_fail *fail);
/* Sets PD_E_LIMIT, with the estimate and what can be done instead. */
int sv_played_refuse(const struct sv_played *played, uint64_t positions, struct pd_fail *fail);
