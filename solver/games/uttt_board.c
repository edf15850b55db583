#include "solver/games/uttt_board.h"

#include <stdlib.h>
#include <string.h>

/* --- states ------------------------------------------------------------------------------- */

unsigned uttt_state_of(const struct uttt_state *s, unsigned board)
{
	unsigned bit = 1u << board;
	return s->drawn & bit ? DRAWN : s->won[0] & bit ? 1 : s->won[1] & bit ? 2 : 0;
}

void uttt_complete(const struct uttt *u, struct uttt_state *s)
{
	s->open = ALL & (uint16_t) ~(s->won[0] | s->won[1] | s->drawn);
	s->empty = 0;
	for (unsigned board = 0; board < BOARDS; board++) {
		unsigned left = s->open >> board & 1 ? ALL & ~uttt_taken(s, board) : 0;
		s->empty = (uint8_t)(s->empty + text_count(left));
		for (unsigned side = 0; side < 2; side++) {
			s->near[side] |= (uint16_t)((unsigned)((u->gap[s->stones[side][board]] & left) != 0) << board);
			s->hope[side] |= (uint16_t)((left && u->line[s->stones[side][board] | left]) << board);
		}
	}
	bool x = u->line[s->won[0]], o = u->line[s->won[1]];
	s->over = x || o || !s->open;
	s->value = (int8_t)(x - o);
	if (s->over)
		s->forced = FREE;
	uttt_find_frames(u, s);
}

void uttt_prepare(struct uttt *u)
{
	static const uint16_t lines[] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
	for (unsigned i = 0; i < SYMMETRIES; i++) {
		unsigned power[BOARDS] = {6561, 2187, 729, 243, 81, 27, 9, 3, 1};
		u->map[i][FREE] = FREE;
		for (unsigned place = 0; place < BOARDS; place++) {
			unsigned to = grid_map(3, 3, i, place);
			u->map[i][place] = (uint8_t)to;
			u->inverse[i][to] = (uint8_t)place;
			for (unsigned set = 0; set < SETS; set++)
				if (set >> place & 1) {
					u->code[i][set] = (uint16_t)(u->code[i][set] + power[to]);
					u->spread[set][i] |= UINT32_C(1) << 2 * (BOARDS - 1 - to);
				}
		}
	}
	for (unsigned set = 0; set < SETS; set++)
		for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
			unsigned rest = lines[i] & ~set;
			u->line[set] |= !rest;
			if ((rest & (rest - 1)) == 0)
				u->gap[set] |= (uint16_t)rest;
		}
}

/* --- what a position must satisfy -----------------------------------------------------------
 * Only the numbers of marks tie the decided boards, whose marks do not matter, to the rest: in each of them X can be
 * ahead of O by certain numbers only, and all boards together make X ahead by none, or by one when O is to move.
 * `balance_of` decides whether that is possible, and uttt_make_up_marks chooses marks by it. */

/* The least and the largest lead of X over O, in marks, in a board of each state. */
static const int ahead_least[4] = {0, -3, -7, -1}, ahead_most[4] = {0, 7, 3, 1};

/* Boards won by X with a lead of -3 to 7 (those won by O have X and O swapped), and the two drawn ones. */
static const char *const won_boards[] = {"XOOOXOOOX", "XOOOXOO.X", "XXXOO.OO.", "XXXOO.O..", "XXXOO....", "XXXO.....",
					 "XXX......", "XXXX.....", "XXXX..X..", "XXXX.XX..", "XXXX.XXX."};
static const char *const drawn_boards[] = {"OXOOXXXOO", "XOXXOOOXX"};

/* The lead that X needs in the decided boards from `board` on so that the numbers of all marks are right, and the leads
 * that are possible. */
struct balance {
	int wanted, least, most;
	bool odd_or_even; /* a board is won, so any parity is possible; a drawn board has an odd lead */
};

