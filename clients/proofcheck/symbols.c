#include "clients/proofcheck/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

/* CERTIFICATE.md states these numbers. */
enum {
	DEPTHS = 64,       /* depths with contexts of their own */
	CODES = 1024,      /* codes of moves with contexts of their own */
	NO_MOVE = 0xffff,  /* stands for no move */
	THEOREMS = 64,     /* with contexts of their own */
	SIZE_BITS = 10,    /* of the size of a witness */
	ORDERS = 2,        /* guesses of a byte of a witness */
	GUESSES = 1 << 18, /* guesses of each order */
	RIGHT_MAX = 8,
	PLACE_BITS = 14,
	RECENT_MAX = 1 << PLACE_BITS /* strategies that can be used again */
};

/* Answers so far. */
enum kind { NONE, INNER, LEAF, KINDS };

/* A guess: the byte that last followed certain bytes. */
struct guess {
	uint8_t byte, right; /* times it was right since it was last wrong, from 1, up to RIGHT_MAX; 0: there is none */
};

struct strategy {
	unsigned size;
	uint8_t witness[CK_WITNESS_MAX];
};

struct ck_symbols {
	struct ck_range range;
	uint8_t kind_at[DEPTHS], kind_of[2]; /* of the last answer at a depth; where W moves, where it does not */
	uint16_t move_at[DEPTHS];            /* the last move at a depth */
	struct strategy *strategy;           /* owned; RECENT_MAX of them */
	uint16_t recent[RECENT_MAX];         /* indices in `strategy`, the last used first */
	unsigned strategies;
	bool fresh; /* the last use was of a new strategy */
	uint8_t witness[CK_WITNESS_MAX];
	struct guess guess[ORDERS][GUESSES];
	struct ck_chance leaf[2][DEPTHS][KINDS][KINDS], alone, move[CODES][2][2][2];
	struct ck_chance theorem[2][256], size[THEOREMS][1 << SIZE_BITS], right[ORDERS][RIGHT_MAX + 1],
		byte[2][256][256];
	struct ck_chance is_fresh[2], same[CK_WITNESS_MAX][2], weight[256][256];
	struct ck_chance longer[PLACE_BITS], second[PLACE_BITS + 1];
};

struct ck_symbols *ck_symbols_new(struct pd_buf *out, const uint8_t *in, uint64_t size)
{
	struct ck_symbols *s = calloc(1, sizeof *s);
	struct strategy *strategy = calloc(RECENT_MAX, sizeof *strategy);
	if (!s || !strategy) {
		free(s);
		free(strategy);
		return NULL;
	}
	s->strategy = strategy;
	if (out)
		ck_range_write(&s->range, out);
	else
		ck_range_read(&s->range, in, size);
	for (unsigned i = 0; i < DEPTHS; i++)
		s->move_at[i] = NO_MOVE;
	return s;
}

void ck_symbols_free(struct ck_symbols *s)
{
	if (s)
		free(s->strategy);
	free(s);
}

static unsigned code_bit(struct ck_symbols *s, struct ck_chance *chance, unsigned bit)
{
	return ck_range_bit(&s->range, chance, bit);
}

/* --- moves -------------------------------------------------------------------------------- */

static unsigned context_of_depth(unsigned depth)
{
	return depth < DEPTHS ? depth : DEPTHS - 1;
}

/* The place of a move in the list: for each move but the last a bit whether it is the one. */
static void code_move(struct ck_symbols *s, const struct ck_stop *stop, struct ck_choice *choice)
{
	uint16_t beside = s->move_at[context_of_depth(stop->depth)];
	uint16_t above = stop->depth < 2 ? NO_MOVE : s->move_at[context_of_depth(stop->depth - 2)];
	unsigned place = 0;
	for (; place + 1 < stop->moves; place++) {
		uint16_t move = stop->move[place];
		struct ck_chance *chance = &s->move[move % CODES][place < stop->safe][move == above][move == beside];
		if (code_bit(s, !place && stop->safe == 1 ? &s->alone : chance, place == choice->place))
			break;
	}
	choice->place = place;
	s->move_at[context_of_depth(stop->depth)] = stop->move[place];
}

