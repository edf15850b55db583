#include "server/api/position_watch.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "proto/doc.h"
#include "proto/out.h"
#include "proto/rpc.h"
#include "server/api/call.h"
#include "server/api/methods.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/position.h"

struct sv_position_watch {
	struct sv_session *session; /* NULL: it has ended, and a call is in flight */
	struct pr_doc *params;      /* owned; of position.analyze */
	uint64_t interval_ns, due_ns;
	uint64_t told; /* hash of what was sent last; 0: nothing */
	bool asking;   /* a call is in flight */
};

static void watch_free(struct sv_position_watch *watch)
{
	pr_doc_free(watch->params);
	free(watch);
}

/* The parameters that position.analyze has as well. */
static int copy_params(pr_ref params, struct pr_doc **out)
{
	const struct pr_param *param = pr_method_info(PR_POSITION_ANALYZE)->params;
	struct pd_buf json;
	struct pr_out print;
	struct pd_fail fail;
	pd_buf_init(&json, PR_REPLY_MAX);
	pr_out_init(&print, &json);
	pr_open_object(&print, NULL);
	for (; param->name; param++)
		if (pr_has(params, param->name))
			pr_members(&print, PR_J(param->name, pr_get(params, param->name)));
	pr_close(&print);
	int rc = json.failed ? PD_E_NO_MEMORY : pr_doc_parse((const char *)json.data, json.size, out, &fail);
	pd_buf_fini(&json);
	return rc;
}

/* Replaces the session's watch. `params` are those of position.watch, checked. PD_E_NO_MEMORY. */
static int set_watch(struct sv_session *session, pr_ref params, double interval_s)
{
	struct sv_position_watch *watch = calloc(1, sizeof *watch);
	if (!watch || copy_params(params, &watch->params)) {
		free(watch);
		return PD_E_NO_MEMORY;
	}
	watch->session = session;
	watch->interval_ns = (uint64_t)(interval_s * 1e9);
	sv_position_watch_end(session);
	session->position = watch;
	return PD_OK;
}

void sv_position_watch_end(struct sv_session *session)
{
	struct sv_position_watch *watch = session->position;
	session->position = NULL;
	if (watch && watch->asking)
		watch->session = NULL;
	else if (watch)
		watch_free(watch);
}

/* An analysis that fails (too much to do, no memory) is left out; the next one may succeed. */
static void tell_analysis(void *ctx, const struct sv_result *result)
{
	struct sv_position_watch *watch = ctx;
	struct sv_session *session = watch->session;
	watch->asking = false;
	if (!session) {
		watch_free(watch);
		return;
	}
	uint64_t hash = result->json ? pd_hash64(result->json, result->size) : watch->told;
	if (hash == watch->told)
		return;
	struct pd_buf line;
	pd_buf_init(&line, PR_REPLY_MAX);
	pr_notify(&line, "position.analysis", result->json, result->size);
	if (!line.failed) {
		session->sink.send(session->sink.ctx, (const char *)line.data, line.size);
		watch->told = hash;
	}
	pd_buf_fini(&line);
}

void sv_position_watch_tick(struct sv_core *core)
{
	struct sv_session *session;
	uint64_t now = pd_now_ns();
	TAILQ_FOREACH(session, &sv_sessions(core)->list, link) {
		struct sv_position_watch *watch = session->position;
		if (!watch || watch->asking || now < watch->due_ns || session->penalty.call ||
		    session->sink.backlog(session->sink.ctx))
			continue;
		if (session->role == PR_ROLE_NONE) {
			sv_position_watch_end(session);
			continue;
		}
		watch->asking = true;
		watch->due_ns = now + watch->interval_ns;
		sv_call(session, PR_POSITION_ANALYZE, pr_doc_root(watch->params), tell_analysis, watch);
	}
}

int sv_method_position_watch(struct sv_request *r)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	struct game *game;
	const char *notation;
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &game, &r->fail);
	if (rc)
		return rc;
	rc = sv_position_read(game, r->params, state, NULL, &r->fail);
	rc = rc ? rc : sv_position_notation(game, r->params, &notation, &r->fail);
	if (!rc)
		game->rules->print(game, state, text, sizeof text);
	if (!rc && set_watch(r->session, r->params, pr_get_real(r->params, "interval", 1)))
		rc = pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory to watch a position");
	if (!rc)
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_S("game", game->name), PR_S("position", text), PR_CLOSE);
	sv_game_put(r->core, game);
	return rc;
}

int sv_method_position_unwatch(struct sv_request *r)
{
	bool watched = r->session->position;
	sv_position_watch_end(r->session);
	pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_B("watched", watched), PR_CLOSE);
	return PD_OK;
}
