/* Classes of positions of checkers: those in which both sides have pieces, together at most six, by material.
 *
 * Name. The pieces of both sides, kings (K) before men (M), with a v between: KKMvKM. The side with more pieces, or of
 * two with as many that with more kings, comes first.
 *
 * Number. A position is seen from the player to move: if that is White, the board is turned by half a turn, so square i
 * is S - 1 - i of the S squares, and the colours are swapped. The positions in which the player to move has the
 * material named first come first, then those with the other material, unless both are equal. Within such a part, a is
 * the number of the player's men, b that of the opponent's men, and the row of a side is the one next to it, of h
 * squares.
 *  - The positions are ordered by the number j of the player's men in its own row, from small to large.
 *  - For the same j, by the numbers of five combinations, the first one being the most significant: the j men in that
 *    row; the other a - j men in the rows between those of the two sides; the b men in the squares not taken by then
 *    that are not in the player's row; the player's kings, and then the opponent's, in the squares not taken by then.
 *  - The number of a combination of k of n squares at the places p1 < p2 < ... < pk, counted from 0 among the n in
 *    ascending order, is C(p1, 1) + C(p2, 2) + ... + C(pk, k).
 * There are no holes. */
#include "solver/games/checkers.h"

#include <string.h>

#include "proto/base/assert.h"

enum { PIECES_MAX = 6, CODE = 16 };

/* Pieces of a side. */
struct force {
	unsigned men, kings;
};

/* A position as the player to move sees it. */
struct view {
	uint32_t men[2], kings[2]; /* its own, and the opponent's */
};

/* The board: all squares, and the rows of the player to move and of the opponent. */
struct field {
	unsigned squares, row;
	uint32_t all, first, last;
};

static struct field field_of(const struct game *game)
{
	unsigned width = ((const struct cells_game *)game)->width, squares = width * width / 2, row = width / 2;
	uint32_t all = UINT32_MAX >> (CHECKERS_SQUARES - squares), first = (UINT32_C(1) << row) - 1;
	return (struct field){squares, row, all, first, first << (squares - row)};
}

static inline uint64_t count_choices(unsigned n, unsigned k)
{
	static const uint16_t divisor[PIECES_MAX + 1] = {1, 1, 2, 6, 24, 120, 720};
	uint64_t product = 1;
	for (unsigned i = 0; i < k; i++)
		product *= n - i; /* 0 from i = n on */
	return product / divisor[k];
}

/* The number of a set among the combinations of as many squares of `among`. */
static uint64_t rank_set(uint32_t set, uint32_t among)
{
	uint64_t rank = 0;
	for (unsigned i = 1; set; set &= set - 1, i++)
		rank += count_choices(text_count(among & ((set & (~set + 1)) - 1)), i);
	return rank;
}

/* The combination of k squares of that number. */
static uint32_t unrank_set(uint64_t rank, unsigned k, uint32_t among)
{
	uint32_t set = 0;
	for (unsigned place = text_count(among); k > 0; k--) {
		uint32_t upper = 0;
		do {
			place--;
			upper = UINT32_C(1) << (31 - __builtin_clz(among));
			among ^= upper;
		} while (count_choices(place, k) > rank);
		rank -= count_choices(place, k);
		set |= upper;
	}
	return set;
}

/* The numbers of positions with j of the player's men in its own row, for the same kings. */
static uint64_t count_men(const struct field *f, unsigned a, unsigned b, unsigned j)
{
	unsigned between = f->squares - 2 * f->row;
	return j > a || a - j > between ? 0
					: count_choices(f->row, j) * count_choices(between, a - j) *
						  count_choices(f->squares - f->row - (a - j), b);
}

static uint64_t count_kings(const struct field *f, struct force own, struct force other)
{
	unsigned left = f->squares - own.men - other.men;
	return count_choices(left, own.kings) * count_choices(left - own.kings, other.kings);
}

/* The positions in which the player to move has `own`. */
static uint64_t count_part(const struct field *f, struct force own, struct force other)
{
	uint64_t count = 0;
	for (unsigned j = 0; j <= own.men; j++)
		count += count_men(f, own.men, other.men, j);
	return count * count_kings(f, own, other);
}

/* --- classes ------------------------------------------------------------------------------ */

static unsigned pieces_of(struct force f)
{
	return f.men + f.kings;
}

