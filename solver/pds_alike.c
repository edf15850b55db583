#include "solver/pds_alike.h"

#include <string.h>

_Static_assert(sizeof(((struct pds_chains *)NULL)->open) * 8 > UINT8_MAX, "a bit for each class");

void pds_class_moves(struct pds *pds, struct pds_frame *f)
{
	const struct game *game = pds->question.game;
	uint8_t *classes = (uint8_t *)(pds->moves + game->moves_max);
	if (!game->rules->alike)
		return;
	memset(classes, 0, f->count);
	game->rules->alike(game, pds_state(pds, pds->depth), pds->moves, f->count, classes);
	f->alike = true;
	for (uint32_t i = 0; i < f->count; i++)
		pds->children[f->first + i].alike = classes[i];
}
