/* Tsume-shogi: does the attacker mate by checks alone? The value is 1 if it can give mate against every defence, else
 * 0. RULES.md has the rules and the notation, shogi.h squares, pieces and codes of moves.
 *
 * First is the attacker: the side to move in the given position unless its text says otherwise. It is side 0 of
 * shogi.h, whatever its colour: a position where White attacks is that where Black does, turned round, and has the same
 * key and codes of moves. Only texts and pictures tell them apart. The defender holds what is neither on the board nor
 * in the attacker's hand, and is always in check when it is to move, except perhaps in the given position.
 *
 * Key, 58 bytes. The board part: 51 bytes, a string of bits, lowest first. For each file from 1 to 9, for each rank
 * from a to i, 5 bits for the square: 0, or 1 pawn, 2 lance, 3 knight, 4 silver, 5 bishop, 6 rook, 7 gold, 8 king, and
 * from 9 on the promoted pawn, lance, knight, silver, bishop and rook, plus 16 for the defender's; then one bit, set if
 * the defender is to move, and two of 0. The order part: 7 bytes, how many pawns, lances, knights, silvers, bishops,
 * rooks and golds the attacker has in hand. The board and its image with files mirrored are the same position; the key
 * has that with the smaller first file, or if both are equal the smaller second one, and so on, the 45 bits of a file
 * compared as a number. */
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/cells.h"
#include "solver/games/shogi.h"

enum { BOARD_BYTES = 51, KEY_BYTES = BOARD_BYTES + SHOGI_HAND, PIECES = 14, SACRIFICE_COST = 2 };

/* In the order of the kinds, the promoted ones last; a picture has one letter for each. */
static const char letters[] = "PLNSBRGKTUVWHD", hand_order[] = "RBGSNLP";

struct tsume_game {
	struct cells_game base;
	struct shogi_lines lines;
};

static const struct shogi_lines *lines_of(const struct game *game)
{
	return &((const struct tsume_game *)game)->lines;
}

/* --- rules -------------------------------------------------------------------------------- */

static unsigned tsume_moves(const struct game *game, const void *state, game_move *out)
{
	const struct shogi_state *s = state;
	return shogi_moves(lines_of(game), s, s->side == 0, out);
}

/* Counts the moves, and the work that they are: the defender's drops on one square together. */
static void count_moves(const struct game *game, struct shogi_state *s)
{
	game_move moves[SHOGI_MOVES_MAX];
	uint8_t dropped[SHOGI_SQUARES] = {0};
	s->work = s->count = (uint16_t)tsume_moves(game, s, s->side ? moves : NULL);
	for (unsigned i = 0; s->side && i < s->count; i++)
		if ((moves[i] & 127) >= SHOGI_SQUARES && dropped[moves[i] >> 7 & 127]++)
			s->work--;
}

static void tsume_play(const struct game *game, void *state, game_move move)
{
	shogi_play(state, move);
	count_moves(game, state);
}

static bool tsume_first_to_move(const struct game *game, const void *state)
{
	return ((const struct shogi_state *)state)->side == 0;
}

static unsigned tsume_count(const struct game *game, const void *state)
{
	return ((const struct shogi_state *)state)->count;
}

static void tsume_initial_numbers(const struct game *game, const void *state, int threshold, uint32_t num[2])
{
	const struct shogi_state *s = state;
	num[!s->side] = s->work;
	num[s->side] = 1;
}

/* Sacrifices cost, so that they are tried later (Kaneko, "Parallel depth first proof number search", AAAI 2010). As in
 * initial_estimation.hpp of the solver KomoringHeights, a sacrifice is a check to a square that the defender attacks
 * with at least as many pieces as the attacker, the piece that moves there counted among the attacker's, unless it
 * takes a gold or a silver. */