static unsigned code_of(struct force f)
{
	return CODE * pieces_of(f) + f.kings;
}

/* The forces of a class, the one named first or second. */
static struct force force_of(const struct game_class *c, unsigned i)
{
	return (struct force){(unsigned)c->own[2 * i], (unsigned)c->own[2 * i + 1]};
}

static uint64_t id_of(struct force a, struct force b)
{
	unsigned more = code_of(a) > code_of(b) ? code_of(a) : code_of(b), less = code_of(a) + code_of(b) - more;
	return more * CODE * CODE + less;
}

/* Makes the class of two forces in any order; false if there is none. */
static bool make_class(const struct game *game, struct force a, struct force b, struct game_class *out)
{
	struct field f = field_of(game);
	unsigned most = f.squares / 2 - f.row; /* pieces that a side begins with */
	struct force side[2] = {a, b};
	if (!pieces_of(a) || !pieces_of(b) || pieces_of(a) > most || pieces_of(b) > most ||
	    pieces_of(a) + pieces_of(b) > PIECES_MAX)
		return false;
	if (code_of(a) < code_of(b)) {
		side[0] = b;
		side[1] = a;
	}
	*out = (struct game_class){.id = id_of(a, b), .size = count_part(&f, side[0], side[1])};
	if (code_of(a) != code_of(b))
		out->size += count_part(&f, side[1], side[0]);
	struct text_line name = text_line(out->name, sizeof out->name);
	for (unsigned i = 0; i < 2; i++) {
		out->own[2 * i] = side[i].men;
		out->own[2 * i + 1] = side[i].kings;
		text_printf(&name, "%s%.*s%.*s", i ? "v" : "", (int)side[i].kings, "KKKKKK", (int)side[i].men,
			    "MMMMMM");
	}
	PD_ASSERT(out->size && out->size <= UINT32_MAX);
	return true;
}

static int open_class(const struct game *game, const char *name, struct game_class *out, struct pd_fail *fail)
{
	struct force side[2] = {{0, 0}, {0, 0}};
	unsigned i = 0;
	const char *p = name;
	for (; *p && strchr("KMv", *p) && p - name < GAME_CLASS_NAME && i < 2; p++) {
		i += *p == 'v';
		if (i < 2) {
			side[i].kings += *p == 'K';
			side[i].men += *p == 'M';
		}
	}
	if (!*p && make_class(game, side[0], side[1], out))
		return PD_OK;
	return pd_fail_set(fail, PD_E_PARAMS, "material",
			   "bad class '%s': a class is the pieces of both sides, K for kings and M for men, at most %u "
			   "together, as in KKMvKM",
			   text_excerpt(name, GAME_CLASS_NAME).text, PIECES_MAX);
}

static bool class_at(const struct game *game, unsigned men, unsigned n, struct game_class *out)
{
	for (unsigned more = men; 2 * more >= men && more > 0; more--)
		for (unsigned kings = 0; kings <= more; kings++)
			for (unsigned others = 0; others <= men - more; others++) {
				struct force a = {more - kings, kings}, b = {men - more - others, others};
				if (code_of(a) >= code_of(b) && make_class(game, a, b, out) && !n--)
					return true;
			}
	return false;
}

/* A move crowns a man or none, and takes any pieces of the opponent. */
static unsigned next_classes(const struct game *game, const struct game_class *c,
			     struct game_class out[GAME_CLASS_NEXT_MAX])
{
	unsigned n = 0;
	for (unsigned mover = 0; mover < 2; mover++)
		for (unsigned crowned = 0; crowned < 2; crowned++) {
			struct force own = force_of(c, mover), other = force_of(c, !mover);
			if (own.men < crowned)
				continue;
			own = (struct force){own.men - crowned, own.kings + crowned};
			for (unsigned men = 0; men <= other.men; men++)
				for (unsigned kings = 0; kings <= other.kings; kings++) {
					unsigned twin = 0;
					if (!make_class(game, own, (struct force){men, kings}, &out[n]) ||
					    out[n].id == c->id)
						continue;
					while (out[twin].id != out[n].id)
						twin++;
					n += twin == n;
					PD_ASSERT(n < GAME_CLASS_NEXT_MAX);
				}
		}
	return n;
}

/* --- numbers ------------------------------------------------------------------------------ */

