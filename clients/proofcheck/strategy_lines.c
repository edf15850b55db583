#include "clients/proofcheck/strategy_lines.h"

#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/cover.h"
#include "proto/base/assert.h"

enum {
	W = 0, /* the side that the bound favours */
	M = 1, /* the other one */
	KEY_HEAD = 4,
	END = 4 /* with fewer empty squares the rules choose the move: the board may be full within three plies */
};

struct ck_lines {
	const struct ck_game *game;
	bool falls;
	unsigned squares;
	ck_set board;                   /* all squares */
	unsigned first[CK_SET_MAX + 1]; /* the lines through square i are line[first[i]] to line[first[i + 1] - 1] */
	ck_set *line;                   /* owned */
	struct ck_table positions;      /* by strategy, stones of W, stones of M: plies of the longest line */
	struct ck_line_task *task;      /* while one is played out */
};

/* A position; its user knows who is to move. */
struct lined {
	ck_set stones[2]; /* of W, of M */
	ck_set wins[2];   /* empty squares on which a stone completes a line of W, of M */
};

static ck_set bit_of(unsigned square)
{
	return (ck_set)1 << square;
}

static unsigned lowest_of(ck_set set)
{
	uint64_t low = (uint64_t)set;
	return low ? (unsigned)__builtin_ctzll(low) : 64 + (unsigned)__builtin_ctzll((uint64_t)(set >> 64));
}

static ck_set empty_of(const struct ck_lines *l, const struct lined *p)
{
	return l->board & ~(p->stones[W] | p->stones[M]);
}

/* The squares above those of a set. */
static ck_set squares_above(const struct ck_lines *l, ck_set set)
{
	return l->falls ? set << l->game->width & l->board : 0;
}

/* The squares on which a stone can be put. */
static ck_set playable_of(const struct ck_lines *l, const struct lined *p)
{
	ck_set taken = p->stones[W] | p->stones[M];
	return l->falls ? (taken << l->game->width | (bit_of(l->game->width) - 1)) & l->board & ~taken
			: l->board & ~taken;
}

/* Those squares on which a stone of the side on `square`, which is empty, leaves a line with no other empty square. */
static ck_set wins_through(const struct ck_lines *l, const struct lined *p, unsigned side, unsigned square)
{
	ck_set own = p->stones[side] | bit_of(square), others = p->stones[!side], wins = 0;
	for (unsigned i = l->first[square]; i < l->first[square + 1]; i++) {
		ck_set missing = l->line[i] & ~own;
		if (!(missing & (missing - 1)) && !(missing & others))
			wins |= missing;
	}
	return wins;
}

static void put_stone(const struct ck_lines *l, struct lined *p, unsigned side, unsigned square)
{
	ck_set wins = wins_through(l, p, side, square);
	p->stones[side] |= bit_of(square);
	p->wins[side] |= wins;
	p->wins[W] &= ~bit_of(square);
	p->wins[M] &= ~bit_of(square);
}

/* --- positions ---------------------------------------------------------------------------- */

/* The stone in `at` of a side. */
static uint8_t stone_of(const struct ck_lines *l, unsigned side)
{
	return (side == W) == l->task->policy->upper ? 2 : 1;
}

static void read_position(const struct ck_lines *l, const struct ck_position *p, struct lined *out)
{
	*out = (struct lined){0};
	for (unsigned i = 0; i < l->squares; i++)
		if (p->at[i])
			put_stone(l, out, p->at[i] == stone_of(l, W) ? W : M, i);
}

static struct ck_position write_position(const struct ck_lines *l, const struct lined *p, unsigned mover)
{
	struct ck_position out = {.turn = stone_of(l, mover) == 2};
	for (unsigned i = 0; i < l->squares; i++)
		out.at[i] = p->stones[W] >> i & 1 ? stone_of(l, W) : p->stones[M] >> i & 1 ? stone_of(l, M) : 0;
	return out;
}

static enum ck_play fail_at(struct ck_lines *l, const struct lined *p, unsigned mover)
{
	l->task->end = write_position(l, p, mover);
	return CK_PLAY_FAILS;
}

