#include "server/proofs/answers/theorem_print.h"

#include "proto/base/assert.h"
#include "solver/games/board_picture.h"

enum { TEXT_BYTES = 512, SAFE_BYTES = 600, WITNESS_BYTE = 16 };

static void print_group(const struct game_board *board, const struct game_group *group, struct pr_out *out)
{
	char name[GAME_SQUARE_NAME];
	pr_open_object(out, NULL);
	pr_strn(out, "mark", &group->mark, 1);
	pr_open_array(out, "squares");
	for (unsigned i = 0; i < group->count; i++) {
		game_square_name(board, game_group_place(group, i), name);
		pr_str(out, NULL, name);
	}
	pr_close(out);
	pr_open_array(out, "places");
	for (unsigned i = 0; i < group->count; i++)
		pr_uint(out, NULL, game_group_place(group, i));
	pr_close(out);
	pr_close(out);
}

static void print_theorem(const struct game *game, const struct game_board *board, const struct game_told *told,
			  struct pr_out *out)
{
	struct game_group groups[GAME_GROUPS_MAX];
	char text[TEXT_BYTES], value[64];
	unsigned count = board ? game_theorem_groups(board, told, groups) : 0;
	size_t length = game_theorem_text(game, board, told, text, sizeof text);
	PD_ASSERT(length < sizeof text);
	game_value_text(game_words(game), game_scale(game), told->bounds, value, sizeof value);
	pr_members(out, PR_OPEN_OBJECT(NULL), PR_U("number", told->theorem.number),
		   PR_S("title", game_theorem_title(game, told)), PR_OPEN_OBJECT("value"), PR_I("lo", told->bounds.lo),
		   PR_I("hi", told->bounds.hi), PR_S("text", value), PR_CLOSE,
		   PR_IF(told->theorem.plies != GAME_NO_RANK, PR_U("plies", told->theorem.plies)), PR_S("text", text));
	pr_open_array(out, "groups");
	for (unsigned i = 0; i < count; i++)
		print_group(board, &groups[i], out);
	pr_close(out);
	pr_close(out);
}

void sv_theorems_print(const struct game *game, const struct game_told *told, unsigned count, struct pr_out *out)
{
	struct game_board board = {0};
	bool has_board = game_has_board(game);
	if (!count)
		return;
	if (has_board)
		game->rules->board(game, &board);
	pr_open_array(out, "theorems");
	for (unsigned i = 0; i < count; i++)
		print_theorem(game, has_board ? &board : NULL, &told[i], out);
	pr_close(out);
}

size_t sv_theorem_bytes(const struct game_told *told)
{
	return SAFE_BYTES + WITNESS_BYTE * (size_t)told->theorem.witness;
}
