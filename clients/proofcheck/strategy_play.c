#include "clients/proofcheck/strategy_play.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/proofcheck/strategy_lines.h"
#include "clients/proofcheck/key_table.h"
#include "proto/base/assert.h"

enum {
	POLICY = 1,                /* its number, the first byte of a witness */
	TABLE_BYTES_MAX = 1 << 26, /* of the positions remembered, unless one card needs more */
	STRATEGIES_MAX = 65536,    /* remembered at a time */
	PLIES_MAX = 65534,         /* the largest rank of a reason */
	KEY_HEAD = 14,             /* bytes of a position's key before its squares */
	STRATEGY_HEAD = 9          /* bytes of a strategy's key before its weights */
};

/* A position with M to move on the line that is being played, and what is left to do there. */
struct frame {
	struct frame *before; /* owned */
	struct ck_position position;
	unsigned led;       /* plies to here from the frame before */
	unsigned plies;     /* of the longest line from here so far */
	unsigned count, at; /* its replies; those that were tried */
	uint16_t reply[];
};

struct ck_strategies {
	const struct ck_game *game; /* borrowed */
	bool (*stop)(void *ctx);
	void *ctx;
	struct ck_table strategies; /* by bound and weights: their numbers, from 0 */
	struct ck_table positions;  /* by strategy and position with M to move: plies of the longest line */
	struct ck_lines *lines;     /* owned; NULL: the rules alone are used */
	uint64_t played;
	/* Of the card that is being played out: */
	struct ck_policy policy;
	uint32_t strategy;  /* its number */
	unsigned entered;   /* positions with M to move */
	unsigned depth;     /* plies of the line */
	struct frame *last; /* owned */
	unsigned plies;     /* of the longest line */
	char *why;          /* borrowed */
};

static unsigned squares_of(const struct ck_game *g)
{
	return g->width * g->height;
}