static void tsume_edge_costs(const struct game *game, const void *state, int threshold, const game_move *moves,
			     unsigned count, uint16_t (*out)[2])
{
	const struct shogi_state *s = state;
	for (unsigned i = 0; i < count; i++) {
		unsigned to = moves[i] >> 7 & 127;
		PD_ASSERT(to < SHOGI_SQUARES);
		unsigned taken = shogi_base(s->at[to]);
		bool drop = (moves[i] & 127) >= SHOGI_SQUARES;
		out[i][0] = out[i][1] = 0;
		if (!s->side && taken != SHOGI_GOLD && taken != SHOGI_SILVER &&
		    shogi_attackers(lines_of(game), s, to, 0) + drop <= shogi_attackers(lines_of(game), s, to, 1))
			out[i][0] = SACRIFICE_COST;
	}
}

static bool tsume_terminal(const struct game *game, const void *state, int *value)
{
	const struct shogi_state *s = state;
	if (!s->count)
		*value = s->side;
	return !s->count;
}

/* Gives the defender the rest, and completes the state. Returns what is wrong with the position, or NULL. */
static const char *complete_state(const struct game *game, struct shogi_state *s)
{
	int rest[SHOGI_HAND];
	for (unsigned i = 0; i < SHOGI_HAND; i++)
		rest[i] = shogi_full[i] - s->hand[0][i];
	for (unsigned square = 0; square < SHOGI_SQUARES; square++) {
		unsigned base = shogi_base(s->at[square]);
		if (base && base != SHOGI_KING)
			rest[base - 1]--;
	}
	for (unsigned i = 0; i < SHOGI_HAND; i++) {
		if (rest[i] < 0)
			return "there are more pieces of a kind than in a set";
		s->hand[1][i] = (uint8_t)rest[i];
	}
	const char *wrong = shogi_complete(lines_of(game), s);
	if (!wrong)
		count_moves(game, s);
	return wrong;
}

static void tsume_start(const struct game *game, void *state)
{
	struct shogi_state *s = state;
	memset(s, 0, sizeof *s);
	s->at[9 * 4] = SHOGI_KING | SHOGI_SECOND;
	s->at[9 * 4 + 8] = SHOGI_KING;
	memcpy(s->hand[0], shogi_full, sizeof shogi_full);
	const char *wrong = complete_state(game, s);
	PD_ASSERT(!wrong);
}

/* Alike are the defender's drops on one square: the attacker answers most of them in the same way. */
static void tsume_alike(const struct game *game, const void *state, const game_move *moves, unsigned count,
			uint8_t *out)
{
	for (unsigned i = 0; i < count && ((const struct shogi_state *)state)->side; i++)
		if ((moves[i] & 127) >= SHOGI_SQUARES)
			out[i] = (uint8_t)(1 + (moves[i] >> 7 & 127));
}

/* --- keys --------------------------------------------------------------------------------- */

/* The files as numbers; true if the key has the mirrored image. */
static bool pack_files(const struct shogi_state *s, uint64_t file[9])
{
	for (unsigned f = 0; f < 9; f++) {
		file[f] = 0;
		for (unsigned r = 9; r-- > 0;)
			file[f] = file[f] << 5 | s->at[9 * f + r];
	}
	unsigned f = 0;
	while (f < 4 && file[f] == file[8 - f])
		f++;
	return file[8 - f] < file[f];
}

static size_t tsume_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct shogi_state *s = state;
	uint64_t file[9], word = 0;
	unsigned bits = 0, n = 0;
	bool mirrored = pack_files(s, file);
	for (unsigned f = 0; f < 9; f++) {
		word |= file[mirrored ? 8 - f : f] << bits;
		for (bits += 45; bits >= 8; bits -= 8, word >>= 8)
			out[n++] = (uint8_t)word;
	}
	out[n++] = (uint8_t)(word | (uint64_t)s->side << bits);
	PD_DEBUG_ASSERT(n == BOARD_BYTES);
	memcpy(out + n, s->hand[0], SHOGI_HAND);
	return KEY_BYTES;
}