/* --- cards -------------------------------------------------------------------------------- */

/* The slot of the guess for the byte after `size` bytes of a witness. */
static struct guess *guess_of(struct ck_symbols *s, unsigned order, unsigned theorem, const uint8_t *witness,
			      unsigned size)
{
	static const unsigned bytes[ORDERS] = {8, 3};
	uint32_t hash = theorem;
	for (unsigned i = size < bytes[order] ? 0 : size - bytes[order]; i < size; i++)
		hash = (hash + witness[i] + 1) * UINT32_C(0x9e3779b1);
	return &s->guess[order][(hash ^ hash >> 15) % GUESSES];
}

/* Whether a guess was made before, by a longer context. */
static bool is_repeated(struct guess *const *guess, unsigned at)
{
	for (unsigned i = 0; i < at; i++)
		if (guess[i]->right && guess[i]->byte == guess[at]->byte)
			return true;
	return false;
}

/* A byte of a witness: as guessed by the last 8 bytes, or by the last 3, or in the context of the one before. */
static uint8_t code_byte(struct ck_symbols *s, unsigned theorem, const uint8_t *witness, unsigned at, uint8_t byte)
{
	uint8_t before = at >= 1 ? witness[at - 1] : 0, earlier = at >= 2 ? witness[at - 2] : 0;
	struct guess *guess[ORDERS];
	bool known = false;
	for (unsigned i = 0; i < ORDERS; i++) {
		struct guess *g = guess[i] = guess_of(s, i, theorem, witness, at);
		if (known || !g->right || is_repeated(guess, i))
			continue;
		known = code_bit(s, &s->right[i][g->right], g->byte == byte);
		if (known)
			byte = g->byte;
	}
	if (!known)
		byte = (uint8_t)ck_range_tree(&s->range, s->byte[!before][before ? before : earlier], 8, byte);
	for (unsigned i = 0; i < ORDERS; i++) {
		uint8_t right = guess[i]->right;
		bool again = right && guess[i]->byte == byte;
		*guess[i] = (struct guess){byte, !again ? 1 : right < RIGHT_MAX ? right + 1 : RIGHT_MAX};
	}
	return byte;
}

static unsigned code_size(struct ck_symbols *s, unsigned theorem, unsigned size)
{
	return ck_range_tree(&s->range, s->size[theorem % THEOREMS], SIZE_BITS, size);
}

static void code_witness(struct ck_symbols *s, struct ck_choice *choice)
{
	const uint8_t *from = choice->witness;
	for (unsigned i = 0; i < choice->size; i++)
		s->witness[i] = code_byte(s, choice->theorem, s->witness, i, from ? from[i] : 0);
	choice->witness = s->witness;
}

/* --- strategies --------------------------------------------------------------------------- */

/* A place: how many binary digits the place plus one has, then those after the first. */
static unsigned code_place(struct ck_symbols *s, unsigned place)
{
	unsigned digits = 0, value = 1, more;
	while ((place + 1) >> digits > 1)
		digits++;
	for (more = 0; more < PLACE_BITS && code_bit(s, &s->longer[more], more < digits); more++)
		continue;
	for (unsigned i = more; i--;) {
		struct ck_chance even = {0};
		value = value << 1 | code_bit(s, i + 1 == more ? &s->second[more] : &even, (place + 1) >> i & 1);
	}
	return value - 1;
}

/* Writing: the place of the strategy among the recent ones; their number when it is not there. */
static unsigned place_of(const struct ck_symbols *s, const struct ck_choice *choice)
{
	unsigned i = 0;
	for (; i < s->strategies; i++) {
		const struct strategy *r = &s->strategy[s->recent[i]];
		if (r->size == choice->size && !memcmp(r->witness, choice->witness, r->size))
			break;
	}
	return i;
}

