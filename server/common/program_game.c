#include "server/common/program_game.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/program.h"
#include "server/common/game_dirs.h"
#include "server/common/plugin_call.h"
#include "solver/games/game.h"

/* A game of a program; plug-in rules whose members are those of this file (plugins.h). */
struct program_rules {
	struct sv_plugin_rules rules; /* first */
	struct sv_plugin plugin;
	struct pr_terms about;
	char *words, *files; /* owned */
	struct pr_command command;
};

struct state {
	uint16_t plies; /* played since the position was read: a game that ends has at most plies_max */
	bool first;     /* who is to move if the program fails before it says so: players mostly take turns */
	char text[];
};

struct program_game {
	struct game game; /* first */
	struct pr_program *program;
	bool first; /* First moves first */
};

static bool survive;
static _Thread_local struct pd_fail misled; /* code 0: it has not been */

static const struct program_rules *rules_of(const struct game *g)
{
	return (const struct program_rules *)(const void *)g->rules;
}

static struct pr_program *program_of(const struct game *g)
{
	return ((const struct program_game *)(const void *)g)->program;
}

static const char *text_of(const void *state)
{
	return ((const struct state *)state)->text;
}

static void note_failure(const struct game *g, const struct pd_fail *why)
{
	if (!survive)
		sv_plugin_broken(&rules_of(g)->plugin, "%.250s", why->text);
	misled = *why;
}

/* The node of a state, to be put back; NULL: the program has failed. */
static const struct pr_node *get_node(const struct game *g, const void *state, bool ahead)
{
	const struct pr_node *n;
	struct pd_fail why;
	if (!pr_program_get(program_of(g), text_of(state), PR_OWN, ahead, &n, &why))
		return n;
	note_failure(g, &why);
	return NULL;
}

static void put_node(const struct game *g, const struct pr_node *n)
{
	if (n)
		pr_program_put(program_of(g), n);
}

static void write_state(const struct game *g, void *state, const char *position, unsigned plies, bool first)
{
	struct state *s = state;
	PD_ASSERT(strlen(position) <= g->key_size_max);
	memset(s, 0, g->state_size);
	s->plies = (uint16_t)plies;
	s->first = first;
	memcpy(s->text, position, strlen(position));
}

/* --- opening ------------------------------------------------------------------------------ */

static int open_program_game(const struct game_rules *rules, const char *params, const struct game_host *host,
			     struct game **out, struct pd_fail *fail)
{
	const struct program_rules *r = (const struct program_rules *)(const void *)rules;
	struct program_game *p = calloc(1, sizeof *p);
	(void)host;
	if (!p)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game", "no memory for a game");
	int rc = pr_program_open(&r->command, params, &p->program, fail);
	if (rc) {
		free(p);
		return rc;
	}
	const struct pr_terms *t = pr_program_terms(p->program);
	const struct pr_node *n;
	if (pr_program_get(p->program, t->start, PR_OWN, false, &n, fail)) {
		pr_program_close(p->program);
		free(p);
		struct pd_fail why = *fail;
		return pd_fail_set(fail, PD_E_GAME, "game", "its initial position cannot be used: %.250s", why.text);
	}
	p->first = n->first;
	pr_program_put(p->program, n);
	struct game *g = &p->game;
	*g = (struct game){.rules = rules,
			   .rules_version = t->version,
			   .state_size = (uint32_t)sizeof(struct state) + t->size + 1,
			   .key_size_max = t->size,
			   .moves_max = t->moves,
			   .plies_max = t->plies,
			   .value_min = t->worst,
			   .value_max = t->best,
			   .value_step = t->step,
			   .acyclic = !t->repeats,
			   .infinite_value = t->infinite,
			   .plugin_digest = r->plugin.digest};
	snprintf(g->name, sizeof g->name, "%.24s%s%s", rules->name, *t->name ? ":" : "", t->name);
	*out = g;
	return PD_OK;
}

static void close_program_game(struct game *g)
{
	pr_program_close(program_of(g));
	free(g);
}

/* --- positions ---------------------------------------------------------------------------- */

static void start_state(const struct game *g, void *state)
{
	write_state(g, state, pr_program_terms(program_of(g))->start, 0,
		    ((const struct program_game *)(const void *)g)->first);
}

static int parse_state(const struct game *g, const char *text, void *state, struct pd_fail *fail)
{
	const struct pr_node *n;
	if (!*text) {
		start_state(g, state);
		return PD_OK;
	}
	int rc = pr_program_get(program_of(g), text, PR_GIVEN, false, &n, fail);
	if (rc && rc != PD_E_POSITION) {
		note_failure(g, fail);
		return pd_fail_set(fail, PD_E_POSITION, "position", "%.300s", misled.text);
	}
	if (rc)
		return rc;
	write_state(g, state, n->position, 0, n->first);
	put_node(g, n);
	return PD_OK;
}

