#include "server/proofs/answers/answer.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/proofs/answers/line.h"

enum { LINE_MAX_MOVES = 400 };

static const char *status_of(const struct sv_job *job, const struct pn_answer *answer)
{
	if (!answer->answered)
		return "unsolved";
	if (job->record.spec.claim.value)
		return "solved";
	return answer->yes ? "proved" : "disproved";
}

static void print_number(struct pr_out *out, const char *key, uint32_t number)
{
	if (number == UINT32_MAX)
		pr_str(out, key, "inf");
	else
		pr_uint(out, key, number);
}

int sv_answer_make(struct sv_core *core, struct st_reader *reader, const struct sv_ended *ended, struct pd_buf *buf,
		   struct pd_fail *fail)
{
	const struct sv_job *job = ended->job;
	const struct game *game = ended->game;
	const void *state = ended->state;
	const struct pn_answer *answer = ended->answer;
	const struct pn_progress *progress = ended->progress;
	struct sv_line line = {0};
	PD_ASSERT(answer->lo >= game->value_min && answer->hi <= game->value_max);
	struct pr_out out;
	char text[GAME_TEXT_MAX];
	const struct sv_line_order order = {.core = core,
					    .reader = reader,
					    .game = game,
					    .state = state,
					    .limit = LINE_MAX_MOVES,
					    .plies = answer->answered ? answer->plies : 0};
	int rc = sv_line_make(&order, &line, fail);
	/* No move is recorded at a root that its mover loses; the line starts with the longest resistance. */
	game_move move = answer->move != PD_NO_MOVE       ? answer->move
			 : line.count && answer->answered ? line.moves[0]
							  : PD_NO_MOVE;
	pr_out_init(&out, buf);
	pr_open_object(&out, NULL);
	pr_str(&out, "game", game->name);
	pr_str(&out, "position", job->record.spec.position);
	pr_str(&out, "claim", job->record.spec.claim.text);
	pr_str(&out, "status", status_of(job, answer));
	pr_open_object(&out, "value");
	pr_int(&out, "lo", answer->lo);
	pr_int(&out, "hi", answer->hi);
	game_value_text(game_words(game), game_scale(game), (struct game_interval){answer->lo, answer->hi}, text,
			sizeof text);
	pr_str(&out, "text", text);
	pr_close(&out);
	if (move == PD_NO_MOVE) {
		pr_null(&out, "move");
	} else {
		game->rules->move_print(game, state, move, text, sizeof text);
		pr_str(&out, "move", text);
	}
	if (answer->answered && answer->plies != PD_RANK_NONE)
		pr_uint(&out, "plies", answer->plies);
	else
		pr_null(&out, "plies");
	pr_open_object(&out, "nodes");
	pr_uint(&out, "level1", progress->level1);
	pr_uint(&out, "level2", progress->level2);
	pr_close(&out);
	pr_real(&out, "seconds", job->run.snapshot.seconds, 3);
	print_number(&out, "pn", progress->pn);
	print_number(&out, "dn", progress->dn);
	pr_uint(&out, "facts", progress->facts);
	sv_line_print(game, state, &line, NULL, &out);
	pr_close(&out);
	sv_line_free(&line);
	return rc;
}