static int tsume_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	struct shogi_state s = {0};
	uint8_t again[KEY_BYTES];
	if (size != KEY_BYTES)
		return PD_E_CORRUPT;
	for (unsigned square = 0; square < SHOGI_SQUARES; square++) {
		unsigned bit = 5 * square;
		s.at[square] = (key[bit / 8] | (unsigned)key[bit / 8 + 1] << 8) >> bit % 8 & 31;
		if (s.at[square] && (!shogi_kind(s.at[square]) || shogi_kind(s.at[square]) >= SHOGI_KINDS))
			return PD_E_CORRUPT;
	}
	s.side = key[BOARD_BYTES - 1] >> 5 & 1;
	memcpy(s.hand[0], key + BOARD_BYTES, SHOGI_HAND);
	if (complete_state(game, &s) || tsume_key(game, &s, again) != size || memcmp(again, key, size) != 0)
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

static unsigned mirror_square(unsigned square)
{
	return 9 * (8 - square / 9) + square % 9;
}

static game_move tsume_canon(const struct game *game, const void *state, game_move move, bool back)
{
	uint64_t file[9];
	unsigned from = move & 127, to = move >> 7 & 127;
	if (!pack_files(state, file))
		return move;
	from = from < SHOGI_SQUARES ? mirror_square(from) : from;
	return (game_move)(from | mirror_square(to) << 7 | (unsigned)(move >> 14) << 14);
}

/* --- text --------------------------------------------------------------------------------- */

static unsigned turn_square(unsigned square, unsigned flipped)
{
	PD_ASSERT(square < SHOGI_SQUARES && flipped <= 1);
	return flipped ? SHOGI_SQUARES - 1 - square : square;
}

/* The kind of a letter of the first `count` kinds, in either case; 0 for none. */
static unsigned kind_of(char c, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (c == letters[i] || c == (letters[i] | 0x20))
			return i + 1;
	return 0;
}

/* Reads the board; side 0 is Black. */
static const char *read_board(const char **text, struct shogi_state *s)
{
	for (unsigned rank = 0; rank < 9; rank++) {
		for (unsigned file = 9; file > 0;) {
			const char *p = *text;
			if (*p >= '1' && *p <= '9') {
				unsigned run = (unsigned)(*p - '0');
				if (run > file)
					return "a row has nine squares";
				file -= run;
				++*text;
				continue;
			}
			bool promoted = *p == '+';
			unsigned kind = kind_of(p[promoted], SHOGI_KING);
			if (!kind || (promoted && kind >= SHOGI_GOLD))
				return "a row has nine squares, letters of pieces, such as P, +P, k, and numbers of "
				       "empty squares";
			kind += promoted ? SHOGI_PROMOTED : 0;
			s->at[9 * --file + rank] = (uint8_t)(kind + (p[promoted] >= 'a' ? SHOGI_SECOND : 0));
			*text += 1 + promoted;
		}
		if (rank < 8 && *(*text)++ != '/') {
			--*text;
			return "nine rows are separated by /";
		}
	}
	return NULL;
}

static const char *read_hands(const char **text, struct shogi_state *s)
{
	if (**text == '-') {
		++*text;
		return NULL;
	}
	do {
		unsigned number = 1;
		if (**text >= '0' && **text <= '9' && (**text == '0' || !text_number(text, &number) || number > 18))
			return "a number in a hand is 1 to 18";
		unsigned kind = kind_of(**text, SHOGI_GOLD), side = **text >= 'a';
		if (!kind || s->hand[side][kind - 1])
			return "the hands, - or pieces such as 2Pb, each once, follow the side to move";
		s->hand[side][kind - 1] = (uint8_t)number;
		++*text;
	} while (**text && **text != ' ');
	return NULL;
}

/* Turns the board round and exchanges the sides. */
static void turn_round(struct shogi_state *s)
{
	struct shogi_state t = *s;
	for (unsigned square = 0; square < SHOGI_SQUARES; square++)
		s->at[square] = t.at[80 - square] ? t.at[80 - square] ^ SHOGI_SECOND : 0;
	memcpy(s->hand[0], t.hand[1], SHOGI_HAND);
	memcpy(s->hand[1], t.hand[0], SHOGI_HAND);
	s->side ^= 1;
	s->flipped = 1;
}

