#include "solver/games/chessboard.h"

#include <string.h>

/* --- geometry ----------------------------------------------------------------------------- */

static uint64_t square_at(int row, int file)
{
	return row < 0 || row > 7 || file < 0 || file > 7 ? 0 : chess_bit((unsigned)(8 * row + file));
}

_Static_assert(sizeof(struct chess_state) <= GAME_STATE_MAX, "a state fits into GAME_STATE_MAX bytes");
_Static_assert((int)CHESS_KEY_MAX < (int)GAME_KEY_MAX, "GAME_KEY_MAX is large enough");
_Static_assert((int)CHESS_MOVES_MAX <= (int)GAME_MOVES_MAX, "GAME_MOVES_MAX is large enough");

void chess_lines_init(struct chess_lines *l)
{
	static const int up[LINES] = {0, 1, 1, 1}, right[LINES] = {1, 0, 1, -1};
	memset(l, 0, sizeof *l);
	for (int square = 0; square < 64; square++) {
		int row = square / 8, file = square % 8;
		for (int line = 0; line < LINES; line++)
			for (int i = 1; i < 8; i++) {
				struct chess_halves *h = &l->line[square][line];
				h->upper |= square_at(row + i * up[line], file + i * right[line]);
				h->lower |= square_at(row - i * up[line], file - i * right[line]);
			}
		for (int dr = -2; dr <= 2; dr++)
			for (int df = -2; df <= 2; df++) {
				if (dr * dr + df * df == 5)
					l->knight[square] |= square_at(row + dr, file + df);
				else if (dr * dr + df * df == 1 || dr * dr + df * df == 2)
					l->king[square] |= square_at(row + dr, file + df);
			}
	}
}

/* --- positions ---------------------------------------------------------------------------- */

/* What is wrong with rights and en-passant target; NULL if nothing is. */
static const char *check_marks(const struct chess_state *s)
{
	static const struct {
		uint8_t right, square, man;
	} home[] = {{3, 4, CHESS_KING},
		    {1, 7, CHESS_ROOK},
		    {2, 0, CHESS_ROOK},
		    {12, 60, CHESS_KING | CHESS_BLACK},
		    {4, 63, CHESS_ROOK | CHESS_BLACK},
		    {8, 56, CHESS_ROOK | CHESS_BLACK}};
	for (unsigned i = 0; i < sizeof home / sizeof home[0]; i++)
		if ((s->rights & home[i].right) && chess_man(s, home[i].square) != home[i].man)
			return "the castling field names a right whose king or rook is not at home";
	return chess_check_passing(s);
}

const char *chess_check_passing(const struct chess_state *s)
{
	if (!s->passing)
		return NULL;
	unsigned target = chess_passing_square(s), pawn = chess_passed_pawn(s), origin = 2 * target - pawn;
	if (chess_man(s, pawn) != (s->side ? CHESS_PAWN : CHESS_PAWN | CHESS_BLACK) || chess_man(s, target) ||
	    chess_man(s, origin))
		return "no pawn can just have passed over the en-passant square";
	return NULL;
}

const char *chess_complete(const struct game *game, struct chess_state *s)
{
	struct chess_men m = chess_men(s);
	if (m.pawns & (ROW_1 | ROW_8))
		return "a pawn stands on the first or the last row";
	if (s->clock > chess_of(game)->limit)
		return "the counter of halfmoves is more than twice the N of the game";
	const char *wrong = check_marks(s);
	return wrong ? wrong : chess_of(game)->form->complete(game, s);
}

void chess_start(const struct game *game, void *state)
{
	struct chess_state *s = state;
	static const uint8_t men[] = {CHESS_ROOK, CHESS_KNIGHT, CHESS_BISHOP, CHESS_QUEEN,
				      CHESS_KING, CHESS_BISHOP, CHESS_KNIGHT, CHESS_ROOK};
	memset(s, 0, sizeof *s);
	for (unsigned file = 0; file < 8; file++) {
		chess_put(s, file, men[file]);
		chess_put(s, 8 + file, CHESS_PAWN);
		chess_put(s, 48 + file, CHESS_PAWN | CHESS_BLACK);
		chess_put(s, 56 + file, men[file] | CHESS_BLACK);
	}
	s->rights = chess_of(game)->form->mate ? CHESS_CASTLING : 0;
	chess_of(game)->form->complete(game, s);
}

/* --- keys --------------------------------------------------------------------------------- */

#if defined(__BMI2__) && defined(__x86_64__)

