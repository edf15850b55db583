#include "clients/proofcheck/program_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clients/proofcheck/rules.h"
#include "proto/base/print.h"
#include "proto/out.h"
#include "proto/program.h"

enum { NAME_BYTES = 32, EXIT_UNKNOWN = 2 };

/* A position is its text in `at`, and a move the number of its name among the sorted names. */
_Static_assert((int)CK_SQUARES_MAX >= (int)PR_PROGRAM_TEXT, "a text fits");

static struct {
	const char *command;
	char name[NAME_BYTES];
	bool json;
} given; /* by the option */

static struct pr_program *program_of(const struct ck_game *g)
{
	return g->own;
}

/* Nothing can be said of the certificate without the rules. */
_Noreturn static void end_check(const char *why)
{
	struct pd_buf line;
	struct pr_out out;
	pd_buf_init(&line, 4096);
	pr_out_init(&out, &line);
	pr_members(&out, PR_OPEN_OBJECT(NULL), PR_S("verdict", "unknown"), PR_S("reason", why), PR_CLOSE);
	if (given.json)
		pd_print(stdout, "%s\n", line.data);
	else
		pd_print(stdout, "UNKNOWN\n  reason     %s\n", why);
	fflush(stdout);
	_exit(EXIT_UNKNOWN);
}

static const struct pr_node *node_of(const struct ck_game *g, const char *text, enum pr_source source, bool ahead)
{
	const struct pr_node *n;
	struct pd_fail fail;
	int rc = pr_program_get(program_of(g), text, source, ahead, &n, &fail);
	if (rc && (rc != PD_E_POSITION || source == PR_OWN))
		end_check(fail.text);
	return rc ? NULL : n;
}

static const struct pr_node *known_node(const struct ck_game *g, const struct ck_position *p, bool ahead)
{
	return node_of(g, (const char *)p->at, PR_OWN, ahead);
}

static void put_position(const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	snprintf((char *)out->at, sizeof out->at, "%s", text);
}

static int program_open_game(struct ck_game *game, const char *params, const char *graph, size_t graph_size,
			     struct pd_fail *fail)
{
	struct pr_program *program;
	(void)graph;
	if (graph_size)
		return pd_fail_set(fail, PD_E_GAME, "game", "the game takes no graph");
	int rc = pr_program_open(&(struct pr_command){.words = given.command}, params, &program, fail);
	if (rc)
		return rc;
	const struct pr_terms *t = pr_program_terms(program);
	game->own = program;
	snprintf(game->name, sizeof game->name, "%.31s%s%s", given.name, *t->name ? ":" : "", t->name);
	game->version = t->version;
	game->worst = t->worst;
	game->best = t->best;
	game->step = t->step;
	game->infinite = t->infinite;
	game->repeats = t->repeats;
	game->key_max = t->size;
	return PD_OK;
}

static void close_program(struct ck_game *game)
{
	if (game->own)
		pr_program_close(game->own);
}

static const char *program_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	if (!*text) {
		put_position(pr_program_terms(program_of(g))->start, out);
		return NULL;
	}
	const struct pr_node *n = node_of(g, text, PR_GIVEN, false);
	if (!n)
		return "the program refuses the position";
	put_position(n->position, out);
	pr_program_put(program_of(g), n);
	return NULL;
}

static void program_print_position(const struct ck_game *g, const struct ck_position *p, char out[CK_TEXT_MAX])
{
	(void)g;
	snprintf(out, CK_TEXT_MAX, "%s", (const char *)p->at);
}

static size_t program_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t out[CK_KEY_MAX])
{
	size_t size = strlen((const char *)p->at);
	(void)g;
	memcpy(out, p->at, size);
	return size;
}

static bool program_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *out)
{
	char text[PR_PROGRAM_TEXT] = "";
	if (!size || size >= sizeof text || memchr(key, 0, size))
		return false;
	memcpy(text, key, size);
	return !program_read_position(g, text, out) && !strcmp((const char *)out->at, text);
}

static bool program_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	const struct pr_node *n = known_node(g, p, false);
	bool over = n->over;
	if (over)
		*value = n->value;
	pr_program_put(program_of(g), n);
	return over;
}

static bool program_first_moves(const struct ck_game *g, const struct ck_position *p)
{
	const struct pr_node *n = known_node(g, p, false);
	bool first = n->first;
	pr_program_put(program_of(g), n);
	return first;
}

static unsigned program_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t out[CK_MOVES_MAX])
{
	const struct pr_node *n = known_node(g, p, true);
	unsigned count = n->count;
	for (unsigned i = 0; i < count; i++)
		out[i] = (uint16_t)i;
	pr_program_put(program_of(g), n);
	return count;
}

static void program_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	const struct pr_node *n = known_node(g, p, false);
	if (move >= n->count)
		end_check("a legal move is not legal any more");
	put_position(n->move[move].after, p);
	pr_program_put(program_of(g), n);
}

static void program_move_name(const struct ck_game *g, const struct ck_position *p, uint16_t move,
			      char out[CK_MOVE_TEXT])
{
	const struct pr_node *n = known_node(g, p, false);
	snprintf(out, CK_MOVE_TEXT, "%.150s", move < n->count ? n->move[move].text : "?");
	pr_program_put(program_of(g), n);
}

static void program_picture(const struct ck_game *g, const struct ck_position *p, char out[CK_PICTURE_MAX])
{
	pr_program_picture(program_of(g), (const char *)p->at, out, CK_PICTURE_MAX);
}

/* The digest of the files among the words of the command. */
static uint64_t digest_of(const char *words)
{
	char *copy = strdup(words), *rest = NULL, files[4096] = "";
	uint64_t digest = 0;
	struct pd_fail fail;
	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word; word = strtok_r(NULL, " ", &rest)) {
		size_t used = strlen(files);
		if (word != copy && !access(word, R_OK))
			snprintf(files + used, sizeof files - used, "%s%s", used ? "," : "", word);
	}
	free(copy);
	return *files && !pr_program_digest(files, &digest, &fail) ? digest : 0;
}

int ck_program_load(const char *text, bool json, struct ck_source *out, struct pd_fail *fail)
{
	static const struct ck_rules rules = {.name = given.name,
					      CK_RULES(program),
					      .over = program_over,
					      .first_moves = program_first_moves,
					      .close = close_program,
					      .picture = program_picture,
					      .move_name = program_move_name};
	static const struct ck_rules *const list[] = {&rules, NULL};
	const char *equals = strchr(text, '=');
	size_t size = equals ? (size_t)(equals - text) : 0;
	if (!size || size >= sizeof given.name || !equals[1] || given.command)
		return pd_fail_set(fail, PD_E_USAGE, "program", "it is given once, as NAME=COMMAND, not '%.80s'", text);
	if (ck_rules_named(text, size))
		return pd_fail_set(fail, PD_E_USAGE, "program", "the game %.*s is built in", (int)size, text);
	memcpy(given.name, text, size);
	given.command = equals + 1;
	given.json = json;
	ck_rules_add(list);
	*out = (struct ck_source){given.command, "", digest_of(given.command)};
	return PD_OK;
}
