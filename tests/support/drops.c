/* drops:WxH, mates by checks alone with men in hand, a small game with dominance. W by H is 2x2 to 4x3 squares. The
 * defender has the king; there are two rooks and two bishops, each on the board or in a hand, of either side. What the
 * attacker, First, does not hold and is not on the board is in the defender's hand. The attacker moves or drops a man
 * so that the king is attacked; without such a move it loses (-1). The defender moves so that the king is not attacked;
 * without such a move it is mated (1). A man that is taken goes to the hand of the side that took it. Infinite play is
 * worth -1.
 *
 * Text: rows from the top, `.` empty, k king, R B the attacker's men, r b the defender's; the side to move, a or d;
 * the attacker's rooks and bishops in hand: `.k./.../.R. a 1 0`. Key: a byte a square from the bottom left (0 empty,
 * 1 king, 2 R, 3 B, 4 r, 5 b), then 0 or 1 for the side to move; the order part, the attacker's rooks and bishops in
 * hand. Of the two mirror images (columns) the smaller board part. Move: 16 * from + to, squares from 0; from 12 a drop
 * of a rook, from 13 of a bishop. */
#ifndef DROPS_PLUGIN
#include "tests/support/drops.h"

#include "proto/base/error.h"
#define game_fail pd_fail_set
#else
#include <proofd/game.h>
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMPTY, KING, ROOK, BISHOP, OWN_ROOK, OWN_BISHOP, SQUARES_MAX = 12, DROP = 12, MEN = 2 };

struct drops {
	struct game game;
	unsigned width, height;
};

struct drops_state {
	uint8_t at[SQUARES_MAX], turn, hand[2]; /* turn 1: the defender is to move */
};

static const char letters[] = ".kRBrb";

static const struct drops *drops_of(const struct game *g)
{
	return (const void *)g;
}

static unsigned squares_of(const struct game *g)
{
	return drops_of(g)->width * drops_of(g)->height;
}

/* How many rooks (0) or bishops (1) the defender holds. */
static int defender_holds(const struct game *g, const struct drops_state *s, unsigned kind)
{
	int left = MEN - s->hand[kind];
	for (unsigned i = 0; i < squares_of(g); i++)
		left -= s->at[i] == ROOK + kind || s->at[i] == OWN_ROOK + kind;
	return left;
}

/* The square one step on; -1 off the board. Directions 0 to 3 are straight, 4 to 7 diagonal. */
static int step_on(const struct game *g, int square, unsigned direction)
{
	static const int8_t dx[] = {1, -1, 0, 0, 1, 1, -1, -1}, dy[] = {0, 0, 1, -1, 1, -1, 1, -1};
	int width = (int)drops_of(g)->width, x = square % width + dx[direction], y = square / width + dy[direction];
	return x < 0 || x >= width || y < 0 || y >= (int)drops_of(g)->height ? -1 : y * width + x;
}

static bool is_attacked(const struct game *g, const struct drops_state *s)
{
	int king = (int)((const uint8_t *)memchr(s->at, KING, SQUARES_MAX) - s->at);
	for (unsigned d = 0; d < 8; d++) {
		int at = step_on(g, king, d);
		while (at >= 0 && s->at[at] == EMPTY)
			at = step_on(g, at, d);
		if (at >= 0 && s->at[at] == (d < 4 ? ROOK : BISHOP))
			return true;
	}
	return false;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	struct drops_state *s = state;
	unsigned from = move >> 4, to = move & 15, taken = s->at[to];
	if (!s->turn && taken >= OWN_ROOK)
		s->hand[taken - OWN_ROOK]++;
	if (from < DROP) {
		s->at[to] = s->at[from];
		s->at[from] = EMPTY;
	} else {
		s->at[to] = (uint8_t)((s->turn ? OWN_ROOK : ROOK) + from - DROP);
		s->hand[from - DROP] = (uint8_t)(s->hand[from - DROP] - !s->turn);
	}
	s->turn = !s->turn;
}

/* Adds a move if it leaves the king attacked, or not attacked, as the side has to. */
static void try_move(const struct game *g, const struct drops_state *s, unsigned from, int to, game_move *out,
		     unsigned *count)
{
	struct drops_state next = *s;
	play_move(g, &next, (game_move)(from << 4 | (unsigned)to));
	if (is_attacked(g, &next) == !s->turn)
		out[(*count)++] = (game_move)(from << 4 | (unsigned)to);
}

