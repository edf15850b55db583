/* Export: the facts that justify one answer, as a certificate (proto/CERTIFICATE.md).
 *
 * A depth-first walk from the root with an explicit stack of needs (position, bound, rank limit; export_records.h). For
 * each need the walk takes a reason of the facts and pushes what that reason needs one ply down: the child of the
 * recorded move at a node whose mover wants the bound, else the children of all legal moves. No position is visited
 * twice for the same bound. With detail `full` leaves are searched again (fact_overlay.h) and their proofs included.
 *
 * With `frontier` a leaf remains a leaf where its bound has a rank and the plain search finds it (plain_search.h), with
 * the records that the certificate will have; its effort is then what that search took. The others are searched again,
 * as with `full`, and the certificate goes on below them, down to what the plain search finds. */
#pragma once

#include "server/proofs/certificates/export_directory.h"

struct st_store;

/* Writes the certificate with facts of the store. `graphs` as in sv_config. PD_E_STATE with field "position" when the
 * facts do not answer the claim, and when `progress` said stop; PD_E_CORRUPT when a fact that is needed is missing or
 * is not found again. Takes as long as it takes. */
int sv_export(struct st_store *store, const char *graphs, const struct sv_export_order *order, struct sv_exported *out,
	      struct pd_fail *fail);
