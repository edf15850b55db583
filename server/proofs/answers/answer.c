#include "server/proofs/answers/answer.h"

#include "proto/base/assert.h"
#include "server/jobs/model/spec_fields.h"
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
	char text[GAME_TEXT_MAX], value[64];
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
	int plies = answer->answered && answer->plies != PD_RANK_NONE ? (int)answer->plies : 0;
	game_result_text(game, (struct game_interval){answer->lo, answer->hi}, plies, value, sizeof value);
	if (move != PD_NO_MOVE)
		game->rules->move_print(game, state, move, text, sizeof text);
	pr_members(&out, PR_S("game", game->name), PR_S("position", job->record.spec.position),
		   PR_S("claim", job->record.spec.claim.text), PR_S("status", status_of(job, answer)),
		   PR_OPEN_OBJECT("value"), PR_I("lo", answer->lo), PR_I("hi", answer->hi), PR_S("text", value),
		   PR_CLOSE, PR_S("move", move != PD_NO_MOVE ? text : NULL),
		   PR_IF(answer->answered && answer->plies != PD_RANK_NONE, PR_U("plies", answer->plies)),
		   PR_OPEN_OBJECT("nodes"), PR_U("level1", progress->level1), PR_U("level2", progress->level2),
		   PR_U("positions", progress->positions), PR_CLOSE, PR_R("seconds", job->run.snapshot.seconds, 3),
		   SV_NUMBER("pn", progress->pn), SV_NUMBER("dn", progress->dn), PR_U("facts", progress->facts));
	sv_line_print(game, state, &line, NULL, &out);
	pr_close(&out);
	sv_line_free(&line);
	return rc;
}