static bool is_own(const struct drops_state *s, unsigned man)
{
	return s->turn ? man == KING || man >= OWN_ROOK : man == ROOK || man == BISHOP;
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	const struct drops_state *s = state;
	unsigned count = 0;
	for (unsigned from = 0; from < squares_of(g); from++) {
		unsigned man = s->at[from];
		bool straight = man == KING || man == ROOK || man == OWN_ROOK;
		if (!is_own(s, man))
			continue;
		for (unsigned d = straight ? 0 : 4; d < (man == KING || !straight ? 8 : 4); d++)
			for (int to = step_on(g, (int)from, d); to >= 0; to = step_on(g, to, d)) {
				if (!is_own(s, s->at[to]) && s->at[to] != KING)
					try_move(g, s, from, to, out, &count);
				if (s->at[to] != EMPTY || man == KING)
					break;
			}
	}
	for (unsigned kind = 0; kind < 2; kind++)
		for (unsigned to = 0; to < squares_of(g); to++)
			if (s->at[to] == EMPTY && (s->turn ? defender_holds(g, s, kind) : s->hand[kind]) > 0)
				try_move(g, s, DROP + kind, (int)to, out, &count);
	return count;
}

static bool first_to_move(const struct game *g, const void *state)
{
	return !((const struct drops_state *)state)->turn;
}

static bool is_terminal(const struct game *g, const void *state, int *value)
{
	game_move moves[8 * SQUARES_MAX + 2 * SQUARES_MAX];
	*value = first_to_move(g, state) ? -1 : 1;
	return !list_moves(g, state, moves);
}

/* --- keys and text ------------------------------------------------------------------------ */

static unsigned mirror_square(const struct game *g, unsigned square)
{
	unsigned width = drops_of(g)->width;
	return square / width * width + width - 1 - square % width;
}

/* Whether the mirror image has the smaller board part. */
static bool is_mirrored(const struct game *g, const struct drops_state *s)
{
	for (unsigned i = 0; i < squares_of(g); i++)
		if (s->at[mirror_square(g, i)] != s->at[i])
			return s->at[mirror_square(g, i)] < s->at[i];
	return false;
}

static size_t write_key(const struct game *g, const void *state, uint8_t *out)
{
	const struct drops_state *s = state;
	bool mirrored = is_mirrored(g, s);
	unsigned n = squares_of(g);
	for (unsigned i = 0; i < n; i++)
		out[i] = s->at[mirrored ? mirror_square(g, i) : i];
	out[n] = s->turn;
	memcpy(out + n + 1, s->hand, 2);
	return n + 3;
}

static bool is_sound(const struct game *g, const struct drops_state *s)
{
	unsigned kings = 0;
	for (unsigned i = 0; i < squares_of(g); i++)
		kings += s->at[i] == KING;
	return kings == 1 && s->turn <= 1 && defender_holds(g, s, 0) >= 0 && defender_holds(g, s, 1) >= 0 &&
	       (s->turn || !is_attacked(g, s));
}

