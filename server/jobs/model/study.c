#include "server/jobs/model/study.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/out.h"

enum { MORE = 8 /* studies that may be written at the same time */ };

static const char begins[] = "{\"v\":1,\"study\":";

bool sv_study_is(const void *bytes, size_t size)
{
	return bytes && size >= sizeof begins - 1 && !memcmp(bytes, begins, sizeof begins - 1);
}

void sv_study_fini(struct sv_study *study)
{
	pd_buf_fini(&study->record);
	*study = (struct sv_study){0};
}

static void copy_text(pr_ref root, const char *key, char *out, size_t size)
{
	snprintf(out, size, "%s", pr_get_str(root, key, ""));
}

int sv_study_read(uint32_t id, const void *bytes, size_t size, struct sv_study *out, struct pd_fail *fail)
{
	struct pr_doc *doc;
	*out = (struct sv_study){.id = id};
	int rc = pr_doc_parse(bytes, size, &doc, fail);
	if (rc)
		return pd_fail_set(fail, rc == PD_E_NO_MEMORY ? rc : PD_E_CORRUPT, "jobs",
				   "the record of study %u is not JSON", id);
	pr_ref root = pr_doc_root(doc);
	out->revision = pr_get_int(root, "revision", 0);
	out->created_ms = pr_get_int(root, "created", 0);
	out->changed_ms = pr_get_int(root, "changed", 0);
	out->moves = (unsigned)pr_count(pr_get(root, "nodes"));
	out->source = strtoull(pr_get_str(root, "source", "0"), NULL, 16);
	copy_text(root, "study", out->title, sizeof out->title);
	copy_text(root, "game", out->game, sizeof out->game);
	copy_text(root, "client", out->client, sizeof out->client);
	bool whole = pr_get_int(root, "v", 0) == 1 && out->revision > 0 && out->game[0] &&
		     pr_kind_of(pr_get(root, "nodes")) == PR_ARRAY;
	pr_doc_free(doc);
	if (!whole)
		return pd_fail_set(fail, PD_E_CORRUPT, "jobs", "the record of study %u lacks a member", id);
	pd_buf_init(&out->record, ST_JOB_MAX);
	pd_buf_put(&out->record, bytes, size);
	if (out->record.failed)
		sv_study_fini(out);
	return out->game[0] ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the studies");
}

/* --- trees -------------------------------------------------------------------------------- */

static void print_nodes(const struct game *game, const struct game_tree *tree, struct pr_out *out)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	struct game_tree at = *tree; /* a cursor of its own in the same tree */
	unsigned depth = 0;
	memcpy(state, tree->start, game->state_size);
	pr_open_array(out, "nodes");
	for (uint32_t last = 0, node = game_tree_next(tree, 0); node; last = node, node = game_tree_next(tree, node)) {
		const struct game_line_node *n = &tree->nodes[node];
		if (n->parent != last)
			game_tree_go(&at, game, state, n->parent);
		depth = 1;
		for (uint32_t i = n->parent; i; i = tree->nodes[i].parent)
			depth++;
		game->rules->move_print(game, state, n->move, text, sizeof text);
		pr_open_object(out, NULL);
		pr_members(out, PR_U("depth", depth), PR_S("move", text),
			   PR_OPT(n->mark != 0, PR_S("mark", game_mark_text(n->mark))), PR_OPT_S("text", n->text));
		pr_close(out);
		game->rules->play(game, state, n->move);
		if (depth > SV_STUDY_DEPTH)
			out->buf->failed = true;
	}
	pr_close(out);
}

/* The position where a tree begins; "" for the initial one. */
static void print_start(const struct game *game, const struct game_tree *tree, struct pr_out *out)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX], initial[GAME_TEXT_MAX];
	game->rules->start(game, start);
	game->rules->print(game, start, initial, sizeof initial);
	game->rules->print(game, tree->start, text, sizeof text);
	pr_str(out, "position", strcmp(text, initial) != 0 ? text : "");
}

int sv_study_write(struct sv_study *study, const struct game *game, const struct game_tree *tree, struct pd_fail *fail)
{
	struct pr_out out;
	char source[17];
	PD_ASSERT(tree->count && study->revision);
	snprintf(source, sizeof source, "%016" PRIx64, study->source);
	study->moves = tree->count - 1;
	snprintf(study->game, sizeof study->game, "%s", game->name);
	if (study->moves > SV_STUDY_MOVES)
		return pd_fail_set(fail, PD_E_LIMIT, "nodes", "a study has at most %d moves, not %u", SV_STUDY_MOVES,
				   study->moves);
	pd_buf_init(&study->record, ST_JOB_MAX);
	pr_out_init(&out, &study->record);
	pr_open_object(&out, NULL);
	pr_members(&out, PR_I("v", 1), PR_S("study", study->title), PR_I("revision", study->revision),
		   PR_OPT(study->client[0] != 0, PR_S("client", study->client)), PR_I("created", study->created_ms),
		   PR_I("changed", study->changed_ms), PR_OPT(study->source, PR_S("source", source)),
		   PR_S("game", game->name));
	print_start(game, tree, &out);
	pr_members(&out, PR_OPT_S("text", tree->nodes[0].text));
	print_nodes(game, tree, &out);
	pr_close(&out);
	if (study->record.failed)
		return pd_fail_set(fail, PD_E_LIMIT, "nodes", "a study has at most %d bytes and %d plies",
				   (int)ST_JOB_MAX, SV_STUDY_DEPTH);
	PD_ASSERT(sv_study_is(study->record.data, study->record.size));
	return PD_OK;
}