/* Moves the strategy at a place to the front. */
static struct strategy *use_strategy(struct ck_symbols *s, unsigned place)
{
	uint16_t index = s->recent[place];
	memmove(s->recent + 1, s->recent, place * sizeof *s->recent);
	s->recent[0] = index;
	return &s->strategy[index];
}

/* A new strategy, by its difference from the last one. It replaces the least recently used one. */
static const char *code_fresh(struct ck_symbols *s, struct ck_choice *choice)
{
	struct strategy made = {0}, last = s->strategies ? s->strategy[s->recent[0]] : made;
	made.size = code_size(s, CK_STRATEGY, choice->size);
	if (made.size > CK_WITNESS_MAX)
		return "the witness of a strategy should have at most 512 bytes";
	for (unsigned i = 0; i < made.size; i++) {
		uint8_t old = last.witness[i], byte = choice->witness ? choice->witness[i] : 0;
		if (code_bit(s, &s->same[i][old != 0], byte == old))
			made.witness[i] = old;
		else
			made.witness[i] = (uint8_t)ck_range_tree(&s->range, s->weight[old], 8, byte);
	}
	if (s->strategies < RECENT_MAX) {
		s->recent[s->strategies] = (uint16_t)s->strategies;
		s->strategies++;
	}
	*use_strategy(s, s->strategies - 1) = made;
	return NULL;
}

static const char *code_strategy(struct ck_symbols *s, struct ck_choice *choice)
{
	unsigned place = s->range.out ? place_of(s, choice) : 0;
	bool fresh = code_bit(s, &s->is_fresh[s->fresh], place == s->strategies);
	if (fresh) {
		const char *why = code_fresh(s, choice);
		if (why)
			return why;
	} else {
		place = code_place(s, place);
		if (place >= s->strategies)
			return "a strategy is used that was not used before";
		use_strategy(s, place);
	}
	s->fresh = fresh;
	choice->size = s->strategy[s->recent[0]].size;
	choice->witness = s->strategy[s->recent[0]].witness;
	return NULL;
}

static const char *code_card(struct ck_symbols *s, struct ck_choice *choice)
{
	unsigned high = ck_range_tree(&s->range, s->theorem[1], 8, choice->theorem >> 8);
	choice->theorem = high << 8 | ck_range_tree(&s->range, s->theorem[0], 8, choice->theorem & 0xff);
	if (!choice->theorem)
		return "the theorem of a card should be a number from 1 to 65535";
	if (choice->theorem == CK_STRATEGY)
		return code_strategy(s, choice);
	choice->size = code_size(s, choice->theorem, choice->size);
	if (choice->size > CK_WITNESS_MAX)
		return "a witness should have at most 512 bytes";
	code_witness(s, choice);
	return NULL;
}

/* --- answers ------------------------------------------------------------------------------ */

static const char cut_off[] = "the symbols end before the proof does";

const char *ck_symbols_code(struct ck_symbols *s, const struct ck_stop *stop, struct ck_choice *choice)
{
	uint8_t *beside = &s->kind_at[context_of_depth(stop->depth)], *before = &s->kind_of[stop->wants];
	struct ck_chance *chance = &s->leaf[stop->wants][context_of_depth(stop->depth)][*beside][*before];
	const char *why = NULL;
	PD_ASSERT(s->range.out || !choice->witness);
	if (code_bit(s, chance, choice->way == CK_BY_CARD)) {
		choice->way = CK_BY_CARD;
		why = code_card(s, choice);
	} else {
		choice->way = stop->wants ? CK_BY_MOVE : CK_BY_ALL;
		if (stop->wants)
			code_move(s, stop, choice);
	}
	*beside = *before = choice->way == CK_BY_CARD ? LEAF : INNER;
	return s->range.bad ? cut_off : why;
}

const char *ck_symbols_end(struct ck_symbols *s)
{
	return ck_range_end(&s->range) ? NULL : s->range.bad ? cut_off : "bytes follow the last symbol of the proof";
}

uint64_t ck_symbols_used(const struct ck_symbols *s)
{
	return s->range.used;
}