/* The set after half a turn of the board. */
static inline uint32_t turn_set(uint32_t set, unsigned squares)
{
	set = (set >> 1 & 0x55555555) | (set & 0x55555555) << 1;
	set = (set >> 2 & 0x33333333) | (set & 0x33333333) << 2;
	set = (set >> 4 & 0x0f0f0f0f) | (set & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(set) >> (CHECKERS_SQUARES - squares);
}

static uint64_t class_id(const struct game *game, const void *state)
{
	const struct checkers_state *s = state;
	struct force side[2];
	for (unsigned i = 0; i < 2; i++)
		side[i] = (struct force){text_count(s->men[i] & ~s->kings), text_count(s->men[i] & s->kings)};
	return !s->men[0] || !s->men[1] || pieces_of(side[0]) + pieces_of(side[1]) > PIECES_MAX
		       ? 0
		       : id_of(side[0], side[1]);
}

static uint64_t class_index(const struct game *game, const struct game_class *c, const void *state)
{
	const struct checkers_state *s = state;
	const struct field f = field_of(game);
	struct view v;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t kings = s->men[i ^ s->side] & s->kings, men = s->men[i ^ s->side] & ~s->kings;
		v.men[i] = s->side ? turn_set(men, f.squares) : men;
		v.kings[i] = s->side ? turn_set(kings, f.squares) : kings;
	}
	struct force own = {text_count(v.men[0]), text_count(v.kings[0])};
	struct force other = {text_count(v.men[1]), text_count(v.kings[1])};
	uint32_t home = v.men[0] & f.first, ahead = v.men[0] & ~f.first, taken = v.men[0];
	unsigned j = text_count(home);
	uint64_t index = rank_set(home, f.first);
	index = index * count_choices(f.squares - 2 * f.row, own.men - j) + rank_set(ahead, f.all & ~f.first & ~f.last);
	index = index * count_choices(f.squares - f.row - (own.men - j), other.men) +
		rank_set(v.men[1], f.all & ~f.first & ~taken);
	for (unsigned i = 0; i < j; i++)
		index += count_men(&f, own.men, other.men, i);
	taken |= v.men[1];
	index = index * count_choices(f.squares - own.men - other.men, own.kings) +
		rank_set(v.kings[0], f.all & ~taken);
	taken |= v.kings[0];
	index = index * count_choices(f.squares - text_count(taken), other.kings) +
		rank_set(v.kings[1], f.all & ~taken);
	if (code_of(own) < code_of(other))
		index += count_part(&f, other, own);
	PD_DEBUG_ASSERT(index < c->size);
	return index;
}

static bool class_position(const struct game *game, const struct game_class *c, uint64_t index, void *state)
{
	const struct field f = field_of(game);
	struct force own = force_of(c, 0), other = force_of(c, 1);
	uint64_t part = count_part(&f, own, other), kings = count_kings(&f, own, other);
	if (index >= part) {
		index -= part;
		own = force_of(c, 1);
		other = force_of(c, 0);
		kings = count_kings(&f, own, other);
	}
	unsigned j = 0;
	uint64_t men = index / kings;
	for (; men >= count_men(&f, own.men, other.men, j); j++)
		men -= count_men(&f, own.men, other.men, j);
	uint64_t ahead = count_choices(f.squares - 2 * f.row, own.men - j),
		 men_b = count_choices(f.squares - f.row - (own.men - j), other.men),
		 kings_b = count_choices(f.squares - own.men - other.men - own.kings, other.kings);
	struct checkers_state s = {0};
	s.men[0] = unrank_set(men / men_b / ahead, j, f.first);
	s.men[0] |= unrank_set(men / men_b % ahead, own.men - j, f.all & ~f.first & ~f.last);
	s.men[1] = unrank_set(men % men_b, other.men, f.all & ~f.first & ~s.men[0]);
	uint32_t mine = unrank_set(index % kings / kings_b, own.kings, f.all & ~(s.men[0] | s.men[1]));
	uint32_t theirs = unrank_set(index % kings % kings_b, other.kings, f.all & ~(s.men[0] | s.men[1] | mine));
	s.men[0] |= mine;
	s.men[1] |= theirs;
	s.kings = mine | theirs;
	memcpy(state, &s, sizeof s);
	return true;
}

const struct game_classes checkers_classes = {open_class, class_at,    next_classes,
					      class_id,   class_index, class_position};