static size_t print_state(const struct game *g, const void *state, char *out, size_t size)
{
	(void)g;
	return (size_t)snprintf(out, size, "%s", text_of(state));
}

static size_t draw_state(const struct game *g, const void *state, char *out, size_t size)
{
	return pr_program_picture(program_of(g), text_of(state), out, size);
}

static size_t write_key(const struct game *g, const void *state, uint8_t *out)
{
	size_t size = strlen(text_of(state));
	PD_ASSERT(size && size <= g->key_size_max);
	memcpy(out, text_of(state), size);
	return size;
}

static int read_key(const struct game *g, const uint8_t *key, size_t size, void *state)
{
	char text[PR_PROGRAM_TEXT] = "";
	struct pd_fail fail;
	if (!size || size > g->key_size_max || memchr(key, 0, size))
		return PD_E_CORRUPT;
	memcpy(text, key, size);
	int rc = parse_state(g, text, state, &fail);
	if (rc && sv_program_failed(g, &fail)) { /* the text is from a search: the failure is no damage */
		write_state(g, state, text, 0, true);
		return PD_OK;
	}
	return rc || strcmp(text_of(state), text) != 0 ? PD_E_CORRUPT : PD_OK;
}

/* --- moves -------------------------------------------------------------------------------- */

static bool is_first_to_move(const struct game *g, const void *state)
{
	const struct pr_node *n = get_node(g, state, false);
	bool first = n ? n->first : ((const struct state *)state)->first;
	put_node(g, n);
	return first;
}

static bool is_over(const struct game *g, const void *state, int *value)
{
	const struct pr_node *n = get_node(g, state, false);
	bool over = !n || n->over;
	if (over)
		*value = n ? n->value : g->value_min;
	put_node(g, n);
	return over;
}

static unsigned copy_moves(const struct game *g, const void *state, game_move *out, bool unique)
{
	const struct pr_node *n = get_node(g, state, true);
	unsigned count = 0;
	if (!n)
		out[count++] = 0; /* to a position that is over: it may have had moves a moment ago */
	for (uint32_t i = 0; n && i < n->count; i++)
		if (!unique || !n->move[i].twin)
			out[count++] = (game_move)i;
	put_node(g, n);
	return count;
}

static unsigned list_moves(const struct game *g, const void *state, game_move *out)
{
	return copy_moves(g, state, out, false);
}

static unsigned list_unique(const struct game *g, const void *state, game_move *out)
{
	return copy_moves(g, state, out, true);
}

static unsigned count_moves(const struct game *g, const void *state)
{
	const struct pr_node *n = get_node(g, state, false);
	unsigned count = n ? n->count : 1;
	put_node(g, n);
	return count;
}

static void play_move(const struct game *g, void *state, game_move move)
{
	static const char nowhere[] = "\x7f"; /* no position: the game is over there once the program has failed */
	const struct pr_node *n = get_node(g, state, false);
	const struct state *s = state;
	bool first = n ? n->first : s->first;
	unsigned plies = s->plies + (g->acyclic ? 1u : 0);
	bool legal = n && move < n->count, endless = g->acyclic && plies > g->plies_max;
	if (n && !legal)
		pr_program_blame(program_of(g), "a move is not legal any more");
	else if (endless)
		pr_program_blame(program_of(g), "a game goes on for more than `plies` plies");
	write_state(g, state, legal && !endless ? n->move[move].after : nowhere, plies, !first);
	put_node(g, n);
}

static int parse_move(const struct game *g, const void *state, const char *text, game_move *out, struct pd_fail *fail)
{
	const struct pr_node *n = get_node(g, state, false);
	uint32_t i = 0;
	while (n && i < n->count && strcmp(n->move[i].text, text) != 0)
		i++;
	bool found = n && i < n->count;
	put_node(g, n);
	if (!found)
		return pd_fail_set(fail, PD_E_MOVE, "move", "'%.60s' is not a legal move here", text);
	*out = (game_move)i;
	return PD_OK;
}

static size_t print_move(const struct game *g, const void *state, game_move move, char *out, size_t size)
{
	const struct pr_node *n = get_node(g, state, false);
	int written = snprintf(out, size, "%s", n && move < n->count ? n->move[move].text : "?");
	put_node(g, n);
	return (size_t)written;
}

/* --- programs ----------------------------------------------------------------------------- */

