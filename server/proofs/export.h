/* Export: the facts that justify one answer, as a certificate (proto/CERTIFICATE.md).
 *
 * From the root down, every bound that is needed is taken from the facts: at a node whose mover wants it the recorded
 * move, elsewhere all legal moves, no position and bound twice. With detail `full` the searches of leaves are run again
 * and their proofs are taken in; with `frontier` leaves stay what they are, where the bound is one that counts plies.
 */
#ifndef SV_EXPORT_H
#define SV_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/proofs/export_directory.h"
#include "solver/game.h"
#include "store/store.h"

/* Writes the certificate that is ordered, with facts of the store. `graphs` as in sv_config. PD_E_STATE with field
 * "position" when the facts do not answer the claim, and when `progress` said stop; PD_E_CORRUPT when a fact that is
 * needed is missing or is not found again. Takes as long as it takes. */
int sv_export(struct st_store *store, const char *graphs, const struct sv_export_order *order, struct sv_exported *out,
	      struct pd_fail *fail);

#endif