/* Reads what follows the board. */
static const char *read_rest(const char **text, struct shogi_state *s)
{
	unsigned number;
	const char *p = *text;
	if (p[0] != ' ' || (p[1] != 'b' && p[1] != 'w') || p[2] != ' ')
		return "a blank, the side to move, b or w, and another blank follow the board";
	s->side = p[1] == 'w';
	*text += 3;
	const char *wrong = read_hands(text, s);
	if (wrong)
		return wrong;
	if (**text == ' ' && (*text)[1] >= '0' && (*text)[1] <= '9') {
		++*text;
		if (!text_number(text, &number))
			return "a move number has at most nine digits";
	}
	bool white = s->side;
	if (!strncmp(*text, " first=b", 8) || !strncmp(*text, " first=w", 8)) {
		white = (*text)[7] == 'w';
		*text += 8;
	}
	if (**text)
		return "only the number of the move, and then first=b or first=w, may follow the hands";
	if (white)
		turn_round(s);
	return NULL;
}

static int tsume_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail)
{
	struct shogi_state s = {0};
	uint8_t given[SHOGI_HAND], none[SHOGI_HAND] = {0};
	const char *p = text, *wrong;
	if (!*text) {
		tsume_start(game, state);
		return PD_OK;
	}
	if ((wrong = read_board(&p, &s)) || (wrong = read_rest(&p, &s)))
		return pd_fail_set(fail, PD_E_POSITION, "position", "at index %zu (counted from 0): %s",
				   (size_t)(p - text), wrong);
	memcpy(given, s.hand[1], sizeof given);
	wrong = complete_state(game, &s);
	if (!wrong && memcmp(given, none, sizeof given) != 0 && memcmp(given, s.hand[1], sizeof given) != 0)
		wrong = "the defender holds all pieces that are neither on the board nor in the attacker's hand; leave "
			"them out, or name them all";
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

static void print_hand(const struct shogi_state *s, unsigned side, struct text_line *line)
{
	for (const char *c = hand_order; *c; c++) {
		unsigned count = s->hand[side][kind_of(*c, SHOGI_GOLD) - 1];
		if (count > 1)
			text_printf(line, "%u", count);
		if (count)
			text_char(line, (char)(side != s->flipped ? *c | 0x20 : *c));
	}
}

static size_t tsume_print(const struct game *game, const void *state, char *out, size_t size)
{
	const struct shogi_state *s = state;
	struct text_line line = text_line(out, size);
	for (unsigned rank = 0; rank < 9; rank++) {
		unsigned run = 0;
		for (unsigned file = 9; file-- > 0;) {
			unsigned piece = s->at[turn_square(9 * file + rank, s->flipped)];
			run += !piece;
			if (run && (piece || !file))
				text_printf(&line, "%u", run);
			run = piece ? 0 : run;
			if (shogi_kind(piece) > SHOGI_KING)
				text_char(&line, '+');
			if (piece)
				text_char(&line, (char)(letters[shogi_base(piece) - 1] |
							(shogi_side(piece) != s->flipped ? 0x20 : 0)));
		}
		text_char(&line, rank < 8 ? '/' : ' ');
	}
	text_printf(&line, "%c ", s->side != s->flipped ? 'w' : 'b');
	size_t before = line.length;
	print_hand(s, s->flipped, &line);
	print_hand(s, !s->flipped, &line);
	if (line.length == before)
		text_char(&line, '-');
	if (s->side)
		text_printf(&line, " first=%c", s->flipped ? 'w' : 'b');
	return line.length;
}

static void print_square(unsigned square, const struct shogi_state *s, struct text_line *line)
{
	square = turn_square(square, s->flipped);
	text_printf(line, "%u%c", square / 9 + 1, 'a' + square % 9);
}

static size_t tsume_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size)
{
	struct text_line line = text_line(out, size);
	unsigned from = move & 127;
	if (from < SHOGI_SQUARES)
		print_square(from, state, &line);
	else
		text_printf(&line, "%c*", letters[from - SHOGI_SQUARES]);
	print_square(move >> 7 & 127, state, &line);
	if (move >> 14)
		text_char(&line, '+');
	return line.length;
}

static const char *const notations[] = {"usi", "csa", "kif", NULL};

