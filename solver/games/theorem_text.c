#include "solver/games/theorem_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/text.h"

enum { VALUES_MAX = 256 };

struct words {
	unsigned number;
	const char *title;
	unsigned single;                             /* groups before those with replies */
	const char *reply, *no_reply, *holds, *wins; /* no_reply, wins: NULL: as the one before */
};

static const struct words words_table[] = {
#define THEOREM(number, title, single, reply, no_reply, holds, wins)                                                   \
	{number, title, single, reply, no_reply, holds, wins},
#include "solver/games/theorems.def"
#undef THEOREM
};

unsigned game_theorems(const struct game *game, const void *state, struct game_told out[2])
{
	const struct game_rules *rules = game->rules;
	const struct game_interval scale = game_scale(game);
	struct game_told told;
	int value;
	bool lower = false, upper = false;
	if (!rules->theorem || (scale.hi - scale.lo) / game->value_step >= VALUES_MAX ||
	    rules->terminal(game, state, &value) || (rules->immediate_win && rules->immediate_win(game, state, &value)))
		return 0;
	for (int threshold = scale.lo + game->value_step; threshold <= scale.hi && !upper;
	     threshold += game->value_step) {
		if (!rules->theorem(game, state, threshold, &told.theorem, told.witness))
			continue;
		told.bounds = scale;
		if (told.theorem.proved)
			told.bounds.lo = threshold;
		else
			told.bounds.hi = threshold - game->value_step;
		upper = !told.theorem.proved;
		out[upper && lower] = told;
		lower |= !upper;
	}
	return (unsigned)lower + upper;
}

/* The mark of the next group: 1 to 9, then letters, except those that are pieces or look like digits. */
static char next_mark(const struct game_board *board, unsigned *from)
{
	static const char marks[] = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz";
	while (*from < sizeof marks - 1) {
		char mark = marks[(*from)++];
		unsigned piece = 0;
		while (piece < board->pieces && toupper((unsigned char)board->piece[piece].letter) != toupper(mark))
			piece++;
		if (piece == board->pieces)
			return mark;
	}
	return '*';
}

unsigned game_theorem_groups(const struct game_board *board, const struct game_told *told, struct game_group *out)
{
	const uint8_t *at = told->witness, *end = at + told->theorem.witness;
	unsigned count = 0, from = 0;
	PD_ASSERT(told->theorem.witness <= GAME_WITNESS_MAX);
	if (told->theorem.number == GAME_STRATEGY || told->theorem.number == GAME_TABLE)
		return 0; /* no groups */
	while (at < end) {
		struct game_group group = {.mark = next_mark(board, &from), .count = at[0], .at = at + 1};
		if (!group.count || end - group.at < 2 * (int)group.count)
			return 0;
		for (unsigned i = 0; i < group.count; i++)
			if (game_group_place(&group, i) >= board->places)
				return 0;
		at = group.at + 2 * (size_t)group.count;
		out[count++] = group;
	}
	return count;
}

void game_square_name(const struct game_board *board, unsigned place, char out[GAME_SQUARE_NAME])
{
	const struct game_place *p = &board->place[place];
	int left = p->x, bottom = p->y;
	PD_ASSERT(place < board->places);
	for (unsigned i = 0; i < board->places; i++) {
		left = board->place[i].x < left ? board->place[i].x : left;
		bottom = board->place[i].y > bottom ? board->place[i].y : bottom;
	}
	if (p->name[0])
		snprintf(out, GAME_SQUARE_NAME, "%s", p->name);
	else
		snprintf(out, GAME_SQUARE_NAME, "%d.%d", (p->x - left) / 12 + 1, (bottom - p->y) / 12 + 1);
}

/* NULL for a theorem without words; the numbers of a plug-in's theorems are its own, except that of strategies. */
static const struct words *find_words(const struct game *game, const struct game_told *told)
{
	bool known = !game->plugin_digest || told->theorem.number == GAME_STRATEGY;
	for (unsigned i = 0; i < sizeof words_table / sizeof *words_table && known; i++)
		if (words_table[i].number == told->theorem.number)
			return &words_table[i];
	return NULL;
}

const char *game_theorem_title(const struct game *game, const struct game_told *told)
{
	const struct words *words = find_words(game, told);
	return words ? words->title : "";
}

struct sentence {
	struct text_line line;
	bool first; /* the bound is good for First */
};

static void write_part(struct sentence *s, const char *text)
{
	for (; *text; text++) {
		if (text[0] != '{' || !text[1] || text[2] != '}') {
			text_char(&s->line, *text);
			continue;
		}
		bool favoured = text[1] == 'W';
		PD_ASSERT(favoured || text[1] == 'M');
		text_printf(&s->line, "%s", favoured == s->first ? "First" : "Second");
		text += 2;
	}
}

size_t game_theorem_text(const struct game *game, const struct game_board *board, const struct game_told *told,
			 char *out, size_t size)
{
	const struct words *words = find_words(game, told);
	struct game_group groups[GAME_GROUPS_MAX];
	unsigned count = board ? game_theorem_groups(board, told, groups) : 0;
	struct sentence s = {text_line(out, size), told->theorem.proved};
	if (!words) {
		text_printf(&s.line, "Theorem %u of the game gives this bound.", told->theorem.number);
		return s.line.length;
	}
	bool wins = s.first ? told->bounds.lo > 0 : told->bounds.hi < 0;
	write_part(&s, words->no_reply && count <= words->single ? words->no_reply : words->reply);
	text_printf(&s.line, ": ");
	write_part(&s, words->wins && wins ? words->wins : words->holds);
	text_char(&s.line, '.');
	return s.line.length;
}
