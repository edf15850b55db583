#include "solver/table_theorem.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/table_format.h"

enum { EFFORT = 1000 /* nodes that a search by the rules alone needs: not known, and mostly more */ };

/* The rules of a game with tables: those that it had, with one theorem more. */
struct tables {
	struct game_rules rules;        /* what game->rules points to */
	const struct game_rules *plain; /* what it pointed to before */
	struct pn_table_source source;
	unsigned count;
	struct pn_table table[];
};

static void tables_close(struct game *game);

static const struct tables *tables_of(const struct game *game)
{
	return game->rules->close == tables_close ? (const struct tables *)(const void *)game->rules : NULL;
}

enum found { FOUND_NONE, FOUND, FOUND_DAMAGED };

/* Looks up a position that is not over. */
static enum found find_entry(const struct tables *t, const struct game *game, const void *state, uint16_t *entry,
			     const struct pn_table **where)
{
	uint64_t id = t->plain->classes->id(game, state);
	for (unsigned i = 0; id && i < t->count; i++) {
		const struct pn_table *table = &t->table[i];
		if (table->class.id != id)
			continue;
		uint64_t index = t->plain->classes->index(game, &table->class, state);
		PD_ASSERT(index < table->class.size);
		*where = table;
		if (!t->source.get(table->file, index, entry) || *entry == PD_TABLE_HOLE)
			return FOUND_DAMAGED;
		return FOUND;
	}
	return FOUND_NONE;
}

/* The value of an entry for First, when First is to move or not. */
static int value_of(const struct game *game, uint16_t entry, bool first)
{
	if (!pd_table_decided(entry))
		return game->infinite_value;
	return pd_table_wins(entry) == first ? game->value_max : game->value_min;
}

bool pn_tables_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
		       uint8_t *witness)
{
	const struct tables *t = tables_of(game);
	const struct pn_table *table;
	uint16_t entry;
	if (!t || find_entry(t, game, state, &entry, &table) != FOUND)
		return false;
	bool decided = pd_table_decided(entry);
	unsigned plies = decided ? pd_table_plies(entry) : 0;
	if (decided && plies < 2)
		return false; /* searches see that themselves */
	bool first = t->plain->first_to_move(game, state);
	*out = (struct game_theorem){
		.proved = value_of(game, entry, first) >= threshold,
		.number = GAME_TABLE,
		.plies = decided ? (uint16_t)plies : GAME_NO_RANK,
		.witness = witness ? PN_TABLE_DIGEST : 0,
		.effort = EFFORT,
	};
	if (witness)
		memcpy(witness, table->digest, PN_TABLE_DIGEST);
	return true;
}

static bool tables_theorem(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			   uint8_t *witness)
{
	const struct tables *t = tables_of(game);
	return (t->plain->theorem && t->plain->theorem(game, state, threshold, out, witness)) ||
	       pn_tables_theorem(game, state, threshold, out, witness);
}

static void tables_close(struct game *game)
{
	struct tables *t = (struct tables *)(uintptr_t)tables_of(game);
	PD_ASSERT(t != NULL);
	t->source.close(t->source.ctx);
	game->rules = t->plain;
	free(t);
	game->rules->close(game);
}

bool pn_tables_there(const struct game *game)
{
	return tables_of(game) != NULL;
}

static bool has_class(const struct tables *t, uint64_t id)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->table[i].class.id == id)
			return true;
	return false;
}

bool pn_tables_gap(const struct game *game, const void *state, char above[GAME_CLASS_NAME], char below[GAME_CLASS_NAME])
{
	const struct tables *t = tables_of(game);
	struct game_class next[GAME_CLASS_NEXT_MAX];
	uint64_t id = t && state ? t->plain->classes->id(game, state) : 0;
	for (unsigned i = 0; t && i < t->count; i++) {
		const struct game_class *c = &t->table[i].class;
		unsigned count = t->plain->classes->next(game, c, next);
		for (unsigned k = 0; k < count; k++)
			if (!has_class(t, next[k].id) && (!state || id == c->id || id == next[k].id)) {
				memcpy(above, c->name, GAME_CLASS_NAME);
				memcpy(below, next[k].name, GAME_CLASS_NAME);
				return true;
			}
	}
	return false;
}