/* CSA: 7776FU, 0055KA, as the piece is afterwards. KIF: the file in a wide digit, the rank and the piece before the
 * move in kanji, then whether it promotes or is dropped, and in parentheses whence. */
static size_t tsume_move_print_in(const struct game *game, const void *state, game_move move, const char *notation,
				  char *out, size_t size)
{
	static const char csa[][3] = {"FU", "KY", "KE", "GI", "KA", "HI", "KI",
				      "OU", "TO", "NY", "NK", "NG", "UM", "RY"};
	static const char *const kif[] = {"歩", "香", "桂",   "銀",   "角",   "飛", "金",
					  "玉", "と", "成香", "成桂", "成銀", "馬", "龍"};
	static const char *const ranks[] = {"一", "二", "三", "四", "五", "六", "七", "八", "九"};
	const struct shogi_state *s = state;
	struct text_line line = text_line(out, size);
	unsigned from = move & 127, to = turn_square(move >> 7 & 127, s->flipped), promotes = move >> 14;
	bool drop = from >= SHOGI_SQUARES;
	unsigned kind = drop ? from - SHOGI_SQUARES + 1 : shogi_kind(s->at[from]);
	from = drop ? 0 : turn_square(from, s->flipped);
	unsigned origin = drop ? 0 : 10 * (from / 9 + 1) + from % 9 + 1;
	if (!strcmp(notation, "usi"))
		return tsume_move_print(game, state, move, out, size);
	if (!strcmp(notation, "csa"))
		text_printf(&line, "%02u%u%u%s", origin, to / 9 + 1, to % 9 + 1,
			    csa[kind + (promotes ? SHOGI_PROMOTED : 0) - 1]);
	else
		text_printf(&line, "\xef\xbc%c%s%s%s", (char)(0x91 + to / 9), ranks[to % 9], kif[kind - 1],
			    drop       ? "打"
			    : promotes ? "成"
				       : "");
	if (*notation == 'k' && !drop)
		text_printf(&line, "(%u)", origin);
	return line.length;
}

/* Writes the signs of KIF as tsume_move_print_in does: dragon and king have a second one each. */
static void unify_signs(const char *text, char *out, size_t size)
{
	static const char *const signs[2][2] = {{"竜", "龍"}, {"王", "玉"}};
	snprintf(out, size, "%s", text);
	for (unsigned i = 0; i < 2; i++)
		for (char *p = out; (p = strstr(p, signs[i][0])) != NULL;)
			memcpy(p, signs[i][1], strlen(signs[i][1]));
}

static int refuse_move(const struct shogi_state *s, const char *text, struct pd_fail *fail)
{
	bool black = s->side == s->flipped;
	const char *more = "";
	if (*text == (black ? '-' : '+'))
		more = black ? "; - is a sign of White, and Black is to move"
			     : "; + is a sign of Black, and White is to move";
	else if (!strncmp(text, "同", strlen("同")))
		more = "; in place of 同 name the square";
	return pd_fail_set(
		fail, PD_E_MOVE, "move",
		"'%s' is not a legal move here; a move is 7g7f, 8h2b+ with a promotion, or a drop P*3c, and the "
		"attacker must give check%s",
		text_excerpt(text, 20).text, more);
}

/* Reads all notations; before a move in CSA there may be the sign of its side. */
static int tsume_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			    struct pd_fail *fail)
{
	const struct shogi_state *s = state;
	game_move moves[SHOGI_MOVES_MAX];
	char name[32], kif[32];
	const char *csa = *text == (s->side == s->flipped ? '+' : '-') ? text + 1 : text;
	unsigned count = tsume_moves(game, state, moves);
	unify_signs(text, kif, sizeof kif);
	for (unsigned i = 0; i < count; i++)
		for (const char *const *notation = notations; *notation; notation++) {
			tsume_move_print_in(game, state, moves[i], *notation, name, sizeof name);
			if (!strcmp(name, **notation == 'c' ? csa : **notation == 'k' ? kif : text)) {
				*out = moves[i];
				return PD_OK;
			}
		}
	return refuse_move(s, text, fail);
}