bool sv_program_is(const struct game_rules *rules)
{
	return rules->open == open_program_game;
}

bool sv_program_failed(const struct game *game, struct pd_fail *fail)
{
	return sv_program_is(game->rules) && pr_program_failed(program_of(game), fail);
}

bool sv_program_misled(struct pd_fail *fail)
{
	bool was = misled.code != 0;
	if (was)
		*fail = misled;
	misled.code = 0;
	return was;
}

void sv_programs_survive(void)
{
	survive = true;
}

/* The value that a list NAME=VALUE, NAME=VALUE, ... has for the name. */
static const char *files_of(const struct sv_game_dirs *dirs, const char *name, size_t size)
{
	for (unsigned i = 0; i < dirs->file_lists; i++)
		if (!strncmp(dirs->files[i], name, size) && dirs->files[i][size] == '=')
			return dirs->files[i] + size + 1;
	return NULL;
}

static void fill_rules(struct program_rules *r, const char *name)
{
	r->rules.plugin = &r->plugin;
	r->rules.shown = (struct game_rules){.abi = GAME_ABI,
					     .size = sizeof(struct game_rules),
					     .name = name,
					     .title = r->about.title[0] ? r->about.title : name,
					     .params = r->about.params,
					     .notation = r->about.notation,
					     .example = r->about.example[0] ? r->about.example : name,
					     .open = open_program_game,
					     .close = close_program_game,
					     .start = start_state,
					     .parse = parse_state,
					     .print = print_state,
					     .picture = draw_state,
					     .move_parse = parse_move,
					     .move_print = print_move,
					     .first_to_move = is_first_to_move,
					     .terminal = is_over,
					     .moves = list_moves,
					     .play = play_move,
					     .key = write_key,
					     .unkey = read_key,
					     .unique_moves = list_unique,
					     .count = count_moves};
}

/* Opens the game as it is without parameters, to hear what the program says of itself. */
static int load_program(const struct sv_game_dirs *dirs, const char *text, struct pd_fail *fail)
{
	const char *equals = strchr(text, '='), *files = files_of(dirs, text, (size_t)(equals - text));
	struct program_rules *r = calloc(1, sizeof *r);
	struct pr_program *program;
	if (!r || !(r->words = strdup(equals + 1)) || (files && !(r->files = strdup(files)))) {
		free(r ? r->words : NULL);
		free(r);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game-program", "no memory for a program");
	}
	snprintf(r->plugin.games, sizeof r->plugin.games, "%.*s", (int)(equals - text), text);
	snprintf(r->plugin.file, sizeof r->plugin.file, "program %.100s", r->plugin.games);
	r->command = (struct pr_command){.words = r->words, .files = r->files, .seconds = dirs->seconds};
	int rc = files ? pr_program_digest(files, &r->plugin.digest, fail)
		       : pd_fail_set(
				 fail, PD_E_USAGE, "game-files",
				 "--game-files %.60s=FILE,... is missing: the files that hold its rules, whose digest "
				 "is part of their version",
				 r->plugin.games);
	r->command.digest = r->plugin.digest;
	rc = rc ? rc : pr_program_open(&r->command, "", &program, fail);
	if (!rc) {
		r->about = *pr_program_terms(program);
		pr_program_close(program);
		r->plugin.author = r->about.author;
		fill_rules(r, r->plugin.games);
		rc = game_register(&r->rules.shown, fail);
	}
	if (rc) {
		free(r->words);
		free(r->files);
		free(r);
	}
	return rc;
}

int sv_programs_load(const struct sv_game_dirs *dirs, void (*refused)(void *ctx, const char *sentence), void *ctx,
		     struct pd_fail *fail)
{
	for (unsigned i = 0; i < dirs->programs; i++) {
		char sentence[600];
		const char *text = dirs->program[i], *equals = strchr(text, '=');
		const struct game_rules *known = NULL;
		if (equals - text > 24)
			return pd_fail_set(fail, PD_E_USAGE, "game-program", "a name has at most 24 letters: '%.80s'",
					   text);
		for (unsigned j = 0; (known = game_at(j)) != NULL; j++)
			if (sv_program_is(known) && strlen(known->name) == (size_t)(equals - text) &&
			    !strncmp(known->name, text, (size_t)(equals - text)))
				break; /* a core that is opened again */
		struct pd_fail why;
		if (known || !load_program(dirs, text, &why))
			continue;
		snprintf(sentence, sizeof sentence, "the game of the program %.120s is refused: %s", text, why.text);
		refused(ctx, sentence);
	}
	return PD_OK;
}
