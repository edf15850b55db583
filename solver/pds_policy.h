/* Policy: what distinguishes the members of the PDS family, which share one loop (pds.h): the thresholds of a child,
 * when a node is left, and how much level 2 may spend on a leaf. `pds` and `dfpn` are in pds_policy.c, `paper` is in
 * pds_paper.c. The functions are called once per turn of the loop, not per child. */
#pragma once

#include "solver/numbers.h"

struct pds;
struct pds_child;
struct pds_frame;
struct pn_options;
struct tree_rule;
struct tt;

/* One turn of a frame: its numbers, and the child that is searched next. */
struct pds_choice {
	struct num_sum sum; /* of the children */
	uint32_t num[2];    /* of the node */
	uint64_t others;    /* what the other children add to the chosen one's num[1 - k] in the sum */
	uint32_t second;    /* the least num[k] of the children that were not chosen; UINT32_MAX: there is none */
	const struct pds_child *child;
};

struct pds_policy {
	double epsilon;           /* of the 1+epsilon trick, unless the option says otherwise */
	bool running_floor;       /* children are compared by max(num[k], L), L the running lower bound of PDS */
	bool delayed_evaluation;  /* terminal positions are recognized when expanded; no cache, facts or static solve */
	bool game_numbers;        /* new children have the game's initial numbers, its own or mobility */
	bool links;               /* what several children share counts once (pds_snda.c) */
	bool hands;               /* in games with dominance open positions bound others (pds_hands.h) */
	bool controls_thresholds; /* where positions can come back: the rule of pds_tca.c instead of limited sums */
	const struct tree_rule *rule; /* of the engine `tree` alone; NULL: proof-number search */
	bool published;               /* TwoBig table, no adaptation before the table has lost 64 times its capacity */

	/* The numbers of a new child, whose position is `state`, behind the innermost frame, unless it has
	 * `game_numbers`. NULL: 1 and 1. Not called where leaves are evaluated by level 2. */
	void (*leaf_numbers)(struct pds *pds, const void *state, uint32_t num[2]);
	/* Sets the costs of the children just made of the innermost frame, from pds->moves. NULL: there are none. */
	void (*costs)(struct pds *pds, const struct pds_frame *f);
	/* The thresholds of the root when a claim starts. `num` are its numbers in the table; NULL: not there. */
	void (*root)(unsigned k, const uint32_t *num, uint32_t t[2]);
	/* Whether a node with these numbers is left. */
	bool (*reached)(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2]);
	/* Raises the thresholds of a frame that has reached them and is not left. */
	void (*raise)(const struct pds *pds, struct pds_frame *f, const uint32_t num[2]);
	/* The index of the open child to search next. NULL: the most promising one. */
	uint32_t (*select)(const struct pds *pds, const struct pds_frame *f);
	/* The thresholds for the chosen child. */
	void (*child)(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice, uint32_t t[2]);
	/* The numbers to store for a node that is solved on this path only: on other paths it is open. */
	void (*open_numbers)(const struct pds *pds, const struct pds_frame *f, uint32_t num[2]);
	/* The size limit of a level-2 search in nodes; a leaf has at most `children` moves. */
	uint64_t (*budget)(const struct pn_options *options, const struct tt *tt, uint64_t children);
	/* Published forms only, else NULL: stores the thresholds of the frame at `depth` as its numbers, so that a
	 * descendant that transposes to it stops (cycle guard). */
	void (*guard)(struct pds *pds, const struct pds_frame *f, uint32_t depth);
	/* Published forms only, else NULL: solves and stores the chosen child, whose position is at `depth`, when it is
	 * terminal. */
	bool (*expand_terminal)(struct pds *pds, struct pds_child *child, uint32_t depth);
};

extern const struct pds_policy pds_policy_pds, pds_policy_dfpn, pds_policy_paper;

/* Functions that policies share. */

/* PDS as published, shared by `pds` and `paper`. */
void pds_root_thresholds(unsigned k, const uint32_t *num, uint32_t t[2]);
void pds_raise_thresholds(const struct pds *pds, struct pds_frame *f, const uint32_t num[2]);
void pds_child_thresholds(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
			  uint32_t t[2]);
void pds_open_numbers(const struct pds *pds, const struct pds_frame *f, uint32_t num[2]);

/* df-pn. */
void pds_dfpn_set_root_thresholds(unsigned k, const uint32_t *num, uint32_t t[2]);
bool pds_dfpn_reaches_thresholds(const struct pds *pds, const struct pds_frame *f, const uint32_t num[2]);
void pds_dfpn_raise_thresholds(const struct pds *pds, struct pds_frame *f, const uint32_t num[2]);
void pds_dfpn_set_child_thresholds(const struct pds *pds, const struct pds_frame *f, const struct pds_choice *choice,
				   uint32_t t[2]);
void pds_dfpn_open_numbers(const struct pds *pds, const struct pds_frame *f, uint32_t num[2]);
/* The members of a policy with the thresholds of df-pn. */
#define PDS_DFPN_THRESHOLDS                                                                                            \
	.root = pds_dfpn_set_root_thresholds, .reached = pds_dfpn_reaches_thresholds,                                  \
	.raise = pds_dfpn_raise_thresholds, .child = pds_dfpn_set_child_thresholds,                                    \
	.open_numbers = pds_dfpn_open_numbers

/* The published fraction function, y = x f(x), f(x) = 1 / (1 + exp((a - x) / b)); x in entries, y in nodes. */
double pds_fraction(double x, double a, double b);

/* The table has lost more than 64 times what it holds. */
bool pds_starving(const struct tt *tt);
