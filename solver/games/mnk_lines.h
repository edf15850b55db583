/* m,n,k: what a side can hold and what it can force, from open lines alone: the searches for the witnesses of T5, T11
 * and T12 (THEOREMS.md). They may miss a witness; the one that they find is right.
 *
 * A side's open lines are those without a stone of the other side, each as the set of its empty squares. A set is a
 * word; which bit is which square is known to the caller. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	MNK_LINES_MAX = 128,
	MNK_GROUP_MAX = 8,    /* squares of a group */
	MNK_GROUPS_MAX = 32,  /* at most 64 squares in pairs; the first squares take the place of a group */
	MNK_STONES_MAX = 12,  /* the attacker's in a forced win */
	MNK_LINES_STEPS = 20, /* lines that one search for groups may look at */
};

/* The open lines of one side. Owned by the caller, as the next two. */
struct mnk_lines {
	unsigned count;
	uint64_t line[MNK_LINES_MAX];
};

/* First squares and groups that stop an attacker. */
struct mnk_hold {
	unsigned size;  /* squares of a group: a turn's stones and one, 2 to MNK_GROUP_MAX */
	unsigned first; /* stones that the defender, who is to move, puts before; 0: the attacker is to move */
	bool weighs;    /* lines may be left to their weights: turns have one stone */
	unsigned count; /* the answer: first squares, if any, as the first group; then the groups */
	uint64_t group[MNK_GROUPS_MAX];
	bool weighed;   /* the answer leaves lines */
	unsigned steps; /* taken with the same first squares */
};

/* Looks for them. The attacker has at most the stones of a turn left. */
bool mnk_hold_find(struct mnk_hold *hold, const struct mnk_lines *attacker);

/* A win by threats, where turns are of one stone. */
struct mnk_forced {
	bool waits;     /* the other side is to move */
	unsigned count; /* the answer: the attacker's stones before the one that completes a line, by bits, in order */
	uint8_t stone[MNK_STONES_MAX];
	unsigned steps; /* stones tried */
};

/* Looks for one. The side to move completes no line with its next stone. */
bool mnk_forced_find(struct mnk_forced *forced, const struct mnk_lines *attacker, const struct mnk_lines *defender);
