/* Ultimate tic-tac-toe: nine local boards of nine squares; three marks in line win a local board, and three local
 * boards in line win the game.
 *
 * at: 9 * local board + square; 1 First's mark (X), 2 Second's (O). First opens. node: 0, or 1 + the local board that
 * the last move sent the opponent to, open or not. Move code: 16 * local board + square.
 *
 * Key. Three bytes hold a number, the most significant byte first: two bits for each local board, board 0 in the
 * highest (0 open, 1 won by X, 2 by O, 3 drawn); then four bits, 1 + the local board to play in, or 0 when the player
 * may choose or the game is over; then one bit, Second is to move. Two bytes follow for each open board, in order: its
 * nine squares as digits in base 3, square 0 being the highest. A symmetry of the square moves the local boards and the
 * squares within each of them alike; of the eight images the key is the one whose bytes come first. The marks in a
 * decided board are not in the key, so `decode` makes some up. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/board.h"
#include "proto/base/assert.h"

enum { OPEN, WON_X, WON_O, DRAWN };

static const unsigned lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
				     {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};

/* True when three of the nine marks of that kind are in line. */
static bool in_line(const uint8_t nine[9], unsigned kind)
{
	for (unsigned i = 0; i < 8; i++)
		if (nine[lines[i][0]] == kind && nine[lines[i][1]] == kind && nine[lines[i][2]] == kind)
			return true;
	return false;
}

/* The state of each local board. */
static void global_of(const struct ck_position *p, uint8_t global[9])
{
	for (unsigned i = 0; i < 9; i++) {
		const uint8_t *local = p->at + 9 * i;
		global[i] = in_line(local, 1)            ? WON_X
			    : in_line(local, 2)          ? WON_O
			    : ck_count_kind(local, 9, 0) ? OPEN
							 : DRAWN;
	}
}

static bool uttt_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint8_t global[9];
	global_of(p, global);
	*value = in_line(global, WON_X) ? 1 : in_line(global, WON_O) ? -1 : 0;
	return *value || !ck_count_kind(global, 9, OPEN);
}

/* The local board in which the player must move; 9 when the player may choose or the game is over. */
static unsigned forced_board(const struct ck_game *g, const struct ck_position *p)
{
	uint8_t global[9];
	int value;
	global_of(p, global);
	return p->node && global[p->node - 1] == OPEN && !uttt_is_over(g, p, &value) ? p->node - 1 : 9;
}

static unsigned uttt_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	uint8_t global[9];
	unsigned only = forced_board(g, p), n = 0;
	global_of(p, global);
	for (unsigned board = 0; board < 9; board++)
		for (unsigned square = 0; square < 9; square++)
			if (global[board] == OPEN && (only == 9 || only == board) && !p->at[9 * board + square])
				out[n++] = (uint16_t)(16 * board + square);
	return n;
}

static void uttt_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(move / 16 < 9 && move % 16 < 9 && !p->at[9 * (move / 16) + move % 16]);
	p->at[9 * (move / 16) + move % 16] = p->turn ? 2 : 1;
	p->node = 1 + move % 16;
	p->turn = !p->turn;
}

/* T7 of solver/games/THEOREMS.md: whether the marks of that kind can still win a local board that is open, because one
 * of its lines has no other marks. */
static bool can_win_local(const uint8_t local[9], unsigned kind)
{
	uint8_t free[9];
	for (unsigned i = 0; i < 9; i++)
		free[i] = !local[i] || local[i] == kind;
	return in_line(free, 1);
}

/* Whether the local boards that a kind has won, or can still win, contain a line. */
static bool can_win_game(const struct ck_position *p, unsigned kind)
{
	uint8_t global[9], kinds[9];
	global_of(p, global);
	for (unsigned i = 0; i < 9; i++)
		kinds[i] = global[i] == (kind == 1 ? WON_X : WON_O) ||
			   (global[i] == OPEN && can_win_local(p->at + 9 * i, kind));
	return in_line(kinds, 1);
}

static bool uttt_has_card(const struct ck_game *g, const struct ck_position *p, const struct ck_card *card,
			  unsigned *plies)
{
	uint8_t global[9];
	if (card->theorem != 7 || card->size || (card->upper ? card->bound < 0 : card->bound > 0) ||
	    can_win_game(p, card->upper ? 1 : 2))
		return false;
	global_of(p, global);
	*plies = 0;
	for (unsigned i = 0; i < 9; i++)
		*plies += global[i] == OPEN ? ck_count_kind(p->at + 9 * i, 9, 0) : 0;
	return true;
}

static bool uttt_find_card(const struct ck_game *g, const struct ck_position *p, bool upper, int64_t bound,
			   struct ck_card *out, uint8_t *room)
{
	unsigned plies;
	*out = (struct ck_card){.upper = upper, .bound = bound, .theorem = 7, .witness = room};
	return uttt_has_card(g, p, out, &plies);
}

/* Whether a single mark of that kind can have completed all its lines; also true when it has no line. */
static bool one_mark(const uint8_t nine[9], unsigned kind)
{
	if (!in_line(nine, kind))
		return true;
	for (unsigned i = 0; i < 9; i++) {
		uint8_t before[9];
		memcpy(before, nine, 9);
		before[i] = OPEN;
		if (nine[i] == kind && !in_line(before, kind))
			return true;
	}
	return false;
}

