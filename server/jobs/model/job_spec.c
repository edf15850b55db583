#include "server/jobs/model/job_spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/open_games.h"

static void free_texts(struct sv_texts *texts)
{
	for (unsigned i = 0; i < texts->count; i++)
		free(texts->text[i]);
	free(texts->text);
}

void sv_spec_fini(struct sv_spec *spec)
{
	free(spec->game);
	free(spec->position);
	free(spec->key);
	free(spec->group);
	free(spec->client);
	free(spec->after);
	free(spec->label);
	free_texts(&spec->first);
	free_texts(&spec->tags);
	*spec = (struct sv_spec){0};
}

bool sv_job_rules_differ(const struct sv_spec *spec, const struct game *game)
{
	return spec->rules.known ? spec->rules.version != game_version(game) : sv_game_is_file(game->name);
}

struct pd_id sv_job_question(const struct sv_spec *spec, const struct game *game, uint64_t identity)
{
	char text[GAME_NAME_MAX + 128];
	const struct pd_claim *c = &spec->claim;
	int n = snprintf(text, sizeof text, "%s|%" PRIx64 "|%" PRIx64 "|%s|%s%s%d", game->name, game_version(game),
			 identity, pn_algorithm_text(spec->algorithm),
			 c->value ? "value" : "first>=", c->refusal ? "refusal" : "", c->value ? 0 : c->threshold);
	PD_ASSERT(n > 0 && (size_t)n < sizeof text);
	return pd_id_of(text, (size_t)n, 0);
}

int sv_options_read(pr_ref object, struct pn_options *out, struct pd_fail *fail)
{
	int rc = PD_OK;
	pn_options_init(out);
	for (size_t i = 0; !rc && i < pr_count(object); i++) {
		const char *name;
		pr_ref value = pr_member(object, i, &name);
		char *text = pr_dump(value, NULL), real[40];
		snprintf(real, sizeof real, "%.17g", pr_get_real(object, name, 0)); /* as exact as it was written */
		rc = text ? pn_option_set(out, name, pr_kind_of(value) == PR_REAL ? real : text, fail)
			  : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
		free(text);
	}
	return rc;
}

const struct pr_param *sv_option_params(void)
{
	static const struct pr_param params[] = {
#define TYPE(kind) ((kind) == PN_REAL ? PR_T_REAL : (kind) == PN_WHOLE ? PR_T_INT : PR_T_BOOL)
#define DOC(kind, preset, what)                                                                                        \
	((preset) < 0          ? what                                                                                  \
	 : (kind) != PN_YES_NO ? what "; default " #preset                                                             \
	 : (preset)            ? what "; default yes"                                                                  \
			       : what "; default no")
#define X(member, name, kind, least, most, preset, what)                                                               \
	{name,                                                                                                         \
	 TYPE(kind),                                                                                                   \
	 false,                                                                                                        \
	 (kind) == PN_REAL ? (least)*INT64_C(1000) : (least),                                                          \
	 (kind) == PN_REAL ? (most)*INT64_C(1000) : (most),                                                            \
	 DOC(kind, preset, what),                                                                                      \
	 NULL,                                                                                                         \
	 NULL},
		PN_TUNABLES(X)
#undef X
#undef DOC
#undef TYPE
			{0},
	};
	return params;
}
