/* Game methods: the list of games, and one game. */
#include "server/api/methods.h"

#include "server/common/open_games.h"
#include "server/common/plugins.h"
#include "solver/algorithms.h"
#include "solver/games/record_write.h"

/* Where the rules come from, unless they are built in. */
static void put_plugin(struct pr_out *out, const struct game_rules *rules, const struct game *g)
{
	struct sv_plugin_info info;
	char digest[SV_DIGEST_TEXT];
	if (!sv_plugin_of(rules, &info))
		return;
	pr_members(out, PR_OPEN_OBJECT("plugin"), PR_S("file", info.file));
	sv_digest_text(info.digest, digest);
	pr_members(out, PR_S("digest", digest), PR_S("author", info.author));
	if (g)
		pr_uint(out, "rules", g->rules_version);
	pr_close(out);
}

int sv_method_game_list(struct sv_request *r)
{
	const struct game_rules *rules;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "games");
	for (unsigned i = 0; (rules = game_at(i)) != NULL; i++) {
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_S("name", rules->name), PR_S("title", rules->title),
			   PR_S("params", rules->params), PR_S("example", rules->example));
		put_plugin(&r->out, rules, NULL);
		pr_close(&r->out);
	}
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}

int sv_method_game_describe(struct sv_request *r)
{
	struct game *g;
	char version[SV_RULES_TEXT];
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_S("game", g->name), PR_S("title", g->rules->title),
		   PR_S("params", g->rules->params), PR_S("notation", g->rules->notation),
		   PR_S("example", g->rules->example));
	sv_rules_text(game_version(g), version);
	pr_str(&r->out, "rules_version", version);
	put_plugin(&r->out, g->rules, g);
	pr_str(&r->out, "algorithm", g->rules->algorithm ? g->rules->algorithm : pn_algorithm_text(PN_PDS_PN));
	pr_members(&r->out, PR_OPEN_OBJECT("values"), PR_I("min", g->value_min), PR_I("max", g->value_max),
		   PR_I("step", g->value_step), PR_CLOSE, PR_B("acyclic", g->acyclic),
		   PR_IF(!g->acyclic, PR_I("infinite", g->infinite_value)), PR_U("moves_max", g->moves_max),
		   PR_U("plies_max", g->plies_max), PR_OPEN_ARRAY("notations"));
	for (const char *const *notation = g->rules->notations; notation && *notation; notation++)
		pr_str(&r->out, NULL, *notation);
	pr_close(&r->out);
	pr_open_array(&r->out, "records");
	for (unsigned form = 0; form < GAME_FORMS; form++)
		if (game_has_form(g, (enum game_form)form))
			pr_str(&r->out, NULL, game_form_name((enum game_form)form));
	pr_members(&r->out, PR_CLOSE, PR_B("has_board", g->rules->board != NULL),
		   PR_B("can_set_up", g->rules->set_up != NULL), PR_CLOSE);
	sv_game_put(r->core, g);
	return PD_OK;
}
