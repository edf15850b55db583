/* GGF: games of Othello as Othello servers store them, one after the other:
 *
 *     1 (;GM[Othello]PC[GGS/os]PB[a]PW[b]RE[+2]TY[8]BO[8 -------- ... *]B[F5//0.01]W[d6/-1.5/2]B[pa];)
 *
 * An optional number in front says how many games belong together. BO is the initial position; B and W are moves, each
 * with an evaluation and seconds after slashes. A pass is written as a move. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "proto/base/assert.h"
#include "solver/games/cells.h"
#include "solver/games/record.h"

/* BO: the size, the squares row by row with blanks in between, the side to move. */
static int read_board(struct record *r, const char *text, size_t size)
{
	char position[CELLS_MAX + 3];
	const char *p = text, *end = text + size;
	unsigned n, count = 0;
	bool good = text_number(&p, &n) && n >= 1 && n * n <= CELLS_MAX;
	for (; good && p < end && count <= n * n; p++) {
		if (game_record_blank(*p))
			continue;
		good = strchr("*O-", *p) != NULL;
		char c = *p;
		if (count == n * n)
			position[count++] = ' ';
		position[count++] = c == '*' ? 'X' : c;
	}
	if (!good || p != end || count != n * n + 2 || position[count - 1] == '-')
		return game_record_fail(r, text,
					"BO holds the size of the board, a *, O or - for each square, and the side to "
					"move, * or O");
	return r->idle ? PD_OK : game_record_start(r, text, position, count);
}

static int read_move(struct record *r, bool black, const char *text, size_t size)
{
	const char *slash = memchr(text, '/', size);
	size_t length = slash ? (size_t)(slash - text) : size;
	int value;
	if (r->idle)
		return PD_OK;
	if (!r->game->rules->terminal(r->game, r->state, &value) &&
	    black != r->game->rules->first_to_move(r->game, r->state))
		return game_record_wrong_turn(r, text, length, black);
	return game_record_move(r, text, length);
}

static int read_property(struct record *r, const char **text)
{
	const char *name = *text, *open = name;
	while (isupper((unsigned char)*open))
		open++;
	size_t letters = (size_t)(open - name), size = strcspn(open, "]");
	if (!letters || *open != '[')
		return game_record_fail(r, name, "expected a property of GGF such as B[f5], or the closing ;)");
	if (!open[size])
		return game_record_unclosed(r, open, "value");
	const char *value = open + 1, *inner = memchr(value, '[', size - 1);
	PD_ASSERT(open[size] == ']');
	if (inner)
		return game_record_fail(r, inner, "a [ within a value: the bracket before it may not be closed");
	*text = open + size + 1;
	if (letters == 1 && (*name == 'B' || *name == 'W'))
		return read_move(r, *name == 'B', value, size - 1);
	if (game_record_is(name, letters, "BO", false))
		return read_board(r, value, size - 1);
	return letters > 1 ? PD_OK : game_record_fail(r, name, "GGF has no property '%c'", *name);
}

static int ggf_read(struct record *r, const char **text)
{
	const char *p = *text, *opened;
	unsigned number;
	if (text_number(&p, &number))
		p = game_record_skip(p);
	opened = p;
	if (*p != '(' || p[1] != ';')
		return game_record_fail(r, p, "a record of GGF begins with (;");
	int rc = PD_OK;
	for (p = game_record_skip(p + 2); !rc && *p && *p != ';';) {
		rc = read_property(r, &p);
		p = rc ? p : game_record_skip(p);
	}
	if (!rc && !*p)
		return game_record_unclosed(r, opened, "record");
	const char *closing = rc ? p : game_record_skip(p + 1);
	if (!rc && *closing != ')')
		return game_record_fail(r, p, "a record of GGF ends with ;)");
	*text = rc ? p : closing + 1;
	return rc;
}

static bool ggf_begins(const char *text)
{
	const char *p = text, *game;
	unsigned number;
	if (text_number(&p, &number))
		p = game_record_skip(p);
	game = *p == '(' ? strstr(p, "GM[") : NULL;
	return game && !strncasecmp(game, "GM[Othello]", strlen("GM[Othello]"));
}

const struct game_record_format game_record_ggf = {"GGF begins with (;GM[Othello]", GAME_RECORD_GGF, ggf_begins,
						   ggf_read};
