/* Probe: what is proved about positions and about each of their moves, for the side to move, best first, in the form
 * that programs know from tablebases. It uses facts and rules alone; nothing is searched. */
#pragma once

#include <stdbool.h>

struct st_reader;
struct pn_after;
struct sv_request;

/* fact.probe, from any thread with its own reader. An error in one of the positions is reported in its answer; an error
 * of the store fails the call. With the loop thread's reader it may return PN_KNOWN_LATER (known.h) like sv_query. */
int sv_probe(struct sv_request *request, struct st_reader *reader);

/* Sorts what is known after the moves of a position, at most GAME_MOVES_MAX, best first for the side to move; `first`:
 * that side is First. Equal moves keep their order. */
void sv_best_first(struct pn_after *after, unsigned count, bool first);