/* --- the board ---------------------------------------------------------------------------- */

static void tsume_board(const struct game *game, struct game_board *out)
{
	static const char *const names[2][PIECES] = {
		{"black pawn", "black lance", "black knight", "black silver", "black bishop", "black rook",
		 "black gold", "black king", "black promoted pawn", "black promoted lance", "black promoted knight",
		 "black promoted silver", "black horse", "black dragon"},
		{"white pawn", "white lance", "white knight", "white silver", "white bishop", "white rook",
		 "white gold", "white king", "white promoted pawn", "white promoted lance", "white promoted knight",
		 "white promoted silver", "white horse", "white dragon"}};
	game_board_grid(out, 9, 9, GAME_SQUARE);
	for (unsigned i = 0; i < SHOGI_SQUARES; i++) {
		struct text_line line = text_line(out->place[i].name, sizeof out->place[i].name);
		text_printf(&line, "%u%c", 9 - i % 9, 'i' - i / 9);
		out->place[i].shade = 0;
	}
	for (unsigned i = 0; i < 9; i++) {
		out->label[i].text[0] = (char)('9' - i);
		out->label[9 + i].text[0] = (char)('i' - i);
	}
	out->side[0] = "Black";
	out->side[1] = "White";
	out->hands = true;
	out->pieces = 2 * PIECES;
	for (unsigned i = 0; i < 2 * PIECES; i++)
		out->piece[i] = (struct game_piece){.letter = (char)(letters[i % PIECES] | (i < PIECES ? 0 : 0x20)),
						    .side = i < PIECES ? GAME_FIRST : GAME_SECOND,
						    .look = GAME_LETTER,
						    .name = names[i / PIECES][i % PIECES]};
}

/* The place on the board of a square, or the square of a place. */
static unsigned place_of(unsigned square, unsigned flipped)
{
	square = turn_square(square, flipped);
	return 9 * (8 - square % 9) + 8 - square / 9;
}

static unsigned tsume_move_places(const struct game *game, const void *state, game_move move,
				  uint16_t out[GAME_MOVE_PLACES_MAX])
{
	const struct shogi_state *s = state;
	unsigned n = 0;
	if ((move & 127) < SHOGI_SQUARES)
		out[n++] = (uint16_t)place_of(move & 127, s->flipped);
	out[n++] = (uint16_t)place_of(move >> 7 & 127, s->flipped);
	return n;
}

/* The number of a kind in `letters`, from 0. */
static unsigned letter_of(unsigned piece)
{
	PD_ASSERT(shogi_kind(piece));
	return shogi_kind(piece) - 1;
}

static void tsume_diagram(const struct game *game, const void *state, struct game_diagram *out)
{
	const struct shogi_state *s = state;
	struct text_line line = text_line(out->note, sizeof out->note);
	for (unsigned square = 0; square < SHOGI_SQUARES; square++) {
		unsigned piece = s->at[square], side = shogi_side(piece) ^ s->flipped;
		if (piece)
			out->on[place_of(square, s->flipped)] = (uint8_t)(1 + letter_of(piece) + side * PIECES);
	}
	for (unsigned side = 0; side < 2; side++)
		for (unsigned i = 0; i < SHOGI_HAND; i++)
			out->hand[side ^ s->flipped][i + (side ^ s->flipped) * PIECES] = s->hand[side][i];
	out->to_move = s->count ? s->side ^ s->flipped : GAME_NO_SIDE;
	text_printf(&line, "First is %s", s->flipped ? "White" : "Black");
}