static bool local_can_be(const uint8_t local[9])
{
	return one_mark(local, 1) && one_mark(local, 2) && !(in_line(local, 1) && in_line(local, 2));
}

/* Returns what is wrong with the position, or NULL. Ignores the marks in decided boards. */
static const char *find_fault(const struct ck_game *g, const struct ck_position *p, const uint8_t global[9])
{
	unsigned mover = p->turn ? WON_O : WON_X, other = p->turn ? WON_X : WON_O, only = forced_board(g, p);
	bool sent = false;
	if (in_line(global, mover))
		return "the side to move already has three local boards in line";
	if (!one_mark(global, other))
		return "the game went on after three local boards in line";
	for (unsigned i = 0; i < 9 && only < 9; i++)
		sent |= p->at[9 * i + only] == other;
	if (ck_count_kind(global, 9, OPEN) == 9 && only < 9 && !sent)
		return "no mark of the opponent can have sent the side to move to its local board";
	if (ck_count_kind(global, 9, OPEN) == 9 && only == 9 && ck_count_kind(p->at, 81, 0) < 81)
		return "all local boards are open, so the last move must have set the local board to play in";
	return NULL;
}

/* Reads the nine local boards. */
static const char *read_locals(const char *text, struct ck_position *p)
{
	for (unsigned i = 0; i < 81; i++, text++) {
		const char *mark = *text ? strchr(".XO", *text) : NULL;
		if (!mark)
			return "a local board is nine characters, each X, O or .";
		p->at[i] = (uint8_t)(mark - ".XO");
		if (i % 9 == 8 && i < 80 && *++text != '/')
			return "local boards are separated by /";
	}
	return *text ? "text follows the last local board" : NULL;
}

static const char *uttt_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	uint8_t global[9];
	memset(out, 0, sizeof *out);
	if (!*text)
		return NULL;
	if ((text[0] != 'X' && text[0] != 'O') || text[1] != ';' || strlen(text) < 12 || text[11] != ';')
		return "a position is the side to move, the nine states of local boards and the boards, with ; between "
		       "them";
	out->turn = text[0] == 'O';
	const char *wrong = read_locals(text + 12, out);
	if (wrong)
		return wrong;
	global_of(out, global);
	for (unsigned i = 0; i < 9; i++) {
		if (!local_can_be(out->at + 9 * i))
			return "play went on in a local board after three in line";
		if (text[2 + i] == '@' && out->node)
			return "two local boards are marked @";
		if (text[2 + i] == '@')
			out->node = 1 + i;
		if ((text[2 + i] == '@' ? '.' : text[2 + i]) != ".XO#"[global[i]])
			return "a local board is not in the state that the text gives";
	}
	if (ck_count_kind(out->at, 81, 1) != ck_count_kind(out->at, 81, 2) + out->turn)
		return "X must have as many marks as O, or one more when O is to move";
	return find_fault(g, out, global);
}

static void uttt_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	uint8_t global[9];
	global_of(p, global);
	*out++ = p->turn ? 'O' : 'X';
	*out++ = ';';
	for (unsigned i = 0; i < 9; i++)
		*out++ = forced_board(g, p) == i ? '@' : ".XO#"[global[i]];
	for (unsigned i = 0; i < 81; i++) {
		if (i % 9 == 0)
			*out++ = i ? '/' : ';';
		*out++ = ".XO"[p->at[i]];
	}
	*out = 0;
}

/* The place that a symmetry maps one of nine places to. Bit 0 mirrors columns, bit 1 rows, bit 2 then swaps the two. */
static unsigned map_place(unsigned symmetry, unsigned place)
{
	unsigned column = place % 3, row = place / 3;
	column = symmetry & 1 ? 2 - column : column;
	row = symmetry & 2 ? 2 - row : row;
	return symmetry & 4 ? 3 * column + row : 3 * row + column;
}

static size_t write_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	uint8_t global[9];
	uint32_t header = 0;
	size_t n = 3;
	unsigned only = forced_board(g, p);
	global_of(p, global);
	for (unsigned i = 0; i < 9; i++)
		header = 4 * header + global[i];
	header = 16 * header + (only < 9 && ck_count_kind(global, 9, OPEN) > 1 ? only + 1 : 0);
	header = 2 * header + p->turn;
	for (unsigned i = 0; i < 3; i++)
		out[i] = (uint8_t)(header >> (16 - 8 * i));
	for (unsigned i = 0; i < 9; i++) {
		unsigned digits = 0;
		for (unsigned square = 0; square < 9; square++)
			digits = 3 * digits + p->at[9 * i + square];
		if (global[i] != OPEN)
			continue;
		out[n++] = (uint8_t)(digits / 256);
		out[n++] = (uint8_t)(digits % 256);
	}
	return n;
}

