#include "solver/games/groups.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "solver/games/text.h"

static unsigned count_served(const uint64_t *line, unsigned lines, uint64_t group)
{
	unsigned served = 0;
	for (unsigned i = 0; i < lines; i++)
		served += (line[i] & group) == group;
	return served;
}

void groups_list_choices(struct groups_choices *c, uint64_t group, uint64_t room, unsigned more)
{
	if (c->count == GROUPS_CHOICES_MAX)
		return;
	if (!more) {
		struct groups_choice made = {group, count_served(c->line, c->lines, group)};
		unsigned at = c->count++;
		for (; at && c->choice[at - 1].lines < made.lines; at--)
			c->choice[at] = c->choice[at - 1];
		c->choice[at] = made;
		return;
	}
	for (; room; room &= room - 1)
		groups_list_choices(c, group | (room & -room), room & (room - 1), more - 1);
}

/* Gives a group to every line, with squares that are not in `used`. The line with the fewest of them comes first. */
static bool serve_lines(struct groups *g, const uint64_t *line, unsigned lines, uint64_t used)
{
	struct groups_choices choices = {line, lines, 0};
	uint64_t left[GROUPS_LINES_MAX];
	unsigned best = 0, least = 65;
	if (!lines)
		return true;
	for (unsigned i = 0; i < lines; i++) {
		unsigned free = text_count(line[i] & ~used);
		if (free < least) {
			least = free;
			best = i;
		}
	}
	if (least < g->size || g->count == GROUPS_MAX || ++g->steps > GROUPS_STEPS)
		return false;
	groups_list_choices(&choices, 0, line[best] & ~used, g->size);
	for (unsigned j = 0; j < choices.count && g->steps <= GROUPS_STEPS; j++) {
		uint64_t group = choices.choice[j].group;
		unsigned rest = 0;
		for (unsigned i = 0; i < lines; i++)
			if ((line[i] & group) != group)
				left[rest++] = line[i];
		g->group[g->count++] = group;
		if (serve_lines(g, left, rest, used | group))
			return true;
		g->count--;
	}
	return false;
}

bool groups_find(struct groups *g)
{
	PD_ASSERT(g->size >= 2 && g->size <= GROUPS_SIZE_MAX && g->lines <= GROUPS_LINES_MAX);
	g->count = g->steps = 0;
	return serve_lines(g, g->line, g->lines, 0);
}

unsigned groups_write(const uint64_t *group, unsigned count, const uint16_t *place, uint8_t *out)
{
	uint8_t *at = out;
	PD_ASSERT(count <= GROUPS_MAX);
	for (unsigned i = 0; i < count; i++) {
		*at++ = (uint8_t)text_count(group[i]);
		for (uint64_t rest = group[i]; rest; rest &= rest - 1) {
			unsigned bit = (unsigned)__builtin_ctzll(rest), square = place ? place[bit] : bit;
			*at++ = (uint8_t)square;
			*at++ = (uint8_t)(square >> 8);
		}
	}
	return (unsigned)(at - out);
}
