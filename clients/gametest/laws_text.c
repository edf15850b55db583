/* Laws of texts: positions and moves as players write them, and invalid texts. */
#include <stdio.h>
#include <string.h>

#include "clients/gametest/law.h"

/* Checks a function like snprintf: whatever the buffer's size, it returns the same length and writes a terminated
 * prefix of the text. */
static void check_printing(struct gt *t, const struct gt_state *s, const char *member,
			   size_t (*print)(const struct game *, const void *, char *, size_t), char out[GAME_TEXT_MAX])
{
	char small[4] = "???";
	size_t wanted = print(t->game, s, out, GAME_TEXT_MAX);
	if (wanted >= GAME_TEXT_MAX)
		cl_gt_broken(t, "%s needs %zu bytes; a text has fewer than %d", member, wanted, (int)GAME_TEXT_MAX);
	if (!memchr(out, 0, GAME_TEXT_MAX) || strlen(out) != wanted)
		cl_gt_broken(t, "%s returns %zu, but writes a text of another length", member, wanted);
	if (print(t->game, s, NULL, 0) != wanted || print(t->game, s, small, sizeof small) != wanted)
		cl_gt_broken(t, "%s returns a different length when there is less room", member);
	if (!memchr(small, 0, sizeof small) || strncmp(small, out, 3))
		cl_gt_broken(t, "%s does not cut its text as snprintf does", member);
}

static void check_texts(struct gt *t)
{
	struct gt_state s, back;
	struct pd_fail fail;
	char text[GAME_TEXT_MAX], picture[GAME_TEXT_MAX];
	for (unsigned i = 0; i < t->rounds; i++) {
		cl_gt_position(t, &s);
		check_printing(t, &s, "print", t->rules->print, text);
		memset(&fail, 0, sizeof fail);
		memset(&back, 0, sizeof back);
		if (t->rules->parse(t->game, text, &back, &fail))
			cl_gt_broken(t, "parse refuses what print has written, '%.300s': %.200s", text, fail.text);
		if (!cl_gt_same_key(t, &s, &back))
			cl_gt_broken(t, "parse reads what print has written as another position: '%.300s'", text);
		if (!t->rules->picture)
			continue;
		check_printing(t, &s, "picture", t->rules->picture, picture);
		if (!picture[0] || picture[strlen(picture) - 1] != '\n')
			cl_gt_broken(t, "picture does not end with a newline");
	}
}

static void check_move_texts(struct gt *t)
{
	static struct gt_moves moves;
	struct gt_state s, a, b;
	struct pd_fail fail;
	for (unsigned i = 0; i < t->rounds / 2 + 1; i++) {
		cl_gt_position(t, &s);
		cl_gt_moves(t, &s, &moves);
		for (unsigned j = 0; j < moves.count; j++) {
			struct gt_text text = cl_gt_move_text(t, &s, moves.at[j]);
			game_move back = 0xffff;
			memset(&fail, 0, sizeof fail);
			if (!text.text[0])
				cl_gt_broken(t, "move_print writes nothing for the move with the code %u", moves.at[j]);
			if (t->rules->move_print(t->game, &s, moves.at[j], NULL, 0) != strlen(text.text))
				cl_gt_broken(t, "move_print does not return the length of its text '%s'", text.text);
			if (t->rules->move_parse(t->game, &s, text.text, &back, &fail))
				cl_gt_broken(t, "move_parse refuses '%s', which move_print writes: %.200s", text.text,
					     fail.text);
			if (back == moves.at[j])
				continue;
			unsigned k = 0;
			while (k < moves.count && moves.at[k] != back)
				k++;
			if (k == moves.count)
				cl_gt_broken(t, "move_parse reads '%s' as the code %u, which is not a legal move",
					     text.text, back);
			cl_gt_child(t, &s, moves.at[j], &a);
			cl_gt_child(t, &s, back, &b);
			if (memcmp(&a, &b, t->game->state_size))
				cl_gt_broken(t, "move_parse reads '%s' as a move to another position", text.text);
		}
	}
}

/* Damages a text at random; the result is often nearly valid. */
static void damage_text(struct gt *t, char *text, size_t size)
{
	static const char alphabet[] = "xo/123456789abcdefgh ,n0-w\x01KQkPp=XO;.@#\xc3";
	for (unsigned n = 1 + cl_gt_below(t, 3); n > 0; n--) {
		size_t length = strlen(text), at = cl_gt_below(t, (unsigned)length + 1);
		char c = alphabet[cl_gt_below(t, sizeof alphabet - 1)];
		unsigned what = cl_gt_below(t, 3);
		if (what == 0 && at < length) {
			text[at] = c;
		} else if (what == 1 && at < length) {
			memmove(text + at, text + at + 1, length - at);
		} else if (length + 1 < size) {
			memmove(text + at + 1, text + at, length - at + 1);
			text[at] = c;
		}
	}
}