static struct balance balance_of(const struct uttt_state *s, unsigned board, int wanted)
{
	struct balance b = {.wanted = wanted};
	for (; board < BOARDS; board++) {
		unsigned is = uttt_state_of(s, board);
		b.least += ahead_least[is];
		b.most += ahead_most[is];
		b.odd_or_even |= is == 1 || is == 2;
	}
	return b;
}

static bool is_balanced(struct balance b)
{
	return b.wanted >= b.least && b.wanted <= b.most && (b.odd_or_even || (b.wanted - b.least) % 2 == 0);
}

/* The lead that X needs in all decided boards: in total X has as many marks as O, or one more when O is to move. */
static int ahead_wanted(const struct uttt_state *s)
{
	int wanted = s->side;
	for (unsigned boards = s->open; boards; boards &= boards - 1) {
		unsigned board = (unsigned)__builtin_ctz(boards);
		wanted -= (int)text_count(s->stones[0][board]) - (int)text_count(s->stones[1][board]);
	}
	return wanted;
}

bool uttt_read_marks(const char *text, struct uttt_state *s, unsigned board, unsigned *place)
{
	s->stones[0][board] = s->stones[1][board] = 0;
	for (*place = 0; *place < BOARDS; ++*place) {
		char c = text[*place];
		if (c == 'X' || c == 'O')
			s->stones[c == 'O'][board] |= (uint16_t)(1u << *place);
		else if (c != '.')
			return false;
	}
	return true;
}

/* Each board gets the lead of X nearest to zero that the later boards can balance. */
void uttt_make_up_marks(struct uttt_state *s)
{
	int wanted = ahead_wanted(s);
	for (unsigned board = 0; board < BOARDS; board++) {
		unsigned is = uttt_state_of(s, board), place;
		int best = 0;
		bool found = false;
		for (int ahead = ahead_least[is]; is && ahead <= ahead_most[is]; ahead += is == DRAWN ? 2 : 1)
			if (is_balanced(balance_of(s, board + 1, wanted - ahead)) &&
			    (!found || abs(ahead) < abs(best))) {
				best = ahead;
				found = true;
			}
		if (!found)
			continue;
		wanted -= best;
		uttt_read_marks(is == DRAWN ? drawn_boards[best > 0] : won_boards[(is == 1 ? best : -best) + 3], s,
				board, &place);
		if (is == 2) {
			uint16_t x = s->stones[0][board];
			s->stones[0][board] = s->stones[1][board];
			s->stones[1][board] = x;
		}
	}
}

bool uttt_one_move_made(const struct uttt *u, unsigned set)
{
	for (unsigned rest = set; rest; rest &= rest - 1)
		if (!u->line[set & ~(rest & (~rest + 1))])
			return true;
	return false;
}

/* True if a mark of the side that moved last, on an open board, sends to `board`. */
static bool was_sent_to(const struct uttt_state *s, unsigned board)
{
	for (unsigned i = 0; i < BOARDS; i++)
		if (s->open >> i & 1 && s->stones[!s->side][i] >> board & 1)
			return true;
	return false;
}

const char *uttt_fault(const struct uttt *u, const struct uttt_state *s)
{
	unsigned side = s->side;
	if (!is_balanced(balance_of(s, 0, ahead_wanted(s))))
		return "X must have as many marks as O, or one more when O is to move, which is impossible here";
	if (u->line[s->won[side]])
		return side ? "O, who is to move, has three local boards in line already"
			    : "X, who is to move, has three local boards in line already";
	if (u->line[s->won[!side]] && !uttt_one_move_made(u, s->won[!side]))
		return "the game went on after three local boards in line";
	if (s->open != ALL)
		return NULL;
	if (s->forced != FREE && !was_sent_to(s, s->forced))
		return "no move of the opponent can have sent to the board marked @";
	if (s->forced == FREE && s->empty < BOARDS * BOARDS)
		return "all local boards are open, so the one that the last move sent to must be marked @";
	return NULL;
}
