/* Laws of boards: the description, diagrams of positions, positions set up from diagrams. */
#include <stdlib.h>
#include <string.h>

#include "clients/gametest/law.h"

static void check_description(struct gt *t, const struct game_board *b)
{
	if (b->places > GAME_PLACES_MAX || b->pieces > GAME_PIECES_MAX || b->strokes > GAME_STROKES_MAX ||
	    b->labels > GAME_LABELS_MAX || !b->places)
		cl_gt_broken(t, "the board has %u places, %u pieces, %u strokes and %u labels; at most %d, %d, %d, %d",
			     b->places, b->pieces, b->strokes, b->labels, (int)GAME_PLACES_MAX, (int)GAME_PIECES_MAX,
			     (int)GAME_STROKES_MAX, (int)GAME_LABELS_MAX);
	if (!b->side[0] || !b->side[1])
		cl_gt_broken(t, "the board does not name the sides");
	for (unsigned i = 0; i < b->pieces; i++) {
		const struct game_piece *p = &b->piece[i];
		if (p->letter <= ' ' || p->letter == '.' || p->letter > '~')
			cl_gt_broken(t, "piece %u has the letter with the code %d", i, p->letter);
		if (p->side > GAME_NO_SIDE || p->look > GAME_LETTER || !p->name)
			cl_gt_broken(t, "the piece '%c' has no side, look or name", p->letter);
		if ((p->look == GAME_GLYPH) != (p->glyph != NULL))
			cl_gt_broken(t, "the piece '%c' must have a glyph if and only if it is drawn as one",
				     p->letter);
		for (unsigned j = 0; j < i; j++)
			if (b->piece[j].letter == p->letter)
				cl_gt_broken(t, "two pieces have the letter '%c'", p->letter);
	}
	for (unsigned i = 0; i < b->places; i++) {
		if (!memchr(b->place[i].name, 0, sizeof b->place[i].name))
			cl_gt_broken(t, "the name of place %u is not terminated", i);
		for (unsigned j = 0; j < i; j++) {
			if (b->place[i].name[0] && !strcmp(b->place[i].name, b->place[j].name))
				cl_gt_broken(t, "two places are called %s", b->place[i].name);
			if (b->place[i].x == b->place[j].x && b->place[i].y == b->place[j].y)
				cl_gt_broken(t, "places %u and %u overlap", j, i);
		}
	}
}

static void check_diagram(struct gt *t, const struct game_board *b, const struct gt_state *s)
{
	static struct gt_moves moves;
	static struct game_diagram d;
	struct gt_state back;
	struct pd_fail fail = {0};
	int value;
	memset(&d, 0, sizeof d);
	t->rules->diagram(t->game, s, &d);
	for (unsigned i = 0; i < GAME_PLACES_MAX; i++)
		if (d.on[i] > (i < b->places ? b->pieces : 0))
			cl_gt_broken(t, "diagram puts piece %d on place %u; the board has %u pieces and %u places",
				     d.on[i] - 1, i, b->pieces, b->places);
	bool over = t->rules->terminal(t->game, s, &value);
	if (!over && d.to_move != (t->rules->first_to_move(t->game, s) ? GAME_FIRST : GAME_SECOND))
		cl_gt_broken(t, "diagram and first_to_move disagree about the player to move");
	if (over && d.to_move > GAME_NO_SIDE)
		cl_gt_broken(t, "diagram says that side %u is to move", d.to_move);
	if (t->rules->set_up && !over) { /* a diagram of the end of a game need not say who would be to move */
		memset(&back, 0, sizeof back);
		if (t->rules->set_up(t->game, &d, &back, &fail))
			cl_gt_broken(t, "set_up refuses what diagram shows: %s", fail.text);
		if (!cl_gt_same_key(t, s, &back))
			cl_gt_broken(t, "set_up turns what diagram shows into another position");
	}
	cl_gt_moves(t, s, &moves);
	for (unsigned i = 0; i < moves.count && t->rules->move_places; i++) {
		uint16_t places[GAME_MOVE_PLACES_MAX];
		unsigned n = t->rules->move_places(t->game, s, moves.at[i], places);
		for (unsigned j = 0; j < n; j++)
			if (n > GAME_MOVE_PLACES_MAX || places[j] >= b->places)
				cl_gt_broken(t, "move_places of %s names %u places, one of which does not exist",
					     cl_gt_move_text(t, s, moves.at[i]).text, n);
	}
}

static void check_board(struct gt *t)
{
	struct game_board *board = calloc(1, sizeof *board);
	struct gt_state s;
	bool has = cl_gt_has(t, t->rules->board != NULL, "board") && board;
	if (has) {
		t->report->plies = 0;
		t->rules->board(t->game, board);
		check_description(t, board);
	}
	for (unsigned i = 0; i < t->rounds / 4 + 1 && has; i++) {
		cl_gt_position(t, &s);
		check_diagram(t, board, &s);
	}
	free(board);
}

const struct gt_law cl_laws_board[] = {
	{"board", "the board is well formed, and diagram, set_up and move_places agree with the position", check_board},
	{0},
};
