#include "solver/games/chess_classes.h"

#include <string.h>

#include "proto/base/error.h"

/* Private to a class: own[0] and own[1] are the counts of A's and B's men, a nibble for each kind, kings highest, so
 * that A has the larger number in antichess; own[2] is the groups, a byte each, the first lowest: count, kind << 3,
 * side << 6; own[3] is FLAG_*, and above them, << 8, the number of the lead. */
enum { FLAG_EQUAL = 1, FLAG_PAWNS = 2, FLAG_PASSING = 4, NO_LEAD = 255, FLIP_ROWS = 56, SYMMETRIES = 8 };

static const char letters[] = ".PNBRQK";

static unsigned men_of_kind(uint64_t counts, unsigned kind)
{
	return (unsigned)(counts >> 4 * (kind - 1)) & 15;
}

static unsigned count_men(uint64_t counts)
{
	unsigned n = 0;
	for (unsigned kind = CHESS_PAWN; kind <= CHESS_KING; kind++)
		n += men_of_kind(counts, kind);
	return n;
}

static bool is_mate(const struct game *game)
{
	return chess_of(game)->form->mate;
}

/* The binomial coefficient, for k <= CHESS_CLASS_MEN. */
static inline uint64_t count_choices(unsigned n, unsigned k)
{
	uint64_t c = 1;
	if (k > n)
		return 0;
	for (unsigned i = 1; i <= k; i++)
		c = c * (n - i + 1) / i;
	return c;
}

/* --- groups ------------------------------------------------------------------------------- */

struct class_group {
	unsigned side, kind, count;
	unsigned base;    /* the square with the number 0 */
	unsigned squares; /* how many it has */
	bool lead;
};

static struct class_group group_of(const struct game_class *c, unsigned i)
{
	unsigned code = (unsigned)(c->own[2] >> 8 * i) & 255, flags = (unsigned)c->own[3];
	struct class_group g = {.side = code >> 6, .kind = code >> 3 & 7, .count = code & 7, .squares = 64};
	g.lead = (flags >> 8) == i;
	if (g.kind == CHESS_PAWN) {
		g.squares = flags & FLAG_PASSING ? 56 : 48;
		g.base = flags & FLAG_PASSING && !g.side ? 0 : 8;
	}
	return g;
}

static uint64_t group_size(const struct game_class *c, const struct class_group *g)
{
	return !g->lead ? count_choices(g->squares, g->count) : c->own[3] & FLAG_PAWNS ? g->squares / 2 : 10;
}

/* Whether own[2] has a group there. */
static inline bool has_group(const struct game_class *c, unsigned i)
{
	return i < 8 && (c->own[2] >> 8 * i & 255) != 0;
}

static uint64_t id_of(uint64_t a, uint64_t b)
{
	return a << 24 | b;
}

/* Whether a class of the game has these men, `a` for side A and `b` for side B. Games that count moves have no
 * classes. */
static bool is_class(const struct game *game, uint64_t a, uint64_t b)
{
	unsigned men = count_men(a) + count_men(b);
	if (!a || !b || men > CHESS_CLASS_MEN || chess_of(game)->limit)
		return false;
	return !is_mate(game) || (men_of_kind(a, CHESS_KING) == 1 && men_of_kind(b, CHESS_KING) == 1);
}

/* In antichess the side with more men is A. */
static bool is_smaller(const struct game *game, uint64_t a, uint64_t b)
{
	unsigned na = count_men(a), nb = count_men(b);
	return !is_mate(game) && (na < nb || (na == nb && a < b));
}