/* Plays one node; `path` has the nodes that lead to it, and `*depth` is that of the one before. */
static int play_node(struct record *r, pr_ref node, uint32_t *path, unsigned *depth)
{
	int64_t at = pr_get_int(node, "depth", 0);
	const char *move = pr_get_str(node, "move", ""), *mark = pr_get_str(node, "mark", "");
	const char *text = pr_get_str(node, "text", "");
	struct game_tree *tree = r->played->tree;
	if (at < 1 || at > *depth + 1 || at > SV_STUDY_DEPTH)
		return pd_fail_set(r->fail, PD_E_PARAMS, "nodes",
				   "its depth must be 1 to %u: at most one more than that of the node before",
				   *depth < SV_STUDY_DEPTH ? *depth + 1 : SV_STUDY_DEPTH);
	if (*mark && !game_mark_of(mark, strlen(mark)))
		return pd_fail_set(r->fail, PD_E_PARAMS, "nodes", "a mark is one of ! ? !! ?? !? ?!");
	if (at != *depth + 1)
		game_tree_go(tree, r->game, r->state, path[at - 1]);
	int rc = game_record_move(r, move, strlen(move));
	if (rc)
		return rc;
	*depth = (unsigned)at;
	path[at] = tree->at;
	game_tree_mark(tree, game_mark_of(mark, strlen(mark)));
	game_tree_say(tree, text, strlen(text));
	return PD_OK;
}

int sv_study_play(const struct game *game, pr_ref object, struct game_tree *tree, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct game_played played = {.tree = tree};
	struct pd_fail why = {0};
	struct record r = {.game = game, .state = state, .played = &played, .fail = &why};
	const char *position = pr_get_str(object, "position", ""), *text = pr_get_str(object, "text", "");
	uint32_t path[SV_STUDY_DEPTH + 1] = {0};
	unsigned depth = 0;
	pr_ref nodes = pr_get(object, "nodes");
	int rc = game->rules->parse(game, position, state, fail);
	if (rc)
		return rc;
	if (tree->nodes)
		game_tree_say(tree, text, strlen(text));
	for (size_t i = 0; !rc && i < pr_count(nodes); i++) {
		rc = play_node(&r, pr_at(nodes, i), path, &depth);
		if (rc)
			pd_fail_set(fail, (enum pd_error)rc, "nodes", "node %zu: %.280s", i + 1, why.text);
	}
	if (!rc && !game_tree_end(tree, game, state))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a study");
	return rc;
}

/* --- the list ----------------------------------------------------------------------------- */

static void free_study(struct sv_study *study)
{
	sv_study_fini(study);
	free(study);
}

void sv_studies_fini(struct sv_studies *studies)
{
	for (unsigned i = 0; i < studies->count; i++)
		free_study(studies->list[i]);
	free(studies->list);
	*studies = (struct sv_studies){0};
}

bool sv_studies_reserve(struct sv_studies *studies)
{
	struct sv_study **grown = realloc(studies->list, ((size_t)studies->count + MORE) * sizeof *grown);
	studies->list = grown ? grown : studies->list;
	return grown;
}

unsigned sv_studies_find(const struct sv_studies *studies, int64_t id)
{
	unsigned i = 0;
	while (i < studies->count && studies->list[i]->id != id)
		i++;
	return i;
}

void sv_studies_put(struct sv_studies *studies, struct sv_study *study)
{
	unsigned i = sv_studies_find(studies, study->id);
	if (i < studies->count) {
		free_study(studies->list[i]);
		studies->list[i] = study;
		return;
	}
	while (i && studies->list[i - 1]->id > study->id)
		i--;
	memmove(&studies->list[i + 1], &studies->list[i], (studies->count - i) * sizeof *studies->list);
	studies->list[i] = study;
	studies->count++;
}

void sv_studies_remove(struct sv_studies *studies, unsigned index)
{
	free_study(studies->list[index]);
	studies->count--;
	memmove(&studies->list[index], &studies->list[index + 1], (studies->count - index) * sizeof *studies->list);
}

unsigned sv_studies_of(const struct sv_studies *studies, const char *client)
{
	unsigned count = 0;
	for (unsigned i = 0; i < studies->count; i++)
		count += !strcmp(studies->list[i]->client, client);
	return count;
}
