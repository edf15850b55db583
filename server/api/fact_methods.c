/* Fact methods: facts of positions and of their moves, best play. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/api/probe.h"
#include "server/api/query.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"

int sv_method_fact_query(struct sv_request *r)
{
	struct st_reader *reader;
	/* With `each_move`, each move of a position is a look-up of its own. */
	bool each = pr_get_bool(r->params, "moves", false) || pr_get_bool(r->params, "each_move", false);
	size_t small = each ? 1 : SV_INLINE_POSITIONS;
	if (r->on_loop && pr_count(pr_get(r->params, "positions")) > small) {
		r->to_queue = true;
		return PD_OK;
	}
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : sv_query(r->core, reader, r->params, &r->json, &r->fail);
}

int sv_method_fact_probe(struct sv_request *r)
{
	struct st_reader *reader;
	pr_ref list = pr_get(r->params, "positions");
	/* Each move is a look-up of its own; and a game may have to be read from a file. */
	if (r->on_loop && (pr_count(list) > 1 || !sv_game_is_near(r->core, pr_get_str(pr_at(list, 0), "game", "")))) {
		r->to_queue = true;
		return PD_OK;
	}
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : sv_probe(r->core, reader, r->params, &r->json, &r->fail);
}

int sv_method_fact_line(struct sv_request *r)
{
	struct st_reader *reader;
	PD_ASSERT(!r->on_loop);
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : sv_query_line(r, reader);
}
