/* Chain: why a position's value is known, as text: the chain of facts from the position down to the end of the game,
 * to a theorem, a table, or a search that was not kept. */
#pragma once

#include "clients/link.h"
#include "clients/options.h"

/* Prints the chain below `position`, along the reply that takes longest; or that nothing is proved there. */
int cl_explain(struct cl_link *link, const struct cl_options *options, const char *position, struct pd_fail *fail);