static enum ck_play fail_play(struct ck_strategies *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static enum ck_play fail_play(struct ck_strategies *s, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(s->why, CK_STRATEGY_WHY, format, args);
	va_end(args);
	return CK_PLAY_FAILS;
}

/* At a position that is lost, or where W is to move and has no safe move. */
static enum ck_play fail_at(struct ck_strategies *s, const struct ck_position *p)
{
	char text[CK_TEXT_MAX];
	s->game->rules->print(s->game, p, text);
	return fail_play(s, "it leads to '%.140s', where %s", text,
			 ck_policy_state(&s->policy, p) == CK_LOST
				 ? "the game is over with another value"
				 : "each of its moves loses or lets the other side win at once");
}

static enum ck_play fail_large(struct ck_strategies *s)
{
	return fail_play(s, "it leads to more than %d positions with the other side to move", CK_STRATEGY_POSITIONS);
}

/* Writes the key of a position: this strategy, and all that rules can tell apart. */
static void write_key(const struct ck_strategies *s, const struct ck_position *p, uint8_t *key)
{
	const uint8_t sides[4] = {p->turn, p->first, p->castle, p->passant};
	unsigned squares = squares_of(s->game);
	memcpy(key, &s->strategy, 4);
	memcpy(key + 4, sides, 4);
	memcpy(key + 8, &p->node, 4);
	memcpy(key + 12, &p->score, 2);
	memcpy(key + KEY_HEAD, p->at, squares);
}

/* Records that the longest line from the last frame, or from the card's position, has at least that many plies. */
static void note_line(struct ck_strategies *s, unsigned plies)
{
	unsigned *most = s->last ? &s->last->plies : &s->plies;
	*most = plies > *most ? plies : *most;
}

/* Plays W's moves until M is to move or the bound is reached. *led counts the plies. */
static enum ck_play play_own_moves(struct ck_strategies *s, struct ck_position *p, unsigned *led, bool *reached)
{
	for (;; ++*led) {
		enum ck_state state = ck_policy_state(&s->policy, p);
		uint16_t move;
		if (state == CK_LOST)
			return fail_at(s, p);
		*reached = state == CK_REACHED;
		if (*reached || !ck_policy_moves(&s->policy, p))
			return CK_PLAY_HOLDS;
		if (s->depth + *led >= PLIES_MAX)
			return fail_play(s, "one of its lines has more than %d plies", PLIES_MAX);
		if (!ck_policy_choose(&s->policy, p, &move))
			return fail_at(s, p);
		s->game->rules->play(s->game, p, move);
	}
}

static enum ck_play enter_position(struct ck_strategies *s, const struct ck_position *p, unsigned led)
{
	uint16_t moves[CK_MOVES_MAX];
	if (s->stop && s->stop(s->ctx))
		return CK_PLAY_STOPPED;
	if (s->entered == CK_STRATEGY_POSITIONS)
		return fail_large(s);
	unsigned count = s->game->rules->moves(s->game, p, moves);
	struct frame *f = malloc(sizeof *f + count * sizeof *f->reply);
	PD_ASSERT(count >= 1 && count <= CK_MOVES_MAX);
	if (!f)
		return CK_PLAY_MEMORY;
	*f = (struct frame){.before = s->last, .position = *p, .led = led, .count = count};
	memcpy(f->reply, moves, count * sizeof *moves);
	s->last = f;
	s->depth += led;
	s->entered++;
	return CK_PLAY_HOLDS;
}

/* Plays on from a position `led` plies after the last frame. */
static enum ck_play visit_position(struct ck_strategies *s, struct ck_position *p, unsigned led)
{
	uint8_t key[KEY_HEAD + CK_SQUARES_MAX];
	uint32_t known = 0;
	bool reached;
	enum ck_play rc = play_own_moves(s, p, &led, &reached);
	if (rc != CK_PLAY_HOLDS)
		return rc;
	write_key(s, p, key);
	if (!reached && !ck_table_find(&s->positions, key, &known))
		return enter_position(s, p, led);
	note_line(s, led + (reached ? 0 : known));
	return CK_PLAY_HOLDS;
}

/* Takes the last frame off the line. */
static void drop_frame(struct ck_strategies *s)
{
	struct frame *f = s->last;
	PD_ASSERT(s->depth >= f->led);
	s->depth -= f->led;
	s->last = f->before;
	free(f);
}

/* All replies at the last frame were played out. */
static enum ck_play leave_position(struct ck_strategies *s)
{
	uint8_t key[KEY_HEAD + CK_SQUARES_MAX];
	unsigned plies = s->last->plies, led = s->last->led;
	write_key(s, &s->last->position, key);
	drop_frame(s);
	note_line(s, led + plies);
	return ck_table_add(&s->positions, key, plies) ? CK_PLAY_HOLDS : CK_PLAY_MEMORY;
}

static enum ck_play play_all(struct ck_strategies *s, const struct ck_position *p)
{
	struct ck_position next = *p;
	enum ck_play rc = visit_position(s, &next, 0);
	while (s->last && rc == CK_PLAY_HOLDS) {
		struct frame *f = s->last;
		if (f->at == f->count) {
			rc = leave_position(s);
			continue;
		}
		next = f->position;
		s->game->rules->play(s->game, &next, f->reply[f->at++]);
		rc = visit_position(s, &next, 1);
	}
	while (s->last)
		drop_frame(s);
	return rc;
}

/* Plays out a card in a game of lines. */
static enum ck_play play_lines(struct ck_strategies *s, const struct ck_position *p)
{
	struct ck_line_task task = {&s->policy, s->strategy, s->stop, s->ctx, 0, 0, false, {{0}, 0, 0, 0, 0, 0, 0}};
	enum ck_play rc = ck_lines_play(s->lines, &task, p);
	s->entered = task.entered;
	s->plies = task.plies;
	if (rc != CK_PLAY_FAILS)
		return rc;
	return task.large ? fail_large(s) : fail_at(s, &task.end);
}

/* Forgets everything when there might not be room for one card more. */
static void make_room(struct ck_strategies *s)
{
	struct ck_table *most = s->lines ? ck_lines_table(s->lines) : &s->positions;
	if (ck_table_bytes(most, most->count + CK_STRATEGY_POSITIONS) <= TABLE_BYTES_MAX &&
	    ck_table_bytes(&s->positions, s->positions.count) <= TABLE_BYTES_MAX &&
	    s->strategies.count < STRATEGIES_MAX)
		return;
	ck_table_clear(most);
	ck_table_clear(&s->positions);
	ck_table_clear(&s->strategies);
}

/* Finds or gives the number of the strategy. */
static bool number_strategy(struct ck_strategies *s, const struct ck_card *card)
{
	uint8_t key[STRATEGY_HEAD + CK_SQUARES_MAX] = {card->upper};
	memcpy(key + 1, &card->bound, 8);
	memcpy(key + STRATEGY_HEAD, card->witness + 1, squares_of(s->game));
	if (ck_table_find(&s->strategies, key, &s->strategy))
		return true;
	s->strategy = (uint32_t)s->strategies.count;
	return ck_table_add(&s->strategies, key, s->strategy);
}

enum ck_play ck_strategy_play(struct ck_strategies *s, const struct ck_position *p, const struct ck_card *card,
			      unsigned *plies, char why[CK_STRATEGY_WHY])
{
	const struct ck_game *g = s->game;
	unsigned size = 1 + squares_of(g);
	s->why = why;
	if (g->repeats)
		return fail_play(s, "positions of %s can be repeated, so it has no strategies", g->rules->name);
	if (!g->rules->square || squares_of(g) > CK_SQUARES_MAX) /* boards so large: plug-ins */
		return fail_play(s, "the moves of %s have no squares, so it has no strategies", g->rules->name);
	if (card->size != size)
		return fail_play(
			s,
			"the witness of a strategy has %u bytes here, its policy and a weight for each square, "
			"not %u",
			size, card->size);
	if (card->witness[0] != POLICY)
		return fail_play(s, "the policy of a strategy is %d, not %u", POLICY, card->witness[0]);
	make_room(s);
	if (!number_strategy(s, card))
		return CK_PLAY_MEMORY;
	s->policy =
		(struct ck_policy){.game = g, .upper = card->upper, .bound = card->bound, .weight = card->witness + 1};
	s->entered = s->depth = s->plies = 0;
	enum ck_play rc = s->lines && ck_lines_decide(&s->policy) ? play_lines(s, p) : play_all(s, p);
	s->played += s->entered;
	*plies = s->plies;
	PD_ASSERT(!s->last && (rc != CK_PLAY_HOLDS || s->plies >= 1));
	return rc;
}

struct ck_strategies *ck_strategies_new(const struct ck_game *game, bool (*stop)(void *ctx), void *ctx)
{
	struct ck_strategies *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->game = game;
	s->stop = stop;
	s->ctx = ctx;
	s->strategies.key = STRATEGY_HEAD + squares_of(game);
	s->positions.key = KEY_HEAD + squares_of(game);
	s->lines = ck_lines_new(game);
	return s;
}

void ck_strategies_free(struct ck_strategies *s)
{
	if (!s)
		return;
	ck_table_clear(&s->strategies);
	ck_table_clear(&s->positions);
	ck_lines_free(s->lines);
	free(s);
}

uint64_t ck_strategies_played(const struct ck_strategies *s)
{
	return s->played;
}