/* The codes of at most 16 men, four bits each, beginning with number `skip`. */
static uint64_t codes_of_men(const struct chess_state *s, uint64_t occupied, unsigned skip)
{
	uint64_t word = 0;
	for (unsigned i = 0; i < 4; i++)
		word |= __builtin_ia32_pdep_di(__builtin_ia32_pext_di(s->plane[i], occupied) >> skip,
					       UINT64_C(0x1111111111111111) << i);
	return word;
}

#else

static uint64_t codes_of_men(const struct chess_state *s, uint64_t occupied, unsigned skip)
{
	uint64_t word = 0;
	for (; occupied && skip > 0; skip--)
		occupied &= occupied - 1;
	for (unsigned i = 0; occupied && i < 16; i++, occupied &= occupied - 1)
		word |= (uint64_t)chess_man(s, chess_first(occupied)) << 4 * i;
	return word;
}

#endif

static void put_word(uint8_t *out, uint64_t word, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (uint8_t)(word >> 8 * i);
}

size_t chess_key(const struct game *game, const void *state, uint8_t *out)
{
	const struct chess_state *s = state;
	uint64_t occupied = s->plane[0] | s->plane[1] | s->plane[2];
	unsigned bytes = (chess_count(occupied) + 1) / 2;
	PD_DEBUG_ASSERT(10 + bytes <= CHESS_KEY_MAX && s->clock <= chess_of(game)->limit);
	PD_DEBUG_ASSERT(s->side < 2 && s->rights <= CHESS_CASTLING && s->passing <= 8);
	out[0] = (uint8_t)(s->side | s->rights << 1 | s->first_black << 5);
	out[1] = s->passing;
	put_word(out + 2, occupied, 8);
	for (unsigned i = 0; i < bytes; i += 8)
		put_word(out + 10 + i, codes_of_men(s, occupied, 2 * i), bytes - i < 8 ? bytes - i : 8);
	if (!chess_of(game)->limit)
		return 10 + bytes;
	out[10 + bytes] = s->clock;
	return 11 + bytes;
}

bool chess_read_men(struct chess_state *s, const uint8_t *key, size_t size, unsigned last)
{
	uint64_t occupied = 0;
	for (unsigned i = 0; i < 8; i++)
		occupied |= (uint64_t)key[2 + i] << 8 * i;
	unsigned count = chess_count(occupied);
	if (size != 10 + (count + 1) / 2 || (count % 2 && key[size - 1] >> 4))
		return false;
	for (unsigned i = 0; i < count; i++, occupied &= occupied - 1) {
		unsigned code = key[10 + i / 2] >> 4 * (i % 2) & 15;
		if ((code & 7) < CHESS_PAWN || (code & 7) > last)
			return false;
		chess_put(s, chess_first(occupied), code);
	}
	return true;
}

int chess_unkey(const struct game *game, const uint8_t *key, size_t size, void *state)
{
	struct chess_state s = {0};
	if (chess_of(game)->limit && size)
		s.clock = key[--size];
	if (size < 10 || size > CHESS_KEY_MAX || key[0] >> (chess_of(game)->form->mate ? 6 : 1) || key[1] > 8 ||
	    !chess_read_men(&s, key, size, CHESS_KING))
		return PD_E_CORRUPT;
	s.side = key[0] & 1;
	s.rights = key[0] >> 1 & CHESS_CASTLING;
	s.first_black = key[0] >> 5;
	s.passing = key[1];
	if (chess_complete(game, &s) || s.passing != key[1])
		return PD_E_CORRUPT;
	memcpy(state, &s, sizeof s);
	return PD_OK;
}

bool chess_irreversible(const struct game *game, const void *state, game_move move)
{
	return chess_of(game)->limit || chess_resets(state, move);
}

uint64_t chess_reach(const struct game *game, const void *state)
{
	const struct chess_state *s = state;
	struct chess_men m = chess_men(s);
	uint64_t reach = 2 + 2 * chess_of(game)->limit, bishops = m.oblique & ~m.straight;
	for (uint64_t men = m.occupied; men; men &= men - 1) {
		uint64_t man = men & (~men + 1);
		reach *= man & bishops ? 32 : man & m.pawns ? 64 * (chess_of(game)->form->mate ? 4 : 5) : 64;
		if (reach >> 40)
			return 0;
	}
	return reach;
}

unsigned chess_order_part(const struct game *game)
{
	return chess_of(game)->limit ? 1 : 0;
}

bool chess_dominates(const struct game *game, const uint8_t *a, const uint8_t *b, int bound, bool first)
{
	bool must_end = first ? bound > game->infinite_value : bound < game->infinite_value;
	return must_end ? *a <= *b : *a >= *b;
}