static void check_position(struct gt *t, const char *text)
{
	struct gt_state s, before, canonical;
	struct pd_fail fail = {0};
	memset(&s, 0x5a, sizeof s);
	before = s;
	int rc = t->rules->parse(t->game, text, &s, &fail);
	if (!rc) { /* an accepted text must be a valid position */
		static struct gt_moves moves;
		int value;
		memset(s.bytes + t->game->state_size, GT_SPARE_BYTE, sizeof s - t->game->state_size);
		cl_gt_moves(t, &s, &moves);
		if (t->rules->terminal(t->game, &s, &value) != !moves.count)
			cl_gt_broken(t, "parse accepts '%.200s', a position about which terminal and moves disagree",
				     text);
		cl_gt_canonical(t, &s, &canonical);
		if (!cl_gt_same_key(t, &s, &canonical))
			cl_gt_broken(t, "parse accepts '%.200s', a position for which unkey(key) has another key",
				     text);
		return;
	}
	if (rc != PD_E_POSITION || fail.code != rc || strcmp(fail.field, "position") != 0)
		cl_gt_broken(t,
			     "parse refuses '%.200s' with the code %d and the field '%s', not PD_E_POSITION and "
			     "'position'",
			     text, rc, fail.field);
	if (!fail.text[0])
		cl_gt_broken(t, "parse refuses '%.200s', but does not say why", text);
	if (memcmp(&s, &before, sizeof s))
		cl_gt_broken(t, "parse refuses '%.200s', but has written to the state", text);
}

static bool is_legal(struct gt *t, const struct gt_state *s, game_move move)
{
	static struct gt_moves moves;
	cl_gt_moves(t, s, &moves);
	for (unsigned i = 0; i < moves.count; i++)
		if (moves.at[i] == move)
			return true;
	return false;
}

static void check_move(struct gt *t, const struct gt_state *s, const char *text)
{
	struct pd_fail fail = {0};
	game_move move = 54321;
	int rc = t->rules->move_parse(t->game, s, text, &move, &fail);
	if (!rc && !is_legal(t, s, move))
		cl_gt_broken(t, "move_parse reads '%.100s' as the code %u, which is not a legal move", text, move);
	if (!rc)
		return;
	if (rc != PD_E_MOVE || fail.code != rc || strcmp(fail.field, "move") != 0)
		cl_gt_broken(t,
			     "move_parse refuses '%.100s' with the code %d and the field '%s', not PD_E_MOVE and "
			     "'move'",
			     text, rc, fail.field);
	if (move != 54321)
		cl_gt_broken(t, "move_parse refuses '%.100s', but has written a move", text);
}

static void refuse_bad_texts(struct gt *t)
{
	static const char *const bad[] = {"", "0", "?", "zz9", "a0", " 1", "1 ", "\xc3\xa9", "n999999", "-"};
	static struct gt_moves moves;
	struct gt_state s;
	char text[GAME_TEXT_MAX + 8];
	struct game *game;
	struct pd_fail fail = {0};
	for (unsigned i = 0; i < 2 * t->rounds; i++) {
		cl_gt_position(t, &s);
		t->rules->print(t->game, &s, text, GAME_TEXT_MAX);
		damage_text(t, text, sizeof text);
		check_position(t, text);
		cl_gt_moves(t, &s, &moves);
		if (moves.count) {
			snprintf(text, sizeof text, "%s",
				 cl_gt_move_text(t, &s, moves.at[cl_gt_below(t, moves.count)]).text);
			damage_text(t, text, sizeof text);
			check_move(t, &s, text);
		}
		check_move(t, &s, bad[i % (sizeof bad / sizeof bad[0])]);
	}
	snprintf(text, sizeof text, "%s:?%c", t->rules->name, 1);
	if (!game_open(text, NULL, &game, &fail))
		cl_gt_broken(t, "the game opens with the parameters '?\\001'");
	if (fail.code != PD_E_GAME || strcmp(fail.field, "game") != 0)
		cl_gt_broken(t,
			     "bad parameters are refused with the code %d and the field '%s', not PD_E_GAME and 'game'",
			     fail.code, fail.field);
}

const struct gt_law cl_laws_text[] = {
	{"text", "print writes what parse reads back as the same position", check_texts},
	{"move-text", "move_print writes what move_parse reads back as the same move", check_move_texts},
	{"refusals", "texts that are not positions or moves are refused, and the error names the field",
	 refuse_bad_texts},
	{0},
};
