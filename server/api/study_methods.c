/* Study methods: variations, comments and marks that clients keep with a game. */
#include "server/api/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/hash.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/write/task.h"
#include "solver/games/record_write.h"

static int refuse_unknown(struct sv_request *r, int64_t id)
{
	return pd_fail_set(&r->fail, PD_E_NOT_FOUND, "study", "there is no study %lld", (long long)id);
}

static void print_head(const struct sv_study *study, struct pr_out *out)
{
	pr_members(out, PR_U("study", study->id), PR_S("title", study->title), PR_S("game", study->game),
		   PR_OPT(study->client[0] != 0, PR_S("client", study->client)), PR_I("revision", study->revision),
		   PR_R("created", (double)study->created_ms / 1000, 3),
		   PR_R("changed", (double)study->changed_ms / 1000, 3), PR_U("moves", study->moves));
}

/* --- changes ------------------------------------------------------------------------------ */

/* Under the lock: *old becomes the study that the request changes, NULL for a new one. PD_E_REVISION when its revision
 * is not the one that the client knows. */
static int find_changed(struct sv_request *r, struct sv_study **old)
{
	const struct sv_studies *studies = &sv_index(r->core)->studies;
	int64_t id = pr_get_int(r->params, "study", 0), revision = pr_get_int(r->params, "revision", 0);
	unsigned i = sv_studies_find(studies, id);
	char since[64] = "";
	*old = NULL;
	if (!id)
		return PD_OK;
	if (i == studies->count)
		return refuse_unknown(r, id);
	struct sv_study *study = studies->list[i];
	if (!revision)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "revision", "say which revision of study %u is changed",
				   study->id);
	if (revision == study->revision && !study->changing) {
		*old = study;
		return PD_OK;
	}
	int64_t seconds = (pd_wall_ms() - study->changed_ms) / 1000;
	if (study->changing)
		snprintf(since, sizeof since, "is being changed");
	else
		snprintf(since, sizeof since, "was changed to revision %lld %lld s ago", (long long)study->revision,
			 (long long)(seconds > 0 ? seconds : 0));
	return pd_fail_set(&r->fail, PD_E_REVISION, "revision",
			   "study %u, '%.60s', %s%s%s; yours is of revision %lld: get it and put both together",
			   study->id, study->title, since, study->client[0] ? " by " : "", study->client,
			   (long long)revision);
}

/* Under the lock: whether there may be one more study. */
static int check_room(struct sv_request *r, const char *client)
{
	const struct sv_studies *studies = &sv_index(r->core)->studies;
	unsigned own = sv_config(r->core)->jobs_per_client;
	if (studies->count >= SV_STUDIES_MAX)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "", "there are already %u studies, the maximum",
				   studies->count);
	if (own && sv_studies_of(studies, client) >= own)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "",
				   "the client has %u studies, as many as jobs are allowed for one client (proofd "
				   "--jobs-per-client); remove one",
				   own);
	return PD_OK;
}

/* Under the lock: waits until the change is on disk, or could not be written. */
static int await_change(struct sv_request *r, struct sv_task *task, struct sv_study_change *change)
{
	task->study = change;
	sv_task_post(r->core, task);
	while (!change->done)
		sv_lock_wait(r->core, &sv_writer(r->core)->written);
	if (change->fail.code)
		r->fail = change->fail;
	return change->fail.code;
}

static int no_memory(struct sv_request *r)
{
	return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a study");
}

/* A new task; an error if the directory is read-only. */
static int make_task(struct sv_request *r, struct sv_task **out)
{
	if (sv_config(r->core)->read_only)
		return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	*out = sv_task_new(SV_TASK_STUDY, NULL, SV_QUEUED);
	return *out ? PD_OK : no_memory(r);
}

/* Reads what the request describes. */
static int read_tree(struct sv_request *r, const struct game *game, struct game_tree *tree)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_played played = {.number = (unsigned)pr_get_int(r->params, "game_number", 0), .tree = tree};
	const char *position = pr_get_str(r->params, "position", ""), *text = pr_get_str(r->params, "text", "");
	pr_ref moves = pr_get(r->params, "moves");
	if (!moves)
		return sv_study_play(game, r->params, tree, &r->fail);
	if (pr_has(r->params, "nodes"))
		return pd_fail_set(&r->fail, PD_E_PARAMS, "nodes", "give either nodes or moves");
	int rc = game->rules->parse(game, position, state, &r->fail);
	if (!rc && pr_kind_of(moves) == PR_STRING)
		rc = game_play_record(game, pr_text(moves, ""), !*position, state, &played, &r->fail);
	for (size_t i = 0; !rc && pr_kind_of(moves) == PR_ARRAY && i < pr_count(moves); i++)
		rc = game_play_move(game, pr_text(pr_at(moves, i), ""), state, &played, &r->fail);
	if (rc)
		return rc;
	bool whole = game_tree_end(tree, game, state);
	tree->at = 0;
	game_tree_say(tree, text, strlen(text));
	return whole && !tree->no_memory ? PD_OK : no_memory(r);
}

