#include "tests/support/men.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/endings.h"
#include "tests/support/retro.h"

enum {
	LETTERS = 12,
	CODES = (LETTERS + 1) * (LETTERS + 1) * (LETTERS + 1),
	KEY_HEAD = 10,  /* bytes of a key before the men */
	PLANES = 4,     /* no man, or the first, second or third man, can be captured en passant */
	SPAN_BITS = 21, /* an index is material, plane, side to move and six bits a man's square */
	PAWN = 0,
	MATERIALS_MAX = 1 << (32 - SPAN_BITS)
};

/* A result: the distance and one, and in the highest bit whether First is right. 0: no position. */
#define FIRST_IS_RIGHT 0x8000u
#define FOR_EVER       0x7fffu

struct material {
	char text[ENDINGS_MEN_MAX + 1];
	unsigned men;
	uint8_t letter[MEN_MAX]; /* ascending; White's are 0 to 5 */
	uint32_t size;           /* of its arrays */
	uint16_t *result[2];     /* owned */
};

struct men {
	const struct game *game;
	bool swap;
	uint64_t positions, moves;
	unsigned count;
	struct material *materials; /* owned; room for MATERIALS_MAX */
	uint16_t by_code[CODES];    /* number + 1 */
};

static const char letters[LETTERS + 1] = "PNBRQKpnbrqk";

