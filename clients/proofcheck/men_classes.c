#include "clients/proofcheck/men_classes.h"

#include <string.h>

enum { MEN_MAX = 5, GROUPS_MAX = 12, TURNS = 8 /* ways to turn and mirror the board */, A = 0, B = 1 };

static const char order[] = "KQRBNP"; /* of the kinds in a name, and of the groups */
static const unsigned kinds[6] = {CK_KING, CK_QUEEN, CK_ROOK, CK_BISHOP, CK_KNIGHT, CK_PAWN};

/* The men of a class: how many of each kind, in the order of the letters. */
struct men {
	unsigned of[2][6];
	unsigned all[2];
};

/* Every position of chess-mate has a First, and every one of antichess the same First. */
static bool sides_differ(const struct ck_game *g)
{
	return g->worst == 0;
}

static bool are_equal(const struct men *m)
{
	return !memcmp(m->of[A], m->of[B], sizeof m->of[A]);
}

/* Whether the men may be a class with its sides in this order; not where moves are counted. */
static bool are_class(const struct ck_game *g, const struct men *m)
{
	if (g->line || !m->all[A] || !m->all[B] || m->all[A] + m->all[B] > MEN_MAX)
		return false;
	if (sides_differ(g))
		return m->of[A][0] == 1 && m->of[B][0] == 1;
	if (m->all[A] != m->all[B])
		return m->all[A] > m->all[B];
	for (unsigned i = 0; i < 6; i++)
		if (m->of[A][i] != m->of[B][i])
			return m->of[A][i] > m->of[B][i];
	return true;
}

static void write_name(const struct men *m, char name[CK_CLASS_NAME])
{
	for (unsigned side = A; side <= B; side++) {
		for (unsigned i = 0; i < 6; i++)
			for (unsigned k = 0; k < m->of[side][i]; k++)
				*name++ = order[i];
		*name++ = side == A ? 'v' : 0;
	}
}

static bool read_name(const struct ck_game *g, const char *name, struct men *m)
{
	char again[CK_CLASS_NAME];
	unsigned side = A;
	memset(m, 0, sizeof *m);
	for (const char *p = name; *p; p++) {
		const char *letter = strchr(order, *p);
		if (letter && m->all[A] + m->all[B] < MEN_MAX) {
			m->of[side][letter - order]++;
			m->all[side]++;
		} else if (*p == 'v' && side == A) {
			side = B;
		} else {
			return false;
		}
	}
	if (!are_class(g, m))
		return false;
	write_name(m, again);
	return !strcmp(name, again);
}

/* --- groups ------------------------------------------------------------------------------- */

struct group {
	unsigned side, kind, count;
	unsigned first, squares; /* the first of its squares, and how many there are */
	bool lead;
};

struct groups {
	unsigned count;
	struct group at[GROUPS_MAX];
	bool pawns, led;
};

static struct groups list_groups(const struct men *m)
{
	struct groups out = {0};
	bool both = m->of[A][5] && m->of[B][5];
	out.pawns = m->of[A][5] || m->of[B][5];
	for (unsigned side = A; side <= B; side++)
		for (unsigned i = 0; i < 6; i++) {
			struct group *g = &out.at[out.count];
			if (!m->of[side][i])
				continue;
			*g = (struct group){side, kinds[i], m->of[side][i], 0, 64, false};
			if (g->kind == CK_PAWN) {
				g->first = both && side == A ? 0 : 8;
				g->squares = both ? 56 : 48;
			}
			g->lead = !out.led && g->count == 1;
			out.led |= g->lead;
			out.count++;
		}
	return out;
}

static uint64_t n_over_k(uint64_t n, uint64_t k)
{
	return !k ? 1 : n < k ? 0 : n_over_k(n - 1, k - 1) * n / k;
}

/* How many numbers a group has. */
static uint64_t numbers_of(const struct groups *gs, const struct group *g)
{
	if (g->lead)
		return gs->pawns ? g->squares / 2 : 10;
	return n_over_k(g->squares, g->count);
}

/* The place of a square in the triangle a1 - d1 - d4; 10: it is not there. */
static unsigned in_triangle(unsigned square)
{
	unsigned n = 0;
	for (unsigned s = 0; s < 64; s++) {
		bool inside = s % 8 < 4 && s / 8 <= s % 8;
		if (inside && s == square)
			return n;
		n += inside;
	}
	return 10;
}

static unsigned turn_man_square(unsigned square, unsigned way)
{
	unsigned file = square % 8, row = square / 8;
	if (way & 1)
		file = 7 - file;
	if (way & 2)
		row = 7 - row;
	return way & 4 ? file * 8 + row : row * 8 + file;
}

/* --- numbers ------------------------------------------------------------------------------ */

/* For each square of a board on which A moves up, the man there: kind + 8 for B's. A pawn that can be captured en
 * passant is numbered as if it stood on the first row of its side; that square may hold another man. */
struct placing {
	uint8_t at[64];
	unsigned turn;   /* A or B; A if both have the same men and the colours are equal */
	unsigned passed; /* the pawn that can be captured en passant; 0: none */
	unsigned home;   /* its square on the first row */
};

/* The number of a group on the board turned so; false when the lead is not where it should be. */
static bool number_group(const struct groups *gs, const struct group *g, const struct placing *p, unsigned way,
			 uint64_t *number)
{
	bool on[64] = {false};
	unsigned k = 0;
	for (unsigned s = 0; s < 64; s++)
		on[turn_man_square(s, way)] = p->at[s] == g->kind + 8 * g->side;
	if (p->passed == g->kind + 8 * g->side)
		on[turn_man_square(p->home, way)] = true;
	*number = 0;
	for (unsigned s = 0; s < 64; s++) {
		if (!on[s])
			continue;
		if (g->lead && gs->pawns) {
			*number = (s - g->first) / 8 * 4 + s % 8;
			return s % 8 < 4;
		}
		if (g->lead) {
			*number = in_triangle(s);
			return *number < 10;
		}
		*number += n_over_k(s - g->first, ++k);
	}
	return true;
}