/* A hash of the game record that the request has, and of where it begins; 0: it has none. */
static uint64_t source_of(struct sv_request *r)
{
	pr_ref moves = pr_get(r->params, "moves");
	const char *position = pr_get_str(r->params, "position", ""), *text = pr_text(moves, "");
	const uint64_t parts[] = {pd_hash64(text, strlen(text)), pd_hash64(position, strlen(position)),
				  (uint64_t)pr_get_int(r->params, "game_number", 0)};
	return pr_kind_of(moves) == PR_STRING ? pd_hash64(parts, sizeof parts) : 0;
}

/* Answers with the study that was made from this record, if there is one. */
static bool find_same(struct sv_request *r, const struct game *game)
{
	const struct sv_studies *studies = &sv_index(r->core)->studies;
	const struct sv_study *same = NULL;
	uint64_t source = source_of(r);
	sv_lock(r->core);
	for (unsigned i = 0; !same && i < studies->count; i++)
		if (studies->list[i]->source == source && !strcmp(studies->list[i]->game, game->name))
			same = studies->list[i];
	if (same)
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_U("study", same->id), PR_I("revision", same->revision),
			   PR_CLOSE);
	sv_unlock(r->core);
	return same != NULL;
}

/* Under the lock: sets the members of a study other than its moves. */
static void begin_revision(struct sv_request *r, const struct sv_study *old, struct sv_study *study)
{
	const char *title = pr_get_str(r->params, "title", old ? old->title : "");
	*study = (struct sv_study){.id = old ? old->id : 0, .revision = old ? old->revision + 1 : 1};
	study->changed_ms = pd_wall_ms();
	study->created_ms = old ? old->created_ms : study->changed_ms;
	study->source = old ? old->source : source_of(r);
	snprintf(study->title, sizeof study->title, "%s", title);
	snprintf(study->client, sizeof study->client, "%s", r->client);
}

/* Writes the study. It belongs to the list afterwards, or to the caller after an error. */
static int write_study(struct sv_request *r, struct sv_task *task, const struct game *game, struct game_tree *tree,
		       struct sv_study *study)
{
	struct sv_study_change change = {.study = study};
	struct sv_studies *studies = &sv_index(r->core)->studies;
	struct sv_study *old;
	sv_lock(r->core);
	int rc = find_changed(r, &old);
	rc = rc || old ? rc : check_room(r, r->client);
	rc = rc || sv_studies_reserve(studies) ? rc : no_memory(r);
	if (!rc) {
		begin_revision(r, old, study);
		rc = sv_study_write(study, game, tree, &r->fail);
	}
	if (rc) {
		sv_unlock(r->core);
		sv_task_free(task);
		return rc;
	}
	if (old)
		old->changing = true;
	rc = await_change(r, task, &change);
	if (old)
		old->changing = false;
	if (!rc) {
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_U("study", study->id), PR_I("revision", study->revision),
			   PR_CLOSE);
		sv_studies_put(studies, study);
	}
	sv_unlock(r->core);
	return rc;
}

/* Writes the study that the request describes. */
static int put_tree(struct sv_request *r, const struct game *game, struct game_tree *tree)
{
	struct sv_task *task;
	int rc = make_task(r, &task);
	if (rc)
		return rc;
	struct sv_study *study = calloc(1, sizeof *study);
	if (!study) {
		sv_task_free(task);
		return no_memory(r);
	}
	rc = write_study(r, task, game, tree, study);
	if (rc) {
		sv_study_fini(study);
		free(study);
	}
	return rc;
}

/* Whether the request makes a new study with `once`. */
static bool is_once(struct sv_request *r)
{
	return pr_get_bool(r->params, "once", false) && !pr_get_int(r->params, "study", 0) && source_of(r);
}

/* With `once`: such requests are carried out one after the other, so that no two make a study from the same record. */
static int put_once(struct sv_request *r, const struct game *game, struct game_tree *tree)
{
	bool *busy = &sv_index(r->core)->studies.once;
	pthread_cond_t *written = &sv_writer(r->core)->written;
	sv_lock(r->core);
	while (*busy)
		sv_lock_wait(r->core, written);
	*busy = true;
	sv_unlock(r->core);
	int rc = find_same(r, game) ? PD_OK : put_tree(r, game, tree);
	sv_lock(r->core);
	*busy = false;
	pthread_cond_broadcast(written);
	sv_unlock(r->core);
	return rc;
}

