/* Record reader: what the readers of the formats of records share. A format is a file of its own: record_pgn.c,
 * record_sgf.c, record_ggf.c, record_epd.c; lists of moves are in record.c, which chooses the format.
 *
 * A reader takes every byte: what it cannot read is an error that names line, column and what stands there. */
#pragma once

#include "solver/record.h"

/* A text that is read. */
struct record {
	const struct game *game;
	void *state;
	struct game_played *played;
	struct pd_fail *fail;
	const char *text; /* from its first line on: places of errors are counted in it */
	bool start;       /* a position in the record counts */
	bool idle;        /* the game that is read is not the one to be played: only its form is looked at */
};

struct game_record_format {
	const char *begins_with; /* for messages: how a record of the format begins */
	uint32_t bit;            /* of game_rules.records */
	/* Whether a text, whose first byte is neither blank nor zero, is meant as a record of the format. */
	bool (*begins)(const char *text);
	/* Reads one game from *text on and moves behind it. */
	int (*read)(struct record *r, const char **text);
};
extern const struct game_record_format game_record_pgn, game_record_sgf, game_record_ggf, game_record_epd;

/* --- errors: PD_E_MOVE with field "moves" -------------------------------------------------------- */

/* "line 3, column 5: " and the sentence; `at` points into the text. */
int game_record_fail(struct record *r, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Names the place of something that is not closed. */
int game_record_unclosed(struct record *r, const char *opened, const char *what);

/* --- what a record plays; nothing happens when it is idle ---------------------------------------- */

/* The legal move that exactly these bytes name; false when there is none. */
bool game_record_is_move(struct record *r, const char *text, size_t size, game_move *out, struct pd_fail *why);
/* PD_E_MOVE when the record has more moves, or attempts at one, than it may have. */
int game_record_room(struct record *r);
void game_record_step(struct record *r, game_move move);
/* The text where a move should be: an error with the number of the move. `why` is what the rules say. */
int game_record_illegal(struct record *r, const char *text, size_t size, const struct pd_fail *why);
/* Plays the move that exactly these bytes name. */
int game_record_move(struct record *r, const char *text, size_t size);
/* Begins at a position of the record. */
int game_record_start(struct record *r, const char *at, const char *text, size_t size);

/* --- text ---------------------------------------------------------------------------------- */

bool game_record_blank(char c);
const char *game_record_skip(const char *text);
/* Whether `size` bytes are this word; upper and lower case are the same with `any_case`. */
bool game_record_is(const char *text, size_t size, const char *word, bool any_case);
