/* Groups: disjoint sets of squares, one of them in every line of the attacker.
 *
 * The defender answers inside the group that the attacker touches, so the attacker never fills a group, nor a line.
 * THEOREMS.md proves what follows in each game. The division into groups is one for all the lines: a division that
 * depends on the attacker's choices would prove nothing. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	GROUPS_LINES_MAX = 96,
	GROUPS_MAX = 32,        /* groups: at most 64 squares in pairs */
	GROUPS_SIZE_MAX = 8,    /* squares of a group */
	GROUPS_STEPS = 60,      /* lines that one search may look at before it gives up */
	GROUPS_CHOICES_MAX = 64 /* groups that one line may be given */
};

/* The question and its answer; owned by the caller. */
struct groups {
	unsigned size;                   /* squares of a group, 2 to GROUPS_SIZE_MAX */
	unsigned lines;                  /* at most GROUPS_LINES_MAX */
	uint64_t line[GROUPS_LINES_MAX]; /* the squares of a line that the attacker does not have yet, as bits */
	unsigned count;
	uint64_t group[GROUPS_MAX]; /* the answer */
	unsigned steps;             /* taken */
};

/* Looks for groups with `size` squares each, disjoint, one of them in every line. It may miss them. True when
 * count and group are the answer. */
bool groups_find(struct groups *g);

/* Groups that one line may be given, those that serve most lines first. */
struct groups_choices {
	const uint64_t *line;
	unsigned lines, count;
	struct groups_choice {
		uint64_t group;
		unsigned lines; /* that it serves */
	} choice[GROUPS_CHOICES_MAX];
};

/* Adds what `group` becomes with `more` squares of `room`, until there are GROUPS_CHOICES_MAX. */
void groups_list_choices(struct groups_choices *c, uint64_t group, uint64_t room, unsigned more);

/* Writes a witness: for each group a byte with its size and two bytes for each square, little-endian. `place` gives the
 * number of each bit's square; NULL: the number of the bit. Returns the bytes, at most 3 * GROUPS_MAX + 128. */
unsigned groups_write(const uint64_t *group, unsigned count, const uint16_t *place, uint8_t *out);

/* Nodes that a search by the rules needs with that many empty squares, as in game_static. */
static inline uint32_t groups_effort(unsigned empty)
{
	return UINT32_C(1) << (empty < 24 ? empty : 24);
}