static void *require_memory(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static unsigned letter_of(unsigned nibble)
{
	return nibble < 8 ? nibble - 1 : nibble - 9 + 6;
}

static unsigned nibble_of(unsigned letter)
{
	return letter < 6 ? letter + 1 : letter - 6 + 9;
}

static unsigned code_of(const uint8_t *letter, unsigned men)
{
	unsigned code = 0;
	for (unsigned i = 0; i < men; i++)
		code = code * (LETTERS + 1) + letter[i] + 1;
	return code;
}

/* The men of a position in the order of letters, equal men in the order of squares. */
struct placed {
	unsigned men, side, plane;
	uint8_t letter[MEN_MAX], square[MEN_MAX];
};

static bool stands_before(const struct placed *p, unsigned i, unsigned j)
{
	return p->letter[i] != p->letter[j] ? p->letter[i] < p->letter[j] : p->square[i] < p->square[j];
}

static void sort_placed(struct placed *p)
{
	for (unsigned i = 1; i < p->men; i++)
		for (unsigned j = i; j && stands_before(p, j, j - 1); j--) {
			uint8_t letter = p->letter[j], square = p->square[j];
			p->letter[j] = p->letter[j - 1];
			p->square[j] = p->square[j - 1];
			p->letter[j - 1] = letter;
			p->square[j - 1] = square;
		}
}

/* The square of a pawn that can be captured en passant. */
static unsigned passing_square(unsigned side, unsigned file)
{
	return (side ? 3 : 4) * 8u + file;
}

static bool take_apart(const uint8_t *key, size_t size, struct placed *p)
{
	uint64_t occupied = 0;
	*p = (struct placed){.side = key[0] & 1};
	for (unsigned i = 0; i < 8; i++)
		occupied |= (uint64_t)key[2 + i] << 8 * i;
	for (unsigned square = 0; square < 64; square++) {
		if (!(occupied >> square & 1))
			continue;
		if (p->men == MEN_MAX)
			return false;
		p->square[p->men] = (uint8_t)square;
		p->letter[p->men] = (uint8_t)letter_of(key[KEY_HEAD + p->men / 2] >> p->men % 2 * 4 & 15);
		p->men++;
	}
	if (!p->men || size != KEY_HEAD + (p->men + 1) / 2)
		return false;
	sort_placed(p);
	for (unsigned i = 0; key[1] && i < p->men; i++)
		if (p->square[i] == passing_square(p->side, key[1] - 1u))
			p->plane = i + 1;
	return true;
}

static size_t put_together(const struct placed *p, uint8_t *key)
{
	uint64_t occupied = 0;
	unsigned put = 0;
	memset(key, 0, KEY_HEAD + (MEN_MAX + 1) / 2);
	key[0] = (uint8_t)p->side;
	key[1] = (uint8_t)(p->plane ? p->square[p->plane - 1] % 8 + 1 : 0);
	for (unsigned i = 0; i < p->men; i++)
		occupied |= UINT64_C(1) << p->square[i];
	for (unsigned i = 0; i < 8; i++)
		key[2 + i] = (uint8_t)(occupied >> 8 * i);
	for (unsigned square = 0; square < 64; square++)
		for (unsigned i = 0; i < p->men; i++)
			if (p->square[i] == square) {
				key[KEY_HEAD + put / 2] |= (uint8_t)(nibble_of(p->letter[i]) << put % 2 * 4);
				put++;
			}
	return KEY_HEAD + (p->men + 1) / 2;
}

static uint32_t place_of(const struct placed *p)
{
	uint32_t place = p->plane * 2 + p->side;
	for (unsigned i = 0; i < p->men; i++)
		place = place << 6 | p->square[i];
	return place;
}

/* RETRO_NONE when the material was not solved. */
static uint32_t index_of(const struct men *men, const struct placed *p)
{
	unsigned number = men->by_code[code_of(p->letter, p->men)];
	return number ? (uint32_t)(number - 1) << SPAN_BITS | place_of(p) : RETRO_NONE;
}

static const struct material *material_at(const struct men *men, uint32_t index)
{
	uint32_t number = index >> SPAN_BITS;
	return number < men->count ? &men->materials[number] : NULL;
}

bool men_is_position(const struct men *men, uint32_t index)
{
	const struct material *m = material_at(men, index);
	uint32_t place = index & ((1u << SPAN_BITS) - 1);
	return m && place < m->size && m->result[0][place];
}

uint32_t men_find_key(const struct men *men, const uint8_t *key, size_t size)
{
	struct placed p;
	if (!take_apart(key, size, &p))
		return RETRO_NONE;
	uint32_t index = index_of(men, &p);
	return index != RETRO_NONE && men_is_position(men, index) ? index : RETRO_NONE;
}

size_t men_key(const struct men *men, uint32_t index, uint8_t *out)
{
	const struct material *m = material_at(men, index);
	struct placed p = {0};
	if (!m || !men_is_position(men, index))
		abort();
	uint32_t place = index & ((1u << SPAN_BITS) - 1);
	p.men = m->men;
	for (unsigned i = m->men; i-- > 0; place >>= 6) {
		p.letter[i] = m->letter[i];
		p.square[i] = place & 63;
	}
	p.side = place & 1;
	p.plane = place >> 1;
	return put_together(&p, out);
}

bool men_holds_at(const struct men *men, unsigned claim, uint32_t index, unsigned *distance)
{
	if (claim > 1 || !men_is_position(men, index))
		abort();
	unsigned result = material_at(men, index)->result[claim][index & ((1u << SPAN_BITS) - 1)];
	if (distance)
		*distance = (result & FOR_EVER) == FOR_EVER ? RETRO_NEVER : (result & FOR_EVER) - 1;
	return result & FIRST_IS_RIGHT;
}

struct men *men_new(const struct game *game, bool swap)
{
	struct men *men = require_memory(calloc(1, sizeof *men));
	men->game = game;
	men->swap = swap;
	men->materials = require_memory(calloc(MATERIALS_MAX, sizeof *men->materials));
	if (game->value_min != -1 || game->value_max != 1)
		abort();
	return men;
}

void men_free(struct men *men)
{
	if (!men)
		return;
	for (unsigned i = 0; i < men->count; i++) {
		free(men->materials[i].result[0]);
		free(men->materials[i].result[1]);
	}
	free(men->materials);
	free(men);
}

uint64_t men_positions(const struct men *men)
{
	return men->positions;
}

uint64_t men_moves(const struct men *men)
{
	return men->moves;
}

unsigned men_materials(const struct men *men)
{
	return men->count;
}

/* --- one material ------------------------------------------------------------------------- */

static void text_of(const uint8_t *letter, unsigned men, char *out)
{
	for (unsigned i = 0; i < men; i++)
		out[i] = letters[letter[i]];
	out[men] = 0;
}

/* Reads a material and sorts its men. */
static void read_material(const char *text, struct placed *p)
{
	*p = (struct placed){0};
	for (; *text; text++) {
		const char *at = strchr(letters, *text);
		if (!at || p->men == MEN_MAX)
			abort();
		p->letter[p->men++] = (uint8_t)(at - letters);
	}
	sort_placed(p);
}

static unsigned number_of(const struct men *men, const char *text)
{
	struct placed p;
	read_material(text, &p);
	return men->by_code[code_of(p.letter, p.men)];
}

void men_range(const struct men *men, const char *material, uint32_t *begin, uint32_t *end)
{
	unsigned number = number_of(men, material);
	*begin = number ? (uint32_t)(number - 1) << SPAN_BITS : RETRO_NONE;
	*end = number ? *begin + men->materials[number - 1].size : RETRO_NONE;
}

static bool is_known(const void *ctx, const uint8_t *key, size_t size, int threshold, bool *holds, unsigned *distance)
{
	const struct men *men = ctx;
	uint32_t index = men_find_key(men, key, size);
	if (index == RETRO_NONE)
		return false;
	*holds = men_holds_at(men, threshold == 1, index, distance);
	return true;
}

static void add_to_retro(void *ctx, const void *state)
{
	if (!retro_add(ctx, state))
		abort();
}

/* Adds a material, which can be found from now on. */
static struct material *new_material(struct men *men, const struct placed *p)
{
	unsigned colours = 0, planes = 1;
	for (unsigned i = 0; i < p->men; i++)
		colours |= p->letter[i] == PAWN ? 1 : p->letter[i] == PAWN + 6 ? 2 : 0;
	if (colours == 3)
		planes = PLANES;
	if (men->count == MATERIALS_MAX)
		abort();
	struct material *m = &men->materials[men->count++];
	m->men = p->men;
	memcpy(m->letter, p->letter, sizeof m->letter);
	text_of(p->letter, p->men, m->text);
	m->size = planes * 2u << 6 * p->men;
	for (unsigned claim = 0; claim < 2; claim++)
		m->result[claim] = require_memory(calloc(m->size, sizeof *m->result[claim]));
	men->by_code[code_of(p->letter, p->men)] = (uint16_t)men->count;
	return m;
}

static uint16_t pack_result(bool holds, unsigned distance)
{
	if (distance != RETRO_NEVER && distance + 1 >= FOR_EVER)
		abort();
	return (uint16_t)((holds ? FIRST_IS_RIGHT : 0) | (distance == RETRO_NEVER ? FOR_EVER : distance + 1));
}

/* Fills in a material by retrograde analysis. */
static void analyse_material(struct men *men, const struct placed *material)
{
	struct retro *r = retro_new(men->game, UINT32_MAX);
	char text[ENDINGS_MEN_MAX + 1];
	text_of(material->letter, material->men, text);
	retro_depend(r, (struct retro_beyond){men, is_known});
	endings_chessmen(men->game, text, &(struct endings_to){r, add_to_retro});
	unsigned claims[2] = {retro_solve(r, 0), retro_solve(r, 1)};
	men->moves += retro_moves(r);
	struct material *m = new_material(men, material);
	for (uint32_t i = 0; i < retro_positions(r); i++) {
		size_t size;
		struct placed p;
		const uint8_t *key = retro_key(r, i, &size);
		if (retro_is_beyond(r, i))
			continue;
		if (!take_apart(key, size, &p) || code_of(p.letter, p.men) != code_of(m->letter, m->men))
			abort();
		for (unsigned claim = 0; claim < 2; claim++) {
			unsigned distance;
			bool holds = retro_holds_at(r, claims[claim], i, &distance);
			m->result[claim][place_of(&p)] = pack_result(holds, distance);
		}
		men->positions++;
	}
	retro_free(r);
}

/* The position with colours and rows swapped. */
static void swap_colours(struct placed *p)
{
	unsigned passing = p->plane ? p->square[p->plane - 1] ^ 56 : 64;
	p->side ^= 1;
	for (unsigned i = 0; i < p->men; i++) {
		p->letter[i] = (uint8_t)((p->letter[i] + 6) % LETTERS);
		p->square[i] ^= 56;
	}
	sort_placed(p);
	for (unsigned i = 0; i < p->men; i++)
		if (p->square[i] == passing)
			p->plane = i + 1;
}

/* Fills in a material from the one with colours swapped. */
static void fill_material(struct men *men, const struct placed *material, unsigned from)
{
	struct material *m = new_material(men, material), *other = &men->materials[from];
	for (uint32_t place = 0; place < other->size; place++) {
		uint32_t index = (uint32_t)from << SPAN_BITS | place;
		uint8_t key[GAME_KEY_MAX];
		struct placed p;
		if (!men_is_position(men, index))
			continue;
		if (!take_apart(key, men_key(men, index, key), &p))
			abort();
		swap_colours(&p);
		for (unsigned claim = 0; claim < 2; claim++)
			m->result[claim][place_of(&p)] = other->result[!claim][place] ^ FIRST_IS_RIGHT;
		men->positions++;
	}
}

static void solve_material(struct men *men, struct placed p);

/* Solves the materials with a man captured or promoted. */
static void solve_without(struct men *men, struct placed p, unsigned man)
{
	p.men--;
	p.letter[man] = p.letter[p.men];
	if (p.men)
		solve_material(men, p);
}

static void solve_material(struct men *men, struct placed p)
{
	unsigned white = 0;
	sort_placed(&p);
	if (men->by_code[code_of(p.letter, p.men)])
		return;
	for (unsigned i = 0; i < p.men; i++)
		white += p.letter[i] < 6;
	bool over = !white || white == p.men; /* on any squares */
	for (unsigned i = 0; i < p.men && !over; i++) {
		solve_without(men, p, i);
		for (unsigned promoted = 1; p.letter[i] % 6 == PAWN && promoted < 6; promoted++) {
			struct placed next = p;
			next.letter[i] = (uint8_t)(p.letter[i] + promoted);
			solve_material(men, next);
		}
	}
	struct placed other = p;
	swap_colours(&other);
	unsigned from = men->by_code[code_of(other.letter, other.men)];
	if (men->swap && from)
		fill_material(men, &p, from - 1);
	else
		analyse_material(men, &p);
}

void men_solve(struct men *men, const char *material)
{
	struct placed p;
	read_material(material, &p);
	solve_material(men, p);
}
