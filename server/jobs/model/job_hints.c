#include "server/jobs/model/job_hints.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/games/record.h"

enum { WORD_BYTES = 64 };

static const char blanks[] = " ,\t\r\n";

static int refuse_move(unsigned line, unsigned number, const struct pd_fail *why, struct pd_fail *fail)
{
	char field[32];
	const char *text =
		strncmp(why->text, "move 1", 6) ? why->text : why->text + 6; /* to the reader each is move 1 */
	snprintf(field, sizeof field, "first[%u]", line);
	return pd_fail_set(fail, PD_E_MOVE, field, "%s, move %u%.250s", field, number, text);
}

/* Plays one word of a line from *state on. */
static int play_word(const struct game *game, const char *word, size_t size, void *state, game_move *move,
		     struct pd_fail *why)
{
	char text[WORD_BYTES];
	if (size >= sizeof text)
		return pd_fail_set(why, PD_E_MOVE, "first", ": no move is that long");
	memcpy(text, word, size);
	text[size] = 0;
	int rc = game_read_move(game, text, state, move, why);
	if (!rc)
		game->rules->play(game, state, *move);
	return rc;
}

/* One line as the game writes it, to `out`. */
static int rewrite_line(const struct game *game, const void *state, const char *line, unsigned index,
			struct pd_buf *out, struct pd_fail *fail)
{
	_Alignas(16) uint8_t here[GAME_STATE_MAX], before[GAME_STATE_MAX];
	char field[32], text[GAME_TEXT_MAX];
	unsigned number = 0;
	memcpy(here, state, game->state_size);
	for (const char *p = line + strspn(line, blanks); *p; p += strspn(p, blanks)) {
		struct pd_fail why;
		game_move move;
		size_t size = strcspn(p, blanks);
		memcpy(before, here, game->state_size);
		if (play_word(game, p, size, here, &move, &why))
			return refuse_move(index, number + 1, &why, fail);
		game->rules->move_print(game, before, move, text, sizeof text);
		pd_buf_printf(out, "%s%s", number++ ? " " : "", text);
		p += size;
	}
	snprintf(field, sizeof field, "first[%u]", index);
	return number ? PD_OK : pd_fail_set(fail, PD_E_PARAMS, field, "parameter '%s' has no move", field);
}

static int refuse_length(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_PARAMS, "first", "all lines of 'first' together may have at most %d bytes",
			   (int)SV_HINTS_BYTES);
}

int sv_hints_check(const struct game *game, const void *state, struct sv_spec *spec, struct pd_fail *fail)
{
	size_t bytes = 0, given = 0;
	for (unsigned i = 0; i < spec->first.count; i++)
		given += strlen(spec->first.text[i]);
	int rc = given > SV_HINTS_BYTES ? refuse_length(fail) : PD_OK;
	for (unsigned i = 0; !rc && i < spec->first.count; i++) {
		struct pd_buf text;
		pd_buf_init(&text, SV_HINTS_BYTES + 1);
		rc = rewrite_line(game, state, spec->first.text[i], i, &text, fail);
		bytes += text.size;
		if (!rc && (text.failed || bytes > SV_HINTS_BYTES))
			rc = refuse_length(fail);
		char *copy = rc ? NULL : strndup(text.data, text.size);
		if (!rc && !copy)
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
		if (copy) {
			free(spec->first.text[i]);
			spec->first.text[i] = copy;
		}
		pd_buf_fini(&text);
	}
	return rc;
}

int sv_hints_read(const struct game *game, const void *state, const struct sv_spec *spec, struct sv_hints *out,
		  struct pd_fail *fail)
{
	_Alignas(16) uint8_t here[GAME_STATE_MAX];
	size_t most = 0, used = 0;
	*out = (struct sv_hints){0};
	for (unsigned i = 0; i < spec->first.count; i++)
		most += strlen(spec->first.text[i]);
	if (!most)
		return PD_OK;
	out->lines = calloc(spec->first.count, sizeof *out->lines);
	out->moves = calloc(most, sizeof *out->moves);
	if (!out->lines || !out->moves)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the lines to try first");
	for (unsigned i = 0; i < spec->first.count; i++) {
		struct pn_line *line = &out->lines[out->count];
		const char *p = spec->first.text[i];
		line->moves = out->moves + used;
		memcpy(here, state, game->state_size);
		for (; *p; p += strspn(p, blanks)) {
			struct pd_fail why;
			size_t size = strcspn(p, blanks);
			PD_ASSERT(used < most);
			if (play_word(game, p, size, here, &out->moves[used], &why))
				return pd_fail_set(fail, PD_E_CORRUPT, "jobs",
						   "a line to try first cannot be played: %.200s", why.text);
			used++;
			line->count++;
			p += size;
		}
		out->count += line->count > 0;
	}
	return PD_OK;
}

void sv_hints_fini(struct sv_hints *first)
{
	free(first->lines);
	free(first->moves);
	*first = (struct sv_hints){0};
}
