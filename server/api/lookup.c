#include "server/api/lookup.h"

#include "server/common/core_parts.h"
#include "store/store.h"

static int find_fact(struct pn_lookup *base, const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	const struct sv_lookup *lookup = (const struct sv_lookup *)base;
	return st_fact_get(lookup->reader, lookup->game_id, key, size, out, fail);
}

void sv_lookup_init(struct sv_lookup *lookup, const struct sv_core *core, struct st_reader *reader)
{
	lookup->reader = reader;
	lookup->base.left = reader == sv_loop_reader(core) ? SV_LOOP_LOOKUPS : SV_READER_LOOKUPS;
}

void sv_lookup_game(struct sv_lookup *lookup, const struct sv_core *core, const struct game *game)
{
	lookup->game_id = st_game_find(sv_store(core), game->name, game_version(game));
	lookup->base.game = game;
	lookup->base.find = lookup->game_id ? find_fact : NULL;
}
