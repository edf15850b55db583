/* FEN and EPD: a position on a line of its own, in the game's notation. */
#include "solver/games/record.h"

#include <string.h>

static int epd_read(struct record *r, const char **text)
{
	const char *at = *text;
	size_t size = strcspn(at, "\n");
	*text += size;
	while (size && game_record_blank(at[size - 1]))
		size--;
	return game_record_start(r, at, at, size);
}

/* The rows of a board are separated by slashes, which no move contains. */
static bool epd_begins(const char *text)
{
	return memchr(text, '/', strcspn(text, " \t\r\n")) != NULL;
}

const struct game_record_format game_record_epd = {"a FEN begins with rows of the board", GAME_RECORD_EPD, epd_begins,
						   epd_read};
