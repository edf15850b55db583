/* Export gathered: what an export has gathered and what it still needs, kept in its log (export_log.h).
 *
 * Records, postponed leaves and cards are logged as they are put; the stack of needs and the answer that is proved are
 * logged as the state between two needs. So a resumed export has all of it as it was. For one thread. */
#pragma once

#include "server/proofs/certificates/export_log.h"
#include "server/proofs/certificates/export_records.h"
#include "server/proofs/certificates/played_out.h"

/* What the certificate proves. */
struct sv_export_answer {
	int32_t lo, hi;      /* known bounds of the root */
	bool has_lo, has_hi; /* those that the claim needs */
	char claim[24], status[12];
};

struct sv_gathered {
	struct sv_export_records records;
	struct sv_export_records maybe;    /* postponed leaves; each becomes a record or is justified by deeper ones */
	struct pd_buf needs;               /* the stack: key, struct sv_need, key, ... */
	struct pd_buf leaves;              /* the needs of `maybe`, in the same form */
	uint64_t leaves_most, leaves_left; /* needs in `leaves`: the most there were, and those left */
	struct sv_export_log log;
	struct sv_export_answer answer;
	bool resumed; /* the log had a state, which this export goes on from */
};

void sv_gathered_init(struct sv_gathered *g);
/* `keep`: the log remains, so that the export can go on. */
void sv_gathered_fini(struct sv_gathered *g, bool keep);
/* Opens the log of the certificate `path`; `title` says which export it is. If it has a state, everything and *played
 * become what they were then. PD_E_CORRUPT with field "file" when it is malformed. */
int sv_gathered_open(struct sv_gathered *g, const char *path, const char *title, struct sv_played *played,
		     struct pd_fail *fail);

/* Whether a record meets the need, or a postponed leaf does. */
bool sv_gathered_meet(const struct sv_gathered *g, const uint8_t *key, const struct sv_need *need);
int sv_gathered_put(struct sv_gathered *g, const uint8_t *key, size_t size, const struct pd_reason *r,
		    struct pd_fail *fail);
/* Keeps a card; 0 without memory, else its place. */
uint32_t sv_gathered_card(struct sv_gathered *g, const struct game_theorem *theorem, const uint8_t *witness);
/* Postpones a leaf until everything else has its records. */
int sv_gathered_postpone(struct sv_gathered *g, const uint8_t *key, size_t size, const struct pd_reason *leaf,
			 struct pd_fail *fail);
int sv_gathered_need(struct sv_gathered *g, const uint8_t *key, const struct sv_need *need, struct pd_fail *fail);
/* Takes the next need, which must be there: the last one put, and postponed ones last. Returns whether it was
 * postponed. `key`: GAME_KEY_MAX bytes. */
bool sv_gathered_take(struct sv_gathered *g, uint8_t *key, struct sv_need *need);

/* Between two needs: writes the log if it is due. `whole`: the rest of the export depends on nothing but what is
 * gathered, so the state is written, too; otherwise entries alone are written, when there are many. */
int sv_gathered_keep(struct sv_gathered *g, bool whole, const struct sv_played *played, struct pd_fail *fail);
/* Everything is gathered: writes the state if there is a log already. */
int sv_gathered_complete(struct sv_gathered *g, const struct sv_played *played, struct pd_fail *fail);
