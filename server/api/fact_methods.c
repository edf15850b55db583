/* Fact methods: facts of positions and of their moves, best play. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "server/api/lookup.h"
#include "server/api/probe.h"
#include "server/api/query.h"
#include "server/common/open_games.h"

/* A request that takes more look-ups than the loop thread makes is started again on a reader thread (V3). */
static int leave_to_reader(struct sv_request *r, int rc)
{
	if (rc != PN_KNOWN_LATER)
		return rc;
	PD_ASSERT(r->on_loop);
	r->to_queue = true;
	return PD_OK;
}

int sv_method_fact_query(struct sv_request *r)
{
	struct st_reader *reader;
	if (r->on_loop && pr_count(pr_get(r->params, "positions")) > SV_LOOP_LOOKUPS)
		return leave_to_reader(r, PN_KNOWN_LATER);
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : leave_to_reader(r, sv_query(r->core, reader, r->params, &r->json, &r->fail));
}

int sv_method_fact_probe(struct sv_request *r)
{
	struct st_reader *reader;
	pr_ref list = pr_get(r->params, "positions");
	/* A game may have to be read from a file. */
	if (r->on_loop && (pr_count(list) > 1 || !sv_game_is_near(r->core, pr_get_str(pr_at(list, 0), "game", ""))))
		return leave_to_reader(r, PN_KNOWN_LATER);
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : leave_to_reader(r, sv_probe(r, reader));
}

int sv_method_fact_line(struct sv_request *r)
{
	struct st_reader *reader;
	PD_ASSERT(!r->on_loop);
	int rc = sv_request_reader(r, &reader);
	return rc ? rc : sv_query_line(r, reader);
}
