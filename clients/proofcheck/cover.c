#include "clients/proofcheck/cover.h"

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { CHOICES_MAX = 256 }; /* groups that are tried for one line */

bool ck_line_numbered(const struct ck_game *g, unsigned number, unsigned length, struct ck_line *out)
{
	static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {-1, 1}};
	int column = (int)(number / 4 % g->width), row = (int)(number / 4 / g->width);
	int right = directions[number % 4][0], up = directions[number % 4][1], n = (int)length;
	PD_ASSERT(length >= 1 && number < 4 * g->width * g->height);
	out->start = ck_square_at(g, column, row);
	out->step = up * (int)g->width + right;
	out->before = ck_square_at(g, column - right, row - up);
	out->after = ck_square_at(g, column + n * right, row + n * up);
	return ck_square_at(g, column + (n - 1) * right, row + (n - 1) * up) >= 0;
}

/* --- search ------------------------------------------------------------------------------- */

unsigned ck_set_count(ck_set set)
{
	return (unsigned)(__builtin_popcountll((uint64_t)set) + __builtin_popcountll((uint64_t)(set >> 64)));
}

/* Groups that may be tried for one line, those that many lines hold first. */
struct choices {
	unsigned count;
	ck_set group[CHOICES_MAX];
	unsigned held[CHOICES_MAX]; /* lines without a group that hold it */
};

/* A search for groups; the lines without a group are those whose `done` is 0. */
struct search {
	struct ck_cover *cover;
	ck_set used;                       /* squares of groups */
	unsigned done[CK_BOARD_LINES_MAX]; /* how many groups there were when the line got one */
};

static void add_choice(const struct search *s, struct choices *c, ck_set group)
{
	unsigned held = 0, at = c->count;
	for (unsigned i = 0; i < c->count; i++)
		if (c->group[i] == group)
			return;
	for (unsigned i = 0; i < s->cover->lines; i++)
		held += !s->done[i] && (s->cover->line[i] & group) == group;
	for (; at && c->held[at - 1] < held; at--) {
		c->held[at] = c->held[at - 1];
		c->group[at] = c->group[at - 1];
	}
	c->held[at] = held;
	c->group[at] = group;
	c->count++;
}

/* Adds `group` with each choice of `more` squares of `from`. */
static void list_choices(const struct search *s, struct choices *c, ck_set group, ck_set from, unsigned more)
{
	if (!more && c->count < CHOICES_MAX)
		add_choice(s, c, group);
	for (; more && ck_set_count(from) >= more && c->count < CHOICES_MAX; from &= from - 1)
		list_choices(s, c, group | (from & -from), from & (from - 1), more - 1);
}

/* Whether the lines without a group can be left: with the weight 2^-n for a line with n squares that are in no group,
 * the sum of all weights and the weights of the lines through any one square is below 1. */
static bool are_light(const struct search *s)
{
	const struct ck_cover *c = s->cover;
	double sum = 0, most = 0, through[CK_SET_MAX] = {0};
	for (unsigned i = 0; i < c->lines; i++) {
		ck_set left = c->line[i] & ~s->used;
		double weight = 1 / (double)(UINT64_C(1) << (ck_set_count(left) < 63 ? ck_set_count(left) : 63));
		if (s->done[i])
			continue;
		sum += weight;
		for (unsigned bit = 0; bit < CK_SET_MAX && sum < 1; bit++)
			if (left >> bit & 1) {
				through[bit] += weight;
				most = through[bit] > most ? through[bit] : most;
			}
	}
	return sum + most < 1;
}

/* Gives groups to the lines that have none, beginning with the one with the fewest squares left. Where lines may be
 * left without a group, all lines with equally few squares are tried. */
static bool give_groups(struct search *s)
{
	struct ck_cover *c = s->cover;
	struct choices choices = {.count = 0};
	unsigned least = CK_SET_MAX + 1, line = 0;
	for (unsigned i = 0; i < c->lines; i++) {
		unsigned left = s->done[i] ? least : ck_set_count(c->line[i] & ~s->used);
		if (left < least) {
			least = left;
			line = i;
		}
	}
	if (least > CK_SET_MAX || (c->weighs && least && are_light(s)))
		return true; /* every line has a group, or may be left */
	if (least < c->size || !c->steps)
		return false;
	c->steps--;
	for (unsigned i = line; i < (c->weighs ? c->lines : line + 1); i++)
		if (!s->done[i] && ck_set_count(c->line[i] & ~s->used) == least)
			list_choices(s, &choices, 0, c->line[i] & ~s->used, c->size);
	for (unsigned k = 0; k < choices.count && c->steps; k++) {
		ck_set group = choices.group[k];
		c->group[c->count++] = group;
		s->used |= group;
		for (unsigned i = 0; i < c->lines; i++)
			if (!s->done[i] && (c->line[i] & group) == group)
				s->done[i] = c->count;
		if (give_groups(s))
			return true;
		for (unsigned i = 0; i < c->lines; i++)
			if (s->done[i] == c->count)
				s->done[i] = 0;
		s->used &= ~group;
		c->count--;
	}
	return false;
}

bool ck_cover_find(struct ck_cover *c)
{
	struct search s = {.cover = c};
	PD_ASSERT(c->size >= 1 && c->lines <= CK_BOARD_LINES_MAX);
	c->count = 0;
	return give_groups(&s);
}

bool ck_cover_write(const struct ck_cover *c, const uint16_t square[CK_SET_MAX], struct ck_card *card, uint8_t *room)
{
	for (unsigned i = 0; i < c->count; i++) {
		uint16_t list[CK_SET_MAX];
		unsigned count = 0;
		for (unsigned bit = 0; bit < CK_SET_MAX; bit++)
			if (c->group[i] >> bit & 1)
				list[count++] = square[bit];
		if (!ck_group_add(card, room, list, count))
			return false;
	}
	return true;
}