static void make_class(const struct game *game, uint64_t a, uint64_t b, struct game_class *out)
{
	unsigned groups = 0, lead = NO_LEAD, n = 0;
	uint64_t flags = 0;
	if (is_smaller(game, a, b)) {
		uint64_t swap = a;
		a = b;
		b = swap;
	}
	memset(out, 0, sizeof *out);
	for (unsigned side = 0; side < 2; side++) {
		for (unsigned kind = CHESS_KING; kind >= CHESS_PAWN; kind--) {
			unsigned count = men_of_kind(side ? b : a, kind);
			if (!count)
				continue;
			if (count == 1 && lead == NO_LEAD)
				lead = groups;
			out->own[2] |= (uint64_t)(count | kind << 3 | side << 6) << 8 * groups++;
			for (unsigned i = 0; i < count; i++)
				out->name[n++] = letters[kind];
		}
		if (!side)
			out->name[n++] = 'v';
	}
	flags |= !is_mate(game) && a == b ? FLAG_EQUAL : 0;
	flags |= men_of_kind(a, CHESS_PAWN) || men_of_kind(b, CHESS_PAWN) ? FLAG_PAWNS : 0;
	flags |= men_of_kind(a, CHESS_PAWN) && men_of_kind(b, CHESS_PAWN) ? FLAG_PASSING : 0;
	out->own[0] = a;
	out->own[1] = b;
	out->own[3] = flags | (uint64_t)lead << 8;
	out->id = id_of(a, b);
	out->size = flags & FLAG_EQUAL ? 1 : 2;
	for (unsigned i = 0; has_group(out, i); i++) {
		struct class_group g = group_of(out, i);
		out->size *= group_size(out, &g);
	}
}

/* --- numbers ------------------------------------------------------------------------------ */

/* A position with A as White: the squares of the men, groups one after the other. */
struct placed {
	unsigned turn;
	uint8_t square[CHESS_CLASS_MEN];
};

static inline unsigned turn_square(unsigned square, unsigned symmetry)
{
	square ^= symmetry & 1 ? 7 : 0;
	square ^= symmetry & 2 ? FLIP_ROWS : 0;
	return symmetry & 4 ? square >> 3 | (square & 7) << 3 : square;
}

static const uint8_t triangle[10] = {0, 1, 2, 3, 9, 10, 11, 18, 19, 27};

/* The number of the lead's square; -1 where the lead may not stand. */
static int lead_number(const struct game_class *c, const struct class_group *g, unsigned square)
{
	if (c->own[3] & FLAG_PAWNS)
		return square % 8 < 4 ? (int)((square - g->base) / 8 * 4 + square % 8) : -1;
	for (unsigned i = 0; i < 10; i++)
		if (triangle[i] == square)
			return (int)i;
	return -1;
}