static size_t uttt_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	size_t size = write_key(g, p, out);
	PD_ASSERT(size >= 3 && size <= g->key_max);
	for (unsigned symmetry = 1; symmetry < 8; symmetry++) {
		struct ck_position image = *p;
		uint8_t bytes[CK_KEY_MAX];
		for (unsigned i = 0; i < 81; i++)
			image.at[9 * map_place(symmetry, i / 9) + map_place(symmetry, i % 9)] = p->at[i];
		if (p->node)
			image.node = 1 + map_place(symmetry, p->node - 1);
		write_key(g, &image, bytes);
		if (memcmp(bytes, out, size) < 0)
			memcpy(out, bytes, size);
	}
	return size;
}

/* Boards that X has won with three marks more than O, two more, and so on; and the two kinds of drawn boards. With the
 * marks swapped they are boards of O's. In a won board X leads by -3 to 7 marks, in a drawn one by 1 or -1; other leads
 * are impossible. */
static const char *const won[11] = {"XXXX.XXX.", "XXXX.XX..", "XXXX..X..", "XXXX.....", "XXX......", "XXXO.....",
				    "XXXOO....", "XXXOO.O..", "XXXOO.OO.", "XOOOXOO.X", "XOOOXOOOX"};
static const char *const drawn[2] = {"XOXXOOOXX", "OXOOXXXOO"};

static void put_marks(uint8_t local[9], unsigned state, unsigned which)
{
	const char *text = state == DRAWN ? drawn[which] : won[which];
	for (unsigned i = 0; i < 9; i++) {
		unsigned mark = text[i] == 'X' ? 1 : text[i] == 'O' ? 2 : 0;
		local[i] = (uint8_t)(state == WON_O && mark ? 3 - mark : mark);
	}
}

/* Puts marks into the decided boards, so that X has as many as O, or one more when Second is to move: begins with the
 * largest lead of X and reduces it board by board. False when that is impossible. */
static bool make_up_marks(struct ck_position *p, const uint8_t global[9])
{
	for (unsigned i = 0; i < 9; i++)
		if (global[i] != OPEN)
			put_marks(p->at + 9 * i, global[i], global[i] == WON_O ? 10 : 0);
	int surplus = (int)ck_count_kind(p->at, 81, 1) - (int)ck_count_kind(p->at, 81, 2) - p->turn;
	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 9; i++) {
			if ((global[i] == DRAWN) != (round == 0) || global[i] == OPEN)
				continue;
			if (global[i] == DRAWN && surplus >= 2) {
				put_marks(p->at + 9 * i, DRAWN, 1);
				surplus -= 2;
			} else if (global[i] != DRAWN && surplus > 0) {
				int less = surplus < 10 ? surplus : 10;
				put_marks(p->at + 9 * i, global[i], (unsigned)(global[i] == WON_O ? 10 - less : less));
				surplus -= less;
			}
		}
	return surplus == 0;
}

static bool uttt_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	uint8_t global[9];
	size_t n = 3;
	if (size < 3)
		return false;
	uint32_t header = (uint32_t)key[0] << 16 | (uint32_t)key[1] << 8 | key[2];
	p->turn = header % 2;
	p->node = header / 2 % 16;
	if (header >> 23 || p->node > 9)
		return false;
	for (unsigned i = 0; i < 9; i++) {
		uint8_t *local = p->at + 9 * i;
		global[i] = header >> (5 + 2 * (8 - i)) & 3;
		if (global[i] != OPEN)
			continue;
		if (size < n + 2)
			return false;
		unsigned digits = 256u * key[n] + key[n + 1];
		n += 2;
		for (unsigned square = 9; square-- > 0; digits /= 3)
			local[square] = digits % 3;
		if (digits || in_line(local, 1) || in_line(local, 2) || !ck_count_kind(local, 9, 0))
			return false;
	}
	if (n != size || (p->node && global[p->node - 1] != OPEN))
		return false;
	return make_up_marks(p, global) && !find_fault(g, p, global);
}

static int uttt_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			  struct pd_fail *fail)
{
	if (strcmp(g->name, "uttt"))
		return pd_fail_set(fail, PD_E_GAME, "game", "uttt takes no parameters");
	g->key_max = 21;
	return PD_OK;
}

static void uttt_draw_board(const struct ck_game *g, const struct ck_position *p, char out[CK_PICTURE_MAX])
{
	for (unsigned line = 0; line < 9; line++) {
		out += sprintf(out, line && line % 3 == 0 ? "\n  " : "  ");
		for (unsigned i = 0; i < 9; i++)
			out += sprintf(out, "%s %c", i && i % 3 == 0 ? "  " : "",
				       ".XO"[p->at[9 * (line / 3 * 3 + i / 3) + line % 3 * 3 + i % 3]]);
		out += sprintf(out, "\n");
	}
}

static void uttt_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	sprintf(out, "%c%c", 'a' + (move >> 4 & 15), 'a' + (move & 15));
}

const struct ck_rules ck_uttt = {
	.name = "uttt",
	CK_RULES(uttt),
	.over = uttt_is_over,
	.first_moves = ck_turn_0_moves,
	.picture = uttt_draw_board,
	.move_name = uttt_name_move,
	.card = uttt_has_card,
	.find_card = uttt_find_card,
};
