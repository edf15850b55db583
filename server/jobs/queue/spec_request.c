#include "server/jobs/queue/spec_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"
#include "server/common/core_parts.h"
#include "server/common/memory_bound.h"
#include "server/common/open_games.h"
#include "server/common/position.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_hints.h"
#include "server/jobs/model/spec_fields.h"

static const uint64_t memory_default = UINT64_C(512) << 20; /* or all the memory for jobs, if that is less */

/* Checks a request against its game; the position becomes the one that its moves lead to. */
static int check_game(const struct game *game, pr_ref params, struct sv_spec *spec, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char *name = strdup(game->name), *moved = NULL;
	int rc = name && spec->position ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (!rc && sv_position_moved(params))
		rc = sv_position_text_from(game, spec->position, params, &moved, fail);
	if (rc) {
		free(name);
		return rc;
	}
	if (moved) {
		free(spec->position);
		spec->position = moved;
	}
	free(spec->game);
	spec->game = name;
	spec->scale = game_scale(game);
	spec->rules = (struct sv_rules){game_version(game), true, game->plugin_digest};
	rc = game->rules->parse(game, spec->position, state, fail);
	if (!rc)
		rc = sv_hints_check(game, state, spec, fail);
	return rc ? rc : pn_question_check(game, &spec->claim, fail);
}

/* A sub-job takes over the game of its parent and, unless it names its own, the position. */
static int read_parent(struct sv_core *core, const struct game *game, pr_ref params, struct sv_spec *spec,
		       struct pd_fail *fail)
{
	char *begin = NULL, other[GAME_NAME_MAX] = "";
	sv_lock(core);
	const struct sv_job *parent = sv_index_find(sv_index(core), spec->under);
	if (parent) {
		snprintf(other, sizeof other, "%s", parent->record.spec.game);
		begin = strdup(parent->record.spec.position);
	}
	sv_unlock(core);
	int rc = PD_OK;
	if (!parent)
		rc = pd_fail_set(fail, PD_E_PARAMS, "under", "parent job %u does not exist", spec->under);
	else if (strcmp(other, game->name))
		rc = pd_fail_set(fail, PD_E_PARAMS, "game",
				 "the game of parent job %u is %s, and a sub-job needs the same one; this is %s",
				 spec->under, other, game->name);
	else if (!begin)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (rc || pr_has(params, "position")) {
		free(begin);
		return rc;
	}
	free(spec->position);
	spec->position = begin;
	return PD_OK;
}

/* Makes the key of a question that is to be asked once for its first tag: the tag, and a digest of the question with
 * the position as the game writes it. */
static int make_key(const struct game *game, struct sv_spec *spec, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char canonical[GAME_TEXT_MAX], key[SV_GROUP_NAME_MAX + 40];
	struct sv_spec question = *spec; /* borrows */
	struct pd_buf text;
	struct pr_out out;
	if (spec->key)
		return pd_fail_set(fail, PD_E_PARAMS, "once", "give 'key' or 'once', not both: 'once' makes a key");
	int rc = game->rules->parse(game, spec->position, state, fail);
	if (rc)
		return rc;
	game->rules->print(game, state, canonical, sizeof canonical);
	question.position = canonical;
	pd_buf_init(&text, SIZE_MAX / 2);
	pr_out_init(&out, &text);
	pr_open_object(&out, NULL);
	sv_spec_question(&question, &out);
	pr_close(&out);
	struct pd_id id = text.failed ? (struct pd_id){0} : pd_id_of(text.data, text.size, 0);
	snprintf(key, sizeof key, "%s:%016" PRIx64 "%016" PRIx64, spec->tags.count ? spec->tags.text[0] : "once", id.hi,
		 id.lo);
	spec->key = text.failed ? NULL : strdup(key);
	pd_buf_fini(&text);
	return spec->key ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a job");
}

static int check_names(const struct sv_spec *spec, struct pd_fail *fail)
{
	int rc = spec->group ? sv_group_name_check(spec->group, "group", fail) : PD_OK;
	for (unsigned i = 0; !rc && i < spec->tags.count; i++)
		rc = sv_group_name_check(spec->tags.text[i], "tags", fail);
	return rc;
}

int sv_spec_request(struct sv_core *core, pr_ref params, struct sv_spec *spec, struct pd_fail *fail)
{
	struct game *game;
	uint64_t most = sv_config(core)->memory;
	sv_spec_init(spec);
	spec->memory = most < memory_default ? most : memory_default;
	int rc = sv_game_get(core, pr_get_str(params, "game", ""), &game, fail);
	if (rc)
		return rc;
	spec->position = strdup("");
	bool bad = (game->rules->algorithm && pn_algorithm_parse(game->rules->algorithm, &spec->algorithm, fail)) ||
		   sv_spec_read(params, spec, fail) || (spec->under && read_parent(core, game, params, spec, fail)) ||
		   check_game(game, params, spec, fail) || check_names(spec, fail) ||
		   (pr_get_bool(params, "once", false) && make_key(game, spec, fail));
	sv_game_put(core, game);
	if (bad)
		return fail->code;
	return sv_memory_job(spec->memory, most, fail);
}