static unsigned set_bytes(const struct ck_lines *l)
{
	return (l->squares + 7) / 8;
}

static void write_key(const struct ck_lines *l, const struct lined *p, uint8_t *key)
{
	memcpy(key, &l->task->strategy, KEY_HEAD);
	for (unsigned side = W; side <= M; side++)
		for (unsigned i = 0; i < set_bytes(l); i++)
			key[KEY_HEAD + side * set_bytes(l) + i] = (uint8_t)(p->stones[side] >> 8 * i);
}

/* --- the policy --------------------------------------------------------------------------- */

/* Step 2: after a stone of W on the square, M has no square on which it wins. */
static bool is_safe(const struct ck_lines *l, const struct lined *p, ck_set playable, unsigned square)
{
	ck_set bit = bit_of(square);
	return !(((playable & ~bit) | squares_above(l, bit)) & p->wins[M]);
}

/* Step 3, for a safe square: whatever M plays, W has a square on which it wins. */
static bool is_double_threat(const struct ck_lines *l, const struct lined *p, ck_set playable, unsigned square)
{
	ck_set bit = bit_of(square), wins = (p->wins[W] | wins_through(l, p, W, square)) & ~bit;
	playable = (playable & ~bit) | squares_above(l, bit);
	ck_set ready = playable & wins;
	if (ready & (ready - 1))
		return true;
	if (ready)
		return squares_above(l, ready) & wins;
	return playable && squares_above(l, playable) == (squares_above(l, playable) & wins) &&
	       ck_set_count(squares_above(l, playable)) == ck_set_count(playable);
}

static unsigned code_of(const struct ck_lines *l, unsigned square)
{
	return l->falls ? square % l->game->width : square;
}

/* The move by the rules of the game. */
static bool choose_by_rules(const struct ck_lines *l, const struct lined *p, unsigned *square)
{
	struct ck_position position = write_position(l, p, W);
	uint16_t move;
	if (!ck_policy_choose(l->task->policy, &position, &move))
		return false;
	*square = (unsigned)l->game->rules->square(l->game, &position, move);
	return true;
}

/* The square that W plays; false when there is none. */
static bool choose_square(const struct ck_lines *l, const struct lined *p, unsigned *square)
{
	ck_set playable = playable_of(l, p), left = playable & p->wins[W];
	bool wins = left, found = false, threat = false;
	int best = 0;
	if (ck_set_count(empty_of(l, p)) < END)
		return choose_by_rules(l, p, square);
	for (left = wins ? left : playable; left; left &= left - 1) {
		unsigned s = lowest_of(left);
		int weight = wins ? 0 : (int8_t)l->task->policy->weight[s];
		if (!wins && !is_safe(l, p, playable, s))
			continue;
		bool twice = !wins && is_double_threat(l, p, playable, s);
		bool better = !found || (twice != threat  ? twice
					 : weight != best ? weight > best
							  : code_of(l, s) < code_of(l, *square));
		if (!better)
			continue;
		found = true;
		threat = twice;
		best = weight;
		*square = s;
	}
	return found;
}

/* --- playing out -------------------------------------------------------------------------- */

static bool is_draw_enough(const struct ck_policy *y)
{
	return y->upper ? y->bound >= 0 : y->bound <= 0;
}

/* The depth of the recursion is at most the number of squares. */
static enum ck_play play_replies(struct ck_lines *l, const struct lined *p, unsigned *plies);

/* A stone of a side is put on a square. *over: the game has ended then, in a win of W or a draw that is good enough. */
static enum ck_play play_square(struct ck_lines *l, struct lined *p, unsigned side, unsigned square, bool *over)
{
	bool wins = p->wins[side] & bit_of(square);
	put_stone(l, p, side, square);
	*over = wins || !empty_of(l, p);
	return !*over || (wins ? side == W : is_draw_enough(l->task->policy)) ? CK_PLAY_HOLDS : fail_at(l, p, !side);
}

