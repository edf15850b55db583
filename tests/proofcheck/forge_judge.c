/* Forge: decides whether a certificate is valid, with the games of the solver. */
#include "tests/proofcheck/forge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/claim.h"
#include "proto/graph_file.h"
#include "tests/support/retro.h"
#include "tests/support/walk.h"

enum { UPPER = 1, RANK = 2, MOVE = 4, EFFORT = 8, CARD = 16 };

struct judge {
	struct forge *forge;
	const struct game *game;
	struct truth *truth;
	char *why;
	enum forge_finding finding;
};

static bool reject_claim(struct judge *j, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool reject_claim(struct judge *j, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(j->why, 200, format, args);
	va_end(args);
	j->finding = FORGE_FALSE;
	return false;
}

/* --- the header --------------------------------------------------------------------------- */

static bool is_bound(const char *text, int *out)
{
	char again[32];
	*out = atoi(text);
	snprintf(again, sizeof again, "%d", *out);
	return !strcmp(again, text) && *out >= INT16_MIN && *out <= INT16_MAX;
}

/* Whether the game can end with that value. */
static bool is_value(const struct game *g, int64_t value)
{
	for (int64_t v = g->value_min; v <= g->value_max; v += g->value_step)
		if (v == value)
			return true;
	return false;
}

/* Checks the header lines that follow from the file's contents. */
static bool check_counts(struct judge *j)
{
	static const enum forge_line lines[] = {FORGE_positions, FORGE_reasons, FORGE_leaves, FORGE_cards,
						FORGE_blocks,    FORGE_graph,   FORGE_digest};
	struct forge copy;
	struct pd_buf file;
	bool good = true;
	forge_copy(&copy, j->forge);
	forge_fit(&copy);
	pd_buf_init(&file, SIZE_MAX);
	forge_write(&copy, true, &file);
	for (unsigned i = 0; i < sizeof lines / sizeof lines[0] && good; i++)
		if (strcmp(copy.line[lines[i]], j->forge->line[lines[i]]))
			good = reject_claim(j, "line %u should be %s", lines[i], copy.line[lines[i]]);
	pd_buf_fini(&file);
	forge_fini(&copy);
	return good;
}

static bool check_game(struct judge *j)
{
	const struct forge *f = j->forge;
	char version[24];
	struct pd_graph *graph = NULL;
	snprintf(version, sizeof version, "%" PRIu64, j->game->rules_version);
	for (unsigned i = 0; i < FORGE_LINE_COUNT; i++)
		for (const unsigned char *p = (const unsigned char *)f->line[i]; *p; p++)
			if (*p < ' ' || *p == 0x7f)
				return reject_claim(j, "control characters");
	/* A graph may have any name. */
	bool andor = !strncmp(j->game->name, "andor:", 6);
	const char *name = f->line[FORGE_game];
	if (andor ? strncmp(name, "andor:", 6) || !name[6] || strlen(name) >= GAME_NAME_MAX
		  : strcmp(name, j->game->name))
		return reject_claim(j, "another game");
	if (strcmp(f->line[FORGE_rules], version))
		return reject_claim(j, "another version");
	if ((f->graph_size > 0) != andor)
		return reject_claim(j, "graph or no graph");
	if (!f->graph_size)
		return true;
	if (pr_graph_parse(f->graph, f->graph_size, &graph, NULL))
		return reject_claim(j, "bad graph");
	bool same = graph->digest == j->game->rules_version;
	pd_graph_free(graph);
	return same || reject_claim(j, "another graph");
}

static bool check_claim(struct judge *j)
{
	char **line = j->forge->line, again[24];
	struct pd_claim claim;
	int lo = 0, hi = 0;
	bool has_lo = strcmp(line[FORGE_lo], "-"), has_hi = strcmp(line[FORGE_hi], "-");
	if ((has_lo && !is_bound(line[FORGE_lo], &lo)) || (has_hi && !is_bound(line[FORGE_hi], &hi)))
		return reject_claim(j, "bounds");
	if ((has_lo && !is_value(j->game, lo)) || (has_hi && !is_value(j->game, hi)))
		return reject_claim(j, "bounds that are no values");
	if (pd_claim_parse(line[FORGE_claim], &claim, NULL))
		return reject_claim(j, "claim");
	snprintf(again, sizeof again, "first>=%d", claim.threshold);
	if (!strncmp(line[FORGE_claim], "first>=", 7) && strcmp(line[FORGE_claim], again))
		return reject_claim(j, "claim in other words");
	if (strcmp(line[FORGE_detail], "full") && strcmp(line[FORGE_detail], "frontier"))
		return reject_claim(j, "detail");
	if (claim.value)
		return (!strcmp(line[FORGE_status], "solved") && has_lo && has_hi && lo == hi) ||
		       reject_claim(j, "value");
	bool proved = !strcmp(line[FORGE_status], "proved");
	if (!proved && strcmp(line[FORGE_status], "disproved"))
		return reject_claim(j, "status");
	if (proved != claim.refusal)
		return (has_lo && !has_hi && lo >= claim.threshold) || reject_claim(j, "lo");
	return (has_hi && !has_lo && hi < claim.threshold) || reject_claim(j, "hi");
}

/* --- reasons ------------------------------------------------------------------------------ */

static const struct forge_record *find_record(const struct forge *f, const uint8_t *key, size_t size)
{
	size_t low = 0, high = f->count;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct forge_record *r = &f->record[middle];
		int order = memcmp(r->key, key, r->key_size < size ? r->key_size : size);
		order = order ? order : (r->key_size > size) - (r->key_size < size);
		if (!order)
			return r;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether the position has the bound, with a rank below `below` unless that is 0. */
static bool has_bound(struct judge *j, const void *state, bool upper, int64_t bound, uint64_t below)
{
	uint8_t key[GAME_KEY_MAX];
	int value;
	if (upper ? bound >= j->game->value_max : bound <= j->game->value_min)
		return true;
	if (j->game->rules->terminal(j->game, state, &value))
		return upper ? value <= bound : value >= bound;
	const struct forge_record *r = find_record(j->forge, key, j->game->rules->key(j->game, state, key));
	for (unsigned i = 0; r && i < r->count; i++) {
		const struct forge_reason *reason = &r->reason[i];
		if ((reason->flags & UPPER) == upper && (upper ? reason->bound <= bound : reason->bound >= bound) &&
		    (!below || (reason->flags & RANK && reason->rank < below)))
			return true;
	}
	return false;
}

/* Whether the player to move ends the game at once with the bound, which it wants. */
static bool wins_at_once(struct judge *j, const void *state, bool upper, int64_t bound)
{
	const struct game_rules *rules = j->game->rules;
	game_move moves[GAME_MOVES_MAX];
	int value;
	if (rules->terminal(j->game, state, &value) || rules->first_to_move(j->game, state) == upper)
		return false;
	unsigned count = rules->moves(j->game, state, moves);
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child;
		memcpy(&child, state, j->game->state_size);
		rules->play(j->game, &child, moves[i]);
		if (rules->terminal(j->game, &child, &value) && (upper ? value <= bound : value >= bound))
			return true;
	}
	return false;
}

/* Whether the bound is true within the rank: what a search is to find, or a card is to show. */
static bool check_by_truth(struct judge *j, const void *state, const struct forge_reason *r)
{
	unsigned distance;
	if (!j->truth) {
		j->finding = FORGE_EITHER;
		return true;
	}
	struct truth *other = truth_knows(j->truth, state) ? NULL : truth_new(j->game, state);
	bool upper = r->flags & UPPER;
	bool holds = truth_holds(other ? other : j->truth, state, (int)r->bound + upper, &distance) != upper;
	truth_free(other);
	if (!holds)
		return reject_claim(j, "an effort or a card for what is false");
	return distance <= r->rank || reject_claim(j, "an effort or a card for a rank that is too small");
}

static bool check_effort(struct judge *j, const void *state, const struct forge_reason *r)
{
	if (strcmp(j->forge->line[FORGE_detail], "frontier") || !(r->flags & RANK) || r->flags & MOVE || !r->effort)
		return reject_claim(j, "an effort where none may be");
	return check_by_truth(j, state, r);
}

/* A witness is not looked at: a card that is true may be accepted. */
static bool check_card(struct judge *j, const void *state, const struct forge_reason *r)
{
	if (!(r->flags & RANK) || r->flags & (MOVE | EFFORT) || r->theorem < 1 || r->theorem > 65535 || r->size > 512)
		return reject_claim(j, "a card where none may be, or of the wrong form");
	j->finding = FORGE_EITHER;
	return check_by_truth(j, state, r);
}

static bool check_reason(struct judge *j, const void *state, const struct forge_reason *r)
{
	const struct game *g = j->game;
	bool upper = r->flags & UPPER,
	     in_time = g->acyclic || (upper ? r->bound < g->infinite_value : r->bound > g->infinite_value);
	game_move moves[GAME_MOVES_MAX];
	if (r->flags > (j->forge->format == 4 ? 31 : 15) || !is_value(g, r->bound))
		return reject_claim(j, "flags or bound");
	if (r->flags & RANK ? r->rank < 1 || r->rank > 65534 : in_time)
		return reject_claim(j, "rank");
	if (r->flags & MOVE && r->move > 65534)
		return reject_claim(j, "move code");
	if (r->flags & CARD)
		return check_card(j, state, r);
	if (r->flags & EFFORT)
		return check_effort(j, state, r);
	bool wants = g->rules->first_to_move(g, state) != upper;
	if (wants != ((r->flags & MOVE) != 0))
		return reject_claim(j, "a move too many or too few");
	unsigned count = g->rules->moves(g, state, moves), legal = 0;
	for (unsigned i = 0; i < count; i++) {
		struct walk_state child;
		if (wants && moves[i] != r->move)
			continue;
		legal++;
		memcpy(&child, state, g->state_size);
		g->rules->play(g, &child, moves[i]);
		if (!has_bound(j, &child, upper, r->bound, r->flags & RANK ? r->rank : 0) &&
		    (j->forge->format != 4 || (r->flags & RANK && r->rank < 2) ||
		     !wins_at_once(j, &child, upper, r->bound)))
			return reject_claim(j, "a child without the bound");
	}
	return legal > 0 || reject_claim(j, "illegal move");
}

static bool check_record(struct judge *j, const struct forge_record *r)
{
	const struct game_rules *rules = j->game->rules;
	struct walk_state state;
	uint8_t key[GAME_KEY_MAX];
	int value;
	if (r->key_size > j->game->key_size_max || rules->unkey(j->game, r->key, r->key_size, &state) ||
	    rules->key(j->game, &state, key) != r->key_size || memcmp(key, r->key, r->key_size))
		return reject_claim(j, "no key");
	if (rules->terminal(j->game, &state, &value) || !r->count)
		return reject_claim(j, "a record that should not be");
	for (unsigned i = 0; i < r->count; i++) {
		const struct forge_reason *a = &r->reason[i], *before = i ? a - 1 : NULL;
		if (before && ((before->flags & UPPER) > (a->flags & UPPER) ||
			       ((before->flags & UPPER) == (a->flags & UPPER) && before->bound >= a->bound)))
			return reject_claim(j, "order of reasons");
		if (!check_reason(j, &state, a))
			return false;
	}
	return true;
}

static bool check_root(struct judge *j)
{
	char **line = j->forge->line, hex[2 * GAME_KEY_MAX + 1] = "";
	struct walk_state root;
	uint8_t key[GAME_KEY_MAX];
	int value;
	if (j->game->rules->parse(j->game, line[FORGE_position], &root, NULL))
		return reject_claim(j, "position");
	size_t size = j->game->rules->key(j->game, &root, key);
	for (size_t i = 0; i < size; i++)
		snprintf(hex + 2 * i, 3, "%02x", key[i]);
	if (strcmp(hex, line[FORGE_root]))
		return reject_claim(j, "root");
	if (j->game->rules->terminal(j->game, &root, &value) && j->forge->count)
		return reject_claim(j, "records of a game that is over");
	for (unsigned upper = 0; upper < 2; upper++) {
		const char *text = line[upper ? FORGE_hi : FORGE_lo];
		if (strcmp(text, "-") && !has_bound(j, &root, upper, atoi(text), 0))
			return reject_claim(j, "bounds of the root");
	}
	return true;
}

enum forge_finding forge_judge(struct forge *f, const struct game *game, struct truth *truth, char why[200])
{
	struct judge j = {f, game, truth, why, FORGE_TRUE};
	why[0] = 0;
	if (!check_game(&j) || !check_counts(&j) || !check_claim(&j))
		return FORGE_FALSE;
	for (size_t i = 1; i < f->count; i++) {
		const struct forge_record *a = &f->record[i - 1], *b = &f->record[i];
		int order = memcmp(a->key, b->key, a->key_size < b->key_size ? a->key_size : b->key_size);
		if (order > 0 || (!order && a->key_size >= b->key_size)) {
			reject_claim(&j, "order of records");
			return FORGE_FALSE;
		}
	}
	if (!check_root(&j))
		return FORGE_FALSE;
	for (size_t i = 0; i < f->count; i++)
		if (!check_record(&j, &f->record[i]))
			return FORGE_FALSE;
	return j.finding;
}