int sv_method_study_put(struct sv_request *r)
{
	struct game_tree tree;
	struct game *game;
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &game, &r->fail);
	if (rc)
		return rc;
	game_tree_init(&tree);
	rc = read_tree(r, game, &tree);
	if (!rc)
		rc = is_once(r) ? put_once(r, game, &tree) : put_tree(r, game, &tree);
	game_tree_fini(&tree);
	sv_game_put(r->core, game);
	return rc;
}

int sv_method_study_remove(struct sv_request *r)
{
	struct sv_studies *studies = &sv_index(r->core)->studies;
	struct sv_study_change change = {.remove = true};
	struct sv_task *task;
	int rc = make_task(r, &task);
	if (rc)
		return rc;
	sv_lock(r->core);
	rc = find_changed(r, &change.study);
	if (!rc) {
		change.study->changing = true;
		rc = await_change(r, task, &change);
		change.study->changing = false;
	} else {
		sv_task_free(task);
	}
	if (!rc) {
		pr_members(&r->out, PR_OPEN_OBJECT(NULL), PR_U("study", change.study->id), PR_CLOSE);
		sv_studies_remove(studies, sv_studies_find(studies, change.study->id));
	}
	sv_unlock(r->core);
	return rc;
}

/* --- reading ------------------------------------------------------------------------------ */

/* Prints the study as a file. */
static int print_record(struct sv_request *r, const struct sv_study *study, pr_ref root, const char *form)
{
	struct game *game;
	struct game_tree tree;
	struct pd_buf text;
	unsigned i = 0;
	int rc = sv_game_get(r->core, study->game, &game, &r->fail);
	if (rc)
		return rc;
	while (i < GAME_FORMS && strcmp(form, game_form_name((enum game_form)i)) != 0)
		i++;
	game_tree_init(&tree);
	pd_buf_init(&text, GAME_RECORD_BYTES);
	if (!game_has_form(game, (enum game_form)i))
		rc = pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "record",
				 "%s has no records in the form `%s`; every game has `moves`", game->name, form);
	rc = rc ? rc : sv_study_play(game, root, &tree, &r->fail);
	if (!rc) {
		const struct game_line_tree line = {
			.start = tree.start, .nodes = tree.nodes, .title = study->title[0] ? study->title : NULL};
		game_record_write(game, &line, (enum game_form)i, &text);
		rc = text.failed ? no_memory(r) : PD_OK;
	}
	if (!rc)
		pr_strn(&r->out, "record", text.data, text.size);
	pd_buf_fini(&text);
	game_tree_fini(&tree);
	sv_game_put(r->core, game);
	return rc;
}

/* A copy of a study, so that the lock is not held while it is printed. */
static int copy_study(struct sv_request *r, struct sv_study *out)
{
	int64_t id = pr_get_int(r->params, "study", 0);
	const struct sv_studies *studies = &sv_index(r->core)->studies;
	sv_lock(r->core);
	unsigned i = sv_studies_find(studies, id);
	int rc = i < studies->count ? sv_study_read(studies->list[i]->id, studies->list[i]->record.data,
						    studies->list[i]->record.size, out, &r->fail)
				    : refuse_unknown(r, id);
	sv_unlock(r->core);
	return rc;
}

int sv_method_study_get(struct sv_request *r)
{
	const char *form = pr_get_str(r->params, "record", "");
	struct sv_study study;
	struct pr_doc *doc;
	int rc = copy_study(r, &study);
	if (rc)
		return rc;
	rc = pr_doc_parse(study.record.data, study.record.size, &doc, &r->fail);
	if (!rc) {
		pr_ref root = pr_doc_root(doc), text = pr_get(root, "text");
		pr_open_object(&r->out, NULL);
		print_head(&study, &r->out);
		pr_members(&r->out, PR_S("position", pr_get_str(root, "position", "")),
			   PR_OPT(text != NULL, PR_J("text", text)), PR_J("nodes", pr_get(root, "nodes")));
		rc = *form ? print_record(r, &study, root, form) : PD_OK;
		pr_close(&r->out);
		pr_doc_free(doc);
	}
	sv_study_fini(&study);
	return rc;
}

int sv_method_study_list(struct sv_request *r)
{
	const char *game = pr_get_str(r->params, "game", "");
	int64_t left = pr_get_int(r->params, "limit", 100);
	unsigned count = 0;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "studies");
	sv_lock(r->core);
	const struct sv_studies *studies = &sv_index(r->core)->studies;
	for (unsigned i = studies->count; i-- > 0;) {
		if (*game && strcmp(studies->list[i]->game, game) != 0)
			continue;
		count++;
		if (left-- <= 0)
			continue;
		pr_open_object(&r->out, NULL);
		print_head(studies->list[i], &r->out);
		pr_close(&r->out);
	}
	sv_unlock(r->core);
	pr_close(&r->out);
	pr_uint(&r->out, "count", count);
	pr_close(&r->out);
	return PD_OK;
}