static enum ck_play play_own(struct ck_lines *l, struct lined *p, unsigned *plies)
{
	unsigned square = 0;
	bool over;
	if (!choose_square(l, p, &square))
		return fail_at(l, p, W);
	enum ck_play rc = play_square(l, p, W, square, &over);
	*plies = 0;
	if (rc == CK_PLAY_HOLDS && !over)
		rc = play_replies(l, p, plies);
	++*plies;
	return rc;
}

static enum ck_play play_replies(struct ck_lines *l, const struct lined *p, unsigned *plies)
{
	struct ck_line_task *task = l->task;
	uint8_t key[KEY_HEAD + 2 * CK_SET_MAX / 8];
	uint32_t known;
	write_key(l, p, key);
	if (ck_table_find(&l->positions, key, &known)) {
		*plies = known;
		return CK_PLAY_HOLDS;
	}
	if (task->stop && task->stop(task->ctx))
		return CK_PLAY_STOPPED;
	task->large = task->entered == CK_STRATEGY_POSITIONS;
	if (task->large)
		return CK_PLAY_FAILS;
	task->entered++;
	*plies = 0;
	for (ck_set left = playable_of(l, p); left; left &= left - 1) {
		struct lined next = *p;
		unsigned more = 0;
		bool over;
		enum ck_play rc = play_square(l, &next, M, lowest_of(left), &over);
		if (rc == CK_PLAY_HOLDS && !over)
			rc = play_own(l, &next, &more);
		if (rc != CK_PLAY_HOLDS)
			return rc;
		*plies = 1 + more > *plies ? 1 + more : *plies;
	}
	return ck_table_add(&l->positions, key, *plies) ? CK_PLAY_HOLDS : CK_PLAY_MEMORY;
}

bool ck_lines_decide(const struct ck_policy *y)
{
	return y->bound >= (y->upper ? -1 : 0) && y->bound <= (y->upper ? 0 : 1);
}

enum ck_play ck_lines_play(struct ck_lines *l, struct ck_line_task *task, const struct ck_position *p)
{
	struct lined start;
	PD_ASSERT(ck_lines_decide(task->policy));
	l->task = task;
	read_position(l, p, &start);
	enum ck_play rc = ck_policy_moves(task->policy, p) ? play_own(l, &start, &task->plies)
							   : play_replies(l, &start, &task->plies);
	l->task = NULL;
	return rc;
}

struct ck_table *ck_lines_table(struct ck_lines *l)
{
	return &l->positions;
}

/* Lists the lines through each square; false if there is not enough memory. */
static bool list_lines(struct ck_lines *l, unsigned length)
{
	struct ck_line line;
	unsigned all = 4 * l->squares, count = 0;
	l->line = malloc((size_t)all * length * sizeof *l->line);
	for (unsigned square = 0; l->line && square < l->squares; square++) {
		l->first[square] = count;
		for (unsigned n = 0; n < all; n++) {
			ck_set set = 0;
			for (unsigned i = 0; ck_line_numbered(l->game, n, length, &line) && i < length; i++)
				set |= bit_of((unsigned)(line.start + (int)i * line.step));
			if (set & bit_of(square))
				l->line[count++] = set;
		}
		l->first[square + 1] = count;
	}
	return l->line;
}

struct ck_lines *ck_lines_new(const struct ck_game *game)
{
	unsigned length = 0, squares = game->width * game->height;
	bool falls = false;
	if (squares > CK_SET_MAX || !game->rules->lines || !game->rules->lines(game, &length, &falls) || length < 2)
		return NULL;
	struct ck_lines *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->game = game;
	l->falls = falls;
	l->squares = squares;
	l->board = squares < CK_SET_MAX ? bit_of(squares) - 1 : ~(ck_set)0;
	l->positions.key = KEY_HEAD + 2 * set_bytes(l);
	if (list_lines(l, length))
		return l;
	ck_lines_free(l);
	return NULL;
}

void ck_lines_free(struct ck_lines *l)
{
	if (!l)
		return;
	ck_table_clear(&l->positions);
	free(l->line);
	free(l);
}