static int read_key(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	struct drops_state s = {0};
	unsigned n = squares_of(g);
	if (size != n + 3)
		return PD_E_CORRUPT;
	memcpy(s.at, key, n);
	s.turn = key[n];
	memcpy(s.hand, key + n + 1, 2);
	for (unsigned i = 0; i < n; i++)
		if (s.at[i] > OWN_BISHOP)
			return PD_E_CORRUPT;
	if (s.hand[0] > MEN || s.hand[1] > MEN || !is_sound(g, &s) || is_mirrored(g, &s))
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static game_move turn_move(const struct game *g, const void *state, game_move move, bool back)
{
	unsigned from = move >> 4, to = move & 15;
	if (!is_mirrored(g, state))
		return move;
	return (game_move)((from < DROP ? mirror_square(g, from) : from) << 4 | mirror_square(g, to));
}

static unsigned order_part(const struct game *g)
{
	return 2;
}

/* Both hands follow from the attacker's: more there is better for it, and worse for the defender. */
static bool dominates(const struct game *g, const uint8_t *a, const uint8_t *b, int bound, bool first)
{
	const uint8_t *more = first ? a : b, *less = first ? b : a;
	return more[0] >= less[0] && more[1] >= less[1];
}

static void set_start(const struct game *g, void *state)
{
	struct drops_state s = {.hand = {1, 1}};
	s.at[squares_of(g) - 1] = KING;
	memcpy(state, &s, sizeof s);
}

static int parse_position(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	struct drops_state s = {0};
	unsigned width = drops_of(g)->width, height = drops_of(g)->height;
	const char *p = text, *letter = letters;
	if (!*text) {
		set_start(g, state);
		return PD_OK;
	}
	for (unsigned y = height; letter && y-- > 0; p += *p == '/')
		for (unsigned x = 0; letter && x < width; x++, p += *p != 0) {
			letter = *p ? strchr(letters, *p) : NULL;
			s.at[y * width + x] = (uint8_t)(letter ? letter - letters : 0);
		}
	if (!letter || strlen(p) != 6 || (p[1] != 'a' && p[1] != 'd') || p[3] < '0' || p[3] > '2' || p[5] < '0' ||
	    p[5] > '2')
		return game_fail(fail, PD_E_POSITION, "position",
				 "rows, side to move and hand, as in .k./.../.R. a 1 0");
	s.turn = p[1] == 'd';
	s.hand[0] = (uint8_t)(p[3] - '0');
	s.hand[1] = (uint8_t)(p[5] - '0');
	if (!is_sound(g, &s))
		return game_fail(fail, PD_E_POSITION, "position", "one king, two rooks, two bishops, no check yet");
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static size_t print_position(const struct game *g, const void *state, char *out, size_t size)
{
	const struct drops_state *s = state;
	char text[SQUARES_MAX + 16], *p = text;
	unsigned width = drops_of(g)->width;
	for (unsigned y = drops_of(g)->height; y-- > 0; *p++ = y ? '/' : ' ')
		for (unsigned x = 0; x < width; x++)
			*p++ = letters[s->at[y * width + x]];
	snprintf(p, 16, "%c %u %u", s->turn ? 'd' : 'a', s->hand[0], s->hand[1]);
	return (size_t)snprintf(out, size, "%s", text);
}

static size_t draw_picture(const struct game *g, const void *state, char *out, size_t size)
{
	size_t n = print_position(g, state, out, size);
	for (char *p = out; p && *p; p++)
		*p = *p == '/' ? '\n' : *p;
	return n + 1 < size ? (size_t)snprintf(out + n, size - n, "\n") + n : n + 1;
}

static size_t print_move(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	unsigned from = move >> 4, to = move & 15, width = drops_of(g)->width;
	char text[12];
	if (from < DROP)
		snprintf(text, sizeof text, "%c%u%c%u", 'a' + from % width, from / width + 1, 'a' + to % width,
			 to / width + 1);
	else
		snprintf(text, sizeof text, "%c*%c%u", "RB"[from - DROP], 'a' + to % width, to / width + 1);
	return (size_t)snprintf(out, size, "%s", text);
}

static int parse_move(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	game_move moves[8 * SQUARES_MAX + 2 * SQUARES_MAX];
	unsigned count = list_moves(g, state, moves);
	char name[12];
	for (unsigned i = 0; i < count; i++) {
		print_move(g, state, moves[i], name, sizeof name);
		if (!strcmp(name, text)) {
			*out = moves[i];
			return PD_OK;
		}
	}
	return game_fail(fail, PD_E_MOVE, "move", "a legal move is a1b2 or R*b2");
}

static int open_game(const struct game_rules *rules, const char *params, const struct game_host *host,
		     struct game **out, struct pd_fail *fail)
{
	unsigned width = strlen(params) == 3 ? (unsigned)(params[0] - '0') : 0,
		 height = width ? (unsigned)(params[2] - '0') : 0;
	if (width < 2 || width > 4 || height < 2 || height > 3 || params[1] != 'x')
		return game_fail(fail, PD_E_GAME, "game",
				 "drops takes columns 2 to 4 and rows 2 to 3, as in drops:3x3");
	struct drops *d = calloc(1, sizeof *d);
	if (!d)
		return game_fail(fail, PD_E_NO_MEMORY, "", "no memory for a game");
	d->width = width;
	d->height = height;
	d->game = (struct game){.rules = rules,
				.rules_version = 1,
				.state_size = sizeof(struct drops_state),
				.key_size_max = width * height + 3,
				.moves_max = 8 * SQUARES_MAX + 2 * SQUARES_MAX,
				.value_min = -1,
				.value_max = 1,
				.value_step = 2,
				.infinite_value = -1};
	snprintf(d->game.name, sizeof d->game.name, "%s:%ux%u", rules->name, width, height);
	*out = &d->game;
	return PD_OK;
}

static void close_game(struct game *g)
{
	free(g);
}

#ifdef DROPS_PLUGIN
static
#endif
	const struct game_rules game_drops_rules = {
		.abi = GAME_ABI,
		.size = sizeof game_drops_rules,
		.name = "drops",
		.title = "Mates with drops",
		.params = "WxH: columns 2 to 4, rows 2 to 3",
		.notation = "Rows from the top, side to move a or d, the attacker's hand. Moves: a1b2, R*b2.",
		.example = "drops:3x3",
		.open = open_game,
		.close = close_game,
		.start = set_start,
		.parse = parse_position,
		.print = print_position,
		.picture = draw_picture,
		.move_parse = parse_move,
		.move_print = print_move,
		.first_to_move = first_to_move,
		.terminal = is_terminal,
		.moves = list_moves,
		.play = play_move,
		.key = write_key,
		.unkey = read_key,
		.canon = turn_move,
		.order_part = order_part,
		.dominates = dominates,
};

#ifdef DROPS_PLUGIN
static const struct game_rules *const games[] = {&game_drops_rules, NULL};
GAME_PLUGIN(games, "tests/support");
#endif