/* The number of the men of a group, on squares of any order. */
static uint64_t group_number(const struct class_group *g, const uint8_t *at, unsigned symmetry)
{
	unsigned sorted[CHESS_CLASS_MEN];
	uint64_t number = 0;
	for (unsigned i = 0; i < g->count; i++) {
		unsigned square = turn_square(at[i], symmetry) - g->base, j = i;
		for (; j > 0 && sorted[j - 1] > square; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = square;
	}
	for (unsigned i = 0; i < g->count; i++)
		number += count_choices(sorted[i], i + 1);
	return number;
}

/* The number of one image; UINT64_MAX when the lead is not where it should be. */
static uint64_t image_number(const struct game_class *c, const struct placed *p, unsigned symmetry)
{
	uint64_t number = p->turn;
	unsigned man = 0;
	for (unsigned i = 0; has_group(c, i); man += group_of(c, i++).count) {
		struct class_group g = group_of(c, i);
		if (!g.lead) {
			number = number * count_choices(g.squares, g.count) +
				 group_number(&g, p->square + man, symmetry);
			continue;
		}
		int lead = lead_number(c, &g, turn_square(p->square[man], symmetry));
		if (lead < 0)
			return UINT64_MAX;
		number = number * group_size(c, &g) + (unsigned)lead;
	}
	return number;
}

static uint64_t placed_number(const struct game_class *c, const struct placed *p)
{
	uint64_t best = UINT64_MAX;
	unsigned lead = 0, symmetries = c->own[3] & FLAG_PAWNS ? 2 : SYMMETRIES;
	bool has_lead = c->own[3] >> 8 != NO_LEAD;
	for (unsigned i = 0; has_lead && !group_of(c, i).lead; i++)
		lead += group_of(c, i).count;
	for (unsigned symmetry = 0; symmetry < symmetries; symmetry++) {
		unsigned square = has_lead ? turn_square(p->square[lead], symmetry) : 0;
		if (square % 8 > 3 || (symmetries > 2 && square / 8 > square % 8))
			continue; /* not where the lead may stand */
		uint64_t number = image_number(c, p, symmetry);
		best = number < best ? number : best;
	}
	PD_DEBUG_ASSERT(best < c->size);
	return best;
}

static uint64_t white_counts(const struct chess_state *s, unsigned colour)
{
	uint64_t counts = 0, men = s->plane[0] | s->plane[1] | s->plane[2];
	for (men &= colour ? s->plane[3] : ~s->plane[3]; men; men &= men - 1)
		counts += UINT64_C(1) << 4 * ((chess_man(s, chess_first(men)) & 7) - 1);
	return counts;
}

static uint64_t chess_class_id(const struct game *game, const void *state)
{
	const struct chess_state *s = state;
	if (s->rights || chess_count(s->plane[0] | s->plane[1] | s->plane[2]) > CHESS_CLASS_MEN)
		return 0;
	uint64_t a = white_counts(s, s->first_black), b = white_counts(s, !s->first_black);
	if (!is_class(game, a, b))
		return 0;
	return is_smaller(game, a, b) ? id_of(b, a) : id_of(a, b);
}

static uint64_t chess_class_index(const struct game *game, const struct game_class *c, const void *state)
{
	const struct chess_state *s = state;
	unsigned black; /* A is Black */
	if (c->own[3] & FLAG_EQUAL)
		black = s->side;
	else
		black = is_mate(game) ? s->first_black : white_counts(s, 0) != c->own[0];
	struct placed p = {.turn = c->own[3] & FLAG_EQUAL ? 0 : s->side ^ black};
	uint64_t all = s->plane[0] | s->plane[1] | s->plane[2], kinds[2][8];
	unsigned man = 0;
	for (unsigned kind = CHESS_PAWN; kind <= CHESS_KING; kind++) {
		uint64_t set = all;
		for (unsigned i = 0; i < 3; i++)
			set &= kind >> i & 1 ? s->plane[i] : ~s->plane[i];
		kinds[black][kind] = set & ~s->plane[3];
		kinds[!black][kind] = set & s->plane[3];
	}
	for (unsigned i = 0; has_group(c, i); i++) {
		struct class_group g = group_of(c, i);
		for (uint64_t set = kinds[g.side][g.kind]; set; set &= set - 1) {
			unsigned square = chess_first(set);
			if (s->passing && g.kind == CHESS_PAWN && square == chess_passed_pawn(s))
				square = square % 8 + (s->side ? 0u : 56u);
			p.square[man++] = (uint8_t)(black ? square ^ FLIP_ROWS : square);
		}
	}
	PD_DEBUG_ASSERT(man <= CHESS_CLASS_MEN);
	return placed_number(c, &p);
}

/* Finds the squares of a group's number; its number is below choose(squares, count). */
static void find_squares(const struct class_group *g, uint64_t number, uint8_t *out)
{
	for (unsigned k = g->count; k > 0; k--) {
		unsigned square = k - 1;
		while (count_choices(square + 1, k) <= number)
			square++;
		number -= count_choices(square, k);
		out[k - 1] = (uint8_t)(square + g->base);
	}
}

static void find_placed(const struct game_class *c, uint64_t index, struct placed *out)
{
	unsigned groups = 0, man = 0;
	while (has_group(c, groups))
		man += group_of(c, groups++).count;
	while (groups-- > 0) {
		struct class_group g = group_of(c, groups);
		uint64_t size = group_size(c, &g), number = index % size;
		index /= size;
		man -= g.count;
		if (!g.lead)
			find_squares(&g, number, out->square + man);
		else if (c->own[3] & FLAG_PAWNS)
			out->square[man] = (uint8_t)(number / 4 * 8 + number % 4 + g.base);
		else
			out->square[man] = triangle[number];
	}
	out->turn = (unsigned)index;
}

static bool chess_class_position(const struct game *game, const struct game_class *c, uint64_t index, void *state)
{
	struct chess_state s = {0};
	struct placed p;
	unsigned man = 0;
	uint64_t taken = 0;
	PD_ASSERT(index < c->size);
	find_placed(c, index, &p);
	s.side = (uint8_t)p.turn;
	for (unsigned i = 0; has_group(c, i); i++) {
		struct class_group g = group_of(c, i);
		for (unsigned k = 0; k < g.count; k++) {
			unsigned square = p.square[man++];
			if (g.kind == CHESS_PAWN && (g.side ? square >= 56 : square < 8)) {
				if (s.passing || s.side == g.side)
					return false;
				s.passing = (uint8_t)(1 + square % 8);
				square = square % 8 + (g.side ? 32 : 24);
			}
			if (taken & chess_bit(square))
				return false;
			taken |= chess_bit(square);
			chess_put(&s, square, g.kind | g.side << 3);
		}
	}
	uint8_t passing = s.passing;
	if (chess_complete(game, &s) || s.passing != passing || placed_number(c, &p) != index)
		return false;
	memcpy(state, &s, sizeof s);
	return true;
}

/* --- names and lists ---------------------------------------------------------------------- */

static int chess_class_open(const struct game *game, const char *name, struct game_class *out, struct pd_fail *fail)
{
	uint64_t counts[2] = {0, 0};
	unsigned side = 0, men = 0;
	const char *p = name;
	if (chess_of(game)->limit)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "game",
				   "%s counts the moves, and tables do not; name the game without N", game->name);
	for (; *p && men <= CHESS_CLASS_MEN; p++) {
		const char *letter = *p == '.' ? NULL : strchr(letters, *p);
		if (*p == 'v' && !side) {
			side = 1;
		} else if (letter) {
			counts[side] += UINT64_C(1) << 4 * (letter - letters - 1);
			men++;
		} else {
			break;
		}
	}
	if (*p || !is_class(game, counts[0], counts[1]))
		return pd_fail_set(
			fail, PD_E_PARAMS, "material",
			"a class of %s has the men of %s, as in KRvK: 2 to %d letters of KQRBNP, a v between "
			"them%s",
			game->rules->name, is_mate(game) ? "First and Second" : "both sides", CHESS_CLASS_MEN,
			is_mate(game) ? "; one K on each side" : "");
	make_class(game, counts[0], counts[1], out);
	return PD_OK;
}