/* The defender's hand in the diagram does not matter: it is what is left. */
static int tsume_set_up(const struct game *game, const struct game_diagram *d, void *state, struct pd_fail *fail)
{
	struct shogi_state s = {.side = d->to_move == GAME_SECOND};
	bool white = s.side;
	if (d->to_move >= GAME_NO_SIDE)
		return cells_refuse(fail, "name the side to move");
	if (*d->note && strcmp(d->note, "First is Black") != 0 && strcmp(d->note, "First is White") != 0)
		return cells_refuse(fail, "malformed note; it is 'First is Black' or 'First is White'");
	if (*d->note)
		white = d->note[9] == 'W';
	for (unsigned i = 0; i < SHOGI_SQUARES; i++) {
		unsigned on = d->on[i];
		if (on > 2 * PIECES)
			return cells_refuse(fail, "the game has no such piece");
		if (on)
			s.at[place_of(i, 0)] = (uint8_t)(on > PIECES ? on - PIECES + SHOGI_SECOND : on);
	}
	for (unsigned i = 0; i < 2 * PIECES; i++) {
		unsigned count = d->hand[i / PIECES][i];
		if (d->hand[i < PIECES][i] || (i % PIECES >= SHOGI_HAND && count))
			return cells_refuse(fail,
					    "a hand has pawns, lances, knights, silvers, golds, bishops and rooks of "
					    "its own side");
		if (i % PIECES < SHOGI_HAND)
			s.hand[i / PIECES][i % PIECES] = (uint8_t)(count > 18 ? 19 : count);
	}
	if (white)
		turn_round(&s);
	const char *wrong = complete_state(game, &s);
	if (!wrong)
		memcpy(state, &s, sizeof s);
	return cells_refuse(fail, wrong);
}

/* --- opening ------------------------------------------------------------------------------ */

static int tsume_open(const struct game_rules *rules, const char *params, const struct game_host *host,
		      struct game **out, struct pd_fail *fail)
{
	static const struct cells_form form = {.letters = ""};
	if (*params)
		return cells_refuse_params(rules, params, fail);
	struct tsume_game *g = cells_new(rules, &form, sizeof *g, fail);
	if (!g)
		return PD_E_NO_MEMORY;
	struct game *game = &g->base.game;
	memcpy(game->name, "tsume", sizeof "tsume");
	game->state_size = sizeof(struct shogi_state);
	game->key_size_max = KEY_BYTES;
	game->moves_max = SHOGI_MOVES_MAX;
	game->value_min = 0;
	game->acyclic = false;
	shogi_lines_init(&g->lines);
	*out = game;
	return PD_OK;
}

static const struct game_words tsume_words = {.first = "first mates", .draw = "no mate"};

static unsigned tsume_order_part(const struct game *game)
{
	return SHOGI_HAND;
}

/* More in the attacker's hand, which is less in the defender's, is better for the attacker (THEOREMS.md, T102). */
static bool tsume_dominates(const struct game *game, const uint8_t *a, const uint8_t *b, int bound, bool first)
{
	const uint8_t *more = first ? a : b, *less = first ? b : a;
	for (unsigned i = 0; i < SHOGI_HAND; i++)
		if (more[i] < less[i])
			return false;
	return true;
}

const struct game_rules game_tsume_rules = {
	.abi = GAME_ABI,
	.size = sizeof(struct game_rules),
	.name = "tsume",
	.title = "Tsume-shogi: does First mate by checks?",
	.params = "none; the value is 1 if First can force mate and gives check with every move, else 0",
	.notation = "A position is an SFEN; the defender's hand may be left out, for it holds all pieces that are not "
		    "elsewhere. first=b or first=w may follow it; otherwise First is the side to move. A move is 7g7f, "
		    "8h2b+ or P*3c, as in USI; those of CSA and KIF are read as well.",
	.example = "tsume",
	.open = tsume_open,
	.close = cells_close,
	CELLS_RULES(tsume),
	.parse = tsume_parse,
	.print = tsume_print,
	.move_parse = tsume_move_parse,
	.move_print = tsume_move_print,
	.canon = tsume_canon,
	.initial_numbers = tsume_initial_numbers,
	.edge_costs = tsume_edge_costs,
	.count = tsume_count,
	.alike = tsume_alike,
	.words = &tsume_words,
	.board = tsume_board,
	.diagram = tsume_diagram,
	.move_places = tsume_move_places,
	.notations = notations,
	.move_print_in = tsume_move_print_in,
	.set_up = tsume_set_up,
	.order_part = tsume_order_part,
	.dominates = tsume_dominates,
	.algorithm = "df-pn-plus",
};