bool pn_tables_possible(const struct game *game)
{
	int step = game->value_step;
	return game->rules->classes && !game->plugin_digest && !game->acyclic &&
	       game->infinite_value - game->value_min <= step && game->value_max - game->infinite_value <= step;
}

int pn_tables_attach(struct game *game, const struct pn_table *tables, unsigned count,
		     const struct pn_table_source *source, struct pd_fail *fail)
{
	PD_ASSERT(count && pn_tables_possible(game) && !tables_of(game));
	struct tables *t = malloc(sizeof *t + count * sizeof *tables);
	if (!t)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for tables");
	*t = (struct tables){.rules = *game->rules, .plain = game->rules, .source = *source, .count = count};
	memcpy(t->table, tables, count * sizeof *tables);
	t->rules.theorem = tables_theorem;
	t->rules.close = tables_close;
	game->rules = &t->rules;
	return PD_OK;
}

void pn_tables_as_facts(struct game *game)
{
	struct tables *t = (struct tables *)(uintptr_t)tables_of(game);
	if (t)
		t->rules.theorem = t->plain->theorem;
}

bool pn_table_over(const struct game *game, const void *state, uint16_t *entry)
{
	int value;
	if (!game->rules->terminal(game, state, &value))
		return false;
	if (value == game->infinite_value)
		*entry = PD_TABLE_DRAW;
	else if ((value > game->infinite_value) == game->rules->first_to_move(game, state))
		*entry = pd_table_win(0);
	else
		*entry = pd_table_loss(0);
	return true;
}

/* The move of the player to move that leads to an entry which serves it: the end of a win that is nearest, or a draw.
 * */
static game_move find_move(const struct tables *t, const struct game *game, const void *state, uint16_t entry)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	const struct pn_table *where;
	uint16_t want = pd_table_decided(entry) ? pd_table_loss(pd_table_plies(entry) - 1) : PD_TABLE_DRAW, there;
	unsigned count = t->plain->moves(game, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, game->state_size);
		t->plain->play(game, child, moves[i]);
		if ((pn_table_over(game, child, &there) || find_entry(t, game, child, &there, &where) == FOUND) &&
		    there == want)
			return game_canon(game, state, moves[i], false);
	}
	return PD_NO_MOVE;
}

int pn_tables_fact(const struct game *game, const void *state, struct pd_fact *fact, struct pd_fail *fail)
{
	const struct tables *t = tables_of(game);
	const struct pn_table *table;
	uint16_t entry;
	enum found found = t ? find_entry(t, game, state, &entry, &table) : FOUND_NONE;
	if (found == FOUND_NONE)
		return 0;
	if (found == FOUND_DAMAGED) {
		pd_fail_set(fail, PD_E_CORRUPT, "tables",
			    "the table %s of %s is damaged: proofctl table verify says where", table->class.name,
			    game->name);
		return PN_TABLES_DAMAGED;
	}
	bool first = t->plain->first_to_move(game, state);
	int value = value_of(game, entry, first);
	uint16_t plies = pd_table_decided(entry) ? (uint16_t)pd_table_plies(entry) : PD_RANK_NONE;
	for (unsigned side = PD_LO; side <= PD_HI; side++) {
		struct pd_reason r = {
			.bound = (int16_t)value, .side = (uint8_t)side, .rank = plies, .move = PD_NO_MOVE};
		if (value == (side == PD_LO ? game->value_min : game->value_max))
			continue; /* says nothing */
		if (first == (side == PD_LO))
			r.move = find_move(t, game, state, entry);
		int added = pd_fact_add(fact, &r);
		if (added < 0) {
			pd_fail_set(fail, added == -1 ? PD_E_CORRUPT : PD_E_NO_MEMORY, "tables",
				    added == -1 ? "a fact contradicts the table %s of %s"
						: "no memory for a fact of the table %s of %s",
				    table->class.name, game->name);
			return -1;
		}
	}
	return 1;
}

int pn_tables_key_fact(const struct game *game, const uint8_t *key, size_t size, struct pd_fact *fact,
		       struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	int value;
	if (!tables_of(game) || game->rules->unkey(game, key, size, state) ||
	    game->rules->terminal(game, state, &value))
		return 0;
	return pn_tables_fact(game, state, fact, fail);
}