/* All ways to choose men, as words of codes 0 to 11 that never fall: A's kinds, then B's. */
static bool chess_class_at(const struct game *game, unsigned men, unsigned n, struct game_class *out)
{
	unsigned code[CHESS_CLASS_MEN] = {0};
	if (men < 2 || men > CHESS_CLASS_MEN)
		return false;
	for (;;) {
		uint64_t counts[2] = {0, 0};
		for (unsigned i = 0; i < men; i++)
			counts[code[i] / 6] += UINT64_C(1) << 4 * (CHESS_KING - 1 - code[i] % 6);
		if (is_class(game, counts[0], counts[1]) && !is_smaller(game, counts[0], counts[1]) && !n--) {
			make_class(game, counts[0], counts[1], out);
			return true;
		}
		unsigned i = men;
		while (i > 0 && code[i - 1] == 11)
			i--;
		if (!i)
			return false;
		unsigned next = code[i - 1] + 1;
		for (i--; i < men; i++)
			code[i] = next;
	}
}

static unsigned add_class(const struct game *game, uint64_t a, uint64_t b, struct game_class *out, unsigned count)
{
	if (!is_class(game, a, b))
		return count;
	uint64_t id = is_smaller(game, a, b) ? id_of(b, a) : id_of(a, b);
	for (unsigned i = 0; i < count; i++)
		if (out[i].id == id)
			return count;
	PD_ASSERT(count < GAME_CLASS_NEXT_MAX);
	make_class(game, a, b, &out[count]);
	return count + 1;
}

/* A move captures a man of the other side, makes a pawn another man, or both. */
static unsigned chess_class_next(const struct game *game, const struct game_class *c,
				 struct game_class out[GAME_CLASS_NEXT_MAX])
{
	unsigned count = 0, best = is_mate(game) ? CHESS_QUEEN : CHESS_KING;
	for (unsigned side = 0; side < 2; side++) {
		uint64_t own = c->own[side], other = c->own[!side];
		for (unsigned gone = 0; gone <= CHESS_KING; gone++) {
			if (gone && !men_of_kind(other, gone))
				continue;
			uint64_t left = gone ? other - (UINT64_C(1) << 4 * (gone - 1)) : other;
			for (unsigned made = CHESS_PAWN; made <= best; made++) {
				uint64_t have = own - 1 + (UINT64_C(1) << 4 * (made - 1));
				if (made == CHESS_PAWN && !gone)
					continue; /* a move in the class */
				if (made > CHESS_PAWN && !men_of_kind(own, CHESS_PAWN))
					continue;
				count = add_class(game, side ? left : have, side ? have : left, out, count);
			}
		}
	}
	return count;
}

const struct game_classes chess_classes = {
	.open = chess_class_open,
	.at = chess_class_at,
	.next = chess_class_next,
	.id = chess_class_id,
	.index = chess_class_index,
	.position = chess_class_position,
};
