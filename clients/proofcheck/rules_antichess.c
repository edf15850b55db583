/* Antichess, as on Lichess: the side to move wins when it has no men or no legal move.
 *
 * Rules. The men move as in chess, but captures are compulsory; there is no check and no castling. The king is a man
 * like any other: it may be captured, and a pawn may promote to one. With the option stalemate=fewer a side that has
 * men but no legal move has won if it has fewer men than the other, lost if it has more, and drawn otherwise. Infinite
 * play is a draw.
 *
 * With a number N among the options, the rule of N moves (chessmen.h).
 *
 * First is White. option_a: stalemate=fewer. For the rest see chessmen.h; byte 0 of a key is the side to move. */
#include "clients/proofcheck/men_classes.h"

#include <string.h>

/* Captures, if there are any; otherwise all moves. */
static unsigned antichess_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	unsigned n = ck_men_moves(p, CK_KING, out), taking = 0;
	for (unsigned i = 0; i < n; i++)
		if (ck_men_takes(p, out[i]))
			out[taking++] = out[i];
	return taking ? taking : n;
}

static int men_of(const struct ck_position *p, unsigned colour)
{
	int n = 0;
	for (unsigned i = 0; i < 64; i++)
		n += p->at[i] && ck_man_colour(p->at[i]) == colour;
	return n;
}

static bool antichess_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	uint16_t list[CK_MOVES_MAX];
	int mine = men_of(p, p->turn), theirs = men_of(p, !p->turn), win = p->turn ? -1 : 1;
	*value = mine ? -win : win;
	if (!mine || !theirs)
		return true;
	if (ck_men_moves(p, CK_KING, list)) {
		*value = 0;
		return ck_men_expired(g, p);
	}
	*value = !g->option_a || mine < theirs ? win : mine > theirs ? -win : 0;
	return true;
}

static void antichess_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	ck_men_count(g, p, move);
	ck_men_play(p, move);
}

static const char *antichess_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	const char *rest,
		*wrong = ck_men_read(*text ? text : "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -", out, &rest);
	if (wrong)
		return wrong;
	if (*rest && (*rest != '-' || (rest[1] && rest[1] != ' ')))
		return "there is no castling in antichess, so the castling field must be -";
	rest += *rest == '-';
	rest += strspn(rest, " ");
	wrong = ck_men_read_passant(&rest, out);
	if (!wrong)
		wrong = ck_men_read_counters(g, &rest, out);
	if (wrong)
		return wrong;
	return *rest ? "the text goes on after the position" : NULL;
}

static void antichess_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	ck_men_print_counters(g, p, out, ck_men_print(p, "-", out));
}

static size_t antichess_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	return ck_men_encode_count(g, p, out, ck_men_encode(p, p->turn, out));
}

static bool antichess_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	return ck_men_decode_count(g, key, &size, p) && ck_men_decode(key, size, p);
}

static int antichess_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			       struct pd_fail *fail)
{
	static const char fewer[] = "stalemate=fewer";
	g->option_a = !strncmp(params, fewer, sizeof fewer - 1);
	const char *rest = g->option_a ? params + sizeof fewer - 1 : params;
	bool joined = !g->option_a || !*rest || (*rest++ == ',' && *rest);
	if (!joined || !ck_men_open_limit(g, rest) || (!*params && strcmp(g->name, "antichess")))
		return pd_fail_set(fail, PD_E_GAME, "game",
				   "antichess takes no parameter, or stalemate=fewer, N from 1 to 127, or both");
	g->width = g->height = 8;
	g->repeats = true;
	g->key_max = CK_MEN_KEY_HEAD + 32 + (g->line != 0);
	return PD_OK;
}

const struct ck_rules ck_antichess = {
	.name = "antichess",
	CK_RULES(antichess),
	.over = antichess_is_over,
	.first_moves = ck_turn_0_moves,
	.move_name = ck_men_move_name,
	.grid = &ck_men_grid,
	CK_MEN_CLASSES,
};
