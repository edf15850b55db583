/* Stones that a record in SGF sets up: see record_sgf.h. */
#include "proto/base/assert.h"
#include "solver/games/record_sgf.h"

int game_sgf_setup_value(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size)
{
	PD_ASSERT(kind == 'B' || kind == 'W' || kind == 'E' || kind == 'P');
	(void)size;
	if (kind == 'P') /* who is to move: the first move says it as well */
		return PD_OK;
	setup->at = text;
	return game_record_fail(
		r, text, "the record sets up stones (A%c), which are not moves; give its position instead", kind);
}

int game_sgf_setup_end(struct record *r, struct game_sgf_setup *setup)
{
	(void)r;
	PD_ASSERT(!setup->at);
	return PD_OK;
}