static uint64_t number_placing(const struct groups *gs, const struct placing *p)
{
	uint64_t best = UINT64_MAX;
	for (unsigned way = 0; way < (gs->pawns ? 2 : TURNS); way++) {
		uint64_t sum = p->turn, number;
		bool good = true;
		for (unsigned i = 0; i < gs->count && good; i++) {
			good = number_group(gs, &gs->at[i], p, way, &number);
			sum = sum * numbers_of(gs, &gs->at[i]) + number;
		}
		if (good && sum < best)
			best = sum;
	}
	return best;
}

uint64_t ck_men_class_size(const struct ck_game *game, const char *name)
{
	struct men m;
	if (!read_name(game, name, &m))
		return 0;
	struct groups gs = list_groups(&m);
	uint64_t size = are_equal(&m) && !sides_differ(game) ? 1 : 2;
	for (unsigned i = 0; i < gs.count; i++)
		size *= numbers_of(&gs, &gs.at[i]);
	return size;
}

/* Places a man; false when its square is taken, or when it is the second pawn that can be captured en passant. */
static bool place_man(struct placing *p, unsigned man, unsigned square)
{
	bool passed = ck_man_kind(man) == CK_PAWN && (square < 8 || square >= 56);
	if (passed ? p->passed : p->at[square])
		return false;
	if (passed) {
		p->passed = man;
		p->home = square;
	} else {
		p->at[square] = (uint8_t)man;
	}
	return true;
}

/* Places the men of a group; false when a square is taken. */
static bool place_group(const struct groups *gs, const struct group *g, uint64_t number, struct placing *p)
{
	for (unsigned k = g->count; k > 0; k--) {
		unsigned s = 63;
		if (g->lead && gs->pawns) {
			s = (unsigned)(number / 4 * 8 + number % 4) + g->first;
		} else if (g->lead) {
			while (in_triangle(s) != number)
				s--;
		} else {
			for (s = g->squares - 1; n_over_k(s, k) > number; s--)
				;
			number -= n_over_k(s, k);
			s += g->first;
		}
		if (!place_man(p, g->kind + 8 * g->side, s))
			return false;
	}
	return true;
}

bool ck_men_class_position(const struct ck_game *game, const char *name, uint64_t index, struct ck_position *out)
{
	struct men m;
	struct placing p = {0};
	uint8_t key[CK_KEY_MAX];
	uint64_t rest = index, again;
	char same[CK_CLASS_NAME];
	if (!read_name(game, name, &m))
		return false;
	struct groups gs = list_groups(&m);
	for (unsigned i = gs.count; i-- > 0; rest /= numbers_of(&gs, &gs.at[i]))
		if (!place_group(&gs, &gs.at[i], rest % numbers_of(&gs, &gs.at[i]), &p))
			return false;
	memset(out, 0, sizeof *out);
	out->turn = (uint8_t)rest;
	memcpy(out->at, p.at, sizeof p.at);
	if (p.passed) {
		unsigned to = p.home < 8 ? p.home + 24 : p.home - 24;
		if (out->at[to])
			return false;
		out->at[to] = (uint8_t)p.passed;
		out->passant = (uint8_t)(1 + p.home % 8);
	}
	/* Decoding its key tells whether the position exists; numbers of other images are holes. */
	size_t size = game->rules->encode(game, out, key);
	return ck_decode(game, key, size, out) && ck_men_class_index(game, out, same, &again) && again == index &&
	       !strcmp(same, name);
}

bool ck_men_class_index(const struct ck_game *game, const struct ck_position *p, char name[CK_CLASS_NAME],
			uint64_t *index)
{
	struct men white = {0}, m;
	struct placing to = {0};
	for (unsigned s = 0; s < 64; s++)
		if (p->at[s]) {
			unsigned side = ck_man_colour(p->at[s]);
			white.of[side][strchr(order, " PNBRQK"[ck_man_kind(p->at[s])]) - order]++;
			white.all[side]++;
		}
	if (p->castle)
		return false;
	unsigned a = sides_differ(game) ? p->first : 0; /* the colour of A */
	if (!sides_differ(game) && (are_equal(&white) ? p->turn : !are_class(game, &white)))
		a = 1;
	for (unsigned side = A; side <= B; side++) {
		memcpy(m.of[side], white.of[side ^ a], sizeof m.of[side]);
		m.all[side] = white.all[side ^ a];
	}
	if (!are_class(game, &m))
		return false;
	to.turn = are_equal(&m) && !sides_differ(game) ? 0 : p->turn ^ a;
	for (unsigned s = 0; s < 64; s++) {
		unsigned man = p->at[s], square = s;
		if (!man)
			continue;
		bool passed = p->passant && ck_man_kind(man) == CK_PAWN && ck_man_colour(man) != p->turn &&
			      s == (p->turn ? 3u : 4u) * 8 + p->passant - 1;
		if (passed)
			square = s % 8 + (p->turn ? 0 : 56);
		if (!place_man(&to, ck_man_kind(man) + 8 * (ck_man_colour(man) ^ a), a ? square ^ 56 : square))
			return false;
	}
	struct groups gs = list_groups(&m);
	*index = number_placing(&gs, &to);
	write_name(&m, name);
	return true;
}
